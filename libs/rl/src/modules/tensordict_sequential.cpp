#include <reel/rl/modules/tensordict_sequential.hpp>

#include <algorithm>

namespace reel::rl::detail {

namespace {
bool contains(const std::vector<NestedKey>& keys, const NestedKey& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}
TensorDictModuleBase& module_at(const nn::ModuleListImpl& modules, std::size_t i) {
    nn::Module* const module = modules.ptr(std::int64_t(i)).get();
    auto* const base = dynamic_cast<TensorDictModuleBase*>(module);
    REEL_CHECK_TYPE(base, "TensorDictSequential: module ", i, " is a ", module ? module->repr_name() : "none",
                    ", expected a module over dictionaries");
    return *base;
}
} // namespace

SequenceKeys keys_of_sequence(const char* name, const std::vector<AnyTensorDictModule>& modules) {
    REEL_CHECK_VALUE(!modules.empty(), name, ": expected at least one module");
    SequenceKeys keys;
    for (const AnyTensorDictModule& module : modules) {
        for (const NestedKey& key : module->in_keys())
            if (!contains(keys.out, key) && !contains(keys.in, key)) keys.in.push_back(key);
        for (const NestedKey& key : module->out_keys())
            if (!contains(keys.out, key) && key != NestedKey("_")) keys.out.push_back(key);
    }
    return keys;
}
std::shared_ptr<nn::ModuleListImpl> list_of(const std::vector<AnyTensorDictModule>& modules) {
    auto list = std::make_shared<nn::ModuleListImpl>();
    for (const AnyTensorDictModule& module : modules) list->push_back(module.module());
    return list;
}
TensorDict run_sequence(const nn::ModuleListImpl& modules, TensorDict tensordict) {
    for (std::size_t i = 0; i < modules.size(); ++i) tensordict = module_at(modules, i)(std::move(tensordict));
    return tensordict;
}
DistributionPtr dist_of_sequence(const char* name, const nn::ModuleListImpl& modules,
                                 const std::vector<NestedKey>& in_keys, const TensorDict& tensordict) {
    REEL_CHECK_VALUE(modules.size() > 0, name, ": get_dist: there is no module");
    TensorDict scratch = tensordict.select(in_keys);
    for (std::size_t i = 0; i + 1 < modules.size(); ++i) scratch = module_at(modules, i)(std::move(scratch));
    return module_at(modules, modules.size() - 1).get_dist(std::move(scratch));
}

} // namespace reel::rl::detail
