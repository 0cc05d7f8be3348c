// The tensors inside a value: the leaves of lists, tuples and dicts, always in one order.
#pragma once

#include <utility>
#include <vector>

#include <reel/autograd/tensor.hpp>
#include <reel/nn/fwd.hpp>

namespace reel::nn::detail {

/// Appends the tensors of `v` to `out`: itself, or (when `nested`) the leaves of containers, in order.
void collect_leaves(const Value& v, bool nested, std::vector<Tensor>& out);
/// `v` with its leaves replaced by `leaves[next++]`.
Value with_leaves(const Value& v, bool nested, ArrayRef<Tensor> leaves, std::size_t& next);
/// Is there a tensor in `v`, however deep?
bool has_leaf(const Value& v);
/// All tensors in `v`, for observers.
variable_list tensors_of(const Value& v);

/// The container `v` with `fn` of each child in its place.
template <class F> Value map_children(const Value& v, F fn) {
    if (v.isGenericDict()) {
        ValueDict d;
        for (const auto& [key, value] : v.toGenericDict()) d.set(key, fn(value));
        for (const auto& [name, value] : v.toGenericDict().attributes()) // a boxed one stands for the old children
            if (!value.isBoxed()) d.set_attribute(name.toStringRef(), value);
        return Value(std::move(d));
    }
    std::vector<Value> e;
    for (const Value& child : v.elements()) e.push_back(fn(child));
    return v.isTuple() ? Value::tuple(std::move(e)) : Value::list(std::move(e));
}
inline bool is_container(const Value& v) { return v.isSequence() || v.isGenericDict(); }

} // namespace reel::nn::detail
