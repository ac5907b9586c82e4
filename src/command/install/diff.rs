//! What would change in a file, as a unified diff.

use crate::text::{Lines, sanitise};

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;
/// Beyond this many pairs of lines, a changed part is shown as a whole.
const PAIRS_MAX: usize = 4 << 20;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Same,
    Gone,
    New,
}

/// The lines that differ between two texts, with what stands around them; nothing if none do.
pub fn unified(name: &str, before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let script = script(&old, &new);
    let mut out = String::new();
    let mut from = 0;
    while let Some(first) = script[from..].iter().position(|(mark, _)| *mark != Mark::Same).map(|at| at + from) {
        let start = first.saturating_sub(CONTEXT).max(from);
        let mut end = first;
        let mut quiet = 0;
        while end < script.len() && quiet <= 2 * CONTEXT {
            quiet = if script[end].0 == Mark::Same { quiet + 1 } else { 0 };
            end += 1;
        }
        end -= quiet.saturating_sub(CONTEXT);
        let count = |part: &[(Mark, &str)], other: Mark| part.iter().filter(|(mark, _)| *mark != other).count();
        let at = |other: Mark| count(&script[..start], other) + usize::from(count(&script[start..end], other) > 0);
        out.push_str(&format!(
            "@@ -{},{} +{},{} @@\n",
            at(Mark::New),
            count(&script[start..end], Mark::New),
            at(Mark::Gone),
            count(&script[start..end], Mark::Gone)
        ));
        for (mark, line) in &script[start..end] {
            let sign = match mark {
                Mark::Same => ' ',
                Mark::Gone => '-',
                Mark::New => '+',
            };
            out.push_str(&format!("{sign}{}\n", sanitise(line, Lines::Escape)));
        }
        from = end;
    }
    if out.is_empty() { out } else { format!("--- {name}\n+++ {name}\n{out}") }
}

/// Every line of both, marked: the longest common part stays.
fn script<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(Mark, &'a str)> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut out: Vec<(Mark, &str)> = old[..head].iter().map(|line| (Mark::Same, *line)).collect();
    if a.len() * b.len() > PAIRS_MAX {
        out.extend(a.iter().map(|line| (Mark::Gone, *line)));
        out.extend(b.iter().map(|line| (Mark::New, *line)));
    } else {
        // common[i][j]: how many lines a[i..] and b[j..] share, in order.
        let mut common = vec![vec![0u32; b.len() + 1]; a.len() + 1];
        for i in (0..a.len()).rev() {
            for j in (0..b.len()).rev() {
                common[i][j] =
                    if a[i] == b[j] { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < a.len() || j < b.len() {
            if i < a.len() && j < b.len() && a[i] == b[j] {
                out.push((Mark::Same, a[i]));
                (i, j) = (i + 1, j + 1);
            } else if i < a.len() && (j == b.len() || common[i + 1][j] >= common[i][j + 1]) {
                out.push((Mark::Gone, a[i]));
                i += 1;
            } else {
                out.push((Mark::New, b[j]));
                j += 1;
            }
        }
    }
    out.extend(old[old.len() - tail..].iter().map(|line| (Mark::Same, *line)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_with_what_stands_around_it() {
        let before: String = (1..=20).map(|n| format!("{n}\n")).collect();
        let after = before.replace("10\n", "ten\n10b\n");
        let diff = unified("f", &before, &after);
        assert_eq!(diff, "--- f\n+++ f\n@@ -7,7 +7,8 @@\n 7\n 8\n 9\n-10\n+ten\n+10b\n 11\n 12\n 13\n");
        assert_eq!(unified("f", "", "a\n"), "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+a\n");
        assert_eq!(unified("f", "a\n", "a\n"), "");
        let far = before.replace("2\n", "two\n");
        assert_eq!(unified("f", &before, &far).matches("@@ -").count(), 2);
    }
}
