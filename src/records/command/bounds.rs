//! The parser, on a short leash: what [`super::lift`] let through, and then a fixed number of progress callbacks (not a
//! time limit: the same line must read the same on every machine).

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser, Tree};

/// One callback comes every 100 operations of the parser; 10 KiB of dense shell take about 500.
const MAX_CALLBACKS: usize = 1000;

/// The syntax tree of `code`; it may hold ERROR nodes, which [`super::token`] looks at.
pub fn parse(code: &str) -> Result<Tree, String> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).map_err(|error| format!("no bash grammar: {error}"))?;
    let bytes = code.as_bytes();
    let mut callbacks = 0;
    let mut progress = |_: &tree_sitter::ParseState| {
        callbacks += 1;
        if callbacks > MAX_CALLBACKS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    parser
        .parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
        .ok_or_else(|| "the command line takes too long to parse".to_owned())
}
