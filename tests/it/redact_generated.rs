//! The matchers against the oracle: the same secrets in the same places, in texts put together at random from secrets,
//! near misses and what stands around them.

use deeds::redact::{Where, redact};

use crate::redact_oracle::expected;
use crate::secrets::{ALNUM, BASE64, KINDS, Random, secret};

/// What stands between secrets: what ends them, what could be part of them, and what begins other kinds.
#[rustfmt::skip]
const BETWEEN: [&str; 72] = [
    "", "", "", " ", "\n", "\\n", "\"", "'", "\\\"", ":", "=", "@", "/", "-", "_", ".", "+", ",", ";", "&", "|", "(",
    ")", "<", ">", "\\", "a", "Z", "0", "é", "→", "\u{feff}", "://", "https://", "a://u:", "Authorization: Bearer ",
    "authorization:basic ", "\"Authorization\":\"token ", "x-api-key: ", "apikey:", "\\\"api-key\\\": \\\"", "TOKEN=",
    "API_KEY=\"", "password = '", "\nexport SECRET=", "\nDB_PASSWORD=", "--token ", "--password=", "--api-key '",
    "aws_secret_access_key=", "SecretAccessKey\": \"", "hooks.slack.com/services/", "$TOKEN", "${A}", "$(",
    "[REDACTED:x]", "[REDACTED:", "sk-", "sk-ant-", "ghp_", "AKIA", "ey", ".ey", "\n+", "\n-", "\n     1\t", "-----",
    "FAILED", "test result: FAILED", "EXAMPLE", "\r\n", "Proc-Type: 4,ENCRYPTED\n",
];

fn generated(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(9) {
        text.push_str(random.pick(&BETWEEN));
        let length = 1 + random.below(80);
        let mut piece = match random.below(8) {
            0 => random.text(ALNUM, length),
            1 => random.text(BASE64, length),
            2 | 3 => String::new(),
            _ => secret(random.pick(&KINDS), random),
        };
        // Near misses: cut at either end.
        match random.below(6) {
            0 => piece.truncate(random.below(piece.len() + 1)),
            1 => piece = piece.split_off(random.below(piece.len() + 1)),
            2 => piece = piece.replace('\n', random.pick(&["\\n", "\r\n", " ", "\n+", "\n-"])),
            _ => {}
        }
        text.push_str(&piece);
        text.push_str(random.pick(&BETWEEN));
    }
    text
}

/// Compares on `count` generated texts.
pub fn agree(seed: u64, count: usize) {
    let mut random = Random::new(seed);
    let mut compared = 0;
    for number in 0..count {
        let text = generated(&mut random);
        for place in [Where::Command, Where::Output] {
            let once = redact(&text, place);
            // The oracle knows no secret by its place on a command line; those have a table of their own.
            if once.text.contains("[REDACTED:credential]") {
                assert_eq!(redact(&once.text, place).count, 0, "again: {seed}/{number} {place:?}:\n{text}");
                continue;
            }
            compared += 1;
            let (out, count) = expected(&text, place);
            assert_eq!((once.text.as_ref(), once.count), (out.as_str(), count), "{seed}/{number} {place:?}:\n{text}");
            let twice = redact(&once.text, place);
            assert_eq!(
                (twice.text.as_ref(), twice.count),
                (out.as_str(), 0),
                "again: {seed}/{number} {place:?}:\n{text}"
            );
        }
    }
    assert!(compared > count, "{compared} of {}", 2 * count);
}

#[test]
fn the_matchers_find_what_the_regexes_find() {
    agree(1, 400);
}
