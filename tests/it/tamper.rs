//! Whatever is done to a ledger afterwards is found, and called what it is.

use deeds::ledger::{Appended, Ledger, Outcome};

use crate::drafts::{append, bytes, entries, evidence, filled, found_reading, set_bytes, verdict};
use crate::sandbox::Sandbox;

/// The lines with their newlines.
fn lines(content: &[u8]) -> Vec<Vec<u8>> {
    content.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

/// A small generator of numbers, the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// A ledger of 12 entries, one of which isolates what a crash left of another.
fn recovered(sandbox: &Sandbox) -> Ledger {
    let ledger = filled(sandbox, 6);
    let content = bytes(&ledger);
    set_bytes(&ledger, &content[..content.len() - 120]);
    for i in 0..5 {
        append(&ledger, vec![evidence(&format!("later {i}"), "x")]);
    }
    assert_eq!(verdict(&ledger), ("ok", vec![]));
    ledger
}

#[test]
fn every_flipped_byte_is_an_alteration() {
    let sandbox = Sandbox::new();
    let ledger = recovered(&sandbox);
    let good = bytes(&ledger);
    let mut numbers = Numbers(7);
    let mut flips: Vec<(usize, u8)> =
        (0..400).map(|_| (numbers.below(good.len()), 1 + numbers.below(255) as u8)).collect();
    // Every byte of the last line too, where a change could look like a crash.
    let last = lines(&good).last().unwrap().len();
    flips.extend((good.len() - last..good.len()).map(|at| (at, 1 << numbers.below(8))));
    // A newline, a closing bracket or a comma wherever one could end something.
    flips.extend(
        (good.len() - 100..good.len()).flat_map(|at| [b'\n', b'}', b',', b'"', b'0', 0].map(|to| (at, good[at] ^ to))),
    );
    for (at, mask) in flips.into_iter().filter(|(_, mask)| *mask != 0) {
        let mut content = good.clone();
        content[at] ^= mask;
        set_bytes(&ledger, &content);
        let (outcome, kinds) = verdict(&ledger);
        assert_eq!(outcome, "altered", "byte {at} ^ {mask}: {kinds:?}");
        assert_ne!(found_reading(&ledger).0, Outcome::Ok, "byte {at} ^ {mask}, from the end");
    }
}

#[test]
fn every_deleted_line_but_the_last_is_missed() {
    let sandbox = Sandbox::new();
    let ledger = recovered(&sandbox);
    let all = lines(&bytes(&ledger));
    for gone in 0..all.len() {
        let mut left = all.clone();
        left.remove(gone);
        set_bytes(&ledger, &left.concat());
        let (outcome, kinds) = verdict(&ledger);
        assert_eq!(found_reading(&ledger).0 == Outcome::Ok, outcome == "ok", "line {gone}, from the end");
        if gone == all.len() - 1 {
            // A clean cut of the end is what no chain shows.
            assert_eq!((outcome, kinds), ("ok", vec![]));
        } else if gone == all.len() - 6 || gone == all.len() - 8 {
            // Without the entry that isolates it, or the one before, the fragment is a shortened line.
            assert_eq!((outcome, kinds), ("altered", vec!["altered"]));
        } else {
            assert_eq!((outcome, kinds), ("altered", vec!["missing"]), "line {gone}");
        }
    }
}

#[test]
fn every_swapped_or_repeated_line_is_named_as_such() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 8);
    let all = lines(&bytes(&ledger));
    for i in 0..all.len() {
        let mut twice = all.clone();
        twice.insert(i, all[i].clone());
        set_bytes(&ledger, &twice.concat());
        assert_eq!(verdict(&ledger), ("altered", vec!["repeated"]), "line {i} twice");
        let mut far = all.clone();
        far.push(all[i].clone());
        set_bytes(&ledger, &far.concat());
        assert_eq!(verdict(&ledger), ("altered", vec!["repeated"]), "line {i} again at the end");
        if i + 1 < all.len() {
            let mut swapped = all.clone();
            swapped.swap(i, i + 1);
            set_bytes(&ledger, &swapped.concat());
            assert_eq!(verdict(&ledger), ("altered", vec!["missing", "out_of_order"]), "lines {i} and {}", i + 1);
            assert_eq!(found_reading(&ledger), (Outcome::Altered, Outcome::Altered));
        }
    }
}

