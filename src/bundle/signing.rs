//! The key that bundles and checkpoints are signed with: Ed25519, one a user, outside of every project.
//!
//! | file in `$XDG_CONFIG_HOME/deeds` | holds |
//! |---|---|
//! | `signing.key` | the private key, PKCS#8 PEM, 0600; made once |
//! | `signing.pub` | the public key, SPKI PEM, for others |
//! | `signing.lock` | locked while a key is made; never removed |
//!
//! Architecture invariant: a key is on the disk, whole, before anything is signed with it, and none is ever written over.
//! Whoever verifies makes none.

use std::io::{ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, KeypairBytes};
use ed25519_dalek::{Signature, Signer, VerifyingKey};
use rustix::fs::{FlockOperation, flock};

use crate::durable::{self, Sync};
use crate::error::{Error, Result};
use crate::evidence::id::sha256_hex;
use crate::layout::{self, Env};

/// A key in PEM is a few lines.
const PEM_CAP: u64 = 16 << 10;
const RANDOM: &str = "/dev/urandom";

/// The private key.
pub struct SigningKey {
    key: ed25519_dalek::SigningKey,
    public: PublicKey,
}

/// A public key: what a signature is checked against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl SigningKey {
    /// This user's key, made now if there is none. However many processes ask at once, one key is made.
    pub fn load_or_create(env: &Env) -> Result<SigningKey> {
        let dir = directory(env)?;
        let key = match read_key(&dir)? {
            Some(key) => key,
            None => create(&dir)?,
        };
        key.publish(&dir)?;
        Ok(key)
    }

    /// This user's key, if there is one.
    pub fn load(env: &Env) -> Result<Option<SigningKey>> {
        read_key(&directory(env)?)
    }

    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.key.sign(message).to_bytes()
    }

    fn of(key: ed25519_dalek::SigningKey) -> SigningKey {
        let public = PublicKey(key.verifying_key());
        SigningKey { key, public }
    }

    /// Puts the public key beside the private one, unless it stands there.
    fn publish(&self, dir: &Path) -> Result<()> {
        let path = dir.join(layout::SIGNING_PUBLIC);
        let pem = self.public.to_pem();
        if durable::read_small(&path, PEM_CAP).is_ok_and(|found| found == pem.as_bytes()) {
            return Ok(());
        }
        let draft = dir.join(durable::unique_name());
        durable::put(&path, &draft, pem.as_bytes(), Sync::Data).map_err(|e| Error::io("write", &path, e))
    }
}

impl PublicKey {
    /// This user's own: what the private key says, or, where only the public one is there, that.
    pub fn own(env: &Env) -> Result<Option<PublicKey>> {
        let dir = directory(env)?;
        if let Some(key) = read_key(&dir)? {
            return Ok(Some(key.public));
        }
        let path = dir.join(layout::SIGNING_PUBLIC);
        if path.exists() { PublicKey::read(&path).map(Some) } else { Ok(None) }
    }

    /// Reads a file with a public key in PEM.
    pub fn read(path: &Path) -> Result<PublicKey> {
        let bytes = durable::read_small(path, PEM_CAP)
            .map_err(|e| Error::input(format!("failed to read a public key: {}: {e}", path.display())))?;
        PublicKey::from_pem(&String::from_utf8_lossy(&bytes))
            .map_err(|why| Error::input(format!("failed to read a public key: {}: {why}", path.display())))
    }

    /// SPKI in PEM, as openssl and cosign write it. The error is a cause, without a place.
    pub fn from_pem(text: &str) -> std::result::Result<PublicKey, String> {
        if text.contains("PRIVATE KEY") {
            return Err("this is a private key; give the public one".into());
        }
        let key = VerifyingKey::from_public_key_pem(text.trim_start())
            .map_err(|_| "it is no Ed25519 public key in PEM (-----BEGIN PUBLIC KEY-----)".to_owned())?;
        if key.is_weak() {
            return Err("anybody can sign for this key".into());
        }
        Ok(PublicKey(key))
    }

    /// PEM, or the one line of base64 that is in it.
    pub fn from_text(text: &str) -> std::result::Result<PublicKey, String> {
        let text = text.trim();
        if text.starts_with("-----") {
            return PublicKey::from_pem(text);
        }
        PublicKey::from_pem(&format!("-----BEGIN PUBLIC KEY-----\n{text}\n-----END PUBLIC KEY-----\n"))
    }

    pub fn to_pem(&self) -> String {
        // Encoding 32 bytes into memory cannot fail.
        self.0.to_public_key_pem(LineEnding::LF).unwrap_or_default()
    }

