// Collectives whose operands go from device to device: messages carry what the ranks have to agree on.
#pragma once

#include <optional>
#include <vector>

#include "group/exchange.hpp"

namespace reel::distributed::detail {

/// The call of `envelope` over the group's carrier. Nothing where it goes by messages: the group has no carrier, an
/// operand lives elsewhere, or the carrier does not reduce such elements. The others must come to the same answer, and
/// hear of it when they do not, for it stands in the envelope. ValueError for operands on another device than before.
std::optional<Call> on_devices(const Group& group, Envelope envelope, const std::vector<Tensor>& inputs,
                               const std::vector<Tensor>& outputs);

} // namespace reel::distributed::detail
