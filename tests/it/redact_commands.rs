//! Secrets that only their place on a command line gives away, from a table that holds as many honest lines: none reaches the
//! disk through the hook, and what is honest stays as it was typed.

use deeds::redact::{Where, redact};
use serde_json::json;

use crate::claude::{entries, hook, written};
use crate::sandbox::Sandbox;

/// The lines of one kind; `@@` is where a secret stands.
fn rows(kind: &str) -> Vec<String> {
    let table = include_str!("../fixtures/commands/secrets.tsv").lines();
    let of_kind = table.filter_map(|line| line.strip_prefix(kind)?.strip_prefix('\t'));
    let rows: Vec<String> = of_kind.map(|text| text.replace("\\n", "\n")).collect();
    assert!(rows.len() > 150, "{kind}: {}", rows.len());
    rows
}

/// A secret as people make them up, another one for each row.
fn secret(row: usize) -> String {
    format!("Hunt{row:03}erQx7")
}

#[test]
fn no_secret_of_a_command_line_reaches_the_disk() {
    let sandbox = Sandbox::with_repository();
    let rows = rows("secret");
    for (n, row) in rows.iter().enumerate() {
        let command = row.replace("@@", &secret(n));
        let payload = json!({"hook_event_name": "PostToolUse", "session_id": "s", "cwd": sandbox.project(), "tool_name": "Bash",
            "tool_use_id": format!("t{n}"), "tool_input": {"command": command}, "tool_response": {"stdout": "", "stderr": ""}});
        hook(&sandbox, payload.to_string().as_bytes()).expect(0);
    }
    let commands = entries(&sandbox).iter().filter(|entry| entry.body["payload"]["command"].is_string()).count();
    assert_eq!(commands, rows.len());
    let written: String = written(&sandbox).into_iter().map(|(_, text)| text).collect();
    let told: Vec<&String> =
        rows.iter().enumerate().filter(|(n, _)| written.contains(&secret(*n))).map(|(_, row)| row).collect();
    assert_eq!(told, [""; 0]);
}

#[test]
fn a_secret_goes_and_the_command_around_it_stays() {
    for (command, left) in [
        ("curl -u me:@@ https://h", "curl -u me:[REDACTED:credential] https://h"),
        ("curl -ume:@@ https://h", "curl -ume:[REDACTED:credential] https://h"),
        ("mysql -uroot -p'@@' app", "mysql -uroot -p'[REDACTED:credential]' app"),
        ("docker login -u me -p @@ r.io && pytest", "docker login -u me -p [REDACTED:credential] r.io && pytest"),
        ("echo '@@' | docker login --password-stdin", "echo '[REDACTED:credential]' | docker login --password-stdin"),
        ("bash -c \"DB_PASS=@@ pytest -q\"", "bash -c \"DB_PASS=[REDACTED:credential] pytest -q\""),
        ("curl -d '{\"password\": \"@@\"}' h", "curl -d '{\"password\": \"[REDACTED:credential]\"}' h"),
        ("vault login @@", "vault login [REDACTED:credential]"),
    ] {
        let once = redact(&command.replace("@@", &secret(7)), Where::Command).text.into_owned();
        assert_eq!(once, left);
        assert_eq!(redact(&once, Where::Command).count, 0, "{once}");
    }
}

#[test]
fn what_only_looks_like_a_secret_stays_as_it_was_typed() {
    for row in rows("honest") {
        assert_eq!(redact(&row, Where::Command).text, row);
    }
}
