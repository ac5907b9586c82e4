//! Changes to a JSON text that leave every byte alone that is not concerned: one member or list item put in, changed or
//! taken out.
//!
//! What was put in behind something is taken out again without a trace.

use std::ops::Range;

use super::json::{Member, Node};

/// One piece of a text replaced by another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub at: Range<usize>,
    pub with: String,
}

impl Edit {
    pub fn apply(&self, text: &str) -> String {
        format!("{}{}{}", &text[..self.at.start], self.with, &text[self.at.end..])
    }
}

/// How a file is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Style {
    pub newline: &'static str,
    pub indent: String,
    /// All of it stands in one line.
    pub one_line: bool,
}

impl Style {
    pub fn of(text: &str, root: &Node) -> Style {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let members = root.members().unwrap_or_default();
        let indent = members.first().map(|member| line_indent(text, member.key.start)).unwrap_or_default();
        let one_line = !members.is_empty() && !text[root.span.clone()].contains('\n');
        Style { newline, indent: if indent.is_empty() { "  ".to_owned() } else { indent.to_owned() }, one_line }
    }
}

/// The white space that the line of a byte begins with.
pub fn line_indent(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[start..];
    &line[..line.find(|c: char| c != ' ' && c != '\t').unwrap_or(line.len())]
}

/// Puts a member in at the end of an object. `value` is given the white space that the member's line begins with.
pub fn add_member(text: &str, object: &Node, style: &Style, key: &str, value: impl Fn(&str) -> String) -> Edit {
    let key = super::json::encode(key);
    let members = object.members().unwrap_or_default();
    match members.last() {
        Some(last) => {
            let lead =
                lead(text, object, members.len().checked_sub(2).map(|n| members[n].value.span.end), last.key.start);
            let indent =
                lead.rfind('\n').map_or_else(|| line_indent(text, last.key.start), |newline| &lead[newline + 1..]);
            let end = last.value.span.end;
            Edit { at: end..end, with: format!(",{lead}{key}: {}", value(indent)) }
        }
        None if style.one_line => Edit { at: inside(object), with: format!("{key}: {}", value("")) },
        None => {
            let outer = line_indent(text, object.span.start);
            let indent = format!("{outer}{}", style.indent);
            let nl = style.newline;
            Edit { at: inside(object), with: format!("{nl}{indent}{key}: {}{nl}{outer}", value(&indent)) }
        }
    }
}

/// Puts an item in at the end of a list.
pub fn add_item(text: &str, list: &Node, item: &str) -> Edit {
    let items = list.items().unwrap_or_default();
    match items.last() {
        Some(last) => {
            let before = items.len().checked_sub(2).map(|n| items[n].span.end);
            let end = last.span.end;
            Edit { at: end..end, with: format!(",{}{item}", lead(text, list, before, last.span.start)) }
        }
        None => Edit { at: inside(list), with: item.to_owned() },
    }
}

/// What stands between the comma (or the beginning) and a value.
fn lead<'a>(text: &'a str, container: &Node, before: Option<usize>, start: usize) -> &'a str {
    match before {
        Some(end) => text[end..start].split_once(',').map_or("", |(_, lead)| lead),
        None => &text[container.span.start + 1..start],
    }
}

fn inside(container: &Node) -> Range<usize> {
    container.span.start + 1..container.span.end - 1
}

/// Takes the `nth` of some neighbours out.
fn remove(neighbours: &[Range<usize>], container: &Node, nth: usize) -> Edit {
    let at = if neighbours.len() == 1 {
        inside(container)
    } else if nth + 1 == neighbours.len() {
        neighbours[nth - 1].end..neighbours[nth].end
    } else {
        neighbours[nth].start..neighbours[nth + 1].start
    };
    Edit { at, with: String::new() }
}

pub fn remove_item(list: &Node, nth: usize) -> Edit {
    let spans: Vec<_> = list.items().unwrap_or_default().iter().map(|item| item.span.clone()).collect();
    remove(&spans, list, nth)
}

pub fn remove_member(object: &Node, nth: usize) -> Edit {
    let spans: Vec<_> = object.members().unwrap_or_default().iter().map(Member::span).collect();
    remove(&spans, object, nth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::install::json::parse;

    #[test]
    fn what_is_put_in_is_taken_out_without_a_trace() {
        for text in [
            "{\"a\":1}",
            "{\r\n\t\"a\": 1 ,\r\n\t\"b\": {}\r\n}\r\n",
            "{ \"a\": 1, \"b\": 2 }",
            "{\n    \"a\": [\n        1\n    ]\n}",
            "{}",
        ] {
            let root = parse(text).unwrap();
            let style = Style::of(text, &root);
            let after = add_member(text, &root, &style, "new", |indent| format!("[{}]", indent.len())).apply(text);
            let again = parse(&after).unwrap();
            let nth = again.members().unwrap().len() - 1;
            assert_eq!(remove_member(&again, nth).apply(&after), text, "{after}");
        }
    }

    #[test]
    fn a_member_is_laid_out_as_its_neighbours_are() {
        let text = "{\r\n    \"a\": 1\r\n}\r\n";
        let root = parse(text).unwrap();
        let added = add_member(text, &root, &Style::of(text, &root), "b", |_| "2".into()).apply(text);
        assert_eq!(added, "{\r\n    \"a\": 1,\r\n    \"b\": 2\r\n}\r\n");
        let text = "{\"x\":[ {\"a\":1} ]}";
        let root = parse(text).unwrap();
        let list = root.get(text, "x").unwrap();
        assert_eq!(add_item(text, list, "{}").apply(text), "{\"x\":[ {\"a\":1}, {} ]}");
        assert_eq!(remove_item(list, 0).apply(text), "{\"x\":[]}");
    }
}