#[test]
fn an_entry_made_up_between_two_others_is_found() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 5);
    let other_sandbox = Sandbox::new();
    let other = lines(&bytes(&filled(&other_sandbox, 5)));
    let all = lines(&bytes(&ledger));
    for i in 1..all.len() {
        let mut content = all.clone();
        content[i] = other[i].clone();
        set_bytes(&ledger, &content.concat());
        assert_eq!(verdict(&ledger).0, "altered", "line {i} of another ledger");
    }
}

#[test]
fn writers_that_do_not_see_each_others_lock_fork_the_chain() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 4);
    let before = bytes(&ledger);
    append(&ledger, vec![evidence("mine", "x"), evidence("mine too", "x")]);
    let mine = bytes(&ledger);
    set_bytes(&ledger, &before);
    append(&ledger, vec![evidence("theirs", "x")]);
    let theirs = bytes(&ledger)[before.len()..].to_vec();
    // Both read the same end, and both wrote after it.
    set_bytes(&ledger, &[mine, theirs].concat());
    assert_eq!(verdict(&ledger), ("forked", vec!["forked"]));
    // What comes next follows the last line, and the verdict stays.
    assert_eq!(append(&ledger, vec![evidence("next", "x")]), [Appended::Written(6)]);
    assert_eq!(verdict(&ledger), ("forked", vec!["forked"]));
    assert_eq!(ledger.read().unwrap().filter(|item| item.is_ok()).count(), 9);
}

#[test]
fn a_key_that_stands_twice_is_an_alteration_though_the_hash_is_right() {
    use deeds::evidence::id::sha256_hex;
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 1);
    let content = String::from_utf8(bytes(&ledger)).unwrap();
    let last = content.lines().last().unwrap();
    let (covered, _) = last.rsplit_once(",\"hash\":\"").unwrap();
    for (from, to) in [
        ("\"exit_code\":0", "\"exit_code\":1,\"exit_code\":0"),
        ("\"exit_code\":0", "\"exit_code\":1,\"\\u0065xit_code\":0"),
    ] {
        let forged = covered.replace(from, to);
        assert_ne!(forged, covered);
        let hash = sha256_hex(format!("deeds:entry:v1\n{forged}").as_bytes());
        let first = content.lines().next().unwrap();
        set_bytes(&ledger, format!("{first}\n{forged},\"hash\":\"{hash}\"}}\n").as_bytes());
        assert_eq!(verdict(&ledger), ("altered", vec!["altered"]));
        assert_eq!(ledger.read().unwrap().filter(|item| item.is_ok()).count(), 1);
    }
}

#[test]
fn what_cannot_be_read_is_unreadable_and_not_empty() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 2);
    let path = ledger.dir().join("ledger.jsonl");
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert_eq!(verdict(&ledger), ("unreadable", vec!["unreadable"]));
    assert_eq!(found_reading(&ledger), (Outcome::Unreadable, Outcome::Unreadable));
    std::fs::remove_dir(&path).unwrap();
    std::os::unix::fs::symlink(sandbox.path("home"), &path).unwrap();
    assert_eq!(verdict(&ledger).0, "unreadable");
}

#[test]
fn a_line_without_end_is_read_with_little_memory() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 2);
    let mut content = bytes(&ledger);
    content.extend(std::iter::repeat_n(b'x', 3 << 20));
    content.push(b'\n');
    set_bytes(&ledger, &content);
    assert_eq!(verdict(&ledger), ("altered", vec!["altered"]));
    assert_eq!(entries_and_findings(&ledger), (3, 1));
    assert_eq!(found_reading(&ledger), (Outcome::Altered, Outcome::Altered));
    assert_eq!(ledger.backward().unwrap().filter(|item| item.is_ok()).count(), 3);
}

fn entries_and_findings(ledger: &Ledger) -> (usize, usize) {
    let items: Vec<_> = ledger.read().unwrap().collect();
    (items.iter().filter(|item| item.is_ok()).count(), items.iter().filter(|item| item.is_err()).count())
}

#[test]
fn the_entries_of_an_altered_ledger_are_read_with_what_is_wrong() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 5);
    assert_eq!(entries(&ledger).len(), 6);
    let mut all = lines(&bytes(&ledger));
    all.remove(3);
    set_bytes(&ledger, &all.concat());
    assert_eq!(entries_and_findings(&ledger), (5, 1));
}
