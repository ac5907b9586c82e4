//! From the runs and leaves of a walk to invocations: what is shown of each, and what happens before and after it.

use super::outcome::Claim;
use super::program::Filter;
use super::record::{Change, Leaf, Print, Run, Shown};
use super::syntax::Word as Parsed;
use super::unwrap::program_name;
use super::walk::Walk;
use crate::records::invocation::{Elsewise, Foreign, Invocation, View, Word};

/// How one leaf's time lies to another's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Order {
    before: bool,
    after: bool,
    /// They are parts of one pipeline.
    beside: bool,
}

/// The invocations of a walk, of those that can run.
pub fn invocations(walk: &Walk, claims: &[Claim]) -> Vec<Invocation> {
    let one = |number: usize| claims[number].map(|claim| (walk.leaves[number].late, invocation(walk, number, claim)));
    let (late, mut all): (Vec<_>, Vec<_>) = (0..walk.runs.len()).filter_map(one).partition(|(late, _)| *late);
    all.extend(late);
    all.into_iter().map(|(_, invocation)| invocation).collect()
}

fn invocation(walk: &Walk, number: usize, claim: (super::Reached, super::Status)) -> Invocation {
    let run = &walk.runs[number];
    let shown = [0, 1].map(|stream| best(walk, number, &run.streams[stream]));
    let views = [0, 1].map(|stream| shown[stream].1.view);
    let lines =
        shown.iter().filter(|(_, filter)| filter.view == View::Tail).filter_map(|(_, filter)| filter.lines).min();
    let (changed_before, then_changes, elsewise) = changes(walk, number);
    Invocation {
        program: program_name(&run.words[0]),
        args: arguments(run),
        env: run.environment.iter().map(|(name, value)| (name.clone(), word(value))).collect(),
        via: run.via.clone(),
        dir: run.dir.clone(),
        elsewhere: run.elsewhere.clone(),
        reached: claim.0,
        repeats: !walk.leaves[number].loops.is_empty(),
        status: claim.1,
        wrapper_codes: run.codes.clone(),
        view: views[0].max(views[1]),
        stdout: views[0],
        stderr: views[1],
        tail_lines: lines,
        foreign: foreign(walk, number, &shown),
        changes: walk.leaves[number].change == Change::Program,
        then_changes,
        changed_before,
        elsewise,
        text: run.words.iter().map(|word| self::word(word).text).collect::<Vec<_>>().join(" "),
        span: run.span,
    }
}

fn arguments(run: &Run) -> Vec<Word> {
    let mut words: Vec<Word> = run.words[1..].iter().map(word).collect();
    let filled = |word: &mut Word| {
        let holds = word.text.contains("{}");
        word.literal &= !holds;
        holds
    };
    if run.via.iter().any(|via| via == "xargs" || via == "find -exec") {
        let placed = words.iter_mut().map(filled).fold(false, |any, one| any | one);
        if !placed {
            words.push(Word { text: "{}".into(), literal: false });
        }
    }
    words
}

fn word(word: &Parsed) -> Word {
    match word.literal() {
        Some(text) => Word { text, literal: true },
        None => Word { text: word.raw.clone(), literal: false },
    }
}

/// Where most of a stream is seen, and how much that is.
fn best<'a>(walk: &Walk, number: usize, all: &'a [Shown]) -> (&'a Shown, Filter) {
    let mut best: Option<(&Shown, Filter)> = None;
    for shown in all {
        let filter = cut(walk, number, shown);
        let better = best.is_none_or(|(_, known)| {
            (filter.view, std::cmp::Reverse(filter.lines.unwrap_or(u32::MAX)))
                < (known.view, std::cmp::Reverse(known.lines.unwrap_or(u32::MAX)))
        });
        if better {
            best = Some((shown, filter));
        }
    }
    best.unwrap_or((&NOWHERE, Filter::NONE))
}

static NOWHERE: Shown = Shown { filter: Filter::NONE, tails: Vec::new(), at: 0, before: false, after: false };

/// What is left after the background and after what else goes through the same `tail`.
fn cut(walk: &Walk, number: usize, shown: &Shown) -> Filter {
    let mut filter = shown.filter;
    let jobs = &walk.leaves[number].jobs;
    if shown.at == number && jobs.iter().any(|job| walk.jobs[*job].is_none()) {
        return Filter::NONE;
    }
    for (leaf, other) in walk.leaves.iter().zip(0..) {
        let same = leaf.tails.iter().any(|tail| shown.tails.contains(tail));
        if !same || other == shown.at || other == number || !order(walk, shown.at, other).after {
            continue;
        }
        filter.lines = match leaf.print {
            Print::Nothing => filter.lines,
            Print::Words(lines) => filter.lines.map(|kept| kept.saturating_sub(lines)),
            Print::Text => Some(0),
        };
    }
    if filter.view == View::Tail && filter.lines == Some(0) { Filter::SOME } else { filter }
}

fn order(walk: &Walk, one: usize, other: usize) -> Order {
    let (here, there) = (&walk.leaves[one], &walk.leaves[other]);
    let both = Order { before: true, after: true, beside: false };
    if here.loops.iter().any(|number| there.loops.contains(number)) {
        return both;
    }
    if here.late != there.late {
        return Order { before: here.late, after: there.late, beside: false };
    }
    let beside =
        here.pipelines.iter().any(|(number, part)| there.pipelines.iter().any(|(n, p)| n == number && p != part));
    if beside {
        return Order { beside, ..both };
    }
    let earlier = other < one;
    let runs_beside = |leaf: &Leaf, against: &Leaf, until: usize| {
        leaf.jobs.iter().any(|job| !against.jobs.contains(job) && walk.jobs[*job].is_none_or(|waited| until < waited))
    };
    if earlier {
        Order { before: true, after: runs_beside(there, here, one), beside: false }
    } else {
        Order { before: runs_beside(here, there, other), after: true, beside: false }
    }
}

/// Whether other commands print where this one's text is seen.
fn foreign(walk: &Walk, number: usize, shown: &[(&Shown, Filter); 2]) -> Foreign {
    let mut foreign = Foreign::default();
    for (shown, _) in shown.iter().filter(|(_, filter)| filter.view != View::Hidden) {
        foreign.before |= shown.before;
        foreign.after |= shown.after;
        for (leaf, other) in walk.leaves.iter().zip(0..) {
            let own = walk.runs[number].streams.iter().flatten().any(|shown| shown.at == other);
            if leaf.print != Print::Text || !leaf.visible || other == number || own {
                continue;
            }
            let order = order(walk, shown.at, other);
            foreign.before |= order.before;
            foreign.after |= order.after;
        }
    }
    foreign
}

/// Whether files can have changed before and after, and how much of that no other invocation accounts for.
fn changes(walk: &Walk, number: usize) -> (bool, bool, Elsewise) {
    let (mut before, mut after, mut elsewise) = (false, false, Elsewise::default());
    for (leaf, other) in walk.leaves.iter().zip(0..) {
        if other == number || leaf.change == Change::Nothing {
            continue;
        }
        let order = order(walk, number, other);
        // The log that a pipeline's own `tee` writes is written while it runs.
        if order.beside && leaf.change == Change::File {
            continue;
        }
        before |= order.before;
        after |= order.after;
        let stands_before =
            if leaf.late == walk.leaves[number].late { other < number } else { walk.leaves[number].late };
        let program = leaf.change == Change::Program;
        elsewise.before |= order.before && (!program || !stands_before);
        elsewise.after |= order.after && (!program || stands_before);
    }
    (before, after, elsewise)
}
