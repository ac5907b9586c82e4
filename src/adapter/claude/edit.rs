//! What Claude Code tells of a file it wrote: the whole file before and after, where it says so, and its hunks.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::take_text;
use crate::evidence::event::{FileChange, FileEdit};

/// `PostToolUse` of Edit, Write or NotebookEdit; `None` for any other tool or shape, with `map` as it was.
pub fn read(map: &mut Map<String, Value>, tool: &str) -> Option<FileEdit<'static>> {
    let response = map.get_mut("tool_response")?.as_object_mut()?;
    match tool {
        "Edit" if has(response, &["filePath", "oldString", "newString"]) => Some(edit(response)),
        "Write" if has(response, &["filePath", "content"]) => Some(write(response)),
        "NotebookEdit" if has(response, &["notebook_path"]) => notebook(response),
        _ => None,
    }
}

fn has(response: &Map<String, Value>, keys: &[&str]) -> bool {
    keys.iter().all(|key| response.get(*key).is_some_and(Value::is_string))
}

fn edit(response: &mut Map<String, Value>) -> FileEdit<'static> {
    let old = take_text(response, "oldString").unwrap_or_default();
    let new = take_text(response, "newString").unwrap_or_default();
    let before = take_text(response, "originalFile");
    let after = before.as_deref().filter(|_| !touched_by_user(response)).and_then(|whole| {
        let all = response.get("replaceAll").and_then(Value::as_bool).unwrap_or(false);
        replaced(whole, &old, &new, all)
    });
    let created = before.is_none() && old.is_empty();
    let change = if created { FileChange::Created } else { FileChange::Changed };
    FileEdit {
        path: take_text(response, "filePath").unwrap_or_default(),
        change,
        before,
        after: after.map(Cow::Owned),
        patch: patch(response),
        failed: false,
    }
}

/// The file after an edit, which the client does not tell. Nothing where the edit could have gone elsewhere.
fn replaced(whole: &str, old: &str, new: &str, all: bool) -> Option<String> {
    if old.is_empty() {
        return whole.is_empty().then(|| new.to_owned());
    }
    match (whole.matches(old).take(2).count(), all) {
        (0, _) => None,
        (_, true) => Some(whole.replace(old, new)),
        (1, false) => Some(whole.replacen(old, new, 1)),
        _ => None,
    }
}

fn write(response: &mut Map<String, Value>) -> FileEdit<'static> {
    let before = take_text(response, "originalFile");
    let kind = take_text(response, "type");
    let created = match kind.as_deref() {
        Some("create") => true,
        Some("update") => false,
        _ => before.is_none(),
    };
    let content = take_text(response, "content").filter(|_| !touched_by_user(response));
    FileEdit {
        path: take_text(response, "filePath").unwrap_or_default(),
        change: if created { FileChange::Created } else { FileChange::Changed },
        before,
        after: content,
        patch: patch(response),
        failed: false,
    }
}

fn notebook(response: &mut Map<String, Value>) -> Option<FileEdit<'static>> {
    if response.get("error").and_then(Value::as_str).is_some_and(|error| !error.is_empty()) {
        return None;
    }
    Some(FileEdit {
        path: take_text(response, "notebook_path").unwrap_or_default(),
        change: FileChange::Changed,
        before: take_text(response, "original_file"),
        after: take_text(response, "updated_file"),
        patch: None,
        failed: false,
    })
}

/// The user changed what was proposed: what was written is not what the tool was told to write.
fn touched_by_user(response: &Map<String, Value>) -> bool {
    response.get("userModified").and_then(Value::as_bool).unwrap_or(false)
}

fn patch(response: &mut Map<String, Value>) -> Option<Value> {
    response.remove("structuredPatch").filter(|hunks| hunks.as_array().is_some_and(|hunks| !hunks.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read_response(tool: &str, response: Value) -> Option<FileEdit<'static>> {
        read(json!({"tool_response": response}).as_object_mut().unwrap(), tool)
    }

    #[test]
    fn an_edit_gives_the_file_before_and_after() {
        let edit = |old: &str, all: bool, user: bool| {
            read_response(
                "Edit",
                json!({"filePath": "/home/dev/demo/a", "oldString": old, "newString": "X", "originalFile": "a b b",
                       "structuredPatch": [{"lines": ["-a"]}], "replaceAll": all, "userModified": user}),
            )
            .unwrap()
        };
        let sound = edit("a", false, false);
        assert_eq!((sound.before.as_deref(), sound.after.as_deref()), (Some("a b b"), Some("X b b")));
        assert_eq!((sound.change, sound.patch.is_some()), (FileChange::Changed, true));
        assert_eq!(edit("b", true, false).after.as_deref(), Some("a X X"));
        assert_eq!(edit("b", false, false).after, None);
        assert_eq!(edit("a", false, true).after, None);
        assert_eq!(edit("z", true, false).after, None);
    }

    #[test]
    fn a_write_creates_or_changes() {
        let write = |kind: &str, before: Value| {
            read_response("Write", json!({"type": kind, "filePath": "/a", "content": "x\n", "structuredPatch": [], "originalFile": before})).unwrap()
        };
        let new = write("create", Value::Null);
        assert_eq!((new.change, new.after.as_deref(), new.patch), (FileChange::Created, Some("x\n"), None));
        assert_eq!(write("update", json!("y")).change, FileChange::Changed);
        assert_eq!(write("later", Value::Null).change, FileChange::Created);
    }

    #[test]
    fn another_shape_or_a_refused_notebook_edit_is_no_edit() {
        assert_eq!(read_response("Edit", json!("done")), None);
        assert_eq!(read_response("Write", json!({"filePath": 7, "content": "x"})), None);
        assert_eq!(read_response("NotebookEdit", json!({"notebook_path": "/n", "error": "cell not found"})), None);
        assert_eq!(read_response("Read", json!({"filePath": "/a", "content": "x"})), None);
    }
}
