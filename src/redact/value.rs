//! Whether the value of a telling name is a secret, or only says where one is.

use memchr::memmem;

use super::MARKER;
use super::class::WORD;

/// Longer values are no names; not looking further keeps the work linear.
const NAME: usize = 256;

/// Anything but nothing, a reference to something else, and what was redacted before.
pub(super) fn is_secret(value: &[u8]) -> bool {
    let begin = value.get(..NAME).unwrap_or(value);
    !value.is_empty() && !is_reference(value) && memmem::find(begin, MARKER.as_bytes()).is_none()
}

/// `$TOKEN`, `${TOKEN}`, `{token}`, `$(…)`, `%s`, `****`.
fn is_reference(value: &[u8]) -> bool {
    let name = |name: &[u8]| !name.is_empty() && name.len() <= NAME && name.iter().all(|&byte| WORD.has(byte));
    match value {
        [b'$', b'{', inner @ .., b'}'] | [b'{', inner @ .., b'}'] => name(inner),
        [b'$', b'(', ..] | [b'`', ..] => true,
        [b'$', rest @ ..] => rest.is_empty() || (name(rest) && !rest.iter().any(u8::is_ascii_lowercase)),
        _ => value == b"%s" || (value.len() <= NAME && value.iter().all(|&byte| byte == b'*')),
    }
}

/// `process.env.KEY`: code that says where the value is.
pub(super) fn is_path(value: &[u8]) -> bool {
    let value = value.strip_suffix(b",").unwrap_or(value);
    value.len() <= NAME
        && value.contains(&b'.')
        && value.iter().all(|&byte| byte.is_ascii_alphabetic() || matches!(byte, b'.' | b'_'))
}
