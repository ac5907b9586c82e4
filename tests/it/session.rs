//! A session of Claude Code as its hook sees it, played in a sandbox: edits are done, git is run, the rest is told.

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox, finish};

pub const CARGO_PASS: &str = "\
    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.02s
     Running unittests src/lib.rs (target/debug/deps/demo-abc)

running 3 tests
test tests::adds ... ok
test tests::subs ... ok
test tests::muls ... ok

test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";

pub const CARGO_FAIL: &str = "\
   Compiling demo v0.1.0 (/home/dev/demo)
     Running unittests src/lib.rs (target/debug/deps/demo-abc)

running 3 tests
test tests::adds ... ok
test tests::subs ... FAILED
test tests::muls ... ok

failures:

---- tests::subs stdout ----
thread 'tests::subs' panicked at src/lib.rs:14:9:
assertion `left == right` failed
  left: 1
 right: 2


failures:
    tests::subs

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `--lib`";

/// The end of a failing run, as `tail -5` lets it through.
pub const CARGO_FAIL_TAIL: &str = "\
failures:
    tests::subs

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `--lib`";

pub struct Session<'a> {
    pub sandbox: &'a Sandbox,
    pub id: &'static str,
    calls: u32,
    prompts: u32,
}

impl<'a> Session<'a> {
    /// A session that has just started, in a repository with `src/a.rs`.
    pub fn start(sandbox: &'a Sandbox) -> Session<'a> {
        Session::start_as(sandbox, "5e551011-0000-4000-8000-000000000001")
    }

    pub fn start_as(sandbox: &'a Sandbox, id: &'static str) -> Session<'a> {
        let mut session = Session { sandbox, id, calls: 0, prompts: 0 };
        session.hook("SessionStart", json!({"source": "startup"}));
        session.prompt();
        session
    }

    pub fn prompt(&mut self) {
        self.prompts += 1;
        self.hook("UserPromptSubmit", json!({"prompt": "please do the thing"}));
    }

    /// One payload to the hook, which must accept it.
    pub fn hook(&mut self, event: &str, body: Value) -> Ran {
        let mut payload = json!({
            "session_id": self.id, "transcript_path": "/home/dev/.claude/projects/x/s.jsonl", "prompt_id": format!("p{}", self.prompts),
            "cwd": self.sandbox.project(), "permission_mode": "acceptEdits", "hook_event_name": event,
        });
        for (key, value) in body.as_object().unwrap() {
            payload[key] = value.clone();
        }
        let mut command = self.sandbox.deeds_command();
        command.env("CLAUDE_PROJECT_DIR", self.sandbox.project()).arg("hook");
        finish(&mut command, payload.to_string().as_bytes()).expect(0)
    }

    fn call(&mut self) -> String {
        self.calls += 1;
        format!("toolu_{:024}", self.calls)
    }

    /// A command that ended, as Claude Code tells it.
    pub fn bash(&mut self, command: &str, output: &str, code: i32) -> &mut Self {
        let call = self.call();
        let input = json!({"command": command});
        let told = if code == 0 {
            let response = json!({"stdout": output, "stderr": "", "interrupted": false, "isImage": false});
            self.hook(
                "PostToolUse",
                json!({"tool_name": "Bash", "tool_input": input, "tool_use_id": call, "tool_response": response}),
            )
        } else {
            let error = format!("Exit code {code}\n{output}");
            self.hook("PostToolUseFailure", json!({"tool_name": "Bash", "tool_input": input, "tool_use_id": call, "error": error, "is_interrupt": false}))
        };
        assert_eq!(told.stdout, "");
        self
    }

    /// Runs a command line for real under bash and tells how it went.
    pub fn really(&mut self, command: &str) -> &mut Self {
        let ran = finish(
            self.sandbox.command("bash", &self.sandbox.project()).args(["-c", &format!("{{ {command}\n}} 2>&1")]),
            b"",
        );
        self.bash(command, ran.stdout.trim_end(), ran.code.unwrap())
    }

    /// Writes a file and tells of it.
    pub fn edit(&mut self, path: &str, content: &str) -> &mut Self {
        let full = self.sandbox.project().join(path);
        let before = std::fs::read_to_string(&full).ok();
        self.sandbox.write(path, content);
        let call = self.call();
        let response = json!({
            "type": if before.is_some() { "update" } else { "create" }, "filePath": full, "content": content,
            "structuredPatch": [], "originalFile": before, "userModified": false,
        });
        let body = json!({"tool_name": "Write", "tool_use_id": call, "tool_input": {"file_path": full, "content": content}, "tool_response": response});
        self.hook("PostToolUse", body);
        self
    }

    /// The turn ends with these words; what the hook answers.
    pub fn stop(&mut self, message: &str) -> Ran {
        self.hook("Stop", json!({"stop_hook_active": false, "last_assistant_message": message, "background_tasks": []}))
    }

    /// What `deeds judge` makes of the last message: outcome and detail a claim.
    pub fn judged(&self) -> Vec<(String, String)> {
        let report = self.sandbox.deeds(&["judge", "--format", "json"]).json();
        report["claims"].as_array().unwrap().iter().map(row).collect()
    }

    /// The turn ends with these words: the outcome of the only claim in them, and its detail.
    #[track_caller]
    pub fn says(&mut self, message: &str) -> (String, String) {
        self.stop(message);
        // Whatever comes next is another turn's.
        self.prompt();
        let judged = self.judged();
        assert_eq!(judged.len(), 1, "{judged:?}");
        judged.into_iter().next().unwrap()
    }
}

fn row(claim: &Value) -> (String, String) {
    let outcome = match claim["reason"].as_str() {
        Some(reason) => reason.to_owned(),
        None => claim["outcome"].as_str().unwrap().to_owned(),
    };
    (outcome, claim["detail"].as_str().unwrap().to_owned())
}
