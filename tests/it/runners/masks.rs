//! The recorded outputs behind shell constructs, read by the shell's parser: a masked status is not the end of it, and no
//! construct makes a pass of a failure or a failure of nothing.

use deeds::records::command::read;
use deeds::records::invocation::{Invocation, Reading};
use deeds::records::outcome::{Basis, Outcome, Seen, judge_run};
use deeds::records::runners::{Check, Recognised, Scope, recognise};

use super::{check_of, fixtures};

/// What a line's invocations come to as one check.
fn judged(line: &str, check: Check, exit: Option<i64>, output: &str) -> (Outcome, Option<Basis>, String) {
    let Reading::Script(invocations) = read(line) else { panic!("cannot read {line}") };
    let found: Vec<(&Invocation, Recognised)> = invocations
        .iter()
        .flat_map(|i| recognise(i).into_iter().map(move |r| (i, r)))
        .filter(|(_, r)| r.check == check)
        .collect();
    let [(invocation, recognised)] = found.as_slice() else { panic!("{line}: {found:?}") };
    let seen = Seen {
        recognised,
        invocation,
        line: &invocations,
        reported_exit: exit,
        exit_reason: None,
        output,
        output_cut: false,
    };
    let judged = judge_run(&seen);
    (judged.outcome, judged.basis, format!("{judged:?}"))
}

fn last_lines(output: &str, n: usize) -> String {
    let lines: Vec<&str> = output.lines().collect();
    lines[lines.len().saturating_sub(n)..].join("\n")
}

/// Silent when clean: without the real status they prove nothing.
const SILENT: &[&str] = &[
    "eslint/good.txt",
    "tsc/good.txt",
    "cargo-fmt/pass.txt",
    "make/pass.txt",
    "npm/build.txt",
    "go-vet/pass.txt",
    "go-build/pass.txt",
    "gofmt/pass.txt",
    "isort/pass.txt",
    "flake8/pass.txt",
    "stylelint/pass.txt",
];
/// Every test passed, and only the status says that something else was wanting.
const ONLY_THE_STATUS: &str = "pytest/coverage.txt";
/// What it failed with stands only at the beginning.
const FAILS_EARLY: &[&str] = &["cargo-fmt/fail.txt"];

