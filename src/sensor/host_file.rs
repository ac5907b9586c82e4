//! The host's own look at a file that a tool says it wrote.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::clean::Cleaner;
use super::disk::{self, Owner, Regular, Unreadable};
use super::scene::Scene;
use super::stamp::{self, Seen};
use super::{EvidenceSensor, SensorOutcome, digest, patched};
use crate::evidence::event::{Action, AgentEvent, FileChange};
use crate::evidence::{CollectionMethod, EvidenceKind, RuntimeCapabilities, SignalClass, TrustClass};

const VERSION: &str = "1";

/// A longer file is looked at, not read.
const READ_CAP: u64 = 32 * 1024 * 1024;

/// Only at the moment of the event: what stands on disk later says nothing about it.
pub struct HostFileSensor<'s> {
    pub scene: &'s Scene,
}

impl EvidenceSensor for HostFileSensor<'_> {
    fn name(&self) -> &'static str {
        "HostFileSensor"
    }

    fn required_capabilities(&self) -> &'static [SignalClass] {
        &[]
    }

    fn trust_class(&self) -> TrustClass {
        TrustClass::HostObserved
    }

    fn collection_method(&self) -> CollectionMethod {
        CollectionMethod::ProcessObservation
    }

    fn collect(&self, event: &AgentEvent<'_>, _: &RuntimeCapabilities) -> SensorOutcome {
        let Action::Edit(edit) = &event.action else { return SensorOutcome::nothing() };
        let base = event.cwd.as_deref().map(Path::new).or(self.scene.root.as_deref());
        let path = base.unwrap_or(Path::new("/")).join(edit.path.as_ref());
        if !path.is_absolute() {
            return SensorOutcome::failed("the file's path is not absolute, and where the agent was is not known");
        }
        let mut clean = Cleaner::default();
        let mut payload = Map::new();
        payload.insert("look".into(), "file".into());
        payload.insert("path".into(), clean.text(&edit.path).into());
        let removed = edit.change == FileChange::Removed;
        let told = Told { after: edit.after.as_deref(), patch: edit.patch.as_ref().and_then(Value::as_str), removed };
        look(&path, &told, self.scene, &mut payload);
        let part = clean.text(&edit.path);
        let seen = Seen { part: &part, ..Seen::new(EvidenceKind::ProcessObservation, payload, "look:file") };
        SensorOutcome::collected(vec![stamp::evidence(self, VERSION, event, self.scene, clean, seen)])
    }
}

/// What the client told of the file.
#[derive(Default)]
struct Told<'a> {
    after: Option<&'a str>,
    /// As unified diff text.
    patch: Option<&'a str>,
    removed: bool,
}

/// `exists`, `len`, `sha256` or `keyed`, `same`, `unreadable`.
fn look(path: &Path, told: &Told<'_>, scene: &Scene, payload: &mut Map<String, Value>) {
    let mut same = None;
    match open(path, scene.root.as_deref()).and_then(|file| {
        payload.insert("len".into(), file.len.into());
        file.whole(READ_CAP)
    }) {
        Ok(bytes) => {
            payload.insert("exists".into(), true.into());
            digest::put(&path.to_string_lossy(), &bytes, scene, payload);
            same = told.after.map(|after| is_same(&bytes, after)).or(told.removed.then_some(false));
            // A later change may have come over it: that it does not stand there says nothing.
            same = same.or_else(|| told.patch.is_some_and(|patch| patched::stands(&bytes, patch)).then_some(true));
        }
        Err(Unreadable::Missing) => {
            payload.insert("exists".into(), false.into());
            same = Some(told.removed);
        }
        Err(why) => {
            // A folder that may not be entered tells nothing of what is in it.
            let exists = (!matches!(why, Unreadable::Failed(_))).then_some(true);
            payload.insert("exists".into(), exists.into());
            payload.insert("unreadable".into(), why.to_string().into());
        }
    }
    payload.insert("same".into(), same.into());
}

/// A link is followed within the worktree, never out of it.
fn open(path: &Path, root: Option<&Path>) -> Result<Regular, Unreadable> {
    match disk::open(path, Owner::Anybody) {
        Err(Unreadable::Link) => disk::open(&inside(path, root).ok_or(Unreadable::Link)?, Owner::Anybody),
        other => other,
    }
}

fn inside(path: &Path, root: Option<&Path>) -> Option<PathBuf> {
    let (target, root) = (path.canonicalize().ok()?, root?.canonicalize().ok()?);
    target.starts_with(&root).then_some(target)
}

/// Whether a file holds what the tool was told to write. A client keeps a file's line ends and byte order mark, and
/// tells its content without them.
fn is_same(bytes: &[u8], told: &str) -> bool {
    if bytes == told.as_bytes() {
        return true;
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let told = told.strip_prefix('\u{feff}').unwrap_or(told);
    let plain = |text: &[u8]| {
        let mut kept = text.to_vec();
        let mut next = text.iter().skip(1).chain(std::iter::once(&0));
        kept.retain(|byte| {
            let after = next.next();
            !(*byte == b'\r' && after == Some(&b'\n'))
        });
        kept
    };
    bytes == told.as_bytes() || plain(bytes) == plain(told.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looked(path: &Path, told: Option<&str>, root: &Path) -> Map<String, Value> {
        let scene = Scene { root: Some(root.to_owned()), ..Scene::default() };
        let mut payload = Map::new();
        look(path, &Told { after: told, ..Told::default() }, &scene, &mut payload);
        payload
    }

    #[test]
    fn line_ends_and_a_byte_order_mark_are_no_difference() {
        assert!(is_same(b"a\r\nb\r\n", "a\nb\n") && is_same(b"\xef\xbb\xbfa\n", "a\n") && is_same(b"a\rb", "a\rb"));
        assert!(!is_same(b"a\rb", "ab") && !is_same(b"a\n", "a") && !is_same(b"", "a"));
    }

    #[test]
    fn a_link_is_followed_inside_the_worktree_and_never_out_of_it() {
        let dir = std::env::temp_dir().join(format!("deeds-file-{}", std::process::id()));
        let root = dir.join("project");
        std::fs::create_dir_all(&root).unwrap();
        std::fs::write(dir.join("outside"), "x").unwrap();
        std::fs::write(root.join("a"), "x").unwrap();
        for (name, target) in [("in", "a"), ("out", "../outside")] {
            std::os::unix::fs::symlink(target, root.join(name)).unwrap();
        }
        assert_eq!(looked(&root.join("a"), Some("x"), &root)["same"], true);
        assert_eq!(looked(&root.join("a"), Some("y"), &root)["same"], false);
        assert_eq!(looked(&root.join("a"), None, &root)["same"], Value::Null);
        assert_eq!(looked(&root.join("in"), Some("x"), &root)["same"], true);
        let out = looked(&root.join("out"), Some("x"), &root);
        assert_eq!((&out["unreadable"], out.contains_key("sha256")), (&"a symbolic link".into(), false));
        let gone = looked(&root.join("gone"), Some("x"), &root);
        assert_eq!((&gone["exists"], &gone["same"]), (&false.into(), &false.into()));
        std::fs::remove_dir_all(dir).unwrap();
    }
}
