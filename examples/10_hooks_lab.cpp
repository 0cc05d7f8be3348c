// A laboratory for gradients: hooks that clip them, add noise to them, reverse them, and lead them around an obstacle.
#include <cmath>
#include <cstdio>

#include <reel/reel.hpp>

using namespace reel;
using autograd::variable_list;

namespace {
double norm_of(const std::vector<Tensor>& gradients) {
    double sum = 0;
    for (const Tensor& g : gradients) sum += g.square().sum().item<double>();
    return std::sqrt(sum);
}

// --- Clip: every gradient of a parameter is cut to a norm before it is accumulated.
bool clip() {
    nn::Sequential net{nn::Linear(8, 32), nn::Tanh(), nn::Linear(32, 1)};
    const double limit = 0.5;
    for (const Tensor& p : net->parameters())
        p.register_hook([limit](const Tensor& grad) {
            const double norm = grad.norm().item<double>();
            return norm > limit ? grad * (limit / norm) : grad;
        });
    mse_loss(net(randn({64, 8})), full({64, 1}, 100.0)).backward();
    bool kept = true;
    for (const auto& p : net->named_parameters()) {
        const double norm = p.value().grad().norm().item<double>();
        std::printf("clip     %-9s |grad| = %.4f\n", p.key().c_str(), norm);
        kept = kept && norm <= limit * 1.0001;
    }
    return kept;
}

// --- Noise: each layer passes a disturbed gradient down; what the layer itself learns from is not touched.
bool noise() {
    nn::Sequential net{nn::Linear(8, 32), nn::Tanh(), nn::Linear(32, 1)};
    const Tensor x = randn({64, 8}), y = randn({64, 1});
    const auto gradient_of = [&](std::size_t layer) {
        net->zero_grad();
        mse_loss(net(x), y).backward();
        return net->parameters()[layer].grad().clone();
    };
    const Tensor first = gradient_of(0), last = gradient_of(2);
    RemovableHandle handle =
        net[2]->register_full_backward_hook([](nn::Module&, const variable_list& grad_input, const variable_list&) {
            return variable_list{grad_input[0] + 0.1 * grad_input[0].std() * randn_like(grad_input[0])};
        });
    const double below = (gradient_of(0) - first).norm().item<double>() / first.norm().item<double>();
    const bool same = equal(gradient_of(2), last);
    std::printf("noise    below the hook the gradient moved by %.1f %%, in the layer itself by nothing: %s\n",
                100 * below, same ? "yes" : "no");
    handle.remove();
    return same && below > 0 && equal(gradient_of(0), first);
}

// --- Reverse: features that say what a sample is, and hide where it comes from (Y. Ganin, V. Lempitsky, 2015).
bool reverse() {
    nn::Sequential features{nn::Linear(4, 16), nn::ReLU(), nn::Linear(16, 8)};
    nn::Linear label(8, 2), domain(8, 2);
    // `domain` learns to tell the domains apart; to the features its gradient arrives with the opposite sign.
    domain->register_full_backward_hook([](nn::Module&, const variable_list& grad_input, const variable_list&) {
        return variable_list{-grad_input[0]};
    });
    // Column 0 decides the label, column 1 gives the domain away.
    const Tensor x = randn({512, 4}), what = (x.select(1, 0) > 0).to(kLong), where = (x.select(1, 1) > 0).to(kLong);
    optim::Adam learn(features->parameters(), 0.003), tell_what(label->parameters(), 0.01),
        tell_where(domain->parameters(), 0.03);
    const auto accuracy = [&](const Tensor& scores, const Tensor& target) {
        return (scores.argmax(1) == target).to(kFloat).mean().item<double>();
    };
    for (int step = 0; step < 500; ++step) {
        for (optim::Optimizer* optimizer : {&learn, &tell_what, &tell_where}) optimizer->zero_grad();
        const Tensor f = features(x);
        (cross_entropy(label(f), what) + cross_entropy(domain(f), where)).backward();
        for (optim::Optimizer* optimizer : {&learn, &tell_what, &tell_where}) optimizer->step();
    }
    const Tensor f = features(x);
    const double label_right = accuracy(label(f), what), domain_right = accuracy(domain(f), where);
    std::printf("reverse  the features tell the label in %.0f %%, the domain in %.0f %%\n", 100 * label_right,
                100 * domain_right);
    return label_right > 0.95 && domain_right < 0.85;
}

// --- Reroute: rounding has no useful gradient. The hook hands on the one that came in (Y. Bengio et al., 2013).
struct RoundImpl : nn::Module {
    Tensor forward(const Tensor& x) { return round(x); }
};
REEL_MODULE(Round);

bool reroute() {
    nn::Linear encode(4, 3), decode(3, 4);
    Round quantize;
    const Tensor x = randn({128, 4});
    const auto encoder_gradient = [&] {
        encode->zero_grad();
        mse_loss(decode(quantize(encode(x) * 3)), x).backward();
        return norm_of({encode->weight.grad()});
    };
    const double blocked = encoder_gradient();
    quantize->register_full_backward_hook(
        [](nn::Module&, const variable_list&, const variable_list& grad_output) { return grad_output; });
    const double through = encoder_gradient();
    std::printf("reroute  |gradient of the encoder| = %.4f through rounding, %.4f around it\n", blocked, through);
    return blocked == 0 && through > 0;
}
} // namespace

int main() {
    manual_seed(0);
    const bool clipped = clip(), noisy = noise(), reversed = reverse(), rerouted = reroute();
    return clipped && noisy && reversed && rerouted ? 0 : 1;
}
