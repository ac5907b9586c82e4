//! `deeds report`: one page that holds what `judge` says, in which nothing from outside is markup, and that is small.

use crate::sandbox::Sandbox;
use crate::session::{CARGO_FAIL, CARGO_FAIL_TAIL, CARGO_PASS, Session};

fn page(sandbox: &Sandbox, more: &[&str]) -> String {
    let path = sandbox.path("report.html");
    let args = [&["report", "--html", path.to_str().unwrap()], more].concat();
    sandbox.deeds(&args).expect(0);
    std::fs::read_to_string(path).unwrap()
}

/// The tags of a page, by name, and the values of its attributes. Fails where a tag does not end.
fn tags(html: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = html;
    while let Some((_, after)) = rest.split_once('<') {
        let (tag, after) = after.split_once('>').expect("a tag that ends");
        let name = tag.trim_start_matches('/').split([' ', '\n']).next().unwrap().to_lowercase();
        found.push((name, tag.to_owned()));
        rest = after;
    }
    found
}

/// What every page must be: no script, nothing loaded, each link to a place that there is.
fn assert_self_contained(html: &str) {
    let known = [
        "!doctype",
        "html",
        "head",
        "meta",
        "link",
        "title",
        "style",
        "body",
        "a",
        "header",
        "main",
        "footer",
        "section",
        "p",
        "b",
        "i",
        "h1",
        "h2",
        "h3",
        "span",
        "code",
        "pre",
        "details",
        "summary",
        "div",
        "table",
        "tr",
        "th",
        "td",
        "ul",
        "li",
        "dl",
        "dt",
        "dd",
        "fieldset",
        "legend",
        "label",
        "input",
        "time",
        "small",
        "mark",
        "sup",
        "blockquote",
    ];
    let tags = tags(html);
    let ids: std::collections::HashSet<&str> =
        html.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(ids.len(), html.matches(" id=\"").count(), "an id stands there twice");
    for (name, tag) in &tags {
        assert!(known.contains(&name.as_str()), "<{tag}>");
        // Outside of quotation marks: the names of its attributes.
        let names: String = tag.split('"').step_by(2).collect();
        assert!(!names.contains(" on") && !names.contains(" src") && !tag.contains("javascript:"), "<{tag}>");
        if let Some(href) = tag.split("href=\"").nth(1).and_then(|rest| rest.split('"').next()) {
            let inside = href.strip_prefix('#').is_some_and(|id| ids.contains(id));
            assert!(inside || href == "data:,", "<{tag}> leads nowhere");
        }
    }
    for pair in ["details", "summary", "div", "table", "section", "span", "pre", "mark", "blockquote", "code", "p"] {
        let count =
            |close: bool| tags.iter().filter(|(name, tag)| name == pair && tag.starts_with('/') == close).count();
        assert_eq!(count(false), count(true), "{pair}");
    }
    assert!(html.contains("default-src 'none'"));
    assert!(!html.contains("url(") && !html.contains("@import") && !html.contains("http:") && !html.contains("https:"));
}

