// reel-bench [THREADS [FILTER]]: times the work of the peers' bench programs, and what only Reel has.
// reel-bench --device cuda [--small] [FILTER]: work on the device, beside the least time that it needs.
// reel-bench THREADS --ops FILE --json OUT [--seconds S]: times the calls of ops that FILE lists.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <reel/autograd/parallel.hpp>
#include <reel/autograd/random.hpp>

#include "bench.hpp"

namespace bench {
namespace {
const char* filter = "";
}

double median_us(const std::function<void()>& f, int warm, int reps, int inner) {
    using clock = std::chrono::steady_clock;
    for (int i = 0; i < warm; ++i) f();
    std::vector<double> times;
    for (int r = 0; r < reps; ++r) {
        const auto start = clock::now();
        for (int i = 0; i < inner; ++i) f();
        times.push_back(std::chrono::duration<double, std::micro>(clock::now() - start).count() / inner);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

void row(const char* name, double us) { figure(name, us, "us"); }
void figure(const char* name, double value, const char* unit) {
    std::printf("%-34s %12.3f %s\n", name, value, unit);
    std::fflush(stdout);
}
bool wanted(const char* name) { return std::strstr(name, filter) != nullptr; }
bool asked_for(const char* prefix) { return std::strncmp(filter, prefix, std::strlen(prefix)) == 0; }

} // namespace bench

int main(int argc, char** argv) {
    if (argc > 2 && std::strcmp(argv[1], "--device") == 0) {
        const bool small = argc > 3 && std::strcmp(argv[3], "--small") == 0;
        if (argc > 3 + small) bench::filter = argv[3 + small];
        reel::manual_seed(0);
        return bench::on_device(argv[2], small);
    }
    const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
    if (threads < 1) {
        std::fprintf(stderr, "reel-bench: '%s' is no number of threads\n", argv[1]);
        return 2;
    }
    reel::set_num_threads(threads);
    reel::manual_seed(0);
    if (argc > 2 && std::strcmp(argv[2], "--ops") == 0) {
        const bool timed = argc == 8 && std::strcmp(argv[6], "--seconds") == 0 && std::atof(argv[7]) > 0;
        if (!(argc == 6 || timed) || std::strcmp(argv[4], "--json") != 0) {
            std::fprintf(stderr, "usage: reel-bench THREADS --ops FILE --json OUT [--seconds S]\n");
            return 2;
        }
        return bench::op_sweep(argv[3], argv[5], timed ? std::atof(argv[7]) : 0.1);
    }
    if (argc > 2) bench::filter = argv[2];
    std::printf("reel threads=%d\n", reel::get_num_threads());
    bench::elementwise();
    bench::tape();
    bench::training();
    bench::hooks();
    if (bench::asked_for("script_")) bench::scripts();
    if (bench::asked_for("compiled_")) bench::compiled();
    if (bench::asked_for("file_")) bench::files();
    if (bench::asked_for("fft") || bench::asked_for("rfft") || bench::asked_for("irfft")) bench::fft();
    if (bench::asked_for("rl_")) bench::rl();
    if (bench::asked_for("ranks_")) bench::ranks();
    if (bench::asked_for("per_item_")) bench::per_item();
}
