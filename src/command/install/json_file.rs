//! Own entries in a JSON file: a client's settings, or Codex's `hooks.json`.

use super::client::{Client, Wanted};
use super::edit::{Edit, Style, add_item, add_member, remove_item, remove_member};
use super::handlers::{self, Handler, TIMEOUT_MAX};
use super::json::{self, Malformed, Node, decode, encode};

/// More edits than any file needs.
const EDITS_MAX: usize = 10_000;

const BOM: &str = "\u{feff}";

/// What stands in a file, read.
pub struct Parsed<'a> {
    /// Without a byte order mark.
    pub text: &'a str,
    pub root: Node,
}

/// Reads a file as the client does. `None`: there is nothing in it.
pub fn parse(client: Client, whole: &str) -> Result<Option<Parsed<'_>>, Malformed> {
    let text = whole.strip_prefix(BOM).unwrap_or(whole);
    let malformed = |why: String, at: usize| Malformed { why, at: at + whole.len() - text.len() };
    if client == Client::Codex && text.len() < whole.len() {
        let why = "it begins with a byte order mark, with which Codex does not read it";
        return Err(Malformed { why: why.to_owned(), at: 0 });
    }
    if text.trim().is_empty() {
        return Ok(None);
    }
    let root = json::parse(text).map_err(|found| malformed(found.why, found.at))?;
    check(client, text, &root).map_err(|found| malformed(found.why, found.at))?;
    Ok(Some(Parsed { text, root }))
}

/// Whether the parts that hooks stand in are what the client takes them for.
fn check(client: Client, text: &str, root: &Node) -> Result<(), Malformed> {
    let wrong = |what: &str, node: &Node, wanted: &str| {
        Err(Malformed { why: format!("{what} is {}, and should be {wanted}", node.named(text)), at: node.span.start })
    };
    let Some(members) = root.members() else { return wrong("the whole file", root, "an object") };
    let mut hooks = members.iter().filter(|member| decode(&text[member.key.clone()]) == "hooks");
    if client == Client::Codex
        && let Some(strange) =
            members.iter().find(|m| !["hooks", "description"].contains(&decode(&text[m.key.clone()]).as_str()))
    {
        let key = decode(&text[strange.key.clone()]);
        let why = format!("with the key {key:?} Codex does not read the file; there may be `hooks` and `description`");
        return Err(Malformed { why, at: strange.key.start });
    }
    let Some(first) = hooks.next() else { return Ok(()) };
    if let Some(second) = hooks.next() {
        return Err(Malformed { why: "the key \"hooks\" stands there twice".into(), at: second.key.start });
    }
    let Some(events) = first.value.members() else { return wrong("\"hooks\"", &first.value, "an object") };
    let wanted = client.wanted();
    let mut seen: Vec<String> = Vec::new();
    for event in events {
        let name = decode(&text[event.key.clone()]);
        if client == Client::Claude && !wanted.iter().any(|one| one.event == name) {
            continue;
        }
        if seen.contains(&name) {
            return Err(Malformed { why: format!("the event {name:?} stands there twice"), at: event.key.start });
        }
        let Some(groups) = event.value.items() else { return wrong(&format!("{name:?}"), &event.value, "a list") };
        for group in groups {
            let Some(_) = group.members() else { return wrong(&format!("an entry of {name:?}"), group, "an object") };
            match group.get(text, "hooks") {
                Some(list) if list.items().is_none() => {
                    return wrong(&format!("\"hooks\" in {name:?}"), list, "a list");
                }
                _ => {}
            }
        }
        seen.push(name);
    }
    Ok(())
}

/// The handlers that a file registers.
pub fn registered(client: Client, whole: &str) -> Result<Vec<Handler>, Malformed> {
    Ok(parse(client, whole)?.map(|parsed| parsed.handlers()).unwrap_or_default())
}

impl Parsed<'_> {
    pub fn handlers(&self) -> Vec<Handler> {
        self.root.get(self.text, "hooks").map(|hooks| handlers::of(&value(hooks, self.text))).unwrap_or_default()
    }

    fn hooks(&self) -> Option<&Node> {
        self.root.get(self.text, "hooks")
    }

    /// Whether a top-level switch is on.
    pub fn is_true(&self, key: &str) -> bool {
        self.root.get(self.text, key).is_some_and(|node| &self.text[node.span.clone()] == "true")
    }
}

fn value(node: &Node, text: &str) -> serde_json::Value {
    use serde_json::Value;
    if let Some(members) = node.members() {
        return Value::Object(members.iter().map(|m| (decode(&text[m.key.clone()]), value(&m.value, text))).collect());
    }
    if let Some(items) = node.items() {
        return items.iter().map(|item| value(item, text)).collect();
    }
    node.string(text)
        .map_or_else(|| serde_json::from_str(&text[node.span.clone()]).unwrap_or(Value::Null), Value::String)
}

/// The file with every event registered under `command`, once.
pub fn install(client: Client, whole: &str, command: &str) -> Result<String, Malformed> {
    let wanted = client.wanted();
    let mut text = whole.to_owned();
    for _ in 0..EDITS_MAX {
        let Some(parsed) = parse(client, &text)? else { return Ok(with_command(client.template(), command)) };
        let Some(edit) = next(&parsed, &wanted, command) else { break };
        text = applied(&text, &parsed, &edit);
    }
    Ok(text)
}

