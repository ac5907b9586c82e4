//! The regexes of the kinds, as the oracle of the hand-written matchers.
//!
//! It is slow and plain: it takes the union of everything that any regex matches anywhere; of what overlaps it
//! makes one, named after what begins first, then the longest, then the first in the table.

use std::sync::OnceLock;

use deeds::redact::Where;
use regex::bytes::{Captures, Regex};

/// What may stand before a match.
#[derive(Clone, Copy, PartialEq)]
enum Edge {
    None,
    Word,
    /// A word's edge, and neither `+` nor `/`.
    Base64,
}

struct Row {
    name: &'static str,
    edge: Edge,
    regex: Regex,
    keep: fn(&[u8], &Captures<'_>) -> bool,
}

/// No white space, quotation mark, backslash, `<`, `>` or what ends a shell's word.
const VALUE: &str = r#"[^\x00-\x20\x7f"'`\\<>;&|()]"#;
const AUTHORITY: &str = r#"[^\x00-\x20\x7f"'`\\<>/?#]"#;
const NAMES: &str = "(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY)";
/// A value that only says where its secret is.
const REFERENCE: &str = r"^(?s-u)(?:\$\{\w+\}|\{\w+\}|\$[A-Z0-9_]*|%s|\**|\$\(.*|`.*)$";

fn rows() -> &'static [Row] {
    static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let any = |_: &[u8], _: &Captures<'_>| true;
        let quote = r#"(?:\\?["'])?"#;
        let row = |name, edge, regex: &str, keep: fn(&[u8], &Captures<'_>) -> bool| Row {
            name,
            edge,
            regex: Regex::new(&format!("(?s-u){regex}")).unwrap(),
            keep,
        };
        vec![
            row("age-secret-key", Edge::Word, "AGE-SECRET-KEY-1[0-9A-Z]{58,}", any),
            row("aws-access-key-id", Edge::Word, "(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}", |text, found| {
                let end = found.get(0).unwrap().end();
                !found[0].ends_with(b"EXAMPLE")
                    && !text
                        .get(end)
                        .is_some_and(|&next| next == b'_' || next.is_ascii_uppercase() || next.is_ascii_digit())
            }),
            row(
                "aws-secret",
                Edge::None,
                &format!("(?i)secret_?access_?key{quote}[ \t]*[:=][ \t]*{quote}([A-Za-z0-9/+=]{{40,}})"),
                any,
            ),
            row("github", Edge::None, "gh[pousr]_[0-9A-Za-z]{36,}", any),
            row("github", Edge::None, r"github_pat_\w{82,}", any),
            row("gitlab", Edge::None, r"glpat-[\w-]{20,}(?:\.[0-9a-z]{9})?", any),
            row("anthropic", Edge::Word, r"sk-ant-[\w-]{20,}", any),
            row("openrouter", Edge::Word, "sk-or-v1-[0-9a-f]{64,}", any),
            row("openai", Edge::Word, r"sk-(?:proj|svcacct|admin)-[\w-]{32,}", any),
            row("openai", Edge::Word, r"sk-([\w-]{32,})", |_, found| {
                let key = &found[1][..found[1].len().min(96)];
                let has = |class: &str| Regex::new(class).unwrap().is_match(key);
                has("[A-Za-z0-9]{32}") || (has("[0-9]") && has("[a-z]") && has("[A-Z]"))
            }),
            row("slack", Edge::None, r"xox[abeoprs]-[0-9]+-[\w-]{10,}", any),
            row("slack", Edge::None, "xapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-z0-9]+", any),
            row("slack", Edge::None, r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w+/]{43,})", any),
            row("stripe", Edge::Word, "[sr]k_(?:test|live|prod)_[A-Za-z0-9]{10,}", any),
            row("stripe", Edge::None, "whsec_[A-Za-z0-9+/=]{32,}", any),
            row("google", Edge::Base64, r"AIza[\w-]{35,}", any),
            row("npm", Edge::None, "npm_[A-Za-z0-9]{36,}", any),
            row("pypi", Edge::None, r"pypi-AgEIcHlwaS5vcmc[\w-]{50,}", any),
            row("rubygems", Edge::None, "rubygems_[a-f0-9]{48,}", any),
            row("cargo", Edge::Base64, "cio[a-zA-Z0-9]{32,}", any),
            row("huggingface", Edge::Word, "hf_[A-Za-z]{34,}", any),
            row("databricks", Edge::None, "dapi[a-f0-9]{32,}", any),
            row("digitalocean", Edge::None, "do[opr]_v1_[a-f0-9]{64,}", any),
            row("sendgrid", Edge::Word, r"SG\.[\w=.-]{66,}", any),
            row("vault", Edge::None, r"hvs\.[\w-]{90,}|hvb\.[\w-]{138,}", any),
            row("jwt", Edge::Word, r"ey[A-Za-z0-9]{17,}\.ey[A-Za-z0-9/_-]{17,}\.[A-Za-z0-9/_-]{10,}", any),
            row(
                "http-auth",
                Edge::None,
                &format!("(?i)authorization{quote}[ \t]*[:=][ \t]*{quote}(?:basic|bearer|token)[ \t]+({VALUE}+)"),
                credential,
            ),
            row("http-auth", Edge::Word, &format!("(?i)api-?key{quote}[ \t]*:[ \t]*{quote}({VALUE}+)"), credential),
            row("url-userinfo", Edge::None, &format!("(?i)[a-z][a-z0-9+.-]{{0,31}}://({AUTHORITY}*)@"), |_, found| {
                let userinfo = String::from_utf8_lossy(&found[1]).into_owned();
                userinfo
                    .split_once(':')
                    .is_some_and(|(_, password)| !is(REFERENCE, password) && !userinfo.contains("[REDACTED:"))
            }),
        ]
    })
}

