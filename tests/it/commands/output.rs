//! What is seen of a program's output, and what else is printed beside it.

use deeds::records::invocation::{Foreign, View};

use super::{f, only, script};

use View::{Filtered, Hidden, Tail, Whole};

#[test]
fn it_is_told_how_much_of_the_output_is_seen() {
    let rows = [
        ("F", Whole, Whole, None),
        ("F 2>&1 | cat", Whole, Whole, None),
        ("F | tee log", Whole, Whole, None),
        ("F |& tee log | cat -", Whole, Whole, None),
        ("F | tail", Tail, Whole, Some(10)),
        ("F 2>&1 | tail -20", Tail, Tail, Some(20)),
        ("F 2>&1 | tail -n 1", Tail, Tail, Some(1)),
        ("F 2>&1 | tail -n5 | cat", Tail, Tail, Some(5)),
        ("F 2>&1 | tail -n +3", Tail, Tail, None),
        ("F 2>&1 | tail -20 | tail -5", Tail, Tail, Some(5)),
        ("F 2>&1 | tail -c 2000", Tail, Tail, Some(10)),
        ("F | tail -c 50", Filtered, Whole, None),
        ("F | tee log | tail -3", Tail, Whole, Some(3)),
        ("F | head -50", Filtered, Whole, None),
        ("F | grep passed", Filtered, Whole, None),
        ("F | sed 's/a/b/'", Filtered, Whole, None),
        ("F | awk '{print}'", Filtered, Whole, None),
        ("F | wc -l", Filtered, Whole, None),
        ("F | sort | tail -5", Filtered, Whole, None),
        ("F | cat -n", Filtered, Whole, None),
        ("F | ts", Filtered, Whole, None),
        ("F | unknown", Filtered, Whole, None),
        ("F 2>&1 | grep x | tail -1", Filtered, Filtered, None),
        ("F | cat other", Hidden, Whole, None),
        ("F > /dev/null", Hidden, Whole, None),
        ("F 2> /dev/null", Whole, Hidden, None),
        ("F &> /dev/null", Hidden, Hidden, None),
        ("F > /dev/null 2>&1", Hidden, Hidden, None),
        ("F 2>&1 > /dev/null | tail -5", Hidden, Tail, Some(5)),
        ("F >&2", Whole, Whole, None),
        ("F > log", Hidden, Whole, None),
        ("F > log 2>&1", Hidden, Hidden, None),
        ("F 3>&1 1>&2 2>&3 | tail", Whole, Tail, Some(10)),
        ("F &", Hidden, Hidden, None),
        ("F & wait", Whole, Whole, None),
        ("F & wait $!", Whole, Whole, None),
        ("F & sleep 1", Hidden, Hidden, None),
        ("(F; G) | tail -5", Filtered, Whole, None),
        ("(F; echo x) 2>&1 | tail -5", Tail, Tail, Some(4)),
        ("(F; echo x) 2>&1 | tail -1", Filtered, Filtered, None),
        ("(a; F) 2>&1 | tail -5", Tail, Tail, Some(5)),
        ("{ cd x && F; } 2>&1 | tail -5", Tail, Tail, Some(5)),
        // `time` has lines of its own to say after it.
        ("time F 2>&1 | tail -3", Tail, Tail, Some(3)),
        ("{ time F; } 2>&1 | tail -10", Tail, Tail, Some(6)),
        ("{ time F; } 2>&1 | tail -4", Filtered, Filtered, None),
        ("/usr/bin/time -v F 2>&1 | tail -5", Filtered, Filtered, None),
        ("bash -c 'F | tail -3' 2>&1 | tee log", Tail, Whole, Some(3)),
        ("f() { F; }; f | tail -2", Tail, Whole, Some(2)),
        ("exec > log 2>&1; F", Hidden, Hidden, None),
        ("F > >(tee log) 2>&1", Whole, Whole, None),
        ("F | while read x; do echo; done", Filtered, Whole, None),
    ];
    for (line, stdout, stderr, lines) in rows {
        let f = f(line);
        assert_eq!((f.stdout, f.stderr, f.tail_lines), (stdout, stderr, lines), "{line}");
        assert_eq!(f.view, stdout.max(stderr), "{line}");
    }
}

