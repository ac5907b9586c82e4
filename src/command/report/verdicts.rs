//! What was claimed, and what was recorded about it: the last message and the standing claims first, then earlier messages.

use std::path::Path;

use super::events::Events;
use super::html;
use crate::claims::declared;
use crate::claims::render::{detail, name};
use crate::claims::verdict::{Claim, From, Verdict, judge_claims};
use crate::command::docket::Docket;
use crate::command::human;
use crate::error::Result;
use crate::judge::ClaimOutcome;

/// How much of a deciding run's output a verdict shows.
const OUTPUT_MAX: usize = 6_000;
/// The same of an earlier message: its run is listed among the events, too.
const OUTPUT_EARLIER_MAX: usize = 1_200;

pub struct Groups(Vec<Group>);

/// The claims that were made together.
pub struct Group {
    title: String,
    /// Of a message: its index among the story's words.
    pub words: Option<usize>,
    pub verdicts: Vec<Verdict>,
    age: Age,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Age {
    /// It is what the page is about.
    Current,
    Earlier,
    /// Nothing was claimed; this was shown all the same.
    Unclaimed,
}

impl Groups {
    pub fn judge(docket: &Docket<'_>, root: &Path) -> Result<Groups> {
        let mut groups = Vec::new();
        let mut add = |title: String, words, age, claims: Vec<Claim>| -> Result<()> {
            if claims.is_empty() {
                return Ok(());
            }
            let (mut verdicts, _) = judge_claims(claims, &docket.story, &docket.checks)?;
            docket.name_changes(&mut verdicts);
            groups.push(Group { title, words, verdicts, age });
            Ok(())
        };
        let words = &docket.story.words;
        let last = docket.story.last_words().map(|last| last.seq);
        let standing = declared::standing_claims(docket.config, || docket.now(root));
        for (index, said) in words.iter().enumerate().rev().filter(|(_, said)| Some(said.seq) == last) {
            add(format!("The last message{}", when(said.millis)), Some(index), Age::Current, docket.claims_of(said))?;
        }
        add("Standing claims of deeds.json, on the files as they are".to_owned(), None, Age::Current, standing)?;
        for (index, said) in words.iter().enumerate().rev().filter(|(_, said)| Some(said.seq) != last) {
            let who = if said.agent.is_some() { "A sub-agent's message" } else { "An earlier message" };
            add(format!("{who}{}", when(said.millis)), Some(index), Age::Earlier, docket.claims_of(said))?;
        }
        if groups.is_empty() {
            let (verdicts, _) = judge_claims(docket.shown_so_far(root), &docket.story, &docket.checks)?;
            if !verdicts.is_empty() {
                let title = "Nothing was claimed; this has been shown so far".to_owned();
                groups.push(Group { title, words: None, verdicts, age: Age::Unclaimed });
            }
        }
        Ok(Groups(groups))
    }

    /// The verdicts on what a message said.
    pub fn of_words(&self, index: usize) -> &[Verdict] {
        self.0.iter().find(|group| group.words == Some(index)).map_or(&[], |group| group.verdicts.as_slice())
    }

    fn claimed(&self) -> impl Iterator<Item = &Verdict> + Clone {
        self.0.iter().filter(|group| group.age != Age::Unclaimed).flat_map(|group| &group.verdicts)
    }

    fn count(&self, class: &str) -> usize {
        self.claimed().filter(|verdict| class_of(verdict) == class).count()
    }

    pub fn tally(&self) -> String {
        tally(self.claimed())
    }

    /// What a reader wants to know first.
    pub fn title(&self) -> String {
        let claims = self.count("bad") + self.count("open") + self.count("good");
        let of = |n: usize, what: &str| match (n, claims) {
            (1, 1) => format!("The one claim is {what}"),
            (n, all) if n == all => format!("All {all} claims are {what}"),
            (n, all) => format!("{n} of {all} claims {} {what}", if n == 1 { "is" } else { "are" }),
        };
        match (self.count("bad"), self.count("open")) {
            _ if claims == 0 => "Nothing was claimed".to_owned(),
            (0, 0) => of(claims, "supported"),
            (0, open) => of(open, "not shown"),
            (bad, _) => of(bad, "contradicted"),
        }
    }

    pub fn class(&self) -> &'static str {
        match (self.count("bad"), self.count("open"), self.count("good")) {
            (0, 0, 0) => "",
            (0, 0, _) => "good",
            (0, _, _) => "open",
            _ => "bad",
        }
    }

