//! Where a ledger is, and what is checked out: found by looking, and the same as git says.

use std::os::unix::fs::PermissionsExt;

use deeds::layout::{Basis, Env, Place};
use deeds::ledger::Ledger;

use crate::drafts::{append, evidence};
use crate::sandbox::Sandbox;

fn env(sandbox: &Sandbox) -> Env {
    Env { home: Some(sandbox.home()), xdg_state_home: Some(sandbox.state()), ..Env::default() }
}

#[track_caller]
fn assert_same_as_git(sandbox: &Sandbox, dir: &std::path::Path) {
    let context = env(sandbox).context(dir);
    let git = |args: &[&str]| {
        let output = sandbox.command("git", dir).args(args).output().unwrap();
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap().trim_end().to_owned())
    };
    assert_eq!(context.head, git(&["rev-parse", "--verify", "-q", "HEAD"]), "head");
    assert_eq!(context.branch, git(&["symbolic-ref", "-q", "--short", "HEAD"]), "branch");
    let path = |args: &[&str]| git(args).map(|path| dir.join(path).canonicalize().unwrap());
    assert_eq!(context.root.map(|root| root.canonicalize().unwrap()), path(&["rev-parse", "--show-toplevel"]), "root");
    assert_eq!(context.git_dir.map(|dir| dir.canonicalize().unwrap()), path(&["rev-parse", "--git-dir"]), "git dir");
    assert_eq!(context.common_dir.map(|dir| dir.canonicalize().unwrap()), path(&["rev-parse", "--git-common-dir"]));
}

#[test]
fn what_is_checked_out_is_what_git_says() {
    let sandbox = Sandbox::with_repository();
    let project = sandbox.project();
    std::fs::create_dir_all(project.join("src/deep")).unwrap();
    assert_same_as_git(&sandbox, &project);
    assert_same_as_git(&sandbox, &project.join("src/deep"));
    sandbox.git(&["checkout", "-q", "-b", "feature/one"]);
    assert_same_as_git(&sandbox, &project);
    sandbox.git(&["tag", "-a", "-m", "x", "v1"]);
    sandbox.git(&["pack-refs", "--all", "--prune"]);
    assert!(!project.join(".git/refs/heads/feature/one").exists());
    assert_same_as_git(&sandbox, &project);
    sandbox.git(&["checkout", "-q", "--detach"]);
    assert_same_as_git(&sandbox, &project);
    sandbox.git(&["checkout", "-q", "--orphan", "unborn"]);
    assert_same_as_git(&sandbox, &project);
    assert_same_as_git(&sandbox, &sandbox.home());
}

#[test]
fn linked_worktrees_submodules_and_bare_repositories_are_found() {
    let sandbox = Sandbox::with_repository();
    let project = sandbox.project();
    sandbox.git(&["worktree", "add", "-q", "-b", "side", "../side"]);
    sandbox.git(&["config", "worktree.useRelativePaths", "true"]);
    assert_same_as_git(&sandbox, &sandbox.path("side"));
    let of_worktree = env(&sandbox).place(&sandbox.path("side"));
    assert_eq!(of_worktree.ledger, project.join(".git/deeds"));
    assert_eq!(of_worktree.root, sandbox.path("side"));

    sandbox.init_repository(&sandbox.path("library"));
    let library = sandbox.path("library");
    sandbox.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.to_str().unwrap(), "lib"]);
    assert_same_as_git(&sandbox, &project.join("lib"));
    assert_eq!(env(&sandbox).place(&project.join("lib")).ledger, project.join(".git/modules/lib/deeds"));

    sandbox.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let bare = env(&sandbox).place(&sandbox.path("bare.git"));
    assert_eq!(bare.ledger, sandbox.path("bare.git/deeds"));
    let context = env(&sandbox).context(&sandbox.path("bare.git"));
    assert_eq!((context.root, context.branch.as_deref()), (None, Some("main")));
    assert_eq!(context.head, Some(sandbox.git(&["rev-parse", "main"])));
}

#[test]
fn a_reference_that_leads_out_of_the_repository_is_not_read() {
    let sandbox = Sandbox::with_repository();
    let head = sandbox.project().join(".git/HEAD");
    std::fs::write(sandbox.path("secret"), "a".repeat(40)).unwrap();
    for name in ["refs/../../../secret", "/etc/passwd", "refs/heads/.invalid", ""] {
        std::fs::write(&head, format!("ref: {name}\n")).unwrap();
        let context = env(&sandbox).context(&sandbox.project());
        assert_eq!((context.head, context.branch), (None, None), "{name}");
    }
    // A pipe nobody writes to keeps nobody waiting.
    std::fs::remove_file(&head).unwrap();
    assert!(sandbox.command("mkfifo", &sandbox.project()).arg(&head).status().unwrap().success());
    assert_eq!(env(&sandbox).context(&sandbox.project()).head, None);
}

#[test]
fn a_ledger_is_in_the_common_directory_else_in_the_project_where_it_stays() {
    let sandbox = Sandbox::new();
    let (project, env) = (sandbox.project(), env(&sandbox));
    let place = env.place(&project);
    assert_eq!((&place.ledger, place.basis, &place.root), (&project.join(".deeds"), Basis::Project, &project));
    let ledger = Ledger::at(&place, &env);
    append(&ledger, vec![evidence("a", "x")]);
    assert_eq!(std::fs::read(project.join(".deeds/.gitignore")).unwrap(), b"*\n");
    // From a folder inside, and after a later `git init`, it is the same.
    std::fs::create_dir_all(project.join("src")).unwrap();
    assert_eq!(env.place(&project.join("src")).ledger, place.ledger);
    sandbox.init_repository(&project);
    let later = env.place(&project.join("src"));
    assert_eq!((later.ledger, later.basis), (place.ledger, Basis::Project));
    assert_eq!(later.repository.unwrap().root, Some(project.clone()));
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    // One that was checked out, and so is not its owner's alone, is not.
    std::fs::set_permissions(project.join(".deeds"), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(env.place(&project).ledger, project.join(".git/deeds"));
    // The variable comes first.
    let told = Env { deeds_dir: Some(sandbox.path("told")), ..env };
    let Place { ledger, basis, .. } = told.place(&project);
    assert_eq!((ledger, basis), (sandbox.path("told"), Basis::Variable));
}

#[test]
fn a_home_that_is_a_repository_is_not_walked_up_to_from_a_project_of_its_own() {
    let sandbox = Sandbox::new();
    let (home, env) = (sandbox.home(), env(&sandbox));
    sandbox.init_repository(&home);
    let project = home.join("code/demo");
    std::fs::create_dir_all(project.join("src")).unwrap();
    assert_eq!(env.place(&project).ledger, home.join(".git/deeds"));
    std::fs::write(project.join("Cargo.toml"), "").unwrap();
    for dir in [project.clone(), project.join("src")] {
        let place = env.place(&dir);
        assert_eq!((place.ledger, place.root), (project.join(".deeds"), project.clone()));
        assert_eq!(env.context(&dir).head, None);
    }
    // In home itself it is the repository that one is in.
    assert_eq!(env.place(&home).ledger, home.join(".git/deeds"));
    // An empty `.git` is none, and a relative path or one with `..` is the folder it leads to.
    std::fs::create_dir(project.join(".git")).unwrap();
    assert_eq!(env.place(&project.join("src/../src")).ledger, project.join(".deeds"));
}
