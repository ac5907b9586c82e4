//! What a rollout line is, told from its first bytes.
//!
//! Most of a rollout is text that no evidence comes from: messages, reasoning, token counts, the model's own copy of an
//! output. Their names stand at the beginning of the line, so such a line is left without being parsed. A line whose
//! beginning says nothing, or names something unknown, is parsed in full; nothing is skipped for being odd.

use std::sync::LazyLock;

use memchr::memmem::{self, Finder};

use super::members::{Scan, Value};

/// What a line is for the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Known, and nothing to record.
    Ignored,
    SessionMeta,
    Compacted,
    TaskStarted,
    TaskComplete,
    TurnAborted,
    /// `item_completed` of a command.
    CommandItem,
    FileChangeItem,
    McpItem,
    /// The counterparts of older rollouts, before items.
    ExecCommandEnd,
    PatchApplyEnd,
    McpToolCallEnd,
    /// A call that the model made, and what it got for it.
    FunctionCall,
    CustomToolCall,
    LocalShellCall,
    FunctionCallOutput,
    CustomToolCallOutput,
    /// None of these.
    Unknown,
}

impl Shape {
    /// What the model asked for, before anything came of it.
    pub fn begins_a_call(self) -> bool {
        matches!(self, Shape::FunctionCall | Shape::CustomToolCall | Shape::LocalShellCall)
    }

    /// What the model got for a call.
    pub fn is_output(self) -> bool {
        matches!(self, Shape::FunctionCallOutput | Shape::CustomToolCallOutput)
    }

    /// Whether such a line tells all by itself that is to be known of it.
    pub fn stands_alone(self) -> bool {
        use Shape::*;
        match self {
            CommandItem | FileChangeItem | McpItem | ExecCommandEnd | PatchApplyEnd | McpToolCallEnd => true,
            TaskStarted | TaskComplete | TurnAborted | Compacted => true,
            FunctionCall | CustomToolCall | LocalShellCall => true,
            FunctionCallOutput | CustomToolCallOutput | SessionMeta | Ignored | Unknown => false,
        }
    }
}

/// A line's names: `type`, `payload.type`, and `payload.item.type` where the payload is a completed item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Names<'a> {
    pub line: &'a str,
    pub payload: &'a str,
    pub item: &'a str,
    /// `payload.call_id`, where it stood before anything long.
    pub call_id: &'a str,
}

/// One row for each name that the reader acts on, or knows to carry nothing: the line's type, the payload's, the item's
/// (`*`: any). The first row that fits counts.
const SHAPES: &[(&str, &str, &str, Shape)] = &[
    ("event_msg", "item_completed", "CommandExecution", Shape::CommandItem),
    ("event_msg", "item_completed", "FileChange", Shape::FileChangeItem),
    ("event_msg", "item_completed", "McpToolCall", Shape::McpItem),
    ("event_msg", "token_count", "*", Shape::Ignored),
    ("response_item", "function_call_output", "*", Shape::FunctionCallOutput),
    ("response_item", "function_call", "*", Shape::FunctionCall),
    ("response_item", "message", "*", Shape::Ignored),
    ("response_item", "reasoning", "*", Shape::Ignored),
    ("response_item", "custom_tool_call_output", "*", Shape::CustomToolCallOutput),
    ("response_item", "custom_tool_call", "*", Shape::CustomToolCall),
    ("response_item", "local_shell_call", "*", Shape::LocalShellCall),
    ("session_meta", "*", "*", Shape::SessionMeta),
    ("compacted", "*", "*", Shape::Compacted),
    ("turn_context", "*", "*", Shape::Ignored),
    ("world_state", "*", "*", Shape::Ignored),
    ("token_usage_record", "*", "*", Shape::Ignored),
    ("inter_agent_communication", "*", "*", Shape::Ignored),
    ("inter_agent_communication_metadata", "*", "*", Shape::Ignored),
    ("event_msg", "task_started", "*", Shape::TaskStarted),
    ("event_msg", "turn_started", "*", Shape::TaskStarted),
    ("event_msg", "task_complete", "*", Shape::TaskComplete),
    ("event_msg", "turn_complete", "*", Shape::TaskComplete),
    ("event_msg", "turn_aborted", "*", Shape::TurnAborted),
    ("event_msg", "exec_command_end", "*", Shape::ExecCommandEnd),
    ("event_msg", "patch_apply_end", "*", Shape::PatchApplyEnd),
    ("event_msg", "mcp_tool_call_end", "*", Shape::McpToolCallEnd),
];

