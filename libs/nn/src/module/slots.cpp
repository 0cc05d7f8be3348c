// Walks values in one fixed order, so that leaves, gradients and replacements line up.
#include "module/slots.hpp"

namespace reel::nn::detail {

namespace {
bool has_leaf(const Value& v) {
    std::vector<Tensor> leaves;
    collect_leaves(v, true, leaves);
    return !leaves.empty();
}
/// Rebuilds a container by mapping each child.
template <class F> Value map_children(const Value& v, F fn) {
    if (v.isGenericDict()) {
        ValueDict d;
        for (const auto& [key, value] : v.toGenericDict()) d.set(key, fn(value));
        return Value(std::move(d));
    }
    std::vector<Value> e;
    for (const Value& child : v.elements()) e.push_back(fn(child));
    return v.isTuple() ? Value::tuple(std::move(e)) : Value::list(std::move(e));
}
bool is_container(const Value& v) { return v.isSequence() || v.isGenericDict(); }
} // namespace

void collect_leaves(const Value& element, bool nested, std::vector<Tensor>& out) {
    if (element.isTensor()) {
        out.push_back(element.toTensor());
    } else if (nested && element.isSequence()) {
        for (const Value& v : element.elements()) collect_leaves(v, true, out);
    } else if (nested && element.isGenericDict()) {
        for (const auto& [key, value] : element.toGenericDict()) collect_leaves(value, true, out);
    }
}

Value with_leaves(const Value& element, bool nested, ArrayRef<Tensor> leaves, std::size_t& next) {
    if (element.isTensor()) return Value(leaves[next++]);
    if (!nested || !is_container(element) || !has_leaf(element)) return element;
    return map_children(element, [&](const Value& v) { return with_leaves(v, true, leaves, next); });
}

Value gradients_for(const Value& element, bool nested, ArrayRef<Tensor> grads, std::size_t& next) {
    if (element.isTensor()) {
        const Tensor& g = grads[next++];
        return g.defined() ? Value(g) : Value();
    }
    if (!nested || !is_container(element) || !has_leaf(element)) return Value();
    return map_children(element, [&](const Value& v) { return gradients_for(v, true, grads, next); });
}

void extract_gradients(const Value& element, bool nested, const Value& returned, std::vector<Value>& out) {
    if (element.isTensor()) {
        out.push_back(returned);
        return;
    }
    if (!nested || !is_container(element)) return;
    const auto children = [](const Value& v) {
        std::vector<Value> c;
        if (v.isGenericDict())
            for (const auto& [key, value] : v.toGenericDict()) c.push_back(value);
        else if (v.isSequence()) c = v.elements();
        return c;
    };
    const std::vector<Value> mine = children(element), theirs = children(returned);
    REEL_CHECK(returned.isNone() || theirs.size() == mine.size(), "backward hook: expected a ", element.kind_name(),
               " of ", mine.size(), " gradients or none for a structured argument, got ", returned.repr());
    for (std::size_t i = 0; i < mine.size(); ++i)
        extract_gradients(mine[i], true, returned.isNone() ? Value() : theirs[i], out);
}

} // namespace reel::nn::detail
