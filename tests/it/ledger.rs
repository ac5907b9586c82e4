//! The ledger: what is appended stands there, once, in order, chained.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::sync::atomic::{AtomicUsize, Ordering};

use deeds::evidence::id::{digest_fields, sha256_hex};
use deeds::ledger::{Append, Appended, Cause, EntryKind, Ledger};
use serde_json::{Value, json};

use crate::drafts::{append, bytes, claim, draft, entries, evidence, filled, ledger, look, set_bytes, verdict};
use crate::sandbox::Sandbox;

#[test]
fn what_is_appended_is_read_back_behind_a_genesis_in_one_chain() {
    let sandbox = Sandbox::new();
    let ledger = ledger(&sandbox);
    assert_eq!(
        append(&ledger, vec![evidence("a", "x"), evidence("b", "y")]),
        [Appended::Written(1), Appended::Written(2)]
    );
    assert_eq!(append(&ledger, vec![evidence("c", "z")]), [Appended::Written(3)]);
    let entries = entries(&ledger);
    assert_eq!(entries[0].kind, EntryKind::Genesis);
    assert_eq!(entries[0].body["format"], 1);
    assert_eq!(entries[0].id().len(), 32);
    assert_eq!(entries.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!(entries[0].prev.as_str(), "0".repeat(64));
    for pair in entries.windows(2) {
        assert_eq!(pair[1].prev, pair[0].hash);
    }
    assert_eq!(entries[3].body, Value::Object(evidence("c", "z").body));
    assert_eq!(ledger.entry(2).unwrap().unwrap().body["payload"]["output"], "y");
    assert_eq!(verdict(&ledger), ("ok", vec![]));
}

#[test]
fn a_line_is_what_the_format_says_and_its_hash_can_be_made_by_anybody() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 1);
    let text = String::from_utf8(bytes(&ledger)).unwrap();
    for (line, entry) in text.lines().zip(entries(&ledger)) {
        let (covered, hash) = line.rsplit_once(",\"hash\":\"").unwrap();
        assert_eq!(format!("{}\"}}", sha256_hex(format!("deeds:entry:v1\n{covered}").as_bytes())), hash);
        let value: Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            value.as_object().unwrap().keys().collect::<Vec<_>>(),
            ["v", "seq", "prev", "at", "kind", "body", "hash"]
        );
        assert_eq!(value["v"], 1);
        assert_eq!(value["body"].as_object().unwrap().keys().next().unwrap(), "id");
        assert_eq!(value["hash"], entry.hash.as_str());
    }
}

#[test]
fn a_body_that_holds_an_entrys_own_end_is_cut_where_the_line_ends() {
    let sandbox = Sandbox::new();
    let ledger = ledger(&sandbox);
    let end = format!(",\"hash\":\"{}\"}}", "0".repeat(64));
    append(&ledger, vec![evidence("a", &end)]);
    let body = json!({"id": "i", "hash": "0".repeat(64), "x": {"hash": "0".repeat(64), "mac": "0".repeat(64)}});
    append(&ledger, vec![draft(EntryKind::Unparsed, "i", body.clone())]);
    let entries = entries(&ledger);
    assert_eq!(entries[1].body["payload"]["output"], end);
    assert_eq!(entries[2].body, body);
    assert_eq!(verdict(&ledger), ("ok", vec![]));
}

#[test]
fn an_output_of_200_kb_is_a_blob_and_reads_back_whole() {
    let sandbox = Sandbox::new();
    let ledger = ledger(&sandbox);
    let output = "0123456789\n".repeat(20_000);
    append(&ledger, vec![evidence("a", &output)]);
    let entry = ledger.entry(1).unwrap().unwrap();
    let value = &entry.body["payload"]["output"];
    assert_eq!(*value, json!({"$blob": sha256_hex(output.as_bytes()), "len": output.len()}));
    assert_eq!(ledger.resolve(value), Some(output.clone()));
    assert_eq!(ledger.resolve_all(&entry.body)["payload"]["output"], output);
}

