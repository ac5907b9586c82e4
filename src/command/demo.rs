//! `deeds demo`: a short session, replayed through the real hook into a scratch ledger, and judged.
//!
//! The test output is a recorded one; the edit, the commit and the push that is rejected are done for real in a scratch
//! repository, so that the host has something to see.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::error::{Error, Exit, Result};

const SESSION: &str = "demo-session";

/// The last four lines of a failing `cargo test`, as cargo 1.95 prints them.
const TEST_OUTPUT: &str = "\
test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `--lib`
";

const MESSAGE: &str = "All tests pass. Committed and pushed.";

pub fn run(out: &mut dyn Write) -> Result<Exit> {
    let scratch = Scratch::new()?;
    let stage = Stage::set(&scratch.0)?;
    say(out, "A coding agent worked for a minute. This is what it did, as its client told the hook:\n\n")?;
    let before = "pub fn sub(a: i32, b: i32) -> i32 { a - b }\n";
    let after = "pub fn sub(a: i32, b: i32) -> i32 { b - a }\n";
    stage.hook("SessionStart", json!({"source": "startup"}))?;
    stage.write("src/lib.rs", after)?;
    stage.edit("src/lib.rs", before, after)?;
    say(out, "  edited   src/lib.rs\n")?;
    stage.bash(out, "cargo test 2>&1 | tail -4", TEST_OUTPUT, 0)?;
    stage.git(out, &["commit", "-am", "Mend sub"])?;
    stage.git(out, &["push", "origin", "main"])?;
    stage
        .hook("Stop", json!({"stop_hook_active": false, "last_assistant_message": MESSAGE, "background_tasks": []}))?;
    say(out, &format!("\nThen it said: \"{MESSAGE}\"\n\nWhat the ledger recorded (deeds log):\n\n"))?;
    say(out, &stage.deeds(&["log"])?)?;
    say(out, "\nThe words held against the deeds (deeds judge):\n\n")?;
    say(out, &stage.deeds(&["judge"])?)?;
    say(
        out,
        "\nThe tests were piped into tail, so the client saw exit 0; the runner's own words say otherwise.\n\
         The commit is there: the host looked. The push was rejected.\n\n\
         Next: cargo install --path . && deeds install claude (or codex), let it work, then ask `deeds judge`.\n",
    )?;
    Ok(Exit::Holds)
}

fn say(out: &mut dyn Write, text: &str) -> Result<()> {
    super::wrote(out.write_all(text.as_bytes()).and_then(|()| out.flush()), Exit::Holds).map(drop)
}

/// A directory that goes away with the demo.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Scratch> {
        let dir = std::env::temp_dir().join(format!("deeds-demo-{}", std::process::id()));
        std::fs::create_dir_all(&dir).map_err(|e| Error::io("create", &dir, e))?;
        Ok(Scratch(dir.canonicalize().unwrap_or(dir)))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The scratch repository, whose remote somebody else has pushed to.
struct Stage {
    home: PathBuf,
    project: PathBuf,
    deeds: PathBuf,
    calls: std::cell::Cell<u32>,
}

impl Stage {
    fn set(scratch: &Path) -> Result<Stage> {
        let deeds =
            std::env::current_exe().map_err(|e| Error::unable("io", format!("failed to find this program: {e}")))?;
        let stage =
            Stage { home: scratch.to_owned(), project: scratch.join("project"), deeds, calls: Default::default() };
        let remote = scratch.join("remote.git").display().to_string();
        std::fs::create_dir_all(&stage.project).map_err(|e| Error::io("create", &stage.project, e))?;
        stage.quiet(&["init", "-q", "-b", "main"])?;
        stage.quiet(&["init", "-q", "--bare", "-b", "main", &remote])?;
        for (key, value) in [("user.name", "Demo"), ("user.email", "demo@example.com"), ("commit.gpgsign", "false")] {
            stage.quiet(&["config", key, value])?;
        }
        stage.write("src/lib.rs", "pub fn sub(a: i32, b: i32) -> i32 { a - b }\n")?;
        stage.quiet(&["add", "-A"])?;
        stage.quiet(&["commit", "-qm", "Start"])?;
        stage.quiet(&["remote", "add", "origin", &remote])?;
        stage.write("theirs.txt", "somebody else's work\n")?;
        stage.quiet(&["add", "-A"])?;
        stage.quiet(&["commit", "-qm", "Somebody else's work"])?;
        stage.quiet(&["push", "-q", "-u", "origin", "main"])?;
        stage.quiet(&["reset", "-q", "--hard", "HEAD~1"])?;
        Ok(stage)
    }

