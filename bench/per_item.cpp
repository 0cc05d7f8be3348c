// What an item costs where there are few and where there are many: inputs and roots of a pass, entries of a state dict,
// parameters of a step, hooks. More than the caches hold has to come from memory: what that alone costs is the row
// per_item_touch, which looks at each tensor and its gradient and does nothing else.
#include <functional>
#include <string>
#include <vector>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn/module.hpp>
#include <reel/optim/adam.hpp>
#include <reel/optim/sgd.hpp>

#include "bench.hpp"

namespace bench {

using namespace reel;
using autograd::variable_list;

namespace {

double seen = 0; // keeps what is only looked at

variable_list leaves(std::size_t n) {
    variable_list r;
    r.reserve(n);
    for (std::size_t i = 0; i < n; ++i) r.push_back(ones({4}).requires_grad_());
    return r;
}
/// With a gradient each.
variable_list trained(std::size_t n) {
    variable_list r = leaves(n);
    for (Tensor& t : r) t.mutable_grad() = ones({4});
    return r;
}
struct Flat : nn::Module {
    explicit Flat(std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) register_parameter("p" + std::to_string(i), ones({4}));
    }
};

/// Work over so many items.
using Work = std::function<void()>;
void per_item(const std::string& name, const std::function<Work(std::size_t n)>& make) {
    for (const std::size_t n : {std::size_t(1000), std::size_t(100000)}) {
        const std::string row = "per_item_" + name + "(" + std::to_string(n) + ")";
        if (!wanted(row.c_str())) continue;
        const Work work = make(n);
        const int inner = int(100000 / n);
        figure(row.c_str(), median_us(work, inner, 15, inner) * 1000 / double(n), "ns");
    }
}

Work look_at_all(std::size_t n) {
    return [all = trained(n)] {
        for (const Tensor& t : all) seen += double(t.data_ptr<float>()[0] + t.mutable_grad().data_ptr<float>()[0]);
    };
}
Work grad_of_inputs(std::size_t n) {
    const variable_list x = leaves(n);
    return [x, y = cat(x).sum()] { seen += double(autograd::grad({y}, x, {}, true).size()); };
}
Work grad_of_inputs_of_their_own(std::size_t n) {
    const variable_list x = leaves(n);
    variable_list y;
    for (const Tensor& t : x) y.push_back(t * 2);
    return [x, y = cat(y).sum()] { seen += double(autograd::grad({y}, x, {}, true).size()); };
}
Work backward_into_leaves(std::size_t n) {
    const variable_list x = leaves(n);
    return [x, y = cat(x).sum()] {
        y.backward(Tensor(), true);
        for (const Tensor& t : x) t.mutable_grad() = Tensor();
    };
}
Work grad_from_roots(std::size_t n) {
    const Tensor x = ones({4}).requires_grad_();
    variable_list y;
    for (std::size_t i = 0; i < n; ++i) y.push_back(x * 2);
    return [x, y, seeds = variable_list(n, ones({4}))] { seen += double(autograd::grad(y, {x}, seeds, true).size()); };
}
Work load_state(std::size_t n) {
    const auto module = std::make_shared<Flat>(n);
    return [module, state = Flat(n).state_dict()] { module->load_state_dict(state); };
}
template <class Optimizer> Work step(std::size_t n) {
    const auto optimizer = std::make_shared<Optimizer>(trained(n), 1e-3);
    return [optimizer] { optimizer->step(); };
}
Work add_and_remove_hooks(std::size_t n) {
    const Tensor x = ones({4}).requires_grad_();
    return [x, n] {
        std::vector<RemovableHandle> handles;
        for (std::size_t i = 0; i < n; ++i)
            handles.push_back(x.register_hook([](const Tensor& g) { seen += g.defined(); }));
        for (RemovableHandle& h : handles) h.remove();
    };
}
Work run_hooks(std::size_t n) {
    const Tensor x = ones({4}).requires_grad_();
    for (std::size_t i = 0; i < n; ++i) x.register_hook([](const Tensor& g) { seen += g.defined(); });
    return [x] {
        (x * 2).sum().backward();
        x.mutable_grad() = Tensor();
    };
}

} // namespace

void per_item() {
    per_item("touch", look_at_all);
    per_item("grad_inputs", grad_of_inputs);
    per_item("grad_inputs_own_op", grad_of_inputs_of_their_own);
    per_item("backward_leaves", backward_into_leaves);
    per_item("grad_roots", grad_from_roots);
    per_item("load_state_dict", load_state);
    per_item("sgd_step", step<optim::SGD>);
    per_item("adam_step", step<optim::Adam>);
    per_item("hooks_add_remove", add_and_remove_hooks);
    per_item("hooks_run", run_hooks);
}

} // namespace bench
