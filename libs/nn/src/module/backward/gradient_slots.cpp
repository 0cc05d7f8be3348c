// Gradients laid out as the arguments or the result they belong to, and back.
#include "module/backward/gradient_slots.hpp"

#include "module/leaves.hpp"

namespace reel::nn::detail {

namespace {
Value gradients_for(const Value& element, ArrayRef<Tensor> grads, std::size_t& next) {
    if (element.isTensor()) {
        const Tensor& g = grads[next++];
        return g.defined() ? Value(g) : Value();
    }
    if (!is_container(element) || !has_leaf(element)) return Value();
    return map_children(element, [&](const Value& v) { return gradients_for(v, grads, next); });
}

/// `returned` is what a hook gave for this element.
void extract_gradients(const Value& element, const Value& returned, std::vector<Value>& out) {
    if (element.isTensor()) {
        out.push_back(returned);
        return;
    }
    if (!is_container(element)) return;
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
        extract_gradients(mine[i], returned.isNone() ? Value() : theirs[i], out);
}

void collect_paths(const Value& element, const std::string& path, GradSlots& out) {
    if (element.isTensor()) {
        out.push_back({path, Tensor()});
    } else if (element.isSequence()) {
        for (std::size_t i = 0; i < element.elements().size(); ++i)
            collect_paths(element.elements()[i], path + '.' + std::to_string(i), out);
    } else if (element.isGenericDict()) {
        for (const auto& [key, value] : element.toGenericDict())
            collect_paths(value, path + '.' + (key.isString() ? key.toStringRef() : key.repr()), out);
    }
}
} // namespace

Slots slots_of(const Args& elements, bool nested) {
    Slots slots{elements.size(), true, {}};
    for (const Value& v : elements) slots.all_tensors = slots.all_tensors && v.isTensor();
    if (slots.all_tensors) return slots;
    for (const Value& v : elements) {
        std::vector<Tensor> leaves;
        collect_leaves(v, nested, leaves);
        if (leaves.empty()) {
            slots.shape.emplace_back();
            continue;
        }
        for (Tensor& t : leaves) t = Tensor(); // still of kind Tensor, holding nothing
        std::size_t next = 0;
        slots.shape.push_back(with_leaves(v, nested, leaves, next));
    }
    return slots;
}

Value gradient_tuple(const Slots& slots, ArrayRef<Tensor> grads) {
    std::vector<Value> e;
    e.reserve(slots.count);
    std::size_t next = 0;
    if (slots.all_tensors)
        for (const Tensor& g : grads) e.push_back(g.defined() ? Value(g) : Value());
    else
        for (const Value& v : slots.shape) e.push_back(gradients_for(v, grads, next));
    return Value::tuple(std::move(e));
}

std::vector<Value> gradients_in(const Slots& slots, const Value& tuple) {
    if (slots.all_tensors) return tuple.elements();
    std::vector<Value> entries;
    for (std::size_t i = 0; i < slots.count; ++i) extract_gradients(slots.shape[i], tuple.elements()[i], entries);
    return entries;
}

GradSlots grad_slots(const Slots& slots, const Value& tuple) {
    GradSlots r;
    for (std::size_t i = 0; i < slots.count; ++i)
        if (slots.all_tensors) r.push_back({std::to_string(i), Tensor()});
        else collect_paths(slots.shape[i], std::to_string(i), r);
    const std::vector<Value> grads = gradients_in(slots, tuple);
    for (std::size_t i = 0; i < r.size(); ++i)
        if (grads[i].isTensor()) r[i].grad = grads[i].toTensor();
    return r;
}

} // namespace reel::nn::detail
