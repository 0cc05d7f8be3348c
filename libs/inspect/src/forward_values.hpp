// What forward computed, as far as the tape knows it.
#pragma once

#include <optional>

#include <reel/inspect/backward_steps.hpp>

namespace reel::inspect {

/// The first op behind `loss` whose result is not finite; none when all that is known of forward is finite.
std::optional<NonFinite> first_non_finite_value(const Tensor& loss);

} // namespace reel::inspect
