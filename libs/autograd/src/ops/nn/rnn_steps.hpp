// What the ways of computing a recurrent layer share.
#pragma once

#include <reel/autograd/record.hpp>

#include "ops/nn/rnn.hpp"

namespace reel::rnn {

/// Positions of a layer's operands.
enum : std::size_t { kInput, kH0, kC0, kWih, kWhh, kBih, kBhh, kWhr, kOperands };

/// Gradients through ops that record themselves, on a tape of their own that ends at aliases of the operands.
autograd::GradList backward_in_ops(const RnnPlan& p, autograd::RuleContext& c);
/// By a device's library, whose results are undefined where it does not take the case.
LayerResult in_one_call(const char* op, const RnnPlan& p, const autograd::variable_list& operands);

} // namespace reel::rnn
