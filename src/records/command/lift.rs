//! Here-documents are lifted out before anything else is read: the parser understands only the simplest, and their text is
//! no part of the command.

use super::scan::Scan;

/// Longest line that is looked at, here-documents included.
const MAX_SOURCE: usize = 256 * 1024;
/// Longest line without its here-documents.
const MAX_CODE: usize = 48 * 1024;
const MAX_DOCUMENTS: usize = 200;

/// A line of the same length, with bodies blanked and each `<<WORD` made a plain `<WORD `.
#[derive(Debug)]
pub struct Lifted {
    pub code: String,
    pub documents: Vec<Document>,
}

/// A here-document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Where its operator stands in the code.
    pub at: usize,
    pub body: String,
    /// The delimiter is unquoted: expansions in the body are performed.
    pub expands: bool,
}

struct Pending {
    at: usize,
    delimiter: Vec<u8>,
    strip_tabs: bool,
    expands: bool,
}

/// Lifts the here-documents out of `source`, or says why it is not to be parsed.
pub fn lift(source: &str) -> Result<Lifted, String> {
    if source.len() > MAX_SOURCE {
        return Err(format!("the command line is longer than {} KiB", MAX_SOURCE / 1024));
    }
    if source.contains('\0') {
        return Err("the command line has a NUL in it".into());
    }
    let mut lift =
        Lift { scan: Scan::new(source), code: source.as_bytes().to_vec(), pending: Vec::new(), documents: Vec::new() };
    while let Some(byte) = lift.scan.peek(0) {
        let command = lift.scan.in_command();
        if command && lift.scan.starts("<<<") {
            lift.scan.at += 3;
        } else if command && lift.scan.starts("<<") {
            lift.operator()?;
        } else if command && byte == b'\n' {
            lift.scan.at += 1;
            lift.bodies()?;
        } else {
            lift.scan.step()?;
        }
    }
    let lifted: usize = lift.documents.iter().map(|document| document.body.len()).sum();
    if source.len().saturating_sub(lifted) > MAX_CODE {
        return Err(format!("the command line is longer than {} KiB without its here-documents", MAX_CODE / 1024));
    }
    let code = String::from_utf8(lift.code).map_err(|_| "a here-document is cut inside a character".to_owned())?;
    Ok(Lifted { code, documents: lift.documents })
}

struct Lift<'a> {
    scan: Scan<'a>,
    code: Vec<u8>,
    pending: Vec<Pending>,
    documents: Vec<Document>,
}

impl Lift<'_> {
    /// `<<WORD`, `<<-WORD`, `<< 'WORD'`: noted, and made `<WORD ` in the code.
    fn operator(&mut self) -> Result<(), String> {
        let at = self.scan.at;
        let strip_tabs = self.scan.peek(2) == Some(b'-');
        let word = at + if strip_tabs { 3 } else { 2 };
        let mut end = word;
        while matches!(self.scan.source.get(end), Some(b' ' | b'\t')) {
            end += 1;
        }
        let mut delimiter = Vec::new();
        let mut expands = true;
        let mut quote = None;
        while let Some(&byte) = self.scan.source.get(end) {
            match (quote, byte) {
                (Some(open), _) if open == byte => quote = None,
                (Some(_), b'\n') => break,
                (Some(_), _) => delimiter.push(byte),
                (None, b'\'' | b'"') => (quote, expands) = (Some(byte), false),
                (None, b'\\') => {
                    expands = false;
                    end += 1;
                    delimiter.extend(self.scan.source.get(end));
                }
                (None, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')') => break,
                (None, _) => delimiter.push(byte),
            }
            end += 1;
        }
        let end = end.min(self.scan.source.len());
        if quote.is_some() || (delimiter.is_empty() && expands) {
            return Err("a here-document without a delimiter".into());
        }
        let kept = end - word;
        self.code.copy_within(word..end, at + 1);
        self.code[at + 1 + kept..end].fill(b' ');
        self.pending.push(Pending { at, delimiter, strip_tabs, expands });
        self.scan.at = end;
        Ok(())
    }

    /// The bodies that begin on this line.
    fn bodies(&mut self) -> Result<(), String> {
        for pending in std::mem::take(&mut self.pending) {
            if self.documents.len() == MAX_DOCUMENTS {
                return Err(format!("more than {MAX_DOCUMENTS} here-documents"));
            }
            let begin = self.scan.at.min(self.scan.source.len());
            let mut body = Vec::new();
            loop {
                let rest = self.scan.source.get(self.scan.at..).unwrap_or_default();
                if rest.is_empty() {
                    break;
                }
                let length = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                let mut line = &rest[..length];
                while pending.strip_tabs && line.first() == Some(&b'\t') {
                    line = &line[1..];
                }
                self.scan.at += length + 1;
                if line == pending.delimiter {
                    break;
                }
                body.extend_from_slice(line);
                body.push(b'\n');
            }
            self.scan.at = self.scan.at.min(self.scan.source.len());
            // The line end after the delimiter stays: it ends the command.
            let end =
                if self.scan.source[begin..self.scan.at].ends_with(b"\n") { self.scan.at - 1 } else { self.scan.at };
            self.code[begin..end].fill(b' ');
            self.documents.push(Document {
                at: pending.at,
                body: String::from_utf8_lossy(&body).into_owned(),
                expands: pending.expands,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_lifted_and_the_line_keeps_its_length() {
        let source = "cat <<'A' <<-B | sort; ls\nit's\nA\n\tb $x\n\tB\necho x";
        let lifted = lift(source).unwrap();
        assert_eq!(lifted.code.len(), source.len());
        assert!(lifted.code.starts_with("cat <'A'  <B   | sort; ls\n   "));
        assert!(lifted.code.ends_with(" \necho x"));
        assert_eq!(lifted.documents.len(), 2);
        assert_eq!(lifted.documents[0], Document { at: 4, body: "it's\n".into(), expands: false });
        assert_eq!(lifted.documents[1], Document { at: 10, body: "b $x\n".into(), expands: true });
    }

    #[test]
    fn a_document_inside_a_quoted_substitution_is_lifted_too() {
        let lifted = lift("git commit -m \"$(cat <<'EOF'\nit's \"quoted\n\nEOF\n)\" && git push").unwrap();
        assert_eq!(lifted.documents[0].body, "it's \"quoted\n\n");
        assert!(lifted.code.ends_with("\n)\" && git push"));
    }

    #[test]
    fn what_only_looks_like_a_document_stays() {
        for source in
            ["echo '<<A' \"<<B\" # <<C\nls", "((x << 2)); echo $((1 << y))\nls", "cat <<< x\nls", "echo \\<<A"]
        {
            let lifted = lift(source);
            if source.ends_with("A") {
                assert_eq!(lifted.unwrap().documents, [], "{source}");
            } else {
                assert_eq!(lifted.unwrap().code, source);
            }
        }
    }

    #[test]
    fn what_is_too_long_is_refused() {
        assert!(lift("a\0b").is_err());
        assert!(lift(&"x".repeat(MAX_CODE + 1)).is_err());
        assert!(lift(&format!("cat <<A\n{}A\n", "x\n".repeat(MAX_CODE))).is_ok());
    }
}