/// Items and events that are known and carry nothing to record: the words of either side, what the client shows, and
/// what another line tells better (the beginning of a call, the client's name for a tool whose output is a line too).
const IGNORED_ITEMS: &[&str] = &[
    "AgentMessage",
    "UserMessage",
    "HookPrompt",
    "Reasoning",
    "Plan",
    "CollabAgentToolCall",
    "DynamicToolCall",
    "FunctionCallOutput",
    "SubAgentActivity",
    "WebSearch",
    "ImageView",
    "ImageGeneration",
    "Sleep",
    "Extension",
    "ContextCompaction",
    "EnteredReviewMode",
    "ExitedReviewMode",
];

const IGNORED_EVENTS: &[&str] = &[
    "user_message",
    "agent_message",
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "agent_reasoning_section_break",
    "thread_settings_applied",
    "thread_name_updated",
    "thread_goal_updated",
    "thread_rolled_back",
    "context_compacted",
    "entered_review_mode",
    "exited_review_mode",
    "undo_completed",
    "undo_started",
    "plan_update",
    "turn_diff",
    "error",
    "warning",
    "stream_error",
    "deprecation_notice",
    "background_event",
    "session_configured",
    "item_started",
    "exec_command_begin",
    "exec_command_output_delta",
    "exec_approval_request",
    "apply_patch_approval_request",
    "terminal_interaction",
    "patch_apply_begin",
    "patch_apply_updated",
    "mcp_tool_call_begin",
    "mcp_startup_update",
    "mcp_startup_complete",
    "web_search_begin",
    "web_search_end",
    "image_generation_begin",
    "image_generation_end",
    "view_image_tool_call",
    "dynamic_tool_call_request",
    "dynamic_tool_call_response",
    "collab_agent_spawn_begin",
    "collab_agent_spawn_end",
    "collab_agent_interaction_begin",
    "collab_agent_interaction_end",
    "collab_waiting_begin",
    "collab_waiting_end",
    "collab_close_begin",
    "collab_close_end",
    "collab_resume_begin",
    "collab_resume_end",
    "sub_agent_activity",
    "guardian_assessment",
    "guardian_warning",
    "hook_started",
    "hook_completed",
    "model_reroute",
    "model_verification",
    "safety_buffering",
    "turn_moderation_metadata",
    "request_user_input",
    "request_permissions",
    "elicitation_request",
    "raw_response_item",
    "raw_response_completed",
    "realtime_conversation_started",
    "realtime_conversation_realtime",
    "realtime_conversation_sdp",
    "realtime_conversation_closed",
    "shutdown_complete",
];

const IGNORED_RESPONSES: &[&str] = &[
    "additional_tools",
    "agent_message",
    "web_search_call",
    "tool_search_call",
    "tool_search_output",
    "image_generation_call",
    "ghost_snapshot",
    "compaction",
    "compaction_trigger",
    "context_compaction",
    "configuration_update",
    "other",
];

impl Names<'_> {
    pub fn shape(&self) -> Shape {
        let fits = |name: &str, row: &str| row == "*" || row == name;
        if let Some(row) =
            SHAPES.iter().find(|row| row.0 == self.line && fits(self.payload, row.1) && fits(self.item, row.2))
        {
            return row.3;
        }
        let ignored = match (self.line, self.payload) {
            ("event_msg", "item_completed") => IGNORED_ITEMS.contains(&self.item),
            ("event_msg", name) => IGNORED_EVENTS.contains(&name),
            ("response_item", name) => IGNORED_RESPONSES.contains(&name),
            _ => false,
        };
        if ignored { Shape::Ignored } else { Shape::Unknown }
    }
}

/// The beginning of every line that Codex writes. Inside a string its quotation marks are escaped, so a second one says
/// that two lines stand on one.
const LINE_START: &[u8] = b"{\"timestamp\":";

/// Whether the whole line may be left for what its beginning says: it ends as an object does, and no second line stands
/// on it.
pub fn is_one_object(line: &[u8]) -> bool {
    static START: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(LINE_START));
    line.ends_with(b"}") && line.len() > 1 && START.find(&line[1..]).is_none()
}

