//! Everything that happened, a row each, that opens to what it says, why it counts and who saw it.

use super::events::{Event, Events, What};
use super::html;
use super::lanes::{Lanes, class_of, word_of};
use super::verdicts::{Groups, class_of as verdict_class, said_of};
use crate::claims::render::counts;
use crate::claims::verdict::Verdict;
use crate::command::docket::Docket;
use crate::command::{human, why};
use crate::records::files::relative;
use crate::records::git::GitOp;
use crate::records::outcome::Outcome;
use crate::records::run::Run;
use crate::records::story::Words;

/// All outputs and messages together, as HTML.
const TEXT_BUDGET: usize = 250_000;
const TEXT_MIN: usize = 300;
const TEXT_MAX: usize = 4_000;
const COMMAND_MAX: usize = 2_000;

pub fn html(docket: &Docket<'_>, events: &Events, lanes: &Lanes, groups: &Groups) -> String {
    let texts = events.list.iter().filter(|event| matches!(event.what, What::Run(_) | What::Said(_))).count();
    let rows = Rows { docket, events, lanes, groups, text_max: (TEXT_BUDGET / texts.max(1)).clamp(TEXT_MIN, TEXT_MAX) };
    let mut out = String::new();
    if events.left_out > 0 {
        let before = human::count(events.left_out, "earlier event is", "earlier events are");
        out.push_str(&format!("<p class=\"none\">{before} left out; deeds log lists them.</p>"));
    }
    events.list.iter().for_each(|event| out.push_str(&rows.row(event)));
    out
}

struct Rows<'a> {
    docket: &'a Docket<'a>,
    events: &'a Events,
    lanes: &'a Lanes,
    groups: &'a Groups,
    text_max: usize,
}

/// What a row says before it is opened.
struct Row {
    kind: &'static str,
    class: &'static str,
    /// HTML.
    what: String,
    result: String,
    body: String,
}

