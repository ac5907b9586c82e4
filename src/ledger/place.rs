//! The ledger's directory: its owner's alone.

use std::fs::Permissions;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use super::cause::Cause;
use crate::durable;
use crate::layout;

/// Makes the directory if it is missing, and refuses one that somebody else could have put there: a symbolic link, a
/// directory of another user. Rights of others are taken away.
pub(super) fn ensure(dir: &Path) -> Result<(), Cause> {
    let refuse = |why| Err(Cause::Place(dir.to_owned(), why));
    let found = match std::fs::symlink_metadata(dir) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // Of what it is in nothing is made: the path may come from what an agent said its folder is.
            return make(dir).map_err(Cause::io("make the ledger's directory", dir));
        }
        Err(error) => return Err(Cause::io("look at the ledger's directory", dir)(error)),
    };
    if found.is_symlink() {
        return refuse("it is a symbolic link; name the directory itself, or remove the link");
    }
    if !found.is_dir() {
        return refuse("it is not a directory");
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return refuse("it belongs to another user");
    }
    for inside in [layout::BLOBS, layout::SPOOL] {
        if std::fs::symlink_metadata(dir.join(inside)).is_ok_and(|found| found.is_symlink()) {
            return refuse("a folder in it is a symbolic link, which leads elsewhere; remove the link");
        }
    }
    if found.mode() & 0o077 != 0 {
        let private = std::fs::set_permissions(dir, Permissions::from_mode(0o700));
        private.map_err(Cause::io("take others' rights from", dir))?;
    }
    Ok(())
}

fn make(dir: &Path) -> std::io::Result<()> {
    durable::make_dir(dir)?;
    let in_git_dir = dir.parent().is_some_and(|parent| parent.join("HEAD").is_file());
    if in_git_dir {
        return Ok(());
    }
    // In a worktree, now or after a later `git init`, it is never to be committed.
    let ignore = dir.join(".gitignore");
    match durable::create_new(&ignore).and_then(|file| durable::append(&file, b"*\n")) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// The first seqs of the closed segments in `dir`, in order.
pub(super) fn segments(dir: &Path) -> std::io::Result<Vec<u64>> {
    let entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut firsts = Vec::new();
    for entry in entries {
        firsts.extend(entry?.file_name().to_str().and_then(layout::segment_first));
    }
    firsts.sort_unstable();
    Ok(firsts)
}
