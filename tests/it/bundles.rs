//! What the tests of bundles have in common: declared producers, seals, and the parts of a bundle to tamper with.

use std::path::PathBuf;

use deeds::bundle::signing::SigningKey;
use deeds::bundle::{anchor, envelope, statement::Statement, store::Store, store::TaskId};
use deeds::durable::Sync;
use deeds::layout::Env;
use deeds::ledger::{Append, Entry, Ledger};
use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

/// A sandbox with a repository whose `deeds.json` declares these producers; all of it committed.
pub fn project(producers: Value) -> Sandbox {
    let sandbox = Sandbox::with_repository();
    declare(&sandbox, producers);
    sandbox
}

/// Declares producers, and commits that.
pub fn declare(sandbox: &Sandbox, producers: Value) {
    sandbox.write("deeds.json", json!({"producers": producers}).to_string());
    sandbox.git(&["add", "deeds.json"]);
    sandbox.git(&["commit", "-q", "-m", "declare"]);
}

/// A required producer of the kind `test`.
pub fn producer(script: &str) -> Value {
    json!([{"name": "tests", "kind": "test", "command": ["sh", "-c", script]}])
}

#[track_caller]
pub fn seal(sandbox: &Sandbox, task: &str) -> Ran {
    sandbox.deeds(&["evidence", "seal", task]).expect(0)
}

#[track_caller]
pub fn verify(sandbox: &Sandbox, task: &str, code: i32) -> Value {
    sandbox.deeds(&["evidence", "verify", task, "--json"]).expect(code).json()
}

/// The parts that do not hold, by name.
pub fn parts(verdict: &Value) -> Vec<&str> {
    verdict["findings"].as_array().unwrap().iter().map(|found| found["part"].as_str().unwrap()).collect()
}

pub fn ledger(sandbox: &Sandbox) -> Ledger {
    let env = deeds::layout::Env { xdg_state_home: Some(sandbox.state()), ..Default::default() };
    Ledger::within(&sandbox.project().join(".git/deeds"), &env)
}

pub fn entries(sandbox: &Sandbox) -> Vec<Entry> {
    ledger(sandbox).read().unwrap().map(Result::unwrap).collect()
}

/// The file of a task's bundle.
pub fn file(sandbox: &Sandbox, task: &str) -> PathBuf {
    Store::of(ledger(sandbox).dir()).path(task)
}

/// What the bundle of a task states.
pub fn statement(sandbox: &Sandbox, task: &str) -> Value {
    let opened = envelope::open(&std::fs::read(file(sandbox, task)).unwrap()).unwrap();
    Statement::read(&opened.payload).unwrap().value
}

pub fn item<'a>(statement: &'a Value, name: &str) -> &'a Value {
    let items = statement["predicate"]["deeds"]["items"].as_array().unwrap();
    items.iter().find(|item| item["name"] == name).unwrap()
}

/// The bytes of a producer's stream.
pub fn blob(sandbox: &Sandbox, item: &Value, stream: &str) -> Vec<u8> {
    ledger(sandbox).blobs().get(item[stream]["blob"].as_str().unwrap()).unwrap()
}

pub fn blob_path(sandbox: &Sandbox, item: &Value, stream: &str) -> PathBuf {
    ledger(sandbox).blobs().path(item[stream]["blob"].as_str().unwrap())
}

/// The user's settings as a `deeds` in the sandbox sees them.
pub fn env(sandbox: &Sandbox) -> Env {
    Env { home: Some(sandbox.home()), xdg_state_home: Some(sandbox.state()), ..Env::default() }
}

/// Anchors a statement as if it had been sealed.
pub fn forge(sandbox: &Sandbox, task: &str, value: &Value) {
    let key = SigningKey::load_or_create(&env(sandbox)).unwrap();
    let (ledger, task) = (ledger(sandbox), TaskId::parse(task).unwrap());
    let store = Store::of(ledger.dir());
    let payload = value.to_string();
    let statement = Statement::read(payload.as_bytes()).unwrap();
    let sealed = envelope::seal(payload.as_bytes(), &key);
    ledger.prepare().unwrap();
    store.prepare(&task, &sealed).unwrap();
    let draft = anchor::draft(&task, &statement, &sealed, &key.public().key_id(), None);
    ledger.append(vec![draft], &Append { sync: Sync::None, ..Append::default() }).unwrap();
    store.commit(&task).unwrap();
}
