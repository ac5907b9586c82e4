//! Commands that check or build something, as they are named in prose: `cargo test -p web`, pytest, the Jest suite.

use super::Kind;
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

/// A command: its first words, what it checks, its name in a claim, and whether those words mean it in plain prose too.
struct Runner {
    words: &'static str,
    kind: Kind,
    name: Option<&'static str>,
    prose: Prose,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prose {
    /// Plain words are enough.
    Named,
    /// Plain words, with a capital letter: `Black` is no colour.
    Capital,
    /// Only as inline code.
    CodeOnly,
}

use Kind::{Build, Format, Lint, Tests, Typecheck};
use Prose::{Capital, CodeOnly, Named};

const fn row(words: &'static str, kind: Kind, name: &'static str, prose: Prose) -> Runner {
    Runner { words, kind, name: Some(name), prose }
}

const fn unnamed(words: &'static str, kind: Kind, prose: Prose) -> Runner {
    Runner { words, kind, name: None, prose }
}

/// The longest row that the command begins with decides. A new runner is one row here.
const RUNNERS: &[Runner] = &[
    row("cargo test", Tests, "cargo-test", Named),
    row("cargo t", Tests, "cargo-test", CodeOnly),
    row("cargo nextest", Tests, "nextest", Named),
    row("cargo nextest run", Tests, "nextest", Named),
    row("nextest", Tests, "nextest", Named),
    row("cargo clippy", Lint, "clippy", Named),
    row("clippy", Lint, "clippy", Named),
    row("cargo fmt", Format, "cargo-fmt", Named),
    row("rustfmt", Format, "cargo-fmt", Named),
    row("cargo build", Build, "cargo-build", Named),
    row("cargo b", Build, "cargo-build", CodeOnly),
    row("cargo check", Build, "cargo-check", Named),
    row("cargo c", Build, "cargo-check", CodeOnly),
    row("pytest", Tests, "pytest", Named),
    row("py.test", Tests, "pytest", Named),
    row("unittest", Tests, "unittest", CodeOnly),
    row("tox", Tests, "tox", Named),
    unnamed("nox", Tests, CodeOnly),
    row("jest", Tests, "jest", Named),
    row("vitest", Tests, "vitest", Named),
    row("vitest run", Tests, "vitest", Named),
    row("mocha", Tests, "mocha", Named),
    row("playwright", Tests, "playwright", Capital),
    row("playwright test", Tests, "playwright", Named),
    row("npm test", Tests, "npm", Named),
    row("npm t", Tests, "npm", CodeOnly),
    row("npm run test", Tests, "npm", Named),
    row("npm run build", Build, "npm", Named),
    row("npm build", Build, "npm", CodeOnly),
    row("npm run lint", Lint, "npm", Named),
    row("npm run typecheck", Typecheck, "npm", Named),
    row("npm run type-check", Typecheck, "npm", Named),
    row("npm run check-types", Typecheck, "npm", Named),
    row("npm run format", Format, "npm", Named),
    row("npm run tsc", Typecheck, "npm", CodeOnly),
    unnamed("yarn test", Tests, Named),
    unnamed("yarn build", Build, Named),
    unnamed("yarn lint", Lint, Named),
    unnamed("yarn typecheck", Typecheck, Named),
    unnamed("yarn run test", Tests, Named),
    unnamed("yarn run build", Build, Named),
    unnamed("yarn run lint", Lint, Named),
    unnamed("pnpm test", Tests, Named),
    unnamed("pnpm build", Build, Named),
    unnamed("pnpm lint", Lint, Named),
    unnamed("pnpm typecheck", Typecheck, Named),
    unnamed("pnpm run test", Tests, Named),
    unnamed("pnpm run build", Build, Named),
    unnamed("pnpm run lint", Lint, Named),
    unnamed("pnpm run typecheck", Typecheck, Named),
    unnamed("bun test", Tests, Named),
    unnamed("bun run test", Tests, Named),
    unnamed("bun run build", Build, Named),
    unnamed("bun run lint", Lint, Named),
    unnamed("bun run typecheck", Typecheck, Named),
    unnamed("deno test", Tests, Named),
    unnamed("deno lint", Lint, Named),
    unnamed("deno fmt", Format, Named),
    unnamed("deno check", Typecheck, Named),
    row("node --test", Tests, "node-test", CodeOnly),
    unnamed("ava", Tests, CodeOnly),
    row("go test", Tests, "go-test", Named),
    unnamed("go vet", Lint, Named),
    unnamed("go build", Build, Named),
    unnamed("golangci-lint", Lint, Named),
    unnamed("golangci-lint run", Lint, Named),
    unnamed("staticcheck", Lint, Named),
    row("gofmt", Format, "gofmt", Named),
    row("go fmt", Format, "gofmt", Named),
    unnamed("gofumpt", Format, Named),
    unnamed("goimports", Format, CodeOnly),
    row("rspec", Tests, "rspec", Named),
    unnamed("rails test", Tests, CodeOnly),
    unnamed("rake test", Tests, CodeOnly),
    unnamed("rubocop", Lint, Named),
    row("ctest", Tests, "ctest", Named),
    row("bats", Tests, "bats", CodeOnly),
    unnamed("cmake --build", Build, CodeOnly),
    row("eslint", Lint, "eslint", Named),
    row("biome", Lint, "biome", Capital),
    row("biome check", Lint, "biome", Named),
    row("biome lint", Lint, "biome", Named),
    row("biome ci", Lint, "biome", CodeOnly),
    row("biome format", Format, "biome", Named),
    unnamed("stylelint", Lint, Named),
    unnamed("shellcheck", Lint, Named),
    unnamed("markdownlint", Lint, Named),
    unnamed("hadolint", Lint, Named),
    unnamed("oxlint", Lint, Named),
    row("ruff", Lint, "ruff", Named),
    row("ruff check", Lint, "ruff", Named),
    row("ruff format", Format, "ruff-format", Named),
    unnamed("flake8", Lint, Named),
    unnamed("pylint", Lint, Named),
    row("black", Format, "black", Capital),
    unnamed("isort", Format, Named),
    row("tsc", Typecheck, "tsc", Named),
    unnamed("vue-tsc", Typecheck, Named),
    row("mypy", Typecheck, "mypy", Named),
    row("pyright", Typecheck, "pyright", Named),
    unnamed("basedpyright", Typecheck, Named),
    row("prettier", Format, "prettier", Named),
    unnamed("dprint", Format, CodeOnly),
    unnamed("shfmt", Format, Named),
    unnamed("stylua", Format, CodeOnly),
    unnamed("clang-format", Format, Named),
    row("make", Build, "make", CodeOnly),
    row("make build", Build, "make", CodeOnly),
    row("make all", Build, "make", CodeOnly),
    row("make test", Tests, "make", CodeOnly),
    row("make tests", Tests, "make", CodeOnly),
    row("make check", Tests, "make", CodeOnly),
    row("make lint", Lint, "make", CodeOnly),
    row("make format", Format, "make", CodeOnly),
    row("make fmt", Format, "make", CodeOnly),
    row("make typecheck", Typecheck, "make", CodeOnly),
    row("ninja", Build, "ninja", CodeOnly),
    unnamed("just test", Tests, CodeOnly),
    unnamed("just lint", Lint, CodeOnly),
    unnamed("just build", Build, CodeOnly),
    unnamed("dotnet test", Tests, Named),
    unnamed("dotnet build", Build, Named),
    unnamed("mvn test", Tests, Named),
    unnamed("mvn verify", Tests, CodeOnly),
    unnamed("gradle test", Tests, CodeOnly),
    unnamed("gradlew test", Tests, CodeOnly),
    unnamed("gradlew build", Build, CodeOnly),
    unnamed("gradle build", Build, CodeOnly),
    unnamed("swift test", Tests, CodeOnly),
    unnamed("swift build", Build, CodeOnly),
    unnamed("mix test", Tests, Named),
    unnamed("phpunit", Tests, Named),
    unnamed("phpstan", Typecheck, Named),
    unnamed("composer test", Tests, CodeOnly),
    unnamed("zig build test", Tests, CodeOnly),
    unnamed("zig build", Build, CodeOnly),
    unnamed("bazel test", Tests, CodeOnly),
    unnamed("bazel build", Build, CodeOnly),
    unnamed("docker build", Build, CodeOnly),
    unnamed("vite build", Build, CodeOnly),
    unnamed("next build", Build, CodeOnly),
];

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
    let (row, len) = RUNNERS
        .iter()
        .filter_map(|row| {
            let mut expected = row.words.split(' ');
            let len = row.words.split(' ').count();
            let given = std::iter::once(first).chain(bare.iter().skip(1).copied());
            let fits = expected.next() == Some(first) && expected.eq(given.skip(1).take(len - 1));
            (fits && bare.len() >= len).then_some((row, len))
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
    let tool = matches!(before, "with" | "using" | "ran" | "via" | "running");
    RUNNERS
        .iter()
        .filter(|row| row.prose == Named || (row.prose == Capital && (capital || tool)))
        .filter_map(|row| {
            let len = row.words.split(' ').count();
            let there = tokens.get(i..i + len)?;
            let word = |(token, word): (&Token, &str)| {
                token.low.eq_ignore_ascii_case(word) && matches!(token.tok, Tok::Word | Tok::Ident)
            };
            there.iter().zip(row.words.split(' ')).all(word).then_some((row, len))
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
