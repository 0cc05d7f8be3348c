// One layer of a recurrent network in one direction: all steps forward, and back through them. float32 and float64.
#pragma once

#include <cstdint>
#include <vector>

#include <reel/autograd/dtype.hpp>

namespace reel::cpu {

enum class RnnCell : std::uint8_t { tanh, relu, lstm, gru };
/// Blocks of `hidden` values that the cell's gates have.
inline std::int64_t rnn_gates(RnnCell c) { return c == RnnCell::lstm ? 4 : c == RnnCell::gru ? 3 : 1; }

/// Rows of all steps lie one after the other, step t having `batch_sizes[t]` of them, never more than the step before.
struct RnnPlan {
    ScalarType dtype;
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

/// Dense tensors. `gates` [rows, gates * hidden] holds the projected inputs (no bias) and leaves with the activated
/// gates; `bias` [gates * hidden] is the sum of both biases, for gru [4 * hidden]: r, z, then input's and state's n.
/// `cells` [rows, hidden]: lstm's cell states, or gru's state part of n; `raw` [rows, hidden]: what is projected;
/// `previous` [rows, out]: the state that each row started from.
struct RnnForward {
    const void *h0, *c0, *w_hh, *bias, *w_hr;
    void *gates, *cells, *raw, *previous, *output, *hn, *cn;
};
void rnn_forward(const RnnPlan& p, const RnnForward& f);

/// `grad_h` [batch, out] and `grad_c` [batch, hidden] come with the gradients of hn and cn and leave with those of h0
/// and c0. `grad_output` may be null. `grad_gates`: gradients of the projected inputs; `grad_state_gates` (gru only):
/// of the projected states. `grad_states` [rows, out] (projection only): of every step's output.
struct RnnBackward {
    const void *c0, *w_hh, *w_hr, *gates, *cells, *previous, *grad_output;
    void *grad_h, *grad_c, *grad_gates, *grad_state_gates, *grad_states;
};
void rnn_backward(const RnnPlan& p, const RnnBackward& b);

/// One row of a step; `n` is the hidden size. Compiled once per instruction set.
template <class T> struct RnnKernels {
    void (*simple)(T* gates, const T* bias, T* h, std::int64_t n, bool relu);
    /// The gradient of h is gh plus gout, which may be null; so below.
    void (*simple_backward)(const T* gates, const T* gh, const T* gout, T* ggates, std::int64_t n, bool relu);
    void (*lstm)(T* gates, const T* bias, const T* c_prev, T* c, T* h, std::int64_t n);
    /// gc: the gradient of c on entry, of c_prev on return.
    void (*lstm_backward)(const T* gates, const T* c_prev, const T* c, const T* gh, const T* gout, T* gc, T* ggates,
                          std::int64_t n);
    void (*gru)(T* gates, const T* state_gates, const T* bias, const T* h_prev, T* state_n, T* h, std::int64_t n);
    /// gh on return: what reaches h_prev directly.
    void (*gru_backward)(const T* gates, const T* state_n, const T* h_prev, const T* gout, T* gh, T* ggates,
                         T* gstate_gates, std::int64_t n);
};
template <class T> inline RnnKernels<T> rnn_kernels;

} // namespace reel::cpu
