//! Promises about the source that a program can check.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// From the top down; a module may import those after it only.
const ORDER: &[&str] = &[
    "main", "cli", "command", "gate", "claims", "records", "judge", "bundle", "adapter", "sensor", "ledger",
    "evidence", "redact", "layout", "clock", "durable", "text", "bytes", "error",
];

/// Modules of the last line of the list: they may import one another downwards, and anything may import them.
const TOP_LEVEL: &[&str] = &["Cargo.toml", "Cargo.lock", "LICENSE", "README.md", "src", "hooks", "tests", "target"];

const LONGEST_FILE: usize = 400;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// `src/ledger/append.rs` → `ledger`.
fn module_of(path: &Path) -> String {
    let inside = path.strip_prefix(root().join("src")).unwrap();
    let first = inside.components().next().unwrap().as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// The source without its tests, which may look anywhere.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests").next().unwrap()
}

fn imports(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for part in without_tests(text).split("crate::").skip(1) {
        let name: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        found.insert(name);
    }
    found
}

#[test]
fn imports_point_down_the_list_only() {
    let rank = |module: &str| ORDER.iter().position(|m| *m == module);
    let mut wrong = Vec::new();
    for path in rust_files(&root().join("src")) {
        let module = module_of(&path);
        if module == "lib" || module == "main" {
            continue;
        }
        let own = rank(&module).unwrap_or_else(|| panic!("{module} is not in the list"));
        for import in imports(&std::fs::read_to_string(&path).unwrap()) {
            if rank(&import).is_some_and(|other| other < own) {
                wrong.push(format!("{} imports crate::{import}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_judge_imports_nothing_but_serde_and_adapters_know_no_ledger() {
    for path in rust_files(&root().join("src")) {
        let text = std::fs::read_to_string(&path).unwrap();
        let code = without_tests(&text);
        let module = module_of(&path);
        let imported = imports(&text);
        if module == "judge" {
            assert!(imported.iter().all(|i| i == "judge"), "{} imports {imported:?}", path.display());
        }
        if module == "adapter" {
            assert!(!imported.contains("ledger"), "{} knows the ledger", path.display());
        }
        if code.contains("fs2::") {
            assert!(path.ends_with("src/ledger/lock.rs"), "{} names fs2", path.display());
        }
    }
}

#[test]
fn files_hold_one_idea() {
    let long: Vec<String> = rust_files(&root().join("src"))
        .iter()
        .map(|p| (p, std::fs::read_to_string(p).unwrap().lines().count()))
        .filter(|(_, lines)| *lines > LONGEST_FILE)
        .map(|(p, lines)| format!("{}: {lines} lines", p.display()))
        .collect();
    assert!(long.is_empty(), "split by idea: {long:#?}");
}

#[test]
fn every_module_says_what_it_is_and_nothing_is_left_undone() {
    for path in rust_files(&root().join("src")) {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("//!"), "{} has no module doc", path.display());
        let code = without_tests(&text);
        for word in [".unwrap()", ".expect(\"", "todo!(", "unimplemented!(", "dbg!(", "use super::*"] {
            assert!(!code.contains(word), "{} has {word}", path.display());
        }
    }
    for path in rust_files(&root().join("tests")) {
        let text = std::fs::read_to_string(&path).unwrap();
        for word in [concat!("#[", "ignore"), concat!("thread::", "sleep")] {
            assert!(!text.contains(word), "{} has {word}", path.display());
        }
    }
}

#[test]
fn the_top_level_stays_as_it_is() {
    for entry in std::fs::read_dir(root()).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(name.starts_with('.') || TOP_LEVEL.contains(&name.as_str()), "{name} does not belong at the top level");
    }
}
