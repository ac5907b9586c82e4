//! What stands around a claim in its sentence and takes something back: "all tests pass but the flaky one", "I did not
//! commit the lock file". Nothing that was recorded contradicts such words; at most it does not show them.
//!
//! Architecture invariant: this only ever weakens. A word too many here costs a contradiction, and never makes one.

mod marks;
mod object;
mod sentence;
mod taken_back;

use std::ops::Range;

use self::object::{is_built_in_part, is_other_work};
use self::sentence::{clause, has, sentence, words};
use self::taken_back::{is_denied, is_denied_next, is_retracted};
use super::text::{Kind, Says, TextClaim};
use super::tool;

/// Words that set something aside, wherever in the sentence of a check they stand.
const ASIDE: &str = "alone apart aside barring besides broke deselected disabled except excepting exception exceptions exclude \
    excluded excludes excluding existing flaky ignoring individually isolation known largely minus mostly \
    only partial partially partly preexisting rather save separately skipping unrelated";

/// "Without errors" sets nothing aside.
const NOTHING: &str = "a an any change changes changing error errors failure failures further issue issues modification \
    modifications new problem problems regression regressions single warning warnings";

/// Before "tests" these leave it at all of them.
const WHOLE: &str = "a all and any automated both complete current each entire every failed failing full green its no none not now of our \
    passed passing project project's repo running single so still that the these this those whole your zero";

/// After a claim they begin what it is limited to: "on Windows", "for my files".
const PLACES: &str =
    "against assuming elsewhere for given if in inside on once provided there under unless when where with within";

/// These limit it to nothing less than all.
const EVERYWHERE: &str =
    "all codebase entire every everything full project repo repository suite total whole workspace";

/// "With the fix", "with no errors" limit nothing.
const WITH_ALL: &str = "0 cargo change changes clean code errors exit failures fix fixes flying fully go it jest npm pytest no patch success this \
    successfully update warnings your zero";

const UNITS: &str = "h m min mins minute minutes ms s sec second seconds secs";

/// What was committed of these was committed by whoever made them.
const OLD: &str = "bug bugs defect defects mistake mistakes original originally originals problem problems regression \
    regressions";

/// Beside "files", "code", "module" these leave out the rest.
const MINE: &str = "added affected changed edited introduced mine modified my own related relevant touched";

/// These leave no room for a warning.
const CLEAN: &str = "clean cleanly free happy issue issues problem problems spotless";

/// A failure in these words is one of before.
const PAST: &str = "broke complained crashed did didn't errored failed flagged found had reported showed was wasn't were \
    weren't";

/// What a test is called.
const TESTS: &str = "spec specs suite suites test tests testsuite";

const BUILDS: &str = "build builds compilation";

const NUMBERS: &str = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
    seventeen eighteen nineteen twenty";

/// A denial in these words alone is about all of it.
const DENIAL: &str = "a all also am an and any anything are as at be been build built but change changed changes code commit \
    commits committed delete deleted did didn't do edit edited either far file files for has hasn't have \
    haven't however i i've is isn't it left lint linter made make modified modify my no none not note \
    nothing now of or our please push pushed pushes ran remove removed run so suite test tests that the them \
    these this those to touch touched unchanged untouched update updated was wasn't we were weren't work yet \
    your";

/// Somewhere in the sentence of a denial they say when, or what else.
const WITHIN: &str = "again after before beyond earlier else first had initially later other otherwise than then until when \
    while";

/// One of several languages or layers of a project.
const LANGUAGES: &str = "api backend c client css docs documentation frontend go html java javascript js kotlin markdown php python \
    ruby rust server sql swift ts typescript ui web yaml";

