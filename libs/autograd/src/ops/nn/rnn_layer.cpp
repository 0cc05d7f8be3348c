// One recurrent layer in one direction: a single node on the tape, whose backward goes once through the steps.
#include "ops/nn/rnn_steps.hpp"

#include <reel/autograd/backward.hpp>
#include <reel/autograd/kernels/matmul.hpp>
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/pointwise/activation.hpp>
#include <reel/autograd/ops/pointwise/trigonometric.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "ops/shape/shape_util.hpp"
#include "tensor/raw.hpp"

namespace reel::rnn {

using namespace autograd;
using namespace reel::detail;

namespace {

/// What is saved behind the operands.
enum : std::size_t { kGates = kOperands, kCells, kRaw, kPrevious };

/// The same layer in ops that record themselves.
LayerResult in_ops(const RnnPlan& p, const variable_list& v) {
    const Tensor gates_x = linear(v[kInput], v[kWih], v[kBih]);
    const std::int64_t h = p.hidden, n = std::int64_t(p.batch_sizes.size());
    std::vector<std::int64_t> first(p.batch_sizes.size(), 0);
    for (std::size_t t = 1; t < first.size(); ++t) first[t] = first[t - 1] + p.batch_sizes[t - 1];
    std::vector<Tensor> outputs(p.batch_sizes.size());
    Tensor state = v[kH0], cells = v[kC0];
    for (std::int64_t k = 0; k < n; ++k) {
        const std::size_t t = std::size_t(p.reverse ? n - 1 - k : k);
        const std::int64_t rows = p.batch_sizes[t];
        const bool all = rows == p.batch();
        const auto part = [&](const Tensor& x) { return all ? x : narrow(x, 0, 0, rows); };
        const auto renewed = [&](const Tensor& old, const Tensor& x) {
            return all ? x : cat({x, narrow(old, 0, rows, p.batch() - rows)});
        };
        const auto block = [h](const Tensor& x, std::int64_t i) { return narrow(x, 1, i * h, h); };
        const Tensor gx = narrow(gates_x, 0, first[t], rows), from = part(state), gh = linear(from, v[kWhh], v[kBhh]);
        Tensor y;
        if (p.cell == RnnCell::lstm) {
            const Tensor g = gx + gh;
            const Tensor c = sigmoid(block(g, 1)) * part(cells) + sigmoid(block(g, 0)) * reel::tanh(block(g, 2));
            y = sigmoid(block(g, 3)) * reel::tanh(c);
            if (v[kWhr].defined()) y = linear(y, v[kWhr]);
            cells = renewed(cells, c);
        } else if (p.cell == RnnCell::gru) {
            const Tensor r = sigmoid(block(gx, 0) + block(gh, 0)), z = sigmoid(block(gx, 1) + block(gh, 1)),
                         fresh = reel::tanh(block(gx, 2) + r * block(gh, 2));
            y = fresh + z * (from - fresh);
        } else {
            y = gx + gh;
            y = p.cell == RnnCell::relu ? relu(y) : reel::tanh(y);
        }
        outputs[t] = y;
        state = renewed(state, y);
    }
    return {cat(outputs), state, cells};
}

} // namespace

GradList backward_in_ops(const RnnPlan& p, RuleContext& c) {
    variable_list operands, wanted;
    for (std::size_t i = 0; i < kOperands; ++i) {
        const Tensor t = c.saved(i);
        operands.push_back(t.defined() && t.requires_grad() && c.needs(i) ? reel::alias(t) : t);
        if (t.defined() && t.requires_grad() && c.needs(i)) wanted.push_back(operands.back());
    }
    const LayerResult r = in_ops(p, operands);
    variable_list roots, seeds;
    const Tensor* const outputs[] = {&r.output, &r.hn, &r.cn};
    for (std::size_t i = 0; i < c.num_grads(); ++i)
        if (c.grad(i).defined() && outputs[i]->requires_grad())
            roots.push_back(*outputs[i]), seeds.push_back(c.grad(i));
    GradList result(kOperands, Tensor());
    if (roots.empty() || wanted.empty()) return result;
    const variable_list grads = grad(std::move(roots), wanted, seeds, true, true, true);
    for (std::size_t i = 0, k = 0; i < kOperands; ++i)
        if (operands[i].defined() && operands[i].requires_grad() && c.needs(i)) result[i] = grads[k++];
    return result;
}

namespace {

Tensor dense(const Tensor& t) { return t.defined() ? contiguous_raw(t) : t; }
/// op(a) b, dense matrices.
Tensor product(const Tensor& a, bool transposed, const Tensor& b) {
    const Tensor x = transposed ? transpose_raw(a, 0, 1) : a;
    Tensor out = empty_raw({x.size(0), b.size(1)}, a);
    if (x.size(1) == 0) fill_raw(out, 0);
    else if (out.numel() > 0) kernels::mm(out, x, b, 1, 0);
    return out;
}

GradList backward_fused(const char* op, const RnnPlan& p, RuleContext& c) {
    const bool lstm = p.cell == RnnCell::lstm, gru = p.cell == RnnCell::gru;
    const Tensor gates = c.saved(kGates), cells = c.saved(kCells), raw = c.saved(kRaw), previous = c.saved(kPrevious),
                 c0 = dense(c.saved(kC0)), w_hh = dense(c.saved(kWhh)), w_hr = dense(c.saved(kWhr)),
                 grad_output = dense(c.grad(0));
    // Both are changed on the way.
    const auto own = [&](std::size_t i, std::int64_t width) {
        Tensor t = empty_raw({p.batch(), width}, gates);
        if (c.grad(i).defined()) copy_raw(t, c.grad(i));
        else fill_raw(t, 0);
        return t;
    };
    Tensor grad_h = own(1, p.out), grad_c = lstm ? own(2, p.hidden) : Tensor();
    Tensor grad_gates = empty_raw(gates.sizes(), gates), grad_state_gates, grad_states;
    if (gru) grad_state_gates = empty_raw(gates.sizes(), gates);
    if (w_hr.defined()) grad_states = empty_raw(previous.sizes(), gates);
    kernels::rnn_backward(
        op, p, grad_gates,
        {c0, w_hh, w_hr, gates, cells, previous, grad_output, grad_h, grad_c, grad_state_gates, grad_states});
    const Tensor& into_state = gru ? grad_state_gates : grad_gates;
    GradList r(kOperands, Tensor());
    if (c.needs(kInput)) r[kInput] = product(grad_gates, false, dense(c.saved(kWih)));
    if (c.needs(kH0)) r[kH0] = grad_h;
    if (c.needs(kC0)) r[kC0] = grad_c;
    if (c.needs(kWih)) r[kWih] = product(grad_gates, true, dense(c.saved(kInput)));
    if (c.needs(kWhh)) r[kWhh] = product(into_state, true, previous);
    if (c.needs(kBih)) r[kBih] = reel::sum(grad_gates, 0);
    if (c.needs(kBhh)) r[kBhh] = gru || !r[kBih].defined() ? reel::sum(into_state, 0) : reel::clone(r[kBih]);
    if (c.needs(kWhr)) r[kWhr] = product(grad_states, true, raw);
    return r;
}

/// One vector for the cell (see RnnForward).
Tensor combined_bias(const RnnPlan& p, const Tensor& b_ih, const Tensor& b_hh, Device device) {
    const std::int64_t h = p.hidden, g = rnn_gates(p.cell) * h;
    const bool gru = p.cell == RnnCell::gru;
    Tensor bias = empty_raw({gru ? 4 * h : g}, p.dtype, device);
    if (!b_ih.defined() && !b_hh.defined()) {
        fill_raw(bias, 0);
        return bias;
    }
    NoGradGuard guard;
    const Tensor zero = b_ih.defined() && b_hh.defined() ? Tensor() : zeros({g}, TensorOptions(p.dtype).device(device));
    const Tensor x = b_ih.defined() ? b_ih : zero, s = b_hh.defined() ? b_hh : zero;
    if (!gru) return contiguous_raw(x + s);
    copy_raw(narrow_raw(bias, 0, 0, 2 * h), narrow_raw(x, 0, 0, 2 * h) + narrow_raw(s, 0, 0, 2 * h));
    copy_raw(narrow_raw(bias, 0, 2 * h, h), narrow_raw(x, 0, 2 * h, h));
    copy_raw(narrow_raw(bias, 0, 3 * h, h), narrow_raw(s, 0, 2 * h, h));
    return bias;
}

} // namespace

LayerResult layer(const char* op, RnnCell cell, bool reverse, const std::vector<std::int64_t>& batch_sizes,
                  const Tensor& input, const Tensor& h0, const Tensor& c0, const Weights& w) {
    const ScalarType t = input.scalar_type();
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(t), op, ": input is ", dtype_name(t), "; expected a floating dtype");
    if (t == kHalf || t == kBFloat16) { // computed in float32, rounded once
        const auto wide = [](const Tensor& x) { return x.defined() ? x.to(kFloat) : x; };
        const LayerResult r = layer(op, cell, reverse, batch_sizes, wide(input), wide(h0), wide(c0),
                                    {wide(w.w_ih), wide(w.w_hh), wide(w.b_ih), wide(w.b_hh), wide(w.w_hr)});
        return {r.output.to(t), r.hn.to(t), r.cn.defined() ? r.cn.to(t) : r.cn};
    }
    const RnnPlan plan{t, cell, reverse, w.w_ih.size(0) / rnn_gates(cell), h0.size(1), batch_sizes};
    const variable_list operands{input, h0, c0, w.w_ih, w.w_hh, w.b_ih, w.b_hh, w.w_hr};
    if (LayerResult r = in_one_call(op, plan, operands); r.output.defined()) return r;
    if (!kernels::rnn.has(input.device().type())) return in_ops(plan, operands);

