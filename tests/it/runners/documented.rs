//! Runners whose output was not recorded: lines as their documentation and sources give them.

use deeds::records::outcome::{Basis, Executed, Outcome};
use deeds::records::runners::Check;

use super::{Invocation_, bare, judge_as};

/// Command, check, exit, output, outcome.
type Case = (&'static str, Check, i64, &'static str, Outcome);

fn assert_cases(cases: &[Case]) {
    for (command, check, exit, output, outcome) in cases {
        let judged = judge_as(&bare(command), *check, *exit, output);
        assert_eq!(judged.outcome, *outcome, "{command}, exit {exit}:\n{output}\n{judged:?}");
    }
}

use Check::{Build, Format, Lint, Tests, Typecheck};
use Outcome::{Confirmed, Refuted, Unknown};

#[test]
fn go() {
    assert_cases(&[
        ("go test ./...", Tests, 0, "ok  \texample.com/demo\t0.003s\nok  \texample.com/demo/a\t(cached)\n", Confirmed),
        (
            "go test -cover ./...",
            Tests,
            0,
            "ok  \texample.com/demo\t0.003s\tcoverage: 80.0% of statements\n",
            Confirmed,
        ),
        ("go test", Tests, 0, "PASS\nok  \texample.com/demo\t0.003s\n", Confirmed),
        (
            "go test ./...",
            Tests,
            1,
            "--- FAIL: TestSub (0.00s)\n    demo_test.go:9: got 1, want 2\nFAIL\nFAIL\texample.com/demo\t0.002s\nok  \texample.com/demo/a\t0.003s\nFAIL\n",
            Refuted,
        ),
        (
            "go test ./...",
            Tests,
            1,
            "# example.com/demo [example.com/demo.test]\n./a.go:3:2: undefined: x\nFAIL\texample.com/demo [build failed]\nFAIL\n",
            Refuted,
        ),
        (
            "go test ./...",
            Tests,
            1,
            "panic: test timed out after 10m0s\nFAIL\texample.com/demo\t600.004s\nFAIL\n",
            Refuted,
        ),
        ("go test ./...", Tests, 0, "?   \texample.com/demo\t[no test files]\n", Unknown),
        (
            "go test -run Nosuch ./...",
            Tests,
            0,
            "testing: warning: no tests to run\nPASS\nok  \texample.com/demo\t0.002s [no tests to run]\n",
            Unknown,
        ),
        (
            "go test -v ./...",
            Tests,
            0,
            "=== RUN   TestA\n    a_test.go:3: later\n--- SKIP: TestA (0.00s)\nPASS\nok  \texample.com/demo\t0.002s\n",
            Unknown,
        ),
        ("go vet ./...", Lint, 0, "", Confirmed),
        (
            "go vet ./...",
            Lint,
            1,
            "# example.com/demo\n./a.go:7:2: Printf format %d has arg s of wrong type string\n",
            Refuted,
        ),
        ("go build ./...", Build, 0, "", Confirmed),
        ("go build ./...", Build, 1, "# example.com/demo\n./a.go:3:2: undefined: x\n", Refuted),
        (
            "go build",
            Build,
            1,
            "go: go.mod file not found in current directory or any parent directory; see 'go help modules'\n",
            Unknown,
        ),
        ("gofmt -l .", Format, 0, "", Confirmed),
        ("gofmt -l .", Format, 0, "a.go\npkg/b.go\n", Refuted),
        ("gofmt -d .", Format, 0, "diff a.go.orig a.go\n--- a.go.orig\n+++ a.go\n@@ -1 +1 @@\n", Refuted),
        ("gotestsum", Tests, 0, "✓  demo (3ms)\n\nDONE 5 tests, 1 skipped in 0.341s\n", Confirmed),
        ("gotestsum", Tests, 1, "=== FAIL: demo TestSub (0.00s)\n\nDONE 5 tests, 1 failure in 0.341s\n", Refuted),
        ("golangci-lint run", Lint, 0, "0 issues.\n", Confirmed),
        ("golangci-lint run", Lint, 0, "", Confirmed),
        (
            "golangci-lint run ./...",
            Lint,
            1,
            "a.go:3:2: Error return value is not checked (errcheck)\n1 issues:\n* errcheck: 1\n",
            Refuted,
        ),
        (
            "golangci-lint run --issues-exit-code 0",
            Lint,
            0,
            "a.go:3:2: Error return value is not checked (errcheck)\n1 issues:\n* errcheck: 1\n",
            Refuted,
        ),
        ("golangci-lint run", Lint, 5, "level=error msg=\"[linters_context] no go files to analyze\"\n", Unknown),
        ("golangci-lint run", Lint, 4, "level=error msg=\"Timeout exceeded\"\n", Unknown),
    ]);
    let verbose = "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n--- FAIL: TestB (0.00s)\nFAIL\nFAIL\texample.com/demo\t0.002s\nFAIL\n";
    let judged = judge_as(&bare("go test -v ./..."), Tests, 1, verbose);
    let counts = judged.counts.unwrap();
    assert_eq!((counts.passed, counts.failed, judged.failing), (Some(1), Some(1), vec!["TestB".to_owned()]));
    let quiet = judge_as(&bare("go test ./..."), Tests, 0, "ok  \texample.com/demo\t0.003s\n");
    assert_eq!(quiet.counts.unwrap().passed, None, "without -v it does not say how many");
}

