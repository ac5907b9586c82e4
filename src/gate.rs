//! Verdicts → what a Stop hook answers: nothing, a line to the user, or a reason to go on.
//!
//! Architecture invariant: never more than one block in a chain of stops (Codex has no cap of its own, Claude Code's is
//! eight); never on missing coverage alone; an honest "tests fail" or "not committed" is never held against the agent.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::claims::config::GateMode;
use crate::claims::render::line;
use crate::claims::verdict::{From, Verdict};
use crate::judge::ClaimOutcome;
use crate::records::need::Says;

/// A reason longer than this is replaced by a preview in Codex; Claude Code takes 30,000 characters.
const REASON_MAX: usize = 8_000;

/// How many lines the user is shown at once.
const LINES_MAX: usize = 6;

/// What the gate needs to know beside the verdicts.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    pub mode: GateMode,
    /// This turn goes on because a Stop hook made it.
    pub stop_hook_active: bool,
    /// "Not shown" lines that the user has seen in this session.
    pub seen: BTreeSet<String>,
    /// Files whose change alone never blocks.
    pub ignored: Vec<String>,
    /// What is wrong with `deeds.json`, if anything: the user is told.
    pub trouble: Option<String>,
    /// Lines of what the turn's sub-agents said and does not hold: reported, and never a reason to block.
    pub sub_agents: Vec<String>,
}

/// What to answer, and what to remember of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decision {
    pub reply: Option<Value>,
    pub blocked: bool,
    /// The "not shown" lines that this reply shows.
    pub shown: Vec<String>,
}

pub fn decide(verdicts: &[Verdict], asked: &Asked) -> Decision {
    if asked.mode == GateMode::Off {
        return Decision::default();
    }
    if asked.mode == GateMode::Block && !asked.stop_hook_active {
        let blocking: Vec<String> = verdicts.iter().filter(|v| blocks(v, &asked.ignored)).map(line).collect();
        if !blocking.is_empty() {
            let reply = json!({"decision": "block", "reason": reason(&blocking)});
            return Decision { reply: Some(reply), blocked: true, shown: Vec::new() };
        }
    }
    report(verdicts, asked)
}

fn report(verdicts: &[Verdict], asked: &Asked) -> Decision {
    let mut lines: Vec<String> = asked.trouble.iter().cloned().collect();
    let mut shown = Vec::new();
    for verdict in verdicts.iter().filter(|v| is_gated(v)) {
        let text = line(verdict);
        match &verdict.result.outcome {
            ClaimOutcome::Contradicted { .. } => lines.push(text),
            ClaimOutcome::Unsupported { .. } if !asked.seen.contains(&key(verdict)) => {
                shown.push(key(verdict));
                lines.push(text);
            }
            _ => {}
        }
    }
    lines.extend(asked.sub_agents.iter().cloned());
    if lines.is_empty() {
        return Decision::default();
    }
    let more = lines.len().saturating_sub(LINES_MAX);
    lines.truncate(LINES_MAX);
    if more > 0 {
        lines.push(format!("… and {more} more: deeds judge"));
    }
    Decision { reply: Some(json!({"systemMessage": format!("deeds: {}", lines.join("\n"))})), blocked: false, shown }
}

/// What tells one "not shown" line from another: the words, not the entry numbers.
pub fn key(verdict: &Verdict) -> String {
    let words = verdict.claim.words.as_ref().map_or(verdict.claim.id.as_str(), |w| w.text.as_str());
    format!("{words}: {}", crate::claims::render::detail(verdict))
}

/// An honest admission is never gated.
fn is_gated(verdict: &Verdict) -> bool {
    verdict
        .claim
        .needs
        .iter()
        .all(|n| n.says == Says::Yes && n.count.is_none_or(|(_, failed)| failed.unwrap_or(0) == 0))
}

fn blocks(verdict: &Verdict, ignored: &[String]) -> bool {
    if !is_gated(verdict) {
        return false;
    }
    match &verdict.result.outcome {
        ClaimOutcome::Contradicted { .. } => true,
        ClaimOutcome::Unsupported { .. } => {
            verdict.claim.from != From::Message && !verdict.only_ignored_changed(ignored)
        }
        ClaimOutcome::Supported => false,
    }
}

fn reason(lines: &[String]) -> String {
    let mut text = String::from("deeds compared what was said with what was recorded:\n");
    for line in lines {
        text.push_str("- ");
        text.push_str(line);
        text.push('\n');
    }
    text.push_str(
        "Before you finish: do what is missing (run the command in the foreground, on the files as they are now, without \
         hiding its exit status), or tell the user plainly what does not hold.",
    );
    crate::text::shorten(&text, REASON_MAX)
}
