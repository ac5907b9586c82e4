//! What a command printed, as it is kept: redacted, measured whole, its head and tail within a cap.

use std::borrow::Cow;
use std::path::Path;

use serde_json::{Map, Value};

use super::clean::{self, Cleaner};
use super::disk::{self, Owner, Unreadable};
use crate::evidence::event::Output;
use crate::evidence::id::sha256_hex;

/// Head and tail of an output are kept within so many bytes.
pub const OUTPUT_CAP: usize = 1024 * 1024;

/// A client's file up to this size is read, redacted and measured whole; of a longer one only head and tail are read.
const WHOLE_CAP: u64 = 16 * 1024 * 1024;

/// Where a longer file is entered, that much is looked through for a line to begin or end at.
const SLACK: usize = 64 * 1024;

/// An output ready for a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub text: String,
    /// Bytes of the redacted whole; of the whole as it stands where it was too long to be redacted.
    pub len: u64,
    /// Of the redacted whole; `None` where that was not read.
    pub digest: Option<String>,
    /// The client or deeds left something out of `text`.
    pub cut: bool,
}

impl Kept {
    /// `output`, `output_len`, `output_digest`, `output_cut`.
    pub fn put(self, payload: &mut Map<String, Value>) {
        payload.insert("output".into(), self.text.into());
        payload.insert("output_len".into(), self.len.into());
        payload.insert("output_digest".into(), self.digest.into());
        payload.insert("output_cut".into(), self.cut.into());
    }
}

/// The output of an event: the whole from the client's own file, where it names one, else what the event holds. With the
/// reason why the file was not read.
pub fn of(output: &Output<'_>, clean: &mut Cleaner) -> (Kept, Option<String>) {
    let Some(path) = output.full_path.as_deref() else { return (of_text(&output.text, output.cut, clean), None) };
    match of_file(Path::new(path), clean) {
        Ok(kept) => (kept, None),
        Err(why) => {
            let detail = format!("the whole output was not read: {}: {why}", clean.text(path));
            (of_text(&output.text, true, clean), Some(detail))
        }
    }
}

/// Text that is at hand.
pub fn of_text(text: &str, cut: bool, clean: &mut Cleaner) -> Kept {
    let whole = if cut { clean.text(&without_rest_of_key(text)) } else { clean.text(text) };
    let (len, digest) = (whole.len() as u64, Some(sha256_hex(whole.as_bytes())));
    let (text, shortened) = clean::cap_middle(whole, OUTPUT_CAP);
    Kept { text, len, digest, cut: cut || shortened }
}

/// The file in which a client keeps an output: ours, regular, no link.
pub fn of_file(path: &Path, clean: &mut Cleaner) -> Result<Kept, Unreadable> {
    if !path.is_absolute() {
        return Err(Unreadable::Failed("not an absolute path".into()));
    }
    let file = disk::open(path, Owner::Us)?;
    if file.len <= WHOLE_CAP {
        let bytes = file.whole(WHOLE_CAP)?;
        return Ok(of_text(&String::from_utf8_lossy(&bytes), false, clean));
    }
    let half = OUTPUT_CAP / 2 - 64;
    let head = file.part(0, half)?;
    let tail = file.part(file.len - half as u64, half)?;
    let (head, tail) = (String::from_utf8_lossy(&head), String::from_utf8_lossy(&tail));
    // Redaction sees whole lines only: half a secret is none that it knows.
    let head = clean.text(to_line_end(&head));
    let tail = clean.text(&without_rest_of_key(from_line_start(&tail)));
    let missing = (file.len as usize).saturating_sub(head.len() + tail.len());
    Ok(Kept { text: clean::join(&head, &tail, missing), len: file.len, digest: None, cut: true })
}

fn to_line_end(text: &str) -> &str {
    let from = clean::floor(text, text.len().saturating_sub(SLACK));
    let end = text[from..].rfind('\n').map_or(from, |at| from + at + 1);
    &text[..end]
}

fn from_line_start(text: &str) -> &str {
    let to = clean::floor(text, SLACK);
    let start = text[..to].find('\n').map_or(to, |at| at + 1);
    &text[start..]
}

