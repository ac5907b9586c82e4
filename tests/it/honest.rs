//! No false accusation: every labelled message is judged, in process, over a session in which its claims are true, and
//! every message without claims over sessions in which checks failed, passed, or were not run. Nothing is contradicted.

use std::collections::BTreeSet;

use deeds::claims::message::message_claims;
use deeds::claims::verdict::{Verdict, judge_claims};
use deeds::records::need::Moment;
use deeds::records::story::{Scope, Story};
use deeds::records::subject::Wanted;
use serde_json::{Value, json};

const ROOT: &str = "/home/dev/demo";
const TREE: &str = "c189ad1e9273cee29fc94e7eafa4b3e2f08c31a1";

/// A session's entries, made as the hook writes them.
struct Played {
    story: Story,
    scope: Scope,
    seq: u64,
    head: String,
    /// Where origin/main is, if not where HEAD is.
    remote: Option<String>,
    /// `main.rs` is not as it was committed.
    dirty: bool,
}

impl Played {
    fn start() -> Played {
        let mut played = Played {
            story: Story::default(),
            scope: Scope::Session("s".into()),
            seq: 0,
            head: "2a89bd222dbb513f1c91dee3ce609d2ad56e4d23".into(),
            remote: None,
            dirty: false,
        };
        let context = played.context();
        played.add("session", json!({"event": "SessionStart", "client": "claude", "context": context}));
        played.add("session", json!({"event": "TurnBegan"}));
        played
    }

    fn context(&self) -> Value {
        json!({"root": ROOT, "cwd": ROOT, "head": self.head, "branch": "main"})
    }

    fn remote(&self) -> &str {
        self.remote.as_deref().unwrap_or(&self.head)
    }

    fn changed(&self) -> Value {
        if self.dirty { json!([{"path": "main.rs", "status": "M", "sha256": "b"}]) } else { json!([]) }
    }

    fn add(&mut self, kind: &str, mut body: Value) {
        self.seq += 1;
        body["id"] = format!("{:032x}", self.seq).into();
        body["session_id"] = "s".into();
        body["observed_at"] = format!("2026-12-01T00:{:02}:{:02}.000Z", self.seq / 60, self.seq % 60).into();
        self.story.add(&self.scope, self.seq, kind, body);
    }

    fn evidence(&mut self, call: &str, kind: &str, payload: Value) {
        let host = payload["look"].is_string();
        let (trust, method) =
            if host { ("host_observed", "process_observation") } else { ("agent_adjacent", "hook_callback") };
        let mut payload = payload;
        payload["context"] = self.context();
        let source = json!({
            "sensor_name": "test", "trust_class": trust, "collected_at": "2026-12-01T00:00:00.000Z", "collection_method": method,
            "collector_version": "1", "freshness": {"clock_source": "host_clock"}, "tamper_boundary": {"description": "test"},
        });
        let body = json!({"source_event_id": call, "kind": kind, "payload": payload, "provenance": "claude:1:PostToolUse:Bash#test", "source": source});
        self.add("evidence", body);
    }

    fn bash(&mut self, command: &str, output: &str, code: i32) {
        let call = format!("call{}", self.seq);
        let basis = if code == 0 { "event" } else { "text" };
        self.evidence(&call, "exit_code", json!({"command": command, "cwd": ROOT, "exit_code": code, "exit_basis": basis, "output": output, "output_len": output.len(), "output_cut": false}));
        let look = json!({"look": "worktree", "tree": TREE, "head": self.head, "changed": self.changed(), "changed_cut": false, "clean": !self.dirty});
        self.evidence(&call, "process_observation", look);
        let look = json!({"look": "git", "head": self.head, "branch": "main", "upstream": null, "clean": !self.dirty, "remotes": {"origin/main": self.remote()}});
        self.evidence(&call, "process_observation", look);
    }

    fn commit(&mut self, hash: &str) {
        self.head = format!("{hash}{}", "0".repeat(40 - hash.len().min(40)));
        let output = format!("[main {}] work\n 1 file changed, 1 insertion(+)", hash);
        self.bash("git commit -m work", &output, 0);
    }

    fn push(&mut self, branch: &str) {
        let output = format!("To github.com:x/y.git\n   8003700..54de2ce  {branch} -> {branch}");
        self.bash(&format!("git push origin {branch}"), &output, 0);
    }

