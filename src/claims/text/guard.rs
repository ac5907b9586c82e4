//! Which guards are in force at each word of a sentence: one pass from left to right, each guard reaching as far as its
//! row says. [`tail`] looks the other way, at what a claim is followed by.

use std::sync::OnceLock;

use super::file_verbs;
use super::guards::{Bar, GUARDS, Guard, Reach};
use super::phrase::Index;
use super::token::{Mark, Tok, Token, word};
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

/// Verbs of saying: with anybody but the agent (or its own tools) as subject, what follows is somebody else's word.
#[rustfmt::skip]
const SAYING: &[&str] = &[
    "announces", "asserts", "assumes", "believes", "claimed", "claims", "concluded", "confirmed", "confirms",
    "documents", "expects", "feels", "insists", "mentioned", "mentions", "noted", "notes", "promised", "promises",
    "read", "reads", "replied", "reported", "reports", "requires", "said", "say", "says", "showed", "shows", "state",
    "stated", "states", "suggested", "suggests", "tells", "thinks", "thought", "told", "writes", "wrote",
];

/// Subjects whose report is the agent's own observation.
#[rustfmt::skip]
const OWN: &[&str] = &[
    "build", "checker", "compiler", "final", "formatter", "harness", "i", "it", "last", "linter", "output",
    "outputs", "re-run", "rerun", "result", "results", "run", "runner", "suite", "summary", "test", "tests", "this",
    "we",
];

/// Words by which even an output is somebody else's.
#[rustfmt::skip]
const FOREIGN_OWNERS: &[&str] = &[
    "agent", "attached", "badge", "bot", "ci", "colleague", "description", "her", "his", "old", "pasted", "pipeline",
    "readme", "screenshot", "sent", "sub-agent", "subagent", "their", "user", "you", "your",
];

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
    "expectations", "expected", "goal", "hint", "hypothesis", "idea", "ideally", "if", "issue", "label", "legend",
    "log", "manual", "meaning", "message", "milestone", "never", "note-to-self", "old", "option", "path", "pipeline",
    "plan", "previously", "pro", "problem", "proposal", "pros", "question", "readme", "remember", "reminder",
    "requirement", "requirements", "review", "risk", "risks", "rule", "rules", "scenario", "solution", "subject",
    "suggestion", "symptom", "target", "template", "theory", "thread", "ticket", "tip", "title", "todo", "upside",
    "usage", "variant", "wiki", "wish", "you",
];

/// Words that open an adverbial, after whose comma the clause proper begins.
#[rustfmt::skip]
const ADVERBIAL: &[&str] = &[
    "after", "alternatively", "before", "finally", "first", "for", "if", "in", "next", "once", "otherwise", "please",
    "then", "to", "when",
];

/// Words that open a question, with a question mark or without.
#[rustfmt::skip]
const QUESTION_OPENERS: &[&str] = &[
    "are", "can", "could", "did", "do", "does", "is", "may", "shall", "should", "want", "was", "were", "will",
    "would",
];

const TAGS: &[&str] =
    &["agreed", "correct", "do", "does", "eh", "is", "are", "no", "not", "ok", "okay", "right", "yes"];

fn guards() -> &'static Index<Guard> {
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
                if i <= 4 && tokens[..i].iter().any(|token| has_word(LABELS, token)) {
                    state.set(Bar::Wish, Reach::Sentence);
                }
            }
            Tok::Word
                if matches!(
                    token.low.as_str(),
                    "but" | "however" | "although" | "though" | "whereas" | "nevertheless"
                ) =>
            {
                let as_though = i > 0 && matches!(word(tokens, i - 1), "as" | "even");
                if !head && !as_though {
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
            if !temporal(tokens, i) {
                state.set(guard.bar, reach);
            }
            skip = end;
        } else if head && imperative(tokens, i) {
            state.set(Bar::Wish, Reach::Sentence);
        } else if head && token.is("to") && imperative(tokens, i + 1) {
            // "To run the linter without running tests, use …"
            state.set(Bar::Wish, Reach::Comma);
        } else if has_word(SAYING, token) && says_another(&tokens[segment..i]) {
            state.set(Bar::Others, Reach::Clause);
        }
        let opening = matches!(token.tok, Tok::Mark(_) | Tok::Break)
            || has(words::OPENERS, &token.low)
            || has(words::ADVERBS, &token.low)
            || has(words::CONJUNCTIONS, &token.low);
        head &= opening;
    }
    at.push(state.force());
    let question = if question {
        question_from(tokens)
    } else if asks(tokens) {
        0
    } else {
        usize::MAX
    };
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

fn first_word(tokens: &[Token]) -> usize {
    tokens.iter().position(|token| token.tok == Tok::Word).unwrap_or(0)
}

