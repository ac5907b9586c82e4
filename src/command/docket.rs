//! What a verdict is made from: one session's story out of the ledger, what its runs were, and the state of the files.

mod gather;
mod subagents;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::claims::config::Config;
use crate::claims::declared;
use crate::claims::message::message_claims;
use crate::claims::report::Coverage;
use crate::claims::verdict::{Claim, Verdict, is_ignored};
use crate::error::{Error, Result};
use crate::layout::{Env, Place};
use crate::ledger::{BadLine, Entry, Ledger, Outcome};
use crate::records::need::{Because, Moment};
use crate::records::story::{Checks, Scope, Story, Words};
use crate::records::subject::Wanted;
use crate::sensor::difference::differences_over;
use crate::sensor::git::diff_trees;
use crate::sensor::host_process::HOST_SESSION;
use crate::sensor::tree::observe;
use crate::sensor::worktree::Worktree;

/// How long the host may look at the worktree for a verdict.
const LOOK_BUDGET: Duration = Duration::from_secs(10);

/// How far a verdict's evidence is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The session's own, as far as is quick: a client waits.
    Session,
    /// What earlier sessions showed too.
    Earlier,
    /// The same, and however long it takes.
    Everything,
}

/// All that a verdict is made from: one session's story and what its runs were.
pub struct Docket<'a> {
    pub config: &'a Config,
    pub story: Story,
    pub checks: Checks,
    /// `None`: no session, or the whole ledger.
    pub session: Option<String>,
    ledger: Ledger,
    root: PathBuf,
    holes: Vec<String>,
}

