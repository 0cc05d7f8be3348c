// What only Reel has in C++: module calls and hooks. Each figure is a pass (or a call) with the hook minus the same one
// without, the two measured in turns. The hooks look at one value.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/hooks.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn/modules/linear.hpp>

#include "bench.hpp"

namespace bench {

using namespace reel;
using autograd::variable_list;
using nn::GradSlots;
using nn::Linear;
using nn::Module;

namespace {

int fired = 0; // keeps the hooks from being empty

/// Of one sort of timings: few disturbances are ever gains, so the lower end says what the code costs.
double lower_decile(std::vector<double> times) {
    std::nth_element(times.begin(), times.begin() + std::ptrdiff_t(times.size() / 10), times.end());
    return times[times.size() / 10];
}
/// Nanoseconds that `with` takes longer than `without`.
double extra_ns(const std::function<void()>& with, const std::function<void()>& without) {
    std::vector<double> longer, shorter;
    median_us(with, 500, 1, 1);
    median_us(without, 500, 1, 1);
    for (int i = 0; i < 201; ++i) {
        longer.push_back(median_us(with, 0, 1, 100));
        shorter.push_back(median_us(without, 0, 1, 100));
    }
    return (lower_decile(std::move(longer)) - lower_decile(std::move(shorter))) * 1000;
}

/// Forward and backward of a small layer.
std::function<void()> pass(Linear layer, bool input_needs_grad = true) {
    const Tensor x = randn({8}).requires_grad_(input_needs_grad);
    return [=]() mutable {
        layer(x).backward(Tensor(), std::nullopt, false);
        x.mutable_grad() = Tensor();
    };
}
/// Its forward alone.
std::function<void()> call_of(Linear layer) {
    const Tensor x = randn({8}).requires_grad_();
    return [=] { Tensor y = layer(x); };
}
using Make = std::function<void()> (*)(Linear);
void module_hook(const char* name, const std::function<void(Module&)>& add, Make make) {
    if (!wanted(name)) return;
    const Linear plain(8, 1), hooked(8, 1);
    add(*hooked);
    figure(name, extra_ns(make(hooked), make(plain)), "ns");
}
void backward_hook(const char* name, const std::function<void(Module&)>& add) {
    module_hook(name, add, [](Linear l) { return pass(std::move(l)); });
}
void look(Module&, const variable_list& gi, const variable_list& go) { fired += gi.size() == 1 && go[0].defined(); }

void forward_hooks() {
    module_hook(
        "hook_forward_pre",
        [](Module& m) { m.register_forward_pre_hook([](Module&, const Tensor& x) { fired += x.defined(); }); },
        call_of);
    module_hook(
        "hook_forward_pre_kwargs",
        [](Module& m) {
            m.register_forward_pre_hook([](Module&, const Args& a, const Kwargs&) { fired += int(a.size()); });
        },
        call_of);
    module_hook(
        "hook_forward",
        [](Module& m) {
            m.register_forward_hook([](Module&, const Tensor&, const Tensor& y) { fired += y.defined(); });
        },
        call_of);
    module_hook(
        "hook_forward_values",
        [](Module& m) {
            m.register_forward_hook([](Module&, const Args& a, const Value&) { fired += int(a.size()); });
        },
        call_of);
    module_hook(
        "hook_forward_kwargs",
        [](Module& m) {
            m.register_forward_hook(
                [](Module&, const Args& a, const Kwargs&, const Value&) { fired += int(a.size()); });
        },
        call_of);
    if (wanted("hook_forward_global")) {
        const Linear layer(8, 1);
        const auto calls = call_of(layer);
        // registered only while it is measured
        std::vector<double> longer, shorter;
        for (int i = 0; i < 201; ++i) {
            shorter.push_back(median_us(calls, 20, 1, 100));
            const ScopedHook hook(nn::register_module_forward_hook(
                [](Module&, const Tensor&, const Tensor& y) { fired += y.defined(); }));
            longer.push_back(median_us(calls, 20, 1, 100));
        }
        nn::hooks::reset_global_hooks();
        figure("hook_forward_global", (lower_decile(std::move(longer)) - lower_decile(std::move(shorter))) * 1000,
               "ns");
    }
}

void backward_hooks() {
    backward_hook("hook_full_backward", [](Module& m) { m.register_full_backward_hook(look); });
    backward_hook("hook_full_backward_values", [](Module& m) {
        m.register_full_backward_hook([](Module&, const Value& gi, const Value&) { fired += gi.isTuple(); });
    });
    backward_hook("hook_full_backward_slots", [](Module& m) {
        m.register_full_backward_hook([](Module&, const GradSlots& gi, const GradSlots&) { fired += int(gi.size()); });
    });
    backward_hook("hook_full_backward_after_params", [](Module& m) {
        m.register_full_backward_hook(look, nn::BackwardOptions{.after_parameter_grads = true});
    });
    backward_hook("hook_full_backward_pre", [](Module& m) {
        m.register_full_backward_pre_hook([](Module&, const variable_list& go) { fired += int(go.size()); });
    });
    module_hook(
        "hook_full_backward_no_input", [](Module& m) { m.register_full_backward_hook(look); },
        [](Linear l) { return pass(std::move(l), false); });
    if (wanted("hook_full_backward_nodes")) {
        // The identity nodes' share: one hook, minus what a further one adds.
        const Linear none(8, 1), one(8, 1), two(8, 1);
        one->register_full_backward_hook(look);
        for (int i = 0; i < 2; ++i) two->register_full_backward_hook(look);
        const double first = extra_ns(pass(one), pass(none)), further = extra_ns(pass(two), pass(one));
        figure("hook_full_backward_nodes", first - further, "ns");
    }
}

/// Hooks on the tape itself: on the result of x * w.
void tape_hook(const char* name, const std::function<void(Tensor&)>& add) {
    if (!wanted(name)) return;
    const Tensor x = randn({8}).requires_grad_(), seed = ones({8});
    const auto make = [=](bool hooked) {
        return [=] {
            Tensor y = x * 2;
            if (hooked) add(y);
            y.backward(seed);
            x.mutable_grad() = Tensor();
        };
    };
    figure(name, extra_ns(make(true), make(false)), "ns");
}
void tensor_hooks() {
    tape_hook("hook_tensor+registration",
              [](Tensor& y) { y.register_hook([](const Tensor& g) { fired += g.defined(); }); });
    tape_hook("hook_retain_grad", [](Tensor& y) { y.retain_grad(); });
    tape_hook("hook_node_pre+registration", [](Tensor& y) {
        y.grad_fn()->register_prehook(
            [](const variable_list&) -> std::optional<variable_list> { return ++fired, std::nullopt; });
    });
    tape_hook("hook_node_post+registration", [](Tensor& y) {
        y.grad_fn()->register_posthook([](const variable_list&, const variable_list&) -> std::optional<variable_list> {
            return ++fired, std::nullopt;
        });
    });
    const auto on_leaf = [](const char* name, const std::function<void(Tensor&)>& add) {
        if (!wanted(name)) return;
        Tensor plain = randn({8}).requires_grad_(), hooked = randn({8}).requires_grad_();
        const Tensor seed = ones({8});
        add(hooked);
        const auto make = [seed](const Tensor& x) {
            return [x, seed] {
                (x * 2).backward(seed);
                x.mutable_grad() = Tensor();
            };
        };
        figure(name, extra_ns(make(hooked), make(plain)), "ns");
    };
    on_leaf("hook_tensor", [](Tensor& x) { x.register_hook([](const Tensor& g) { fired += g.defined(); }); });
    on_leaf("hook_post_accumulate",
            [](Tensor& x) { x.register_post_accumulate_grad_hook([](const Tensor& t) { fired += t.defined(); }); });
    on_leaf("hook_multi_grad",
            [](Tensor& x) { autograd::register_multi_grad_hook({x}, [](const variable_list&) { ++fired; }); });
}

} // namespace

void hooks() {
    if (wanted("module_call_overhead")) {
        const NoGradGuard no_grad;
        nn::Identity identity;
        const Tensor x = randn({8});
        const double direct = median_us([&] { Tensor y = identity->forward(x); }, 1000, 31, 20000);
        const double call = median_us([&] { Tensor y = identity(x); }, 1000, 31, 20000);
        figure("module_call_overhead", (call - direct) * 1000, "ns");
    }
    forward_hooks();
    backward_hooks();
    tensor_hooks();
    if (wanted("full_backward_hook")) {
        const Linear plain(8, 1), hooked(8, 1);
        hooked->register_full_backward_hook(look);
        row("full_backward_hook", extra_ns(pass(hooked), pass(plain)) / 1000);
    }
}

} // namespace bench
