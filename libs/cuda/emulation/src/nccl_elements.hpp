// What NCCL's stand-in does with elements.
#pragma once

#include <cstddef>
#include <vector>

#include <nccl.h>

namespace reel::cuda::emulation {

using Bytes = std::vector<std::byte>;
/// 0 for types that there are not.
std::size_t size_of(ncclDataType_t t);
/// The ranks' elements as one.
Bytes reduced(const std::vector<Bytes>& in, ncclDataType_t type, ncclRedOp_t op);

} // namespace reel::cuda::emulation
