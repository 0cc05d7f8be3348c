// Members that are computed from other tensors of their module: the one mechanism under parametrizations, weight and
// spectral norm, and pruning.
#include <algorithm>

#include <reel/nn/module.hpp>

#include "module/members.hpp"

namespace reel::nn::detail {

void Entry::compute(Module& m, const std::string& name, std::shared_ptr<const Computation> how, const Tensor& now) {
    m.follow_members();
    m.check_replaceable(name);
    if (m.parameters_.contains(name)) m.parameters_.erase(name);
    if (m.buffers_.contains(name)) m.buffers_.erase(name);
    std::erase(m.non_persistent_, name);
    const std::shared_ptr<Entry> entry = m.entry_for(name, EntryKind::Computed);
    entry->prepare();
    entry->how = std::move(how);
    entry->computed = true;
    entry->tensor.refer_to(now);
    entry->write_members();
    auto& names = m.member_record().computed;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    m.call_flags_ |= computed_flag;
}
void Entry::stop_computing(Module& m, const std::string& name) {
    const std::shared_ptr<Entry> entry = computed_entry(m, name);
    if (!entry) return;
    entry->how = nullptr;
    entry->computed = false;
    std::erase(m.members_->computed, name);
    if (m.members_->computed.empty()) m.call_flags_ &= ~unsigned(computed_flag);
}
std::shared_ptr<Entry> Entry::computed_entry(const Module& m, const std::string& name) {
    if (!(m.call_flags_ & computed_flag)) return nullptr;
    const auto at = m.members_->entries.find(name);
    return at != m.members_->entries.end() && at->second->how ? at->second : nullptr;
}
bool Entry::is_persistent(const Module& m, const std::string& name) {
    return std::find(m.non_persistent_.begin(), m.non_persistent_.end(), name) == m.non_persistent_.end();
}
Tensor Entry::current(const Module& m, const std::string& name) {
    if (!m.members_) return {};
    const auto at = m.members_->entries.find(name);
    return at == m.members_->entries.end() ? Tensor() : static_cast<const Tensor&>(at->second->tensor);
}

void Entry::assign(const Tensor& t) {
    tensor.refer_to(t); // before anything looks at the members
    write_members();
    if (how->assign) how->assign(*owner, t);
    if (how->assign) recompute();
}
Tensor Entry::recompute() {
    const std::lock_guard lock(owner->member_record().computing);
    for (const std::ptrdiff_t offset : std::vector(members)) {
        if (same_at(offset)) continue;
        const Tensor given = tensor_at(offset);
        tensor.refer_to(given);
        write_members();
        if (given.defined() && how->assign) how->assign(*owner, given);
    }
    const Tensor value = how->value(*owner);
    tensor.refer_to(value);
    write_members();
    return value;
}
std::unique_lock<std::recursive_mutex> Entry::recompute_all(Module& m) {
    std::unique_lock lock(m.member_record().computing);
    m.follow_members();
    for (const std::string& name : std::vector(m.members_->computed))
        if (const auto entry = computed_entry(m, name)) entry->recompute();
    return lock;
}
void Entry::copy_computations(Module& to, const Module& from, const std::function<Tensor(const Tensor&)>& copy) {
    if (!(from.call_flags_ & computed_flag)) return;
    for (const std::string& name : from.members_->computed) {
        const Entry& entry = *from.members_->entries.at(name);
        compute(to, name, entry.how, entry.tensor.defined() ? copy(entry.tensor) : Tensor());
    }
}

} // namespace reel::nn::detail
