//! Lines that stand in a rollout twice, as where a history was copied into it: told once, they need not be taken apart
//! again.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, PoisonError, RwLock};

use memchr::memmem;

use super::shape::Shape;

/// More lines are not remembered; what repeats one of the rest is met again as a duplicate of the ledger's.
const MOST: usize = 1 << 20;

/// So far into a line its time and its ordinal reach, which differ between two of the same.
const PREFIX: usize = 256;

/// What was read. Clones know the same: whoever looks at lines ahead may ask, and only who reads them in order adds.
#[derive(Debug, Clone, Default)]
pub struct Repeats {
    seen: Arc<RwLock<HashSet<u64>>>,
    state: RandomState,
}

impl Repeats {
    /// What a line is known by, its time and its ordinal apart, if it names what it is about.
    pub fn key(&self, shape: Shape, line: &[u8]) -> Option<u64> {
        use Shape::*;
        let names_it = match shape {
            CommandItem | FileChangeItem | McpItem | ExecCommandEnd | PatchApplyEnd | McpToolCallEnd => true,
            FunctionCall | CustomToolCall | LocalShellCall | FunctionCallOutput | CustomToolCallOutput => true,
            // Older ones say of no turn which it is, and then two that are alike are two.
            TaskStarted | TaskComplete | TurnAborted => memmem::find(line, b"\"turn_id\":\"").is_some(),
            SessionMeta | Compacted | Ignored | Unknown => false,
        };
        names_it.then(|| {
            let from = memmem::find(&line[..line.len().min(PREFIX)], b"\"type\":").unwrap_or(0);
            let mut hasher = self.state.build_hasher();
            hasher.write(&line[from..]);
            hasher.finish()
        })
    }

    /// Whether a line with this key was read before.
    pub fn knows(&self, key: u64) -> bool {
        self.seen.read().unwrap_or_else(PoisonError::into_inner).contains(&key)
    }

    /// The same, and from now on one was.
    pub(super) fn again(&mut self, key: u64) -> bool {
        let mut seen = self.seen.write().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= MOST { seen.contains(&key) } else { !seen.insert(key) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_line_at_another_time_is_a_repeat_and_the_like_of_another_call_is_none() {
        let mut repeats = Repeats::default();
        let known = repeats.clone();
        let mut again = |shape: Shape, line: &[u8]| repeats.key(shape, line).is_some_and(|key| repeats.again(key));
        let line = |at: u32, call: &str| {
            format!(
                "{{\"timestamp\":\"{at}\",\"ordinal\":{at},\"type\":\"event_msg\",\"payload\":{{\"id\":\"{call}\"}}}}"
            )
        };
        assert!(!again(Shape::CommandItem, line(1, "a").as_bytes()));
        assert!(again(Shape::CommandItem, line(2, "a").as_bytes()));
        assert!(!again(Shape::CommandItem, line(2, "b").as_bytes()));
        // It names no turn: there may be two of them.
        for _ in 0..2 {
            assert!(!again(Shape::TaskStarted, line(3, "c").as_bytes()));
        }
        assert!(!again(Shape::Compacted, b""));
        let key = |call: &str| known.key(Shape::CommandItem, line(4, call).as_bytes()).unwrap();
        assert!(known.knows(key("a")) && !known.knows(key("d")));
    }
}
