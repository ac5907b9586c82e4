//! `deeds completions`, the help, and what is said of a word that is nearly right.

use clap::CommandFactory;
use deeds::cli::Cli;

use crate::sandbox::Sandbox;

#[test]
fn every_shell_gets_a_script_that_knows_every_verb() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.deeds(&["completions", shell]).expect(0).stdout;
        for verb in Cli::command().get_subcommands() {
            assert!(script.contains(verb.get_name()), "{shell}: {}", verb.get_name());
        }
    }
    sandbox.deeds(&["completions", "csh"]).expect(64);
}

#[test]
fn bash_takes_its_script_and_completes_a_verb() {
    let sandbox = Sandbox::new();
    let script = sandbox.write("deeds.bash", sandbox.deeds(&["completions", "bash"]).expect(0).stdout);
    let ask = format!(
        "source {} && COMP_WORDS=(deeds doc) COMP_CWORD=1 && _deeds deeds doc deeds && echo \"${{COMPREPLY[@]}}\"",
        script.display()
    );
    let ran = crate::sandbox::finish(sandbox.command("bash", &sandbox.project()).args(["-c", &ask]), b"").expect(0);
    assert_eq!(ran.stdout, "doctor\n", "{ran:?}");
}

#[test]
fn a_word_that_is_nearly_right_is_told_what_it_nearly_is() {
    let sandbox = Sandbox::new();
    for (wrong, right) in [
        (&["doctr"][..], "'doctor'"),
        (&["log", "--jsn"], "'--json'"),
        (&["install", "claud"], "'claude'"),
        (&["install", "codex", "--projct"], "'--project'"),
    ] {
        let ran = sandbox.deeds(wrong).expect(64);
        assert!(ran.stderr.contains(right), "{ran:?}");
    }
}
