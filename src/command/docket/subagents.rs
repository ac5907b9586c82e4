//! What the session's sub-agents said in its last turn and does not hold: their client shows nobody a line of it.

use super::Docket;
use crate::claims::config::MESSAGE_PREFIX;
use crate::claims::verdict::{Claim, Verdict, judge_claims};
use crate::error::Result;
use crate::records::need::Says;
use crate::records::story::Words;

impl Docket<'_> {
    /// The contradicted claims of each sub-agent's last words since the session's own agent last ended a turn before
    /// `own`. Of what the own agent's words, judged in `shown`, say truly of the same kind, nobody needs to be told.
    pub fn contradicted_of_sub_agents(&self, own: Option<&Words>, shown: &[Verdict]) -> Result<Vec<Claim>> {
        let good: Vec<&str> = shown
            .iter()
            .filter(|v| v.is_supported())
            .filter_map(|v| v.claim.words.as_ref())
            .map(|w| w.kind.as_str())
            .collect();
        let mut found = Vec::new();
        for (n, words) in self.last_of_each(own).into_iter().enumerate() {
            let (verdicts, _) = judge_claims(self.claims_of(words), &self.story, &self.checks)?;
            for verdict in verdicts.into_iter().filter(Verdict::is_contradicted) {
                let mut claim = verdict.claim;
                // An admission is never held against anybody.
                if claim.needs.iter().any(|need| need.says != Says::Yes) {
                    continue;
                }
                let Some(said) = claim.words.as_mut().filter(|said| !good.contains(&said.kind.as_str())) else {
                    continue;
                };
                said.agent.clone_from(&words.agent);
                let number = claim.id.trim_start_matches(MESSAGE_PREFIX).to_owned();
                claim.id = format!("{MESSAGE_PREFIX}agent-{}/{number}", n + 1);
                found.push(claim);
            }
        }
        Ok(found)
    }

    /// Each sub-agent's last words of the turn, in order.
    fn last_of_each(&self, own: Option<&Words>) -> Vec<&Words> {
        let all = &self.story.words;
        let earlier = |w: &&Words| own.is_some_and(|own| w.seq < own.seq && (w.turn != own.turn || own.turn.is_none()));
        let since = all.iter().rev().filter(|w| w.agent.is_none()).find(earlier).map(|w| w.seq);
        let of_turn = |w: &&Words| w.agent.is_some() && since.is_none_or(|since| w.seq > since);
        let here = |w: &&Words| own.is_none_or(|own| own.session == w.session);
        let said: Vec<&Words> = all.iter().filter(of_turn).filter(here).collect();
        let later = |n: usize| said[n + 1..].iter().any(|w| w.agent == said[n].agent);
        (0..said.len()).filter(|n| !later(*n)).map(|n| said[n]).collect()
    }
}
