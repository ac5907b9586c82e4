//! A client's settings file on disk: read as it is, written whole or not at all, and kept as it was beside.
//!
//! | case | what is done |
//! |---|---|
//! | a symbolic link | the file that it leads to is written, the link stays |
//! | the file's mode | stays |
//! | read-only, another user's, not a file, a link to nothing | refused |
//! | changed by somebody since it was read | refused |
//!
//! What stood there before each change is kept in deeds' own state, never in the project.

use std::fs::{Metadata, Permissions};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::durable::{self, Sync};
use crate::error::{Error, Result};
use crate::evidence::id::sha256_hex;
use crate::layout::Env;

/// A client's settings are some kilobytes.
const BYTES_MAX: u64 = 16 << 20;
/// Earlier states kept of one file.
const KEPT: usize = 8;

#[derive(Debug)]
pub struct SettingsFile {
    /// As it is named.
    pub path: PathBuf,
    /// What the name leads to.
    real: PathBuf,
    /// `None`: there is no file.
    text: Option<String>,
    meta: Option<Metadata>,
}

impl SettingsFile {
    pub fn read(path: &Path) -> Result<SettingsFile> {
        let failed = |error| Error::io("read", path, error);
        let absent = |real| SettingsFile { path: path.to_owned(), real, text: None, meta: None };
        let real = match std::fs::symlink_metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(absent(path.to_owned())),
            Err(error) => return Err(failed(error)),
            Ok(found) if found.is_symlink() => path.canonicalize().map_err(|error| {
                Error::input(format!(
                    "failed to read: {}: it is a symbolic link that leads to no file ({error})",
                    path.display()
                ))
            })?,
            Ok(_) => path.to_owned(),
        };
        let bytes = durable_read(&real).map_err(failed)?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]).into_owned();
            let place = super::json::place(&good, good.len());
            Error::input(format!("failed to read: {}: it is not UTF-8", path.display())).at(place)
        })?;
        let meta = std::fs::metadata(&real).map_err(failed)?;
        Ok(SettingsFile { path: path.to_owned(), real, text: Some(text), meta: Some(meta) })
    }

    pub fn exists(&self) -> bool {
        self.text.is_some()
    }

    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// Makes the file hold `text`. Gives where the earlier state is kept.
    pub fn write(&self, text: &str, env: &Env) -> Result<Option<PathBuf>> {
        self.may_be_changed()?;
        let kept = self.keep(env)?;
        let failed = |error| Error::io("write", &self.path, error);
        let folder = self.real.parent().unwrap_or(Path::new("."));
        make_folders(folder).map_err(|error| Error::io("make the folder", folder, error))?;
        let draft = folder.join(format!(".deeds-{}.tmp", durable::unique_name()));
        let mode = self.meta.as_ref().map(Metadata::permissions).or_else(|| new_mode(folder));
        let written = durable::create_new(&draft).and_then(|file| {
            durable::append(&file, text.as_bytes())?;
            mode.map_or(Ok(()), |mode| file.set_permissions(mode))?;
            durable::sync(&file)
        });
        let placed = written.and_then(|()| self.is_as_read()).and_then(|()| durable::rename(&draft, &self.real));
        if let Err(error) = placed {
            let _ = durable::remove(&draft);
            return Err(failed(error));
        }
        durable::sync_dir(folder).map_err(failed)?;
        Ok(kept)
    }

    /// Removes the file, which was not there before deeds was, and its folder if nothing else is in it.
    pub fn remove(&self, env: &Env) -> Result<Option<PathBuf>> {
        self.may_be_changed()?;
        let kept = self.keep(env)?;
        self.is_as_read().and_then(|()| durable::remove(&self.real)).map_err(|e| Error::io("remove", &self.path, e))?;
        // A folder that holds anything, or is a link to one, is not removed by this.
        let _ = self.path.parent().map(std::fs::remove_dir);
        Ok(kept)
    }

    /// The earlier states of the file, the newest first.
    pub fn earlier(&self, env: &Env) -> Vec<String> {
        let read = |path: &PathBuf| durable_read(path).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        self.kept(env).iter().rev().filter_map(read).collect()
    }

    fn may_be_changed(&self) -> Result<()> {
        let refuse = |why: &str| Err(Error::unable("io", format!("failed to write: {}: {why}", self.path.display())));
        match &self.meta {
            Some(meta) if is_anothers(meta) => refuse("it belongs to another user; run this as that user"),
            Some(meta) if meta.permissions().readonly() => {
                refuse("it is read-only; make it writable (chmod u+w), then run this again")
            }
            _ => Ok(()),
        }
    }

    /// A client may write its own settings at any time.
    fn is_as_read(&self) -> std::io::Result<()> {
        let now = match durable_read(&self.real) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if now.as_deref() == self.text.as_deref().map(str::as_bytes) {
            return Ok(());
        }
        Err(std::io::Error::other("somebody changed it just now; nothing was written; run this again"))
    }

    /// Keeps what stands there now.
    fn keep(&self, env: &Env) -> Result<Option<PathBuf>> {
        let Some(text) = &self.text else { return Ok(None) };
        let folder = env.state().map(|state| state.join(crate::layout::SETTINGS_BACKUPS)).ok_or_else(|| {
            Error::usage("neither XDG_STATE_HOME nor HOME is set, so there is no place to keep the file as it is")
        })?;
        let failed = |error| Error::io("keep the file as it is in", &folder, error);
        durable::make_dirs(&folder).map_err(failed)?;
        let unique = durable::unique_name();
        let name = format!("{}-{unique}-{}", self.key(), self.path.file_name().unwrap_or_default().to_string_lossy());
        let path = folder.join(name);
        durable::put(&path, &folder.join(format!("{unique}.tmp")), text.as_bytes(), Sync::Data).map_err(failed)?;
        let kept = self.kept(env);
        for old in &kept[..kept.len().saturating_sub(KEPT)] {
            let _ = durable::remove(old);
        }
        Ok(Some(path))
    }

    /// Where earlier states are, the oldest first: their names begin with the file's, then with when they were made.
    fn kept(&self, env: &Env) -> Vec<PathBuf> {
        let Some(state) = env.state() else { return Vec::new() };
        let prefix = format!("{}-", self.key());
        let entries = std::fs::read_dir(state.join(crate::layout::SETTINGS_BACKUPS)).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> =
            entries.filter(|e| e.file_name().to_string_lossy().starts_with(&prefix)).map(|e| e.path()).collect();
        paths.sort();
        paths
    }

    fn key(&self) -> String {
        sha256_hex(self.real.as_os_str().as_encoded_bytes())[..16].to_owned()
    }
}

/// A regular file's bytes.
fn durable_read(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    durable::open(path)?.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(std::io::Error::other("it is too large for settings"));
    }
    Ok(bytes)
}

/// Folders that are missing get the mode of the one that they are made in.
fn make_folders(folder: &Path) -> std::io::Result<()> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|dir| !dir.exists()).collect();
    let Some(last) = missing.last() else { return Ok(()) };
    let like = last.parent().and_then(|parent| std::fs::metadata(parent).ok()).map(|meta| meta.permissions());
    durable::make_dirs(folder)?;
    for dir in missing.iter().rev() {
        if let Some(like) = like.clone() {
            std::fs::set_permissions(dir, like)?;
        }
    }
    Ok(())
}

/// What may be read in a folder may be read in its new file.
#[cfg(unix)]
fn new_mode(folder: &Path) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(folder).ok()?.permissions().mode();
    Some(Permissions::from_mode(mode & 0o644 | 0o600))
}

#[cfg(not(unix))]
fn new_mode(_folder: &Path) -> Option<Permissions> {
    None
}

#[cfg(unix)]
fn is_anothers(meta: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    meta.uid() != rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_anothers(_meta: &Metadata) -> bool {
    false
}