#[test]
fn the_page_says_what_judge_says_and_links_each_verdict_to_its_evidence() {
    let sandbox = Sandbox::with_repository();
    let mut session = Session::start(&sandbox);
    session.edit("src/a.rs", "pub fn a() {}\n").bash("cargo test 2>&1 | tail -5", CARGO_FAIL_TAIL, 0);
    session.really("git add -A && git commit -qm 'Add a' && git log --oneline -1");
    session.stop("I created `src/a.rs`. All tests pass. Committed.");
    let html = page(&sandbox, &[]);
    assert_self_contained(&html);
    assert!(html.contains("<h1>1 of 3 claims is contradicted</h1>"), "{html}");
    let report = sandbox.deeds(&["judge", "--format", "json"]).json();
    for claim in report["claims"].as_array().unwrap() {
        let word = match claim["outcome"].as_str().unwrap() {
            "unsupported" => "not shown",
            outcome => outcome,
        };
        let card = html
            .split("<details class=\"card ")
            .find(|card| card.contains(&format!(">&quot;{}&quot;</span>", claim["span"].as_str().unwrap())))
            .unwrap_or_else(|| panic!("{claim} in {html}"));
        assert!(card.contains(&format!("<span class=\"word\">{word}</span>")), "{card}");
        for evidence in claim["evidence"].as_array().unwrap() {
            let seq = evidence["seq"].as_u64().unwrap();
            assert!(card.contains(&format!("<a href=\"#e{seq}\">#{seq}</a>")), "#{seq} in {card}");
            let boundary = evidence["boundary"].as_str().unwrap().replace('\'', "&#39;");
            assert!(card.contains(&boundary), "{boundary} in {card}");
        }
    }
    // The words themselves, with the claim marked.
    assert!(html.contains("<mark class=\"bad\" title=\"contradicted\">All tests pass<sup>✗</sup></mark>"), "{html}");
    // The contradicted one stands open.
    assert_eq!(html.matches("<details class=\"card bad\" open>").count(), 1);
}

#[test]
fn a_run_is_stale_from_the_edit_after_it_until_the_files_are_as_they_were() {
    let sandbox = Sandbox::with_repository();
    let mut session = Session::start(&sandbox);
    session.edit("src/a.rs", "1\n").bash("cargo test", CARGO_PASS, 0).edit("src/a.rs", "2\n");
    session.stop("All tests pass.");
    let html = page(&sandbox, &[]);
    assert!(html.contains("<i class=\"seg good\"") && html.contains("<i class=\"seg good stale\""), "{html}");
    assert_eq!(html.matches("class=\"chip stale\"").count(), 1);
    assert!(html.contains("<h1>The one claim is not shown</h1>"));
    // Back to what was tested: the next look at the worktree sees it.
    session.prompt();
    session.edit("src/a.rs", "1\n").stop("All tests pass.");
    let html = page(&sandbox, &[]);
    assert_eq!(html.matches("class=\"chip stale\"").count(), 0, "{html}");
    assert!(html.contains("<details class=\"card good\">"), "{html}");
    // A run after which nothing changed is not stale.
    session.prompt();
    session.bash("cargo test", CARGO_PASS, 0).stop("All tests pass.");
    let html = page(&sandbox, &[]);
    assert_eq!(html.matches("class=\"chip stale\"").count(), 0);
}

