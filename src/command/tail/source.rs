//! A rollout's bytes, from a plain file or a compressed one.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

/// An open rollout file.
pub struct Source {
    pub file: File,
    pub meta: Metadata,
    pub compressed: bool,
}

impl Source {
    /// A file that the user named, or that Codex's own folder holds. A pipe is no rollout, and is not waited for.
    pub fn open(path: &Path) -> io::Result<Source> {
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        Source::of(OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)?, path)
    }

    pub fn of(file: File, path: &Path) -> io::Result<Source> {
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        Ok(Source { file, meta, compressed: path.extension().is_some_and(|end| end == "zst") })
    }

    /// The uncompressed bytes, from the beginning.
    pub fn whole(&self) -> io::Result<Box<dyn Read + Send>> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(0))?;
        if self.compressed { Ok(Box::new(Frames::new(file))) } else { Ok(Box::new(file)) }
    }

    /// The bytes from `offset` on, of a plain file.
    pub fn from(&self, offset: u64) -> io::Result<File> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(offset))?;
        Ok(file)
    }
}

/// Zstandard frames, one after the other; memory is one frame's window.
struct Frames {
    decoder: Option<Box<StreamingDecoder<BufReader<File>, FrameDecoder>>>,
    /// Between two frames.
    next: Option<BufReader<File>>,
}

impl Frames {
    fn new(file: File) -> Frames {
        Frames { decoder: None, next: Some(BufReader::with_capacity(COMPRESSED_CHUNK, file)) }
    }
}

const COMPRESSED_CHUNK: usize = 128 << 10;

impl Read for Frames {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(decoder) = &mut self.decoder {
                let read = decoder.read(buffer)?;
                if read > 0 || buffer.is_empty() {
                    return Ok(read);
                }
                self.next = self.decoder.take().map(|decoder| decoder.into_inner());
            }
            let Some(mut input) = self.next.take() else { return Ok(0) };
            if input.fill_buf()?.is_empty() {
                return Ok(0);
            }
            let decoder = StreamingDecoder::new(input);
            self.decoder =
                Some(Box::new(decoder.map_err(|error| io::Error::new(ErrorKind::InvalidData, error.to_string()))?));
        }
    }
}
