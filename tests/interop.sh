#!/usr/bin/env bash
# What deeds signs, checked by tools that are not ours: openssl (the signature, the keys), and securesystemslib and in-toto
# from PyPI (the envelope, the statement). Says so and skips what cannot be installed here.
#
#   tests/interop.sh [path of deeds]
set -euo pipefail
cd "$(dirname "$0")/.."
deeds=$(realpath "${1:-target/debug/deeds}")
[ -x "$deeds" ] || { echo "interop: there is no $deeds; run cargo build first"; exit 1; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME="$scratch/home" XDG_CONFIG_HOME="$scratch/config" XDG_STATE_HOME="$scratch/state"
pip_cache=${PIP_CACHE_DIR:-}
unset DEEDS_DIR CLAUDE_PROJECT_DIR
mkdir -p "$HOME" "$scratch/project"

project() {
  cd "$scratch/project"
  git init -q -b main
  cat >deeds.json <<'JSON'
{ "producers": [
  { "name": "tests", "kind": "test", "command": ["sh", "-c", "echo 3 passed; echo note >&2"] },
  { "name": "shot", "kind": "screenshot", "command": ["sh", "-c", "printf '\\211PNG'"], "required": false } ] }
JSON
  git add deeds.json
  git -c user.name=dev -c user.email=dev@example.org commit -q -m first
  "$deeds" evidence seal demo >/dev/null 2>&1
  "$deeds" export --format in-toto demo >"$scratch/envelope.json"
  "$deeds" evidence key >"$scratch/key.pub"
}
project

# What is signed, put together by python's standard library alone.
python3 - "$scratch" <<'PYTHON'
import base64, json, pathlib, sys
scratch = pathlib.Path(sys.argv[1])
envelope = json.loads((scratch / "envelope.json").read_text())
kind, body = envelope["payloadType"].encode(), base64.b64decode(envelope["payload"])
pae = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(body), body)
(scratch / "pae").write_bytes(pae)
(scratch / "sig").write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
(scratch / "payload").write_bytes(body)
PYTHON

checked=0
if command -v openssl >/dev/null 2>&1 && openssl list -public-key-algorithms 2>/dev/null | grep -qi ed25519; then
  openssl pkeyutl -verify -pubin -inkey "$scratch/key.pub" -rawin -in "$scratch/pae" -sigfile "$scratch/sig" >/dev/null
  printf x >>"$scratch/pae"
  if openssl pkeyutl -verify -pubin -inkey "$scratch/key.pub" -rawin -in "$scratch/pae" -sigfile "$scratch/sig" >/dev/null 2>&1; then
    echo "interop: openssl accepted what was not signed"; exit 1
  fi
  openssl pkey -in "$XDG_CONFIG_HOME/deeds/signing.key" -pubout | cmp - "$scratch/key.pub"
  echo "interop: openssl verifies the signature and reads both keys"
  checked=$((checked + 1))
else
  echo "interop: skipped openssl: there is none here that knows Ed25519"
fi

if PIP_CACHE_DIR="$pip_cache" python3 -m venv "$scratch/venv" >/dev/null 2>&1 &&
  PIP_DISABLE_PIP_VERSION_CHECK=1 timeout 300 "$scratch/venv/bin/pip" install -q 'securesystemslib[crypto]>=1.2' 'in-toto-attestation' >"$scratch/pip.log" 2>&1; then
  "$scratch/venv/bin/python" - "$scratch" <<'PYTHON'
import copy, json, pathlib, sys
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from google.protobuf import json_format
from in_toto_attestation.v1.statement import Statement

scratch = pathlib.Path(sys.argv[1])
data = json.loads((scratch / "envelope.json").read_text())
key = SSlibKey.from_crypto(load_pem_public_key((scratch / "key.pub").read_bytes()), data["signatures"][0]["keyid"])
envelope = Envelope.from_dict(copy.deepcopy(data))
accepted = envelope.verify([key], 1)
assert list(accepted) == [data["signatures"][0]["keyid"]], accepted

envelope.payload += b" "
try:
    envelope.verify([key], 1)
    raise SystemExit("interop: securesystemslib accepted what was not signed")
except VerificationError:
    pass

statement = json.loads((scratch / "payload").read_text())
from in_toto_attestation.v1 import statement_pb2
message = json_format.ParseDict(statement, statement_pb2.Statement())
Statement.copy_from_pb(message).validate()
assert statement["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
print("interop: securesystemslib verifies the envelope, in-toto-attestation the statement")
PYTHON
  checked=$((checked + 1))
else
  echo "interop: skipped securesystemslib and in-toto: they could not be installed ($(tail -n 1 "$scratch/pip.log" 2>/dev/null || echo 'no venv'))"
fi
echo "interop: $checked of 2 checked"
