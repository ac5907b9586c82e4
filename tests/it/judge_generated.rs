//! The pure judge against a naive model of its contract, and against bytes that mean nothing.

use deeds::judge::judge_evidence;
use serde_json::{Map, Value, json};

use crate::secrets::Random;

/// The contract once more, as plainly as it can be put; `None` is invalid.
fn model(input: &Value) -> Option<Value> {
    let input = input.as_object()?;
    let (claims, evidence) = (input.get("claims")?.as_array()?, input.get("evidence")?.as_array()?);
    for (number, record) in evidence.iter().enumerate() {
        let record = record.as_object()?;
        identifier(record.get("id")?)?;
        ["confirmed", "refuted", "unknown"].iter().find(|known| record.get("outcome") == Some(&json!(known)))?;
        optional(record.get("subject"))?;
        if evidence[..number].iter().any(|before| before.get("id") == record.get("id")) {
            return None;
        }
    }
    for (number, claim) in claims.iter().enumerate() {
        let claim = claim.as_object()?;
        identifier(claim.get("id")?)?;
        let requires = claim.get("requires")?.as_array()?;
        if requires.is_empty() || claims[..number].iter().any(|before| before.get("id") == claim.get("id")) {
            return None;
        }
        for (number, requirement) in requires.iter().enumerate() {
            let requirement = requirement.as_object()?;
            identifier(requirement.get("evidenceId")?)?;
            optional(requirement.get("subject"))?;
            if requires[..number].iter().any(|before| before.get("evidenceId") == requirement.get("evidenceId")) {
                return None;
            }
        }
    }
    Some(json!({ "claims": claims.iter().map(|claim| result(claim, evidence)).collect::<Vec<_>>() }))
}

fn result(claim: &Value, evidence: &[Value]) -> Value {
    let requires = claim["requires"].as_array().unwrap();
    let finding = |requirement: &&Value| -> &str {
        let Some(record) = evidence.iter().find(|record| record["id"] == requirement["evidenceId"]) else {
            return "missing_evidence";
        };
        if requirement.get("subject").is_some() && requirement.get("subject") != record.get("subject") {
            return "subject_mismatch";
        }
        match record["outcome"].as_str().unwrap() {
            "refuted" => "contradicted",
            "unknown" => "unconfirmed_evidence",
            _ => "satisfied",
        }
    };
    for class in ["contradicted", "subject_mismatch", "missing_evidence", "unconfirmed_evidence"] {
        if let Some(first) = requires.iter().find(|requirement| finding(requirement) == class) {
            return match class {
                "contradicted" => json!({"claimId": claim["id"], "outcome": class, "evidenceId": first["evidenceId"]}),
                _ => {
                    json!({"claimId": claim["id"], "outcome": "unsupported", "reason": class, "evidenceId": first["evidenceId"]})
                }
            };
        }
    }
    json!({"claimId": claim["id"], "outcome": "supported"})
}

fn identifier(value: &Value) -> Option<()> {
    let white_space = "\t\n\u{b}\u{c}\r \u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\u{2008}\u{2009}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";
    value.as_str()?.chars().find(|c| !white_space.contains(*c)).map(drop)
}

fn optional(value: Option<&Value>) -> Option<()> {
    value.map_or(Some(()), identifier)
}

/// Identifiers that are easily taken for one another.
const IDS: [&str; 14] = [
    "a",
    "A",
    "b",
    "c",
    " a",
    "a ",
    "\u{85}",
    "\u{200b}",
    "é",
    "e\u{301}",
    "\u{feff}a",
    "ä\n\"\\",
    "😀",
    "tests/cargo-test",
];
const WRONG: [&str; 9] = ["", " ", "\u{feff}", "\u{3000}\u{2028}", "null", "1", "[]", "{}", "true"];

struct Made {
    random: Random,
    /// One value in so many is wrong; 0 is none.
    wrong: usize,
}

impl Made {
    fn odds(&mut self, of: usize) -> bool {
        of > 0 && self.random.below(of) == 0
    }

    fn identifier(&mut self) -> Value {
        if self.odds(self.wrong) {
            let wrong = self.random.pick(&WRONG);
            return serde_json::from_str(wrong).unwrap_or(json!(wrong));
        }
        json!(self.random.pick(&IDS))
    }

    fn with_subject(&mut self, mut members: Map<String, Value>) -> Value {
        if self.odds(2) {
            let subject = self.identifier();
            members.insert("subject".into(), subject);
        }
        if self.odds(8) {
            members.insert("note".into(), json!({"id": [1.5, null, "x"]}));
        }
        if self.odds(self.wrong * 4) {
            let keys: Vec<String> = members.keys().cloned().collect();
            members.remove(&keys[self.random.below(keys.len())]);
        }
        if self.odds(self.wrong * 6) { json!([members]) } else { json!(members) }
    }

