//! `deeds judge --snapshot`: what is printed where, and with which exit.

use std::path::PathBuf;

use deeds::command::snapshot::{Source, run};
use deeds::error::Exit;
use serde_json::{Value, json};

const SUPPORTED: &str =
    r#"{"claims":[{"id":"c","requires":[{"evidenceId":"e"}]}],"evidence":[{"id":"e","outcome":"confirmed"}]}"#;

fn unsupported() -> String {
    SUPPORTED.replace("confirmed", "unknown")
}

fn contradicted() -> String {
    SUPPORTED.replace("confirmed", "refuted")
}

struct Printed {
    exit: Exit,
    out: String,
    err: String,
}

/// Runs on a file with these bytes.
fn judged(name: &str, bytes: &[u8], jsonl: bool) -> Printed {
    let path = std::env::temp_dir().join(format!("deeds-snapshot-{}-{name}", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = run(&Source::File(path.clone()), jsonl, &mut out, &mut err).unwrap();
    std::fs::remove_file(&path).unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(path.to_str().unwrap(), "FILE");
    Printed { exit, out: text(out), err: text(err) }
}

#[test]
fn the_exit_is_that_of_the_worst_verdict() {
    let nothing = r#"{"claims":[],"evidence":[]}"#.to_owned();
    for (name, input, exit) in [
        ("nothing", nothing, Exit::Holds),
        ("supported", SUPPORTED.to_owned(), Exit::Holds),
        ("unsupported", unsupported(), Exit::NotShown),
        ("contradicted", contradicted(), Exit::DoesNotHold),
    ] {
        let printed = judged(name, input.as_bytes(), false);
        assert_eq!((printed.exit, printed.err.as_str()), (exit, ""), "{input}");
        assert!(printed.out.starts_with("{\"claims\":[") && printed.out.ends_with("]}\n"), "{}", printed.out);
    }
}

#[test]
fn invalid_input_is_an_error_in_json_and_one_line_for_people() {
    let printed = judged("invalid", br#"{"claims":[{"id":"c","requires":[]}],"evidence":[]}"#, false);
    let message = "/claims/0/requires: a claim needs at least one requirement";
    let shown: Value = serde_json::from_str(&printed.out).unwrap();
    assert_eq!(shown, json!({"error": {"code": "invalid_input", "message": message, "at": "/claims/0/requires"}}));
    assert_eq!(printed.exit, Exit::Input);
    assert_eq!(printed.err, format!("deeds: judge: FILE: {message}\n"));
}

#[test]
fn a_character_that_does_not_show_is_warned_of_and_refuses_nothing() {
    let input = SUPPORTED.replace("\"e\"", "\"e\u{200b}\"");
    let printed = judged("invisible", input.as_bytes(), false);
    assert_eq!(printed.exit, Exit::Holds);
    let rule = "the identifier has a character that does not show; it is taken as it is";
    assert_eq!(
        printed.err,
        format!(
            "deeds: judge: FILE: /claims/0/requires/0/evidenceId: {rule}\ndeeds: judge: FILE: /evidence/0/id: {rule}\n"
        )
    );
    let printed = judged("invisible-lines", format!("{SUPPORTED}\n{input}\n").as_bytes(), true);
    assert!(
        printed.err.starts_with("deeds: judge: FILE: line 2: /claims/0/requires/0/evidenceId: "),
        "{}",
        printed.err
    );
}

#[test]
fn one_line_answers_one_line() {
    let lines = [SUPPORTED, "", &unsupported(), "  \r", "{", &contradicted(), "\u{feff}{}", SUPPORTED];
    for end in ["", "\n", "\r\n"] {
        let printed = judged("lines", format!("{}{end}", lines.join("\n")).as_bytes(), true);
        let words: Vec<String> = printed
            .out
            .lines()
            .map(|line| {
                let line: Value = serde_json::from_str(line).unwrap();
                line["claims"][0]["outcome"].as_str().unwrap_or("error").to_owned()
            })
            .collect();
        assert_eq!(words, ["supported", "unsupported", "error", "contradicted", "error", "supported"]);
        assert_eq!(printed.exit, Exit::Input);
        assert_eq!(printed.err, "deeds: judge: FILE: 2 of 8 lines are not valid input\n");
    }
    let valid = judged("valid-lines", format!("{SUPPORTED}\n{}\n{}\n", contradicted(), unsupported()).as_bytes(), true);
    assert_eq!((valid.exit, valid.err.as_str()), (Exit::DoesNotHold, ""));
    let empty = judged("no-lines", b"", true);
    assert_eq!((empty.exit, empty.out.as_str(), empty.err.as_str()), (Exit::Holds, "", ""));
}

#[test]
fn what_cannot_be_read_is_said_with_its_path() {
    let missing = PathBuf::from("/home/dev/demo/no-such-file.json");
    let error = run(&missing.into(), false, &mut Vec::new(), &mut Vec::new()).unwrap_err();
    assert_eq!(error.exit, Exit::Unable);
    assert!(error.message.contains("/home/dev/demo/no-such-file.json"), "{error}");
    assert_eq!("-".parse::<Source>(), Ok(Source::Stdin));
}
