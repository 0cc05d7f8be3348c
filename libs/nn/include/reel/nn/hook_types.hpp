// Hooks of modules: their canonical forms over values, and their options.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <reel/autograd/hook_function.hpp>
#include <reel/autograd/hook_table.hpp>
#include <reel/nn/fwd.hpp>
#include <reel/nn/state_dict.hpp>

namespace reel::nn {

/// C-6, C-7. A result of none means "unchanged". One of the two forms is set: that over the first argument, a tensor,
/// costs least where all arguments are tensors. `with_kwargs`: the result is a tuple (args, kwargs).
struct ForwardPreHook {
    std::function<Value(Module&, const Args&, const Kwargs&)> fn = {};
    bool with_kwargs = false;
    std::function<Value(Module&, const Tensor& input)> over_tensor = {};
};
/// C-10; forms as above. `always_call`: runs although forward threw (C-27), where the output is none or undefined.
struct ForwardHook {
    std::function<Value(Module&, const Args&, const Kwargs&, const Value& output)> fn = {};
    bool with_kwargs = false, always_call = false;
    std::function<Value(Module&, const Tensor& input, const Tensor& output)> over_tensors = {};
};
/// One tensor of a module's arguments or result, however deep inside lists, dicts, tuples and structs, and its
/// gradient. `path` says where: `0` is the first argument (or the only result), `1.image` the field or key `image` of
/// the second, `0.2.mask` goes through a list.
struct GradSlot {
    std::string path;
    Tensor grad; ///< undefined: none
};
using GradSlots = std::vector<GradSlot>;
/// B-10: (module, grad_output). One of the three forms is set. That over tensors costs least where arguments are
/// tensors; that over slots sees, and may replace, the gradient of every tensor inside structured arguments.
struct BackwardPreHook {
    std::function<Value(Module&, const Value& grad_output)> fn = {};
    std::function<std::optional<variable_list>(Module&, const variable_list& grad_output)> over_tensors = {};
    std::function<std::optional<variable_list>(Module&, const GradSlots& grad_output)> over_slots = {};
};
/// B-11 (full) or B-41 (legacy): (module, grad_input, grad_output); forms as above.
struct BackwardHook {
    std::function<Value(Module&, const Value& grad_input, const Value& grad_output)> fn = {};
    std::function<std::optional<variable_list>(Module&, const variable_list& grad_input,
                                               const variable_list& grad_output)>
        over_tensors = {};
    std::function<std::optional<variable_list>(Module&, const GradSlots& grad_input, const GradSlots& grad_output)>
        over_slots = {};
    bool after_parameter_grads = false;
};
/// Returns what is to be stored instead, or none, or nothing.
using RegistrationHook = HookFunction<Value(Module&, const std::string& name, const Value& value)>;
using StateDictPreHook = std::function<void(Module&, const std::string& prefix, bool keep_vars)>;
/// Returns none or nothing (M-38).
using StateDictPostHook =
    HookFunction<Value(Module&, StateDict&, const std::string& prefix, ValueDict& local_metadata)>;
/// The lists that a load collects; hooks may edit them (M-40).
struct LoadLists {
    std::vector<std::string> missing, unexpected, errors;
};
using LoadStateDictPreHook = std::function<void(Module&, StateDict&, const std::string& prefix,
                                                const ValueDict& local_metadata, bool strict, LoadLists&)>;
/// Returns none or nothing.
using LoadStateDictPostHook = HookFunction<Value(Module&, IncompatibleKeys&)>;

struct ForwardPreOptions {
    bool prepend = false;
};
struct ForwardOptions {
    bool prepend = false, always_call = false;
};
struct BackwardPreOptions {
    bool prepend = false;
};
struct BackwardOptions {
    bool prepend = false;
    /// Run later in the same pass: once it has accumulated into every parameter of the module and its submodules that
    /// it reaches and that is not frozen, whatever else uses them; at once where that is none. The gradients were
    /// passed on by then, so that such a hook may only look: returning others is an Error. A pass that throws before
    /// leaves it out.
    bool after_parameter_grads = false;
};

} // namespace reel::nn