    fn edit(&mut self, path: &str, change: &str) {
        let call = format!("edit{}", self.seq);
        let full = format!("{ROOT}/{path}");
        self.evidence(&call, "file_diff", json!({"tool": "Write", "path": full, "change": change, "failed": false, "before": {"sha256": "a"}, "after": {"sha256": "b"}}));
        let look = if change == "removed" {
            json!({"look": "file", "path": full, "exists": false})
        } else {
            json!({"look": "file", "path": full, "exists": true, "same": true, "sha256": "b"})
        };
        self.evidence(&call, "process_observation", look);
    }

    /// The verdicts on a message that ends the session now.
    fn judge(mut self, message: &str) -> Vec<Verdict> {
        self.story.finish();
        let read = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let checks = self.story.checks(&[], false, &read);
        let worktree = json!({"look": "worktree", "tree": TREE, "head": self.head, "changed": self.changed(), "clean": !self.dirty});
        let git = json!({"look": "git", "head": self.head, "branch": "main", "clean": !self.dirty, "remotes": {"origin/main": self.remote()}});
        let moment = Moment { until: None, worktree, git };
        let claims = message_claims(message, &Wanted::Tree(TREE.into()), &moment, &self.story, &checks);
        judge_claims(claims, &self.story, &checks).unwrap().0
    }
}

/// A run of a check: its command, what it prints, and its exit.
fn run_of(kind: &str, runner: Option<&str>, passed: u64, failed: u64, failing: &[String]) -> (String, String, i32) {
    let ok = failed == 0;
    let code = |bad: i32| if ok { 0 } else { bad };
    let total = passed + failed;
    let ran = |command: &str, output: String, bad: i32| (command.to_owned(), output, code(bad));
    let verdict = if ok { "ok" } else { "FAILED" };
    match (kind, runner.unwrap_or_default()) {
        ("tests", "pytest") => {
            let names: String =
                failing.iter().map(|name| format!("FAILED tests/test_a.py::{name} - assert 0\n")).collect();
            let counts = if ok { format!("{passed} passed") } else { format!("{failed} failed, {passed} passed") };
            ran("pytest", format!("{names}===== {counts} in 1.20s ====="), 1)
        }
        ("tests", "jest") => {
            let bad = if ok { String::new() } else { format!("{failed} failed, ") };
            ran("npx jest", format!("Tests:       {bad}{passed} passed, {total} total\nRan all test suites."), 1)
        }
        ("tests", "vitest") => {
            let bad = if ok { String::new() } else { format!("{failed} failed | ") };
            ran("npx vitest run", format!(" Test Files  1 passed (1)\n      Tests  {bad}{passed} passed ({total})"), 1)
        }
        ("tests", "go-test") => {
            let out = if ok {
                "ok  \tdemo\t0.012s".to_owned()
            } else {
                "--- FAIL: TestX (0.00s)\nFAIL\nFAIL\tdemo\t0.012s\nFAIL".to_owned()
            };
            ran("go test ./...", out, 1)
        }
        ("tests", _) => {
            let names: String = failing.iter().map(|name| format!("    {name}\n")).collect();
            let names = if ok { String::new() } else { format!("failures:\n{names}\n") };
            ran(
                "cargo test",
                format!(
                    "running {total} tests\n{names}test result: {verdict}. {passed} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"
                ),
                101,
            )
        }
        ("lint", "eslint") => {
            ran("npx eslint .", if ok { String::new() } else { "✖ 1 problem (1 error, 0 warnings)".into() }, 1)
        }
        ("lint", "ruff") => {
            ran("ruff check .", if ok { "All checks passed!".into() } else { "Found 5 errors.".into() }, 1)
        }
        ("lint", _) => ran(
            "cargo clippy -- -D warnings",
            if ok {
                "    Finished `dev` profile".into()
            } else {
                "error: could not compile `demo` (lib) due to 1 previous error".into()
            },
            101,
        ),
        ("typecheck", "mypy") => ran(
            "mypy .",
            if ok {
                "Success: no issues found in 3 source files".into()
            } else {
                "Found 1 error in 1 file (checked 3 source files)".into()
            },
            1,
        ),
        ("typecheck", "pyright") => ran("pyright", format!("{failed} errors, 0 warnings, 0 informations"), 1),
        ("typecheck", _) => {
            ran("npx tsc --noEmit", if ok { String::new() } else { "src/a.ts(1,1): error TS2322: no".into() }, 2)
        }
        ("format", "black") => {
            ran("black --check .", if ok { "All done!".into() } else { "would reformat a.py".into() }, 1)
        }
        ("format", "prettier") => ran(
            "npx prettier --check .",
            if ok {
                "All matched files use Prettier code style!".into()
            } else {
                "Checking formatting...\n[warn] a.js\n[warn] Code style issues found in the above file. Run Prettier with --write to fix.".into()
            },
            1,
        ),
        ("format", _) => {
            ran("cargo fmt --check", if ok { String::new() } else { "Diff in /home/dev/demo/src/lib.rs:1:".into() }, 1)
        }
        _ => ran(
            "cargo build",
            if ok {
                "    Finished `dev` profile".into()
            } else {
                "error: could not compile `demo` (lib) due to 1 previous error".into()
            },
            101,
        ),
    }
}

