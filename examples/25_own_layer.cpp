// A layer of one's own: parameters and buffers under names, copies, freezing, and a cache that the caller holds.
#include <cmath>
#include <cstdio>

#include <reel/reel.hpp>

#include "device.hpp"

using namespace reel;

/// y = x W^T s / |W|: the rows of W have length one, `scale` is learned, `calls` is counted and saved.
struct UnitLinearImpl : nn::Cloneable<UnitLinearImpl> {
    UnitLinearImpl(std::int64_t in, std::int64_t out) : in_features(in), out_features(out) { reset(); }
    void reset() override { // everything that a copy needs anew
        weight = register_parameter("weight", empty({out_features, in_features}));
        scale = register_parameter("scale", ones({out_features}));
        calls = register_buffer("calls", zeros({}, kLong));
        nn::init::kaiming_uniform_(weight, std::sqrt(5.0));
    }
    Tensor forward(const Tensor& input) {
        REEL_CHECK_VALUE(input.size(-1) == in_features, "UnitLinear: input has shape ", input.sizes(),
                         ", whose last dimension must equal in_features ", in_features);
        if (is_training()) calls += 1;
        return linear(input, weight / weight.norm(2, /*dim=*/1, /*keepdim=*/true)) * scale;
    }
    std::string extra_repr() const override {
        return str("in_features=", in_features, ", out_features=", out_features);
    }
    std::int64_t in_features, out_features;
    Tensor weight, scale, calls;
};
REEL_MODULE(UnitLinear);

/// What an incremental decoder remembers; the caller has it.
struct Cache {
    Tensor sum;
    std::int64_t length = 0;
};
/// The mean of all that came so far, through a layer. A forward may write to what it is given.
struct RunningMeanImpl : nn::Module {
    RunningMeanImpl() { out = register_module("out", UnitLinear(4, 2)); }
    Tensor forward(const Tensor& x, Cache& cache) {
        cache.sum = cache.sum.defined() ? cache.sum + x : x;
        return out(cache.sum / double(++cache.length));
    }
    UnitLinear out{nullptr};
};
REEL_MODULE(RunningMean);

int main(int argc, char** argv) {
    const Device device = device_of(argc, argv);
    manual_seed(0);
    nn::Sequential net{UnitLinear(8, 4), nn::Tanh(), UnitLinear(4, 1)}; // braces: first to last, as in Python
    net->to(device);
    net(randn({16, 8}).to(device)).square().mean().backward();
    for (const auto& p : net->named_parameters())
        std::printf("%-8s gradient %.4f\n", p.key().c_str(), p.value().grad().norm().item<double>());

    nn::Sequential copy = net.clone();
    copy->load_state_dict(net->state_dict());
    try {
        net(randn({16, 5}).to(device));
    } catch (const ValueError& e) {
        std::printf("%s\n", e.what()); // which module it was
    }

    RunningMean mean;
    mean->to(device);
    Cache cache;
    Tensor y;
    for (int i = 0; i < 3; ++i) y = mean(full({1, 4}, i).to(device), cache);
    const bool equal_to_one = allclose(y, mean->out(ones({1, 4}).to(device)));
    return cache.length == 3 && equal_to_one && copy->buffers()[0].item<std::int64_t>() == 1 ? 0 : 1;
}
