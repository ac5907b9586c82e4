//! Files made, changed, removed or left alone: a verb of changing and, in the same sentence, the path it reaches.

use super::deed;
use super::file_before;
use super::file_verbs::{self, BRINGING, CARRYING, DESCRIBING, PLACED, TAKING};
use super::reading::{Draft, Sense};
use super::segment::Tick;
use super::token::{Tok, Token, word};
use super::untouched;
use super::words::{self, has};
use super::{Kind, Says, code};

pub fn find(sense: &Sense, out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    let paths: Vec<usize> = (0..tokens.len()).filter(|i| is_file(&tokens[*i])).collect();
    if paths.is_empty() {
        return;
    }
    let before = out.len();
    let mut done = vec![false; tokens.len()];
    untouched::find(sense, &paths, &mut done, out);
    for at in 0..tokens.len() {
        let low = word(tokens, at);
        if file_verbs::past(low) {
            changed(sense, at, &mut done, out);
        } else if file_verbs::base(low) && bare_verb(sense, at) {
            reach(sense, at, at, &mut done, out);
        } else if let Some(start) = had_to(sense, at).filter(|_| file_verbs::base(low)) {
            reach(sense, at, start, &mut done, out);
        }
    }
    // "- [x] `a.rs`: add the guard"
    let first = tokens.iter().position(|token| !matches!(token.tok, Tok::Mark(_) | Tok::Break)).unwrap_or(0);
    let ticked = sense.tick == Tick::Checked && paths.first() == Some(&first) && sense.guarded.allows_deed(first);
    if ticked
        && matches!(tokens.get(first + 1).and_then(Token::punct), Some(':' | '—'))
        && file_verbs::base(word(tokens, first + 2))
    {
        claim(sense, first, Says::Done, first, first + 3, &mut done, out);
    }
    // "New: `src/pool.rs`"
    if word(tokens, 0) == "new" && tokens.get(1).and_then(Token::punct) == Some(':') && sense.guarded.allows_deed(0) {
        let listed = |i: &usize| {
            tokens[2..*i].iter().all(|token| is_file(token) || token.punct() == Some(',') || token.is("and"))
        };
        for path in paths.iter().copied().filter(listed) {
            claim(sense, path, Says::Done, 0, path + 1, &mut done, out);
        }
    }
    file_before::passive(sense, &paths, &mut done, out);
    if out.len() == before {
        untouched::listed(sense, &paths, out);
    }
}

pub fn is_file(token: &Token) -> bool {
    token.tok == Tok::Path
}

pub fn claim(
    sense: &Sense,
    path: usize,
    says: Says,
    start: usize,
    end: usize,
    done: &mut [bool],
    out: &mut Vec<Draft>,
) {
    let Some(taken) = done.get_mut(path) else { return };
    if *taken {
        return;
    }
    *taken = true;
    let object = sense.tokens.get(path).map(|token| code::strip_line(&token.low).to_owned());
    out.extend(sense.deed(Kind::File, says, object, start.min(path)..end.max(path + 1)));
}

/// "Add x to `a.rs`" tells a deed only in a checked box or under "What I did".
fn bare_verb(sense: &Sense, at: usize) -> bool {
    let first = sense.tokens.iter().position(|token| !matches!(token.tok, Tok::Mark(_) | Tok::Break)) == Some(at);
    let told = sense.tick == Tick::Checked || (sense.frame.done && sense.frame.asserts);
    first && told && sense.tokens.get(at + 1).and_then(Token::punct) != Some(':')
}

/// "I had to add x to `a.rs`": it was done.
fn had_to(sense: &Sense, at: usize) -> Option<usize> {
    let tokens = sense.tokens;
    let had = at.checked_sub(2)?;
    let start = had.checked_sub(1 + usize::from(has(words::ADVERBS, word(tokens, had.checked_sub(1)?))))?;
    let own = matches!(word(tokens, start), "i" | "we") && word(tokens, had) == "had" && word(tokens, had + 1) == "to";
    (own && sense.guarded.allows_deed(start)).then_some(start)
}

