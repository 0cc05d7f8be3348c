// Saved tensors of a node from outside, and keeping them in the CPU's memory.
#include <reel/autograd/graph.hpp>

#include <reel/autograd/error.hpp>

#include "tape/function_node.hpp"
#include "tape/rule_node.hpp"

namespace reel::autograd::graph {

namespace {

SavedVariable* entry(Node& node, std::size_t i) {
    if (auto* const function = dynamic_cast<FunctionNode*>(&node)) return function->saved_entry(i);
    return saved_entry(node, i);
}
/// What is packed: the device to go back to, and the copy.
Value to_cpu(const Tensor& t, bool pin) {
    if (t.device().is_cpu()) return Value::tuple({Value(t.device()), Value(t)});
    const TensorOptions options = TensorOptions(kCPU).pinned_memory(pin);
    return Value::tuple({Value(t.device()), Value(t.to(options, pin))});
}
Tensor to_device(const Value& packed) {
    const Device device = packed.elements()[0].toDevice();
    const Tensor t = packed.elements()[1].toTensor();
    return t.device() == device ? t : t.to(TensorOptions(device));
}

} // namespace

save_on_cpu::save_on_cpu(bool pin_memory)
    : SavedTensorsHooksGuard([pin_memory](const Tensor& t) { return to_cpu(t, pin_memory); }, to_device) {}

Tensor SavedTensor::unpack() const {
    const SavedVariable* const saved = entry(*node_, index_);
    return saved ? saved->unpack(node_.get()) : Tensor();
}
void SavedTensor::register_hooks(PackHook pack, UnpackHook unpack) const {
    SavedVariable* const saved = entry(*node_, index_);
    REEL_CHECK(saved, "register_hooks: ", node_->name(), " saved nothing at ", index_);
    saved->register_hooks(std::move(pack), std::move(unpack));
}
std::vector<SavedTensor> saved_tensors(const NodePtr& node) {
    std::vector<SavedTensor> r;
    if (!node) return r;
    for (std::size_t i = 0; entry(*node, i); ++i) r.emplace_back(node, i);
    return r;
}

} // namespace reel::autograd::graph
