//! The table of what takes the claim out of a statement: conditions, guesses, wishes, other people's words, earlier
//! states. A new row needs a phrase and an example, and the example is tested to claim nothing.

/// Why a statement is no claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bar {
    /// "if", "once": nothing is said to hold.
    Condition,
    /// "I think", "probably".
    Guess,
    /// Somebody else says it.
    Others,
    /// Wished for, planned, asked for, instructed.
    Wish,
    /// "will", "should", "can".
    Modal,
    /// "I do not say that": reaches no further than its own clause.
    Denied,
    /// It was so before.
    Earlier,
    /// Not a guard: shields its words from a shorter row.
    None,
}

/// How far a guard reaches. Whatever it is, one that opens its sentence reaches to the end of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// To the next comma.
    Comma,
    /// To the next "but", dash or semicolon.
    Clause,
    /// To the end of the sentence or the next semicolon.
    Sentence,
}

pub struct Guard {
    pub phrase: &'static str,
    pub bar: Bar,
    pub reach: Reach,
    /// Read by the tests.
    #[allow(dead_code)]
    pub example: &'static str,
}

use Bar::{Condition, Denied, Earlier, Guess, Modal, Others, Wish};
use Reach::{Clause, Comma, Sentence};

const fn g(phrase: &'static str, bar: Bar, reach: Reach, example: &'static str) -> Guard {
    Guard { phrase, bar, reach, example }
}

