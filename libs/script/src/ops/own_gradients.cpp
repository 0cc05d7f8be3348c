// Differentiating inside a program.
#include <reel/autograd/backward.hpp>
#include <reel/autograd/error.hpp>

#include "ops/own.hpp"

namespace reel::jit::own {

namespace {

using Span = std::span<IValue>;

std::optional<bool> maybe(const IValue& v) { return v.isNone() ? std::nullopt : std::optional(v.toBool()); }
/// Seeds, of which none may be given, or None in the place of one.
autograd::variable_list seeds(const IValue& v) {
    autograd::variable_list out;
    if (v.isNone()) return out;
    for (const IValue& e : v.elements()) out.push_back(e.isNone() ? Tensor() : e.toTensor());
    return out;
}
/// tensor, gradient, retain_graph, create_graph
IValue backward(Span a) {
    const autograd::variable_list seed =
        a[1].isNone() ? autograd::variable_list{} : autograd::variable_list{a[1].toTensor()};
    autograd::backward({a[0].toTensor()}, seed, maybe(a[2]), a[3].toBool());
    return {};
}
/// tensors, grad_tensors, retain_graph, create_graph
IValue backward_of_list(Span a) {
    autograd::backward(a[0].toTensorVector(), seeds(a[1]), maybe(a[2]), a[3].toBool());
    return {};
}
/// outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused
IValue grad(Span a) {
    Args out;
    for (const Tensor& g : autograd::grad(a[0].toTensorVector(), a[1].toTensorVector(), seeds(a[2]), maybe(a[3]),
                                          a[4].toBool(), a[5].toBool()))
        out.push_back(g.defined() ? IValue(g) : IValue());
    return IValue::list(std::move(out));
}

constexpr Line lines[] = {
    {"aten::backward", backward, true},
    {"aten::backward.TensorList", backward_of_list, true},
    {"aten::grad", grad},
};

} // namespace

std::span<const Line> gradients() { return lines; }

} // namespace reel::jit::own
