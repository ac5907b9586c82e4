//! Whose status is reported, form by form.

use deeds::records::command::read;
use deeds::records::invocation::{Reached, Reading, Status};

use super::{f, only, script};

#[test]
fn the_status_is_the_programs_own_where_nothing_stands_between() {
    let own = [
        "F",
        "F --a b",
        "(F)",
        "{ F; }",
        "cd x && F",
        "cd x; F",
        "true && F",
        "X=1 F",
        "env A=1 F",
        "timeout 60 F",
        "time F",
        "nice -n 5 F",
        "stdbuf -oL F",
        "nohup F",
        "command F",
        "exec F",
        "script -qec F /dev/null",
        "bash -c F",
        "bash -lc 'cd x && F'",
        "bash <<'A'\nF\nA",
        "eval 'F -x'",
        "ls; F",
        "ls\nF",
        "F # | tail",
        "F > /dev/null 2>&1",
        "set -e; F",
        "set -e\nls\nF",
        "F && echo ALL PASSED",
        "F; exit",
        "F; exit $?",
        "F; rc=$?; echo done; exit $rc",
        "F; a=1 rc=$?; exit $rc",
        "F 2>&1 | tail -5; exit ${PIPESTATUS[0]}",
        "F | tee log; rc=${PIPESTATUS[0]}; echo $rc; exit \"$rc\"",
        "set -o pipefail; F | tail -5",
        "set -o pipefail; F 2>&1 | cat",
        "bash -o pipefail -c 'F | tail'",
        "F & wait $!",
        "F & pid=$!; echo started; wait $pid",
        "x=$(F)",
        "out=$(F 2>&1); rc=$?; echo \"$out\"; exit $rc",
        "f() { F \"$@\"; }; f -x",
        "f() { F; return $?; }; f",
        "trap 'rm -rf tmp' EXIT; F",
        "if F; then true; else exit $?; fi",
        "trap 'echo bye; exit' EXIT; F",
        "exec 2>&1; F",
        "F || exit $?",
        "F || { rc=$?; echo failed; exit $rc; }",
    ];
    for line in own {
        assert_eq!(f(line).status, Status::OWN, "{line}");
    }
}

#[test]
fn the_status_says_nothing_where_another_takes_its_place() {
    let masked = [
        "F | tail",
        "F | head",
        "F 2>&1 | tee log",
        "F | grep -c x",
        "F || true",
        "F || echo failed",
        "F; echo done",
        "F; true",
        "set +e; F; true",
        "for i in a; do F; done; echo x",
        "F; exit 0",
        "trap 'exit 0' EXIT; F",
        "F; echo EXIT=$?",
        "F &",
        "nohup F &",
        "F & wait",
        "x=$(F); echo",
        "echo \"$(F)\"",
        "f() { local x=$(F); }; f",
        "export x=$(F)",
        "if F; then echo a; else echo b; fi",
        "find . -name x -exec F {} \\;",
        "script -qc F /dev/null",
        "F > log 2>&1; tail log",
        "cat <(F)",
        "watch -n 2 F",
        "docker run -d image F",
        "docker exec -d api F",
        "trap 'exit 0' ERR; F",
        "shopt -s lastpipe; F",
        "while F; do sleep 1; done",
    ];
    for line in masked {
        assert_eq!(f(line).status, Status::MASKED, "{line}");
    }
}

/// A status that says something, but not everything: (zero, zero and ran, nonzero, inverted).
#[test]
fn a_status_says_what_it_can() {
    let part = [
        ("F && G", (true, true, false, false)),
        ("F -a && ls && echo x", (true, true, false, false)),
        ("set -e; F; G", (true, true, false, false)),
        ("set -euo pipefail\nF | tee log\nG", (true, true, false, false)),
        ("set -e; eval 'F && ls'; G", (true, true, false, false)),
        ("set -o pipefail; F | tee log", (true, true, false, false)),
        ("a || F", (true, false, true, false)),
        ("if a; then F; fi", (true, false, true, false)),
        ("! F", (false, false, false, true)),
        ("! (F)", (false, false, false, true)),
        ("! F | cat", (false, false, false, false)),
        ("ls | xargs -n1 F", (true, false, false, false)),
        ("find . -exec F {} +", (true, false, false, false)),
        ("rc=0; F || rc=$?; G || rc=$?; exit $rc", (true, true, false, false)),
        ("F; if [ $? -ne 0 ]; then echo bad; exit 1; fi", (true, true, false, false)),
        ("F; [ $? -eq 0 ]", (true, true, false, false)),
        ("F; rc=$?; ((rc == 0))", (true, true, false, false)),
        ("source env/setup.sh; F", (true, false, true, false)),
    ];
    for (line, (zero, zero_ran, nonzero, inverted)) in part {
        assert_eq!(f(line).status, Status { zero, zero_ran, nonzero, inverted }, "{line}");
    }
}

