//! The table of commands that check or build something. A new runner is one row.

use super::Kind;

/// A command: its first words, what it checks, its name in a claim, and whether those words mean it in plain prose too.
pub struct Runner {
    pub words: &'static str,
    pub kind: Kind,
    pub name: Option<&'static str>,
    pub prose: Prose,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prose {
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
pub const RUNNERS: &[Runner] = &[
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

/// The words of the longest row without a runner's name that stand in a text.
pub fn unnamed_tool(text: &str, kind: Kind) -> Option<&'static str> {
    let text = text.to_lowercase();
    let part_of_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let stands = |words: &str| {
        text.match_indices(words).any(|(at, _)| {
            !text[..at].ends_with(part_of_word) && !text[at + words.len()..].starts_with(part_of_word)
        })
    };
    let unnamed = RUNNERS.iter().filter(|row| row.name.is_none() && row.kind == kind && stands(row.words));
    unnamed.map(|row| row.words).max_by_key(|words| words.len())
}

#[cfg(test)]
mod tests {
    use super::super::runner::command;
    use super::*;

    #[test]
    fn every_row_is_read_as_itself() {
        for row in RUNNERS {
            let uses = command(row.words).unwrap_or_default();
            assert_eq!(uses.first().map(|only| (only.kind, only.runner)), Some((row.kind, row.name)), "{}", row.words);
        }
    }
}
