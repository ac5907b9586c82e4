//! Which producers may run by themselves: those that this user has approved, word for word, for this project.
//!
//! `deeds.json` comes with a clone, and an agent can write it; what it declares would run outside of the agent's sandbox,
//! as the user, unasked. So the approval lies outside of the project:
//! `$XDG_CONFIG_HOME/deeds/approved/<sha256 of the project>/<sha256 of the producers>.json`, which holds the producers for
//! whoever wants to read them.
//!
//! Architecture invariant: without an approval that was found, nothing is approved.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::bundle::producer::Producer;
use crate::bundle::signing;
use crate::durable::{self, Sync};
use crate::error::{Error, Result};
use crate::evidence::id::sha256_hex;
use crate::layout::{self, Env, Place};

/// A hundred producers with long commands.
const CAP: u64 = 4 << 20;

/// What is approved for one project.
pub struct Approvals {
    dir: PathBuf,
}

impl Approvals {
    /// Those of the project that `place` is; the worktrees of a repository are one. A project that holds the user's own
    /// configuration has none: whoever may write there could approve of anything.
    pub fn of(place: &Place, env: &Env) -> Result<Approvals> {
        let config = signing::directory(env)?.join(layout::APPROVED);
        let root = real(&place.root);
        // In a linked worktree, the main one beside `.git` is the project too.
        let main = place.repository.as_ref().filter(|repository| repository.common_dir.ends_with(".git"));
        let main = main.and_then(|repository| repository.common_dir.parent()).map(real);
        let held = real(&config);
        if held.starts_with(&root) || main.is_some_and(|main| held.starts_with(main)) {
            let why = format!("{} lies inside of the project, where an agent can write", config.display());
            return Err(Error::input(format!("nothing can be approved here: {why}")));
        }
        let project = place.repository.as_ref().map_or(root, |repository| real(&repository.common_dir));
        Ok(Approvals { dir: config.join(sha256_hex(project.as_os_str().as_encoded_bytes())) })
    }

    /// Whether exactly these are approved: same names, commands, directories, variables, limits, in the same order.
    pub fn covers(&self, producers: &[Producer]) -> Result<bool> {
        let (path, text) = self.written(producers)?;
        match durable::read_small(&path, CAP) {
            Ok(found) => Ok(found == text.as_bytes()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Error::io("read the approval", &path, error)),
        }
    }

    pub fn approve(&self, producers: &[Producer]) -> Result<()> {
        let (path, text) = self.written(producers)?;
        durable::make_dirs(&self.dir).map_err(|e| Error::io("make the folder of approvals", &self.dir, e))?;
        let draft = self.dir.join(durable::unique_name());
        durable::put(&path, &draft, text.as_bytes(), Sync::Data).map_err(|e| Error::io("write", &path, e))
    }

    /// Takes back all that was approved for the project; whether there was anything.
    pub fn revoke(&self) -> Result<bool> {
        match std::fs::remove_dir_all(&self.dir) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Error::io("remove the approvals", &self.dir, error)),
        }
    }

    fn written(&self, producers: &[Producer]) -> Result<(PathBuf, String)> {
        let text = serde_json::to_string_pretty(producers)
            .map_err(|e| Error::unable("io", format!("failed to write down the producers: {e}")))?;
        Ok((self.dir.join(format!("{}.json", sha256_hex(text.as_bytes()))), text))
    }
}

/// Without symbolic links, as far as the path is there.
fn real(path: &Path) -> PathBuf {
    for known in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (known.canonicalize(), path.strip_prefix(known)) {
            return real.join(rest);
        }
    }
    path.to_owned()
}
