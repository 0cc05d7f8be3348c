#include <reel/rl/envs/step_mdp.hpp>

#include <string_view>

#include "tensordict/dict_impl.hpp"

namespace reel::rl {
namespace {

using detail::DictImpl;

/// Keys to be left out: up to three lists of others, so that nothing is copied on the way of every step.
class Excluded {
public:
    void add(bool on, const std::vector<NestedKey>& keys) {
        if (on) lists_[count_++] = &keys;
    }
    bool has(std::string_view name) const {
        for (std::size_t i = 0; i < count_; ++i)
            for (const NestedKey& key : *lists_[i])
                if (key.size() == 1 && key.front() == name) return true;
        return false;
    }
    /// Those that lie in the dictionary `name`, as seen from there.
    std::vector<NestedKey> inside(std::string_view name) const {
        std::vector<NestedKey> result;
        for (std::size_t i = 0; i < count_; ++i)
            for (const NestedKey& key : *lists_[i])
                if (key.size() > 1 && key.front() == name) result.push_back(key.tail());
        return result;
    }

private:
    const std::vector<NestedKey>* lists_[3];
    std::size_t count_ = 0;
};

/// Entries of `from` into `to`, except for those listed; nested ones are merged. Empty dictionaries are not made.
void take_over(DictImpl& to, const DictImpl& from, const Excluded& excluded, bool is_root) {
    for (const DictImpl::Slot& slot : from.slots) {
        if ((is_root && slot.name == "next") || excluded.has(slot.name)) continue;
        if (slot.entry.is_tensor()) {
            to.put(slot.name, slot.entry);
            continue;
        }
        const DictImpl& nested = DictImpl::of(slot.entry.dict());
        const std::vector<NestedKey> keys = excluded.inside(slot.name);
        Excluded within;
        within.add(true, keys);
        DictImpl::Slot* there = to.find(slot.name);
        if (there && there->entry.is_dict()) {
            take_over(DictImpl::of(there->entry.dict()), nested, within, false);
            continue;
        }
        auto made = DictImpl::make(nested.batch_size, nested.device, nested.slots.size());
        take_over(*made, nested, within, false);
        if (!made->slots.empty()) to.put(slot.name, DictImpl::handle(std::move(made)));
    }
}

} // namespace

TensorDict step_mdp(const TensorDict& td, const std::optional<TensorDict>& next_td, const StepMdpOptions& options) {
    const TensorDict next = td.dict("next");
    Excluded excluded;
    excluded.add(options.exclude_reward(), options.reward_keys());
    excluded.add(options.exclude_done(), options.done_keys());
    excluded.add(options.exclude_action(), options.action_keys());

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
