//! Which file hooks are registered in, and what becomes of its text.
//!
//! Codex reads `hooks.json` and the `hooks` of `config.toml`, and warns at every start where one folder has both: hooks go
//! where there are some already, and into `hooks.json` where there are none.

use std::path::{Path, PathBuf};

use super::client::{Client, Scope};
use super::file::SettingsFile;
use super::handlers::Handler;
use super::json::{self, Malformed};
use super::{json_file, own, toml_file};
use crate::error::{Error, Result};
use crate::layout::{self, Env};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Json,
    Toml,
}

/// A file that hooks are, or could be, registered in.
#[derive(Debug)]
pub struct Target {
    pub client: Client,
    pub scope: Scope,
    pub file: SettingsFile,
    pub format: Format,
}

/// The files of one scope, the usual one first.
pub fn paths(client: Client, scope: Scope, env: &Env, root: &Path) -> Result<Vec<(PathBuf, Format)>> {
    let folder = client.folder(scope, env, root)?;
    Ok(match (client, scope) {
        (Client::Claude, Scope::Local) => vec![(folder.join("settings.local.json"), Format::Json)],
        (Client::Claude, _) => vec![(folder.join("settings.json"), Format::Json)],
        (Client::Codex, _) => {
            vec![(folder.join("hooks.json"), Format::Json), (folder.join("config.toml"), Format::Toml)]
        }
    })
}

/// The file of one scope that hooks belong in.
pub fn choose(client: Client, scope: Scope, env: &Env, root: &Path) -> Result<Target> {
    let mut targets = all(client, scope, env, root)?;
    let mut best = 0;
    if targets.len() > 1 {
        let rank = |target: &Target| -> Result<u8> {
            let handlers = target.handlers()?;
            let own = handlers.iter().any(|handler| handler.own.is_some());
            Ok(if own { 2 } else { u8::from(!handlers.is_empty()) })
        };
        let ranks = targets.iter().map(rank).collect::<Result<Vec<u8>>>()?;
        best = (0..ranks.len()).rev().max_by_key(|n| ranks[*n]).unwrap_or(0);
    }
    Ok(targets.swap_remove(best))
}

/// All files of one scope.
pub fn all(client: Client, scope: Scope, env: &Env, root: &Path) -> Result<Vec<Target>> {
    let target =
        |(path, format): (PathBuf, Format)| Ok(Target { client, scope, file: SettingsFile::read(&path)?, format });
    paths(client, scope, env, root)?.into_iter().map(target).collect()
}

impl Target {
    pub fn handlers(&self) -> Result<Vec<Handler>> {
        self.explained(match self.format {
            Format::Json => json_file::registered(self.client, self.file.text()),
            Format::Toml => toml_file::registered(self.file.text()),
        })
    }

    /// `text` with every event registered under `command`.
    pub fn installed(&self, text: &str, command: &str) -> Result<String> {
        self.explained(match self.format {
            Format::Json => json_file::install(self.client, text, command),
            Format::Toml => toml_file::install(text, command),
        })
    }

    /// `text` without own entries.
    pub fn uninstalled(&self, text: &str) -> Result<String> {
        self.explained(match self.format {
            Format::Json => json_file::uninstall(self.client, text),
            Format::Toml => toml_file::uninstall(text),
        })
    }

    fn explained<T>(&self, read: Result<T, Malformed>) -> Result<T> {
        read.map_err(|malformed| {
            let message = format!("failed to read: {}: {}", self.file.path.display(), malformed.why);
            Error::input(message).at(json::place(self.file.text(), malformed.at))
        })
    }
}

/// The command to register. Your own settings name the whole path, since a client may be started with another PATH than
/// your terminal's, and a hook that is not found fails in silence; a file that others share names `deeds` alone, if that
/// is this program here.
pub fn command(scope: Scope) -> Result<String> {
    let this = std::env::current_exe().map_err(|e| Error::unable("io", format!("failed to find this program: {e}")))?;
    let found = layout::on_path("deeds").filter(|found| layout::is_same_file(found, &this));
    let program = match found {
        Some(_) if scope == Scope::Project => PathBuf::from("deeds"),
        // Not the file that it leads to: an update may put that elsewhere.
        Some(found) => found,
        None => this,
    };
    let refused = || Error::usage(format!("{} is not UTF-8, so no settings can name it; move it", program.display()));
    own::command(&program).ok_or_else(refused)
}
