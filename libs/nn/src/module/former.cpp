// Modules whose place another one took: who still uses them is told.
#include <algorithm>
#include <atomic>
#include <mutex>

#include <reel/autograd/registered.hpp>
#include <reel/nn/module.hpp>

#include "module/members.hpp"

namespace reel::nn {

using detail::Entry;

namespace {
std::mutex parents_mutex; // copies of one module may be made on several threads
std::atomic<bool> any_left = false;
/// Running calls of modules that have former children, on this thread.
thread_local std::vector<const Module*> calling;
} // namespace

std::vector<std::shared_ptr<Entry>> Module::registered_at() const {
    std::vector<std::shared_ptr<Entry>> r;
    if (!members_) return r;
    const std::lock_guard lock(parents_mutex);
    for (const auto& p : members_->parents)
        if (auto entry = p.lock(); entry && entry->child.get() == this) r.push_back(std::move(entry));
    return r;
}
bool Module::still_in_use() const {
    if (!any_left.load(std::memory_order_relaxed) || !members_) return true;
    const auto all = registered_at();
    if (all.empty()) return members_->left.empty();
    return std::any_of(all.begin(), all.end(), [](const auto& entry) { return entry->owner->still_in_use(); });
}
std::string Module::dotted_path() const {
    const auto all = registered_at();
    return all.empty() ? repr_name() : all.front()->owner->dotted_path() + "." + all.front()->name;
}

void Module::note_parent(Module& child, const std::shared_ptr<Entry>& entry) {
    {
        const std::lock_guard lock(parents_mutex);
        auto& all = child.member_record().parents;
        std::erase_if(all, [&](const auto& p) {
            const auto known = p.lock();
            return !known || known == entry;
        });
        all.push_back(entry);
    }
    if (child.members_->left.empty()) return;
    child.members_->left.clear(); // it is in use again
    child.call_flags_ &= ~unsigned(detail::left_flag);
    for (const auto& [name, p] : child.parameter_items({}, true, true)) autograd::impl::forget_left_place(p);
}
void Module::child_left(const std::string& name, Module& child) {
    const std::string place = dotted_path() + "." + name;
    any_left = true;
    child.member_record().left = place;
    if (child.still_in_use()) { // elsewhere, perhaps in what took its place
        child.member_record().left.clear();
        return;
    }
    child.member_record().left_by = this;
    child.member_record().warned = false;
    child.call_flags_ |= detail::left_flag;
    member_record().former.push_back(child.weak_from_this());
    call_flags_ |= detail::parent_flag;
    for (const auto& [at, p] : child.parameter_items(place, true, true)) autograd::impl::leave_place(p, at);
}

namespace detail {

void CallScope::enter(Module& m) {
    if (m.call_flags_ & left_flag) {
        ModuleMembers& mine = *m.members_;
        const std::string text = str("'", mine.left, "' is another module now, and the former one is called",
                                     ". Assign what replace_module returned to the member that forward calls, or make "
                                     "that member a holder, which follows");
        REEL_CHECK(std::find(calling.begin(), calling.end(), mine.left_by) == calling.end(), m.repr_name(), ": ", text);
        if (!mine.warned)
            REEL_WARN(m.repr_name(), ": ", text, "; a former module that lives on by itself may be called");
        mine.warned = true;
    }
    if (!(m.call_flags_ & parent_flag)) return;
    std::erase_if(m.members_->former, [](const auto& child) { return child.expired(); });
    if (m.members_->former.empty()) {
        m.call_flags_ &= ~unsigned(parent_flag);
        return;
    }
    calling.push_back(&m);
    entered_ = true;
}
void CallScope::leave() { calling.pop_back(); }

} // namespace detail

} // namespace reel::nn
