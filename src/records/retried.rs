//! A failure after which the same check may have been run in another way: `tox` after `pytest`, `./scripts/test.sh` after
//! `cargo test`, `black .` after `black --check .`. What came of that is not seen, and the failure is no longer known to hold.

use super::check::CheckRun;
use super::command;
use super::invocation::{Invocation, Reading};
use super::need::Moment;
use super::outcome::Outcome;
use super::story::{Checks, Story};

/// Programs that run no check, whatever words stand behind them.
const READERS: &str = "[ awk basename bat cat cd chmod code column cp curl cut date diff dirname du echo env fd file find git \
    grep head jq kill less ln ls mkdir more mv nl open printf pwd readlink realpath rg rm rmdir sed sleep sort stat tail tee \
    test touch tr tree uniq vi vim wc wget which xxd";

/// Programs that run any check, and much else.
const MANY: &str = "bun bundle cargo composer deno dotnet go gradle just make mvn node npm npx nx pnpm poetry python python3 \
    rake task turbo uv yarn";

/// The command that followed and exited 0, whose outcome is not known otherwise.
pub(super) fn retried(failed: &CheckRun, story: &Story, checks: &Checks, moment: &Moment) -> Option<String> {
    let words = words_of(&failed.check)?;
    let own = failed.text.split_whitespace().next().unwrap_or_default();
    let later = story.runs.iter().enumerate().skip(failed.run + 1);
    let mut later = later.filter(|(_, run)| moment.until.is_none_or(|until| run.millis <= until));
    later.find_map(|(index, run)| {
        if run.exit.code != Some(0) {
            return None;
        }
        let Reading::Script(invocations) = command::read(&run.command) else { return None };
        let known = |invocation: &Invocation| {
            let same = |c: &&CheckRun| c.run == index && c.text == invocation.text;
            let judged = checks.own.iter().find(same).filter(|c| c.judged.outcome != Outcome::Unknown);
            judged.is_some_and(|c| c.filter.is_some() || !are_alike(&c.runner, &failed.runner))
        };
        let could = |invocation: &Invocation| {
            (invocation.program == own && !has(MANY, own)) || names_the_check(invocation, words)
        };
        let ended_well = |invocation: &Invocation| invocation.status.zero && invocation.status.zero_ran;
        let found = invocations.iter().find(|one| ended_well(one) && could(one) && !known(one));
        found.map(|one| one.text.clone())
    })
}

/// By what words a command is told to run a check of this kind.
fn words_of(check: &str) -> Option<&'static str> {
    Some(match check {
        "tests" => "check ci cov coverage hatch llvm nox spec suite tarpaulin test tests tox verify",
        "lint" => "check ci fix lint",
        "format" => "check ci fix fmt format write",
        "typecheck" => "build check ci tsc typecheck types",
        "build" => "build ci compile make release",
        _ => return None,
    })
}

/// Different runners that may well run the same tests.
fn are_alike(one: &str, other: &str) -> bool {
    const ALIKE: &[&str] = &["pytest unittest django nose2", "jest vitest mocha node-test", "rspec minitest"];
    let holds = |group: &str, runner: &str| group.split(' ').any(|name| name == runner);
    one != other && ALIKE.iter().any(|group| holds(group, one) && holds(group, other))
}

fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == word)
}

fn names_the_check(invocation: &Invocation, words: &str) -> bool {
    let named = |text: &str| text.split(|c: char| !c.is_alphanumeric()).any(|part| has(words, &part.to_lowercase()));
    !has(READERS, &invocation.program)
        && (named(&invocation.program) || invocation.args.iter().any(|word| named(&word.text)))
}
