//! Whether the observations of one call agree: an agent's client may tell of it twice, through a hook and in its own file.

use serde_json::Value;

use crate::error::Result;
use crate::evidence::{Evidence, EvidenceKind};
use crate::ledger::{EntryKind, Ledger};
use crate::records::run::Run;

/// One line for each observation of the call that `evidence` is about, and what they come to together. Nothing where it is
/// the only one.
pub fn lines(ledger: &Ledger, evidence: &Evidence) -> Result<Vec<String>> {
    let Some(call) = evidence.source_event_id.as_deref().filter(|_| evidence.kind == EvidenceKind::ExitCode) else {
        return Ok(Vec::new());
    };
    let mut run = Run::new(&evidence.session_id, call);
    let mut observations: Vec<Observation> = Vec::new();
    for entry in ledger.read()?.filter_map(|entry| entry.ok()).filter(|entry| entry.kind == EntryKind::Evidence) {
        let body = &entry.body;
        let same = body["session_id"] == *evidence.session_id && body["source_event_id"] == *call;
        if !same || body["kind"] != EvidenceKind::ExitCode.as_str() {
            continue;
        }
        let Ok(seen) = serde_json::from_value::<Evidence>(entry.body.clone()) else { continue };
        if let Some(before) = observations.iter_mut().find(|before| before.id == seen.id && before.same_as(&seen)) {
            before.again = true;
            continue;
        }
        run.add(entry.seq, &seen);
        observations.push(Observation::of(entry.seq, seen));
    }
    if observations.len() < 2 {
        return Ok(Vec::new());
    }
    let mut lines: Vec<String> = observations.iter().map(Observation::line).collect();
    lines.push(verdict(&run, &observations));
    Ok(lines)
}

struct Observation {
    seq: u64,
    id: String,
    exit: Value,
    why: String,
    method: String,
    output_len: u64,
    output_digest: Value,
    /// It stands in the ledger more than once.
    again: bool,
}

impl Observation {
    fn of(seq: u64, evidence: Evidence) -> Observation {
        let payload = &evidence.payload;
        let text = |key: &str| payload[key].as_str().unwrap_or("none").to_owned();
        let method = evidence.source.as_ref().map_or("unknown", |source| source.collection_method.as_str());
        Observation {
            seq,
            exit: payload["exit_code"].clone(),
            why: if payload["exit_code"].is_null() { text("reason") } else { text("exit_basis") },
            method: method.to_owned(),
            output_len: payload["output_len"].as_u64().unwrap_or(0),
            output_digest: payload["output_digest"].clone(),
            again: false,
            id: evidence.id,
        }
    }

    fn same_as(&self, other: &Evidence) -> bool {
        self.exit == other.payload["exit_code"] && self.output_digest == other.payload["output_digest"]
    }

    fn line(&self) -> String {
        let exit = if self.exit.is_null() { "exit unknown".to_owned() } else { format!("exit {}", self.exit) };
        let again = if self.again { ", recorded more than once" } else { "" };
        format!("#{}: {exit} ({}), {} bytes of output, via {}{again}", self.seq, self.why, self.output_len, self.method)
    }
}

fn verdict(run: &Run, observations: &[Observation]) -> String {
    let told = observations.iter().filter(|observation| !observation.exit.is_null()).count();
    let exit = match (&run.exit.code, &run.exit.reason) {
        (None, Some(reason)) if told > 1 => return format!("they differ: {reason}"),
        (None, _) => "none tells an exit code".to_owned(),
        (Some(code), _) if told == 1 => format!("they agree: one tells an exit code, {code}"),
        (Some(code), _) if observations.iter().any(|seen| !seen.exit.is_null() && seen.exit != *code) => {
            format!("they differ, and the literal one counts: {code}")
        }
        (Some(code), _) => format!("they agree: exit {code}"),
    };
    let same_output = observations.windows(2).all(|pair| pair[0].output_digest == pair[1].output_digest);
    if same_output { format!("{exit}; the output is the same") } else { format!("{exit}; the outputs differ") }
}
