// Compiled functions and modules: a training step whose small ops are recorded once and replayed, with the same numbers
// as without, and what was recorded or not.
#include <chrono>
#include <cmath>
#include <cstdio>

#include <reel/reel.hpp>
#include <reel/script.hpp>

using namespace reel;

/// How a spring of 64 masses moves, the loss being how far it is from rest in the end.
Tensor simulate(const Tensor& start, const Tensor& stiffness, const Tensor& damping) {
    Tensor x = start, v = start * 0;
    for (int i = 0; i < 50; ++i) {
        v = v - (x * stiffness + v * damping) * 0.1;
        x = x + v * 0.1;
    }
    return (x * x).mean();
}

template <class F> double milliseconds(F f) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// Gradient steps on stiffness and damping; the last loss.
template <class F> double train(const F& loss_of) {
    const Tensor start = linspace(-1, 1, 64);
    const Tensor stiffness = full({64}, 0.5).requires_grad_(), damping = full({64}, 0.1).requires_grad_();
    optim::Adam optimizer({stiffness, damping}, optim::AdamOptions(0.05));
    double last = 0;
    for (int step = 0; step < 200; ++step) {
        optimizer.zero_grad();
        const Tensor loss = loss_of(start, stiffness, damping);
        loss.backward();
        optimizer.step();
        last = loss.item<double>();
    }
    return last;
}

/// A classifier that computes its own loss, so that the whole of a training step but the optimizer is one call.
struct ClassifierImpl : nn::Module {
    ClassifierImpl()
        : net(register_module("net", nn::Sequential(nn::Linear(8, 32), nn::BatchNorm1d(32), nn::ReLU(),
                                                    nn::Dropout(0.2), nn::Linear(32, 3)))) {}
    Tensor forward(const Tensor& x, const Tensor& labels) { return cross_entropy(net(x), labels); }
    nn::Sequential net;
};
REEL_MODULE(Classifier);

/// The last of 100 losses; dropout draws and running statistics move as they do without compile().
double train_classifier(bool compile) {
    manual_seed(1);
    Classifier classifier;
    if (compile) classifier->compile();
    optim::Adam optimizer(classifier->parameters(), optim::AdamOptions(0.02));
    const Tensor x = randn({90, 8}), labels = x.narrow(1, 0, 3).argmax(1);
    double last = 0;
    for (int step = 0; step < 100; ++step) {
        optimizer.zero_grad();
        const Tensor loss = classifier(x, labels);
        loss.backward();
        optimizer.step();
        last = loss.item<double>();
    }
    if (compile) std::printf("%llu of 100 steps replayed\n", (unsigned long long)(jit::explain(*classifier).replays));
    return last;
}

int main() {
    manual_seed(0);
    set_num_threads(1);
    const auto compiled = jit::compile(simulate);
    double plain = 0, fast = 0;
    const double plain_ms = milliseconds([&] { plain = train(simulate); });
    const double fast_ms = milliseconds([&] { fast = train(compiled); });
    std::printf("eager: loss %.6f; compiled: loss %.6f\n", plain, fast);
    std::printf("200 steps: %.1f ms, compiled %.1f ms\n", plain_ms, fast_ms);
    std::printf("%zu loops run as %zu\n", compiled.explain().graphs[0].fused_loops,
                compiled.explain().graphs[0].groups);

    // A module, in place.
    nn::Sequential net(nn::Linear(8, 16), nn::Tanh(), nn::Linear(16, 1));
    net->compile();
    for (int i = 0; i < 5; ++i) net(randn({4, 8})).pow(2).mean().backward();
    std::printf("%s", jit::explain(*net).text().c_str());

    const double with = train_classifier(true), without = train_classifier(false);
    std::printf("a classifier's last loss: %.6f, compiled %.6f\n", without, with);

    // What cannot be replayed runs as it always did, and says why.
    const auto choosy = jit::compile([](const Tensor& x) { return x.sum().item<double>() > 0 ? x * 2 : -x; });
    for (int i = 0; i < 3; ++i) choosy(randn({4}));
    std::printf("%s", choosy.explain().text().c_str());
    return plain == fast && with == without && jit::explain(*net).replays == 3 && choosy.explain().replays == 0 ? 0 : 1;
}