/// "I added x to `a.rs`", "Updated `a.rs` and `b.rs`", "I did not touch `a.rs`".
fn changed(sense: &Sense, at: usize, done: &mut [bool], out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    // "The updated `a.rs`", "newly added tests": an adjective.
    let before = if at == 0 { "" } else { word(tokens, at - 1) };
    if has(words::DETERMINERS, before) && before != "all" && before != "both"
        || matches!(before, "newly" | "recently" | "of" | "in" | "as" | "with" | "by")
    {
        return;
    }
    // "I turned to `a.rs`", "`parse` threw an error"
    let particle = |set: &[&str]| (at + 1..tokens.len().min(at + 5)).any(|i| set.contains(&word(tokens, i)));
    if tokens[at].is("turned") && !particle(&["into", "off", "on"])
        || matches!(word(tokens, at), "threw" | "thrown") && !particle(&["away", "out"])
    {
        return;
    }
    let Some(voice) = deed::voice(tokens, &sense.guarded, at) else { return };
    // "added up", "made sure", "brought up"
    let idiom = matches!(
        (word(tokens, at), word(tokens, at + 1)),
        ("added" | "brought", "up") | ("made", "sure" | "certain") | ("wrote", "down") | ("brought", "about")
    );
    // A breakpoint stands in no file.
    let pause = tokens[at..].iter().take(5).any(|token| matches!(token.low.as_str(), "breakpoint" | "breakpoints"));
    if idiom || pause {
        return;
    }
    // "moved on to" goes nowhere.
    if voice.negated || voice.bare || (word(tokens, at) == "moved" && word(tokens, at + 1) == "on") {
        return;
    }
    // "The condition in `a.rs` was inverted" tells what was wrong.
    if voice.done_to.is_some() && !voice.perfect && DESCRIBING.contains(&word(tokens, at)) {
        return;
    }
    if let Some((from, to)) = voice.done_to {
        // "`x` is created on first start" tells what a program does.
        let next = word(tokens, at + 1);
        let next = if has(words::ADVERBS, next) || next.ends_with("ly") { word(tokens, at + 2) } else { next };
        let habit = voice.present
            && (has(words::PREPOSITIONS, next) && next != "to" || matches!(next, "when" | "if" | "whenever"));
        if habit {
            return;
        }
        let from = untouched::list_start(tokens, from);
        // "The loop in `a.rs` was replaced", "`a.rs` was updated".
        if deed::denies(tokens, Some((from, to))) {
            return;
        }
        let subject: Vec<usize> = (from..to).filter(|i| is_file(&tokens[*i]) && targeted(tokens, from, *i)).collect();
        // "`a.json` was copied to `b.json`": only the second.
        if CARRYING.contains(&word(tokens, at)) {
            let before = out.len();
            reach(sense, at, voice.start, done, out);
            if out.len() > before {
                return;
            }
        }
        for path in &subject {
            claim(sense, *path, Says::Done, from, at + 1, done, out);
        }
        // "Logs are written to `out.log`" tells what a program does.
        let listed = tokens.get(at + 1).and_then(Token::punct) == Some(':');
        let described = voice.present && subject.is_empty() && !listed;
        if described || (!subject.is_empty() && !CARRYING.contains(&word(tokens, at))) {
            return;
        }
    }
    reach(sense, at, voice.start, done, out);
}

/// Whether a path in a subject is what is changed: alone, in a list, or after "in".
fn targeted(tokens: &[Token], from: usize, path: usize) -> bool {
    let before = if path == from { "" } else { word(tokens, path - 1) };
    !matches!(before, "for" | "of" | "by" | "with" | "from" | "to" | "about")
}

/// How the words right of a verb lead to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Directly, or after "in", "to", "into".
    Target,
    /// After "for", "of", "with": what stands here is not changed.
    Aside,
}

