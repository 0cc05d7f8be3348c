// Any module between entries of a dictionary.
#pragma once

#include <functional>
#include <type_traits>

#include <reel/nn/modules/sequential.hpp>
#include <reel/rl/detail/wrapper_of.hpp>
#include <reel/rl/modules/tensordict_module_base.hpp>

namespace reel::rl {

/// Calls `module` (its hooks included) with the entries `in_keys` and writes what it returns - a tensor, or a tuple or
/// list with one tensor per key - under `out_keys`; the key "_" drops a result. Keys may be nested. State and
/// parameters are the module's, below "module".
///
/// Errors: KeyError naming the missing entry and the nearest ones there are; ValueError when the module returned
/// another number of results.
class TensorDictModuleImpl : public detail::WrapperOf<TensorDictModuleImpl> {
public:
    using detail::WrapperOf<TensorDictModuleImpl>::WrapperOf;
    static constexpr const char* printed_name = "TensorDictModule";
};
/// `TensorDictModule(nn::Linear(4, 2), {"observation"}, {"action_value"})`; a lambda does for a module.
class TensorDictModule : public nn::ModuleHolder<TensorDictModuleImpl> {
public:
    using nn::ModuleHolder<TensorDictModuleImpl>::ModuleHolder;
    using Impl [[maybe_unused]] = TensorDictModuleImpl;
    template <class M>
    TensorDictModule(M&& module, std::vector<NestedKey> in_keys, std::vector<NestedKey> out_keys)
        : ModuleHolder(std::make_shared<TensorDictModuleImpl>(detail::module_of(std::forward<M>(module)),
                                                              std::move(in_keys), std::move(out_keys))) {}
};

} // namespace reel::rl
