//! False accusations, each as a case: none of these runs may be refuted.

use deeds::records::invocation::View;
use deeds::records::outcome::{Executed, Judged, Outcome, Seen, judge_run};
use deeds::records::runners::Check;

use super::{Invocation_, bare, judge_as, one, tests};

const CARGO_PASS: &str = "   Compiling demo v0.1.0 (/home/dev/demo)\n    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.35s\n     Running unittests src/lib.rs (target/debug/deps/demo-8348ca7a80742723)\n\nrunning 1 test\ntest tests::it_works ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n";
const CARGO_FAILED: &str =
    "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.15s";
const PYTEST_PASS: &str = "============================= test session starts ==============================\nplatform linux -- Python 3.11.7, pytest-9.2.0, pluggy-1.7.0\nrootdir: /home/dev/demo\ncollected 2 items\n\ntest_x.py ..                                                             [100%]\n\n============================== 2 passed in 0.01s ===============================\n";

fn assert_unknown(judged: &Judged, what: &str) {
    assert_eq!(judged.outcome, Outcome::Unknown, "{what}: {judged:?}");
    assert!(!judged.reason.as_deref().unwrap().is_empty(), "{what}");
}

#[test]
fn a_failure_in_a_commit_message_is_not_the_runners() {
    let log = "commit fecb8ac\nAuthor: Demo User <demo@example.com>\n\n    fix: 1 failed\n\n    === 1 failed, 3 passed in 0.03s ===\n    test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.15s\n\n";
    let cargo = bare("cargo test").foreign(true, false).perhaps();
    assert_eq!(tests(&cargo, 0, &format!("{log}{CARGO_PASS}")).outcome, Outcome::Confirmed);
    let pytest = bare("pytest").foreign(true, false).perhaps();
    assert_eq!(tests(&pytest, 0, &format!("{log}{PYTEST_PASS}")).outcome, Outcome::Confirmed);
}

#[test]
fn a_changelog_before_the_run_is_not_the_runners() {
    let changelog =
        format!("# Changes\n\n{CARGO_FAILED}\n=== 1 failed, 3 passed in 0.03s ===\nTests:       1 failed, 4 total\n\n");
    let pytest = bare("pytest").foreign(true, false);
    assert_eq!(tests(&pytest, 0, &format!("{changelog}{PYTEST_PASS}")).outcome, Outcome::Confirmed);
    assert_eq!(tests(&pytest.masked(), 0, &format!("{changelog}{PYTEST_PASS}")).outcome, Outcome::Confirmed);
    // cargo's totals add up, so that one of another text leaves it open; it never refutes.
    for cargo in [bare("cargo test").foreign(true, false), bare("cargo test").foreign(true, false).masked()] {
        assert_ne!(tests(&cargo, 0, &format!("{changelog}{CARGO_PASS}")).outcome, Outcome::Refuted);
    }
}

#[test]
fn a_failure_printed_after_the_run_is_not_the_runners() {
    let pytest = bare("pytest").foreign(false, true).masked();
    assert_unknown(&tests(&pytest, 0, &format!("{PYTEST_PASS}=== 1 failed in 0.03s ===\n")), "pytest; cat notes");
    let cargo = bare("cargo test").foreign(false, true).masked();
    assert_unknown(&tests(&cargo, 0, &format!("{CARGO_PASS}{CARGO_FAILED}\n")), "cargo test; cat log");
}

#[test]
fn a_foreign_failure_with_a_command_that_failed_is_not_the_runners() {
    // `cat a.md missing.md && pytest`: cat failed, pytest never ran.
    let rest = "line\n".repeat(20);
    let pytest = bare("pytest").foreign(true, false).perhaps();
    assert_unknown(
        &tests(&pytest, 1, &format!("=== 1 failed in 0.03s ===\n{rest}cat: missing.md: No such file\n")),
        "cat && pytest",
    );
    // `cargo clippy -- -D warnings && cargo test`: clippy stopped the line.
    let cargo = bare("cargo test").foreign(true, false).perhaps();
    let clippy = "error: unneeded `return` statement\nerror: could not compile `demo` (lib) due to 1 previous error\n";
    assert_unknown(&tests(&cargo, 101, clippy), "clippy && test");
}

