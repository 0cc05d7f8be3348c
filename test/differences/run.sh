#!/usr/bin/env bash
# usage: run.sh OUT   the list of differences from the reference (doc/adr/0027) is held to what it says: an entry that is
# not true, or not whole, fails the replay and is named.
set -u
cd "$(dirname "$0")/../.."
program=$1/bin/oracle-replay
passed=0 failed=0
if [ ! -x "$program" ]; then
    echo "note: there is no $program"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
listed=$work/differences.json

# expect NAME STATUS TEXT FILTER [OPTION...]: runs the cases of FILTER with the list in $listed
expect() {
    local name=$1 status=$2 text=$3 filter=$4
    shift 4
    "$program" test/reference/ops --filter "$filter" --differences "$listed" "$@" >"$work/log" 2>&1
    local got=$?
    if [ "$got" -eq "$status" ] && grep -qF -- "$text" "$work/log"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "$name: exit status $got, expected $status and '$text' in:"
        tail -n 6 "$work/log"
    fi
}
entry() { # entry OP CASE INPUTS ASPECT [EVERY]: one entry as a list
    printf '[{"op": "%s", "case": %s, "inputs": "%s", "aspect": "%s", %s "reason": "r", "evidence": "e"}]' \
        "$1" "$2" "$3" "$4" "${5:+\"every\": \"$5\",}" >"$listed"
}
digest() { # digest OP CASE: of the inputs, as the replay prints it beside a failure
    sed -n "s|^FAIL ops/$1 case $2: .*\[inputs \([0-9a-f]*\)\].*|\1|p" "$work/log" | head -n 1
}
only='^ops/triangular_solve$'

echo '[]' >"$listed"
expect "a difference that is not listed" 1 "FAIL ops/triangular_solve case 0: float64: jvp 0: " "$only" --verbose
inputs=$(digest triangular_solve 0)
entry triangular_solve 0 "$inputs" jvp
expect "one that is listed" 1 "1 differ as listed" "$only"
if grep -q "case 0:" "$work/log"; then
    failed=$((failed + 1))
    echo "the listed case failed all the same"
else passed=$((passed + 1)); fi
entry triangular_solve 0 "$inputs" jvp case
expect "every case of a file" 0 "differ as listed" "$only"
expect "every case, laid out in another way" 0 "differ as listed" "$only" --layout strided
entry triangular_solve 0 "$inputs" jvp float64
expect "every case of a dtype" 1 "FAIL ops/triangular_solve case 18: complex128: jvp 0" "$only"
if grep -q "float64: " "$work/log"; then
    failed=$((failed + 1))
    echo "a case of that dtype failed all the same"
else passed=$((passed + 1)); fi
entry triangular_solve 0 0123456789abcdef jvp
expect "other inputs" 1 "1 listed differences are for other inputs than these" "$only"
entry triangular_solve 0 0123456789abcdef jvp case
expect "every case of other inputs" 0 "1 listed differences are for other inputs than these" "$only"
entry triangular_solve 0 "$inputs" backward
expect "a difference that has vanished" 1 "FAIL ops/triangular_solve case 0, backward: equals the reference" "$only"
entry triangular_solve 0 "$inputs" backward case
expect "one for every case" 1 "case 0 (for every case), backward: equals the reference, though listed" "$only"
entry triangular_solve 4711 "$inputs" forward
expect "a case that there is not" 1 "FAIL ops/triangular_solve case 4711, forward: listed, but the file has" "$only"
entry triangular_solve 0 "$inputs" refused
expect "an aspect that there is not" 1 "case 0, refused: listed, but the case does not have that aspect" "$only"
expect "files that were not run" 0 "0 differ as listed" '^ops/exp$'
entry lt 0 "$inputs" sideways
expect "an unknown aspect" 2 "entry 0: aspect is 'sideways'; expected forward" '^ops/lt$'
entry lt -1 "$inputs" jvp
expect "no number" 2 "entry 0: 'case' is missing or no case's number" '^ops/lt$'
echo '[{"op": "lt", "case": 1, "inputs": "-", "aspect": "jvp", "reason": "r"}]' >"$listed"
expect "no evidence" 2 "entry 0: 'evidence' is missing" '^ops/lt$'
one='{"op": "lt", "case": 1, "inputs": "-", "aspect": "jvp", "reason": "r", "evidence": "e"}'
echo "[$one, $one]" >"$listed"
expect "twice the same" 2 "entry 1: ops/lt case 1, jvp is listed twice" '^ops/lt$'
echo "{" >"$listed"
expect "no list" 2 "is not a JSON list" '^ops/lt$'
rm "$listed"
expect "no such file" 2 "cannot be read" '^ops/lt$'

