//! A claim about a named part of the tests.

use super::check::CheckRun;
use super::counted::{differs, names_as_many, owns_up};
use super::need::{Because, Need, Record, Says, exchange, explain, record};
use super::outcome::{Executed, Outcome};
use super::story::Story;

/// A named subset: supported by a full pass, or a pass whose filter names it; contradicted by a failing test that it names.
pub(super) fn part_record(
    need: &Need,
    part: &str,
    story: &Story,
    own: &[&CheckRun],
    mut because: Because,
) -> (Option<Record>, Because) {
    let mine = |text: &str| mentions(text, part);
    let named = |check: &CheckRun| check.filter.as_deref().is_some_and(mine);
    let says = |check: &CheckRun| match check.judged.outcome {
        Outcome::Refuted if check.judged.failing.iter().any(|name| mine(name)) && !owns_up(need, check) => {
            Some(Outcome::Refuted)
        }
        Outcome::Confirmed if check.filter.is_none() || named(check) => Some(Outcome::Confirmed),
        // "All pass except 2" over a run with 2 failures is what was seen.
        Outcome::Refuted if names_as_many(need, check) => Some(Outcome::Confirmed),
        _ => None,
    };
    let here =
        || own.iter().rev().filter(|c| c.subject.matches(&need.wanted) && c.judged.executed != Executed::Nothing);
    let mut failed_since: Vec<&CheckRun> = Vec::new();
    for check in here() {
        let Some(outcome) = says(check) else {
            failed_since.extend((check.judged.outcome == Outcome::Refuted && check.filter.is_none()).then_some(*check));
            continue;
        };
        let named = named(check);
        // Two crates may each have a test of that name.
        let apart = |c: &&&CheckRun| (&c.runner, &c.dir) != (&check.runner, &check.dir);
        let outcome = if here().filter(apart).all(|c| says(c).is_none_or(|other| other == outcome)) {
            outcome
        } else {
            because.open = Some("and a run in another place came to something else");
            Outcome::Unknown
        };
        let again = |later: &&CheckRun| (&later.runner, &later.dir) == (&check.runner, &check.dir);
        let outcome = if outcome == Outcome::Confirmed && failed_since.iter().any(again) {
            because.open = Some("but a run after it failed");
            Outcome::Unknown
        } else {
            outcome
        };
        let failed = here().filter(apart).filter(|c| c.filter.is_none() && c.judged.outcome == Outcome::Refuted);
        let other = |c: &&CheckRun| is_about(part, c) || !is_about(part, check);
        let outcome = if outcome == Outcome::Confirmed && !named && failed.copied().any(|c| other(&c)) {
            because.open = Some("and another run failed on these files");
            Outcome::Unknown
        } else {
            outcome
        };
        explain(&mut because, check, story, true);
        because.evidence = story.evidence_of(check.run).to_vec();
        let outcome = if need.says == Says::Fails { exchange(outcome) } else { outcome };
        let outcome = match (need.count, &check.judged.counts) {
            (Some(count), Some(seen)) if named && outcome == Outcome::Confirmed && differs(count, seen) => {
                because.count_differs = Some(*seen);
                Outcome::Unknown
            }
            _ => outcome,
        };
        return (Some(record(outcome, need.wanted.to_wire())), because);
    }
    (None, because)
}

/// A run of another part passed on the same files: "Core: done, tests pass. Web: not done."
pub(super) fn speaks_of_another_part(need: &Need, failed: &CheckRun, own: &[&CheckRun]) -> bool {
    const COMMON: &[&str] = &["all", "filter", "lib", "package", "run", "src", "test", "tests", "workspace"];
    let named = |text: &str| {
        let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
        words.any(|word| !COMMON.contains(&word) && need.beside.contains(&word.to_lowercase()))
    };
    let ended_well = |c: &CheckRun| c.judged.outcome == Outcome::Confirmed || c.judged.own_exit == Some(0);
    let passed = own.iter().filter(|c| ended_well(c) && c.subject.matches(&need.wanted));
    let all_said = |text: &str| {
        let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.all(|word| need.beside.contains(&word.to_lowercase()))
    };
    passed.filter(|c| c.text != failed.text || c.dir != failed.dir).any(|c| {
        let folder = c.dir.as_deref().filter(|_| c.dir != failed.dir).and_then(|dir| dir.rsplit('/').next());
        let apart = c.dir != failed.dir || (c.filter.is_some() && failed.filter.is_some());
        let mentioned = c.filter.as_deref().is_some_and(named) || folder.is_some_and(named);
        // "Plain `cargo clippy` passes", over `cargo clippy -- -D warnings` that failed.
        let that_command = all_said(&c.text) && !all_said(&failed.text);
        !need.beside.is_empty() && (mentioned || that_command || (apart && !need.whole))
    })
}

/// A whole run on the same files passed that asked for less, and the message names what the failed one asked for besides:
/// "`cargo test` passes, `cargo test --release` doesn't". Which of them a claim is about cannot be told.
pub(super) fn passed_with_less(need: &Need, failed: &CheckRun, own: &[&CheckRun]) -> bool {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let asked = words(&failed.text);
    let names = |word: &str| {
        let mut parts = word.split(|c: char| !c.is_alphanumeric()).filter(|part| part.len() > 2);
        parts.any(|part| need.beside.contains(&part.to_lowercase()))
    };
    let asks_for_less = |c: &CheckRun| {
        let less = words(&c.text);
        let mut more = asked.iter().filter(|word| !less.contains(word));
        less.iter().all(|word| asked.contains(word)) && more.any(|word| names(word))
    };
    own.iter().any(|c| {
        let passed = c.judged.outcome == Outcome::Confirmed || (need.allows_warnings && c.judged.own_exit == Some(0));
        let same = (&c.runner, &c.dir) == (&failed.runner, &failed.dir) && c.subject.matches(&need.wanted);
        passed && same && c.filter.is_none() && failed.filter.is_none() && asks_for_less(c)
    })
}

/// By what else than its name a runner's tests are called.
const LANGUAGES: &[(&str, &str)] = &[
    ("py python", "pytest unittest django nose2 tox nox"),
    (
        "javascript js node nodejs ts typescript",
        "jest vitest mocha ava node-test jasmine bun deno playwright cypress npm",
    ),
    ("rust", "cargo-test nextest"),
    ("go golang", "go-test"),
    ("rails ruby", "rspec minitest"),
    ("php", "phpunit pest"),
    ("java jvm kotlin", "gradle maven"),
];

/// Whether the part is named after the run's runner, its language or its folder.
fn is_about(part: &str, check: &CheckRun) -> bool {
    let has = |list: &str, word: &str| list.split([' ', '-']).any(|one| one == word);
    let languages = LANGUAGES.iter().filter(|(_, runners)| runners.split(' ').any(|one| one == check.runner));
    let called: Vec<&str> = languages.map(|(words, _)| *words).chain([check.runner.as_str()]).collect();
    let folder = check.dir.as_deref().and_then(|dir| dir.rsplit('/').next()).unwrap_or_default().to_lowercase();
    let words = part.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|word| !word.is_empty()).any(|word| word == folder || called.iter().any(|list| has(list, &word)))
}

/// Every word of the subset's name stands in the text, without regard to case or a plural.
fn mentions(text: &str, part: &str) -> bool {
    let text = text.to_lowercase();
    let mut words = part.split(|c: char| !c.is_alphanumeric()).filter(|w| w.len() > 2).peekable();
    words.peek().is_some()
        && words.all(|w| {
            let word = w.to_lowercase();
            text.contains(word.strip_suffix('s').unwrap_or(&word))
        })
}
