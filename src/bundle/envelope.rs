//! The DSSE envelope (v1): a payload, its type, and a signature over both.
//!
//! `PAE = "DSSEv1" SP len(type) SP type SP len(body) SP body`. The key's id is a hint for whoever looks for the key; it is
//! not signed, and nothing is concluded from it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::signing::SigningKey;

pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// An envelope as it stands in a file. A key that is not known, or stands twice, makes it none: it would not be signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Envelope {
    payload_type: String,
    payload: String,
    signatures: Vec<Signature>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signature {
    #[serde(default)]
    keyid: String,
    sig: String,
}

/// An envelope taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    pub payload: Vec<u8>,
    /// What the signer says of the key.
    pub key_id: String,
    pub signature: [u8; 64],
}

/// Signs a payload; the text of the envelope, one line.
pub fn seal(payload: &[u8], key: &SigningKey) -> String {
    let signature = key.sign(&pae(PAYLOAD_TYPE, payload));
    let envelope = Envelope {
        payload_type: PAYLOAD_TYPE.into(),
        payload: STANDARD.encode(payload),
        signatures: vec![Signature { keyid: key.public().key_id(), sig: STANDARD.encode(signature) }],
    };
    let mut text = serde_json::to_string(&envelope).unwrap_or_default();
    text.push('\n');
    text
}

/// Takes an envelope apart; nothing of it has been checked but its shape.
pub fn open(bytes: &[u8]) -> Result<Opened, String> {
    let envelope: Envelope = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if envelope.payload_type != PAYLOAD_TYPE {
        return Err(format!("its payload is of the type {}, not {PAYLOAD_TYPE}", envelope.payload_type));
    }
    let payload = STANDARD.decode(&envelope.payload).map_err(|_| "its payload is not base64")?;
    let [signature] = envelope.signatures.as_slice() else {
        return Err(format!("it has {} signatures, not one", envelope.signatures.len()));
    };
    let bytes = STANDARD.decode(&signature.sig).map_err(|_| "its signature is not base64")?;
    let bytes: [u8; 64] = bytes.try_into().map_err(|_| "its signature is not 64 bytes long")?;
    Ok(Opened { payload, key_id: signature.keyid.clone(), signature: bytes })
}

/// What is signed.
pub fn pae(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let mut out = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len()).into_bytes();
    out.extend_from_slice(payload);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pae_is_that_of_the_specification() {
        // The example of the DSSE specification.
        assert_eq!(
            pae("http://example.com/HelloWorld", b"hello world"),
            b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
        );
    }

    #[test]
    fn a_key_that_nobody_signed_makes_it_no_envelope() {
        let sig = STANDARD.encode([0; 64]);
        let good = format!(
            r#"{{"payloadType":"{PAYLOAD_TYPE}","payload":"e30=","signatures":[{{"keyid":"k","sig":"{sig}"}}]}}"#
        );
        assert_eq!(open(good.as_bytes()).unwrap().payload, b"{}");
        for (from, to) in [
            (r#""payload":"#, r#""note":1,"payload":"#),
            (r#""payload":"#, r#""payload":"e30=","payload":"#),
            (r#""keyid":"#, r#""cert":"x","keyid":"#),
            ("e30=", "e30"),
            ("application/", "text/"),
        ] {
            assert!(open(good.replace(from, to).as_bytes()).is_err(), "{to}");
        }
        let two = good
            .replace(&format!(r#"{{"keyid":"k","sig":"{sig}"}}"#), &format!(r#"{{"sig":"{sig}"}},{{"sig":"{sig}"}}"#));
        assert_eq!(open(two.as_bytes()).unwrap_err(), "it has 2 signatures, not one");
    }
}
