// Resets, whole and partial, and the flags that ask for them.
#include <algorithm>
#include <cstring>

#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/rl/envs/env_base.hpp>

#include "envs/masks.hpp"
#include "specs/spec_impl.hpp"

namespace reel::rl {

Tensor EnvBase::ended(const TensorDict& td, const DoneGroup& group) const {
    Tensor flags;
    for (const NestedKey* key : {&group.done, &group.terminated, &group.truncated}) {
        const Entry* flag = td.find(*key);
        if (flag) flags = flags.defined() ? detail::either(flags, flag->tensor()) : flag->tensor();
    }
    return flags;
}
bool EnvBase::any_done(const TensorDict& td) const {
    return std::any_of(groups_.begin(), groups_.end(), [&](const DoneGroup& group) {
        const auto set = [&](const NestedKey& key) {
            const Entry* flag = td.find(key);
            return flag && detail::any_set(flag->tensor());
        };
        return set(group.done) || set(group.truncated) || set(group.terminated);
    });
}
bool EnvBase::all_done(const TensorDict& td) const {
    return std::all_of(groups_.begin(), groups_.end(), [&](const DoneGroup& group) {
        const Tensor flags = ended(td, group);
        return flags.defined() && detail::all_set(flags);
    });
}
bool EnvBase::nothing_to_reset(const TensorDict& td) const {
    bool asked = false, set = false;
    for (const DoneGroup& group : groups_) {
        const Entry* entry = td.find(group.reset);
        if (!entry) continue;
        const Tensor& mask = entry->tensor();
        const std::vector<std::int64_t>& sizes = specs_.done[group.done].shape();
        const bool without_last =
            !sizes.empty() && sizes.back() == 1 && mask.sizes().equals(IntArrayRef(sizes.data(), sizes.size() - 1));
        REEL_CHECK(without_last || mask.sizes().equals(sizes), name(), ".reset: expected the mask ", group.reset.str(),
                   " of sizes ", detail::sizes_text(sizes), ", those of ", group.done.str(),
                   " (a last 1 may be left out), got ", detail::sizes_text(mask.sizes().vec()));
        REEL_CHECK_TYPE(mask.scalar_type() == kBool, name(), ".reset: expected the mask ", group.reset.str(),
                        " of dtype bool, got ", dtype_name(mask.scalar_type()));
        asked = true;
        set |= detail::any_set(mask);
    }
    return asked && !set;
}

void EnvBase::complete_done(TensorDict& td) const {
    for (const DoneGroup& group : groups_) {
        const Entry *d = td.find(group.done), *te = td.find(group.terminated), *tr = td.find(group.truncated);
        if (d && te && tr) [[likely]]
            continue;
        // (copies: entries move when others are added)
        Tensor done = d ? d->tensor() : Tensor(), terminated = te ? te->tensor() : Tensor(),
               truncated = tr ? tr->tensor() : Tensor();
        if (!done.defined())
            done = terminated.defined() && truncated.defined() ? reel::logical_or(terminated, truncated)
                   : terminated.defined()                      ? terminated.clone()
                   : truncated.defined()                       ? truncated.clone()
                                                               : specs_.done[group.done].zero();
        const auto rest = [&](const Tensor& other) {
            return other.defined() ? reel::logical_and(done, reel::logical_not(other)) : done.clone();
        };
        if (!terminated.defined()) terminated = rest(truncated);
        if (!truncated.defined()) truncated = rest(terminated);
        td.set(group.done, done).set(group.terminated, terminated).set(group.truncated, truncated);
    }
}

Tensor EnvBase::reset_mask(const std::optional<TensorDict>& td) const {
    return td ? detail::batch_mask(*td, batch_size(), name()) : Tensor();
}

TensorDict EnvBase::checked_reset(const std::optional<TensorDict>& td) {
    check_ready("reset", td ? &*td : nullptr);
    TensorDict fresh = do_reset(td);
    complete_done(fresh);
    return fresh;
}
TensorDict EnvBase::reset(const std::optional<TensorDict>& td) {
    if (!td) return checked_reset(td);
    check_ready("reset", &*td);
    if (nothing_to_reset(*td)) return td->exclude(reset_keys_);
    return merged(*td, checked_reset(td));
}
TensorDict EnvBase::maybe_reset(const TensorDict& td) {
    if (!any_done(td)) return td;
    TensorDict asked = td.clone(false);
    for (const DoneGroup& group : groups_)
        if (const Tensor flags = ended(td, group); flags.defined()) asked.set(group.reset, flags);
    return reset(asked);
}

TensorDict EnvBase::merged(const TensorDict& td, const TensorDict& fresh) const {
    TensorDict result = td.clone(false);
    std::vector<std::pair<NestedKey, Tensor>> masks; // the longest prefix first
    for (const DoneGroup& group : groups_) {
        std::optional<Entry> mask = result.pop_if(group.reset);
        if (!mask || detail::all_set(mask->tensor())) continue;
        Tensor flags = mask->tensor();
        if (flags.dim() == std::int64_t(specs_.done[group.done].shape().size())) flags = flags.squeeze(-1);
        masks.emplace_back(group.reset, flags);
    }
    if (masks.empty()) return result.update(fresh);
    std::sort(masks.begin(), masks.end(), [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
    for (const NestedKey& key : fresh.keys(true, true)) {
        const Tensor value = fresh[key];
        const Entry* before = td.find(key);
        const auto mask = std::find_if(masks.begin(), masks.end(), [&](const auto& m) {
            const auto prefix = m.first.path().slice(0, m.first.size() - 1);
            return prefix.size() < key.size() && key.path().slice(0, prefix.size()).equals(prefix);
        });
        if (mask == masks.end() || !before || before->is_dict() || !before->tensor().sizes().equals(value.sizes()))
            result.set(key, value);
        else result.set(key, detail::where_rows(mask->second, value, before->tensor()));
    }
    return result;
}

} // namespace reel::rl