/// Whether the sentence says more than the claim, or of another time: then nothing contradicts it.
pub fn hedges(claim: &TextClaim, message: &str, chooses: bool) -> bool {
    let Some(span) = message.get(claim.span.clone()) else { return true };
    let around = words(&message[sentence(message, &claim.span)]);
    let rest = &message[claim.span.end..sentence(message, &claim.span).end];
    let elsewhere = || chooses || is_of_elsewhere(message, &claim.span);
    let apart = || marks::is_set_apart(message, &claim.span) || is_denied_next(message, &claim.span);
    if claim.says != Says::NotDone && (elsewhere() || apart()) {
        return true;
    }
    // "`yarn test` passes" is of all that it runs.
    let unnamed = claim.runner.is_none() && tool::of(span, claim.kind).is_none();
    let clause = clause(message, &claim.span);
    let (before, mut after) = (&message[clause.start..claim.span.start], &message[claim.span.end..clause.end]);
    // The words that limit it may be its own: "all tests pass in `sub`".
    let (span, limits) = verb_end(span).map_or((span, ""), |at| span.split_at(at));
    let joined = format!("{limits}{after}");
    after = &joined;
    match claim.says {
        Says::Done if matches!(claim.kind, Kind::Commit | Kind::Push | Kind::File) => {
            let asks =
                words(span).first().is_some_and(|word| matches!(word.as_str(), "what" | "whatever" | "anything"));
            let old = words(span).iter().any(|word| has(OLD, word));
            let of_git = matches!(claim.kind, Kind::Commit | Kind::Push);
            let other = of_git && is_of_other_work(message, &clause, &claim.span);
            asks || old || other || is_denied(rest) || is_retracted(claim, message) || sets_aside(&around)
        }
        Says::Pass | Says::Done => {
            is_limited(after)
                || is_denied(rest)
                || sets_aside(&around)
                || is_limited_within(span)
                || names_options(span)
                || names_options(after)
                || match claim.kind {
                    // A part that is named is judged as one.
                    Kind::Tests => unnamed && claim.subset.is_none() && is_of_a_part(span, TESTS),
                    Kind::Build => unnamed && (is_of_a_part(span, BUILDS) || is_built_in_part(&words(span))),
                    _ => is_of_some(claim, &words(before), &[words(span), words(after)].concat()),
                }
        }
        // "The test failed because …" tells of a run before.
        Says::Fail => {
            // "The build is not warning-free" says of no failure.
            let noise = || words(span).iter().any(|word| has("free loud noisy quiet silent warning warnings", word));
            let build = claim.kind == Kind::Build && (is_of_a_part(span, BUILDS) || noise());
            build || names_options(before) || is_limited(after) || words(span).iter().any(|word| has(PAST, word))
        }
        Says::NotDone => {
            let clause = words(&message[clause]);
            let object = claim.object.as_deref().map(words).unwrap_or_default();
            let plain = |word: &String| has(DENIAL, word) || object.contains(word);
            let of_git = matches!(claim.kind, Kind::Commit | Kind::Push);
            // "Not committed: the notes", "your changes are not committed"
            let others = of_git && (rest.starts_with(':') || around.iter().any(|word| word == "your"));
            others
                || around.iter().any(|word| has(WITHIN, word))
                || sets_aside(&around)
                || is_retracted(claim, message)
                || is_denied(rest)
                || !clause.iter().all(plain)
        }
    }
}

/// "ESLint passes", "no lint errors", "0 errors, 3 warnings": not "lint is clean", "no warnings".
pub fn allows_warnings(claim: &TextClaim, message: &str) -> bool {
    let words = words(message.get(claim.span.clone()).unwrap_or_default());
    let clean = |at: usize| match words[at].as_str() {
        word if word.starts_with("warning") => !at.checked_sub(1).is_some_and(|before| is_some_number(&words[before])),
        word => has(CLEAN, word),
    };
    claim.kind == Kind::Lint && claim.says == Says::Pass && !(0..words.len()).any(clean)
}

fn is_some_number(word: &str) -> bool {
    has(NUMBERS, word) || word.parse::<u64>().is_ok_and(|n| n > 0)
}

const RESULTS: &str = "builds clean compile compiles fail fails green pass passed passes succeed succeeded succeeds";

/// Where the words of a result end: what comes after them says where or when.
fn verb_end(span: &str) -> Option<usize> {
    let mut at = 0;
    span.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '\'')).find_map(|piece| {
        at += piece.len();
        let word = piece.trim_end_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        has(RESULTS, &word).then(|| at - (piece.len() - piece.trim_end_matches(|c: char| !c.is_alphanumeric()).len()))
    })
}

