// Members and tables of a module are one: who changed is followed by the other.
#include "module/members.hpp"

#include <pthread.h>

#include <algorithm>
#include <functional>
#include <mutex>

#include <reel/autograd/node.hpp>
#include <reel/nn/detail/module_access.hpp>
#include <reel/nn/module.hpp>

#include "module/hooks/tables.hpp"

namespace reel::nn {

namespace detail {

namespace {
/// Distance between two places of which one may lie outside of the object: by numbers.
std::ptrdiff_t distance(const void* from, const void* to) {
    return std::ptrdiff_t(reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from));
}
/// Bounds of this thread's stack.
struct Stack {
    Stack() {
        pthread_attr_t attributes;
        if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
        void* at = nullptr;
        std::size_t size = 0;
        if (pthread_attr_getstack(&attributes, &at, &size) == 0) low = static_cast<char*>(at), high = low + size;
        pthread_attr_destroy(&attributes);
    }
    bool contains(const void* p) const { return !std::less<>()(p, low) && std::less<>()(p, high); }
    const char *low = nullptr, *high = nullptr;
};
/// A variable of a function cannot be a member of a module that is somewhere else.
bool is_variable(const void* place, const Module* m) {
    thread_local const Stack stack;
    return stack.contains(place) && !stack.contains(m);
}
} // namespace

void Entry::seen_in(Tensor& handle) { note(&handle, identity(), false); }
void Entry::seen_in(ModulePtr& slot, bool (*holder_fits)(const Module&)) {
    fits = holder_fits;
    note(&slot, identity(), false);
}
void Entry::given_in(const Tensor& handle) { note(&handle, handle.unsafeGetTensorImpl(), true); }
void Entry::given_in(const ModulePtr& slot, bool (*holder_fits)(const Module&)) {
    if (!fits) fits = holder_fits;
    note(&slot, slot.get(), true);
}
void seen_in_holder(const std::weak_ptr<Entry>& entry, ModulePtr& slot, bool (*fits)(const Module&)) {
    if (const auto e = entry.lock()) e->seen_in(slot, fits);
}
void given_in_holder(const std::weak_ptr<Entry>& entry, const ModulePtr& slot, bool (*fits)(const Module&)) {
    if (const auto e = entry.lock()) e->given_in(slot, fits);
}
void Entry::note(const void* place, const void* what, bool was_given) {
    if (is_variable(place, owner)) return;
    const std::ptrdiff_t offset = offset_of(place);
    const auto knows = [&](const Entry& e) {
        return std::find(e.members.begin(), e.members.end(), offset) != e.members.end() ||
               std::any_of(e.seen.begin(), e.seen.end(), [&](const Seen& s) { return s.offset == offset; });
    };
    for (Entry* other : std::vector(owner->member_record().watched)) {
        if (was_given && knows(*other)) return; // of this entry already, or tied to another one
        if (other == this) continue;
        std::erase(other->members, offset); // what it gets last it is
        std::erase_if(other->seen, [&](const Seen& s) { return s.offset == offset; });
    }
    if (std::find(members.begin(), members.end(), offset) != members.end()) {
        if (given == offset) given.reset();
        return;
    }
    watch();
    std::erase_if(seen, [&](const Seen& known) { return known.offset == offset; });
    seen.push_back({offset, what, was_given});
    settle();
    if (!seen.empty()) owner->call_flags_ |= unsettled_flag;
}
void Entry::watch() {
    auto& all = owner->member_record().watched;
    if (std::find(all.begin(), all.end(), this) == all.end()) all.push_back(this);
}
bool Entry::settle() {
    if (seen.empty()) return true;
    const Extent object = ModuleAccess::extent(*owner);
    const ModuleMembers& told = owner->member_record();
    const std::ptrdiff_t size = kind == EntryKind::Child ? sizeof(ModulePtr) : sizeof(Tensor),
                         begin = object.begin ? offset_of(object.begin) : 0;
    const auto within = [&](std::ptrdiff_t offset) {
        return (begin <= offset && offset + size <= begin + std::ptrdiff_t(object.size)) ||
               (told.low <= offset && offset + size <= told.high);
    };
    // What lies outside is kept: the object may turn out to be larger, a class derived from the one that tells.
    const auto outside =
        std::stable_partition(seen.begin(), seen.end(), [&](const Seen& s) { return !within(s.offset); });
    if (outside != seen.end()) {
        for (auto s = outside; s != seen.end(); ++s) {
            if (identity_at(s->offset) == s->what && s->what != identity()) write(s->offset); // registered again since
            members.push_back(s->offset);
            if (s->given) given = s->offset;
        }
        const bool better = std::any_of(outside, seen.end(), [](const Seen& s) { return !s.given; });
        if (better && given) std::erase(members, *std::exchange(given, std::nullopt));
        seen.erase(outside, seen.end());
    }
    return object.begin || told.low < told.high;
}
void Entry::prepare() {
    if (copied) { // the copy is being made: its members are told by who registers there
        seen.clear();
        members.clear();
        copied = false;
    } else settle();
}
Tensor& Entry::tensor_at(std::ptrdiff_t offset) const {
    return *reinterpret_cast<Tensor*>(reinterpret_cast<std::uintptr_t>(owner) + std::uintptr_t(offset));
}
ModulePtr& Entry::child_at(std::ptrdiff_t offset) const {
    return *reinterpret_cast<ModulePtr*>(reinterpret_cast<std::uintptr_t>(owner) + std::uintptr_t(offset));
}
std::ptrdiff_t Entry::offset_of(const void* place) const { return distance(owner, place); }
const void* Entry::identity() const {
    return kind == EntryKind::Child ? static_cast<const void*>(child.get()) : tensor.unsafeGetTensorImpl();
}
const void* Entry::identity_at(std::ptrdiff_t offset) const {
    return kind == EntryKind::Child ? static_cast<const void*>(child_at(offset).get())
                                    : tensor_at(offset).unsafeGetTensorImpl();
}
bool Entry::same_at(std::ptrdiff_t offset) const {
    const void* member = identity_at(offset);
    return member == identity() || (vacated && !member);
}
void Entry::write(std::ptrdiff_t offset) {
    if (kind == EntryKind::Child && vacated) child_at(offset) = nullptr;
    else if (identity_at(offset) == identity()) return;
    else if (kind == EntryKind::Child) child_at(offset) = child;
    else tensor_at(offset) = static_cast<const Tensor&>(tensor);
}
bool Entry::member_differs() const {
    return std::any_of(members.begin(), members.end(), [&](std::ptrdiff_t offset) { return !same_at(offset); });
}
void Entry::write_members() {
    for (const std::ptrdiff_t offset : members) write(offset);
}
void Entry::lend(Module& m, const std::string& name, EntryKind kind, const Tensor& t) {
    const std::shared_ptr<Entry> entry = m.entry_for(name, kind);
    entry->prepare();
    (kind == EntryKind::Parameter ? m.parameters_ : m.buffers_).insert_or_assign(name, t);
    entry->computed = false;
    entry->tensor.refer_to(t);
    entry->write_members();
}
bool Entry::holds(const Tensor& t) const {
    return kind == EntryKind::Parameter && !computed && tensor.is_same(t) && !member_differs() && owner->still_in_use();
}
void Entry::refresh() { owner->look_at_members(); }
void Entry::set_flag(Module& m, unsigned flag, bool on) {
    m.call_flags_ = on ? m.call_flags_ | flag : m.call_flags_ & ~flag;
}

} // namespace detail

