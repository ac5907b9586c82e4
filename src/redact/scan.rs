//! One pass over a text: where the literals of [`KINDS`](super::kinds::KINDS) stand, and what they begin.
//!
//! The pass looks at every second pair of neighbouring bytes. Each literal has an anchor of three bytes, so that one
//! of the anchor's two pairs stands at an even offset wherever the literal is; a table says for each pair which literals
//! could be there. Nearly every pair is in none, and costs one look-up. Nothing is built at run time.
//!
//! Architecture invariant: the work is linear in the text. A matcher walks forward with [`Scan::run`] only, which never
//! walks the same run twice, or for a fixed number of bytes.

use std::ops::Range;

use super::Where;
use super::class::{Class, SLOTS, WORD};
use super::credentials;
use super::kinds::{After, Before, Case, KINDS, Kind};

/// What is to be replaced. Of what overlaps one stretch is made, named after what begins first (then: the longest, then
/// the first in the table).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub start: usize,
    pub end: usize,
    pub kind: &'static str,
    lead: usize,
    rank: usize,
}

impl Span {
    pub fn new(range: Range<usize>, kind: &'static str, rank: usize) -> Span {
        Span { start: range.start, end: range.end, kind, lead: range.end - range.start, rank }
    }

    /// Takes in what it overlaps of `spans`, and becomes the last of them.
    pub fn join(mut self, spans: &mut Vec<Span>) {
        while let Some(last) = spans.pop() {
            if last.end <= self.start {
                spans.push(last);
                break;
            }
            let lead = if last.leads(&self) { last } else { self };
            self = Span { start: last.start.min(self.start), end: last.end.max(self.end), ..lead };
        }
        spans.push(self);
    }

    /// Whether this one gives its name to what it overlaps. What is known by its place on a command line always does.
    fn leads(&self, other: &Span) -> bool {
        let unplaced = |span: &Span| span.kind != credentials::KIND;
        (unplaced(self), self.start, other.lead, self.rank) < (unplaced(other), other.start, self.lead, other.rank)
    }
}

pub(super) struct Scan<'t> {
    pub bytes: &'t [u8],
    pub place: Where,
    /// Sorted, none overlapping another.
    spans: Vec<Span>,
    /// The last run of each class that was walked.
    runs: [(usize, usize); SLOTS],
}