    pub fn html(&self, docket: &Docket<'_>, events: &Events) -> String {
        if self.0.is_empty() {
            return "<p class=\"none\">No claim was recognised in what was said, and no check was run.</p>".to_owned();
        }
        let group = |group: &Group| {
            let cards: String = group.verdicts.iter().map(|v| card(v, group, docket, events)).collect();
            format!("<h3>{}</h3>{cards}", html::text(&group.title))
        };
        let earlier: Vec<&Group> = self.0.iter().filter(|group| group.age == Age::Earlier).collect();
        let current: String = self.0.iter().filter(|g| g.age != Age::Earlier).map(group).collect();
        if earlier.is_empty() {
            return current;
        }
        let summary = tally(earlier.iter().flat_map(|group| &group.verdicts));
        let earlier: String = earlier.into_iter().map(group).collect();
        // Where the last message claims nothing, the earlier ones are what there is to see.
        let open = if current.is_empty() { " open" } else { "" };
        format!(
            "{current}<details class=\"earlier\"{open}><summary>Earlier messages: {}</summary>{earlier}</details>",
            html::text(&summary)
        )
    }
}

/// `1 contradicted, 2 not shown, 3 supported`
fn tally<'a>(verdicts: impl Iterator<Item = &'a Verdict> + Clone) -> String {
    let of = |class: &str| verdicts.clone().filter(|verdict| class_of(verdict) == class).count();
    let parts: Vec<String> = ["bad", "open", "good"]
        .into_iter()
        .map(|class| (of(class), said_of(class).1))
        .filter(|(n, _)| *n > 0)
        .map(|(n, word)| format!("{n} {word}"))
        .collect();
    if parts.is_empty() { "nothing was claimed".to_owned() } else { parts.join(", ") }
}

fn when(millis: i64) -> String {
    if millis > 0 { format!(", {} UTC", human::utc(millis)) } else { String::new() }
}

/// `good`, `bad`, `open`: what colours go by.
pub fn class_of(verdict: &Verdict) -> &'static str {
    match verdict.result.outcome {
        ClaimOutcome::Supported => "good",
        ClaimOutcome::Contradicted { .. } => "bad",
        ClaimOutcome::Unsupported { .. } => "open",
    }
}

/// The worst of what one message said; nothing where nothing was claimed.
pub fn worst_class(verdicts: &[Verdict]) -> Option<&'static str> {
    ["bad", "open", "good"].into_iter().find(|class| verdicts.iter().any(|verdict| class_of(verdict) == *class))
}

/// Mark and word of a class.
pub fn said_of(class: &str) -> (&'static str, &'static str) {
    match class {
        "good" => ("✓", "supported"),
        "bad" => ("✗", "contradicted"),
        _ => ("?", "not shown"),
    }
}

fn card(verdict: &Verdict, group: &Group, docket: &Docket<'_>, events: &Events) -> String {
    let class = class_of(verdict);
    let (mark, word) = said_of(class);
    let open = if class == "bad" && group.age == Age::Current { " open" } else { "" };
    let because = &verdict.because;
    let mut body = String::new();
    let needs = verdict.claim.needs.iter().map(|need| format!("<code>{}</code>", html::text(&need.record_id())));
    let needs: Vec<String> = needs.collect();
    if verdict.claim.from != From::Message && !needs.is_empty() {
        body.push_str(&format!("<p>Requires {}</p>", needs.join(", ")));
    }
    if let Some(said) = group.words.and_then(|index| docket.story.words.get(index)).filter(|said| events.has(said.seq))
    {
        body.push_str(&format!("<p>Said in <a href=\"#e{0}\">#{0}</a></p>", said.seq));
    }
    if !because.changed.is_empty() {
        let paths = because.changed.iter().take(12).map(|path| format!("<code>{}</code>", html::text(path)));
        let more = because.changed.len().saturating_sub(12);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        body.push_str(&format!("<p>Changed since that run: {}{more}</p>", paths.collect::<Vec<_>>().join(" ")));
    }
    for note in &because.notes {
        body.push_str(&format!("<p>{}</p>", html::with_code(note)));
    }
    body.push_str(&html::evidence(&because.evidence, |seq| events.has(seq)));
    if let Some(output) = output(verdict, docket) {
        let most = if group.age == Age::Earlier { OUTPUT_EARLIER_MAX } else { OUTPUT_MAX };
        body.push_str(&format!("<pre>{}</pre>", html::excerpt(&output, most)));
    }
    format!(
        "<details class=\"card {class}\"{open}><summary><span class=\"mark\">{mark}</span><span class=\"claim\">{}</span>\
         <span class=\"word\">{word}</span><span class=\"fact\">{}</span></summary><div>{body}</div></details>",
        html::text(&name(verdict)),
        html::with_code(&detail(verdict))
    )
}

/// What the run that decided printed.
fn output(verdict: &Verdict, docket: &Docket<'_>) -> Option<String> {
    let because = &verdict.because;
    let cited =
        |run: &crate::records::run::Run| run.evidence.iter().any(|e| because.evidence.iter().any(|c| c.id == e.id));
    let mut runs = docket.story.runs.iter().chain(&docket.story.earlier);
    let run = runs.find(|run| run.is_command() && cited(run))?;
    docket.text_of(&run.output).filter(|text| !text.trim().is_empty())
}
