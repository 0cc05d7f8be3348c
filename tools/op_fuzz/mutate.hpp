// From a good call to one that nobody meant.
#pragma once

#include <reel/autograd/op.hpp>

#include "op_fuzz/call.hpp"
#include "op_fuzz/dice.hpp"

namespace op_fuzz {

/// Changes up to three things of `call`, sometimes none: an argument's value, kind or layout, the number of arguments,
/// or the way in which they are given.
void mutate(const reel::ops::Op& op, Call& call, Dice& dice);

/// Another value in the place of `v`: of its kind mostly, or of any other.
reel::Value mutated(const reel::Value& v, Dice& dice);
/// Another tensor in the place of `t`: dtype, rank, sizes, values, layout, device, tape; or an undefined one.
reel::Value mutated_tensor(const reel::Tensor& t, Dice& dice);
/// A value of any kind.
reel::Value any_value(Dice& dice);
std::int64_t odd_integer(Dice& dice);
double odd_number(Dice& dice);

/// Operands so large that work proportional to their elements has no end; only expanded ones exist.
bool has_endless_operand(const Call& call);

} // namespace op_fuzz
