//! One thing an agent did, as its client reports it, in one shape for every client. Adapters make it, sensors read it.
//!
//! Architecture invariant: an event says what was told and no more. An exit code that was not told is `None` with a
//! reason; nothing is inferred here.

use std::borrow::Cow;

use serde_json::Value;

use super::tags::ClockSource;

/// The client whose event it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    Claude,
    Codex,
    /// deeds itself: `deeds run` and producers.
    Deeds,
}

impl Client {
    pub fn as_str(self) -> &'static str {
        match self {
            Client::Claude => "claude",
            Client::Codex => "codex",
            Client::Deeds => "deeds",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct AgentEvent<'a> {
    pub client: Client,
    /// The client's version where it is told.
    pub client_version: Option<Cow<'a, str>>,
    /// The client's own event name (`PostToolUse`) or rollout item (`item_completed`); the phase of evidence ids.
    pub name: Cow<'a, str>,
    /// The parent's session for a sub-agent.
    pub session_id: Cow<'a, str>,
    /// Set inside a sub-agent.
    pub agent: Option<SubAgent<'a>>,
    /// The client's turn or prompt id.
    pub turn_id: Option<Cow<'a, str>>,
    /// The client's id of the tool call.
    pub call_id: Option<Cow<'a, str>>,
    /// The client's tool name, as told.
    pub tool: Option<Cow<'a, str>>,
    /// Where the client keeps the session's transcript or rollout.
    pub transcript_path: Option<Cow<'a, str>>,
    /// Where the agent was.
    pub cwd: Option<Cow<'a, str>>,
    /// RFC 3339.
    pub observed_at: String,
    pub clock: ClockSource,
    /// How the event reached deeds.
    pub via: Via,
    pub action: Action<'a>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SubAgent<'a> {
    pub id: Cow<'a, str>,
    pub kind: Option<Cow<'a, str>>,
}

/// How an event reached deeds, and so how evidence from it was collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// The client called the hook.
    Hook,
    /// deeds read the client's session file as it was written, or long after.
    File,
    /// deeds ran it.
    Host,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Action<'a> {
    /// A shell command ended, failed, or went to the background.
    Command(CommandRun<'a>),
    /// A tool wrote a file.
    Edit(FileEdit<'a>),
    /// Any other tool call.
    Tool(ToolCall<'a>),
    /// The calls of one assistant message, of which some may never have run.
    Batch(Vec<BatchCall<'a>>),
    /// A background task ended.
    TaskNotification(TaskNotification<'a>),
    /// The user spoke; nothing of the text is kept.
    TurnBegan,
    SessionStarted {
        source: Option<Cow<'a, str>>,
    },
    SessionEnded {
        reason: Option<Cow<'a, str>>,
    },
    /// The agent, or a sub-agent, ended its turn with these words.
    Stopped(Stop<'a>),
    TaskCompleted {
        task_id: Cow<'a, str>,
    },
    /// The user, or the client itself, broke the turn off.
    Interrupted {
        reason: Option<Cow<'a, str>>,
    },
    /// The client replaced what the model remembers by a summary; what was recorded stays.
    Compacted,
    /// An event that is known and carries nothing to record.
    Nothing,
}

/// A shell command and all that was told of how it went.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandRun<'a> {
    pub command: Cow<'a, str>,
    pub description: Option<Cow<'a, str>>,
    pub exit: ReportedExit,
    pub output: Output<'a>,
    /// The client's id of the background task that the command became.
    pub background_task: Option<Cow<'a, str>>,
    pub duration_ms: Option<u64>,
    /// What the client thinks git did; kept, never believed.
    pub git_operation: Option<Value>,
    /// The user ran it, not the agent.
    pub by_user: bool,
}

/// The exit code as told. `code` is `None` exactly where nothing told it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedExit {
    pub code: Option<i64>,
    pub basis: ExitBasis,
    /// Why there is no code: `background`, `timed_out`, `interrupted`, `return_code_interpreted`, `not_told`, …
    pub reason: Option<String>,
}

impl ReportedExit {
    pub fn told(code: i64, basis: ExitBasis) -> ReportedExit {
        ReportedExit { code: Some(code), basis, reason: None }
    }

    pub fn untold(reason: impl Into<String>) -> ReportedExit {
        ReportedExit { code: None, basis: ExitBasis::None, reason: Some(reason.into()) }
    }
}

/// What an exit code rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitBasis {
    /// Which event fired implies it (Claude Code's PostToolUse: 0).
    Event,
    /// A field of the payload.
    Payload,
    /// Words in the client's own text (`Exit code N`).
    Text,
    /// A literal field of the rollout.
    Rollout,
    /// deeds waited for the process itself.
    Process,
    None,
}

impl ExitBasis {
    pub fn as_str(self) -> &'static str {
        match self {
            ExitBasis::Event => "event",
            ExitBasis::Payload => "payload",
            ExitBasis::Text => "text",
            ExitBasis::Rollout => "rollout",
            ExitBasis::Process => "process",
            ExitBasis::None => "none",
        }
    }
}

/// What a command printed, as far as the client passed it on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Output<'a> {
    /// stdout and stderr as the client merged them.
    pub text: Cow<'a, str>,
    /// The client's own file with the whole output, where `text` is only a part.
    pub full_path: Option<Cow<'a, str>>,
    /// The client left something out of `text` (at its end, or in its middle).
    pub cut: bool,
}

/// A file written by an editing tool.
#[derive(Debug, Clone, PartialEq)]
pub struct FileEdit<'a> {
    pub path: Cow<'a, str>,
    pub change: FileChange,
    /// The whole file before, where told.
    pub before: Option<Cow<'a, str>>,
    /// The whole file after, where told.
    pub after: Option<Cow<'a, str>>,
    /// The client's hunks, as told.
    pub patch: Option<Value>,
    /// Codex: the patch failed.
    pub failed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileChange {
    Created,
    Changed,
    Removed,
}

impl FileChange {
    pub fn as_str(self) -> &'static str {
        match self {
            FileChange::Created => "created",
            FileChange::Changed => "changed",
            FileChange::Removed => "removed",
        }
    }
}

/// Any tool call that is neither a command nor an edit.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall<'a> {
    pub input: Value,
    /// The response as the client's JSON text, for its length and digest.
    pub response: Cow<'a, str>,
    pub failed: bool,
    /// The client's words on the failure.
    pub error: Option<Cow<'a, str>>,
}

