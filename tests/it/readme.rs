//! The README says what the program does: its verbs are the program's, and the commands in it parse.

use clap::{CommandFactory, Parser};
use deeds::claims::config::Config;
use deeds::cli::Cli;

fn readme() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap()
}

/// The lines inside of fences of one kind.
fn fenced(kind: &str) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    // The kind of the fence that is open.
    let mut open: Option<String> = None;
    for line in readme().lines() {
        match (&open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                open = Some(info.to_owned());
                if info == kind {
                    blocks.push(String::new());
                }
            }
            (Some(_), Some(_)) => open = None,
            (Some(info), None) if info == kind => {
                let block = blocks.last_mut().unwrap();
                block.push_str(line);
                block.push('\n');
            }
            _ => {}
        }
    }
    blocks
}

#[test]
fn every_verb_is_in_the_readme_and_no_other() {
    let listed: Vec<String> = fenced("")
        .iter()
        .find(|block| block.starts_with("deeds hook"))
        .expect("a list of verbs")
        .lines()
        .filter_map(|line| line.strip_prefix("deeds "))
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .collect();
    let mut mine: Vec<String> = Cli::command().get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    let mut theirs = listed.clone();
    mine.sort();
    theirs.sort();
    assert_eq!(mine, theirs);
}

#[test]
fn every_command_of_ours_in_the_readme_is_one_that_parses() {
    let mut checked = 0;
    for block in fenced("sh") {
        for line in block.lines().filter(|line| line.starts_with("deeds ")) {
            let words = line.split('#').next().unwrap().split_whitespace();
            assert!(Cli::try_parse_from(words).is_ok(), "{line}");
            checked += 1;
        }
    }
    assert!(checked > 0);
}

#[test]
fn the_deeds_json_of_the_readme_is_valid() {
    let blocks = fenced("json");
    assert!(!blocks.is_empty());
    for block in blocks.iter().filter(|block| !block.contains("\"evidence\":")) {
        Config::parse(block).unwrap();
    }
}

#[test]
fn every_help_has_its_screen_and_no_more() {
    for verb in Cli::command().get_subcommands_mut() {
        let help = verb.render_help().to_string();
        assert!(help.lines().count() <= 40, "{}: {} lines", verb.get_name(), help.lines().count());
        assert!(verb.get_about().is_some(), "{}", verb.get_name());
    }
}

#[test]
fn every_verb_has_examples_that_parse_and_every_option_its_help() {
    fn check(verb: &mut clap::Command, path: &str) {
        let path = format!("{path} {}", verb.get_name());
        for option in verb.get_arguments().filter(|arg| arg.get_long().is_some() && !arg.is_hide_set()) {
            assert!(option.get_help().is_some(), "{path} --{}", option.get_long().unwrap());
        }
        let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(help.contains("Examples:\n  deeds "), "{path}");
        for example in help.lines().filter_map(|line| line.strip_prefix("  ")) {
            let words = example.split("  ").next().unwrap().split(['>', '<']).next().unwrap();
            assert!(Cli::try_parse_from(words.split_whitespace()).is_ok(), "{path}: {words}");
        }
        verb.get_subcommands_mut().for_each(|inner| check(inner, &path));
    }
    Cli::command().get_subcommands_mut().for_each(|verb| check(verb, "deeds"));
}