impl Rows<'_> {
    fn row(&self, event: &Event) -> String {
        let row = match &event.what {
            What::Run(index) => self.run(event, *index),
            What::Edit(index) => self.edit(*index),
            What::Said(index) => self.said(*index),
            What::Tool(text) => plain("tool", text),
            What::Note(kind, text) => return self.note(event, kind, text),
        };
        let seq = event.seq;
        let time = time(event.millis);
        let trust = self.trust(event);
        let known = |seq| self.events.has(seq);
        let evidence = match event.evidence.is_empty() {
            true => String::new(),
            false => html::evidence(&event.evidence, |other| other != seq && known(other)),
        };
        format!(
            "<details id=\"e{seq}\" class=\"ev {} {}\"><summary><span class=\"seq\">#{seq}</span>{time}\
             <span class=\"kind\">{}</span><span class=\"what\">{}</span><span class=\"res\">{}</span>{trust}</summary>\
             <div>{}{}</div></details>\n",
            row.kind,
            row.class,
            row.kind,
            row.what,
            row.result,
            row.body,
            // The evidence of a second entry has a place to go to, too.
            anchors(event) + &evidence
        )
    }

    fn note(&self, event: &Event, kind: &str, text: &str) -> String {
        let class = if matches!(kind, "session" | "turn") { "note" } else { "note open" };
        let kind = kind.replace('_', " ");
        format!(
            "<p id=\"e{0}\" class=\"ev {class}\"><span class=\"seq\">#{0}</span>{1}<span class=\"kind\">{2}</span>\
             <span class=\"what\">{3}</span></p>\n",
            event.seq,
            time(event.millis),
            html::text(&kind),
            html::text(text)
        )
    }

    /// Who told how it ended, in the row itself.
    fn trust(&self, event: &Event) -> String {
        let first = event.evidence.iter().find(|e| e.reports && e.tells_exit).or(event.evidence.first());
        first.map_or(String::new(), |e| {
            format!(
                "<span class=\"trust\">{} · {}</span>",
                html::text(&e.trust_class),
                html::text(&e.collection_method)
            )
        })
    }

    fn run(&self, event: &Event, index: usize) -> Row {
        let run = &self.docket.story.runs[index];
        let mut worst = None;
        let mut parts = Vec::new();
        for check in self.docket.checks.own.iter().filter(|check| check.run == index) {
            let outcome = check.judged.outcome;
            worst = worse(worst, outcome);
            let name = if check.check == "check" { &check.runner } else { &check.check };
            let counted =
                check.judged.counts.as_ref().map(counts).filter(|c| !c.is_empty() && outcome != Outcome::Unknown);
            let counted =
                counted.map(|counted| format!(" <small>{}</small>", html::text(&counted))).unwrap_or_default();
            let part = if check.filter.is_some() { " <small>only a part</small>" } else { "" };
            parts.push(chip(
                class_of(outcome),
                &format!("{} {}", html::text(name), word_of(outcome)),
                &format!("{counted}{part}"),
            ));
        }
        for deed in self.docket.checks.git.iter().filter(|deed| deed.run == index) {
            worst = worse(worst, deed.outcome);
            let what = if deed.op == GitOp::Commit { "commit" } else { "push" };
            let word = match deed.outcome {
                Outcome::Confirmed => "done",
                Outcome::Refuted => "not done",
                Outcome::Unknown => "not shown",
            };
            parts.push(chip(class_of(deed.outcome), &format!("{what} {word}"), ""));
        }
        if parts.is_empty() {
            parts.push(format!("<small>{}</small>", html::text(&exit(run))));
        }
        if let Some(by) = self.lanes.stale_since(event.seq) {
            parts.push(format!("<a class=\"chip stale\" href=\"#e{by}\">stale since #{by}</a>"));
        }
        let mut body = format!("<pre class=\"cmd\">{}</pre>", html::excerpt(&run.command, COMMAND_MAX));
        let why = why::of_run(self.docket, index);
        let why: String = why.iter().map(|line| format!("<li>{}</li>", html::with_code(line))).collect();
        body.push_str(&format!("<ul>{why}</ul>"));
        if let Some(output) = self.docket.text_of(&run.output).filter(|output| !output.trim().is_empty()) {
            body.push_str(&format!("<pre>{}</pre>", html::excerpt(&output, self.text_max)));
        }
        Row {
            kind: "run",
            class: worst.map_or("", class_of),
            what: format!("{}<code>{}</code>", agent(run.agent.as_deref()), html::text(&first_line(&run.command))),
            result: parts.join(" "),
            body,
        }
    }

    fn edit(&self, index: usize) -> Row {
        let edit = &self.docket.story.edits[index];
        let (outcome, said) = edit.outcome();
        let class = if edit.failed || outcome == Outcome::Refuted { class_of(outcome) } else { "" };
        let path = relative(&edit.path, edit.root.as_deref());
        let said = if said.starts_with(&edit.change) { said } else { format!("{}: {said}", edit.change) };
        let digest = edit.digest().map(|digest| format!("<li>sha256 <code>{}</code></li>", html::text(digest)));
        Row {
            kind: "edit",
            class,
            what: format!("<code>{}</code>", html::text(&path)),
            result: format!("<small>{}</small>", html::text(&said)),
            body: format!("<ul><li><code>{}</code></li>{}</ul>", html::text(&edit.path), digest.unwrap_or_default()),
        }
    }

    fn said(&self, index: usize) -> Row {
        let words = &self.docket.story.words[index];
        let verdicts = self.groups.of_words(index);
        let class = super::verdicts::worst_class(verdicts).unwrap_or("");
        let message = self.docket.text_of(&words.message).unwrap_or_default();
        let chips: Vec<String> = ["bad", "open", "good"]
            .iter()
            .map(|class| (class, verdicts.iter().filter(|verdict| verdict_class(verdict) == *class).count()))
            .filter(|(_, n)| *n > 0)
            .map(|(class, n)| chip(class, &format!("{n} {}", said_of(class).1), ""))
            .collect();
        let nothing = "<small>claims nothing</small>".to_owned();
        Row {
            kind: "said",
            class,
            what: format!("{}“{}”", agent(words.agent.as_deref()), html::text(&first_line(&message))),
            result: if chips.is_empty() { nothing } else { chips.join(" ") },
            body: format!("<blockquote>{}</blockquote>{}", self.marked(&message, verdicts), seen_then(words)),
        }
    }

    /// The message with its claims marked.
    fn marked(&self, message: &str, verdicts: &[Verdict]) -> String {
        let mut ranges: Vec<(std::ops::Range<usize>, &'static str)> = verdicts
            .iter()
            .filter_map(|verdict| Some((verdict.claim.words.as_ref()?.range.clone(), verdict_class(verdict))))
            .collect();
        ranges.sort_by_key(|(range, _)| range.start);
        let mut out = String::new();
        let mut at = 0;
        for (range, class) in ranges {
            let (Some(before), Some(words)) = (message.get(at..range.start), message.get(range.clone())) else {
                continue;
            };
            out.push_str(&html::excerpt_inside(before, self.text_max));
            let (mark, word) = said_of(class);
            out.push_str(&format!(
                "<mark class=\"{class}\" title=\"{word}\">{}<sup>{mark}</sup></mark>",
                html::text(words)
            ));
            at = range.end;
        }
        out.push_str(&html::excerpt_inside(message.get(at..).unwrap_or_default(), self.text_max));
        out
    }
}

