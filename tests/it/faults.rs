//! A crash or a failing disk at every single call: nothing that was finished is lost, nothing is taken for tampering.

use deeds::durable::Sync;
use deeds::durable::faults::{Call, How, with};
use deeds::ledger::{Append, EntryKind, Kept, Ledger, Outcome};

use crate::drafts::{append, assert_once, bytes, entries, evidence, filled, found_reading, ledger, set_bytes, verdict};
use crate::sandbox::Sandbox;

const ENOSPC: i32 = 28;
const EIO: i32 = 5;

/// What a ledger is like before the fault.
const STATES: [&str; 5] = ["none", "some", "torn", "without newline", "spooled"];

fn prepare(sandbox: &Sandbox, state: &str) -> (Ledger, Vec<String>) {
    if state == "none" {
        return (ledger(sandbox), vec![]);
    }
    let ledger = filled(sandbox, 3);
    let content = bytes(&ledger);
    let mut calls: Vec<String> = (0..3).map(|i| format!("call {i}")).collect();
    match state {
        "torn" => {
            set_bytes(&ledger, &content[..content.len() - 50]);
            calls.pop();
        }
        "without newline" => set_bytes(&ledger, &content[..content.len() - 1]),
        "spooled" => {
            ledger.spool().put(&[evidence("waiting", &"w".repeat(6000))], "a test").unwrap();
            calls.push("waiting".to_owned());
        }
        _ => {}
    }
    (ledger, calls)
}

#[test]
fn a_process_that_dies_at_any_call_loses_nothing_that_was_finished() {
    for state in STATES {
        for nth in 0.. {
            if !dies(state, nth, None, 0) {
                break;
            }
        }
        for taken in [1, 70, 700, 1400] {
            for nth in 0.. {
                if !dies(state, nth, Some(Call::Write), taken) {
                    break;
                }
            }
        }
    }
}

/// Lets an append die at a call, of a write after some bytes. False if there is no such call.
fn dies(state: &str, nth: usize, only: Option<Call>, taken: usize) -> bool {
    let case = format!("{state}, call {nth}, {taken} bytes taken");
    let sandbox = Sandbox::new();
    let (ledger, mut calls) = prepare(&sandbox, state);
    let sync = if matches!(state, "none" | "some") { Sync::Data } else { Sync::None };
    let options = Append { sync, ..Append::default() };
    let drafts = || vec![evidence("new", &"n".repeat(6000)), evidence("new too", "x")];
    let (appended, reached) = with(nth, only, How::Die(taken), || ledger.append(drafts(), &options));
    if appended.is_ok() {
        calls.extend(["new".to_owned(), "new too".to_owned()]);
    }
    let outcome = verdict(&ledger).0;
    assert!(matches!(outcome, "ok" | "torn_tail"), "{case}: {outcome}");
    append(&ledger, vec![evidence("after", "x")]);
    calls.push("after".to_owned());
    assert_once(&ledger, &calls);
    // The client tells it again: it stands there once, whether it was finished or not.
    append(&ledger, drafts());
    calls.extend(["new".to_owned(), "new too".to_owned()]);
    assert_once(&ledger, &calls);
    reached
}

#[test]
fn a_call_that_fails_leaves_the_event_in_the_ledger_or_in_the_spool() {
    for state in STATES {
        for how in [How::Fail(ENOSPC), How::Fail(EIO), How::Short(1, ENOSPC), How::Short(900, EIO)] {
            for nth in 0.. {
                let sandbox = Sandbox::new();
                let (ledger, mut calls) = prepare(&sandbox, state);
                let sync = if how == How::Fail(EIO) { Sync::Data } else { Sync::None };
                let options = Append { sync, ..Append::default() };
                let (kept, reached) =
                    with(nth, None, how, || ledger.keep(vec![evidence("new", &"n".repeat(6000))], &options));
                calls.push("new".to_owned());
                if let Ok(Kept::Spooled(path, why)) = &kept {
                    assert!(path.exists() && !why.contains('\n'), "{why}");
                }
                assert!(kept.is_ok(), "{state} {how:?} {nth}: {kept:?}");
                append(&ledger, vec![evidence("after", "x")]);
                calls.push("after".to_owned());
                assert_once(&ledger, &calls);
                if !reached {
                    break;
                }
            }
        }
    }
}

