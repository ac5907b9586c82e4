//! Secrets on a command line that no `NAME=` and no form of their own gives away, only their place: `curl -u me:…`,
//! `mysql -p…`, `docker login -p …`, `--client-secret …`, `vault login …`, `echo … | docker login --password-stdin`.
//!
//! Each tool is one row. `-p 22`, `-p 8080:80`, `mkdir -p` are none of them: an option of one letter counts only behind a tool
//! whose manual says that it takes a secret.

use std::ops::Range;

use super::scan::Span;
use super::shell::{Simple, commands, unquoted};
use super::value::{is_path, is_secret};
use super::{MARKER, assignment};

pub(super) const KIND: &str = "credential";

/// Where in an option's value the secret is.
#[derive(Clone, Copy)]
enum Shape {
    /// All of it.
    Whole,
    /// All of it, and it stands directly behind the letter: `-p…`.
    Attached,
    /// Behind the first of this byte: `user:…`, `user,…`, `user%…`.
    After(u8),
    /// Behind `pass:`; `file:` and `env:` only say where it is.
    Pass,
}

use Shape::*;

/// Options of a tool, the word that must stand before them, if any, and where the secret is.
struct Row(&'static str, &'static str, Shape);

#[rustfmt::skip]
fn tool(program: &[u8]) -> &'static [Row] {
    match program {
        b"curl" => &[
            Row("", "-u --user -U --proxy-user -E --cert", After(b':')), Row("", "-b --cookie", After(b'=')),
            Row("", "--pass --proxy-pass", Whole),
        ],
        b"http" | b"https" | b"xh" | b"xhs" => &[Row("", "-a --auth", After(b':'))],
        b"mysql" | b"mysqladmin" | b"mysqldump" | b"mysqlimport" | b"mysqlshow" | b"mariadb" | b"mariadb-admin"
        | b"mariadb-dump" => &[Row("", "-p", Attached)],
        b"7z" | b"7za" | b"7zr" | b"7zz" | b"rar" | b"unrar" => &[Row("", "-p -hp", Attached)],
        b"sshpass" | b"mongo" | b"mongodump" | b"mongoexport" | b"mongoimport" | b"mongorestore" | b"mongosh" | b"ncftp"
        | b"ncftpget" | b"ncftpput" | b"twine" | b"az" | b"cqlsh" | b"useradd" | b"usermod" => &[Row("", "-p", Whole)],
        b"docker" | b"podman" | b"buildah" | b"nerdctl" | b"skopeo" | b"oras" | b"helm" | b"crane" => {
            &[Row("login", "-p", Whole)]
        }
        b"redis-cli" | b"valkey-cli" => &[Row("", "-a --pass", Whole)],
        b"sqlcmd" | b"bcp" | b"zip" | b"unzip" | b"mosquitto_pub" | b"mosquitto_sub" => &[Row("", "-P", Whole)],
        b"ldapadd" | b"ldapdelete" | b"ldapmodify" | b"ldapsearch" | b"ldapwhoami" => &[Row("", "-w", Whole)],
        b"smbclient" | b"rpcclient" => &[Row("", "-U --user", After(b'%'))],
        b"lftp" => &[Row("", "-u", After(b','))],
        b"etcdctl" => &[Row("", "--user", After(b':'))],
        b"openssl" => &[Row("", "-passin -passout -pass", Pass), Row("enc", "-k -K", Whole)],
        b"gh" => &[Row("secret", "-b --body", Whole)],
        b"keytool" | b"jarsigner" => &[Row("", "-storepass -keypass -srcstorepass -deststorepass -new", Whole)],
        b"xfreerdp" | b"wlfreerdp" | b"rdesktop" => &[Row("", "/p", Whole)],
        _ => &[],
    }
}

