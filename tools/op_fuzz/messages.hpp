// What is wrong with the text of an error.
#pragma once

#include <string>

#include <reel/autograd/op.hpp>

#include "op_fuzz/call.hpp"

namespace op_fuzz {

/// Why `text`, thrown by a call of `op`, does not serve its reader; empty when it does. It must begin with the op's
/// name, name an argument of a schema, and hold neither mangled or C++ type names nor a long text of the call's whole.
std::string message_fault(const reel::ops::Op& op, const Call& call, const std::string& text);

} // namespace op_fuzz
