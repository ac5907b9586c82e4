//! Commands that check or build something, as they are named in prose: `cargo test -p web`, pytest, the Jest suite.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::Kind::{self, Lint, Tests, Typecheck};
use super::runners::{Prose, RUNNERS, Runner};
use super::token::{Tok, Token};

/// One command: what it checks, who runs it, and whether its arguments narrow it down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    pub kind: Kind,
    pub runner: Option<&'static str>,
    /// The argument that names a subset, as written.
    pub subset: Option<String>,
    /// A formatter that only looks (`--check`), or a builder that only checks.
    pub looks_only: bool,
}

/// Words that stand before the program itself.
const WRAPPERS: &[&[&str]] = &[
    &["$"],
    &["sudo"],
    &["time"],
    &["npx"],
    &["bunx"],
    &["pnpm", "exec"],
    &["pnpm", "dlx"],
    &["yarn", "dlx"],
    &["uv", "run"],
    &["poetry", "run"],
    &["pipenv", "run"],
    &["hatch", "run"],
    &["python", "-m"],
    &["python3", "-m"],
    &["py", "-m"],
    &["bundle", "exec"],
    &["corepack"],
];

/// The rows that begin with a word.
fn rows(first: &str) -> &'static [&'static Runner] {
    static INDEX: OnceLock<HashMap<&'static str, Vec<&'static Runner>>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut index: HashMap<&'static str, Vec<&'static Runner>> = HashMap::new();
        for row in RUNNERS {
            index.entry(row.words.split(' ').next().unwrap_or_default()).or_default().push(row);
        }
        index
    });
    index.get(first).map_or(&[], Vec::as_slice)
}

/// Reads inline code as one or several known commands; none if any other command is the first.
pub fn command(code: &str) -> Option<Vec<Use>> {
    if code.len() > 400 {
        return None;
    }
    let uses: Vec<Use> = code.split("&&").flat_map(|part| part.split(';')).filter_map(simple_command).collect();
    (!uses.is_empty()).then_some(uses)
}

fn simple_command(text: &str) -> Option<Use> {
    let text = text.split(['|', '>']).next().unwrap_or_default();
    let mut words: Vec<&str> = text.split_whitespace().collect();
    loop {
        let assigns = words.first().is_some_and(|word| {
            word.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit())
            })
        });
        let wrapper = WRAPPERS.iter().find(|wrapper| words.starts_with(wrapper));
        let skip = if assigns { 1 } else { wrapper.map_or(0, |wrapper| wrapper.len()) };
        if skip == 0 {
            break;
        }
        words.drain(..skip);
    }
    let first = words.first()?.trim_start_matches("./").to_owned();
    let first = first.rsplit('/').next().unwrap_or_default();
    // `npm run test:unit` is `npm run test`, narrowed down.
    let narrowed = words
        .iter()
        .take(3)
        .find_map(|word| word.split_once(':').filter(|(head, _)| matches!(*head, "test" | "lint" | "build")));
    let bare: Vec<&str> = words.iter().take(3).map(|word| word.split(':').next().unwrap_or_default()).collect();
    let (row, len) = rows(first)
        .iter()
        .filter_map(|row| {
            let mut expected = row.words.split(' ');
            let len = row.words.split(' ').count();
            let given = std::iter::once(first).chain(bare.iter().skip(1).copied());
            let fits = expected.next() == Some(first) && expected.eq(given.skip(1).take(len - 1));
            (fits && bare.len() >= len).then_some((*row, len))
        })
        .max_by_key(|(_, len)| *len)?;
    let args = &words[len.min(words.len())..];
    if args.iter().any(|arg| matches!(*arg, "--version" | "--help" | "--list" | "--collect-only" | "install" | "init"))
    {
        return None;
    }
    // What is no sub-command and no flag after `make`, `npm run` and the like is a target of another name.
    if matches!(row.words, "make" | "ninja" | "cargo" | "npm") && args.first().is_some_and(|arg| !arg.starts_with('-'))
    {
        return None;
    }
    let looks =
        |arg: &&str| matches!(*arg, "--check" | "-c" | "-l" | "-d" | "--diff" | "--list-different" | "--dry-run");
    let subset = if row.kind == Tests || row.kind == Lint || row.kind == Typecheck {
        narrowed.map(|(_, rest)| rest.to_owned()).or_else(|| filter(args, row.kind))
    } else {
        None
    };
    Some(Use { kind: row.kind, runner: row.name, subset, looks_only: args.iter().any(looks) })
}

/// Flags that choose some of the tests, each with a value.
#[rustfmt::skip]
const CHOOSING: &[&str] = &[
    "--bin", "--example", "--filter", "--grep", "--package", "--project", "--run", "--spec", "--test",
    "--testNamePattern", "--testPathPattern", "--tests", "-E", "-R", "-e", "-g", "-k", "-m", "-p", "-run", "-t",
];

/// Flags of a value that chooses nothing.
#[rustfmt::skip]
const VALUED: &[&str] = &[
    "--config", "--ext", "--features", "--jobs", "--maxWorkers", "--profile", "--reporter", "--target", "--timeout",
    "-D", "-W", "-c", "-count", "-j", "-n",
];

