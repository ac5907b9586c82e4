//! Redaction: which secrets go, what stays, and what it costs.

use std::time::{Duration, Instant};

use deeds::redact::{Where, redact, redact_json, secret_name};
use serde_json::{Value, json};

use crate::secrets::{ALNUM, BASE64, HEX, KINDS, Random, URL_SAFE, secret};

fn redacted(text: &str, place: Where) -> String {
    let once = redact(text, place);
    let twice = redact(&once.text, place);
    assert_eq!((twice.text.as_ref(), twice.count), (once.text.as_ref(), 0), "redacting again changes nothing");
    assert_eq!(once.count == 0, once.text == text, "what changed was counted");
    once.text.into_owned()
}

fn stays(text: &str) {
    for place in [Where::Command, Where::Output] {
        assert_eq!(redacted(text, place), text);
    }
}

/// A value that no rule knows but by the name in front of it.
fn plain(seed: u64) -> String {
    Random::new(seed).text(ALNUM, 20)
}

#[test]
fn every_kind_goes_whatever_stands_around_it() {
    for (seed, kind) in KINDS.iter().enumerate() {
        let name = kind.split(' ').next().unwrap();
        for (before, after) in [
            ("", ""),
            ("a ", " b"),
            ("\"", "\","),
            ("\\\"", "\\\""),
            ("\\n", "\\n"),
            ("(", ")"),
            ("é", "é"),
            ("=", "&x=1"),
            ("<", ">"),
        ] {
            let secret = secret(kind, &mut Random::new(seed as u64));
            // A webhook's address stays; only its path is the secret.
            let (kept, marker) = match secret.find("/services/") {
                Some(at) => (&secret[..at + 10], format!("[REDACTED:{name}]")),
                None => ("", format!("[REDACTED:{name}]")),
            };
            for place in [Where::Command, Where::Output] {
                let text = format!("{before}{secret}{after}");
                assert_eq!(redacted(&text, place), format!("{before}{kept}{marker}{after}"), "{kind} in {text}");
            }
        }
    }
}

#[test]
fn evidence_that_looks_like_a_secret_stays_byte_for_byte() {
    let mut random = Random::new(7);
    for _ in 0..50 {
        stays(&format!("commit {}", random.text(HEX, 40)));
        stays(&format!("{} refs/heads/main", random.text(HEX, 64)));
        let uuid = [8, 4, 4, 4, 12].map(|length| random.text(HEX, length)).join("-");
        stays(&format!("\"session_id\":\"{uuid}\" sk-{uuid}"));
        stays(&format!("\"integrity\": \"sha512-{}==\"", random.text(BASE64, 86)));
        stays(&format!("checksum = \"{}\"", random.text(HEX, 64)));
        stays(&format!("sha256:{} pypi-{}", random.text(HEX, 64), random.text(HEX, 32)));
        stays(&format!("data:image/png;base64,iVBORw0KGgo{}", random.text(BASE64, 4000)));
        stays(&format!("ETag: W/\"{}\"", random.text(URL_SAFE, 27)));
    }
    for text in [
        "AKIAIOSFODNN7EXAMPLE",
        ".sk-circle { animation: sk-circle-fade-delay 1.2s } .sk-fading-circle-with-a-very-long-name-indeed { }",
        "task-runner-with-a-very-long-name-0123456789-ABCDEF risk-assessment",
        "test task_test_serialization ... ok",
        "ghp_ github_pat_ glpat- xoxb- sk-ant- npm_config_cache hf_hub_download npm_lifecycle_event=test",
        "https://example.com:8080/path?email=a@b.c git@github.com:dev/demo.git ssh://git@github.com/dev/demo",
        "http://localhost:3000 a@b",
        "the token expired; api_key and password are needed",
        "max_tokens=100000000 tokenizer=bert-base-uncased TOKEN_FILE=/run/secrets/token",
        "error: authorization failed: token",
        "SMSG.long.dotted.names.of.classes.that.go.on.and.on.and.on.and.on.for.longer.than.sixty.six",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "ey.ey.ey keys.ey hey.eyes.eyed",
        "cio dapi AIza hvs. hvb. SG. whsec_",
    ] {
        stays(text);
    }
}

