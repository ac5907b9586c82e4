//! Commands that run what a project declares: npm and friends, just, task, tox, nox, pre-commit. What they run decides; the
//! name of the script says which check is meant.

use super::row::{Call, Mark, Opt, ROW, Reads, Row, Words, called};
use super::{Check, Scope, names, words};
use crate::records::invocation::{Invocation, Word};
use crate::records::summary::{Report, Text, python};

/// Options of the package managers themselves.
const MANAGER: &[(&str, Opt)] = &[
    ("--prefix", Opt::Value),
    ("-C", Opt::Value),
    ("--dir", Opt::Value),
    ("--cwd", Opt::Value),
    ("-w", Opt::NarrowBy),
    ("--workspace", Opt::NarrowBy),
    ("-F", Opt::NarrowBy),
    ("--filter", Opt::NarrowBy),
    ("--loglevel", Opt::Value),
    ("--reporter", Opt::Value),
    ("--no-bail", Opt::Mark(Mark::NoFailFast)),
];

/// Words of the package managers that are no script.
const BUILTIN: &[&str] = &[
    "install",
    "i",
    "ci",
    "add",
    "remove",
    "rm",
    "uninstall",
    "update",
    "up",
    "upgrade",
    "audit",
    "outdated",
    "publish",
    "pack",
    "link",
    "init",
    "create",
    "exec",
    "dlx",
    "x",
    "why",
    "ls",
    "list",
    "config",
    "cache",
    "info",
    "view",
    "login",
    "version",
    "set",
    "start",
    "store",
    "import",
    "rebuild",
    "prune",
    "dedupe",
    "patch",
    "env",
    "setup",
    "deploy",
    "fetch",
    "workspaces",
    "pm",
    "help",
    "node",
    "global",
    "plugin",
    "constraints",
    "explain",
    "owner",
    "root",
    "bin",
];

/// The script that a package manager's line runs, what narrows it, and the script's own arguments.
struct Script {
    name: String,
    narrows: Vec<String>,
    args: Vec<Word>,
}

fn script(invocation: &Invocation) -> Option<Script> {
    let mut narrows = Vec::new();
    let mut plain: Vec<usize> = Vec::new();
    let args = &invocation.args;
    let mut n = 0;
    // Everything up to the script's name.
    let name = loop {
        let word = args.get(n)?;
        let text = word.text.as_str();
        if text.starts_with('-') {
            let (option, joined) = text.split_once('=').map_or((text, None), |(o, v)| (o, Some(v)));
            // `-w` is npm's for a workspace, but pnpm's for the root.
            let known = MANAGER.iter().find(|(o, _)| *o == option && !(option == "-w" && invocation.program != "npm"));
            if let Some((_, opt)) = known {
                let value = joined.map(str::to_owned).or_else(|| args.get(n + 1).map(|w| w.text.clone()));
                let takes = matches!(opt, Opt::Value | Opt::NarrowBy) && joined.is_none();
                if matches!(opt, Opt::NarrowBy) {
                    narrows.push(format!("{option} {}", value.unwrap_or_default()));
                }
                n += usize::from(takes);
            }
        } else if !word.literal {
            return None;
        } else {
            plain.push(n);
            let words: Vec<&str> = plain.iter().map(|n| args[*n].text.as_str()).collect();
            match (invocation.program.as_str(), words.as_slice()) {
                ("yarn", ["workspace", of, name]) => {
                    narrows.push(format!("workspace {of}"));
                    break (*name).to_owned();
                }
                ("yarn", ["workspace"] | ["workspace", _]) => {}
                (_, ["run" | "run-script"]) => {}
                (_, ["run" | "run-script", name]) => break (*name).to_owned(),
                ("npm" | "pnpm", ["test" | "t" | "tst"]) => break "test".to_owned(),
                ("yarn", [name @ ("build" | "test")]) => break (*name).to_owned(),
                ("yarn" | "pnpm", [name]) if !BUILTIN.contains(name) => break (*name).to_owned(),
                _ => return None,
            }
        }
        n += 1;
    };
    let mut rest = args.get(n + 1..).unwrap_or_default();
    if invocation.program == "npm" {
        // npm takes what stands before `--` for itself.
        let (own, passed) = rest.split_at(rest.iter().position(|w| w.text == "--").unwrap_or(rest.len()));
        narrows.extend(words::read(&NPM_ARGS, &own.iter().collect::<Vec<_>>()).narrows);
        rest = passed;
    }
    let rest = if rest.first().is_some_and(|w| w.text == "--") { &rest[1..] } else { rest };
    Some(Script { name, narrows, args: rest.to_vec() })
}

