//! Output that nobody foresaw: mutated, huge, cut anywhere. Never a panic, never an answer that the text does not carry.

use std::time::{Duration, Instant};

use deeds::records::invocation::View;
use deeds::records::outcome::{Outcome, Seen, judge_run};
use deeds::records::runners::{Check, recognise};

use super::{Invocation_, bare, check_of, fixtures, judge_as, tests};

/// A generator that is the same everywhere.
struct Seeded(u64);

impl Seeded {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below.max(1) as u64) as usize
    }
}

/// Changes a few bytes, drops a range, doubles one; what is no longer UTF-8 is replaced as the clients do.
fn mutated(output: &str, random: &mut Seeded) -> String {
    let mut bytes = output.as_bytes().to_vec();
    const ODD: &[&[u8]] =
        &[b"\n", b"\r", b"\x1b[", b"9999999999999999999999", "…é".as_bytes(), b": ", b"(", b"> ", b"\0", b" "];
    for _ in 0..=random.next(6) {
        let at = random.next(bytes.len() + 1);
        match random.next(4) {
            0 => drop(bytes.splice(at..at, ODD[random.next(ODD.len())].iter().copied())),
            1 if at < bytes.len() => bytes[at] = random.next(256) as u8,
            2 => bytes.truncate(at),
            _ => {
                let to = (at + random.next(80)).min(bytes.len());
                let piece = bytes[at..to].to_vec();
                let into = random.next(bytes.len() + 1);
                bytes.splice(into..into, piece);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn mutated_outputs_never_panic() {
    let fixtures = fixtures();
    let mut random = Seeded(0x5eed);
    let commands = [
        "npm test",
        "npm run lint",
        "npm run build",
        "make test",
        "make",
        "tox",
        "nox",
        "go test ./...",
        "go vet",
        "gofmt -l .",
        "rspec",
        "rails test",
        "phpunit",
        "pest",
        "mvn test",
        "mvn compile",
        "gradle build",
        "dotnet test",
        "dotnet build",
        "swift test",
        "swift build",
        "cmake --build b",
        "black --check .",
        "isort --check .",
        "prettier --check .",
        "biome ci",
        "oxlint",
        "golangci-lint run",
        "gotestsum",
        "flake8",
        "dotnet format --verify-no-changes",
        "pnpm build",
        "yarn test",
    ];
    for round in 0..4000 {
        let row = &fixtures[random.next(fixtures.len())];
        let output = mutated(&row.output, &mut random);
        let command = if round % 2 == 0 { row.command.as_str() } else { commands[random.next(commands.len())] };
        let command = command.split(" 2>&1").next().unwrap();
        let view = [View::Whole, View::Tail, View::Filtered, View::Hidden][random.next(4)];
        let invocation = bare(command).seen_through(view).foreign(random.next(2) == 0, random.next(2) == 0);
        let invocation = if random.next(2) == 0 { invocation.masked() } else { invocation };
        for recognised in recognise(&invocation) {
            let seen = Seen {
                recognised: &recognised,
                invocation: &invocation,
                line: &[],
                reported_exit: [Some(0), Some(1), Some(row.exit), None][random.next(4)],
                exit_reason: None,
                output: &output,
                output_cut: random.next(2) == 0,
            };
            let judged = judge_run(&seen);
            assert_eq!(judged.reason.is_some(), judged.outcome == Outcome::Unknown);
        }
    }
}

#[test]
fn an_output_cut_off_anywhere_is_never_a_pass_of_a_failure() {
    for row in fixtures().iter().filter(|r| r.outcome == "refuted" && r.check == "tests") {
        let invocation = bare(row.command.split(" 2>&1").next().unwrap()).masked();
        for end in (0..row.output.len()).step_by(3).filter(|n| row.output.is_char_boundary(*n)) {
            let recognised = super::one(&invocation, Check::Tests);
            let seen = Seen {
                recognised: &recognised,
                invocation: &invocation,
                line: &[],
                reported_exit: Some(0),
                exit_reason: None,
                output: &row.output[..end],
                output_cut: true,
            };
            assert_ne!(judge_run(&seen).outcome, Outcome::Confirmed, "{} cut at {end}", row.file);
        }
    }
}

#[test]
fn the_end_of_a_failure_is_never_a_pass() {
    for row in fixtures().iter().filter(|r| r.outcome == "refuted" && r.check == "tests") {
        let invocation = bare(row.command.split(" 2>&1").next().unwrap()).tailed();
        let lines: Vec<&str> = row.output.lines().collect();
        for keep in 0..=lines.len() {
            let output = lines[lines.len() - keep..].join("\n");
            let judged = tests(&invocation, 0, &output);
            assert_ne!(judged.outcome, Outcome::Confirmed, "{} tail -{keep}:\n{output}", row.file);
        }
    }
}

#[test]
fn the_end_of_nothing_is_never_a_pass() {
    // That of a threshold alone is one: the tests passed, and only the status says more.
    let nothing = |r: &&super::Fixture| r.outcome == "unknown" && r.check == "tests" && r.file != "pytest/coverage.txt";
    for row in fixtures().iter().filter(nothing) {
        let invocation = bare(&row.command).tailed();
        let lines: Vec<&str> = row.output.lines().collect();
        for keep in 0..=lines.len() {
            let output = lines[lines.len() - keep..].join("\n");
            assert_eq!(
                tests(&invocation, 0, &output).outcome,
                Outcome::Unknown,
                "{} tail -{keep}:\n{output}",
                row.file
            );
        }
    }
}

#[test]
fn one_runners_words_are_no_other_runners() {
    let fixtures = fixtures();
    for row in fixtures.iter().filter(|r| r.check == "tests" && r.outcome != "unknown") {
        if ["tox", "npm", "make", "django"].contains(&row.runner.as_str()) {
            continue;
        }
        // Under make, exactly one runner must be heard in each recorded output.
        let judged = tests(&bare("make test"), 0, &row.output);
        let runner =
            if row.runner == "cargo-test" && row.file.contains("compile") { continue } else { row.runner.as_str() };
        assert_ne!(judged.rule, "several runners", "{}: {judged:?}", row.file);
        assert_eq!(judged.inner, Some(runner), "{}: {judged:?}", row.file);
    }
    for row in fixtures.iter().filter(|r| ["lint", "typecheck", "format"].contains(&r.check.as_str())) {
        let name = match row.check.as_str() {
            "lint" => "make lint",
            "typecheck" => "make typecheck",
            _ => "make format-check",
        };
        let judged = judge_as(&bare(name), check_of(&row.check), 0, &row.output);
        assert_ne!(judged.rule, "several runners", "{}: {judged:?}", row.file);
    }
}

#[test]
fn time_is_linear_in_the_output() {
    // A megabyte of the lines that the readers look at most closely.
    let lines = "running 3 tests\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n1 failed, 2 passed in 0.1s\n  1 failed\n    a\n\u{1b}[31m> Task :test\u{1b}[0m\rTests: 1 failed\n";
    let output = lines.repeat(1024 * 1024 / lines.len());
    for command in ["cargo test", "pytest", "jest", "go test ./...", "rspec", "make test", "playwright test"] {
        let began = Instant::now();
        tests(&bare(command), 0, &output);
        assert!(began.elapsed() < Duration::from_secs(20), "{command}: {:?}", began.elapsed());
    }
    // Nesting that never closes.
    let open = "running 3 tests\n".repeat(300_000)
        + &"test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n".repeat(2_000);
    let began = Instant::now();
    tests(&bare("cargo test"), 0, &open);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[test]
fn a_cut_leaves_a_masked_pass_open_unless_the_total_follows_it() {
    let fixtures = fixtures();
    let pass = &fixtures.iter().find(|f| f.file == "pytest/pass.txt").unwrap().output;
    let masked = bare("pytest").masked();
    for mark in [
        "[deeds: 4096 bytes not kept]",
        "... [1200 characters truncated] ...",
        "[12 lines truncated]",
        "…3374 tokens truncated…",
        "… +12 lines",
        "... command output truncated for persistence ...",
    ] {
        assert_eq!(tests(&masked, 0, &format!("{mark}\n{pass}")).outcome, Outcome::Confirmed, "{mark}");
        let cut = format!("{pass}{mark}\nmore\n");
        assert_eq!(tests(&masked, 0, &cut).outcome, Outcome::Unknown, "{mark}");
    }
    let claude = format!("... [20012 characters truncated] ...\n{pass}");
    assert_eq!(tests(&masked, 0, &claude).outcome, Outcome::Unknown, "the client lost the true end");
}
