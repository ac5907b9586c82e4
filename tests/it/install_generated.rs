//! Settings files of every layout, generated: what is put in is there once, and taken out again without a trace.

use deeds::command::install::client::Client;
use deeds::command::install::handlers::Handler;
use deeds::command::install::json_file::{install, registered, uninstall};

/// Numbers that look random and are the same every time (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }

    fn space(&mut self) -> &'static str {
        self.of(&["", "", " ", "\n  ", "\n\t\t", "\r\n    ", "  "])
    }

    fn list(&mut self, open: &str, close: &str, items: Vec<String>) -> String {
        let mut text = open.to_owned();
        for (n, item) in items.iter().enumerate() {
            if n > 0 {
                text += self.space();
                text += ",";
            }
            text += self.space();
            text += item;
        }
        text += self.space();
        text + close
    }

    fn member(&mut self, key: &str, value: &str) -> String {
        format!("\"{key}\"{}:{}{value}", self.space(), self.space())
    }

    fn value(&mut self, depth: u64) -> String {
        let count = self.below(4);
        match self.below(if depth > 3 { 3 } else { 5 }) {
            0 => self.of(&["0", "-1.5e3", "true", "null", "12345678901234567890"]).to_owned(),
            1 => self.of(&["\"\"", "\"a\\\"}]b\"", "\"é\\u00e9\"", "\"hooks\"", "\"deeds hook\""]).to_owned(),
            2 => self.of(&["[]", "{}"]).to_owned(),
            3 => {
                let items = (0..count).map(|_| self.value(depth + 1)).collect();
                self.list("[", "]", items)
            }
            _ => {
                let items = (0..count)
                    .map(|n| {
                        let value = self.value(depth + 1);
                        self.member(["hooks", "Stop", "b", "c"][n as usize], &value)
                    })
                    .collect();
                self.list("{", "}", items)
            }
        }
    }

    /// Somebody else's hooks: no list of them is empty, since an empty one goes with what was put into it.
    fn hooks(&mut self) -> String {
        let names = ["Stop", "PreToolUse", "PostToolUse", "SessionEnd", "Notification"];
        let first = self.below(5) as usize;
        let events = (0..1 + self.below(4) as usize)
            .map(|n| {
                let groups = (0..1 + self.below(3))
                    .map(|_| {
                        let handlers = (0..1 + self.below(3))
                            .map(|_| {
                                let kind = self.member("type", "\"command\"");
                                let command = self.of(&["\"say done\"", "\"echo deeds hook\"", "\"x\\ty\""]);
                                let command = self.member("command", command);
                                self.list("{", "}", vec![kind, command])
                            })
                            .collect();
                        let handlers = self.list("[", "]", handlers);
                        let handlers = self.member("hooks", &handlers);
                        let matcher = self.member("matcher", "\"Bash\"");
                        let members = if self.below(2) == 0 { vec![handlers] } else { vec![matcher, handlers] };
                        self.list("{", "}", members)
                    })
                    .collect();
                let groups = self.list("[", "]", groups);
                self.member(names[(first + n) % 5], &groups)
            })
            .collect();
        self.list("{", "}", events)
    }

    fn file(&mut self) -> String {
        let mut members: Vec<String> = (0..1 + self.below(3))
            .map(|n| {
                let value = self.value(0);
                self.member(["a", "é", "Stop", "x"][n as usize], &value)
            })
            .collect();
        if self.below(4) > 0 {
            let hooks = self.hooks();
            let at = self.below(members.len() as u64 + 1) as usize;
            members.insert(at, self.member("hooks", &hooks));
        }
        format!("{}{}{}", self.space(), self.list("{", "}", members), self.space())
    }
}

fn foreign(handlers: Vec<Handler>) -> Vec<Handler> {
    handlers.into_iter().filter(|handler| handler.own.is_none()).collect()
}

#[test]
fn what_is_put_in_is_there_once_and_is_taken_out_without_a_trace() {
    let client = Client::Claude;
    let mut numbers = Numbers(2026);
    for _ in 0..600 {
        let before = numbers.file();
        let after = install(client, &before, "/opt/deeds hook").unwrap_or_else(|why| panic!("{why:?}: {before}"));
        serde_json::from_str::<serde_json::Value>(&after).unwrap_or_else(|why| panic!("{why}: {after}"));
        let all = registered(client, &after).unwrap();
        let own: Vec<&str> = all.iter().filter(|one| one.own.is_some()).map(|one| one.event.as_str()).collect();
        let mut wanted: Vec<&str> = client.wanted().iter().map(|one| one.event).collect();
        let mut sorted = own.clone();
        sorted.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(sorted, wanted, "{after}");
        // Somebody else's stay at their places.
        assert_eq!(foreign(all), registered(client, &before).unwrap(), "{after}");
        assert_eq!(install(client, &after, "/opt/deeds hook").unwrap(), after);
        assert_eq!(uninstall(client, &after).unwrap(), before);
        let moved = install(client, &after, "'/my tools/deeds' hook").unwrap();
        assert_eq!(moved, after.replace("/opt/deeds hook", "'/my tools/deeds' hook"));
    }
}
