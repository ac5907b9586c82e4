//! Made-up secrets of every kind that is redacted. They are put together here, from a seed, so that no file of the
//! repository holds anything that looks like one.

/// A seeded generator: the same seed makes the same text everywhere (xorshift64*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Less than `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit
    }

    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// `length` characters of `alphabet`.
    pub fn text(&mut self, alphabet: &str, length: usize) -> String {
        (0..length).map(|_| alphabet.as_bytes()[self.below(alphabet.len())] as char).collect()
    }
}

pub const ALNUM: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
pub const HEX: &str = "0123456789abcdef";
pub const BASE64: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/";
pub const URL_SAFE: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// The kinds that say by themselves what they are, in the forms their makers give them.
#[rustfmt::skip]
pub const KINDS: [&str; 44] = [
    "aws-access-key-id AKIA", "aws-access-key-id A3TX", "github ghp_", "github gho_", "github ghu_", "github ghs_",
    "github ghr_", "github github_pat_", "gitlab glpat-", "gitlab routable", "anthropic sk-ant-api03-",
    "anthropic sk-ant-admin01-", "openai sk-proj-", "openai sk-svcacct-", "openai sk-admin-", "openai sk-",
    "openrouter sk-or-v1-", "slack xoxb-", "slack xoxp-", "slack xoxe-", "slack xapp-", "slack hook",
    "stripe sk_live_", "stripe rk_test_", "stripe sk_prod_", "stripe whsec_", "google AIza", "npm npm_", "pypi pypi-",
    "rubygems rubygems_", "cargo cio", "huggingface hf_", "databricks dapi", "digitalocean dop_v1_",
    "digitalocean doo_v1_", "sendgrid SG.", "vault hvs.", "vault hvb.", "private-key RSA ", "private-key OPENSSH ",
    "private-key PGP", "private-key EC cut", "age-secret-key AGE-SECRET-KEY-1", "jwt ey",
];

/// A secret of a row of [`KINDS`].
pub fn secret(kind: &str, random: &mut Random) -> String {
    let (name, form) = kind.split_once(' ').unwrap();
    let mut text = |alphabet, length| random.text(alphabet, length);
    match (name, form) {
        ("private-key", form) => private_key(form, random),
        ("aws-access-key-id", _) => format!("{form}{}", text(BASE32, 15) + "A"),
        ("github", "github_pat_") => format!("{form}{}_{}", text(ALNUM, 22), text(ALNUM, 59)),
        ("github" | "npm", _) => format!("{form}{}", text(ALNUM, 36)),
        ("gitlab", "routable") => format!("glpat-{}.{}", text(URL_SAFE, 27), text(HEX, 9)),
        ("gitlab", _) => format!("{form}{}", text(URL_SAFE, 20)),
        ("anthropic", _) => format!("{form}{}AA", text(URL_SAFE, 93)),
        ("openai", "sk-") => format!("{form}{}T3BlbkFJ{}", text(ALNUM, 20), text(ALNUM, 20)),
        ("openai", _) => format!("{form}{}T3BlbkFJ{}", text(URL_SAFE, 74), text(URL_SAFE, 74)),
        ("slack", "xoxb-") => format!("{form}{}-{}-{}", text(DIGITS, 12), text(DIGITS, 12), text(ALNUM, 24)),
        ("slack", "xapp-") => format!("{form}1-{}-{}-{}", text(CAPITALS, 11), text(DIGITS, 13), text(HEX, 64)),
        ("slack", "hook") => {
            format!(
                "https://hooks.slack.com/services/T{}/B{}/{}",
                text(CAPITALS, 9),
                text(CAPITALS, 9),
                text(ALNUM, 24)
            )
        }
        ("slack", _) => {
            let part = [text(DIGITS, 12), text(DIGITS, 12), text(DIGITS, 12)].join("-");
            format!("{form}{part}-{}", text(HEX, 32))
        }
        ("stripe", "whsec_") => format!("{form}{}", text(BASE64, 32)),
        ("stripe", _) => format!("{form}{}", text(ALNUM, 24)),
        ("google", _) => format!("{form}{}", text(URL_SAFE, 35)),
        ("pypi", _) => format!("{form}AgEIcHlwaS5vcmc{}", text(URL_SAFE, 60)),
        ("rubygems", _) => format!("{form}{}", text(HEX, 48)),
        ("huggingface", _) => format!("{form}{}", text(LETTERS, 34)),
        ("cargo", _) => format!("{form}{}", text(ALNUM, 32)),
        ("databricks", _) => format!("{form}{}", text(HEX, 32)),
        ("digitalocean" | "openrouter", _) => format!("{form}{}", text(HEX, 64)),
        ("sendgrid", _) => format!("{form}{}.{}", text(URL_SAFE, 22), text(URL_SAFE, 43)),
        ("vault", "hvs.") => format!("{form}{}", text(URL_SAFE, 95)),
        ("vault", _) => format!("{form}{}", text(URL_SAFE, 150)),
        ("age-secret-key", _) => format!("{form}{}", text(CAPITALS, 58)),
        ("jwt", _) => format!("{form}J{}.eyJ{}.{}", text(ALNUM, 33), text(URL_SAFE, 40), text(URL_SAFE, 43)),
        _ => panic!("no such kind: {kind}"),
    }
}

/// Armoured, 64 characters a line; `PGP` with its own header and checksum, `cut` without an end.
fn private_key(form: &str, random: &mut Random) -> String {
    let (label, cut) = match form.strip_suffix(" cut") {
        Some(label) => (format!("{label} "), true),
        None => (form.to_owned(), false),
    };
    let pgp = form == "PGP";
    let name = if pgp { "PGP PRIVATE KEY BLOCK".to_owned() } else { format!("{label}PRIVATE KEY") };
    let lines: Vec<String> = (0..3 + random.below(4)).map(|_| random.text(BASE64, 64)).collect();
    let dashes = "-".repeat(5);
    let mut out = format!("{dashes}BEGIN {name}{dashes}\n");
    if pgp {
        out.push_str("Version: GnuPG v2\n\n");
    }
    out.push_str(&lines.join("\n"));
    if !cut {
        out.push_str(&format!(
            "\n{}==\n{}{dashes}END {name}{dashes}",
            random.text(BASE64, 22),
            if pgp { "=njUN\n" } else { "" }
        ));
    }
    out
}
