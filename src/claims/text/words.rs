//! Closed classes of words. Each set is sorted; a test says so.

/// Whether a sorted set has the word.
pub fn has(set: &[&str], word: &str) -> bool {
    set.binary_search(&word).is_ok()
}

/// Words within a verb group that change nothing: "still pass", "are now all green".
#[rustfmt::skip]
pub const ADVERBS: &[&str] = &[
    "actually", "again", "all", "already", "also", "altogether", "as", "both", "cleanly", "completely",
    "consistently", "correctly", "currently", "each", "even", "finally", "first", "fully", "here", "immediately",
    "indeed", "instead", "just", "likewise", "locally", "nicely", "now", "once", "only", "properly", "really",
    "safely", "still", "successfully", "then", "therefore", "thus", "together", "too", "very", "well", "yet",
];

/// Words before a subject that say nothing about whether it is asserted.
#[rustfmt::skip]
pub const OPENERS: &[&str] = &[
    "accordingly", "actually", "additionally", "again", "ah", "alas", "alright", "also", "altogether", "anyway",
    "besides", "consequently", "crucially", "currently", "done", "either", "finally", "fixed", "fortunately",
    "furthermore", "great", "happily", "heads-up", "hence", "here", "hey", "importantly", "in", "indeed", "lastly",
    "locally", "luckily", "meanwhile", "moreover", "namely", "nice", "no", "now", "ok", "okay", "overall", "perfect",
    "plus", "really", "regrettably", "result", "right", "sadly", "still", "summary", "surprisingly", "thankfully",
    "then", "therefore", "thus", "today", "ultimately", "unfortunately", "well", "yes",
];

/// Adverbs that make a habit of it.
#[rustfmt::skip]
pub const HABITUAL: &[&str] = &[
    "always", "commonly", "ever", "frequently", "generally", "intermittently", "mostly", "normally", "occasionally",
    "often", "rarely", "regularly", "seldom", "sometimes", "typically", "usually",
];

#[rustfmt::skip]
pub const MODALS: &[&str] = &[
    "can", "could", "may", "might", "must", "ought", "shall", "should", "will", "would",
];

pub const BE: &[&str] = &["am", "are", "be", "been", "being", "is", "was", "were"];

pub const HAVE: &[&str] = &["had", "has", "have", "having"];

pub const DO: &[&str] = &["did", "do", "does", "doing"];

/// Verbs that join subject and adjective as "be" does.
#[rustfmt::skip]
pub const COPULAS: &[&str] = &[
    "become", "becomes", "came", "come", "comes", "go", "goes", "got", "keep", "keeps", "kept", "remain", "remained",
    "remains", "stay", "stayed", "stays", "turn", "turned", "turns", "went",
];

/// Verbs after which a statement is only an impression.
#[rustfmt::skip]
pub const IMPRESSIONS: &[&str] = &[
    "appear", "appeared", "appears", "feel", "feels", "look", "looked", "looks", "seem", "seemed", "seems", "sound",
    "sounds", "tend", "tends",
];

#[rustfmt::skip]
pub const PREPOSITIONS: &[&str] = &[
    "about", "above", "across", "after", "against", "along", "among", "around", "as", "at", "before", "behind",
    "below", "besides", "between", "by", "despite", "during", "except", "following", "for", "from", "in", "inside",
    "into", "like", "near", "of", "off", "on", "onto", "outside", "over", "per", "since", "than", "through",
    "throughout", "to", "toward", "towards", "under", "until", "upon", "using", "via", "with", "within", "without",
];

#[rustfmt::skip]
pub const PRONOUNS: &[&str] = &[
    "anybody", "anyone", "everybody", "everyone", "everything", "he", "her", "him", "i", "it", "me", "nobody",
    "nothing", "she", "somebody", "someone", "something", "them", "they", "us", "we", "what", "who", "you",
];

#[rustfmt::skip]
pub const CONJUNCTIONS: &[&str] = &[
    "although", "and", "because", "but", "nor", "or", "plus", "since", "so", "then", "though", "whereas", "while",
    "whilst", "yet",
];

/// What opens a relative or reported clause.
pub const RELATIVES: &[&str] = &["that", "where", "which", "who", "whom", "whose"];

