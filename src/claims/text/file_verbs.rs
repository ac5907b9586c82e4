//! The table of verbs by which a file is made, changed or removed. A new row needs its three forms and an example, and
//! the example is tested to make a claim about a file.

use std::collections::HashSet;
use std::sync::OnceLock;

pub struct Verb {
    pub base: &'static str,
    pub past: &'static str,
    pub participle: &'static str,
    /// Read by the tests.
    #[allow(dead_code)]
    pub example: &'static str,
}

const fn v(base: &'static str, past: &'static str, participle: &'static str, example: &'static str) -> Verb {
    Verb { base, past, participle, example }
}

pub const FILE_VERBS: &[Verb] = &[
    v("adapt", "adapted", "adapted", "Adapted the tests in `src/q.rs`."),
    v("add", "added", "added", "Added a queue to `src/q.rs`."),
    v("adjust", "adjusted", "adjusted", "Adjusted the limits in `src/q.rs`."),
    v("amend", "amended", "amended", "Amended the text in `README.md`."),
    v("annotate", "annotated", "annotated", "Annotated the fields in `src/q.rs`."),
    v("append", "appended", "appended", "Appended a line to `notes.md`."),
    v("apply", "applied", "applied", "Applied the same fix to `src/q.rs`."),
    v("bring", "brought", "brought", "Brought the table into `src/q.rs`."),
    v("bump", "bumped", "bumped", "Bumped the version in `Cargo.toml`."),
    v("cache", "cached", "cached", "Cached the result in `src/q.rs`."),
    v("cap", "capped", "capped", "Capped the retries in `src/q.rs`."),
    v("change", "changed", "changed", "Changed the default in `src/q.rs`."),
    v("clarify", "clarified", "clarified", "Clarified the text in `README.md`."),
    v("clean", "cleaned", "cleaned", "Cleaned up `src/q.rs`."),
    v("comment", "commented", "commented", "Commented the loop in `src/q.rs`."),
    v("complete", "completed", "completed", "Completed the list in `README.md`."),
    v("configure", "configured", "configured", "Configured the cache in `config.yml`."),
    v("consolidate", "consolidated", "consolidated", "Consolidated the helpers in `src/q.rs`."),
    v("convert", "converted", "converted", "Converted `src/q.js` to modules."),
    v("copy", "copied", "copied", "Copied the table to `src/q.rs`."),
    v("correct", "corrected", "corrected", "Corrected the link in `README.md`."),
    v("cover", "covered", "covered", "Covered the empty case in `tests/q.rs`."),
    v("create", "created", "created", "Created `src/q.rs`."),
    v("cut", "cut", "cut", "I cut the dead code from `src/q.rs`."),
    v("declare", "declared", "declared", "Declared the type in `src/q.rs`."),
    v("deduplicate", "deduplicated", "deduplicated", "Deduplicated the helpers in `src/q.rs`."),
    v("define", "defined", "defined", "Defined the limits in `src/q.rs`."),
    v("delete", "deleted", "deleted", "Deleted `src/q.rs`."),
    v("disable", "disabled", "disabled", "Disabled the cache in `config.yml`."),
    v("ditch", "ditched", "ditched", "Ditched `src/q.rs`."),
    v("document", "documented", "documented", "Documented the flag in `README.md`."),
    v("downgrade", "downgraded", "downgraded", "Downgraded the version in `Cargo.toml`."),
    v("drop", "dropped", "dropped", "Dropped the field from `src/q.rs`."),
    v("duplicate", "duplicated", "duplicated", "Duplicated the block in `src/q.rs`."),
    v("edit", "edited", "edited", "Edited `src/q.rs`."),
    v("enable", "enabled", "enabled", "Enabled the cache in `config.yml`."),
    v("escape", "escaped", "escaped", "Escaped the input in `src/q.rs`."),
    v("exclude", "excluded", "excluded", "Excluded the folder in `setup.cfg`."),
    v("expand", "expanded", "expanded", "Expanded the section in `README.md`."),
    v("export", "exported", "exported", "Exported the type from `src/q.ts`."),
    v("extend", "extended", "extended", "Extended the table in `src/q.rs`."),
    v("extract", "extracted", "extracted", "Extracted the loop into `src/q.rs`."),
    v("fill", "filled", "filled", "Filled in the table in `README.md`."),
    v("fix", "fixed", "fixed", "Fixed the overflow in `src/q.rs`."),
    v("flip", "flipped", "flipped", "Flipped the comparison in `src/q.rs`."),
    v("generate", "generated", "generated", "Generated `src/q.rs`."),
    v("guard", "guarded", "guarded", "Guarded the call in `src/q.rs`."),
    v("handle", "handled", "handled", "Handled the empty case in `src/q.rs`."),
    v("hardcode", "hardcoded", "hardcoded", "Hardcoded the limit in `src/q.rs`."),
    v("harden", "hardened", "hardened", "Hardened the parser in `src/q.rs`."),
    v("hook", "hooked", "hooked", "Hooked the queue up in `src/q.rs`."),
    v("implement", "implemented", "implemented", "Implemented the queue in `src/q.rs`."),
    v("import", "imported", "imported", "Imported the helper in `src/q.rs`."),
    v("improve", "improved", "improved", "Improved the error in `src/q.rs`."),
    v("increase", "increased", "increased", "Increased the limit in `src/q.rs`."),
    v("inline", "inlined", "inlined", "Inlined the helper in `src/q.rs`."),
    v("insert", "inserted", "inserted", "Inserted a check in `src/q.rs`."),
    v("introduce", "introduced", "introduced", "Introduced a type in `src/q.rs`."),
    v("invert", "inverted", "inverted", "Inverted the condition in `src/q.rs`."),
    v("link", "linked", "linked", "Linked the page in `README.md`."),
    v("lower", "lowered", "lowered", "Lowered the limit in `src/q.rs`."),
    v("make", "made", "made", "Made the method async in `src/q.rs`."),
    v("mark", "marked", "marked", "Marked the slow test in `tests/q.rs`."),
    v("merge", "merged", "merged", "Merged the helpers into `src/q.rs`."),
    v("migrate", "migrated", "migrated", "Migrated `src/q.rs` to the new API."),
    v("mock", "mocked", "mocked", "Mocked the clock in `tests/q.rs`."),
    v("modify", "modified", "modified", "Modified `src/q.rs`."),
    v("move", "moved", "moved", "Moved the loop to `src/q.rs`."),
    v("normalise", "normalised", "normalised", "Normalised the names in `src/q.rs`."),
    v("normalize", "normalized", "normalized", "Normalized the names in `src/q.rs`."),
    v("optimise", "optimised", "optimised", "Optimised the loop in `src/q.rs`."),
    v("optimize", "optimized", "optimized", "Optimized the loop in `src/q.rs`."),
    v("overwrite", "overwrote", "overwritten", "I overwrote `src/q.rs`."),
    v("parametrise", "parametrised", "parametrised", "Parametrised the test in `tests/q.py`."),
    v("parametrize", "parametrized", "parametrized", "Parametrized the test in `tests/q.py`."),
    v("patch", "patched", "patched", "Patched `src/q.rs`."),
    v("pin", "pinned", "pinned", "Pinned the version in `Cargo.toml`."),
    v("place", "placed", "placed", "Placed the table in `src/q.rs`."),
    v("port", "ported", "ported", "Ported `src/q.rs` to the new API."),
    v("pull", "pulled", "pulled", "Pulled the helper into `src/q.rs`."),
    v("put", "put", "put", "I put the table in `src/q.rs`."),
    v("raise", "raised", "raised", "Raised the limit in `src/q.rs`."),
    v("record", "recorded", "recorded", "Recorded the decision in `docs/q.md`."),
    v("reduce", "reduced", "reduced", "Reduced the limit in `src/q.rs`."),
    v("refactor", "refactored", "refactored", "Refactored `src/q.rs`."),
    v("reformat", "reformatted", "reformatted", "Reformatted the table in `README.md`."),
    v("regenerate", "regenerated", "regenerated", "Regenerated `src/q.rs`."),
    v("register", "registered", "registered", "Registered the route in `src/q.rs`."),
    v("relax", "relaxed", "relaxed", "Relaxed the limit in `src/q.rs`."),
    v("remove", "removed", "removed", "Removed `src/q.rs`."),
    v("rename", "renamed", "renamed", "Renamed `src/p.rs` to `src/q.rs`."),
    v("reorder", "reordered", "reordered", "Reordered the fields in `src/q.rs`."),
    v("reorganise", "reorganised", "reorganised", "Reorganised `src/q.rs`."),
    v("reorganize", "reorganized", "reorganized", "Reorganized `src/q.rs`."),
    v("rephrase", "rephrased", "rephrased", "Rephrased the text in `README.md`."),
    v("replace", "replaced", "replaced", "Replaced the loop in `src/q.rs`."),
    v("resolve", "resolved", "resolved", "Resolved the conflict in `src/q.rs`."),
    v("restore", "restored", "restored", "Restored the check in `src/q.rs`."),
    v("restructure", "restructured", "restructured", "Restructured `src/q.rs`."),
    v("revise", "revised", "revised", "Revised `README.md`."),
    v("reword", "reworded", "reworded", "Reworded the text in `README.md`."),
    v("rework", "reworked", "reworked", "Reworked the loop in `src/q.rs`."),
    v("rewrite", "rewrote", "rewritten", "Rewrote `src/q.rs`."),
    v("save", "saved", "saved", "Saved the result to `out.json`."),
    v("set", "set", "set", "I set the limit in `config.yml`."),
    v("shorten", "shortened", "shortened", "Shortened the text in `README.md`."),
    v("simplify", "simplified", "simplified", "Simplified the loop in `src/q.rs`."),
    v("sort", "sorted", "sorted", "Sorted the list in `src/q.rs`."),
    v("split", "split", "split", "I split `src/p.rs` into `src/q.rs`."),
    v("strip", "stripped", "stripped", "Stripped the comments from `src/q.rs`."),
    v("stub", "stubbed", "stubbed", "Stubbed the clock in `tests/q.rs`."),
    v("swap", "swapped", "swapped", "Swapped the arguments in `src/q.rs`."),
    v("switch", "switched", "switched", "Switched the parser in `src/q.rs`."),
    v("throw", "threw", "thrown", "I threw out `src/q.rs`."),
    v("tidy", "tidied", "tidied", "Tidied up `src/q.rs`."),
    v("tighten", "tightened", "tightened", "Tightened the check in `src/q.rs`."),
    v("touch", "touched", "touched", "I touched `src/q.rs`."),
    v("translate", "translated", "translated", "Translated `README.md`."),
    v("trim", "trimmed", "trimmed", "Trimmed the list in `src/q.rs`."),
    v("turn", "turned", "turned", "I turned the cache on in `config.yml`."),
    v("tweak", "tweaked", "tweaked", "Tweaked the limit in `src/q.rs`."),
    v("uncomment", "uncommented", "uncommented", "Uncommented the call in `src/q.rs`."),
    v("unify", "unified", "unified", "Unified the helpers in `src/q.rs`."),
    v("update", "updated", "updated", "Updated `src/q.rs`."),
    v("upgrade", "upgraded", "upgraded", "Upgraded the version in `Cargo.toml`."),
    v("wire", "wired", "wired", "Wired the queue into `src/q.rs`."),
    v("wrap", "wrapped", "wrapped", "Wrapped the call in `src/q.rs`."),
    v("write", "wrote", "written", "I wrote `src/q.rs`."),
];

