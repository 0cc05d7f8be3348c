// Whole training steps.
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn/modules/rnn.hpp>
#include <reel/optim/adam.hpp>
#include <reel/optim/adamw.hpp>
#include <reel/optim/sgd.hpp>

#include "bench.hpp"
#include "models.hpp"

namespace bench {

using namespace reel;

namespace {

template <class Model, class Optimizer> void step(Model& m, const Tensor& x, const Tensor& y, Optimizer& opt) {
    opt.zero_grad();
    const Tensor out = m.forward(x);
    cross_entropy(out.reshape({-1, out.size(-1)}), y.reshape({-1})).backward();
    opt.step();
}

/// Operations of a linear layer over `rows` rows, forward.
constexpr double linear(double rows, double in, double out) { return 2 * rows * in * out; }
/// The perceptron forward and back; nobody asks for the gradient of its input.
constexpr double mlp(double rows) {
    return 3 * (linear(rows, 784, 512) + linear(rows, 512, 512) + linear(rows, 512, 10)) - linear(rows, 784, 512);
}
/// The same of the convolutions of ResNet-20, written out, for images of 32 x 32.
constexpr double resnet20(double images) {
    const double stem = linear(images * 1024, 27, 16);
    double all = stem;
    for (double stage = 0, c = 16, places = 1024; stage < 3; ++stage, c *= 2, places /= 4) {
        const double in = stage > 0 ? c / 2 : c, pixels = images * places;
        all += linear(pixels, 9 * in, c) + 5 * linear(pixels, 9 * c, c) + (stage > 0 ? linear(pixels, in, c) : 0);
    }
    return 3 * all - stem;
}
/// A transformer's products forward and back: b texts of t tokens, width c; its first layer looks up.
constexpr double gpt(double b, double t, double c, double layers, double words) {
    const double attention = 2 * linear(b * t, c, t), block = linear(b * t, c, 12 * c) + attention;
    return 3 * (layers * block + linear(b * t, c, words));
}

} // namespace

void training() {
    if (wanted("mlp_784-512-512-10_b128_sgd")) {
        MLP m;
        optim::SGD o(m.parameters(), optim::SGDOptions(0.01).momentum(0.9));
        const Tensor x = randn({128, 784}), y = randint(0, 10, {128});
        row("mlp_784-512-512-10_b128_sgd", median_us([&] { step(m, x, y, o); }, 5, 31, 1), Work{0, mlp(128)});
    }
    if (wanted("mlp_784-512-512-10_b1_adam")) {
        MLP m;
        optim::Adam o(m.parameters(), optim::AdamOptions(1e-3));
        const Tensor x = randn({1, 784}), y = randint(0, 10, {1});
        constexpr std::int64_t numbers = 785 * 512 + 513 * 512 + 513 * 10; // read forward and back, Adam moves seven
        row("mlp_784-512-512-10_b1_adam", median_us([&] { step(m, x, y, o); }, 5, 51, 1), Work{numbers * 10 * 4});
    }
    if (wanted("resnet20_cifar_b32_sgd")) {
        ResNet m;
        optim::SGD o(m.parameters(), optim::SGDOptions(0.1).momentum(0.9));
        const Tensor x = randn({32, 3, 32, 32}), y = randint(0, 10, {32});
        row("resnet20_cifar_b32_sgd", median_us([&] { step(m, x, y, o); }, 3, 11, 1), Work{0, resnet20(32)});
    }
    if (wanted("gpt_4L_256d_b8_t128_adamw")) {
        GPT m(128, 128, 256, 4, 8);
        optim::AdamW o(m.parameters(), optim::AdamWOptions(3e-4));
        const Tensor x = randint(0, 128, {8, 128}), y = randint(0, 128, {8, 128});
        row("gpt_4L_256d_b8_t128_adamw", median_us([&] { step(m, x, y, o); }, 3, 11, 1),
            Work{0, gpt(8, 128, 256, 4, 128)});
    }
    if (wanted("lstm_128-256_t64_b16_fwd+bwd")) {
        nn::LSTM lstm(nn::LSTMOptions(128, 256));
        const Tensor x = randn({64, 16, 128});
        const double us = median_us(
            [&] {
                lstm->zero_grad();
                std::get<0>(lstm(x)).sum().backward();
            },
            3, 11, 1);
        row("lstm_128-256_t64_b16_fwd+bwd", us, // the input has no gradient
            Work{0, 3 * linear(64 * 16, 128 + 256, 1024) - linear(64 * 16, 128, 1024)});
    }
    if (wanted("adamw_step_10M")) {
        const Tensor p = randn({10000000}).requires_grad_();
        p.mutable_grad() = randn({10000000});
        optim::AdamW o({p}, optim::AdamWOptions(1e-3));
        row("adamw_step_10M", median_us([&] { o.step(); }, 2, 11, 1),
            Work{7 * 10000000 * 4}); // four read, three written
    }
    if (wanted("conv3x3_64_56x56_b32_fwd")) {
        const NoGradGuard no_grad;
        const Tensor x = randn({32, 64, 56, 56}), w = randn({64, 64, 3, 3});
        row("conv3x3_64_56x56_b32_fwd", median_us([&] { Tensor y = conv2d(x, w, {}, 1, 1); }, 1, 5, 1),
            Work{0, linear(32 * 56 * 56, 64 * 9, 64)}); // written out: Winograd multiplies less
    }
}

} // namespace bench
