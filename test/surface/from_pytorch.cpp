// The Reel side of doc/guide/from-pytorch.md, which shows these lines. Compiled, not run.
#include <reel/autograd/define_op.hpp>
#include <reel/autograd/keywords.hpp>
#include <reel/distributions.hpp>
#include <reel/reel.hpp>

#pragma GCC diagnostic ignored "-Wunused"

using namespace reel;
using namespace reel::indexing;

void tensors(Tensor x, Tensor y, Tensor mask) {
    Tensor a = zeros({2, 3}), b = randn({2, 3}, kDouble), c = tensor({1, 2, 3});
    Tensor row = x[0], part = x.index({Slice(), Slice(1, None)}), picked = x.index({mask});
    x.index_put_({0}, 1.0);
    Tensor same = x.reshape({-1}), other = x.permute({1, 0}), wide = x.to(kDouble);
    Tensor total = x.sum(/*dim=*/1, /*keepdim=*/true), best = x.argmax(1);
    auto [values, indices] = x.max(1);
    Tensor product = matmul(x, y), both = cat({x, y}, 1), scaled = x * 2 + y / 3;
    double number = x.sum().item<double>();
    std::int64_t rows = x.size(0);
    bool equal_enough = allclose(x, y);
}

void gradients(Tensor x, Tensor w) {
    Tensor loss = (x * w).sum();
    loss.backward({.retain_graph = true});
    Tensor g = w.grad();
    w.clear_grad();
    Tensor gx = autograd::grad({loss}, {x}, autograd::GradOptions{.create_graph = true})[0];
    {
        NoGradGuard no_grad;
        w -= 0.1 * g;
    }
    Tensor constant = x.detach();
    RemovableHandle handle = w.register_hook([](const Tensor& grad) { return grad * 2; });
    handle.remove();
}

struct BlockImpl : nn::Module {
    explicit BlockImpl(std::int64_t width) {
        norm = register_module("norm", nn::LayerNorm(nn::LayerNormOptions({width})));
        fc = register_module("fc", nn::Linear(width, width));
        scale = register_parameter("scale", ones({width}));
        steps = register_buffer("steps", zeros({}));
    }
    Tensor forward(const Tensor& x) { return x + scale * fc(norm(x)); }
    nn::LayerNorm norm{nullptr};
    nn::Linear fc{nullptr};
    Tensor scale, steps;
};
REEL_MODULE(Block);

void training(std::vector<std::pair<Tensor, Tensor>> loader) {
    manual_seed(0);
    nn::Sequential net{nn::Linear(8, 32), nn::ReLU(), Block(32), nn::Linear(32, 2)};
    optim::AdamW optimizer(net->parameters(), optim::AdamWOptions(1e-3).weight_decay(0.01));
    optim::CosineAnnealingLR schedule(optimizer, /*T_max=*/10);
    net->train();
    for (const auto& [data, target] : loader) {
        optimizer.zero_grad();
        Tensor loss = cross_entropy(net(data), target);
        loss.backward();
        nn::utils::clip_grad_norm_(net->parameters(), 1.0);
        optimizer.step();
    }
    schedule.step();
    net->eval();
    for (const auto& p : net->named_parameters()) p.value().requires_grad_(p.key().starts_with("3."));
}

void functions_of_modules(nn::Sequential net, Tensor x, Tensor batch, Tensor target) {
    nn::NamedTensors params = net->named_parameters();
    Tensor y = nn::functional_call(net, params, x);
    nn::NamedTensors grads = nn::per_sample_grads(
        net, [&](const Tensor& out, std::int64_t i) { return cross_entropy(out, target[i].unsqueeze(0)); }, batch);
    auto loss = [](const Tensor& out, const Tensor& t) { return cross_entropy(out, t); };
    grads = nn::per_sample_grads(net, loss, batch, target);
    autograd::variable_list rows = autograd::grad_batched({y}, {x}, {eye(2)});
    for (auto& [name, p] : net->named_parameters()) p.requires_grad_(name.starts_with("3."));
    nn::Sequential more{nn::LeakyReLU(0.2), nn::LeakyReLU(nn::LeakyReLUOptions(0.2).inplace(true))};
    auto category = distributions::Categorical::from_logits(y);
    autograd::AutogradContext* ctx = nullptr;
    ctx->saved_data["step"] = 0.5;
    ctx->saved_data["net"] = Value::box(net);
    nn::Sequential back = ctx->saved_data["net"].get<nn::Sequential>();
    Tensor smooth = cross_entropy(y, target, kw::cross_entropy{.label_smoothing = 0.1});
}

void schedules(optim::AdamW& opt) {
    optim::OneCycleLROptions o;
    o.max_lr = 1;
    o.total_steps = 9;
    o.pct_start = 0.2;
    optim::OneCycleLR cycle(opt, o);
    std::function<double(std::int64_t)> f = [](std::int64_t) { return 0.5; }, g = f;
    optim::LambdaLR by_group(opt, optim::EpochFunctions{f, g});
}

void files(nn::Sequential net, optim::AdamW& optimizer) {
    save(net->state_dict().to_value(), "net.pt");
    net->load_state_dict(load("net.pt"), /*strict=*/true);
    Tensor random = get_rng_state();
    set_rng_state(random);
}

void own_things(nn::Linear layer, Tensor x) {
    layer->register_full_backward_hook(
        [](nn::Module&, const autograd::variable_list& grad_input, const autograd::variable_list& grad_output) {});
    Tensor y = autograd::checkpoint([&](const Tensor& t) { return layer(t); }, x);
    nn::Linear copy = layer.clone();
    const auto op = ops::def("mine.twice(Tensor x) -> Tensor", [](const Tensor& t) { return t * 2; });
}
