#!/usr/bin/env bash
# Instructions of one `deeds hook` call by payload size, counted by callgrind: nearly the same for the same binary and
# input, whatever else the machine does. The processor that callgrind shows has no SHA extensions: hashing counts for
# more here than it costs.
#   tests/bench/instructions.sh            prints the counts
#   tests/bench/instructions.sh --check    fails where a count is over its budget by more than 5 %
#   tests/bench/instructions.sh --write    writes the counts as the new budget
set -eu
cd "$(dirname "$0")/../.."
budget=tests/bench/instructions.budget
command -v valgrind >/dev/null 2>&1 || { echo "instruction budget: skipped, valgrind is not installed"; exit 0; }
deeds=$PWD/target/release/deeds
[ -x "$deeds" ] || cargo build --locked --release
# Always as long a path, whatever TMPDIR is.
scratch=$(mktemp -d /tmp/deeds-instructions.XXXXXX)
trap 'rm -rf "$scratch"' EXIT

line='drwxr-xr-x  2 dev dev   4096 Nov 30 20:11 some-directory-name-that-is-ordinary\n'
payload() { # SIZE, of whole lines
  printf '{"session_id":"b0b0b0b0-0000-4000-8000-000000000000","transcript_path":"/tmp/t.jsonl","cwd":"%s","prompt_id":"p","permission_mode":"acceptEdits","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls -l","description":"List files"},"tool_response":{"stdout":"' "$scratch/p"
  yes "$line" | head -n $(($1 / ${#line})) | tr -d '\n'
  printf '","stderr":"","interrupted":false,"isImage":false},"tool_use_id":"toolu_%s","duration_ms":12}\n' "$1"
}

failed=0
: >"$scratch/counts"
for size in 1500 10000 200000 1000000; do
  rm -rf "$scratch/p" "$scratch/.local"
  mkdir -p "$scratch/p"
  git -C "$scratch/p" init -q -b main
  git -C "$scratch/p" -c user.name=B -c user.email=b@example.com commit -q --allow-empty -m start
  payload "$size" >"$scratch/in"
  # The first call makes the ledger; the second is the ordinary one.
  (cd "$scratch/p" && env -i HOME="$scratch" PATH=/usr/bin:/bin "$deeds" hook <"$scratch/in" >/dev/null 2>&1)
  sed "s/toolu_$size/toolu_x$size/" "$scratch/in" >"$scratch/in2"
  (cd "$scratch/p" && env -i HOME="$scratch" PATH=/usr/bin:/bin valgrind --tool=callgrind --callgrind-out-file=/dev/null "$deeds" hook <"$scratch/in2" 2>"$scratch/err" >/dev/null)
  count=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$scratch/err")
  echo "$size $count" >>"$scratch/counts"
  allowed=$(awk -v s="$size" '$1 == s { print $2 }' "$budget" 2>/dev/null || true)
  echo "payload $size bytes: $count instructions (budget ${allowed:-none})"
  if [ "${1:-}" = --check ] && [ -n "$allowed" ] && [ "$count" -gt $((allowed * 105 / 100)) ]; then
    echo "over budget: what made the hook dearer? If it is worth it: tests/bench/instructions.sh --write"
    failed=1
  fi
done
[ "${1:-}" != --write ] || cp "$scratch/counts" "$budget"
exit $failed
