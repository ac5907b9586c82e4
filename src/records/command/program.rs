//! What is known of common programs: whether they print, and whether they can change files or the checkout. One row each;
//! a program without a row prints and changes.

use self::Files::{Always, ButFor, Never, With};
use super::syntax::Word;
use super::unwrap::program_name;
use crate::records::invocation::View;

/// One known program.
struct Program {
    name: &'static str,
    /// It prints nothing when all goes well.
    silent: bool,
    files: Files,
}

/// When a program can change files or the checkout.
enum Files {
    Never,
    Always,
    /// With one of these options or words (`-x` also inside `-nx`).
    With(&'static [&'static str]),
    /// Unless its subcommand is one of these.
    ButFor(&'static [&'static str]),
}

const fn shows(name: &'static str, files: Files) -> Program {
    Program { name, silent: false, files }
}

const fn silent(name: &'static str, files: Files) -> Program {
    Program { name, silent: true, files }
}

const PROGRAMS: &[Program] = &[
    silent(":", Never),
    silent("true", Never),
    silent("false", Never),
    silent("test", Never),
    silent("[", Never),
    silent("sleep", Never),
    silent("mkdir", Never),
    silent("kill", Never),
    silent("pkill", Never),
    silent("killall", Never),
    silent("cp", Always),
    silent("mv", Always),
    silent("rm", Always),
    silent("rmdir", Never),
    silent("ln", Always),
    silent("touch", Always),
    silent("chmod", Always),
    silent("truncate", Always),
    silent("mktemp", Never),
    shows("echo", Never),
    shows("printf", Never),
    shows("pwd", Never),
    shows("ls", Never),
    shows("tree", With(&["-o"])),
    shows("cat", Never),
    shows("head", Never),
    // What it copies to is looked at apart.
    shows("tee", Never),
    shows("tail", Never),
    shows("less", Never),
    shows("more", Never),
    shows("wc", Never),
    shows("grep", Never),
    shows("egrep", Never),
    shows("fgrep", Never),
    shows("rg", Never),
    shows("ag", Never),
    shows("ack", Never),
    shows("cut", Never),
    shows("tr", Never),
    shows("uniq", Never),
    shows("sort", With(&["-o", "--output"])),
    shows("column", Never),
    shows("paste", Never),
    shows("comm", Never),
    shows("diff", Never),
    shows("cmp", Never),
    shows("nl", Never),
    shows("tac", Never),
    shows("rev", Never),
    shows("fold", Never),
    shows("ts", Never),
    shows("seq", Never),
    shows("basename", Never),
    shows("dirname", Never),
    shows("realpath", Never),
    shows("readlink", Never),
    shows("stat", Never),
    shows("file", Never),
    shows("du", Never),
    shows("df", Never),
    shows("free", Never),
    shows("md5sum", Never),
    shows("sha256sum", Never),
    shows("shasum", Never),
    shows("xxd", Never),
    shows("od", Never),
    shows("jq", Never),
    shows("sed", With(&["-i", "--in-place"])),
    shows("gsed", With(&["-i", "--in-place"])),
    shows("find", With(&["-delete", "-fprint", "-fprintf", "-fls"])),
    shows("fd", With(&["-x", "-X", "--exec", "--exec-batch"])),
    shows("curl", With(&["-o", "-O", "--output", "--remote-name", "-c", "--cookie-jar"])),
    shows("date", Never),
    shows("uname", Never),
    shows("whoami", Never),
    shows("hostname", Never),
    shows("id", Never),
    shows("uptime", Never),
    shows("nproc", Never),
    shows("ps", Never),
    shows("pgrep", Never),
    shows("lsof", Never),
    shows("ss", Never),
    shows("netstat", Never),
    shows("which", Never),
    shows("whereis", Never),
    shows("type", Never),
    shows("command", Never),
    shows("printenv", Never),
    shows("env", Never),
    shows("jobs", Never),
    shows("history", Never),
    shows("man", Never),
    shows(
        "git",
        ButFor(&[
            "status",
            "log",
            "diff",
            "show",
            "rev-parse",
            "ls-files",
            "ls-tree",
            "ls-remote",
            "blame",
            "shortlog",
            "describe",
            "grep",
            "cat-file",
            "remote",
            "config",
            "reflog",
            "rev-list",
            "name-rev",
            "merge-base",
            "diff-index",
            "diff-tree",
            "diff-files",
            "for-each-ref",
            "show-ref",
            "var",
            "version",
            "help",
            "count-objects",
            "fetch",
            "push",
            "add",
            "write-tree",
            "hash-object",
            "check-ignore",
            "whatchanged",
            "cherry",
            "range-diff",
            "fsck",
        ]),
    ),
    shows(
        "gh",
        ButFor(&[
            "auth", "issue", "run", "workflow", "api", "search", "status", "browse", "label", "secret", "variable",
        ]),
    ),
    shows("docker", ButFor(&["ps", "images", "logs", "inspect", "version", "info", "stats", "top", "port", "events"])),
    shows("kubectl", ButFor(&["get", "describe", "logs", "version", "top", "config", "explain", "api-resources"])),
    shows(
        "npm",
        ButFor(&[
            "ls", "list", "view", "info", "outdated", "whoami", "why", "explain", "root", "bin", "prefix", "search",
        ]),
    ),
    shows("pip", ButFor(&["list", "show", "freeze", "check", "index", "config", "debug"])),
    shows("systemctl", Never),
    shows("journalctl", Never),
];

