// Who takes forwards of called modules on this thread: a trace, nobody else.
#pragma once

#include <reel/nn/detail/typed_call.hpp>

namespace reel::nn::detail {

/// Stands between a module's hooks and its forward while a ModuleCallScope of it lives, as `reel::ops::OpCallMode` does
/// for ops.
class ModuleCallMode {
public:
    virtual ~ModuleCallMode();
    /// Gives what the forward would; `forward` runs it.
    virtual Value take(Module& m, const Args& args, const Kwargs& kwargs, ForwardRef forward) = 0;
};

/// While it lives, `mode` takes the calls of this thread; null: nobody does. Scopes nest.
class ModuleCallScope {
public:
    explicit ModuleCallScope(ModuleCallMode* mode);
    ~ModuleCallScope();
    ModuleCallScope(const ModuleCallScope&) = delete;
    ModuleCallScope& operator=(const ModuleCallScope&) = delete;

private:
    ModuleCallMode* around_;
};
/// Null where nobody takes calls of modules.
ModuleCallMode* module_call_mode();

} // namespace reel::nn::detail
