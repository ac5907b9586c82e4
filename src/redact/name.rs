//! Files that are named as secrets are.

/// Whole names, in lower case.
const NAMES: [&str; 25] = [
    ".env",
    ".envrc",
    ".npmrc",
    ".netrc",
    "_netrc",
    ".pypirc",
    ".htpasswd",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".dockercfg",
    ".vault-token",
    "credentials",
    "credentials.json",
    ".credentials",
    ".credentials.json",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    "kubeconfig",
    "master.key",
    "secrets",
];

/// How such a name begins.
const BEGINNINGS: [&str; 3] = [".env.", "secrets.", "secret."];

/// How such a name ends.
const ENDINGS: [&str; 9] = [".pem", ".key", ".p12", ".pfx", ".ppk", ".jks", ".keystore", ".kdbx", ".env"];

/// How the name of a service account's key begins; it ends in `.json`.
const ACCOUNTS: [&str; 3] = ["service-account", "service_account", "serviceaccount"];

/// Whether the last part of `path` is a name that secrets are kept under.
pub fn secret_name(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    NAMES.contains(&name.as_str())
        || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || (name.ends_with(".json") && ACCOUNTS.iter().any(|account| name.starts_with(account)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_keep_secrets_are_known_wherever_they_lie() {
        for path in [
            ".env",
            "/home/dev/demo/.env",
            "web/.env.production",
            "prod.env",
            "certs/server.pem",
            "tls/server.KEY",
            "/home/dev/.ssh/id_rsa",
            "id_ed25519",
            "/home/dev/.aws/credentials",
            ".npmrc",
            ".netrc",
            ".pypirc",
            "config/secrets.yaml",
            "secrets.json",
            "service-account-prod.json",
            "keys\\store.p12",
            "store.pfx",
            ".htpasswd",
        ] {
            assert!(secret_name(path), "{path}");
        }
    }

    #[test]
    fn other_names_are_not() {
        for path in [
            "",
            "/",
            "src/main.rs",
            "environment.rs",
            "id_rsa.pub",
            "monkey",
            "keyboard.rs",
            "service.json",
            "src/env.rs",
            ".env/",
            "credentials.rs",
            "pem.rs",
            "Cargo.lock",
            "my-secrets-test.py",
        ] {
            assert!(!secret_name(path), "{path}");
        }
    }
}