/// Options of git that stand before its subcommand and take a value.
const GIT_VALUES: &[&str] = &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"];

/// Whether a program prints nothing of its own when all goes well.
pub fn is_silent(words: &[Word]) -> bool {
    words.first().and_then(|word| row(&program_name(word))).is_some_and(|row| row.silent)
}

/// Whether running it can change files or the checkout.
pub fn changes(words: &[Word]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    let Some(row) = row(&program_name(first)) else { return true };
    let text = |word: &Word| word.literal().unwrap_or_else(|| word.raw.clone());
    match row.files {
        Never => false,
        Always => true,
        With(signs) => rest.iter().any(|word| signs.iter().any(|sign| has_option(&text(word), sign))),
        ButFor(harmless) => {
            let mut words = rest.iter().map(text);
            let mut found = None;
            while let Some(word) = words.next() {
                if !word.starts_with('-') {
                    found = Some(word);
                    break;
                }
                if GIT_VALUES.contains(&word.as_str()) {
                    words.next();
                }
            }
            let Some(subcommand) = found else { return false };
            let rest: Vec<String> = words.collect();
            !harmless.contains(&subcommand.as_str()) && !only_lists(row.name, &subcommand, &rest)
                || rest.iter().any(|word| word.starts_with("--output"))
        }
    }
}

/// Subcommands that change something unless they are asked to list.
fn only_lists(name: &str, subcommand: &str, rest: &[String]) -> bool {
    let first = rest.first().map(String::as_str);
    match (name, subcommand) {
        ("git", "branch" | "tag") => rest
            .iter()
            .all(|word| ["-a", "-r", "-v", "-vv", "-l", "--list", "--show-current", "--all"].contains(&word.as_str())),
        ("git", "stash") => matches!(first, Some("list" | "show")),
        ("git", "worktree" | "submodule" | "bisect" | "notes") => {
            matches!(first, Some("list" | "status" | "log" | "show"))
        }
        ("gh", "pr" | "release" | "repo") => {
            matches!(first, Some("list" | "view" | "checks" | "status" | "create" | "comment" | "diff"))
        }
        _ => false,
    }
}

fn has_option(word: &str, sign: &str) -> bool {
    let letter = sign.strip_prefix('-').filter(|rest| rest.len() == 1);
    match letter {
        Some(letter) => word.starts_with('-') && !word.starts_with("--") && word.contains(letter),
        None => word.starts_with(sign),
    }
}

fn row(name: &str) -> Option<&'static Program> {
    PROGRAMS.iter().find(|row| row.name == name)
}

/// What a filter makes of the text that is piped into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filter {
    pub view: View,
    /// How many closing lines it keeps.
    pub lines: Option<u32>,
}

