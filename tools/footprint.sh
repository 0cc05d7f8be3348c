#!/usr/bin/env bash
# What a small training program costs: compile time, lines after preprocessing, start to exit, memory, library sizes.
set -euo pipefail
cd "$(dirname "$0")/.."
source=examples/02_training_loop.cpp
flags=(-std=c++20 -fopenmp -Iout/gen/include)
for lib in libs/*/include; do flags+=("-I$lib"); done
mkdir -p out/bench
[ -f "$source" ] || { echo "footprint: $source is missing"; exit 1; }

g++ "${flags[@]}" -O0 -c "$source" -o out/bench/hello.o # warms the file cache
start=$(date +%s.%N)
g++ "${flags[@]}" -O0 -c "$source" -o out/bench/hello.o
printf 'compile_hello_training %24.2f s\n' "$(echo "$(date +%s.%N) - $start" | bc)"
umbrella=$(grep -oE '#include <reel/[a-z/_]+\.hpp>' "$source" | head -1)
printf 'umbrella_lines %32d lines (%s)\n' "$(echo "$umbrella" | g++ "${flags[@]}" -x c++ -E - | wc -l)" "$umbrella"
# The libraries of the umbrella are those whose headers it includes; everything adds those that a program asks for by name.
of_umbrella=$(sed -n 's|^#include <reel/\([a-z]*\)\.hpp>.*|\1|p' libs/reel/include/reel/reel.hpp)
umbrella_bytes=0 all_bytes=0
for lib in out/lib/libreel_*.so; do
    case $lib in *cuda.so | *fftw.so | *mpi.so) continue ;; esac # a device and what is not built everywhere
    strip -o out/bench/stripped.so "$lib"
    bytes=$(stat -c %s out/bench/stripped.so) name=$(basename "$lib" .so)
    printf '  %-20s %20d bytes\n' "${name#libreel_}" "$bytes"
    all_bytes=$((all_bytes + bytes))
    if grep -qx "${name#libreel_}" <<<"$of_umbrella"; then umbrella_bytes=$((umbrella_bytes + bytes)); fi
done
printf 'umbrella_libraries_stripped %19.2f MiB\n' "$(echo "$umbrella_bytes / 1048576" | bc -l)"
printf 'all_libraries_stripped %24.2f MiB\n' "$(echo "$all_bytes / 1048576" | bc -l)"
program=out/bench/startup
cat >out/bench/startup.cpp <<'EOF'
#include <reel/autograd/ops.hpp>
#include <reel/nn/modules/linear.hpp>
int main() {
    reel::nn::Linear layer(4, 1);
    layer(reel::ones({2, 4})).sum().backward();
    return layer->weight.grad().defined() ? 0 : 1;
}
EOF
libs=()
for lib in out/lib/libreel_*.so; do name=$(basename "$lib" .so); libs+=("-l${name#lib}"); done
g++ "${flags[@]}" -O2 out/bench/startup.cpp -Lout/lib -Wl,--as-needed "${libs[@]}" -Wl,-rpath,"$PWD/out/lib" -o "$program"
printf 'loads %40s\n' "$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[libreel_\(.*\)\.so.*/\1/p' | xargs)"
python3 - "$program" <<'EOF'
import resource, statistics, subprocess, sys, time
times = []
for _ in range(21):
    start = time.perf_counter()
    subprocess.run([sys.argv[1]], check=True)
    times.append(time.perf_counter() - start)
print(f"start_to_exit {statistics.median(times) * 1000:33.1f} ms")
print(f"resident {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:38.1f} MiB")
EOF