#[test]
fn ruby_and_php() {
    assert_cases(&[
        (
            "rspec",
            Tests,
            0,
            "..\n\nFinished in 0.01 seconds (files took 0.1 seconds to load)\n3 examples, 0 failures, 1 pending\n",
            Confirmed,
        ),
        (
            "bundle exec rspec",
            Tests,
            1,
            "3 examples, 1 failure\n\nFailed examples:\n\nrspec ./spec/a_spec.rb:4 # A adds\n",
            Refuted,
        ),
        (
            "rspec",
            Tests,
            1,
            "An error occurred while loading ./spec/a_spec.rb.\n0 examples, 0 failures, 1 error occurred outside of examples\n",
            Refuted,
        ),
        ("rspec", Tests, 0, "No examples found.\n\n0 examples, 0 failures\n", Unknown),
        ("rspec", Tests, 0, "**\n\n2 examples, 0 failures, 2 pending\n", Unknown),
        (
            "rails test",
            Tests,
            0,
            "Run options: --seed 123\n\n3 runs, 3 assertions, 0 failures, 0 errors, 0 skips\n",
            Confirmed,
        ),
        ("rake test", Tests, 1, "3 runs, 3 assertions, 0 failures, 1 errors, 0 skips\n", Refuted),
        ("rails test", Tests, 0, "0 runs, 0 assertions, 0 failures, 0 errors, 0 skips\n", Unknown),
        (
            "ruby -Itest test/a_test.rb",
            Tests,
            0,
            "1 tests, 1 assertions, 0 failures, 0 errors, 0 pendings, 0 omissions, 0 notifications\n",
            Confirmed,
        ),
        ("phpunit", Tests, 0, "...\n\nTime: 00:00.012, Memory: 6.00 MB\n\nOK (3 tests, 3 assertions)\n", Confirmed),
        (
            "phpunit",
            Tests,
            0,
            "OK, but incomplete, skipped, or risky tests!\nTests: 3, Assertions: 2, Skipped: 1.\n",
            Confirmed,
        ),
        (
            "phpunit",
            Tests,
            0,
            "OK, but there were issues!\nTests: 3, Assertions: 3, PHPUnit Deprecations: 1.\n",
            Confirmed,
        ),
        (
            "phpunit",
            Tests,
            1,
            "There was 1 failure:\n\n1) DemoTest::testB\nFailed asserting that 2 matches 3.\n\nFAILURES!\nTests: 3, Assertions: 3, Failures: 1.\n",
            Refuted,
        ),
        ("phpunit", Tests, 2, "ERRORS!\nTests: 3, Assertions: 2, Errors: 1.\n", Refuted),
        ("phpunit", Tests, 0, "No tests executed!\n", Unknown),
        ("phpunit", Tests, 1, "No tests executed!\n", Unknown),
        ("php artisan test", Tests, 0, "  Tests:    2 passed (2 assertions)\n  Duration: 0.10s\n", Confirmed),
        ("pest", Tests, 1, "  Tests:    1 failed, 2 passed (3 assertions)\n  Duration: 0.10s\n", Refuted),
    ]);
    let failed = judge_as(
        &bare("phpunit"),
        Tests,
        1,
        "There was 1 failure:\n\n1) DemoTest::testB\n\nFAILURES!\nTests: 3, Assertions: 3, Failures: 1.\n",
    );
    let counts = failed.counts.unwrap();
    assert_eq!((counts.passed, counts.failed, failed.failing), (Some(2), Some(1), vec!["DemoTest::testB".to_owned()]));
}