/// The words behind one of which the last word is the secret; `""`: any.
fn last_of(program: &[u8]) -> &'static str {
    match program {
        b"vault" | b"cargo" => "login",
        b"bw" => "unlock",
        b"wpa_passphrase" => "*",
        b"htpasswd" => "-b -nb -nbB -bB -bc -cb -bn",
        b"rabbitmqctl" => "add_user change_password",
        b"nmcli" => "password",
        _ => "",
    }
}

/// What an option or a header that takes a secret ends in.
#[rustfmt::skip]
const OPTIONS: [&str; 11] = [
    "password", "passwd", "passphrase", "pwd", "token", "secret", "api-key", "apikey", "secret-key", "access-key", "bearer",
];

/// What the name of a setting ends in.
#[rustfmt::skip]
const SETTINGS: [&str; 10] = [
    "password", "passwd", "passphrase", "token", "secret", "api_key", "apikey", "access_key", "secret_key", "private_key",
];

/// Settings of which the last word is the secret, whatever follows the name.
const STORES: [&str; 2] = ["http-basic.", "pypi-token."];

/// Behind these a setting and its value are two words.
fn sets(word: &[u8]) -> bool {
    matches!(word, b"set" | b"config" | b"configure" | b"setx" | b"put" | b"--arg" | b"-gx" | b"-Ux")
}

/// What reads a secret from where others read a text; a word and the one before it.
fn reads_a_secret(before: &[u8], word: &[u8]) -> bool {
    match word {
        b"--password-stdin" | b"--with-token" | b"--passphrase-fd" | b"--pass-stdin" | b"--token-stdin"
        | b"chpasswd" => true,
        b"-S" => before == b"sudo",
        b"set" | b"put" | b"add" | b"create" => matches!(before, b"secret" | b"secrets"),
        b"insert" => before == b"pass",
        b"--stdin" => before == b"passwd",
        _ => false,
    }
}

/// Quoted commands within quoted commands are looked into so deep.
const DEPTH: u32 = 3;

/// In no order.
pub(super) fn in_command(text: &[u8]) -> Vec<Span> {
    let mut finder = Finder { text, found: Vec::new() };
    finder.part(0..text.len(), DEPTH);
    finder.found
}

struct Finder<'t> {
    text: &'t [u8],
    found: Vec<Span>,
}

impl<'t> Finder<'t> {
    fn part(&mut self, part: Range<usize>, depth: u32) {
        let all = commands(self.text, part);
        let mut before: Option<&Simple> = None;
        for one in &all {
            if self.command(one) {
                one.here.iter().for_each(|here| self.told(here.clone()));
                let told = before.filter(|_| one.piped);
                if let Some(told) = told.filter(|told| matches!(self.word(told, 0), b"echo" | b"printf")) {
                    told.words.iter().skip(1).for_each(|word| self.told(word.clone()));
                }
            }
            for word in one.words.iter().chain(&one.here).filter(|_| depth > 0) {
                let raw = &self.text[word.clone()];
                // Also `cmd:'…'`, in the call of some language.
                let Some(open) = raw.iter().position(|byte| matches!(byte, b'"' | b'\'')) else { continue };
                let inner = unquoted(self.text, word.start + open..word.end);
                if self.text[inner.clone()].iter().any(u8::is_ascii_whitespace) {
                    self.part(inner, depth - 1);
                }
            }
            before = Some(one);
        }
    }

    /// `user:…`, or all of it; of `printf '%s'` and `echo -n` nothing.
    fn told(&mut self, word: Range<usize>) {
        let inner = unquoted(self.text, word);
        let words = &self.text[inner.clone()];
        if !words.starts_with(b"-") && !words.contains(&b'%') {
            let after = words.iter().position(|byte| *byte == b':').map_or(0, |colon| colon + 1);
            self.add(inner.start + after..inner.end, 4);
        }
    }