impl<'t> Scan<'t> {
    pub fn new(text: &'t str, place: Where) -> Scan<'t> {
        Scan { bytes: text.as_bytes(), place, spans: Vec::new(), runs: [(0, 0); SLOTS] }
    }

    pub fn into_spans(self) -> Vec<Span> {
        self.spans
    }

    /// Finds every kind that a literal announces.
    pub fn kinds(&mut self) {
        let (blocks, rest) = self.bytes.as_chunks::<8>();
        for (number, block) in blocks.iter().enumerate() {
            let mut groups = PAIRS.groups_of(u64::from_le_bytes(*block));
            while groups != 0 {
                let pair = groups.trailing_zeros() / 8;
                self.candidates(number * 8 + pair as usize * 2, (groups >> (pair * 8)) as u8);
                groups &= !(0xff << (pair * 8));
            }
        }
        for (pair, [first, second]) in rest.as_chunks::<2>().0.iter().enumerate() {
            self.candidates(blocks.len() * 8 + pair * 2, PAIRS.groups[Pairs::index(*first, *second)]);
        }
    }

    /// Tries the literals of `group` that have a pair of their anchor at `at`.
    fn candidates(&mut self, at: usize, group: u8) {
        let mut rows = PAIRS.rows[usize::from(group)];
        while rows != 0 {
            let rank = rows.trailing_zeros() as usize;
            rows &= rows - 1;
            let Some(kind) = KINDS.get(rank) else { continue };
            for offset in [kind.anchor, kind.anchor + 1] {
                if let Some(start) = at.checked_sub(offset)
                    && self.stands_at(start, kind.literal, kind.case)
                    && self.may_begin(start, kind.before)
                    && let Some(range) = self.tail(kind, start)
                {
                    self.add(Span::new(range, kind.name, rank));
                }
            }
        }
    }

    fn tail(&mut self, kind: &Kind, start: usize) -> Option<Range<usize>> {
        let after = start + kind.literal.len();
        match kind.after {
            After::Run(class, at_least) => {
                let end = self.run(class, after);
                (end - after >= at_least).then_some(start..end)
            }
            After::Is(matcher) => matcher(self, start, after),
        }
    }

    pub fn stands_at(&self, at: usize, literal: &str, case: Case) -> bool {
        // Nearly all differ in the first byte, so comparing byte by byte is the quickest.
        let mut here = self.bytes.get(at..).unwrap_or_default().iter();
        literal.bytes().all(|wanted| here.next().is_some_and(|&byte| byte == wanted || case.other(byte) == wanted))
    }

    fn may_begin(&self, at: usize, before: Before) -> bool {
        match before {
            Before::Anything => true,
            Before::NoWord => self.is_edge(at),
            Before::NoBase64 => self.is_edge(at) && !matches!(self.before(at, 1), Some(b'+' | b'/')),
        }
    }

    /// Whether a word may begin at `at`: after anything but a word's character, after `\n`, `\r` or `\t` as JSON and
    /// shells write them, and where another secret ends (its last character will not be there).
    pub fn is_edge(&self, at: usize) -> bool {
        match (self.before(at, 2), self.before(at, 1)) {
            (Some(b'\\'), Some(b'n' | b'r' | b't')) | (_, None) => true,
            (_, Some(byte)) if !WORD.has(byte) => true,
            _ => self.ends_between(at - 1, at + 1).next().is_some(),
        }
    }

    /// Where the secrets end that end after `from` and before `to`.
    pub fn ends_between(&self, from: usize, to: usize) -> impl Iterator<Item = usize> {
        let ends = self.spans.iter().rev().map(|span| span.end);
        ends.skip_while(move |end| *end >= to).take_while(move |end| *end > from)
    }

    fn before(&self, at: usize, distance: usize) -> Option<u8> {
        self.bytes.get(at.checked_sub(distance)?).copied()
    }

    pub fn at(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Where the bytes of `class` that begin at `from` end.
    pub fn run(&mut self, class: Class, from: usize) -> usize {
        let known = &mut self.runs[class.slot];
        if known.0 <= from && from < known.1 {
            return known.1;
        }
        let rest = self.bytes.get(from..).unwrap_or_default();
        let end = from + rest.iter().position(|&byte| !class.has(byte)).unwrap_or(rest.len());
        *known = (from, end);
        end
    }

    /// Past spaces and tabs.
    pub fn past_blanks(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        at + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    }

    pub fn add(&mut self, span: Span) {
        span.join(&mut self.spans);
    }
}

/// For each pair of bytes the literals whose anchor has it.
struct Pairs {
    /// Which of `rows`; 0 is none. Bytes count modulo 128: what is beyond ASCII is told apart by the literal itself.
    groups: [u8; 1 << 14],
    /// Bit N stands for row N of the table.
    rows: [u64; 256],
}

static PAIRS: Pairs = Pairs::build();

impl Pairs {
    /// The groups of four pairs, a byte each.
    fn groups_of(&self, block: u64) -> u32 {
        // Four times [`Pairs::index`], side by side.
        let indices = (block & 0x007f_007f_007f_007f) | ((block >> 1) & 0x3f80_3f80_3f80_3f80);
        let group = |shift: u32| self.groups[(indices >> shift) as usize & 0x3fff];
        u32::from_le_bytes([group(0), group(16), group(32), group(48)])
    }

    const fn index(first: u8, second: u8) -> usize {
        (first & 127) as usize | ((second & 127) as usize) << 7
    }

    const fn build() -> Pairs {
        assert!(KINDS.len() <= 64);
        let mut pairs = Pairs { groups: [0; 1 << 14], rows: [0; 256] };
        let mut used = 1;
        let mut row = 0;
        while row < KINDS.len() {
            let kind = &KINDS[row];
            let literal = kind.literal.as_bytes();
            let mut step = 0;
            while step < 2 {
                let (first, second) = (literal[kind.anchor + step], literal[kind.anchor + step + 1]);
                let mut variant = 0;
                while variant < 4 {
                    let first = if variant & 1 == 0 { first } else { kind.case.other(first) };
                    let second = if variant & 2 == 0 { second } else { kind.case.other(second) };
                    used = pairs.put(Pairs::index(first, second), row, used);
                    variant += 1;
                }
                step += 1;
            }
            row += 1;
        }
        pairs
    }

    /// Moves a pair to the group that also has `row`, making one if there is none. Gives back how many there are.
    const fn put(&mut self, index: usize, row: usize, used: usize) -> usize {
        let wanted = self.rows[self.groups[index] as usize] | 1 << row;
        let mut group = 1;
        while group < used {
            if self.rows[group] == wanted {
                self.groups[index] = group as u8;
                return used;
            }
            group += 1;
        }
        assert!(used < 256);
        self.rows[used] = wanted;
        self.groups[index] = used as u8;
        used + 1
    }
}
