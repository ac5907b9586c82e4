//! The rules: what a status, the words of the output and what is known of both come to.

use super::status::{self, Own};
use super::{Basis, Executed, Judged, Outcome, Seen, siblings};
use crate::records::invocation::{Foreign, Reached, View};
use crate::records::runners::Check;
use crate::records::runners::row::{Exit, Mark, Row, Totals};
use crate::records::summary::{Counts, Finding, Report, Says, Text};

/// One run and all that is known of it but the output's words.
pub(super) struct Case<'a> {
    pub seen: &'a Seen<'a>,
    pub row: &'a Row,
    pub marks: &'a [Mark],
    pub text: &'a Text,
    /// Whose words can be taken for its closing total.
    pub foreign: Foreign,
}

/// What the findings come to.
pub(super) struct Said {
    pub says: Option<Says>,
    /// Among the findings there is a pass.
    pub passes: bool,
    /// The first total of the output names failures.
    pub fails_first: bool,
    pub at: usize,
    pub counts: Counts,
}

impl Case<'_> {
    pub fn marked(&self, mark: Mark) -> bool {
        self.marks.contains(&mark)
    }

    fn last_speaks(&self) -> bool {
        self.row.last_speaks && !self.marked(Mark::NoFailFast)
    }

    /// It exits 0 although there are problems.
    fn zero_on_problems(&self) -> bool {
        self.marked(Mark::ExitZero) || (self.row.zero_on_problems && !self.marked(Mark::Strict))
    }

    pub fn decide(&self, report: Report, totals: Totals) -> Judged {
        let said = self.said(&report, totals);
        let own = match status::own(self.seen, self.row, &said, self.is_near_end(&said)) {
            Ok(own) => own,
            Err(unknown) => return *unknown,
        };
        let mut judged = match &own {
            Own::Zero => self.by_zero(&said),
            Own::Code(code) => self.by_code(*code, &said),
            Own::Masked(why) => self.by_summary(&said, why),
        };
        judged.own_exit = own.code();
        self.fill(&mut judged, report, &said);
        judged
    }

    /// The totals combined, where they can be the runner's own.
    fn said(&self, report: &Report, totals: Totals) -> Said {
        let foreign = self.foreign;
        let all: Vec<&Finding> = report.findings.iter().collect();
        let last_total = all.iter().rposition(|f| f.says.is_total());
        // One total for the run is the last; where other text stands before, only the last is surely the runner's.
        let from = match (totals, last_total) {
            (Totals::Last, Some(last)) => last,
            _ => 0,
        };
        let relevant = all.get(from..).unwrap_or_default();
        let has = |says: Says| relevant.iter().rev().find(|f| f.says == says);
        let last = last_total.and_then(|n| all.get(n).copied());
        let earlier_failure = foreign.before && last.is_some_and(|l| l.says != Says::Fail && l.says != Says::Broke);
        let order =
            [Says::Fail, Says::Broke, Says::NotRun, Says::Hint, Says::Unsure, Says::Doubt, Says::Pass, Says::Nothing];
        let mut says = order.into_iter().find(|says| has(*says).is_some());
        let failed = matches!(says, Some(Says::Fail | Says::Broke));
        if failed && earlier_failure && self.row.check == Check::Tests {
            says = Some(Says::Doubt);
        } else if says == Some(Says::NotRun) && has(Says::Pass).is_some() {
            says = Some(Says::Unsure);
        } else if foreign.before && relevant.last().is_some_and(|f| f.says == Says::NotRun) {
            // The total above is the other command's.
            says = Some(Says::NotRun);
        }
        let at = says.and_then(has).map_or(0, |f| f.at);
        let counted = relevant.iter().filter(|f| f.says.is_total() && !f.counts.is_empty());
        let counts = counted.map(|f| f.counts).reduce(Counts::plus).unwrap_or_default();
        let at = if failed { last.map_or(at, |l| l.at.max(at)) } else { at };
        let fails_first = report.totals().next().is_some_and(|f| matches!(f.says, Says::Fail | Says::Broke));
        Said { says, passes: has(Says::Pass).is_some(), fails_first, at, counts }
    }

    /// Where another command of the line prints too, a total counts only close to the end.
    fn is_near_end(&self, said: &Said) -> bool {
        self.row.trailing == usize::MAX
            || self.text.lines_after(said.at, self.row.trailing.saturating_add(1)) <= self.row.trailing
    }

    /// Own status 0.
    fn by_zero(&self, said: &Said) -> Judged {
        let foreign = self.seen.invocation.foreign;
        match said.says {
            Some(Says::Fail) if self.zero_on_problems() => {
                if foreign.after || (foreign.before && !self.is_near_end(said)) {
                    return self.cannot_tell(
                        "another command's text",
                        "another command of the line prints, too: the problems need not be this one's",
                    );
                }
                self.refuted(Basis::Summary, "its closing words name problems; it exits 0 on them")
            }
            Some(Says::Fail | Says::Broke) => {
                self.cannot_tell("exit 0 against a failure", "its closing words name failures, yet it exited 0")
            }
            Some(Says::Hint | Says::Unsure) => {
                self.cannot_tell("something is wrong", self.quoted(said, "it exited 0, but printed"))
            }
            Some(Says::Nothing | Says::NotRun) => self.nothing(said),
            Some(Says::Pass | Says::Doubt) if said.passes => {
                if self.marked(Mark::Hides) {
                    return self.cannot_tell("problems hidden", "it was told to leave problems out of its output");
                }
                if self.zero_on_problems() && !self.sees_all() {
                    return self
                        .cannot_tell("output not in view", "it exits 0 on problems, and its output is not whole");
                }
                if self.row.check == Check::Tests && !self.shows_total(said) {
                    return self.cannot_tell("total not in view", "it exited 0, but its total is not in view");
                }
                self.confirmed(Basis::Exit, "own exit 0 and a closing total without failures")
            }
            _ if !self.row.silent => self.cannot_tell("no total", "it exited 0, but no closing total is in view"),
            _ => self.silent_zero(),
        }
    }

    /// A tool that prints nothing when clean.
    fn silent_zero(&self) -> Judged {
        if self.marked(Mark::Hides) {
            return self.cannot_tell("problems hidden", "it was told to leave problems out of its output");
        }
        if self.zero_on_problems() {
            if !self.sees_all() {
                return self.cannot_tell("output not in view", "it exits 0 on problems, and its output is not whole");
            }
            if self.marked(Mark::Reshaped) && !self.text.text.trim().is_empty() {
                return self.cannot_tell("unknown shape", "its output is in a format that deeds does not read");
            }
        }
        self.confirmed(Basis::Exit, "own exit 0 of a tool that is silent when clean")
    }

    /// Own status other than 0.
    fn by_code(&self, code: i64, said: &Said) -> Judged {
        let failed = matches!(said.says, Some(Says::Fail | Says::Broke | Says::Hint));
        match self.row.exit(code) {
            Some(Exit::Nothing) => {
                return Judged::unknown(
                    Executed::Nothing,
                    "exit code of nothing run",
                    format!("exit {code}: nothing was checked"),
                );
            }
            Some(Exit::Stopped) => {
                return self
                    .cannot_tell("exit code of a stop", format!("exit {code}: it broke off before it had an answer"));
            }
            _ => {}
        }
        match said.says {
            _ if failed && self.is_doubtful_failure(said) => self.cannot_tell(
                "another command's failure",
                "another command of the line can have failed or printed the failure",
            ),
            _ if failed => self.refuted(Basis::Exit, "own exit status and its own words of failure"),
            Some(Says::Nothing | Says::NotRun) => self.nothing(said),
            Some(Says::Pass) => {
                self.cannot_tell("exit against a pass", format!("its total names no failure, yet it exited {code}"))
            }
            Some(Says::Unsure) => {
                self.cannot_tell("something is wrong", self.quoted(said, &format!("it exited {code} and printed")))
            }
            // cargo exits 101 for a missing manifest too, and says so: a status without words counts where words would be seen.
            _ if self.row.exit(code) == Some(Exit::Failed)
                && status::starts_directly(self.seen.invocation)
                && matches!(self.kept(self.seen.invocation.view), View::Whole | View::Tail) =>
            {
                self.refuted(Basis::Exit, "own exit status, which means failed checks")
            }
            _ => self.cannot_tell("exit without words", format!("it exited {code}, but what failed is not in view")),
        }
    }

    /// Whose text stands around these words: a compile error, unlike a total, is the same for several tools.
    fn foreign_to(&self, said: &Said) -> Foreign {
        let total = matches!(said.says, Some(Says::Pass | Says::Fail)) && !said.counts.is_empty();
        if total { self.foreign } else { self.seen.invocation.foreign }
    }

    /// `lint && tests`: the status and a compile error can be the first one's. `cat notes; tests`: a total counts only close
    /// to the end. `cat notes nosuch && tests`: nor does it there, if the status can be that of `cat`.
    fn is_doubtful_failure(&self, said: &Said) -> bool {
        let seen = self.seen;
        let perhaps = seen.invocation.reached == Reached::Perhaps;
        let shown =
            || matches!(seen.reported_exit, Some(1 | 2)) && siblings::shows_text_before(seen.invocation, seen.line);
        self.foreign_to(said).before
            && (!self.is_near_end(said) || (perhaps && (said.says != Some(Says::Fail) || shown())))
    }

    /// `tests && other`, and the line failed: had the tests passed, their total would stand before what the other prints.
    fn stopped_the_line(&self, said: &Said) -> bool {
        let failed = self.seen.reported_exit.is_some_and(|code| code != 0);
        failed && said.fails_first && self.seen.invocation.status.zero && !self.foreign_to(said).before
    }

    /// The status is not its own: only the words count, if nothing can have changed or dropped them.
    fn by_summary(&self, said: &Said, why: &str) -> Judged {
        let view = self.view();
        match view {
            View::Hidden => {
                return self.cannot_tell("masked and hidden", format!("{why}, and its output was not recorded"));
            }
            View::Filtered => {
                return self.cannot_tell("masked and filtered", format!("{why}, and its output went through a filter"));
            }
            View::Whole | View::Tail => {}
        }
        match said.says {
            None => return self.cannot_tell("masked, no total", format!("{why}, and no closing total is in view")),
            Some(Says::Nothing | Says::NotRun) => return self.nothing(said),
            Some(Says::Hint | Says::Unsure | Says::Doubt) => {
                return self
                    .cannot_tell("masked, no clear total", self.quoted(said, &format!("{why}, and it printed")));
            }
            Some(Says::Pass | Says::Fail | Says::Broke) => {}
        }
        if said.says != Some(Says::Pass) && self.stopped_the_line(said) {
            return self.refuted(Basis::Summary, "it stopped the line; its own closing words name failures");
        }
        if self.foreign_to(said).after {
            return self.cannot_tell("another command's text", format!("{why}, and another command prints after it"));
        }
        if self.is_doubtful_failure(said) {
            return self
                .cannot_tell("another command's text", format!("{why}, and the words can be another command's"));
        }
        if said.says != Some(Says::Pass) {
            if self.is_before_cut(said) && self.row.totals == Totals::Last {
                return self.cannot_tell("masked and cut", format!("{why}, and the end of its output is missing"));
            }
            return self.refuted(Basis::Summary, "masked status; its own closing words name failures");
        }
        if view == View::Tail && !self.last_speaks() {
            return self.cannot_tell(
                "masked, only the end",
                format!("{why}, and its last lines do not speak for the whole run"),
            );
        }
        if self.text.is_cut() && (self.is_before_cut(said) || !self.last_speaks()) {
            return self.cannot_tell("masked and cut", format!("{why}, and its output is not whole"));
        }
        if self.row.silent && self.zero_on_problems() && !self.sees_all() || self.marked(Mark::Hides) {
            return self.cannot_tell("masked, not whole", format!("{why}, and problems need not be in view"));
        }
        self.confirmed(Basis::Summary, "masked status; its closing total is in view and names no failure")
    }

    /// How what is in view came there: where one stream is hidden, it can only be the other's.
    pub fn view(&self) -> View {
        let invocation = self.seen.invocation;
        self.kept(match (invocation.stdout, invocation.stderr) {
            (View::Hidden, other) | (other, View::Hidden) => other,
            (a, b) => a.max(b),
        })
    }

    /// `tail -20` of clearly less than 20 lines dropped nothing. Clients trim blank lines, so that a few may be gone.
    fn kept(&self, view: View) -> View {
        const TRIMMED: usize = 6;
        let lines = self.text.text.lines().count();
        let short = self.seen.invocation.tail_lines.is_some_and(|n| lines + TRIMMED <= n as usize);
        if view == View::Tail && short { View::Whole } else { view }
    }

    fn is_before_cut(&self, said: &Said) -> bool {
        self.text.end_missing || self.text.last_cut.is_some_and(|cut| said.at < cut)
    }

    /// Every line that could name a problem is in view.
    fn sees_all(&self) -> bool {
        match self.kept(self.seen.invocation.view) {
            View::Whole => !self.text.is_cut(),
            View::Tail => !self.text.is_cut() && self.last_speaks(),
            View::Filtered | View::Hidden => false,
        }
    }

    /// The total that a pass rests on is one that nothing can have made up or changed.
    fn shows_total(&self, said: &Said) -> bool {
        let seen = self.view() <= View::Tail;
        seen && (self.row.totals == Totals::Sum || !self.is_before_cut(said))
    }

    fn nothing(&self, said: &Said) -> Judged {
        let part = self.view() != View::Whole || self.text.is_cut();
        if said.says == Some(Says::Nothing) && self.row.totals == Totals::Sum && part {
            return self
                .cannot_tell("part of the total", "only totals of nothing are in view, and there may be others");
        }
        let words = self.text.line_at(said.at).trim();
        Judged::unknown(Executed::Nothing, "nothing ran", format!("nothing was checked: \"{}\"", short(words)))
    }

    fn cannot_tell(&self, rule: &'static str, reason: impl Into<String>) -> Judged {
        Judged::unknown(Executed::CannotTell, rule, reason)
    }

    fn quoted(&self, said: &Said, lead: &str) -> String {
        match self.text.line_at(said.at).trim() {
            "" => format!("{lead} totals that contradict each other"),
            words => format!("{lead} \"{}\"", short(words)),
        }
    }

    fn confirmed(&self, basis: Basis, rule: &'static str) -> Judged {
        Judged {
            outcome: Outcome::Confirmed,
            basis: Some(basis),
            reason: None,
            ..Judged::unknown(Executed::Some, rule, "")
        }
    }

    pub fn refuted(&self, basis: Basis, rule: &'static str) -> Judged {
        Judged {
            outcome: Outcome::Refuted,
            basis: Some(basis),
            reason: None,
            ..Judged::unknown(Executed::Some, rule, "")
        }
    }

    /// Counts and names, as far as they are the whole's.
    fn fill(&self, judged: &mut Judged, report: Report, said: &Said) {
        if self.row.check != Check::Tests {
            return;
        }
        let mut counts = said.counts;
        let whole = self.seen.invocation.view == View::Whole && !self.text.is_cut() && !self.foreign.before;
        if report.partial && !whole {
            counts.passed = None;
            counts.skipped = None;
            if !self.last_speaks() {
                counts.failed = None;
                counts.errors = None;
            }
        }
        let failure = matches!(said.says, Some(Says::Fail | Says::Broke | Says::Hint));
        if judged.outcome != Outcome::Unknown || failure {
            judged.counts = Some(counts).filter(|c| !c.is_empty());
        }
        if failure && judged.outcome != Outcome::Confirmed {
            judged.failing = report.failing;
        }
    }
}

/// At most 120 bytes of a line, for a reason.
fn short(words: &str) -> &str {
    let end = (0..=words.len().min(120)).rev().find(|n| words.is_char_boundary(*n)).unwrap_or(0);
    &words[..end]
}
