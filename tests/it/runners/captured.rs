//! Recorded outputs: each row of the index gives the outcome that is right for it.

use deeds::records::outcome::{Basis, Executed, Outcome};
use deeds::records::runners::Check;

use super::{Invocation_, bare, check_of, fixtures, index, judge_as, one};

#[test]
fn every_recorded_output_gives_the_right_outcome() {
    let fixtures = fixtures();
    assert_eq!(index("index.jsonl").len(), 80);
    assert_eq!(index("more.jsonl").len(), 78);
    let mut wrong = Vec::new();
    for row in &fixtures {
        let check = check_of(&row.check);
        let invocation =
            if row.file == "cargo-test/piped.txt" { bare("cargo test").tailed() } else { bare(&row.command) };
        let recognised = one(&invocation, check);
        if recognised.runner != row.runner {
            wrong.push(format!("{}: runner {}", row.file, recognised.runner));
        }
        let judged = judge_as(&invocation, check, row.exit, &row.output);
        if judged.outcome.as_str() != row.outcome {
            wrong.push(format!("{}: {judged:?}", row.file));
        }
        if judged.outcome == Outcome::Confirmed && judged.basis != Some(Basis::Exit) {
            wrong.push(format!("{}: basis {:?}", row.file, judged.basis));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn where_nothing_ran_nothing_was_executed() {
    // Here something ran, and what that proves is open.
    const RAN: &[&str] = &["pytest/coverage.txt", "tox/other-failed.txt", "npm/no-test.txt"];
    for row in fixtures() {
        if row.outcome != "unknown" || row.check != "tests" || RAN.contains(&row.file.as_str()) {
            continue;
        }
        let judged = judge_as(&bare(&row.command), Check::Tests, row.exit, &row.output);
        assert_eq!(judged.executed, Executed::Nothing, "{}: {judged:?}", row.file);
    }
}

#[test]
fn counts_and_names_are_the_runners_own() {
    let expected: &[(&str, u64, u64, &[&str])] = &[
        ("cargo-test/fail.txt", 1, 1, &["tests::bad"]),
        ("cargo-test/pass.txt", 1, 0, &[]),
        ("nextest/fail.txt", 1, 1, &["failx tests::bad"]),
        ("pytest/fail.txt", 1, 1, &["test_x.py::test_b"]),
        ("unittest/fail.txt", 1, 1, &["test_e", "test_b"]),
        ("jest/fail.txt", 1, 1, &["b"]),
        ("vitest/fail.txt", 1, 1, &["a.test.js > b"]),
        ("mocha/fail.txt", 1, 1, &["b"]),
        ("mocha/pass.txt", 2, 0, &[]),
        ("node-test/fail.txt", 1, 1, &["b"]),
        ("ava/fail.txt", 0, 1, &["b Test failed via `t.fail()`"]),
        ("bun/fail.txt", 1, 1, &["b"]),
        ("deno/fail.txt", 1, 1, &["b"]),
        ("playwright/fail.txt", 1, 1, &["a.spec.js:1:83 › b"]),
        ("bats/fail-tap.txt", 1, 1, &["b"]),
        ("ctest/fail.txt", 1, 1, &["b"]),
        ("go-test/fail-v.txt", 2, 1, &["TestBad", "TestBad/sub"]),
        ("rspec/fail.txt", 1, 1, &["./spec/a_spec.rb:3"]),
        ("minitest/fail.txt", 1, 1, &["BTest#test_d", "BTest#test_b"]),
        ("phpunit/fail.txt", 2, 1, &["ATest::testD", "ATest::testB"]),
        ("django/fail.txt", 1, 1, &["test_b"]),
        ("npm/test-fail.txt", 0, 1, &["b Test failed via `t.fail()`"]),
    ];
    let fixtures = fixtures();
    for (file, passed, failed, names) in expected {
        let row = fixtures.iter().find(|f| f.file == *file).unwrap();
        let judged = judge_as(&bare(&row.command), check_of(&row.check), row.exit, &row.output);
        let counts = judged.counts.unwrap();
        assert_eq!((counts.passed, counts.failed), (Some(*passed), Some(*failed)), "{file}: {judged:?}");
        assert_eq!(judged.failing, *names, "{file}");
    }
}

#[test]
fn a_compile_or_collection_error_names_no_counts_of_its_own() {
    let fixtures = fixtures();
    let row = fixtures.iter().find(|f| f.file == "cargo-test/compile-error.txt").unwrap();
    let judged = judge_as(&bare(&row.command), check_of(&row.check), row.exit, &row.output);
    assert_eq!((judged.outcome, judged.executed, judged.counts), (Outcome::Refuted, Executed::Some, None));
}
