//! Which guards are in force at each word of a sentence: one pass from left to right, each guard reaching as far as its
//! row says. [`tail`] looks the other way, at what a claim is followed by.

use std::sync::OnceLock;

use super::file_verbs;
use super::guards::{Bar, GUARDS, Guard, Reach};
use super::others;
use super::phrase::Index;
use super::question;
use super::token::{Tok, Token, word};
use super::words::{self, has};

/// What a sentence is checked against: its guards, word by word.
pub struct Guarded {
    at: Vec<Force>,
    /// The sentence is a question from this token on.
    question: usize,
}

/// What is in force at a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Force {
    /// A condition, a guess, somebody else's word, a wish or a modal verb.
    pub barred: bool,
    /// An earlier state.
    pub earlier: bool,
    /// A state of the whole sentence's past, not only of the phrase.
    pub long_ago: bool,
}

/// Words that open a sentence as an instruction.
#[rustfmt::skip]
const IMPERATIVES: &[&str] = &[
    "add", "avoid", "check", "commit", "confirm", "consider", "create", "do", "ensure", "execute", "fix", "give",
    "have", "keep", "let", "make", "merge", "open", "push", "re-run", "remove", "rerun", "run", "see", "start",
    "try", "update", "use", "validate", "verify", "wait", "write",
];

/// Labels of what is not said to hold: `Risk: …`, `Definition of done: …`.
#[rustfmt::skip]
const LABELS: &[&str] = &[
    "acceptance", "advantage", "alternative", "always", "approach", "assumption", "baseline", "before", "benefit",
    "blocker", "blockers", "case", "checklist", "ci", "claim", "comment", "con", "condition", "cons", "criteria",
    "criterion", "danger", "definition", "disadvantage", "docs", "downside", "drawback", "example", "expectation",
    "expectations", "expected", "faq", "goal", "hint", "history", "hypothesis", "idea", "ideally", "if", "issue",
    "label", "legend", "log", "manual", "meaning", "message", "milestone", "never", "note-to-self", "old", "option",
    "path", "pipeline", "plan", "previously", "pro", "problem", "proposal", "pros", "question", "readme", "remember",
    "reminder", "requirement", "requirements", "review", "risk", "risks", "rule", "rules", "scenario", "solution",
    "story", "subject", "suggestion", "symptom", "target", "template", "theory", "thread", "ticket", "timeline",
    "tip", "title", "todo", "troubleshooting", "upside", "usage", "variant", "wiki", "wish", "you",
];

/// Titles that leave what follows a statement of the agent's: `The result: …`.
#[rustfmt::skip]
const PLAIN_TITLES: &[&str] = &[
    "after", "all", "also", "bad", "build", "caveat", "check", "checks", "clear", "clippy", "conclusion",
    "correction", "current", "end", "fair", "final", "finally", "fixed", "fyi", "good", "heads-up", "here", "honest",
    "important", "last", "lint", "linter", "main", "news", "note", "now", "one", "open", "outcome", "output",
    "overall", "remaining", "rerun", "result", "results", "run", "short", "state", "status", "suite", "sum", "summary", "test",
    "testing", "tests", "thing", "things", "total", "types", "update", "upfront", "validation", "verification",
    "verified", "warning", "work",
];

/// Words that open an adverbial, after whose comma the clause proper begins.
#[rustfmt::skip]
const ADVERBIAL: &[&str] = &[
    "after", "alternatively", "before", "finally", "first", "for", "if", "in", "next", "once", "otherwise", "please",
    "then", "to", "when",
];

pub fn guards() -> &'static Index<Guard> {
    static INDEX: OnceLock<Index<Guard>> = OnceLock::new();
    INDEX.get_or_init(|| Index::new(GUARDS, |guard| guard.phrase))
}

