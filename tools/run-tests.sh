#!/usr/bin/env bash
# usage: run-tests.sh OUT [programs|fast|threads|all]
# Runs what OUT holds and prints one line each, what was skipped, then `N passed, N failed`. A crash is a failure.
# As many at once as there are cores, at most four (REEL_TEST_JOBS); what they say comes in the order below.
#   fast      the autograd and nn test programs
#   threads   of every test program the cases with the label `threads`
#   programs  every test program, the examples, and the reference cases (what a sanitized build runs)
#   all       those, and the scripts test/*/run.sh (the default)
set -u
cd "$(dirname "$0")/.."
out=$1 what=${2:-all}
at_once=${REEL_TEST_JOBS:-$(env -u OMP_NUM_THREADS nproc)}
if [ "$at_once" -gt 4 ]; then at_once=4; fi
said="$out/tests-said" begun=0 shown=0
rm -rf "$said"
mkdir -p "$said"
count() { # count NAME PASSED FAILED SKIPPED [REMARK], in a job
    printf '%-20s %6d passed %5d failed %5d skipped%s\n' "$1" "$2" "$3" "$4" "${5:+   $5}"
    echo "$2 $3 $4" >>"$said/$job.counts"
}
show() { # what has ended, in the order in which it began
    while [ "$shown" -lt "$begun" ] && [ -e "$said/$((shown + 1)).ended" ]; do
        shown=$((shown + 1))
        cat "$said/$shown.text"
    done
}
begin() { # begin FUNCTION ARGUMENT...: as a job, once a core is free
    while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do wait -n; done
    show
    job=$((++begun))
    { "$@" >"$said/$job.text" 2>&1 </dev/null; touch "$said/$job.ended"; } &
}

# --- Boost.Test programs
run_program() { # run_program PROGRAM
    local program=$1 name log status ok bad aborted omitted selection=()
    name=$(basename "$program")
    log="$out/$name.log"
    if [ "$what" = threads ]; then
        "$program" --list_labels 2>&1 | grep -qw threads || return 0
        selection=(--run_test=@threads)
    fi
    timeout 1800 "$program" "${selection[@]}" --report_level=short --color_output=no >"$log" 2>&1
    status=$?
    number() { sed -n "s/^ *\([0-9]*\) test cases\{0,1\} out of [0-9]* $1.*/\1/p" "$log" | tail -n 1; }
    ok=$(number passed) bad=$(number failed) aborted=$(number aborted) omitted=$(number skipped)
    bad=$((${bad:-0} + ${aborted:-0}))
    # a program that ends badly has failed, whatever it counted
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
    if [ "$((${ok:-0} + bad + ${omitted:-0}))" -eq 0 ]; then bad=1; fi
    count "$name" "${ok:-0}" "$bad" "${omitted:-0}" "$(sed -n 's/^skipped: //p' "$log" | sort -u | head -n 3 | paste -sd ';')"
    if [ "$bad" -ne 0 ]; then grep -aE "error: |fatal error|ERROR: |SUMMARY|runtime error" "$log" | head -n 40; tail -n 15 "$log"; fi
}
for program in "$out"/bin/test_*; do
    [ -x "$program" ] || continue
    if [ "$what" = fast ] && [[ ! $program =~ /test_(autograd|nn)$ ]]; then continue; fi
    begin run_program "$program"
done

