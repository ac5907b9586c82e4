//! Claims in text, held against messages that were labelled by hand (`tests/fixtures/claims/GUIDE.md`): what is found is
//! right (precision) and what is there is found (recall), per kind and overall.

use std::collections::BTreeMap;
use std::ops::Range;

use deeds::claims::text::{TextClaim, claims, could_claim};
use serde_json::Value;

/// One labelled claim: its label, and where its words stand.
struct Label {
    value: Value,
    span: Range<usize>,
}

struct Message {
    id: String,
    text: String,
    labels: Vec<Label>,
}

fn messages(jsonl: &str) -> Vec<Message> {
    let read = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        let text = value["text"].as_str().unwrap().to_owned();
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let labels = value["claims"].as_array().unwrap().iter().map(|claim| {
            let words = claim["span"].as_str().unwrap().to_owned();
            let key = format!("{} {words} {}", claim["kind"], claim["object"]);
            // The same words twice mean the next place where they stand.
            let nth = seen.entry(key).and_modify(|n| *n += 1).or_insert(0);
            let start = text
                .match_indices(&words)
                .map(|(at, _)| at)
                .nth(*nth)
                .unwrap_or_else(|| panic!("{}: no {words:?}", value["id"]));
            Label { value: claim.clone(), span: start..start + words.len() }
        });
        let labels = labels.collect();
        Message { id: value["id"].as_str().unwrap().to_owned(), text, labels }
    };
    jsonl.lines().filter(|line| !line.trim().is_empty()).map(read).collect()
}

/// Found, labelled, and matched one to one: same kind, spans overlap.
#[derive(Default, Clone, Copy)]
struct Tally {
    found: usize,
    labelled: usize,
    matched: usize,
}

impl Tally {
    fn precision(self) -> f64 {
        if self.found == 0 { 1.0 } else { self.matched as f64 / self.found as f64 }
    }

    fn recall(self) -> f64 {
        if self.labelled == 0 { 1.0 } else { self.matched as f64 / self.labelled as f64 }
    }
}

#[derive(Default)]
struct Score {
    kinds: BTreeMap<&'static str, Tally>,
    all: Tally,
    /// Field → (right, compared).
    fields: BTreeMap<&'static str, (usize, usize)>,
    faults: Vec<String>,
}

fn matches(label: &Label, claim: &TextClaim) -> bool {
    label.value["kind"] == claim.kind.name() && label.span.start < claim.span.end && claim.span.start < label.span.end
}

fn fields(claim: &TextClaim) -> [(&'static str, Value); 5] {
    let count =
        claim.count.map_or(Value::Null, |count| serde_json::json!({"passed": count.passed, "failed": count.failed}));
    [
        ("says", claim.says.name().into()),
        ("scope", claim.scope.name().into()),
        ("count", count),
        ("runner", claim.runner.map_or(Value::Null, Into::into)),
        ("object", claim.object.clone().map_or(Value::Null, Into::into)),
    ]
}

fn score(messages: &[Message]) -> Score {
    let mut score = Score::default();
    for message in messages {
        let found = claims(&message.text);
        assert!(found.is_empty() || could_claim(&message.text));
        let mut free: Vec<&Label> = message.labels.iter().collect();
        for label in &message.labels {
            let kind = found.iter().map(|claim| claim.kind.name()).find(|name| label.value["kind"] == *name);
            let kind = kind.unwrap_or_else(|| kind_name(label.value["kind"].as_str().unwrap()));
            score.kinds.entry(kind).or_default().labelled += 1;
            score.all.labelled += 1;
        }
        for claim in &found {
            let tally = score.kinds.entry(claim.kind.name()).or_default();
            tally.found += 1;
            score.all.found += 1;
            // Of several that overlap, the one that agrees in most.
            let agree =
                |label: &Label| fields(claim).iter().filter(|(name, value)| label.value[*name] == *value).count();
            let best = free
                .iter()
                .enumerate()
                .filter(|(_, label)| matches(label, claim))
                .max_by_key(|(i, label)| (agree(label), usize::MAX - i));
            let Some((at, label)) = best else {
                score.faults.push(format!(
                    "{} FALSE {} {} {:?}",
                    message.id,
                    claim.kind.name(),
                    claim.says.name(),
                    &message.text[claim.span.clone()]
                ));
                continue;
            };
            tally.matched += 1;
            score.all.matched += 1;
            for (name, value) in fields(claim) {
                let entry = score.fields.entry(name).or_default();
                entry.1 += 1;
                if label.value[name] == value {
                    entry.0 += 1;
                } else {
                    score.faults.push(format!(
                        "{} {name}: {value} is {} in {:?}",
                        message.id,
                        label.value[name],
                        &message.text[claim.span.clone()]
                    ));
                }
            }
            free.remove(at);
        }
        for label in free {
            score.faults.push(format!(
                "{} MISSED {} {} {}",
                message.id, label.value["kind"], label.value["says"], label.value["span"]
            ));
        }
    }
    score
}

fn kind_name(kind: &str) -> &'static str {
    ["tests", "lint", "typecheck", "format", "build", "commit", "push", "file"]
        .into_iter()
        .find(|name| *name == kind)
        .unwrap()
}

/// Prints the score and holds it to the bars.
fn hold(name: &str, jsonl: &str) {
    let score = score(&messages(jsonl));
    println!("{name}: kind, found, labelled, precision, recall");
    for (kind, tally) in score.kinds.iter().chain([(&"all", &score.all)]) {
        println!("  {kind:9} {:4} {:4} {:.3} {:.3}", tally.found, tally.labelled, tally.precision(), tally.recall());
    }
    for (field, (right, of)) in &score.fields {
        println!("  {field:9} {right:4} of {of:4} {:.3}", *right as f64 / (*of).max(1) as f64);
    }
    for fault in &score.faults {
        println!("  {fault}");
    }
    assert!(score.all.precision() >= 0.98, "{name}: precision {:.3}", score.all.precision());
    assert!(score.all.recall() >= 0.85, "{name}: recall {:.3}", score.all.recall());
    for (field, (right, of)) in &score.fields {
        assert!(*right as f64 >= 0.95 * *of as f64, "{name}: {field} {right} of {of}");
    }
}