/// Reads the guards of a sentence. `question`: it ends with a question mark.
pub fn read(tokens: &[Token], question: bool) -> Guarded {
    let mut state = State::default();
    let mut stack = Vec::new();
    let mut at = Vec::with_capacity(tokens.len() + 1);
    let mut head = true;
    let mut segment = 0;
    let mut skip = 0;
    for (i, token) in tokens.iter().enumerate() {
        at.push(state.force());
        match &token.tok {
            Tok::Punct('(') => stack.push(state),
            Tok::Punct(')') => state = stack.pop().unwrap_or(state),
            Tok::Punct(',') => state.clear(Reach::Comma),
            Tok::Punct(';') => state = State::default(),
            Tok::Punct('—' | '→') => state.clear(Reach::Clause),
            Tok::Punct(':') => {
                state.clear_modal();
                // "Risk: the build fails on ARM."
                let lacks = |pair: &[Token]| {
                    pair[0].is("not") && matches!(pair[1].low.as_str(), "done" | "verified" | "checked")
                        || pair[0].is("remaining") && pair[1].is("work")
                        || pair[0].is("it") && pair[1].is("printed")
                };
                let denies = tokens[..i.min(4)].windows(2).any(lacks);
                let answers = tokens[0].is("to") && word(tokens, 1) == "answer";
                if i <= 4 && !answers && (denies || tokens[..i].iter().any(|token| has_word(LABELS, token))) {
                    state.set(Bar::Wish, Reach::Sentence);
                }
                // "The catch: the tests pass only once."
                if !answers && odd_title(&tokens[..i]) {
                    state.set(Bar::Wish, Reach::Sentence);
                }
                // "Your colleague's note ends with: lint clean"
                let ran = tokens[segment..i]
                    .iter()
                    .take(4)
                    .any(|token| token.is("correct") || token.is("ran") || token.is("re-ran"))
                    && matches!(word(tokens, segment), "i" | "we");
                if !answers && !ran && tokens[segment..i].iter().any(others::others_word) {
                    state.set(Bar::Others, Reach::Sentence);
                }
            }
            Tok::Word
                if matches!(
                    token.low.as_str(),
                    "but" | "however" | "although" | "though" | "whereas" | "nevertheless"
                ) =>
            {
                let as_though = i > 0 && matches!(word(tokens, i - 1), "as" | "even");
                if !head && !as_though && !excepts(tokens, i) {
                    state.clear(Reach::Clause);
                    state.wish = None;
                }
            }
            Tok::Word if token.low == "now" => state.earlier = None,
            _ => {}
        }
        if token.punct().is_some() {
            segment = i + 1;
            // "Before merging, make sure …": an instruction after an adverbial.
            let adverbial = token.punct() == Some(',') && has_word(ADVERBIAL, &tokens[first_word(tokens)]);
            if matches!(token.punct(), Some(':' | '—' | ';')) || adverbial {
                head = true;
            }
            continue;
        }
        if i < skip {
            continue;
        }
        if let Some((end, guard)) = guards().at(tokens, i) {
            let reach = if head && matches!(guard.bar, Bar::Condition | Bar::Wish | Bar::Earlier) {
                Reach::Sentence
            } else {
                guard.reach
            };
            // "whether, apart from two old failures, all tests pass": that comma ends nothing.
            let link =
                |i: &usize| matches!(word(tokens, *i), "claim" | "confirm" | "promise" | "say" | "tell" | "that");
            let comma = |i: &usize| tokens.get(*i).and_then(Token::punct) == Some(',');
            let after = (end..).find(|i| !link(i) && !comma(i)).unwrap_or(end);
            let inserted = matches!(
                word(tokens, after),
                "apart"
                    | "aside"
                    | "bar"
                    | "barring"
                    | "besides"
                    | "except"
                    | "excluding"
                    | "ignoring"
                    | "other"
                    | "with"
            ) && matches!(guard.bar, Bar::Condition | Bar::Denied | Bar::Others);
            let reach = if inserted { reach.max(Reach::Clause) } else { reach };
            let own = token.is("according") && others::own_source(tokens, end);
            if !temporal(tokens, i) && !own {
                state.set(guard.bar, reach);
            }
            skip = end;
        } else if head && (imperative(tokens, i) || alternative(tokens, i)) {
            state.set(Bar::Wish, Reach::Sentence);
        } else if head && token.is("to") && imperative(tokens, i + 1) {
            // "To run the linter without running tests, use …"
            state.set(Bar::Wish, Reach::Comma);
        } else if has_word(others::SAYING, token) && others::says_another(&tokens[segment..i]) {
            state.set(Bar::Others, Reach::Clause);
        }
        let opening = matches!(token.tok, Tok::Mark(_) | Tok::Break)
            || has(words::OPENERS, &token.low)
            || has(words::ADVERBS, &token.low)
            || has(words::CONJUNCTIONS, &token.low);
        head &= opening;
    }
    at.push(state.force());
    let barred_from = if others::cited(tokens) { 0 } else { others::tagged(tokens).unwrap_or(usize::MAX) };
    let question = if question {
        question::begins(tokens)
    } else if question::asks(tokens) {
        0
    } else {
        usize::MAX
    };
    let question = question.min(barred_from);
    Guarded { at, question }
}

