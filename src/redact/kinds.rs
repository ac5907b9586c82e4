//! The kinds of secrets that are known by how they begin. A new one is a row here and a row in the oracle of
//! `tests/it/redact_oracle.rs`.

use std::ops::Range;

use super::class::{ALNUM, BASE64, CAPITAL_DIGIT, Class, DOTTED, HEX, LETTER, WORD, WORD_DASH};
use super::scan::Scan;
use super::{assignment, header, pem, shape};

/// One way in which a kind begins.
pub(super) struct Kind {
    /// What the marker says.
    pub name: &'static str,
    pub literal: &'static str,
    /// Where in `literal` the three bytes stand that the scan looks for: the rarer in ordinary text, the faster.
    pub anchor: usize,
    pub case: Case,
    pub before: Before,
    pub after: After,
}

#[derive(Clone, Copy)]
pub(super) enum Case {
    Exact,
    Fold,
}

impl Case {
    pub const fn other(self, byte: u8) -> u8 {
        match (self, byte) {
            (Case::Fold, b'a'..=b'z') => byte - 32,
            (Case::Fold, b'A'..=b'Z') => byte + 32,
            _ => byte,
        }
    }
}

/// What may stand in front of a literal.
#[derive(Clone, Copy)]
pub(super) enum Before {
    /// The literal is telling enough.
    Anything,
    /// An edge: see [`Scan::is_edge`].
    NoWord,
    /// An edge, and not `+` or `/` either: the literal could stand in base64 by chance.
    NoBase64,
}

