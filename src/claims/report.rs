//! Verdicts as text, JSON and markdown.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::render::{detail, line, name};
use super::verdict::{Verdict, shown_id};
use crate::judge::{ClaimOutcome, Snapshot};
use crate::text::{Lines, sanitise};

/// What could not be seen.
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    pub holes: Vec<String>,
}

/// One line a claim, then the holes in what could be seen.
pub fn text(verdicts: &[Verdict], coverage: &Coverage, session: Option<&str>) -> String {
    let mut out = String::new();
    for verdict in verdicts {
        let _ = writeln!(out, "{}", line(verdict));
    }
    if verdicts.is_empty() {
        match session {
            Some(id) => {
                let id = sanitise(id, Lines::Escape);
                let _ = writeln!(out, "nothing to judge: no claim was recognised in the last message of session {id}");
            }
            None => out.push_str("nothing to judge: no claim was recognised\n"),
        }
    }
    for hole in &coverage.holes {
        let _ = writeln!(out, "  not seen: {}", sanitise(hole, Lines::Escape));
    }
    out
}

pub fn json(verdicts: &[Verdict], coverage: &Coverage) -> Value {
    let claims: Vec<Value> = verdicts.iter().map(claim_json).collect();
    json!({"claims": claims, "coverage": {"complete": coverage.holes.is_empty(), "holes": coverage.holes}})
}

fn claim_json(verdict: &Verdict) -> Value {
    let mut claim = Map::new();
    claim.insert("claimId".into(), verdict.claim.id.clone().into());
    claim.insert("outcome".into(), verdict.result.outcome.as_str().into());
    if let Some(reason) = verdict.result.outcome.reason() {
        claim.insert("reason".into(), reason.as_str().into());
    }
    if let Some(id) = verdict.result.outcome.evidence_id() {
        claim.insert("evidenceId".into(), shown_id(id).into());
    }
    claim.insert("from".into(), verdict.claim.from.as_str().into());
    if let Some(words) = &verdict.claim.words {
        claim.insert("kind".into(), words.kind.clone().into());
        claim.insert("says".into(), words.says.clone().into());
        if let Some((passed, failed)) = words.count {
            claim.insert("count".into(), json!({"passed": passed, "failed": failed}));
        }
        claim.insert("span".into(), words.text.clone().into());
        if let Some(agent) = &words.agent {
            claim.insert("agent".into(), agent.clone().into());
        }
    }
    claim.insert("detail".into(), detail(verdict).into());
    let evidence = verdict.because.evidence.iter().map(|e| {
        json!({"seq": e.seq, "id": e.id, "trust_class": e.trust_class, "collection_method": e.collection_method, "boundary": e.boundary})
    });
    claim.insert("evidence".into(), evidence.collect());
    Value::Object(claim)
}

/// The pure judge's input.
pub fn snapshot(snapshot: &Snapshot) -> Value {
    json!({"claims": snapshot.claims, "evidence": snapshot.evidence})
}

/// For a pull request: a table, and the evidence folded away.
pub fn markdown(verdicts: &[Verdict], coverage: &Coverage) -> String {
    let mut out = String::from("| | claim | verdict | fact |\n|---|---|---|---|\n");
    for verdict in verdicts {
        let (mark, word) = match &verdict.result.outcome {
            ClaimOutcome::Supported => ("✅", "supported"),
            ClaimOutcome::Contradicted { .. } => ("❌", "contradicted"),
            ClaimOutcome::Unsupported { .. } => ("❔", "not shown"),
        };
        let _ = writeln!(out, "| {mark} | {} | {word} | {} |", cell(&name(verdict)), cell(&detail(verdict)));
    }
    let listed: Vec<&Verdict> = verdicts.iter().filter(|v| !v.because.evidence.is_empty()).collect();
    if !listed.is_empty() {
        out.push_str("\n<details><summary>Evidence</summary>\n\n| claim | entry | trust | method | boundary |\n|---|---|---|---|---|\n");
        for verdict in listed {
            for e in &verdict.because.evidence {
                let _ = writeln!(
                    out,
                    "| {} | #{} | {} | {} | {} |",
                    cell(&name(verdict)),
                    e.seq,
                    cell(&e.trust_class),
                    cell(&e.collection_method),
                    cell(&e.boundary)
                );
            }
        }
        out.push_str("\n</details>\n");
    }
    for hole in &coverage.holes {
        let _ = writeln!(out, "\nNot seen: {}", cell(hole));
    }
    out
}

/// Text that cannot leave its cell.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for c in sanitise(text, Lines::Escape).chars() {
        match c {
            '|' => out.push_str("\\|"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '[' | ']' | '*' | '_' | '`' | '!' | '@' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}