/// What the host saw of the files when that was said.
fn seen_then(words: &Words) -> String {
    let tree = words.worktree["tree"].as_str().map(|tree| format!("<code>tree:{}</code>", html::text(tree)));
    let why = words.worktree["reason"].as_str().map(html::text);
    match (tree, why) {
        (Some(tree), _) => format!("<p>The files as the host saw them then: {tree}</p>"),
        (None, Some(why)) => format!("<p>The host did not see the files then: {why}</p>"),
        (None, None) => "<p>The host did not look at the files then.</p>".to_owned(),
    }
}

/// Places for `#e<seq>` of the event's other entries.
fn anchors(event: &Event) -> String {
    let others = event.evidence.iter().map(|e| e.seq).filter(|seq| *seq != event.seq);
    others.map(|seq| format!("<a id=\"e{seq}\"></a>")).collect()
}

fn plain(kind: &'static str, text: &str) -> Row {
    let class = if text.ends_with("failed") { "open" } else { "" };
    Row { kind, class, what: html::text(text), result: String::new(), body: String::new() }
}

fn chip(class: &str, text: &str, more: &str) -> String {
    format!("<span class=\"chip {class}\">{text}</span>{more}")
}

fn agent(agent: Option<&str>) -> String {
    agent.map(|id| format!("<small class=\"agent\">sub-agent {}</small> ", html::text(id))).unwrap_or_default()
}

fn exit(run: &Run) -> String {
    match (&run.exit.code, &run.exit.reason) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(reason)) => format!("no exit: {reason}"),
        (None, None) => "no exit told".to_owned(),
    }
}

fn worse(known: Option<Outcome>, other: Outcome) -> Option<Outcome> {
    let rank = |outcome: Outcome| match outcome {
        Outcome::Refuted => 2,
        Outcome::Unknown => 1,
        Outcome::Confirmed => 0,
    };
    known.filter(|known| rank(*known) >= rank(other)).or(Some(other))
}

fn first_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    crate::text::shorten(line, 160)
}

fn time(millis: Option<i64>) -> String {
    let Some(at) = millis else { return "<time></time>".to_owned() };
    let whole = human::utc(at);
    format!("<time title=\"{whole} UTC\">{}</time>", whole.get(11..).unwrap_or_default())
}