impl Guarded {
    pub fn force(&self, i: usize) -> Force {
        self.at.get(i).copied().unwrap_or_default()
    }

    /// Whether a check's result may be claimed at this word.
    pub fn allows_check(&self, i: usize) -> bool {
        let force = self.force(i);
        !force.barred && !force.earlier && i < self.question
    }

    /// Whether what follows the sentence is said plainly: its last word is under no guard, and it asks nothing.
    pub fn ends_plainly(&self) -> bool {
        self.at.last().is_none_or(|force| !force.barred) && self.question == usize::MAX
    }

    /// Whether a deed may be claimed at this word.
    pub fn allows_deed(&self, i: usize) -> bool {
        let force = self.force(i);
        !force.barred && !force.long_ago && i < self.question
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    condition: Option<Reach>,
    guess: Option<Reach>,
    others: Option<Reach>,
    wish: Option<Reach>,
    modal: Option<Reach>,
    earlier: Option<Reach>,
}

impl State {
    fn force(&self) -> Force {
        let barred = self.condition.is_some()
            || self.guess.is_some()
            || self.others.is_some()
            || self.wish.is_some()
            || self.modal.is_some();
        Force { barred, earlier: self.earlier.is_some(), long_ago: self.earlier == Some(Reach::Sentence) }
    }

    fn set(&mut self, bar: Bar, reach: Reach) {
        let place = match bar {
            Bar::Condition => &mut self.condition,
            Bar::Guess => &mut self.guess,
            Bar::Others => &mut self.others,
            Bar::Wish => &mut self.wish,
            Bar::Modal | Bar::Denied => &mut self.modal,
            Bar::Earlier => &mut self.earlier,
            Bar::None => return,
        };
        *place = (*place).max(Some(reach));
    }

    fn clear(&mut self, up_to: Reach) {
        for place in
            [&mut self.condition, &mut self.guess, &mut self.others, &mut self.wish, &mut self.modal, &mut self.earlier]
        {
            if place.is_some_and(|reach| reach <= up_to) {
                *place = None;
            }
        }
    }

