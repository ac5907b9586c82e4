//! Files that a filter changes on their way into git. The filter never runs for a look.

use std::path::PathBuf;

use deeds::sensor::git_command::Git;
use deeds::sensor::tree::observe_with;
use deeds::sensor::worktree::Worktree;

use super::{AMPLE, commit_all, host_git, script, seen, tree};
use crate::sandbox::Sandbox;

/// A project whose `*.big` files go through a stand-in for Git LFS, which writes pointers as LFS does and keeps count.
fn with_lfs() -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::with_repository();
    let ran = sandbox.path("filter-ran");
    let text = r#"#!/bin/sh
echo ran >> 'RAN'
cat > 'RAN.content'
if [ ! -s 'RAN.content' ] || head -c 42 'RAN.content' | grep -q '^version https://git-lfs'; then cat 'RAN.content'; exit; fi
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %s\n' \
  "$(sha256sum < 'RAN.content' | cut -d' ' -f1)" "$(wc -c < 'RAN.content' | tr -d ' ')"
"#;
    script(&sandbox.home().join("bin/git-lfs"), &text.replace("RAN", ran.to_str().unwrap()));
    sandbox.git(&["config", "filter.lfs.clean", "git-lfs clean -- %f"]);
    sandbox.git(&["config", "filter.lfs.required", "true"]);
    sandbox.write(".gitattributes", "*.big filter=lfs diff=lfs merge=lfs -text\n");
    (sandbox, ran)
}

/// Commits with the stand-in on the search path.
fn commit_filtered(sandbox: &Sandbox) -> String {
    let path = format!("{}:{}", sandbox.home().join("bin").display(), std::env::var("PATH").unwrap());
    for args in [&["add", "-A"][..], &["commit", "-q", "--allow-empty", "-m", "filtered"]] {
        let mut git = sandbox.command("git", &sandbox.project());
        assert!(git.env("PATH", &path).args(args).status().unwrap().success());
    }
    sandbox.git(&["rev-parse", "HEAD^{tree}"])
}

fn seen_without_running(sandbox: &Sandbox, ran: &PathBuf) -> Worktree {
    let _ = std::fs::remove_file(ran);
    let git: Git = host_git(sandbox);
    let seen = observe_with(&git, &sandbox.project(), AMPLE);
    assert_eq!(seen.reason, None);
    assert!(!ran.exists(), "the filter ran");
    seen
}

#[test]
fn a_file_kept_by_lfs_has_the_id_of_its_pointer() {
    let (sandbox, ran) = with_lfs();
    sandbox.write("a.big", vec![7; 5000]);
    sandbox.write("empty.big", "");
    let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 3\n", "0".repeat(64));
    sandbox.write("not-fetched.big", pointer);
    script(&sandbox.project().join("tool.big"), "#!/bin/sh\n");
    let before = seen_without_running(&sandbox, &ran);
    assert_eq!(before.tree.unwrap(), commit_filtered(&sandbox));
    assert!(ran.exists(), "the stand-in is in use");
    let after = seen_without_running(&sandbox, &ran);
    assert_eq!(after.clean, Some(true));
    sandbox.write("a.big", vec![8; 5000]);
    let changed = seen_without_running(&sandbox, &ran);
    assert_eq!(changed.changed.len(), 1);
    assert_eq!(changed.tree.unwrap(), commit_filtered(&sandbox));
}

#[test]
fn any_other_filters_file_is_the_same_in_two_looks_exactly_if_it_is_the_same() {
    let sandbox = Sandbox::with_repository();
    sandbox.git(&["config", "filter.upper.clean", "tr a-z A-Z"]);
    sandbox.write(".gitattributes", "*.up filter=upper\n*.none filter=unheard-of\n");
    sandbox.write("a.up", "words\n");
    sandbox.write("b.none", "words\n");
    let tested = tree(&sandbox);
    let stored = commit_all(&sandbox);
    assert_eq!(sandbox.git(&["show", "HEAD:a.up"]), "WORDS");
    let committed = seen(&sandbox);
    assert_eq!(committed.tree.as_ref(), Some(&tested), "committing changes nothing");
    assert_ne!(tested, stored, "it is the plain content, not what git stores");
    assert_ne!(committed.clean, Some(false), "git's own view is that nothing changed");
    let touched = std::fs::File::options().write(true).open(sandbox.project().join("a.up")).unwrap();
    touched.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(5)).unwrap();
    let touched = seen(&sandbox);
    assert_eq!(touched.tree.as_ref(), Some(&tested));
    assert_eq!(touched.clean, None, "it cannot be told without running the filter");
    sandbox.write("a.up", "other\n");
    assert_ne!(tree(&sandbox), tested);
}
