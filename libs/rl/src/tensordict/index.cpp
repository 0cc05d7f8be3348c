// Parts of the batch: index, index_put_, gather.
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/reduce/minmax.hpp>

#include "tensordict/batch_index.hpp"
#include "tensordict/storing.hpp"

namespace reel::rl {

using namespace detail;
using indexing::TensorIndex;

namespace {

/// Where a tensor goes, and what.
struct Write {
    Tensor to, from;
};
/// Throws unless both have the same names and every tensor fits its place.
void collect_writes(const TensorDict& into, const TensorDict& value, std::size_t batch_dims, IntArrayRef batch_size,
                    const Path& path, std::vector<Write>& writes) {
    for (const DictImpl::Slot& slot : DictImpl::of(value).slots) {
        const Path own(path, slot.name);
        REEL_CHECK_WITH(KeyError, find_path(into, slot.name), "TensorDict::index_put_: the value has the entry ",
                        own.str(), ", which this dictionary does not have");
    }
    for (const DictImpl::Slot& slot : DictImpl::of(into).slots) {
        const Path own(path, slot.name);
        const Entry* from = find_path(value, slot.name);
        REEL_CHECK_WITH(KeyError, from, "TensorDict::index_put_: the value has no entry ", own.str(),
                        "; select the entries to be written");
        REEL_CHECK_TYPE(from->is_dict() == slot.entry.is_dict(), "TensorDict::index_put_: ", own.str(), " is a ",
                        slot.entry.is_dict() ? "TensorDict" : "tensor", " here and a ",
                        from->is_dict() ? "TensorDict" : "tensor", " in the value");
        if (from->is_dict()) {
            collect_writes(slot.entry.dict(), from->dict(), batch_dims, batch_size, own, writes);
            continue;
        }
        const Tensor& to = slot.entry.tensor();
        const Dims place = joined(batch_size, after(to.sizes(), batch_dims));
        check_copy("index_put_", own, place, from->tensor());
        check_writable("index_put_", own, to, from->tensor());
        writes.push_back({to, from->tensor()});
    }
}

} // namespace

TensorDict TensorDict::index(const std::vector<TensorIndex>& indices) const {
    const DictImpl& impl = DictImpl::of(*this);
    const BatchIndex index("index", impl.batch_size, indices);
    return with_leaves(impl, index.result(), impl.batch_size.size(), [&](const Tensor& t) { return index.pick(t); });
}
TensorDict TensorDict::operator[](std::int64_t i) const {
    const DictImpl& impl = DictImpl::of(*this);
    REEL_CHECK_INDEX(!impl.batch_size.empty(),
                     "TensorDict::operator[]: a dictionary with batch size [] has no element ", i,
                     "; its entries are reached by their names");
    const std::int64_t n = impl.batch_size[0];
    REEL_CHECK_INDEX(i >= -n && i < n, "TensorDict::operator[]: index ", i, " is out of range for the batch size ",
                     IntArrayRef(impl.batch_size));
    return with_leaves(impl, after(impl.batch_size, 1), impl.batch_size.size(),
                       [i](const Tensor& t) { return t.select(0, i); });
}
TensorDict TensorDict::operator[](const Tensor& index) const { return this->index({index}); }
TensorDict TensorDict::operator[](indexing::Slice slice) const { return this->index({slice}); }

TensorDict& TensorDict::index_put_(const std::vector<TensorIndex>& indices, const TensorDict& value) {
    const DictImpl& impl = DictImpl::of(*this);
    const BatchIndex index("index_put_", impl.batch_size, indices);
    const IntArrayRef given = value.batch_size(), place = index.result();
    // A shorter batch size stands for the same everywhere, as the last dimensions of a tensor do.
    const bool fits = given.size() <= place.size() && after(place, place.size() - given.size()).equals(given);
    REEL_CHECK(fits, "TensorDict::index_put_: the value has batch size ", given, ", its place ", place, " (batch size ",
               IntArrayRef(impl.batch_size), ")");
    index.check_positions();
    std::vector<Write> writes;
    collect_writes(*this, value, impl.batch_size.size(), index.result(), Path(), writes);
    for (const Write& write : writes) index.put(write.to, write.from);
    return *this;
}

TensorDict TensorDict::gather(std::int64_t dim, const Tensor& index) const {
    const DictImpl& impl = DictImpl::of(*this);
    const IntArrayRef batch = impl.batch_size;
    const auto d = std::size_t(wrap_batch_dim("gather", dim, batch));
    REEL_CHECK_TYPE(index.scalar_type() == kLong || index.scalar_type() == kInt,
                    "TensorDict::gather: expected an index of dtype int64 or int32, got ", index.scalar_type());
    bool fits = index.sizes().size() == batch.size();
    for (std::size_t i = 0; fits && i < batch.size(); ++i) fits = i == d || index.sizes()[i] == batch[i];
    REEL_CHECK(fits, "TensorDict::gather: the index has sizes ", index.sizes(), ", the batch ", batch,
               "; they may differ in dimension ", d, " alone");
    const Tensor places = index.scalar_type() == kLong ? index : index.to(kLong);
    if (places.numel() > 0) {
        const auto [least, most] = reel::aminmax(places);
        REEL_CHECK(least.item<std::int64_t>() >= 0 && most.item<std::int64_t>() < batch[d],
                   "TensorDict::gather: the index holds ",
                   least.item<std::int64_t>() < 0 ? least.item<std::int64_t>() : most.item<std::int64_t>(),
                   ", which is out of range for dimension ", d, " of the batch size ", batch);
    }
    return with_leaves(impl, places.sizes(), batch.size(), [&](const Tensor& t) {
        const IntArrayRef beyond = after(t.sizes(), batch.size());
        if (beyond.empty()) return reel::gather(t, std::int64_t(d), places);
        Dims thin(places.sizes());
        for (std::size_t i = 0; i < beyond.size(); ++i) thin.push_back(1);
        return reel::gather(t, std::int64_t(d), places.view(thin).expand(joined(places.sizes(), beyond)));
    });
}

} // namespace reel::rl
