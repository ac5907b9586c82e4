//! A message as blocks: paragraphs, headings, list items, table rows. What is not the agent's own prose (fenced and
//! indented code, block quotes) is left out here; what stands within a line (quotations, struck-out text, comments) is
//! left out by [`super::token`].

use std::ops::Range;
use std::rc::Rc;

/// A block of prose: byte ranges into the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub shape: Shape,
    /// The text without its marker (`#`, `-`, `1.`, `[x]`); a wrapped paragraph or item spans several lines.
    pub text: Range<usize>,
    /// Columns that the marker is indented by.
    pub indent: usize,
    /// Its number among all blocks and blank gaps: two blocks of one list follow each other directly.
    pub after_blank: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    Paragraph,
    /// 1 to 6 for `#`; 7 for a line that is bold and nothing else.
    Heading(u8),
    Item {
        numbered: bool,
        tick: Tick,
    },
    /// One row of a table, its cells and those of the header.
    Row {
        cells: Vec<Range<usize>>,
        header: Rc<Vec<Range<usize>>>,
    },
    /// Something was here that is no prose: it ends what a lead-in introduces.
    Gap,
}

/// The box of a task list's item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tick {
    None,
    Checked,
    Unchecked,
}

/// The blocks of a message, in order.
pub fn blocks(message: &str) -> Vec<Block> {
    let mut reader = Reader { message, blocks: Vec::new(), open: None, blank: true, fence: None, comment: false };
    let mut lines = Lines { message, at: 0 }.peekable();
    while let Some(line) = lines.next() {
        reader.line(&line, lines.peek());
    }
    reader.close();
    reader.blocks
}

struct Lines<'m> {
    message: &'m str,
    at: usize,
}

/// A line without its end, and where it starts.
#[derive(Debug, Clone)]
struct Line<'m> {
    text: &'m str,
    start: usize,
}

impl<'m> Iterator for Lines<'m> {
    type Item = Line<'m>;

    fn next(&mut self) -> Option<Line<'m>> {
        let rest = self.message.get(self.at..).filter(|rest| !rest.is_empty())?;
        let start = self.at;
        let len = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        self.at += len + 1;
        Some(Line { text: rest[..len].trim_end_matches('\r'), start })
    }
}

/// What the next line may continue.
#[derive(Debug, Clone)]
enum Open {
    Block(usize),
    Quote,
    Table { header: Rc<Vec<Range<usize>>> },
    Indented,
}

struct Reader<'m> {
    message: &'m str,
    blocks: Vec<Block>,
    open: Option<Open>,
    blank: bool,
    fence: Option<(u8, usize)>,
    comment: bool,
}

impl<'m> Reader<'m> {
    fn line(&mut self, line: &Line<'m>, next: Option<&Line<'m>>) {
        let body = line.text.trim_start();
        let indent = columns(&line.text[..line.text.len() - body.len()]);
        if self.comment {
            self.comment = !line.text.contains("-->");
            return;
        }
        if let Some((mark, len)) = self.fence {
            let run = body.bytes().take_while(|b| *b == mark).count();
            if run >= len && body[run..].trim().is_empty() {
                self.fence = None;
            }
            return;
        }
        if body.trim_end().is_empty() {
            if !matches!(self.open, Some(Open::Indented)) {
                self.open = None;
            }
            self.blank = true;
            return;
        }
        if let Some(fence) = opens_fence(body) {
            self.gap(line);
            self.fence = Some(fence);
            return;
        }
        if body.starts_with("<!--") && !body.contains("-->") {
            self.gap(line);
            self.comment = true;
            return;
        }
        if body.starts_with('>') && indent < 12 {
            self.gap(line);
            self.open = Some(Open::Quote);
            return;
        }
        let at = line.start + (line.text.len() - body.len());
        if self.indented(indent, line) || self.table_row(body, at, next) || self.heading(body, at, line) {
            return;
        }
        if self.item(body, at, indent) {
            return;
        }
        match &self.open {
            Some(Open::Quote) => {}
            Some(Open::Block(index)) => {
                let end = line.start + line.text.trim_end().len();
                if let Some(block) = self.blocks.get_mut(*index) {
                    block.text.end = end;
                }
            }
            _ => self.push(Shape::Paragraph, at..at + body.trim_end().len(), indent, true),
        }
    }

    fn push(&mut self, shape: Shape, text: Range<usize>, indent: usize, stays_open: bool) {
        self.blocks.push(Block { shape, text, indent, after_blank: self.blank });
        self.blank = false;
        self.open = stays_open.then(|| Open::Block(self.blocks.len() - 1));
    }

