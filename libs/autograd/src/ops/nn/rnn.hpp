// One recurrent layer in one direction, as the ops of rnn.cpp stack them.
#pragma once

#include <reel/autograd/kernels/rnn.hpp>
#include <reel/autograd/work.hpp>

namespace reel::rnn {

/// w_ih [gates * hidden, in], w_hh [gates * hidden, out], biases [gates * hidden] or absent, w_hr [out, hidden] or
/// absent (lstm's projection).
struct Weights {
    Tensor w_ih, w_hh, b_ih, b_hh, w_hr;
};
/// Outputs of all rows [rows, out]; last states [batch, out] and, for lstm, [batch, hidden].
struct LayerResult {
    Tensor output, hn, cn;
};
inline autograd::Work work_of(RnnCell cell) {
    if (cell == RnnCell::lstm) return autograd::Work::kLstm;
    return cell == RnnCell::gru ? autograd::Work::kGru : autograd::Work::kRnn;
}
/// Runs `input` [rows, in] (the rows of all steps, see RnnPlan) from h0 [batch, out] and c0 [batch, hidden] (lstm).
/// `op` names it on the tape and in errors. Shapes have been checked. Any order of derivatives: the first one is one
/// pass back through the steps, higher ones go through ops.
LayerResult layer(const char* op, RnnCell cell, bool reverse, const std::vector<std::int64_t>& batch_sizes,
                  const Tensor& input, const Tensor& h0, const Tensor& c0, const Weights& weights);

} // namespace reel::rnn