#[test]
fn a_changelog_before_a_run_that_never_was_is_not_the_runners() {
    let changelog = "=== 1 failed, 3 passed in 0.03s ===\nTests:       1 failed, 4 total\n";
    for (command, exit, words) in [
        ("pytest", 0, "/bin/bash: line 1: pytest: command not found\n"),
        ("pytest", 4, "ERROR: usage: pytest [options]\n"),
        ("pytest", 1, "/usr/bin/python: No module named pytest\n"),
    ] {
        let pytest = bare(command).foreign(true, false);
        let pytest = if exit == 0 { pytest.masked() } else { pytest };
        assert_unknown(&tests(&pytest, exit, &format!("{changelog}{words}")), words);
    }
    let far = "a line of notes\n".repeat(40);
    assert_unknown(
        &tests(&bare("pytest").foreign(true, false), 1, &format!("{changelog}{far}")),
        "pytest printed nothing",
    );
}

#[test]
fn tests_that_print_another_runs_totals_do_not_fail() {
    let lone = format!(
        "    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.35s\n     Running unittests src/lib.rs (target/debug/deps/demo-8348ca7a80742723)\n\nrunning 3 tests\n{CARGO_FAILED}\ntest a ... ok\ntest b ... ok\ntest c ... ok\n\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n"
    );
    let nested = lone.replace(CARGO_FAILED, &format!("running 2 tests\ntest x ... FAILED\n\n{CARGO_FAILED}\n"));
    // Two of two: the printed total has as many tests as the run itself.
    let equal = lone.replace("running 3 tests", "running 2 tests").replace("3 passed", "2 passed");
    for output in [&lone, &nested, &equal] {
        let own = tests(&bare("cargo test -- --nocapture"), 0, output);
        assert_eq!(own.outcome, Outcome::Confirmed, "{output}\n{own:?}");
        assert_ne!(tests(&bare("cargo test -- --nocapture").masked(), 0, output).outcome, Outcome::Refuted, "{output}");
        assert_ne!(tests(&bare("cargo test -- --nocapture").tailed(), 0, output).outcome, Outcome::Refuted, "{output}");
    }
    assert_eq!(tests(&bare("cargo test").masked(), 0, &nested).outcome, Outcome::Confirmed, "it closes what it opened");

    let pytest = PYTEST_PASS.replace("test_x.py ..", "test_x.py 1 failed in 0.02s\n=== 1 failed in 0.03s ===\n..");
    assert_eq!(tests(&bare("pytest -s").masked(), 0, &pytest).outcome, Outcome::Confirmed);
    let go = "=== RUN   TestA\n--- FAIL: TestFake (0.00s)\nFAIL\nFAIL\texample.com/x\t0.1s\n--- PASS: TestA (0.00s)\nPASS\nok  \texample.com/demo\t0.002s\n";
    assert_ne!(tests(&bare("go test -v ./...").masked(), 0, go).outcome, Outcome::Refuted);
    let jest = "PASS ./a.test.js\n  console.log\n    Tests:       1 failed, 1 total\n\nTests:       5 failed, 5 total\n\nTest Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\nSnapshots:   0 total\nTime:        0.3 s\nRan all test suites.\n";
    assert_eq!(tests(&bare("jest").masked(), 0, jest).outcome, Outcome::Confirmed);
}

#[test]
fn a_real_failure_that_prints_a_pass_is_a_failure_all_the_same() {
    let output = format!(
        "running 2 tests\ntest a ... ok\ntest b ... FAILED\n\nfailures:\n\n---- b stdout ----\nrunning 2 tests\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\nfailures:\n    b\n\n{CARGO_FAILED}\n\nerror: test failed, to rerun pass `--lib`\n"
    );
    let lone = output.replacen("---- b stdout ----\nrunning 2 tests\n", "---- b stdout ----\n", 1);
    for output in [output, lone] {
        assert_eq!(tests(&bare("cargo test"), 101, &output).outcome, Outcome::Refuted, "{output}");
        assert_eq!(tests(&bare("cargo test").masked(), 0, &output).outcome, Outcome::Refuted, "{output}");
    }
}