const SUREFIRE: &str = "[INFO] -------------------------------------------------------\n[INFO]  T E S T S\n[INFO] -------------------------------------------------------\n[INFO] Running demo.ATest\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.05 s -- in demo.ATest\n[INFO] \n[INFO] Results:\n[INFO] \n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1\n[INFO] \n";

#[test]
fn the_jvm() {
    let second = SUREFIRE.replace("Skipped: 1", "Skipped: 0");
    let pass: &'static str =
        Box::leak(format!("{SUREFIRE}{second}[INFO] BUILD SUCCESS\n[INFO] Total time:  1.2 s\n").into_boxed_str());
    let failures = "[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in demo.ATest\n[INFO] Results:\n[INFO] \n[ERROR] Failures: \n[ERROR]   ATest.adds:12 expected: <3> but was: <2>\n[INFO] \n[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0\n";
    let failed: &'static str = Box::leak(format!("{failures}[INFO] BUILD FAILURE\n").into_boxed_str());
    let ignored: &'static str =
        Box::leak(format!("{}[INFO] BUILD SUCCESS\n", failures.replace("[ERROR]", "[WARNING]")).into_boxed_str());
    assert_cases(&[
        ("mvn test", Tests, 0, pass, Confirmed),
        ("./mvnw -q verify", Tests, 1, failed, Refuted),
        ("mvn test -Dmaven.test.failure.ignore=true", Tests, 0, ignored, Refuted),
        (
            "mvn test",
            Tests,
            1,
            "[ERROR] COMPILATION ERROR : \n[ERROR] /home/dev/demo/A.java:[3,5] cannot find symbol\n[INFO] BUILD FAILURE\n",
            Refuted,
        ),
        ("mvn test", Tests, 0, "[INFO] No tests to run.\n[INFO] BUILD SUCCESS\n", Unknown),
        ("mvn install", Tests, 0, "[INFO] Tests are skipped.\n[INFO] BUILD SUCCESS\n", Unknown),
        (
            "mvn test -Dtest=X",
            Tests,
            1,
            "[ERROR] No tests matching pattern \"X\" were executed! (Set -Dsurefire.failIfNoSpecifiedTests=false to ignore this error.)\n[INFO] BUILD FAILURE\n",
            Unknown,
        ),
        (
            "mvn verify",
            Tests,
            1,
            "[INFO] BUILD FAILURE\n[ERROR] Failed to execute goal org.apache.maven.plugins:maven-checkstyle-plugin\n",
            Unknown,
        ),
        ("mvn compile", Build, 0, "[INFO] BUILD SUCCESS\n", Confirmed),
        ("mvn package -DskipTests", Build, 1, "[ERROR] COMPILATION ERROR : \n[INFO] BUILD FAILURE\n", Refuted),
        (
            "./gradlew test",
            Tests,
            0,
            "> Task :compileJava\n> Task :test\n\nBUILD SUCCESSFUL in 2s\n3 actionable tasks: 3 executed\n",
            Confirmed,
        ),
        (
            "gradle test",
            Tests,
            1,
            "> Task :test FAILED\n\nATest > adds FAILED\n    org.opentest4j.AssertionFailedError at ATest.java:12\n\n3 tests completed, 1 failed\n\n* What went wrong:\nExecution failed for task ':test'.\n> There were failing tests. See the report at: file:///home/dev/demo/build/reports\n\nBUILD FAILED in 2s\n",
            Refuted,
        ),
        ("gradle test", Tests, 0, "> Task :test UP-TO-DATE\n\nBUILD SUCCESSFUL in 1s\n", Unknown),
        ("gradle test", Tests, 0, "> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s\n", Unknown),
        ("gradle test", Tests, 0, "BUILD SUCCESSFUL in 1s\n", Unknown),
        ("gradle test", Tests, 1, "> Task :compileTestJava FAILED\n\nBUILD FAILED in 1s\n", Refuted),
        (
            "gradle test --tests X",
            Tests,
            1,
            "> Task :test FAILED\n\n* What went wrong:\nExecution failed for task ':test'.\n> No tests found for given includes: [X](--tests filter)\n\nBUILD FAILED in 1s\n",
            Unknown,
        ),
        ("gradle build", Build, 0, "BUILD SUCCESSFUL in 1s\n", Confirmed),
        ("gradle assemble", Build, 1, "> Task :compileJava FAILED\n\nBUILD FAILED in 1s\n", Refuted),
    ]);
    let judged = judge_as(&bare("mvn test"), Tests, 0, pass);
    let counts = judged.counts.unwrap();
    assert_eq!((counts.passed, counts.skipped), (Some(5), Some(1)), "the modules add up");
    assert_eq!(judge_as(&bare("mvn test"), Tests, 1, failed).failing, ["ATest.adds:12"]);
}

