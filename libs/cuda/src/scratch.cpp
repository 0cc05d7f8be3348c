// Memory that a kernel's function needs for itself.
#include <reel/autograd/tensor.hpp>

namespace reel::cuda {

Tensor scratch_bytes(std::int64_t bytes, const Tensor& like) { return like.new_empty({bytes}, kByte); }

} // namespace reel::cuda