#[test]
fn where_nothing_can_be_written_at_all_the_drafts_come_back() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 1);
    let before = bytes(&ledger);
    let (kept, _) = with(0, None, How::Die(0), || ledger.keep(vec![evidence("new", "x")], &Append::default()));
    assert_eq!(kept.unwrap_err().drafts, [evidence("new", "x")]);
    assert_eq!(bytes(&ledger), before);
}

#[test]
fn every_cut_of_the_last_two_lines_is_a_torn_tail_and_the_next_append_isolates_it() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 4);
    let good = bytes(&ledger);
    let newlines: Vec<usize> = (0..good.len()).filter(|at| good[*at] == b'\n').collect();
    for cut in newlines[2] + 1..good.len() {
        set_bytes(&ledger, &good[..cut]);
        let (outcome, kinds) = verdict(&ledger);
        if newlines.contains(&(cut - 1)) {
            assert_eq!((outcome, kinds), ("ok", vec![]), "{cut}");
            continue;
        }
        assert_eq!((outcome, kinds), ("torn_tail", vec!["torn_tail"]), "{cut}");
        assert_eq!(found_reading(&ledger), (Outcome::TornTail, Outcome::TornTail), "{cut}");
        append(&ledger, vec![evidence("after", "x")]);
        assert_eq!(verdict(&ledger), ("ok", vec![]), "{cut}");
        assert_eq!(found_reading(&ledger), (Outcome::Ok, Outcome::Ok), "{cut}");
        // The fragment stays as its own line; a line that lacked only its newline got it.
        assert!(bytes(&ledger).starts_with(&good[..cut]));
        let entries = entries(&ledger);
        let recovered = entries.iter().filter(|entry| entry.kind == EntryKind::Recovery).count();
        assert_eq!(recovered, usize::from(!newlines.contains(&cut)), "{cut}");
    }
}

#[test]
fn a_recovery_that_is_itself_cut_short_is_recovered_from() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 2);
    let good = bytes(&ledger);
    let torn = &good[..good.len() - 30];
    set_bytes(&ledger, torn);
    append(&ledger, vec![evidence("after", "x")]);
    let recovered = bytes(&ledger);
    for cut in (torn.len()..recovered.len()).step_by(3).chain([torn.len() + 1]) {
        set_bytes(&ledger, &recovered[..cut]);
        let outcome = verdict(&ledger).0;
        assert!(outcome == "torn_tail" || (outcome == "ok" && recovered[cut - 1] == b'\n'), "{cut}: {outcome}");
        append(&ledger, vec![evidence("after", "x")]);
        assert_once(&ledger, &["call 0", "after"].map(str::to_owned));
        // Once more, to show that the whole heap of fragments is accounted for.
        let mut content = bytes(&ledger);
        content[torn.len() - 5] ^= 1;
        set_bytes(&ledger, &content);
        assert_eq!(verdict(&ledger).0, "altered", "{cut}");
    }
}

#[test]
fn blocks_that_a_power_cut_left_unwritten_are_no_tampering() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 2);
    let good = bytes(&ledger);
    for keep in [good.len(), good.len() - 30] {
        let mut content = good[..keep].to_vec();
        content.resize(good.len() + 4096, 0);
        set_bytes(&ledger, &content);
        let expected = if keep == good.len() { ["call 0", "call 1", "after"].as_slice() } else { &["call 0", "after"] };
        assert_eq!(verdict(&ledger), ("torn_tail", vec!["torn_tail"]));
        append(&ledger, vec![evidence("after", "x")]);
        assert_once(&ledger, &expected.iter().map(|call| (*call).to_owned()).collect::<Vec<_>>());
    }
}