    pub fn bytes(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    /// Whether `signature` was made over `message` with this key's private half.
    pub fn verify(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        self.0.verify_strict(message, &Signature::from_bytes(signature)).is_ok()
    }

    /// SHA-256 of the SPKI DER, in hex.
    pub fn key_id(&self) -> String {
        self.0.to_public_key_der().map(|der| sha256_hex(der.as_bytes())).unwrap_or_default()
    }
}

/// Where the key is, or would be.
pub fn directory(env: &Env) -> Result<PathBuf> {
    let config = env.config();
    config.map(|config| config.join(layout::CONFIG_PLACE)).ok_or_else(|| {
        Error::unable("io", "failed to find the signing key: neither XDG_CONFIG_HOME nor HOME is set; set one of them")
    })
}

/// The key that stands in `dir`. One that others can read is refused: they could have signed with it.
fn read_key(dir: &Path) -> Result<Option<SigningKey>> {
    let path = dir.join(layout::SIGNING_KEY);
    let refuse = |why: &str| Error::unable("key", format!("failed to read the signing key: {}: {why}", path.display()));
    let file = match durable::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(refuse(&error.to_string())),
    };
    let found = file.metadata().map_err(|e| refuse(&e.to_string()))?;
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(refuse("it belongs to another user"));
    }
    if found.permissions().mode() & 0o077 != 0 {
        return Err(refuse("others can read it; chmod 600 it if nobody has, or else move it away"));
    }
    let mut pem = String::new();
    file.take(PEM_CAP).read_to_string(&mut pem).map_err(|e| refuse(&e.to_string()))?;
    let key = ed25519_dalek::SigningKey::from_pkcs8_pem(pem.trim_start())
        .map_err(|_| refuse("it is no Ed25519 private key in PKCS#8 PEM; move it away, and a new one is made"))?;
    Ok(Some(SigningKey::of(key)))
}

/// Makes the key, or reads the one that another process made meanwhile.
///
/// Under the lock: a draft is made (O_EXCL, 0600), written and synced, then renamed. A crash leaves no key, or a whole one.
fn create(dir: &Path) -> Result<SigningKey> {
    durable::make_dirs(dir).map_err(|e| Error::io("make the folder of the signing key", dir, e))?;
    let path = dir.join(layout::SIGNING_LOCK);
    let lock = durable::open_append(&path).map_err(|e| Error::io("lock", &path, e))?;
    flock(&lock, FlockOperation::LockExclusive).map_err(|e| Error::io("lock", &path, e))?;
    if let Some(key) = read_key(dir)? {
        return Ok(key);
    }
    let mut secret_key = [0; 32];
    std::fs::File::open(RANDOM)
        .and_then(|mut random| random.read_exact(&mut secret_key))
        .map_err(|e| Error::io("read", Path::new(RANDOM), e))?;
    // Without the public half, which not every reader of PKCS#8 knows what to do with.
    let pem = KeypairBytes { secret_key, public_key: None }
        .to_pkcs8_pem(LineEnding::LF)
        .map_err(|e| Error::unable("key", format!("failed to encode a signing key: {e}")))?;
    let path = dir.join(layout::SIGNING_KEY);
    let draft = dir.join(durable::unique_name());
    durable::put(&path, &draft, pem.as_bytes(), Sync::Data).map_err(|e| Error::io("write", &path, e))?;
    Ok(SigningKey::of(ed25519_dalek::SigningKey::from_bytes(&secret_key)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(name: &str) -> (Env, PathBuf) {
        let dir = std::env::temp_dir().join(format!("deeds-signing-{name}-{}", std::process::id()));
        (Env { xdg_config_home: Some(dir.clone()), ..Env::default() }, dir)
    }

    #[test]
    fn a_key_is_made_once_and_read_again() {
        let (env, dir) = env("once");
        assert!(SigningKey::load(&env).unwrap().is_none() && PublicKey::own(&env).unwrap().is_none());
        assert!(!dir.exists(), "looking makes nothing");
        let first = SigningKey::load_or_create(&env).unwrap();
        let again = SigningKey::load_or_create(&env).unwrap();
        assert_eq!(first.public(), again.public());
        let path = dir.join("deeds/signing.key");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(std::fs::read_to_string(&path).unwrap().starts_with("-----BEGIN PRIVATE KEY-----\n"));
        let signature = first.sign(b"words");
        assert!(again.public().verify(b"words", &signature) && !again.public().verify(b"deeds", &signature));
        assert_eq!(PublicKey::read(&dir.join("deeds/signing.pub")).unwrap(), *first.public());
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        let refused = SigningKey::load_or_create(&env).err().unwrap();
        assert!(refused.message.contains("others can read it"), "{refused}");
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn twelve_at_once_make_one_key() {
        let (env, dir) = env("race");
        let keys: Vec<PublicKey> = std::thread::scope(|scope| {
            let all: Vec<_> =
                (0..12).map(|_| scope.spawn(|| SigningKey::load_or_create(&env).unwrap().public)).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(keys.iter().all(|key| *key == keys[0]));
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_public_key_reads_back_and_its_id_is_that_of_its_der() {
        // RFC 8410, section 10.1.
        let pem = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n";
        let key = PublicKey::from_pem(pem).unwrap();
        assert_eq!(key.to_pem(), pem);
        let der = [b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00".as_slice(), &key.bytes()].concat();
        assert_eq!(key.key_id(), sha256_hex(&der));
        assert!(PublicKey::from_pem("-----BEGIN PRIVATE KEY-----").unwrap_err().contains("private"));
        assert!(PublicKey::from_pem("").is_err());
    }
}