/// Follows the verb at `verb` to the paths it changes.
fn reach(sense: &Sense, verb: usize, start: usize, done: &mut [bool], out: &mut Vec<Draft>) {
    let tokens = sense.tokens;
    let low = word(tokens, verb);
    let carries = CARRYING.contains(&low) || low == "replaced" || matches!(low, "rename" | "move" | "copy" | "split");
    let takes = TAKING.contains(&low) || matches!(low, "remove" | "delete" | "drop");
    let needs_place = PLACED.contains(&low);
    // "introduced `errors.ts`" made it, "introduced a class in `a.ts`" needs the place.
    let direct = matches!(low, "introduced" | "implemented") && tokens.get(verb + 1).is_some_and(is_file);
    let mut way = if needs_place && !direct { Way::Aside } else { Way::Target };
    let mut found: Vec<usize> = Vec::new();
    let mut second = false;
    let mut at = verb + 1;
    while let Some(token) = tokens.get(at) {
        let next = word(tokens, at + 1);
        match &token.tok {
            Tok::Path => {
                // "the `util/` directory's `__init__.py`"
                let owner = (at + 1..at + 3).any(|i| word(tokens, i).ends_with("'s"))
                    && (at + 2..at + 4).any(|i| tokens.get(i).is_some_and(is_file));
                // "introduced a new module `errors.ts`"
                let made = matches!(low, "implemented" | "introduced" | "made")
                    && matches!(
                        word(tokens, at - 1),
                        "class" | "component" | "file" | "helper" | "module" | "page" | "script"
                    );
                if (way == Way::Target || made) && !owner {
                    if second {
                        found.clear();
                        second = false;
                    }
                    found.push(at);
                }
            }
            Tok::Punct(',') => {
                let more = at + 1 + usize::from(next == "and");
                // "`a.css` was split, `b.css` is the new part": a statement of its own.
                let list = tokens.get(more).is_some_and(is_file) && !has(words::BE, word(tokens, more + 1));
                // A comma within a list of words: the place may still come ("added a, b and c to `x`").
                let words_list = way == Way::Target
                    && found.is_empty()
                    && !has(words::RELATIVES, next)
                    && !has(words::CONJUNCTIONS, word(tokens, more))
                    && !verbal(tokens, more)
                    && more_list(tokens, more);
                if !(list || words_list) {
                    break;
                }
            }
            Tok::Punct('(') => {
                let close = (at + 1..tokens.len()).find(|i| tokens[*i].punct() == Some(')')).unwrap_or(tokens.len());
                // "Added a guard for empty payloads (`a.py`)."
                let closes = tokens.get(close + 1).is_none_or(|token| token.tok == Tok::Break);
                if tokens.get(at + 1).is_some_and(is_file)
                    && found.is_empty()
                    && (way == Way::Target || needs_place || closes)
                    && tokens[at + 1..close].iter().all(in_brackets)
                {
                    found.extend((at + 1..close).filter(|i| is_file(&tokens[*i])));
                }
                at = close;
            }
            Tok::Punct(':' | '—' | '→')
                if tokens.get(at + 1).is_some_and(|token| is_file(token) || matches!(token.tok, Tok::Break)) =>
            {
                second |= token.punct() == Some('→') && carries;
                if token.punct() == Some(':') {
                    way = Way::Target;
                }
            }
            Tok::Punct('/' | '&' | '+')
            | Tok::Break
            | Tok::Ident
            | Tok::Number(_)
            | Tok::Command(_)
            | Tok::Hash
            | Tok::Ratio(..)
            | Tok::Opaque => {}
            Tok::Punct(_) | Tok::Mark(_) => break,
            Tok::Word => match token.low.as_str() {
                // "applied the patch in `x.patch`" changes other files
                "in" if low == "applied" => way = Way::Aside,
                "in" | "into" | "inside" | "within" | "under" | "at" | "onto" => {
                    second |= token.low == "into" && carries && !found.is_empty();
                    way = Way::Target;
                }
                // "reduced the problem to `a.rs`", "fixed the link to `a.md`": no place that is changed.
                "to" if tokens.get(at + 1).is_some_and(is_file) && !carries && !BRINGING.contains(&low) => {
                    way = Way::Aside;
                }
                "on" if !matches!(low, "changed" | "set") => way = Way::Aside,
                "to" => {
                    let place =
                        tokens.get(at + 1).is_some_and(is_file) || has(words::DETERMINERS, next) || next == "new";
                    // "bumped `x` to 5.4 in `a.toml`": a value; "updated `a.rs` to use": a purpose.
                    let value = tokens.get(at + 1).is_some_and(|token| token.tok != Tok::Word)
                        || matches!(next, "true" | "false" | "null" | "none" | "zero");
                    if !place && !value {
                        break;
                    }
                    if value && !place {
                        way = Way::Aside;
                        at += 2;
                        continue;
                    }
                    second |= carries && !found.is_empty() && tokens.get(at + 1).is_some_and(is_file);
                    // "Updated `a.rs` to the new API": not a place.
                    way = if found.is_empty() || carries { Way::Target } else { Way::Aside };
                }
                // "moved the flags from `a.go` into it": what is changed is named after it.
                "from" if carries && tokens[at..].iter().take(12).any(|token| token.is("into") || token.is("to")) => {
                    way = Way::Aside;
                }
                // "removed `a.rs` from my list": only from the tree it is gone.
                "from" if takes && !found.is_empty() && !of_tree(tokens, at + 1) => {
                    found.clear();
                    way = Way::Target;
                }
                "from" => way = if takes || (carries && found.is_empty()) { Way::Target } else { Way::Aside },
                "with" | "by" if low == "replaced" && !found.is_empty() => {
                    if tokens.get(at + 1).is_some_and(is_file) {
                        second = true;
                    } else {
                        way = Way::Aside;
                    }
                }
                "as" if low == "saved" && tokens.get(at + 1).is_some_and(is_file) => way = Way::Target,
                "for" | "of" | "with" | "by" | "about" | "against" | "like" | "than" | "via" | "around" | "between"
                | "over" | "per" | "through" => way = Way::Aside,
                "using" | "that" | "which" | "who" | "so" | "because" | "since" | "when" | "where" | "if" | "while"
                | "before" | "after" | "until" | "without" | "instead" | "such" | "as" | "whose" | "whenever"
                | "once" | "whether" | "but" | "however" | "rather" | "how" | "why" => break,
                "and" if verbal(tokens, at + 1) => break,
                "and" | "or" => {
                    if way == Way::Aside && tokens.get(at + 1).is_some_and(is_file) {
                        // "tests for `a.rs` and `b.rs`": still aside.
                    } else if way == Way::Aside && !needs_place {
                        way = Way::Target;
                    }
                }
                low if at > verb + 1
                    && (file_verbs::past(low) || has(words::BE, low) || has(words::MODALS, low))
                    && !has(words::DETERMINERS, word(tokens, at - 1))
                    // "handling for escaped quotes"
                    && !has(words::PREPOSITIONS, word(tokens, at - 1)) =>
                {
                    break;
                }
                _ => {}
            },
        }
        at += 1;
    }
    if found.is_empty() {
        file_before::leading_place(sense, verb, start, done, out);
    }
    // "I changed nothing in `core/`"
    let nothing = word(tokens, verb + 1) == "nothing";
    if nothing && !matches!(low, "changed" | "edited" | "modified" | "touched") {
        return;
    }
    let says = if nothing { Says::NotDone } else { Says::Done };
    for path in found {
        claim(sense, path, says, start, path + 1, done, out);
    }
}

