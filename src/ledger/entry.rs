//! One line of the ledger: the format, for those who write it and those who read it.
//!
//! ```text
//! {"v":1,"seq":N,"prev":"<hash of N-1>","at":"<RFC 3339 ms UTC>","kind":"…","body":{…},"hash":"<64 hex>","mac":"<64 hex>"}
//! ```
//!
//! A line is taken apart by fixed lengths, the tail from its end and the head from its beginning; so nothing that stands
//! in a body can pass for either. `hash` is SHA-256 over `deeds:entry:v1\n` and every byte before `,"hash":"`. `mac` may
//! be absent.
//!
//! Architecture invariant: a line that this file takes apart is byte for byte what it would write of the same parts.

use std::fmt;

use serde_json::Value;

use super::hash::{Hash, ZERO};
use super::json::{self, Scan};
use crate::bytes::find;
use crate::evidence::tags::tags;

/// The format that this version writes.
pub const FORMAT: u64 = 1;
/// A line's longest length, its newline included.
pub const LINE_MAX: usize = 64 << 10;

pub(super) const VERSION: &[u8] = b"{\"v\":";
pub(super) const SEQ: &[u8] = b",\"seq\":";
pub(super) const PREV: &[u8] = b",\"prev\":\"";
pub(super) const AT: &[u8] = b"\",\"at\":\"";
pub(super) const AT_LEN: usize = "2026-11-30T21:04:05.123Z".len();
pub(super) const KIND: &[u8] = b"\",\"kind\":\"";
pub(super) const KIND_MAX: usize = 32;
pub(super) const BODY: &[u8] = b"\",\"body\":";
const ID: &[u8] = b"{\"id\":\"";
pub(super) const HASH: &[u8] = b",\"hash\":\"";
pub(super) const MAC: &[u8] = b",\"mac\":\"";
/// `,"hash":"` and 64 digits and `"`; the closing bracket comes after.
pub(super) const HASH_LEN: usize = HASH.len() + 64 + 1;
pub(super) const MAC_LEN: usize = MAC.len() + 64 + 1;

const NOT_A_START: Malformed = Malformed::Shape("it does not begin as an entry does");

/// What a line takes at most beside its body.
pub(super) const AROUND: usize = 512;

tags! {
    /// What an entry is.
    EntryKind {
        /// The first entry: the ledger's random id, the tool's version, the format.
        Genesis = "genesis",
        Session = "session",
        Evidence = "evidence",
        /// A sensor that found nothing where there should have been something.
        NotCollected = "not_collected",
        /// An event of a shape that nobody here knows.
        Unparsed = "unparsed",
        Claim = "claim",
        /// What a judge said; never evidence.
        Judgement = "judgement",
        Bundle = "bundle",
        Key = "key",
        /// What a crash left of a line was isolated.
        Recovery = "recovery",
        Segment = "segment",
        Prune = "prune",
    }
}

/// An entry, read and found to be what its hash says.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub seq: u64,
    pub prev: Hash,
    /// When it was appended, RFC 3339.
    pub at: String,
    pub kind: EntryKind,
    pub body: Value,
    pub hash: Hash,
    /// Present where the ledger has a key.
    pub mac: Option<Hash>,
}

impl Entry {
    /// The body's `id`.
    pub fn id(&self) -> &str {
        self.body.get("id").and_then(Value::as_str).unwrap_or_default()
    }
}

/// Why a line is no entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// A format that a later version writes.
    Newer(u64),
    /// Its parts are in place, and its hash is not that of its bytes.
    HashDiffers,
    Shape(&'static str),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::Newer(format) => write!(f, "it is in format {format}, which a later version of deeds wrote"),
            Malformed::HashDiffers => f.write_str("its bytes are not those that its hash was made of"),
            Malformed::Shape(what) => f.write_str(what),
        }
    }
}

