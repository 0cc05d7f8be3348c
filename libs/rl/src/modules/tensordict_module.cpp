#include <reel/rl/modules/tensordict_module.hpp>

namespace reel::rl::detail {

namespace {
bool is_dropped(const NestedKey& key) { return key.size() == 1 && key.back() == "_"; }

void write(const char* name, const nn::Module& module, const std::vector<NestedKey>& out_keys, const Value& result,
           TensorDict& tensordict) {
    const std::size_t n = result.isSequence() ? result.elements().size() : 1;
    REEL_CHECK_VALUE(n == out_keys.size(), name, ": ", module.repr_name(), " returned ", n,
                     n == 1 ? " result (" : " results (", result.repr(), "), expected one for each of the ",
                     out_keys.size(), " out_keys");
    for (std::size_t i = 0; i < n; ++i) {
        const Value& one = result.isSequence() ? result.elements()[i] : result;
        if (is_dropped(out_keys[i])) continue;
        REEL_CHECK_TYPE(one.isTensor(), name, ": ", module.repr_name(), " returned ", one.kind_name(),
                        " for the out_key ", out_keys[i].str(), ", expected a Tensor");
    }
    for (std::size_t i = 0; i < n; ++i)
        if (!is_dropped(out_keys[i]))
            tensordict.set(out_keys[i], (result.isSequence() ? result.elements()[i] : result).toTensor());
}
} // namespace

Value FunctionModuleImpl::forward_values(const Args& args, const Kwargs& kwargs) {
    REEL_CHECK_TYPE(args.size() == arguments_ && kwargs.empty(), "Function: expected ", arguments_,
                    " positional arguments, got ", args.size(), " and ", kwargs.size(), " by name");
    return function_(args);
}

void check_wrapped(const char* name, const nn::ModulePtr& module, const std::vector<NestedKey>& in_keys,
                   const std::vector<NestedKey>& out_keys) {
    REEL_CHECK_VALUE(module, name, ": the module is none");
    REEL_CHECK_VALUE(!in_keys.empty() && !out_keys.empty(), name,
                     ": expected at least one in_key and one out_key, got ", in_keys.size(), " and ", out_keys.size());
}

TensorDict call_between_keys(const char* name, nn::Module& module, const std::vector<NestedKey>& in_keys,
                             const std::vector<NestedKey>& out_keys, TensorDict tensordict) {
    Args args;
    args.reserve(in_keys.size());
    try {
        for (const NestedKey& key : in_keys) args.emplace_back(tensordict[key]);
    } catch (Error& e) {
        e.add_context(str("reading the in_keys of ", name, " around ", module.repr_name()));
        throw;
    }
    write(name, module, out_keys, module.call_values(args), tensordict);
    return tensordict;
}

} // namespace reel::rl::detail