/// Where on a broken line the next whole one may begin.
pub fn next_start(line: &[u8], from: usize) -> Option<usize> {
    memmem::find(line.get(from..)?, LINE_START).map(|at| from + at)
}

/// What a line is, and the names that say so; `Unknown` where not all of the line is what its beginning says.
pub fn of(line: &[u8]) -> (Shape, Names<'_>) {
    let names = names(line);
    match names.shape() {
        Shape::Unknown => (Shape::Unknown, names),
        shape => (if is_one_object(line) { shape } else { Shape::Unknown }, names),
    }
}

/// The names in the beginning of `line`. What cannot be told without parsing stays empty.
pub fn names(line: &[u8]) -> Names<'_> {
    let mut names = Names::default();
    let mut scan = Scan::new(line);
    if scan.open().is_none() {
        return names;
    }
    let mut level = Level::Line;
    while let Some(key) = scan.key() {
        match (level, key, scan.value()) {
            (Level::Line, b"type", Value::Text(text)) => names.line = told(text),
            (Level::Line, b"payload", Value::Object) => {
                if names.line != "event_msg" && names.line != "response_item" {
                    return names;
                }
                level = Level::Payload;
            }
            (Level::Payload, b"type", Value::Text(text)) => {
                names.payload = told(text);
                if !names.payload.ends_with("_output") && names.payload != "item_completed" {
                    return names;
                }
            }
            (Level::Payload, b"call_id", Value::Text(text)) => {
                names.call_id = told(text);
                return names;
            }
            (Level::Payload, b"item", Value::Object) if names.payload == "item_completed" => level = Level::Item,
            (Level::Item, b"type", Value::Text(text)) => {
                names.item = told(text);
                return names;
            }
            (_, _, Value::Object | Value::Unclear) => return names,
            _ => {}
        }
    }
    names
}

/// A name that is no text is none that is known.
fn told(text: &[u8]) -> &str {
    std::str::from_utf8(text).unwrap_or_default()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Line,
    Payload,
    Item,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(line: &str) -> Shape {
        names(line.as_bytes()).shape()
    }

    #[test]
    fn a_line_is_known_by_its_beginning() {
        let item = r#"{"timestamp":"2026-11-30T19:48:47.565Z","ordinal":76,"type":"event_msg","payload":{"type":"item_completed","thread_id":"t","turn_id":"u","item":{"type":"CommandExecution","id":"call_1""#;
        assert_eq!(shape(item), Shape::CommandItem);
        assert_eq!(shape(&item.replace("CommandExecution", "AgentMessage")), Shape::Ignored);
        assert_eq!(shape(&item.replace("CommandExecution", "Telepathy")), Shape::Unknown);
        assert_eq!(shape(r#"{"timestamp":"t","type":"world_state","payload":{"cut":true}}"#), Shape::Ignored);
        assert_eq!(shape(r#"{"timestamp":"t","type":"session_meta","payload":{"id":"#), Shape::SessionMeta);
        assert_eq!(
            shape(r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role"#),
            Shape::Ignored
        );
        assert_eq!(
            shape(r#"{ "type": "event_msg", "payload": { "type": "exec_command_end" } }"#),
            Shape::ExecCommandEnd
        );
        for odd in
            ["", "{", "[1]", "{\"type\":7}", "{\"ty\\u0070e\":\"event_msg\"}", "{\"payload\":{\"type\":\"message\"}}"]
        {
            assert_eq!(shape(odd), Shape::Unknown, "{odd}");
        }
    }

    #[test]
    fn the_call_of_an_output_is_known_without_its_text() {
        let line = br#"{"timestamp":"t","ordinal":1,"type":"response_item","payload":{"type":"function_call_output","id":"fco_1","call_id":"call_1","output":"a"#;
        assert_eq!(names(line).call_id, "call_1");
        assert_eq!(names(line).shape(), Shape::FunctionCallOutput);
    }

    #[test]
    fn a_second_line_on_a_line_is_noticed_and_the_same_words_in_a_string_are_not() {
        let one = br#"{"timestamp":"t","type":"world_state","payload":{"say":"{\"timestamp\":1}"}}"#;
        assert!(is_one_object(one));
        let two = [&one[..], &one[..]].concat();
        assert!(!is_one_object(&two));
        assert_eq!(next_start(&two, 1), Some(one.len()));
        assert!(!is_one_object(&one[..one.len() - 2]));
    }
}
