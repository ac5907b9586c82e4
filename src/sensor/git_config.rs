//! Which of the user's settings decide how a file's content is read, and which filters are configured at all.
//!
//! Architecture invariant: settings are let through by name. One that this list does not know has no effect on a look,
//! whatever program it names.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::checkout::Checkout;
use super::git_command::{Deadline, Git, not_run};

/// Settings that change which files there are or what their content hashes to. None of them can start a program.
/// `core.trustctime` and `core.checkStat` are left out on purpose: with git's own defaults a change is found even where
/// the user, or the agent, chose to look less closely.
const LET_THROUGH: &[&str] = &[
    "core.filemode",
    "core.symlinks",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.protecthfs",
    "core.protectntfs",
    "core.autocrlf",
    "core.eol",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "extensions.objectformat",
];

/// What a throw-away repository always says.
const ALWAYS: &[(&str, &str)] = &[
    ("core.bare", "false"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.safecrlf", "false"),
    ("core.untrackedCache", "false"),
    ("core.splitIndex", "false"),
    ("core.fsync", "none"),
    ("gc.auto", "0"),
    ("submodule.recurse", "false"),
];

/// The settings in force, last one wins; keys as git lists them.
#[derive(Debug, Default)]
pub struct Config {
    values: BTreeMap<Vec<u8>, Vec<u8>>,
    excludes: Option<PathBuf>,
    attributes: Option<PathBuf>,
}

impl Config {
    /// The call whose output [`Config::read`] takes. It lists, and evaluates nothing.
    pub const LIST: &'static [&'static str] = &["config", "-z", "--list"];

    /// Settings from git's listing of them.
    pub fn read(listed: &[u8], git: &Git, of: &Checkout, deadline: &Deadline) -> Result<Config, String> {
        let mut config = Config::default();
        for item in listed.split(|b| *b == 0).filter(|item| !item.is_empty()) {
            let mut parts = item.splitn(2, |b| *b == b'\n');
            let key = parts.next().unwrap_or_default().to_vec();
            // A key alone means true.
            config.values.insert(key, parts.next().unwrap_or(b"true").to_vec());
        }
        config.excludes = config.user_file("core.excludesfile", "git/ignore", git, of, deadline)?;
        config.attributes = config.user_file("core.attributesfile", "git/attributes", git, of, deadline)?;
        Ok(config)
    }

    pub fn get(&self, key: &str) -> Option<&[u8]> {
        self.values.get(key.as_bytes()).map(Vec::as_slice)
    }

    /// A boolean as git reads it; anything odd is none.
    pub fn is_true(&self, key: &str) -> bool {
        let value = self.get(key).unwrap_or_default().to_ascii_lowercase();
        matches!(value.as_slice(), b"true" | b"yes" | b"on" | b"1")
    }

    /// `Some(false)` only where it is said.
    pub fn is_false(&self, key: &str) -> bool {
        let value = self.get(key).map(<[u8]>::to_ascii_lowercase);
        matches!(value.as_deref(), Some(b"false" | b"no" | b"off" | b"0" | b""))
    }

    /// A file of the user's own, by its setting or at its usual place.
    fn user_file(
        &self,
        key: &str,
        usual: &str,
        git: &Git,
        of: &Checkout,
        deadline: &Deadline,
    ) -> Result<Option<PathBuf>, String> {
        let home = git.var("HOME").map(PathBuf::from);
        let Some(value) = self.get(key) else {
            let config = git.var("XDG_CONFIG_HOME").map(PathBuf::from);
            let config = config.filter(|dir| dir.is_absolute()).or_else(|| Some(home?.join(".config")));
            return Ok(config.map(|dir| dir.join(usual)));
        };
        match (value.strip_prefix(b"~/"), home) {
            _ if value.is_empty() => Ok(None),
            (Some(rest), Some(home)) => Ok(Some(home.join(OsStr::from_bytes(rest)))),
            _ if !matches!(value.first(), Some(b'~' | b'%' | b':')) => Ok(Some(of.root.join(OsStr::from_bytes(value)))),
            // `~user/`, `%(prefix)/` and what later versions add: git knows.
            _ => {
                let mut answers = of.ask(git, &[&["config", "--type=path", "--get", key]], deadline);
                let told = answers.pop().unwrap_or_else(not_run)?.output("config")?;
                let told = told.strip_suffix(b"\n").unwrap_or(&told);
                Ok((!told.is_empty()).then(|| Path::new(OsStr::from_bytes(told)).to_owned()))
            }
        }
    }

    /// The configuration file of a throw-away repository.
    pub fn for_scratch(&self) -> Vec<u8> {
        let version: &[u8] = if self.get("extensions.objectformat").is_some() { b"1" } else { b"0" };
        let mut file = Vec::new();
        let mut set = |key: &str, value: &[u8]| {
            let (section, name) = key.split_once('.').unwrap_or((key, ""));
            file.extend(format!("[{section}]\n\t{name} = ").into_bytes());
            file.extend(config_value(value));
            file.push(b'\n');
        };
        set("core.repositoryformatversion", version);
        for key in LET_THROUGH {
            if let Some(value) = self.get(key) {
                set(key, value);
            }
        }
        for (key, path) in [("core.excludesFile", &self.excludes), ("core.attributesFile", &self.attributes)] {
            if let Some(path) = path {
                set(key, path.as_os_str().as_bytes());
            }
        }
        for (key, value) in ALWAYS {
            set(key, value.as_bytes());
        }
        file
    }

    /// The names of the filters that would change content on its way into git.
    pub fn filters(&self) -> Vec<Vec<u8>> {
        let mut names: Vec<Vec<u8>> = Vec::new();
        for (key, value) in &self.values {
            let name = key
                .strip_prefix(b"filter.")
                .and_then(|rest| rest.strip_suffix(b".clean").or_else(|| rest.strip_suffix(b".process")));
            if let Some(name) = name.filter(|name| !value.is_empty() && names.last().is_none_or(|last| last != name)) {
                names.push(name.to_vec());
            }
        }
        names
    }

    /// Whether the filter `lfs` is Git LFS itself, without extensions, so that what it makes of a file is known.
    pub fn has_plain_lfs(&self) -> bool {
        let is_lfs = |key| self.get(key).is_some_and(|value: &[u8]| value.starts_with(b"git-lfs "));
        let extended = self.values.keys().any(|key| key.starts_with(b"lfs.extension."));
        (is_lfs("filter.lfs.process") || is_lfs("filter.lfs.clean")) && !extended
    }
}

