//! What a client's settings register: whether they can be read, each event, its command, and whether anything stands in
//! the way.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::heartbeat::Past;
use super::report::{Check, Report};
use super::trust;
use crate::command::install::client::{Client, Scope, Wanted};
use crate::command::install::file::SettingsFile;
use crate::command::install::handlers::{Handler, TIMEOUT_MAX};
use crate::command::install::json_file;
use crate::command::install::target::{self, Format, Target};
use crate::layout::{self, Env};

/// A client that calls deeds.
pub struct Registered {
    pub client: Client,
    /// When the files that decide whether the hook is called were changed last, in milliseconds since the epoch.
    pub since: Option<i64>,
}

/// An own entry and the file it stands in.
pub struct Entry {
    pub handler: Handler,
    pub path: PathBuf,
    pub scope: Scope,
}

/// `None`: it does not call deeds.
pub fn look(client: Client, env: &Env, root: &Path, past: &Past, report: &mut Report) -> Option<Registered> {
    let targets = read(client, env, root, report);
    let entries: Vec<Entry> = targets.iter().flat_map(own).collect();
    let plugin = client == Client::Claude && targets.iter().any(is_plugin);
    let tag = client.tag();
    if entries.is_empty() && !plugin {
        let installed = format!("deeds install {tag}, if you use {}", client.name());
        report.add(Check::ok(tag, "is not registered").with(installed));
        return None;
    }
    let mut paths: Vec<&PathBuf> = entries.iter().map(|entry| &entry.path).collect();
    paths.dedup();
    let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let by = if plugin { vec!["a plugin".to_owned()] } else { Vec::new() };
    report.add(Check::ok(tag, format!("is registered by {}", [by, shown].concat().join(" and "))));
    if !plugin {
        events(client, &entries, report);
    }
    if plugin && !entries.is_empty() {
        let detail = "is registered by a plugin and by settings, so every event is handled twice and recorded once";
        report.add(Check::warning(tag, detail, format!("deeds uninstall {tag}, or disable the plugin")));
    }
    manner(client, &entries, report);
    commands(client, &entries, report);
    switches(client, &targets, report);
    let since = changed(client, &paths, env);
    if client == Client::Codex {
        trust::look(&entries, past.arrives(client, since), env, root, report);
    }
    Some(Registered { client, since })
}