/// What test runners and linters that scripts start take; a word of its own narrows.
const SCRIPT_OPTIONS: &[(&str, Opt)] = &[
    ("-t", Opt::NarrowBy),
    ("--testNamePattern", Opt::NarrowBy),
    ("--testPathPattern", Opt::NarrowBy),
    ("--testPathPatterns", Opt::NarrowBy),
    ("-g", Opt::NarrowBy),
    ("--grep", Opt::NarrowBy),
    ("-k", Opt::NarrowBy),
    ("-m", Opt::NarrowBy),
    ("--filter", Opt::NarrowBy),
    ("--shard", Opt::NarrowBy),
    ("--project", Opt::NarrowBy),
    ("--changed", Opt::Narrow),
    ("--onlyChanged", Opt::Narrow),
    ("-o", Opt::Narrow),
    ("--findRelatedTests", Opt::Narrow),
    ("--runTestsByPath", Opt::Narrow),
    ("--watch", Opt::Idle),
    ("--watchAll", Opt::Idle),
    ("--ui", Opt::Idle),
    ("--listTests", Opt::Idle),
    ("--list", Opt::Idle),
    ("--help", Opt::Idle),
    ("--version", Opt::Idle),
    ("--reporter", Opt::Value),
    ("--config", Opt::Value),
    ("-c", Opt::Value),
    ("--maxWorkers", Opt::Value),
    ("--testTimeout", Opt::Value),
    ("--browsers", Opt::Value),
    ("--configuration", Opt::Value),
];

const SCRIPT_ARGS: Row = Row { options: SCRIPT_OPTIONS, ..ROW };
const NPM_ARGS: Row = Row { options: MANAGER, ..ROW };

/// `npm test`, `pnpm run lint`, `yarn build`.
fn package_script(invocation: &Invocation, row: &Row) -> Option<Scope> {
    let script = script(invocation)?;
    // `bun run build.ts` runs a file.
    let is_file = [".ts", ".tsx", ".js", ".mjs", ".cjs"].iter().any(|ext| script.name.ends_with(ext));
    if is_file || script.name.contains('/') {
        return None;
    }
    by_name(&script.name, script.narrows, &script.args, row)
}

fn by_name(name: &str, mut narrows: Vec<String>, args: &[Word], row: &Row) -> Option<Scope> {
    if names::check_of(name)? != row.check {
        return None;
    }
    if names::is_part(name, row.check) {
        narrows.push(name.to_owned());
    }
    let args: Vec<&Word> = args.iter().filter(|w| w.text != "run" && w.text != "--run").collect();
    let mut read = words::read(&Row { check: row.check, ..SCRIPT_ARGS }, &args);
    narrows.append(&mut read.narrows);
    read.narrows = narrows;
    Some(read.scope())
}

/// The name of the script that an invocation runs, as its banner gives it.
pub(crate) fn script_name(invocation: &Invocation) -> Option<String> {
    match invocation.program.as_str() {
        "npm" | "pnpm" | "yarn" | "bun" => script(invocation).map(|s| s.name),
        _ => None,
    }
}

/// A tool that `yarn TOOL` starts as such.
pub(super) fn is_tool(name: &str) -> bool {
    const TOOLS: &[&str] = &[
        "jest",
        "vitest",
        "mocha",
        "ava",
        "playwright",
        "eslint",
        "tsc",
        "vue-tsc",
        "biome",
        "oxlint",
        "prettier",
        "react-scripts",
    ];
    TOOLS.contains(&name)
}

/// `just test`, `task lint`, `mage`, `rake spec`, `composer test`: the first plain word names it.
fn task(invocation: &Invocation, row: &Row) -> Option<Scope> {
    let skip = usize::from(
        invocation.program == "composer" && invocation.args.first().is_some_and(|w| w.text.starts_with("run")),
    );
    let mut args = invocation.args.iter().skip(skip);
    let name = loop {
        let word = args.next()?;
        match word.text.as_str() {
            "-f" | "--justfile" | "-d" | "--working-directory" | "--dir" | "-t" | "--taskfile" => drop(args.next()),
            "--list" | "-l" | "--summary" | "--show" | "-s" | "--evaluate" | "--fmt" | "-n" | "--dry-run" | "--dry"
            | "--help" | "-h" => return None,
            text if text.starts_with('-') || text.contains('=') => {}
            text => break text,
        }
    };
    let rest: Vec<Word> = args.filter(|w| w.text != "--").cloned().collect();
    by_name(name, Vec::new(), &rest, row)
}

