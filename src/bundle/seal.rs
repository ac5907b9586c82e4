//! Seals a task: every producer is run, in order, and what they printed becomes one signed statement.
//!
//! Nothing is undone where a seal fails: until the ledger names the new bundle, the old one stands ([`super::store`]).

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::anchor::{self, Spine};
use super::head::Head;
use super::lock::SealLock;
use super::process::{self, Call};
use super::producer::Producer;
use super::signing::SigningKey;
use super::statement::{self, Item, Scope, Statement};
use super::store::{Store, TaskId};
use super::{envelope, evidence, verify};
use crate::clock;
use crate::durable::Sync;
use crate::error::{Error, Result};
use crate::evidence::id::sha256_hex;
use crate::layout::{self, Env};
use crate::ledger::{Append, Appended, Draft, Kept, Ledger};
use crate::sensor::scene::Scene;
use crate::sensor::tree::observe;
use crate::sensor::worktree::Worktree;

/// How long the host may look at the worktree before and after a producer.
const LOOK_BUDGET: Duration = Duration::from_secs(10);

/// What to seal.
pub struct Order<'a> {
    pub task: &'a TaskId,
    pub producers: &'a [Producer],
    /// The project's root, where producers run.
    pub root: &'a Path,
    pub env: &'a Env,
    pub ledger: &'a Ledger,
    /// The files in which producers are declared: name and bytes.
    pub declared_in: &'a [(String, Vec<u8>)],
    /// The session and event that asked for it, where one did.
    pub session: Option<&'a str>,
    pub event: Option<&'a str>,
    /// Becomes true where deeds is asked to end.
    pub stop: &'a AtomicBool,
    /// How long another seal of the project is waited for.
    pub wait: Duration,
}

/// What happens meanwhile.
pub enum Progress<'a> {
    /// Another seal is being made.
    Waits,
    /// The producer of this number, from 1, begins.
    Begins(usize, &'a Producer),
}

/// A bundle that was made.
pub struct Sealed {
    pub statement: Statement,
    pub key_id: String,
    /// The entry that anchors it, or why it only waits to be one.
    pub anchor: Result<u64, String>,
    /// Producers while which files changed.
    pub moved: Vec<String>,
}

