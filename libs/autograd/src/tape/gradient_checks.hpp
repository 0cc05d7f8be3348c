// What the engine demands of gradients: from rules, from users' seeds, from hooks.
#pragma once

#include <functional>
#include <string>

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/node.hpp>

#include "tape/modes.hpp"

namespace reel::autograd {

/// Checks one gradient against what the slot expects: sums broadcast dims down, casts (E-57). `who` starts messages.
Tensor validated_gradient(Tensor g, const InputMetadata& expected, const std::function<std::string()>& who);
/// Checks what the rule of `n` returned: as many gradients as edges, each fit for the slot where it goes (E-57).
void validate_outputs(const Node& n, GradList& out);

/// T-3: throws when `after` cannot stand in for the gradient `before`. `who()` names the hook that returned it.
template <class Who> void check_replacement(const Tensor& before, const Tensor& after, Who who) {
    REEL_CHECK(before.defined(), who(), " returned a gradient where there is none to replace");
    REEL_CHECK(after.scalar_type() == before.scalar_type() && after.device().type() == before.device().type(), who(),
               " changed the type of the gradient from ", dtype_name(before.scalar_type()), " on ", before.device(),
               " to ", dtype_name(after.scalar_type()), " on ", after.device());
    REEL_CHECK(after.sizes().equals(before.sizes()), who(), " changed the size of the gradient from ", before.sizes(),
               " to ", after.sizes());
}
/// Checks what a node hook returned in place of `before` (T-22).
void check_replacements(const char* kind, const Node& n, const variable_list& before, const variable_list& after);

/// Throws, with the place of the forward op, when one of `out` holds NaN (E-52).
void refuse_nan(const Node& n, const GradList& out);
/// Was that asked for? Only in anomaly mode.
inline bool nan_is_refused() {
    return reel::detail::thread_modes.observers && tape_modes().anomaly && tape_modes().check_nan;
}

} // namespace reel::autograd