#[test]
fn cargos_101_without_a_test_is_no_failure_of_tests() {
    for error in [
        "error: could not find `Cargo.toml` in `/home/dev` or any parent directory",
        "error: no test target named `nosuch` in default-run packages",
        "error: package ID specification `nosuch` did not match any packages",
        "error: failed to parse manifest at `/home/dev/demo/Cargo.toml`\n\nCaused by:\n  no targets specified in the manifest",
        "error: failed to get `serde` as a dependency of package `demo v0.1.0`\n\nCaused by:\n  download of config.json failed",
        "error: no such command: `tset`",
        "error: the lock file /home/dev/demo/Cargo.lock needs to be updated but --locked was passed to prevent this",
        "error: Unrecognized option: 'fail'\nerror: test failed, to rerun pass `--lib`",
        "error: test failed, to rerun pass `--lib`\n\nCaused by:\n  process didn't exit successfully: `/home/dev/demo/target/debug/deps/demo-1` (signal: 9, SIGKILL: kill)",
    ] {
        let judged = tests(&bare("cargo test"), 101, &format!("{error}\n"));
        assert_unknown(&judged, error);
        assert_ne!(judged.executed, Executed::Some, "{error}");
        assert_unknown(&tests(&bare("cargo test").masked(), 0, &format!("{error}\n")), error);
    }
}

#[test]
fn a_tool_that_is_not_there_or_called_wrongly_fails_no_tests() {
    for (command, exit, output) in [
        ("pytest", 127, "/bin/bash: line 1: pytest: command not found\n"),
        ("pytest", 126, "/bin/bash: line 1: /usr/bin/pytest: Permission denied\n"),
        ("pytest", 4, "ERROR: usage: pytest [options] [file_or_dir]\npytest: error: unrecognized arguments: --fail\n"),
        ("pytest nosuch.py", 4, "ERROR: file or directory not found: nosuch.py\n\n=== no tests ran in 0.00s ===\n"),
        ("pytest", 3, "INTERNALERROR> Traceback\n=== 1 failed in 0.01s ===\n"),
        ("python -m pytest", 1, "/usr/bin/python: No module named pytest\n"),
        ("npx jest", 1, "npm error could not determine executable to run\n"),
        ("jest", 1, "● Validation Error:\n\n  Module <rootDir>/x was not found.\n"),
        ("npm test", 1, "npm error Missing script: \"test\"\n"),
        (
            "npm test",
            1,
            "\n> z@1.0.0 test\n> echo \"Error: no test specified\" && exit 1\n\nError: no test specified\n",
        ),
        ("go test ./...", 1, "go: cannot find main module, but found .git/config in /home/dev/demo\n"),
        ("go test ./nosuch", 1, "no Go files in /home/dev/demo/nosuch\n"),
        ("make test", 2, "make: *** No rule to make target 'test'.  Stop.\n"),
        (
            "mvn test",
            1,
            "[ERROR] The goal you specified requires a project to execute but there is no POM in this directory (/home/dev).\n[INFO] BUILD FAILURE\n",
        ),
        (
            "mvn test",
            1,
            "[INFO] BUILD FAILURE\n[ERROR] Failed to execute goal on project demo: Could not resolve dependencies for project\n",
        ),
        (
            "gradle test",
            1,
            "FAILURE: Build failed with an exception.\n\n* What went wrong:\nDirectory '/home/dev' does not contain a Gradle build.\n",
        ),
        ("dotnet test", 1, "MSBUILD : error MSB1003: Specify a project or solution file.\n"),
        ("vitest run", 1, "failed to load config from /home/dev/demo/vitest.config.ts\n"),
        ("rspec", 1, "bundler: command not found: rspec\n"),
        ("cargo test", 137, CARGO_PASS),
        ("cargo test", 130, "running 2 tests\n"),
    ] {
        assert_unknown(&tests(&bare(command), exit, output), command);
    }
}

