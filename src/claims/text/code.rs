//! What a chunk of text or a piece of inline code is: a number, a path, a hash, a result, words, or just a name.

use super::token::{Tok, Token};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    AsCode,
    Plainly,
}

/// Endings by which a name without a directory is a file's.
#[rustfmt::skip]
const ENDINGS: &[&str] = &[
    "adoc", "astro", "bash", "bat", "bats", "bazel", "c", "cc", "cfg", "cjs", "clj", "cmake", "conf", "cpp", "cs",
    "css", "csv", "cts", "cxx", "dart", "ebnf", "el", "elm", "erb", "erl", "ex", "exs", "fs", "fsx", "gd", "go",
    "gql", "gradle", "graphql", "groovy", "h", "haml", "hbs", "hcl", "hpp", "hs", "htm", "html", "hxx", "ini",
    "ipynb", "java", "jl", "js", "json", "json5", "jsonc", "jsonl", "jsx", "kt", "kts", "less", "lock", "log", "lua",
    "m", "md", "mdx", "mjs", "mk", "ml", "mli", "mod", "mts", "nim", "nix", "org", "patch", "php", "pl", "plist",
    "png", "po", "prisma", "properties", "proto", "ps1", "pug", "py", "pyi", "pyx", "r", "rake", "rb", "rs", "rst",
    "sass", "scala", "scss", "sh", "snap", "sol", "sql", "sum", "svelte", "svg", "swift", "tex", "tf", "tfvars",
    "toml", "ts", "tsv", "tsx", "txt", "v", "vue", "xml", "xsd", "yaml", "yml", "zig", "zsh",
];

/// Files that are known by their whole name.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "AUTHORS", "BUILD", "CHANGELOG", "CODEOWNERS", "CONTRIBUTING", "Containerfile", "Dockerfile", "Gemfile",
    "Jenkinsfile", "Justfile", "LICENSE", "Makefile", "NOTICE", "Procfile", "README", "Rakefile", "Vagrantfile",
    "justfile",
];

/// Products whose names end like a file's.
#[rustfmt::skip]
const PRODUCTS: &[&str] = &[
    "alpine.js", "asp.net", "backbone.js", "chart.js", "d3.js", "deno.js", "discord.js", "ember.js", "express.js",
    "moment.js", "nest.js", "next.js", "node.js", "nuxt.js", "p5.js", "react.js", "socket.io", "three.js", "vue.js",
];

/// Whether the text names a file or, with a slash at its end, a directory.
pub fn is_path(text: &str, written: Written) -> bool {
    let text = strip_line(text);
    let odd = |c: char| {
        c.is_whitespace()
            || matches!(c, '(' | ')' | '*' | '=' | '<' | '>' | '|' | '"' | '\'' | ',' | ';' | '?' | '{' | '}')
    };
    if text.is_empty() || text.len() > 300 || text.contains(odd) || text.contains("://") || text.contains("::") {
        return false;
    }
    let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
    if NAMES.contains(&name) {
        return written == Written::AsCode || name != "BUILD" && name != "NOTICE" && name != "README";
    }
    let hidden = name
        .strip_prefix('.')
        .is_some_and(|rest| rest.len() >= 2 && rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    if hidden && !text.starts_with("..") && (written == Written::AsCode || name.len() > 4) {
        return true;
    }
    let slashed = text.contains('/');
    if slashed && name.is_empty() {
        return text.len() > 2 && !text.starts_with("//") && !text.starts_with('#');
    }
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let plain = !ending.is_empty() && ending.len() <= 8 && ending.chars().all(|c| c.is_ascii_alphanumeric());
    if stem.is_empty() || !plain || ending.chars().all(|c| c.is_ascii_digit()) {
        return false;
    }
    if slashed && !text.starts_with('@') {
        return true;
    }
    if text == "docs.rs" {
        return false;
    }
    let lower = ending.to_ascii_lowercase();
    let known = ENDINGS.binary_search(&lower.as_str()).is_ok();
    known && (written == Written::AsCode || !PRODUCTS.contains(&text.to_ascii_lowercase().as_str()))
}

/// The path without a trailing line number: `src/a.rs:42`, `src/a.rs#L10-L20`.
pub fn strip_line(text: &str) -> &str {
    let text = text.split_once("#L").map_or(text, |(path, _)| path);
    let mut path = text;
    while let Some((head, tail)) = path.rsplit_once(':') {
        let digits = !tail.is_empty() && tail.chars().all(|c| c.is_ascii_digit() || c == '-');
        if !digits || head.is_empty() {
            break;
        }
        path = head;
    }
    path
}

/// A commit's hash, short or whole: with a letter and a digit, so that neither a word nor a number is one.
pub fn is_hash(text: &str) -> bool {
    (7..=64).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        && text.bytes().any(|b| b.is_ascii_digit())
        && text.bytes().any(|b| b.is_ascii_alphabetic())
}

#[rustfmt::skip]
const RESULT_WORDS: &[&str] = &[
    "0", "all", "and", "clean", "code", "deselected", "error", "errors", "exit", "exited", "fail", "failed",
    "failing", "failure", "failures", "filtered", "finished", "found", "green", "ignored", "in", "issues",
    "measured", "no", "of", "ok", "out", "pass", "passed", "passes", "passing", "problems", "result", "skipped",
    "suites", "test", "tests", "total", "warning", "warnings", "with", "xfailed", "xpassed",
];

/// Inline code that is a runner's own summary is read as prose.
pub fn is_result(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).peekable();
    let mut telling = false;
    let number = |w: &str| w.bytes().next().is_some_and(|b| b.is_ascii_digit());
    // `'test:fail'` is the name of an event.
    let event = !text.contains(' ') && text.split_once(':').is_some_and(|(name, _)| !name.is_empty());
    words.peek().is_some()
        && text.len() < 200
        && !event
        && !text.contains(['_', '\''])
        && words.all(|word| {
            let low = word.to_ascii_lowercase();
            telling |= number(word)
                || matches!(low.as_str(), "ok" | "pass" | "passed" | "fail" | "failed" | "no" | "clean" | "green");
            number(word) && word.len() < 7 || RESULT_WORDS.contains(&low.as_str())
        })
        && telling
}

