//! `deeds evidence seal TASK`: runs the producers, and signs and anchors what they printed.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::json;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::verbs::SealArgs;
use super::{Desk, auto, table};
use crate::bundle::approval::Approvals;
use crate::bundle::producer::Producer;
use crate::bundle::seal::{Order, Progress, Sealed, seal};
use crate::bundle::store::TaskId;
use crate::claims::config::{self, Config, producers_file};
use crate::command::wrote;
use crate::durable;
use crate::error::{Error, Exit, Result};
use crate::ledger::Append;
use crate::sensor::clean::Cleaner;
use crate::text::{Lines, sanitise};

/// How long another seal of the project is waited for: by somebody who sees that it does, and by nobody.
const WAIT: Duration = Duration::from_secs(7 * 24 * 3600);
const WAIT_UNSEEN: Duration = Duration::from_secs(2 * 3600);

pub fn run(desk: &Desk, args: &SealArgs, out: &mut dyn Write) -> Result<Exit> {
    match sealed(desk, args) {
        Ok(Some(sealed)) => report(args, &sealed, out),
        Ok(None) => {
            let why = "no producers are declared for this task; nothing was sealed, and nothing was made";
            let written = if args.json {
                writeln!(out, "{}", json!({"task": args.task, "sealed": false, "why": why}))
            } else {
                writeln!(out, "{why}")
            };
            wrote(written, Exit::NotShown)
        }
        Err(error) => {
            if let Some(session) = &args.session {
                leave_word(desk, args, session, &error);
            }
            Err(error)
        }
    }
}

fn sealed(desk: &Desk, args: &SealArgs) -> Result<Option<Sealed>> {
    let task = TaskId::parse(&args.task)?;
    let (producers, declared_in) = producers(desk, args)?;
    if producers.is_empty() {
        return Ok(None);
    }
    if args.event.is_some() && !Approvals::of(&desk.place, &desk.env)?.covers(&producers)? {
        let why = "its producers are not approved to run by themselves; read them in deeds.json, then run `deeds evidence approve`";
        return Err(Error::input(why));
    }
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop))
            .map_err(|e| Error::unable("io", format!("failed to listen for signals: {e}")))?;
    }
    let order = Order {
        task: &task,
        producers: &producers,
        root: &desk.place.root,
        env: &desk.env,
        ledger: &desk.ledger,
        declared_in: &declared_in,
        session: args.session.as_deref(),
        event: args.event.as_deref(),
        stop: &stop,
        wait: if args.event.is_some() { WAIT_UNSEEN } else { WAIT },
    };
    let total = producers.len();
    seal(&order, &mut |progress| {
        let line = match progress {
            Progress::Waits => "waiting for another seal of this project to end".to_owned(),
            Progress::Begins(n, producer) => {
                let command = Cleaner::default().command(&producer.command.join(" "));
                format!("[{n}/{total}] {}: {command}", producer.name)
            }
        };
        // Nobody may be looking.
        let _ = writeln!(std::io::stderr(), "{}", sanitise(&line, Lines::Escape));
    })
    .map(Some)
}

/// Producers, and the files that declare them.
type Declared = (Vec<Producer>, Vec<(String, Vec<u8>)>);

/// The producers of the task, and the files that declare them: all that `configuration` names.
fn producers(desk: &Desk, args: &SealArgs) -> Result<Declared> {
    let path = config::path(&desk.place.root);
    let mut declared_in = Vec::new();
    match durable::read_small(&path, config::CAP) {
        // Its digest is signed: of all of it, or not at all.
        Ok(bytes) if bytes.len() as u64 >= config::CAP => {
            return Err(Error::input(format!("{}: it is 1 MiB or longer; declare less", path.display())));
        }
        Ok(bytes) => declared_in.push((config::FILE_NAME.to_owned(), bytes)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
        Err(e) => return Err(Error::input(format!("failed to read: {}: {e}", path.display()))),
    }
    let Some(file) = &args.producers else {
        // Of the very bytes whose digest is signed.
        let text = declared_in.first().map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned());
        let config = match text {
            Some(text) => Config::parse(&text)
                .map_err(|e| Error { message: format!("{}: {}", path.display(), e.message), ..e })?,
            None => Config::default(),
        };
        // The task of a session is known to a project by its own name only.
        let own = args.session.as_ref().and_then(|session| args.task.strip_prefix(&format!("{session}/")));
        let named = own.filter(|own| config.tasks.contains_key(*own)).unwrap_or(&args.task);
        return Ok((config.producers_of(named).to_vec(), declared_in));
    };
    let text = read_text(file)?;
    let producers =
        producers_file(&text).map_err(|e| Error { message: format!("{}: {}", file.display(), e.message), ..e })?;
    declared_in.push(("producers".to_owned(), text.into_bytes()));
    Ok((producers, declared_in))
}

fn read_text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|e| Error::input(format!("failed to read: {}: {e}", path.display())))
}

fn report(args: &SealArgs, sealed: &Sealed, out: &mut dyn Write) -> Result<Exit> {
    let exit = if sealed.anchor.is_ok() { Exit::Holds } else { Exit::Unable };
    if let Err(why) = &sealed.anchor {
        let line = format!("deeds: {why}; the bundle waits, and the next event anchors it");
        let _ = writeln!(std::io::stderr(), "{}", sanitise(&line, Lines::Escape));
    }
    let statement = &sealed.statement;
    if args.json {
        let told = json!({
            "task": args.task, "sealed": true, "bundle": statement.hash, "result": statement.result(),
            "gatePassed": statement.gate_passed(), "anchor": sealed.anchor.as_ref().ok(), "keyId": sealed.key_id,
            "moved": sealed.moved,
        });
        return wrote(writeln!(out, "{told}"), exit);
    }
    let mut text = format!("sealed  {}\n{}", args.task, table::text(statement));
    if let Ok(seq) = sealed.anchor {
        text.push_str(&format!("anchor  #{seq}\n"));
    }
    for name in &sealed.moved {
        text.push_str(&format!("files changed while {name} ran: it is evidence of no one state of them\n"));
    }
    wrote(write!(out, "{}", sanitise(&text, Lines::Keep)), exit)
}

/// Nobody waits for a seal that an event asked for: why there is none is left in the ledger.
fn leave_word(desk: &Desk, args: &SealArgs, session: &str, error: &Error) {
    let event = args.event.as_deref().unwrap_or_default();
    let word = auto::word(session, &args.task, event, &error.to_string());
    // The error itself is on stderr, and there is nobody else to tell.
    let _ = desk.ledger.keep(vec![word], &Append::default());
}
