// Low-rank adaptation: the trained layers rest, two thin matrices beside each of them learn (E. J. Hu et al., 2021).
#include <cmath>
#include <cstdio>

#include <reel/reel.hpp>

#include "device.hpp"

using namespace reel;

struct LoRALinearImpl : nn::Module {
    LoRALinearImpl(std::shared_ptr<nn::LinearImpl> trained, std::int64_t rank, double alpha) : scale(alpha / rank) {
        base = register_module("base", trained);
        down = register_parameter("down", empty({rank, base->options.in_features()}));
        up = register_parameter("up", zeros({base->options.out_features(), rank})); // so that nothing changes at first
        nn::init::kaiming_uniform_(down, std::sqrt(5.0));
    }
    Tensor forward(const Tensor& x) { return base(x) + linear(linear(x, down), up) * scale; }
    /// One layer again, as fast as before.
    nn::Linear merged() const {
        NoGradGuard no_grad;
        nn::Linear result(base->options);
        result->to(up.device());
        result->weight.copy_(base->weight + mm(up, down) * scale);
        result->bias.copy_(base->bias);
        return result;
    }
    nn::Linear base{nullptr};
    Tensor down, up;
    double scale;
};
REEL_MODULE(LoRALinear);

namespace {
double fit(const nn::Sequential& net, std::vector<Tensor> parameters, const Tensor& x, const Tensor& y, int steps) {
    optim::AdamW adamw(std::move(parameters), optim::AdamWOptions(5e-3).weight_decay(0));
    double last = 0;
    for (int step = 0; step < steps; ++step) {
        adamw.zero_grad();
        const Tensor loss = mse_loss(net(x), y);
        loss.backward();
        adamw.step();
        last = loss.item<double>();
    }
    return last;
}
std::int64_t count(const std::vector<Tensor>& parameters) {
    std::int64_t n = 0;
    for (const Tensor& p : parameters) n += p.numel();
    return n;
}
} // namespace

int main(int argc, char** argv) {
    const Device device = device_of(argc, argv);
    manual_seed(0);
    const Tensor x = randn({256, 16}).to(device), task = randn({16, 4}).to(device),
                 shift = (0.5 * mm(randn({16, 1}), randn({1, 4}))).to(device);
    const Tensor before = tanh(mm(x, task) / 4), after = tanh(mm(x, task + shift) / 4);

    nn::Sequential net{nn::Linear(16, 64), nn::Tanh(), nn::Linear(64, 4)};
    net->to(device);
    std::printf("first task:              loss %.4f, %lld parameters learn\n",
                fit(net, net->parameters(), x, before, 300), (long long)count(net->parameters()));

    // Put an adapter in the place of each linear layer, then pin what was trained: it gets no gradient, and a write to
    // it is refused.
    std::vector<inspect::FreezeGuard> guards;
    std::vector<Tensor> learning;
    for (const char* name : {"0", "2"}) {
        const auto trained = std::dynamic_pointer_cast<nn::LinearImpl>(net->get_submodule(name));
        LoRALinear adapted(trained, 2, 4.0);
        adapted->to(device);
        net->replace_module(name, adapted);
        guards.push_back(inspect::freeze(*trained));
        learning.push_back(adapted->down);
        learning.push_back(adapted->up);
    }
    const double untouched = mse_loss(net(x), after).item<double>();
    const double adapted = fit(net, learning, x, after, 300);
    std::printf("second task, before:     loss %.4f\n", untouched);
    std::printf("second task, adapted:    loss %.4f, %lld parameters learn\n", adapted, (long long)count(learning));

    bool intact = true;
    for (const inspect::FreezeGuard& guard : guards) intact = intact && guard.verify().intact();
    std::printf("what was trained first kept every byte: %s\n", intact ? "yes" : "no");

    // For use, sum each adapter into its layer.
    const Tensor result = net(x);
    for (const char* name : {"0", "2"}) net->replace_module(name, net->get_submodule(name)->as<LoRALinear>()->merged());
    const double difference = (net(x) - result).abs().max().item<double>();
    std::printf("merged: the same to %.0e\n", difference);
    return intact && adapted < untouched / 4 && difference < 1e-5 ? 0 : 1;
}
