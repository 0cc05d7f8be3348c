// Kernels of recurrent layers: all steps of one layer in one direction, and back through them.
#pragma once

#include <vector>

#include <reel/autograd/kernel.hpp>

namespace reel {

enum class RnnCell : std::uint8_t { tanh, relu, lstm, gru };
/// Blocks of `hidden` values that the cell's gates have.
inline std::int64_t rnn_gates(RnnCell c) { return c == RnnCell::lstm ? 4 : c == RnnCell::gru ? 3 : 1; }

/// Rows of all steps lie one after the other, step t having `batch_sizes[t]` of them, never more than the step before.
struct RnnPlan {
    ScalarType dtype; ///< float32 or float64
    RnnCell cell;
    bool reverse;
    std::int64_t hidden;                   ///< of the cell
    std::int64_t out;                      ///< of what a step hands on: `hidden`, or less with a projection
    std::vector<std::int64_t> batch_sizes; ///< positive
    std::int64_t batch() const { return batch_sizes.front(); }
    std::int64_t rows() const {
        std::int64_t n = 0;
        for (const std::int64_t b : batch_sizes) n += b;
        return n;
    }
};

/// Dense tensors; those that a cell does not have are undefined. `x` [rows, in], `w_ih` [gates * hidden, in]; `gates`
/// [rows, gates * hidden] is left with the activated gates; `bias` [gates * hidden] is the sum of both biases, for gru
/// [4 * hidden]: r, z, then input's and state's n. `cells` [rows, hidden]: lstm's cell states, or gru's state part of
/// n; `raw` [rows, hidden]: what is projected; `previous` [rows, out]: the state that each row started from.
struct RnnForward {
    const Tensor &x, &h0, &c0, &w_ih, &w_hh, &bias, &w_hr;
    const Tensor &gates, &cells, &raw, &previous, &hn, &cn;
};
/// `grad_h` [batch, out] and `grad_c` [batch, hidden] come with the gradients of hn and cn and leave with those of h0
/// and c0. `grad_output` may be undefined. `grad_gates`: gradients of the projected inputs; `grad_state_gates` (gru
/// only): of the projected states. `grad_states` [rows, out] (projection only): of every step's output.
struct RnnBackward {
    const Tensor &c0, &w_hh, &w_hr, &gates, &cells, &previous, &grad_output;
    const Tensor &grad_h, &grad_c, &grad_state_gates, &grad_states;
};

/// What a device's library keeps of a layer for the way back.
struct RnnKept {
    Tensor weights, reserve;
};
/// As the layer has them, dense; biases and `w_hr` may be undefined, `c0` is lstm's.
struct RnnOperands {
    const Tensor &x, &h0, &c0, &w_ih, &w_hh, &b_ih, &b_hh, &w_hr;
};
/// Those that are wanted, dense; the others are undefined.
struct RnnGradients {
    Tensor x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr;
};

namespace cpu {
void rnn(const char* op, const RnnPlan& p, const Tensor& output, const RnnForward& f);
void rnn_backward(const char* op, const RnnPlan& p, const Tensor& grad_gates, const RnnBackward& b);
} // namespace cpu

namespace kernels {
/// Fills `output` [rows, out] and what `f` leaves for the way back. A device need not have it: the layer then goes step
/// by step through ops.
inline constinit Kernel<decltype(cpu::rnn), Writes<2>> rnn{"rnn", &cpu::rnn};
/// Fills `grad_gates` [rows, gates * hidden] and the gradients in `b`.
inline constinit Kernel<decltype(cpu::rnn_backward), Writes<2>> rnn_backward{"rnn", &cpu::rnn_backward};
/// The layer by a device's library: fills `output`, `hn` and, for lstm, `cn`, and `kept` unless that is null. False,
/// with nothing done, where the library does not take the case.
inline constinit Kernel<bool(const char* op, const RnnPlan& p, const Tensor& output, const Tensor& hn, const Tensor& cn,
                             const RnnOperands& operands, RnnKept* kept)>
    rnn_in_one_call{"rnn"};
/// The weights of a layer in one memory, as a device's library wants to find them: a view for each operand (undefined
/// where that is), with its numbers; none at all where the library does not take the layer. The layer then works on
/// that memory; weights that lie otherwise are copied for each call.
inline constinit Kernel<std::vector<Tensor>(const char* op, RnnCell cell, const Tensor& w_ih, const Tensor& w_hh,
                                            const Tensor& b_ih, const Tensor& b_hh, const Tensor& w_hr)>
    rnn_flat_weights{"rnn"};
/// Its gradients, from those of `output`, `hn` and `cn`, of which the latter may be undefined.
inline constinit Kernel<void(const char* op, const RnnPlan& p, const Tensor& output, const Tensor& grad_output,
                             const Tensor& grad_hn, const Tensor& grad_cn, const RnnOperands& operands,
                             const RnnKept& kept, const RnnGradients& grads)>
    rnn_in_one_call_backward{"rnn"};
} // namespace kernels

} // namespace reel