    fn word(&self, one: &Simple, at: usize) -> &'t [u8] {
        one.words.get(at).map_or(&[], |word| &self.text[unquoted(self.text, word.clone())])
    }

    /// Whether it reads a secret.
    fn command(&mut self, one: &Simple) -> bool {
        let (mut reads, mut setting) = (false, false);
        let mut rows: &'static [Row] = &[];
        let mut behind: &'static str = "";
        // The words that rows ask for and that have stood there; where the last word begins to be the secret.
        let (mut stood, mut armed) = (0_u8, None);
        let mut before: [&[u8]; 2] = [&[], &[]];
        for at in 0..one.words.len() {
            let word = self.word(one, at);
            let name = word.rsplit(|byte| *byte == b'/').next().unwrap_or(word);
            let first = self.text[one.words[at].start];
            let next = || one.words.get(at + 1).map_or(0..0, |next| unquoted(self.text, next.clone()));
            if first == b'-' || (first == b'/' && !setting) {
                for (n, row) in rows.iter().enumerate().filter(|(n, row)| row.0.is_empty() || stood & (1 << n) != 0) {
                    debug_assert!(n < 8);
                    self.value_of(one, at, row);
                }
                self.option(one, at);
            } else if setting && ends_in(word, &SETTINGS) {
                let value = next();
                self.add(value, 4);
            } else if setting && STORES.iter().any(|store| word.starts_with(store.as_bytes())) {
                armed = Some(at);
            } else if word == b"password" && before.contains(&&b"login"[..]) {
                // `machine h login me password …`
                let value = next();
                self.add(value, 4);
            }
            rows.iter().enumerate().filter(|(_, row)| row.0.as_bytes() == word).for_each(|(n, _)| stood |= 1 << n);
            if !behind.is_empty() && armed.is_none() && behind.split(' ').any(|one| one.as_bytes() == word) {
                armed = Some(at);
            }
            let (own, last) = (tool(name), last_of(name));
            if !own.is_empty() {
                (rows, stood) = (own, 0);
            }
            if !last.is_empty() {
                behind = last;
                armed = (last == "*").then_some(at);
            }
            setting = setting || sets(word);
            reads = reads || reads_a_secret(before[1], word);
            before = [before[1], word];
        }
        if armed.is_some_and(|armed| armed + 1 < one.words.len()) {
            let value = unquoted(self.text, one.words[one.words.len() - 1].clone());
            let equals = self.text[value.clone()].iter().position(|byte| *byte == b'=').map_or(0, |at| at + 1);
            self.add(value.start + equals..value.end, 4);
        }
        reads
    }

    /// What every tool means by such an option: `--client-secret …`, `-H 'Private-Token: …'`.
    fn option(&mut self, one: &Simple, at: usize) {
        let word = one.words[at].clone();
        let text = &self.text[word.clone()];
        let split = text.iter().position(|byte| matches!(byte, b'=' | b':'));
        let name = &text[..split.unwrap_or(text.len())];
        let dashes = name.iter().take_while(|byte| matches!(byte, b'-' | b'/')).count();
        let name = &name[dashes..];
        let value = match split {
            Some(split) => unquoted(self.text, word.start + split + 1..word.end),
            None => one.words.get(at + 1).map_or(0..0, |next| unquoted(self.text, next.clone())),
        };
        if text.starts_with(b"-H") && text.len() > 2 {
            self.header(unquoted(self.text, word.start + 2..word.end));
        } else if name == b"H" || name == b"header" {
            self.header(value);
        } else if ends_in(name, &OPTIONS)
            && !(dashes > 1 && assignment::is_flag(name))
            && !name.starts_with(b"no-")
            // `-p:…` of a windows tool, and no path.
            && (text[0] == b'-' || split.is_some_and(|split| text[split] == b':'))
        {
            self.add(value, 1);
        }
    }

    fn header(&mut self, value: Range<usize>) {
        let text = &self.text[value.clone()];
        let Some(colon) = text.iter().position(|byte| *byte == b':') else { return };
        let name = &text[..colon];
        let tells =
            |end: &str| name.len() >= end.len() && name[name.len() - end.len()..].eq_ignore_ascii_case(end.as_bytes());
        if !["token", "-key", "secret", "cookie", "authorization", "password"].iter().any(|end| tells(end)) {
            return;
        }
        let mut start = colon + 1;
        start += text[start..].iter().take_while(|byte| **byte == b' ').count();
        let scheme = ["basic ", "bearer ", "token "].iter().find(|scheme| {
            text.get(start..start + scheme.len()).is_some_and(|here| here.eq_ignore_ascii_case(scheme.as_bytes()))
        });
        // What is known wherever it stands has its name already.
        if tells("api-key") || tells("apikey") || (tells("authorization") && scheme.is_some()) {
            return;
        }
        start += scheme.map_or(0, |scheme| scheme.len());
        self.add(value.start + start..value.end, 4);
    }

    fn value_of(&mut self, one: &Simple, at: usize, Row(_, options, shape): &Row) {
        let word = one.words[at].clone();
        let text = &self.text[word.clone()];
        let Some(option) = options.split(' ').find(|option| text.starts_with(option.as_bytes())) else { return };
        let rest = &text[option.len()..];
        let long = option.len() > 2 && !matches!(shape, Attached);
        let value = match rest.first() {
            None if matches!(shape, Attached) => return,
            None => one.words.get(at + 1).cloned().unwrap_or(0..0),
            Some(b'=' | b':') => word.start + option.len() + 1..word.end,
            Some(_) if long => return,
            Some(_) => word.start + option.len()..word.end,
        };
        let value = unquoted(self.text, value);
        let words = &self.text[value.clone()];
        let from = match shape {
            Whole | Attached => Some(0),
            After(byte) => words.iter().position(|one| one == byte).map(|at| at + 1),
            Pass => words.starts_with(b"pass:").then_some(5),
        };
        if let Some(from) = from.filter(|_| !words.starts_with(b"-")) {
            self.add(value.start + from..value.end, 1);
        }
    }

    /// A value that may be one: no option, no path, no name of a file, no small number, no word for none.
    fn add(&mut self, value: Range<usize>, at_least: usize) {
        let text = &self.text[value.clone()];
        let place =
            text.starts_with(b"/") || text.starts_with(b"./") || text.starts_with(b"../") || text.starts_with(b"~");
        let named =
            [&b"file:"[..], b"env:", b"fd:", b"id=", b"@", b"-", b"type="].iter().any(|begin| text.starts_with(begin));
        let number = text.len() < 6 && text.iter().all(u8::is_ascii_digit);
        let none = ["false", "no", "none", "null", "optional", "required", "true", "yes", "stdin", "prompt"]
            .iter()
            .any(|word| text.eq_ignore_ascii_case(word.as_bytes()));
        let marked = self.text[..value.start].ends_with(MARKER.as_bytes());
        let code = marked || text.iter().any(|byte| matches!(byte, b'<' | b'\n')) || text.starts_with(b"$");
        if text.len() >= at_least && is_secret(text) && !is_path(text) && !(place || named || number || none || code) {
            self.found.push(Span::new(value, KIND, usize::MAX));
        }
    }
}

/// Whether a name ends in one of `names`, whole words of it, in letters of either case: `DB_PASSWORD`, `authToken`, `Db:Password`.
fn ends_in(text: &[u8], names: &[&str]) -> bool {
    names.iter().any(|name| {
        let Some(start) = text.len().checked_sub(name.len()) else { return false };
        let same = |one: &u8, wanted: u8| {
            let one = if *one == b'-' { b'_' } else { one.to_ascii_lowercase() };
            one == if wanted == b'-' { b'_' } else { wanted }
        };
        let matches = text[start..].iter().zip(name.bytes()).all(|(one, wanted)| same(one, wanted));
        // A new word: behind a mark, or with a capital of its own.
        let begins = start == 0 || !text[start - 1].is_ascii_alphanumeric() || text[start].is_ascii_uppercase();
        matches && begins
    })
}