/// A value in quotation marks, as a configuration file has it.
fn config_value(value: &[u8]) -> Vec<u8> {
    let mut out = vec![b'"'];
    for byte in value {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', *byte]),
            b'\n' => out.extend(b"\\n"),
            b'\t' => out.extend(b"\\t"),
            _ => out.push(*byte),
        }
    }
    out.push(b'"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(items: &[(&str, &str)]) -> Config {
        let values = items.iter().map(|(key, value)| (key.as_bytes().to_vec(), value.as_bytes().to_vec())).collect();
        Config { values, ..Config::default() }
    }

    #[test]
    fn nothing_that_starts_a_program_is_let_through() {
        let file = config(&[
            ("core.autocrlf", "input"),
            ("core.fsmonitor", "/bin/evil"),
            ("core.sshcommand", "/bin/evil"),
            ("core.hookspath", "/evil"),
            ("filter.x.clean", "/bin/evil"),
            ("diff.external", "/bin/evil"),
            ("remote.origin.uploadpack", "/bin/evil"),
            ("include.path", "/evil"),
        ])
        .for_scratch();
        let text = String::from_utf8(file).unwrap();
        assert!(text.contains("autocrlf = \"input\""));
        assert!(!text.contains("evil"), "{text}");
    }

    #[test]
    fn filters_are_named_once_and_plain_lfs_is_known() {
        let lfs = config(&[
            ("filter.lfs.clean", "git-lfs clean -- %f"),
            ("filter.lfs.process", "git-lfs filter-process"),
            ("filter.lfs.required", "true"),
            ("filter.only.smudge", "cat"),
            ("filter.a.b.clean", "sed"),
        ]);
        assert_eq!(lfs.filters(), [b"a.b".to_vec(), b"lfs".to_vec()]);
        assert!(lfs.has_plain_lfs());
        assert!(!config(&[("filter.lfs.clean", "tr a b")]).has_plain_lfs());
        assert!(!config(&[("filter.lfs.clean", "git-lfs clean"), ("lfs.extension.x.clean", "y")]).has_plain_lfs());
    }
}