#[test]
fn a_printed_begin_line_does_not_take_a_failure_along() {
    let begin = format!("{0}BEGIN RSA PRIVATE KEY{0}", "-----");
    for after in [
        "",
        "\nFAILED",
        "\nFAILED\nfailures:\n    a::b\ntest result: FAILED. 1 passed; 1 failed",
        "\nerror: expected a key\ntest result: FAILED. 0 passed; 1 failed",
        "\n...\n-----END RSA PRIVATE KEY-----\nFAILED",
        "\nFAILED: no key here\n-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
    ] {
        assert_eq!(redacted(&format!("{begin}{after}"), Where::Output), format!("{begin}{after}"));
    }
}

#[test]
fn a_key_that_was_cut_goes_as_far_as_its_base64() {
    let mut random = Random::new(3);
    let key = secret("private-key EC cut", &mut random);
    for rest in ["\ntest result: FAILED. 1 passed; 1 failed", "\nFAILED", "\n\nfailures:\n", "\n... 12 lines left out"]
    {
        assert_eq!(
            redacted(&format!("cat key\n{key}{rest}"), Where::Output),
            format!("cat key\n[REDACTED:private-key]{rest}")
        );
    }
    // Cut at its beginning.
    let whole = secret("private-key RSA ", &mut random);
    let tail: Vec<&str> = whole.lines().skip(2).collect();
    let text = format!("$ tail key\n{}\nFAILED", tail.join("\n"));
    assert_eq!(redacted(&text, Where::Output), "$ tail key\n[REDACTED:private-key]\nFAILED");
    // Cut in the middle of a line.
    assert_eq!(redacted(&key[..key.len() - 13], Where::Output), "[REDACTED:private-key]");
}

#[test]
fn a_key_goes_in_the_forms_that_tools_print_it_in() {
    let key = secret("private-key RSA ", &mut Random::new(4));
    let escaped = key.replace('\n', "\\n");
    let numbered: Vec<String> = key.lines().enumerate().map(|(n, line)| format!("{:>6}\t{line}", n + 1)).collect();
    let prefixed = |mark: &str| key.lines().map(|line| format!("{mark}{line}")).collect::<Vec<_>>().join("\n");
    let forms = [
        (key.replace('\n', "\r\n"), ""),
        (format!("\"{escaped}\""), "\""),
        (numbered.join("\n"), "     1\t"),
        (prefixed("+"), "+"),
        (prefixed("-"), "-"),
        (prefixed("    "), "    "),
        (prefixed("> "), "> "),
        (key.replace('\n', " "), ""),
        (key.lines().map(|line| format!("\"{line}\\n\"")).collect::<Vec<_>>().join(" +\n"), "\""),
    ];
    for (form, kept) in forms {
        let out = redacted(&form, Where::Output);
        assert!(out.starts_with(&format!("{kept}[REDACTED:private-key]")) && out.len() < 50, "{form}\n{out}");
    }
}

#[test]
fn headers_and_urls_lose_their_credentials_and_keep_their_shape() {
    let value = plain(1);
    for (text, shape) in [
        (
            "curl -H \"Authorization: Bearer V\" https://example.com",
            "curl -H \"Authorization: Bearer [REDACTED:http-auth]\" https://example.com",
        ),
        ("curl -H 'authorization:basic V='", "curl -H 'authorization:basic [REDACTED:http-auth]'"),
        ("> Authorization: token V\n< HTTP/1.1 200", "> Authorization: token [REDACTED:http-auth]\n< HTTP/1.1 200"),
        ("{\"Authorization\": \"Bearer V\"}", "{\"Authorization\": \"Bearer [REDACTED:http-auth]\"}"),
        ("{\\\"Authorization\\\":\\\"Bearer V\\\"}", "{\\\"Authorization\\\":\\\"Bearer [REDACTED:http-auth]\\\"}"),
        ("-H 'x-api-key: V'", "-H 'x-api-key: [REDACTED:http-auth]'"),
        ("ApiKey: V; next", "ApiKey: [REDACTED:http-auth]; next"),
        ("-H \"Authorization: Bearer $TOKEN\"", "-H \"Authorization: Bearer $TOKEN\""),
        ("-H \"Authorization: Bearer $(gh auth token)\"", "-H \"Authorization: Bearer $(gh auth token)\""),
        ("apiKey: process.env.API_KEY,", "apiKey: process.env.API_KEY,"),
        ("\"apiKey\": {\"type\": \"string\"}", "\"apiKey\": {\"type\": \"string\"}"),
        ("postgres://user:V@db:5432/x", "postgres://[REDACTED:url-userinfo]@db:5432/x"),
        ("redis://:V@db", "redis://[REDACTED:url-userinfo]@db"),
        (
            "git clone https://x-access-token:V@github.com/dev/demo",
            "git clone https://[REDACTED:url-userinfo]@github.com/dev/demo",
        ),
        ("mongodb+srv://u:a@V@h1,h2/x", "mongodb+srv://[REDACTED:url-userinfo]@h1,h2/x"),
        (
            "https://u:${TOKEN}@github.com https://%s:%s@h https://***:***@h",
            "https://u:${TOKEN}@github.com https://%s:%s@h https://***:***@h",
        ),
    ] {
        for place in [Where::Command, Where::Output] {
            assert_eq!(redacted(&text.replace('V', &value), place), shape, "{text}");
        }
    }
}

