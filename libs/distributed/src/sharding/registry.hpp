// Which tensors and modules are sharded.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include <reel/autograd/tensor.hpp>
#include <reel/nn/fwd.hpp>

namespace reel::distributed {

class Unit;

struct ShardOwner {
    std::shared_ptr<Unit> unit;
    std::size_t parameter;
};
/// Whose rows `tensor` holds; nothing for others.
std::optional<ShardOwner> owner_of(const Tensor& tensor);
bool is_sharded(const nn::Module& module);
/// For the unit's life; it holds its tensors, so that their addresses stay theirs.
void register_unit(const std::shared_ptr<Unit>& unit, const nn::Module& module);
void forget_unit(const Unit& unit);

} // namespace reel::distributed
