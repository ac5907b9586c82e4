//! The table of what may stand between the start of a clause and the check it names, and leave it a claim. Anything that
//! is not in it ("the readme promises that", "this keeps") takes the claim away. A new row needs an example, which is
//! tested to make a claim.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// "I verified that": the rest is said by the agent itself.
    Stated,
    /// "I ran", "I re-ran": a result has to be joined to the check.
    Ran,
    /// "with", "I have": a participle may follow the check.
    With,
    /// "as a result": says nothing.
    Aside,
}

pub struct LeadRow {
    pub phrase: &'static str,
    pub means: Means,
    /// Read by the tests.
    #[allow(dead_code)]
    pub example: &'static str,
}

use Means::{Aside, Ran, Stated, With};

const fn l(phrase: &'static str, means: Means, example: &'static str) -> LeadRow {
    LeadRow { phrase, means, example }
}

pub const LEADS: &[LeadRow] = &[
    l(
        "i|we also? then? have|had? just? also? verified|confirmed|checked|ensured|validated|double-checked|re-verified|see that?",
        Stated,
        "I verified that all tests pass.",
    ),
    l("i|we also? then? have? just? also? made sure|certain that?", Stated, "I made sure that all tests pass."),
    l(
        "also? then? verified|confirmed|ensured|validated|checked|double-checked|re-verified that?",
        Stated,
        "Verified that all tests pass.",
    ),
    l("also? made sure|certain that?", Stated, "Made sure all tests pass."),
    l("i|we can will? now? also? confirm|report|say|see that?", Stated, "I can confirm that all tests pass."),
    l(
        "i|we can|am|are? happily|happy|glad|pleased|relieved to? report|say|confirm|note that?",
        Stated,
        "I am happy to report that all tests pass.",
    ),
    l("i|we am|are? sorry|afraid to? say|report|admit? that?", Stated, "I am sorry to say that two tests fail."),
    l(
        "i|we also? have? checked|verified|confirmed again|once|twice more? that",
        Stated,
        "I checked twice that all tests pass.",
    ),
    l("happy|glad|pleased to report|say|confirm|note that?", Stated, "Happy to report that all tests pass."),
    l("note|fyi that", Stated, "Note that two tests fail."),
    l("be aware|warned that", Stated, "Be aware that two tests fail."),
    l("the good|bad news|result|outcome|upshot is that?", Stated, "The good news is that all tests pass."),
    l(
        "the|a|my final|last|latest|full|fresh|second? run|re-run|rerun|output|check now? shows|showed|confirms|confirmed|reports|reported|says that?",
        Stated,
        "The final run shows that all tests pass.",
    ),
    l(
        "i|we must|have|should|need to? be? upfront|admit|say|report|mention|note that?",
        Stated,
        "I must admit that two tests fail.",
    ),
    l("i|we know that", Stated, "I know that two tests fail."),
    l("the fact is that", Stated, "The fact is that two tests fail."),
    l(
        "i|we also? then? have? also? just? ran|re-ran|reran|executed|run|rerun|re-run|repeated again?",
        Ran,
        "I ran `cargo test`: 42 passed, 0 failed.",
    ),
    l("also? then? ran|re-ran|reran|executed again?", Ran, "Ran `cargo test`: 42 passed, 0 failed."),
    l(
        "also? then? verified|checked|double-checked|validated|confirmed|tested this|it|everything|the|change|fix? with|by|via|using running?",
        Ran,
        "Verified with `cargo test`: 42 passed, 0 failed.",
    ),
    l(
        "i|we also? then? have? verified|checked|double-checked|validated|confirmed|tested this|it|everything|the? change|fix? with|by|via|using running?",
        Ran,
        "I checked it with `cargo test`: 42 passed, 0 failed.",
    ),
    l("running|rerunning|re-running", Ran, "Running `cargo test` gives 42 passed, 0 failed."),
    l("after running|rerunning|re-running", Ran, "After running `cargo test`: 42 passed, 0 failed."),
    l("with", With, "The split is done, with all tests passing."),
    l("i|we now? have|got|had|left|kept", With, "I have all tests passing."),
    l("that|this leaves", With, "This leaves one test failing."),
    l("leaving|keeping|got", With, "I rewrote it, leaving all tests green."),
    l("as a result|consequence", Aside, "As a result all tests pass."),
    l("in short|summary|total|addition|fact|particular|conclusion|brief", Aside, "In short all tests pass."),
    l("in|at the end", Aside, "In the end all tests pass."),
    l("at this|the point|moment", Aside, "At this point all tests pass."),
    l("at present", Aside, "At present all tests pass."),
    l("for now|me", Aside, "For now all tests pass."),
    l("so far", Aside, "So far all tests pass."),
    l("of course", Aside, "Of course all tests pass."),
    l("by now", Aside, "By now all tests pass."),
    l("after|with that|this", Aside, "After that all tests pass."),
    l(
        "on the|my second|third|fourth|next|last|latest|final run|attempt|try",
        Aside,
        "On the second run all tests passed.",
    ),
    l("i|we was|were at it", Aside, "While I was at it all tests passed."),
    l("fyi", Aside, "FYI all tests pass."),
    l("on mine", Aside, "On mine all tests pass."),
    l("this time", Aside, "This time all tests pass."),
    l("good|bad|great news", Aside, "Good news: all tests pass."),
    l("right now", Aside, "Right now all tests pass."),
    l("on my|this side|end|machine|laptop|system|branch|commit|tree", Aside, "On my side all tests pass."),
    l("even so|now|better", Aside, "Even so all tests pass."),
    l("now that", Aside, "Now that all tests pass, it is done."),
    l("to be clear|honest|upfront|fair|precise|sure", Aside, "To be clear two tests fail."),
    l("i|we must|have to? be clear|honest|upfront|open", Aside, "I have to be upfront: two tests fail."),
    l("other than that", Aside, "Other than that all tests pass."),
    l("given that", Aside, "Given that all tests pass, I stop here."),
    l("each|every|both time|times", Aside, "I ran it twice, and each time all tests passed."),
    l("verification|validation|results|result|status|checks", Aside, "Verification: all tests pass."),
];

/// Prepositions that may open a clause before the check: "After the fix all tests pass".
#[rustfmt::skip]
pub const OPENING_PREPOSITIONS: &[&str] = &[
    "across", "after", "at", "by", "despite", "during", "following", "for", "from", "in", "on", "over", "since",
    "thanks", "through", "under", "using", "via", "with", "within",
];

/// Conjunctions after which a check is still plainly asserted.
#[rustfmt::skip]
pub const ASSERTING_CONJUNCTIONS: &[&str] = &[
    "although", "and", "because", "but", "nor", "or", "plus", "since", "so", "then", "though", "whereas", "while",
    "whilst", "yet",
];
