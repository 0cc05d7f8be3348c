#include <reel/rl/envs/step_mdp.hpp>

#include <algorithm>
#include <string_view>

#include "tensordict/dict_impl.hpp"

namespace reel::rl {
namespace {

using detail::DictImpl;

bool lists(const std::vector<NestedKey>& keys, std::string_view name) {
    return std::any_of(keys.begin(), keys.end(),
                       [&](const NestedKey& k) { return k.size() == 1 && k.front() == name; });
}
/// The keys that lie in the dictionary `name`, seen from there.
std::vector<NestedKey> inside(const std::vector<NestedKey>& keys, std::string_view name) {
    std::vector<NestedKey> result;
    for (const NestedKey& key : keys)
        if (key.size() > 1 && key.front() == name) result.push_back(key.tail());
    return result;
}

/// Entries of `from` into `to`, except for those listed; nested ones are merged. Empty dictionaries are not made.
void take_over(DictImpl& to, const DictImpl& from, const std::vector<NestedKey>& excluded, bool is_root) {
    for (const DictImpl::Slot& slot : from.slots) {
        if ((is_root && slot.name == "next") || lists(excluded, slot.name)) continue;
        if (slot.entry.is_tensor()) {
            to.put(slot.name, slot.entry);
            continue;
        }
        const DictImpl& nested = DictImpl::of(slot.entry.dict());
        DictImpl::Slot* there = to.find(slot.name);
        if (there && there->entry.is_dict()) {
            take_over(DictImpl::of(there->entry.dict()), nested, inside(excluded, slot.name), false);
            continue;
        }
        auto made = DictImpl::make(nested.batch_size, nested.device, nested.slots.size());
        take_over(*made, nested, inside(excluded, slot.name), false);
        if (!made->slots.empty()) to.put(slot.name, DictImpl::handle(std::move(made)));
    }
}

} // namespace

TensorDict step_mdp(const TensorDict& td, const std::optional<TensorDict>& next_td, const StepMdpOptions& options) {
    const TensorDict next = td.dict("next");
    std::vector<NestedKey> excluded;
    const auto exclude = [&](bool on, const std::vector<NestedKey>& keys) {
        if (on) excluded.insert(excluded.end(), keys.begin(), keys.end());
    };
    exclude(options.exclude_reward(), options.reward_keys());
    exclude(options.exclude_done(), options.done_keys());
    exclude(options.exclude_action(), options.action_keys());

    const DictImpl& root = DictImpl::of(td);
    auto result = DictImpl::make(root.batch_size, root.device, root.slots.size());
    TensorDict made = DictImpl::handle(result);
    if (options.keep_other()) take_over(*result, root, excluded, true);
    else if (!options.exclude_action())
        for (const NestedKey& key : options.action_keys())
            if (const Entry* action = td.find(key)) made.set(key, *action);
    take_over(*result, DictImpl::of(next), excluded, false);
    if (!next_td) return made;
    TensorDict given = *next_td;
    return given.update(made);
}

} // namespace reel::rl
