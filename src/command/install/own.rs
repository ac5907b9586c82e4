//! The command that a client runs for each event: how it is written, and how one that was written earlier is known again.

use std::path::Path;

/// The verb that every own entry calls.
const VERB: &str = "hook";

/// `<program> hook`, as a shell takes it: forward slashes on Windows, where the client's shell takes a backslash for an
/// escape, and quotation marks where the path needs them. `None`: the path is not text.
pub fn command(program: &Path) -> Option<String> {
    let path = program.to_str()?;
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    Some(format!("{} {VERB}", quoted(&path)))
}

fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@%,".contains(c);
    if path.chars().all(plain) {
        path.to_owned()
    } else if path.contains(['"', '$', '`', '\\', '!']) {
        format!("'{}'", path.replace('\'', r"'\''"))
    } else {
        // Every shell that a client starts, also on Windows, knows these.
        format!("\"{path}\"")
    }
}

/// An entry of ours, by its command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Own {
    /// As the shell would start it: `deeds`, or a path.
    pub program: String,
    /// Somebody put something before or after it (`DEEDS_DIR=… deeds hook`, `deeds hook || true`).
    pub changed: bool,
}

/// Whether a command is `deeds hook`, wherever that deeds is. `args`: the words of the form without a shell.
pub fn recognise(command: &str, args: Option<&[String]>) -> Option<Own> {
    if let Some(args) = args {
        let own = is_deeds(command) && args.first().is_some_and(|word| word == VERB);
        return own.then(|| Own { program: command.to_owned(), changed: args.len() > 1 });
    }
    let mut words = words(command).into_iter();
    let mut changed = false;
    let mut program = words.next()?;
    while is_assignment(&program) {
        changed = true;
        program = words.next()?;
    }
    if !is_deeds(&program) || words.next()? != VERB {
        return None;
    }
    Some(Own { program, changed: changed || words.next().is_some() })
}

fn is_deeds(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name == "deeds" || name.eq_ignore_ascii_case("deeds.exe")
}

fn is_assignment(word: &str) -> bool {
    let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    word.split_once('=').is_some_and(|(before, _)| !before.is_empty() && before.chars().all(name))
}

/// The words of a simple command. Backslashes are kept in front of letters, where a Windows path has them.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = command.chars().peekable();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            (Some('"') | None, '\\') if characters.peek().is_some_and(|next| " \"'\\$`".contains(*next)) => {
                word.get_or_insert_default().extend(characters.next());
            }
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(command: &str) -> Option<(String, bool)> {
        recognise(command, None).map(|own| (own.program, own.changed))
    }

    #[test]
    fn what_is_written_is_known_again() {
        for path in [
            "/usr/bin/deeds",
            "/home/a b/deeds",
            "/it's/deeds",
            "/a\"b/deeds",
            "/$HOME/deeds",
            "/é/deeds",
            "/a\\b/deeds",
        ] {
            let command = command(Path::new(path)).unwrap();
            assert_eq!(seen(&command), Some((path.to_owned(), false)), "{command}");
        }
        assert_eq!(command(Path::new("/a b/deeds")).unwrap(), "\"/a b/deeds\" hook");
    }

    #[test]
    fn an_own_entry_is_known_by_its_command_alone() {
        assert_eq!(seen("deeds hook"), Some(("deeds".into(), false)));
        assert_eq!(seen("DEEDS_DIR=/x deeds hook"), Some(("deeds".into(), true)));
        assert_eq!(seen("deeds hook 2>/dev/null || true"), Some(("deeds".into(), true)));
        assert_eq!(seen("\"C:/Program Files/deeds.exe\" hook"), Some(("C:/Program Files/deeds.exe".into(), false)));
        assert_eq!(seen(r"C:\bin\deeds.exe hook"), Some((r"C:\bin\deeds.exe".into(), false)));
        for foreign in [
            "",
            "deeds",
            "deeds log",
            "mydeeds hook",
            "echo deeds hook",
            "/x/deeds-old hook",
            "lint && deeds hook",
            "deeds hooks",
        ] {
            assert_eq!(seen(foreign), None, "{foreign}");
        }
        let args = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert!(recognise("/usr/bin/deeds", Some(&args(&["hook"]))).is_some());
        assert!(recognise("/usr/bin/deeds", Some(&args(&["log"]))).is_none());
    }
}
