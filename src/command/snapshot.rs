//! `deeds judge --snapshot FILE|-`: the pure judge on a document, or with `--jsonl` on one document a line. No ledger
//! is opened.

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde_json::json;

use crate::error::{Error, Exit};
use crate::judge::{self, ClaimOutcome, EvidenceError, EvidenceErrorCode, EvidenceVerdict, Snapshot};

/// The longest document that is read, so that an endless line cannot take the machine's memory.
const MAX_DOCUMENT: usize = 256 << 20;

/// Where the input comes from; `-` on the command line is standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Stdin,
    File(PathBuf),
}

impl FromStr for Source {
    type Err = Infallible;

    fn from_str(argument: &str) -> Result<Source, Infallible> {
        Ok(PathBuf::from(argument).into())
    }
}

impl From<PathBuf> for Source {
    fn from(path: PathBuf) -> Source {
        if path.as_os_str() == "-" { Source::Stdin } else { Source::File(path) }
    }
}

impl Source {
    fn path(&self) -> &Path {
        match self {
            Source::Stdin => Path::new("standard input"),
            Source::File(path) => path,
        }
    }

    fn open(&self) -> io::Result<Input> {
        let bytes: Box<dyn Read> = match self {
            Source::Stdin => Box::new(io::stdin().lock()),
            Source::File(path) => Box::new(File::open(path)?),
        };
        Ok(BufReader::with_capacity(1 << 16, bytes))
    }
}

type Input = BufReader<Box<dyn Read>>;

/// Judges `source` and writes verdicts, or `{"error":…}` for what is invalid, to `out`. Warnings, and one line that
/// says what was invalid, go to `err`.
///
/// With `jsonl` one line of output answers one line of input; lines of nothing but white space are passed over. The
/// exit is that of the worst verdict, or 65 if anything was invalid.
pub fn run(source: &Source, jsonl: bool, out: &mut dyn Write, err: &mut dyn Write) -> Result<Exit, Error> {
    let input = source.open().map_err(|cause| Error::io("read", source.path(), cause))?;
    let mut judging = Judging { path: source.path(), out: BufWriter::new(out), err, worst: Exit::Holds };
    let done = if jsonl { judging.lines(input) } else { judging.whole(input) };
    match done.and_then(|()| judging.out.flush().map_err(Failure::Write)) {
        Ok(()) => Ok(judging.worst),
        // Whoever read the verdicts has gone; there is nobody left to tell.
        Err(Failure::Write(cause)) if cause.kind() == io::ErrorKind::BrokenPipe => Ok(judging.worst),
        Err(Failure::Write(cause)) => Err(Error::io("write", Path::new("standard output"), cause)),
        Err(Failure::Read(cause)) => Err(Error::io("read", source.path(), cause)),
    }
}

enum Failure {
    Read(io::Error),
    Write(io::Error),
}

struct Judging<'a> {
    path: &'a Path,
    out: BufWriter<&'a mut dyn Write>,
    err: &'a mut dyn Write,
    worst: Exit,
}

impl Judging<'_> {
    fn whole(&mut self, input: Input) -> Result<(), Failure> {
        let mut document = Vec::new();
        input.take(MAX_DOCUMENT as u64 + 1).read_to_end(&mut document).map_err(Failure::Read)?;
        if let Some(error) = self.one(&document, None)? {
            self.complain(&error.message);
        }
        Ok(())
    }

    fn lines(&mut self, mut input: Input) -> Result<(), Failure> {
        let (mut line, mut number, mut invalid) = (Vec::new(), 0_u64, 0_u64);
        while next_line(&mut input, &mut line).map_err(Failure::Read)? {
            number += 1;
            if line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
                continue;
            }
            invalid += u64::from(self.one(&line, Some(number))?.is_some());
            // Whoever feeds line by line waits for the answer to each; a whole file is answered in big writes.
            if memchr::memchr(b'\n', input.buffer()).is_none() {
                self.out.flush().map_err(Failure::Write)?;
            }
        }
        if invalid > 0 {
            self.complain(&format!("{invalid} of {number} lines are not valid input"));
        }
        Ok(())
    }

    /// Judges one document and writes one line; gives back why it could not. `line` is named in its warnings.
    fn one(&mut self, document: &[u8], line: Option<u64>) -> Result<Option<EvidenceError>, Failure> {
        let (written, exit, error) = match self.judge(document, line) {
            Ok(verdict) => (serde_json::to_writer(&mut self.out, &verdict), exit(&verdict), None),
            Err(error) => (serde_json::to_writer(&mut self.out, &json!({ "error": error })), Exit::Input, Some(error)),
        };
        written.map_err(io::Error::from).and_then(|()| self.out.write_all(b"\n")).map_err(Failure::Write)?;
        if exit as u8 > self.worst as u8 {
            self.worst = exit;
        }
        Ok(error)
    }

    fn judge(&mut self, document: &[u8], line: Option<u64>) -> Result<EvidenceVerdict, EvidenceError> {
        if document.len() > MAX_DOCUMENT {
            let message = format!("the input: it must not be longer than {} MiB", MAX_DOCUMENT >> 20);
            return Err(EvidenceError { code: EvidenceErrorCode::InvalidInput, message, at: String::new() });
        }
        let snapshot = Snapshot::read(document)?;
        let verdict = judge::judge(&snapshot.claims, &snapshot.evidence)?;
        for warning in judge::warnings(&snapshot.claims, &snapshot.evidence) {
            let line = line.map(|number| format!("line {number}: ")).unwrap_or_default();
            self.complain(&format!("{line}{}: {}", warning.at, warning.rule));
        }
        Ok(verdict)
    }

    fn complain(&mut self, what: &str) {
        // A closed standard error must not cost a verdict.
        let _ = writeln!(self.err, "deeds: judge: {}: {what}", self.path.display());
    }
}

/// The next line without its end, or more than [`MAX_DOCUMENT`] bytes of it, the rest passed over.
fn next_line(input: &mut Input, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    if input.take(MAX_DOCUMENT as u64 + 1).read_until(b'\n', line)? == 0 {
        return Ok(false);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > MAX_DOCUMENT {
        loop {
            let rest = input.fill_buf()?;
            let (length, ended) = match memchr::memchr(b'\n', rest) {
                Some(end) => (end + 1, true),
                None => (rest.len(), rest.is_empty()),
            };
            input.consume(length);
            if ended {
                break;
            }
        }
    }
    Ok(true)
}

fn exit(verdict: &EvidenceVerdict) -> Exit {
    let outcomes = || verdict.claims.iter().map(|result| &result.outcome);
    if outcomes().any(|outcome| matches!(outcome, ClaimOutcome::Contradicted { .. })) {
        Exit::DoesNotHold
    } else if outcomes().any(|outcome| matches!(outcome, ClaimOutcome::Unsupported { .. })) {
        Exit::NotShown
    } else {
        Exit::Holds
    }
}
