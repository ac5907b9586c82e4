//! All evidence of one call is one run: what one command did, however many observations there are of it.
//!
//! Architecture invariant: observations are combined, never averaged. A literal exit outranks one that an event or a text
//! implies, and that outranks none; two of the same rank that differ make the exit unknown, and both are shown.

use serde_json::Value;

use crate::clock;
use crate::evidence::{Evidence, EvidenceKind, TrustClass};

/// Where one piece of evidence stands, and how far it can be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceRef {
    pub seq: u64,
    pub id: String,
    pub trust_class: String,
    pub collection_method: String,
    pub boundary: String,
    /// It reports how a command ended; a look at files or git does not.
    pub reports: bool,
    /// It says the exit code.
    pub tells_exit: bool,
}

/// One command, as all its observations show it.
#[derive(Debug, Clone)]
pub struct Run {
    pub session: String,
    /// The client's call id, or the evidence's own id where there is none.
    pub call: String,
    pub agent: Option<String>,
    pub command: String,
    pub cwd: Option<String>,
    /// The worktree that the session was in.
    pub root: Option<String>,
    pub observed_at: String,
    /// `observed_at` in milliseconds; 0 where it is no time.
    pub millis: i64,
    /// The entry of the latest observation of its outcome.
    pub seq: u64,
    pub exit: RunExit,
    /// What it printed: a string, or a reference to a blob that [`crate::ledger::Ledger::resolve`] reads.
    pub output: Value,
    pub output_cut: bool,
    /// It went to the background.
    pub background: bool,
    /// The client's name for it there.
    pub task: Option<String>,
    /// The time of its first observation, milliseconds: a background run ends later than it began.
    pub began: i64,
    pub by_user: bool,
    /// A declared check that `deeds run --check` ran.
    pub check: Option<String>,
    /// The producer that it ran as, when a bundle was sealed: its name and declared kind.
    pub producer: Option<(String, String)>,
    /// The host's looks at the worktree, in order.
    pub worktrees: Vec<Value>,
    /// The host's looks at git, in order.
    pub gits: Vec<(EvidenceRef, Value)>,
    pub evidence: Vec<EvidenceRef>,
    reports: Vec<Report>,
}

/// The exit status of a run, as far as it was told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunExit {
    pub code: Option<i64>,
    pub basis: String,
    /// Why there is no code.
    pub reason: Option<String>,
}

/// One observation of how a command ended.
#[derive(Debug, Clone)]
struct Report {
    seq: u64,
    code: Option<i64>,
    basis: String,
    reason: Option<String>,
    output: Value,
    output_len: u64,
    output_cut: bool,
    notification: bool,
}

impl EvidenceRef {
    pub fn of(seq: u64, evidence: &Evidence) -> EvidenceRef {
        let source = evidence.source.as_ref();
        EvidenceRef {
            reports: evidence.kind == EvidenceKind::ExitCode,
            tells_exit: evidence.payload["exit_code"].is_i64(),
            seq,
            id: evidence.id.clone(),
            trust_class: source.map_or("unknown", |s| s.trust_class.as_str()).to_owned(),
            collection_method: source.map_or("unknown", |s| s.collection_method.as_str()).to_owned(),
            boundary: source.map_or_else(|| "unknown (no source was recorded)".to_owned(), |s| s.boundary()),
        }
    }

    pub fn is_host_observed(&self) -> bool {
        self.trust_class == TrustClass::HostObserved.as_str()
    }
}

impl Run {
    /// An empty run of one call, to which evidence is added.
    pub fn new(session: &str, call: &str) -> Run {
        Run {
            session: session.to_owned(),
            call: call.to_owned(),
            agent: None,
            command: String::new(),
            cwd: None,
            root: None,
            observed_at: String::new(),
            millis: 0,
            seq: 0,
            exit: RunExit::default(),
            output: Value::Null,
            output_cut: false,
            background: false,
            task: None,
            began: 0,
            by_user: false,
            check: None,
            producer: None,
            worktrees: Vec::new(),
            gits: Vec::new(),
            evidence: Vec::new(),
            reports: Vec::new(),
        }
    }

