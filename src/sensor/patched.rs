//! Whether a file shows that a patch was applied to it, where the client tells the patch and not what came of it.

use memchr::memmem;

/// Every hunk's new lines stand in the file, one hunk after the other. A hunk that only takes lines away is seen by its old
/// lines, which must not stand there any more.
pub fn stands(file: &[u8], patch: &str) -> bool {
    let file = plain(file);
    let mut from = 0;
    let mut seen = false;
    for hunk in Hunks(patch.lines()) {
        let found = find(&file, &hunk.new, from);
        match found {
            Some(end) if hunk.adds || find(&file, &hunk.old, 0).is_none() => (from, seen) = (end, true),
            _ => return false,
        }
    }
    seen
}

/// Without the carriage returns of its line ends.
fn plain(text: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(text.len());
    for (at, byte) in text.iter().enumerate() {
        if *byte != b'\r' || text.get(at + 1) != Some(&b'\n') {
            kept.push(*byte);
        }
    }
    kept
}

/// Where whole lines end that stand in the file at or after a place. No lines stand nowhere.
fn find(file: &[u8], lines: &[&str], from: usize) -> Option<usize> {
    let wanted = lines.join("\n");
    let starts = |at: usize| at == 0 || file[at - 1] == b'\n';
    let ends = |at: usize| at == file.len() || file[at] == b'\n';
    let tail = file.get(from..).filter(|_| !wanted.trim().is_empty())?;
    let mut found = memmem::find_iter(tail, wanted.as_bytes()).map(|at| from + at);
    found.find(|at| starts(*at) && ends(*at + wanted.len())).map(|at| at + wanted.len())
}

struct Hunk<'p> {
    old: Vec<&'p str>,
    new: Vec<&'p str>,
    adds: bool,
}

struct Hunks<'p>(std::str::Lines<'p>);

impl<'p> Iterator for Hunks<'p> {
    type Item = Hunk<'p>;

    fn next(&mut self) -> Option<Hunk<'p>> {
        let mut hunk = Hunk { old: Vec::new(), new: Vec::new(), adds: false };
        let rest = self.0.clone();
        let skip = rest.take_while(|line| line.starts_with("@@")).count();
        for _ in 0..skip {
            self.0.next();
        }
        let mut any = false;
        for line in self.0.clone().take_while(|line| !line.starts_with("@@")) {
            self.0.next();
            any = true;
            match line.as_bytes().first() {
                Some(b'+') => {
                    hunk.adds = true;
                    hunk.new.push(&line[1..]);
                }
                Some(b'-') => hunk.old.push(&line[1..]),
                Some(b' ') => {
                    hunk.old.push(&line[1..]);
                    hunk.new.push(&line[1..]);
                }
                // `\ No newline at end of file`
                Some(b'\\') => {}
                _ => {
                    hunk.old.push(line);
                    hunk.new.push(line);
                }
            }
        }
        any.then_some(hunk)
    }
}

#[cfg(test)]
mod tests {
    use super::stands;

    const PATCH: &str = "@@ -1,2 +1,2 @@\n-hello\n+HELLO\n world\n";

    #[test]
    fn new_lines_that_stand_in_the_file_show_the_patch() {
        assert!(stands(b"HELLO\nworld\n", PATCH) && stands(b"HELLO\r\nworld\r\nmore", PATCH));
        assert!(!stands(b"hello\nworld\n", PATCH) && !stands(b"HELLO\nthere\nworld\n", PATCH) && !stands(b"", PATCH));
        assert!(!stands(b"xHELLO\nworld\n", PATCH) && !stands(b"HELLO\nworlds\n", PATCH));
    }

    #[test]
    fn hunks_stand_in_their_order() {
        let two = "@@ -1 +1 @@\n-a\n+A\n@@ -9 +9 @@\n-b\n+B\n";
        assert!(stands(b"A\nx\nB\n", two) && !stands(b"B\nx\nA\n", two) && !stands(b"A\nx\nb\n", two));
    }

    #[test]
    fn lines_that_were_taken_away_are_gone() {
        let less = "@@ -1,3 +1,2 @@\n a\n-b\n c\n";
        assert!(stands(b"a\nc\n", less) && !stands(b"a\nb\nc\n", less));
        let first = "@@ -1,2 +1,1 @@\n-a\n b\n";
        assert!(stands(b"b\n", first) && !stands(b"a\nb\n", first));
        assert!(!stands(b"", "@@ -1 +0,0 @@\n-a\n") && !stands(b"x", ""));
    }
}