#[test]
fn sixty_four_payloads_of_200_kb_eight_at_once_make_64_entries_in_one_chain() {
    let sandbox = Sandbox::new();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= 64 {
                        break;
                    }
                    // Every append opens the lock for itself, as a process of its own would.
                    append(&ledger(&sandbox), vec![evidence(&format!("call {i}"), &format!("{i}\n").repeat(70_000))]);
                }
            });
        }
    });
    let ledger = ledger(&sandbox);
    let entries = entries(&ledger);
    assert_eq!(entries.iter().map(|entry| entry.seq).collect::<Vec<_>>(), (0..65).collect::<Vec<_>>());
    let mut ids: Vec<&str> = entries.iter().map(|entry| entry.id()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 65);
    assert_eq!(verdict(&ledger), ("ok", vec![]));
}

#[test]
fn a_reader_never_sees_a_line_that_is_being_written() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 1);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for i in 0..150 {
                append(&ledger, (0..20).map(|j| evidence(&format!("{i} {j}"), &"x".repeat(3000))).collect());
            }
        });
        while !writer.is_finished() {
            assert!(ledger.read().unwrap().all(|item| item.is_ok()));
        }
    });
    assert_eq!(entries(&ledger).len(), 3002);
}

#[test]
fn met_again_with_the_same_payload_nothing_is_appended() {
    let sandbox = Sandbox::new();
    let ledger = ledger(&sandbox);
    append(&ledger, vec![evidence("a", &"x".repeat(9000)), claim("t", "All tests pass.", "1111")]);
    let before = bytes(&ledger);
    let mut again = evidence("a", &"x".repeat(9000));
    again.body["payload"]["duration_ms"] = json!(99);
    again.body["payload"]["context"] = json!({"head": "f00"});
    again.body["observed_at"] = json!("2027-01-01T00:00:00.000Z");
    // A claim is known by its words; the worktree is what was seen when it was told.
    let claimed_again = claim("t", "All tests pass.", "2222");
    assert_eq!(append(&ledger, vec![again, claimed_again]), [Appended::Duplicate(1), Appended::Duplicate(2)]);
    assert_eq!(bytes(&ledger), before);
}

#[test]
fn met_again_with_another_payload_it_stands_there_too_and_verify_says_so() {
    let sandbox = Sandbox::new();
    let ledger = ledger(&sandbox);
    append(&ledger, vec![evidence("a", "x")]);
    assert_eq!(append(&ledger, vec![evidence("a", "y")]), [Appended::Written(2)]);
    assert_eq!(
        append(&ledger, vec![evidence("a", "y"), evidence("a", "x")]),
        [Appended::Duplicate(2), Appended::Duplicate(1)]
    );
    assert_eq!(entries(&ledger)[2].body["conflicts_with"], 1);
    assert_eq!(verdict(&ledger), ("ok", vec!["conflict"]));
    // Within one batch too, and a body that ends like a conflict is none.
    let nested = json!({"id": "n", "last": {"conflicts_with": 7}});
    append(
        &ledger,
        vec![evidence("b", "x"), evidence("b", "y"), evidence("b", "x"), draft(EntryKind::Unparsed, "n", nested)],
    );
    assert_eq!(entries(&ledger).len(), 6);
    assert_eq!(verdict(&ledger), ("ok", vec!["conflict", "conflict"]));
}

#[test]
fn a_judgement_made_again_is_no_second_one() {
    let sandbox = Sandbox::new();
    let ledger = ledger(&sandbox);
    let judgement = |shown: u32| draft(EntryKind::Judgement, "j", json!({"id": "j", "shown": [shown]}));
    append(&ledger, vec![judgement(1)]);
    assert_eq!(append(&ledger, vec![judgement(2)]), [Appended::Duplicate(1)]);
    assert_eq!(verdict(&ledger), ("ok", vec![]));
}

#[test]
fn what_the_host_saw_is_seen_once_with_the_event() {
    let sandbox = Sandbox::new();
    let ledger = ledger(&sandbox);
    append(&ledger, vec![evidence("a", "x"), look("a", "1111")]);
    let again = append(&ledger, vec![evidence("a", "x"), look("a", "2222"), look("a further one", "2222")]);
    assert_eq!(again, [Appended::Duplicate(1), Appended::Duplicate(2), Appended::Duplicate(1)]);
    // Told anew with other words it is another sighting of the event, and still no other of the host's.
    assert_eq!(
        append(&ledger, vec![evidence("a", "y"), look("a", "2222")]),
        [Appended::Written(3), Appended::Duplicate(2)]
    );
    assert_eq!(verdict(&ledger), ("ok", vec!["conflict"]));
}

