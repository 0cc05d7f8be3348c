// A model that others trained: silero-vad, an archive of torch.jit with a detector of voices, runs over a signal frame
// by frame. tools/fetch_silero.sh fetches it from PyPI; a file can be named as the argument.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <reel/reel.hpp>
#include <reel/script.hpp>

using namespace reel;

constexpr int rate = 16000, frame = 512; // 32 ms

/// Half a second of silence, then one of something like a vowel: a buzz of 120 Hz that wavers, through three
/// resonances; then silence again.
Tensor signal() {
    std::vector<float> x(2 * rate, 0.f);
    struct Resonance {
        double hertz, width, y1 = 0, y2 = 0;
        double operator()(double in) {
            const double r = std::exp(-M_PI * width / rate),
                         y = in + 2 * r * std::cos(2 * M_PI * hertz / rate) * y1 - r * r * y2;
            y2 = y1, y1 = y;
            return y * (1 - r);
        }
    } formants[] = {{700, 90}, {1200, 110}, {2600, 170}};
    double phase = 0;
    for (int i = rate / 2; i < rate * 3 / 2; ++i) {
        const double t = double(i) / rate, pitch = 120 * (1 + 0.03 * std::sin(2 * M_PI * 5 * t));
        phase += pitch / rate;
        double y = 0, pulse = phase >= 1 ? 1 : 0;
        phase -= std::floor(phase);
        for (Resonance& f : formants) y += f(pulse);
        x[std::size_t(i)] = float(y * (0.6 + 0.4 * std::sin(2 * M_PI * 3 * t)));
    }
    const Tensor clean = from_blob(x.data(), {2 * rate}, kFloat).clone();
    return clean / clean.abs().max() * 0.5 + randn({2 * rate}) * 0.002;
}

/// A row of characters, the higher the more probable.
std::string drawn(const std::vector<double>& p) {
    static const char* const levels[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    std::string r;
    for (const double v : p) r += levels[std::size_t(std::lround(v * 8))];
    return r;
}

int main(int argc, char** argv) {
    const std::string file = argc > 1 ? argv[1] : "out/bench/scripts/silero_vad.pt";
    if (!std::filesystem::exists(file) && std::system("tools/fetch_silero.sh >/dev/null 2>&1") != 0) {
        std::printf("skipped: there is no %s, and tools/fetch_silero.sh could not fetch it\n", file.c_str());
        return 0;
    }
    manual_seed(0);
    const jit::Module detector = jit::load(file, kCPU);
    detector->eval();
    const NoGradGuard no_grad;
    const Tensor x = signal();
    std::vector<double> loudness, voice;
    for (int i = 0; i + frame <= x.numel(); i += frame) {
        const Tensor part = x.narrow(0, i, frame).unsqueeze(0);
        loudness.push_back(std::min(1., part.square().mean().sqrt().item<double>() * 8));
        voice.push_back(detector.forward({part, rate}).toTensor().item<double>()); // it remembers the frames before
    }
    std::printf("loudness |%s|\nvoice    |%s|\n", drawn(loudness).c_str(), drawn(voice).c_str());
    double silent = 0, spoken = 0;
    for (std::size_t i = 0; i < voice.size(); ++i) {
        if (i > 2 && i < 14) silent = std::max(silent, voice[i]);
        if (i > 20 && i < 44) spoken = std::max(spoken, voice[i]);
    }
    std::printf("at most %.3f in silence, %.3f in the vowel; %zu parameters of shapes like %s\n", silent, spoken,
                detector->parameters().size(), str(detector->parameters()[0].sizes()).c_str());
    return silent < 0.5 ? 0 : 1;
}