/// A path in brackets, or its line.
fn in_brackets(token: &Token) -> bool {
    is_file(token)
        || token.punct() == Some(',')
        || matches!(token.low.as_str(), "and" | "line" | "lines")
        || matches!(token.tok, Tok::Number(_))
}

/// "from the repository": what is removed from there is gone.
fn of_tree(tokens: &[Token], from: usize) -> bool {
    (from..tokens.len().min(from + 4)).any(|i| {
        matches!(
            word(tokens, i),
            "branch"
                | "codebase"
                | "directory"
                | "disk"
                | "folder"
                | "git"
                | "project"
                | "repo"
                | "repository"
                | "root"
                | "tree"
        )
    })
}

/// After a comma, "and" or "then": a verb of its own.
fn verbal(tokens: &[Token], i: usize) -> bool {
    let low = word(tokens, i);
    let low = if matches!(low, "and" | "then" | "also" | "i" | "we" | "finally") { word(tokens, i + 1) } else { low };
    file_verbs::past(low)
        || has(words::VERBS, low)
        || low.ends_with("ed") && !has(words::DETERMINERS, word(tokens, i + 1)) && low != "shared"
        || matches!(word(tokens, i), "i" | "we" | "it" | "this" | "there" | "they")
}

/// Within a list of nouns an "and" or a place still follows in this clause.
fn more_list(tokens: &[Token], from: usize) -> bool {
    (from..tokens.len().min(from + 14)).any(|i| {
        tokens[i].is("and")
            && tokens[i + 1..].iter().take(10).any(|token| matches!(token.low.as_str(), "to" | "in" | "into" | "from"))
    })
}