/// Makes the bundle of a task. There is at least one producer.
pub fn seal(order: &Order<'_>, progress: &mut dyn FnMut(Progress<'_>)) -> Result<Sealed> {
    if layout::var(layout::SEALING).is_some_and(|ledger| Path::new(&ledger) == order.ledger.dir()) {
        return Err(Error::usage("this runs as a producer; a producer cannot seal the project that it is part of"));
    }
    order.ledger.prepare()?;
    let _lock = SealLock::take(order.ledger.dir(), order.wait, order.stop, &mut || progress(Progress::Waits))?;
    let store = Store::of(order.ledger.dir());
    finish_earlier(order, &store)?;
    let key = SigningKey::load_or_create(order.env)?;

    let started_at = clock::now();
    let context = order.env.context(order.root);
    let mut items: Vec<Item<'_>> = Vec::with_capacity(order.producers.len());
    let mut before = observe(order.root, LOOK_BUDGET);
    for (n, producer) in order.producers.iter().enumerate() {
        progress(Progress::Begins(n + 1, producer));
        let item = produce(order, producer, before)?;
        before = item.looks[1].clone();
        items.push(item);
    }
    let ended_at = clock::now();
    // The lock that is held is never removed; the folder may have been made again for what was printed.
    if !order.ledger.dir().join(layout::SEAL_LOCK).exists() {
        let why = "failed to seal: a producer removed the ledger's directory; nothing is sealed, and no other is begun";
        return Err(Error::unable("bundle", format!("{why}: {}", order.ledger.dir().display())));
    }

    let configuration: Vec<(String, String)> =
        order.declared_in.iter().map(|(name, bytes)| (name.clone(), sha256_hex(bytes))).collect();
    let scope = Scope {
        task: order.task,
        session: order.session,
        event: order.event,
        branch: context.branch.as_deref(),
        configuration: &configuration,
        started_at: &started_at,
        ended_at: &ended_at,
    };
    let payload = statement::write(&scope, &items).to_string();
    let statement = Statement::read(payload.as_bytes())
        .map_err(|why| Error::unable("bundle", format!("failed to make a statement: {why}")))?;
    let sealed = envelope::seal(payload.as_bytes(), &key);
    let scene = Scene {
        root: context.root,
        head: context.head,
        branch: context.branch,
        collected_at: ended_at.clone(),
        digest_key: None,
    };
    let mut drafts: Vec<Draft> = Vec::new();
    for (n, item) in items.iter().enumerate() {
        let call = format!("seal-{}-{}", &statement.hash[..16], n + 1);
        let cwd = item.producer.cwd.as_ref().map_or_else(|| order.root.to_owned(), |cwd| order.root.join(cwd));
        drafts.extend(evidence::drafts(item, &call, &cwd.to_string_lossy(), &scene));
    }
    let key_id = key.public().key_id();
    drafts.push(anchor::draft(order.task, &statement, &sealed, &key_id, order.session));
    let moved = items.iter().filter(|item| item.moved()).map(|item| item.producer.name.clone()).collect();

    store.prepare(order.task, &sealed)?;
    let anchor = match order.ledger.keep(drafts, &Append { sync: Sync::Data, ..Append::default() }) {
        Ok(Kept::Appended(done)) => {
            store.commit(order.task)?;
            match done.last() {
                Some(Appended::Written(seq) | Appended::Duplicate(seq)) => {
                    Head::write(order.env, order.ledger, *seq, &statement.hash);
                    Ok(*seq)
                }
                None => Err("nothing was appended".into()),
            }
        }
        Ok(Kept::Spooled(_, why)) => Err(why),
        Err(error) => return Err(Error::unable("ledger", format!("failed to anchor the bundle: {error}"))),
    };
    Ok(Sealed { statement, key_id, anchor, moved })
}

/// Runs one producer and keeps what it printed.
fn produce<'a>(order: &Order<'_>, producer: &'a Producer, before: Worktree) -> Result<Item<'a>> {
    let cwd = producer.cwd.as_ref().map_or_else(|| order.root.to_owned(), |cwd| order.root.join(cwd));
    let call = Call {
        argv: &producer.command,
        cwd: &cwd,
        env: &producer.env,
        timeout: producer.timeout(),
        media: producer.kind.is_media(),
        stop: order.stop,
        sealing: order.ledger.dir(),
    };
    let finished = process::run(&call)?;
    let after = observe(order.root, LOOK_BUDGET);
    let blobs = order.ledger.durable_blobs();
    let keep = |bytes: &Option<Vec<u8>>| match bytes {
        Some(bytes) => {
            blobs.put(bytes).map(Some).map_err(|e| Error::io("write", &order.ledger.dir().join(layout::BLOBS), e))
        }
        None => Ok(None),
    };
    let blobs = [keep(&finished.stdout.bytes)?, keep(&finished.stderr.bytes)?];
    Ok(Item { producer, finished, looks: [before, after], blobs })
}

/// A seal that was killed after the ledger named its bundle, and before that was in its place: it is put there.
fn finish_earlier(order: &Order<'_>, store: &Store) -> Result<()> {
    let Some(next) = store.read(order.task.as_str())?.next else { return Ok(()) };
    // What waits in the spool may be the entry that names it.
    order
        .ledger
        .append(Vec::new(), &Append { sync: Sync::Data, ..Append::default() })
        .map_err(|error| Error::unable("ledger", format!("failed to finish an earlier seal: {error}")))?;
    let spine = Spine::read(order.ledger);
    let anchored = spine.latest(order.task.as_str()).map(|anchor| anchor.bundle.clone());
    if anchored.is_some() && anchored == verify::hash_of(&next) {
        store.commit(order.task)?;
    }
    Ok(())
}
