//! Recorded sessions of Claude Code, given to `deeds hook` as the client gave them: one process a payload, in order.

use std::path::{Path, PathBuf};

use deeds::ledger::{Entry, EntryKind, Ledger};
use serde_json::Value;

use crate::sandbox::{Ran, Sandbox};

/// Where the recorded project was.
const RECORDED: &str = "/home/dev/demo/project";

/// The payloads of a case, in order.
pub fn payloads(case: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/claude").join(case).join("hooks");
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// A payload as it would be if the session had been in the sandbox's project.
pub fn moved(sandbox: &Sandbox, file: &Path) -> String {
    std::fs::read_to_string(file).unwrap().replace(RECORDED, sandbox.project().to_str().unwrap())
}

/// Runs `deeds hook` on each payload of a case.
pub fn replay(sandbox: &Sandbox, case: &str) {
    for file in payloads(case) {
        let ran = hook(sandbox, moved(sandbox, &file).as_bytes());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}: {ran:?}", file.display());
        if !file.to_string_lossy().contains("Stop.json") {
            assert_eq!(ran.stdout, "", "{}", file.display());
        }
    }
}

pub fn hook(sandbox: &Sandbox, payload: &[u8]) -> Ran {
    sandbox.deeds_with(&["hook"], payload)
}

/// The entries of the project's ledger, each whole.
pub fn entries(sandbox: &Sandbox) -> Vec<Entry> {
    let ledger = ledger(sandbox);
    ledger.read().unwrap().map(|entry| entry.unwrap_or_else(|bad| panic!("{bad:?}"))).collect()
}

pub fn ledger(sandbox: &Sandbox) -> Ledger {
    Ledger::open(&sandbox.project().join(".git/deeds"))
}

/// The bodies of one kind of entry.
pub fn bodies(sandbox: &Sandbox, kind: EntryKind) -> Vec<Value> {
    entries(sandbox).into_iter().filter(|entry| entry.kind == kind).map(|entry| entry.body).collect()
}

/// Evidence of one sensor.
pub fn evidence(sandbox: &Sandbox, sensor: &str) -> Vec<Value> {
    let mut bodies = bodies(sandbox, EntryKind::Evidence);
    bodies.retain(|body| body["source"]["sensor_name"] == sensor);
    bodies
}

/// Every file below the sandbox that deeds wrote, as text.
pub fn written(sandbox: &Sandbox) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for place in [sandbox.project(), sandbox.home(), sandbox.state()] {
        collect(&place, &mut files);
    }
    files
}

fn collect(dir: &Path, files: &mut Vec<(PathBuf, String)>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() && !path.is_symlink() {
            collect(&path, files);
        } else if let Ok(bytes) = std::fs::read(&path) {
            files.push((path, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
}