#[test]
fn dotnet_and_swift() {
    const PASSED: &str =
        "Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 12 ms - A.dll (net9.0)\n";
    const FAILED: &str = "  Failed Demo.ATest.Adds [12 ms]\nFailed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 12 ms - A.dll (net9.0)\n";
    const MIXED: &str = "Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 12 ms - A.dll (net9.0)\nPassed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 12 ms - B.dll (net9.0)\n";
    assert_cases(&[
        ("dotnet test", Tests, 0, PASSED, Confirmed),
        ("dotnet test", Tests, 1, FAILED, Refuted),
        ("dotnet test", Tests, 1, MIXED, Refuted),
        (
            "dotnet test",
            Tests,
            0,
            "No test is available in /home/dev/demo/A.dll. Make sure that test discoverer & executors are registered.\n",
            Unknown,
        ),
        (
            "dotnet test --filter X",
            Tests,
            0,
            "No test matches the given testcase filter `X` in /home/dev/demo/A.dll\n",
            Unknown,
        ),
        (
            "dotnet test",
            Tests,
            1,
            "/home/dev/demo/A.cs(3,5): error CS1002: ; expected [/home/dev/demo/A.csproj]\n\nBuild FAILED.\n",
            Refuted,
        ),
        (
            "dotnet test",
            Tests,
            8,
            "Test run summary: Zero tests ran - A.dll\n  total: 0\n  failed: 0\n  succeeded: 0\n  skipped: 0\n",
            Unknown,
        ),
        (
            "dotnet test",
            Tests,
            0,
            "Test run summary: Passed! - A.dll (net9.0|x64)\n  total: 3\n  failed: 0\n  succeeded: 3\n  skipped: 0\n  duration: 12ms\n",
            Confirmed,
        ),
        (
            "dotnet test",
            Tests,
            2,
            "Test run summary: Failed! - A.dll (net9.0|x64)\n  total: 3\n  failed: 1\n  succeeded: 2\n  skipped: 0\n  duration: 12ms\n",
            Refuted,
        ),
        ("dotnet build", Build, 0, "Build succeeded.\n    0 Warning(s)\n    0 Error(s)\n", Confirmed),
        (
            "dotnet build",
            Build,
            1,
            "/home/dev/demo/A.cs(3,5): error CS1002: ; expected [/home/dev/demo/A.csproj]\n\nBuild FAILED.\n",
            Refuted,
        ),
        ("dotnet format --verify-no-changes", Format, 0, "", Confirmed),
        (
            "dotnet format --verify-no-changes",
            Format,
            2,
            "/home/dev/demo/A.cs(3,5): error WHITESPACE: Fix whitespace formatting. [/home/dev/demo/A.csproj]\n",
            Refuted,
        ),
        (
            "swift test",
            Tests,
            0,
            "Test Suite 'ATests' passed at 2026-11-30 19:34:13.000.\n\t Executed 3 tests, with 0 failures (0 unexpected) in 0.002 (0.003) seconds\nTest Suite 'All tests' passed at 2026-11-30 19:34:13.000.\n\t Executed 3 tests, with 0 failures (0 unexpected) in 0.002 (0.004) seconds\n◇ Test run started.\n✔ Test run with 0 tests passed after 0.001 seconds.\n",
            Confirmed,
        ),
        (
            "swift test",
            Tests,
            0,
            "Test Suite 'All tests' passed at 2026-11-30 19:34:13.000.\n\t Executed 0 tests, with 0 failures (0 unexpected) in 0.000 (0.001) seconds\n✔ Test run with 3 tests passed after 0.001 seconds.\n",
            Confirmed,
        ),
        (
            "swift test",
            Tests,
            1,
            "Test Case 'ATests.testAdds' failed (0.002 seconds)\nTest Suite 'All tests' failed at 2026-11-30 19:34:13.000.\n\t Executed 3 tests, with 1 failure (0 unexpected) in 0.002 (0.003) seconds\n",
            Refuted,
        ),
        (
            "swift test",
            Tests,
            1,
            "✘ Test adds() failed after 0.001 seconds with 1 issue.\n✘ Test run with 3 tests failed after 0.001 seconds with 1 issue.\n",
            Refuted,
        ),
        (
            "swift test",
            Tests,
            0,
            "\t Executed 0 tests, with 0 failures (0 unexpected) in 0.000 (0.001) seconds\n✔ Test run with 0 tests passed after 0.001 seconds.\n",
            Unknown,
        ),
        (
            "swift test",
            Tests,
            1,
            "/home/dev/demo/Sources/A.swift:3:5: error: cannot find 'x' in scope\nerror: fatalError\n",
            Refuted,
        ),
        ("swift build", Build, 0, "Build complete! (0.52s)\n", Confirmed),
    ]);
    assert_eq!(judge_as(&bare("dotnet test"), Tests, 1, FAILED).failing, ["Demo.ATest.Adds"]);
    assert_eq!(judge_as(&bare("dotnet test"), Tests, 1, MIXED).counts.unwrap().passed, Some(5));
}

