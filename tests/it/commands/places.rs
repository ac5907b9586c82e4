//! Where a program runs, and with what.

use deeds::records::invocation::{Dir, Word};

use super::{f, script};

#[test]
fn directories_follow_cd() {
    let to = |path: &str| Dir::To(path.into());
    let rows = [
        ("F", Dir::Start),
        ("cd web && F", to("web")),
        ("cd web; F", to("web")),
        ("cd web\nF", to("web")),
        ("cd a && cd ../b/./c && F", to("b/c")),
        ("cd a; cd ..; F", Dir::Start),
        ("cd ..; F", to("..")),
        ("cd /srv/app && F", to("/srv/app")),
        ("cd ~/app && F", to("~/app")),
        ("cd \"$HOME/app\" && F", to("~/app")),
        ("cd \"$PWD/app\" && F", to("app")),
        ("cd && F", to("~")),
        ("cd a && cd - && F", Dir::Start),
        ("pushd a && popd && F", Dir::Start),
        ("pushd a > /dev/null; F", to("a")),
        ("(cd a && F)", to("a")),
        ("(cd a; ls); F", Dir::Start),
        ("cd a | cat; F", Dir::Start),
        ("cd a & F", Dir::Start),
        ("cd a || exit 1; F", to("a")),
        ("cd a || { echo no; exit 1; }; F", to("a")),
        ("mkdir -p a && cd a && F", to("a")),
        ("if cd a; then F; fi", to("a")),
        ("D=/srv/app; cd \"$D/web\" && F", to("/srv/app/web")),
        ("f() { cd a; }; f; F", to("a")),
        ("bash -c 'cd a && F'", to("a")),
        ("cd a; bash -c 'cd b; F'", to("a/b")),
        ("env -C a F", to("a")),
        ("timeout 5 env --chdir=a F", to("a")),
        ("cd a; eval 'cd b'; F", to("a/b")),
        ("cd a || F", Dir::Start),
        ("{ cd a; cd b; } || F", to("a")),
        ("if cd a; then ls; else F; fi", Dir::Start),
        ("cd a && ls || F", to("a")),
        ("x || pushd a; popd; F", Dir::Unknown),
        ("cd a || cd b; F", Dir::Unknown),
        ("[ -d a ] && cd a; F", Dir::Unknown),
        ("if x; then cd a; fi; F", Dir::Unknown),
        ("cd \"$X\" && F", Dir::Unknown),
        ("cd $(git rev-parse --show-toplevel) && F", Dir::Unknown),
        ("for d in a b; do cd $d; F; done", Dir::Unknown),
        ("while x; do cd a; F; done", Dir::Unknown),
        ("for d in a b; do cd x && F; cd ..; done", to("x")),
        (". ./x.sh; F", Dir::Unknown),
        ("ssh host F", Dir::Unknown),
        ("docker exec -w /app api F", Dir::Unknown),
        ("ssh host 'cd /srv && F'", to("/srv")),
    ];
    for (line, dir) in rows {
        assert_eq!(f(line).dir, dir, "{line}");
    }
}

#[test]
fn environment_that_is_in_force_is_listed() {
    let names = |line: &str| {
        let all = f(line).env.into_iter();
        all.map(|(name, value)| format!("{name}={}", value.text)).collect::<Vec<_>>()
    };
    assert_eq!(names("CI=1 A='b c' F"), ["CI=1", "A=b c"]);
    assert_eq!(names("export CI=1; A=2 F"), ["CI=1", "A=2"]);
    assert_eq!(names("A=1; export A; env B=2 F"), ["A=1", "B=2"]);
    assert_eq!(names("A=1; F"), [""; 0]);
    assert_eq!(names("X=\"$Y\" F"), ["X=\"$Y\""]);
    assert_eq!(names("export A=1; bash -c 'B=2 F'"), ["A=1", "B=2"]);
}

#[test]
fn words_are_as_the_program_gets_them() {
    let word = |text: &str, literal| Word { text: text.into(), literal };
    let args = f("F a 'b c' \"d $x\" e\\ f *.rs ~/x \"g\"'h' {i,j} $'k\\tl' \"m\nn\" --o=\"p q\" [r] {} $y log$$ \"a$$b\" \"a$\"").args;
    let expected = [
        word("a", true),
        word("b c", true),
        word("\"d $x\"", false),
        word("e f", true),
        word("*.rs", false),
        word("~/x", false),
        word("gh", true),
        word("{i,j}", false),
        word("k\tl", true),
        word("m\nn", true),
        word("--o=p q", true),
        word("[r]", false),
        word("{}", true),
        word("$y", false),
        word("log$$", false),
        word("\"a$$b\"", false),
        word("a$", true),
    ];
    assert_eq!(args, expected);
    assert_eq!(f("A=x; F \"$A/y\" $A").args, [word("x/y", true), word("x", true)]);
    assert_eq!(f("X='F -a'; $X b").args, [word("-a", true), word("b", true)]);
    assert_eq!(f("r() { \"$@\"; }; r F x").args, [word("x", true)]);
    assert_eq!(f("r() { F \"$1\"; }; r x y").args, [word("x", true)]);
    assert_eq!(f("F > log --lib").args, [word("--lib", true)]);
    assert_eq!(f("ls | xargs F -q").args, [word("-q", true), word("{}", false)]);
    assert_eq!(f("find . -exec F {} \\;").args, [word("{}", false)]);
}

#[test]
fn a_variable_that_may_have_changed_is_not_known() {
    for line in [
        "A=x; if y; then A=z; fi; F $A",
        "A=x; for i in 1 2; do F $A; A=y; done",
        "A=x; read A; F $A",
        "A=x; . ./e.sh; F $A",
    ] {
        assert!(!f(line).args[0].literal, "{line}");
    }
}

#[test]
fn spans_are_of_the_line_as_it_was_given() {
    let rows = [
        ("ls; F -x | tail", "F -x"),
        ("cat <<'A'; F\nsome text\nA", "F"),
        ("cat <<'A'\nsome text\nA\nF -y", "F -y"),
        ("echo \"$(F z)\"", "F z"),
        ("timeout 5 bash -c 'F'; ls", "timeout 5 bash -c 'F'"),
        ("X=1 F > log 2>&1; ls", "X=1 F > log 2>&1"),
        ("f() { F; }\nf a", "f a"),
        ("for i in $(F); do ls; done", "F"),
        ("é 'ü'; F", "F"),
    ];
    for (line, text) in rows {
        let (start, end) = f(line).span;
        assert_eq!(&line[start..end], text, "{line}");
    }
}

#[test]
fn a_script_is_in_the_order_in_which_it_runs() {
    let programs = |line: &str| script(line).into_iter().map(|i| i.program).collect::<Vec<_>>();
    assert_eq!(programs("a $(b) | c && d; trap 'e' EXIT; f & g"), ["b", "a", "c", "d", "f", "g", "e"]);
    assert_eq!(programs("x() { b; }; a; x; c"), ["a", "b", "c"]);
}
