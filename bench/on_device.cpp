// Rows of work on a device, each beside the least time that its bytes or its products need.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/cuda.hpp>
#include <reel/nn/modules/batch_norm.hpp>
#include <reel/nn/modules/conv.hpp>
#include <reel/nn/modules/linear.hpp>
#include <reel/nn/modules/rnn.hpp>
#include <reel/optim/adam.hpp>

#include "bench.hpp"

namespace bench {

using namespace reel;

namespace {

/// What an H200 was seen to do: bytes read and written by copies, products in bfloat16, each a second. float32 products
/// have the data sheet's figure.
constexpr double bytes_a_second = 4.3e12, bf16_flops = 788e12, f32_flops = 67e12;

struct Need {
    double bytes = 0, flops = 0, flops_a_second = bf16_flops;
    double least_us() const { return 1e6 * std::max(bytes / bytes_a_second, flops / flops_a_second); }
};

class Rows {
public:
    explicit Rows(bool small) : small_(small), gpu_(Device(kCUDA, 0)) {
        std::printf("%-26s %12s %14s %12s %9s\n", "row", "us", "rate", "least us", "of that");
    }
    /// The size that is asked for, or one that an emulated device gets through.
    std::int64_t of(std::int64_t size, std::int64_t when_small) const { return small_ ? when_small : size; }
    Tensor numbers(IntArrayRef sizes, ScalarType dtype = kFloat) const {
        return randn(sizes, TensorOptions(kFloat).device(gpu_)).to(dtype);
    }
    Tensor places(std::int64_t below, IntArrayRef sizes) const {
        return randint(0, below, sizes, TensorOptions(kLong).device(gpu_));
    }
    const Device& device() const { return gpu_; }
    void take(const char* name, const Need& need, const std::function<void()>& work) const {
        if (!wanted(name)) return;
        const int inner = small_ ? 1 : 20;
        const auto calls = [&] {
            for (int i = 0; i < inner; ++i) work();
            cuda::synchronize();
        };
        const double us = median_us(calls, small_ ? 0 : 2, small_ ? 1 : 9, 1) / inner;
        const bool by_bytes = need.bytes / bytes_a_second >= need.flops / need.flops_a_second;
        std::printf("%-26s %12.2f %9.2f %s %12.2f %8.1f%%\n", name, us,
                    (by_bytes ? need.bytes : need.flops) / us * 1e-6, by_bytes ? "TB/s" : "TF/s", need.least_us(),
                    100 * need.least_us() / us);
        std::fflush(stdout);
    }

private:
    bool small_;
    Device gpu_;
};

double bytes_of(const Tensor& t) { return double(t.numel()) * double(t.element_size()); }

void memory_rows(const Rows& r) {
    const Tensor x = r.numbers({r.of(1 << 24, 1000)}), y = r.numbers(x.sizes()), out = empty_like(x);
    r.take("copy", {2 * bytes_of(x)}, [&] { out.copy_(x); });
    r.take("add", {3 * bytes_of(x)}, [&] { add(x, y); });
    r.take("normal", {bytes_of(x)}, [&] { out.normal_(); });
    const Tensor rows = r.numbers({r.of(32768, 8), r.of(4096, 64)});
    r.take("softmax", {2 * bytes_of(rows)}, [&] { softmax(rows, -1); });
    r.take("sort", {16 * bytes_of(x)}, [&] { x.sort(); });
}

/// Forward and backward of the rows of a loss, a norm and a table.
void training_rows(const Rows& r) {
    const std::int64_t n = r.of(16384, 8), d = r.of(4096, 32);
    const Tensor x = r.numbers({n, d}).requires_grad_(), w = r.numbers({d}).requires_grad_(), g = r.numbers({n, d});
    const std::vector<Tensor> both{x, w};
    r.take("layer_norm", {2 * bytes_of(x)}, [&] {
        const NoGradGuard off;
        layer_norm(x, {d}, w);
    });
    r.take("layer_norm_and_backward", {5 * bytes_of(x)}, [&] { autograd::grad({layer_norm(x, {d}, w)}, both, {g}); });
    const Tensor target = r.places(d, {n});
    r.take("cross_entropy_and_backward", {4 * bytes_of(x)}, [&] { autograd::grad({cross_entropy(x, target)}, {x}); });
    const Tensor table = r.numbers({r.of(50000, 50), r.of(1024, 16)}).requires_grad_();
    const Tensor at = r.places(table.size(0), {r.of(16384, 20)}), gout = r.numbers({at.size(0), table.size(1)});
    r.take("embedding_backward", {bytes_of(table) + 3 * bytes_of(gout)},
           [&] { autograd::grad({embedding(table, at)}, {table}, {gout}); });
}

void product_rows(const Rows& r) {
    const NoGradGuard off;
    const std::int64_t n = r.of(8192, 16);
    const Tensor a = r.numbers({n, n}, kBFloat16), b = r.numbers({n, n}, kBFloat16), bias = r.numbers({n}, kBFloat16);
    const double flops = 2 * std::pow(double(n), 3);
    r.take("matmul_bf16", {0, flops}, [&] { mm(a, b); });
    r.take("linear_gelu_bf16", {0, flops}, [&] { gelu(linear(a, b, bias)); });
    const Tensor a32 = a.to(kFloat), b32 = b.to(kFloat);
    r.take("matmul_f32", {0, flops, f32_flops}, [&] { mm(a32, b32); });
    const std::int64_t l = r.of(4096, 16), heads = r.of(16, 2), width = 64;
    const Tensor q = r.numbers({2, heads, l, width}, kBFloat16);
    r.take("attention_bf16", {0, 4. * 2 * double(heads) * double(l) * double(l) * double(width)},
           [&] { scaled_dot_product_attention(q, q, q); });
}

void layer_rows(const Rows& r) {
    const std::int64_t batch = r.of(128, 1), channels = r.of(64, 4), side = r.of(56, 6);
    nn::Conv2d conv(nn::Conv2dOptions(channels, channels, 3).padding(1).bias(false));
    nn::BatchNorm2d norm(channels);
    conv->to(r.device());
    norm->to(r.device());
    const Tensor image = r.numbers({batch, channels, side, side}).requires_grad_();
    const double flops = 2. * 9 * double(batch * channels * channels * side * side);
    r.take("block_and_backward", {14 * bytes_of(image), 3 * flops, f32_flops}, [&] {
        autograd::grad({(relu(norm(conv(image))) + image).sum()}, {image, conv->weight});
    });
    const std::int64_t steps = r.of(128, 4), hidden = r.of(512, 8);
    nn::LSTM lstm(hidden, hidden);
    lstm->to(r.device());
    const Tensor text = r.numbers({steps, r.of(64, 2), hidden});
    r.take("lstm", {0, 2. * 8 * double(steps * text.size(1) * hidden * hidden), f32_flops}, [&] {
        const NoGradGuard off;
        lstm->forward(text);
    });
}

void step_rows(const Rows& r) {
    std::vector<Tensor> params;
    double bytes = 0;
    for (int i = 0; i < r.of(300, 12); ++i) {
        params.push_back(r.numbers({r.of(300000, 100)}).requires_grad_());
        params.back().mutable_grad() = r.numbers(params.back().sizes());
        bytes += 7 * bytes_of(params.back()); // four numbers are read, three written
    }
    optim::Adam adam(params, optim::AdamOptions(1e-3));
    r.take("adam_300_tensors", {bytes}, [&] { adam.step(); });

    const std::int64_t width = r.of(1024, 8);
    nn::Linear first(width, width), second(width, width);
    first->to(r.device());
    second->to(r.device());
    std::vector<Tensor> weights = first->parameters();
    for (const Tensor& p : second->parameters()) weights.push_back(p);
    optim::Adam optimizer(weights, optim::AdamOptions(1e-3));
    const Tensor x = r.numbers({r.of(64, 4), width}), target = r.places(width, {x.size(0)});
    const auto step = [&] {
        optimizer.zero_grad();
        cross_entropy(second(relu(first(x))), target).backward();
        optimizer.step();
    };
    const Need need{7 * 4. * 2 * double(width * (width + 1))};
    r.take("training_step", need, step);
    if (!wanted("training_step_captured")) return;
    step(); // makes the state
    cuda::Graph graph;
    {
        const cuda::CaptureGuard capture(graph);
        step();
    }
    r.take("training_step_captured", need, [&] { graph.replay(); });
}

} // namespace

int on_device(const char* device, bool small) {
    if (std::strcmp(device, "cuda") != 0 || !cuda::is_available()) {
        std::fprintf(stderr, "reel-bench --device %s: %s\n", device,
                     std::strcmp(device, "cuda") != 0 ? "expected cuda" : cuda::unavailable_reason().c_str());
        return 2;
    }
    std::printf("%s on %s%s\n", cuda::versions().c_str(), cuda::get_device_properties(0).name.c_str(),
                small ? "; small sizes, whose figures say nothing" : "; least: what an H200 was seen to do");
    const Rows rows(small);
    memory_rows(rows);
    training_rows(rows);
    product_rows(rows);
    layer_rows(rows);
    step_rows(rows);
    return 0;
}

} // namespace bench
