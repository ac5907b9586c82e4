//! How much of a terminal's line there is, and whether colour is wanted on it.

use std::io::IsTerminal;

use crate::layout::{self, Env};

/// What a reader sees of a line where nothing tells its width.
const WIDTH: usize = 120;
const WIDTH_MIN: usize = 40;

/// What stands at the other end of standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terminal {
    pub colour: Colour,
    /// In columns.
    pub width: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    Always,
    Never,
}

/// What a piece of text says, for its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    Plain,
    Dim,
    Bold,
    Good,
    Bad,
    Doubtful,
}

impl Terminal {
    /// No colour, and a width that suits a file or a pager.
    pub const PLAIN: Terminal = Terminal { colour: Colour::Never, width: WIDTH };

    /// Standard output as it is. Colour only on a terminal, and not where `NO_COLOR` is set, or for `TERM=dumb`.
    pub fn of_stdout(env: &Env) -> Terminal {
        let stdout = std::io::stdout();
        let is_terminal = stdout.is_terminal();
        let colours = is_terminal && !env.no_color && !layout::is_dumb_terminal();
        let seen = || {
            let size = rustix::termios::tcgetwinsize(&stdout).ok().filter(|_| is_terminal)?;
            Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
        };
        Terminal {
            colour: if colours { Colour::Always } else { Colour::Never },
            width: seen().or_else(layout::columns).unwrap_or(WIDTH).max(WIDTH_MIN),
        }
    }

    /// `text` between the codes of its colour. Colour is added last, to text that is sanitised already.
    pub fn paint(&self, paint: Paint, text: &str) -> String {
        let code = match paint {
            Paint::Plain => "",
            Paint::Dim => "2",
            Paint::Bold => "1",
            Paint::Good => "32",
            Paint::Bad => "31",
            Paint::Doubtful => "33",
        };
        if code.is_empty() || text.is_empty() || self.colour == Colour::Never {
            return text.to_owned();
        }
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// The columns that a text takes: none for what combines with the character before, two for the wide ones of East Asia and
/// for pictures. An estimate: terminals differ.
pub fn columns(text: &str) -> usize {
    text.chars().map(width_of).sum()
}

/// The beginning of a text that fits into so many columns, with `…` where something was left off.
pub fn fit(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut left = width.saturating_sub(1);
    let mut out = String::new();
    for c in text.chars() {
        let Some(rest) = left.checked_sub(width_of(c)) else { break };
        left = rest;
        out.push(c);
    }
    out.push('…');
    out
}

/// A text filled up with spaces to so many columns.
pub fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

fn width_of(c: char) -> usize {
    match c as u32 {
        0x300..=0x36f | 0x200b..=0x200d | 0xfe00..=0xfe0f | 0x20d0..=0x20ff => 0,
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff00..=0xff60 => 2,
        0xffe0..=0xffe6 | 0x1f300..=0x1f64f | 0x1f680..=0x1f6ff | 0x1f900..=0x1faff | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_by_what_it_takes_on_the_screen() {
        assert_eq!(fit("abcdef", 6), "abcdef");
        assert_eq!(fit("abcdefg", 6), "abcde…");
        assert_eq!(fit("日本語の", 6), "日本…");
        assert_eq!(columns("e\u{301}日👍"), 5);
        assert_eq!(pad("日", 4), "日  ");
        assert_eq!(fit("abc", 0), "…");
    }

    #[test]
    fn without_colour_nothing_is_added() {
        assert_eq!(Terminal::PLAIN.paint(Paint::Bad, "x"), "x");
        let colours = Terminal { colour: Colour::Always, width: 80 };
        assert_eq!(colours.paint(Paint::Bad, "x"), "\u{1b}[31mx\u{1b}[0m");
        assert_eq!(colours.paint(Paint::Plain, "x"), "x");
    }
}