/// "My files are formatted", "no warnings, one error": not all files, not all that a check reports.
fn is_of_some(claim: &TextClaim, before: &[String], words: &[String]) -> bool {
    let is_report = |word: &str| ["error", "problem", "issue", "warning"].iter().any(|report| word.starts_with(report));
    let counts = |pair: &[String]| is_some_number(&pair[0]) && is_report(&pair[1]);
    let warns = |word: &str| words.iter().any(|one| one.starts_with(word));
    // A run with errors may have no warnings; clippy's are errors where it fails.
    let only_warnings = warns("warning") && !warns("error") && claim.runner != Some("clippy");
    let unnamed = claim.runner.is_none();
    before.iter().any(|word| has("crate file files module my own package", word))
        || (unnamed && words.iter().any(|word| has(LANGUAGES, word)))
        || words.iter().any(|word| has(MINE, word))
        || words.windows(2).any(counts)
        || only_warnings
}

/// "Two designs come to mind … I'd go lazy": what passes there is what would.
pub fn offers_a_choice(message: &str) -> bool {
    const CHOOSES: &[&str] = &["go", "go with", "take", "keep", "pick", "choose", "prefer", "use", "recommend"];
    let text = message.to_lowercase().replace('\u{2019}', "'");
    let would = |verb: &&str| text.contains(&format!("i'd {verb} ")) || text.contains(&format!("i would {verb} "));
    CHOOSES.iter().any(would) || text.contains("do you prefer") || text.contains("your call")
}

/// "The nightly run is red. The tests before the upload passed": of what ran elsewhere, in this sentence or the one before.
fn is_of_elsewhere(message: &str, span: &Range<usize>) -> bool {
    const ELSEWHERE: &str = "actions badge buildkite ci circleci jenkins nightly pipeline pr prs travis workflow";
    let own = sentence(message, span);
    let before = own.start.checked_sub(1).map_or(0..0, |end| sentence(message, &(end..end)));
    let text = message.get(before.start..own.end).unwrap_or(&message[own]);
    words(text).iter().any(|word| has(ELSEWHERE, word))
}

fn sets_aside(words: &[String]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let rest = &words[at + 1..];
        let next = rest.first().map(String::as_str).unwrap_or_default();
        match word.as_str() {
            "without" => !has(NOTHING, next),
            "other" => next == "than",
            // "All tests pass but one": what follows is no clause of its own.
            "but" => {
                let tail = !rest.is_empty() && rest.len() <= 4 && !rest.iter().any(|word| is_of_a_clause(word));
                tail || is_all(&words[..at])
            }
            word => has(ASIDE, word),
        }
    })
}

/// "All checks but lint pass."
fn is_all(words: &[String]) -> bool {
    let from = words.iter().rposition(|word| has("all any each every everything no none nothing", word));
    from.is_some_and(|from| {
        let noun = &words[from + 1..];
        noun.len() <= 2 && !noun.iter().any(|word| has(RESULTS, word) || is_of_a_clause(word))
    })
}

/// "… on Windows", "… for my files", "… with `--release`"; not "… in 0.3 s", "… for the whole project", "… with the fix".
fn is_limited(after: &str) -> bool {
    const HOW: &str = "again all also cleanly correctly fine fully here locally now successfully together too";
    let words = words(after);
    let at = words.iter().position(|word| !has(HOW, word)).unwrap_or(words.len());
    let Some((first, rest)) = words[at..].split_first() else { return false };
    let near = |list: &str| rest.iter().take(4).any(|word| has(list, word));
    let timed = rest.first().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let unit = |word: &String| has(UNITS, word) || has(UNITS, word.trim_start_matches(|c: char| c.is_ascii_digit()));
    match first.as_str() {
        "one" => rest.starts_with(&["by".to_owned(), "one".to_owned()]),
        "with" => !rest.is_empty() && (!near(WITH_ALL) || after.contains("--")),
        "in" if timed => !rest.iter().take(3).any(unit),
        first => has(PLACES, first) && !near(EVERYWHERE),
    }
}

/// "Clippy with default lints is clean": what stands before the verb limits it too. A part of the tests is judged as one.
fn is_limited_within(span: &str) -> bool {
    let joins = |at: &usize| span[..*at].ends_with(' ');
    let limits = |at: usize| {
        let verb = [" is ", " are ", " pass"].iter().find_map(|verb| span[at..].find(verb));
        verb.is_some_and(|verb| is_limited(&span[at..at + verb]))
    };
    ["with ", "without ", "under "]
        .iter()
        .any(|place| span.match_indices(place).map(|(at, _)| at).filter(joins).any(limits))
}

