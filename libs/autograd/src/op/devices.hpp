// Where the operands of a call by name live: on one device.
#pragma once

#include <span>
#include <string>

#include <reel/autograd/op.hpp>

namespace reel::ops {

/// Throws Error naming both arguments and their devices unless all tensors of the call live on one device. Tensors
/// without dimensions on the CPU count as numbers, which live everywhere; so do arguments whose op says that they may.
void check_devices(const std::string& name, const Schema& schema, std::span<const Value> bound);

/// What `any_device("argument")` in the op's block registers: the argument may live elsewhere, because nothing but its
/// shape or dtype is read, or because the op works between devices or on numbers of the host.
void may_live_anywhere(const char* schema_text, const char* argument);

} // namespace reel::ops