using detail::Entry;
using detail::EntryKind;

detail::ModuleMembers& Module::member_record() {
    if (!members_) members_ = std::make_shared<detail::ModuleMembers>();
    return *members_;
}
std::shared_ptr<Entry> Module::entry_for(const std::string& name, EntryKind kind) {
    std::shared_ptr<Entry>& entry = member_record().entries[name];
    if (entry && entry->kind != kind) { // the name moves to another table
        entry->tensor.refer_to(Tensor());
        if ((entry->kind == EntryKind::Child) != (kind == EntryKind::Child)) {
            entry->child = nullptr;
            entry->write_members();
            std::erase(member_record().watched, entry.get());
            entry = nullptr;
        } else entry->kind = kind;
    }
    if (!entry) {
        entry = std::make_shared<Entry>(*this, name, kind);
        entry->tensor = Registered(Tensor(), entry);
    }
    return entry;
}

void Module::learn_extent(detail::Extent object) {
    if (!(call_flags_ & detail::unsettled_flag)) return;
    static std::recursive_mutex learning; // the first calls may be on several threads
    const std::lock_guard lock(learning);
    detail::ModuleMembers& m = member_record();
    const std::ptrdiff_t low = detail::distance(this, object.begin), high = low + std::ptrdiff_t(object.size);
    m.low = std::min(m.low, low);
    m.high = std::max(m.high, high);
    look_at_members();
    call_flags_ &= ~unsigned(detail::unsettled_flag);
}
void Module::look_at_members() {
    detail::ModuleMembers& m = *members_;
    if (m.following) return; // a registration hook looks at the tables
    std::vector<std::shared_ptr<Entry>> changed;
    for (Entry* entry : m.watched) {
        if (entry->copied) entry->copied = false;
        entry->settle();
        if (entry->member_differs()) changed.push_back(m.entries.at(entry->name));
    }
    if (changed.empty()) return;
    struct Following {
        explicit Following(bool& f) : flag(f) { flag = true; }
        ~Following() { flag = false; }
        bool& flag;
    } following(m.following);
    for (const auto& entry : changed) adopt_member(*entry);
}
void Module::adopt_member(Entry& entry) {
    for (const std::ptrdiff_t offset : std::vector(entry.members)) {
        if (entry.same_at(offset)) continue;
        if (entry.kind == EntryKind::Child) {
            const ModulePtr member = entry.child_at(offset);
            put_child(entry.name, detail::seen_by_registration_hooks(*this, entry.name, member));
        } else {
            const Tensor member = entry.tensor_at(offset);
            adopt_tensor(entry, member);
        }
        return;
    }
}
void Module::adopt_tensor(Entry& entry, const Tensor& member) {
    if (entry.kind == EntryKind::Computed) return void(entry.recompute());
    const bool parameter = entry.kind == EntryKind::Parameter;
    const bool left = parameter && member.defined() &&
                      (member.grad_fn() || (entry.computed && !Parameter::is(member))); // stays what forward reads
    if (left) {
        entry.computed = true;
        entry.tensor.refer_to(member);
        entry.write_members();
        parameters_[entry.name] = Tensor();
        return;
    }
    Tensor t = member;
    if (parameter && t.defined()) {
        const Tensor& old = parameters_[entry.name];
        const bool differentiable = isDifferentiableType(t.scalar_type());
        REEL_CHECK_TYPE(differentiable || (old.defined() && !isDifferentiableType(old.scalar_type())), repr_name(),
                        ": the member of parameter '", entry.name, "' was assigned a ", dtype_name(t.scalar_type()),
                        " tensor; expected a floating or complex one, a Parameter, or an undefined one");
        if (!Parameter::is(t)) {
            if (differentiable && !t.requires_grad()) t.requires_grad_(!old.defined() || old.requires_grad());
            t.impl()->is_parameter = true;
        }
        if (const auto& hooks = detail::registration_hooks().parameter)
            t = detail::run_registration_hooks(hooks, *this, entry.name, Value(t)).toTensor();
    }
    put_tensor(entry.name, entry.kind, t);
}