#[test]
fn ten_shell_forms_of_every_recorded_output() {
    let mut wrong = Vec::new();
    for row in fixtures() {
        let check = check_of(&row.check);
        let bare = row.command.split(" 2>&1").next().unwrap();
        let file = row.file.as_str();
        let right = match row.outcome.as_str() {
            "confirmed" => Outcome::Confirmed,
            "refuted" => Outcome::Refuted,
            _ => Outcome::Unknown,
        };
        let exit = if file == "cargo-test/piped.txt" { 101 } else { row.exit };
        let masked = match file {
            _ if SILENT.contains(&file) => Outcome::Unknown,
            ONLY_THE_STATUS => Outcome::Confirmed,
            _ => right,
        };
        let tailed = if FAILS_EARLY.contains(&file) { Outcome::Unknown } else { masked };
        let forms: [(String, i64, String, Outcome); 10] = [
            (bare.to_owned(), exit, row.output.clone(), right),
            (format!("cd x && {bare}"), exit, row.output.clone(), right),
            (format!("timeout 60 {bare}"), exit, row.output.clone(), right),
            (format!("bash -lc '{bare}'"), exit, row.output.clone(), right),
            (format!("{bare} 2>&1 | tee log"), 0, row.output.clone(), masked),
            (format!("{bare} 2>&1 | tail -20"), 0, last_lines(&row.output, 20), tailed),
            (format!("{bare} || true"), 0, row.output.clone(), masked),
            (format!("{bare}; echo done"), 0, format!("{}\ndone\n", row.output), masked),
            (format!("{bare} &"), 0, String::new(), Outcome::Unknown),
            (format!("set -o pipefail; {bare} 2>&1 | tail"), exit, last_lines(&row.output, 10), right),
        ];
        for (line, exit, output, expected) in forms {
            let (outcome, basis, all) = judged(&line, check, Some(exit), &output);
            if outcome != expected {
                wrong.push(format!("{file}: {line}: expected {expected:?}\n    {all}"));
            }
            if outcome == Outcome::Confirmed && basis == Some(Basis::Exit) && line.contains("|| true") {
                wrong.push(format!("{file}: {line}: the status is not its own"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_end_of_an_output_proves_a_pass_only_where_it_speaks_for_the_whole() {
    let fixtures = fixtures();
    for (file, outcome) in [
        ("pytest/pass.txt", Outcome::Confirmed),
        ("cargo-test/piped.txt", Outcome::Refuted),
        ("clippy/pass.txt", Outcome::Unknown),
        ("bats/pass.txt", Outcome::Unknown),
        ("go-test/pass.txt", Outcome::Unknown),
        ("go-test/fail.txt", Outcome::Refuted),
    ] {
        let row = fixtures.iter().find(|f| f.file == file).unwrap();
        let command = row.command.split(" 2>&1").next().unwrap();
        // One line, and perhaps there were more.
        let line = format!("{command} 2>&1 | tail -1");
        let last = last_lines(row.output.trim_end(), 1);
        assert_eq!(
            judged(&line, check_of(&row.check), Some(0), &last).0,
            if file == "cargo-test/piped.txt" { Outcome::Unknown } else { outcome },
            "{file}"
        );
    }
}

#[test]
fn constructs_that_can_change_or_drop_lines_prove_nothing() {
    let fixtures = fixtures();
    for file in ["cargo-test/pass.txt", "cargo-test/fail.txt", "pytest/fail.txt", "jest/pass.txt"] {
        let row = fixtures.iter().find(|f| f.file == file).unwrap();
        for after in [
            "| grep -E 'passed|failed'",
            "| sed s/a/b/",
            "| awk '{print}'",
            "| head -50",
            "| wc -l",
            "> log",
            "> /dev/null",
        ] {
            let line = format!("{} 2>&1 {after}", row.command).replace("2>&1 >", "&>");
            let (outcome, _, all) = judged(&line, Check::Tests, Some(0), &row.output);
            let own = after.starts_with('>') && row.outcome == "confirmed";
            // `> log` leaves the status its own, but no total is in view.
            assert!(outcome == Outcome::Unknown || own, "{line}: {all}");
            assert_ne!(outcome, Outcome::Refuted, "{line}: {all}");
        }
    }
}

#[test]
fn no_fail_fast_needs_the_whole_output() {
    let tail = "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
    let (outcome, ..) = judged("cargo test 2>&1 | tail -3", Check::Tests, Some(0), tail);
    assert_eq!(outcome, Outcome::Confirmed);
    let (outcome, ..) = judged("cargo test --no-fail-fast 2>&1 | tail -3", Check::Tests, Some(0), tail);
    assert_eq!(outcome, Outcome::Unknown, "an earlier target may have failed");
    let later = format!("{}{tail}", tail.replace("ok. 2 passed; 0 failed", "FAILED. 1 passed; 1 failed"));
    let (outcome, ..) = judged("cargo test --no-fail-fast || true", Check::Tests, Some(0), &later);
    assert_eq!(outcome, Outcome::Refuted, "a later ok never hides it");
}

#[test]
fn a_tail_of_doc_tests_is_not_nothing() {
    let tail = "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n";
    let (outcome, _, all) = judged("cargo test 2>&1 | tail -5", Check::Tests, Some(0), tail);
    assert_eq!(outcome, Outcome::Unknown, "{all}");
    assert!(all.contains("executed: CannotTell"), "{all}");
    let (outcome, _, all) = judged("set -o pipefail; cargo test 2>&1 | tail -5", Check::Tests, Some(0), tail);
    assert_eq!(outcome, Outcome::Unknown, "{all}");
    assert!(all.contains("executed: CannotTell"), "{all}");
}

#[test]
fn a_line_of_several_checks_judges_each() {
    let line = "cargo fmt --check && cargo clippy --all-targets -- -D warnings && cargo test";
    let output = "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.16s\n    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.36s\n     Running unittests src/lib.rs (target/debug/deps/demo-1)\n\nrunning 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n";
    for check in [Check::Format, Check::Lint, Check::Tests] {
        let (outcome, basis, all) = judged(line, check, Some(0), output);
        assert_eq!((outcome, basis), (Outcome::Confirmed, Some(Basis::Exit)), "{all}");
    }
    let failed = output.replace("ok. 1 passed; 0 failed", "FAILED. 0 passed; 1 failed")
        + "error: test failed, to rerun pass `--lib`\n";
    assert_eq!(judged(line, Check::Tests, Some(101), &failed).0, Outcome::Refuted);
    assert_eq!(judged(line, Check::Format, Some(101), &failed).0, Outcome::Unknown, "the status is another's");
    let jest = "Test Suites: 1 failed, 1 total\nTests:       1 failed, 1 passed, 2 total\n";
    assert_eq!(judged("npm run lint && npx jest", Check::Tests, Some(1), jest).0, Outcome::Refuted);
}

#[test]
fn banners_name_the_real_command() {
    let jest = "\n> demo@1.0.0 test\n> jest --ci\n\nPASS ./a.test.js\n\nTest Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\n";
    let (outcome, basis, all) = judged("npm test", Check::Tests, Some(0), jest);
    assert_eq!((outcome, basis), (Outcome::Confirmed, Some(Basis::Exit)));
    assert!(all.contains("inner: Some(\"jest\")"), "{all}");
    let masked = jest.replace("jest --ci", "jest --ci || true").replace("2 passed, 2", "1 failed, 1 passed, 2");
    assert_eq!(judged("npm test", Check::Tests, Some(0), &masked).0, Outcome::Refuted, "the script masks jest");
    let lint = "\n> demo@1.0.0 lint /home/dev/demo\n> eslint . --max-warnings 0\n\n";
    assert_eq!(judged("pnpm lint", Check::Lint, Some(0), lint).0, Outcome::Confirmed);
    let warned = "\n> demo@1.0.0 lint\n> eslint .\n\n/home/dev/demo/a.js\n  1:5  warning  x  no-x\n\n✖ 1 problem (0 errors, 1 warning)\n";
    assert_eq!(judged("npm run lint", Check::Lint, Some(0), warned).0, Outcome::Refuted, "not clean");
    let yarn = "yarn run v1.22.19\n$ tsc --noEmit\nDone in 1.23s.\n";
    assert_eq!(judged("yarn typecheck", Check::Typecheck, Some(0), yarn).0, Outcome::Confirmed);
    let failed = "yarn run v1.22.19\n$ jest\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 1 total\nerror Command failed with exit code 1.\n";
    assert_eq!(judged("yarn test", Check::Tests, Some(1), failed).0, Outcome::Refuted);
    let nested = "\n> demo@1.0.0 test\n> npm run test:unit\n\n\n> demo@1.0.0 test:unit\n> vitest run\n\n Test Files  1 passed (1)\n      Tests  2 passed (2)\n";
    assert_eq!(judged("npm test", Check::Tests, Some(0), nested).0, Outcome::Confirmed);
    let watch = "\n> demo@1.0.0 test\n> jest --watch\n\n";
    assert_eq!(judged("npm test", Check::Tests, Some(0), watch).0, Outcome::Unknown);
    let none = "\n> demo@1.0.0 test\n> echo \"Error: no test specified\" && exit 1\n\nError: no test specified\n";
    assert_eq!(judged("npm test", Check::Tests, Some(1), none).0, Outcome::Unknown);
    let build = "\n> demo@1.0.0 build\n> tsc -p .\n\na.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.\n";
    assert_eq!(judged("npm run build", Check::Build, Some(2), build).0, Outcome::Refuted);
    assert_eq!(judged("npm run build || true", Check::Build, Some(0), build).0, Outcome::Unknown);
}

#[test]
fn honest_commands_that_are_no_checks_give_none() {
    let dir = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/commands/honest.jsonl");
    let text = std::fs::read_to_string(dir).unwrap();
    let mut wrong = Vec::new();
    for line in text.lines() {
        let command: String = serde_json::from_str(line).unwrap();
        if let Reading::Script(invocations) = read(&command) {
            let found = invocations.iter().flat_map(recognise);
            for recognised in found.filter(|r| !matches!(r.scope, Scope::ChecksNothing(_))) {
                wrong.push(format!("{command}: {recognised:?}"));
            }
        }
    }
    assert!(text.lines().count() >= 500);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_other_commands_of_the_line_are_known() {
    let fixtures = fixtures();
    let output = |file: &str| fixtures.iter().find(|f| f.file == file).unwrap().output.clone();
    let (failed, passed) = (output("cargo-test/fail.txt"), output("cargo-test/pass.txt"));
    let finished = "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.16s\n";
    for (line, exit, output, outcome) in [
        // What clippy, git add and a filter print is no total of cargo test's.
        ("cargo test 2>&1 | tail -40; cargo clippy 2>&1 | tail -3", 0, format!("{failed}{finished}"), Outcome::Refuted),
        (
            "cargo test 2>&1 | tail -40; cargo clippy 2>&1 | tail -3",
            0,
            format!("{passed}{finished}"),
            Outcome::Confirmed,
        ),
        ("cargo test; git add -A", 0, failed.clone(), Outcome::Refuted),
        ("npm run lint; cargo test || true", 0, failed.clone(), Outcome::Refuted),
        // What a file holds can be.
        ("cargo test || true; cat old.log", 0, format!("{passed}{failed}"), Outcome::Unknown),
        ("cargo test -p a; cargo test -p b; true", 0, format!("{passed}{failed}"), Outcome::Unknown),
        // `&&`: had the tests passed, their total would stand first.
        ("cargo test && git commit -qm x", 101, failed.clone(), Outcome::Refuted),
        ("cargo fmt --check && cargo test && git commit -qm x", 101, failed.clone(), Outcome::Refuted),
        ("cargo test && git commit -qm x", 1, format!("{passed}{failed}"), Outcome::Unknown),
        ("cargo test && cat old.log nosuch.log", 1, format!("{passed}{failed}"), Outcome::Unknown),
        ("cargo test; cat old.log nosuch.log", 1, format!("{failed}{passed}"), Outcome::Unknown),
        ("cargo test && git push", 0, passed.clone(), Outcome::Confirmed),
    ] {
        let Reading::Script(invocations) = read(line) else { panic!("{line}") };
        let invocation = invocations
            .iter()
            .find(|i| recognise(i).iter().any(|r| r.check == Check::Tests && r.runner == "cargo-test"));
        let recognised = &recognise(invocation.unwrap())[0];
        let seen = Seen {
            recognised,
            invocation: invocation.unwrap(),
            line: &invocations,
            reported_exit: Some(exit),
            exit_reason: None,
            output: &output,
            output_cut: false,
        };
        let judged = judge_run(&seen);
        assert_eq!(judged.outcome, outcome, "{line}, exit {exit}: {judged:?}");
    }
}

#[test]
fn what_other_commands_show_of_failures_accuses_nobody() {
    let fixtures = fixtures();
    let output = |file: &str| fixtures.iter().find(|f| f.file == file).unwrap().output.clone();
    let log = "commit fecb8ac\n\n    1 failed\n    === 1 failed, 3 passed in 0.03s ===\n\n";
    let notes = "=== 1 failed, 3 passed in 0.03s ===\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.15s\n";
    for (line, text, exit, outcome) in [
        ("git log && cargo test", format!("{log}{}", output("cargo-test/pass.txt")), 0, Outcome::Confirmed),
        ("git log -3 && pytest", format!("{log}{}", output("pytest/pass.txt")), 0, Outcome::Confirmed),
        ("git log && cargo test", log.to_owned(), 128, Outcome::Unknown),
        ("cat CHANGELOG.md; pytest", format!("{notes}{}", output("pytest/pass.txt")), 0, Outcome::Confirmed),
        ("cat CHANGELOG.md; pytest || true", format!("{notes}{}", output("pytest/pass.txt")), 0, Outcome::Confirmed),
        ("cat CHANGELOG.md; pytest || true", format!("{notes}{}", output("pytest/zero.txt")), 0, Outcome::Unknown),
        (
            "cat CHANGELOG.md; cargo test || true",
            format!("{notes}{}", output("cargo-test/zero.txt")),
            0,
            Outcome::Unknown,
        ),
        (
            "cat CHANGELOG.md missing && pytest",
            format!("{notes}cat: missing: No such file or directory\n"),
            1,
            Outcome::Unknown,
        ),
        ("pytest; cat CHANGELOG.md", format!("{}{notes}", output("pytest/pass.txt")), 0, Outcome::Unknown),
        ("grep -rn failed . ; pytest", format!("./notes:{notes}{}", output("pytest/pass.txt")), 0, Outcome::Confirmed),
    ] {
        let (got, _, all) = judged(line, Check::Tests, Some(exit), &text);
        assert_eq!(got, outcome, "{line}, exit {exit}: {all}");
    }
    for printed in [
        "echo '12 passed'",
        "echo pytest",
        "printf '%s' 'test result: ok. 3 passed'",
        "cat <<'X'\npytest\nX",
        "git commit -m 'cargo test passes'",
    ] {
        let Reading::Script(invocations) = read(printed) else { panic!("{printed}") };
        assert!(invocations.iter().all(|i| recognise(i).is_empty()), "{printed}");
    }
}