#[test]
fn what_the_recorded_runners_print_otherwise() {
    assert_cases(&[
        ("ava", Tests, 1, "\n  ✖ Couldn't find any files to test\n", Unknown),
        (
            "playwright test",
            Tests,
            0,
            "\nRunning 2 tests using 1 worker\n\n  1 flaky\n    a.spec.js:1:49 › a\n  1 passed (2.1s)\n",
            Confirmed,
        ),
        ("playwright test", Tests, 1, "\n  1 failed\n    a.spec.js:1:49 › a\n", Refuted),
        (
            "bun test -t nosuch",
            Tests,
            1,
            "error: regex \"nosuch\" matched 0 tests. Searched 1 file (skipping 2 tests) [5.00ms]\n",
            Unknown,
        ),
        ("deno test", Tests, 1, "error: No test modules found\n", Unknown),
        (
            "deno test",
            Tests,
            1,
            "Check a_test.ts\nTS2322 [ERROR]: Type 'string' is not assignable\nerror: Type checking failed.\n",
            Refuted,
        ),
        ("deno test", Tests, 0, "ok | 0 passed | 0 failed | 1 filtered out (6ms)\n", Unknown),
        (
            "node --test",
            Tests,
            0,
            "✔ a (1.2ms)\nℹ tests 2\nℹ suites 0\nℹ pass 2\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 87.1\n",
            Confirmed,
        ),
        (
            "node --test",
            Tests,
            1,
            "✖ b (1.2ms)\nℹ tests 2\nℹ suites 0\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 87.1\n\n✖ failing tests:\n\ntest at a.test.js:1:44\n✖ b (1.2ms)\n",
            Refuted,
        ),
        (
            "jest -t nosuch",
            Tests,
            0,
            "Test Suites: 1 skipped, 0 of 1 total\nTests:       2 skipped, 2 total\n",
            Unknown,
        ),
        (
            "jest",
            Tests,
            1,
            "FAIL ./a.test.js\n  ● Test suite failed to run\n\nTest Suites: 1 failed, 1 total\nTests:       0 total\n",
            Refuted,
        ),
        ("vitest run", Tests, 1, " Test Files  1 failed (1)\n      Tests  no tests\n", Refuted),
        (
            "vitest run",
            Tests,
            1,
            " Test Files  1 passed (1)\n      Tests  2 passed (2)\n     Errors  1 error\n",
            Unknown,
        ),
        ("mocha", Tests, 1, "Error: No test files found: \"test\"\n", Unknown),
        ("mocha", Tests, 200, "\n  0 passing (1s)\n  200 failing\n\n  1) a:\n", Refuted),
        ("bats tests", Tests, 0, "a.bats\n ✓ a\n ✓ b\n\n2 tests, 0 failures\n", Confirmed),
        ("bats tests", Tests, 1, "a.bats\n ✓ a\n ✗ b\n - c (skipped)\n\n3 tests, 1 failure, 1 skipped\n", Refuted),
        (
            "ctest",
            Tests,
            0,
            "100% tests passed, 0 tests failed out of 2\n\nTotal Test time (real) =   0.00 sec\n",
            Confirmed,
        ),
        ("ctest", Tests, 8, "No tests were found!!!\n", Unknown),
        (
            "unittest",
            Tests,
            5,
            "\n----------------------------------------------------------------------\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n",
            Unknown,
        ),
        (
            "unittest",
            Tests,
            0,
            "ss\n----------------------------------------------------------------------\nRan 2 tests in 0.000s\n\nOK (skipped=2)\n",
            Unknown,
        ),
        (
            "python manage.py test",
            Tests,
            0,
            "Found 3 test(s).\nSystem check identified no issues (0 silenced).\n...\n----------------------------------------------------------------------\nRan 3 tests in 0.010s\n\nOK\nDestroying test database for alias 'default'...\n",
            Confirmed,
        ),
        (
            "cargo nextest run",
            Tests,
            101,
            "error: could not compile `x` (lib test) due to 1 previous error\nerror: command `cargo test --no-run` exited with code 101\n",
            Refuted,
        ),
        (
            "cargo nextest run",
            Tests,
            100,
            "     Summary [   0.077s] 1/2 tests run: 0 passed, 1 timed out, 0 skipped\nerror: test run failed\n",
            Refuted,
        ),
        (
            "pytest -q",
            Tests,
            1,
            "FAILED test_x.py::test_b - assert 2 == 3\n1 failed, 3 passed, 2 subtests passed in 61.20s (0:01:01)\n",
            Refuted,
        ),
        ("pytest -qq", Tests, 1, "..F\n", Refuted),
        ("pytest --collect-only -q", Tests, 0, "test_x.py::test_a\n\n2 tests collected in 0.00s\n", Unknown),
    ]);
    let judged = judge_as(&bare("mocha"), Tests, 200, "\n  0 passing (1s)\n  200 failing\n\n  1) a:\n");
    assert_eq!(judged.own_exit, Some(200));
}