/// Writes the line of an entry, newline included, to the end of `out`, and says its hash. `body` is a JSON object; `sign`
/// makes the mac of a hash.
pub(super) fn write(
    out: &mut Vec<u8>,
    seq: u64,
    prev: &Hash,
    at: &str,
    kind: &EntryKind,
    body: &[u8],
    sign: impl FnOnce(&Hash) -> Option<Hash>,
) -> Hash {
    let start = out.len();
    out.reserve(body.len() + AROUND);
    let (format, seq) = (FORMAT.to_string(), seq.to_string());
    let before = [VERSION, format.as_bytes(), SEQ, seq.as_bytes(), PREV, prev.as_str().as_bytes()];
    for part in before.into_iter().chain([AT, at.as_bytes(), KIND, kind.as_str().as_bytes(), BODY, body]) {
        out.extend_from_slice(part);
    }
    let hash = Hash::of(&out[start..]);
    out.extend_from_slice(HASH);
    out.extend_from_slice(hash.as_str().as_bytes());
    if let Some(mac) = sign(&hash) {
        out.push(b'"');
        out.extend_from_slice(MAC);
        out.extend_from_slice(mac.as_str().as_bytes());
    }
    out.extend_from_slice(b"\"}\n");
    hash
}

/// What the line of the entry with this number begins with.
pub(super) fn beginning(seq: u64) -> Vec<u8> {
    [VERSION, FORMAT.to_string().as_bytes(), SEQ, seq.to_string().as_bytes(), PREV].concat()
}

/// A line taken apart; nothing of its body has been built.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts<'a> {
    pub seq: u64,
    pub prev: Hash,
    pub at: &'a str,
    pub kind: &'a str,
    pub body: &'a [u8],
    pub hash: Hash,
    pub mac: Option<Hash>,
}

/// An entry, as far as the one after it depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Link {
    pub seq: u64,
    pub hash: Hash,
    pub has_mac: bool,
}

impl Link {
    /// The `seq` and `prev` of the entry after `last`.
    pub fn after(last: Option<Link>) -> (u64, Hash) {
        last.map_or((0, ZERO), |last| (last.seq + 1, last.hash))
    }
}

/// The parts that come before the body, which a torn line may still have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start<'a> {
    pub seq: u64,
    pub prev: Hash,
    pub at: &'a str,
    pub kind: &'a str,
    /// Everything from the body on.
    pub rest: &'a [u8],
}

/// The body's id by its position in a line, and nothing checked: it says which lines are worth taking apart.
pub(super) fn id_at_its_place(line: &[u8]) -> Option<&[u8]> {
    let mut cursor = Cursor(line);
    cursor.literal(VERSION)?;
    cursor.number()?;
    cursor.literal(SEQ)?;
    cursor.number()?;
    cursor.take(PREV.len() + 64 + AT.len() + AT_LEN)?;
    cursor.literal(KIND)?;
    let kind = cursor.0.iter().take(KIND_MAX + 1).position(|byte| *byte == b'"')?;
    cursor.take(kind)?;
    cursor.literal(BODY)?;
    cursor.literal(ID)?;
    cursor.take(find(b'"', cursor.0)?)
}

/// Takes a line (without its newline) apart and checks all of it: shape, hash, UTF-8, no key twice.
pub(super) fn take_apart(line: &[u8]) -> Result<Parts<'_>, Malformed> {
    let (format, number_end) = version(line)?;
    let (covered, hash, mac) = tail(line).ok_or(Malformed::Shape("it does not end as an entry does"))?;
    if format != FORMAT {
        return Err(other_format(format, covered, number_end, &hash));
    }
    if line.len() >= LINE_MAX {
        return Err(Malformed::Shape("it is longer than an entry can be"));
    }
    let start = start(covered)?;
    if Hash::of(covered) != hash {
        return Err(Malformed::HashDiffers);
    }
    if std::str::from_utf8(start.rest).is_err() {
        return Err(Malformed::Shape("it is not UTF-8"));
    }
    match json::scan(start.rest) {
        Scan::Whole => {}
        Scan::Cut => return Err(Malformed::Shape("its body does not end")),
        Scan::Bad(why) => return Err(Malformed::Shape(why)),
    }
    let Start { seq, prev, at, kind, rest } = start;
    Ok(Parts { seq, prev, at, kind, body: rest, hash, mac })
}