    const std::int64_t rows = plan.rows(), g = w.w_ih.size(0);
    const bool lstm = cell == RnnCell::lstm;
    const auto fresh = [&](std::int64_t n, std::int64_t width) { return empty_raw({n, width}, input); };
    const Tensor x = dense(input), w_ih = dense(w.w_ih), w_hh = dense(w.w_hh), w_hr = dense(w.w_hr), h = dense(h0),
                 c = dense(c0), bias = combined_bias(plan, w.b_ih, w.b_hh, input.device());
    Tensor gates = fresh(rows, g), cells, raw, previous = fresh(rows, plan.out), output = fresh(rows, plan.out),
           hn = fresh(plan.batch(), plan.out), cn;
    if (lstm || cell == RnnCell::gru) cells = fresh(rows, plan.hidden);
    if (lstm) cn = fresh(plan.batch(), plan.hidden);
    if (w_hr.defined()) raw = fresh(rows, plan.hidden);
    kernels::rnn(op, plan, output, {x, h, c, w_ih, w_hh, bias, w_hr, gates, cells, raw, previous, hn, cn});
    variable_list saved(operands), outputs{output, hn};
    saved.insert(saved.end(), {gates, cells, raw, previous});
    if (lstm) outputs.push_back(cn);
    record({op, work_of(cell)}, TensorList(operands), TensorList(outputs), TensorList(saved),
           [op, plan](RuleContext& c) -> GradList {
               return GradMode::is_enabled() ? backward_in_ops(plan, c) : backward_fused(op, plan, c);
           });
    return {output, hn, cn};
}

} // namespace reel::rnn