impl Filter {
    pub const WHOLE: Filter = Filter { view: View::Whole, lines: None };
    pub const SOME: Filter = Filter { view: View::Filtered, lines: None };
    pub const NONE: Filter = Filter { view: View::Hidden, lines: None };
}

/// What a program makes of a text, and from where it takes it.
pub struct Reads {
    pub filter: Filter,
    /// It is a known filter: without files it prints nothing but what it was given.
    pub known: bool,
    /// Words that name the files it reads; for `grep` and its like any argument may be one.
    pub files: Vec<Word>,
    /// Files into which it copies its input (`tee`), and whether it adds to them.
    pub copies: Vec<Word>,
    pub appends: bool,
}

/// What is left of a text after a filter program.
pub fn reads(words: &[Word]) -> Reads {
    let mut reads = Reads { filter: Filter::SOME, known: true, files: Vec::new(), copies: Vec::new(), appends: false };
    let Some((first, rest)) = words.split_first() else { return Reads { known: false, ..reads } };
    match program_name(first).as_str() {
        "cat" => {
            let changed = rest
                .iter()
                .any(|w| w.raw.starts_with('-') && w.raw.contains(['n', 'b', 'A', 'e', 'E', 't', 'T', 'v', 's']));
            reads.filter = if changed { Filter::SOME } else { Filter::WHOLE };
            reads.files = operands(rest, &[]);
        }
        "tee" => {
            reads.filter = Filter::WHOLE;
            reads.copies = operands(rest, &[]);
            reads.appends = rest.iter().any(|word| matches!(word.raw.as_str(), "-a" | "--append" | "-ai" | "-ia"));
        }
        "tail" => {
            reads.filter = tail(rest);
            reads.files = operands(rest, &["-n", "-c", "--lines", "--bytes", "-s", "--pid"]);
        }
        "grep" | "egrep" | "fgrep" | "rg" | "sed" | "awk" | "head" | "wc" | "sort" | "less" | "more" | "cut" | "tr"
        | "jq" | "uniq" | "nl" | "tac" | "column" | "ts" | "perl" => reads.files = rest.to_vec(),
        _ => reads.known = false,
    }
    reads
}

/// The arguments that are no options.
fn operands(words: &[Word], takes: &[&str]) -> Vec<Word> {
    let mut files = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.literal().as_deref() {
            Some("-") => {}
            Some(option) if takes.contains(&option) => drop(words.next()),
            Some(option) if option.starts_with(['-', '+']) => {}
            _ => files.push(word.clone()),
        }
    }
    files
}

/// How much `tail` keeps: `-5`, `-n 5`, `-n +3`, `-c 400`; ten lines unless told.
fn tail(options: &[Word]) -> Filter {
    let kept = |lines| Filter { view: View::Tail, lines };
    let mut options = options.iter().map(|word| word.literal());
    while let Some(option) = options.next() {
        let Some(option) = option else { return Filter::SOME };
        let (bytes, value) = if let Some(value) = option.strip_prefix("--lines=").or(option.strip_prefix("-n")) {
            (false, value.to_owned())
        } else if let Some(value) = option.strip_prefix("--bytes=").or(option.strip_prefix("-c")) {
            (true, value.to_owned())
        } else if matches!(option.as_str(), "--lines" | "--bytes") {
            (option == "--bytes", String::new())
        } else if option.starts_with(['-', '+']) && option[1..].starts_with(|c: char| c.is_ascii_digit()) {
            (false, option.strip_prefix('-').map_or(option.clone(), str::to_owned))
        } else if matches!(option.as_str(), "-r" | "-f" | "-F") {
            return Filter::SOME;
        } else {
            continue;
        };
        let value = if value.is_empty() { options.next().flatten().unwrap_or_default() } else { value };
        if value.starts_with('+') {
            return kept(None);
        }
        let Ok(number) = value.trim_start_matches('-').parse::<u32>() else { return Filter::SOME };
        return match bytes {
            false if number > 0 => kept(Some(number)),
            // A line is taken to be no longer than 200 bytes.
            true if number >= 200 => kept(Some(number / 200)),
            _ => Filter::SOME,
        };
    }
    kept(Some(10))
}
