// Other shapes of the batch.
#include <algorithm>

#include <reel/autograd/ops/shape/split.hpp>

#include "tensordict/dict_impl.hpp"

namespace reel::rl {

using namespace detail;

namespace {

/// The batch size that `asked` means, with its -1 in numbers.
Dims inferred(const char* op, IntArrayRef asked, IntArrayRef batch_size) {
    Dims sizes(asked);
    const std::int64_t have = elements(op, batch_size);
    std::int64_t known = 1;
    std::int64_t* open = nullptr;
    for (std::int64_t& size : sizes) {
        REEL_CHECK(size >= -1, "TensorDict::", op, ": the batch size ", asked, " has a negative dimension");
        REEL_CHECK(size != -1 || !open, "TensorDict::", op, ": only one dimension of ", asked, " can be inferred");
        if (size == -1) open = &size;
        else
            REEL_CHECK(!__builtin_mul_overflow(known, size, &known), "TensorDict::", op, ": the batch size ", asked,
                       " is too large");
    }
    REEL_CHECK(!open || known > 0, "TensorDict::", op, ": the open dimension of ", asked,
               " can be anything, as the others make an empty batch");
    if (open && have % known == 0) *open = have / known;
    else
        REEL_CHECK(!open && known == have, "TensorDict::", op, ": the batch size ", batch_size, " of ", have,
                   " elements cannot become ", asked);
    return sizes;
}
/// A dimension that is about to be made.
std::int64_t wrap_new_dim(const char* op, std::int64_t dim, IntArrayRef batch_size) {
    const auto dims = std::int64_t(batch_size.size()) + 1;
    REEL_CHECK_INDEX(dim >= -dims && dim < dims, "TensorDict::", op, ": dimension ", dim,
                     " is out of range for a new one of the batch size ", batch_size);
    return dim < 0 ? dim + dims : dim;
}

} // namespace

TensorDict TensorDict::view(IntArrayRef batch_size) const {
    const DictImpl& impl = DictImpl::of(*this);
    const Dims sizes = inferred("view", batch_size, impl.batch_size);
    const std::size_t dims = impl.batch_size.size();
    return with_leaves(impl, sizes, dims,
                       [&](const Tensor& t) { return t.view(joined(sizes, after(t.sizes(), dims))); });
}
TensorDict TensorDict::reshape(IntArrayRef batch_size) const {
    const DictImpl& impl = DictImpl::of(*this);
    const Dims sizes = inferred("reshape", batch_size, impl.batch_size);
    const std::size_t dims = impl.batch_size.size();
    return with_leaves(impl, sizes, dims,
                       [&](const Tensor& t) { return t.reshape(joined(sizes, after(t.sizes(), dims))); });
}
TensorDict TensorDict::flatten(std::int64_t start_dim, std::int64_t end_dim) const {
    const DictImpl& impl = DictImpl::of(*this);
    const IntArrayRef batch = impl.batch_size;
    const std::int64_t first = wrap_batch_dim("flatten", start_dim, batch);
    const std::int64_t last = wrap_batch_dim("flatten", end_dim, batch);
    REEL_CHECK_VALUE(first <= last, "TensorDict::flatten: start_dim ", start_dim, " comes after end_dim ", end_dim,
                     " in the batch size ", batch);
    const auto count = std::size_t(last - first) + 1;
    Dims sizes(batch.slice(0, std::size_t(first)));
    sizes.push_back(elements("flatten", batch.slice(std::size_t(first), count)));
    for (const std::int64_t size : batch.slice(std::size_t(last) + 1)) sizes.push_back(size);
    return with_leaves(impl, sizes, batch.size(), [&](const Tensor& t) { return t.flatten(first, last); });
}
TensorDict TensorDict::transpose(std::int64_t dim0, std::int64_t dim1) const {
    const DictImpl& impl = DictImpl::of(*this);
    const std::int64_t a = wrap_batch_dim("transpose", dim0, impl.batch_size);
    const std::int64_t b = wrap_batch_dim("transpose", dim1, impl.batch_size);
    Dims sizes(impl.batch_size);
    std::swap(sizes[std::size_t(a)], sizes[std::size_t(b)]);
    return with_leaves(impl, sizes, sizes.size(), [&](const Tensor& t) { return t.transpose(a, b); });
}
TensorDict TensorDict::permute(IntArrayRef dims) const {
    const DictImpl& impl = DictImpl::of(*this);
    const IntArrayRef batch = impl.batch_size;
    REEL_CHECK_VALUE(dims.size() == batch.size(), "TensorDict::permute: got ", dims.size(), " dimensions ", dims,
                     " for the batch size ", batch, "; every dimension of the batch must be named");
    Dims order, sizes;
    for (const std::int64_t dim : dims) {
        const std::int64_t d = wrap_batch_dim("permute", dim, batch);
        REEL_CHECK_VALUE(std::find(order.begin(), order.end(), d) == order.end(), "TensorDict::permute: dimension ", d,
                         " occurs twice in ", dims);
        order.push_back(d);
        sizes.push_back(batch[std::size_t(d)]);
    }
    return with_leaves(impl, sizes, batch.size(), [&](const Tensor& t) {
        Dims whole = order;
        for (std::int64_t d = std::int64_t(order.size()); d < t.dim(); ++d) whole.push_back(d);
        return t.permute(whole);
    });
}
TensorDict TensorDict::squeeze(std::int64_t dim) const {
    const DictImpl& impl = DictImpl::of(*this);
    const std::int64_t d = wrap_batch_dim("squeeze", dim, impl.batch_size);
    Dims sizes(impl.batch_size);
    if (sizes[std::size_t(d)] == 1) sizes.erase(sizes.begin() + d);
    return with_leaves(impl, sizes, impl.batch_size.size(), [&](const Tensor& t) { return t.squeeze(d); });
}
TensorDict TensorDict::unsqueeze(std::int64_t dim) const {
    const DictImpl& impl = DictImpl::of(*this);
    const std::int64_t d = wrap_new_dim("unsqueeze", dim, impl.batch_size);
    Dims sizes(impl.batch_size);
    sizes.insert(sizes.begin() + d, 1);
    return with_leaves(impl, sizes, impl.batch_size.size(), [&](const Tensor& t) { return t.unsqueeze(d); });
}
TensorDict TensorDict::expand(IntArrayRef batch_size) const {
    const DictImpl& impl = DictImpl::of(*this);
    const IntArrayRef batch = impl.batch_size;
    const std::size_t added = batch_size.size() - std::min(batch_size.size(), batch.size());
    Dims sizes(batch_size);
    bool fits = batch_size.size() >= batch.size();
    for (std::size_t i = 0; fits && i < sizes.size(); ++i) {
        if (i >= added && sizes[i] == -1) sizes[i] = batch[i - added];
        fits = sizes[i] >= 0 && (i < added || batch[i - added] == 1 || batch[i - added] == sizes[i]);
    }
    REEL_CHECK(fits, "TensorDict::expand: the batch size ", batch, " cannot be expanded to ", batch_size,
               "; only dimensions of size 1 and new ones in front can");
    return with_leaves(impl, sizes, batch.size(),
                       [&](const Tensor& t) { return t.expand(joined(sizes, after(t.sizes(), batch.size()))); });
}
TensorDict TensorDict::contiguous() const {
    return with_leaves(DictImpl::of(*this), [](const Tensor& t) { return t.contiguous(); });
}

namespace {
/// One dictionary for each of the parts that `cut` makes of a tensor; `sizes(i)` is the batch size of part `i`.
template <class Cut, class Sizes>
std::vector<TensorDict> in_parts(const DictImpl& from, std::size_t count, std::size_t old_dims, const Cut& cut,
                                 const Sizes& sizes) {
    constexpr std::size_t most = std::size_t(1) << 32; // only a batch without tensors has more
    REEL_CHECK_VALUE(count < most, "TensorDict: ", count, " parts are too many");
    std::vector<std::shared_ptr<DictImpl>> parts(count);
    for (std::size_t i = 0; i < count; ++i)
        parts[i] = DictImpl::make(joined(sizes(i), after(from.batch_size, old_dims)), from.device, from.slots.size());
    for (const DictImpl::Slot& slot : from.slots) {
        if (slot.entry.is_tensor()) {
            std::vector<Tensor> pieces = cut(slot.entry.tensor());
            for (std::size_t i = 0; i < count; ++i) parts[i]->slots.push_back({slot.name, std::move(pieces[i])});
        } else {
            std::vector<TensorDict> pieces = in_parts(DictImpl::of(slot.entry.dict()), count, old_dims, cut, sizes);
            for (std::size_t i = 0; i < count; ++i) parts[i]->slots.push_back({slot.name, std::move(pieces[i])});
        }
    }
    std::vector<TensorDict> dicts;
    dicts.reserve(count);
    for (std::shared_ptr<DictImpl>& part : parts) dicts.push_back(DictImpl::handle(std::move(part)));
    return dicts;
}
} // namespace

std::vector<TensorDict> TensorDict::split(std::int64_t size, std::int64_t dim) const {
    const DictImpl& impl = DictImpl::of(*this);
    const std::int64_t d = wrap_batch_dim("split", dim, impl.batch_size);
    REEL_CHECK_VALUE(size > 0, "TensorDict::split: the size of a part must be positive, got ", size);
    const std::int64_t whole = impl.batch_size[std::size_t(d)];
    const std::int64_t count = whole == 0 ? 1 : (whole - 1) / size + 1; // an empty batch is one empty part
    Dims sizes(impl.batch_size);
    return in_parts(
        impl, std::size_t(count), sizes.size(), [&](const Tensor& t) { return reel::split(t, size, d); },
        [&](std::size_t i) {
            sizes[std::size_t(d)] = std::min(size, whole - std::int64_t(i) * size);
            return sizes;
        });
}
std::vector<TensorDict> TensorDict::unbind(std::int64_t dim) const {
    const DictImpl& impl = DictImpl::of(*this);
    const std::int64_t d = wrap_batch_dim("unbind", dim, impl.batch_size);
    Dims sizes(impl.batch_size);
    sizes.erase(sizes.begin() + d);
    return in_parts(
        impl, std::size_t(impl.batch_size[std::size_t(d)]), impl.batch_size.size(),
        [&](const Tensor& t) { return reel::unbind(t, d); }, [&](std::size_t) { return sizes; });
}

} // namespace reel::rl
