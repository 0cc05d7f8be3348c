#include "tensordict/dict_impl.hpp"

#include <algorithm>

#include <reel/autograd/grad_mode.hpp>

namespace reel::rl::detail {

void DictImpl::throw_moved() {
    REEL_THROW(Error, "TensorDict: this handle was moved from and stands for no dictionary");
}
std::shared_ptr<DictImpl> DictImpl::make(IntArrayRef batch_size, std::optional<Device> device, std::size_t capacity) {
    auto impl = std::make_shared<DictImpl>();
    impl->batch_size.assign(batch_size.begin(), batch_size.end());
    impl->device = device;
    impl->slots.reserve(capacity);
    return impl;
}

std::int64_t elements(const char* op, IntArrayRef sizes) {
    std::int64_t n = 1;
    bool fits = true;
    for (const std::int64_t size : sizes) {
        if (size == 0) return 0;
        fits = fits && !__builtin_mul_overflow(n, size, &n);
    }
    REEL_CHECK_VALUE(fits, "TensorDict::", op, ": the batch size ", sizes, " has more than 2^63 elements");
    return n;
}
std::int64_t wrap_batch_dim(const char* op, std::int64_t dim, IntArrayRef batch_size) {
    const auto dims = std::int64_t(batch_size.size());
    REEL_CHECK_INDEX(dim >= -dims && dim < dims, "TensorDict::", op, ": dimension ", dim,
                     " is out of range for the batch size ", batch_size);
    return dim < 0 ? dim + dims : dim;
}

NestedKey Path::key() const {
    std::vector<std::string> names; // from the innermost on
    const Path* at = this;
    for (; at->outer_; at = at->outer_) names.push_back(*at->name_);
    if (at->start_) names.insert(names.end(), at->start_->path().rbegin(), at->start_->path().rend());
    std::reverse(names.begin(), names.end());
    return NestedKey(names);
}

const Entry* find_path(const TensorDict& dict, ArrayRef<std::string> path) {
    const DictImpl* at = &DictImpl::of(dict);
    for (std::size_t i = 0;; ++i) {
        const DictImpl::Slot* slot = const_cast<DictImpl*>(at)->find(path[i]);
        if (!slot) return nullptr;
        if (i + 1 == path.size()) return &slot->entry;
        if (slot->entry.is_tensor()) return nullptr;
        at = &DictImpl::of(slot->entry.dict());
    }
}

void check_writable(const char* op, const Path& key, const Tensor& tensor, const Tensor& value) {
    for (std::int64_t d = 0; d < tensor.dim(); ++d)
        REEL_CHECK(tensor.strides()[std::size_t(d)] != 0 || tensor.sizes()[std::size_t(d)] < 2, "TensorDict::", op,
                   ": the tensor ", key.str(), " of sizes ", tensor.sizes(),
                   " is expanded: its elements share memory and cannot be written to; clone() makes a copy");
    if (!GradMode::is_enabled() || !(tensor.requires_grad() || value.requires_grad())) return;
    const bool leaf = tensor.requires_grad() && (tensor.is_view() ? tensor._base() : tensor).is_leaf();
    REEL_CHECK(!leaf, "TensorDict::", op, ": the tensor ", key.str(), " is ", tensor.is_view() ? "a view of " : "",
               "a leaf that requires grad and cannot be written to; use no_grad for updates of parameters");
    REEL_CHECK(!tensor.is_view() || tensor.impl()->creation_meta() == CreationMeta::DEFAULT, "TensorDict::", op,
               ": the tensor ", key.str(),
               " is one of several views made at once (or a view made without gradients); "
               "nothing that is recorded can be written to it, clone() it first");
}

} // namespace reel::rl::detail
