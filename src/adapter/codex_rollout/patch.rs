//! The files that a patch names, for a patch that was never applied: nothing else tells which they were.

use crate::evidence::event::FileChange;

/// `*** Add File: p`, `*** Update File: p`, `*** Delete File: p` at the beginning of a line, in order, each once. A move
/// names the file that would have been removed and the one that would have come.
pub fn files(patch: &str) -> Vec<(&str, FileChange)> {
    let mut files: Vec<(&str, FileChange)> = Vec::new();
    for line in patch.lines() {
        let found = if let Some(path) = line.strip_prefix("*** Add File: ") {
            (path, FileChange::Created)
        } else if let Some(path) = line.strip_prefix("*** Update File: ") {
            (path, FileChange::Changed)
        } else if let Some(path) = line.strip_prefix("*** Delete File: ") {
            (path, FileChange::Removed)
        } else if let Some(path) = line.strip_prefix("*** Move to: ") {
            if let Some(last) = files.last_mut() {
                last.1 = FileChange::Removed;
            }
            (path, FileChange::Created)
        } else {
            continue;
        };
        let found = (found.0.trim(), found.1);
        if !found.0.is_empty() && !files.iter().any(|(path, _)| *path == found.0) {
            files.push(found);
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_patch_is_named_once() {
        let patch = "*** Begin Patch\n*** Update File: added.txt\n*** Move to: moved.txt\n@@\n-one\n+*** Add File: no\n*** Delete File: main.rs\n*** End Patch\n";
        assert_eq!(
            files(patch),
            [("added.txt", FileChange::Removed), ("moved.txt", FileChange::Created), ("main.rs", FileChange::Removed)]
        );
        assert_eq!(files("garbage"), []);
    }
}
