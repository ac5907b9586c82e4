//! Lines that stand in a rollout twice, as where a history was copied into it: told once, they need not be taken apart
//! again.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
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
    seen: Arc<RwLock<HashSet<u64, BuildHasherDefault<Itself>>>>,
    secret: Secret,
}

/// What makes a key that nobody who writes a rollout can know.
#[derive(Debug, Clone)]
struct Secret([u64; 3]);

impl Default for Secret {
    fn default() -> Secret {
        let state = RandomState::new();
        Secret([1, 2, 3].map(|nth: u64| state.hash_one(nth)))
    }
}

impl Secret {
    /// 64 bits of all of `bytes`, sixteen at a time: a line is long, and every one that leaves something passes here.
    fn key(&self, bytes: &[u8]) -> u64 {
        let Secret([first, second, third]) = *self;
        let mut key = third ^ bytes.len() as u64;
        let (pairs, rest) = bytes.as_chunks::<16>();
        let mut last = [0; 16];
        last[..rest.len()].copy_from_slice(rest);
        for pair in pairs.iter().chain([&last]) {
            let both = u128::from_le_bytes(*pair);
            key = folded(both as u64 ^ first ^ key, (both >> 64) as u64 ^ second ^ key.rotate_left(32));
        }
        folded(key ^ first, third)
    }
}

/// Both halves of the product in one.
fn folded(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

/// The hasher of keys, which are hashes already.
#[derive(Debug, Default)]
struct Itself(u64);

impl Hasher for Itself {
    fn write(&mut self, bytes: &[u8]) {
        // Keys come by `write_u64`.
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn finish(&self) -> u64 {
        self.0
    }
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
            self.secret.key(&line[from..])
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
