//! The tool that a claim names in plain words, where the words give the claim no runner: "rubocop passes", "`yarn test` is
//! green". What another tool came to neither shows such a claim nor contradicts it.

use super::text::{Kind, unnamed_tool};

/// The recorded runner's name, or the tool's own where its runs are not read; `None` where the words name none.
pub fn of(span: &str, kind: Kind) -> Option<&'static str> {
    let words = unnamed_tool(span, kind)?;
    Some(match words {
        "rails test" | "rake test" => "minitest",
        "gradle test" | "gradlew test" | "gradle build" | "gradlew build" => "gradle",
        "mvn test" | "mvn verify" => "maven",
        "go vet" => "go-vet",
        "go build" => "go-build",
        "swift test" => "swift-test",
        "swift build" => "swift-build",
        "basedpyright" => "pyright",
        "bun test" => "bun",
        "bun run test" | "bun run build" | "bun run lint" | "bun run typecheck" => "bun-run",
        words => words.split(' ').next().unwrap_or(words),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_known_by_its_words() {
        assert_eq!(of("Rubocop is clean", Kind::Lint), Some("rubocop"));
        assert_eq!(of("`yarn test` passes", Kind::Tests), Some("yarn"));
        assert_eq!(of("golangci-lint passes", Kind::Lint), Some("golangci-lint"));
        assert_eq!(of("rails test passes", Kind::Tests), Some("minitest"));
        for (words, kind) in
            [("lint is clean", Kind::Lint), ("All tests pass", Kind::Tests), ("my-pylint-x passes", Kind::Lint)]
        {
            assert_eq!(of(words, kind), None, "{words}");
        }
    }
}
