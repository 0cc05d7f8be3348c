// The archives that `reel-bench 1 script_` wrote, run by libtorch: rows in reel-bench's form.
//   scripts THREADS [FOLDER]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include <ATen/Parallel.h>
#include <torch/script.h>

namespace fs = std::filesystem;

template <class F> double median_us(F f, int warm, int reps) {
    using clock = std::chrono::steady_clock;
    for (int i = 0; i < warm; ++i) f();
    std::vector<double> times;
    for (int r = 0; r < reps; ++r) {
        const auto start = clock::now();
        f();
        times.push_back(std::chrono::duration<double, std::micro>(clock::now() - start).count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

int main(int argc, char** argv) {
    at::set_num_threads(argc > 1 ? std::atoi(argv[1]) : 1);
    const torch::NoGradGuard no_grad;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(argc > 2 ? argv[2] : "out/bench/scripts"))
        if (entry.path().extension() == ".pt") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        torch::jit::Module module = torch::jit::load(file.string());
        module.eval();
        std::string name = file.stem().string();
        std::vector<torch::jit::IValue> inputs;
        if (name == "silero_vad") {
            name = "script_silero_vad_frame";
            inputs = {torch::sin(torch::arange(512., torch::kFloat) * 0.05).reshape({1, 512}) * 0.3, 16000};
        } else inputs = {module.get_method("example")({})};
        std::printf("%-34s %12.3f us\n", name.c_str(), median_us([&] { module.forward(inputs); }, 20, 101));
        std::fflush(stdout);
    }
}
