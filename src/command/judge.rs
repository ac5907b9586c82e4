//! `deeds judge`: claims against what the ledger recorded.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use super::docket::{Docket, Reach};
use super::session::scope_of;
use super::stop::differs_from_start;
use crate::claims::config::{self, Config};
use crate::claims::declared;
use crate::claims::ids;
use crate::claims::message::message_claims;
use crate::claims::report;
use crate::claims::verdict::{Claim, From, Verdict, judge_claims};
use crate::durable;
use crate::error::{Error, Exit, Result};
use crate::layout::{Env, Place};
use crate::text::{Lines, sanitise};

/// What to judge, and how to say it.
#[derive(Debug, Clone, Default)]
pub struct Args {
    pub workdir: PathBuf,
    /// A file of claims in the judge's shape.
    pub claims: Option<PathBuf>,
    /// A text whose claims are judged against the files as they are now.
    pub message: Option<PathBuf>,
    pub session: Option<String>,
    /// The whole ledger as one session.
    pub all: bool,
    pub format: Format,
    /// Print the pure judge's input instead of a verdict.
    pub emit_snapshot: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Format {
    #[default]
    Text,
    Json,
    Markdown,
}

pub fn run(args: &Args, out: &mut dyn Write) -> Result<Exit> {
    let place = place_of(&args.workdir)?;
    let root = place.root.clone();
    let config = Config::load(&root)?;
    let docket =
        Docket::open(&place, &config, scope_of(&place, args.session.as_deref(), args.all)?, Reach::Everything)?;
    let mut claims = claims(args, &docket, &root)?;
    hint_at_wrong_ids(&claims, &config);
    if args.claims.is_none() && args.message.is_none() {
        let (own, _) = judge_claims(claims.clone(), &docket.story, &docket.checks)?;
        claims.extend(docket.contradicted_of_sub_agents(docket.story.last_words(), &own)?);
    }
    let nothing_asked = claims.is_empty() && args.claims.is_none() && args.message.is_none();
    let claims = if nothing_asked { docket.shown_so_far(&root) } else { claims };
    let (mut verdicts, snapshot) = judge_claims(claims, &docket.story, &docket.checks)?;
    if args.emit_snapshot {
        let text =
            serde_json::to_string(&report::snapshot(&snapshot)).map_err(|e| Error::unable("io", e.to_string()))?;
        write(out, &format!("{text}\n"))?;
        return Ok(Exit::Holds);
    }
    docket.name_changes(&mut verdicts);
    let mut coverage = docket.coverage();
    let declared =
        |v: &Verdict| v.claim.from == From::Config || v.claim.needs.iter().any(|n| n.id.starts_with("check/"));
    if verdicts.iter().any(declared) && docket.story.config_at_start.is_some() {
        let now = durable::read_small(&config::path(&root), config::CAP).ok();
        let now = now.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        if differs_from_start(&docket, now.as_deref()) {
            coverage
                .holes
                .push("deeds.json changed during this session: what it declares is judged as it is now".into());
        }
    }
    let text = match args.format {
        Format::Text => report::text(&verdicts, &coverage, docket.session.as_deref()),
        Format::Json => format!("{}\n", report::json(&verdicts, &coverage)),
        Format::Markdown => report::markdown(&verdicts, &coverage),
    };
    if nothing_asked && !verdicts.is_empty() && args.format != Format::Json {
        write(out, "Nothing is claimed. What has been shown so far:\n\n")?;
    }
    write(out, &text)?;
    if nothing_asked { Ok(Exit::Holds) } else { Ok(worst(&verdicts)) }
}

fn write(out: &mut dyn Write, text: &str) -> Result<()> {
    out.write_all(text.as_bytes()).map_err(|e| Error::unable("io", format!("failed to write the verdict: {e}")))
}

/// Says on stderr which evidence ids no record can have: such a claim is not shown, and that alone does not say why.
fn hint_at_wrong_ids(claims: &[Claim], config: &Config) {
    for claim in claims.iter().filter(|claim| claim.words.is_none()) {
        for hint in claim.needs.iter().filter_map(|need| ids::hint(&need.id, config)) {
            let line = format!("deeds: claim {:?}: {hint}", claim.id);
            // Nobody may be listening; the verdict is what counts.
            let _ = writeln!(std::io::stderr(), "{}", sanitise(&line, Lines::Escape));
        }
    }
}

/// The place of a working directory, which need not be a project's root.
pub fn place_of(workdir: &Path) -> Result<Place> {
    let dir = workdir.canonicalize().map_err(|e| Error::io("enter", workdir, e))?;
    Ok(Env::read().place(&dir))
}

/// Contradicted before not shown before supported.
pub fn worst(verdicts: &[Verdict]) -> Exit {
    if verdicts.iter().any(Verdict::is_contradicted) {
        Exit::DoesNotHold
    } else if verdicts.iter().all(Verdict::is_supported) {
        Exit::Holds
    } else {
        Exit::NotShown
    }
}

fn claims(args: &Args, docket: &Docket<'_>, root: &Path) -> Result<Vec<Claim>> {
    if let Some(path) = &args.claims {
        let text = read_input(path)?;
        let named = |e: Error| Error { message: format!("{}: {}", path.display(), e.message), ..e };
        return declared::file_claims(&text, || docket.now(root)).map_err(named);
    }
    if let Some(path) = &args.message {
        let text = read_input(path)?;
        let (wanted, moment) = docket.now(root);
        return Ok(message_claims(&text, &wanted, &moment, &docket.story, &docket.checks));
    }
    let mut claims = declared::standing_claims(docket.config, || docket.now(root));
    claims.extend(docket.last_message_claims());
    Ok(claims)
}

fn read_input(path: &PathBuf) -> Result<String> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    let bytes = bytes.map_err(|e| {
        let advice =
            if path.exists() || path.extension().is_some() { "" } else { "; a file is wanted, and - is stdin" };
        Error::input(format!("failed to read: {}: {e}{advice}", path.display()))
    })?;
    let text = String::from_utf8(bytes).map_err(|e| {
        Error::input(format!("failed to read: {}: not UTF-8 at byte {}", path.display(), e.utf8_error().valid_up_to()))
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}
