#include "checkpoint/collector.hpp"

#include <algorithm>
#include <filesystem>

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/serialize/safetensors.hpp>

#include "sharding/rows.hpp"

namespace reel::distributed::checkpoint {

/// Tensors up to this size stand in the index itself: counts of steps, momenta of single biases.
constexpr std::int64_t small_bytes = 64;

Collector::Collector(std::int64_t number, std::int64_t rank, std::int64_t world)
    : rank_(rank), file_(shard_name(number, rank, world)), load_(std::size_t(world), 0) {}

Value Collector::collect(const detail::Item& item) {
    return item.save([&](const OutgoingTensor& tensor) { return take(tensor, item.is_local()); });
}
/// What all ranks have is written by the one with the least so far, which all find alike.
bool Collector::writes(const OutgoingTensor& tensor, std::int64_t bytes) {
    if (tensor.shard || tensor.only_here) return true;
    const auto least = std::min_element(load_.begin(), load_.end());
    *least += bytes;
    return least - load_.begin() == rank_;
}
Value Collector::take(const OutgoingTensor& tensor, bool local) {
    const NoGradGuard no_grad;
    const Tensor& t = tensor.rows;
    REEL_CHECK_TYPE(!t.is_sparse() && !t.is_meta(), "checkpoint: '", tensor.name, "' is ", t.toString(),
                    "; expected a dense tensor with elements");
    const std::int64_t bytes = t.numel() * std::int64_t(elementSize(t.scalar_type()));
    if (!tensor.shard && bytes <= small_bytes) return Value(t.detach().to(Device(kCPU)).clone());
    const std::string name = local ? tensor.name + "@" + std::to_string(rank_) : tensor.name;
    StoredTensor stored{t.scalar_type(), tensor.shard ? tensor.shard->sizes : t.sizes().vec(), {}};
    if (writes(tensor, bytes) && bytes > 0) {
        // A copy: the sums are of the elements that are written.
        const Tensor copy = t.detach().to(Device(kCPU)).clone(MemoryFormat::Contiguous);
        own_.insert(name, copy);
        stored.pieces.push_back({file_, name, tensor.shard ? tensor.shard->begin : 0, t.dim() > 0 ? t.size(0) : 1,
                                 sums_of(copy.impl()->data(), std::size_t(bytes))});
    }
    tensors_.insert(name, std::move(stored));
    return mark_of(name);
}
void Collector::write(const std::string& directory) {
    if (!own_.is_empty()) serialize::save_file(own_, (std::filesystem::path(directory) / file_).string());
}

} // namespace reel::distributed::checkpoint
