// Geometry, versions and history of tensors.
#include <reel/autograd/tensor_impl.hpp>

#include <reel/autograd/error.hpp>
#include <reel/autograd/memory.hpp>
#include <reel/autograd/node.hpp>

#include "tensor/checked_size.hpp"
#include "tensor/sparse_parts.hpp"

namespace reel {

TensorImpl::TensorImpl(StoragePtr storage, ScalarType dtype, Device device)
    : storage_(std::move(storage)), dtype_(dtype), device_(device) {}

void* TensorImpl::operator new(std::size_t n) { return cpu_alloc(n); }
void TensorImpl::operator delete(void* p, std::size_t n) noexcept { cpu_free(p, n); }

namespace {
bool row_major(IntArrayRef sizes, IntArrayRef strides) {
    std::int64_t expected = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        if (sizes[i] == 0) return true;
        if (sizes[i] != 1 && strides[i] != expected) return false;
        expected *= sizes[i];
    }
    return true;
}
} // namespace

void TensorImpl::throw_no_data() const {
    if (layout_ != Layout::Strided) detail::throw_sparse(*this);
    REEL_THROW(NotImplementedError, "no data on device meta: a tensor of shape ", IntArrayRef(sizes_),
               " there has a shape and a dtype alone, and this asks for its values; use to_empty() to get memory on "
               "another device");
}

void TensorImpl::set_geometry(IntArrayRef sizes, IntArrayRef strides, std::int64_t offset) {
    detail::check_sizes("tensor", sizes, dtype_);
    sizes_.assign(sizes.begin(), sizes.end());
    strides_.assign(strides.begin(), strides.end());
    offset_ = offset;
    numel_ = 1;
    for (const std::int64_t s : sizes_) numel_ *= s;
    contiguous_ = numel_ == 0 || row_major(sizes_, strides_);
}

void TensorImpl::copy_geometry(const TensorImpl& o) {
    sizes_ = o.sizes_;
    strides_ = o.strides_;
    offset_ = o.offset_;
    numel_ = o.numel_;
    contiguous_ = o.contiguous_;
}

void TensorImpl::set_contiguous(IntArrayRef sizes) {
    sizes_ = sizes;
    strides_.resize(sizes.size());
    std::int64_t step = 1;
    numel_ = 1;
    for (std::size_t i = sizes_.size(); i-- > 0;) {
        strides_[i] = step;
        step *= std::max<std::int64_t>(sizes_[i], 1);
        numel_ *= sizes_[i];
    }
    contiguous_ = true;
}

void TensorImpl::set_sparse(IntArrayRef sizes) {
    const Dims none(sizes.size(), 0);
    set_geometry(sizes, none, 0);
    contiguous_ = false;
    layout_ = Layout::Sparse;
}

void TensorImpl::replace_data(const TensorImpl& o) {
    if (!own_version_) own_version_ = storage_->shared_counter();
    storage_ = o.storage_;
    dtype_ = o.dtype_;
    device_ = o.device_;
    layout_ = o.layout_;
    copy_geometry(o);
}

void TensorImpl::detach_version(std::uint32_t start) {
    own_version_ = Storage::wrap(nullptr, 0, device_, nullptr, nullptr);
    own_version_->set_version(start);
}

void TensorImpl::set_view(TensorImplPtr base, CreationMeta creation) {
    view_base_ = std::move(base);
    creation_meta_ = creation;
    view_version_ = version();
}

} // namespace reel
