// Compiled functions beside the functions themselves.
#include <algorithm>
#include <cmath>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn.hpp>
#include <reel/optim.hpp>
#include <reel/script/compiled_function.hpp>

#include "bench.hpp"

namespace bench {

using namespace reel;

namespace {

Tensor chain(const Tensor& a) {
    Tensor x = a;
    for (int i = 0; i < 1000; ++i) x = x * 1.0001;
    return x;
}
/// Activations as people write them: a dozen pointwise ops over one length.
Tensor activation(const Tensor& x) { return x * 0.5 * (tanh((x + x * x * x * 0.044715) * 0.7978845608) + 1.0); }

/// A perceptron's forward over its weights.
struct Perceptron {
    std::vector<Tensor> w, b;
    explicit Perceptron(std::vector<std::int64_t> sizes) {
        for (std::size_t i = 1; i < sizes.size(); ++i) {
            w.push_back((randn({sizes[i], sizes[i - 1]}) * 0.05).requires_grad_());
            b.push_back(zeros({sizes[i]}).requires_grad_());
        }
    }
    Tensor operator()(const Tensor& x) const {
        Tensor y = x;
        for (std::size_t i = 0; i < w.size(); ++i) {
            y = linear(y, w[i], b[i]);
            if (i + 1 < w.size()) y = relu(y);
        }
        return log_softmax(y, 1).select(1, 3).sum() * -1.0;
    }
    void forget() const {
        for (const auto* list : {&w, &b})
            for (const Tensor& t : *list) t.mutable_grad().reset();
    }
};

/// 64 steps of an LSTM cell written by hand.
Tensor cell_loop(const Tensor& x, const Tensor& w, const Tensor& u, const Tensor& b) {
    Tensor h = zeros({x.size(1), u.size(1)}), c = h;
    for (std::int64_t t = 0; t < x.size(0); ++t) {
        const std::vector<Tensor> g = (linear(x[t], w, b) + linear(h, u)).chunk(4, 1);
        c = g[1].sigmoid() * c + g[0].sigmoid() * g[2].tanh();
        h = g[3].sigmoid() * c.tanh();
    }
    return h;
}

/// A perceptron with its loss, so that a training step but the optimizer is one call.
struct ClassifierImpl : nn::Module {
    explicit ClassifierImpl(nn::Sequential layers) : net(register_module("net", std::move(layers))) {}
    Tensor forward(const Tensor& x, const Tensor& labels) { return cross_entropy(net(x), labels); }
    nn::Sequential net;
};
REEL_MODULE(Classifier);

/// Turn and turn about, the better of three medians of each: where memory lies and who else computes is chance.
template <class F> void both(const char* name, int warm, int reps, F step_of) {
    double least[2] = {HUGE_VAL, HUGE_VAL};
    for (int round = 0; round < 3; ++round)
        for (const bool fast : {false, true})
            least[fast] = std::min(least[fast], median_us([&] { step_of(fast); }, warm, reps, 1));
    row((std::string(name) + "_eager").c_str(), least[false]);
    row((std::string(name) + "_compiled").c_str(), least[true]);
}

/// Steps with Adam, once eagerly and once compiled; parameters and random numbers are the same.
void training(const char* name, int reps, const std::function<nn::Sequential()>& layers, const Tensor& x,
              const Tensor& labels) {
    Classifier models[2]{Classifier(layers()), Classifier(layers())};
    models[1]->compile();
    optim::Adam adam[2]{optim::Adam(models[0]->parameters(), 1e-3), optim::Adam(models[1]->parameters(), 1e-3)};
    both(name, 5, reps, [&](bool fast) {
        adam[fast].zero_grad();
        models[fast](x, labels).backward();
        adam[fast].step();
    });
}

} // namespace

void compiled() {
    training(
        "compiled_mlp_784_b1_adam", 51,
        [] {
            return nn::Sequential{nn::Linear(784, 512), nn::ReLU(), nn::Linear(512, 512), nn::ReLU(),
                                  nn::Linear(512, 10)};
        },
        randn({1, 784}), full({1}, 3, kLong));
    training(
        "compiled_classifier_32_b16_adam", 101,
        [] {
            return nn::Sequential{nn::Linear(16, 32), nn::BatchNorm1d(32), nn::ReLU(), nn::Dropout(0.2),
                                  nn::Linear(32, 4)};
        },
        randn({16, 16}), arange(16) % 4);
    {
        const Tensor a = randn({8}).requires_grad_();
        const auto c = jit::compile(chain);
        both("compiled_chain1000_fwd+bwd", 5, 51, [&](bool fast) {
            (fast ? c(a) : chain(a)).sum().backward();
            a.mutable_grad().reset();
        });
    }
    for (const std::int64_t n : {64, 4096, 1 << 20}) {
        const Tensor a = randn({n}).requires_grad_(), g = randn({n});
        const auto c = jit::compile(activation);
        both(("compiled_activation_" + std::to_string(n)).c_str(), 20, 51, [&](bool fast) {
            (fast ? c(a) : activation(a)).backward(g);
            a.mutable_grad().reset();
        });
    }
    for (const auto& sizes : {std::vector<std::int64_t>{16, 32, 32, 4}, {784, 512, 512, 10}}) {
        const Perceptron p(sizes);
        const Tensor x = randn({1, sizes[0]});
        const auto c = jit::compile([&](const Tensor& t) { return p(t); });
        both(("compiled_mlp_" + std::to_string(sizes[0]) + "_b1_fwd+bwd").c_str(), 20, 101, [&](bool fast) {
            (fast ? c(x) : p(x)).backward();
            p.forget();
        });
    }
    for (const std::int64_t batch : {1, 16}) {
        const std::int64_t in = 32, size = 64;
        const Tensor x = randn({64, batch, in}), w = (randn({4 * size, in}) * 0.1).requires_grad_(),
                     u = (randn({4 * size, size}) * 0.1).requires_grad_(), b = zeros({4 * size}).requires_grad_();
        const auto c = jit::compile(cell_loop);
        both(("compiled_lstm_cell_t64_b" + std::to_string(batch) + "_fwd+bwd").c_str(), 5, 31, [&](bool fast) {
            (fast ? c(x, w, u, b) : cell_loop(x, w, u, b)).sum().backward();
            for (const Tensor* t : {&w, &u, &b}) t->mutable_grad().reset();
        });
    }
}

} // namespace bench
