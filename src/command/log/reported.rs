//! How an entry ended, as it was reported: what the log colours by and filters on. What it means is for the judge to say:
//! a reported 0 may be that of `tail`.

use serde_json::Value;

use crate::command::terminal::Paint;
use crate::ledger::EntryKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Reported {
    /// Exit 0; a tool that reports success.
    Ok,
    /// Another exit or a signal; a tool that reports failure.
    Failed,
    /// No exit was told, or something could not be collected.
    Unknown,
    /// A judgement in which everything holds.
    Supported,
    /// A judgement in which something is contradicted.
    Contradicted,
    /// A judgement in which something is not shown, and nothing contradicted.
    NotShown,
}

impl Reported {
    /// `None`: an entry of a kind that has no outcome.
    pub fn of(kind: &EntryKind, body: &Value) -> Option<Reported> {
        match kind {
            EntryKind::Evidence => of_evidence(&body["payload"]),
            EntryKind::NotCollected | EntryKind::Unparsed => Some(Reported::Unknown),
            EntryKind::Judgement => of_judgement(body),
            _ => None,
        }
    }

    /// A reported 0 has no colour: it is not said yet whose it is.
    pub(super) fn paint(self) -> Paint {
        match self {
            Reported::Ok => Paint::Plain,
            Reported::Supported => Paint::Good,
            Reported::Failed | Reported::Contradicted => Paint::Bad,
            Reported::Unknown | Reported::NotShown => Paint::Doubtful,
        }
    }
}

fn of_evidence(payload: &Value) -> Option<Reported> {
    let ended = |well: bool| if well { Reported::Ok } else { Reported::Failed };
    if let Some(exit) = payload.get("exit_code") {
        return Some(match exit.as_i64() {
            Some(code) => ended(code == 0),
            None if payload["signal"].is_string() => Reported::Failed,
            None => Reported::Unknown,
        });
    }
    if payload["ran"] == Value::Bool(false) {
        return Some(Reported::Unknown);
    }
    if payload["look"] == "worktree" {
        return (!payload["tree"].is_string()).then_some(Reported::Unknown);
    }
    if payload.get("change").is_some() {
        return Some(ended(payload["failed"] != Value::Bool(true)));
    }
    payload["ok"].as_bool().map(ended)
}

fn of_judgement(body: &Value) -> Option<Reported> {
    let claims = body["claims"].as_array()?;
    let any = |outcome: &str| claims.iter().any(|claim| claim["outcome"] == outcome);
    [("contradicted", Reported::Contradicted), ("unsupported", Reported::NotShown), ("supported", Reported::Supported)]
        .into_iter()
        .find(|(outcome, _)| any(outcome))
        .map(|(_, reported)| reported)
}
