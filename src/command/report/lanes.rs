//! The time line: what each kind of check was known to say at each step, and where an edit has made that stale.
//!
//! One step is one run, edit or message; the distance between two says nothing of the time that passed. What a check said
//! holds until the files are seen or told to be others, and again once they are seen as they were.

use std::collections::{BTreeMap, HashMap};

use super::events::{Event, Events, What};
use super::html;
use super::verdicts::{Groups, said_of, worst_class};
use crate::command::docket::Docket;
use crate::command::human;
use crate::records::check::CheckRun;
use crate::records::files::relative;
use crate::records::git::GitOp;
use crate::records::outcome::{Executed, Outcome};
use crate::records::subject::Subject;

/// Two times on the axis stand at least so far apart, in percent.
const AXIS_GAP: f64 = 9.0;

/// With more steps than this a mark of a run is a stroke, so that what lies between two can be seen.
const DENSE: usize = 90;

pub struct Lanes {
    steps: usize,
    checks: BTreeMap<String, Lane>,
    edits: Vec<Mark>,
    git: Vec<Mark>,
    said: Vec<Mark>,
    times: Vec<(f64, String)>,
    /// By the seq of a run's event: the event that made it stale.
    stale: HashMap<u64, u64>,
}

#[derive(Default)]
struct Lane {
    segments: Vec<Segment>,
    marks: Vec<Mark>,
    now: Option<Known>,
}

/// What a check is known to say, from one step on.
struct Known {
    class: &'static str,
    tree: Option<String>,
    stale: bool,
    since: usize,
    /// The event of the run.
    run: u64,
}

struct Segment {
    from: usize,
    to: usize,
    class: &'static str,
    stale: bool,
}

struct Mark {
    step: usize,
    seq: u64,
    class: &'static str,
    text: &'static str,
    title: String,
}

impl Lanes {
    pub fn of(docket: &Docket<'_>, events: &Events, groups: &Groups) -> Lanes {
        let is_step = |event: &&Event| matches!(event.what, What::Run(_) | What::Edit(_) | What::Said(_));
        let steps: Vec<&Event> = events.list.iter().filter(is_step).collect();
        let mut lanes = Lanes {
            steps: steps.len(),
            checks: BTreeMap::new(),
            edits: Vec::new(),
            git: Vec::new(),
            said: Vec::new(),
            times: Vec::new(),
            stale: HashMap::new(),
        };
        for (step, event) in steps.iter().enumerate() {
            match event.what {
                What::Run(index) => lanes.run(step, event, index, docket),
                What::Edit(index) => lanes.edit(step, event, index, docket),
                What::Said(index) => lanes.say(step, event, index, docket, groups),
                _ => {}
            }
            lanes.time(step, event);
        }
        let end = lanes.steps;
        lanes.checks.values_mut().for_each(|lane| lane.close(end));
        lanes
    }

    /// The event after which a run no longer speaks for the files.
    pub fn stale_since(&self, seq: u64) -> Option<u64> {
        self.stale.get(&seq).copied()
    }

    fn run(&mut self, step: usize, event: &Event, index: usize, docket: &Docket<'_>) {
        let run = &docket.story.runs[index];
        if let Some(tree) = run.worktree().and_then(|look| look["tree"].as_str()) {
            self.seen(step, event, tree);
        }
        for check in docket.checks.own.iter().filter(|check| check.run == index) {
            let lane = self.checks.entry(lane_of(check)).or_default();
            lane.check(step, event.seq, check);
        }
        for deed in docket.checks.git.iter().filter(|deed| deed.run == index && !deed.idle) {
            let what = match &deed.op {
                GitOp::Commit => "commit".to_owned(),
                GitOp::Push { remote, name, .. } => format!("push to {remote}/{name}"),
            };
            let class = class_of(deed.outcome);
            let text = if deed.op == GitOp::Commit { "●" } else { "▲" };
            self.git.push(Mark { step, seq: event.seq, class, text, title: format!("{what}: {}", deed.detail) });
        }
    }

    fn edit(&mut self, step: usize, event: &Event, index: usize, docket: &Docket<'_>) {
        let edit = &docket.story.edits[index];
        let path = relative(&edit.path, edit.root.as_deref());
        let class = if edit.failed { "open" } else { "edit" };
        let title = format!("{}{} {path}", if edit.failed { "failed: " } else { "" }, edit.change);
        self.edits.push(Mark { step, seq: event.seq, class, text: "", title });
        if !edit.failed {
            let stale = &mut self.stale;
            self.checks.values_mut().for_each(|lane| lane.turn(step, true, event.seq, stale));
        }
    }

    fn say(&mut self, step: usize, event: &Event, index: usize, docket: &Docket<'_>, groups: &Groups) {
        if let Some(tree) = docket.story.words[index].worktree["tree"].as_str() {
            self.seen(step, event, tree);
        }
        let verdicts = groups.of_words(index);
        let class = worst_class(verdicts).unwrap_or("none");
        let (text, title) = match class {
            "none" => ("·", "a message that claims nothing".to_owned()),
            class => {
                let claims = human::count(verdicts.len(), "claim", "claims");
                (said_of(class).0, format!("{claims}, at worst {}", said_of(class).1))
            }
        };
        self.said.push(Mark { step, seq: event.seq, class, text, title });
    }

    /// The host saw the files: what was said of these very ones holds, what was said of others does not.
    fn seen(&mut self, step: usize, event: &Event, tree: &str) {
        let stale = &mut self.stale;
        for lane in self.checks.values_mut() {
            let known = lane.now.as_ref().and_then(|now| now.tree.as_deref());
            if let Some(differs) = known.map(|known| known != tree) {
                lane.turn(step, differs, event.seq, stale);
            }
        }
    }