/// One call of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchCall<'a> {
    pub tool: Cow<'a, str>,
    pub call_id: Cow<'a, str>,
    pub input: Value,
    /// The text that the model got.
    pub text: Cow<'a, str>,
}

/// The end of a background task, as the client tells it in a prompt of its own making.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskNotification<'a> {
    pub task_id: Option<Cow<'a, str>>,
    pub status: Option<Cow<'a, str>>,
    pub exit: ReportedExit,
    /// What the client says outside quotation marks (`failed with exit code 3`).
    pub summary: Option<Cow<'a, str>>,
    pub output_path: Option<Cow<'a, str>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Stop<'a> {
    /// The last assistant message; `None` where the client told none.
    pub message: Option<Cow<'a, str>>,
    /// A Stop hook already made this turn go on.
    pub stop_hook_active: bool,
    /// Ids of background tasks still running.
    pub running: Vec<Cow<'a, str>>,
    /// It is a sub-agent's stop.
    pub subagent: bool,
}

/// A payload that is no event this version knows. The text is as it came: the caller redacts and caps it.
#[derive(Debug, Clone, PartialEq)]
pub struct Unparsed {
    pub reason: String,
    pub text: RawText,
    /// Bytes of the payload.
    pub len: usize,
    pub session_id: Option<String>,
    pub cwd: Option<String>,
}

/// What can be kept of a payload that was not understood.
#[derive(Debug, Clone, PartialEq)]
pub enum RawText {
    /// It is no JSON: its beginning, escapes decoded.
    Text(String),
    /// It is JSON of an unknown shape, without what a user may have said.
    Json(Value),
    /// It may hold a user's words, none of which are kept.
    Withheld,
}
