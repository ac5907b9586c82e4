//! What a bundle states: an in-toto Statement (v1) with the predicate `test-result`, and ours beside it under `deeds`.
//!
//! Subjects are the blobs, by producer and stream, and the source: the commit and the tree of the worktree. Where files
//! changed while the producers ran, no tree is named as a subject; what was seen before and after stands in each item.

use serde_json::{Map, Value, json};

use super::process::{End, Finished};
use super::producer::Producer;
use super::store::TaskId;
use super::stream::Captured;
use crate::evidence::id::sha256_hex;
use crate::ledger::is_digest;
use crate::sensor::clean::Cleaner;
use crate::sensor::worktree::Worktree;

pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
pub const PREDICATE_TYPE: &str = "https://in-toto.io/attestation/test-result/v0.1";
/// The version of what stands under `deeds`.
const VERSION: u64 = 1;

/// One producer and what came of it.
pub struct Item<'a> {
    pub producer: &'a Producer,
    pub finished: Finished,
    /// The worktree before and after it ran.
    pub looks: [Worktree; 2],
    /// The digests of what is kept of stdout and stderr.
    pub blobs: [Option<String>; 2],
}

/// What a producer's ending comes to.
impl Item<'_> {
    /// Why it did not pass.
    pub fn trouble(&self) -> Option<String> {
        match &self.finished.end {
            End::Exited(0) if self.producer.kind.is_media() && self.finished.stdout.len == 0 => {
                Some("it printed nothing".into())
            }
            End::Exited(0) => None,
            End::Exited(code) => Some(format!("it exited {code}")),
            End::Signalled(signal) => Some(format!("it was killed by signal {signal}")),
            End::TimedOut => Some(format!("it was still running after {} s", self.producer.timeout().as_secs_f64())),
            End::NotStarted(why) => Some(format!("it could not be started: {why}")),
        }
    }

    /// Files changed while it ran.
    pub fn moved(&self) -> bool {
        let [before, after] = &self.looks;
        before.tree.is_some() && after.tree.is_some() && before.tree != after.tree
    }
}

/// What all items are about.
pub struct Scope<'a> {
    pub task: &'a TaskId,
    /// The session and event that asked for the seal, where one did.
    pub session: Option<&'a str>,
    pub event: Option<&'a str>,
    pub branch: Option<&'a str>,
    /// The files in which producers were declared: name and SHA-256.
    pub configuration: &'a [(String, String)],
    pub started_at: &'a str,
    pub ended_at: &'a str,
}

/// All required producers passed; `None`: none was required.
fn gate(items: &[Item<'_>]) -> Option<bool> {
    let mut required = items.iter().filter(|item| item.producer.required).peekable();
    required.peek()?;
    Some(required.all(|item| item.trouble().is_none()))
}

/// The statement as it is signed.
pub fn write(scope: &Scope<'_>, items: &[Item<'_>]) -> Value {
    let gate = gate(items);
    let names = |passed: bool, required: Option<bool>| -> Vec<&str> {
        let of = |item: &&Item<'_>| {
            item.trouble().is_none() == passed && required.is_none_or(|wanted| item.producer.required == wanted)
        };
        items.iter().filter(of).map(|item| item.producer.name.as_str()).collect()
    };
    let warned = names(false, Some(false));
    let (result, words) = match gate {
        Some(false) => ("FAILED", None),
        None => ("WARNED", Some("nothing was required")),
        Some(true) if !warned.is_empty() => ("WARNED", Some("an advisory producer failed")),
        Some(true) => ("PASSED", None),
    };
    let configuration: Vec<Value> =
        scope.configuration.iter().map(|(name, sha)| json!({"name": name, "digest": {"sha256": sha}})).collect();
    let written: Vec<Value> = items.iter().map(item).collect();
    let mut deeds = json!({
        "version": VERSION,
        "tool": format!("deeds {}", env!("CARGO_PKG_VERSION")),
        "task": scope.task.as_str(),
        "gatePassed": gate,
        "startedAt": scope.started_at,
        "endedAt": scope.ended_at,
        "source": source(scope, items),
        "items": written,
    });
    for (key, value) in [("words", words), ("session", scope.session), ("event", scope.event)] {
        if let Some(value) = value {
            deeds[key] = value.into();
        }
    }
    json!({
        "_type": STATEMENT_TYPE,
        "subject": subjects(items),
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "result": result,
            "configuration": configuration,
            "passedTests": names(true, None),
            "warnedTests": warned,
            "failedTests": names(false, Some(true)),
            "deeds": deeds,
        },
    })
}

