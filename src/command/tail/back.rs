//! The lines of a plain file, last to first: for what stands shortly before a place that is known.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use memchr::memrchr;

use super::lines::MOST;
use crate::adapter::codex_rollout::Past;

const CHUNK: u64 = 64 << 10;
const MOST_AT_ONCE: u64 = 4 << 20;

pub struct Back {
    file: File,
    /// Where in the file `bytes` begin.
    at: u64,
    bytes: Vec<u8>,
    /// A line that is too long to be held is being passed by.
    passing: bool,
}

impl Back {
    /// Begins with the line that ends at `end`, right after its line break.
    pub fn new(file: File, end: u64) -> Back {
        Back { file, at: end, bytes: Vec::new(), passing: false }
    }

    /// The line before those handed out, without its line break; a line that is too long comes empty.
    pub fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut looked = self.bytes.len();
        loop {
            let end = self.bytes.len() - usize::from(!self.passing && self.bytes.ends_with(b"\n"));
            match memrchr(b'\n', &self.bytes[..end.min(looked)]) {
                Some(newline) => {
                    let line = self.bytes[newline + 1..end].to_vec();
                    self.bytes.truncate(newline + 1);
                    let passed = std::mem::take(&mut self.passing) || line.len() > MOST;
                    return Ok(Some(if passed { Vec::new() } else { line }));
                }
                None if self.at == 0 => {
                    let mut line = std::mem::take(&mut self.bytes);
                    line.truncate(end);
                    if std::mem::take(&mut self.passing) || line.len() > MOST {
                        return Ok(Some(Vec::new()));
                    }
                    return Ok(if line.is_empty() { None } else { Some(line) });
                }
                None => {
                    if self.bytes.len() > MOST {
                        self.bytes.clear();
                        self.passing = true;
                    }
                    // The longer the line, the more is read at once: going through it stays proportional to its length.
                    let step = CHUNK.max(self.bytes.len() as u64).min(MOST_AT_ONCE).min(self.at);
                    let mut before = Vec::with_capacity(step as usize + self.bytes.len());
                    before.resize(step as usize, 0);
                    self.file.read_exact_at(&mut before, self.at - step)?;
                    looked = before.len();
                    before.append(&mut self.bytes);
                    self.bytes = before;
                    self.at -= step;
                }
            }
        }
    }
}

impl Past for Back {
    fn line_before(&mut self) -> Option<Vec<u8>> {
        // What cannot be read is as good as not there: the output is then one whose call is not known.
        self.line().ok().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(content: &[u8], end: u64) -> Vec<Vec<u8>> {
        let path = std::env::temp_dir().join(format!("deeds-back-{}-{end}-{}", std::process::id(), content.len()));
        std::fs::write(&path, content).unwrap();
        let mut back = Back::new(File::open(&path).unwrap(), end);
        std::fs::remove_file(&path).unwrap();
        std::iter::from_fn(|| back.line().unwrap()).collect()
    }

    #[test]
    fn lines_come_last_one_first_from_any_place() {
        assert_eq!(lines_of(b"a\n\nbc\nd", 6), [b"bc".to_vec(), b"".to_vec(), b"a".to_vec()]);
        assert_eq!(lines_of(b"a\nbc\nd", 6), [b"d".to_vec(), b"bc".to_vec(), b"a".to_vec()]);
        assert_eq!(lines_of(b"", 0), Vec::<Vec<u8>>::new());
    }

    #[test]
    fn long_lines_are_whole_and_too_long_ones_are_passed_by() {
        let long = vec![b'x'; 3 * CHUNK as usize];
        let endless = vec![b'y'; MOST + 2 * CHUNK as usize];
        let content = [b"first\n", &endless[..], b"\n", &long[..], b"\nlast\n"].concat();
        let lines = lines_of(&content, content.len() as u64);
        assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [4, long.len(), 0, 5]);
    }
}