fn number(claim: &Value, which: &str) -> Option<u64> {
    claim["count"][which].as_u64()
}

/// A failing test as the words name it: by its name in backticks, else by all of them.
fn failing_name(words: &str) -> String {
    let name = words.split('`').nth(1).unwrap_or(words).to_lowercase();
    name.replace(|c: char| !c.is_alphanumeric(), "_")
}

/// The session that makes the labels true.
fn true_session(claims: &[Value]) -> Played {
    let mut played = Played::start();
    for claim in claims.iter().filter(|c| c["kind"] == "file" && c["says"] == "done") {
        let words = claim["span"].as_str().unwrap().to_lowercase();
        let object = claim["object"].as_str().unwrap().trim_start_matches("./");
        let change = if words.contains("delet") || words.contains("remov") {
            "removed"
        } else if words.contains("creat") {
            "created"
        } else {
            "changed"
        };
        played.edit(object, change);
    }
    for kind in ["format", "lint", "typecheck", "build", "tests"] {
        let runners: BTreeSet<Option<&str>> =
            claims.iter().filter(|c| c["kind"] == kind).map(|c| c["runner"].as_str()).collect();
        // Without a name beside it, a claim is about the runs that the other claims name.
        let named: Vec<Option<&str>> = runners.iter().copied().filter(Option::is_some).collect();
        let runners = if named.is_empty() { runners.into_iter().collect() } else { named };
        for runner in runners {
            let of = |says: &str| {
                let said = says.to_owned();
                claims.iter().filter(move |c| {
                    c["kind"] == kind && c["says"] == said && (c["runner"].is_null() || c["runner"].as_str() == runner)
                })
            };
            let excepted = of("pass").filter_map(|c| number(c, "failed")).max().filter(|n| *n > 0);
            let except = of("pass").any(|c| {
                let words = c["span"].as_str().unwrap().to_lowercase();
                c["scope"] == "part" && ["except", "apart from", "but ", "other than"].iter().any(|w| words.contains(w))
            });
            let fails = of("fail").next().is_some() || excepted.is_some() || except;
            let passes = of("pass").next().is_some() || of("done").next().is_some();
            if !fails && !passes {
                continue;
            }
            let passed = of("pass").chain(of("fail")).filter_map(|c| number(c, "passed")).max().unwrap_or(3);
            let failed = of("fail").filter_map(|c| number(c, "failed")).max().or(excepted).unwrap_or(1);
            let failing: Vec<String> = of("fail").map(|c| failing_name(c["span"].as_str().unwrap())).collect();
            let (command, output, code) = run_of(kind, runner, passed, if fails { failed } else { 0 }, &failing);
            // What was not run leaves only a part that was.
            let partly = kind == "tests" && claims.iter().any(|c| c["kind"] == kind && c["says"] == "not_done");
            let command = if partly { format!("{command} some_part") } else { command };
            played.bash(&command, &output, code);
        }
    }
    for claim in claims.iter().filter(|c| c["says"] == "done") {
        match claim["kind"].as_str() {
            Some("commit") => played.commit(claim["object"].as_str().unwrap_or("abc1234")),
            Some("push") => {
                let object = claim["object"].as_str().unwrap_or("main");
                let branch =
                    object.split_once('/').filter(|(remote, _)| *remote == "origin").map_or(object, |(_, name)| name);
                played.push(branch);
            }
            _ => {}
        }
    }
    played
}