fn is(regex: &str, text: &str) -> bool {
    Regex::new(regex).unwrap().is_match(text.as_bytes())
}

fn credential(_: &[u8], found: &Captures<'_>) -> bool {
    let value = String::from_utf8_lossy(&found[1]);
    is_secret(&value) && !value.starts_with(['{', '[']) && !is(r"^(?-u)[A-Za-z_]*\.[A-Za-z._]*,?$", &value)
}

/// Not empty, not a reference, and nothing that was redacted before.
fn is_secret(value: &str) -> bool {
    let begin = value.find("[REDACTED:").is_some_and(|at| at <= 246);
    !value.is_empty() && !is(REFERENCE, value) && !begin
}

const ASSIGNMENT: &str = "assignment";

type Span = (usize, usize, &'static str);

/// Where a word may begin in `text`; where an earlier secret ended it may too.
fn edge(text: &[u8], at: usize, ends: &[usize]) -> bool {
    let before = String::from_utf8_lossy(&text[..at]);
    ends.contains(&at) || is(r"(?s-u)(?:^|[^0-9A-Za-z_]|\\[nrt])$", &before)
}

/// All matches at all starts, with what must stand before them.
fn found(text: &[u8], place: Where) -> Vec<(Span, usize, Edge)> {
    let mut all = Vec::new();
    for row in rows() {
        let mut from = 0;
        while let Some(captures) = (from <= text.len()).then(|| row.regex.captures_at(text, from)).flatten() {
            let whole = captures.get(0).unwrap();
            let secret = captures.get(1).filter(|_| row.name != "openai").unwrap_or(whole);
            if (row.keep)(text, &captures) {
                all.push(((secret.start(), secret.end(), row.name), whole.start(), row.edge));
            }
            from = whole.start() + 1;
        }
    }
    let assigned = if place == Where::Command { assigned(text) } else { listed(text) };
    all.extend(assigned.into_iter().map(|(start, end)| ((start, end, ASSIGNMENT), start, Edge::None)));
    all.extend(keys(text).into_iter().map(|(start, end)| ((start, end, "private-key"), start, Edge::None)));
    all
}

fn assigned(text: &[u8]) -> Vec<(usize, usize)> {
    static REGEX: OnceLock<[Regex; 2]> = OnceLock::new();
    let names = REGEX.get_or_init(|| {
        [
            Regex::new(&format!("(?i-u){NAMES}(?:=|[ \t]+=[ \t]*)")).unwrap(),
            Regex::new("(?i-u)--(?:[a-z0-9-]*-)?(?:password|token|api-key)(?:=|[ \t]+)").unwrap(),
        ]
    });
    let redacted = Regex::new(r#"^(?-u)(?:"[^"\n]*?\[REDACTED:|'[^'\n]*?\[REDACTED:)"#).unwrap();
    let quoted = Regex::new(r#"^(?-u)(?:"([^"\n]*)"|'([^'\n]*)')"#).unwrap();
    let bare = Regex::new(r#"^(?-u)(?:\\?["'])?([^\x00-\x20\x7f"'`<>;&|()]*)"#).unwrap();
    let mut all = Vec::new();
    for (names, shortest) in names.iter().zip([8, 1]) {
        let mut from = 0;
        while let Some(name) = (from <= text.len()).then(|| names.find_at(text, from)).flatten() {
            from = name.start() + 1;
            let rest = &text[name.end()..];
            let flag = shortest == 1;
            let glued = name.as_bytes().ends_with(b"=");
            let equals = name.start() + name.as_bytes().iter().position(|&byte| byte == b'=').unwrap_or(name.len());
            if (!flag && text.get(equals + 1) == Some(&b'=')) || (flag && !glued && rest.starts_with(b"-")) {
                continue;
            }
            if redacted.is_match(rest) || name.as_bytes().starts_with(b"--no-") {
                continue;
            }
            if let Some(found) = quoted.captures(rest) {
                let value = found.get(1).or(found.get(2)).unwrap();
                if is_secret(&String::from_utf8_lossy(value.as_bytes())) {
                    all.push((name.end() + value.start(), name.end() + value.end()));
                }
                continue;
            }
            let value = bare.captures(rest).unwrap().get(1).unwrap();
            let (start, mut end) = (value.start(), value.end());
            let next = rest.get(end).copied().unwrap_or(b' ');
            if matches!(next, b'"' | b'\'') && rest[start..end].ends_with(b"\\") {
                end -= 1;
            }
            let value = String::from_utf8_lossy(&rest[start..end]).into_owned();
            let called = rest.get(end) == Some(&b'(') || value.ends_with('[');
            if value.len() >= shortest && is_secret(&value) && !called {
                all.push((name.end() + start, name.end() + end));
            }
        }
    }
    all
}

fn listed(text: &[u8]) -> Vec<(usize, usize)> {
    let regex = r#"^(?-u)([\t\x0c\r ]*(?:\+\+ |- |\+ |\+|-)?[\t\x0c\r ]*(?:export |declare -x |set |ENV )?[\t\x0c\r ]*(["'])?)[A-Z0-9_]*"#;
    let regex = Regex::new(&format!("{regex}{NAMES}=")).unwrap();
    let mut all = Vec::new();
    let mut line = 0;
    for content in text.split(|&byte| byte == b'\n') {
        if let Some(found) = regex.captures(content).filter(|found| found[1].len() < 64) {
            let rest = &content[found.get(0).unwrap().end()..];
            let own = rest.first().copied().filter(|first| found.get(2).is_none() && matches!(first, b'"' | b'\''));
            let quote = found.get(2).map(|quote| quote.as_bytes()[0]).or(own);
            let value = &rest[usize::from(own.is_some())..];
            let close = quote.and_then(|quote| value.iter().position(|&byte| byte == quote));
            let value = close.map_or(value.trim_ascii_end(), |close| &value[..close]);
            if value.len() >= if close.is_some() { 1 } else { 8 } && is_secret(&String::from_utf8_lossy(value)) {
                let start = line + content.len() - rest.len() + usize::from(own.is_some());
                all.push((start, start + value.len()));
            }
        }
        line += content.len() + 1;
    }
    all
}

/// Armoured keys: whole ones up to their end, cut ones as far as their lines are base64.
fn keys(text: &[u8]) -> Vec<(usize, usize)> {
    static REGEX: OnceLock<[Regex; 4]> = OnceLock::new();
    let [begin, end, newline, marks] = REGEX.get_or_init(|| {
        [
            "(?-u)-----BEGIN[ A-Z0-9_-]{0,100}?PRIVATE KEY(?: BLOCK)?-----",
            "^(?-u)-----END[ A-Z0-9_-]{0,100}?KEY(?: BLOCK)?-----",
            r"(?-u)\n|\\n|\\r\\n",
            "(?-u)-----END",
        ]
        .map(|regex| Regex::new(regex).unwrap())
    });
    let blocks = begin
        .find_iter(text)
        .filter_map(|begin| Some((begin.start(), key_end(text, begin.end(), end, newline, marks)?)));
    blocks.chain(tails(text)).collect()
}

/// Keys whose beginning was cut: full lines of base64, at most two short ones, and the end.
fn tails(text: &[u8]) -> Vec<(usize, usize)> {
    static REGEX: OnceLock<Regex> = OnceLock::new();
    let ends = REGEX
        .get_or_init(|| Regex::new("(?-u)-----END[ A-Z0-9_-]{0,100}?PRIVATE KEY(?: BLOCK)?-----").unwrap())
        .find_iter(text);
    let mut all = Vec::new();
    for end in ends {
        let mut lines: Vec<&[u8]> = text[..end.start()].split(|&byte| byte == b'\n').collect();
        let own = lines.pop().unwrap();
        if own.len() >= 64 || classify(own).0 != 'b' {
            continue;
        }
        let short = lines.iter().rev().take(2).take_while(|line| matches!(classify(line).0, 's' | 'w')).count();
        lines.truncate(lines.len() - short);
        let full = lines.iter().rev().take_while(|line| classify(line).0 == 'f').count();
        if full > 0 {
            let first = lines[lines.len() - full];
            let to = classify(first).1;
            let run = first[..to]
                .iter()
                .rev()
                .take_while(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte))
                .count();
            let before: usize = lines[..lines.len() - full].iter().map(|line| line.len() + 1).sum();
            all.push((before + to - run, end.end()));
        }
    }
    all
}

fn key_end(text: &[u8], mut at: usize, end: &Regex, newline: &Regex, marks: &Regex) -> Option<usize> {
    let begin = text[at..].windows(10).position(|ten| ten == b"-----BEGIN");
    let text = &text[..begin.map_or(text.len(), |begin| at + begin)];
    let (mut sure, mut open, mut begun) = (None, true, false);
    while at < text.len() {
        let next = newline.find_at(text, at);
        let line = &text[at..next.map_or(text.len(), |next| next.start())];
        if let Some(mark) = marks.find(line) {
            let close = end.find(&text[at + mark.start()..]);
            if let Some(close) = close.filter(|_| classify(&line[..mark.start()]).0 != 'o') {
                return Some(at + mark.start() + close.end());
            }
            break;
        }
        let (class, to) = classify(line);
        match class {
            'f' if open => (sure, begun) = (Some(at + to), true),
            'l' if open && begun => (sure, open) = (Some(at + to), false),
            's' if open && begun => (sure, open) = (Some(at + to), false),
            'h' if open && !begun => {}
            'b' => {}
            'o' => break,
            _ => open = false,
        }
        at = next.map_or(text.len(), |next| next.end());
    }
    sure
}

/// Blank, full, last, short, word, header, likely or other; and where its base64 ends.
fn classify(line: &[u8]) -> (char, usize) {
    static REGEX: OnceLock<Vec<(char, Regex)>> = OnceLock::new();
    let classes = REGEX.get_or_init(|| {
        let prefix = r#"(?:[->|][ \t\r]*)?(?:[0-9]{1,6}(?:\t|:|\||\x20|→)[ \t\r]*)?["']?"#;
        [
            ('b', r#"[\s"'+,;()\\]*"#),
            ('f', r#"PREFIX([A-Za-z0-9+/=]{40,})[ \t\r"',]*"#),
            ('l', r"PREFIX([A-Za-z0-9+/=]{40,})[^A-Za-z0-9+/=].*"),
            ('w', r#"PREFIX[A-Za-z]{1,39}[ \t\r"',]*"#),
            ('s', r#"PREFIX([A-Za-z0-9+/=]{1,39})[ \t\r"',]*"#),
            ('b', r#"PREFIX[ \t\r"',]*"#),
            ('h', r"[A-Za-z0-9-]+: .*"),
            ('k', r".*[A-Za-z0-9+/=]{16}.*"),
        ]
        .map(|(class, regex)| (class, Regex::new(&format!("^(?s-u)(?:{})$", regex.replace("PREFIX", prefix))).unwrap()))
        .into()
    });
    let leading = line.len() - line.trim_ascii_start().len();
    for (class, regex) in classes {
        if let Some(found) = regex.captures(line.trim_ascii()) {
            return (*class, leading + found.get(1).map_or(0, |run| run.end()));
        }
    }
    ('o', 0)
}

/// The text as it should be, and how many markers are in it.
pub fn expected(text: &str, place: Where) -> (String, u32) {
    // The assignments of a command are looked for on their own, and tell the others nothing.
    let (late, early): (Vec<_>, Vec<_>) = found(text.as_bytes(), place)
        .into_iter()
        .partition(|(span, ..)| place == Where::Command && span.2 == ASSIGNMENT);
    let mut merged: Vec<Span> = Vec::new();
    // A word may begin where a secret ends, and that secret may be one of these: until nothing changes.
    let spans = loop {
        let ends: Vec<usize> = merged.iter().map(|span| span.1).collect();
        let may_begin = |start: usize, needs: Edge| {
            let before = start.checked_sub(1).map(|before| text.as_bytes()[before]);
            let in_base64 = needs == Edge::Base64 && matches!(before, Some(b'+' | b'/'));
            needs == Edge::None || (edge(text.as_bytes(), start, &ends) && !in_base64)
        };
        let spans: Vec<Span> =
            early.iter().filter(|(_, start, needs)| may_begin(*start, *needs)).map(|(span, ..)| *span).collect();
        let before = std::mem::replace(&mut merged, merge(spans.clone()));
        if merged == before {
            break spans;
        }
    };
    let merged = merge(spans.into_iter().chain(late.into_iter().map(|(span, ..)| span)).collect());
    let mut out = text.to_owned();
    for (start, end, name) in merged.iter().rev() {
        out.replace_range(*start..*end, &format!("[REDACTED:{name}]"));
    }
    (out, merged.len() as u32)
}

fn merge(mut spans: Vec<Span>) -> Vec<Span> {
    let rank = |name: &str| match name {
        "private-key" => 0,
        ASSIGNMENT => usize::MAX,
        _ => rows().iter().position(|row| row.name == name).unwrap() + 1,
    };
    spans.sort_by_key(|(start, end, name)| (*start, std::cmp::Reverse(*end), rank(name)));
    let mut merged: Vec<Span> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.0 < last.1 => last.1 = last.1.max(span.1),
            _ => merged.push(span),
        }
    }
    merged
}
