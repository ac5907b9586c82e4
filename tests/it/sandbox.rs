//! A place of its own for one test: a directory with its own home and state, a `deeds` that sees nothing of the machine's
//! environment, and git repositories that need no configuration. Removed when dropped.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// What a program did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// `None`: a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// Standard output, which must be JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Fails the test unless the exit code is `code`.
    #[track_caller]
    pub fn expect(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }
}

pub struct Sandbox {
    root: PathBuf,
}

impl Sandbox {
    /// A new sandbox with an empty home and an empty project folder.
    pub fn new() -> Sandbox {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        // Outside of every repository: the build directory is in one, and a project without git would be taken for it.
        let name = format!("deeds-it-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let root = std::env::temp_dir().join(name);
        std::fs::create_dir_all(root.join("home")).unwrap();
        std::fs::create_dir_all(root.join("project")).unwrap();
        Sandbox { root: root.canonicalize().unwrap() }
    }

    /// A new sandbox whose project is a git repository with one commit of `README.md` on `main`.
    pub fn with_repository() -> Sandbox {
        let sandbox = Sandbox::new();
        sandbox.init_repository(&sandbox.project());
        sandbox
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    pub fn state(&self) -> PathBuf {
        self.root.join("state")
    }

    /// Where `deeds` and `git` run.
    pub fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// Writes a file of the project, making its folders, and says where it is.
    pub fn write(&self, relative: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project().join(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub fn init_repository(&self, dir: &Path) {
        std::fs::create_dir_all(dir).unwrap();
        self.git_in(dir, &["init", "-q", "-b", "main"]);
        std::fs::write(dir.join("README.md"), "demo\n").unwrap();
        self.git_in(dir, &["add", "README.md"]);
        self.git_in(dir, &["commit", "-q", "-m", "first"]);
    }

    /// Runs git in the project; it must succeed. Says its output without the last newline.
    #[track_caller]
    pub fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.project(), args)
    }

    #[track_caller]
    pub fn git_in(&self, dir: &Path, args: &[&str]) -> String {
        let ran = finish(self.command("git", dir).args(args), b"");
        assert_eq!(ran.code, Some(0), "git {args:?}: {ran:?}");
        ran.stdout.trim_end().to_owned()
    }

    /// Runs `deeds` in the project.
    pub fn deeds(&self, args: &[&str]) -> Ran {
        self.deeds_with(args, b"")
    }

    /// Runs `deeds` in the project, with standard input.
    pub fn deeds_with(&self, args: &[&str], stdin: &[u8]) -> Ran {
        finish(self.deeds_command().args(args), stdin)
    }

    /// `deeds` in the project, to be given more arguments or variables.
    pub fn deeds_command(&self) -> Command {
        self.command(env!("CARGO_BIN_EXE_deeds"), &self.project())
    }

    /// A program in `dir` that sees the sandbox's home and state, and no variable of git, a client or deeds.
    pub fn command(&self, program: &str, dir: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(dir);
        let foreign = ["GIT_", "CLAUDE", "CODEX", "DEEDS", "XDG_", "NO_COLOR"];
        for (name, _) in std::env::vars_os() {
            if foreign.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
                command.env_remove(name);
            }
        }
        command
            .env("HOME", self.home())
            .env("XDG_STATE_HOME", self.state())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "Dev")
            .env("GIT_AUTHOR_EMAIL", "dev@example.org")
            .env("GIT_COMMITTER_NAME", "Dev")
            .env("GIT_COMMITTER_EMAIL", "dev@example.org");
        command
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // A test that failed has its own message; what stays is in the temporary folder.
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

/// Runs a command to its end with `stdin`.
pub fn finish(command: &mut Command, stdin: &[u8]) -> Ran {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = loop {
        match command.spawn() {
            Ok(child) => break child,
            // A program that was just copied is open in whatever another test has forked meanwhile and not yet started.
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
            Err(error) => panic!("{command:?}: {error}"),
        }
    };
    let mut pipe = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        // A program may end before it has read everything.
        scope.spawn(move || pipe.write_all(stdin));
        child.wait_with_output().unwrap()
    });
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
