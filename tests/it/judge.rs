//! The pure judge: every line of its contract, and what JSON does to it.

use std::time::{Duration, Instant};

use deeds::judge::{
    ClaimOutcome, ClaimRequirement, EvidenceClaim, EvidenceErrorCode, EvidenceOutcome, EvidenceRecord, Snapshot,
    UnsupportedReason, judge, judge_evidence, warnings,
};
use serde_json::{Value, json};

/// The verdict as it is printed.
fn verdict(input: &Value) -> String {
    serde_json::to_string(&judge_evidence(input.to_string().as_bytes()).unwrap()).unwrap()
}

/// Where the input is refused, and why.
fn refused(input: &str) -> (String, String) {
    let error = judge_evidence(input.as_bytes()).expect_err(input);
    assert_eq!(error.code, EvidenceErrorCode::InvalidInput);
    let shown = serde_json::to_value(&error).unwrap();
    assert_eq!(shown, json!({"code": "invalid_input", "message": error.to_string(), "at": error.at}));
    assert!(error.message.starts_with(if error.at.is_empty() { "the input: " } else { &error.at }), "{error}");
    (error.at.clone(), error.message)
}

fn accepted(input: &str) {
    if let Err(error) = judge_evidence(input.as_bytes()) {
        panic!("{error}: {}", &input[..input.len().min(200)]);
    }
}

/// One claim `c` with these requirements, on these records.
fn one(requires: Value, evidence: Value) -> String {
    verdict(&json!({"claims": [{"id": "c", "requires": requires}], "evidence": evidence}))
}