impl Parts<'_> {
    pub fn link(&self) -> Link {
        Link { seq: self.seq, hash: self.hash, has_mac: self.mac.is_some() }
    }

    /// Builds the entry.
    pub fn build(&self) -> Result<Entry, Malformed> {
        let body = serde_json::from_slice(self.body).map_err(|_| Malformed::Shape("its body is not JSON"))?;
        Ok(Entry {
            seq: self.seq,
            prev: self.prev,
            at: self.at.to_owned(),
            kind: EntryKind::from(self.kind),
            body,
            hash: self.hash,
            mac: self.mac,
        })
    }
}

/// The parts before the body.
pub(super) fn start(line: &[u8]) -> Result<Start<'_>, Malformed> {
    let mut cursor = Cursor(line);
    let parsed = (|| {
        cursor.literal(VERSION)?;
        cursor.number()?;
        cursor.literal(SEQ)?;
        let seq = cursor.number()?;
        cursor.literal(PREV)?;
        let prev = Hash::parse(cursor.take(64)?)?;
        cursor.literal(AT)?;
        let at = cursor.take(AT_LEN).filter(|at| is_time(at))?;
        cursor.literal(KIND)?;
        let len = cursor.0.iter().take(KIND_MAX + 1).position(|b| !matches!(b, b'a'..=b'z' | b'_'))?;
        let kind = cursor.take(len)?;
        cursor.literal(BODY)?;
        Some(Start { seq, prev, at: ascii(at), kind: ascii(kind), rest: cursor.0 })
    })();
    parsed.filter(|start| !start.kind.is_empty()).ok_or(NOT_A_START)
}

/// Whether a line has all that an entry ends with. What a crash cuts off has not.
pub(super) fn has_tail(line: &[u8]) -> bool {
    tail(line).is_some()
}

/// Cuts a line's end: what the hash covers, the hash, the mac.
fn tail(line: &[u8]) -> Option<(&[u8], Hash, Option<Hash>)> {
    let rest = line.strip_suffix(b"}")?;
    if let Some((covered, hash)) = field(rest, HASH, HASH_LEN) {
        return Some((covered, hash, None));
    }
    let (rest, mac) = field(rest, MAC, MAC_LEN)?;
    let (covered, hash) = field(rest, HASH, HASH_LEN)?;
    Some((covered, hash, Some(mac)))
}

fn field<'a>(line: &'a [u8], name: &[u8], len: usize) -> Option<(&'a [u8], Hash)> {
    let (before, field) = line.split_at_checked(line.len().checked_sub(len)?)?;
    let digits = field.strip_prefix(name)?.strip_suffix(b"\"")?;
    Some((before, Hash::parse(digits)?))
}

/// The format number that a line of any format begins with, and where it ends.
fn version(line: &[u8]) -> Result<(u64, usize), Malformed> {
    let mut cursor = Cursor(line);
    let version = cursor.literal(VERSION).and_then(|()| cursor.number()).filter(|_| cursor.0.starts_with(b","));
    version.map(|format| (format, line.len() - cursor.0.len())).ok_or(NOT_A_START)
}

/// A line that gives another format number: a later one, unless it is one of ours whose number somebody changed.
fn other_format(format: u64, covered: &[u8], number_end: usize, hash: &Hash) -> Malformed {
    let mut ours = VERSION.to_vec();
    ours.extend_from_slice(FORMAT.to_string().as_bytes());
    ours.extend_from_slice(covered.get(number_end..).unwrap_or_default());
    if format < FORMAT || Hash::of(&ours) == *hash { Malformed::HashDiffers } else { Malformed::Newer(format) }
}

/// The shape of a time: a digit where there is a `0`, else the character itself.
pub(super) const TIME: &[u8; AT_LEN] = b"0000-00-00T00:00:00.000Z";