#[test]
fn checkers() {
    assert_cases(&[
        (
            "cargo clippy",
            Lint,
            0,
            "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.01s\n",
            Confirmed,
        ),
        (
            "cargo clippy",
            Lint,
            0,
            "    Checking demo v0.1.0 (/home/dev/demo)\nwarning: unused variable: `y`\n --> src/lib.rs:1:5\nwarning: `demo` (lib) generated 1 warning\n    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.16s\n",
            Refuted,
        ),
        ("cargo clippy -q", Lint, 0, "warning: unused variable: `y`\n --> src/lib.rs:1:5\n", Refuted),
        (
            "cargo clippy",
            Lint,
            0,
            "warning: /home/dev/demo/Cargo.toml: unused manifest key: package.x\n    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.01s\n",
            Confirmed,
        ),
        ("cargo clippy -- -D warnings", Lint, 0, "", Confirmed),
        ("cargo fmt --check", Format, 1, "error: expected item, found `fnn`\n", Unknown),
        ("cargo build", Build, 101, "error: failed to run custom build command for `x v0.1.0`\n", Refuted),
        (
            "cargo build",
            Build,
            101,
            "error: could not find `Cargo.toml` in `/home/dev` or any parent directory\n",
            Unknown,
        ),
        (
            "eslint --max-warnings 0 .",
            Lint,
            1,
            "\n✖ 1 problem (0 errors, 1 warning)\n\nESLint found too many warnings (maximum: 0).\n",
            Refuted,
        ),
        ("eslint --quiet .", Lint, 0, "", Unknown),
        ("eslint -f json .", Lint, 0, "[{\"filePath\":\"/home/dev/demo/a.js\",\"warningCount\":1}]\n", Unknown),
        ("eslint --fix .", Lint, 0, "", Confirmed),
        ("eslint nosuch", Lint, 2, "No files matching the pattern \"nosuch\" were found.\n", Unknown),
        (
            "tsc",
            Typecheck,
            2,
            "a.ts:1:7 - error TS2322: Type 'string' is not assignable to type 'number'.\n\nFound 1 error in a.ts:1\n",
            Refuted,
        ),
        ("tsc -b", Typecheck, 0, "", Confirmed),
        (
            "ruff check .",
            Lint,
            0,
            "warning: No Python files found under the given path(s)\nAll checks passed!\n",
            Unknown,
        ),
        ("ruff check --fix .", Lint, 0, "Found 3 errors (3 fixed, 0 remaining).\n", Confirmed),
        ("ruff check --fix .", Lint, 1, "Found 3 errors (2 fixed, 1 remaining).\n", Refuted),
        ("ruff check --exit-zero .", Lint, 0, "Found 2 errors.\n", Refuted),
        ("ruff format --check .", Format, 1, "1 file would be reformatted, 3 files already formatted\n", Refuted),
        ("ruff format --check .", Format, 0, "3 files already formatted\n", Confirmed),
        (
            "mypy .",
            Typecheck,
            2,
            "a.py:1: error: invalid syntax  [syntax]\nFound 1 error in 1 file (errors prevented further checking)\n",
            Unknown,
        ),
        ("pyright", Typecheck, 0, "No source files found.\n0 errors, 0 warnings, 0 informations \n", Unknown),
        ("biome check .", Lint, 0, "Checked 1 file in 7ms. No fixes applied.\n", Confirmed),
        ("biome check .", Lint, 0, "Checked 1 file in 7ms. No fixes applied.\nFound 2 warnings.\n", Refuted),
        ("biome lint .", Lint, 1, "Checked 1 file in 7ms. No fixes applied.\nFound 1 error.\n", Refuted),
        ("biome check nosuch", Lint, 1, "No files were processed in the specified paths.\n", Unknown),
        (
            "oxlint",
            Lint,
            0,
            "Found 0 warnings and 0 errors.\nFinished in 5ms on 3 files with 90 rules using 2 threads.\n",
            Confirmed,
        ),
        (
            "oxlint",
            Lint,
            0,
            "Found 1 warning and 0 errors.\nFinished in 5ms on 3 files with 90 rules using 2 threads.\n",
            Refuted,
        ),
        (
            "oxlint",
            Lint,
            0,
            "Found 0 warnings and 0 errors.\nFinished in 5ms on 0 files with 90 rules using 2 threads.\n",
            Unknown,
        ),
        (
            "prettier --check .",
            Format,
            0,
            "Checking formatting...\nAll matched files use Prettier code style!\n",
            Confirmed,
        ),
        (
            "prettier --check .",
            Format,
            1,
            "Checking formatting...\n[warn] a.ts\n[warn] Code style issues found in the above file. Run Prettier with --write to fix.\n",
            Refuted,
        ),
        ("prettier -c nosuch", Format, 2, "[error] No files matching the pattern were found: \"nosuch\".\n", Unknown),
        ("black --check .", Format, 0, "All done! ✨ 🍰 ✨\n2 files would be left unchanged.\n", Confirmed),
        (
            "black --check .",
            Format,
            1,
            "would reformat a.py\n\nOh no! 💥 💔 💥\n1 file would be reformatted, 1 file would be left unchanged.\n",
            Refuted,
        ),
        ("black --check .", Format, 0, "No Python files are present to be formatted. Nothing to do 😴\n", Unknown),
        ("isort --check src", Format, 0, "", Confirmed),
        (
            "isort --check src",
            Format,
            1,
            "ERROR: /home/dev/demo/a.py Imports are incorrectly sorted and/or formatted.\n",
            Refuted,
        ),
        (
            "rustfmt --check src/lib.rs",
            Format,
            1,
            "Diff in /home/dev/demo/src/lib.rs:1:\n-fn a( ) {}\n+fn a() {}\n",
            Refuted,
        ),
        ("flake8", Lint, 1, "./a.py:1:1: F401 'os' imported but unused\n", Refuted),
        ("make all", Build, 0, "make: Nothing to be done for 'all'.\n", Unknown),
        (
            "make -k all",
            Build,
            2,
            "make: *** [Makefile:5: b] Error 1\nmake: Target 'all' not remade because of errors.\n",
            Refuted,
        ),
        ("ninja", Build, 0, "ninja: no work to do.\n", Unknown),
        ("cmake --build build", Build, 0, "[ 50%] Building C object a.o\n[100%] Built target a\n", Confirmed),
        (
            "cmake --build build",
            Build,
            2,
            "gmake[2]: *** [a.make:76: a.o] Error 1\ngmake: *** [Makefile:91: all] Error 2\n",
            Refuted,
        ),
    ]);
}

