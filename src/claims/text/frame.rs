//! What a heading or a lead-in makes of the text under it: a plan, somebody else's words, the time before, a list of
//! changed files.

use super::file_verbs;
use super::guard;
use super::narrow;
use super::segment::{Block, Shape};
use super::token::{self, Tok, Token};
use super::words::{self, has};

/// How a block is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// The agent says it of now; otherwise it is planned, proposed or quoted.
    pub asserts: bool,
    /// It describes the state before the work.
    pub earlier: bool,
    /// What is listed was not done, or not seen.
    pub lacks: bool,
    /// It is somebody else's text, or text for somebody else.
    pub quoted: bool,
    /// Bare verbs ("run the tests") tell what was not done.
    pub undone: bool,
    /// The bytes of a title that names a part of the work: "### core".
    pub part: Option<(usize, usize)>,
    /// Paths that lead an item are files that were changed, or left alone.
    pub files: Option<Listing>,
    /// Bare verbs ("Add x") tell what was done.
    pub done: bool,
    /// Hashes that lead an item are commits.
    pub commits: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    Changed,
    Untouched,
}

impl Frame {
    pub const PLAIN: Frame = Frame {
        asserts: true,
        earlier: false,
        lacks: false,
        quoted: false,
        undone: false,
        part: None,
        files: None,
        done: false,
        commits: false,
    };

    fn under(self, other: Frame) -> Frame {
        Frame {
            asserts: self.asserts && other.asserts,
            earlier: self.earlier || other.earlier,
            lacks: self.lacks || other.lacks,
            quoted: self.quoted || other.quoted,
            undone: self.undone || other.undone,
            part: other.part.or(self.part),
            files: other.files.or(self.files),
            done: self.done || other.done,
            commits: self.commits || other.commits,
        }
    }
}

/// The frame of each block.
pub fn frames(message: &str, blocks: &[Block]) -> Vec<Frame> {
    let mut headings: Vec<(u8, Frame)> = Vec::new();
    let mut leads: Vec<(usize, Frame)> = Vec::new();
    let mut fresh: Option<Frame> = None;
    // "1. Fix the types", "2. Build passes": a numbered list that begins as a step is one of steps.
    let mut steps: Option<(usize, bool)> = None;
    // "There are two ways:", "A. …", "B. …": a paragraph a choice.
    let mut choices = false;
    let mut out = Vec::with_capacity(blocks.len());
    for (at, block) in blocks.iter().enumerate() {
        let text = message.get(block.text.clone()).unwrap_or_default();
        let around = headings.iter().fold(Frame::PLAIN, |frame, (_, next)| frame.under(*next));
        if matches!(block.shape, Shape::Heading(_) | Shape::Paragraph) {
            steps = None;
        }
        match &block.shape {
            Shape::Heading(level) => {
                headings.retain(|(above, _)| above < level);
                let around = headings.iter().fold(Frame::PLAIN, |frame, (_, next)| frame.under(*next));
                out.push(Frame { files: None, commits: false, ..around });
                let frame = of_title(message, block);
                headings.push((*level, frame));
                leads.clear();
                fresh = None;
            }
            Shape::Paragraph => {
                leads.retain(|(indent, _)| *indent < block.indent);
                let mut within = leads.last().map_or(around, |(_, frame)| around.under(*frame));
                // "Suggested description:" leads to a paragraph as well as to a list.
                // "To sum up: …" speaks of the whole again, whatever it stands under.
                if sums_up(text) {
                    headings.retain(|(level, _)| *level < 7);
                    within = headings.iter().fold(Frame::PLAIN, |frame, (_, next)| frame.under(*next));
                    within.asserts = true;
                }
                choices = lettered(text) && (choices || fresh.is_some_and(|lead| !lead.asserts));
                within.asserts &= fresh.is_none_or(|lead| lead.asserts) && !choices;
                out.push(Frame { files: None, commits: false, done: false, ..within });
                // "Changes" on a line of its own, and a list under it
                let listed = blocks.get(at + 1).is_some_and(|next| matches!(next.shape, Shape::Item { .. }));
                let titles = listed && is_title(text);
                fresh = (titles || introduces(text) || text.trim_end().ends_with('?')).then(|| of_lead(message, block));
                // What a bold line titles ends with the paragraph after its list.
                if fresh.is_none()
                    && headings.last().is_some_and(|(level, _)| *level == 7)
                    && leads_something(&out, blocks)
                {
                    headings.pop();
                }
            }
            Shape::Item { .. } | Shape::Row { .. } => {
                if let Some(frame) = fresh.take() {
                    leads.retain(|(indent, _)| *indent < block.indent);
                    leads.push((block.indent, frame));
                }
                leads.retain(|(indent, _)| *indent <= block.indent);
                let mut frame = leads.iter().fold(around, |frame, (_, next)| frame.under(*next));
                if let Shape::Item { numbered: true, .. } = block.shape {
                    let (indent, are) =
                        *steps.get_or_insert_with(|| (block.indent, !frame.done && is_step(message, block)));
                    frame.asserts &= !(are && indent == block.indent);
                } else {
                    steps = None;
                }
                out.push(frame);
                if introduces(text) {
                    let frame = of_lead(message, block);
                    leads.retain(|(indent, _)| *indent <= block.indent);
                    leads.push((block.indent + 1, frame));
                }
            }
            Shape::Gap => {
                out.push(around);
                fresh = None;
            }
        }
    }
    out
}

