// The steps of a recurrent layer: one product with the recurrent weight and one fused cell each. The cells are in
// kernels/rnn.cpp.
#include "cpu/nn/rnn.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/kernels/rnn.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/linalg/gemm.hpp"
#include "cpu/linalg/packed_product.hpp"
#include "cpu/scratch.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

namespace {

/// One step as it runs: its first row, its rows, and those of the step that ran before (0 for the first one).
struct Step {
    std::int64_t first, rows, before_first, before_rows;
};
/// In the order of the forward run.
std::vector<Step> steps_of(const RnnPlan& p) {
    const std::size_t n = p.batch_sizes.size();
    std::vector<Step> steps(n);
    std::int64_t at = 0;
    for (std::size_t t = 0; t < n; at += p.batch_sizes[t++]) steps[t] = {at, p.batch_sizes[t], 0, 0};
    if (p.reverse) std::reverse(steps.begin(), steps.end());
    for (std::size_t t = 1; t < n; ++t) {
        steps[t].before_first = steps[t - 1].first;
        steps[t].before_rows = std::min(steps[t - 1].rows, steps[t].rows);
    }
    return steps;
}
template <class T> void copy_rows(T* to, const T* from, std::int64_t rows, std::int64_t width) {
    if (rows > 0) std::memcpy(to, from, std::size_t(rows * width) * sizeof(T));
}
/// The rows' last states: `rows` of every step, those that run later overwriting earlier ones.
template <class T>
void last_rows(const std::vector<Step>& steps, const T* rows, std::int64_t width, T* last, std::int64_t batch) {
    std::int64_t done = 0; // going back, each step adds the rows that no later one has
    for (std::size_t k = steps.size(); k-- > 0 && done < batch;) {
        const Step& s = steps[k];
        if (s.rows <= done) continue;
        copy_rows(last + done * width, rows + (s.first + done) * width, s.rows - done, width);
        done = s.rows;
    }
}
std::int64_t grain_for(std::int64_t hidden) {
    return std::max<std::int64_t>(1, 4096 / std::max<std::int64_t>(hidden, 1));
}

/// What the states of every step are multiplied by: packed when the steps are small and many.
template <class T> class StepMatrix {
public:
    /// [n, k] when `transposed`, else [k, n]; dense.
    StepMatrix(const RnnPlan& p, const void* b, bool transposed, std::int64_t k, std::int64_t n)
        : dtype_(p.dtype), b_(b), transposed_(transposed), k_(k), n_(n) {
        if (p.batch() <= 128 && p.batch_sizes.size() > 2)
            packed_.emplace(static_cast<const T*>(b), transposed, k, n, transposed ? k : n);
    }
    void multiply(const T* a, T* c, std::int64_t m, bool add) const {
        if (packed_) packed_->multiply(a, k_, c, n_, m, add);
        else gemm(dtype_, false, transposed_, m, n_, k_, 1, a, k_, b_, transposed_ ? k_ : n_, add ? 1 : 0, c, n_);
    }

private:
    ScalarType dtype_;
    const void* b_;
    bool transposed_;
    std::int64_t k_, n_;
    std::optional<PackedMatrix<T>> packed_;
};

/// Pointers on behalf of an op, null for undefined tensors.
template <class T> struct Pointers {
    const char* op;
    T* operator()(const Tensor& t) const { return host_data_or_null<T>(t, op); }
};

/// gates = x w_ih^T, for all steps at once.
template <class T> void project_input(const RnnPlan& p, const RnnForward& f, const Pointers<T>& data) {
    const std::int64_t in = f.x.size(1), g = f.gates.size(1);
    if (in == 0) std::fill_n(data(f.gates), f.gates.numel(), T(0));
    else gemm(p.dtype, false, true, p.rows(), g, in, 1, data(f.x), in, data(f.w_ih), in, 0, data(f.gates), g);
}

template <class T> void forward(const char* op, const RnnPlan& p, const Tensor& output_, const RnnForward& f) {
    const auto& k = rnn_kernels<T>;
    const Pointers<T> data{op};
    project_input(p, f, data);
    const std::int64_t h = p.hidden, out = p.out, g = rnn_gates(p.cell) * h;
    const bool projected = f.w_hr.defined();
    const T *h0 = data(f.h0), *c0 = data(f.c0), *bias = data(f.bias);
    T *gates = data(f.gates), *cells = data(f.cells), *previous = data(f.previous), *output = data(output_),
      *raw = projected ? data(f.raw) : output;
    const Scratch scratch(p.cell == RnnCell::gru ? std::size_t(p.batch() * g) * sizeof(T) : 0);
    T* state_gates = scratch.as<T>();
    const StepMatrix<T> recurrent(p, data(f.w_hh), true, out, g);
    std::optional<StepMatrix<T>> projection;
    if (projected) projection.emplace(p, data(f.w_hr), true, h, out);
    const std::vector<Step> steps = steps_of(p);
    for (const Step& s : steps) {
        T* from = previous + s.first * out;
        copy_rows(from, output + s.before_first * out, s.before_rows, out);
        copy_rows(from + s.before_rows * out, h0 + s.before_rows * out, s.rows - s.before_rows, out);
        T* into = p.cell == RnnCell::gru ? state_gates : gates + s.first * g;
        recurrent.multiply(from, into, s.rows, p.cell != RnnCell::gru);
        parallel_for(0, s.rows, grain_for(h), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t r = begin; r < end; ++r) {
                const std::int64_t row = s.first + r;
                T *gate = gates + row * g, *y = raw + row * h;
                if (p.cell == RnnCell::lstm)
                    k.lstm(gate, bias, r < s.before_rows ? cells + (s.before_first + r) * h : c0 + r * h,
                           cells + row * h, y, h);
                else if (p.cell == RnnCell::gru)
                    k.gru(gate, state_gates + r * g, bias, from + r * out, cells + row * h, y, h);
                else k.simple(gate, bias, y, h, p.cell == RnnCell::relu);
            }
        });
        if (projected) projection->multiply(raw + s.first * h, output + s.first * out, s.rows, false);
    }
    last_rows(steps, output, out, data(f.hn), p.batch());
    if (p.cell == RnnCell::lstm) last_rows(steps, cells, h, data(f.cn), p.batch());
}

