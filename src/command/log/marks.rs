//! Trust class and collection method as short marks, and what they mean.

use std::collections::BTreeSet;

use super::line::Row;

/// A tag as it is recorded, and its mark.
type Mark = (&'static str, &'static str);

const TRUST: &[Mark] = &[
    ("agent_adjacent", "agent"),
    ("host_observed", "host"),
    ("independent_external", "extern"),
    ("human_reviewed", "human"),
    ("model_internal", "model"),
];

const METHOD: &[Mark] = &[
    ("hook_callback", "hook"),
    ("file_poll", "file"),
    ("http_webhook", "web"),
    ("process_observation", "eyes"),
    ("reconstructed", "later"),
    ("pre_provenance", "old"),
];

/// What stands for a tag that is none of ours.
const UNKNOWN: &str = "?";

/// `agent·hook`
pub(super) fn of(trust: &str, method: &str) -> String {
    format!("{}·{}", find(TRUST, trust), find(METHOD, method))
}

fn find(table: &[Mark], tag: &str) -> &'static str {
    table.iter().find(|(known, _)| *known == tag).map_or(UNKNOWN, |(_, mark)| mark)
}

/// The marks that were shown.
#[derive(Debug, Default)]
pub(super) struct Used(BTreeSet<String>);

impl Used {
    pub fn note(&mut self, row: &Row) {
        if let Some((trust, method)) = &row.source {
            for tag in [trust, method].into_iter().filter(|tag| !self.0.contains(*tag)).collect::<Vec<_>>() {
                self.0.insert(tag.clone());
            }
        }
    }

    /// All that there are.
    pub fn every() -> Used {
        Used(TRUST.iter().chain(METHOD).map(|(tag, _)| (*tag).to_owned()).collect())
    }

    /// `who saw it: agent = agent_adjacent … · how: hook = hook_callback …`
    pub fn legend(&self) -> Option<String> {
        let known = |table: &[Mark]| {
            let rows = table.iter().filter(|(tag, _)| self.0.contains(*tag));
            rows.map(|(tag, mark)| format!("{mark} = {tag}")).collect::<Vec<_>>().join(", ")
        };
        let unknown = |tag: &&String| find(TRUST, tag) == UNKNOWN && find(METHOD, tag) == UNKNOWN;
        let mut parts = Vec::new();
        for (title, listed) in [("trust", known(TRUST)), ("method", known(METHOD))] {
            if !listed.is_empty() {
                parts.push(format!("{title}: {listed}"));
            }
        }
        let others: Vec<&str> = self.0.iter().filter(unknown).map(String::as_str).collect();
        if !others.is_empty() {
            parts.push(format!("{UNKNOWN} = {}", others.join(", ")));
        }
        (!parts.is_empty()).then(|| parts.join(" · "))
    }
}