/// Everything was run, and failed or passed.
fn whole_session(failed: u64) -> Played {
    let mut played = Played::start();
    played.edit("src/other.rs", "changed");
    for (kind, runner) in [
        ("tests", "cargo-test"),
        ("tests", "pytest"),
        ("tests", "jest"),
        ("tests", "vitest"),
        ("tests", "go-test"),
        ("lint", "clippy"),
        ("lint", "eslint"),
        ("lint", "ruff"),
        ("typecheck", "mypy"),
        ("typecheck", "tsc"),
        ("format", "cargo-fmt"),
        ("format", "black"),
        ("build", "cargo-build"),
    ] {
        let (command, output, code) = run_of(kind, Some(runner), 3, failed, &["tests::subs".to_owned()]);
        played.bash(&command, &output, code);
    }
    if failed == 0 {
        played.commit("abc1234");
        played.push("main");
    }
    played
}

fn messages() -> Vec<Value> {
    [
        include_str!("../fixtures/claims/messages.jsonl"),
        include_str!("../fixtures/claims/more.jsonl"),
        include_str!("../fixtures/claims/fresh.jsonl"),
        include_str!("../fixtures/claims/unseen.jsonl"),
        include_str!("../fixtures/claims/tester.jsonl"),
    ]
    .iter()
    .flat_map(|text| text.lines())
    .filter(|line| !line.trim().is_empty())
    .map(|line| serde_json::from_str(line).unwrap())
    .collect()
}

fn accusations(message: &Value, verdicts: &[Verdict], wrong: &mut Vec<String>) {
    for verdict in verdicts.iter().filter(|verdict| verdict.is_contradicted()) {
        wrong.push(format!("{}: {}", message["id"], deeds::claims::render::line(verdict)));
    }
}

#[test]
fn what_the_session_bears_out_is_never_contradicted() {
    let mut wrong = Vec::new();
    let (mut supported, mut all) = (0, 0);
    for message in messages() {
        let claims = message["claims"].as_array().unwrap();
        if claims.is_empty() {
            continue;
        }
        let verdicts = true_session(claims).judge(message["text"].as_str().unwrap());
        accusations(&message, &verdicts, &mut wrong);
        all += verdicts.len();
        supported += verdicts.iter().filter(|verdict| verdict.is_supported()).count();
    }
    println!("{supported} of {all} claims supported");
    assert_eq!(wrong, [] as [String; 0]);
    // What was not done is never more than not shown; the rest is mostly supported, so the sessions are about the claims.
    assert!(supported * 10 >= all * 6, "{supported} of {all} supported");
}

#[test]
fn a_message_without_claims_is_never_contradicted() {
    let mut wrong = Vec::new();
    for message in messages().iter().filter(|message| message["claims"].as_array().unwrap().is_empty()) {
        let text = message["text"].as_str().unwrap();
        // Where nothing is read, nothing is judged.
        if deeds::claims::text::claims(text).is_empty() {
            continue;
        }
        for session in [Played::start(), whole_session(0), whole_session(1)] {
            accusations(message, &session.judge(text), &mut wrong);
        }
    }
    assert_eq!(wrong, [] as [String; 0]);
}

#[test]
fn what_was_not_run_elsewhere_may_have_been_run_here() {
    for message in [
        "I did not run the tests on Windows.",
        "I have not run the suite with Node 18.",
        "The tests were not run against Postgres.",
        "I could not build it on ARM.",
        "I could not build it for Windows.",
        "I ran no tests in release mode.",
        "clippy was not run with `--all-features`.",
        "All tests pass on stable, and fail on nightly.",
        "The tests pass in the container.",
    ] {
        for failed in [0, 1] {
            let verdicts = whole_session(failed).judge(message);
            let mut wrong = Vec::new();
            accusations(&json!({"id": message}), &verdicts, &mut wrong);
            assert_eq!(wrong, [] as [String; 0]);
        }
    }
}

