//! What cannot be appended waits, is read where it waits, and is taken in once.

use std::time::Duration;

use deeds::layout::Env;
use deeds::ledger::{Append, Appended, Cause, Draft, Kept, Ledger, Outcome};
use rustix::fs::{FlockOperation, flock};

use crate::drafts::{append, assert_once, bytes, entries, evidence, filled, found_reading, set_bytes, verdict};
use crate::sandbox::Sandbox;

const AT_ONCE: Append = Append { wait: Duration::ZERO, sync: deeds::durable::Sync::None };

#[track_caller]
fn spooled(ledger: &Ledger, drafts: Vec<Draft>) -> std::path::PathBuf {
    match ledger.keep(drafts, &AT_ONCE).unwrap() {
        Kept::Spooled(path, _) => path,
        Kept::Appended(appended) => panic!("{appended:?}"),
    }
}

#[test]
fn while_somebody_holds_the_lock_events_wait_and_the_next_append_takes_them_in_in_order() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 1);
    let holder = std::fs::File::open(ledger.dir().join("ledger.lock")).unwrap();
    flock(&holder, FlockOperation::LockExclusive).unwrap();
    let error = ledger.append(vec![evidence("a", "x")], &AT_ONCE).unwrap_err();
    assert!(matches!(error.cause, Cause::Locked));
    spooled(&ledger, vec![evidence("a", "x")]);
    spooled(&ledger, vec![evidence("b", &"y".repeat(100_000)), evidence("c", "z")]);
    let (waiting, unread) = ledger.spool().drafts();
    assert_eq!(waiting, [evidence("a", "x"), evidence("b", &"y".repeat(100_000)), evidence("c", "z")]);
    assert!(unread.is_empty());
    assert_eq!(entries(&ledger).len(), 2);
    drop(holder);
    assert_eq!(append(&ledger, vec![evidence("d", "x")]), [Appended::Written(5)]);
    assert_once(&ledger, &["a", "b", "c", "d"].map(str::to_owned));
    assert!(!ledger.dir().join("spool").exists());
    // Nothing to append is a way to take in what waits.
    assert_eq!(append(&ledger, vec![]), []);
}

#[test]
fn what_waits_keeps_its_order_where_the_clock_is_set_back() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 1);
    let first = ledger.spool().put(&[evidence("first", "x")], "a test").unwrap();
    // As it would be named tomorrow.
    let name = first.file_name().unwrap().to_str().unwrap();
    let (moment, rest) = name.split_once('-').unwrap();
    let tomorrow = moment.parse::<u64>().unwrap() + 86_400_000_000_000;
    std::fs::rename(&first, first.with_file_name(format!("{tomorrow:020}-{rest}"))).unwrap();
    for call in ["second", "third"] {
        ledger.spool().put(&[evidence(call, "x")], "a test").unwrap();
    }
    let waiting = ["first", "second", "third"].map(|call| evidence(call, "x"));
    assert_eq!(ledger.spool().drafts().0, waiting);
    append(&ledger, vec![evidence("fourth", "x")]);
    let ids: Vec<String> = entries(&ledger).iter().skip(2).map(|entry| entry.id().to_owned()).collect();
    assert_eq!(ids, [waiting.map(|draft| draft.id).to_vec(), vec![evidence("fourth", "x").id]].concat());
}

#[test]
fn many_writers_take_each_file_in_once() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 1);
    let calls: Vec<String> = (0..40).map(|i| format!("spooled {i}")).collect();
    for call in &calls {
        ledger.spool().put(&[evidence(call, &"x".repeat(4000))], "a test").unwrap();
    }
    std::thread::scope(|scope| {
        for i in 0..8 {
            let ledger = &ledger;
            scope.spawn(move || append(ledger, vec![evidence(&format!("thread {i}"), "x")]));
        }
    });
    assert_once(&ledger, &calls);
    assert_once(&ledger, &(0..8).map(|i| format!("thread {i}")).collect::<Vec<_>>());
    assert!(!ledger.dir().join("spool").exists());
}