/// `tox -e py312`, `nox -s lint`: the name of an environment says what it checks; without one, tests.
fn environments(invocation: &Invocation, row: &Row) -> Option<Scope> {
    let words: Vec<&str> = invocation
        .args
        .iter()
        .map(|w| w.text.as_str())
        .filter(|w| !matches!(*w, "run" | "r" | "p" | "run-parallel"))
        .collect();
    let mut idle = None;
    let mut chosen: Vec<&str> = Vec::new();
    let mut narrows: Vec<String> = Vec::new();
    let mut n = 0;
    while let Some(word) = words.get(n) {
        match *word {
            "-e" | "-s" | "--session" | "--sessions" => {
                chosen.extend(words.get(n + 1).into_iter().flat_map(|list| list.split(',')));
                n += 1;
            }
            "-c" | "-f" | "--noxfile" | "--workdir" | "-p" | "-o" => n += 1,
            "-l" | "--list" | "list" | "config" | "--notest" | "-n" | "--help" | "-h" | "--version"
            | "--install-only" => idle = Some("--list"),
            "-k" | "-m" | "-t" => {
                narrows.push(format!("{word} {}", words.get(n + 1).unwrap_or(&"")));
                n += 1;
            }
            "--" => {
                let rest: Vec<Word> = invocation.args.iter().skip_while(|w| w.text != "--").skip(1).cloned().collect();
                narrows.extend(words::read(&SCRIPT_ARGS, &rest.iter().collect::<Vec<_>>()).narrows);
                break;
            }
            _ => {}
        }
        n += 1;
    }
    // `py312`, `tests-3.12`: whatever names no other check is of tests.
    let check = |name: &&str| names::check_of(name).unwrap_or(Check::Tests);
    let named =
        if chosen.is_empty() { row.check == Check::Tests } else { chosen.iter().all(|name| check(name) == row.check) };
    if !named {
        return None;
    }
    Some(match (idle, narrows.is_empty()) {
        (Some(idle), _) => Scope::ChecksNothing(idle),
        (None, true) => Scope::Full,
        (None, false) => Scope::Filtered(narrows.join(" ")),
    })
}

fn nothing(_: &Text) -> Report {
    Report::default()
}

const SCRIPT: Row =
    Row { own: Some(package_script), words: Words::Ignored, reads: Reads::Inner(nothing), silent: false, ..ROW };
const NPM: Row = Row { runner: "npm", calls: &called(&["npm"]), ..SCRIPT };
const PNPM: Row = Row { runner: "pnpm", calls: &called(&["pnpm"]), ..SCRIPT };
const YARN: Row = Row { runner: "yarn", calls: &called(&["yarn"]), ..SCRIPT };
const BUN: Row = Row { runner: "bun-run", calls: &called(&["bun"]), ..SCRIPT };
const JUST: Row = Row { runner: "just", calls: &called(&["just"]), own: Some(task), ..SCRIPT };
const TASK: Row =
    Row { runner: "task", calls: &called(&["task", "go-task", "mage", "invoke", "inv"]), own: Some(task), ..SCRIPT };
const COMPOSER: Row = Row { runner: "composer", calls: &called(&["composer"]), own: Some(task), ..SCRIPT };
const RAKE: Row =
    Row { runner: "rake", calls: &[Call { programs: &["rake"], subs: &["spec"] }], own: Some(task), ..SCRIPT };
const TOX: Row = Row {
    runner: "tox",
    calls: &called(&["tox"]),
    own: Some(environments),
    reads: Reads::Inner(python::tox),
    ..SCRIPT
};
const NOX: Row = Row {
    runner: "nox",
    calls: &called(&["nox"]),
    own: Some(environments),
    reads: Reads::Inner(python::nox),
    ..SCRIPT
};

/// The same command, once for every check that a name can mean.
macro_rules! for_each_check {
    ($($row:expr),* $(,)?) => {
        &[$(
            $row,
            Row { check: Check::Lint, ..$row },
            Row { check: Check::Typecheck, ..$row },
            Row { check: Check::Format, ..$row },
        )*
        $(Row { check: Check::Build, reads: Reads::InnerOrExit(nothing), ..$row },)*]
    };
}

pub const ROWS: &[Row] = for_each_check![NPM, PNPM, YARN, BUN, JUST, TASK, COMPOSER, RAKE, TOX, NOX];
