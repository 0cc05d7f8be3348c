// Tensors in memory that a device reads by itself.
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/storage.hpp>
#include <reel/autograd/tensor.hpp>
#include <reel/autograd/tensor_impl.hpp>

#include "tensor/raw.hpp"

namespace reel {

bool Tensor::is_pinned() const { return is_cpu() && storage()->is_pinned(); }

Tensor Tensor::pin_memory() const {
    REEL_CHECK(is_cpu(), "pin_memory: the tensor is on ", device(), "; only memory of the host can be page-locked");
    if (is_pinned()) return *this;
    const Dims strides =
        is_non_overlapping_and_dense() ? Dims(this->strides()) : detail::strides_of(sizes(), MemoryFormat::Contiguous);
    const std::size_t nbytes = std::size_t(numel()) * elementSize(scalar_type());
    const Tensor out = detail::tensor_on_storage(Storage::allocate_pinned(nbytes), sizes(), strides, scalar_type());
    reel::copy_(out, *this);
    return out;
}

} // namespace reel
