// update and update_: everything is checked before the first entry changes.

#include "tensordict/storing.hpp"

namespace reel::rl {

using namespace detail;

namespace {

void check_update(const TensorDict& into, const TensorDict& other, const Path& path) {
    for (const DictImpl::Slot& slot : DictImpl::of(other).slots) {
        const Path own(path, slot.name);
        const Entry* there = find_path(into, slot.name);
        if (there && there->is_dict() && slot.entry.is_dict()) {
            if (!there->dict().is(slot.entry.dict())) check_update(there->dict(), slot.entry.dict(), own);
        } else check_fits("update", DictImpl::of(into), own, slot.entry);
    }
}
void take_over(const TensorDict& into, const TensorDict& other) {
    DictImpl& to = DictImpl::of(into);
    for (const DictImpl::Slot& slot : DictImpl::of(other).slots) {
        DictImpl::Slot* there = to.find(slot.name);
        if (there && there->entry.is_dict() && slot.entry.is_dict()) {
            if (!there->entry.dict().is(slot.entry.dict())) take_over(there->entry.dict(), slot.entry.dict());
            continue;
        }
        // Entries taken over before may lead from one dictionary to another that was apart from it.
        if (slot.entry.is_dict()) check_fits("update", to, NestedKey(slot.name), slot.entry);
        if (there) there->entry = fitted(to, slot.entry);
        else to.slots.push_back({slot.name, fitted(to, slot.entry)});
    }
}

/// What is written where.
struct Write {
    Tensor to, from;
};
void collect_writes(const TensorDict& root, const TensorDict& into, const TensorDict& other, const Path& path,
                    std::vector<Write>& writes) {
    for (const DictImpl::Slot& slot : DictImpl::of(other).slots) {
        const Path own(path, slot.name);
        const Entry* there = find_path(into, slot.name);
        if (!there) throw_missing("update_", root, own.key());
        if (there->is_dict() && slot.entry.is_dict()) {
            collect_writes(root, there->dict(), slot.entry.dict(), own, writes);
            continue;
        }
        REEL_CHECK_TYPE(there->is_tensor() && slot.entry.is_tensor(), "TensorDict::update_: ", own.str(), " is a ",
                        there->is_dict() ? "TensorDict" : "tensor", " here and a ",
                        slot.entry.is_dict() ? "TensorDict" : "tensor", " in the other dictionary");
        check_copy("update_", own, there->tensor().sizes(), slot.entry.tensor());
        check_writable("update_", own, there->tensor(), slot.entry.tensor());
        writes.push_back({there->tensor(), slot.entry.tensor()});
    }
}

} // namespace

TensorDict& TensorDict::update(const TensorDict& other) {
    if (is(other)) return *this;
    check_update(*this, other, Path());
    take_over(*this, other);
    return *this;
}
TensorDict& TensorDict::update_(const TensorDict& other) {
    std::vector<Write> writes;
    collect_writes(*this, *this, other, Path(), writes);
    for (const Write& write : writes) write.to.copy_(write.from);
    return *this;
}

} // namespace reel::rl
