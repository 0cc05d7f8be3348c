// The cells of recurrent layers. float32 and float64.
#pragma once

#include <cstdint>

namespace reel::cpu {

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
template <class T> inline constinit RnnKernels<T> rnn_kernels{};

} // namespace reel::cpu