/// The length of an abbreviation with dots at the start of the text.
pub fn abbreviation(text: &str) -> Option<usize> {
    const WITH_DOT: &[&str] =
        &["e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "incl.", "resp.", "no.", "fig.", "a.m.", "p.m."];
    let low = text.to_ascii_lowercase();
    WITH_DOT.iter().find(|abbr| low == **abbr && **abbr != "no." && **abbr != "etc.").map(|abbr| abbr.len())
}

/// `4,966` is one number; `a,b` is not.
pub fn grouped_number(text: &str) -> bool {
    let text = text.trim_end_matches(['.', ',', ':']);
    let mut groups = text.split(',');
    let first = groups.next().unwrap_or_default();
    let digits = |g: &str| g.bytes().all(|b| b.is_ascii_digit());
    (1..=3).contains(&first.len()) && digits(first) && groups.all(|g| g.len() == 3 && digits(g)) && text.contains(',')
}

fn number(text: &str) -> Option<u64> {
    let text = text.strip_suffix('+').unwrap_or(text);
    let grouped = grouped_number(text);
    if text.is_empty()
        || !text.bytes().all(|b| b.is_ascii_digit() || (b == b',' && grouped) || b == b'_')
        || text.starts_with('_')
    {
        return None;
    }
    text.replace([',', '_'], "").parse().ok()
}

fn ratio(text: &str) -> Option<(u64, u64)> {
    let (left, right) = text.split_once('/')?;
    Some((number(left)?, number(right)?))
}

#[rustfmt::skip]
const NUMBER_WORDS: &[&str] = &[
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
];

#[rustfmt::skip]
const TENS: &[&str] = &[
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];

fn number_word(low: &str) -> Option<u64> {
    if let Some(n) = NUMBER_WORDS.iter().position(|word| *word == low) {
        return Some(n as u64);
    }
    let (tens, units) = low.split_once('-').unwrap_or((low, "zero"));
    let tens = TENS.iter().position(|word| *word == tens)? as u64;
    let units = NUMBER_WORDS.iter().position(|word| *word == units)? as u64;
    (units < 10).then_some((tens + 2) * 10 + units)
}

/// Contractions: the ending, and the words that both halves stand for (none: the first half as it is).
const CONTRACTIONS: &[(&str, &str)] =
    &[("n't", "not"), ("'ve", "have"), ("'re", "are"), ("'ll", "will"), ("'d", "would"), ("'m", "am")];

/// Pushes the tokens of a chunk that has no space in it and stands at byte `at`.
pub fn classify(text: &str, at: usize, out: &mut Vec<Token>) {
    let mut push = |tok: Tok, low: String, range: std::ops::Range<usize>| {
        out.push(Token { tok, low, start: at + range.start, end: at + range.end });
    };
    let len = text.len();
    if let Some(n) = number(text) {
        return push(Tok::Number(n), n.to_string(), 0..len);
    }
    if let Some((k, n)) = ratio(text) {
        return push(Tok::Ratio(k, n), text.to_owned(), 0..len);
    }
    if text.contains("://") || text.starts_with("www.") {
        return push(Tok::Opaque, text.to_owned(), 0..len);
    }
    let path = strip_line(text);
    if is_path(path, Written::Plainly) {
        return push(Tok::Path, text.to_owned(), 0..len);
    }
    if is_hash(text) {
        return push(Tok::Hash, text.to_owned(), 0..len);
    }
    let parts: Vec<&str> = text.split(['/', ':', '+', '&']).collect();
    let wordy = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if parts.len() > 1
        && parts.len() < 9
        && parts.iter().all(wordy)
        && parts.iter().all(|part| JOINED.contains(&part.to_ascii_lowercase().as_str()) || number(part).is_some())
    {
        let mut from = 0;
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                let sign = text[from..].chars().next().unwrap_or('/');
                push(Tok::Punct(sign), sign.to_string(), from..from + 1);
                from += 1;
            }
            match number(part) {
                Some(n) => push(Tok::Number(n), n.to_string(), from..from + part.len()),
                None => push(Tok::Word, part.to_ascii_lowercase(), from..from + part.len()),
            }
            from += part.len();
        }
        return;
    }
    let low = text.to_lowercase().replace('’', "'");
    if low.chars().any(|c| matches!(c, '/' | '_' | ':' | '.' | '@' | '=' | '\\' | '$' | '~' | '%' | '#'))
        || text.starts_with('-')
    {
        let dotted_word = abbreviation(text).is_some();
        return push(
            if dotted_word { Tok::Word } else { Tok::Ident },
            if dotted_word { low } else { text.to_owned() },
            0..len,
        );
    }
    if low.bytes().next().is_some_and(|b| b.is_ascii_digit()) {
        return push(Tok::Ident, text.to_owned(), 0..len);
    }
    if let Some(n) = number_word(&low) {
        return push(Tok::Number(n), n.to_string(), 0..len);
    }
    // Ranges are of the text as written: a typographic apostrophe is three bytes long.
    let apostrophe = text.find(['\'', '’']);
    let written = |ending: &str| if text.contains('’') { ending.len() + 2 } else { ending.len() };
    match low.as_str() {
        "cannot" => {
            push(Tok::Word, "can".into(), 0..3);
            return push(Tok::Word, "not".into(), 3..len);
        }
        "can't" | "won't" | "shan't" | "ain't" => {
            let first = match &low[..2] {
                "ca" => "can",
                "wo" => "will",
                "sh" => "shall",
                _ => "is",
            };
            push(Tok::Word, first.into(), 0..2);
            return push(Tok::Word, "not".into(), 2..len);
        }
        "it's" | "that's" | "there's" | "here's" | "what's" | "who's" | "everything's" | "nothing's" | "let's" => {
            let cut = apostrophe.unwrap_or(len);
            push(Tok::Word, low[..low.find('\'').unwrap_or(low.len())].to_owned(), 0..cut);
            let second = if low == "let's" { "us" } else { "is" };
            return push(Tok::Word, second.into(), cut..len);
        }
        _ => {}
    }
    for (ending, second) in CONTRACTIONS {
        if let Some(first) = low.strip_suffix(ending).filter(|first| !first.is_empty()) {
            let cut = len.saturating_sub(written(ending));
            if text.is_char_boundary(cut) {
                push(Tok::Word, first.to_owned(), 0..cut);
                return push(Tok::Word, (*second).to_owned(), cut..len);
            }
        }
    }
    push(Tok::Word, low, 0..len);
}