    fn gap(&mut self, line: &Line) {
        if !matches!(self.blocks.last(), Some(Block { shape: Shape::Gap, .. })) {
            self.push(Shape::Gap, line.start..line.start, 0, false);
        }
        self.open = None;
    }

    fn close(&mut self) {
        self.blocks.retain(|block| block.shape == Shape::Gap || !block.text.is_empty());
    }

    /// Four columns of indentation after a blank line are code, unless a list item's text is indented as far.
    fn indented(&mut self, indent: usize, line: &Line) -> bool {
        let in_list = self.blocks.iter().rev().find(|block| block.shape != Shape::Gap);
        let base = match in_list {
            Some(Block { shape: Shape::Item { .. }, indent, .. }) => indent + 4,
            _ => 0,
        };
        let code = match &self.open {
            Some(Open::Indented) => indent >= 4,
            None => self.blank && indent >= base + 4,
            Some(_) => false,
        };
        if code {
            self.gap(line);
            self.open = Some(Open::Indented);
        } else if matches!(self.open, Some(Open::Indented)) {
            self.open = None;
        }
        code
    }

    fn heading(&mut self, body: &'m str, at: usize, line: &Line) -> bool {
        let hashes = body.bytes().take_while(|b| *b == b'#').count();
        if (1..=6).contains(&hashes) && body[hashes..].starts_with([' ', '\t']) {
            let text = body[hashes..].trim().trim_end_matches('#').trim_end();
            let start = at + hashes + (body[hashes..].len() - body[hashes..].trim_start().len());
            self.push(Shape::Heading(hashes as u8), start..start + text.len(), 0, false);
            return true;
        }
        let trimmed = body.trim_end();
        let ruled = |c: char| trimmed.len() >= 3 && trimmed.chars().all(|x| x == c || x == ' ');
        if ruled('=') || ruled('-') || ruled('*') || ruled('_') {
            match self.open {
                Some(Open::Block(index)) if ruled('=') || ruled('-') => {
                    if let Some(block) = self.blocks.get_mut(index).filter(|b| b.shape == Shape::Paragraph) {
                        block.shape = Shape::Heading(if trimmed.starts_with('=') { 1 } else { 2 });
                    }
                    self.open = None;
                }
                _ => self.gap(line),
            }
            return true;
        }
        let inner = trimmed.strip_prefix("**").and_then(|rest| rest.strip_suffix("**"));
        if let Some(inner) = inner.filter(|inner| !inner.is_empty() && !inner.contains("**"))
            && self.open.is_none()
        {
            self.push(Shape::Heading(7), at + 2..at + 2 + inner.len(), 0, false);
            return true;
        }
        false
    }

    fn item(&mut self, body: &'m str, at: usize, indent: usize) -> bool {
        // A box may stand without a bullet.
        let boxed = ["[ ] ", "[x] ", "[X] "].iter().any(|mark| body.starts_with(mark));
        let Some((marker, numbered)) = item_marker(body).or(boxed.then_some((0, false))) else { return false };
        // A year or a version at the start of a wrapped line is no list: a number opens one only as 1 or after another.
        if numbered && matches!(self.open, Some(Open::Block(index)) if self.is_plain(index)) && !body.starts_with('1') {
            return false;
        }
        let rest = &body[marker..];
        let text = rest.trim_start();
        let mut start = at + marker + (rest.len() - text.len());
        let mut tick = Tick::None;
        for (mark, means) in [("[ ]", Tick::Unchecked), ("[x]", Tick::Checked), ("[X]", Tick::Checked)] {
            if let Some(after) = text.strip_prefix(mark) {
                tick = means;
                start += mark.len() + (after.len() - after.trim_start().len());
            }
        }
        let end = (at + body.trim_end().len()).max(start);
        self.push(Shape::Item { numbered, tick }, start..end, indent, true);
        true
    }

    fn is_plain(&self, index: usize) -> bool {
        self.blocks.get(index).is_some_and(|block| block.shape == Shape::Paragraph)
    }

    fn table_row(&mut self, body: &'m str, at: usize, next: Option<&Line<'m>>) -> bool {
        if let Some(Open::Table { header }) = &self.open {
            if body.contains('|') {
                let header = Rc::clone(header);
                if !is_rule(body) {
                    let cells = cells(self.message, at, body);
                    let text = at..at + body.trim_end().len();
                    self.push(Shape::Row { cells, header: Rc::clone(&header) }, text, 0, false);
                }
                self.open = Some(Open::Table { header });
                return true;
            }
            self.open = None;
            return false;
        }
        if body.contains('|') && next.is_some_and(|next| is_rule(next.text)) {
            let header = cells(self.message, at, body);
            self.blank = false;
            self.open = Some(Open::Table { header: Rc::new(header) });
            return true;
        }
        false
    }
}