/// "The docs repo is pushed", "that file is already committed".
fn is_of_other_work(message: &str, clause: &Range<usize>, span: &Range<usize>) -> bool {
    let text = message[clause.clone()].to_lowercase();
    // Lower case may be of another length than what it is of.
    let Some(span) = (text.len() == clause.len()).then(|| span.start - clause.start..span.end - clause.start) else {
        return true;
    };
    let verb = ["committed", "pushed"]
        .iter()
        .find_map(|verb| text.get(span.clone())?.rfind(verb).map(|at| span.start + at..span.start + at + verb.len()));
    verb.is_some_and(|verb| is_other_work(&text, verb))
}

/// A verb, or who does it.
fn is_of_a_clause(word: &str) -> bool {
    const OF_A_CLAUSE: &str = "i we you it they is are was were be has have had not did does do can will should lint clippy untested \
    uncommitted unpushed nothing";
    has(OF_A_CLAUSE, word) || word.ends_with("n't")
}

/// "All tests pass with `--all-features`", "with `CI=1`".
fn names_options(text: &str) -> bool {
    let mut tokens = text.split(|c: char| c.is_whitespace() || c == '`');
    tokens.any(|token| {
        let variable = token.split_once('=').map(|(name, _)| name).unwrap_or_default();
        let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        (token.starts_with("--") && token.len() > 2) || (!variable.is_empty() && variable.chars().all(is_name))
    })
}

/// "My tests", "the existing tests", "all Rust tests", "the debug build": not all of them. `nouns` is what they are called.
fn is_of_a_part(span: &str, nouns: &str) -> bool {
    let words = words(span);
    let Some(noun) = words.iter().position(|word| has(nouns, word)) else { return false };
    let whole = |word: &String| {
        has(WHOLE, word) || has(NUMBERS, word) || has(nouns, word) || word.chars().all(|c| c.is_ascii_digit())
    };
    !words[..noun].iter().all(whole)
}

#[cfg(test)]
mod tests {
    use super::super::text::claims;
    use super::*;

    /// The claims of a message, and whether each is hedged.
    fn read(message: &str) -> Vec<bool> {
        claims(message).iter().map(|claim| hedges(claim, message, offers_a_choice(message))).collect()
    }

    #[test]
    fn plain_words_are_held_to() {
        for message in [
            "All tests pass.",
            "All 42 tests pass without errors.",
            "I fixed the parser, and all tests pass now.",
            "All tests pass, but I have not looked at the docs.",
            "The full test suite passes.",
            "cargo test passes.",
            "I did not commit anything.",
            "I have not run the tests.",
            "I left `src/a.rs` untouched.",
            "2 tests still fail.",
            "Lint is clean.",
        ] {
            assert!(read(message).iter().all(|hedged| !hedged), "{message}");
        }
    }

    #[test]
    fn what_takes_something_back_is_heard() {
        for message in [
            "All tests pass but subs.",
            "All tests pass, except\nfor the flaky one.",
            "Without subs, all tests pass.",
            "The existing tests pass.",
            "My tests pass.",
            "Tests pass only partly.",
            "The test failed because of a typo.",
            "I did not commit the lock file.",
            "I did not push until the tests passed.",
            "I have not pushed it before you asked.",
            "The release branch is not pushed yet.",
            "I did not commit or push anything else.",
            "I did not touch `main.rs` before the tests were green.",
            "Clippy with default lints is clean.",
            "Lint is clean now. (Not run.)",
            "All checks but lint pass.",
            "I pushed and the remote said no.",
            "Pushed... to no avail: rejected.",
            "The bug was committed in 1a2b3c4.",
        ] {
            assert!(read(message).iter().all(|hedged| *hedged), "{message}");
        }
    }

    #[test]
    fn no_text_is_cut_within_a_character() {
        let said =
            ["All tests pass", "I did not commit anything", "Committed and pushed", "2 tests fail", "Lint is clean"];
        for around in ["é", "…", "\n…\n", ".é", "é.", "。", "\u{a0}", "— é —", "!é?", "\n\n- é", "`é`", ""]
        {
            for words in said {
                for message in
                    [format!("{around}{words}{around}"), format!("{around} {words} {around}{words}.{around}")]
                {
                    read(&message);
                }
            }
        }
    }

    #[test]
    fn a_sentence_ends_where_the_next_begins() {
        let message = "Only a.rs changed. All tests pass\nnow. - x";
        let at = message.find("All").unwrap();
        assert_eq!(&message[sentence(message, &(at..at + 3))], " All tests pass\nnow");
    }
}
