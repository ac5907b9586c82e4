//! Directories: what `cd` makes of where a command runs.

use super::syntax::{Part, Word};
use crate::records::invocation::Dir;

/// The directory after a command, by how the command ended. `None`: it does not end that way, or nothing runs after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct After {
    pub zero: Option<Dir>,
    pub other: Option<Dir>,
    /// Of `cd` it is taken that it succeeds. Where the line itself asks whether it did (`cd x || F`), this is where one is.
    pub missed: Option<Dir>,
}

impl After {
    pub fn both(dir: Dir) -> After {
        After { zero: Some(dir.clone()), other: Some(dir), missed: None }
    }

    /// It ends with 0, and leads there.
    pub fn at(dir: Dir) -> After {
        After { zero: Some(dir), other: None, missed: None }
    }

    /// Nothing runs after it: `exit`, `break`.
    pub fn never() -> After {
        After { zero: None, other: None, missed: None }
    }

    pub fn negated(self) -> After {
        After { zero: self.other, other: self.zero, missed: self.missed }
    }

    /// Where one is if it ended with 0, or did not.
    pub fn when(&self, zero: bool) -> Dir {
        let way = if zero { &self.zero } else { &self.other };
        way.clone().or_else(|| self.missed.clone()).unwrap_or(Dir::Unknown)
    }

    /// Where the next command runs that does not ask how this one ended; `before` if none does.
    pub fn whatever(self, before: &Dir) -> Dir {
        join(self.zero, self.other).unwrap_or_else(|| before.clone())
    }

    pub fn or(self, other: After) -> After {
        After {
            zero: join(self.zero, other.zero),
            other: join(self.other, other.other),
            missed: join(self.missed, other.missed),
        }
    }
}

/// Of two ways to come here.
pub fn join(one: Option<Dir>, other: Option<Dir>) -> Option<Dir> {
    match (one, other) {
        (Some(one), Some(other)) if one != other => Some(Dir::Unknown),
        (one, other) => one.or(other),
    }
}

/// Where `cd target` leads from `from`.
pub fn enter(from: &Dir, target: &Word) -> Dir {
    let Some(path) = path(target) else { return Dir::Unknown };
    if path.starts_with(['/', '~']) {
        return Dir::To(tidy(&path));
    }
    match from {
        Dir::Unknown => Dir::Unknown,
        Dir::Start => relative(&path),
        Dir::To(base) => relative(&format!("{base}/{path}")),
    }
}

fn relative(path: &str) -> Dir {
    match tidy(path).as_str() {
        "" | "." => Dir::Start,
        path => Dir::To(path.to_owned()),
    }
}

/// The text of a path; the home directory is `~`, however it is written.
pub fn path(word: &Word) -> Option<String> {
    if let Some(text) = word.literal() {
        return Some(text);
    }
    let (first, rest) = word.parts.split_first()?;
    let rest: String = rest
        .iter()
        .map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect::<Option<_>>()?;
    match first {
        Part::Text(text) => {
            let home = text == "~" || text.starts_with("~/");
            (home && rest.is_empty() && !text.contains(['*', '?', '[', '{'])).then(|| text.clone())
        }
        Part::Variable { name, .. } if !word.pattern && (rest.is_empty() || rest.starts_with('/')) => {
            match name.as_str() {
                "HOME" => Some(format!("~{rest}")),
                "PWD" => Some(format!(".{rest}")),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Without `.`, `x/..` and doubled slashes, as `cd` itself does it (by the words, not by the disk).
pub fn tidy(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&last) if last != ".." && last != "~" => drop(parts.pop()),
                None if path.starts_with('/') => {}
                _ => parts.push(".."),
            },
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if path.starts_with('/') { format!("/{joined}") } else { joined }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Dir::To;

    fn from(dir: Dir, target: &str) -> Dir {
        enter(&dir, &Word::plain(target))
    }

    #[test]
    fn cd_leads_where_the_words_say() {
        assert_eq!(from(Dir::Start, "web"), To("web".into()));
        assert_eq!(from(To("web".into()), "../api/."), To("api".into()));
        assert_eq!(from(To("web".into()), ".."), Dir::Start);
        assert_eq!(from(Dir::Start, "../.."), To("../..".into()));
        assert_eq!(from(Dir::Unknown, "/srv//x/../app"), To("/srv/app".into()));
        assert_eq!(from(Dir::Unknown, "x"), Dir::Unknown);
        assert_eq!(from(To("/".into()), ".."), To("/".into()));
        assert_eq!(from(Dir::Start, "~/x"), To("~/x".into()));
    }
}