fn ends<'a>(items: &'a [Item<'_>]) -> Option<(&'a Worktree, &'a Worktree)> {
    Some((&items.first()?.looks[0], &items.last()?.looks[1]))
}

fn subjects(items: &[Item<'_>]) -> Vec<Value> {
    let mut subjects = Vec::new();
    for item in items {
        for (stream, blob) in ["stdout", "stderr"].iter().zip(&item.blobs) {
            if let Some(blob) = blob {
                let name = format!("{}/{stream}", item.producer.name);
                subjects.push(json!({"name": name, "digest": {"sha256": blob}}));
            }
        }
    }
    let Some((before, after)) = ends(items) else { return subjects };
    let mut digest = Map::new();
    if let (Some(head), true) = (&before.head, before.head == after.head) {
        digest.insert("gitCommit".into(), head.as_str().into());
    }
    if let (Some(tree), false) = (&before.tree, items.iter().any(|item| item.looks[1].tree != before.tree)) {
        digest.insert("gitTree".into(), tree.as_str().into());
    }
    if !digest.is_empty() {
        subjects.push(json!({"name": "source", "digest": digest}));
    }
    subjects
}

fn source(scope: &Scope<'_>, items: &[Item<'_>]) -> Value {
    let Some((before, after)) = ends(items) else { return Value::Null };
    let mut source = json!({
        "commit": before.head,
        "commitAfter": after.head,
        "branch": scope.branch,
        "treeBefore": before.tree,
        "treeAfter": after.tree,
        "clean": before.clean,
        "moved": items.iter().any(Item::moved),
    });
    if let Some(reason) = before.reason.as_ref().or(after.reason.as_ref()) {
        source["reason"] = reason.as_str().into();
    }
    source
}

fn item(item: &Item<'_>) -> Value {
    let (producer, finished) = (item.producer, &item.finished);
    let mut clean = Cleaner::default();
    let argv: Vec<String> = producer.command.iter().map(|word| clean.command(word)).collect();
    let set = |clean: &mut Cleaner, name: &str, value: &str| {
        let told = clean.command(&format!("{name}={value}"));
        told.strip_prefix(&format!("{name}=")).map(str::to_owned).unwrap_or(told)
    };
    let env: Map<String, Value> =
        producer.env.iter().map(|(name, value)| (name.clone(), set(&mut clean, name, value).into())).collect();
    let mut out = json!({
        "name": producer.name,
        "kind": producer.kind.as_str(),
        "required": producer.required,
        "passed": item.trouble().is_none(),
        "argv": argv,
        "cwd": producer.cwd.as_deref().unwrap_or("."),
        "env": env,
        "timeout": producer.timeout().as_secs_f64(),
        "startedAt": finished.started_at,
        "endedAt": finished.ended_at,
        "treeBefore": item.looks[0].tree,
        "treeAfter": item.looks[1].tree,
        "moved": item.moved(),
        "stdout": stream(&finished.stdout, item.blobs[0].as_deref()),
        "stderr": stream(&finished.stderr, item.blobs[1].as_deref()),
    });
    match &finished.end {
        End::Exited(code) => out["exit"] = (*code).into(),
        End::Signalled(signal) => out["signal"] = (*signal).into(),
        End::TimedOut => out["timedOut"] = true.into(),
        End::NotStarted(why) => out["notStarted"] = clean.text(why).into(),
    }
    if finished.left_running {
        out["leftRunning"] = true.into();
    }
    out["redacted"] = (clean.count().saturating_add(finished.stdout.redacted + finished.stderr.redacted)).into();
    if producer.kind.is_media() {
        // Nobody vouches for how the picture came to be; a credential would be a blob of its own, named here.
        out["contentCredential"] = Value::Null;
    }
    out
}