    fn clear_modal(&mut self) {
        self.modal = None;
    }
}

/// "all but two", "all tests but one": no contrast.
pub fn excepts(tokens: &[Token], but: usize) -> bool {
    let number = matches!(tokens.get(but + 1).map(|token| &token.tok), Some(Tok::Number(_)));
    let all = |i: usize| matches!(word(tokens, i), "all" | "any" | "each" | "every" | "everything" | "none");
    tokens[but].is("but")
        && (number || matches!(word(tokens, but + 1), "for" | "the"))
        && (but.saturating_sub(4)..but).any(all)
}

fn first_word(tokens: &[Token]) -> usize {
    tokens.iter().position(|token| token.tok == Tok::Word).unwrap_or(0)
}

pub fn has_word(set: &[&str], token: &Token) -> bool {
    token.tok == Tok::Word && set.contains(&token.low.as_str())
}

/// "Once I had fixed it, …" tells of the past and sets no condition.
fn temporal(tokens: &[Token], i: usize) -> bool {
    if !matches!(word(tokens, i), "once" | "when") || !matches!(word(tokens, i + 1), "i" | "we") {
        return false;
    }
    let verb = word(tokens, i + 2);
    word(tokens, i) == "once"
        && (verb == "had" || verb.ends_with("ed") || matches!(verb, "made" | "ran" | "rewrote" | "found"))
}

/// Whether the word at `i` opens an instruction.
pub fn imperative(tokens: &[Token], i: usize) -> bool {
    // "split" and "set" are past forms as well.
    let Some(token) = tokens.get(i) else { return false };
    let past = file_verbs::past(&token.low);
    let verb =
        has_word(IMPERATIVES, &tokens[i]) || (tokens[i].tok == Tok::Word && file_verbs::base(&tokens[i].low) && !past);
    if !verb {
        return false;
    }
    // A label (`Fix: …`), or a verb form of the present perfect ("have committed").
    let next = word(tokens, i + 1);
    let label = tokens
        .get(i + 1)
        .is_none_or(|next| matches!(next.punct(), Some(':' | '—' | '→' | '|')) || matches!(next.tok, Tok::Hash));
    // "Open points:"
    let still_open = tokens[i].is("open")
        && matches!(
            next,
            "ends" | "issues" | "items" | "points" | "problems" | "questions" | "tasks" | "todos" | "work"
        );
    if still_open {
        return false;
    }
    // "Fix applied", "Change is in": a noun.
    let noun = next.ends_with("ed") || has(words::BE, next) || has(words::HAVE, next) || matches!(next, "in" | "done");
    !label && (!noun || next == "need")
}

/// "Either the tests pass or the build fails"
fn alternative(tokens: &[Token], i: usize) -> bool {
    tokens[i].is("either") && tokens[i..].iter().any(|token| token.is("or"))
}

/// A title such as "The catch" or "From the style guide": no clause of the agent's, and none that announces a result.
fn odd_title(title: &[Token]) -> bool {
    let first = first_word(title);
    let words: Vec<&str> =
        title.iter().filter(|token| token.tok == Tok::Word).map(|token| token.low.as_str()).collect();
    let opening = title.get(first).map_or("", |token| token.low.as_str());
    let odd = matches!(opening, "the" | "a" | "an" | "my" | "from" | "as" | "in" | "to" | "by" | "for" | "per");
    let other = |token: &Token| !matches!(token.tok, Tok::Word | Tok::Break | Tok::Mark(_) | Tok::Number(_));
    let clause = words.iter().any(|word| {
        matches!(*word, "i" | "we" | "is" | "are" | "was" | "were" | "have" | "has") || word.ends_with("ed")
    });
    let plain = words.iter().any(|word| PLAIN_TITLES.contains(word));
    odd && !clause && !plain && words.len() <= 7 && !title.iter().any(other)
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    fn barred(text: &str, at: &str) -> bool {
        let tokens = tokens(text, 0, text.len());
        let i = tokens.iter().position(|token| token.low == at).unwrap();
        !read(&tokens, false).allows_check(i)
    }

    #[test]
    fn a_guard_reaches_as_far_as_its_row_says() {
        assert!(barred("If it is green, the tests pass", "tests"));
        assert!(!barred("I can push it when you like, all tests pass", "tests"));
        assert!(barred("I believe the lint is clean and the tests pass", "tests"));
        assert!(!barred("I believe it is right, but the tests pass", "tests"));
        assert!(barred("The readme says that the lint is clean and the tests pass", "tests"));
        assert!(!barred("`pytest` reports that all tests pass", "tests"));
        assert!(!barred("The export (if enabled) is done and the tests pass", "tests"));
        assert!(!barred("Previously two failed, now all tests pass", "tests"));
    }

    #[test]
    fn a_question_begins_where_it_is_asked() {
        let text = "All tests pass, shall I push";
        let all = tokens(text, 0, text.len());
        assert!(read(&all, true).allows_check(0));
        let text = "All tests pass, right";
        let all = tokens(text, 0, text.len());
        assert!(!read(&all, true).allows_check(0));
    }
}