#[test]
fn a_threshold_that_was_missed_fails_no_test() {
    let coverage = PYTEST_PASS.to_owned() + "FAIL Required test coverage of 90% not reached. Total coverage: 71.00%\n";
    assert_unknown(&tests(&bare("pytest"), 1, &coverage), "pytest-cov");
    let jest = "Jest: \"global\" coverage threshold for lines (80%) not met: 71%\nTest Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\n";
    assert_unknown(&tests(&bare("jest"), 1, jest), "jest");
}

#[test]
fn a_failure_shape_against_the_runners_own_zero_is_open() {
    let output = "=== test session starts ===\n=== 1 failed, 1 passed in 0.01s ===\n";
    assert_unknown(&tests(&bare("pytest"), 0, output), "pytest");
    assert_unknown(&tests(&bare("cargo test"), 0, &format!("{CARGO_FAILED}\n")), "cargo test");
}

#[test]
fn filters_and_hidden_output_leave_it_open() {
    let failed = format!("{CARGO_FAILED}\n");
    for view in [View::Filtered, View::Hidden] {
        let cargo = bare("cargo test").masked().seen_through(view);
        assert_unknown(&tests(&cargo, 0, &failed), "grep, sed, awk, head can change what is seen");
        assert_unknown(&tests(&cargo, 0, CARGO_PASS), "and a pass is none either");
    }
}

#[test]
fn what_was_not_seen_to_end_is_open() {
    let invocation = bare("cargo test");
    let recognised = one(&invocation, Check::Tests);
    for reason in ["background", "timed_out", "interrupted", "it ran in the background and its end was not seen"] {
        let output = format!("{CARGO_FAILED}\n");
        let seen = Seen {
            recognised: &recognised,
            invocation: &invocation,
            line: &[],
            reported_exit: None,
            exit_reason: Some(reason),
            output: &output,
            output_cut: false,
        };
        assert_unknown(&judge_run(&seen), reason);
    }
    let wrapped = deeds::records::invocation::Invocation { wrapper_codes: vec![124, 125], ..bare("cargo test") };
    assert_unknown(&tests(&wrapped, 124, &format!("{CARGO_FAILED}\n")), "timeout 60 cargo test");
}

#[test]
fn linters_are_not_accused_by_others_and_for_nothing() {
    let eslint = "\n/home/dev/demo/a.js\n  0:0  warning  File ignored because no matching configuration was supplied\n\n✖ 1 problem (0 errors, 1 warning)\n\n";
    assert_unknown(&judge_as(&bare("eslint a.js"), Check::Lint, 0, eslint), "it checked nothing");
    assert_unknown(&judge_as(&bare("eslint ."), Check::Lint, 2, "Oops! Something went wrong! :(\n"), "eslint crashed");
    assert_unknown(
        &judge_as(&bare("mypy x"), Check::Typecheck, 2, "mypy: can't read file 'x': No such file or directory\n"),
        "mypy",
    );
    assert_unknown(
        &judge_as(&bare("tsc"), Check::Typecheck, 1, "Version 5.9.2\ntsc: The TypeScript Compiler - Version 5.9.2\n"),
        "help",
    );
    assert_unknown(
        &judge_as(
            &bare("tsc -p x.json"),
            Check::Typecheck,
            1,
            "error TS5058: The specified path does not exist: 'x.json'.\n",
        ),
        "no project",
    );
    assert_unknown(
        &judge_as(&bare("pyright"), Check::Typecheck, 0, "0 errors, 2 warnings, 0 informations \n"),
        "warnings",
    );
    assert_unknown(
        &judge_as(&bare("make all"), Check::Build, 2, "make: *** No targets specified and no makefile found.  Stop.\n"),
        "make",
    );
    assert_unknown(
        &judge_as(&bare("make all"), Check::Build, 0, "make: [Makefile:3: all] Error 1 (ignored)\n"),
        "make -i",
    );
    assert_unknown(&judge_as(&bare("npm run build"), Check::Build, 1, "npm error Missing script: \"build\"\n"), "npm");
    let clippy = bare("cargo clippy").foreign(false, true);
    let warned = "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.16s\nwarning: unused variable: `x`\n --> src/lib.rs:1:5\nwarning: `demo` (lib test) generated 1 warning\n";
    assert_unknown(&judge_as(&clippy, Check::Lint, 0, warned), "the warning can be the next command's");
}