fn stream(captured: &Captured, blob: Option<&str>) -> Value {
    let kept = match (&captured.bytes, captured.cut) {
        (None, _) => "none",
        (Some(_), true) => "head_and_tail",
        (Some(_), false) => "whole",
    };
    json!({
        "len": captured.len,
        "sha256": captured.sha256,
        "kept": kept,
        "keptLen": captured.bytes.as_ref().map(Vec::len),
        "blob": blob,
    })
}

/// A statement, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    pub value: Value,
    /// SHA-256 of the payload: what the bundle is known by.
    pub hash: String,
}

impl Statement {
    /// Reads a payload. The error says what it is instead.
    pub fn read(payload: &[u8]) -> Result<Statement, String> {
        let value: Value = serde_json::from_slice(payload).map_err(|error| format!("it is no JSON: {error}"))?;
        for (key, wanted) in [("_type", STATEMENT_TYPE), ("predicateType", PREDICATE_TYPE)] {
            if value[key] != wanted {
                return Err(format!("its {key} is {}, not {wanted}", value[key]));
            }
        }
        let statement = Statement { value, hash: sha256_hex(payload) };
        match statement.deeds()["version"].as_u64() {
            Some(VERSION) if statement.deeds()["task"].is_string() && statement.deeds()["items"].is_array() => {
                Ok(statement)
            }
            Some(version) if version > VERSION => Err(format!("a later version of deeds wrote it (format {version})")),
            _ => Err("deeds did not write it".into()),
        }
    }

    pub fn deeds(&self) -> &Value {
        &self.value["predicate"]["deeds"]
    }

    pub fn task(&self) -> &str {
        self.deeds()["task"].as_str().unwrap_or_default()
    }

    pub fn result(&self) -> &str {
        self.value["predicate"]["result"].as_str().unwrap_or_default()
    }

    /// `None`: nothing was required.
    pub fn gate_passed(&self) -> Option<bool> {
        self.deeds()["gatePassed"].as_bool()
    }

    pub fn items(&self) -> &[Value] {
        self.deeds()["items"].as_array().map(Vec::as_slice).unwrap_or_default()
    }

    /// The blobs by name. What is no digest is none: the name comes back as the error.
    pub fn blobs(&self) -> impl Iterator<Item = Result<(&str, &str), &str>> {
        let subjects = self.value["subject"].as_array().map(Vec::as_slice).unwrap_or_default();
        subjects.iter().filter(|subject| subject["digest"].get("sha256").is_some()).map(|subject| {
            let name = subject["name"].as_str().unwrap_or("(without a name)");
            match subject["digest"]["sha256"].as_str() {
                Some(digest) if is_digest(digest) => Ok((name, digest)),
                _ => Err(name),
            }
        })
    }

    /// What the statement itself leaves open, by name: bytes that are not kept, a credential that nobody here can check.
    pub fn open_points(&self) -> Vec<(String, &'static str)> {
        let mut open = Vec::new();
        for item in self.items() {
            let name = item["name"].as_str().unwrap_or_default();
            for stream in ["stdout", "stderr"] {
                if item[stream]["kept"] == "none" {
                    open.push((format!("{name}/{stream}"), "bytes not kept, so there is nothing to compare"));
                }
            }
            if item.get("contentCredential").is_some_and(|credential| !credential.is_null()) {
                open.push((name.to_owned(), "it names a content credential, which this version cannot check"));
            }
        }
        open
    }
}
