// What goes to cuDNN, by which of its algorithms, and that it gives what the CPU gives.
#include <boost/test/unit_test.hpp>

#include <set>
#include <string>

#include <dlfcn.h>

#include <reel/autograd.hpp>
#include <reel/autograd/cuda.hpp>

#include "cuda/on_device.hpp"

using namespace reel;
using there::gpu;

namespace {

using Plan = const char* (*)();
const auto plan_of_stand_in = reinterpret_cast<Plan>(dlsym(RTLD_DEFAULT, "reel_emulation_dnn_plan"));
const auto fail = reinterpret_cast<void (*)(long)>(dlsym(RTLD_DEFAULT, "reel_emulation_fail"));
const auto calls = reinterpret_cast<long (*)()>(dlsym(RTLD_DEFAULT, "reel_emulation_calls"));

/// Is the stand-in at work, whose plans tests can look at?
bool sees_plans() { return plan_of_stand_in && cuda::cudnn_is_available(); }
std::string plan() { return plan_of_stand_in(); }

constexpr double near = 1e-5;

/// Sets a switch for a scope.
class Switch {
public:
    using Set = void (Context::*)(bool);
    Switch(Set set, bool now, bool before) : set_(set), before_(before) { (globalContext().*set_)(now); }
    ~Switch() { (globalContext().*set_)(before_); }

private:
    Set set_;
    bool before_;
};

/// Results of `f` and gradients of its operands, here and there, must be the same.
template <class F> void same_as_here(const std::vector<Tensor>& operands, F f, double most = near) {
    const auto run = [&](Device device) {
        std::vector<Tensor> own, all;
        for (const Tensor& t : operands) own.push_back(t.defined() ? t.detach().to(device).requires_grad_() : t);
        const Tensor y = f(own);
        y.backward(linspace(-1, 1, y.numel(), TensorOptions(kDouble)).view(y.sizes()).to(y.scalar_type()).to(device));
        all.push_back(y);
        for (const Tensor& t : own)
            if (t.defined()) all.push_back(t.grad());
        return all;
    };
    const std::vector<Tensor> want = run(kCPU), got = run(gpu);
    for (std::size_t i = 0; i < want.size(); ++i) BOOST_TEST(there::distance(got[i], want[i]) < most, i);
}

Tensor numbers(IntArrayRef sizes, ScalarType t = kFloat) {
    std::int64_t count = 1;
    for (const std::int64_t n : sizes) count *= n;
    return (arange(count, TensorOptions(kDouble)) * 0.37).sin().view(sizes).to(t);
}

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_dnn, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(convolutions_of_every_kind_give_what_the_cpu_gives) {
    for (const ScalarType t : {kFloat, kDouble}) {
        const auto n = [t](IntArrayRef sizes) { return numbers(sizes, t); };
        using All = const std::vector<Tensor>&;
        same_as_here({n({2, 4, 9}), n({6, 2, 3}), n({6})},
                     [](All v) { return conv1d(v[0], v[1], v[2], {2}, {1}, {2}, 2); });
        same_as_here({n({2, 3, 8, 7}), n({5, 3, 3, 2}), n({5})}, [](All v) { return conv2d(v[0], v[1], v[2]); });
        same_as_here({n({2, 3, 8, 7}), n({5, 3, 4, 2})},
                     [](All v) { return conv2d_padded(v[0], v[1], {}, {1}, "same", {3}); });
        same_as_here({n({1, 2, 5, 6, 4}), n({4, 2, 2, 3, 2}), n({4})}, [](All v) {
            return conv3d(v[0], v[1], v[2], {2, 1, 1}, {1, 0, 1});
        });
        same_as_here({n({2, 4, 5, 4}), n({4, 3, 3, 2}), n({6})},
                     [](All v) { return conv_transpose2d(v[0], v[1], v[2], {2}, {1}, {1}, 2); });
        // an image larger than windows reach: cuDNN has no such convolution
        same_as_here({n({2, 4, 5, 4}), n({4, 3, 3, 2})},
                     [](All v) { return conv_transpose2d(v[0], v[1], {}, {1}, {0}, {2}, 1, {3}); });
    }
    for (const ScalarType t : {kHalf, kBFloat16})
        same_as_here(
            {numbers({2, 3, 6, 6}, t), numbers({4, 3, 3, 3}, t), numbers({4}, t)},
            [](const std::vector<Tensor>& v) { return conv2d(v[0], v[1], v[2], {1}, {1}); }, t == kHalf ? 1e-3 : 1e-2);
}

BOOST_AUTO_TEST_CASE(switches_choose_the_algorithm) {
    if (!sees_plans()) return;
    const Tensor x = there::put(numbers({2, 3, 8, 8})), w = there::put(numbers({4, 3, 3, 3})).requires_grad_(),
                 b = there::put(numbers({4}));
    plan();
    const Tensor y = conv2d(x, w, b);
    BOOST_TEST(plan() == "convolution_forward+pointwise by plain");
    {
        const Switch rounded(&Context::setAllowTF32CuDNN, true, false);
        const Tensor z = conv2d(x, w, b);
        BOOST_TEST(plan() == "convolution_forward+pointwise by tf32");
        const double far = there::distance(z, y.to(kCPU));
        BOOST_TEST(far > 1e-6);
        BOOST_TEST(far < 1e-2);
    }
    conv2d(x, w).sum().backward();
    BOOST_TEST(plan() == "convolution_backward_filter by unordered");
    {
        const Switch ordered(&Context::setDeterministicCuDNN, true, false);
        conv2d(x, w).sum().backward();
        BOOST_TEST(plan() == "convolution_backward_filter by plain");
    }
    use_deterministic_algorithms(true);
    conv2d(x, w).sum().backward();
    use_deterministic_algorithms(false);
    BOOST_TEST(plan() == "convolution_backward_filter by plain");
    const Switch off(&Context::setUserEnabledCuDNN, false, true);
    BOOST_TEST(there::distance(conv2d(x, w, b), y.to(kCPU)) < near);
    BOOST_TEST(plan() == "");
}

BOOST_AUTO_TEST_CASE(a_graph_that_cudnn_lacks_is_computed_otherwise) {
    if (!sees_plans()) return;
    const Tensor x = there::put(numbers({2, 3, 8, 8}, kDouble)), w = there::put(numbers({4, 3, 3, 3}, kDouble)),
                 b = there::put(numbers({4}, kDouble));
    plan();
    conv2d(x, w, b); // no fused bias in float64
    BOOST_TEST(plan() == "convolution_forward by plain");
    conv2d(x.to(kComplexDouble), w.to(kComplexDouble));
    BOOST_TEST(plan() == "");
    layer_norm(x, {8}, w.select(0, 0).select(0, 0).new_ones({8}), b.new_zeros({8}));
    BOOST_TEST(plan() == "");
}

BOOST_AUTO_TEST_CASE(norms) {
    using All = const std::vector<Tensor>&;
    same_as_here({numbers({3, 5, 8}), numbers({8}), numbers({8})},
                 [](All v) { return layer_norm(v[0], {8}, v[1], v[2]); });
    same_as_here({numbers({4, 3, 5, 2}), numbers({3}), numbers({3})},
                 [](All v) { return functional_batch_norm(v[0], {}, {}, v[1], v[2], true); });
    same_as_here({numbers({4, 8, 5, 2}), numbers({8}), numbers({8})},
                 [](All v) { return functional_batch_norm(v[0], {}, {}, v[1], v[2], true); });
    same_as_here({numbers({4, 16}), numbers({16}), numbers({16})},
                 [](All v) { return functional_batch_norm(v[0], {}, {}, v[1], v[2], true); });
    same_as_here(
        {numbers({4, 8, 5}, kBFloat16), numbers({8}), numbers({8})},
        [](All v) { return functional_batch_norm(v[0], {}, {}, v[1], v[2], true); }, 2e-2);
    same_as_here({numbers({4, 8, 5}), numbers({8}), numbers({8})}, [](All v) { // the gradient's own gradient
        const Tensor y = functional_batch_norm(v[0], {}, {}, v[1], v[2], true);
        return autograd::grad({y}, {v[0]}, {y.detach().cos()}, true, true)[0] * y;
    });
    for (const double shift : {0., 30.}) { // what runs along is of the moments that normalised
        const auto moved = [&](Device d) {
            const Tensor mean = zeros({8}).to(d), var = ones({8}).to(d), x = (numbers({4, 8, 5}) + shift).to(d),
                         w = numbers({8}).to(d);
            functional_batch_norm(x, mean, var, w, w, true, 0.3);
            return std::pair(mean, var);
        };
        const auto [mean, var] = moved(kCPU);
        const auto [moved_mean, moved_var] = moved(there::gpu);
        BOOST_TEST(there::distance(moved_mean, mean) < near);
        BOOST_TEST(there::distance(moved_var, var) < near);
    }
    for (const ScalarType t : {kFloat, kDouble, kBFloat16})
        same_as_here(
            {numbers({3, 4, 6}, t), numbers({4, 6}, t)},
            [](All v) {
                return rms_norm(v[0], {4, 6}, v[1]);
            },
            t == kBFloat16 ? 1e-2 : near);
    // the gradient's own gradient
    same_as_here({numbers({3, 6}), numbers({6})}, [](All v) {
        const Tensor y = rms_norm(v[0], {6}, v[1]);
        return autograd::grad({y}, {v[0]}, {y.detach().cos()}, true, true)[0] * v[1];
    });
}

BOOST_AUTO_TEST_CASE(norms_are_cudnns_where_it_has_them) {
    if (!sees_plans()) return;
    {
        const Tensor x = there::put(numbers({4, 5})).requires_grad_(), w = there::put(numbers({5}));
        plan();
        const Tensor y = rms_norm(x, {5}, w);
        BOOST_TEST(plan() == "norm_forward by tensor_core");
        y.sum().backward();
        BOOST_TEST(plan() == "norm_backward by tensor_core");
        rms_norm(x, {5});
        BOOST_TEST(plan() == ""); // cuDNN wants a weight
    }
    const Tensor x = there::put(numbers({4, 3, 5})).requires_grad_(), w = there::put(numbers({5})),
                 b = there::put(numbers({5}));
    plan();
    const Tensor y = layer_norm(x, {5}, w, b);
    BOOST_TEST(plan() == "norm_forward by tensor_core");
    y.sum().backward();
    BOOST_TEST(plan() == "norm_backward by tensor_core");
    const auto of_batch = [](std::int64_t channels) {
        const Tensor x = there::put(numbers({4, channels, 5})).requires_grad_(), w = there::put(numbers({channels}));
        plan();
        const Tensor y = functional_batch_norm(x, {}, {}, w, w, true);
        const std::string forward = plan();
        y.sum().backward();
        return forward + ", " + plan();
    };
    BOOST_TEST(of_batch(8) == "norm_forward by tensor_core, norm_backward by tensor_core");
    BOOST_TEST(of_batch(3) == ", "); // cuDNN wants a multiple of eight
    const Tensor of_eight = there::put(numbers({4, 8, 5})), one = there::put(numbers({8}).abs() + 0.5);
    functional_batch_norm(of_eight, one, one, one, one, false);
    BOOST_TEST(plan() == ""); // by moments that are given
    functional_batch_norm(of_eight, {}, {}, {}, {}, true);
    BOOST_TEST(plan() == ""); // cuDNN wants a weight
}

BOOST_AUTO_TEST_CASE(means_over_windows) {
    const Tensor x = numbers({2, 3, 9, 7});
    using All = const std::vector<Tensor>&;
    const auto uses_cudnn = [&](bool expected, auto f) {
        same_as_here({x}, f);
        if (!sees_plans()) return;
        plan();
        f(std::vector<Tensor>{there::put(x)});
        BOOST_TEST((plan() == "resample_forward by tensor_core") == expected);
    };
    uses_cudnn(true, [](All v) { return avg_pool2d(v[0], {3, 2}, {2}, {1, 0}); });
    uses_cudnn(true, [](All v) { return avg_pool2d(v[0], {3, 2}, {2, 1}, {1}, false, false); });
    uses_cudnn(true, [](All v) { return avg_pool2d(v[0], {3}); });
    uses_cudnn(false, [](All v) { return avg_pool2d(v[0], {3}, {2}, {1}, false, true, 5); });
    uses_cudnn(false, [](All v) { return adaptive_avg_pool2d(v[0], {4, 5}); }); // windows of several sizes
    // the last window reaches beyond the padding: what lies there does not count
    same_as_here({x}, [](All v) { return avg_pool2d(v[0], {4}, {3}, {1}, true); });
}

BOOST_AUTO_TEST_CASE(attention_in_one_pass) {
    using All = const std::vector<Tensor>&;
    const auto by_heads = [](std::int64_t heads, std::int64_t positions, std::int64_t size, double shift) {
        return (numbers({2, heads, positions, size}) + shift).cos();
    };
    const std::vector<Tensor> operands{by_heads(4, 5, 8, 0), by_heads(4, 7, 8, 1), by_heads(4, 7, 16, 2)};
    same_as_here(operands, [](All v) { return scaled_dot_product_attention(v[0], v[1], v[2]); });
    same_as_here({by_heads(4, 5, 8, 0), by_heads(2, 7, 8, 1), by_heads(2, 7, 8, 2)},
                 [](All v) { return scaled_dot_product_attention(v[0], v[1], v[2], {}, 0.0, false, 0.7, true); });
    // heads that lie beside each other, as layers bring them
    same_as_here(operands, [](All v) {
        const auto turned = [](const Tensor& t) { return t.transpose(1, 2).contiguous().transpose(1, 2); };
        return scaled_dot_product_attention(turned(v[0]), turned(v[1]), turned(v[2]));
    });
    // the gradient's own gradient
    same_as_here(operands, [](All v) {
        const Tensor y = scaled_dot_product_attention(v[0], v[1], v[2]);
        return autograd::grad({y}, {v[1]}, {y.detach().cos()}, true, true)[0] * v[1];
    });
    if (!sees_plans()) return;
    const auto plan_for = [](std::int64_t size, ScalarType t, bool causal) {
        const Tensor q = there::put(numbers({1, 2, 6, size}, t));
        plan();
        scaled_dot_product_attention(q, q, q, {}, 0.0, causal);
        return plan();
    };
    for (const ScalarType t : {kFloat, kHalf, kBFloat16})
        BOOST_TEST(plan_for(8, t, false) == "attention by tensor_core");
    BOOST_TEST(plan_for(8, kDouble, false) == "");
    BOOST_TEST(plan_for(6, kFloat, false) == ""); // cuDNN wants a multiple of eight
    for (const ScalarType t : {kFloat, kHalf, kBFloat16})
        BOOST_TEST(plan_for(8, t, true) == "attention_in_operations by tensor_core");
    BOOST_TEST(plan_for(6, kHalf, true) == "");
}

BOOST_AUTO_TEST_CASE(attention_that_looks_back_only) {
    using All = const std::vector<Tensor>&;
    const auto by_heads = [](std::int64_t heads, std::int64_t positions, std::int64_t size, double shift,
                             ScalarType t) {
        return (numbers({2, heads, positions, size}) + shift).cos().to(t);
    };
    const auto causal = [](All v) { return scaled_dot_product_attention(v[0], v[1], v[2], {}, 0.0, true); };
    for (const ScalarType t : {kFloat, kHalf, kBFloat16}) {
        const double most = t == kFloat ? near : t == kHalf ? 2e-3 : 2e-2;
        same_as_here({by_heads(4, 5, 8, 0, t), by_heads(4, 7, 8, 1, t), by_heads(4, 7, 16, 2, t)}, causal, most);
        same_as_here({by_heads(2, 9, 8, 0, t), by_heads(2, 4, 8, 1, t), by_heads(2, 4, 8, 2, t)}, causal, most);
        // without the mask, whose way back is the library's, too
        same_as_here(
            {by_heads(4, 5, 8, 0, t), by_heads(4, 7, 8, 1, t), by_heads(4, 7, 16, 2, t)},
            [](All v) {
                const auto turned = [](const Tensor& x) { return x.transpose(1, 2).contiguous().transpose(1, 2); };
                return scaled_dot_product_attention(turned(v[0]), turned(v[1]), turned(v[2]));
            },
            most);
        same_as_here(
            {by_heads(4, 5, 8, 0, t), by_heads(2, 7, 8, 1, t), by_heads(2, 7, 8, 2, t)},
            [](All v) { return scaled_dot_product_attention(v[0], v[1], v[2], {}, 0.0, true, 0.7, true); }, most);
    }
}

BOOST_AUTO_TEST_CASE(gradients_of_attention) {
    if (!sees_plans()) return;
    const auto plan_back = [](ScalarType t, std::int64_t size, bool shares_keys) {
        const Tensor q = there::put(numbers({1, 2, 6, size}, t)).requires_grad_(),
                     k = there::put(numbers({1, shares_keys ? 1 : 2, 6, size}, t)).requires_grad_();
        const Tensor y = scaled_dot_product_attention(q, k, k, {}, 0.0, true, {}, shares_keys);
        plan();
        y.sum().backward();
        return plan();
    };
    for (const ScalarType t : {kHalf, kBFloat16}) {
        BOOST_TEST(plan_back(t, 8, false) == "attention_backward by unordered");
        const Switch ordered(&Context::setDeterministicCuDNN, true, false);
        BOOST_TEST(plan_back(t, 8, false) == "attention_backward by plain");
    }
    BOOST_TEST(plan_back(kFloat, 8, false) == ""); // no engine
    BOOST_TEST(plan_back(kHalf, 8, true) == "");
    BOOST_TEST(plan_back(kHalf, 6, false) == "");
    // the gradient of the gradient is that of the products
    const Tensor q = numbers({1, 2, 6, 8}, kHalf);
    const auto twice = [](const Tensor& x) {
        const Tensor own = x.detach().requires_grad_(), y = scaled_dot_product_attention(own, own, own, {}, 0.0, true),
                     g = autograd::grad({y.sum()}, {own}, {}, true, true)[0];
        return autograd::grad({(g * g).sum()}, {own})[0];
    };
    BOOST_TEST(there::distance(twice(there::put(q)), twice(q)) < 1e-2);
}

BOOST_AUTO_TEST_CASE(a_plan_is_made_once) {
    if (!sees_plans()) return;
    const Tensor x = there::put(numbers({1, 2, 11, 5})), w = there::put(numbers({3, 2, 2, 2}));
    const auto count = [&] {
        fail(0);
        conv2d(x, w);
        return calls();
    };
    const long first = count(), second = count();
    BOOST_TEST(first > second + 20);
    BOOST_TEST(count() == second);
}

BOOST_AUTO_TEST_CASE(any_call_of_cudnn_may_fail_once) {
    if (!sees_plans()) return;
    std::set<std::string> said;
    for (long n = 1;; ++n) { // a new size each time: a plan that was made is known from then on
        const Tensor x = there::put(numbers({1, 2, 6, 12 + n})), w = there::put(numbers({3, 2, 3, 3}));
        fail(n);
        try {
            const Tensor y = conv2d(x, w);
            const bool all = calls() < n;
            fail(0);
            BOOST_TEST(there::distance(y, conv2d(x.to(kCPU), w.to(kCPU))) < near, "call " << n);
            if (all) break;
        } catch (const Error& e) {
            fail(0);
            said.insert(e.msg());
        }
    }
    BOOST_TEST(said.count("conv: cuDNN: cudnnBackendExecute: CUDNN_STATUS_EXECUTION_FAILED: the kernel could not be "
                          "launched") == 1u);
    BOOST_TEST(said.count("conv: cuDNN: cudnnBackendFinalize: CUDNN_STATUS_INTERNAL_ERROR: out of memory") == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
