#!/usr/bin/env bash
# usage: run.sh OUT   the digits program from outside: what it writes, going on after a kill, threads, and everything that must be refused.
# Ends with `N passed, N failed, N skipped`.
set -u
cd "$(dirname "$0")/../.."
program=${1:-out}/bin/digits
passed=0 failed=0
if [ ! -x "$program" ]; then
    echo "digits: there is no $program"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
check() { # check NAME COMMAND...
    local name=$1
    shift
    if "$@"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "digits: $name"
    fi
}
short=(--epochs 2,2,2 --batch 128)
# refused NAME PATTERN ARGUMENTS...: status 2, one line that matches
refused() {
    local name=$1 pattern=$2 status
    shift 2
    "$program" "$@" >"$dir/stdout" 2>"$dir/stderr"
    status=$?
    check "$name: status $status, expected 2" [ "$status" -eq 2 ]
    check "$name: more than one line" [ "$(wc -l <"$dir/stderr")" -eq 1 ]
    check "$name: '$(cat "$dir/stderr")' does not say $pattern" grep -q -- "$pattern" "$dir/stderr"
}

"$program" "${short[@]}" --threads 1 --out "$dir/a" >"$dir/a.log" 2>&1
status=$?
check "the run fails: $(tail -n 1 "$dir/a.log")" [ "$status" -eq 0 ]
check "no last line with the accuracy" grep -qE '^test accuracy 0\.[0-9]{4}$' <(tail -n 1 "$dir/a.log")
check "no hash of the frozen part" grep -q 'no bit changed' "$dir/a.log"
check "no table of gradient norms" grep -q 'features.conv1' "$dir/a.log"
check "it warns: $(grep -i warning "$dir/a.log")" bash -c "! grep -qi warning '$dir/a.log'"
check "the report refers to something outside" bash -c "! grep -qE 'src=|<link|url\\(|http' '$dir/a/report.html'"
check "the report has no drawings" [ "$(grep -o '<svg' "$dir/a/report.html" | wc -l)" -ge 5 ]

"$program" "${short[@]}" --threads 2 --out "$dir/b" >/dev/null 2>&1
check "two threads give another model" cmp -s "$dir/a/model.safetensors" "$dir/b/model.safetensors"
check "two threads give another report" cmp -s "$dir/a/report.html" "$dir/b/report.html"

# Killed after its first, second and third checkpoint, each time resumed, then left to end.
resume() { [ -e "$dir/c/checkpoint.safetensors" ] && echo --resume; }
stamp() { stat -c %Y.%i "$dir/c/checkpoint.safetensors" 2>/dev/null; }
for kill in 1 2 3; do
    before=$(stamp)
    "$program" "${short[@]}" --out "$dir/c" $(resume) >/dev/null 2>&1 &
    pid=$!
    for _ in $(seq 600); do
        [ "$(stamp)" != "$before" ] && break
        sleep 0.05
    done
    sleep 0.0$kill
    { kill -KILL "$pid" && wait "$pid"; } 2>/dev/null
done
check "no checkpoint after a kill" [ -e "$dir/c/checkpoint.safetensors" ]
"$program" "${short[@]}" --out "$dir/c" $(resume) >"$dir/c.log" 2>&1
status=$?
check "going on after a kill fails: $(tail -n 1 "$dir/c.log")" [ "$status" -eq 0 ]
check "going on after a kill gives another model" cmp -s "$dir/a/model.safetensors" "$dir/c/model.safetensors"
check "going on after a kill gives another report" cmp -s "$dir/a/report.html" "$dir/c/report.html"

refused "a device that there is not" "expected cpu, cuda or cuda:1, got .tpu" --device tpu
refused "an unknown option" "nonsense" --nonsense
refused "a bad number" "threads" --threads none
refused "a batch larger than the data" "batch" --batch 5000 --out "$dir/d"
refused "bad epochs" "epochs" --epochs 1,2
refused "a missing file" "$dir/none.csv.gz" --data "$dir/none.csv.gz" --out "$dir/d"
head -c 20000 examples/data/digits.csv.gz >"$dir/cut.csv.gz"
refused "a truncated file" "$dir/cut.csv.gz" --data "$dir/cut.csv.gz" --out "$dir/d"
zcat examples/data/digits.csv.gz | sed '7s/,/,x/' | gzip >"$dir/line.csv.gz"
refused "a bad line" "line.csv.gz: line 7" --data "$dir/line.csv.gz" --out "$dir/d"
zcat examples/data/digits.csv.gz | sed '9s/^[0-9]*/17/' | gzip >"$dir/range.csv.gz"
refused "a pixel out of range" "row 9, field 1" --data "$dir/range.csv.gz" --out "$dir/d"
refused "no checkpoint" "checkpoint.safetensors" --resume --out "$dir/d"
check "a refused run wrote something" [ ! -e "$dir/d" ]
cp "$dir/a/checkpoint.safetensors" "$dir/whole"
head -c 5000 "$dir/whole" >"$dir/a/checkpoint.safetensors"
cp "$dir/a/report.html" "$dir/report"
refused "a cut checkpoint" "checkpoint.safetensors" "${short[@]}" --resume --out "$dir/a"
check "a refused run changed the report" cmp -s "$dir/report" "$dir/a/report.html"
check "a refused run changed the checkpoint" cmp -s <(head -c 5000 "$dir/whole") "$dir/a/checkpoint.safetensors"
cp "$dir/whole" "$dir/a/checkpoint.safetensors"
refused "another seed" "seed" "${short[@]}" --seed 8 --resume --out "$dir/a"

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
