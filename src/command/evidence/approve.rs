//! `deeds evidence approve`: the producers that `deeds.json` declares may run by themselves.

use std::io::Write;

use serde_json::json;

use super::Desk;
use super::verbs::ApproveArgs;
use crate::bundle::approval::Approvals;
use crate::bundle::producer::Producer;
use crate::claims::config::Config;
use crate::command::wrote;
use crate::error::{Exit, Result};
use crate::text::{Lines, sanitise};

pub fn run(desk: &Desk, args: &ApproveArgs, out: &mut dyn Write) -> Result<Exit> {
    let approvals = Approvals::of(&desk.place, &desk.env)?;
    let root = desk.place.root.display();
    if args.revoke {
        let text =
            if approvals.revoke()? { "nothing is sealed by itself any more in" } else { "nothing was approved for" };
        return wrote(writeln!(out, "{}", sanitise(&format!("{text} {root}"), Lines::Escape)), Exit::Holds);
    }
    let config = Config::load(&desk.place.root)?;
    let lists: Vec<(Option<&str>, &[Producer])> = config.lists().collect();
    if lists.is_empty() {
        let text = format!("{root}: deeds.json declares no producers; there is nothing to approve");
        return wrote(writeln!(out, "{}", sanitise(&text, Lines::Escape)), Exit::NotShown);
    }
    for (_, producers) in &lists {
        approvals.approve(producers)?;
    }
    if args.json {
        let told: Vec<_> =
            lists.iter().map(|(task, producers)| json!({"task": task, "producers": producers})).collect();
        return wrote(writeln!(out, "{}", json!({"project": desk.place.root, "approved": told})), Exit::Holds);
    }
    let mut text = format!("approved for {root}, to run by themselves:\n");
    for (task, producers) in &lists {
        for producer in *producers {
            text.push_str(&row(*task, producer));
        }
    }
    text.push_str(
        "They run as you, without asking and outside of the client's sandbox, whenever a task is sealed.\n\
         A change of them in deeds.json takes that back; a change of the scripts that they start does not.\n",
    );
    wrote(write!(out, "{}", sanitise(&text, Lines::Keep)), Exit::Holds)
}

fn row(task: Option<&str>, producer: &Producer) -> String {
    let words: Vec<String> = producer.command.iter().map(|word| format!("{word:?}")).collect();
    let mut row = format!("  {} ({})  {}", producer.name, producer.kind.as_str(), words.join(" "));
    if let Some(cwd) = &producer.cwd {
        row.push_str(&format!("  in {cwd}"));
    }
    for (name, value) in &producer.env {
        row.push_str(&format!("  {name}={value:?}"));
    }
    if let Some(task) = task {
        row.push_str(&format!("  for the task {task}"));
    }
    row.replace(['\n', '\r'], " ") + "\n"
}
