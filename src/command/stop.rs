//! What a Stop is answered with: the agent's words and the standing claims, judged at that moment.
//!
//! Architecture invariant: nothing here writes; the caller appends the judgement and prints the reply.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::docket::{Docket, Reach};
use crate::claims::config::{Config, GateMode};
use crate::claims::declared;
use crate::claims::render::{detail, line};
use crate::claims::verdict::{Claim, From, Verdict, judge_claims, shown_id};
use crate::error::Result;
use crate::evidence::id::{digest_fields, sha256_hex};
use crate::gate::{Asked, decide};
use crate::layout::Place;
use crate::ledger::{Draft, EntryKind};
use crate::records::need::Moment;
use crate::records::story::{Scope, Words};
use crate::records::subject::Wanted;

/// The stop that is to be answered.
pub struct Stopped<'a> {
    pub session: &'a str,
    /// A sub-agent's.
    pub agent: Option<&'a str>,
    pub stop_hook_active: bool,
    /// `deeds.json` as it is now, where it can be read.
    pub config_text: Option<&'a str>,
}

/// The reply for the client, if any, and the judgement for the ledger.
pub struct Answer {
    pub reply: Option<String>,
    pub judgement: Draft,
    /// Something was not shown.
    pub open: bool,
}

/// Judges the stop. `None`: nothing is claimed, and nothing needs saying.
pub fn answer(place: &Place, stopped: &Stopped<'_>) -> Result<Option<Answer>> {
    let (now, trouble) = match stopped.config_text.map(Config::parse) {
        None => (Config::default(), None),
        Some(Ok(config)) => (config, None),
        Some(Err(e)) => (Config::default(), Some(format!("deeds.json is not valid, and the defaults apply: {e}"))),
    };
    // What earlier sessions showed is looked for only where this one does not settle it.
    let settled = judged(place, stopped, &now, trouble.clone(), Reach::Session)?;
    match settled {
        Some(answer) if answer.open => judged(place, stopped, &now, trouble, Reach::Earlier),
        settled => Ok(settled),
    }
}

fn judged(
    place: &Place,
    stopped: &Stopped<'_>,
    now: &Config,
    trouble: Option<String>,
    reach: Reach,
) -> Result<Option<Answer>> {
    let docket = Docket::open(place, now, Some(Scope::Session(stopped.session.to_owned())), reach)?;
    let recorded = recorded_config(&docket);
    let changed = recorded.is_some() && differs_from_start(&docket, stopped.config_text);
    let config = recorded.as_ref().unwrap_or(now);
    let Some(words) = docket.story.words.iter().rev().find(|w| w.agent.as_deref() == stopped.agent) else {
        return Ok(None);
    };
    let mut claims = Vec::new();
    if stopped.agent.is_none() && changed_in_turn(&docket, words) {
        claims = standing(config, &docket, words);
    }
    claims.extend(docket.claims_of(words));
    let (mut verdicts, _) = judge_claims(claims, &docket.story, &docket.checks)?;
    docket.name_changes(&mut verdicts);
    let sub_agents = of_sub_agents(&docket, stopped, words, &verdicts)?;
    if verdicts.is_empty() && trouble.is_none() && sub_agents.is_empty() {
        return Ok(None);
    }
    let trouble = trouble.or_else(|| {
        changed
            .then(|| "deeds.json changed during this session; the gate goes by the one that it began with".to_owned())
    });
    let asked = Asked {
        mode: config.gate,
        stop_hook_active: stopped.stop_hook_active,
        seen: seen(&docket),
        ignored: config.ignore_for_freshness.clone(),
        trouble: trouble.filter(|text| !told(&docket, text)),
        sub_agents,
    };
    let decision = decide(&verdicts, &asked);
    let judgement = judgement(&docket, stopped, words, &verdicts, &asked, &decision.shown, decision.blocked);
    let open = verdicts.iter().any(|v| !v.is_supported() && !v.is_contradicted());
    Ok(Some(Answer { reply: decision.reply.map(|r| r.to_string()), judgement, open }))
}

/// A line for each contradicted claim of the turn's sub-agents: their own stop was answered to them alone.
fn of_sub_agents(
    docket: &Docket<'_>,
    stopped: &Stopped<'_>,
    words: &Words,
    verdicts: &[Verdict],
) -> Result<Vec<String>> {
    if stopped.agent.is_some() {
        return Ok(Vec::new());
    }
    let claims = docket.contradicted_of_sub_agents(Some(words), verdicts)?;
    let (verdicts, _) = judge_claims(claims, &docket.story, &docket.checks)?;
    Ok(verdicts.iter().map(line).collect())
}

fn recorded_config(docket: &Docket<'_>) -> Option<Config> {
    let held = docket.story.config_at_start.as_ref()?;
    Config::parse(&docket.text_of(&held["text"])?).ok()
}

