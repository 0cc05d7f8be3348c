// The batch size: what it is, and changing it.
#include <reel/rl/tensordict.hpp>

#include "tensordict/dict_impl.hpp"

namespace reel::rl {

using namespace detail;

namespace {

void check_leaves(const TensorDict& dict, IntArrayRef batch_size, const Path& path) {
    for (const DictImpl::Slot& slot : DictImpl::of(dict).slots) {
        const Path own(path, slot.name);
        const IntArrayRef sizes = sizes_of(slot.entry);
        if (begins_with(sizes, batch_size)) continue;
        if (slot.entry.is_dict() && begins_with(batch_size, sizes)) {
            check_leaves(slot.entry.dict(), batch_size, own);
            continue;
        }
        REEL_THROW(Error, "TensorDict::set_batch_size: the ", slot.entry.is_dict() ? "TensorDict " : "tensor ",
                   own.str(), " has ", slot.entry.is_dict() ? "batch size " : "sizes ", sizes,
                   slot.entry.is_dict() ? ", which does" : ", which do", " not begin with the new batch size ",
                   batch_size);
    }
}
void widen(const TensorDict& dict, IntArrayRef batch_size) {
    DictImpl& impl = DictImpl::of(dict);
    for (const DictImpl::Slot& slot : impl.slots)
        if (slot.entry.is_dict() && !begins_with(slot.entry.dict().batch_size(), batch_size))
            widen(slot.entry.dict(), batch_size);
    impl.batch_size.assign(batch_size.begin(), batch_size.end());
}

} // namespace

const std::vector<std::int64_t>& TensorDict::batch_size() const { return DictImpl::of(*this).batch_size; }
std::int64_t TensorDict::batch_size(std::int64_t dim) const {
    const std::vector<std::int64_t>& sizes = batch_size();
    return sizes[std::size_t(wrap_batch_dim("batch_size", dim, sizes))];
}
std::int64_t TensorDict::batch_dims() const { return DictImpl::of(*this).batch_dims(); }
std::int64_t TensorDict::numel() const {
    const std::int64_t n = elements("numel", batch_size());
    return n > 0 ? n : 1;
}
void TensorDict::set_batch_size(IntArrayRef batch_size) {
    const std::vector<std::int64_t> sizes = batch_size.vec(); // it may be that of this very dictionary
    for (const std::int64_t size : sizes)
        REEL_CHECK_VALUE(size >= 0, "TensorDict::set_batch_size: the batch size ", batch_size,
                         " has a negative dimension");
    check_leaves(*this, sizes, Path());
    widen(*this, sizes);
}

} // namespace reel::rl