fn has_word(set: &[&str], token: &Token) -> bool {
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

fn imperative(tokens: &[Token], i: usize) -> bool {
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
    // "Fix applied", "Change is in": a noun.
    let noun = next.ends_with("ed") || has(words::BE, next) || has(words::HAVE, next) || matches!(next, "in" | "done");
    !label && !(noun && next != "need")
}

/// Whether the subject of a verb of saying is somebody else.
fn says_another(subject: &[Token]) -> bool {
    let cut = subject
        .iter()
        .rposition(|token| has(words::CONJUNCTIONS, &token.low) && token.tok == Tok::Word)
        .map_or(0, |at| at + 1);
    let subject = &subject[cut..];
    if subject.iter().any(|token| has_word(FOREIGN_OWNERS, token)) {
        return true;
    }
    let own = subject.iter().any(|token| has_word(OWN, token) || matches!(token.tok, Tok::Command(_)));
    let there = subject.iter().any(|token| matches!(token.tok, Tok::Word | Tok::Ident | Tok::Path));
    there && !own
}

/// Where the question begins in a sentence that ends with a question mark.
fn question_from(tokens: &[Token]) -> usize {
    for i in (1..tokens.len()).rev() {
        let boundary = matches!(tokens[i - 1].punct(), Some('—' | ';' | ',' | ':' | '('))
            || tokens[i - 1].is("so")
            || tokens[i - 1].is("but");
        if !boundary {
            continue;
        }
        let rest = &tokens[i..];
        if rest.len() <= 3 && rest.iter().all(|token| has_word(TAGS, token) || has(words::PRONOUNS, &token.low)) {
            return 0;
        }
        if has_word(QUESTION_OPENERS, &tokens[i]) || matches!(word(tokens, i), "what" | "which" | "how" | "ok" | "okay")
        {
            return i;
        }
    }
    0
}

/// An inverted question whose mark was forgotten.
fn asks(tokens: &[Token]) -> bool {
    matches!(
        word(tokens, 0),
        "do" | "does" | "did" | "should" | "shall" | "could" | "would" | "can" | "may" | "is" | "are"
    ) && (has(words::DETERMINERS, word(tokens, 1))
        || has(words::PRONOUNS, word(tokens, 1))
        || word(tokens, 1) == "tests")
}

/// What a claim is followed by, up to the end of its clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    Clear,
    /// A condition, a guess, another place or another time: no claim.
    Barred,
}

/// Words of another place or time, or of a habit, within the clause after a result.
#[rustfmt::skip]
const ELSEWHERE: &[&str] = &[
    "assuming", "beforehand", "buildkite", "ci", "circleci", "earlier", "generally", "if", "initially",
    "intermittently", "jenkins", "normally", "occasionally", "often", "originally", "pipeline", "pipelines",
    "previously", "provided", "remotely", "sometimes", "staging", "typically", "unless", "until", "upstream",
    "usually", "when", "whenever", "workflow", "workflows", "yesterday",
];

/// Looks at the words from `from` to the end of the clause, and a little further for a condition or a guess.
pub fn tail(tokens: &[Token], from: usize, fails: bool, past: bool) -> Tail {
    let mut i = from;
    let mut depth = 0;
    while let Some(token) = tokens.get(i) {
        match &token.tok {
            Tok::Punct('(') => depth += 1,
            Tok::Punct(')') if depth > 0 => depth -= 1,
            Tok::Punct(',') | Tok::Punct('—') if depth == 0 => return after_comma(tokens, i + 1),
            Tok::Punct(';' | ')' | ':' | '→' | '|') if depth == 0 => return Tail::Clear,
            Tok::Word => {
                let low = token.low.as_str();
                let next = word(tokens, i + 1);
                let past_row = |(_, guard): (usize, &Guard)| {
                    guard.bar == Bar::Earlier && guard.reach == Reach::Sentence && !guard.phrase.starts_with("before")
                };
                if guards().at(tokens, i).is_some_and(past_row) {
                    return Tail::Barred;
                }
                let joined = depth == 0
                    && i > from
                    && matches!(
                        low,
                        "and" | "but" | "so" | "while" | "whereas" | "although" | "though" | "because" | "which"
                    );
                if joined {
                    return Tail::Clear;
                }
                let github = low == "actions" && i > from && tokens[i - 1].is("github");
                let your = low == "your"
                    && matches!(
                        next,
                        "machine" | "side" | "end" | "laptop" | "box" | "environment" | "setup" | "computer" | "branch"
                    );
                let mine = matches!(next, "my" | "the" | "this" | "that" | "it" | "these" | "them");
                let last = low == "last" && matches!(next, "week" | "month" | "night" | "time" | "year");
                let guess = matches!(low, "probably" | "presumably" | "hopefully" | "apparently")
                    || (low == "i" && matches!(next, "think" | "believe" | "guess" | "suppose" | "hope"));
                let theory = matches!(low, "in") && matches!(next, "theory" | "principle");
                let once = matches!(low, "once" | "twice") && matches!(next, "in" | "every" | "a" | "out");
                let luck = low == "by" && matches!(next, "accident" | "chance" | "luck" | "coincidence")
                    || low == "only" && matches!(next, "because" | "if" | "when" | "with" | "after" | "on" | "by")
                    || (low == "for" && word(tokens, i + 2) == "wrong")
                    || low == "depending";
                let you = luck || once || low == "for" && matches!(next, "you" | "them" | "him" | "her" | "others");
                let server = low == "the" && matches!(next, "server" | "remote");
                if has_elsewhere(low) || github || your || last || guess || theory || server || you {
                    return Tail::Barred;
                }
                let then = past && low == "then" && tokens.get(i + 1).is_none_or(|token| token.punct().is_some());
                let month = low == "in" && (MONTHS.contains(&next) || year(tokens, i + 1))
                    || matches!(low, "of" | "on" | "from" | "last") && DAYS.contains(&next);
                if then || (past && month) {
                    return Tail::Barred;
                }
                if fails && low == "before" && mine {
                    return Tail::Barred;
                }
                if (fails && low == "without" && mine)
                    || (past && low == "before" && !matches!(next, "and" | "committing" | "pushing"))
                {
                    return Tail::Barred;
                }
                let trunk = tokens.get(i + 1).is_some_and(|token| {
                    matches!(token.low.as_str(), "main" | "master" | "develop" | "trunk" | "origin/main" | "head")
                });
                let old_base =
                    mine && matches!(word(tokens, i + 2), "old" | "previous" | "base" | "original" | "other");
                if low == "on" && ((fails && trunk) || old_base) {
                    return Tail::Barred;
                }
            }
            _ => {}
        }
        i += 1;
    }
    Tail::Clear
}

