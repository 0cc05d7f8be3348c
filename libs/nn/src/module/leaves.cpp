// Walks values in one fixed order, so that leaves, gradients and replacements line up.
#include "module/leaves.hpp"

#include <algorithm>

namespace reel::nn::detail {

bool has_leaf(const Value& v) {
    if (v.isTensor()) return true;
    if (v.isSequence()) return std::any_of(v.elements().begin(), v.elements().end(), has_leaf);
    if (!v.isGenericDict()) return false;
    const ValueDict& d = v.toGenericDict();
    return std::any_of(d.begin(), d.end(), [](const auto& item) { return has_leaf(item.second); });
}

void collect_leaves(const Value& v, bool nested, std::vector<Tensor>& out) {
    if (v.isTensor()) {
        out.push_back(v.toTensor());
    } else if (nested && v.isSequence()) {
        for (const Value& child : v.elements()) collect_leaves(child, true, out);
    } else if (nested && v.isGenericDict()) {
        for (const auto& [key, value] : v.toGenericDict()) collect_leaves(value, true, out);
    }
}

variable_list tensors_of(const Value& v) {
    variable_list r;
    collect_leaves(v, true, r);
    return r;
}

Value with_leaves(const Value& v, bool nested, ArrayRef<Tensor> leaves, std::size_t& next) {
    if (v.isTensor()) return Value(leaves[next++]);
    if (!nested || !is_container(v) || !has_leaf(v)) return v;
    return map_children(v, [&](const Value& child) { return with_leaves(child, true, leaves, next); });
}

} // namespace reel::nn::detail