/// What must follow a literal.
pub(super) enum After {
    /// At least so many bytes of a class; all of them are taken.
    Run(Class, usize),
    /// Whatever the function finds; it is given where the literal begins and ends.
    Is(fn(&mut Scan<'_>, usize, usize) -> Option<Range<usize>>),
}

use After::{Is, Run};
use Before::{Anything, NoBase64, NoWord};

const fn row(name: &'static str, literal: &'static str, anchor: usize, before: Before, after: After) -> Kind {
    Kind { name, literal, anchor, case: Case::Exact, before, after }
}

/// A literal whose letters may be of either case.
const fn any_case(name: &'static str, literal: &'static str, anchor: usize, before: Before, after: After) -> Kind {
    Kind { name, literal, anchor, case: Case::Fold, before, after }
}

pub(super) static KINDS: [Kind; 58] = [
    row(pem::KIND, "-----BEGIN", 5, Anything, Is(pem::block)),
    row(pem::KIND, "-----END", 5, Anything, Is(pem::tail)),
    row("age-secret-key", "AGE-SECRET-KEY-1", 12, NoWord, Run(CAPITAL_DIGIT, 58)),
    row("aws-access-key-id", "AKIA", 1, NoWord, Is(shape::aws_key_id)),
    row("aws-access-key-id", "ASIA", 1, NoWord, Is(shape::aws_key_id)),
    row("aws-access-key-id", "ABIA", 1, NoWord, Is(shape::aws_key_id)),
    row("aws-access-key-id", "ACCA", 1, NoWord, Is(shape::aws_key_id)),
    row("aws-access-key-id", "A3T", 0, NoWord, Is(shape::aws_key_id)),
    any_case("aws-secret", "access_key", 4, Anything, Is(header::aws_secret)),
    any_case("aws-secret", "accesskey", 4, Anything, Is(header::aws_secret)),
    row("github", "ghp_", 1, Anything, Run(ALNUM, 36)),
    row("github", "gho_", 1, Anything, Run(ALNUM, 36)),
    row("github", "ghu_", 1, Anything, Run(ALNUM, 36)),
    row("github", "ghs_", 1, Anything, Run(ALNUM, 36)),
    row("github", "ghr_", 1, Anything, Run(ALNUM, 36)),
    row("github", "github_pat_", 5, Anything, Run(WORD, 82)),
    row("gitlab", "glpat-", 0, Anything, Is(shape::gitlab)),
    row("anthropic", "sk-ant-", 0, NoWord, Run(WORD_DASH, 20)),
    row("openrouter", "sk-or-v1-", 0, NoWord, Run(HEX, 64)),
    row("openai", "sk-", 0, NoWord, Is(shape::openai)),
    row("slack", "xox", 0, Anything, Is(shape::slack_token)),
    row("slack", "xapp-", 0, Anything, Is(shape::slack_app)),
    row("slack", "hooks.slack.com/", 10, Anything, Is(shape::slack_hook)),
    row("stripe", "sk_live_", 0, NoWord, Run(ALNUM, 10)),
    row("stripe", "sk_test_", 0, NoWord, Run(ALNUM, 10)),
    row("stripe", "sk_prod_", 1, NoWord, Run(ALNUM, 10)),
    row("stripe", "rk_live_", 0, NoWord, Run(ALNUM, 10)),
    row("stripe", "rk_test_", 0, NoWord, Run(ALNUM, 10)),
    row("stripe", "rk_prod_", 1, NoWord, Run(ALNUM, 10)),
    row("stripe", "whsec_", 0, Anything, Run(BASE64, 32)),
    row("google", "AIza", 1, NoBase64, Run(WORD_DASH, 35)),
    row("npm", "npm_", 1, Anything, Run(ALNUM, 36)),
    row("pypi", "pypi-AgEIcHlwaS5vcmc", 2, Anything, Run(WORD_DASH, 50)),
    row("rubygems", "rubygems_", 2, Anything, Run(HEX, 48)),
    row("cargo", "cio", 0, NoBase64, Run(ALNUM, 32)),
    row("huggingface", "hf_", 0, NoWord, Run(LETTER, 34)),
    row("databricks", "dapi", 1, Anything, Run(HEX, 32)),
    row("digitalocean", "dop_v1_", 2, Anything, Run(HEX, 64)),
    row("digitalocean", "doo_v1_", 2, Anything, Run(HEX, 64)),
    row("digitalocean", "dor_v1_", 2, Anything, Run(HEX, 64)),
    row("sendgrid", "SG.", 0, NoWord, Run(DOTTED, 66)),
    row("vault", "hvs.", 0, Anything, Run(WORD_DASH, 90)),
    row("vault", "hvb.", 0, Anything, Run(WORD_DASH, 138)),
    row("jwt", ".ey", 0, Anything, Is(shape::jwt)),
    any_case("http-auth", "authorization", 6, Anything, Is(header::authorization)),
    any_case("http-auth", "api-key", 1, NoWord, Is(header::api_key)),
    any_case("http-auth", "apikey", 1, NoWord, Is(header::api_key)),
    row("url-userinfo", "://", 0, Anything, Is(shape::url_userinfo)),
    // In a listing; a command is gone through for any assignment.
    row(assignment::KIND, "PASSWORD=", 6, Anything, Is(assignment::listed)),
    row(assignment::KIND, "PASSWD=", 4, Anything, Is(assignment::listed)),
    row(assignment::KIND, "SECRET=", 4, Anything, Is(assignment::listed)),
    row(assignment::KIND, "TOKEN=", 3, Anything, Is(assignment::listed)),
    row(assignment::KIND, "API_KEY=", 5, Anything, Is(assignment::listed)),
    row(assignment::KIND, "APIKEY=", 4, Anything, Is(assignment::listed)),
    row(assignment::KIND, "ACCESS_KEY=", 8, Anything, Is(assignment::listed)),
    row(assignment::KIND, "ACCESSKEY=", 7, Anything, Is(assignment::listed)),
    row(assignment::KIND, "PRIVATE_KEY=", 9, Anything, Is(assignment::listed)),
    row(assignment::KIND, "PRIVATEKEY=", 8, Anything, Is(assignment::listed)),
];
