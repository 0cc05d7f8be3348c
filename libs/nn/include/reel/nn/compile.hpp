// The seam between modules and what compiles their calls: modules know it by an interface, a library fills it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <reel/nn/call.hpp>
#include <reel/nn/module.hpp>

namespace reel::nn {

/// What runs in the place of one module's forward once `Module::compile()` was called.
class CompiledForward {
public:
    virtual ~CompiledForward() = default;
    /// What forward gives for these arguments. `forward` is forward itself, for calls that go eagerly.
    virtual Value call(const Args& args, const Kwargs& kwargs, detail::ForwardRef forward) = 0;
};

/// Makes it for a module, which outlives it.
using ForwardCompiler = std::shared_ptr<CompiledForward> (*)(Module& module);
/// For a library that compiles, when it is loaded.
void set_forward_compiler(ForwardCompiler compiler);

/// What stands in the place of the module's forward; null for a module that is not compiled.
CompiledForward* compiled_forward(const Module& module);
/// Why a call of `module` must run its forward for what others see in it: hooks on submodules or on all modules,
/// computed members. Null when it need not.
const char* forward_obstacle(const Module& module);
/// Appends what forward may depend on, for all modules of the tree: which they are, their training flags, which
/// tensors and memory their parameters and buffers have, what of them requires grad.
void forward_state(const Module& module, std::vector<std::uintptr_t>& into);

} // namespace reel::nn