/// Whether an item tells somebody what to do.
fn is_step(message: &str, block: &Block) -> bool {
    let tokens = token::tokens(message, block.text.start, block.text.end);
    tokens
        .iter()
        .position(|token| token.tok == Tok::Word)
        .is_some_and(|first| first == 0 && guard::imperative(&tokens, 0))
}

/// Whether the paragraph just framed comes after a list under its bold title.
fn leads_something(framed: &[Frame], blocks: &[Block]) -> bool {
    let at = framed.len();
    at >= 2 && matches!(blocks.get(at - 2).map(|block| &block.shape), Some(Shape::Item { .. } | Shape::Row { .. }))
}

fn sums_up(text: &str) -> bool {
    let text = text.trim_start_matches(['*', '_']);
    ["To sum up", "To summarise", "To summarize", "In summary", "All in all", "Summing up", "In short"]
        .iter()
        .any(|words| text.get(..words.len()).is_some_and(|start| start.eq_ignore_ascii_case(words)))
}

/// A few words that end with none of a sentence's marks.
fn is_title(text: &str) -> bool {
    let text = text.trim();
    !text.contains('\n')
        && text.split_whitespace().count() <= 10
        && text.starts_with(|c: char| c.is_uppercase() || c == '*' || c == '_')
        && text.ends_with(|c: char| c.is_alphanumeric() || c == '*' || c == '_')
}

