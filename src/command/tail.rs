//! `deeds tail`: reads Codex rollouts into the ledger, once or as they grow.
//!
//! A line is recorded once, whoever reads it and however often: see [`position`]. The process may end at any moment: what
//! was read and not yet recorded is read again the next time.
//!
//! Architecture invariant: a rollout is history. No host sensor looks at anything for a line that was not just written.

mod ahead;
mod back;
mod batch;
pub mod catch_up;
pub mod files;
mod follow;
mod lines;
mod live;
pub mod pass;
mod position;
mod progress;
mod reader;
mod source;
mod turn;
mod unread;
mod workers;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use notify::RecursiveMode;

use self::progress::Progress;
use self::reader::{Reader, Totals, Written};
use crate::command::wrote;
use crate::error::{Error, Exit, Result};
use crate::layout::Env;
use crate::text::{Lines, sanitise};

/// What the verb is asked for.
#[derive(Debug, Clone, Default)]
pub struct Args {
    /// What relative paths are taken from.
    pub workdir: PathBuf,
    /// None: every rollout of Codex's own folder.
    pub files: Vec<PathBuf>,
    pub follow: bool,
    /// `7d`: only rollouts changed since.
    pub since: Option<String>,
    pub session: Option<String>,
    pub ledger: Option<PathBuf>,
}

/// Runs the verb.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Exit> {
    let env = Env::read();
    let workdir = args.workdir.as_path();
    let within = args.since.as_deref().map(files::age).transpose()?;
    let to = args.ledger.as_ref().map(|dir| workdir.join(dir));
    let found = Found::new(args, workdir, &env)?;
    let mut reader = Reader::new(env, to, args.session.clone());
    let mut trouble = None;

    let paths = found.now(within);
    let total = paths.iter().filter_map(|path| std::fs::metadata(path).ok()).map(|meta| meta.len()).sum();
    let progress = Progress::new(total);
    for path in &paths {
        match reader.pass(path, Written::Before, &mut |bytes| progress.passed(bytes)) {
            Ok(_) => {}
            // A ledger that cannot be written will not take the next rollout either.
            Err(error) if error.exit == Exit::Unable && !args.follow => {
                progress.done();
                return Err(error);
            }
            Err(error) => trouble = trouble.or(Some(error)),
        }
    }
    progress.done();
    let said = writeln!(out, "{}", summary(&reader.totals)).and_then(|()| out.flush());
    if args.follow && said.is_ok() {
        if let Some(error) = trouble {
            let _ = writeln!(std::io::stderr(), "deeds: {}", sanitise(&error.to_string(), Lines::Escape));
        }
        return follow::follow(&found, within, &mut reader, out);
    }
    match trouble {
        Some(error) => Err(error),
        None => wrote(said, Exit::Holds),
    }
}

/// `17 rollouts read: 230 entries recorded, 91 of them commands; 2 skipped, whose project is gone`
fn summary(totals: &Totals) -> String {
    let plural = |n: u64, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let mut text = format!("{} read: ", plural(totals.rollouts, "rollout", "rollouts"));
    let done = totals.done;
    text.push_str(&match done.recorded {
        0 => "nothing new".to_owned(),
        n => format!("{} recorded, {} of them commands", plural(n, "entry", "entries"), done.commands),
    });
    if done.not_understood > 0 {
        text.push_str(&format!("; {} not understood", plural(done.not_understood, "line", "lines")));
    }
    if totals.gone > 0 {
        text.push_str(&format!("; {} skipped, whose project is gone", totals.gone));
    }
    if totals.homeless > 0 {
        text.push_str(&format!("; {} skipped that names no project (--ledger says where to write)", totals.homeless));
    }
    text
}

/// Where rollouts are looked for.
struct Found {
    files: Vec<PathBuf>,
    dirs: Vec<PathBuf>,
}

impl Found {
    fn new(args: &Args, workdir: &Path, env: &Env) -> Result<Found> {
        if !args.files.is_empty() {
            let files = args.files.iter().map(|file| workdir.join(file)).collect();
            return Ok(Found { files, dirs: Vec::new() });
        }
        let home =
            env.codex().ok_or_else(|| Error::usage("no file was named, and neither CODEX_HOME nor HOME is set"))?;
        Ok(Found { files: Vec::new(), dirs: files::FOLDERS.iter().map(|name| home.join(name)).collect() })
    }

    /// What to watch for changes.
    fn places(&self) -> Vec<(PathBuf, RecursiveMode)> {
        let parents =
            self.files.iter().filter_map(|file| Some((file.parent()?.to_owned(), RecursiveMode::NonRecursive)));
        // A folder that is not there yet is waited for in the one above it.
        let dirs = self.dirs.iter().map(|dir| match dir.parent() {
            Some(parent) if !dir.is_dir() => (parent.to_owned(), RecursiveMode::NonRecursive),
            _ => (dir.clone(), RecursiveMode::Recursive),
        });
        parents.chain(dirs).collect()
    }

    fn now(&self, within: Option<Duration>) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = self.files.iter().map(|file| as_it_is(file)).collect();
        paths.extend(files::below(&self.dirs));
        paths.retain(|path| within.is_none_or(|age| files::is_younger(path, age)));
        paths
    }
}

/// A rollout that Codex has compressed since it was named.
fn as_it_is(file: &Path) -> PathBuf {
    let mut compressed = file.as_os_str().to_owned();
    compressed.push(".zst");
    let compressed = PathBuf::from(compressed);
    if !file.exists() && compressed.exists() { compressed } else { file.to_owned() }
}

#[cfg(test)]
mod tests {
    use self::pass::Done;
    use super::*;

    #[test]
    fn the_summary_says_what_was_recorded_and_what_was_not() {
        let mut totals = Totals { rollouts: 1, ..Totals::default() };
        assert_eq!(summary(&totals), "1 rollout read: nothing new");
        let done = Done { recorded: 230, commands: 91, not_understood: 1 };
        totals = Totals { rollouts: 17, done, gone: 2, homeless: 0 };
        assert_eq!(
            summary(&totals),
            "17 rollouts read: 230 entries recorded, 91 of them commands; 1 line not understood; 2 skipped, whose project is gone"
        );
    }
}
