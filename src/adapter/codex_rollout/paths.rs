//! Paths and commands as Codex writes them, as the hook and a reader know them.

use std::path::{Component, Path, PathBuf};

/// A `file://` URI as a path; anything else as it is.
pub fn from_uri(text: &str) -> String {
    let Some(path) = text.strip_prefix("file://") else { return text.to_owned() };
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        match (first, tail) {
            (b'%', [high, low, after @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                bytes.push(hex_digit(*high) << 4 | hex_digit(*low));
                rest = after;
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned())
}

fn hex_digit(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => byte - b'0',
        b'a'..=b'f' => byte - b'a' + 10,
        _ => byte.wrapping_sub(b'A').wrapping_add(10),
    }
}

/// `path` as the agent meant it where it stood in `cwd`; without I/O, so that a link in it stays one.
pub fn absolute(path: &str, cwd: Option<&str>) -> String {
    let path = from_uri(path);
    let Some(cwd) = cwd.filter(|_| !Path::new(&path).is_absolute()) else { return path };
    let mut whole = PathBuf::new();
    for part in Path::new(cwd).join(&path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    whole.to_string_lossy().into_owned()
}

/// The script of `["/bin/bash", "-lc", SCRIPT]`, which is what the agent wrote and what the hook is told; of any other
/// argument vector, its words quoted as a shell would read them.
pub fn shell_script(argv: &[String]) -> String {
    match argv {
        [shell, flag, script] if is_shell(shell) && FLAGS.contains(&flag.as_str()) => script.clone(),
        [one] => one.clone(),
        words => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
    }
}

const FLAGS: &[&str] = &["-c", "-lc", "-ic", "-lic", "-ilc", "-Command", "/c"];

const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "ksh", "fish", "pwsh", "powershell", "cmd"];

fn is_shell(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    SHELLS.contains(&name.strip_suffix(".exe").unwrap_or(name))
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(argv: &[&str]) -> String {
        shell_script(&argv.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_uri_is_the_path_it_names() {
        assert_eq!(from_uri("file:///home/dev/my%20demo/%C3%A9"), "/home/dev/my demo/é");
        assert_eq!(from_uri("/home/dev/100%"), "/home/dev/100%");
        assert_eq!(from_uri("file:///a%zz%4"), "/a%zz%4");
    }

    #[test]
    fn a_relative_path_is_taken_from_where_the_agent_stood() {
        assert_eq!(absolute("src/../a.rs", Some("/home/dev/demo")), "/home/dev/demo/a.rs");
        assert_eq!(absolute("/etc/hosts", Some("/home/dev/demo")), "/etc/hosts");
        assert_eq!(absolute("a.rs", None), "a.rs");
    }

    #[test]
    fn the_script_is_what_the_agent_wrote() {
        assert_eq!(script(&["/bin/bash", "-lc", "cargo test | tail"]), "cargo test | tail");
        assert_eq!(script(&["git", "commit", "-m", "it's done"]), r"git commit -m 'it'\''s done'");
        assert_eq!(script(&["ls -la"]), "ls -la");
        assert_eq!(script(&[]), "");
    }
}
