//! Which value of a JSON text stands at a line and a column, as a JSON pointer.

/// One level on the way to a value.
enum Step {
    Key(String),
    Index(usize),
}

/// The pointer of the value that ends, or begins, at `line` and `column`, both from 1 and the column in bytes, as serde counts
/// them. The text may be broken from there on.
pub fn at(text: &str, line: usize, column: usize) -> String {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let end = (before + column.saturating_sub(1)).min(text.len());
    let bytes = &text.as_bytes()[..end];
    let (mut way, mut word) = (Vec::new(), String::new());
    let mut next = 0;
    while let Some(byte) = bytes.get(next) {
        match byte {
            b'"' => {
                let close = next + 1 + length(&bytes[next + 1..]);
                word =
                    bytes.get(next..=close).and_then(|quoted| serde_json::from_slice(quoted).ok()).unwrap_or_default();
                next = close;
            }
            b':' => {
                if let Some(Step::Key(key)) = way.last_mut() {
                    *key = std::mem::take(&mut word);
                }
            }
            b',' => {
                if let Some(Step::Index(index)) = way.last_mut() {
                    *index += 1;
                }
            }
            b'{' => way.push(Step::Key(String::new())),
            b'[' => way.push(Step::Index(0)),
            b'}' | b']' => drop(way.pop()),
            _ => {}
        }
        next += 1;
    }
    way.iter()
        .map(|step| match step {
            Step::Key(key) => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
            Step::Index(index) => format!("/{index}"),
        })
        .collect()
}

/// What a value lies in.
pub fn parent(pointer: &str) -> &str {
    pointer.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// How long a string is whose quotation mark has been read.
fn length(bytes: &[u8]) -> usize {
    let mut escaped = false;
    let ends = |byte: &u8| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    };
    bytes.iter().position(ends).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_by_its_place() {
        let text = "{\n  \"a\": [ { \"x,\\\"{\": 1 }, [2, 3] ],\n  \"b/c\": true\n}";
        assert_eq!(at(text, 2, 21), "/a/0/x,\"{");
        assert_eq!(at(text, 2, 30), "/a/1/1");
        assert_eq!(at(text, 3, 13), "/b~1c");
        assert_eq!((parent("/a/1"), parent("/a"), parent("")), ("/a", "", ""));
        assert_eq!(at("", 1, 0), "");
        // Not the end of a character, and beyond the end.
        assert_eq!(at("{\"é\": \"é\"}", 1, 9), "/é");
        assert_eq!(at("[", 9, 9), "/0");
    }
}