/// When the files that decide whether the hook is called were changed last, in milliseconds since the epoch.
fn changed(client: Client, paths: &[&PathBuf], env: &Env) -> Option<i64> {
    let trust = env.codex().filter(|_| client == Client::Codex).map(|folder| folder.join("config.toml"));
    let modified = |path: &PathBuf| std::fs::metadata(path).ok()?.modified().ok();
    let last = paths.iter().copied().chain(&trust).filter_map(modified).max()?;
    i64::try_from(last.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

/// The client's files, as far as they can be read.
fn read(client: Client, env: &Env, root: &Path, report: &mut Report) -> Vec<Target> {
    let mut targets = Vec::new();
    for scope in Scope::ALL {
        for (path, format) in target::paths(client, scope, env, root).unwrap_or_default() {
            // Where the project is the home folder, its settings are the user's.
            if targets.iter().any(|seen: &Target| seen.file.path == path) {
                continue;
            }
            let target = SettingsFile::read(&path).map(|file| Target { client, scope, file, format });
            match target.and_then(|target| target.handlers().map(|_| target)) {
                Ok(target) => targets.push(target),
                Err(error) => report.add(Check::failure(
                    client.tag(),
                    error.to_string(),
                    format!("{} reads none of the hooks in it; mend it", client.name()),
                )),
            }
        }
    }
    targets
}

fn own(target: &Target) -> Vec<Entry> {
    let handlers = target.handlers().unwrap_or_default().into_iter();
    let own = handlers.filter(|handler| handler.own.is_some());
    own.map(|handler| Entry { handler, path: target.file.path.clone(), scope: target.scope }).collect()
}

/// Whether the settings enable deeds as a plugin: `"enabledPlugins": {"deeds@<marketplace>": true}`.
fn is_plugin(target: &Target) -> bool {
    let text = target.file.text();
    let Ok(Some(parsed)) = json_file::parse(target.client, text) else { return false };
    let plugins = parsed.root.get(parsed.text, "enabledPlugins");
    let members = plugins.and_then(|node| node.members()).unwrap_or_default();
    members.iter().any(|member| {
        parsed.text[member.key.clone()].starts_with("\"deeds@") && &parsed.text[member.value.span.clone()] == "true"
    })
}

/// Whether every event is registered, once.
fn events(client: Client, entries: &[Entry], report: &mut Report) {
    let tag = client.tag();
    let wanted = client.wanted();
    let of = |event: &str| entries.iter().filter(|entry| entry.handler.event == event).count();
    let missing: Vec<&Wanted> = wanted.iter().filter(|one| of(one.event) == 0).collect();
    let again = format!("deeds install {tag}");
    if missing.is_empty() {
        report.add(Check::ok(format!("{tag} events"), format!("all {} are registered", wanted.len())));
    }
    for one in missing {
        let about = format!("{tag} {}", one.event);
        report.add(match one.event {
            "PostToolUse" => Check::failure(about, "is not registered: tool calls are invisible", &again),
            "PostToolUseFailure" => Check::failure(about, "is not registered: failures are invisible", &again),
            "Stop" => Check::failure(about, "is not registered: what the agent says it did is not recorded", &again),
            _ => Check::warning(about, format!("is not registered: {} is not recorded", one.why), &again),
        });
    }
    // Claude Code runs a command that is registered twice in the same words once; Codex twice.
    let twice = wanted.iter().find(|one| {
        let mut commands: Vec<&str> =
            entries.iter().filter(|e| e.handler.event == one.event).map(|e| e.handler.command.as_str()).collect();
        if client == Client::Claude {
            commands.sort_unstable();
            commands.dedup();
        }
        commands.len() > 1
    });
    if let Some(one) = twice {
        report.add(Check::warning(
            format!("{tag} {}", one.event),
            "is registered more than once: every event is handled so often, and recorded once",
            format!(
                "keep one: deeds uninstall {tag} --user, --project{}",
                if client == Client::Claude { " or --local" } else { "" }
            ),
        ));
    }
}

/// How the events are registered: what would lose some of them.
fn manner(client: Client, entries: &[Entry], report: &mut Report) {
    let wanted = client.wanted();
    for Entry { handler, path, .. } in entries {
        let about = format!("{} {}", client.tag(), handler.event);
        let place = path.display();
        let again = format!("deeds install {}", client.tag());
        if handler.is_async {
            let detail = format!("is async in {place}: the client may end it before it has recorded anything");
            report.add(Check::failure(&about, detail, &again));
        }
        if let Some(matcher) = handler.matcher.as_deref().filter(|matcher| !matches!(*matcher, "" | "*" | ".*")) {
            let detail = format!("has the matcher {matcher:?} in {place}: other tools are not recorded");
            report.add(Check::warning(&about, detail, "remove the matcher"));
        }
        let least = wanted.iter().find(|one| one.event == handler.event).map_or(1.0, |one| one.timeout);
        match handler.timeout {
            Some(seconds) if seconds > TIMEOUT_MAX => {
                let detail = format!("has a time-out of {seconds} s in {place}; it is given in seconds");
                report.add(Check::warning(&about, detail, &again));
            }
            Some(seconds) if seconds < least => {
                let detail = format!("has a time-out of {seconds} s in {place}: a busy machine may need {least}");
                report.add(Check::warning(&about, detail, &again));
            }
            _ => {}
        }
    }
}

/// Whether what is called is there, and is this program.
fn commands(client: Client, entries: &[Entry], report: &mut Report) {
    let about = format!("{} command", client.tag());
    let again = format!("deeds install {}", client.tag());
    let mut programs: Vec<&str> =
        entries.iter().filter_map(|e| e.handler.own.as_ref()).map(|own| own.program.as_str()).collect();
    programs.sort_unstable();
    programs.dedup();
    let this = std::env::current_exe().unwrap_or_default();
    for program in programs {
        let named = if program.contains(['/', '\\']) { Some(PathBuf::from(program)) } else { layout::on_path(program) };
        report.add(match named {
            Some(path) if program.contains(['$', '~']) && !path.exists() => {
                Check::ok(&about, format!("{program} is for the shell to find"))
            }
            None => Check::failure(
                &about,
                format!("`{program}` is not found on PATH: the client fails to call it, in silence"),
                &again,
            ),
            Some(path) if !path.exists() => Check::failure(
                &about,
                format!("{program} is not there: the client fails to call it, in silence"),
                &again,
            ),
            Some(path) if !layout::is_program(&path) => {
                Check::failure(&about, format!("{program} cannot be executed"), format!("chmod +x {program}"))
            }
            Some(path) if layout::is_same_file(&path, &this) || is_copy(&path, &this) => {
                Check::ok(&about, format!("{program} is this program"))
            }
            Some(_) => {
                Check::warning(&about, format!("{program} is another deeds than this one ({})", this.display()), &again)
            }
        });
    }
}

fn is_copy(a: &Path, b: &Path) -> bool {
    let length = |path: &Path| std::fs::metadata(path).map(|found| found.len()).ok();
    length(a) == length(b) && matches!((std::fs::read(a), std::fs::read(b)), (Ok(a), Ok(b)) if a == b)
}

/// Settings that keep hooks from running at all.
fn switches(client: Client, targets: &[Target], report: &mut Report) {
    for target in targets {
        let text = target.file.text();
        let place = target.file.path.display();
        if client == Client::Claude
            && json_file::parse(client, text).ok().flatten().is_some_and(|parsed| parsed.is_true("disableAllHooks"))
        {
            let detail = format!("disableAllHooks is set in {place}: no hook runs");
            report.add(Check::failure("claude hooks", detail, "remove it"));
        }
    }
    let both = |format| {
        let of = |target: &&Target| target.format == format && target.handlers().is_ok_and(|all| !all.is_empty());
        targets.iter().filter(of).map(|target| target.scope).collect::<Vec<_>>()
    };
    if both(Format::Json).iter().any(|scope| both(Format::Toml).contains(scope)) {
        let detail = "hooks stand in hooks.json and in config.toml of one folder, of which Codex warns at every start";
        report.add(Check::warning("codex hooks", detail, "keep them in one of the two"));
    }
}