#[test]
fn output_kept_in_a_file_or_a_variable_is_seen_when_it_is_shown() {
    let rows = [
        ("F > log 2>&1; tail -30 log", Tail, Some(30)),
        ("F > log 2>&1; cat log", Whole, None),
        ("F > log 2>&1; cat ./log | tail -2", Tail, Some(2)),
        ("F &> log; tail -5 < log", Tail, Some(5)),
        ("F > log 2>&1 || tail log", Tail, Some(10)),
        ("F > /tmp/log 2>&1; rc=$?; tail -n 20 /tmp/log; exit $rc", Tail, Some(20)),
        ("cd x && F > log 2>&1; tail ../x/log", Tail, Some(10)),
        ("L=/tmp/log; F > $L 2>&1; cat \"$L\"", Whole, None),
        ("F 2>&1 | tee log > /dev/null; tail -5 log", Tail, Some(5)),
        ("F 2>&1 | tee log | grep x; cat log", Whole, None),
        ("F > log 2>&1; grep -E 'passed|failed' log", Filtered, None),
        ("F > log 2>&1; head -5 log; wc -l log", Filtered, None),
        ("F > log 2>&1 & wait; cat log", Whole, None),
        ("{ F; } > log 2>&1; cat log", Whole, None),
        ("out=$(F 2>&1); echo \"$out\"", Whole, None),
        ("out=$(F 2>&1); echo \"$out\" | tail -3", Tail, Some(3)),
        ("out=$(F 2>&1); printf '%s\\n' \"$out\"", Whole, None),
        ("out=$(F 2>&1); tail -4 <<< \"$out\"", Tail, Some(4)),
        ("out=$(F 2>&1); echo $out", Filtered, None),
        ("out=$(F 2>&1); echo \"Result: $out\"", Filtered, None),
        ("echo \"$(F 2>&1)\"", Whole, None),
        ("echo \"$(F 2>&1 | tail -1)\"", Tail, Some(1)),
        ("echo \"Result: $(F 2>&1 | tail -1)\"", Filtered, None),
        // Something could have touched it, or it is not finished, or it is another file.
        ("F > log 2>&1; python fix.py; tail log", Filtered, None),
        ("F > log 2>&1 & sleep 60; tail log", Filtered, None),
        ("F > log 2>&1; cat other", Hidden, None),
        ("F > log 2>&1; cd x; cat log", Hidden, None),
        ("F > log 2>&1; G > log 2>&1; cat log", Hidden, None),
        ("F > $LOG 2>&1; cat $LOG", Hidden, None),
        ("F > log 2>&1; cat log > /dev/null", Hidden, None),
        ("out=$(F 2>&1); out=; echo \"$out\"", Hidden, None),
    ];
    for (line, view, lines) in rows {
        let f = f(line);
        assert_eq!((f.view, f.tail_lines), (view, lines), "{line}");
    }
}

#[test]
fn text_of_other_commands_is_told_from_a_few_plain_words() {
    let none = Foreign { before: false, after: false };
    let before = Foreign { before: true, after: false };
    let after = Foreign { before: false, after: true };
    let both = Foreign { before: true, after: true };
    let rows = [
        ("F", none),
        ("echo \"=== tests ===\"; F; echo \"EXIT=$?\"", none),
        ("F; rc=$?; echo rc $rc", none),
        ("F || echo FAILED", none),
        ("F && echo ALL TESTS PASSED", none),
        ("cd x && export A=1 && mkdir -p y && F; true", none),
        ("F | tail -5", none),
        ("F > log 2>&1; tail log", none),
        ("for d in a b; do echo \"== $d\"; F; done", none),
        ("git log > /dev/null 2>&1; F", none),
        ("cat CHANGELOG.md; F", before),
        ("git log -3 && F", before),
        ("echo \"1 failed, 2 passed\"; F", before),
        ("echo \"$OUT\"; F", before),
        ("cat <<A; F\n12 passed\nA", before),
        ("F; git status", after),
        ("F && echo \"12 passed\"", after),
        ("F; echo 'test result: ok'", after),
        ("F 2>&1 | tee log; git diff", after),
        ("G; F; G", both),
        ("for i in 1 2; do F; git log; done", both),
        ("npm start & F", both),
        ("F >> log 2>&1; cat log", before),
        ("F 2>&1 | tee -a log > /dev/null; cat log", before),
        ("G > log; F >> log 2>&1; cat log", before),
        ("F > log 2>&1; G >> log 2>&1; cat log", after),
        ("F > log 2>&1; G >> log; cat log", both),
        ("F > log 2>&1; git status; cat log", before),
        ("F > log 2>&1; cat log; git status", after),
        ("out=$(G 2>&1); F; echo \"$out\"", after),
        ("G > log 2>&1; cat log; F", before),
        ("F 2>&1 | tee log | tail -3; cat log", none),
        ("echo \"step 1: look for tokens\"; F", none),
    ];
    for (line, foreign) in rows {
        assert_eq!(f(line).foreign, foreign, "{line}");
    }
}

