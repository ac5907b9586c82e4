//! What a file's content is known by, without its content.
//!
//! A plain SHA-256 of a short secret can be guessed; so a file that is named like one gets a digest under the ledger's own
//! key, or none, and a content in which a secret was found has only a length.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Map, Value};
use sha2::Sha256;

use super::scene::Scene;
use crate::durable;
use crate::evidence::id::{hex, sha256_hex};
use crate::layout;
use crate::redact::{self, Where};

/// `{"len"}` with `"sha256"` or `"keyed"`, where either may be told.
pub fn of(path: &str, content: &[u8], scene: &Scene) -> Value {
    let mut digest = Map::new();
    digest.insert("len".into(), content.len().into());
    put(path, content, scene, &mut digest);
    digest.into()
}

/// Adds `sha256` or `keyed`, where either may be told.
pub fn put(path: &str, content: &[u8], scene: &Scene, into: &mut Map<String, Value>) {
    if redact::secret_name(path) {
        if let Some(key) = &scene.digest_key
            && let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key)
        {
            mac.update(content);
            into.insert("keyed".into(), hex(&mac.finalize().into_bytes()).into());
        }
    } else if redact::redact(&String::from_utf8_lossy(content), Where::Output).count == 0 {
        into.insert("sha256".into(), sha256_hex(content).into());
    }
}

/// The ledger's own key, made when the first file that is named like a secret is met. `None` for any other file, and
/// where there is no ledger yet to keep it beside.
pub fn key(path: &str, ledger: &Path) -> Option<[u8; 32]> {
    if !redact::secret_name(path) || !ledger.is_dir() {
        return None;
    }
    let path = ledger.join(layout::DIGEST_KEY);
    if let Ok(file) = durable::create_new(&path) {
        let mut key = [0; 32];
        File::open("/dev/urandom").and_then(|mut random| random.read_exact(&mut key)).ok()?;
        durable::append(&file, &key).ok()?;
        return Some(key);
    }
    // Another process may be writing it at this moment: then there is no digest, and no other key either.
    durable::read_small(&path, 33).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_file_named_like_a_secret_has_no_plain_digest() {
        let mut scene = Scene::default();
        assert_eq!(of("/home/dev/demo/.env", b"A=b", &scene), json!({"len": 3}));
        scene.digest_key = Some([7; 32]);
        let keyed = of("/home/dev/demo/.env", b"A=b", &scene);
        assert!(keyed["sha256"].is_null() && keyed["keyed"].as_str().unwrap().len() == 64);
        scene.digest_key = Some([8; 32]);
        assert_ne!(of("/home/dev/demo/.env", b"A=b", &scene), keyed);
        assert_eq!(of("/home/dev/demo/a", b"abc", &scene), json!({"len": 3, "sha256": sha256_hex(b"abc")}));
    }
}