fn columns(space: &str) -> usize {
    space.chars().map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

fn opens_fence(body: &str) -> Option<(u8, usize)> {
    let mark = body.bytes().next().filter(|b| *b == b'`' || *b == b'~')?;
    let len = body.bytes().take_while(|b| *b == mark).count();
    // A line such as ```` ```x``` ```` is inline code.
    (len >= 3 && !(mark == b'`' && body[len..].contains('`'))).then_some((mark, len))
}

/// The length of a list marker and whether it is a number.
fn item_marker(body: &str) -> Option<(usize, bool)> {
    for mark in ["-", "*", "+", "•", "◦", "▪", "‣", "·", "–", "—"] {
        if let Some(rest) = body.strip_prefix(mark) {
            return rest.starts_with([' ', '\t']).then_some((mark.len(), false));
        }
    }
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let dotted = (1..=3).contains(&digits) && body[digits..].starts_with(['.', ')']);
    (dotted && body[digits + 1..].starts_with([' ', '\t'])).then_some((digits + 1, true))
}

fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.contains('-') && line.contains('|') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
}

/// Cells of a row, trimmed; a bar within inline code or after a backslash divides nothing.
fn cells(message: &str, at: usize, body: &str) -> Vec<Range<usize>> {
    let mut cells = Vec::new();
    let mut start = 0;
    let mut code = false;
    let mut escaped = false;
    let bytes = body.as_bytes();
    for (i, b) in bytes.iter().enumerate() {
        match b {
            b'`' => code = !code,
            b'|' if !code && !escaped => {
                cells.push(at + start..at + i);
                start = i + 1;
            }
            _ => {}
        }
        escaped = *b == b'\\';
    }
    cells.push(at + start..at + bytes.len());
    let trim = |cell: Range<usize>| {
        let text = message.get(cell.clone()).unwrap_or_default();
        let start = cell.start + (text.len() - text.trim_start().len());
        start..start + text.trim().len()
    };
    let mut cells: Vec<Range<usize>> = cells.into_iter().map(trim).collect();
    if cells.first().is_some_and(|cell| cell.is_empty()) {
        cells.remove(0);
    }
    if cells.last().is_some_and(|cell| cell.is_empty()) {
        cells.pop();
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(message: &str) -> Vec<String> {
        let name = |shape: &Shape| match shape {
            Shape::Paragraph => "p".to_owned(),
            Shape::Heading(level) => format!("h{level}"),
            Shape::Item { numbered, tick } => format!("{}{tick:?}", if *numbered { "n" } else { "i" }),
            Shape::Row { .. } => "row".to_owned(),
            Shape::Gap => "gap".to_owned(),
        };
        blocks(message).iter().map(|b| format!("{}:{}", name(&b.shape), &message[b.text.clone()])).collect()
    }

    #[test]
    fn prose_is_kept_and_code_and_quotes_are_not() {
        let message = "# Head #\nOne\ntwo\n\n> said\nlazily\n\n```\nAll tests pass.\n```\n\n    indented\n\n- a\n  b\n- [x] c\n- [ ] d\n1. e\n\n**Status**\n\nend";
        assert_eq!(
            read(message),
            [
                "h1:Head",
                "p:One\ntwo",
                "gap:",
                "iNone:a\n  b",
                "iChecked:c",
                "iUnchecked:d",
                "nNone:e",
                "h7:Status",
                "p:end"
            ]
        );
    }

    #[test]
    fn a_table_gives_rows_with_their_header() {
        let message = "| A | B |\n|---|:-:|\n| `x|y` | 2 |\n\nafter";
        let blocks = blocks(message);
        let Shape::Row { cells, header } = &blocks[0].shape else { panic!("{blocks:?}") };
        let text = |ranges: &[Range<usize>]| ranges.iter().map(|r| message[r.clone()].to_owned()).collect::<Vec<_>>();
        assert_eq!(text(cells), ["`x|y`", "2"]);
        assert_eq!(text(header), ["A", "B"]);
        assert_eq!(blocks[1].shape, Shape::Paragraph);
    }

    #[test]
    fn an_open_fence_runs_to_the_end() {
        assert_eq!(read("a\n~~~\nb\n```\nc"), ["p:a", "gap:"]);
        assert_eq!(read("- a\n  ```sh\n  b\n  ```\n  c"), ["iNone:a", "gap:", "p:c"]);
        assert_eq!(read("<!-- a\nb -->\nc"), ["gap:", "p:c"]);
    }
}