#[test]
fn the_runs_of_environments_are_judged_by_what_they_ran() {
    const PYTEST: &str = "============================== 2 passed in 0.01s ===============================\n";
    let ok: &'static str = Box::leak(
        format!("{PYTEST}  py312: OK (0.04=setup[0.01]+cmd[0.03] seconds)\n  congratulations :) (0.08 seconds)\n")
            .into_boxed_str(),
    );
    let bad: &'static str = Box::leak(
        format!(
            "{}  py312: FAIL code 1 (0.04=setup[0.01]+cmd[0.03] seconds)\n  evaluation failed :( (0.08 seconds)\n",
            PYTEST.replace("2 passed", "1 failed")
        )
        .into_boxed_str(),
    );
    let lint: &'static str = Box::leak(format!("{PYTEST}  py312: OK (0.04 seconds)\n  lint: FAIL code 1 (0.04 seconds)\n  evaluation failed :( (0.08 seconds)\n").into_boxed_str());
    assert_cases(&[
        ("tox", Tests, 0, ok, Confirmed),
        ("tox", Tests, 1, bad, Refuted),
        ("tox", Tests, 0, "  py312: OK (0.04 seconds)\n  congratulations :) (0.08 seconds)\n", Unknown),
        (
            "nox",
            Tests,
            0,
            "nox > Running session tests\n============================== 2 passed in 0.01s ===============================\nnox > Session tests was successful.\n",
            Confirmed,
        ),
        (
            "nox",
            Tests,
            1,
            "nox > Running session tests\n=== 1 failed in 0.01s ===\nnox > Session tests failed.\n",
            Refuted,
        ),
    ]);
    let judged = judge_as(&bare("tox"), Tests, 1, lint);
    assert_eq!(judged.outcome, Unknown, "an environment failed, and it was not the tests");
}

