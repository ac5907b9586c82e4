//! Reading a runner's words: its subcommand, its options, and what narrows the run.

use super::row::{After, Call, Mark, Opt, Row, Words};
use super::{Check, Scope};
use crate::records::invocation::Word;

/// What the words of one call come to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Read {
    /// What narrows it, as typed.
    pub narrows: Vec<String>,
    pub idle: Option<&'static str>,
    pub marks: Vec<Mark>,
    /// The plain words.
    pub plain: Vec<String>,
    /// One of the row's needs was met.
    pub met: bool,
}

impl Read {
    pub fn scope(&self) -> Scope {
        match (self.idle, self.narrows.as_slice()) {
            (Some(idle), _) => Scope::ChecksNothing(idle),
            (None, []) => Scope::Full,
            (None, narrows) => Scope::Filtered(narrows.join(" ")),
        }
    }
}

/// The arguments after the call's program and subcommand, or `None` where it is another.
pub fn after_call<'a>(call: &Call, row: &Row, program: &str, args: &'a [Word]) -> Option<Vec<&'a Word>> {
    if !call.programs.contains(&program) {
        return None;
    }
    if call.subs.is_empty() {
        return Some(args.iter().collect());
    }
    call.subs.iter().find_map(|sub| after_sub(sub, row, args))
}

/// Options may stand before and between the subcommand's words; they are kept.
fn after_sub<'a>(sub: &str, row: &Row, args: &'a [Word]) -> Option<Vec<&'a Word>> {
    let mut wanted = sub.split(' ').peekable();
    let mut kept = Vec::new();
    let mut args = args.iter();
    while let Some(next) = wanted.peek() {
        let word = args.next()?;
        if word.text.starts_with('-') && word.text.len() > 1 || word.text.starts_with('+') {
            kept.push(word);
            if takes_next(row.options, &word.text) {
                kept.push(args.next()?);
            }
        } else if word.literal && word.text == *next {
            wanted.next();
        } else {
            return None;
        }
    }
    kept.extend(args);
    Some(kept)
}

/// Reads the arguments by the row's options.
pub fn read(row: &Row, args: &[&Word]) -> Read {
    let mut read = Read { met: row.needs.is_empty(), ..Read::default() };
    let mut args = args.iter().copied();
    let mut options = row.options;
    let mut words = row.words;
    while let Some(word) = args.next() {
        let text = word.text.as_str();
        read.met |= row.needs.iter().any(|need| *need == name_of(text));
        if text == "--" {
            match row.after {
                After::Words => options = &[],
                After::Ignored => {
                    read.met |= args.any(|a| row.needs.iter().any(|need| *need == name_of(&a.text)));
                    break;
                }
                After::Options(other) => (options, words) = (other, Words::Names),
            }
        } else if text.starts_with('+') && row.calls.iter().any(|c| c.programs == ["cargo"]) {
            continue;
        } else if text.starts_with('-') && text.len() > 1 {
            option(&mut read, row, options, text, &mut args);
        } else {
            plain(&mut read, row.check, words, word);
        }
    }
    read
}

