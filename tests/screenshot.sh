#!/usr/bin/env bash
# Pictures of `deeds report` in a real Chromium: light, dark, narrow, opened, and printed. Look at them.
#
#   tests/screenshot.sh [DIR]          the pictures go to DIR (default: target/screenshots)
#   REPORT=page.html tests/screenshot.sh   of that page instead of the session played here
#
# Fails if the page logs anything to the console. Without a Chromium it says so and ends with 0.
set -euo pipefail
cd "$(dirname "$0")/.."

browser=""
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name" >/dev/null; then browser=$name; break; fi
done
if [ -z "$browser" ]; then
    echo "skipped: no Chromium on PATH; no picture was taken"
    exit 0
fi

out=$(mkdir -p "${1:-target/screenshots}" && cd "${1:-target/screenshots}" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

play() {
    export HOME=$scratch/home XDG_STATE_HOME=$scratch/state GIT_CONFIG_NOSYSTEM=1
    export GIT_AUTHOR_NAME=Dev GIT_AUTHOR_EMAIL=dev@example.org GIT_COMMITTER_NAME=Dev GIT_COMMITTER_EMAIL=dev@example.org
    project=$scratch/adder
    export CLAUDE_PROJECT_DIR=$project
    mkdir -p "$HOME" "$project/src"
    git init -q --bare -b main "$scratch/remote.git"
    cd "$project"
    git init -q -b main
    echo '# adder' > README.md
    echo 'pub fn add(a: i32, b: i32) -> i32 { a + b }' > src/lib.rs
    cat > deeds.json <<'JSON'
{ "claims": [ { "id": "tests-pass", "requires": [ { "evidenceId": "tests", "subject": "@worktree" } ] },
              { "id": "lint-clean", "requires": [ { "evidenceId": "lint", "subject": "@worktree" } ] } ] }
JSON
    git add -A && git commit -qm Start && git remote add origin "$scratch/remote.git" && git push -qu origin main

    call=0
    turn=0
    hook() { # EVENT MEMBERS
        printf '{"session_id":"5e551011-0000-4000-8000-000000000001","transcript_path":"%s/t.jsonl","prompt_id":"p%s","cwd":"%s","hook_event_name":"%s",%s}' \
            "$scratch" "$turn" "$project" "$1" "$2" | "$deeds" hook >/dev/null
    }
    # A JSON string's inside: what is put in here has no control characters but newlines.
    json() { local text=${1//\\/\\\\}; text=${text//\"/\\\"}; printf '%s' "${text//$'\n'/\\n}"; }
    ran() { # COMMAND OUTPUT CODE
        call=$((call + 1))
        local input='"tool_name":"Bash","tool_use_id":"toolu_'$call'","tool_input":{"command":"'$(json "$1")'"}'
        if [ "$3" = 0 ]; then
            hook PostToolUse "$input"',"tool_response":{"stdout":"'"$(json "$2")"'","stderr":"","interrupted":false,"isImage":false}'
        else
            hook PostToolUseFailure "$input"',"error":"'"$(json "Exit code $3"$'\n'"$2")"'","is_interrupt":false'
        fi
    }
    really() { local text code=0; text=$(eval "$1" 2>&1) || code=$?; ran "$1" "$text" "$code"; }
    edit() { # PATH CONTENT
        call=$((call + 1))
        mkdir -p "$(dirname "$1")"
        printf '%s\n' "$2" > "$1"
        hook PostToolUse '"tool_name":"Write","tool_use_id":"toolu_'$call'","tool_input":{"file_path":"'"$project/$1"'","content":"'"$(json "$2")"'\n"},"tool_response":{"type":"create","filePath":"'"$project/$1"'","content":"'"$(json "$2")"'\n","structuredPatch":[],"originalFile":null,"userModified":false}'
    }
    prompt() { turn=$((turn + 1)); hook UserPromptSubmit '"prompt":"go on"'; }
    says() { hook Stop '"stop_hook_active":false,"last_assistant_message":"'"$(json "$1")"'","background_tasks":[]'; }
    local fail=$'running 3 tests\ntest tests::adds ... ok\ntest tests::subs ... FAILED\ntest tests::muls ... ok\n\nfailures:\n    tests::subs\n\ntest result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\nerror: test failed, to rerun pass `--lib`'
    local pass=$'running 3 tests\ntest tests::adds ... ok\ntest tests::subs ... ok\ntest tests::muls ... ok\n\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s'

    hook SessionStart '"source":"startup"'
    prompt
    really 'ls src'
    edit src/lib.rs 'pub fn sub(a: i32, b: i32) -> i32 { b - a }'
    edit src/mul.rs 'pub fn mul(a: i32, b: i32) -> i32 { a * b }'
    ran 'cargo test 2>&1 | tail -8' "$fail" 0
    says $'I added `src/mul.rs` and mended `sub`.\n\nAll tests pass.'
    prompt
    ran 'cargo test' "$fail" 101
    edit src/lib.rs 'pub fn sub(a: i32, b: i32) -> i32 { a - b }'
    ran 'cargo test' "$pass" 0
    ran 'cargo clippy -- -D warnings' $'    Checking adder v0.1.0\n    Finished `dev` profile in 0.61s' 0
    really 'git add -A && git commit -qm "Mend sub" && git log --oneline -1'
    says $'All 3 tests pass now, clippy is clean. Committed.'
    prompt
    edit README.md '# adder, which subtracts'
    edit src/lib.rs 'pub fn sub(a: i32, b: i32) -> i32 { a.wrapping_sub(b) }'
    ran 'grep -rn "</script><script>alert(1)</script>" src' '' 1
    really 'git commit -am "Wrap"'
    git -C "$scratch" clone -q remote.git other && git -C "$scratch/other" commit -q --allow-empty -m Theirs && git -C "$scratch/other" push -q
    really 'git push origin main'
    says $'`sub` wraps now. All tests pass. Committed and pushed to origin/main.'
    "$deeds" report --html "$scratch/report.html"
    cd - >/dev/null
}

if [ -n "${REPORT:-}" ]; then
    cp "$REPORT" "$scratch/report.html"
else
    cargo build -q
    deeds=$PWD/target/debug/deeds
    (play)
    cp "$scratch/report.html" "$out/report.html"
fi

chrome() {
    "$browser" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$scratch/profile" \
        --enable-logging=stderr --v=0 "$@" 2>>"$scratch/browser.log" >/dev/null
}
page=file://$scratch/report.html
sed 's/<details /<details open /g' "$scratch/report.html" > "$scratch/opened.html"
chrome --window-size=1200,1500 --screenshot="$out/light.png" "$page"
chrome --window-size=1200,1500 --force-dark-mode --blink-settings=preferredColorScheme=0 --screenshot="$out/dark.png" "$page"
chrome --window-size=420,1500 --screenshot="$out/narrow.png" "$page"
chrome --window-size=1200,2600 --screenshot="$out/whole.png" "$page"
chrome --window-size=1200,5200 --screenshot="$out/opened.png" "file://$scratch/opened.html"
chrome --print-to-pdf="$out/print.pdf" --no-pdf-header-footer "$page"
if command -v pdftoppm >/dev/null; then pdftoppm -r 60 -png "$out/print.pdf" "$out/print"; fi

if grep -F ':CONSOLE' "$scratch/browser.log"; then
    echo "the page wrote to the console"
    exit 1
fi
ls -1 "$out"/*.png "$out"/*.pdf
