//! Lines that stand in a rollout twice, as where a history was copied into it: told once, they need not be taken apart
//! again.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher, RandomState};

use memchr::memmem;

use super::shape::Shape;

/// More lines are not remembered; what repeats one of the rest is met again as a duplicate of the ledger's.
const MOST: usize = 1 << 20;

/// So far into a line its time and its ordinal reach, which differ between two of the same.
const PREFIX: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Repeats {
    seen: HashSet<u64>,
    state: RandomState,
}

impl Repeats {
    /// Whether a line like this one, but for its time and its ordinal, was read before, and names what it is about.
    pub fn again(&mut self, shape: Shape, line: &[u8]) -> bool {
        use Shape::*;
        let names_it = match shape {
            CommandItem | FileChangeItem | McpItem | ExecCommandEnd | PatchApplyEnd | McpToolCallEnd => true,
            FunctionCall | CustomToolCall | LocalShellCall | FunctionCallOutput | CustomToolCallOutput => true,
            // Older ones say of no turn which it is, and then two that are alike are two.
            TaskStarted | TaskComplete | TurnAborted => memmem::find(line, b"\"turn_id\":\"").is_some(),
            SessionMeta | Compacted | Ignored | Unknown => false,
        };
        names_it && self.is_repeated(line)
    }

    fn is_repeated(&mut self, line: &[u8]) -> bool {
        let from = memmem::find(&line[..line.len().min(PREFIX)], b"\"type\":").unwrap_or(0);
        let mut hasher = self.state.build_hasher();
        hasher.write(&line[from..]);
        let key = hasher.finish();
        if self.seen.len() >= MOST { self.seen.contains(&key) } else { !self.seen.insert(key) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_line_at_another_time_is_a_repeat_and_the_like_of_another_call_is_none() {
        let mut repeats = Repeats::default();
        let line = |at: u32, call: &str| {
            format!(
                "{{\"timestamp\":\"{at}\",\"ordinal\":{at},\"type\":\"event_msg\",\"payload\":{{\"id\":\"{call}\"}}}}"
            )
        };
        assert!(!repeats.again(Shape::CommandItem, line(1, "a").as_bytes()));
        assert!(repeats.again(Shape::CommandItem, line(2, "a").as_bytes()));
        assert!(!repeats.again(Shape::CommandItem, line(2, "b").as_bytes()));
        // It names no turn: there may be two of them.
        for _ in 0..2 {
            assert!(!repeats.again(Shape::TaskStarted, line(3, "c").as_bytes()));
        }
        assert!(!repeats.again(Shape::Compacted, b""));
    }
}
