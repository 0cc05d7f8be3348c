#include "sharding/registry.hpp"

#include <mutex>
#include <unordered_map>

#include "sharding/unit.hpp"

namespace reel::distributed {

namespace {
struct Registry {
    std::mutex mutex;
    std::unordered_map<const void*, std::pair<const Unit*, std::size_t>> tensors;
    std::unordered_map<const void*, const Unit*> modules;
};
Registry& registry() {
    static auto* all = new Registry; // units of static modules end after every other static
    return *all;
}
} // namespace

std::optional<ShardOwner> owner_of(const Tensor& tensor) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    const auto found = all.tensors.find(tensor.unsafeGetTensorImpl());
    if (found == all.tensors.end()) return std::nullopt;
    const auto unit = const_cast<Unit*>(found->second.first)->weak_from_this().lock();
    if (!unit) return std::nullopt;
    return ShardOwner{unit, found->second.second};
}
bool is_sharded(const nn::Module& module) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    return all.modules.contains(&module);
}
void register_unit(const std::shared_ptr<Unit>& unit, const nn::Module& module) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    all.modules[&module] = unit.get();
    for (std::size_t i = 0; i < unit->parameters().size(); ++i)
        all.tensors[unit->parameters()[i].local.unsafeGetTensorImpl()] = {unit.get(), i};
}
void forget_unit(const Unit& unit) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    std::erase_if(all.tensors, [&](const auto& item) { return item.second.first == &unit; });
    std::erase_if(all.modules, [&](const auto& item) { return item.second == &unit; });
}

} // namespace reel::distributed