#[test]
fn text_that_is_printed_or_searched_is_not_run() {
    let lines = [
        "echo F",
        "echo 'a; F' \"b && F\"",
        "printf '%s\\n' F",
        "cat <<'A'\nF\nA",
        "cat > x.sh <<A\nF --all\nA",
        "git commit -m 'F passed' -m \"$(cat <<'A'\nF\nA\n)\"",
        "git commit -F - <<A\nF\nA",
        "grep -rn F . && rg 'F|G'",
        "x=F; y='a && F'",
        "ls # F",
        "which F; command -v F; type F",
        "python - <<'A'\nF\nA",
        "sed -i 's/F/G/' x",
        "tmux send-keys 'F' Enter",
        "[ F = G ] || [[ F == G ]]",
        "case F in F) ls;; esac",
        "for x in F G; do echo $x; done",
        "bash -n F; make -n F",
        "echo $((F + 1))",
        "f() { F; }; echo f",
        "echo '$(F)'",
        "cat <<'A'\n$(F)\nA",
    ];
    for line in lines {
        assert!(!script(line).iter().any(|invocation| invocation.program == "F"), "{line}");
    }
}

#[test]
fn text_that_is_substituted_is_run() {
    for line in [
        "echo \"a $(F) b\"",
        "x=`F`",
        "cat <<A\n$(F)\nA",
        "diff <(F) x",
        "ls > >(F)",
        "[ -n \"$(F)\" ]",
        "[[ -z $(F) ]]",
        "echo $(( $(F) + 1 ))",
    ] {
        assert_eq!(f(line).text, "F", "{line}");
    }
}

#[test]
fn what_changes_files_before_and_after_is_told() {
    let rows = [
        ("F", false, false),
        ("ls; git status; F; git diff; echo x; cat y | grep z", false, false),
        ("git stash; F; git stash pop", true, true),
        ("cargo fmt && F", true, false),
        ("F && git add -A && git push", false, false),
        ("F && git commit -m x", false, true),
        ("F; rm -rf x", false, true),
        ("F; sed -n 1p x", false, false),
        ("F; sed -i s/a/b/ x", false, true),
        ("F; git checkout -- x", false, true),
        ("F; git branch -v; git stash list", false, false),
        ("F; ./clean.sh", false, true),
        ("F; find . -name x", false, false),
        ("F; find . -name x -delete", false, true),
        // What a run itself prints into a file is written while it runs.
        ("F > log 2>&1", false, false),
        ("F | tee log", false, false),
        ("F > log; tail log", false, false),
        ("(cd x && F) > log 2>&1", false, false),
        // What is printed into a file after it is written after it.
        ("F; echo $? > status", false, true),
        ("{ F; echo done; } > log", false, true),
        ("F; : > log", false, true),
        ("F; ls | tee log", false, true),
        ("F; echo $? > /tmp/status; ls 2> /dev/null", false, false),
        ("echo x > y; F", true, false),
        ("for d in a b; do npm ci; F; done", true, true),
        ("npm start & F", true, true),
        ("trap 'rm -rf tmp' EXIT; F", false, true),
        ("source x.sh; F", true, false),
        ("source .venv/bin/activate; F", false, false),
        ("f() { rm x; }; F; f", false, true),
    ];
    for (line, before, after) in rows {
        let f = f(line);
        assert_eq!((f.changed_before, f.then_changes), (before, after), "{line}");
    }
}

#[test]
fn changes_by_other_programs_of_the_line_can_be_told_apart() {
    let all = script("cargo fmt && F && cargo clippy");
    assert!(all.iter().all(|invocation| invocation.changes));
    assert!(all[1].changed_before && all[1].then_changes);
    assert!(!all[1].elsewise.before && !all[1].elsewise.after);
    assert!(f("F; echo $? > status").elsewise.after);
    assert!(f("for d in a b; do F; G; done").elsewise.before);
    assert!(!only("F; ls", "ls").changes);
}
