//! The table of what is said of a check. A new row needs a phrase and an example, and the example is tested to make a
//! claim with that verdict.

use super::Kind::{self, Build, Format, Lint, Tests, Typecheck};

pub struct Row {
    pub phrase: &'static str,
    pub verdict: Verdict,
    pub form: Form,
    pub kinds: &'static [Kind],
    /// Read by the tests.
    #[allow(dead_code)]
    pub example: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Pass,
    Fail,
    /// What follows says it: "reports no errors", "ended with 2 failed".
    Follows,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A verb that stands by itself: "pass", "came back clean".
    Verb,
    /// Needs "is" or the like before it, or none after a label: "green".
    State,
    /// A participle: after "is" or "with …", never a finished past: "passing".
    Ongoing,
}

use Form::{Ongoing, State, Verb};
use Verdict::{Fail, Follows, Pass};

const ALL: &[Kind] = &[Tests, Lint, Typecheck, Format, Build];
const CHECKERS: &[Kind] = &[Lint, Typecheck, Format, Build];
const BUILDS: &[Kind] = &[Build];

const fn p(phrase: &'static str, verdict: Verdict, form: Form, kinds: &'static [Kind], example: &'static str) -> Row {
    Row { phrase, verdict, form, kinds, example }
}

pub const PREDICATES: &[Row] = &[
    p("pass|passes|passed", Pass, Verb, ALL, "All tests passed."),
    p("passing", Pass, Ongoing, ALL, "All tests are passing."),
    p("succeed|succeeds|succeeded", Pass, Verb, ALL, "The build succeeded."),
    p("succeeding", Pass, Ongoing, ALL, "The build is succeeding again."),
    p("works|work|worked", Pass, Verb, BUILDS, "The release build works."),
    p("compile|compiles|compiled", Pass, Verb, BUILDS, "The build compiles."),
    p("check|checks|checked out", Pass, Verb, &[Typecheck], "The types check out."),
    p("check|checks", Pass, Verb, &[Typecheck], "The types check."),
    p("build|builds", Pass, Verb, BUILDS, "The project builds."),
    p("link|links", Pass, Verb, BUILDS, "The release build links."),
    p(
        "type-check|type-checks|type-checked|typecheck|typechecks|typechecked",
        Pass,
        Verb,
        &[Typecheck],
        "The code type-checks.",
    ),
    p("line|lines up", Pass, Verb, &[Typecheck], "The types line up."),
    p("hold|holds", Pass, Verb, &[Tests, Typecheck], "The types hold."),
    p(
        "green|clean|successful|error-free|warning-free|flawless|unbroken|spotless",
        Pass,
        State,
        ALL,
        "The linter is clean.",
    ),
    p("happy|satisfied|quiet|silent|content", Pass, State, CHECKERS, "Clippy is happy."),
    p("ok|okay|fine", Pass, State, &[Format], "The formatting is fine."),
    p("ok|okay|fine|good|intact", Pass, State, &[Tests, Lint, Typecheck, Build], "The build is fine."),
    p(
        "free of|from errors|warnings|problems|issues|findings|failures",
        Pass,
        State,
        ALL,
        "The lint is free of warnings.",
    ),
    p("back to green|clean|passing", Pass, State, ALL, "The build is back to green."),
    p("back? in the green", Pass, State, ALL, "The test suite is in the green."),
    p("in order", Pass, State, ALL, "Formatting is in order."),
    p("run|runs|ran clean|cleanly|green|fine|through|successfully|smoothly", Pass, Verb, ALL, "The suite runs clean."),
    p(
        "run|runs|ran to completion without? failures|failure|errors|error?",
        Pass,
        Verb,
        ALL,
        "The suite ran to completion without failures.",
    ),
    p("come|comes|came back|out|up clean|green|empty|fine", Pass, Verb, ALL, "The linter came back clean."),
    p("go|goes|went through cleanly?", Pass, Verb, ALL, "The build went through."),
    p("go|goes|went green|clean|well|fine", Pass, Verb, ALL, "The suite went green."),
    p("turn|turns|turned green|clean", Pass, Verb, ALL, "The suite turned green."),
    p(
        "finish|finishes|finished|complete|completes|completed|end|ends|ended cleanly|successfully|fine|green|clean",
        Pass,
        Verb,
        ALL,
        "The build finished cleanly.",
    ),
    p("completes|completed|finished", Pass, Verb, BUILDS, "The build completed."),
    p("is|are|was|were a success", Pass, Verb, ALL, "The build was a success."),
    p("complain|complains|complained", Fail, Verb, CHECKERS, "Clippy complains about two clones."),
    p("warn|warns|warned", Fail, Verb, &[Lint, Typecheck, Format], "eslint still warns about two imports."),
    p("complaining|unhappy|dissatisfied", Fail, Ongoing, CHECKERS, "The linter is complaining."),
    p("object|objects|objected", Fail, Verb, CHECKERS, "The linter objects to the name."),
    p("fail|fails|failed", Fail, Verb, ALL, "The build fails."),
    p("failing", Fail, Ongoing, ALL, "Two tests are failing."),
    p("broken|red", Fail, State, ALL, "The build is broken."),
    p("refuse|refuses|refused to pass|compile|build", Fail, Verb, ALL, "The build refuses to pass."),
    p("far from green|clean|passing|happy|working", Fail, State, ALL, "The suite is far from green."),
    p("break|breaks|broke", Fail, Verb, ALL, "Three tests break."),
    p("crash|crashes|crashed", Fail, Verb, &[Tests, Build], "The build crashes."),
    p("error|errors|errored out?", Fail, Verb, ALL, "The test suite errors out."),
    p("time|times out", Fail, Verb, &[Tests], "The upload test times out."),
    p("hang|hangs", Fail, Verb, &[Tests, Build], "The upload test hangs."),
    p("go|goes|went red", Fail, Verb, ALL, "The suite went red."),
    p("turn|turns|turned|come|comes|came back? red", Fail, Verb, ALL, "The suite turned red."),
    p("change|changes|changed nothing", Pass, Verb, &[Format], "`gofmt` changes nothing."),
    p(
        "report|reports|reported|show|shows|showed|give|gives|gave|find|finds|found|print|prints|printed",
        Follows,
        Verb,
        ALL,
        "`tsc` finds no errors.",
    ),
    p(
        "return|returns|returned|yield|yields|yielded|produce|produces|produced|raise|raises|raised|emit|emits|emitted",
        Follows,
        Verb,
        ALL,
        "eslint returns 0 problems.",
    ),
    p(
        "list|lists|listed|count|counts|counted|flag|flags|flagged|say|says|said|see|sees|detects|detected",
        Follows,
        Verb,
        ALL,
        "eslint flags 3 problems.",
    ),
    p("have|has|had", Follows, Verb, ALL, "The build has no errors."),
    p("exit|exits|exited cleanly|successfully|zero", Pass, Verb, ALL, "`tsc --noEmit` exits cleanly."),
    p("exit|exits|exited with?", Follows, Verb, ALL, "`cargo test` exits with code 0."),
    p(
        "end|ends|ended|finish|finishes|finished|complete|completes|completed|close|closes|closed with|at|in?",
        Follows,
        Verb,
        ALL,
        "The suite finished with 0 failures.",
    ),
    p("come|comes|came back|out|up|in with|at?", Follows, Verb, ALL, "The suite came back with 2 failures."),
    p(
        "stop|stops|stopped|abort|aborts|aborted|die|dies|died with",
        Follows,
        Verb,
        &[Tests, Build],
        "The build stops with 14 errors.",
    ),
    p("run|runs|ran with|at", Follows, Verb, ALL, "The suite runs with no failures."),
    p(
        "run|runs|ran|finish|finishes|finished|complete|completes|completed|end|ended|go|goes|went through?",
        Follows,
        Verb,
        ALL,
        "The suite ran without errors.",
    ),
    p("pass|passes|passed|succeed|succeeds|succeeded with", Follows, Verb, ALL, "The suite passes with 42 passed."),
    p(
        "build|builds|built|compile|compiles|compiled with?",
        Follows,
        Verb,
        BUILDS,
        "The build compiles without errors.",
    ),
    p("at|with", Follows, State, &[Tests], "The suite is at 42/42."),
    p("down to", Follows, State, ALL, "The linter is down to 0 warnings."),
    p("still|now at", Follows, State, ALL, "The suite is still at 40 passed, 2 failed."),
];