/// The file without own entries.
pub fn uninstall(client: Client, whole: &str) -> Result<String, Malformed> {
    let mut text = whole.to_owned();
    for _ in 0..EDITS_MAX {
        let Some(parsed) = parse(client, &text)? else { break };
        let Some(own) = parsed.handlers().into_iter().find(|handler| handler.own.is_some()) else { break };
        text = applied(&text, &parsed, &without(&parsed, &own));
    }
    Ok(text)
}

fn applied(whole: &str, parsed: &Parsed<'_>, edit: &Edit) -> String {
    format!("{}{}", &whole[..whole.len() - parsed.text.len()], edit.apply(parsed.text))
}

/// A text of the template with the command in it.
pub fn with_command(template: &str, command: &str) -> String {
    template.replace("\"deeds hook\"", &encode(command))
}

/// What is to be done first.
fn next(parsed: &Parsed<'_>, wanted: &[Wanted], command: &str) -> Option<Edit> {
    let (text, root) = (parsed.text, &parsed.root);
    let style = Style::of(text, root);
    let Some(hooks) = parsed.hooks() else {
        return Some(add_member(text, root, &style, "hooks", |indent| whole_object(wanted, command, &style, indent)));
    };
    let own: Vec<Handler> = parsed.handlers().into_iter().filter(|handler| handler.own.is_some()).collect();
    for one in wanted {
        let mut of_event = own.iter().filter(|handler| handler.event == one.event);
        let edit = match (of_event.next(), hooks.get(text, one.event)) {
            (Some(first), _) => {
                of_event.next().map(|second| without(parsed, second)).or_else(|| renewed(parsed, first, one, command))
            }
            (None, Some(list)) => Some(add_item(text, list, &group(one, command))),
            (None, None) => Some(add_member(text, hooks, &style, one.event, |_| with_command(one.groups, command))),
        };
        if edit.is_some() {
            return edit;
        }
    }
    let stray = own.iter().find(|handler| !wanted.iter().any(|one| one.event == handler.event));
    stray.map(|handler| without(parsed, handler))
}

/// The one group of an event, as it is installed.
fn group(wanted: &Wanted, command: &str) -> String {
    let list = with_command(wanted.groups, command);
    list.trim_start_matches('[').trim_end_matches(']').trim().to_owned()
}

fn whole_object(wanted: &[Wanted], command: &str, style: &Style, indent: &str) -> String {
    let member = |one: &Wanted| format!("{}: {}", encode(one.event), with_command(one.groups, command));
    let members: Vec<String> = wanted.iter().map(member).collect();
    if style.one_line {
        return format!("{{{}}}", members.join(", "));
    }
    let (nl, inner) = (style.newline, format!("{indent}{}", style.indent));
    format!("{{{nl}{inner}{}{nl}{indent}}}", members.join(&format!(",{nl}{inner}")))
}

/// An own entry brought up to date. One that somebody has changed on purpose stays as it is.
fn renewed(parsed: &Parsed<'_>, old: &Handler, wanted: &Wanted, command: &str) -> Option<Edit> {
    if old.own.as_ref().is_none_or(|own| own.changed) {
        return None;
    }
    let (text, node) = (parsed.text, parsed.handler(old)?);
    if node.get(text, "args").is_some() {
        let group = group(wanted, command);
        let inner = json::parse(&group).ok()?;
        let handler = inner.get(&group, "hooks")?.items()?.first()?.span.clone();
        return Some(Edit { at: node.span.clone(), with: group[handler].to_owned() });
    }
    if old.command != command {
        return Some(Edit { at: node.get(text, "command")?.span.clone(), with: encode(command) });
    }
    if old.is_async {
        let members = node.members()?;
        let nth = members.iter().position(|member| decode(&text[member.key.clone()]) == "async")?;
        return Some(remove_member(node, nth));
    }
    if old.timeout.is_some_and(|seconds| (wanted.timeout..=TIMEOUT_MAX).contains(&seconds)) {
        return None;
    }
    let seconds = wanted.timeout.to_string();
    Some(match node.get(text, "timeout") {
        Some(timeout) => Edit { at: timeout.span.clone(), with: seconds },
        None => add_member(text, node, &Style::of(text, &parsed.root), "timeout", |_| seconds.clone()),
    })
}

impl Parsed<'_> {
    fn handler(&self, of: &Handler) -> Option<&Node> {
        let groups = self.hooks()?.get(self.text, &of.event)?.items()?;
        groups.get(of.group)?.get(self.text, "hooks")?.items()?.get(of.index)
    }
}

/// A handler taken out, and with it what was there only for its sake.
fn without(parsed: &Parsed<'_>, handler: &Handler) -> Edit {
    let (text, root) = (parsed.text, &parsed.root);
    let nothing = Edit { at: 0..0, with: String::new() };
    let nth = |node: &Node, key: &str| {
        node.members().unwrap_or_default().iter().position(|member| decode(&text[member.key.clone()]) == key)
    };
    let Some(hooks) = parsed.hooks() else { return nothing };
    let Some(groups) = hooks.get(text, &handler.event) else { return nothing };
    let Some(list) = groups.items().and_then(|all| all.get(handler.group)?.get(text, "hooks")) else { return nothing };
    let is_last = |node: &Node| node.items().map_or(0, <[Node]>::len) == 1;
    if !is_last(list) {
        return remove_item(list, handler.index);
    }
    if !is_last(groups) {
        return remove_item(groups, handler.group);
    }
    let (event, whole) = (nth(hooks, &handler.event), nth(root, "hooks"));
    match (event, whole) {
        (Some(_), Some(whole)) if hooks.members().is_some_and(|all| all.len() == 1) => remove_member(root, whole),
        (Some(event), _) => remove_member(hooks, event),
        _ => nothing,
    }
}