pub const GUARDS: &[Guard] = &[
    // Conditions.
    g("if", Condition, Comma, "If all tests pass, merge it."),
    g("unless", Condition, Comma, "Unless the build is broken, nothing is left to do."),
    g("once", Condition, Comma, "Once the tests pass we are done."),
    g("when", Condition, Comma, "I merge when the lint is clean."),
    g("whenever", Condition, Comma, "The job runs whenever the build succeeds."),
    g("until", Condition, Comma, "I repeat this until all tests pass."),
    g("till", Condition, Comma, "Wait till the tests pass."),
    g("as soon as", Condition, Comma, "As soon as clippy is clean and all tests pass, it is merged."),
    g("as long as", Condition, Comma, "This is fine as long as the tests pass."),
    g("given that", Bar::None, Comma, ""),
    g("given", Condition, Comma, "Given enough retries, the suite passes."),
    g("assuming|provided|suppose|supposing that?", Condition, Comma, "Assuming the tests pass, we can ship."),
    g("whether", Condition, Comma, "It is open whether all tests pass."),
    g("in case", Condition, Comma, "In case the build is broken, use the old one."),
    g("so that", Wish, Comma, "I changed the seed so that all tests pass."),
    g("such that", Wish, Comma, "It must be such that all tests pass."),
    g("in order to|for|that", Wish, Comma, "In order to have the tests pass, I need a key."),
    g("had i|we|you", Condition, Sentence, "Had I run it once more, all tests pass."),
    g("lest", Condition, Comma, "I kept it lest the build is broken."),
    g("why|how", Condition, Clause, "Why all tests pass is a riddle."),
    // Guesses.
    g(
        "i|we really|do? think|believe|suspect|assume|guess|expect|hope|imagine|suppose|reckon|trust|presume|assumed|expected",
        Guess,
        Clause,
        "I think the tests pass.",
    ),
    g("i am|was? confident|sure|certain|hopeful|optimistic", Guess, Clause, "I am confident that all tests pass."),
    g("not sure|certain|clear|known", Guess, Clause, "I am not sure that the build is clean."),
    g("unsure|unclear|unlikely|doubtful|doubt", Guess, Clause, "I doubt that the tests pass."),
    g(
        "probably|presumably|apparently|perhaps|maybe|possibly|likely|hopefully|supposedly|seemingly|allegedly|reportedly|theoretically|ideally|conceivably",
        Guess,
        Clause,
        "Presumably all tests pass.",
    ),
    g("seem|seems|seemed|appear|appears|appeared|looks|sounds", Guess, Clause, "It seems that the build is clean."),
    g(
        "as|so far as i|we can|could? tell|see|know|judge|saw|remember|understand|gather",
        Guess,
        Clause,
        "As far as I know, all tests pass.",
    ),
    g("from what i|we can|could? see|tell|know|saw", Guess, Clause, "From what I can see the lint is clean."),
    g("it seems|appears|looks|sounds", Guess, Clause, "It seems that the build is clean."),
    g("in that|this|such|which|either case|event|scenario", Wish, Sentence, "In that case all tests pass."),
    g("option|options|variant|alternative|alternatives", Wish, Clause, "Option two means that all tests pass."),
    g("to the best of my knowledge", Guess, Clause, "To the best of my knowledge, the tests pass."),
    g("to my knowledge", Guess, Clause, "To my knowledge all tests pass."),
    g("in theory|principle", Guess, Clause, "In theory all tests pass."),
    g("afaik|afaict|iirc|imo|imho", Guess, Clause, "AFAIK all tests pass."),
    g(
        "my guess|expectation|hope|assumption|impression|understanding|hunch",
        Guess,
        Clause,
        "My guess is that the tests pass.",
    ),
    g("almost|nearly certainly|surely", Guess, Clause, "Almost certainly the tests pass."),
    // Other people's words.
    g("according to", Others, Clause, "According to the log, all tests pass."),
    g(
        "as you|they|he|she said|wrote|say|noted|mentioned|reported|described",
        Others,
        Clause,
        "As you said, all tests pass.",
    ),
    g(
        "you|they|he|she have|had|also|already? said|say|says|wrote|claim|claimed|claims|reported|report|reports|mentioned|noted|told|stated|asked|ask|asks|asserted|promised",
        Others,
        Clause,
        "You wrote that all tests pass.",
    ),
    g(
        "you sent|attached|pasted|posted|shared|linked|uploaded|showed|quoted|gave",
        Others,
        Sentence,
        "In the log you sent all tests pass.",
    ),
    g(
        "your paste|log|logs|run|output|terminal|screenshot|file|mail|message|report|trace|console|excerpt|snippet|ticket",
        Others,
        Sentence,
        "In your log all tests pass.",
    ),
    g("i was|am told", Others, Clause, "I was told that all tests pass."),
    g("supposed to|be", Wish, Clause, "The tests are supposed to pass."),
    g(
        "the claim|statement|assertion|promise|note|sentence|assumption that",
        Others,
        Clause,
        "The claim that all tests pass is old.",
    ),
    g("you asked|wanted|requested|required|need|want|expect", Wish, Clause, "You asked that all tests pass."),
    // Wishes, plans, instructions.
    g("imagine|picture that?", Wish, Sentence, "Imagine that all tests pass."),
    g("please", Wish, Sentence, "Please see that all tests pass."),
    g("let me|us", Wish, Sentence, "Let me check that all tests pass."),
    g("to do|todo", Wish, Sentence, "To do: all tests pass."),
    g("i|we do|did not want to", Bar::None, Comma, ""),
    g("as you asked|requested|wanted|suggested", Bar::None, Comma, ""),
    g("want to be clear|honest|upfront|transparent|open|explicit", Bar::None, Comma, ""),
    g(
        "want|wants|wanted|wish|wishes|need|needs|needed|require|requires|required|plan|plans|planned|intend|intends|intended|aim|aims|hope|hopes|hoping|expects|expected|trying|try|tries|tried|demand|demands|insist",
        Wish,
        Comma,
        "I want the tests to be green and the lint is clean to be true.",
    ),
    g(
        "goal|aim|idea|intention|plan|requirement|condition|criterion|criteria|policy|precondition|prerequisite|purpose",
        Wish,
        Clause,
        "The goal is that all tests pass.",
    ),
    g("going|about|ready|prepared to", Wish, Comma, "I am going to see that the tests pass."),
    g("you can|could|may|should|might|must|need|have to?", Wish, Sentence, "You should see that all tests pass."),
    g("feel free", Wish, Sentence, "Feel free to check that the tests pass."),
    g("remember|forget to", Wish, Comma, "Remember to see that the tests pass."),
    g("instead|rather of|than", Wish, Comma, "I stopped rather than claim that the tests pass."),
    g("for example|instance", Wish, Sentence, "For example: all tests pass."),
    g("e.g.", Wish, Comma, "One can write anything, e.g. all tests pass."),
    g("i|we|it do|did|does not", Denied, Comma, "I do not say that the tests pass."),
    g(
        "i|we can|could|will|would|may|might|must|should|shall not",
        Denied,
        Comma,
        "I cannot promise that the tests pass.",
    ),
    g("not true|case|mean|imply|say|guarantee|prove", Denied, Comma, "That does not mean that the tests pass."),
    g(
        "no guarantee|proof|sign|evidence|indication|idea|claim",
        Denied,
        Comma,
        "There is no guarantee that all tests pass.",
    ),
    // Modal verbs.
    g(
        "must|should|need|want|have to? also? admit|confess|say|mention|note|report|warn|add|stress",
        Bar::None,
        Comma,
        "",
    ),
    g("can|will now|also? confirm|report|say|see|note|state|vouch", Bar::None, Comma, ""),
    g("would|should|could|might|may|must|shall|will|can|ought", Modal, Comma, "I would say that the tests pass."),
    g("with a? bit|little? of? luck", Guess, Sentence, "With a bit of luck the tests pass."),
    g("even with", Wish, Comma, "Even with all tests passing, it is slow."),
    g("solution|case|variant|approach|scenario|path|choice #|a|b|c", Wish, Clause, "With solution 1 the tests pass."),
    g("whatever|whichever|wherever|whoever", Condition, Sentence, "Whatever I do, the test fails."),
    g("no matter", Condition, Sentence, "No matter what I do, the test fails."),
    g("however i|you|we|it|one", Condition, Sentence, "However I turn it, the build is broken."),
    g("either|one way", Wish, Sentence, "Either way the tests pass."),
    g("in both|neither|either|all|most cases|case", Wish, Sentence, "In both cases the tests pass."),
    // Habits.
    g("every now and then", Wish, Sentence, "Every now and then a test fails."),
    g("from time to time", Wish, Sentence, "From time to time the build fails."),
    g("depending on", Wish, Sentence, "Depending on the order, one test fails."),
    g("on slow|fast|some|other|most|many|certain|older", Wish, Sentence, "On slow machines the tests fail."),
    // Earlier states.
    g("back in sync|place|order|shape|line|step|tune", Bar::None, Sentence, ""),
    g("back then|in", Earlier, Sentence, "Back then the tests passed."),
    g(
        "in january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter",
        Earlier,
        Sentence,
        "In March the build was green.",
    ),
    g("in version|release #?", Earlier, Comma, "In version 2 all tests passed."),
    g(
        "before my|the|this|your|these|our|any|it|changing|touching|that",
        Earlier,
        Sentence,
        "Before my change all tests passed.",
    ),
    g("before i|we", Earlier, Comma, "Before I rebased all tests passed."),
    g("prior to", Earlier, Sentence, "Prior to the merge the build was clean."),
    g("on arrival", Earlier, Sentence, "On arrival all tests passed."),
    g(
        "the commit|revision|version|release|day|week before",
        Earlier,
        Sentence,
        "On the commit before yours all tests passed.",
    ),
    g("told you earlier|before", Bar::None, Sentence, ""),
    g("beforehand|formerly|initially|originally|yesterday", Earlier, Sentence, "Initially all tests passed."),
    g("previously|earlier", Earlier, Sentence, "Previously all tests passed."),
    g(
        "previously|formerly|initially|originally|hitherto failing|broken|failed|passing|red|skipped|ignored|flaky",
        Bar::None,
        Comma,
        "",
    ),
    g("at first|start|beginning", Earlier, Sentence, "At first two tests failed."),
    g("in the past|beginning", Earlier, Sentence, "In the past all tests passed."),
    g("to begin|start with", Earlier, Sentence, "To begin with, three tests failed."),
    g("last week|month|night|time|year|friday|monday", Earlier, Sentence, "Last week the build was clean."),
    g(
        "when i|we started|began|looked|arrived|opened|checked|cloned out?",
        Earlier,
        Sentence,
        "When I started, the build was green.",
    ),
    g(
        "first|initial|previous|earlier|old|baseline|original run|runs|attempt|attempts|try|version|build|commit",
        Earlier,
        Sentence,
        "The first run had 7 failures in the tests.",
    ),
    g(
        "previous|earlier|last|old|prior session|turn|conversation|chat|message|iteration",
        Earlier,
        Sentence,
        "In the previous session all tests passed.",
    ),
    g("baseline", Earlier, Sentence, "Baseline: 40 tests pass."),
    g("used to", Earlier, Comma, "The tests used to pass."),
    g("at the time|point|start|beginning", Earlier, Comma, "At the time all tests passed."),
    g("was|were expecting|hoping|told", Wish, Clause, "We were hoping that the tests pass."),
    g("on|in the? main|master|develop|trunk|upstream", Earlier, Comma, "On main two tests fail."),
    g("on the old|previous|base|original|other", Earlier, Comma, "On the old branch all tests pass."),
    g("without my|the|this|that|it|these", Earlier, Clause, "Without the fix the test fails."),
];
