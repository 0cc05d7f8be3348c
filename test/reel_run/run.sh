#!/usr/bin/env bash
# usage: run.sh OUT [KILLS]
# reel-run: what it sets, how it ends, what it refuses; then bad days; then ranks killed at random moments (REEL_KILLS of them, 20 unless set).
# Ends with `N passed, N failed`.
set -u
cd "$(dirname "$0")/../.."
out=$1 kills=${2:-${REEL_KILLS:-20}}
run=$out/bin/reel-run
passed=0 failed=0
check() { # check WHAT EXPECTED FOUND
    if [ "$2" = "$3" ]; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        printf 'FAIL %s: expected\n%s\nfound\n%s\n' "$1" "$2" "$3"
    fi
}
clean=(env -u RANK -u WORLD_SIZE -u SLURM_PROCID -u SLURM_NTASKS -u OMPI_COMM_WORLD_RANK -u OMPI_COMM_WORLD_SIZE)
run=("${clean[@]}" "$run")
show="echo \$RANK \$WORLD_SIZE \$LOCAL_RANK \$MASTER_ADDR"
check "ranks know their place" "$(printf '0 3 0 127.0.0.1\n1 3 1 127.0.0.1\n2 3 2 127.0.0.1')" "$("${run[@]}" -n 3 sh -c "$show" | sort)"
check "options of the program are its own" "--lr 0.1 -n 5" "$("${run[@]}" -n1 --grace=1 echo --lr 0.1 -n 5)"
check "all have one port" 1 "$("${run[@]}" -n 3 sh -c 'echo $MASTER_PORT' | sort -u | wc -l)"
text=$("${run[@]}" -n 2 sh -c 'exit $((3 * RANK))' 2>&1)
check "the status is that of the rank" "3 reel-run: rank 1 ended with status 3; --max-restarts allows for none" "$? $text"
text=$("${run[@]}" -n 3 --max-restarts 2 --grace 1 sh -c '[ $REEL_RESTART = 2 ] || { [ $RANK = 1 ] && kill -9 $$; sleep 20; }' 2>&1)
check "killed ranks are started again" "0 reel-run: rank 1 was killed by signal 9 (Killed); restart 1 of 2 with 3 ranks
reel-run: rank 1 was killed by signal 9 (Killed); restart 2 of 2 with 3 ranks" "$? $text"
text=$("${run[@]}" -n 3 --max-restarts 1 --elastic sh -c 'if [ $REEL_RESTART = 0 ]; then [ $RANK = 2 ] && kill -9 $$; sleep 20; else echo $WORLD_SIZE; fi' 2>/dev/null)
check "as many as are left" "$(printf '2\n2')" "$text"
check "Slurm's environment" "3 4 0 node03" "$(SLURM_PROCID=3 SLURM_NTASKS=4 SLURM_JOB_NODELIST='node[03-07,9],other' SLURM_JOB_ID=7 "$out/bin/reel-run" sh -c "$show")"
check "several ranks for each of Slurm's tasks" "$(printf '4 6 0 n1\n5 6 1 n1')" "$(SLURM_PROCID=2 SLURM_NTASKS=3 SLURM_JOB_NODELIST=n1,n2 "$out/bin/reel-run" -n 2 sh -c "$show" | sort)"
check "OpenMPI's environment" "1 2 0 127.0.0.1" "$(OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 "$out/bin/reel-run" sh -c "$show")"
check "a place that is given" "host.example 4242" "$("${run[@]}" -n 1 --master host.example:4242 sh -c 'echo $MASTER_ADDR $MASTER_PORT')"
refused() { # refused MESSAGE WORDS...
    local expected="127 reel-run: $1" text
    shift
    text=$("${run[@]}" "$@" 2>&1)
    check "refused: $*" "$expected" "$? $text"
}
refused "how many ranks? reel-run -n N PROGRAM" true
refused "there is no PROGRAM; reel-run --help says more" -n 2
refused "-n 0: expected at least one rank" -n 0 true
refused "cannot start '/no/such/program': No such file or directory" -n 2 /no/such/program
refused "--master :1: expected HOST or HOST:PORT" -n 2 --master :1 true
text=$(OMPI_COMM_WORLD_RANK=1 "${clean[0]}" -u OMPI_COMM_WORLD_SIZE "$out/bin/reel-run" true 2>&1)
check "an environment set by half" "127 reel-run: the environment is set by half: OMPI_COMM_WORLD_SIZE is missing" "$? $text"
# nothing outlives a reel-run that is ended or killed
for signal in TERM KILL; do
    "${run[@]}" -n 2 sleep 4321 &
    job=$!
    sleep 0.5
    ranks=$(cat "/proc/$job/task/$job/children" 2>/dev/null)
    kill -$signal $job
    wait $job 2>/dev/null
    sleep 0.3
    left=0
    for rank in $ranks; do
        if kill -0 "$rank" 2>/dev/null && ! grep -q '^State:.*Z' "/proc/$rank/status"; then left=$((left + 1)); fi
    done
    check "two ranks run, and none after $signal" "2 0" "$(wc -w <<<"$ranks") $left"