#[test]
fn an_awss_secret_key_goes_with_its_name() {
    let value = Random::new(5).text(BASE64, 40);
    for text in ["aws_secret_access_key = V", "{\"SecretAccessKey\": \"V\"}", "export AWS_SECRET_ACCESS_KEY='V'"] {
        let out = redacted(&text.replace('V', &value), Where::Command);
        assert_eq!(out, text.replace('V', "[REDACTED:aws-secret]"));
    }
}

#[test]
fn assignments_go_in_commands_up_to_the_end_of_the_shells_word() {
    let value = plain(2);
    for (text, shape) in [
        ("API_KEY=V cargo test", "API_KEY=§ cargo test"),
        ("export GITHUB_TOKEN=V; cargo test && echo", "export GITHUB_TOKEN=§; cargo test && echo"),
        ("(DB_PASSWORD=V make)|tail", "(DB_PASSWORD=§ make)|tail"),
        ("password=\"two words, V\" make", "password=\"§\" make"),
        ("bash -c 'SECRET=V make'", "bash -c 'SECRET=§ make'"),
        ("bash -c \"export TOKEN=\\\"V\\\"; make\"", "bash -c \"export TOKEN=\\\"§\\\"; make\""),
        ("python -c 'api_key = \"V\"'", "python -c 'api_key = \"§\"'"),
        ("login --token V --user me", "login --token § --user me"),
        ("login --registry-token='V'", "login --registry-token='§'"),
        ("db --password=x", "db --password=§"),
        // Nothing is given away by these.
        ("TOKEN=$GITHUB_TOKEN cargo test", "TOKEN=$GITHUB_TOKEN cargo test"),
        ("TOKEN=$(gh auth token) cargo test", "TOKEN=$(gh auth token) cargo test"),
        ("TOKEN=\"$(gh auth token)\" cargo test", "TOKEN=\"$(gh auth token)\" cargo test"),
        ("GITHUB_TOKEN= cargo-nextest run", "GITHUB_TOKEN= cargo-nextest run"),
        ("login --token --verbose", "login --token --verbose"),
        ("if token == \"abc\"", "if token == \"abc\""),
        ("login --password-stdin < file", "login --password-stdin < file"),
        ("TOKEN=short make", "TOKEN=short make"),
    ] {
        let shape = shape.replace('§', "[REDACTED:assignment]");
        assert_eq!(redacted(&text.replace('V', &value), Where::Command), shape, "{text}");
    }
}

#[test]
fn assignments_go_in_output_where_a_line_is_nothing_else() {
    let value = plain(3);
    for (text, shape) in [
        ("PATH=/bin\nAPI_KEY=V\nHOME=/home/dev", "PATH=/bin\nAPI_KEY=§\nHOME=/home/dev"),
        ("DB_PASSWORD=correct horse; V\r\n", "DB_PASSWORD=§\r\n"),
        ("export -p\ndeclare -x TOKEN=\"V\"", "export -p\ndeclare -x TOKEN=\"§\""),
        ("+ export CI_TOKEN='V'", "+ export CI_TOKEN='§'"),
        ("  \"POSTGRES_PASSWORD=V\",", "  \"POSTGRES_PASSWORD=§\","),
        ("    - MY_SECRET=V", "    - MY_SECRET=§"),
        // Code, and prose.
        ("    api_key=V,", "    api_key=V,"),
        ("connect(password=V)", "connect(password=V)"),
        ("set API_KEY=V in your shell", "set API_KEY=§"),
        ("run with API_KEY=V", "run with API_KEY=V"),
    ] {
        let shape = shape.replace('§', "[REDACTED:assignment]").replace('V', &value);
        assert_eq!(redacted(&text.replace('V', &value), Where::Output), shape, "{text}");
    }
}