    fn write(&self, path: &str, text: &str) -> Result<()> {
        let path = self.project.join(path);
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| std::fs::write(&path, text)).map_err(|e| Error::io("write", &path, e))
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.project).env("HOME", &self.home).env("XDG_STATE_HOME", self.home.join("state"));
        for (name, _) in std::env::vars_os() {
            let name_text = name.to_string_lossy();
            if ["GIT_", "CLAUDE", "DEEDS_"].iter().any(|prefix| name_text.starts_with(prefix)) {
                command.env_remove(&name);
            }
        }
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("LC_ALL", "C");
        command
    }

    fn quiet(&self, args: &[&str]) -> Result<()> {
        self.git_output(args).and_then(|(code, text)| match code {
            0 => Ok(()),
            code => Err(Error::unable("git", format!("git {} exited {code}: {}", args.join(" "), text.trim()))),
        })
    }

    fn git_output(&self, args: &[&str]) -> Result<(i32, String)> {
        let output = self.command(Path::new("git")).args(args).stdin(Stdio::null()).output();
        let output =
            output.map_err(|e| Error::unable("git", format!("failed to run git: {e}; the demo needs git on PATH")))?;
        let text = [output.stdout, output.stderr].concat();
        Ok((output.status.code().unwrap_or(1), String::from_utf8_lossy(&text).trim_end().to_owned()))
    }

    /// Runs git for real and tells the hook what it printed.
    fn git(&self, out: &mut dyn Write, args: &[&str]) -> Result<()> {
        let (code, text) = self.git_output(args)?;
        let quoted = args.iter().map(|a| if a.contains(' ') { format!("'{a}'") } else { (*a).to_owned() });
        let command = format!("git {}", quoted.collect::<Vec<_>>().join(" "));
        self.bash(out, &command, &text, code)
    }

    /// A shell command as Claude Code reports it: another event for a failure, no exit code for a success.
    fn bash(&self, out: &mut dyn Write, command: &str, output: &str, code: i32) -> Result<()> {
        let output = output.trim_end();
        let mut body = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": self.call()});
        if code == 0 {
            body["tool_response"] = json!({"stdout": output, "stderr": "", "interrupted": false, "isImage": false});
            self.hook("PostToolUse", body)?;
        } else {
            body["error"] = format!("Exit code {code}\n{output}").into();
            body["is_interrupt"] = false.into();
            self.hook("PostToolUseFailure", body)?;
        }
        say(out, &format!("  ran      {command:<28} status reported: {code}\n"))
    }

    fn edit(&self, path: &str, before: &str, after: &str) -> Result<()> {
        let path = self.project.join(path).display().to_string();
        let body = json!({
            "tool_name": "Write", "tool_use_id": self.call(), "tool_input": {"file_path": path, "content": after},
            "tool_response": {"type": "update", "filePath": path, "content": after, "originalFile": before,
                              "structuredPatch": [], "userModified": false}
        });
        self.hook("PostToolUse", body)
    }

    fn call(&self) -> String {
        self.calls.set(self.calls.get() + 1);
        format!("toolu_demo{:02}", self.calls.get())
    }

    fn hook(&self, event: &str, mut body: Value) -> Result<()> {
        body["hook_event_name"] = event.into();
        body["session_id"] = SESSION.into();
        body["prompt_id"] = "demo-prompt".into();
        body["cwd"] = self.project.display().to_string().into();
        body["transcript_path"] = self.home.join("transcript.jsonl").display().to_string().into();
        self.pipe(&["hook"], &body.to_string()).map(drop)
    }

    fn deeds(&self, args: &[&str]) -> Result<String> {
        self.pipe(args, "")
    }

    fn pipe(&self, args: &[&str], input: &str) -> Result<String> {
        let failed = |e: std::io::Error| Error::io("run", &self.deeds, e);
        let mut command = self.command(&self.deeds);
        let mut child = command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        if let Some(mut stdin) = child.stdin.take() {
            let _ = stdin.write_all(input.as_bytes());
        }
        let output = child.wait_with_output().map_err(failed)?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}