#[test]
fn the_played_sessions_can_contradict() {
    let contradicted = |session: Played, message: &str| session.judge(message).iter().any(Verdict::is_contradicted);
    for message in
        ["All tests pass.", "clippy is clean.", "The build passes.", "`pytest` passes.", "mypy reports no errors."]
    {
        assert!(contradicted(whole_session(1), message), "{message}");
        assert!(!contradicted(whole_session(0), message), "{message}");
    }
    assert!(contradicted(whole_session(0), "I did not run the tests."));
    assert!(contradicted(whole_session(0), "I have not committed anything."));
}

/// A session by its name in `honest.tsv` and `lies.tsv`.
fn named_session(state: &str) -> Played {
    let mut played = Played::start();
    let run = |kind: &str, runner: &str, failed: u64, played: &mut Played| {
        let (command, output, code) = run_of(kind, Some(runner), 3 - failed, failed, &["tests::subs".to_owned()]);
        played.bash(&command, &output, code);
    };
    let tests = |failed: u64, played: &mut Played| run("tests", "cargo-test", failed, played);
    match state {
        "failing" => {
            played.edit("main.rs", "changed");
            tests(1, &mut played);
        }
        "mended" => {
            tests(1, &mut played);
            played.edit("main.rs", "changed");
            tests(0, &mut played);
        }
        "done" | "open" => {
            played.edit("main.rs", "changed");
            tests(0, &mut played);
            if state == "done" {
                played.commit("abc1234");
                played.push("main");
            }
        }
        "unclean" | "cleaned" => {
            played.edit("main.rs", "changed");
            let checks = [("lint", "eslint"), ("typecheck", "tsc"), ("format", "prettier"), ("lint", "ruff")];
            for failed in if state == "unclean" { 1..=1 } else { 0..=1 }.rev() {
                for (kind, runner) in checks {
                    run(kind, runner, failed, &mut played);
                }
            }
            if state == "cleaned" {
                run("build", "cargo-build", 0, &mut played);
                run("tests", "cargo-test", 0, &mut played);
            }
        }
        // What passes without an option fails with it, on the same files.
        "stricter" => {
            played.edit("main.rs", "changed");
            tests(0, &mut played);
            let (_, output, code) = run_of("tests", Some("cargo-test"), 2, 1, &["tests::subs".to_owned()]);
            played.bash("cargo test --release", &output, code);
            let warned =
                "warning: needless return\nwarning: `demo` (lib) generated 1 warning\n    Finished `dev` profile";
            played.bash("cargo clippy", warned, 0);
            run("lint", "clippy", 1, &mut played);
        }
        "unbuilt" => {
            played.edit("main.rs", "changed");
            run("build", "cargo-build", 1, &mut played);
        }
        "refused" => {
            played.edit("main.rs", "changed");
            played.dirty = true;
            played.bash("git commit -am work", "no", 1);
        }
        "rejected" => {
            played.edit("main.rs", "changed");
            played.remote = Some(played.head.clone());
            played.commit("abc1234");
            let told = " ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'x'";
            played.bash("git push origin main", &format!("To github.com:x/y.git\n{told}"), 1);
        }
        other => panic!("no such state: {other}"),
    }
    played
}

/// The lines of a table of states and messages; `\n` is a line break.
fn rows(table: &str) -> Vec<(&str, String)> {
    let lines = table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split_once('\t').unwrap());
    lines.map(|(state, message)| (state, message.replace("\\n", "\n"))).collect()
}

#[test]
fn what_an_honest_sentence_takes_back_is_never_contradicted() {
    let mut wrong = Vec::new();
    for (state, message) in rows(include_str!("../fixtures/claims/honest.tsv")) {
        for verdict in named_session(state).judge(&message).iter().filter(|verdict| verdict.is_contradicted()) {
            wrong.push(format!("{state}: {message}\n    {}", deeds::claims::render::line(verdict)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_plain_lie_is_contradicted() {
    for (state, message) in rows(include_str!("../fixtures/claims/lies.tsv")) {
        let verdicts = named_session(state).judge(&message);
        let lines: Vec<String> = verdicts.iter().map(deeds::claims::render::line).collect();
        assert!(verdicts.iter().any(Verdict::is_contradicted), "{state}: {message}\n    {}", lines.join("\n    "));
    }
}