impl<'a> Docket<'a> {
    /// Reads the ledger of a place. An unreadable ledger is an error, never "no evidence".
    pub fn open(place: &Place, config: &'a Config, scope: Option<Scope>, reach: Reach) -> Result<Docket<'a>> {
        let ledger = Ledger::at(place, &Env::read());
        let mut holes = Vec::new();
        let scope = match scope {
            Some(scope) => Some(scope),
            None => newest_session(&ledger, &place.root)?.map(Scope::Session),
        };
        let declared: Vec<(String, String)> = config.declared_checks().map(|(n, c)| (n.to_owned(), words(c))).collect();
        let mut story = Story::default();
        let mut next = 0;
        if let Some(scope) = &scope {
            let commands: Vec<String> = config.declared_checks().map(|(_, command)| command.to_owned()).collect();
            let mut add = |entry: Entry| {
                next = next.max(entry.seq + 1);
                story.add(scope, entry.seq, entry.kind.as_str(), entry.body);
            };
            match scope {
                Scope::All => gather::whole(&ledger, &commands, &mut holes, &mut add)?,
                Scope::Session(id) => {
                    gather::session(&ledger, id, reach, &commands, &mut holes)?.into_iter().for_each(add)
                }
            }
            // What waits in the spool will be appended next; it counts already.
            let (waiting, unread) = ledger.spool().drafts();
            for (draft, seq) in waiting.into_iter().zip(next..) {
                story.add(scope, seq, draft.kind.as_str(), Value::Object(draft.body));
            }
            holes.extend(
                unread
                    .iter()
                    .map(|u| format!("an event that waits could not be read: {}: {}", u.path.display(), u.why)),
            );
        }
        story.finish();
        let checks = story.checks(&declared, config.strict, &|value: &Value| ledger.resolve(value).unwrap_or_default());
        let session = match scope {
            Some(Scope::Session(id)) => Some(id),
            _ => None,
        };
        Ok(Docket { config, story, checks, session, ledger, root: place.root.clone(), holes })
    }

    /// A string of an entry, wherever it is kept.
    pub fn text_of(&self, value: &Value) -> Option<String> {
        self.ledger.resolve(value)
    }

    /// The state of the files now, and the look at it.
    pub fn now(&self, root: &Path) -> (Wanted, Moment) {
        let look = observe(root, LOOK_BUDGET);
        let wanted = match (&look.tree, &look.reason) {
            (Some(tree), _) => Wanted::Tree(tree.clone()),
            (None, Some(reason)) if self.has_trees() => Wanted::Unresolvable(reason.clone()),
            _ => Wanted::Edits(self.story.edits_before(u64::MAX)),
        };
        (wanted, Moment { until: None, worktree: Value::Object(look.to_json()), git: Value::Null })
    }

    fn has_trees(&self) -> bool {
        self.story.worktrees.iter().any(|(_, w)| w["tree"].is_string())
    }

    /// The claims of the session's last message, against the tree recorded at that moment.
    pub fn last_message_claims(&self) -> Vec<Claim> {
        self.story.last_words().map(|words| self.claims_of(words)).unwrap_or_default()
    }

    /// The claims of one message, against the tree recorded when it was said.
    pub fn claims_of(&self, words: &Words) -> Vec<Claim> {
        let Some(message) = self.ledger.resolve(&words.message) else { return Vec::new() };
        let wanted = match words.worktree["tree"].as_str() {
            Some(tree) => Wanted::Tree(tree.to_owned()),
            None => Wanted::Edits(self.story.edits_before(words.seq)),
        };
        let until = (words.millis > 0).then_some(words.millis);
        let moment = Moment { until, worktree: words.worktree.clone(), git: words.git.clone() };
        message_claims(&message, &wanted, &moment, &self.story, &self.checks)
    }

    /// With nothing claimed: one line a kind of what has been shown.
    pub fn shown_so_far(&self, root: &Path) -> Vec<Claim> {
        declared::seen_kinds(&self.checks, || self.now(root))
    }

    /// Names the files that changed between a run and the state that it is asked about. Asks git where commits lie between.
    pub fn name_changes(&self, verdicts: &mut [Verdict]) {
        for verdict in verdicts.iter_mut().filter(|v| !v.because.at_wanted && v.because.check.is_some()) {
            self.name_change(&mut verdict.because);
        }
    }

    fn name_change(&self, because: &mut Because) {
        let looks = Worktree::from_json(&because.worktree).zip(Worktree::from_json(&because.wanted_worktree));
        let Some((seen, wanted)) = looks else { return };
        let moved = match (&seen.head, &wanted.head) {
            (Some(a), Some(b)) if a != b => match diff_trees(&self.root, a, b, LOOK_BUDGET) {
                Ok(moved) => moved,
                Err(_) => return,
            },
            _ => Vec::new(),
        };
        let differences = differences_over(&seen, &wanted, &moved);
        because.changed = differences.paths;
        // The first is named: what alone would not block comes after what would.
        because.changed.sort_by_key(|path| is_ignored(path, &self.config.ignore_for_freshness));
        because.changed_is_all = differences.complete;
    }

    pub fn coverage(&self) -> Coverage {
        let mut holes = self.holes.clone();
        holes.extend(self.story.holes.iter().cloned());
        if self.session.is_none() && self.story.runs.is_empty() {
            holes.push(
                "no session is recorded for this worktree (`deeds doctor` says whether the hook is registered; `--all` takes the whole ledger)"
                    .into(),
            );
        }
        Coverage { holes }
    }
}

/// Never "no evidence": what cannot be read may hold anything.
fn unreadable(ledger: &Ledger, bad: &BadLine) -> Error {
    let dir = ledger.dir().display();
    Error::unable("unreadable_ledger", format!("failed to read the ledger: {dir}: {bad}; see deeds verify"))
}

/// A declared command as it is compared: words joined by one space.
fn words(command: &str) -> String {
    command.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The newest sessions that the ledger holds, for whoever named one that it does not.
pub fn recent_sessions(place: &Place, most: usize) -> Result<Vec<String>> {
    let mut found: Vec<String> = Vec::new();
    for entry in Ledger::at(place, &Env::read()).backward()?.flatten() {
        let session = entry.body["session_id"].as_str().filter(|id| *id != HOST_SESSION);
        if let Some(session) = session.filter(|id| !found.iter().any(|known| known == id)) {
            found.push(session.to_owned());
        }
        if found.len() == most {
            break;
        }
    }
    Ok(found)
}

/// The newest session whose worktree root is the one given.
fn newest_session(ledger: &Ledger, root: &Path) -> Result<Option<String>> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let is_root = |place: &str| Path::new(place) == root || Path::new(place).canonicalize().is_ok_and(|p| p == root);
    let mut by_host = false;
    let mut damage = None;
    let is_inside = |place: &str| Path::new(place).canonicalize().is_ok_and(|p| p.starts_with(&root));
    for entry in ledger.backward()? {
        let entry = match entry {
            Ok(entry) => entry,
            Err(bad) if bad.kind.outcome() == Outcome::Unreadable => return Err(unreadable(ledger, &bad)),
            Err(bad) => {
                damage.get_or_insert(bad);
                continue;
            }
        };
        let body = &entry.body;
        let context = if body["payload"].is_object() { &body["payload"]["context"] } else { &body["context"] };
        let here = match (context["root"].as_str(), context["cwd"].as_str()) {
            (Some(place), _) => is_root(place),
            (None, Some(place)) => is_inside(place),
            (None, None) => false,
        };
        match body["session_id"].as_str().filter(|_| here) {
            // Without an agent's session there is still what the host ran itself.
            Some(HOST_SESSION) => by_host = true,
            Some(session) => return Ok(Some(session.to_owned())),
            None => {}
        }
    }
    match damage {
        // What cannot be read may have held the session that is asked for.
        Some(bad) if !by_host => Err(unreadable(ledger, &bad)),
        _ => Ok(by_host.then(|| HOST_SESSION.to_owned())),
    }
}