#[test]
fn an_id_counts_only_where_a_bodys_id_stands() {
    let sandbox = Sandbox::new();
    let ledger = ledger(&sandbox);
    let id = digest_fields(&["a"]);
    let inner = json!({"kind": "evidence", "body": {"id": id}});
    append(
        &ledger,
        vec![draft(
            EntryKind::Unparsed,
            "i",
            json!({"id": "i", "x": inner, "y": format!("\"body\":{{\"id\":\"{id}\"")}),
        )],
    );
    assert_eq!(append(&ledger, vec![evidence("a", "x")]), [Appended::Written(2)]);
}

#[test]
fn only_the_last_256_kib_are_read_whatever_stands_before() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 1);
    for i in 0..100 {
        append(&ledger, vec![evidence(&format!("more {i}"), &"x".repeat(4000))]);
    }
    // What stands further back than the window is not looked at, be it a duplicate or nonsense.
    let mut content = bytes(&ledger);
    assert!(content.len() > 300 << 10);
    content[..1000].fill(b'?');
    set_bytes(&ledger, &content);
    assert_eq!(append(&ledger, vec![evidence("call 0", "")]), [Appended::Written(102)]);
    assert_eq!(append(&ledger, vec![evidence("more 99", &"x".repeat(4000))]), [Appended::Duplicate(101)]);
}

#[test]
fn an_entry_is_at_most_64_kib_long_whatever_it_is_made_of() {
    let sandbox = Sandbox::new();
    let ledger = ledger(&sandbox);
    let many: Vec<String> = (0..30_000).map(|i| format!("item {i}")).collect();
    let strings: serde_json::Map<String, Value> =
        (0..100).map(|i| (format!("k{i}"), json!("é".repeat(2000)))).collect();
    let mut deep = json!(1);
    for _ in 0..60 {
        deep = json!({ "a": [deep] });
    }
    for (i, input) in
        [json!(many), json!(strings), deep, json!({"$blob": "0".repeat(64), "len": 1})].into_iter().enumerate()
    {
        let mut with_input = evidence(&format!("call {i}"), "x");
        with_input.body["payload"]["input"] = input.clone();
        append(&ledger, vec![with_input]);
        let entry = ledger.entry(i as u64 + 1).unwrap().unwrap();
        assert_eq!(entry.body["payload"]["command"], "cargo test");
        assert_eq!(ledger.resolve_all(&entry.body)["payload"]["input"], input);
    }
    assert!(bytes(&ledger).split(|byte| *byte == b'\n').all(|line| line.len() < 64 << 10));
    assert_eq!(verdict(&ledger), ("ok", vec![]));
}

#[test]
fn reading_backward_is_reading_forward_backward() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 3);
    for i in 0..200 {
        append(&ledger, vec![evidence(&format!("more {i}"), &"x".repeat(i * 20))]);
    }
    close_segment(&ledger, 0);
    append(&ledger, vec![evidence("after", "x")]);
    let mut backward: Vec<_> = ledger.backward().unwrap().map(|entry| entry.unwrap()).collect();
    backward.reverse();
    assert_eq!(backward, entries(&ledger));
    assert_eq!(backward.len(), 205);
}

/// Makes the ledger's own file a closed segment.
fn close_segment(ledger: &Ledger, first: u64) {
    let dir = ledger.dir();
    std::fs::rename(dir.join("ledger.jsonl"), dir.join(format!("ledger-{first}.jsonl"))).unwrap();
}

#[test]
fn closed_segments_are_read_first_in_the_order_of_their_numbers() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 8);
    close_segment(&ledger, 0);
    assert_eq!(
        append(&ledger, vec![evidence("b", "x"), evidence("c", "x")]),
        [Appended::Written(9), Appended::Written(10)]
    );
    close_segment(&ledger, 9);
    assert_eq!(entries(&ledger).len(), 11);
    assert_eq!(append(&ledger, vec![evidence("d", "x")]), [Appended::Written(11)]);
    assert_eq!(entries(&ledger).iter().filter(|entry| entry.kind == EntryKind::Genesis).count(), 1);
    assert_eq!(verdict(&ledger), ("ok", vec![]));
    std::fs::remove_file(ledger.dir().join("ledger-9.jsonl")).unwrap();
    assert_eq!(verdict(&ledger), ("altered", vec!["missing"]));
}

