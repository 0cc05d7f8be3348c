// What an error that leaves an op called by name says: the op, and the arguments.
#pragma once

#include <span>

#include <reel/autograd/op.hpp>

namespace reel::ops {

/// `text`, its middle left out where it is longer than `most`.
std::string shortened(const std::string& text, std::size_t most = 100);

/// `input=Tensor[2, 3] float32, dim=5`: what the caller gave, without what stands at its default.
std::string describe_bound(const Schema& schema, std::span<const Value> bound);

/// Called while `e`, thrown by the op `name` (`add`, `add_`), is being handled. Throws it on as what it is: with the
/// name of the op before the text unless that begins so, with the call behind it where no argument is named, and
/// without what the caller's own long values repeat. Errors of types that Reel does not know get a line of context.
[[noreturn]] void throw_on(Error& e, const std::string& name, const Schema& schema, std::span<const Value> bound);

} // namespace reel::ops