    /// It is a command with at least one observation of how it went.
    pub fn is_command(&self) -> bool {
        !self.command.is_empty() && !self.reports.is_empty()
    }

    /// Takes in one observation of this call.
    pub fn add(&mut self, seq: u64, evidence: &Evidence) {
        let payload = &evidence.payload;
        let reference = EvidenceRef::of(seq, evidence);
        let context = &payload["context"];
        fill(&mut self.agent, &context["agent"]["id"]);
        fill(&mut self.root, &context["root"]);
        match (&evidence.kind, payload["look"].as_str()) {
            (EvidenceKind::ExitCode, _) => {
                if let Some(command) = payload["command"].as_str() {
                    self.command = command.to_owned();
                }
                fill(&mut self.cwd, &payload["cwd"]);
                fill(&mut self.cwd, &context["cwd"]);
                fill(&mut self.check, &payload["check"]);
                if let (Some(name), Some(kind)) =
                    (payload["producer"]["name"].as_str(), payload["producer"]["kind"].as_str())
                {
                    self.producer = Some((name.to_owned(), kind.to_owned()));
                }
                self.background |= payload["background_task"].is_string();
                fill(&mut self.task, &payload["background_task"]);
                self.by_user |= payload["by_user"] == Value::Bool(true);
                self.reports.push(Report::of(seq, payload));
                let millis = clock::parse_millis(&evidence.observed_at).unwrap_or(0);
                self.began = if self.observed_at.is_empty() { millis } else { self.began.min(millis) };
                if self.observed_at.is_empty() || millis >= self.millis {
                    self.observed_at.clone_from(&evidence.observed_at);
                    self.millis = millis;
                }
                self.seq = self.seq.max(seq);
                self.settle();
            }
            (_, Some("worktree")) => self.worktrees.push(payload.clone()),
            (_, Some("git")) => self.gits.push((reference.clone(), payload.clone())),
            _ => {}
        }
        self.evidence.push(reference);
    }

    /// Each observation of how it ended: its entry, the code, and what that rests on.
    pub fn reports(&self) -> impl Iterator<Item = (u64, Option<i64>, &str)> {
        self.reports.iter().map(|r| (r.seq, r.code, r.basis.as_str()))
    }

    /// Combines the reports: the exit by rank, the output by how much of it there is.
    fn settle(&mut self) {
        let ended = self.reports.iter().any(|r| r.notification);
        self.exit = combine(&self.reports, self.background && !ended);
        let best = self.reports.iter().max_by_key(|r| (!r.output.is_null(), !r.output_cut, r.output_len, r.seq));
        if let Some(best) = best {
            self.output = best.output.clone();
            self.output_cut = best.output_cut;
        }
    }

    /// The tree of the worktree as the host saw it when the run ended, or why there is none.
    pub fn tree(&self) -> Result<&str, String> {
        let trees: Vec<Option<&str>> = self.worktrees.iter().map(|w| w["tree"].as_str()).collect();
        match trees.as_slice() {
            [] => Err("the host did not look at the worktree".into()),
            _ if trees.contains(&None) => {
                let reason = self.worktrees.iter().find_map(|w| w["reason"].as_str());
                Err(reason.unwrap_or("the worktree could not be seen").to_owned())
            }
            [Some(_)] if self.background => Err("it ran in the background, and the worktree was seen only once".into()),
            [Some(first), rest @ ..] if rest.iter().all(|t| *t == Some(first)) => Ok(first),
            _ => Err("the worktree changed while it ran".into()),
        }
    }

    /// The last look at the worktree.
    pub fn worktree(&self) -> Option<&Value> {
        self.worktrees.last()
    }
}