# --- the examples: each must end well, and soon
run_examples() {
    local ok=0 bad=0 source name log status
    for source in examples/*.cpp examples/rl/{agents,multistep}.cpp; do # other agents learn for a minute
        name=$(basename "$source" .cpp)
        [ -x "$out/bin/$name" ] || continue
        log="$out/example-$name.log"
        if timeout "${REEL_EXAMPLE_LIMIT:-30}" "$out/bin/$name" >"$log" 2>&1; then ok=$((ok + 1)); else
            status=$?
            bad=$((bad + 1))
            echo "example $name: exit status $status"
            tail -n 10 "$log"
        fi
    done
    if [ $((ok + bad)) -gt 0 ]; then count examples "$ok" "$bad" 0; fi
}
if [ "$what" = programs ] || [ "$what" = all ]; then begin run_examples; fi

# --- the reference cases: REEL_REFERENCE, else ../shared beside the checkout, else the vendored subset
replay() { # replay PROGRAM FOLDER NAME [OPTION...]
    [ -x "$out/bin/$1" ] || return 0
    if [ ! -d "$2" ]; then
        count "$3" 0 0 1 "there is no folder $2"
        return 0
    fi
    local program=$1 folder=$2 name=$3
    shift 3
    local log="$out/${name// /-}.log" json="$out/${name// /-}.json"
    rm -f "$json"
    timeout 1200 "$out/bin/$program" "$folder" --json "$json" "$@" >"$log" 2>&1
    local status=$? sums ok bad unsupported listed
    sums=$(python3 tools/replay_sums.py "$json" 2>/dev/null) || sums=""
    if [ -z "$sums" ]; then
        count "$name" 0 1 0 "no totals (exit status $status)"
        tail -n 10 "$log"
        return 0
    fi
    read -r ok bad unsupported listed <<<"$sums"
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
    local remark=""
    if [ "$unsupported" -gt 0 ]; then remark="skipped: not there yet"; fi
    if [ "$listed" -gt 0 ]; then remark="${remark:+$remark; }$listed of them differ as listed"; fi
    count "$name" "$ok" "$bad" "$unsupported" "$remark"
    if [ "$bad" -ne 0 ]; then grep -a FAIL "$log" | head -n 20 || true; fi
    tail -n 3 "$log"
}
if [ "$what" = programs ] || [ "$what" = all ]; then
    reference=${REEL_REFERENCE:-}
    where=REEL_REFERENCE
    if [ -z "$reference" ] && [ -d ../shared/oracle ] && [ "$what" = all ]; then reference=$(cd ../shared/oracle && pwd) where="beside the checkout"; fi
    if [ -z "$reference" ]; then reference=$PWD/test/reference where="the vendored subset"; fi
    if [ -d "$reference/oracle" ]; then reference=$reference/oracle; fi
    begin echo "reference cases: $where"
    data=()
    if [ -f examples/data/digits.csv.gz ]; then data=(--data examples/data/digits.csv.gz); fi
    differences=(--differences test/reference/differences.json)
    begin replay oracle-replay "$reference" "reference cases" "${data[@]}" "${differences[@]}"
    # the same results wherever the inputs lie in memory
    for layout in strided transposed offset; do begin replay oracle-replay "$reference/ops" "ops, $layout" --layout "$layout" "${differences[@]}"; done
    begin replay hooks-replay "$reference/scenarios" scenarios
    begin replay script-replay "$reference/script" scripts --differences test/script/differences.json
    # several ranks, as threads and as processes; each transport gives the same bits
    backends="threads sockets"
    if [ -e "$out/lib/libreel_mpi.so" ] && command -v mpirun >/dev/null; then backends="$backends mpi"; fi
    for backend in $backends; do
        for ranks in 2 3; do begin replay oracle-replay "$reference/distributed" "$ranks ranks, $backend" --ranks $ranks --backend "$backend"; done
    done
fi

# --- every op with arguments that nobody meant: the same calls each time; REEL_FUZZ_SECONDS goes on from there
run_fuzz() {
    local log="$out/op-fuzz.log" amount status calls findings
    amount="--rounds 2 --seconds 120"
    if [ -n "${REEL_FUZZ_SECONDS:-}" ]; then amount="--seconds $REEL_FUZZ_SECONDS --limit 60"; fi
    # shellcheck disable=SC2086
    timeout $((${REEL_FUZZ_SECONDS:-120} + 300)) "$out/bin/op-fuzz" $amount >"$log" 2>&1
    status=$?
    calls=$(sed -n 's/^\([0-9]*\) calls of .*/\1/p' "$log")
    findings=$(sed -n 's/^\([0-9]*\) findings$/\1/p' "$log")
    # a program that ends badly has failed, whatever it counted
    if [ "$status" -ne 0 ] && [ "${findings:-0}" -eq 0 ]; then findings=1; fi
    count op-fuzz "$((status == 0 ? 1 : 0))" "${findings:-1}" 0 "${calls:-0} calls"
    if [ "${findings:-1}" -ne 0 ]; then head -n 40 "$log" | cut -c1-400; tail -n 20 "$log"; fi
}
if { [ "$what" = programs ] || [ "$what" = all ]; } && [ -x "$out/bin/op-fuzz" ]; then begin run_fuzz; fi

# --- scripts: each ends with its own `N passed, N failed`
run_script() { # run_script SCRIPT
    local script=$1 name log status line ok bad omitted
    name=$(basename "$(dirname "$script")")
    log="$out/test-$name.log"
    timeout 1800 "$script" "$out" >"$log" 2>&1
    status=$?
    line=$(tail -n 1 "$log")
    ok=$(sed -n 's/^\([0-9]*\) passed, [0-9]* failed.*/\1/p' <<<"$line")
    bad=$(sed -n 's/^[0-9]* passed, \([0-9]*\) failed.*/\1/p' <<<"$line")
    omitted=$(sed -n 's/.* failed, \([0-9]*\) skipped$/\1/p' <<<"$line")
    bad=${bad:-1}
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
    count "$name" "${ok:-0}" "$bad" "${omitted:-0}" "$(sed -n 's/^note: //p' "$log" | paste -sd ';')"
    if [ "$bad" -ne 0 ]; then sed '$d' "$log" | tail -n 40; fi
}
if [ "$what" = all ]; then
    for script in test/*/run.sh; do begin run_script "$script"; done
fi

wait
show
read -r passed failed skipped < <(cat "$said"/*.counts 2>/dev/null | awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }')
# a job that was killed before it counted has failed
for ((job = 1; job <= begun; ++job)); do
    if [ ! -e "$said/$job.ended" ]; then
        cat "$said/$job.text"
        failed=$((failed + 1))
    fi
done
if [ "$skipped" -gt 0 ]; then echo "$skipped skipped, for the reasons given above"; fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