template <class T> void backward(const char* op, const RnnPlan& p, const Tensor& grad_gates, const RnnBackward& b) {
    const auto& k = rnn_kernels<T>;
    const Pointers<T> data{op};
    const std::int64_t h = p.hidden, out = p.out, g = rnn_gates(p.cell) * h;
    const bool projected = b.w_hr.defined(), gru = p.cell == RnnCell::gru;
    const T *c0 = data(b.c0), *gates = data(b.gates), *cells = data(b.cells), *previous = data(b.previous),
            *grad_output = data(b.grad_output);
    T *gh = data(b.grad_h), *gc = data(b.grad_c), *ggates = data(grad_gates), *gstate = data(b.grad_state_gates),
      *gstates = data(b.grad_states);
    const Scratch scratch(projected ? std::size_t(p.batch() * h) * sizeof(T) : 0);
    T* graw = scratch.as<T>();
    const StepMatrix<T> recurrent(p, data(b.w_hh), false, g, out);
    std::optional<StepMatrix<T>> projection;
    if (projected) projection.emplace(p, data(b.w_hr), false, out, h);
    const std::vector<Step> steps = steps_of(p);
    for (std::size_t t = steps.size(); t-- > 0;) {
        const Step& s = steps[t];
        const T* gout = grad_output ? grad_output + s.first * out : nullptr;
        T* incoming = gh;
        if (projected) {
            T* sum = gstates + s.first * out;
            for (std::int64_t i = 0; i < s.rows * out; ++i) sum[i] = gout ? gh[i] + gout[i] : gh[i];
            projection->multiply(sum, graw, s.rows, false);
            incoming = graw;
            gout = nullptr;
        }
        parallel_for(0, s.rows, grain_for(h), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t r = begin; r < end; ++r) {
                const std::int64_t row = s.first + r;
                const T *gate = gates + row * g, *go = gout ? gout + r * h : nullptr;
                if (p.cell == RnnCell::lstm)
                    k.lstm_backward(gate, r < s.before_rows ? cells + (s.before_first + r) * h : c0 + r * h,
                                    cells + row * h, incoming + r * h, go, gc + r * h, ggates + row * g, h);
                else if (gru)
                    k.gru_backward(gate, cells + row * h, previous + row * out, go, incoming + r * h, ggates + row * g,
                                   gstate + row * g, h);
                else k.simple_backward(gate, incoming + r * h, go, ggates + row * g, h, p.cell == RnnCell::relu);
            }
        });
        recurrent.multiply((gru ? gstate : ggates) + s.first * g, gh, s.rows, gru);
    }
}

} // namespace

void rnn(const char* op, const RnnPlan& p, const Tensor& output, const RnnForward& f) {
    detail::dispatch<detail::Floats>(p.dtype, op, [&]<class T>() { forward<T>(op, p, output, f); });
}
void rnn_backward(const char* op, const RnnPlan& p, const Tensor& grad_gates, const RnnBackward& b) {
    detail::dispatch<detail::Floats>(p.dtype, op, [&]<class T>() { backward<T>(op, p, grad_gates, b); });
}

} // namespace reel::cpu
