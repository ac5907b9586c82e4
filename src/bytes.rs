//! Finding a byte, where a whole process is over in a millisecond.
//!
//! memchr asks the processor once a process which instructions it has; under a hypervisor each such question is a trap,
//! and all of them together cost more than a hook call's own work. What every x86-64 has is fast enough. On other
//! processors memchr does not ask.
//!
//! Architecture invariant: what an ordinary hook call passes through searches with these, and uses neither memchr's own
//! functions nor its `memmem`.

pub mod plain;

#[cfg(target_arch = "x86_64")]
use memchr::arch::x86_64::sse2::memchr::{One, Two};

/// The first place of `byte`.
pub fn find(byte: u8, bytes: &[u8]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if let Some(one) = One::new(byte) {
        return one.find(bytes);
    }
    memchr::memchr(byte, bytes)
}

/// The last place of `byte`.
pub fn find_last(byte: u8, bytes: &[u8]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if let Some(one) = One::new(byte) {
        return one.rfind(bytes);
    }
    memchr::memrchr(byte, bytes)
}

/// The first place of either.
pub fn find_either(one: u8, other: u8, bytes: &[u8]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if let Some(two) = Two::new(one, other) {
        return two.find(bytes);
    }
    memchr::memchr2(one, other, bytes)
}

/// Every place of `byte`, first to last.
pub fn find_all(byte: u8, bytes: &[u8]) -> impl Iterator<Item = usize> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + find(byte, bytes.get(from..)?)?;
        from = at + 1;
        Some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_is_found_from_either_end() {
        let bytes = b"a=b\n=c\n".repeat(40);
        let expected: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == b'=').collect();
        assert_eq!(find_all(b'=', &bytes).collect::<Vec<_>>(), expected);
        assert_eq!((find(b'=', &bytes), find_last(b'=', &bytes)), (Some(1), expected.last().copied()));
        assert_eq!(find_either(b'\n', b'=', &bytes[2..]), Some(1));
        assert_eq!((find(b'x', &bytes), find_last(b'x', b""), find_either(b'x', b'y', &bytes)), (None, None, None));
    }
}
