//! Where output goes: to what was recorded, whole or in part, or into files and variables that may be shown later.

use super::place::{path, tidy};
use super::program::{Filter, Reads};
use super::scope::Scope;
use super::syntax::{Operator, Redirect, Word};
use super::walk::Walk;
use crate::records::invocation::{Dir, View};

/// The end of one stream.
#[derive(Debug, Clone)]
pub struct Sink {
    pub view: View,
    /// How many closing lines are kept.
    pub lines: Option<u32>,
    /// The `tail`s that keep only so many lines of all that comes their way, by number.
    pub tails: Vec<u32>,
    /// Files and variables that get the text too.
    pub stored: Vec<Stored>,
    /// It goes into a file that may be part of the project.
    pub file: bool,
}

/// Text that is kept, and can be shown by a later command.
#[derive(Debug, Clone)]
pub struct Stored {
    /// A path or `$name`.
    pub key: String,
    pub filter: Filter,
}

impl Sink {
    pub fn shown() -> Sink {
        Sink { view: View::Whole, lines: None, tails: Vec::new(), stored: Vec::new(), file: false }
    }

    pub fn hidden() -> Sink {
        Sink { view: View::Hidden, ..Sink::shown() }
    }

    /// The sink in front of a filter whose own output goes to `self`.
    pub fn through(&self, filter: Filter, tail: u32) -> Sink {
        let mut sink = self.clone();
        sink.view = sink.view.max(filter.view);
        sink.lines = fewer(sink.lines, filter.lines);
        if filter.lines.is_some() {
            sink.tails.push(tail);
        }
        for stored in &mut sink.stored {
            stored.filter = compose(stored.filter, filter);
        }
        sink
    }
}

pub fn fewer(one: Option<u32>, other: Option<u32>) -> Option<u32> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

pub fn compose(one: Filter, other: Filter) -> Filter {
    Filter { view: one.view.max(other.view), lines: fewer(one.lines, other.lines) }
}

/// What a file or variable holds.
#[derive(Debug, Clone, Default)]
pub struct Capture {
    /// Runs that wrote to it, in order; whether it was their standard error; what had been made of the text.
    pub writers: Vec<Writer>,
    /// It was appended to: something unknown may stand before.
    pub continued: bool,
}

#[derive(Debug, Clone)]
pub struct Writer {
    pub run: usize,
    pub stream: usize,
    pub filter: Filter,
}

/// The sinks of a command after its redirections.
pub struct Streams {
    pub out: Sink,
    pub err: Sink,
    /// It opens a file for writing that may be part of the project.
    pub writes: bool,
}

impl Walk {
    /// Performs redirections from left to right, as the shell does; files are opened, so what they held is gone.
    pub fn redirect(&mut self, out: Sink, err: Sink, redirects: &[Redirect], scope: &Scope) -> Streams {
        let mut table: Vec<Option<Sink>> = vec![None, Some(out), Some(err)];
        table.resize(10, None);
        let mut writes = false;
        for redirect in redirects {
            let descriptor = |default: u32| redirect.descriptor.unwrap_or(default) as usize;
            match &redirect.operator {
                Operator::Text { .. } | Operator::Read => {}
                Operator::Duplicate => {
                    let from = redirect.target.literal().and_then(|text| text.parse::<usize>().ok());
                    let sink = from.and_then(|from| table.get(from).cloned().flatten());
                    if let Some(slot) = table.get_mut(descriptor(1)) {
                        *slot = Some(sink.unwrap_or_else(Sink::hidden));
                    }
                }
                Operator::Write | Operator::Append | Operator::Both { .. } => {
                    let append = matches!(redirect.operator, Operator::Append | Operator::Both { append: true });
                    let sink = self.file(&redirect.target, append, &table, scope);
                    writes |= sink.file;
                    let both = matches!(redirect.operator, Operator::Both { .. });
                    let targets = if both { vec![1, 2] } else { vec![descriptor(1)] };
                    for target in targets {
                        if let Some(slot) = table.get_mut(target) {
                            *slot = Some(sink.clone());
                        }
                    }
                }
            }
        }
        let mut take = |at: usize| table[at].take().unwrap_or_else(Sink::hidden);
        Streams { out: take(1), err: take(2), writes }
    }

    fn file(&mut self, target: &Word, append: bool, table: &[Option<Sink>], scope: &Scope) -> Sink {
        let target = &self.resolve(target);
        let opened = |at: usize| table[at].clone().unwrap_or_else(Sink::hidden);
        if let [substitution] = target.substitutions.as_slice() {
            // `> >(tee log)`
            let reads = self.filter_of_script(&substitution.script);
            return self.before_filter(&opened(1), &reads, scope);
        }
        match target.literal().as_deref() {
            Some("/dev/stdout" | "/dev/fd/1") => opened(1),
            Some("/dev/stderr" | "/dev/fd/2") => opened(2),
            Some(path) if path.starts_with("/dev/") => Sink::hidden(),
            path => {
                let file = !path.is_some_and(is_scratch);
                let stored = self.open(target, append, scope);
                Sink { file, stored: stored.into_iter().collect(), ..Sink::hidden() }
            }
        }
    }

    /// Notes that a file is opened for writing.
    fn open(&mut self, target: &Word, append: bool, scope: &Scope) -> Option<Stored> {
        let key = self.key(target, scope)?;
        if append {
            let fresh = !self.captures.contains_key(&key);
            self.captures.entry(key.clone()).or_default().continued |= fresh;
        } else {
            self.captures.insert(key.clone(), Capture::default());
        }
        Some(Stored { key, filter: Filter::WHOLE })
    }

    /// The sink in front of a filter, with the files it copies to.
    pub fn before_filter(&mut self, out: &Sink, reads: &Reads, scope: &Scope) -> Sink {
        let filter = if reads.files.is_empty() || reads.filter == Filter::SOME { reads.filter } else { Filter::NONE };
        self.tails += 1;
        let mut sink = out.through(filter, self.tails);
        for copy in &reads.copies {
            sink.stored.extend(self.open(copy, reads.appends, scope));
        }
        sink
    }

    /// How a path is told from others; `None` where that is not sure.
    pub fn key(&self, target: &Word, scope: &Scope) -> Option<String> {
        let path = path(target).filter(|_| scope.elsewhere.is_none())?;
        if path.starts_with(['/', '~']) {
            return Some(tidy(&path));
        }
        match &self.shell.dir {
            Dir::Unknown => None,
            Dir::Start => Some(tidy(&path)),
            Dir::To(dir) => Some(tidy(&format!("{dir}/{path}"))),
        }
    }
}

/// Whether a redirection opens a file, which may fail.
pub fn opens(redirect: &Redirect) -> bool {
    let device = redirect.target.literal().is_some_and(|path| path.starts_with("/dev/"));
    match redirect.operator {
        Operator::Read | Operator::Write | Operator::Append | Operator::Both { .. } => {
            !device && redirect.target.substitutions.is_empty()
        }
        Operator::Duplicate | Operator::Text { .. } => false,
    }
}

/// A device, or a file directly in the temporary directory: not part of any project.
pub fn is_scratch(path: &str) -> bool {
    let inside = path.strip_prefix("/tmp/").or_else(|| path.strip_prefix("/var/tmp/"));
    path.starts_with("/dev/") || inside.is_some_and(|name| !name.contains('/'))
}
