// A module of C++ becomes an archive of torch.jit: its calls are traced, the trace is saved, loaded again, and loaded
// by Python's PyTorch where that is installed (REEL_PYTHON names the interpreter, else python3).
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include <reel/reel.hpp>
#include <reel/script.hpp>

using namespace reel;

/// Convolutions over a signal, then one score for each frame.
struct DetectorImpl : nn::Module {
    DetectorImpl()
        : features(register_module(
              "features", nn::Sequential(nn::Conv1d(nn::Conv1dOptions(1, 8, 5).padding(2)), nn::BatchNorm1d(8),
                                         nn::ReLU(), nn::Conv1d(nn::Conv1dOptions(8, 8, 5).padding(2)), nn::Tanh()))),
          score(register_module("score", nn::Linear(8, 1))) {
        gain = register_buffer("gain", full({1}, 4.));
    }
    Tensor forward(const Tensor& signal) {
        const Tensor loud = signal / (signal.abs().amax(-1, true) + 1e-6);
        const Tensor h = features(loud.unsqueeze(1)).transpose(1, 2);
        return sigmoid(score(h).squeeze(-1) * gain);
    }
    nn::Sequential features;
    nn::Linear score;
    Tensor gain;
};
REEL_MODULE(Detector);

/// Runs the file in Python; false where there is no PyTorch.
bool runs_in_python(const std::string& file, const std::string& numbers) {
    const char* const python = std::getenv("REEL_PYTHON");
    const std::string program = "import torch; m = torch.jit.load('" + file +
                                "'); "
                                "x = torch.linspace(-1, 1, 32).reshape(2, 16); "
                                "open('" +
                                numbers + "', 'w').write(repr(float(m(x).sum())))";
    return std::system((std::string(python ? python : "python3") + " -c \"" + program + "\" 2>/dev/null").c_str()) == 0;
}

int main() {
    manual_seed(0);
    const std::string base =
        (std::filesystem::temp_directory_path() / ("reel-trace-" + std::to_string(getpid()))).string();
    const std::string file = base + ".pt", numbers = base + ".txt";

    Detector detector;
    detector->eval();
    const Tensor example = linspace(-1, 1, 32).reshape({2, 16});
    jit::TraceOptions options;
    options.input_names = {"signal"};
    const jit::Module traced = jit::trace(detector.ptr(), {example}, options);
    std::printf("%s", traced.code().c_str());
    traced.save(file);

    const double expected = detector(example).sum().item<double>();
    const jit::Module again = jit::load(file);
    const double ours = again.forward({example}).toTensor().sum().item<double>();
    const Tensor longer = rand({3, 50}); // sizes that no call of C++ looked at stay free
    const bool equal = allclose(again.forward({longer}).toTensor(), detector(longer), 1e-5, 1e-6);
    std::printf("C++ %.6f, the archive %.6f, another shape %s\n", expected, ours, equal ? "equal" : "different");

    bool agrees = true;
    if (runs_in_python(file, numbers)) {
        double theirs = 0;
        std::ifstream(numbers) >> theirs;
        std::printf("PyTorch %.6f\n", theirs);
        agrees = std::abs(theirs - expected) < 1e-4;
        std::filesystem::remove(numbers);
    } else std::printf("no PyTorch here\n");
    std::filesystem::remove(file);
    return equal && agrees && std::abs(ours - expected) < 1e-5 ? 0 : 1;
}
