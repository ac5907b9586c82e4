//! A file that a tool of Claude Code wrote: which, how it changed, and what it was before and after.

use serde_json::{Map, Value};

use super::clean::Cleaner;
use super::scene::Scene;
use super::stamp::{self, Seen};
use super::{EvidenceSensor, SensorOutcome, digest};
use crate::evidence::event::{Action, AgentEvent, Client, FileEdit};
use crate::evidence::{CollectionMethod, EvidenceKind, RuntimeCapabilities, SignalClass, TrustClass};
use crate::redact;

const VERSION: &str = "1";

/// A patch is kept within so many bytes, head and tail.
const PATCH_CAP: usize = 256 * 1024;

pub struct ClaudeEditSensor<'s> {
    pub scene: &'s Scene,
}

impl EvidenceSensor for ClaudeEditSensor<'_> {
    fn name(&self) -> &'static str {
        "ClaudeEditSensor"
    }

    fn required_capabilities(&self) -> &'static [SignalClass] {
        &[SignalClass::ToolInvocation, SignalClass::ToolResultPayload]
    }

    fn trust_class(&self) -> TrustClass {
        TrustClass::AgentAdjacent
    }

    fn collection_method(&self) -> CollectionMethod {
        CollectionMethod::HookCallback
    }

    fn collect(&self, event: &AgentEvent<'_>, capabilities: &RuntimeCapabilities) -> SensorOutcome {
        let (Client::Claude, Action::Edit(edit)) = (event.client, &event.action) else {
            return SensorOutcome::nothing();
        };
        if let Some(outcome) = SensorOutcome::missing(capabilities, self.required_capabilities()) {
            return outcome;
        }
        let mut clean = Cleaner::default();
        let payload = payload(event.tool.as_deref().unwrap_or("-"), edit, self.scene, &mut clean);
        let branch = if edit.patch.is_some() { "structured_patch" } else { "tool_response:file" };
        let seen = Seen::new(EvidenceKind::FileDiff, payload, branch);
        SensorOutcome::collected(vec![stamp::evidence(self, VERSION, event, self.scene, clean, seen)])
    }
}

pub(super) fn payload(tool: &str, edit: &FileEdit<'_>, scene: &Scene, clean: &mut Cleaner) -> Map<String, Value> {
    let mut payload = Map::new();
    payload.insert("tool".into(), clean.text(tool).into());
    payload.insert("path".into(), clean.text(&edit.path).into());
    payload.insert("change".into(), edit.change.as_str().into());
    if edit.failed {
        payload.insert("failed".into(), true.into());
    }
    // Of a file that is named like a secret nothing is kept that it says.
    if let Some(hunks) = edit.patch.as_ref().filter(|_| !redact::secret_name(&edit.path)) {
        // As hunks first: a key's lines are known for one only beside each other.
        let hunks = clean.json(hunks.clone());
        payload.insert("patch".into(), clean.capped(&unified(&hunks), PATCH_CAP).into());
    }
    for (key, content) in [("before", &edit.before), ("after", &edit.after)] {
        let told = content.as_deref().map(|content| digest::of(&edit.path, content.as_bytes(), scene));
        payload.insert(key.into(), told.into());
    }
    payload
}

/// The client's hunks as unified diff text (Codex tells them so): one string, which a ledger can move out of its line. A hunk of another shape
/// is kept as its JSON.
fn unified(hunks: &Value) -> String {
    let mut text = hunks.as_str().unwrap_or_default().to_owned();
    for hunk in hunks.as_array().map(Vec::as_slice).unwrap_or_default() {
        let number = |key| hunk.get(key).and_then(Value::as_u64);
        let lines = hunk.get("lines").and_then(Value::as_array);
        match (number("oldStart"), number("oldLines"), number("newStart"), number("newLines"), lines) {
            (Some(old), Some(old_lines), Some(new), Some(new_lines), Some(lines)) => {
                text.push_str(&format!("@@ -{old},{old_lines} +{new},{new_lines} @@\n"));
                for line in lines {
                    text.push_str(line.as_str().unwrap_or_default());
                    text.push('\n');
                }
            }
            _ => {
                text.push_str(&hunk.to_string());
                text.push('\n');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::event::FileChange;
    use serde_json::json;

    #[test]
    fn a_patch_becomes_unified_diff_text() {
        let hunks = json!([{"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": ["-hello", "+HELLO", " world"]}]);
        assert_eq!(unified(&hunks), "@@ -1,2 +1,2 @@\n-hello\n+HELLO\n world\n");
        assert_eq!(unified(&json!(["odd"])), "\"odd\"\n");
    }

    #[test]
    fn nothing_that_a_secret_file_says_is_kept() {
        let edit = FileEdit {
            path: "/home/dev/demo/.env".into(),
            change: FileChange::Changed,
            before: Some("A=hunter22\n".into()),
            after: Some("A=hunter33\n".into()),
            patch: Some(json!([{"lines": ["-A=hunter22", "+A=hunter33"]}])),
            failed: false,
        };
        let payload = payload("Edit", &edit, &Scene::default(), &mut Cleaner::default());
        assert_eq!(payload["before"], json!({"len": 11}));
        assert!(!Value::Object(payload).to_string().contains("hunter"));
    }
}
