// A state dict of 1 GB on disk: written and synced, mapped, copied, beside `cp` with the same sync. Only on request
// (reel-bench THREADS file_), in REEL_BENCH_FOLDER, else the current folder.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include <unistd.h>

#include <reel/autograd/ops.hpp>
#include <reel/serialize/save_load.hpp>

#include "bench.hpp"

namespace bench {

namespace {
/// The least of three: what else the disk does only adds to it. `prepare` is not timed.
void least(const char* name, const std::function<void()>& prepare, const std::function<void()>& f) {
    if (!wanted(name)) return;
    double best = 1e18;
    for (int i = 0; i < 3; ++i) {
        prepare();
        best = std::min(best, median_us(f, 0, 1, 1));
    }
    row(name, best);
}
} // namespace

void files() {
    const char* given = std::getenv("REEL_BENCH_FOLDER");
    const std::filesystem::path folder =
        std::filesystem::path(given ? given : ".") / ("reel_bench_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const std::string file = (folder / "a.pt").string(), copy = (folder / "b.pt").string();
    reel::ValueDict state;
    for (int i = 0; i < 64; ++i)
        state.set("layers." + std::to_string(i) + ".weight", reel::full({1024, 4096}, double(i)));
    const reel::Value value(std::move(state));
    const auto nothing = [] {};
    reel::LoadOptions mapped;
    mapped.mmap = true;
    least(
        "file_save_1gb", [&] { std::filesystem::remove(file); }, [&] { reel::save(value, file); });
    if (!std::filesystem::exists(file)) reel::save(value, file);
    const std::string cp = "cp '" + file + "' '" + copy + "' && sync '" + copy + "'";
    least(
        "file_cp_1gb", [&] { std::filesystem::remove(copy); },
        [&] {
            if (std::system(cp.c_str()) != 0) std::abort();
        });
    least("file_load_mapped_1gb", nothing, [&] { reel::load(file, mapped); });
    least("file_load_copied_1gb", nothing, [&] { reel::load(file); });
    std::filesystem::remove_all(folder);
}

} // namespace bench
