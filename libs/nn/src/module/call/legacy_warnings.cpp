#include "module/call/legacy_warnings.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace reel::nn::detail {

namespace {
using Nodes = std::unordered_set<const autograd::Node*>;

bool all_tensors(const std::vector<Value>& values) {
    return std::all_of(values.begin(), values.end(), [](const Value& v) { return v.isTensor(); });
}
Nodes makers(const std::vector<Value>& tensors) {
    Nodes r;
    for (const Value& v : tensors)
        if (const Tensor t = v.toTensor(); t.defined())
            if (const autograd::NodePtr fn = t.grad_fn()) r.insert(fn.get());
    return r;
}
void warn_of(const Module& m, const char* what, const char* missing) {
    REEL_WARN_DEPRECATION(m.name(), ": a non-full backward hook runs although ", what, "; it will miss some of ",
                          missing, ". Use register_full_backward_hook");
}
} // namespace

void warn_of_legacy_hooks(const Module& m, const Args& args, const Value& result, const autograd::Node& node) {
    const bool one = result.isTensor();
    if (!one && !(result.isTuple() && all_tensors(result.elements())))
        return warn_of(m, "the module returns neither a tensor nor a tuple of tensors", "grad_output");
    if (!all_tensors(args)) return warn_of(m, "not all of the module's arguments are tensors", "grad_input");
    const Nodes out = one ? makers({result}) : makers(result.elements());
    if (out.size() > 1) return warn_of(m, "several nodes made the module's results", "grad_output");
    Nodes behind;
    for (std::uint32_t i = 0; i < node.num_outputs(); ++i) behind.insert(node.next_edge(i).function.get());
    if (behind != makers(args))
        warn_of(m, "several nodes lie between the module's arguments and its result", "grad_input");
}

} // namespace reel::nn::detail