done
# the same training as threads, as processes, under mpirun; and going on
if [ -x "$out/bin/ranks" ]; then
    dir=$(mktemp -d)
    trap 'rm -rf "$dir"' EXIT
    mpirun=(mpirun --oversubscribe)
    if [ "$(id -u)" -eq 0 ]; then mpirun+=(--allow-run-as-root); fi
    for model in digits gpt; do
        words=("$PWD/$out/bin/ranks" --model "$model" --data "$PWD/examples/data/digits.csv.gz")
        if [[ $out = /* ]]; then words[0]=$out/bin/ranks; fi
        threads=$("${clean[@]}" "${words[@]}" -n 2 --steps 12 --out "$dir/threads.html" | grep -v ^report)
        check "$model: two ranks say what they came to" 2 "$(grep -c '^rank [01]: last loss [0-9.]*' <<<"$threads")"
        check "$model: the report shows them" 2 "$(grep -o '<td>rank [01]' "$dir/threads.html" | sort -u | wc -l)"
        check "$model: processes come to the same" "$threads" "$("${run[@]}" -n 2 "${words[@]}" --steps 12 --out "$dir/processes.html" | grep -v ^report)"
        if command -v mpirun >/dev/null && [ -e "$out/lib/libreel_mpi.so" ]; then
            check "$model: so do those of mpirun" "$threads" "$("${clean[@]}" "${mpirun[@]}" -n 2 "${words[@]}" --steps 12 --out "$dir/mpi.html" 2>/dev/null | grep -v ^report)"
        fi
        "${run[@]}" -n 2 "${words[@]}" --steps 7 --checkpoint "$dir/$model" --out "$dir/part.html" >/dev/null
        check "$model: one that was saved goes on" "$threads" "$("${run[@]}" -n 2 "${words[@]}" --steps 12 --checkpoint "$dir/$model" --out "$dir/rest.html" | grep -v ^report)"
    done
fi
# mpirun's ranks of one host share memory, too: the same segments and bits, messages of any length, nobody held up
if command -v mpirun >/dev/null && [ -e "$out/lib/libreel_mpi.so" ]; then
    mpirun=(mpirun --oversubscribe -n 3)
    if [ "$(id -u)" -eq 0 ]; then mpirun+=(--allow-run-as-root); fi
    for words in "1 sums_and_segments" "1 round_trip" "1 busy_elsewhere" "1 crowd" "0 sums_and_segments" "0 round_trip" "0 crowd"; do
        sign=$(mktemp -u)
        body=(env OMP_NUM_THREADS=1 BOOST_TEST_LOG_LEVEL=nothing REEL_SHARED_MEMORY="${words% *}" REEL_TEST_BODY="${words#* }" SIGN="$sign" "$out/bin/test_distributed")
        sockets=$("${run[@]}" -n 3 "${body[@]}")
        rm -f "$sign"
        check "mpirun: $words" "$sockets" "$("${clean[@]}" "${mpirun[@]}" "${body[@]}" 2>&1)"
        rm -f "$sign"
    done
fi
text=$(python3 test/reel_run/bad_days.py "$out/bin" 2>&1)
echo "$text"
read -r p f <<<"$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' <<<"$text" | tail -n 1)"
passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1}))
text=$(python3 test/reel_run/kills.py "$out/bin" "$kills" 2>&1)
echo "$text"
read -r p f <<<"$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' <<<"$text" | tail -n 1)"
passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1}))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
