//! The same guarantee as scripts give it: one writer at a time, and each entry with the SHA-256 of the one before. They
//! redact nothing, look at no repository and know no duplicate.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Case, ground};

const PYTHON: &str = r#"
import fcntl, hashlib, json, os, sys, time
event = json.load(sys.stdin)
with open("log.lock", "a") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    with open("log.jsonl", "ab+") as log:
        size = log.seek(0, os.SEEK_END)
        log.seek(max(0, size - 262144))
        lines = log.read().splitlines()
        prev = json.loads(lines[-1])["hash"] if lines else "0" * 64
        entry = {"prev": prev, "at": time.time(), "event": event}
        entry["hash"] = hashlib.sha256(json.dumps(entry).encode()).hexdigest()
        log.write(json.dumps(entry).encode() + b"\n")
"#;

const BASH: &str = r#"
event=$(jq -c .)
exec 9>>log.lock
flock 9
prev=$(tail -n 1 log.jsonl 2>/dev/null | jq -r .hash)
entry=$(jq -c --arg prev "${prev:-none}" --arg at "$(date +%s)" '{prev: $prev, at: $at, event: .}' <<<"$event")
hash=$(sha256sum <<<"$entry")
jq -c --arg hash "${hash%% *}" '. + {hash: $hash}' <<<"$entry" >>log.jsonl
"#;

// Node has no lock of the operating system; a file that only one can make stands in for it.
const NODE: &str = r#"
const fs = require("fs"), crypto = require("crypto");
const event = JSON.parse(fs.readFileSync(0, "utf8"));
let lock;
while (lock === undefined) {
  try { lock = fs.openSync("log.lock", "wx"); } catch (error) { if (error.code !== "EEXIST") throw error; }
}
const log = fs.openSync("log.jsonl", "a+"), size = fs.fstatSync(log).size;
const tail = Buffer.alloc(Math.min(size, 262144));
fs.readSync(log, tail, 0, tail.length, size - tail.length);
const lines = tail.toString().trimEnd().split("\n");
const prev = size ? JSON.parse(lines[lines.length - 1]).hash : "0".repeat(64);
const entry = { prev, at: Date.now(), event };
entry.hash = crypto.createHash("sha256").update(JSON.stringify(entry)).digest("hex");
fs.writeSync(log, JSON.stringify(entry) + "\n");
fs.unlinkSync("log.lock");
"#;

// What one line of shell does: no lock, no chain, and torn lines where several write at once.
const SH: &str = "cat >>log.jsonl\n";

/// Hooks of others that are served as packages, and how each is called.
const PACKAGES: &[(&str, &str, &[&str])] = &[
    ("attestroot", "python3", &["-m", "attestroot.hooks.capture"]),
    ("agent-police-gate", "apgate", &["hook"]),
    ("azet-guard", "azet-guard", &["hook"]),
];

/// One case for each program that is installed, and for each package that can be.
pub fn cases(scratch: &Path) -> Vec<Case> {
    let python = says("python3", &["-c", "import sys; print(sys.executable)"]);
    let node = says("node", &["-p", "process.execPath"]);
    let bash = says("bash", &["-c", "command -v jq flock sha256sum >/dev/null && command -v bash"]);
    let sh = says("sh", &["-c", "command -v sh"]);
    let lock = |name: &str| format!("{name}, lock and chain, 10 KB");
    let found = [
        ("sh".to_owned() + ", append alone, 10 KB", sh, SH),
        (lock("bash + jq"), bash, BASH),
        (lock("python3"), python, PYTHON),
        (lock("node"), node, NODE),
    ];
    let scripts = found.into_iter().filter_map(|(title, program, script)| case(scratch, &title, &program?, script));
    scripts.chain(packages(scratch)).collect()
}

/// Installs what can be installed into an environment of its own.
fn packages(scratch: &Path) -> Vec<Case> {
    let place = scratch.join("packages");
    let runs =
        |program: &Path, args: &[&str]| Command::new(program).args(args).output().is_ok_and(|ran| ran.status.success());
    let made = runs(Path::new("python3"), &["-m", "venv", &place.display().to_string()]);
    let mut cases = Vec::new();
    for (package, program, args) in PACKAGES {
        if !made || !runs(&place.join("bin/pip"), &["install", "--quiet", package]) {
            println!("{package}: cannot be installed, not measured");
            continue;
        }
        let dir = ground::repository(&scratch.join(package));
        let cwd = dir.display().to_string();
        let input = move |n| ground::tool_use(n, 10_000, &cwd);
        cases.push(
            Case::new(&format!("{package}, 10 KB"), &place.join("bin").join(program), args, &dir, input).seldom(),
        );
    }
    cases
}

fn case(scratch: &Path, title: &str, program: &Path, script: &str) -> Option<Case> {
    let name: String = title.chars().filter(char::is_ascii_alphanumeric).collect();
    let dir = scratch.join(name);
    std::fs::create_dir_all(&dir).ok()?;
    let file = dir.join("append");
    std::fs::write(&file, script).ok()?;
    let cwd = dir.display().to_string();
    let args = [file.to_str()?];
    Some(Case::new(title, program, &args, &dir, move |n| ground::tool_use(n, 10_000, &cwd)).seldom())
}

/// The path that a program prints; `None` where it is not installed.
fn says(program: &str, args: &[&str]) -> Option<PathBuf> {
    let said = Command::new(program).args(args).output().ok().filter(|said| said.status.success())?;
    Some(PathBuf::from(String::from_utf8(said.stdout).ok()?.trim()))
}