#[test]
fn secrets_that_touch_leave_one_marker_each() {
    let mut random = Random::new(11);
    let (key, token, hook) = (
        secret("aws-access-key-id AKIA", &mut random),
        secret("github ghp_", &mut random),
        secret("cargo cio", &mut random),
    );
    assert_eq!(redacted(&format!("{key}{token}"), Where::Output), "[REDACTED:aws-access-key-id][REDACTED:github]");
    assert_eq!(
        redacted(&format!("{token},{key}:{hook}"), Where::Output),
        "[REDACTED:github],[REDACTED:aws-access-key-id]:[REDACTED:cargo]"
    );
    // One secret inside another is one.
    let text = format!("https://{token}:x-oauth-basic@github.com");
    let out = redact(&text, Where::Output);
    assert_eq!((out.text.as_ref(), out.count), ("https://[REDACTED:url-userinfo]@github.com", 1));
    let text = format!("TOKEN={token}");
    assert_eq!(redacted(&text, Where::Command), "TOKEN=[REDACTED:github]");
}

#[test]
fn json_is_redacted_in_every_string_and_key_and_across_lines() {
    let mut random = Random::new(13);
    let (token, other) = (secret("github ghp_", &mut random), secret("github ghp_", &mut random));
    let key = secret("private-key RSA ", &mut random);
    let lines: Vec<String> = key.lines().map(|line| format!("+{line}")).chain(["+after".into()]).collect();
    let value = plain(4);
    let mut input = json!({
        "a": [1, true, null, {"b": format!("x {token}")}],
        token.as_str(): 1, other.as_str(): 2,
        "headers": {"Authorization": format!("Bearer {value}"), "X-Api-Key": value, "Accept": "text/plain"},
        "env": {"DB_PASSWORD": format!("{value}\n{value}"), "PATH": "/bin", "TOKEN": "$CI_TOKEN"},
        "lines": lines,
    });
    let count = redact_json(&mut input, Where::Output);
    let text = input.to_string();
    for gone in [token.as_str(), &other, &value, &lines[1], &lines[2]] {
        assert!(!text.contains(gone), "{text}");
    }
    assert_eq!(input["a"], json!([1, true, null, {"b": "x [REDACTED:github]"}]));
    assert_eq!((&input["[REDACTED:github]"], &input["[REDACTED:github]#"]), (&json!(1), &json!(2)));
    assert_eq!(input["headers"]["Authorization"], "Bearer [REDACTED:http-auth]");
    assert_eq!(input["env"], json!({"DB_PASSWORD": "[REDACTED:assignment]", "PATH": "/bin", "TOKEN": "$CI_TOKEN"}));
    let marked: Vec<&Value> = input["lines"].as_array().unwrap().iter().collect();
    assert_eq!(marked.len(), lines.len());
    assert!(marked[..marked.len() - 1].iter().all(|line| *line == "+[REDACTED:private-key]"), "{marked:?}");
    assert_eq!(marked[marked.len() - 1], "+after");
    assert_eq!(count as usize, text.matches("[REDACTED:").count());
    let before = input.clone();
    assert_eq!(redact_json(&mut input, Where::Output), 0);
    assert_eq!(input, before);
}

#[test]
fn the_work_is_linear_in_the_text() {
    // A quadratic matcher takes minutes over any of these; a linear one a moment, even unoptimised.
    let slow: Vec<String> = [
        "ghp_",
        "a://",
        "a://b:c",
        "sk-",
        "sk-ant-",
        "ey.",
        "eyJ.ey",
        "eyJhbGciOiJIUzI1NiIsIn.",
        "-----BEGIN",
        "authorization:bearer ",
        "api-key:",
        "TOKEN=",
        "PASSWORD=\"",
        "TOKEN='",
        "--token ",
        "--",
        "=",
        "xoxb-1-",
        "xapp-1-A-1-",
        "SG.",
        "glpat-",
        "AKIA",
        "cio",
        "secret_access_key=",
        "\\n",
        "TOKEN=\"a\nTOKEN='",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----\n",
        "    =",
    ]
    .iter()
    .map(|unit| unit.repeat(200_000 / unit.len()))
    .collect();
    for text in &slow {
        for place in [Where::Command, Where::Output] {
            let start = Instant::now();
            redact(text, place);
            assert!(start.elapsed() < Duration::from_secs(20), "{}…", &text[..30]);
        }
    }
}

#[test]
fn names_of_files_that_hold_secrets_are_known() {
    assert!(secret_name("/home/dev/demo/.env.local") && secret_name("id_ed25519") && secret_name("certs/a.pem"));
    assert!(!secret_name("/home/dev/demo/src/main.rs") && !secret_name("id_ed25519.pub"));
}
