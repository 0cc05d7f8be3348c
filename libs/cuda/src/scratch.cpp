// Memory that a kernel's function needs for itself.
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel::cuda {

Tensor scratch_bytes(std::int64_t bytes, const Tensor& like) {
    return reel::empty({bytes}, TensorOptions().dtype(kByte).device(like.device()));
}

} // namespace reel::cuda
