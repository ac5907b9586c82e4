//! Text from outside as HTML, and a template filled in.

use crate::records::run::EvidenceRef;
use crate::text::{Lines, sanitise};

/// Text that can be neither markup nor attribute's end, whose control and bidirectional characters are visible.
pub fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in sanitise(text, Lines::Keep).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// `code` where the text has it between backticks: verdicts name commands so.
pub fn with_code(said: &str) -> String {
    let parts: Vec<&str> = said.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return text(said);
    }
    let wrap = |(n, part): (usize, &&str)| if n % 2 == 1 { format!("<code>{}</code>", text(part)) } else { text(part) };
    parts.iter().enumerate().map(wrap).collect()
}

/// The template with each `{{name}}` replaced. What is put in is not looked at again: it may hold anything.
pub fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut out = String::with_capacity(template.len() + values.iter().map(|(_, value)| value.len()).sum::<usize>());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let Some((name, after)) = after.split_once("}}") else { break };
        out.push_str(values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The beginning and the end of a text, at most about `most` bytes once escaped.
pub fn excerpt(said: &str, most: usize) -> String {
    let said = said.trim_end();
    let whole = text(said);
    if whole.len() <= most {
        return whole;
    }
    let head = cut(said.chars(), most / 4);
    let tail: String = cut(said.chars().rev(), most * 3 / 4).chars().rev().collect();
    let left = said.len().saturating_sub(head.len() + tail.len());
    format!("{}\n<i>… {left} bytes left out; deeds show has them …</i>\n{}", text(&head), text(&tail))
}

/// The same of a piece of running text: whitespace at its ends stays.
pub fn excerpt_inside(said: &str, most: usize) -> String {
    let whole = text(said);
    if whole.len() <= most { whole } else { format!("{} ", excerpt(said, most)) }
}

/// As many characters as take so many bytes as HTML.
fn cut(chars: impl Iterator<Item = char>, most: usize) -> String {
    let mut taken = 0;
    chars
        .take_while(|c| {
            taken += text(c.encode_utf8(&mut [0; 4])).len();
            taken <= most
        })
        .collect()
}

/// One row for the evidence of one trust class, method and boundary, in the order of its first piece.
pub fn evidence(evidence: &[EvidenceRef], known: impl Fn(u64) -> bool) -> String {
    if evidence.is_empty() {
        return "<p class=\"none\">No evidence.</p>".to_owned();
    }
    let mut rows: Vec<(&EvidenceRef, Vec<String>)> = Vec::new();
    for e in evidence {
        let seq = e.seq;
        let entry = if known(seq) { format!("<a href=\"#e{seq}\">#{seq}</a>") } else { format!("#{seq}") };
        let same = |of: &&EvidenceRef| {
            (&of.trust_class, &of.collection_method, &of.boundary)
                == (&e.trust_class, &e.collection_method, &e.boundary)
        };
        match rows.iter_mut().find(|(of, _)| same(of)) {
            Some((_, entries)) => entries.push(entry),
            None => rows.push((e, vec![entry])),
        }
    }
    let mut out = String::from("<table><tr><th>entry<th>trust<th>method<th>boundary</tr>");
    for (of, entries) in rows {
        out.push_str(&format!(
            "<tr><td>{}<td>{}<td>{}<td>{}</tr>",
            entries.join(" "),
            text(&of.trust_class),
            text(&of.collection_method),
            text(&of.boundary)
        ));
    }
    out.push_str("</table>");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_is_markup_and_nothing_of_it_is_hidden() {
        let hostile = "</script><img src=x onerror=\"a'b\">&\u{1b}[2J\u{202e}\0";
        let safe = text(hostile);
        assert_eq!(safe, "&lt;/script&gt;&lt;img src=x onerror=&quot;a&#39;b&quot;&gt;&amp;\\x1b[2J\\u{202e}\\x00");
        assert_eq!(with_code("ran `<b>` and"), "ran <code>&lt;b&gt;</code> and");
        assert_eq!(with_code("a ` b"), "a ` b");
    }

    #[test]
    fn what_was_put_into_a_template_is_not_filled_again() {
        assert_eq!(fill("a {{x}} {{y}} {{z}}", &[("x", "{{y}}".into()), ("y", "1".into())]), "a {{y}} 1 ");
    }

    #[test]
    fn an_excerpt_keeps_both_ends_and_its_bound_holds_after_escaping() {
        let long = format!("begin{}end", "<".repeat(10_000));
        let short = excerpt(&long, 1000);
        assert!(short.starts_with("begin") && short.ends_with("end") && short.len() < 1100, "{}", short.len());
        assert_eq!(excerpt("all\n", 100), "all");
    }
}
