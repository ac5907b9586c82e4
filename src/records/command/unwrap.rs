//! From the words of a simple command to the program in it, wrapper by wrapper, by the table of [`super::wrappers`].

use super::plan::Flag;
use super::syntax::{Part, Word};
use super::wrapper::{Codes, Effect, Inner, SHELLS, Starts, TOOLS, Wrapper};
use super::wrappers::WRAPPERS;

/// One layer taken off.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// As [`crate::records::invocation::Invocation::via`] names it.
    pub via: String,
    pub effect: Effect,
    pub codes: &'static [u8],
    pub environment: Vec<(String, Word)>,
    pub directory: Option<Word>,
    /// `ssh build-host`
    pub elsewhere: Option<String>,
    pub inside: Inside,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Inside {
    /// A program and its arguments, perhaps a wrapper again.
    Words(Vec<Word>),
    /// A script for a new shell with these options on.
    Text(String, Vec<(Flag, bool)>),
    /// A new shell reads its script from standard input.
    Input(Vec<(Flag, bool)>),
    /// `find … -exec`: several programs.
    Each(Vec<Vec<Word>>),
}

/// The outermost wrapper of `words`, if their first is one and there is something in it.
pub fn unwrap(words: &[Word]) -> Option<Layer> {
    let name = program_name(words.first()?);
    if SHELLS.contains(&name.as_str()) {
        return shell(&name, words);
    }
    if name == "find" {
        return find(words);
    }
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let name = if matches!(plain, "python" | "pypy" | "py") { "python" } else { &name };
    WRAPPERS.iter().filter(|row| row.name == name).find_map(|row| peel(row, words))
}

/// The base name of a program; what precedes the last `/` may be unknown (`$VENV/bin/pytest`), and so may a version
/// (`vitest@4`).
pub fn program_name(word: &Word) -> String {
    let text = match word.parts.last() {
        Some(Part::Text(text)) if word.literal().is_some() || text.contains('/') => text,
        _ => return word.raw.clone(),
    };
    let base = text.rsplit('/').next().unwrap_or_default();
    let base = base.strip_suffix(".exe").or(base.strip_suffix(".cmd")).unwrap_or(base);
    match base.find('@') {
        Some(at) if at > 0 => base[..at].to_owned(),
        _ => base.to_owned(),
    }
}

/// What a word says about itself, for options: its text, or how it is written.
fn text(word: &Word) -> String {
    word.literal().unwrap_or_else(|| word.raw.clone())
}

/// Whether `option` is one of `list`, and whether it brings its value with it (`-k5`, `--signal=KILL`, `-nu root`).
fn option_in(option: &str, list: &[&str], row: &Wrapper) -> Option<bool> {
    list.iter().find_map(|known| match option.strip_prefix(known) {
        Some("") => Some(false),
        Some(rest) if known.starts_with("--") => rest.starts_with('=').then_some(true),
        _ => {
            let letter = known.strip_prefix('-').filter(|rest| rest.len() == 1)?;
            let letters = option.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
            let at = letters.find(letter)?;
            // What stands behind a letter that takes a value is that value.
            let free = !letters[..at].chars().any(|earlier| takes_letter(row, earlier));
            free.then(|| at + 1 < letters.len())
        }
    })
}