pub(super) fn is_time(at: &[u8]) -> bool {
    at.len() == AT_LEN && TIME.iter().zip(at).all(|(shape, byte)| fits(*shape, *byte))
}

pub(super) fn fits(shape: u8, byte: u8) -> bool {
    if shape == b'0' { byte.is_ascii_digit() } else { shape == byte }
}

fn ascii(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn literal(&mut self, literal: &[u8]) -> Option<()> {
        self.0 = self.0.strip_prefix(literal)?;
        Some(())
    }

    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    /// Digits without a leading zero.
    fn number(&mut self) -> Option<u64> {
        let len = self.0.iter().take(20).take_while(|b| b.is_ascii_digit()).count();
        let digits = ascii(self.take(len)?);
        if digits.len() > 1 && digits.starts_with('0') { None } else { digits.parse().ok() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(body: &str) -> Vec<u8> {
        let mut out = Vec::new();
        write(&mut out, 7, &ZERO, "2026-11-30T21:04:05.123Z", &EntryKind::Evidence, body.as_bytes(), |_| None);
        assert_eq!(out.pop(), Some(b'\n'));
        out
    }

    #[test]
    fn a_line_comes_apart_into_what_it_was_made_of_with_or_without_a_mac() {
        let mut line = line("{\"id\":\"i\"}");
        let parts = take_apart(&line).unwrap();
        assert_eq!((parts.seq, parts.prev, parts.kind, parts.mac), (7, ZERO, "evidence", None));
        assert_eq!((parts.at, parts.body), ("2026-11-30T21:04:05.123Z", b"{\"id\":\"i\"}".as_slice()));
        let hash = parts.hash;
        line.truncate(line.len() - 1);
        line.extend_from_slice(format!(",\"mac\":\"{}\"}}", "a".repeat(64)).as_bytes());
        let parts = take_apart(&line).unwrap();
        assert_eq!((parts.hash, parts.mac), (hash, Hash::parse("a".repeat(64).as_bytes())));
        assert_eq!(id_at_its_place(&line), Some(b"i".as_slice()));
    }

    #[test]
    fn nothing_but_what_deeds_writes_is_an_entry() {
        let good = String::from_utf8(line("{\"id\":\"i\",\"n\":[1,2]}")).unwrap();
        let end = good.len() - 66;
        for (from, to) in [
            ("\"seq\":7", "\"seq\":07"),
            ("\"seq\":7", "\"seq\": 7"),
            ("\"seq\":7", "\"seq\":-7"),
            ("{\"v\":1", " {\"v\":1"),
            ("evidence", "Evidence"),
            ("evidence", ""),
            ("T21", " 21"),
            ("[1,2]", "[1, 2]"),
            ("[1,2]", "[1,2"),
        ] {
            let covered = good[..good.len() - HASH_LEN - 1].replace(from, to);
            assert_ne!(covered, good[..good.len() - HASH_LEN - 1]);
            let hash = Hash::of(covered.as_bytes());
            let forged = format!("{covered},\"hash\":\"{hash}\"}}");
            assert!(matches!(take_apart(forged.as_bytes()), Err(Malformed::Shape(_))), "{forged}");
        }
        let upper = good[..end].to_owned() + &good[end..].to_uppercase();
        assert!(take_apart(upper.as_bytes()).is_err());
        assert!(take_apart((good.clone() + " ").as_bytes()).is_err());
    }

    #[test]
    fn a_later_format_is_told_from_a_changed_digit() {
        let good = String::from_utf8(line("{\"id\":\"i\"}")).unwrap();
        let digit = good.replacen("{\"v\":1", "{\"v\":2", 1);
        assert_eq!(take_apart(digit.as_bytes()).unwrap_err(), Malformed::HashDiffers);
        let later = format!("{{\"v\":2,\"x\":0,\"hash\":\"{}\"}}", "0".repeat(64));
        assert_eq!(take_apart(later.as_bytes()).unwrap_err(), Malformed::Newer(2));
    }
}
