//! `deeds judge`: claims against what the ledger recorded.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::claims::config::Config;
use crate::claims::declared;
use crate::claims::message::message_claims;
use crate::claims::report::{self, Coverage};
use crate::claims::verdict::{Claim, Verdict, judge_claims};
use crate::cli::{Format, JudgeArgs};
use crate::error::{Error, Exit, Result};
use crate::layout::{Env, Place};
use crate::ledger::{BadLine, Ledger, Outcome};
use crate::records::need::Moment;
use crate::records::story::{Checks, Scope, Story};
use crate::records::subject::Wanted;
use crate::sensor::host_process::HOST_SESSION;
use crate::sensor::tree::observe;

/// How long the host may look at the worktree for a verdict.
const LOOK_BUDGET: Duration = Duration::from_secs(10);

pub fn run(args: &JudgeArgs, workdir: &Path, out: &mut dyn Write) -> Result<Exit> {
    let place = place_of(workdir)?;
    let root = place.root.clone();
    let config = Config::load(&root)?;
    let docket = Docket::open(&place, &config, scope(args))?;
    let claims = claims(args, &docket, &root)?;
    let nothing_asked = claims.is_empty() && args.claims.is_none() && args.message.is_none();
    let claims = if nothing_asked { docket.shown_so_far(&root) } else { claims };
    let (verdicts, snapshot) = judge_claims(claims, &docket.story, &docket.checks)?;
    if args.emit_snapshot {
        let text =
            serde_json::to_string(&report::snapshot(&snapshot)).map_err(|e| Error::unable("io", e.to_string()))?;
        write(out, &format!("{text}\n"))?;
        return Ok(Exit::Holds);
    }
    let coverage = docket.coverage();
    let text = match args.format {
        Format::Text => report::text(&verdicts, &coverage, docket.session.as_deref()),
        Format::Json => format!("{}\n", report::json(&verdicts, &coverage)),
        Format::Markdown => report::markdown(&verdicts, &coverage),
    };
    write(out, &text)?;
    if nothing_asked { Ok(Exit::Holds) } else { Ok(worst(&verdicts)) }
}

fn write(out: &mut dyn Write, text: &str) -> Result<()> {
    out.write_all(text.as_bytes()).map_err(|e| Error::unable("io", format!("failed to write the verdict: {e}")))
}

/// The place of a working directory, which need not be a project's root.
pub fn place_of(workdir: &Path) -> Result<Place> {
    let dir = workdir.canonicalize().map_err(|e| Error::io("enter", workdir, e))?;
    Ok(Env::read().place(&dir))
}

/// Contradicted before not shown before supported.
pub fn worst(verdicts: &[Verdict]) -> Exit {
    if verdicts.iter().any(Verdict::is_contradicted) {
        Exit::DoesNotHold
    } else if verdicts.iter().all(Verdict::is_supported) {
        Exit::Holds
    } else {
        Exit::NotShown
    }
}

fn scope(args: &JudgeArgs) -> Option<Scope> {
    match (&args.session, args.all) {
        (_, true) => Some(Scope::All),
        (Some(id), _) => Some(Scope::Session(id.clone())),
        _ => None,
    }
}

fn claims(args: &JudgeArgs, docket: &Docket<'_>, root: &Path) -> Result<Vec<Claim>> {
    if let Some(path) = &args.claims {
        let text = read_input(path)?;
        return declared::file_claims(&text, || docket.now(root));
    }
    if let Some(path) = &args.message {
        let text = read_input(path)?;
        let (wanted, moment) = docket.now(root);
        return Ok(message_claims(&text, &wanted, &moment, &docket.story, &docket.checks));
    }
    let mut claims = declared::standing_claims(docket.config, || docket.now(root));
    claims.extend(docket.last_message_claims());
    Ok(claims)
}

fn read_input(path: &PathBuf) -> Result<String> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    let bytes = bytes.map_err(|e| Error::input(format!("failed to read: {}: {e}", path.display())))?;
    let text = String::from_utf8(bytes).map_err(|e| {
        Error::input(format!("failed to read: {}: not UTF-8 at byte {}", path.display(), e.utf8_error().valid_up_to()))
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// All that a verdict is made from: one session's story and what its runs were.
pub struct Docket<'a> {
    pub config: &'a Config,
    pub story: Story,
    pub checks: Checks,
    /// `None`: no session, or the whole ledger.
    pub session: Option<String>,
    ledger: Ledger,
    holes: Vec<String>,
}

impl<'a> Docket<'a> {
    /// Reads the ledger of a place. An unreadable ledger is an error, never "no evidence".
    pub fn open(place: &Place, config: &'a Config, scope: Option<Scope>) -> Result<Docket<'a>> {
        let ledger = Ledger::at(place, &Env::read());
        let mut holes = Vec::new();
        let scope = match scope {
            Some(scope) => Some(scope),
            None => newest_session(&ledger, &place.root)?.map(Scope::Session),
        };
        let mut story = Story::default();
        if let Some(scope) = &scope {
            let mut next = 0;
            for entry in ledger.read()? {
                match entry {
                    Ok(entry) => {
                        next = entry.seq + 1;
                        story.add(scope, entry.seq, entry.kind.as_str(), &entry.body);
                    }
                    Err(bad) if bad.kind.outcome() == Outcome::Unreadable => return Err(unreadable(&ledger, &bad)),
                    Err(bad) => holes.push(format!("the ledger is damaged: {bad}")),
                }
            }
            // What waits in the spool will be appended next; it counts already.
            let (waiting, unread) = ledger.spool().drafts();
            for draft in waiting {
                story.add(scope, next, draft.kind.as_str(), &Value::Object(draft.body));
                next += 1;
            }
            holes.extend(
                unread
                    .iter()
                    .map(|u| format!("an event that waits could not be read: {}: {}", u.path.display(), u.why)),
            );
        }
        story.finish();
        let declared: Vec<(String, String)> = config.declared_checks().map(|(n, c)| (n.to_owned(), words(c))).collect();
        let checks = story.checks(&declared, config.strict, &|value: &Value| ledger.resolve(value).unwrap_or_default());
        let session = match scope {
            Some(Scope::Session(id)) => Some(id),
            _ => None,
        };
        Ok(Docket { config, story, checks, session, ledger, holes })
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
        let Some(words) = self.story.last_words() else { return Vec::new() };
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
    fn shown_so_far(&self, root: &Path) -> Vec<Claim> {
        declared::seen_kinds(&self.checks, || self.now(root))
    }

    pub fn coverage(&self) -> Coverage {
        let mut holes = self.holes.clone();
        holes.extend(self.story.holes.iter().cloned());
        if self.session.is_none() && self.story.runs.is_empty() {
            holes.push("no session is recorded for this worktree".into());
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

/// The newest session whose worktree root is the one given.
fn newest_session(ledger: &Ledger, root: &Path) -> Result<Option<String>> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let mut newest = None;
    for entry in ledger.read()?.flatten() {
        let body = &entry.body;
        let context = if body["payload"].is_object() { &body["payload"]["context"] } else { &body["context"] };
        let here = context["root"].as_str().or(context["cwd"].as_str());
        let by_deeds = body["session_id"] == HOST_SESSION;
        if let (Some(session), Some(here), false) = (body["session_id"].as_str(), here, by_deeds)
            && (Path::new(here) == root || Path::new(here).canonicalize().is_ok_and(|h| h.starts_with(&root)))
        {
            newest = Some(session.to_owned());
        }
    }
    Ok(newest)
}

/// Errors of `--format json` go to stdout as JSON.
pub fn error_json(error: &Error) -> Value {
    json!(error.to_json())
}