fn takes_letter(row: &Wrapper, letter: char) -> bool {
    let own = match row.inner {
        Inner::TextOption { option, .. } | Inner::Module { option, .. } => option,
        Inner::Program | Inner::Text => "",
    };
    let mut all = row.takes.iter().chain(row.directory).copied().chain([own]);
    all.any(|known| known.len() == 2 && known.ends_with(letter))
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

fn peel(row: &Wrapper, words: &[Word]) -> Option<Layer> {
    let mut at = 1;
    for wanted in row.then {
        while at < words.len() && text(&words[at]).starts_with('-') {
            at += if option_in(&text(&words[at]), row.takes, row) == Some(false) { 2 } else { 1 };
        }
        if text(words.get(at)?) != *wanted {
            return None;
        }
        at += 1;
    }
    let mut layer = Layer {
        via: [&[row.name], row.then].concat().join(" "),
        effect: row.effect,
        codes: row.codes,
        environment: Vec::new(),
        directory: None,
        elsewhere: None,
        inside: Inside::Words(Vec::new()),
    };
    let mut operand = None;
    let mut operands = row.operands;
    let mut begun = row.after.is_empty();
    while at < words.len() {
        let option = text(&words[at]);
        at += 1;
        if row.after.contains(&option.as_str()) {
            begun = true;
            break;
        }
        if option == "--" && row.after.is_empty() {
            if operands == 0 {
                break;
            }
            continue;
        }
        if option.len() > 1 && option.starts_with('-') {
            match row.inner {
                Inner::TextOption { option: wanted, .. } if option_in(&option, &[wanted], row).is_some() => {
                    return script_option(layer, row, words, &option, at);
                }
                Inner::Module { option: wanted, .. } if option_in(&option, &[wanted], row).is_some() => {
                    let module = option.split_once(wanted.trim_start_matches('-')).map_or("", |(_, rest)| rest);
                    layer.via = format!("{} {wanted}", layer.via);
                    let rest = words.get(at..).unwrap_or_default();
                    layer.inside = Inside::Words(match module {
                        "" if rest.is_empty() => return None,
                        "" => rest.to_vec(),
                        module => [&[Word::plain(module)], rest].concat(),
                    });
                    return Some(layer);
                }
                _ => {}
            }
            if option_in(&option, row.unless, row).is_some() && option_in(&option, row.takes, row).is_none() {
                return None;
            }
            if option_in(&option, row.detaches, row).is_some() && !option.starts_with("--detach-") {
                layer.effect.codes = Codes::Zero;
            }
            if let Some(attached) = option_in(&option, row.directory, row) {
                layer.directory = Some(if attached {
                    Word::plain(option.split_once('=').map_or(&option[2..], |(_, value)| value))
                } else {
                    at += 1;
                    words.get(at - 1)?.clone()
                });
            } else if option_in(&option, row.takes, row) == Some(false) {
                at += 1;
            }
            continue;
        }
        if row.assigns && is_assignment(&option) {
            let (name, value) = option.split_once('=')?;
            let literal = words[at - 1].literal().is_some();
            let value = if literal {
                Word::plain(value)
            } else {
                Word { raw: value.to_owned(), pattern: true, ..Word::default() }
            };
            layer.environment.push((name.to_owned(), value));
            continue;
        }
        let skips = matches!(row.inner, Inner::TextOption { or_program: false, .. });
        if operands > 0 || !begun || skips {
            operand = operand.or(Some(option));
            operands = operands.saturating_sub(1);
            if operands == 0 && begun && !skips {
                break;
            }
            continue;
        }
        at -= 1;
        break;
    }
    if row.elsewhere {
        layer.elsewhere = Some(format!("{} {}", layer.via, operand.unwrap_or_default()));
    }
    let rest = words.get(at..).filter(|_| begun && operands == 0)?;
    if let Inner::TextOption { option, .. } = row.inner
        && rest.first().is_some_and(|first| text(first) == option)
    {
        return script_option(layer, row, words, option, at + 1);
    }
    match row.inner {
        Inner::Text if rest.is_empty() && row.elsewhere => layer.inside = Inside::Input(Vec::new()),
        _ if rest.is_empty() => return None,
        Inner::Text => {
            let texts: Option<Vec<String>> = rest.iter().map(Word::literal).collect();
            layer.inside = Inside::Text(texts?.join(" "), Vec::new());
        }
        Inner::TextOption { or_program: false, .. } | Inner::Module { or_program: false, .. } => return None,
        _ if row.tools_only && !is_tool(&rest[0]) => return None,
        _ => layer.inside = Inside::Words(rest.to_vec()),
    }
    Some(layer)
}

fn is_tool(word: &Word) -> bool {
    let name = program_name(word);
    TOOLS.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

/// `script -qec 'text' file`, `su -c 'text' user`: with `-e`, script gives the text's own status.
fn script_option(mut layer: Layer, row: &Wrapper, words: &[Word], option: &str, at: usize) -> Option<Layer> {
    if row.name == "script" {
        let own = words.iter().any(|word| {
            let text = text(word);
            text == "--return" || (text.starts_with('-') && !text.starts_with("--") && text.contains('e'))
        });
        layer.effect = if own { Effect { codes: Codes::Own, starts: Starts::Always } } else { layer.effect };
    }
    layer.via = format!("{} {option}", layer.via);
    layer.inside = Inside::Text(words.get(at)?.literal()?, Vec::new());
    Some(layer)
}

/// `bash -lc 'text'`, `bash -eo pipefail script.sh`, `bash -s`.
fn shell(name: &str, words: &[Word]) -> Option<Layer> {
    let mut options = Vec::new();
    let (mut command, mut input) = (None, false);
    let mut at = 1;
    while let Some(option) = words.get(at).map(text) {
        if option == "--" || option == "-" {
            at += 1;
            break;
        }
        let Some(letters) = option.strip_prefix(['-', '+']).filter(|letters| !letters.is_empty()) else { break };
        at += 1;
        if option.starts_with("--") {
            match option.as_str() {
                "--rcfile" | "--init-file" => at += 1,
                "--version" | "--help" | "--dump-strings" => return None,
                _ => {}
            }
            continue;
        }
        let on = option.starts_with('-');
        for letter in letters.chars() {
            match letter {
                'c' => command = Some(option.clone()),
                's' => input = true,
                'n' => return None,
                'e' => options.push((Flag::ErrExit, on)),
                'u' => options.push((Flag::NoUnset, on)),
                'o' | 'O' => {
                    match words.get(at).map(text)?.as_str() {
                        "pipefail" => options.push((Flag::PipeFail, on)),
                        "errexit" => options.push((Flag::ErrExit, on)),
                        "nounset" => options.push((Flag::NoUnset, on)),
                        "noexec" | "lastpipe" | "inherit_errexit" => return None,
                        _ => {}
                    }
                    at += 1;
                }
                _ => {}
            }
        }
    }
    let inside = match (&command, words.get(at)) {
        (Some(_), Some(text)) => Inside::Text(text.literal()?, options),
        (Some(_), None) => return None,
        (None, Some(_)) if !input => Inside::Words(words[at..].to_vec()),
        (None, _) => Inside::Input(options),
    };
    let via = command.map_or_else(|| name.to_owned(), |option| format!("{name} {option}"));
    let effect = Effect { codes: Codes::Own, starts: Starts::Always };
    Some(Layer { via, effect, codes: &[], environment: Vec::new(), directory: None, elsewhere: None, inside })
}

/// `find … -exec program {} \;` ignores statuses; with `+` a failure makes it fail.
fn find(words: &[Word]) -> Option<Layer> {
    let mut programs = Vec::new();
    let mut all = true;
    let mut at = 1;
    while at < words.len() {
        let option = text(&words[at]);
        at += 1;
        if !matches!(option.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir") {
            continue;
        }
        let length = words[at..].iter().position(|word| matches!(text(word).as_str(), ";" | "+"))?;
        all &= text(&words[at + length]) == "+";
        programs.push(words[at..at + length].to_vec());
        at += length + 1;
    }
    if programs.is_empty() || programs.iter().any(Vec::is_empty) {
        return None;
    }
    let codes = if all { Codes::Folded } else { Codes::Any };
    let effect = Effect { codes, starts: Starts::OrNothing };
    let inside = Inside::Each(programs);
    Some(Layer {
        via: "find -exec".into(),
        effect,
        codes: &[],
        environment: Vec::new(),
        directory: None,
        elsewhere: None,
        inside,
    })
}