impl Report {
    fn of(seq: u64, payload: &Value) -> Report {
        Report {
            seq,
            code: payload["exit_code"].as_i64(),
            basis: payload["exit_basis"].as_str().unwrap_or("none").to_owned(),
            reason: payload["reason"].as_str().map(str::to_owned),
            output: payload["output"].clone(),
            output_len: payload["output_len"].as_u64().unwrap_or(0),
            output_cut: payload["output_cut"] == Value::Bool(true),
            notification: payload["notification"] == Value::Bool(true),
        }
    }

    /// Literal over implied over none.
    fn rank(&self) -> u8 {
        match (self.code, self.basis.as_str()) {
            (None, _) => 0,
            (_, "rollout" | "payload" | "process") => 2,
            _ => 1,
        }
    }
}

fn combine(reports: &[Report], still_running: bool) -> RunExit {
    let top = reports.iter().map(Report::rank).max().unwrap_or(0);
    if top == 0 {
        let reason = reports.iter().rev().find_map(|r| r.reason.clone());
        let reason =
            if still_running { Some("it ran in the background and its end was not seen".into()) } else { reason };
        return RunExit { code: None, basis: "none".into(), reason };
    }
    let mut best = reports.iter().filter(|r| r.rank() == top);
    let Some(first) = best.next() else { return RunExit::default() };
    match best.find(|r| r.code != first.code) {
        None => RunExit { code: first.code, basis: first.basis.clone(), reason: None },
        Some(other) => RunExit {
            code: None,
            basis: "none".into(),
            reason: Some(format!(
                "two observations differ: exit {} (#{}) and exit {} (#{})",
                first.code.unwrap_or_default(),
                first.seq,
                other.code.unwrap_or_default(),
                other.seq
            )),
        },
    }
}

fn fill(slot: &mut Option<String>, value: &Value) {
    if slot.is_none()
        && let Some(text) = value.as_str()
    {
        *slot = Some(text.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn evidence(payload: Value) -> Evidence {
        serde_json::from_value(json!({
            "id": "0", "session_id": "s", "source_event_id": "c", "kind": "exit_code",
            "observed_at": "2026-11-30T20:00:00.000Z", "payload": payload, "provenance": "p"
        }))
        .unwrap()
    }

    fn run(payloads: &[Value]) -> Run {
        let mut run = Run::new("s", "c");
        for (seq, payload) in payloads.iter().enumerate() {
            run.add(seq as u64, &evidence(payload.clone()));
        }
        run
    }

    #[test]
    fn a_literal_exit_outranks_one_from_text_and_that_outranks_none() {
        let told = |code: Value, basis: &str| json!({"command": "x", "exit_code": code, "exit_basis": basis});
        let both = run(&[told(json!(null), "none"), told(json!(101), "rollout"), told(json!(1), "text")]);
        assert_eq!(both.exit, RunExit { code: Some(101), basis: "rollout".into(), reason: None });
        assert_eq!(run(&[told(json!(null), "none"), told(json!(1), "text")]).exit.code, Some(1));
    }

    #[test]
    fn two_literal_exits_that_differ_make_it_unknown() {
        let differ = run(&[
            json!({"command": "x", "exit_code": 0, "exit_basis": "rollout"}),
            json!({"command": "x", "exit_code": 1, "exit_basis": "process"}),
        ]);
        assert_eq!(differ.exit.code, None);
        assert_eq!(differ.exit.reason.unwrap(), "two observations differ: exit 0 (#0) and exit 1 (#1)");
    }

    #[test]
    fn a_background_command_has_no_exit_until_its_notification() {
        let launch = json!({"command": "x", "exit_code": null, "exit_basis": "none", "reason": "background", "background_task": "b1"});
        let running = run(std::slice::from_ref(&launch));
        assert_eq!(running.exit.code, None);
        assert!(running.exit.reason.unwrap().contains("its end was not seen"));
        let end = json!({"notification": true, "exit_code": 3, "exit_basis": "text", "output": "bg", "output_len": 2});
        let ended = run(&[launch, end]);
        assert_eq!(ended.exit.code, Some(3));
        assert_eq!(ended.command, "x");
        assert_eq!(ended.output, "bg");
    }
}