fn option<'a>(
    read: &mut Read,
    row: &Row,
    options: &[(&'static str, Opt)],
    text: &str,
    args: &mut impl Iterator<Item = &'a Word>,
) {
    let Some((name, opt, joined)) = find(options, text) else { return };
    let value = match (joined, takes_value(opt)) {
        (Some(value), _) => Some(value.to_owned()),
        (None, true) => args.next().map(|w| w.text.clone()),
        (None, false) => None,
    };
    match opt {
        Opt::Value => {}
        Opt::Idle => read.idle = read.idle.or(Some(name)),
        Opt::Mark(mark) => read.marks.push(mark),
        // `--max-warnings 0`, `-D warnings`: strict only with that value.
        Opt::MarkBy(Mark::Strict) => {
            if value.as_deref().is_some_and(|v| matches!(v, "0" | "warnings" | "clippy::all")) {
                read.marks.push(Mark::Strict);
            }
        }
        Opt::MarkBy(mark) => read.marks.push(mark),
        Opt::Narrow => read.narrows.push(text.to_owned()),
        // A project's own file names the whole.
        Opt::NarrowBy if value.as_deref().is_some_and(|v| is_whole(v, row.check)) => {}
        Opt::NarrowBy => read.narrows.push(match (joined, value) {
            (None, Some(value)) => format!("{text} {value}"),
            _ => text.to_owned(),
        }),
    }
}

fn plain(read: &mut Read, check: Check, words: Words, word: &Word) {
    let narrows = match words {
        Words::Ignored => false,
        Words::Names => true,
        Words::Paths => !is_whole(&word.text, check),
    };
    if narrows {
        read.narrows.push(word.text.clone());
    }
    read.plain.push(word.text.clone());
}

/// The option that a word is, and the value that is joined to it: `--filter=x`, `-kx`.
fn find<'a>(options: &[(&'static str, Opt)], text: &'a str) -> Option<(&'static str, Opt, Option<&'a str>)> {
    let (name, joined) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    if let Some((known, opt)) = options.iter().find(|(o, _)| *o == name) {
        return Some((known, *opt, joined));
    }
    // `-k expr` in one word; longer names with one dash are Go's and Java's.
    let short = options.iter().find(|(o, opt)| {
        o.len() == 2 && takes_value(*opt) && text.len() > 2 && !text.starts_with("--") && text.starts_with(*o)
    });
    short.map(|(known, opt)| (*known, *opt, text.get(2..)))
}

fn takes_value(opt: Opt) -> bool {
    matches!(opt, Opt::Value | Opt::NarrowBy | Opt::MarkBy(_))
}

fn takes_next(options: &[(&'static str, Opt)], text: &str) -> bool {
    find(options, text).is_some_and(|(_, opt, joined)| joined.is_none() && takes_value(opt))
}

fn name_of(text: &str) -> &str {
    text.split('=').next().unwrap_or(text)
}

/// Directories that hold all tests where they stand at the top.
const TEST_DIRS: &[&str] = &["test", "tests", "spec", "specs", "__tests__"];
/// Directories that hold all sources where they stand at the top.
const SOURCE_DIRS: &[&str] = &["src", "lib", "app"];
/// Files that stand for the project they are in.
const PROJECT_FILES: &[&str] = &["Cargo.toml", "tsconfig.json", "pyproject.toml"];

/// Whether a path names the whole: `.`, `./...`, a top-level directory of tests, or all files of one by a wildcard. A check
/// that is not of tests is whole over the top-level directory of sources, too.
pub fn is_whole(path: &str, check: Check) -> bool {
    let path = path.strip_prefix("./").unwrap_or(path);
    let path = path.strip_suffix('/').unwrap_or(path);
    if matches!(path, "" | "." | "..." | "*" | "**" | "**/*") || PROJECT_FILES.contains(&path) {
        return true;
    }
    let (dir, rest) = path.split_once('/').map_or((path, None), |(dir, rest)| (dir, Some(rest)));
    let top = TEST_DIRS.contains(&dir) || (check != Check::Tests && SOURCE_DIRS.contains(&dir));
    match rest {
        None => top || (dir.starts_with("*.") && check != Check::Tests),
        Some(rest) => (top || dir == "**") && is_wildcard(rest),
    }
}

/// `*.js`, `**/*`, `**/*.test.{js,ts}`
fn is_wildcard(rest: &str) -> bool {
    let file = rest.strip_prefix("**/").unwrap_or(rest);
    matches!(file, "..." | "**") || (file.starts_with('*') && !file.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_the_whole() {
        for whole in [
            ".",
            "./",
            "./...",
            "tests",
            "tests/",
            "./spec",
            "__tests__",
            "test/**/*.js",
            "tests/*.bats",
            "**/*.test.ts",
        ] {
            assert!(is_whole(whole, Check::Tests), "{whole}");
        }
        for part in
            ["tests/a.py", "src", "tests/unit", "a/tests", "pkg/...", "tests/a/*.py", "tests/x*/a.py", "/abs/tests"]
        {
            assert!(!is_whole(part, Check::Tests), "{part}");
        }
        assert!(is_whole("src", Check::Lint) && is_whole("src/**/*.ts", Check::Format));
        assert!(!is_whole("src/a.ts", Check::Lint));
    }
}
