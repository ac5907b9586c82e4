//! Input that nobody thought of: real input, changed at random, the same every time. Nothing panics, and nothing is read
//! out of it that could not be written down.

use std::path::{Path, PathBuf};

use deeds::adapter::{self, Recognised, Told};
use deeds::claims::config::Config;
use deeds::ledger::{Key, Outcome};

use crate::drafts::{bytes, filled, set_bytes};
use crate::sandbox::Sandbox;

/// A small generator of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// One to four changes: a byte, a cut, a repeated or removed part, a piece of syntax.
fn changed(numbers: &mut Numbers, input: &[u8]) -> Vec<u8> {
    const PIECES: [&[u8]; 12] = [
        b"\"",
        b"\\",
        b"{",
        b"}",
        b"[",
        b"null",
        b"\\u0000",
        b"\xff",
        b"1e999",
        b"\n",
        b"\\ud800",
        b",\"a\":1,\"a\":2",
    ];
    let mut out = input.to_vec();
    for _ in 0..=numbers.below(4) {
        let at = numbers.below(out.len());
        let to = (at + numbers.below(40)).min(out.len());
        match numbers.below(5) {
            0 if !out.is_empty() => out[at] ^= 1 << numbers.below(8),
            1 => out.truncate(at),
            2 => drop(out.drain(at..to)),
            3 => {
                let part = out[at..to].to_vec();
                drop(out.splice(at..at, part));
            }
            _ => drop(out.splice(at..at, PIECES[numbers.below(PIECES.len())].iter().copied())),
        }
    }
    out
}

fn fixtures(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(folder)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn a_hooks_payload_changed_at_random_is_an_event_or_an_unparsed_one() {
    let mut numbers = Numbers(11);
    let files = fixtures("claude", "json");
    let mut events = 0;
    for nth in 0..3000 {
        let file = &files[nth % files.len()];
        let bytes = changed(&mut numbers, &std::fs::read(file).unwrap());
        let told = Told { observed_at: "2026-11-30T21:04:05.123Z".to_owned(), agent: None };
        match adapter::recognise(&bytes, &told) {
            Recognised::Event(_) => events += 1,
            Recognised::Unparsed(strange) => assert!(!strange.reason.is_empty(), "{}", file.display()),
        }
    }
    assert!(events > 100, "{events}");
}

#[test]
fn a_deeds_json_changed_at_random_is_read_or_refused() {
    let valid = br#"{"claims":[{"id":"tests-pass","requires":[{"evidenceId":"tests","subject":"@worktree","trust":["host_observed"]}]}],
        "checks":{"contract":"make contract-test"},"gate":"block","strict":true,"sync":"always",
        "producers":[{"name":"tests","kind":"test","command":["cargo","test"],"required":true,"timeout":9}]}"#;
    let mut numbers = Numbers(13);
    for _ in 0..3000 {
        let text = String::from_utf8_lossy(&changed(&mut numbers, valid)).into_owned();
        if let Err(error) = Config::parse(&text) {
            assert!(!error.to_string().is_empty(), "{text}");
        }
    }
}

#[test]
fn a_command_line_changed_at_random_is_read_or_said_to_be_unreadable() {
    let lines: [&[u8]; 6] = [
        b"cd sub && RUST_LOG=1 timeout 30 cargo test --workspace 2>&1 | tail -4",
        b"git add -A; git commit -qm \"$(cat <<'EOF'\nmend\nEOF\n)\" && git push origin main || true",
        b"for f in a b; do pytest -q \"$f\" > out.txt; done; if [ -f x ]; then npx jest; else bash -lc 'npm test'; fi",
        b"set -euo pipefail; (cd web && pnpm run lint) & wait; echo $?",
        b"case $x in a) go test ./... ;; *) exit 3 ;; esac",
        b"function t() { uv run ruff check .; }; t; trap 'echo bye' EXIT",
    ];
    let mut numbers = Numbers(17);
    for nth in 0..1200 {
        let line = String::from_utf8_lossy(&changed(&mut numbers, lines[nth % lines.len()])).into_owned();
        let read = deeds::records::command::read(&line);
        assert_eq!(format!("{read:?}"), format!("{:?}", deeds::records::command::read(&line)), "{line}");
    }
}

#[test]
fn a_ledger_changed_at_random_is_read_to_its_end_and_never_passes_for_whole() {
    let sandbox = Sandbox::new();
    let ledger = filled(&sandbox, 8);
    let good = bytes(&ledger);
    let boundaries: Vec<usize> =
        std::iter::once(0).chain((0..good.len()).filter(|at| good[*at] == b'\n').map(|at| at + 1)).collect();
    let mut numbers = Numbers(19);
    for _ in 0..400 {
        let content = changed(&mut numbers, &good);
        set_bytes(&ledger, &content);
        let outcome = ledger.verify().outcome;
        let clean_cut = good.starts_with(&content) && boundaries.contains(&content.len());
        assert_eq!(outcome == Outcome::Ok, content == good || (clean_cut && !content.is_empty()), "{outcome:?}");
        let (forward, backward) = (ledger.read().unwrap().count(), ledger.backward().unwrap().count());
        assert!(forward <= 64 && backward <= 64);
    }
}

#[test]
fn a_key_changed_at_random_is_no_key() {
    let sandbox = Sandbox::new();
    let env = deeds::layout::Env { xdg_state_home: Some(sandbox.state()), ..Default::default() };
    let ledger = deeds::ledger::Ledger::within(&sandbox.path("ledger"), &env);
    crate::drafts::append(&ledger, vec![crate::drafts::evidence("a", "x")]);
    let text = std::fs::read(ledger.keys().unwrap().path()).unwrap();
    let mut numbers = Numbers(23);
    for _ in 0..2000 {
        let content = changed(&mut numbers, &text);
        let read = std::str::from_utf8(&content).ok().and_then(Key::parse);
        assert!(read.is_none_or(|key| key.to_text().as_bytes().starts_with(content.trim_ascii_end())));
    }
}

#[test]
fn rollouts_changed_at_random_are_read_by_tail_without_a_panic() {
    let mut numbers = Numbers(29);
    let files = fixtures("codex", "jsonl");
    let sandbox = Sandbox::with_repository();
    let to = sandbox.path("ledger");
    std::fs::create_dir(&to).unwrap();
    for (nth, file) in files.iter().take(12).enumerate() {
        let mut content = Vec::new();
        for line in std::fs::read(file).unwrap().split_inclusive(|byte| *byte == b'\n').take(200) {
            // The first line says whose rollout it is.
            let keep = content.is_empty() || numbers.below(3) > 0;
            content.extend(if keep { line.to_vec() } else { changed(&mut numbers, line) });
        }
        let path = sandbox.path(&format!("rollout-{nth}.jsonl"));
        std::fs::write(&path, content).unwrap();
        let ran = sandbox.deeds(&["tail", path.to_str().unwrap(), "--ledger", to.to_str().unwrap()]);
        assert!(
            matches!(ran.code, Some(0 | 65 | 70)) && !ran.stderr.contains("panicked"),
            "{}: {ran:?}",
            file.display()
        );
    }
}