/// Verbs that take something out of a file: "removed the field from `a.rs`".
#[rustfmt::skip]
pub const TAKING: &[&str] = &[
    "cleaned", "cut", "deleted", "dropped", "exported", "extracted", "moved", "removed", "split", "stripped",
];

/// Verbs that need the place named: "implemented a queue in `a.rs`".
#[rustfmt::skip]
pub const PLACED: &[&str] = &[
    "applied", "cached", "capped", "configured", "covered", "declared", "deduplicated", "defined", "documented",
    "downgraded", "duplicated", "escaped", "flipped", "guarded", "handled", "hardcoded", "implemented", "introduced",
    "inverted", "made", "make", "marked", "mocked", "parametrised", "parametrized", "put", "raised", "recorded",
    "registered", "resolved", "set", "stubbed",
];

/// Participles that describe as well: "the limit in `a.rs` is hardcoded".
#[rustfmt::skip]
pub const DESCRIBING: &[&str] = &[
    "applied", "cached", "capped", "configured", "covered", "duplicated", "escaped", "flipped", "guarded",
    "hardcoded", "hooked", "inverted", "marked", "mocked", "parametrised", "parametrized", "recorded", "stubbed",
    "turned",
];

/// Verbs after which "to `a.rs`" names what is changed: "added a test to `a.rs`".
#[rustfmt::skip]
pub const BRINGING: &[&str] = &[
    "add", "added", "append", "appended", "apply", "applied", "bring", "brought", "hooked", "linked", "made", "make", "pulled",
    "put", "restored", "save", "saved", "wired", "write", "written", "wrote",
];

/// Verbs that bring something from one place to another; only the second is claimed.
#[rustfmt::skip]
pub const CARRYING: &[&str] = &[
    "consolidated", "converted", "copied", "extracted", "folded", "inlined", "merged", "migrated", "moved", "ported",
    "renamed", "split",
];

/// Whether the word is a past form or participle of the table.
pub fn past(word: &str) -> bool {
    static FORMS: OnceLock<HashSet<&'static str>> = OnceLock::new();
    FORMS.get_or_init(|| FILE_VERBS.iter().flat_map(|verb| [verb.past, verb.participle]).collect()).contains(word)
}

/// Whether it is a base form.
pub fn base(word: &str) -> bool {
    static FORMS: OnceLock<HashSet<&'static str>> = OnceLock::new();
    FORMS.get_or_init(|| FILE_VERBS.iter().map(|verb| verb.base).collect()).contains(word)
}