/// Whether `deeds.json` is not what it was when the session began.
pub fn differs_from_start(docket: &Docket<'_>, now: Option<&str>) -> bool {
    let at_start = docket.story.config_at_start.as_ref().and_then(|held| docket.text_of(&held["text"]));
    at_start.as_deref() != now
}

/// Whether anything was changed since the turn began: a question and its answer are held to no standing claim.
fn changed_in_turn(docket: &Docket<'_>, words: &Words) -> bool {
    let story = &docket.story;
    // A chain of stops is one turn: what was asked for before a block is asked for after it.
    let previous = story.words.iter().rev().find(|w| w.seq < words.seq && w.agent.is_none() && w.turn != words.turn);
    let since = story.turn_began.into_iter().chain(previous.map(|w| w.seq)).filter(|seq| *seq < words.seq).max();
    let edited = story.edits.iter().any(|e| !e.failed && since.is_none_or(|since| e.seq > since));
    let tree = words.worktree["tree"].as_str();
    let before = story.worktrees.iter().rev().find(|(seq, _)| since.is_none_or(|since| *seq <= since));
    let before = previous.and_then(|w| w.worktree["tree"].as_str()).or_else(|| before?.1["tree"].as_str());
    let acted = story.runs.iter().any(|run| run.is_command() && since.is_none_or(|since| run.seq > since));
    // Between two turns the user may have changed what the agent did not touch.
    let moved = acted && tree.zip(before).is_some_and(|(now, then)| now != then);
    (edited || moved) && held_at(docket) != tree.map(str::to_owned)
}

/// The tree at which the standing claims last held.
fn held_at(docket: &Docket<'_>) -> Option<String> {
    let last = docket.story.judgements.iter().rev().find(|j| j["standing_held"] == Value::Bool(true))?;
    last["tree"].as_str().map(str::to_owned)
}

fn standing(config: &Config, docket: &Docket<'_>, words: &Words) -> Vec<Claim> {
    declared::standing_claims(config, || {
        let wanted = match words.worktree["tree"].as_str() {
            Some(tree) => Wanted::Tree(tree.to_owned()),
            None => Wanted::Edits(docket.story.edits_before(words.seq)),
        };
        (wanted, Moment { until: None, worktree: words.worktree.clone(), git: words.git.clone() })
    })
}

/// The "not shown" lines that the user has seen in this session.
fn seen(docket: &Docket<'_>) -> BTreeSet<String> {
    let shown = docket.story.judgements.iter().filter_map(|j| j["shown"].as_array()).flatten();
    shown.filter_map(|line| line.as_str().map(str::to_owned)).collect()
}

fn told(docket: &Docket<'_>, trouble: &str) -> bool {
    docket.story.judgements.iter().any(|j| j["trouble"].as_str() == Some(trouble))
}

fn judgement(
    docket: &Docket<'_>,
    stopped: &Stopped<'_>,
    words: &Words,
    verdicts: &[Verdict],
    asked: &Asked,
    shown: &[String],
    blocked: bool,
) -> Draft {
    let claims: Vec<Value> = verdicts
        .iter()
        .map(|v| {
            json!({
                "claimId": v.claim.id, "outcome": v.result.outcome.as_str(), "from": v.claim.from.as_str(),
                "evidenceId": v.result.outcome.evidence_id().map(shown_id), "says": v.claim.words.as_ref().map(|w| w.text.clone()),
                "detail": detail(v), "entries": v.because.evidence.iter().map(|e| e.seq).collect::<Vec<_>>(),
            })
        })
        .collect();
    let standing: Vec<&Verdict> = verdicts.iter().filter(|v| v.claim.from == From::Config).collect();
    let said = sha256_hex(verdicts.iter().map(line).collect::<Vec<_>>().join("\n").as_bytes());
    let id = digest_fields(&["judgement", stopped.session, &words.seq.to_string(), &said]);
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
    put("id", id.clone().into());
    put("session_id", stopped.session.into());
    put("agent", stopped.agent.into());
    put("claim", words.seq.into());
    put("gate", gate_name(asked.mode).into());
    put("blocked", blocked.into());
    put("tree", words.worktree["tree"].clone());
    if !standing.is_empty() {
        put("standing_held", standing.iter().all(|v| v.is_supported()).into());
    }
    put("claims", claims.into());
    put("shown", shown.to_vec().into());
    if let Some(trouble) = &asked.trouble {
        put("trouble", trouble.clone().into());
    }
    put("coverage", docket.coverage().holes.into());
    Draft { kind: EntryKind::Judgement, id, body }
}

fn gate_name(mode: GateMode) -> &'static str {
    match mode {
        GateMode::Off => "off",
        GateMode::Report => "report",
        GateMode::Block => "block",
    }
}