    fn time(&mut self, step: usize, event: &Event) {
        let at = self.percent(step);
        let last = self.times.last();
        let far = last.is_none_or(|(last, _)| at - last >= AXIS_GAP) && at <= 100.0 - AXIS_GAP / 2.0;
        let Some(millis) = event.millis.filter(|_| far) else { return };
        let minute: String = human::utc(millis).chars().skip(11).take(5).collect();
        if last.is_none_or(|(_, known)| *known != minute) {
            self.times.push((at, minute));
        }
    }

    fn percent(&self, step: usize) -> f64 {
        (step as f64 + 0.5) * 100.0 / self.steps.max(1) as f64
    }

    pub fn html(&self) -> String {
        if self.steps == 0 {
            return "<p class=\"none\">No run, edit or message was recorded.</p>".to_owned();
        }
        let dense = if self.steps > DENSE { " dense" } else { "" };
        let mut out = format!("<div class=\"lanes{dense}\">");
        let rules: String = self
            .said
            .iter()
            .filter(|m| m.class != "none")
            .map(|m| self.place(m.step, "<i class=\"rule\"", "></i>"))
            .collect();
        let mut lane = |name: &str, inner: String| {
            let name = html::text(name);
            out.push_str(&format!("<div class=\"lane\"><b>{name}</b><div class=\"track\">{rules}{inner}</div></div>"));
        };
        lane("edits", self.edits.iter().map(|mark| self.mark(mark, "tick")).collect());
        for (name, check) in &self.checks {
            let segments: String = check.segments.iter().map(|segment| self.segment(segment)).collect();
            let marks: String = check.marks.iter().map(|mark| self.mark(mark, "run")).collect();
            lane(name, segments + &marks);
        }
        if !self.git.is_empty() {
            lane("git", self.git.iter().map(|mark| self.mark(mark, "run")).collect());
        }
        lane("said", self.said.iter().map(|mark| self.mark(mark, "said")).collect());
        let times = self.times.iter().map(|(at, time)| format!("<span style=\"left:{at:.2}%\">{time}</span>"));
        lane("", format!("<div class=\"axis\">{}</div>", times.collect::<String>()));
        out.push_str("</div>");
        out
    }

    fn place(&self, step: usize, start: &str, end: &str) -> String {
        format!("{start} style=\"left:{:.2}%\"{end}", self.percent(step))
    }

    fn mark(&self, mark: &Mark, kind: &str) -> String {
        let start = format!("<a class=\"{kind} {}\" href=\"#e{}\"", mark.class, mark.seq);
        let title = html::text(&mark.title);
        let label = if mark.text.is_empty() { format!(" aria-label=\"{title}\"") } else { String::new() };
        self.place(mark.step, &start, &format!(" title=\"{title}\"{label}>{}</a>", mark.text))
    }

    fn segment(&self, segment: &Segment) -> String {
        let left = self.percent(segment.from);
        let right = if segment.to >= self.steps { 100.0 } else { self.percent(segment.to) };
        let stale = if segment.stale { " stale" } else { "" };
        format!("<i class=\"seg {}{stale}\" style=\"left:{left:.2}%;width:{:.2}%\"></i>", segment.class, right - left)
    }
}

impl Lane {
    fn check(&mut self, step: usize, seq: u64, check: &CheckRun) {
        let judged = &check.judged;
        let class = class_of(judged.outcome);
        let text = match class {
            "good" => "✓",
            "bad" => "✗",
            _ => "?",
        };
        let narrowed = check.filter.as_ref().map(|_| ", only a part").unwrap_or_default();
        let title = format!("{}: {}{narrowed}", check.text, word_of(judged.outcome));
        self.marks.push(Mark { step, seq, class, text, title });
        // A part that passes says nothing of the whole; what ran nothing, or elsewhere, says nothing at all.
        let is_part = check.filter.is_some() && judged.outcome == Outcome::Confirmed;
        let tree = match &check.subject {
            Subject::Nowhere { .. } => return,
            Subject::Tree { tree, .. } => Some(tree.clone()),
            Subject::Edits { .. } => None,
        };
        if is_part || judged.executed == Executed::Nothing {
            return;
        }
        // Two checks of one line: the worse one is what is known.
        if self.now.as_ref().is_some_and(|now| now.run == seq && rank(now.class) >= rank(class)) {
            return;
        }
        self.close(step);
        self.now = Some(Known { class, tree, stale: false, since: step, run: seq });
    }

    /// What is known becomes stale, or holds again.
    fn turn(&mut self, step: usize, stale: bool, by: u64, told: &mut HashMap<u64, u64>) {
        let Some(now) = self.now.as_mut().filter(|now| now.stale != stale) else { return };
        let segment = Segment { from: now.since, to: step, class: now.class, stale: now.stale };
        now.stale = stale;
        now.since = step;
        if stale {
            told.insert(now.run, by);
        } else {
            told.remove(&now.run);
        }
        self.segments.push(segment);
    }

    fn close(&mut self, step: usize) {
        if let Some(now) = self.now.take() {
            self.segments.push(Segment { from: now.since, to: step, class: now.class, stale: now.stale });
        }
    }
}

fn rank(class: &str) -> u8 {
    match class {
        "bad" => 2,
        "open" => 1,
        _ => 0,
    }
}

fn lane_of(check: &CheckRun) -> String {
    if check.check == "check" { format!("check/{}", check.runner) } else { check.check.clone() }
}

pub fn class_of(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Confirmed => "good",
        Outcome::Refuted => "bad",
        Outcome::Unknown => "open",
    }
}

pub fn word_of(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Confirmed => "passed",
        Outcome::Refuted => "failed",
        Outcome::Unknown => "shows nothing",
    }
}
