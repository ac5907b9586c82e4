//! A statement in a few lines: the gate, the result, the bundle's hash, a row for each producer.

use serde_json::Value;

use crate::bundle::statement::Statement;

const DIGEST: usize = 12;

/// `gate`, `result`, `bundle`, then the rows.
pub fn text(statement: &Statement) -> String {
    let gate = match statement.gate_passed() {
        Some(true) => "passed",
        Some(false) => "not passed",
        None => "nothing was required",
    };
    let words = statement.deeds()["words"].as_str().map(|words| format!("  ({words})")).unwrap_or_default();
    let mut out = format!("gate    {gate}\nresult  {}{words}\nbundle  {}\n", statement.result(), statement.hash);
    let width = |key: &str| {
        let of = |item: &Value| item[key].as_str().unwrap_or_default().chars().count();
        statement.items().iter().map(of).max().unwrap_or(0)
    };
    let (names, kinds) = (width("name"), width("kind"));
    for item in statement.items() {
        let required = if item["required"] == true { "required" } else { "advisory" };
        let passed = if item["passed"] == true { "pass" } else { "fail" };
        out.push_str(&format!(
            "  {:names$}  {:kinds$}  {required}  {passed}  {:<11}  {}{}\n",
            item["name"].as_str().unwrap_or_default(),
            item["kind"].as_str().unwrap_or_default(),
            ending(item),
            stream(&item["stdout"]),
            extra(item),
        ));
    }
    out
}

fn ending(item: &Value) -> String {
    if let Some(code) = item["exit"].as_i64() {
        return format!("exit {code}");
    }
    if let Some(signal) = item["signal"].as_i64() {
        return format!("signal {signal}");
    }
    if item["timedOut"] == true { "timed out".into() } else { "not started".into() }
}

/// `1234 B+ 3f2a…`: a plus where the middle is not kept.
fn stream(stream: &Value) -> String {
    let len = stream["len"].as_u64().unwrap_or(0);
    let digest = stream["sha256"].as_str().unwrap_or_default();
    let kept = match stream["kept"].as_str() {
        Some("head_and_tail") => "+",
        Some("none") => " (bytes not kept)",
        _ => "",
    };
    format!("{len} B{kept}  {}", digest.get(..DIGEST).unwrap_or(digest))
}

fn extra(item: &Value) -> String {
    let mut extra = String::new();
    if item["stderr"]["len"].as_u64().is_some_and(|len| len > 0) {
        extra.push_str(&format!("  stderr {}", stream(&item["stderr"])));
    }
    if item["redacted"].as_u64().is_some_and(|count| count > 0) {
        extra.push_str(&format!("  redacted {}", item["redacted"]));
    }
    if item.get("contentCredential").is_some_and(Value::is_null) {
        extra.push_str("  no content credential");
    }
    if item["moved"] == true {
        extra.push_str("  files changed meanwhile");
    }
    if item["leftRunning"] == true {
        extra.push_str("  left a process running; its group was killed");
    }
    if let Some(why) = item["notStarted"].as_str() {
        extra.push_str(&format!("  {why}"));
    }
    extra
}