fn filter(args: &[&str], kind: Kind) -> Option<String> {
    let mut args = args.iter().copied();
    while let Some(arg) = args.next() {
        if arg == "--" {
            return if kind == Tests { args.find(|arg| !arg.starts_with('-')).map(str::to_owned) } else { None };
        }
        if matches!(arg, "--lib" | "--doc" | "--bins" | "--examples" | "--benches") {
            return Some(arg.trim_start_matches('-').to_owned());
        }
        let (flag, value) = arg.split_once('=').map_or((arg, None), |(flag, value)| (flag, Some(value)));
        if CHOOSING.contains(&flag) {
            return value.or_else(|| args.next()).map(|value| value.trim_matches(['"', '\'']).to_owned());
        }
        if VALUED.contains(&flag) && value.is_none() {
            args.next();
            continue;
        }
        let whole = matches!(
            arg,
            "." | "./..."
                | "..."
                | "run"
                | "check"
                | "all"
                | "src"
                | "src/"
                | "test"
                | "tests"
                | "tests/"
                | "test/"
                | "spec"
                | "spec/"
                | "__tests__"
                | "//..."
        );
        if !arg.starts_with('-') && !whole {
            return Some(arg.trim_matches(['"', '\'']).to_owned());
        }
    }
    None
}

/// Joins plain words that name a runner into one command token.
pub fn name_in_prose(tokens: &mut Vec<Token>, message: &str) {
    let mut i = 0;
    let mut kept = Vec::with_capacity(tokens.len());
    while i < tokens.len() {
        match named_at(tokens, i, message) {
            Some((row, len)) => {
                let len = len + arguments(tokens, i + len);
                let (start, end) = (tokens[i].start, tokens[i + len - 1].end);
                let written = message.get(start..end).unwrap_or_default().to_owned();
                let plain = Use { kind: row.kind, runner: row.name, subset: None, looks_only: false };
                let uses = command(&written).unwrap_or_else(|| vec![plain]);
                kept.push(Token { tok: Tok::Command(uses), low: written, start, end });
                i += len;
            }
            None => {
                kept.push(tokens[i].clone());
                i += 1;
            }
        }
    }
    *tokens = kept;
}

/// How many tokens after a command's name are its arguments: flags, and `.` or `./...`.
fn arguments(tokens: &[Token], from: usize) -> usize {
    let flag = |i: usize| tokens.get(i).is_some_and(|token| token.tok == Tok::Ident && token.low.starts_with('-'));
    let mut at = from;
    while let Some(token) = tokens.get(at) {
        let whole = token.tok == Tok::Ident && matches!(token.low.as_str(), "." | "./...");
        // "-- -D warnings"
        let divider = token.punct() == Some('—') && token.end - token.start == 2 && flag(at + 1);
        if flag(at) {
            let value = matches!(token.low.as_str(), "-D" | "-W" | "-p" | "--package" | "--test");
            at += usize::from(
                value && tokens.get(at + 1).is_some_and(|next| next.tok == Tok::Word || next.tok == Tok::Ident),
            );
        } else if !(whole || divider) {
            break;
        }
        at += 1;
    }
    at - from
}

fn named_at(tokens: &[Token], i: usize, message: &str) -> Option<(&'static Runner, usize)> {
    let first = tokens.get(i).filter(|token| token.tok == Tok::Word || token.tok == Tok::Ident)?;
    let capital = message.get(first.start..).is_some_and(|text| text.starts_with(char::is_uppercase));
    // "formatted with black", "ran black"
    let before = if i > 0 { tokens[i - 1].low.as_str() } else { "" };
    let listed = i >= 2
        && matches!(before, "," | "/" | "and")
        && rows(&tokens[i - 2].low.to_ascii_lowercase()).iter().any(|row| row.prose == Prose::Named);
    // "| black | ok |", "- black: ok"
    let titles = i == 0 && (tokens.len() == 1 || tokens[1].punct() == Some(':'));
    let tool = listed || titles || matches!(before, "with" | "using" | "ran" | "via" | "running");
    rows(&first.low.to_ascii_lowercase())
        .iter()
        .filter(|row| row.prose == Prose::Named || (row.prose == Prose::Capital && (capital || tool)))
        .filter_map(|row| {
            let len = row.words.split(' ').count();
            let there = tokens.get(i..i + len)?;
            let word = |(token, word): (&Token, &str)| {
                token.low.eq_ignore_ascii_case(word) && matches!(token.tok, Tok::Word | Tok::Ident)
            };
            there.iter().zip(row.words.split(' ')).all(word).then_some((*row, len))
        })
        .max_by_key(|(_, len)| *len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(code: &str) -> (Kind, Option<&'static str>, Option<String>) {
        let uses = command(code).unwrap();
        (uses[0].kind, uses[0].runner, uses[0].subset.clone())
    }

    #[test]
    fn a_command_is_named_and_its_filter_found() {
        assert_eq!(one("cargo test"), (Tests, Some("cargo-test"), None));
        assert_eq!(one("cargo test -p web"), (Tests, Some("cargo-test"), Some("web".into())));
        assert_eq!(one("RUST_LOG=1 cargo test --workspace"), (Tests, Some("cargo-test"), None));
        assert_eq!(one("python -m pytest tests/test_a.py -q"), (Tests, Some("pytest"), Some("tests/test_a.py".into())));
        assert_eq!(one("npx vitest run"), (Tests, Some("vitest"), None));
        assert_eq!(one("go test ./..."), (Tests, Some("go-test"), None));
        assert_eq!(one("npm run test:unit"), (Tests, Some("npm"), Some("unit".into())));
        assert_eq!(one("cargo clippy -- -D warnings"), (Lint, Some("clippy"), None));
        assert_eq!(one("ruff check"), (Lint, Some("ruff"), None));
        assert_eq!(one("npx tsc --noEmit"), (Typecheck, Some("tsc"), None));
        assert!(command("cargo fmt --check").unwrap()[0].looks_only);
        assert_eq!(command("cargo fmt && cargo test").unwrap().len(), 2);
    }

    #[test]
    fn other_commands_are_not_ours() {
        for code in ["make deploy", "git status", "cargo run", "npm ci", "pytest --version", "test", ""] {
            assert_eq!(command(code), None, "{code}");
        }
    }
}
