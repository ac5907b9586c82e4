//! Input made to break it, and input that is merely plentiful.

use std::fs;
use std::path::Path;

use deeds::records::command::read;
use deeds::records::invocation::Reading;

use super::Random;

/// Pieces that nest, or that the parser takes long for.
const UNITS: &[&str] = &[
    "a|",
    "a=(",
    "((((",
    "(",
    "\"",
    "'",
    "'\"",
    "`",
    "$(",
    "$((",
    "${",
    "a\n",
    "a;",
    "a&&b ",
    "a b ",
    "{ ",
    "<(",
    "[[ ",
    "[ ",
    "if a;then ",
    "case x in a) ",
    "\\",
    "$",
    "a=b ",
    "${x:-",
    "! ",
    "a<b ",
    "a>b|",
    "f(){ ",
    "a&",
    "while a;do ",
    "[[ a =~ (",
    "{1..",
    "a[",
    "[a]",
    "a[b]=",
    "x=$(",
    "\"$(",
    "<<<a ",
    "a 2>&1|",
    "#",
    "~",
    "é",
    "$'",
    "\t",
    "a+=(",
    "=",
    "((a+",
    "x=${a/",
    "a||b|c&&",
    "<<A\n",
    "cat <<A;",
    "<<'A'\nx\nA\n",
    "bash -c '",
    "eval \"",
    "a\\\n",
    "\r",
    "\0",
    ";;",
    "f() { f; };f;",
    "trap 'a' EXIT;",
    "set -e;",
    "x=$?;",
    "a & wait $!;",
    "for i in a;do ",
    "for((;;)){ ",
    "tee a|",
    ">a ",
    "time ",
    "env ",
    "timeout 1 ",
    "find -exec ",
    "exec ",
    "}",
    ") ",
    "done ",
    "fi ",
    "esac ",
    "a){",
    "$[",
    "&>",
    "|&",
    "@(a|",
    "function ",
];

const SIGNS: &[&str] = &[
    " ", "\t", "\n", ";", "&", "|", "(", ")", "<", ">", "{", "}", "[", "]", "'", "\"", "`", "$", "\\", "!", "#", "*",
    "?", "=", "~", "-", "a", "F", "0", "é",
];

#[test]
fn pieces_repeated_to_64_kilobytes_are_turned_away() {
    let cannot = ["a|", "a=(", "((((", "\"", "'", "$(", "`", "${", "bash -c '", "cat <<A;", "a;", "[[ ", "f(){ "];
    for unit in UNITS {
        let reading = read(&unit.repeat(64 * 1024 / unit.len()));
        if cannot.contains(unit) {
            assert!(matches!(reading, Reading::CannotTell(_)), "{unit:?}");
        }
    }
}

#[test]
fn quotes_nested_in_quotes_end_somewhere() {
    let mut line = "F".to_owned();
    for _ in 0..12 {
        line = format!("bash -c '{}'", line.replace('\'', "'\\''"));
        read(&line);
    }
    let mut line = "F".to_owned();
    for _ in 0..200 {
        line = format!("$({line})");
    }
    assert!(matches!(read(&line), Reading::CannotTell(_)));
    assert!(matches!(read("f() { f; f; }; f"), Reading::CannotTell(_)));
    assert!(matches!(
        read("a() { b; b; b; }; b() { c; c; c; }; c() { d; d; d; }; d() { e; e; e; }; e() { F; F; F; }; a; a"),
        Reading::CannotTell(_)
    ));
    assert!(matches!(read(&"eval ".repeat(100)), Reading::Script(_) | Reading::CannotTell(_)));
}

#[test]
fn random_pieces_and_bytes_do_no_harm() {
    let mut random = Random::new(7);
    for round in 0..3000 {
        let length = 1 + random.below(if round % 100 == 0 { 400 } else { 12 });
        let line: String = (0..length).map(|_| random.pick(UNITS)).collect();
        read(&line);
    }
    for _ in 0..3000 {
        let length = random.below(40);
        let line: String = (0..length).map(|_| random.pick(SIGNS)).collect();
        read(&line);
        let bytes: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
        read(&String::from_utf8_lossy(&bytes));
    }
}

fn honest() -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/commands/honest.jsonl");
    let lines = fs::read_to_string(file).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn mutated_honest_commands_do_no_harm() {
    let honest = honest();
    let mut random = Random::new(11);
    for _ in 0..4000 {
        let mut line: Vec<char> = honest[random.below(honest.len())].chars().collect();
        for _ in 0..1 + random.below(4) {
            let at = random.below(line.len() + 1);
            match random.below(4) {
                0 => line.truncate(at),
                1 if at < line.len() => drop(line.remove(at)),
                2 => line.splice(at..at, random.pick(UNITS).chars()).for_each(drop),
                _ => line.extend(honest[random.below(honest.len())].chars()),
            }
        }
        read(&line.into_iter().collect::<String>());
    }
}

/// Names that, as a program, mean a test run; a few of them only with such a first argument.
const RUNNERS: &[&str] = &[
    "pytest",
    "jest",
    "vitest",
    "mocha",
    "unittest",
    "nextest",
    "rspec",
    "phpunit",
    "tox",
    "nox",
    "bats",
    "ava",
    "ctest",
    "playwright",
];

#[test]
fn of_500_honest_commands_none_runs_a_test() {
    let honest = honest();
    assert!(honest.len() >= 500);
    for line in &honest {
        let Reading::Script(all) = read(line) else { panic!("not understood: {line}") };
        for invocation in &all {
            let first = invocation.args.first().map_or("", |arg| arg.text.as_str());
            let runner = RUNNERS.contains(&invocation.program.as_str()) && first != "install";
            let tests =
                ["cargo", "go", "npm", "yarn", "pnpm", "bun", "deno", "node", "dotnet", "swift", "mix", "make", "just"]
                    .contains(&invocation.program.as_str())
                    && ["test", "t", "nextest", "--test"].contains(&first);
            assert!(!runner && !tests, "{line}: {}", invocation.text);
        }
    }
}