Registered& Module::put_tensor(const std::string& name, EntryKind kind, const Tensor& t) {
    const std::shared_ptr<Entry> entry = entry_for(name, kind);
    auto& table = kind == EntryKind::Parameter ? parameters_ : buffers_;
    const Tensor* known = table.find(name);
    const Tensor old = known ? *known : Tensor();
    entry->prepare();
    table.insert_or_assign(name, t);
    entry->computed = false;
    entry->tensor.refer_to(t);
    entry->write_members();
    if (kind == EntryKind::Parameter && !t.is_same(old)) {
        if (t.defined()) autograd::impl::enter_place(t, entry);
        if (t.defined() && old.defined()) autograd::impl::leave_place(old, dotted_path() + "." + name);
    }
    return entry->tensor;
}
std::shared_ptr<Entry> Module::put_child(const std::string& name, const ModulePtr& child) {
    const std::shared_ptr<Entry> entry = entry_for(name, EntryKind::Child);
    entry->prepare();
    const ModulePtr* known = children_.find(name);
    const ModulePtr old = known ? *known : nullptr;
    children_.insert_or_assign(name, child);
    entry->child = child;
    entry->vacated = child && entry->fits && !entry->fits(*child);
    entry->write_members();
    if (child == old) return entry;
    if (child) note_parent(*child, entry);
    if (child && old) child_left(name, *old);
    return entry;
}
void Module::drop_entry(const std::string& name, bool clear_members) {
    if (!members_) return;
    const auto at = members_->entries.find(name);
    if (at == members_->entries.end()) return;
    const std::shared_ptr<Entry> entry = at->second;
    entry->settle();
    std::erase(members_->watched, entry.get());
    members_->entries.erase(at);
    if (!clear_members) return;
    entry->tensor.refer_to(Tensor());
    entry->child = nullptr;
    entry->write_members();
}
Tensor Module::computed_member(const std::string& name) const {
    if (!members_) return {};
    const auto at = members_->entries.find(name);
    return at != members_->entries.end() && at->second->computed ? static_cast<const Tensor&>(at->second->tensor)
                                                                 : Tensor();
}
void Module::check_replaceable(const std::string& name) const {
    if (!members_) return;
    const auto at = members_->entries.find(name);
    if (at == members_->entries.end() || at->second->settle()) return;
    const auto& seen = at->second->seen;
    REEL_CHECK(
        std::all_of(seen.begin(), seen.end(), [](const auto& s) { return s.given; }), this->name(), ": '", name,
        "' cannot be replaced: it was given to a handle, and whether that is a member of the class is not known. "
        "Hold the module by a holder (REEL_MODULE), register it in another module, call it by nn::call, or "
        "derive the class from Cloneable");
}
void Module::forget_entries() {
    parameters_.clear();
    buffers_.clear();
    children_.clear();
    hooks_.reset();
    if (members_) members_->watched.clear(), members_->entries.clear(), members_->computed.clear();
    call_flags_ = 0;
}
void Module::copy_members(const Module& other) {
    if (members_) members_->watched.clear(), members_->entries.clear(), members_->computed.clear();
    call_flags_ = other.call_flags_ & (detail::hooks_flag | detail::computed_flag | detail::lazy_flag);
    if (!other.members_ || other.members_->entries.empty()) return;
    member_record().computed = other.members_->computed;
    for (const auto& [name, from] : other.members_->entries) {
        const std::shared_ptr<Entry> entry = entry_for(name, from->kind);
        entry->copied = true;
        entry->computed = from->computed;
        entry->fits = from->fits;
        entry->how = from->how;
        entry->vacated = from->vacated;
        entry->tensor.refer_to(from->tensor);
        entry->child = from->child;
        entry->seen = from->seen;
        for (const std::ptrdiff_t offset : from->members) entry->seen.push_back({offset, from->identity(), false});
        if (!entry->seen.empty()) {
            entry->watch();
            call_flags_ |= detail::unsettled_flag;
        }
        if (from->kind == EntryKind::Parameter && !from->computed && from->tensor.defined())
            autograd::impl::enter_place(from->tensor, entry);
        if (from->child) note_parent(*from->child, entry);
    }
}
void Module::move_members(Module& other) noexcept {
    members_ = std::exchange(other.members_, nullptr);
    call_flags_ = std::exchange(other.call_flags_, 0);
    if (!members_) return;
    for (const auto& [name, entry] : members_->entries) entry->owner = this;
}

} // namespace reel::nn