#[test]
fn the_labelled_messages_are_read_as_labelled() {
    hold("messages", include_str!("../fixtures/claims/messages.jsonl"));
}

#[test]
fn messages_written_after_the_rules_are_read_as_labelled() {
    hold("more", include_str!("../fixtures/claims/more.jsonl"));
}

#[test]
fn messages_in_the_style_of_the_labelled_ones_are_read_as_labelled() {
    hold("fresh", include_str!("../fixtures/claims/fresh.jsonl"));
}

#[test]
fn messages_by_authors_who_know_only_the_guide_are_read_as_labelled() {
    hold("unseen", include_str!("../fixtures/claims/unseen.jsonl"));
}

#[test]
fn honest_sentences_are_not_read_too_wide() {
    hold("tester", include_str!("../fixtures/claims/tester.jsonl"));
}

#[test]
fn single_statements_make_exactly_the_claims_that_they_should() {
    let mut wrong = Vec::new();
    for line in include_str!("../fixtures/claims/lines.tsv").lines() {
        let (expected, text) = line.split_once('\t').unwrap();
        let text = text.replace("\\n", "\n");
        let mut expected: Vec<String> = expected.split(',').filter(|one| *one != "-").map(str::to_owned).collect();
        let found = claims(&text);
        let mut made: Vec<String> =
            found.iter().map(|claim| format!("{}:{}", claim.kind.name(), claim.says.name())).collect();
        expected.sort();
        made.sort();
        if expected != made {
            wrong.push(format!("{text:?}: {made:?} instead of {expected:?}"));
        }
    }
    assert_eq!(wrong, [] as [String; 0]);
}

/// A small generator of numbers, so that a failure can be repeated.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

/// Whatever the text: no panic, spans that can be cut out, and no claim that the quick scan would have missed.
fn check(text: &str) {
    let found = claims(text);
    let mut last = 0;
    for claim in &found {
        let words = text.get(claim.span.clone());
        assert!(words.is_some_and(|words| !words.is_empty()), "{claim:?} in {text:?}");
        last = last.max(claim.span.end);
    }
    assert!(last <= text.len());
    assert!(found.is_empty() || could_claim(text), "{text:?}");
}

#[test]
fn no_text_makes_it_panic() {
    let sources: Vec<String> = messages(include_str!("../fixtures/claims/messages.jsonl"))
        .into_iter()
        .chain(messages(include_str!("../fixtures/claims/more.jsonl")))
        .map(|message| message.text)
        .collect();
    #[rustfmt::skip]
    let odd = ["`", "``", "\"", "“", "’", "'", "(", ")", "[", "](", "*", "**", "_", "~~", "<!--", "-->", "|", "\n", "\n\n", "\r\n", "\t", "- [x] ", "> ", "```\n", "    ", "…", "—", "é", "ß", "İ", "✅", "\u{fe0f}", "\u{200d}", "。", "42/42", "/", ":", "0", "18446744073709551616", "\u{0}"];
    let mut seeded = Seeded(11);
    for _ in 0..4000 {
        let source = &sources[seeded.below(sources.len())];
        let mut chars: Vec<char> = source.chars().take(700).collect();
        for _ in 0..1 + seeded.below(6) {
            let at = seeded.below(chars.len() + 1);
            match seeded.below(4) {
                0 => drop(chars.drain(at..(at + seeded.below(20)).min(chars.len()))),
                1 => drop(chars.splice(at..at, odd[seeded.below(odd.len())].chars())),
                2 => {
                    let other = &sources[seeded.below(sources.len())];
                    let words: Vec<char> = other.chars().skip(seeded.below(200)).take(40).collect();
                    drop(chars.splice(at..at, words));
                }
                _ => chars.truncate(at.max(3)),
            }
        }
        check(&chars.into_iter().collect::<String>());
    }
    for _ in 0..500 {
        let bytes: Vec<u8> = (0..seeded.below(300)).map(|_| seeded.below(256) as u8).collect();
        check(&String::from_utf8_lossy(&bytes));
        let words: String = (0..seeded.below(60)).map(|_| odd[seeded.below(odd.len())]).collect();
        check(&words);
    }
}

#[test]
fn a_long_text_of_one_shape_is_read_to_its_end() {
    #[rustfmt::skip]
    let shapes = [
        "all tests pass and ", "tests ", "`", "`a ", "\"", "\"a ", "'a ", "“", "(", "( tests pass ", "[a](", "<!-- ", "<a ", "~~", "- [x] tests pass\n", "  - a:\n", "|a|b|\n|-|-|\n", "| tests | ok |\n", "> a\n", "**", "if ", "not ", "no ", "1 of 2 ", "\n\n",
        "`src/a.rs`, ", "I updated `src/a.rs` and ", "committed ", "commit 1a2b3c4, ", "all but two of the ", "the tests in the ", ",", ":", "- a\n\n", "    a\n", "```\n", "# a\n", "42/42 ", "✅ ", "é", "a.", "cargo test -- ", "tests, lint, types and ", "which that which ",
    ];
    for shape in shapes {
        check(&shape.repeat(50_000 / shape.len()));
    }
    let table = format!("|{}\n|-|\n{}", "a|".repeat(20_000), "|b|\n".repeat(20_000));
    check(&table);
}