#[rustfmt::skip]
const MONTHS: &[&str] = &[
    "april", "august", "autumn", "december", "february", "january", "july", "june", "march", "may", "november",
    "october", "september", "spring", "summer", "winter",
];

#[rustfmt::skip]
const DAYS: &[&str] = &[
    "friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday",
];

/// "in 2019", "in May", "last week" after a deed: not of this turn.
pub fn dated(tokens: &[Token], from: usize) -> bool {
    (from..tokens.len().min(from + 6)).any(|i| {
        let low = word(tokens, i);
        let next = word(tokens, i + 1);
        (low == "in" && (MONTHS.contains(&next) || year(tokens, i + 1)))
            || matches!(low, "yesterday" | "ago")
            || (matches!(low, "on" | "last") && DAYS.contains(&next))
            || (low == "last" && matches!(next, "week" | "month" | "year" | "night" | "time"))
    })
}

/// "in 2023"
fn year(tokens: &[Token], i: usize) -> bool {
    matches!(tokens.get(i).map(|token| &token.tok), Some(Tok::Number(n)) if (1990..2100).contains(n))
}

fn has_elsewhere(low: &str) -> bool {
    ELSEWHERE.contains(&low)
}

/// After a comma only what bears on the sentence as a whole: ", I think", ", if you", ", according to".
fn after_comma(tokens: &[Token], i: usize) -> Tail {
    let barred = guards().at(tokens, i).is_some_and(|(end, guard)| match guard.bar {
        Bar::Guess => closes(tokens, end) || !matches!(word(tokens, i), "not" | "unclear" | "unsure"),
        Bar::Others => word(tokens, i) == "according" || word(tokens, i) == "as" || closes(tokens, end),
        Bar::Condition => matches!(word(tokens, i), "if" | "unless" | "provided" | "assuming" | "as"),
        _ => false,
    });
    let not = word(tokens, i) == "or" && matches!(word(tokens, i + 1), "so" | "at");
    // ", says the README"
    let says = has(SAYING_SORTED, word(tokens, i)) && tokens.get(i + 1).is_some();
    if barred || not || says { Tail::Barred } else { Tail::Clear }
}

const SAYING_SORTED: &[&str] = &["claims", "reports", "said", "says", "states"];

fn closes(tokens: &[Token], end: usize) -> bool {
    tokens
        .get(end)
        .is_none_or(|token| token.punct().is_some() || matches!(token.tok, Tok::Break | Tok::Mark(Mark::Other)))
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

    #[test]
    fn a_tail_may_take_the_claim_back() {
        let at = |text: &str| tail(&tokens(text, 0, text.len()), 0, false, false);
        assert_eq!(at("on your machine"), Tail::Barred);
        assert_eq!(at(", I think"), Tail::Barred);
        assert_eq!(at("if you set the flag"), Tail::Barred);
        assert_eq!(at("now, so I committed if needed"), Tail::Clear);
        assert_eq!(at("on 3.11 and 3.12"), Tail::Clear);
    }
}