/// Words that agents join with a stroke and that are no path: `lint/types/tests`, `pass/fail`.
#[rustfmt::skip]
const JOINED: &[&str] = &[
    "and", "build", "builds", "check", "clean", "clippy", "e2e", "eslint", "fail", "failed", "failing", "fmt",
    "format", "formatting", "integration", "lint", "lints", "mypy", "ok", "or", "pass", "passed", "passing",
    "prettier", "pytest", "ruff", "suite", "test", "tests", "total", "tsc", "typecheck", "types", "unit",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        assert!(ENDINGS.is_sorted());
    }

    #[test]
    fn a_path_has_a_directory_or_a_known_ending() {
        for path in
            ["src/a.rs", "README.md", ".gitignore", "Makefile", "docs/", "./x.py", "a/b/c.test.ts", "src/a.rs:42"]
        {
            assert!(is_path(path, Written::AsCode), "{path}");
        }
        for other in
            ["feature/labels", "origin/main", "self.state", "v1.2.3", "a::b", "npm run x", "*.md", "3.11", "@scope/pkg"]
        {
            assert!(!is_path(other, Written::AsCode), "{other}");
        }
        assert!(!is_path("Node.js", Written::Plainly));
    }

    #[test]
    fn a_hash_is_neither_a_word_nor_a_number() {
        assert!(is_hash("a1f09be") && !is_hash("defaced") && !is_hash("1234567") && !is_hash("a1f0"));
    }

    #[test]
    fn a_summary_in_code_is_prose() {
        assert!(
            is_result("57 passed, 3 skipped")
                && is_result("test result: ok. 96 passed; 0 failed")
                && is_result("0 errors")
        );
        assert!(
            !is_result("test") && !is_result("Build succeeded, 0 errors") && !is_result("test_ok") && !is_result("")
        );
    }

    #[test]
    fn number_words_count() {
        assert_eq!(["two", "twenty", "forty-two", "tent"].map(number_word), [Some(2), Some(20), Some(42), None]);
    }
}
