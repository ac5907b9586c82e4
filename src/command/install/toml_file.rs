//! Own entries in Codex's `config.toml`, for those who keep their hooks there: Codex warns of a folder that has both.
//!
//! Architecture invariant: `hooks.state`, where Codex keeps what the user trusts, is read and never written.

use serde_json::Value as Json;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::client::{Client, Wanted};
use super::handlers::{self, Handler, TIMEOUT_MAX};
use super::json::Malformed;

pub fn parse(text: &str) -> Result<DocumentMut, Malformed> {
    let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| Malformed {
        why: error.message().lines().next().unwrap_or("not TOML").to_owned(),
        at: error.span().map_or(0, |span| span.start),
    })?;
    let wrong = |why: String| Err(Malformed { why, at: 0 });
    let Some(hooks) = document.get("hooks") else { return Ok(document) };
    let Some(hooks) = hooks.as_table_like() else { return wrong("hooks is not a table".into()) };
    for (event, groups) in hooks.iter().filter(|(key, _)| *key != "state") {
        let fits = groups.is_array_of_tables()
            || groups.as_array().is_some_and(|array| array.iter().all(|group| group.is_inline_table()));
        if !fits {
            return wrong(format!("hooks.{event} is not a list of tables"));
        }
    }
    Ok(document)
}

/// Everything under `hooks`.
pub fn hooks(document: &DocumentMut) -> Json {
    document.get("hooks").map_or(Json::Null, json)
}

pub fn registered(text: &str) -> Result<Vec<Handler>, Malformed> {
    Ok(handlers::of(&hooks(&parse(text)?)))
}

/// TOML as JSON; times are of no interest here.
pub fn json(item: &Item) -> Json {
    if let Some(table) = item.as_table_like() {
        return Json::Object(table.iter().map(|(key, item)| (key.to_owned(), json(item))).collect());
    }
    if let Some(tables) = item.as_array_of_tables() {
        return tables.iter().map(|table| json(&Item::Table(table.clone()))).collect();
    }
    match item.as_value() {
        Some(Value::String(text)) => text.value().as_str().into(),
        Some(Value::Integer(number)) => (*number.value()).into(),
        Some(Value::Float(number)) => (*number.value()).into(),
        Some(Value::Boolean(yes)) => (*yes.value()).into(),
        Some(Value::Array(array)) => array.iter().map(|value| json(&Item::Value(value.clone()))).collect(),
        _ => Json::Null,
    }
}

/// The file with every event registered under `command`, once.
pub fn install(text: &str, command: &str) -> Result<String, Malformed> {
    let mut document = parse(text)?;
    let wanted = Client::Codex.wanted();
    let own: Vec<Handler> = handlers::of(&hooks(&document)).into_iter().filter(|one| one.own.is_some()).collect();
    let mut any = false;
    // From the last to the first, so that places stay what they are.
    for handler in own.iter().rev() {
        let first = own.iter().find(|one| one.event == handler.event) == Some(handler);
        match wanted.iter().find(|one| one.event == handler.event) {
            Some(one) if first => any |= renew(&mut document, handler, one, command),
            _ => any |= remove(&mut document, handler),
        }
    }
    for one in wanted.iter().filter(|one| !own.iter().any(|handler| handler.event == one.event)) {
        any |= add(&mut document, one, command);
    }
    Ok(if any { as_before(text, &document) } else { text.to_owned() })
}

/// The file without own entries.
pub fn uninstall(text: &str) -> Result<String, Malformed> {
    let mut document = parse(text)?;
    let mut any = false;
    for handler in handlers::of(&hooks(&document)).iter().rev().filter(|one| one.own.is_some()) {
        any |= remove(&mut document, handler);
    }
    Ok(if any { as_before(text, &document) } else { text.to_owned() })
}

/// The document's text with the line ends that the file had.
fn as_before(text: &str, document: &DocumentMut) -> String {
    let unix = document.to_string().replace("\r\n", "\n");
    if text.contains("\r\n") { unix.replace('\n', "\r\n") } else { unix }
}

