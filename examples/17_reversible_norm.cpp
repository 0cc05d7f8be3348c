// Forecasting a series whose level wanders, with and without reversible instance norm around the same net.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <reel/reel.hpp>

using namespace reel;

constexpr std::int64_t steps = 4000, past = 72, horizon = 24, targets = 2, training = 2400;

/// y(t) = 0.02 t + L(t) + 4 (1 + t / 4000) sin(2 pi t / 24 + p) + 0.6 e(t), two of them (p = 0 and 1); e is standard
/// normal, and the level L changes by 8 times a standard normal at every 200th step. [steps, targets]
Tensor wandering_series() {
    const Tensor t = arange(double(steps)), noise = randn({steps, targets});
    const Tensor level = cumsum(8 * randn({steps / 200, targets}), 0).repeat_interleave(200, 0);
    const Tensor phase = tensor({0., 1.}), wave = sin(t.unsqueeze(1) * (2 * M_PI / 24) + phase);
    return 0.02 * t.unsqueeze(1) + level + 4 * (1 + t.unsqueeze(1) / 4000) * wave + 0.6 * noise;
}

struct ForecasterImpl : nn::Cloneable<ForecasterImpl> {
    explicit ForecasterImpl(bool reversible) : reversible(reversible) { reset(); }
    void reset() override {
        net = register_module("net", nn::Sequential{nn::Flatten(), nn::Linear(past * targets, 64), nn::ReLU(),
                                                    nn::Linear(64, horizon * targets)});
        if (reversible) norm = register_module("norm", nn::norms::RINorm(targets));
    }
    /// [batch, past, targets] -> [batch, horizon, targets]
    Tensor forward(const Tensor& x) {
        if (!reversible) return net(x).view({-1, horizon, targets});
        const Tensor y = net(norm(x)).view({-1, horizon, targets, 1});
        return norm->inverse(y).squeeze(-1);
    }
    bool reversible;
    nn::Sequential net{nullptr};
    nn::norms::RINorm norm{nullptr};
};
REEL_MODULE(Forecaster);

/// Windows of `past + horizon` steps that begin at `from`, [n, past + horizon, targets].
Tensor windows(const Tensor& series, const Tensor& from) {
    return series.index_select(0, (from.unsqueeze(1) + arange(past + horizon)).flatten())
        .view({-1, past + horizon, targets});
}

double test_error(Forecaster& model, const Tensor& series) {
    const NoGradGuard no_grad;
    const Tensor w = windows(series, arange(training, steps - past - horizon));
    return (model(w.narrow(1, 0, past)) - w.narrow(1, past, horizon)).abs().mean().item<double>();
}

void train(Forecaster& model, const Tensor& series) {
    optim::Adam adam(model->parameters(), optim::AdamOptions(2e-3));
    for (int step = 0; step < 1500; ++step) {
        const Tensor w = windows(series, randint(training - past - horizon, {64}));
        adam.zero_grad();
        smooth_l1_loss(model(w.narrow(1, 0, past)), w.narrow(1, past, horizon)).backward();
        adam.step();
    }
}

// --- the picture ----------------------------------------------------------------------------------------------------

/// A panel of a drawing, over the time axis.
struct Panel {
    double top, bottom, low, high;
    double x(double t) const { return 50 + 920 * t / double(steps); }
    double y(double v) const { return bottom - (bottom - top) * (v - low) / (high - low); }
    std::string curve(double from, double every, const std::vector<double>& values, const char* color) const {
        std::string points;
        for (std::size_t i = 0; i < values.size(); ++i)
            points += str(x(from + every * double(i)), ',', y(values[i]), ' ');
        return str("<polyline fill='none' stroke='", color, "' stroke-width='1.2' points='", points, "'/>\n");
    }
};
std::vector<double> list(const Tensor& t) {
    const Tensor values = t.to(kDouble).contiguous();
    return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}
std::string text(double x, double y, const std::string& words, const char* color) {
    return str("<text x='", x, "' y='", y, "' fill='", color, "'>", words, "</text>\n");
}

/// The first series in its own unit with what both nets forecast, window after window of the part that they have not
/// seen; below, how far off each window is.
std::string picture(const Tensor& series, double unit, double mean, Forecaster& without, Forecaster& with) {
    const NoGradGuard no_grad;
    const Tensor first = series.select(1, 0) * unit + mean;
    const Panel values{40, 280, first.min().item<double>() - 3, first.max().item<double>() + 3};
    std::string body = str("<rect x='", values.x(training), "' y='40' width='", values.x(steps) - values.x(training),
                           "' height='380' fill='#f1f3f5'/>\n");
    body += values.curve(0, 1, list(first), "#adb5bd");
    body += text(50, 24,
                 "A series whose level wanders (grey), forecast 24 steps at a time where nothing was trained "
                 "(shaded)",
                 "#333");
    Panel errors{310, 420, 0, 1};
    std::vector<std::tuple<const char*, const char*, std::vector<double>>> lines;
    for (auto [model, color, name] :
         {std::tuple(&without, "#d9480f", "without RINorm"), std::tuple(&with, "#1864ab", "with RINorm")}) {
        std::vector<double> off;
        for (std::int64_t at = training; at + past + horizon <= steps; at += horizon) {
            const Tensor forecast = (*model)(series.narrow(0, at, past).unsqueeze(0))[0].select(1, 0) * unit + mean;
            body += values.curve(double(at + past), 1, list(forecast), color);
            off.push_back((forecast - first.narrow(0, at + past, horizon)).abs().mean().item<double>());
            errors.high = std::max(errors.high, off.back());
        }
        lines.emplace_back(name, color, off);
    }
    double at = 335;
    body += text(50, 315, "mean absolute error", "#333");
    for (const auto& [name, color, off] : lines) {
        body += errors.curve(training + past, horizon, off, color) + text(50, at, name, color);
        at += 20;
    }
    return "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1000 440' font-family='sans-serif' "
           "font-size='14'>\n<rect width='1000' height='440' fill='#fff'/>\n" +
           body + "</svg>\n";
}

int main(int argc, char** argv) {
    manual_seed(0);
    const Tensor raw = wandering_series();
    // One scale for both nets: that of the training part.
    const Tensor known = raw.narrow(0, 0, training), series = (raw - known.mean(0)) / known.std(0);
    Forecaster without(false), with(true);
    train(without, series);
    train(with, series);
    const double unit = known.std(0).mean().item<double>();
    const double error_without = unit * test_error(without, series), error_with = unit * test_error(with, series);
    std::printf("mean absolute error, %lld steps ahead, on the part that was not trained on\n", (long long)horizon);
    std::printf("  without RINorm  %6.2f\n  with RINorm     %6.2f\n", error_without, error_with);

    const std::filesystem::path file =
        argc > 1 ? std::filesystem::path(argv[1]) : std::filesystem::temp_directory_path() / "reversible_norm.svg";
    std::ofstream(file) << picture(series, known.std(0)[0].item<double>(), known.mean(0)[0].item<double>(), without,
                                   with);
    std::printf("drawn in %s\n", file.string().c_str());
    return error_with < error_without ? 0 : 1;
}