#[test]
fn the_ledgers_directory_is_its_owners_alone() {
    let sandbox = Sandbox::new();
    let ledger = ledger(&sandbox);
    append(&ledger, vec![evidence("a", &"x".repeat(5000))]);
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().mode() & 0o777;
    let mut folders = vec![ledger.dir().to_owned()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files += 1;
                assert_eq!(mode(&path), 0o600, "{}", path.display());
            }
        }
    }
    // The ledger, its lock, one blob, and what keeps them out of a commit.
    assert_eq!(files, 4);
    assert_eq!(std::fs::read(ledger.dir().join(".gitignore")).unwrap(), b"*\n");
    std::fs::set_permissions(ledger.dir(), std::fs::Permissions::from_mode(0o755)).unwrap();
    append(&ledger, vec![evidence("b", "x")]);
    assert_eq!(mode(ledger.dir()), 0o700);
}

#[test]
fn a_place_that_somebody_else_could_have_made_is_refused_in_one_clear_line() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("elsewhere")).unwrap();
    symlink(sandbox.path("elsewhere"), sandbox.path("link")).unwrap();
    std::fs::write(sandbox.path("file"), "").unwrap();
    for (name, why) in [("link", "it is a symbolic link"), ("file", "it is not a directory")] {
        let ledger = Ledger::open(&sandbox.path(name));
        let error = ledger.append(vec![evidence("a", "x")], &Append::default()).unwrap_err();
        assert!(matches!(error.cause, Cause::Place(..)), "{error}");
        assert_eq!(error.drafts, [evidence("a", "x")]);
        let line = error.to_string();
        assert!(line.contains(why) && !line.contains('\n'), "{line}");
    }
    assert_eq!(std::fs::read_dir(sandbox.path("elsewhere")).unwrap().count(), 0);
    // Nothing is made of a project that is not there.
    let nowhere = Ledger::open(&sandbox.path("nowhere/.deeds"));
    assert!(nowhere.append(vec![evidence("a", "x")], &Append::default()).is_err());
    assert!(!sandbox.path("nowhere").exists());
    // Neither is a ledger, a lock or a blob that is a link followed.
    for name in ["ledger.jsonl", "ledger.lock"] {
        let ledger = ledger(&sandbox);
        std::fs::create_dir_all(ledger.dir()).unwrap();
        let _ = std::fs::remove_file(ledger.dir().join(name));
        symlink(sandbox.path("file"), ledger.dir().join(name)).unwrap();
        assert!(ledger.append(vec![evidence("a", "x")], &Append::default()).is_err());
        std::fs::remove_file(ledger.dir().join(name)).unwrap();
    }
    assert_eq!(std::fs::read(sandbox.path("file")).unwrap(), b"");
}

#[test]
fn a_blob_that_was_tampered_with_is_found_and_storing_it_again_makes_it_whole() {
    let sandbox = Sandbox::new();
    let ledger = ledger(&sandbox);
    let output = "x".repeat(5000);
    append(&ledger, vec![evidence("a", &output)]);
    let blob = ledger.blobs().path(&sha256_hex(output.as_bytes()));
    let value = ledger.entry(1).unwrap().unwrap().body["payload"]["output"].clone();
    std::fs::write(&blob, "y".repeat(5000)).unwrap();
    assert_eq!(verdict(&ledger), ("altered", vec!["blob_altered"]));
    assert_eq!(ledger.resolve(&value), None);
    append(&ledger, vec![evidence("b", &output)]);
    assert_eq!(ledger.resolve(&value), Some(output.clone()));
    assert_eq!(verdict(&ledger), ("ok", vec![]));
    // What stood there is kept for whoever looks into it.
    let aside = std::fs::read_dir(ledger.dir().join("quarantine")).unwrap().next().unwrap().unwrap().path();
    assert_eq!(std::fs::read(aside).unwrap(), "y".repeat(5000).as_bytes());
    std::fs::write(&blob, "").unwrap();
    assert_eq!(verdict(&ledger), ("shrunk", vec!["blob_missing"]));
    std::fs::remove_file(&blob).unwrap();
    assert_eq!(verdict(&ledger), ("shrunk", vec!["blob_missing"]));
    std::fs::create_dir(&blob).unwrap();
    assert_eq!(verdict(&ledger), ("altered", vec!["blob_altered"]));
    append(&ledger, vec![evidence("c", &output)]);
    assert_eq!(verdict(&ledger), ("ok", vec![]));
}
