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

} // namespace

void training() {
    if (wanted("mlp_784-512-512-10_b128_sgd")) {
        MLP m;
        optim::SGD o(m.parameters(), optim::SGDOptions(0.01).momentum(0.9));
        const Tensor x = randn({128, 784}), y = randint(0, 10, {128});
        row("mlp_784-512-512-10_b128_sgd", median_us([&] { step(m, x, y, o); }, 5, 31, 1));
    }
    if (wanted("mlp_784-512-512-10_b1_adam")) {
        MLP m;
        optim::Adam o(m.parameters(), optim::AdamOptions(1e-3));
        const Tensor x = randn({1, 784}), y = randint(0, 10, {1});
        row("mlp_784-512-512-10_b1_adam", median_us([&] { step(m, x, y, o); }, 5, 51, 1));
    }
    if (wanted("resnet20_cifar_b32_sgd")) {
        ResNet m;
        optim::SGD o(m.parameters(), optim::SGDOptions(0.1).momentum(0.9));
        const Tensor x = randn({32, 3, 32, 32}), y = randint(0, 10, {32});
        row("resnet20_cifar_b32_sgd", median_us([&] { step(m, x, y, o); }, 3, 11, 1));
    }
    if (wanted("gpt_4L_256d_b8_t128_adamw")) {
        GPT m(128, 128, 256, 4, 8);
        optim::AdamW o(m.parameters(), optim::AdamWOptions(3e-4));
        const Tensor x = randint(0, 128, {8, 128}), y = randint(0, 128, {8, 128});
        row("gpt_4L_256d_b8_t128_adamw", median_us([&] { step(m, x, y, o); }, 3, 11, 1));
    }
    if (wanted("lstm_128-256_t64_b16_fwd+bwd")) {
        nn::LSTM lstm(nn::LSTMOptions(128, 256));
        const Tensor x = randn({64, 16, 128});
        row("lstm_128-256_t64_b16_fwd+bwd", median_us(
                                                [&] {
                                                    lstm->zero_grad();
                                                    std::get<0>(lstm(x)).sum().backward();
                                                },
                                                3, 11, 1));
    }
    if (wanted("adamw_step_10M")) {
        const Tensor p = randn({10000000}).requires_grad_();
        p.mutable_grad() = randn({10000000});
        optim::AdamW o({p}, optim::AdamWOptions(1e-3));
        row("adamw_step_10M", median_us([&] { o.step(); }, 2, 11, 1));
    }
    if (wanted("conv3x3_64_56x56_b32_fwd")) {
        const NoGradGuard no_grad;
        const Tensor x = randn({32, 64, 56, 56}), w = randn({64, 64, 3, 3});
        row("conv3x3_64_56x56_b32_fwd", median_us([&] { Tensor y = conv2d(x, w, {}, 1, 1); }, 1, 5, 1));
    }
}

} // namespace bench