#[test]
fn it_is_told_whether_a_program_is_reached() {
    let always = [
        "F",
        "ls; F",
        "a || true; F",
        "F | tail",
        "F &",
        "x=$(F)",
        "a | F",
        "if F; then b; fi",
        "cd x; F",
        "! F",
        "for i in a b; do F; done",
        "true && F",
        "(exit 1); F",
        "until F; do sleep 1; done",
        "a & F",
    ];
    for line in always {
        assert_eq!(f(line).reached, Reached::Always, "{line}");
    }
    let perhaps = [
        "a && F",
        "a || F",
        "cd x && F",
        "if a; then F; fi",
        "set -e; a; F",
        "for i in $x; do F; done",
        "npx F",
        "sudo F",
        "while a; do F; done",
        "case $x in a) F;; esac",
        "F > log",
        "ssh host F",
        "ls | xargs F",
        ". ./x.sh; F",
        "set -u; echo $UNSET; F",
        "a || exit 1; F",
        "docker exec api F",
    ];
    for line in perhaps {
        assert_eq!(f(line).reached, Reached::Perhaps, "{line}");
    }
}

#[test]
fn what_cannot_run_is_not_there() {
    for line in [
        "exit 0; F",
        "false && F",
        "true || F",
        "f() { F; }",
        "f() { F; }; echo f",
        "exec ls; F",
        "# F",
        ": F",
        "if false; then F; fi",
    ] {
        assert!(!script(line).iter().any(|invocation| invocation.program == "F"), "{line}");
    }
}

#[test]
fn in_a_loop_a_program_may_run_again() {
    assert!(f("for d in a b; do (cd $d && F); done").repeats);
    assert!(f("until F; do sleep 1; done").repeats);
    assert!(!f("for d in a b; do ls; done; F").repeats);
}

#[test]
fn statuses_of_wrappers_are_named() {
    assert_eq!(f("timeout 60 F").wrapper_codes, [124, 125, 137]);
    assert_eq!(f("ssh host F").wrapper_codes, [255]);
    assert!(f("F").wrapper_codes.is_empty());
}

#[test]
fn bash_is_read_as_bash_groups_it() {
    // The `!` is the whole pipeline's, and the redirection the last command's.
    assert_eq!(only("! a | F", "F").status, f("! F").status);
    assert_eq!(only("a && F > /dev/null", "a").stdout, deeds::records::invocation::View::Whole);
    assert_eq!(f("a | b && c | F").status, Status { zero_ran: true, ..f("a || F").status });
    assert_eq!(f("! { a; F; }").status, f("! F").status);
    assert_eq!(script("a; b &&\nc |\nd").len(), 4);
    assert_eq!(script("cat <<A <<'B' && F; g\nx $(h)\nA\ny $(i)\nB\nj").len(), 5);
}

#[test]
fn what_is_no_bash_cannot_be_told() {
    for line in [
        "F (",
        "F )",
        "if F",
        "F; fi",
        "F 'x",
        "F \"x",
        "F $(x",
        "F `x",
        "{ F",
        "F }; }",
        "F && ",
        "| F",
        "F ;; G",
        "for F",
        "case F",
        "F <<",
        "F >",
        "((F",
        "[[ F",
        "F\u{0}",
        "f() F",
        "( )",
        "echo ?(F)",
        "F\r\nG",
    ] {
        let Reading::CannotTell(why) = read(line) else { panic!("{line} is no bash") };
        assert!(!why.is_empty());
    }
}