fn add(document: &mut DocumentMut, wanted: &Wanted, command: &str) -> bool {
    let hooks = document.entry("hooks").or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let in_one_line = hooks.is_inline_table();
    let Some(hooks) = hooks.as_table_like_mut() else { return false };
    let seconds = wanted.timeout as i64;
    let inline = || {
        let mut handler = InlineTable::new();
        handler.insert("type", "command".into());
        handler.insert("command", command.into());
        handler.insert("timeout", seconds.into());
        let mut group = InlineTable::new();
        group.insert("hooks", Value::Array(Array::from_iter([handler])));
        group
    };
    let tables = || {
        let mut handler = Table::new();
        handler.insert("type", toml_edit::value("command"));
        handler.insert("command", toml_edit::value(command));
        handler.insert("timeout", toml_edit::value(seconds));
        let mut handlers = ArrayOfTables::new();
        handlers.push(handler);
        let mut group = Table::new();
        group.insert("hooks", Item::ArrayOfTables(handlers));
        group
    };
    match hooks.get_mut(wanted.event) {
        Some(Item::ArrayOfTables(groups)) => groups.push(tables()),
        Some(Item::Value(Value::Array(groups))) => groups.push(inline()),
        Some(_) => return false,
        // In a table that stands in one line there is no room for tables of their own.
        None if in_one_line => {
            let groups = Value::Array(Array::from_iter([inline()]));
            hooks.insert(wanted.event, Item::Value(groups));
        }
        None => {
            let mut groups = ArrayOfTables::new();
            groups.push(tables());
            hooks.insert(wanted.event, Item::ArrayOfTables(groups));
        }
    }
    true
}

/// Brings an own entry up to date where it stands; says whether anything changed.
fn renew(document: &mut DocumentMut, old: &Handler, wanted: &Wanted, command: &str) -> bool {
    let late = !old.timeout.is_some_and(|seconds| (wanted.timeout..=TIMEOUT_MAX).contains(&seconds));
    if old.own.as_ref().is_none_or(|own| own.changed) || (old.command == command && !late && !old.is_async) {
        return false;
    }
    let Some(groups) = groups(document, &old.event) else { return false };
    with_handlers(groups, old.group, |handlers| {
        let Some(handler) = handlers.at(old.index) else { return };
        // In place, so that what is written beside a value stays there.
        let mut set = |key: &str, value: Value| match handler.get_mut(key).and_then(Item::as_value_mut) {
            Some(there) => {
                let decor = there.decor().clone();
                *there = value;
                *there.decor_mut() = decor;
            }
            None => drop(handler.insert(key, Item::Value(value))),
        };
        set("command", command.into());
        if late {
            set("timeout", (wanted.timeout as i64).into());
        }
        if old.is_async {
            set("async", false.into());
        }
    });
    true
}

/// Takes a handler out, and with it what was there only for its sake.
fn remove(document: &mut DocumentMut, handler: &Handler) -> bool {
    let Some(item) = groups(document, &handler.event) else { return false };
    let mut left = 0;
    with_handlers(item, handler.group, |handlers| {
        handlers.remove(handler.index);
        left = handlers.len();
    });
    if left > 0 {
        return true;
    }
    let groups_left = match item {
        Item::ArrayOfTables(groups) => {
            groups.remove(handler.group);
            groups.len()
        }
        Item::Value(Value::Array(groups)) => {
            groups.remove(handler.group);
            groups.len()
        }
        _ => return true,
    };
    let hooks = document.get_mut("hooks").and_then(Item::as_table_like_mut);
    if let Some(hooks) = hooks.filter(|_| groups_left == 0) {
        hooks.remove(&handler.event);
        if hooks.is_empty() {
            document.remove("hooks");
        }
    }
    true
}

fn groups<'a>(document: &'a mut DocumentMut, event: &str) -> Option<&'a mut Item> {
    document.get_mut("hooks")?.as_table_like_mut()?.get_mut(event)
}

/// A group's handlers, in either way of writing them.
enum Handlers<'a> {
    Tables(&'a mut ArrayOfTables),
    Inline(&'a mut Array),
}

impl Handlers<'_> {
    fn at(&mut self, index: usize) -> Option<&mut dyn TableLike> {
        match self {
            Handlers::Tables(tables) => tables.get_mut(index).map(|table| table as &mut dyn TableLike),
            Handlers::Inline(array) => {
                array.get_mut(index)?.as_inline_table_mut().map(|table| table as &mut dyn TableLike)
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            Handlers::Tables(tables) => tables.len(),
            Handlers::Inline(array) => array.len(),
        }
    }

    fn remove(&mut self, index: usize) {
        match self {
            Handlers::Tables(tables) => drop(tables.remove(index)),
            Handlers::Inline(array) => drop(array.remove(index)),
        }
    }
}

fn with_handlers(groups: &mut Item, group: usize, change: impl FnOnce(&mut Handlers<'_>)) {
    let item = match groups {
        Item::ArrayOfTables(tables) => tables.get_mut(group).and_then(|table| table.get_mut("hooks")),
        Item::Value(Value::Array(array)) => {
            let table = array.get_mut(group).and_then(Value::as_inline_table_mut);
            match table.and_then(|table| table.get_mut("hooks")) {
                Some(Value::Array(array)) => return change(&mut Handlers::Inline(array)),
                _ => return,
            }
        }
        _ => None,
    };
    match item {
        Some(Item::ArrayOfTables(tables)) => change(&mut Handlers::Tables(tables)),
        Some(Item::Value(Value::Array(array))) => change(&mut Handlers::Inline(array)),
        _ => {}
    }
}
