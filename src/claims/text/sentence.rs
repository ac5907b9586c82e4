//! Where sentences of a block begin and end: ranges of its tokens.

use std::ops::Range;

use super::mark::Mark;
use super::token::{Tok, Token};

/// More tokens than any sentence has: what is longer is cut, so that looking around within one stays cheap.
const LONGEST: usize = 300;

/// The sentences of a block, as ranges of its tokens, without their closing punctuation; whether each is a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    pub tokens: Range<usize>,
    pub question: bool,
}

pub fn sentences(tokens: &[Token], message: &str) -> Vec<Sentence> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut depth = 0usize;
    let leading_marks = leads_with_mark(tokens);
    for i in 0..tokens.len() {
        match tokens[i].punct() {
            Some('(') => depth += 1,
            Some(')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        let ends = match &tokens[i].tok {
            Tok::Punct('?') => true,
            Tok::Punct('!') => true,
            Tok::Punct('.') if result_line(&tokens[start..i], tokens.get(i + 1)) => false,
            Tok::Punct('.' | '…') => depth == 0 || i + 1 == tokens.len() || starts_anew(tokens, i, message),
            Tok::Break => breaks(tokens, start, i, message),
            _ => false,
        };
        let mark = matches!(tokens[i].tok, Tok::Mark(Mark::Good | Mark::Bad | Mark::Open));
        if mark && leading_marks && i > start {
            close(&mut out, start..i, false);
            start = i;
        } else if mark && !leading_marks && says_something(&tokens[start..i]) && !says_something_on(tokens, i + 1) {
            close(&mut out, start..i + 1, false);
            start = i + 1;
        } else if ends || i - start >= LONGEST {
            close(&mut out, start..if ends { i } else { i + 1 }, tokens[i].punct() == Some('?'));
            start = i + 1;
            depth = 0;
        }
    }
    close(&mut out, start..tokens.len(), false);
    out
}

/// "test result: ok. 42 passed": a runner's line, whose figures stand after a full stop.
fn result_line(before: &[Token], next: Option<&Token>) -> bool {
    let [.., noun, colon, verdict] = before else { return false };
    noun.is("result")
        && colon.punct() == Some(':')
        && matches!(verdict.low.as_str(), "failed" | "ok")
        && next.is_some_and(|next| matches!(next.tok, Tok::Number(_)))
}

fn close(out: &mut Vec<Sentence>, tokens: Range<usize>, question: bool) {
    if question || !tokens.is_empty() {
        out.push(Sentence { tokens, question });
    }
}

fn says_something(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| !matches!(token.tok, Tok::Punct(_) | Tok::Break | Tok::Mark(_)))
}

/// Whether what follows the mark says more about the same thing: `Tests: ✅ 64 passed`.
fn says_something_on(tokens: &[Token], from: usize) -> bool {
    const MORE: &[&str] =
        &["all", "clean", "fail", "failed", "fails", "green", "no", "ok", "pass", "passed", "passes", "passing"];
    match tokens.get(from) {
        Some(token) => match token.tok {
            Tok::Number(_) | Tok::Ratio(..) => true,
            Tok::Punct(c) => matches!(c, '(' | '—' | ':' | ','),
            _ => MORE.contains(&token.low.as_str()),
        },
        None => false,
    }
}

/// The block (or one of its lines) has its marks at the start.
fn leads_with_mark(tokens: &[Token]) -> bool {
    tokens.iter().find(|token| !matches!(token.tok, Tok::Break)).is_some_and(|token| matches!(token.tok, Tok::Mark(_)))
        || tokens.windows(2).any(|pair| pair[0].tok == Tok::Break && matches!(pair[1].tok, Tok::Mark(_)))
}

fn starts_anew(tokens: &[Token], i: usize, message: &str) -> bool {
    tokens
        .get(i + 1)
        .is_some_and(|next| message.get(next.start..).is_some_and(|text| text.starts_with(char::is_uppercase)))
}

/// A line's end ends the sentence if the next line is a new thing: a label, a mark, or a capital after a short line.
fn breaks(tokens: &[Token], start: usize, i: usize, message: &str) -> bool {
    let (Some(first), Some(next)) = (tokens.get(start), tokens.get(i + 1)) else { return true };
    if next.tok == Tok::Break || matches!(next.tok, Tok::Mark(_)) || matches!(first.tok, Tok::Mark(_)) {
        return true;
    }
    let hard = message.get(..tokens[i].start).is_some_and(|text| text.ends_with("  ") || text.ends_with('\\'));
    let colon = |from: usize| {
        (from..from + 5)
            .take_while(|at| tokens.get(*at).is_some_and(|t| t.tok != Tok::Break))
            .any(|at| tokens[at].punct() == Some(':'))
    };
    let line_start = tokens[..i].iter().rposition(|token| token.tok == Tok::Break).map_or(0, |at| at + 1);
    let width = tokens[i].start.saturating_sub(tokens.get(line_start).map_or(0, |token| token.start));
    let capital = message
        .get(next.start..)
        .is_some_and(|text| text.starts_with(|c: char| c.is_uppercase() || c == '`' || c.is_ascii_digit()));
    let label = colon(i + 1) && (capital || colon(line_start));
    hard || label || (colon(line_start) && capital && width < 70) || (capital && width < 50)
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    fn split(text: &str) -> Vec<String> {
        let tokens = tokens(text, 0, text.len());
        let text_of = |s: &Sentence| {
            let (Some(first), Some(last)) = (tokens.get(s.tokens.start), tokens.get(s.tokens.end.wrapping_sub(1)))
            else {
                return String::new();
            };
            format!("{}{}", &text[first.start..last.end], if s.question { "?" } else { "" })
        };
        sentences(&tokens, text).iter().map(text_of).collect()
    }

    #[test]
    fn full_stops_within_names_end_nothing() {
        assert_eq!(
            split("I use src/a.rs in v1.2.3, e.g. here. Done... Is it? Yes!"),
            ["I use src/a.rs in v1.2.3, e.g. here", "Done", "Is it?", "Yes"]
        );
    }

    #[test]
    fn label_lines_and_marks_are_sentences_of_their_own() {
        assert_eq!(
            split("Commit: 9e8d7c6\nBranch: x\nTests: 12 passed"),
            ["Commit: 9e8d7c6", "Branch: x", "Tests: 12 passed"]
        );
        assert_eq!(split("✅ Tests passing\n✅ Lint clean"), ["✅ Tests passing", "✅ Lint clean"]);
        assert_eq!(split("Tests ✅ Lint ✅"), ["Tests ✅", "Lint ✅"]);
    }

    #[test]
    fn a_wrapped_line_goes_on() {
        assert_eq!(
            split("The whole test suite passes with the new walk, among it the two\ncases that check the order."),
            ["The whole test suite passes with the new walk, among it the two\ncases that check the order"]
        );
    }
}
