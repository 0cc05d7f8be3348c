#include <reel/rl/replay/lazy_tensor_storage.hpp>

namespace reel::rl {

LazyTensorStorage::LazyTensorStorage(std::int64_t max_size, std::optional<Device> device)
    : TensorStorage(max_size), device_(device) {}
Tensor LazyTensorStorage::allocate(const NestedKey&, const std::vector<std::int64_t>& sizes, const Tensor& like) {
    return like.new_empty(sizes, device_.value_or(like.device()));
}

} // namespace reel::rl