#[test]
fn scripts_and_targets_are_judged_by_what_they_ran() {
    const JEST: &str = "Test Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\nSnapshots:   0 total\n";
    let fail: &'static str = Box::leak(JEST.replace("2 passed, 2", "1 failed, 1 passed, 2").into_boxed_str());
    assert_cases(&[
        ("npm test", Tests, 0, JEST, Confirmed),
        ("npm test", Tests, 1, fail, Refuted),
        (
            "make test",
            Tests,
            2,
            "cargo test\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.15s\n\nerror: test failed, to rerun pass `--lib`\nmake: *** [Makefile:3: test] Error 101\n",
            Refuted,
        ),
        ("make test", Tests, 0, "=== 2 passed in 0.01s ===\n", Confirmed),
        ("make test", Tests, 2, "=== 2 passed in 0.01s ===\nmake: *** [Makefile:4: test] Error 1\n", Unknown),
        ("make -i test", Tests, 0, "=== 1 failed in 0.01s ===\nmake: [Makefile:3: test] Error 1 (ignored)\n", Refuted),
        ("make test", Tests, 0, "./run-tests.sh\nall good\n", Unknown),
        ("make test", Tests, 2, "./run-tests.sh\nmake: *** [Makefile:3: test] Error 1\n", Unknown),
        ("just test", Tests, 0, "=== 2 passed in 0.01s ===\n", Confirmed),
        ("npm run lint", Lint, 0, "\n> demo@1.0.0 lint\n> run-linter\n\n", Unknown),
        ("npm run lint", Lint, 1, "\n✖ 2 problems (1 error, 1 warning)\n", Refuted),
        (
            "npm run typecheck",
            Typecheck,
            2,
            "a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.\n",
            Refuted,
        ),
        ("npm run build", Build, 2, "\n> demo@1.0.0 build\n> build-it\n\nboom\n", Refuted),
        ("yarn build", Build, 0, "", Confirmed),
        // Two runners: which of them the script's status is, nobody says.
        (
            "npm test",
            Tests,
            0,
            "=== 2 passed in 0.01s ===\nTest Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\n",
            Unknown,
        ),
    ]);
    let judged = judge_as(&bare("npm test"), Tests, 1, fail);
    assert_eq!((judged.inner, judged.own_exit), (Some("jest"), Some(1)));
    // Several runs of one runner add up.
    let twice = format!("{JEST}{JEST}");
    assert_eq!(judge_as(&bare("npm test --workspaces"), Tests, 0, &twice).counts.unwrap().passed, Some(4));
    let masked = judge_as(&bare("npm test").masked(), Tests, 0, fail);
    assert_eq!((masked.outcome, masked.basis), (Refuted, Some(Basis::Summary)));
}

#[test]
fn a_pass_says_that_something_ran() {
    let judged = judge_as(&bare("go test ./..."), Tests, 0, "ok  \texample.com/demo\t0.003s\n");
    assert_eq!(judged.executed, Executed::Some);
}