#[test]
fn what_cannot_be_written_beside_the_ledger_waits_in_the_users_state() {
    let sandbox = Sandbox::with_repository();
    let env = Env { xdg_state_home: Some(sandbox.state()), ..Env::default() };
    let place = env.place(&sandbox.project());
    std::fs::write(&place.ledger, "a file").unwrap();
    let ledger = Ledger::at(&place, &env);
    let path = spooled(&ledger, vec![evidence("a", "x")]);
    assert!(path.starts_with(sandbox.state().join("deeds/spool")), "{}", path.display());
    assert_eq!(ledger.spool().drafts().0, [evidence("a", "x")]);
    std::fs::remove_file(&place.ledger).unwrap();
    append(&ledger, vec![evidence("b", "x")]);
    assert_once(&ledger, &["a", "b"].map(str::to_owned));
    assert!(!path.exists());
    // The same folder is not another ledger's.
    let other = Ledger::at(&env.place(&sandbox.path("home")), &env);
    assert!(other.spool().drafts().0.is_empty());
}

#[test]
fn a_ledger_that_is_altered_or_newer_is_left_byte_for_byte_and_the_event_waits() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 2);
    let good = bytes(&ledger);
    let mut altered = good.clone();
    let last = altered.len() - 200;
    altered[last] ^= 1;
    let newer = [&good[..], b"{\"v\":2,\"anything\":true,\"hash\":\"", "a".repeat(64).as_bytes(), b"\"}\n"].concat();
    let foreign = [&good[..], b"hello\n"].concat();
    for (content, result) in [(altered, "altered"), (newer, "unreadable"), (foreign, "altered")] {
        set_bytes(&ledger, &content);
        spooled(&ledger, vec![evidence("a", "x")]);
        assert_eq!(bytes(&ledger), content);
        assert_eq!(verdict(&ledger).0, result);
        let (backward, forward) = found_reading(&ledger);
        assert_eq!((backward.as_str(), forward.as_str()), (result, result));
    }
    set_bytes(&ledger, &good);
    append(&ledger, vec![]);
    assert_once(&ledger, &["a".to_owned()]);
}

#[test]
fn a_ledger_that_vanished_is_not_begun_anew() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 2);
    let good = bytes(&ledger);
    for cut in [None, Some(0), Some(100)] {
        match cut {
            None => std::fs::remove_file(ledger.dir().join("ledger.jsonl")).unwrap(),
            Some(len) => set_bytes(&ledger, &good[..len]),
        }
        assert_eq!(verdict(&ledger).0, "shrunk", "{cut:?}");
        let error = ledger.append(vec![evidence("a", "x")], &Append::default()).unwrap_err();
        assert!(matches!(error.cause, Cause::Gone(_)), "{error}");
        let expected = if cut == Some(100) { Outcome::TornTail } else { Outcome::Shrunk };
        assert_eq!(found_reading(&ledger), (expected, expected));
    }
    // Another ledger in its place is not the one that was begun here.
    let other = Sandbox::new();
    set_bytes(&ledger, &bytes(&filled(&other, 2)));
    assert_eq!(verdict(&ledger), ("altered", vec!["replaced"]));
    // With the lock file gone nothing says that there was one.
    std::fs::remove_file(ledger.dir().join("ledger.jsonl")).unwrap();
    std::fs::remove_file(ledger.dir().join("ledger.lock")).unwrap();
    assert_eq!(append(&ledger, vec![evidence("a", "x")]), [Appended::Written(1)]);
}

#[test]
fn what_nobody_can_make_sense_of_is_moved_aside_and_holds_nothing_up() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 1);
    let spool = ledger.dir().join("spool");
    std::fs::create_dir(&spool).unwrap();
    std::fs::write(spool.join("0.json"), "{\"v\":1,\"drafts\":[").unwrap();
    std::fs::write(spool.join("1.json"), "{\"v\":9,\"drafts\":[]}").unwrap();
    std::fs::write(spool.join("2.tmp"), "half").unwrap();
    ledger.spool().put(&[evidence("a", "x")], "a test").unwrap();
    let raw = ledger.spool().put_raw(b"{\"hook_event_name\":").unwrap();
    assert_eq!(ledger.spool().drafts().1.len(), 2);
    append(&ledger, vec![evidence("b", "x")]);
    assert_once(&ledger, &["a", "b"].map(str::to_owned));
    let mut aside = ledger.spool().quarantined();
    aside.sort();
    assert_eq!(aside, ["0.json", "1.json"].map(|name| ledger.dir().join("quarantine").join(name)));
    assert_eq!(ledger.spool().raw(), std::slice::from_ref(&raw));
    assert_eq!(std::fs::read(&raw).unwrap(), b"{\"hook_event_name\":");
    ledger.spool().done(&raw).unwrap();
    assert!(ledger.spool().raw().is_empty());
}
