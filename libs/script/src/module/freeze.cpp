// Copies of script modules for inference.
#include <reel/script/freeze.hpp>

#include <atomic>

namespace reel::jit {

namespace {
std::atomic<bool> graph_executor_optimizes = true;

Module without_gradients(const char* op, const Module& module) {
    REEL_CHECK_VALUE(!module.is_training(), op, ": ", module.original_name(),
                     " is in training mode; expected eval mode: call .eval() before");
    const Module copy = module.deepcopy();
    copy->requires_grad_(false);
    for (const Tensor& buffer : copy.buffers())
        if (buffer.is_leaf()) buffer.requires_grad_(false);
    return copy;
}
} // namespace

Module freeze(const Module& module, const std::optional<std::vector<std::string>>& preserved_attrs, bool) {
    if (preserved_attrs)
        for (const std::string& name : *preserved_attrs)
            REEL_CHECK_WITH(AttributeError, module.hasattr(name) || module.find_method(name),
                            "freeze: ", module.original_name(), " has no attribute or method '", name, "' to preserve");
    return without_gradients("freeze", module);
}
Module optimize_for_inference(const Module& module, const std::vector<std::string>& other_methods) {
    for (const std::string& name : other_methods) module.get_method(name); // AttributeError names those that there are
    return without_gradients("optimize_for_inference", module);
}

void setGraphExecutorOptimize(bool on) { graph_executor_optimizes = on; }
bool getGraphExecutorOptimize() { return graph_executor_optimizes; }

} // namespace reel::jit
