// One call of an op: its arguments, and how it reads.
#pragma once

#include <string>

#include <reel/autograd/value.hpp>

namespace op_fuzz {

struct Call {
    reel::Args args;
    reel::Kwargs kwargs;
};

/// The same values in lists of their own.
reel::Value copied(const reel::Value& v);
Call copied(const Call& call);

/// The tensors of a value or a call that are defined, in order, those in lists, too.
void collect_tensors(const reel::Value& v, std::vector<reel::Tensor>& out);
std::vector<reel::Tensor> tensors_of(const Call& call);

/// `add(float64[2, 3]/s[1, 2]@1 grad, other=None)`; small tensors with their values. Long parts are cut.
std::string describe(const reel::Value& v);
std::string describe(const std::string& op, const Call& call);

} // namespace op_fuzz