    /// Up to `limit` of them, ids apart unless something is to be wrong.
    fn several(&mut self, limit: usize, key: &str, one: fn(&mut Made) -> Map<String, Value>) -> Value {
        let mut items: Vec<Value> = Vec::new();
        let count = self.random.below(limit + 1);
        for _ in 0..count {
            let members = one(self);
            let id = members[key].clone();
            let same = |item: &Value| item.get(key) == Some(&id);
            if self.odds(self.wrong * 2) || !items.iter().any(same) {
                let item = self.with_subject(members);
                items.push(item);
            }
        }
        if self.odds(self.wrong * 6) { json!({"0": items}) } else { json!(items) }
    }

    fn record(&mut self) -> Map<String, Value> {
        let outcome =
            if self.odds(self.wrong) { "Confirmed" } else { self.random.pick(&["confirmed", "refuted", "unknown"]) };
        Map::from_iter([("id".into(), self.identifier()), ("outcome".into(), json!(outcome))])
    }

    fn requirement(&mut self) -> Map<String, Value> {
        Map::from_iter([("evidenceId".into(), self.identifier())])
    }

    fn claim(&mut self) -> Map<String, Value> {
        let id = self.identifier();
        let mut requires = self.several(4, "evidenceId", Made::requirement);
        if requires == json!([]) && !self.odds(self.wrong) {
            requires = json!([self.requirement()]);
        }
        Map::from_iter([("id".into(), id), ("requires".into(), requires)])
    }

    fn input(&mut self) -> Value {
        let (claims, evidence) = (self.several(4, "id", Made::claim), self.several(8, "id", Made::record));
        if self.odds(2) {
            json!({"claims": claims, "evidence": evidence})
        } else {
            json!({"evidence": evidence, "claims": claims})
        }
    }
}

#[test]
fn the_judge_says_what_the_model_says() {
    let (mut valid, mut invalid) = (0, 0);
    for seed in 0..20_000 {
        let mut made = Made { random: Random::new(seed), wrong: [0, 40, 12][seed as usize % 3] };
        let input = made.input();
        let text = if made.odds(2) { input.to_string() } else { serde_json::to_string_pretty(&input).unwrap() };
        let judged = judge_evidence(text.as_bytes());
        match model(&input) {
            None => {
                assert!(judged.is_err(), "seed {seed} is invalid: {text}");
                invalid += 1;
            }
            Some(expected) => {
                let verdict = judged.unwrap_or_else(|error| panic!("seed {seed} is valid, but {error}: {text}"));
                let once = serde_json::to_string(&verdict).unwrap();
                assert_eq!(once, expected.to_string(), "seed {seed}: {text}");
                assert_eq!(once, serde_json::to_string(&judge_evidence(text.as_bytes()).unwrap()).unwrap());
                valid += 1;
            }
        }
    }
    assert!(valid > 8_000 && invalid > 4_000, "{valid} valid, {invalid} invalid");
}

const JSONISH: [u8; 25] = *b"{}[]\",:\\u0dD8e-+.tfn \n\xc3\xa9\xff";

#[test]
fn no_bytes_whatsoever_make_it_panic() {
    let mut random = Random::new(99);
    for _ in 0..20_000 {
        let length = random.below(60);
        let bytes: Vec<u8> = match random.below(2) {
            0 => (0..length).map(|_| random.next() as u8).collect(),
            _ => (0..length).map(|_| *random.pick(&JSONISH.each_ref())).collect(),
        };
        drop(judge_evidence(&bytes));
    }
    for seed in 0..4_000 {
        let mut made = Made { random: Random::new(seed), wrong: 0 };
        let mut bytes = made.input().to_string().into_bytes();
        for _ in 0..1 + made.random.below(4) {
            let at = made.random.below(bytes.len().max(1));
            match made.random.below(5) {
                0 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = made.random.next() as u8),
                1 => drop(bytes.splice(at..bytes.len().min(at + 1), [])),
                2 => bytes.insert(at, *made.random.pick(&JSONISH.each_ref())),
                3 => bytes.truncate(at),
                _ => bytes.extend_from_within(at..),
            }
        }
        let (once, twice) = (judge_evidence(&bytes), judge_evidence(&bytes));
        assert_eq!(once, twice);
        // Whatever it takes is JSON to others too.
        if once.is_ok() {
            serde_json::from_slice::<Value>(&bytes).unwrap();
        }
    }
}
