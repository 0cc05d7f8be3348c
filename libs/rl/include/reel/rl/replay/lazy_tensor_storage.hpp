// Entries in memory.
#pragma once

#include <optional>

#include <reel/rl/replay/tensor_storage.hpp>

namespace reel::rl {

/// Contiguous tensors with room for `max_size` entries, allocated at the first write, on `device` (by default that of
/// the rows). Sampled entries lie there too.
class LazyTensorStorage : public TensorStorage {
public:
    explicit LazyTensorStorage(std::int64_t max_size, std::optional<Device> device = std::nullopt);
    const char* name() const override { return "LazyTensorStorage"; }

protected:
    Tensor allocate(const NestedKey& key, const std::vector<std::int64_t>& sizes, const Tensor& like) override;

private:
    std::optional<Device> device_;
};

} // namespace reel::rl