#[test]
fn nothing_that_an_agent_wrote_is_markup() {
    let sandbox = Sandbox::with_repository();
    let mut session = Session::start(&sandbox);
    let hostile = "</pre></script><script>alert(1)</script><img src=x onerror=alert(1)>\"'><!-- {{events}} \u{1b}]0;x\u{7} \u{202e}gnp \u{200b}\u{0}";
    let output = format!("{hostile}\n{CARGO_FAIL}\n{hostile}");
    session.bash(&format!("cargo test # {hostile}"), &output, 101);
    session.edit("a <b> \" ' & {{style}}.rs", hostile);
    session.stop(&format!("All tests pass. {hostile} `</mark>` lint is clean."));
    sandbox.write("deeds.json", r#"{"claims":[{"id":"</h1><script>x","requires":[{"evidenceId":"tests"}]}]}"#);
    let html = page(&sandbox, &[]);
    assert_self_contained(&html);
    assert!(html.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
    for hidden in ['\u{1b}', '\u{7}', '\u{202e}', '\u{200b}', '\u{0}'] {
        assert!(!html.contains(hidden), "{:x}", hidden as u32);
    }
    assert!(html.contains("\\u{202e}") && html.contains("{{events}}") && html.contains("&lt;/h1&gt;&lt;script&gt;x"));
}

#[test]
fn five_hundred_events_take_less_than_a_megabyte() {
    let sandbox = Sandbox::with_repository();
    let mut session = Session::start(&sandbox);
    let noise = "   Compiling demo v0.1.0 <path>\n".repeat(400);
    for turn in 0..10 {
        for step in 0..24 {
            session.edit(&format!("src/f{}.rs", step % 7), &format!("// {turn} {step}\n"));
            match step % 6 {
                0 => session.bash("cargo test", &format!("{noise}{CARGO_PASS}"), 0),
                1 => session.bash("cargo test 2>&1 | tail -5", CARGO_FAIL_TAIL, 0),
                2 => session.bash("cargo clippy -- -D warnings", &noise, 0),
                _ => session.bash(&format!("rg -n 'fn f{step}' src"), &"<src/a.rs> & \"b\"\n".repeat(200), 1),
            };
        }
        session.stop("All tests pass, and clippy is clean. I updated `src/f1.rs`.");
        session.prompt();
    }
    let html = page(&sandbox, &[]);
    assert_self_contained(&html);
    assert_eq!(html.matches("<details id=\"e").count(), 10 * (24 * 2 + 1));
    assert!(html.len() < 1_000_000, "{} bytes", html.len());
    if let Some(path) = std::env::var_os("DEEDS_TEST_REPORT") {
        std::fs::write(path, html).unwrap();
    }
}

#[test]
fn a_session_that_claims_nothing_has_a_page_and_one_that_is_not_there_has_none() {
    let sandbox = Sandbox::with_repository();
    let empty = page(&sandbox, &[]);
    assert_self_contained(&empty);
    assert!(empty.contains("<h1>Nothing was claimed</h1>") && empty.contains("no session is recorded"), "{empty}");
    let mut session = Session::start(&sandbox);
    session.bash("cargo test", CARGO_PASS, 0).stop("Done.");
    let html = page(&sandbox, &["--session", session.id]);
    assert_self_contained(&html);
    assert!(html.contains("Nothing was claimed; this has been shown so far") && html.contains("3 passed"), "{html}");
    let ran = sandbox.deeds(&["report", "--html", "x.html", "--session", "nobody"]).expect(64);
    assert!(ran.stderr.starts_with("deeds: no session nobody is recorded here; there is "), "{ran:?}");
    assert!(!sandbox.project().join("x.html").exists());
    let ran = sandbox.deeds(&["report", "--html", "no/such/dir/x.html"]).expect(70);
    assert!(ran.stderr.starts_with("deeds: failed to write: no/such/dir/x.html: "), "{ran:?}");
    sandbox.deeds(&["report"]).expect(64);
}

#[test]
fn all_takes_every_session_and_a_dash_is_standard_output() {
    let sandbox = Sandbox::with_repository();
    Session::start(&sandbox).bash("cargo test", CARGO_FAIL, 101).stop("All tests pass.");
    let mut second = Session::start_as(&sandbox, "5e551011-0000-4000-8000-000000000002");
    second.bash("cargo clippy", "", 0).stop("Lint is clean.");
    let ran = sandbox.deeds(&["report", "--html", "-", "--all"]).expect(0);
    assert_self_contained(&ran.stdout);
    assert!(ran.stdout.contains("the whole ledger") && ran.stdout.contains("2 messages"), "{ran:?}");
    let quiet = sandbox.deeds(&["report", "-q", "--html", "x.html"]).expect(0);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
    let told = sandbox.deeds(&["report", "--html", "x.html"]).expect(0).stdout;
    assert!(told.starts_with("wrote x.html (") && told.ends_with(" KB): 1 supported\n"), "{told}");
}

#[test]
fn a_damaged_ledger_is_named_on_the_page() {
    let sandbox = Sandbox::with_repository();
    Session::start(&sandbox).bash("cargo test", CARGO_PASS, 0).stop("All tests pass.");
    let path = sandbox.project().join(".git/deeds/ledger.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let (first, _) = text.split_once('\n').unwrap();
    std::fs::write(&path, text.replacen(first, &first.replace("genesis", "genesit"), 1)).unwrap();
    let html = page(&sandbox, &[]);
    assert!(html.contains("The ledger is damaged: altered, line 1"), "{html}");
}
