// A recurrent layer by a device's library.

#include "ops/nn/rnn_steps.hpp"
#include "ops/shape/shape_util.hpp"
#include "tensor/raw.hpp"

namespace reel::rnn {

using namespace autograd;
using namespace reel::detail;

namespace {

/// What is saved behind the operands.
enum : std::size_t { kOutput = kOperands, kWeights, kReserve };

variable_list dense(const variable_list& all) {
    variable_list r;
    for (const Tensor& t : all) r.push_back(t.defined() ? contiguous_raw(t) : t);
    return r;
}
RnnOperands by_name(const variable_list& v) {
    return {v[kInput], v[kH0], v[kC0], v[kWih], v[kWhh], v[kBih], v[kBhh], v[kWhr]};
}

GradList backward(const char* op, const RnnPlan& p, RuleContext& c) {
    variable_list operands;
    for (std::size_t i = 0; i < kOperands; ++i) operands.push_back(c.saved(i));
    operands = dense(operands);
    const auto given = [&](std::size_t i) {
        return i < c.num_grads() && c.grad(i).defined() ? contiguous_raw(c.grad(i)) : Tensor();
    };
    GradList r(kOperands, Tensor());
    for (std::size_t i = 0; i < kOperands; ++i)
        if (operands[i].defined() && c.needs(i)) r[i] = empty_raw(operands[i].sizes(), operands[i]);
    kernels::rnn_in_one_call_backward(op, p, c.saved(kOutput), given(0), given(1), given(2), by_name(operands),
                                      {c.saved(kWeights), c.saved(kReserve)},
                                      {r[kInput], r[kH0], r[kC0], r[kWih], r[kWhh], r[kBih], r[kBhh], r[kWhr]});
    return r;
}

} // namespace

LayerResult in_one_call(const char* op, const RnnPlan& p, const variable_list& operands) {
    const Tensor& input = operands[kInput];
    if (!kernels::rnn_in_one_call.has(input.device().type()) || input.numel() == 0) return {};
    bool with_gradients = false;
    for (const Tensor& t : operands) {
        with_gradients = with_gradients || (GradMode::is_enabled() && t.defined() && t.requires_grad());
        if (t.defined() && t.device() != input.device()) return {}; // the other ways say which
    }
    const auto fresh = [&](std::int64_t n, std::int64_t width) { return empty_raw({n, width}, input); };
    const LayerResult r{fresh(p.rows(), p.out), fresh(p.batch(), p.out),
                        p.cell == RnnCell::lstm ? fresh(p.batch(), p.hidden) : Tensor()};
    RnnKept kept;
    const variable_list v = dense(operands);
    if (!kernels::rnn_in_one_call(op, p, r.output, r.hn, r.cn, by_name(v), with_gradients ? &kept : nullptr)) return {};
    variable_list saved(operands), outputs{r.output, r.hn};
    saved.insert(saved.end(), {r.output, kept.weights, kept.reserve});
    if (r.cn.defined()) outputs.push_back(r.cn);
    record({op, work_of(p.cell)}, TensorList(operands), TensorList(outputs), TensorList(saved),
           [op, p](RuleContext& c) -> GradList {
               return GradMode::is_enabled() ? backward_in_ops(p, c) : backward(op, p, c);
           });
    return r;
}

} // namespace reel::rnn