#[test]
fn a_requirement_is_met_by_a_confirmed_record_and_nothing_else() {
    let by = |outcome: &str| one(json!([{"evidenceId": "e"}]), json!([{"id": "e", "outcome": outcome}]));
    assert_eq!(by("confirmed"), r#"{"claims":[{"claimId":"c","outcome":"supported"}]}"#);
    assert_eq!(by("refuted"), r#"{"claims":[{"claimId":"c","outcome":"contradicted","evidenceId":"e"}]}"#);
    assert_eq!(
        by("unknown"),
        r#"{"claims":[{"claimId":"c","outcome":"unsupported","reason":"unconfirmed_evidence","evidenceId":"e"}]}"#
    );
    assert_eq!(
        one(json!([{"evidenceId": "e"}]), json!([{"id": "E", "outcome": "confirmed"}])),
        r#"{"claims":[{"claimId":"c","outcome":"unsupported","reason":"missing_evidence","evidenceId":"e"}]}"#
    );
}

#[test]
fn a_record_of_another_subject_neither_supports_nor_contradicts() {
    for outcome in ["confirmed", "refuted", "unknown"] {
        for record in [json!({"id": "e", "outcome": outcome, "subject": "B"}), json!({"id": "e", "outcome": outcome})] {
            assert_eq!(
                one(json!([{"evidenceId": "e", "subject": "b"}]), json!([record])),
                r#"{"claims":[{"claimId":"c","outcome":"unsupported","reason":"subject_mismatch","evidenceId":"e"}]}"#
            );
        }
    }
    let record = json!([{"id": "e", "outcome": "confirmed", "subject": " b"}]);
    assert_eq!(
        one(json!([{"evidenceId": "e", "subject": " b"}]), record.clone()),
        r#"{"claims":[{"claimId":"c","outcome":"supported"}]}"#
    );
    assert_eq!(one(json!([{"evidenceId": "e"}]), record), r#"{"claims":[{"claimId":"c","outcome":"supported"}]}"#);
}

#[test]
fn the_strongest_finding_decides_and_its_first_requirement_is_named() {
    let evidence = json!([
        {"id": "ok", "outcome": "confirmed"}, {"id": "unknown", "outcome": "unknown"}, {"id": "unknown2", "outcome": "unknown"},
        {"id": "other", "outcome": "refuted", "subject": "x"}, {"id": "other2", "outcome": "confirmed", "subject": "x"},
        {"id": "no", "outcome": "refuted"}, {"id": "no2", "outcome": "refuted"},
    ]);
    let at = |id: &str| {
        if id.starts_with("other") { json!({"evidenceId": id, "subject": "y"}) } else { json!({"evidenceId": id}) }
    };
    // From the weakest to the strongest; each is put in front of the stronger ones and must still lose.
    let classes = [["ok", "ok"], ["unknown", "unknown2"], ["missing", "missing2"], ["other", "other2"], ["no", "no2"]];
    let words = [
        (r#""supported""#, ""),
        (r#""unsupported""#, r#","reason":"unconfirmed_evidence""#),
        (r#""unsupported""#, r#","reason":"missing_evidence""#),
        (r#""unsupported""#, r#","reason":"subject_mismatch""#),
        (r#""contradicted""#, ""),
    ];
    for strongest in 1..classes.len() {
        let mut requires = vec![at("ok")];
        requires.extend(classes[1..=strongest].iter().flatten().map(|id| at(id)));
        let (outcome, reason) = words[strongest];
        let named = classes[strongest][0];
        let expected =
            format!(r#"{{"claims":[{{"claimId":"c","outcome":{outcome}{reason},"evidenceId":"{named}"}}]}}"#);
        assert_eq!(one(json!(requires), evidence.clone()), expected);
        requires.reverse();
        assert_eq!(
            one(json!(requires), evidence.clone()),
            expected.replace(&format!("\"{named}\""), &format!("\"{}\"", classes[strongest][1]))
        );
    }
}

#[test]
fn results_stand_in_the_order_of_the_claims_and_nothing_is_altered() {
    let ids = ["z", "a", " a", "a ", "é", "e\u{301}", "\u{85}", "\0", "\u{180e}", "\u{200b}"];
    let claims: Vec<Value> = ids.iter().map(|id| json!({"id": id, "requires": [{"evidenceId": id}]})).collect();
    let evidence: Vec<Value> = ids.iter().rev().map(|id| json!({"id": id, "outcome": "confirmed"})).collect();
    let out: Value = serde_json::from_str(&verdict(&json!({"claims": claims, "evidence": evidence}))).unwrap();
    let expected: Vec<Value> = ids.iter().map(|id| json!({"claimId": id, "outcome": "supported"})).collect();
    assert_eq!(out, json!({"claims": expected}));
}

#[test]
fn nothing_to_judge_is_a_verdict_without_claims() {
    assert_eq!(verdict(&json!({"claims": [], "evidence": []})), r#"{"claims":[]}"#);
    accepted(r#" { "evidence" : [ ] , "claims" : [ ] , "x" : { } } "#);
}

#[test]
fn unknown_keys_are_ignored_at_every_level() {
    accepted(
        r#"{"v":1,"claims":[{"id":"c","requires":[{"evidenceId":"e","why":[{}],"outcome":null}],"note":{"id":null}}],
            "evidence":[{"id":"e","outcome":"confirmed","requires":7,"":"","😀":-0.5e+3}],"Claims":null}"#,
    );
}

#[test]
fn what_the_contract_forbids_is_refused_with_its_place() {
    let record = r#"{"id":"e","outcome":"confirmed"}"#;
    for (claims, evidence, at, rule) in [
        ("null", "[]", "/claims", "an array"),
        ("{}", "[]", "/claims", "an array"),
        ("[]", "{}", "/evidence", "an array"),
        ("[[]]", "[]", "/claims/0", "an object"),
        (r#"["c"]"#, "[]", "/claims/0", "an object"),
        (r#"[{"requires":[{"evidenceId":"e"}]}]"#, "[]", "/claims/0", "`id`"),
        (r#"[{"id":"c"}]"#, "[]", "/claims/0", "`requires`"),
        (r#"[{"id":1,"requires":[{"evidenceId":"e"}]}]"#, "[]", "/claims/0/id", "a string"),
        (r#"[{"id":"","requires":[{"evidenceId":"e"}]}]"#, "[]", "/claims/0/id", "not white space"),
        (r#"[{"id":"\ufeff\u2003\t","requires":[{"evidenceId":"e"}]}]"#, "[]", "/claims/0/id", "not white space"),
        (r#"[{"id":"c","requires":[]}]"#, "[]", "/claims/0/requires", "at least one"),
        (r#"[{"id":"c","requires":{"evidenceId":"e"}}]"#, "[]", "/claims/0/requires", "an array"),
        (r#"[{"id":"c","requires":["e"]}]"#, "[]", "/claims/0/requires/0", "an object"),
        (r#"[{"id":"c","requires":[{}]}]"#, "[]", "/claims/0/requires/0", "`evidenceId`"),
        (r#"[{"id":"c","requires":[{"evidenceId":" "}]}]"#, "[]", "/claims/0/requires/0/evidenceId", "not white space"),
        (
            r#"[{"id":"c","requires":[{"evidenceId":"e","subject":null}]}]"#,
            "[]",
            "/claims/0/requires/0/subject",
            "a string",
        ),
        (
            r#"[{"id":"c","requires":[{"evidenceId":"e","subject":""}]}]"#,
            "[]",
            "/claims/0/requires/0/subject",
            "not white space",
        ),
        (
            r#"[{"id":"c","requires":[{"evidenceId":"e","subject":"x"},{"evidenceId":"e","subject":"y"}]}]"#,
            "[]",
            "/claims/0/requires/1/evidenceId",
            "twice",
        ),
        (
            r#"[{"id":"c","requires":[{"evidenceId":"e"}]},{"id":"c","requires":[{"evidenceId":"f"}]}]"#,
            "[]",
            "/claims/1/id",
            "/claims/0/id",
        ),
        ("[]", r#"[{"outcome":"confirmed"}]"#, "/evidence/0", "`id`"),
        ("[]", r#"[{"id":"e"}]"#, "/evidence/0", "`outcome`"),
        (
            "[]",
            r#"[{"id":"e","outcome":"Confirmed"}]"#,
            "/evidence/0/outcome",
            "\"confirmed\", \"refuted\" or \"unknown\"",
        ),
        ("[]", r#"[{"id":"e","outcome":true}]"#, "/evidence/0/outcome", "a string"),
        ("[]", r#"[{"id":"e","outcome":"unknown","subject":null}]"#, "/evidence/0/subject", "a string"),
        ("[]", r#"[{"id":"e","outcome":"unknown","subject":" "}]"#, "/evidence/0/subject", "not white space"),
        ("[]", r#"[RECORD,{"id":"f","outcome":"unknown"},RECORD]"#, "/evidence/2/id", "/evidence/0/id"),
    ] {
        let input = format!(r#"{{"claims":{claims},"evidence":{}}}"#, evidence.replace("RECORD", record));
        let (place, message) = refused(&input);
        assert_eq!(place, at, "{input}");
        assert!(message.contains(rule), "{input}: {message}");
    }
    for (input, rule) in [
        (r#"{"claims":[]}"#, "`evidence`"),
        (r#"{"evidence":[]}"#, "`claims`"),
        ("[[],[]]", "an object"),
        ("null", "an object"),
        (r#""claims""#, "an object"),
    ] {
        let (place, message) = refused(input);
        assert!(place.is_empty() && message.contains(rule), "{input}: {message}");
    }
}

#[test]
fn the_same_evidence_may_serve_several_claims_and_share_a_claims_name() {
    let input = json!({
        "claims": [{"id": "e", "requires": [{"evidenceId": "e"}]}, {"id": "d", "requires": [{"evidenceId": "e"}]}],
        "evidence": [{"id": "e", "outcome": "confirmed"}],
    });
    assert!(!verdict(&input).contains("unsupported"));
}

#[test]
fn what_is_not_json_is_refused_by_name() {
    for (input, rule) in [
        ("", "nothing to judge"),
        (" \n\t\r", "nothing to judge"),
        ("{", "ends before"),
        (r#"{"claims":[],"evidence":[]}x"#, "nothing may follow"),
        (r#"{"claims":[],"evidence":[]}{}"#, "nothing may follow"),
        (r#"{"claims":[],"evidence":[],}"#, "key must be a string"),
        (r#"{"claims":[,],"evidence":[]}"#, "value must stand here"),
        (r#"{"claims":[],"evidence":[1 2]}"#, "an object"),
        (r#"{"claims" [],"evidence":[]}"#, "`:`"),
        (r#"{'claims':[],"evidence":[]}"#, "key must be a string"),
        ("{\"claims\":[],\"evidence\":[],\"x\":\"\n\"}", "control character"),
        (r#"{"claims":[],"evidence":[],"x":"\x41"}"#, "escapes"),
        (r#"{"claims":[],"evidence":[],"x":"\u12g4"}"#, "four hexadecimal"),
        (r#"{"claims":[],"evidence":[],"x":"\u12"#, "four hexadecimal"),
        (r#"{"claims":[],"evidence":[],"x":"abc"#, "inside a string"),
        (r#"{"claims":[],"evidence":[],"x":"abc\"#, "escapes"),
        (r#"{"claims":[],"evidence":[],"x":nul}"#, "value must stand here"),
        (r#"{"claims":[],"evidence":[],"x":True}"#, "value must stand here"),
        (r#"{"claims":[],"evidence":[],"x":01}"#, "must go on with `,`"),
        (r#"{"claims":[],"evidence":[],"x":-}"#, "number"),
        (r#"{"claims":[],"evidence":[],"x":1.}"#, "number"),
        (r#"{"claims":[],"evidence":[],"x":.5}"#, "value must stand here"),
        (r#"{"claims":[],"evidence":[],"x":1e}"#, "number"),
        (r#"{"claims":[],"evidence":[],"x":+1}"#, "value must stand here"),
        (r#"{"claims":[],"evidence":[],"x":NaN}"#, "value must stand here"),
        ("\u{feff}{\"claims\":[],\"evidence\":[]}", "byte order mark"),
        ("{\"claims\":[],\u{a0}\"evidence\":[]}", "key must be a string"),
    ] {
        let message = refused(input).1;
        assert!(message.contains(rule), "{input:?}: {message}");
        assert!(message.contains("(byte "), "{input:?}: {message}");
    }
    for (input, rule) in [
        (&b"{\"claims\":[],\"evidence\":[],\"x\":\"\xff\"}"[..], "UTF-8 (byte 32)"),
        (b"\xed\xa0\x80", "UTF-8"),
        (b"\xff\xfe{\0}\0", "UTF-16"),
        (b"\xfe\xff\0{\0}", "UTF-16"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
    ] {
        let message = judge_evidence(input).unwrap_err().message;
        assert!(message.contains(rule), "{message}");
    }
}

/// The table of what derived readers and `serde_json::Value` get wrong.
#[test]
fn json_is_read_as_the_contract_says_and_not_as_serde_does() {
    let with = |member: &str| format!(r#"{{"claims":[],"evidence":[],{member}}}"#);
    // A duplicate key, at any depth and however it is written.
    for (input, at) in [
        (with(r#""claims":[]"#), "/claims"),
        (with(r#""\u0063laims":[]"#), "/claims"),
        (with(r#""x":{"a":{"b":[{"id":1,"id":1}]}}"#), ""),
        (with(r#""x":1,"x":1"#), ""),
        (r#"{"claims":[{"id":"a","id":"b","requires":[{"evidenceId":"e"}]}],"evidence":[]}"#.into(), "/claims/0/id"),
        (r#"{"claims":[],"evidence":[{"id":"a","x":[{"k":1,"k":2}],"outcome":"unknown"}]}"#.into(), "/evidence/0"),
        (
            with(&format!(
                "\"x\":{{{},\"k7\":0}}",
                (0..40).map(|n| format!("\"k{n}\":0")).collect::<Vec<_>>().join(",")
            )),
            "",
        ),
    ] {
        let (place, message) = refused(&input);
        assert_eq!(place, at, "{input}");
        assert!(message.contains("same key twice"), "{message}");
    }
    // Half a surrogate pair, wherever it stands; a whole pair is one character.
    for text in [
        r#""\ud800""#,
        r#""\udc00""#,
        r#""a\ud83dx""#,
        r#""\ud83d\u0041""#,
        r#""\ud83d\ud83d""#,
        r#"{"\udfff":1}"#,
        r#""\ud83d\n""#,
    ] {
        let message = refused(&with(&format!("\"x\":{text}"))).1;
        assert!(message.contains("half a surrogate pair"), "{text}: {message}");
    }
    let pair = r#"{"claims":[{"id":"\ud83d\ude00","requires":[{"evidenceId":"😀"}]}],"evidence":[{"id":"\uD83D\uDE00","outcome":"confirmed"}]}"#;
    let out = serde_json::to_string(&judge_evidence(pair.as_bytes()).unwrap()).unwrap();
    assert_eq!(out, r#"{"claims":[{"claimId":"😀","outcome":"supported"}]}"#);
    // Numbers of any size, and 1,000 levels but no more.
    accepted(&with(r#""x":[1e400,-1e-400,123456789012345678901234567890,0.0e0]"#));
    for open in ["[", "{\"a\":"] {
        let nested = |levels: usize| {
            let close = if open == "[" { "]" } else { "}" };
            format!("{}1{}", open.repeat(levels), close.repeat(levels))
        };
        accepted(&with(&format!("\"x\":{}", nested(1_000))));
        for levels in [1_001, 5_000, 100_000] {
            let message = refused(&with(&format!("\"x\":{}", nested(levels)))).1;
            assert!(message.contains("nested more than 1,000 levels"), "{message}");
        }
    }
    refused(&"[".repeat(5_000));
    refused(&"{\"claims\":".repeat(5_000));
}

#[test]
fn no_error_and_no_warning_repeats_an_identifier() {
    let secret = "s3cr3t";
    for input in [
        r#"{"claims":[{"id":"s3cr3t","requires":[]}],"evidence":[]}"#,
        r#"{"claims":[],"evidence":[{"id":"s3cr3t","outcome":"s3cr3t"}]}"#,
        r#"{"claims":[],"evidence":[{"id":"s3cr3t","outcome":"unknown"},{"id":"s3cr3t","outcome":"unknown"}]}"#,
        r#"{"claims":[],"evidence":[],"s3cr3t":1,"s3cr3t":2}"#,
        r#"{"claims":[],"evidence":[],"byId":{"s3cr3t":{"s3cr3t":"\ud800"}}}"#,
        r#"{"claims":[{"id":"s3cr3t","requires":[{"evidenceId":"s3cr3t"},{"evidenceId":"s3cr3t"}]}],"evidence":[]}"#,
    ] {
        let (at, message) = refused(input);
        assert!(!at.contains(secret) && !message.contains(secret), "{message}");
    }
    let snapshot = Snapshot::read(
        "{\"claims\":[{\"id\":\"s3cr3t\u{200b}\",\"requires\":[{\"evidenceId\":\"a\"},{\"evidenceId\":\"b\\u0000\",\"subject\":\"\u{2060}\"}]}],
          \"evidence\":[{\"id\":\"x\",\"outcome\":\"unknown\"},{\"id\":\"\u{180e}\",\"outcome\":\"unknown\",\"subject\":\"\u{ad}y\"}]}".as_bytes(),
    )
    .unwrap();
    let found = warnings(&snapshot.claims, &snapshot.evidence);
    let places: Vec<&str> = found.iter().map(|warning| warning.at.as_str()).collect();
    let expected = [
        "/claims/0/id",
        "/claims/0/requires/1/evidenceId",
        "/claims/0/requires/1/subject",
        "/evidence/1/id",
        "/evidence/1/subject",
    ];
    assert_eq!(places, expected);
    assert!(found.iter().all(|warning| !warning.rule.contains(secret) && warning.rule.contains("does not show")));
    assert!(judge(&snapshot.claims, &snapshot.evidence).is_ok(), "a warning refuses nothing");
}

#[test]
fn values_are_validated_as_documents_are() {
    let claim = |id: &str, requires: &[&str]| -> EvidenceClaim {
        let requirement = |id: &&str| ClaimRequirement { evidence_id: (*id).into(), subject: None };
        EvidenceClaim { id: id.into(), requires: requires.iter().map(requirement).collect() }
    };
    let record = |id: &str, outcome| -> EvidenceRecord { EvidenceRecord { id: id.into(), outcome, subject: None } };
    let many: Vec<String> = (0..40).map(|n| format!("e{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).chain(["e7"]).collect();
    for (claims, evidence, at) in [
        (vec![claim(" ", &["e"])], vec![], "/claims/0/id"),
        (vec![claim("c", &[])], vec![], "/claims/0/requires"),
        (vec![claim("c", &["e"]), claim("c", &["e"])], vec![], "/claims/1/id"),
        (vec![claim("c", &["e", "f", "e"])], vec![], "/claims/0/requires/2/evidenceId"),
        (vec![claim("c", &many)], vec![], "/claims/0/requires/40/evidenceId"),
        (vec![], vec![record("\u{feff}", EvidenceOutcome::Unknown)], "/evidence/0/id"),
        (vec![], vec![record("e", EvidenceOutcome::Unknown), record("e", EvidenceOutcome::Unknown)], "/evidence/1/id"),
    ] {
        assert_eq!(judge(&claims, &evidence).unwrap_err().at, at);
        let written = serde_json::to_vec(&Snapshot { claims, evidence }).unwrap();
        assert_eq!(judge_evidence(&written).unwrap_err().at, at, "written and read back");
    }
    let verdict = judge(&[claim("c", &["e", "f"])], &[record("e", EvidenceOutcome::Confirmed)]).unwrap();
    let expected = ClaimOutcome::Unsupported { reason: UnsupportedReason::MissingEvidence, evidence_id: "f".into() };
    assert_eq!((verdict.claims[0].claim_id.as_str(), &verdict.claims[0].outcome), ("c", &expected));
}

#[test]
fn twenty_thousand_claims_on_twenty_thousand_records_are_no_trouble() {
    let count = 20_000;
    let mut requires: Vec<Value> = (0..count).map(|n| json!({"evidenceId": format!("e{n}")})).collect();
    let mut claims: Vec<Value> =
        (0..count).map(|n| json!({"id": format!("c{n}"), "requires": [requires[count - 1 - n].clone()]})).collect();
    requires.reverse();
    claims.push(json!({"id": "all", "requires": requires}));
    let evidence: Vec<Value> = (0..count).map(|n| json!({"id": format!("e{n}"), "outcome": "confirmed"})).collect();
    let wide: serde_json::Map<String, Value> = (0..count).map(|n| (format!("k{n}"), json!(n))).collect();
    let input = json!({"claims": claims, "evidence": evidence, "wide": wide}).to_string();
    let start = Instant::now();
    let verdict = judge_evidence(input.as_bytes()).unwrap();
    // Quadratic work takes minutes.
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(verdict.claims.len(), count + 1);
    assert!(verdict.claims.iter().all(|result| result.outcome == ClaimOutcome::Supported));
}
