#!/usr/bin/env bash
# How fast rollouts are read, against `jq -c .type` over the same bytes, run in turns.
#   tests/bench/tail.sh [MB]           four mixes of 300 MB, or of as many as given; five rounds each
#   ROUNDS=9 tests/bench/tail.sh 100
# work:  the recorded sessions, ids made distinct, what was cut of their prompts put back at its length: commands and their
#        output are about a fifth of it, and every one is redacted, hashed and appended
# talk:  the same with forty times as much said between: reasoning, messages, token counts
# copied: the recorded sessions over and over as they are, as where a history was copied into a rollout
# again: the ledger knows all of `work`, and only the end of the file is looked at
set -eu
cd "$(dirname "$0")/../.."
command -v jq >/dev/null || { echo "tail bench: skipped, jq is not installed"; exit 0; }
megabytes=${1:-300}
rounds=${ROUNDS:-5}
deeds=$PWD/target/release/deeds
[ -x "$deeds" ] || cargo build --locked --release
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

filler() { # BYTES
  yes 'the agent thinks about what to do next, and says so at some length, as agents do. ' | tr -d '\n' | head -c "$1"
}
# Vendor prompts were cut from the fixtures; the uncut ones are about so long.
cut=$(filler 6000)
talk=$(filler 9000)
said() {
  printf '{"timestamp":"2026-11-30T19:39:16.300Z","ordinal":1,"type":"response_item","payload":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"%s"},"metadata":{}}\n' "$talk"
}

generate() { # MIX FILE
  : >"$2"
  [ "$1" != copied ] || head -n 1 tests/fixtures/codex/basic/rollouts/*.jsonl >"$2"
  n=0
  while [ "$(stat -c %s "$2")" -lt $((megabytes * 1000000)) ]; do
    n=$((n + 1))
    for rollout in tests/fixtures/codex/*/rollouts/*.jsonl; do
      case $rollout in */resume-[12]*) continue ;; esac
      # One thread in all: only the first line of the file says which.
      if [ "$1" = copied ]; then
        tail -n +2 "$rollout" >>"$2"
        continue
      fi
      { [ -s "$2" ] || head -n 1 "$rollout"; tail -n +2 "$rollout"; } |
        sed "s/call_mock/call_${n}_mock/g; s/\"exec-/\"exec-${n}-/g; s/\"turn_id\":\"/&$n-/g; s/\[cut\]/$cut/g" >>"$2"
      if [ "$1" = talk ]; then for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do said; done >>"$2"; fi
    done
  done
}

ms() { # COMMAND…
  start=$(date +%s%N)
  "$@" >/dev/null
  end=$(date +%s%N)
  echo $(((end - start) / 1000000))
}

median() { sort -n "$1" | sed -n "$(((rounds + 1) / 2))p"; }

measure() { # NAME FILE LEDGER-OR-EMPTY
  : >"$scratch/deeds"
  : >"$scratch/jq"
  for _ in $(seq "$rounds"); do
    [ -n "$3" ] || rm -rf "$scratch/ledger"
    ms "$deeds" tail --ledger "${3:-$scratch/ledger}" "$2" >>"$scratch/deeds"
    ms jq -c .type "$2" >>"$scratch/jq"
  done
  ours=$(median "$scratch/deeds")
  theirs=$(median "$scratch/jq")
  echo "$1: $(($(stat -c %s "$2") / 1000000)) MB, deeds $ours ms, jq $theirs ms, $((theirs * 10 / (ours + 1)))/10 times as fast"
}

for mix in work talk copied; do
  generate "$mix" "$scratch/rollout-$mix.jsonl"
  measure "$mix" "$scratch/rollout-$mix.jsonl" ""
done
"$deeds" tail --ledger "$scratch/known" "$scratch/rollout-work.jsonl"
measure again "$scratch/rollout-work.jsonl" "$scratch/known"