/// `text` without the rest of a private key whose beginning is not in view. Redaction knows a key by how it begins, and a
/// text that was cut may begin inside of one: at its own beginning, or where a client left out the middle.
fn without_rest_of_key(text: &str) -> Cow<'_, str> {
    // Nearly every text ends here; this is the one search that does not build anything first.
    if !text.contains("-----END ") {
        return Cow::Borrowed(text);
    }
    let after_gap = memchr::memmem::rfind(text.as_bytes(), b" characters truncated] ...").unwrap_or(0);
    let part = &text[after_gap..];
    let Some(end) = part.find("-----END ").filter(|end| !part[..*end].contains("-----BEGIN ")) else {
        return Cow::Borrowed(text);
    };
    let key_line = |line: &str| {
        let line = line.trim_end_matches(['\n', '\r']);
        !line.is_empty() && line.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(&b))
    };
    let lines = part[..end].split_inclusive('\n').rev();
    let rest: usize = lines.take_while(|line| key_line(line)).map(str::len).sum();
    if rest == 0 {
        return Cow::Borrowed(text);
    }
    let end = after_gap + end;
    Cow::Owned(format!("{}[REDACTED:private-key]\n{}", &text[..end - rest], &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_is_measured_and_its_head_and_tail_kept() {
        let text = format!("head\n{}tail", "x".repeat(2 * OUTPUT_CAP));
        let kept = of_text(&text, false, &mut Cleaner::default());
        assert_eq!((kept.len, kept.cut), (text.len() as u64, true));
        assert_eq!(kept.digest, Some(sha256_hex(text.as_bytes())));
        assert!(kept.text.len() <= OUTPUT_CAP && kept.text.starts_with("head\n") && kept.text.ends_with("xtail"));
        let short = of_text("ok", true, &mut Cleaner::default());
        assert_eq!((short.text.as_str(), short.cut), ("ok", true));
    }

    #[test]
    fn a_file_that_cannot_be_read_leaves_what_the_event_holds() {
        let output = Output { text: "part".into(), full_path: Some("/home/dev/demo/none.txt".into()), cut: true };
        let (kept, why) = of(&output, &mut Cleaner::default());
        assert_eq!((kept.text.as_str(), kept.cut), ("part", true));
        assert_eq!(why.as_deref(), Some("the whole output was not read: /home/dev/demo/none.txt: no such file"));
    }

    #[test]
    fn a_very_long_file_gives_whole_lines_of_its_head_and_tail() {
        let path = std::env::temp_dir().join(format!("deeds-output-{}", std::process::id()));
        let mut text = "first line\n".to_owned();
        while text.len() as u64 <= WHOLE_CAP {
            text.push_str("0123456789 a line of some length that is printed again and again\n");
        }
        text.push_str("test result: ok. 3 passed\n");
        std::fs::write(&path, &text).unwrap();
        let kept = of_file(&path, &mut Cleaner::default()).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!((kept.len, kept.digest, kept.cut), (text.len() as u64, None, true));
        assert!(kept.text.len() <= OUTPUT_CAP);
        assert!(kept.text.starts_with("first line\n") && kept.text.ends_with("\ntest result: ok. 3 passed\n"));
        assert!(kept.text.contains("again\n[deeds: ") && kept.text.contains(" bytes not kept]\n0123456789 a line"));
    }

    #[test]
    fn the_rest_of_a_key_whose_beginning_is_not_in_view_is_left_out() {
        let end = "-----END RSA PRIVATE KEY-----\nrest\n";
        let left = |text: &str| without_rest_of_key(text).into_owned();
        assert_eq!(left(&format!("MIIabc\nMIIdef\n{end}")), format!("[REDACTED:private-key]\n{end}"));
        let gap = "a\n\n... [20012 characters truncated] ...\n\n";
        assert_eq!(left(&format!("{gap}MIIdef\n{end}")), format!("{gap}[REDACTED:private-key]\n{end}"));
        let whole = format!("-----BEGIN RSA PRIVATE KEY-----\nMIIdef\n{end}");
        assert_eq!(left(&whole), whole);
        assert_eq!(left("FAILED (1)\n-----END\n"), "FAILED (1)\n-----END\n");
    }
}
