//! What the doctor found, and how it is told.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use crate::command::install::client::Client;
use crate::command::{Output, human};
use crate::evidence::{RuntimeCapabilities, SignalClass};
use crate::text::{Lines, sanitise};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Ok,
    /// It works, and less well than it could.
    Warning,
    /// Evidence is lost, or nothing is said about it.
    Failure,
}

impl Level {
    fn as_str(self) -> &'static str {
        match self {
            Level::Ok => "ok",
            Level::Warning => "warning",
            Level::Failure => "failure",
        }
    }

    fn mark(self) -> char {
        match self {
            Level::Ok => '✓',
            Level::Warning => '!',
            Level::Failure => '✗',
        }
    }
}

/// One thing looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What it is about, in a word or two.
    pub about: String,
    pub level: Level,
    pub detail: String,
    /// What to do.
    pub advice: Option<String>,
}

impl Check {
    pub fn ok(about: impl Into<String>, detail: impl Into<String>) -> Check {
        Check { about: about.into(), level: Level::Ok, detail: detail.into(), advice: None }
    }

    pub fn warning(about: impl Into<String>, detail: impl Into<String>, advice: impl Into<String>) -> Check {
        Check { about: about.into(), level: Level::Warning, detail: detail.into(), advice: Some(advice.into()) }
    }

    pub fn failure(about: impl Into<String>, detail: impl Into<String>, advice: impl Into<String>) -> Check {
        Check { about: about.into(), level: Level::Failure, detail: detail.into(), advice: Some(advice.into()) }
    }

    /// With a word on what it means, although all is well.
    pub fn with(mut self, advice: impl Into<String>) -> Check {
        self.advice = Some(advice.into());
        self
    }
}

#[derive(Debug, Default)]
pub struct Report(Vec<Check>);

impl Report {
    pub fn add(&mut self, check: Check) {
        self.0.push(check);
    }

    pub fn has(&self, level: Level) -> bool {
        self.0.iter().any(|check| check.level == level)
    }

    pub fn worst(&self) -> Level {
        self.0.iter().map(|check| check.level).max().unwrap_or(Level::Ok)
    }

    pub fn write(&self, output: Output, clients: &[Client], out: &mut dyn Write) -> io::Result<()> {
        match output {
            Output::Json => self.json(clients, out),
            Output::Text => self.text(clients, out),
        }
    }

    fn text(&self, clients: &[Client], out: &mut dyn Write) -> io::Result<()> {
        let width = self.0.iter().map(|check| check.about.chars().count()).max().unwrap_or(0);
        for check in &self.0 {
            let line = format!("{} {:<width$}  {}", check.level.mark(), check.about, check.detail);
            writeln!(out, "{}", sanitise(&line, Lines::Escape))?;
            if let Some(advice) = &check.advice {
                let sign = if check.level == Level::Ok { ' ' } else { '→' };
                writeln!(out, "  {:<width$}  {sign} {}", "", sanitise(advice, Lines::Escape))?;
            }
        }
        writeln!(out)?;
        matrix(clients, out)?;
        let count = |level| self.0.iter().filter(|check| check.level == level).count();
        match (count(Level::Failure), count(Level::Warning)) {
            (0, 0) => writeln!(out, "\nAll is well."),
            (failures, warnings) => writeln!(
                out,
                "\n{}, {}",
                human::count(failures, "failure", "failures"),
                human::count(warnings, "warning", "warnings")
            ),
        }
    }

    fn json(&self, clients: &[Client], out: &mut dyn Write) -> io::Result<()> {
        let checks: Vec<Value> = self
            .0
            .iter()
            .map(|check| {
                let mut one = json!({ "check": check.about, "level": check.level.as_str(), "detail": check.detail });
                if let Some(advice) = &check.advice {
                    one["advice"] = advice.as_str().into();
                }
                one
            })
            .collect();
        let of = |tag: &str| {
            let capabilities = RuntimeCapabilities::of(tag);
            let signals = capabilities.signals().iter();
            Value::Object(signals.map(|(signal, there)| (signal.as_str().to_owned(), there.as_str().into())).collect())
        };
        let capabilities: Map<String, Value> = tags(clients).map(|tag| (tag.to_owned(), of(tag))).collect();
        let whole = json!({ "result": self.worst().as_str(), "checks": checks, "capabilities": capabilities });
        writeln!(out, "{whole}")
    }
}

/// The clients, and what deeds sees of what it runs itself.
fn tags(clients: &[Client]) -> impl Iterator<Item = &'static str> {
    clients.iter().map(|client| client.tag()).chain(["deeds"])
}

/// What can be seen at all through each client.
fn matrix(clients: &[Client], out: &mut dyn Write) -> io::Result<()> {
    let columns: Vec<(&str, RuntimeCapabilities)> = tags(clients)
        .map(|tag| (if tag == "deeds" { "deeds run" } else { tag }, RuntimeCapabilities::of(tag)))
        .collect();
    let mut lines = vec![
        columns.iter().fold(format!("{:<25}", "what can be seen"), |line, (name, _)| line + &format!("{name:<13}")),
    ];
    for signal in SignalClass::KNOWN {
        let line = format!("  {:<23}", signal.as_str());
        let there = |line: String, (_, of): &(&str, RuntimeCapabilities)| {
            line + &format!("{:<13}", of.availability(signal).as_str())
        };
        lines.push(columns.iter().fold(line, there));
    }
    for line in lines {
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