/// "A. …", "**2)** …": one of several.
fn lettered(text: &str) -> bool {
    let mut chars = text.trim_start_matches(['*', '_', '(']).chars();
    let which = chars.next().is_some_and(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    which && chars.next().is_some_and(|c| matches!(c, '.' | ')' | ':' | '*'))
}

fn introduces(text: &str) -> bool {
    text.trim_end().trim_end_matches(['*', '_', ' ']).ends_with([':', '：'])
}

fn read(message: &str, block: &Block) -> Vec<Token> {
    // A lead-in is judged by its last sentence.
    let all = token::tokens(message, block.text.start, block.text.end.min(block.text.start + 4000));
    let ends = |token: &Token| matches!(token.punct(), Some('.' | '!' | '?'));
    let all = if all.last().is_some_and(ends) { &all[..all.len() - 1] } else { &all[..] };
    let cut = all.iter().rposition(ends).map_or(0, |at| at + 1);
    all[cut..].to_vec()
}

/// Words of a heading that make what follows a plan or a choice.
#[rustfmt::skip]
const PLANS: &[&str] = &[
    "acceptance", "alternative", "alternatives", "approach", "approaches", "baseline", "checklist", "choices",
    "considerations", "could", "criteria", "decide", "decision", "decisions", "definition", "designs", "example", "examples",
    "expectations", "expected", "faq", "follow-up", "follow-ups", "future", "glossary", "goal", "goals", "history",
    "how", "idea", "ideas", "if", "initially", "instructions", "later", "legend", "messages", "must", "need",
    "needed", "needs", "next", "option", "optional", "options", "originally", "plan", "planned", "plans", "please",
    "possibilities", "possibility", "possible", "prerequisites", "previously", "proposal", "proposals", "propose",
    "proposed", "question", "questions", "recommend", "recommendation", "recommendations", "recommended",
    "remaining-work", "reproduce", "requirement", "requirements", "risk", "risks", "roadmap", "rules", "should",
    "steps", "story", "suggested", "suggestion", "suggestions", "timeline", "title", "to-do", "todo", "todos", "trade-offs",
    "tradeoffs", "troubleshooting", "usage", "variants", "want", "way", "ways", "will", "would",
];

/// Words that make it somebody else's text, or text for somebody else.
#[rustfmt::skip]
const QUOTING: &[&str] = &[
    "agent", "agent's", "agents", "badge", "ci", "colleague", "description", "draft", "pipeline", "quote", "quoted",
    "readme", "reviewer", "sub-agent", "subagent", "template", "ticket", "transcript", "user's", "users", "wording",
];

/// Words that make it the state before.
#[rustfmt::skip]
const BEFORE: &[&str] = &[
    "analysis", "background", "baseline", "before", "bug", "cause", "causes", "context", "diagnosis", "findings",
    "happened", "initial", "initially", "issue", "original", "originally", "previously", "problem", "problems",
    "symptom", "symptoms", "why", "wrong",
];

fn of_title(message: &str, block: &Block) -> Frame {
    let tokens = read(message, block);
    let part = match tokens.as_slice() {
        [only] if narrow::names_part(only) => Some((only.start, only.end)),
        _ => None,
    };
    Frame { part, ..of_words(&tokens) }
}

fn of_lead(message: &str, block: &Block) -> Frame {
    let tokens = read(message, block);
    let first = tokens.iter().find(|token| token.tok == Tok::Word).map_or("", |token| token.low.as_str());
    let mine = matches!(first, "i" | "we" | "here")
        || first.ends_with("ed") && first != "suggested" && first != "proposed" && first != "recommended";
    let frame = of_words(&tokens);
    // The lead-in is the beginning of what it leads to: a guard in force at its end covers the list.
    let words = match tokens.split_last() {
        Some((last, words)) if last.punct() == Some(':') => words,
        _ => &tokens,
    };
    let plainly = guard::read(words, message[..block.text.end].trim_end().ends_with('?')).ends_plainly();
    let plan_word = |token: &Token| {
        matches!(
            token.low.as_str(),
            "will" | "would" | "suggest" | "propose" | "recommend" | "plan" | "want" | "should" | "could" | "need"
        )
    };
    let asserts = frame.asserts
        || (mine
            && !quotes(&words_of(&tokens))
            && !tokens.iter().any(plan_word)
            && !tokens.iter().any(|token| {
                token.is("if") || token.is("options") || token.is("steps") && first != "committed" || token.is("next")
            }));
    Frame { asserts: asserts && (plainly || frame.undone), ..frame }
}

fn words_of(tokens: &[Token]) -> Vec<&str> {
    tokens.iter().filter(|token| token.tok == Tok::Word).map(|token| token.low.as_str()).collect()
}

/// Whether the words announce somebody else's text, or text for somebody else.
fn quotes(words: &[&str]) -> bool {
    let any = |set: &[&str]| words.iter().any(|word| set.contains(word));
    let saying = words.iter().enumerate().any(|(i, word)| {
        let says = matches!(
            *word,
            "says"
                | "said"
                | "reports"
                | "reported"
                | "writes"
                | "wrote"
                | "reads"
                | "claims"
                | "claimed"
                | "asked"
                | "asks"
                | "commented"
                | "demands"
                | "expects"
                | "posted"
                | "requires"
                | "wants"
                | "states"
                | "stated"
                | "told"
                | "printed"
                | "prints"
        );
        says && !words[..i].iter().any(|word| matches!(*word, "i" | "we"))
    });
    let message_text = words.contains(&"message") && (any(&["commit", "suggested", "squash", "merge", "error"]))
        || words.windows(2).any(|pair| pair == ["release", "notes"]);
    any(QUOTING) || saying || message_text
}

fn of_words(tokens: &[Token]) -> Frame {
    let words = words_of(tokens);
    let any = |set: &[&str]| words.iter().any(|word| set.contains(word));
    let first = words.first().copied().unwrap_or_default();
    let purpose = (first == "to" && words.len() > 1)
        || words.windows(2).any(|pair| pair == ["so", "that"] || pair == ["you", "can"] || pair == ["you", "could"]);
    let to_do = words.windows(2).any(|pair| {
        pair[0] == "to"
            && (file_verbs::base(pair[1]) || matches!(pair[1], "do" | "run" | "check" | "decide" | "verify"))
    });
    let quoting = quotes(&words);
    let files = listing(&words);
    let titles = words.len() <= 5;
    // "Steps taken"
    let taken =
        any(&["completed", "executed", "performed", "taken"]) && !any(&["be", "must", "not", "should", "to", "will"]);
    let plans = any(PLANS) && !taken && !(words.contains(&"how") && words.contains(&"checked")) || purpose || to_do;
    // "State on main", "Before my change", "Not yet", "Remaining"
    let elsewhere = words.windows(2).any(|pair| {
        matches!(
            pair,
            ["on", "main" | "master" | "develop" | "upstream"] | ["before", "my" | "the" | "this"] | ["not", "yet"]
        )
    }) || matches!(words.as_slice(), ["remaining"] | ["still", "remaining"] | ["upcoming", ..]);
    let past =
        titles && (elsewhere || matches!(first, "before" | "baseline" | "initially" | "originally" | "previously"));
    let lacks = words.windows(2).any(|pair| {
        matches!(
            pair,
            ["not", "done" | "verify" | "verified" | "check" | "checked" | "confirmed"] | ["remaining", "work"]
        )
    });
    let undone = words.windows(2).any(|pair| matches!(pair, ["not", "do" | "done"])) && words.len() <= 6;
    Frame {
        asserts: !plans && !quoting && !past,
        lacks: lacks || undone,
        quoted: quoting,
        undone,
        part: None,
        earlier: any(BEFORE) && titles && !any(&["known", "remaining", "open"]),
        files: if plans || quoting { None } else { files },
        done: files == Some(Listing::Changed)
            || (words.contains(&"did") && !words.contains(&"not"))
            || (titles && any(&["done", "completed", "implemented", "changes"]) && !words.contains(&"not")),
        commits: any(&["commits", "commit", "committed"]) && titles,
    }
}

/// Whether the words announce a list of changed files.
fn listing(words: &[&str]) -> Option<Listing> {
    let not = words.iter().any(|word| matches!(*word, "not" | "no" | "unchanged" | "untouched" | "without"));
    let verb = words
        .iter()
        .any(|word| file_verbs::past(word) || matches!(*word, "changes" | "modifications" | "edits" | "made" | "new"));
    let touches = words
        .iter()
        .any(|word| matches!(*word, "unchanged" | "untouched" | "touched" | "touch" | "changed" | "modified"));
    let read_only = words.iter().any(|word| matches!(*word, "read" | "reviewed" | "looked" | "examined" | "checked"));
    let other = words.iter().any(|word| has(words::MODALS, word));
    match (verb, not) {
        _ if other || read_only => None,
        (true, false) => Some(Listing::Changed),
        (_, true) if touches => Some(Listing::Untouched),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::segment::blocks;
    use super::*;

    fn of(message: &str) -> Vec<Frame> {
        frames(message, &blocks(message))
    }

    #[test]
    fn a_plan_covers_its_list_and_nothing_after() {
        let frames = of("## Next steps\n\n- a\n\n## Result\n\n- b\n");
        assert_eq!(frames.iter().map(|frame| frame.asserts).collect::<Vec<_>>(), [true, false, true, true]);
        let frames = of("To check it yourself:\n\n1. a\n2. b\n\nDone.");
        assert_eq!(frames.iter().map(|frame| frame.asserts).collect::<Vec<_>>(), [true, false, false, true]);
    }

    #[test]
    fn files_are_listed_under_a_verb() {
        let frames = of("Files changed:\n\n- `a.rs`\n\nNot touched:\n\n- `b.rs`\n\nFiles I read:\n\n- `c.rs`");
        assert_eq!(
            frames.iter().map(|frame| frame.files).collect::<Vec<_>>(),
            [None, Some(Listing::Changed), None, Some(Listing::Untouched), None, None]
        );
    }
}