# --- of several ranks: the list knows calls, not numbers
expect_ranks() { # expect_ranks NAME STATUS TEXT ENTRY: a list of one entry, or of none
    echo "[$4]" >"$listed"
    "$program" test/reference/distributed --ranks 2 --differences "$listed" >"$work/log" 2>&1
    local got=$?
    if [ "$got" -eq "$2" ] && grep -qF -- "$3" "$work/log"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "$1: exit status $got, expected $2 and '$3' in:"
        tail -n 6 "$work/log"
    fi
}
rest='"reason": "r", "evidence": "e"'
expect_ranks "calls that are not listed" 1 "all_reduce-strided-2: rank 0: tensor 0" ""
expect_ranks "faults that are not listed" 1 "parameter-dtype: rank 0: RuntimeError" ""
expect_ranks "calls that are listed" 1 "2 differ as listed" '{"kind": "collectives", "cases": "-strided-", '"$rest}"
expect_ranks "calls that do not differ" 1 "collectives called /^barrier/: equal the reference, though listed" \
    '{"kind": "collectives", "cases": "^barrier", '"$rest}"
expect_ranks "another kind" 2 "entry 0: kind is 'sampler'; expected collectives or faults" \
    '{"kind": "sampler", "cases": "x", '"$rest}"
expect_ranks "a fault without its error" 2 "entry 0: 'error' is missing" '{"kind": "faults", "cases": "x", '"$rest}"
expect_ranks "no pattern" 2 "'(' is no regular expression" '{"kind": "collectives", "cases": "(", '"$rest}"

# --- of scripts: the list knows texts, not names
define=$work/define
mkdir "$define"
cp test/fixtures/script/net.pt "$define/base.pt"
program=$1/bin/script-replay
expect_script() { # expect_script NAME STATUS TEXT KIND SOURCE EXAMPLE: a list of one entry, with the cases in $define
    printf '[{"kind": "%s", "source": "%s", "example": "%s", "reason": "r", "evidence": "e"}]' "$4" "$5" "$6" >"$listed"
    "$program" "$define" --differences "$listed" >"$work/log" 2>&1
    local got=$?
    if [ "$got" -eq "$2" ] && grep -qF -- "$3" "$work/log"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "$1: exit status $got, expected $2 and '$3' in:"
        tail -n 6 "$work/log"
    fi
}
if [ -x "$program" ]; then
    cat >"$define/cases.jsonl" <<'END'
{"name": "define/one", "source": "def extra(self):\n    return 1", "error": {"first_line": "e", "line": 2}}
{"name": "define/two", "source": "def extra(self):\n    return undefined_name\n", "error": {"first_line": "e", "line": 2, "column": 11}}
END
    expect_script "a text that is not listed" 1 'FAIL refused/one define: is accepted' define 'type' 'def f(self, x):\n    return type(x)\n'
    expect_script "a text that is listed" 0 '1 differ as listed' refused '[^\\n]$' 'def f(self):\n    return 1'
    named='def f(self):\n    undefined_name = 1\n    return undefined_name\n'
    expect_script "another text" 1 'FAIL refused/one define: is accepted' refused 'undefined_name' "$named"
    expect_script "an entry that is not needed" 1 'as the reference has it, though listed' refused 'undefined_name' "$named"
    expect_script "an example that is not true" 1 'as the reference has it, though listed' refused 'no such' 'no such'
    expect_script "an example of something else" 2 "'no such' is not found in the entry's example" refused 'no such' 'pass'
    expect_script "no example" 2 "'example' is missing" refused 'no such' ''
    expect_script "another kind" 2 "kind is 'trace'; expected define or refused" trace 'x' 'x'
    expect_script "no pattern" 2 "'(' is no regular expression" refused '(' '('
    expect_script "no text" 2 "'source' is missing" refused '' 'x'
else echo "note: there is no $program"; fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