#[rustfmt::skip]
pub const DETERMINERS: &[&str] = &[
    "a", "all", "an", "another", "any", "both", "each", "either", "every", "few", "its", "many", "most", "my",
    "neither", "no", "none", "our", "several", "single", "some", "that", "the", "their", "these", "this", "those",
    "your",
];

/// Verbs (and a few others) that never stand within a noun phrase, so that one to the left of a noun is a verb.
#[rustfmt::skip]
pub const VERBS: &[&str] = &[
    "added", "adds", "adjusted", "am", "are", "be", "been", "being", "breaks", "broke", "builds", "changed", "check",
    "checked", "committed", "compiled", "compiles", "confirm", "confirmed", "confirms", "did", "do", "does",
    "double-checked", "ensure", "ensured", "ensures", "execute", "executed", "extended", "fail", "failed", "fails",
    "find", "fix", "fixed", "fixes", "found", "gave", "get", "gets", "getting", "give", "gives", "got", "guarantee",
    "guarantees", "had", "has", "have", "having", "help", "helps", "is", "keep", "keeping", "keeps", "kept", "leave",
    "leaves", "leaving", "left", "let", "lets", "made", "make", "makes", "making", "means", "move", "moved", "need",
    "needs", "pass", "passed", "passes", "pushed", "ran", "re-ran", "re-run", "removed", "renamed", "replaced",
    "report", "reported", "reports", "require", "requires", "reran", "rerun", "reruns", "rewrote", "run", "running",
    "runs", "said", "saw", "say", "says", "see", "show", "showed", "shows", "skip", "skipped", "split", "succeed",
    "succeeded", "succeeds", "told", "update", "updated", "use", "uses", "validate", "validated", "verified",
    "verifies", "verify", "want", "wants", "was", "were", "wrote",
];

/// Words that may follow a finished "pass" or "fail"; anything else makes it a verb with an object.
#[rustfmt::skip]
pub const AFTER_RESULT: &[&str] = &[
    "according", "across", "after", "again", "against", "all", "alone", "already", "although", "and", "any", "anymore", "apart",
    "aside", "at", "bar", "because", "before", "besides", "both", "but", "cleanly", "consistently", "despite", "due",
    "during", "either", "everywhere", "except", "excluding", "fine", "first", "for", "from", "here", "if", "in",
    "including", "instead", "just", "like", "locally", "nicely", "now", "on", "once", "only", "or", "other",
    "overall", "plus", "regardless", "reliably", "save", "since", "so", "still", "successfully", "thanks", "then", "there",
    "though", "throughout", "today", "together", "too", "unchanged", "under", "unless", "until", "using", "via", "when",
    "whenever", "where", "whereas", "which", "while", "with", "within", "without", "yet",
];

/// Function words by which a sentence of another language is known, and which English does not have.
#[rustfmt::skip]
pub const FOREIGN: &[&str] = &[
    "alle", "auch", "aux", "av", "avec", "con", "dans", "das", "del", "della", "dem", "den", "der", "des", "die",
    "dos", "du", "een", "ein", "eine", "el", "en", "est", "et", "f\u{fc}r", "gli", "het", "ich", "ist", "je", "la",
    "las", "le", "les", "los", "mit", "nicht", "niet", "non", "och", "og", "para", "pas", "por", "pour", "que",
    "sind", "sont", "sur", "todas", "todos", "tous", "toutes", "tutti", "und", "une", "van", "vom", "voor", "wurde",
    "wurden", "zijn", "zu",
];

/// Function words of English.
#[rustfmt::skip]
pub const ENGLISH: &[&str] = &[
    "all", "and", "are", "as", "at", "been", "but", "by", "for", "from", "have", "in", "into", "is", "it", "not",
    "of", "on", "that", "the", "this", "to", "was", "were", "with",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_is_sorted() {
        let sets = [
            ADVERBS,
            OPENERS,
            HABITUAL,
            MODALS,
            BE,
            HAVE,
            DO,
            COPULAS,
            IMPRESSIONS,
            PREPOSITIONS,
            PRONOUNS,
            CONJUNCTIONS,
            RELATIVES,
            DETERMINERS,
            VERBS,
            AFTER_RESULT,
            FOREIGN,
            ENGLISH,
        ];
        for set in sets {
            let unsorted = set.windows(2).find(|pair| pair[0] >= pair[1]);
            assert_eq!(unsorted, None);
        }
    }
}
