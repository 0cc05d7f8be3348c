// Recurrent networks: stacks of layers in one or two directions over padded or packed sequences, and single steps.
#include "ops/nn/rnn.hpp"

#include <reel/autograd/ops/nn/dropout.hpp>
#include <reel/autograd/ops/nn/rnn.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/ops/shape/stack.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/record.hpp>

#include "ops/shape/shape_util.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/host_values.hpp"

namespace reel {

using rnn::LayerResult;
using rnn::Weights;

namespace {

/// How many layers, which way, with what: the arguments that all networks share.
struct Stack {
    const char* op;
    RnnCell cell;
    TensorList params;
    bool has_biases;
    std::int64_t num_layers;
    double dropout;
    bool train, bidirectional;
};

/// The weights of every layer and direction; checks their number and shapes.
std::vector<Weights> weights_of(const Stack& s, bool projected) {
    const std::size_t each = 2 + (s.has_biases ? 2 : 0) + (projected ? 1 : 0),
                      parts = std::size_t(s.num_layers) * (s.bidirectional ? 2 : 1);
    REEL_CHECK(s.params.size() == each * parts, s.op, ": got an incorrect number of RNN parameters: expected ",
               each * parts, " for ", s.num_layers, " layers, got ", s.params.size());
    std::vector<Weights> all;
    for (std::size_t i = 0; i < s.params.size(); i += each) {
        const auto p = [&](std::size_t k) -> Tensor { return s.params[i + k]; };
        Weights w{p(0), p(1), {}, {}, {}};
        if (s.has_biases) w.b_ih = p(2), w.b_hh = p(3);
        if (projected) w.w_hr = p(each - 1);
        all.push_back(w);
    }
    return all;
}
/// Weights against each other, the input and the states of one layer and direction.
void check_layer(const char* op, RnnCell cell, const Weights& w, const Tensor& input, const Tensor& h,
                 const Tensor& c) {
    const std::int64_t gates = rnn_gates(cell);
    const auto matrix = [&](const char* name, const Tensor& t, std::int64_t rows, std::int64_t cols) {
        const std::int64_t want[] = {rows, cols};
        REEL_CHECK(t.sizes() == IntArrayRef(want), op, ": ", name, " has shape ", t.sizes(), "; expected ",
                   IntArrayRef(want));
        REEL_CHECK(t.scalar_type() == input.scalar_type(), op, ": ", name, " is ", dtype_name(t.scalar_type()),
                   " and input is ", dtype_name(input.scalar_type()), "; convert one of them");
        REEL_CHECK(t.device() == input.device(), op, ": Input and ", name,
                   " tensors are not at the same device, found "
                   "input tensor at ",
                   input.device(), " and ", name, " tensor at ", t.device());
    };
    REEL_CHECK(w.w_ih.dim() == 2 && w.w_ih.size(0) % gates == 0 && w.w_ih.size(0) > 0, op, ": w_ih has shape ",
               w.w_ih.sizes(), "; expected [", gates, " * hidden_size, input_size]");
    const std::int64_t hidden = w.w_ih.size(0) / gates, out = w.w_hr.defined() ? w.w_hr.size(0) : hidden;
    matrix("w_ih", w.w_ih, gates * hidden, input.size(-1));
    matrix("w_hh", w.w_hh, gates * hidden, out);
    if (w.w_hr.defined()) matrix("w_hr", w.w_hr, out, hidden);
    const std::int64_t bias[] = {gates * hidden};
    for (const auto& [name, b] : {std::pair<const char*, const Tensor&>{"b_ih", w.b_ih}, {"b_hh", w.b_hh}}) {
        if (!b.defined()) continue;
        REEL_CHECK(b.sizes() == IntArrayRef(bias), op, ": ", name, " has shape ", b.sizes(), "; expected ",
                   IntArrayRef(bias));
        REEL_CHECK(b.scalar_type() == input.scalar_type(), op, ": ", name, " is ", dtype_name(b.scalar_type()),
                   " and input is ", dtype_name(input.scalar_type()), "; convert one of them");
    }
    matrix("hidden state", h, h.size(0), out);
    if (c.defined()) matrix("cell state", c, h.size(0), hidden);
}

struct Results {
    Tensor output, hn, cn;
};
/// `data` [rows, features] of all steps; hx [layers * directions, batch, out].
Results run(const Stack& s, Tensor data, const std::vector<std::int64_t>& batch_sizes, const Tensor& hx,
            const Tensor& cx) {
    const std::int64_t directions = s.bidirectional ? 2 : 1,
                       parts = reel::detail::checked_mul(s.op, "the number of states", s.num_layers, directions);
    for (const Tensor& state : {hx, cx})
        REEL_CHECK(!state.defined() ||
                       (state.dim() == 3 && state.size(0) == parts && state.size(1) == batch_sizes.front()),
                   s.op, ": a state has shape ", state.sizes(), "; expected [", parts, ", ", batch_sizes.front(),
                   ", hidden_size]");
    const bool projected = cx.defined() && cx.size(2) != hx.size(2);
    const std::vector<Weights> weights = weights_of(s, projected);
    std::vector<Tensor> hn, cn;
    for (std::int64_t l = 0; l < s.num_layers; ++l) {
        std::vector<Tensor> outputs;
        for (std::int64_t d = 0; d < directions; ++d) {
            const std::int64_t i = l * directions + d;
            const Weights& w = weights[std::size_t(i)];
            const Tensor h = parts == 1 ? reshape(hx, {hx.size(1), hx.size(2)}) : select(hx, 0, i),
                         c = !cx.defined() ? Tensor()
                             : parts == 1  ? reshape(cx, {cx.size(1), cx.size(2)})
                                           : select(cx, 0, i);
            check_layer(s.op, s.cell, w, data, h, c);
            LayerResult r = rnn::layer(s.op, s.cell, d == 1, batch_sizes, data, h, c, w);
            outputs.push_back(r.output);
            hn.push_back(r.hn);
            if (r.cn.defined()) cn.push_back(r.cn);
        }
        data = directions == 1 ? outputs[0] : cat(outputs, 1);
        if (s.dropout > 0 && s.train && l + 1 < s.num_layers) data = reel::dropout(data, s.dropout, true);
    }
    const auto joined = [parts](const std::vector<Tensor>& t) {
        return t.empty() ? Tensor() : parts == 1 ? unsqueeze(t[0], 0) : stack(t);
    };
    return {data, joined(hn), joined(cn)};
}
/// input [steps, batch, features], or [batch, steps, features].
Results run_padded(const Stack& s, const Tensor& input, const Tensor& hx, const Tensor& cx, bool batch_first) {
    REEL_CHECK(input.dim() == 3, s.op, ": input must have 3 dimensions, got ", input.dim());
    const Tensor x = batch_first ? transpose(input, 0, 1) : input;
    const std::int64_t steps = x.size(0), batch = x.size(1);
    REEL_CHECK(steps > 0, s.op, ": Expected sequence length to be larger than 0 in RNN");
    REEL_CHECK(batch > 0, s.op, ": expected a batch of at least one sequence, got input ", input.sizes());
    Results r =
        run(s, reshape(x, {steps * batch, x.size(2)}), std::vector<std::int64_t>(std::size_t(steps), batch), hx, cx);
    r.output = view(r.output, {steps, batch, r.output.size(1)});
    if (batch_first) r.output = transpose(r.output, 0, 1);
    return r;
}
Results run_packed(const Stack& s, const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, const Tensor& cx) {
    REEL_CHECK(data.dim() == 2, s.op, ": input must have 2 dimensions, got ", data.dim());
    REEL_CHECK(batch_sizes.dim() == 1 && batch_sizes.numel() > 0 && batch_sizes.is_cpu() &&
                   batch_sizes.scalar_type() == kLong,
               s.op, ": batch_sizes must be a 1D CPU int64 tensor, got ", dtype_name(batch_sizes.scalar_type()), " ",
               batch_sizes.sizes());
    const detail::HostValues<std::int64_t> numbers(batch_sizes, s.op);
    const std::vector<std::int64_t> sizes(numbers.begin(), numbers.end());
    std::int64_t total = 0;
    for (std::size_t t = 0; t < sizes.size(); ++t) {
        REEL_CHECK(sizes[t] > 0 && (t == 0 || sizes[t] <= sizes[t - 1]), s.op,
                   ": batch_sizes must be positive and must not grow, got ", IntArrayRef(sizes));
        total += sizes[t];
    }
    REEL_CHECK(total == data.size(0), s.op, ": batch_sizes ", IntArrayRef(sizes), " make ", total,
               " rows, but data has ", data.size(0));
    return run(s, data, sizes, hx, cx);
}
std::pair<Tensor, Tensor> two_states(const char* op, TensorList hx) {
    REEL_CHECK(hx.size() == 2, op, ": ", op, " expects two hidden states, got ", hx.size());
    return {hx[0], hx[1]};
}
using Two = std::tuple<Tensor, Tensor>;
using Three = std::tuple<Tensor, Tensor, Tensor>;
Two one_state(const Results& r) { return {r.output, r.hn}; }
Three both_states(const Results& r) { return {r.output, r.hn, r.cn}; }

/// One step of [batch, features], or of one example [features].
LayerResult step(const char* op, RnnCell cell, const Tensor& input, const Tensor& hx, const Tensor& cx,
                 const Weights& w) {
    REEL_CHECK(input.dim() == 1 || input.dim() == 2, op, ": Expected input to be 1D or 2D, got ", input.dim(),
               "D instead");
    REEL_CHECK(w.w_hh.dim() == 2 && w.w_ih.dim() == 2, op, ": weights of shapes ", w.w_ih.sizes(), " and ",
               w.w_hh.sizes(), " are not matrices");
    REEL_CHECK(input.size(-1) == w.w_ih.size(1), op, ": input has inconsistent input_size: got ", input.size(-1),
               " expected ", w.w_ih.size(1));
    const std::int64_t hidden = w.w_hh.size(1);
    for (const Tensor& state : {hx, cx}) {
        if (!state.defined()) continue;
        REEL_CHECK(state.dim() == input.dim(), op, ": Expected hidden to be ", input.dim(), "D as the input, got ",
                   state.dim(), "D instead");
        REEL_CHECK(input.dim() == 1 || state.size(0) == input.size(0), op, ": Input batch size ", input.size(0),
                   " doesn't match hidden batch size ", state.size(0));
        REEL_CHECK(state.size(-1) == hidden, op, ": hidden has inconsistent hidden_size: got ", state.size(-1),
                   ", expected ", hidden);
    }
    const bool batched = input.dim() == 2;
    const auto rows = [&](const Tensor& t) { return batched || !t.defined() ? t : unsqueeze(t, 0); };
    const Tensor x = rows(input), h = rows(hx), c = rows(cx);
    check_layer(op, cell, w, x, h, c);
    LayerResult r;
    if (x.size(0) > 0) r = rnn::layer(op, cell, false, {x.size(0)}, x, h, c, w);
    else r = {h, h, c};
    if (batched) return r;
    return {squeeze(r.output, 0), squeeze(r.hn, 0), r.cn.defined() ? squeeze(r.cn, 0) : r.cn};
}

} // namespace

/// A stack of LSTM layers over input [steps, batch, features] ([batch, steps, ...] with `batch_first`) from hx = {h0,
/// c0}, each [layers * directions, batch, size]; a size of h0 unlike that of c0 means projections. params: per layer
/// and direction w_ih, w_hh, then b_ih, b_hh with `has_biases`, then w_hr with projections. Returns all outputs, h and
/// c of the last steps. Dropout works between layers.
REEL_OP("lstm(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, "
        "bool bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor)",
        rule,
        samples(call(numbers({3, 2, 3}), tensors({numbers({1, 2, 2}), numbers({1, 2, 2}, 22)}), gates(4), true, 1, 0.0,
                     true, false, false)))
Three lstm(const Tensor& input, TensorList hx, TensorList params, bool has_biases, std::int64_t num_layers,
           double dropout, bool train, bool bidirectional, bool batch_first) {
    const auto [h, c] = two_states("lstm", hx);
    return both_states(
        run_padded({"lstm", RnnCell::lstm, params, has_biases, num_layers, dropout, train, bidirectional}, input, h, c,
                   batch_first));
}
/// The same over packed sequences: `data` holds the rows of all steps, step t having batch_sizes[t] of them.
REEL_OP("lstm(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float "
        "dropout, bool train, bool bidirectional) -> (Tensor, Tensor, Tensor)",
        rule, any_device("batch_sizes"),
        samples(call(numbers({5, 3}), longs({2, 2, 1}), tensors({numbers({1, 2, 2}), numbers({1, 2, 2}, 22)}), gates(4),
                     true, 1, 0.0, false, false)))
Three lstm(const Tensor& data, const Tensor& batch_sizes, TensorList hx, TensorList params, bool has_biases,
           std::int64_t num_layers, double dropout, bool train, bool bidirectional) {
    const auto [h, c] = two_states("lstm", hx);
    return both_states(
        run_packed({"lstm", RnnCell::lstm, params, has_biases, num_layers, dropout, train, bidirectional}, data,
                   batch_sizes, h, c));
}
REEL_OP("gru(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, "
        "bool bidirectional, bool batch_first) -> (Tensor, Tensor)",
        rule, samples(call(numbers({3, 2, 3}), numbers({1, 2, 2}), gates(3), true, 1, 0.0, true, false, false)))
Two gru(const Tensor& input, const Tensor& hx, TensorList params, bool has_biases, std::int64_t num_layers,
        double dropout, bool train, bool bidirectional, bool batch_first) {
    return one_state(run_padded({"gru", RnnCell::gru, params, has_biases, num_layers, dropout, train, bidirectional},
                                input, hx, {}, batch_first));
}
REEL_OP("gru(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float "
        "dropout, bool train, bool bidirectional) -> (Tensor, Tensor)",
        rule, any_device("batch_sizes"),
        samples(call(numbers({5, 3}), longs({2, 2, 1}), numbers({1, 2, 2}), gates(3), true, 1, 0.0, false, false)))
Two gru(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, TensorList params, bool has_biases,
        std::int64_t num_layers, double dropout, bool train, bool bidirectional) {
    return one_state(run_packed({"gru", RnnCell::gru, params, has_biases, num_layers, dropout, train, bidirectional},
                                data, batch_sizes, hx, {}));
}
REEL_OP("rnn_tanh(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool "
        "train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)",
        rule, samples(call(numbers({3, 2, 3}), numbers({1, 2, 2}), gates(1), true, 1, 0.0, true, false, false)))
Two rnn_tanh(const Tensor& input, const Tensor& hx, TensorList params, bool has_biases, std::int64_t num_layers,
             double dropout, bool train, bool bidirectional, bool batch_first) {
    return one_state(
        run_padded({"rnn_tanh", RnnCell::tanh, params, has_biases, num_layers, dropout, train, bidirectional}, input,
                   hx, {}, batch_first));
}
REEL_OP("rnn_tanh(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float "
        "dropout, bool train, bool bidirectional) -> (Tensor, Tensor)",
        rule, any_device("batch_sizes"),
        samples(call(numbers({5, 3}), longs({2, 2, 1}), numbers({1, 2, 2}), gates(1), true, 1, 0.0, false, false)))
Two rnn_tanh(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, TensorList params, bool has_biases,
             std::int64_t num_layers, double dropout, bool train, bool bidirectional) {
    return one_state(
        run_packed({"rnn_tanh", RnnCell::tanh, params, has_biases, num_layers, dropout, train, bidirectional}, data,
                   batch_sizes, hx, {}));
}
REEL_OP("rnn_relu(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool "
        "train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)",
        rule, samples(call(numbers({3, 2, 3}), numbers({1, 2, 2}), gates(1), true, 1, 0.0, true, false, false)))
Two rnn_relu(const Tensor& input, const Tensor& hx, TensorList params, bool has_biases, std::int64_t num_layers,
             double dropout, bool train, bool bidirectional, bool batch_first) {
    return one_state(
        run_padded({"rnn_relu", RnnCell::relu, params, has_biases, num_layers, dropout, train, bidirectional}, input,
                   hx, {}, batch_first));
}
REEL_OP("rnn_relu(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float "
        "dropout, bool train, bool bidirectional) -> (Tensor, Tensor)",
        rule, any_device("batch_sizes"),
        samples(call(numbers({5, 3}), longs({2, 2, 1}), numbers({1, 2, 2}), gates(1), true, 1, 0.0, false, false)))
Two rnn_relu(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, TensorList params, bool has_biases,
             std::int64_t num_layers, double dropout, bool train, bool bidirectional) {
    return one_state(
        run_packed({"rnn_relu", RnnCell::relu, params, has_biases, num_layers, dropout, train, bidirectional}, data,
                   batch_sizes, hx, {}));
}

/// One step: input [batch, features] or [features], hx = {h, c} of as many dimensions. Returns the new h and c.
REEL_OP("lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> "
        "(Tensor, Tensor)",
        rule,
        samples(call(numbers({2, 3}), tensors({numbers({2, 2}), numbers({2, 2}, 25)}), numbers({8, 3}, 30),
                     numbers({8, 2}, 31), numbers({8}, 32), numbers({8}, 33))))
Two lstm_cell(const Tensor& input, TensorList hx, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
              const Tensor& b_hh) {
    const auto [h, c] = two_states("lstm_cell", hx);
    const LayerResult r = step("lstm_cell", RnnCell::lstm, input, h, c, {w_ih, w_hh, b_ih, b_hh, {}});
    return {r.output, r.cn};
}
REEL_OP("gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
        rule,
        samples(call(numbers({2, 3}), numbers({2, 2}), numbers({6, 3}, 30), numbers({6, 2}, 31), numbers({6}, 32),
                     numbers({6}, 33))))
Tensor gru_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
                const Tensor& b_hh) {
    return step("gru_cell", RnnCell::gru, input, hx, {}, {w_ih, w_hh, b_ih, b_hh, {}}).output;
}
REEL_OP("rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> "
        "Tensor",
        rule,
        samples(call(numbers({2, 3}), numbers({2, 2}), numbers({2, 3}, 30), numbers({2, 2}, 31), numbers({2}, 32),
                     numbers({2}, 33))))
Tensor rnn_tanh_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
                     const Tensor& b_hh) {
    return step("rnn_tanh_cell", RnnCell::tanh, input, hx, {}, {w_ih, w_hh, b_ih, b_hh, {}}).output;
}
REEL_OP("rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> "
        "Tensor",
        rule,
        samples(call(numbers({2, 3}), numbers({2, 2}), numbers({2, 3}, 30), numbers({2, 2}, 31), numbers({2}, 32),
                     numbers({2}, 33))))
Tensor rnn_relu_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
                     const Tensor& b_hh) {
    return step("rnn_relu_cell", RnnCell::relu, input, hx, {}, {w_ih, w_hh, b_ih, b_hh, {}}).output;
}

} // namespace reel
