// Recurrent layers. cuDNN wants its weights in one memory, where layers have them (`flat_weights`) or into which they
// are copied, and another for what the way back wants. A layer that goes backwards through equally long sequences is
// one through turned rows; through sequences of different lengths, and where results must be the same bits in every
// run, cuDNN is not asked.
#include <algorithm>

#include <reel/autograd/context.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/shape/arrange.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/cuda/device.hpp>

#include "capturing.hpp"
#include "dnn/enabled.hpp"
#include "dnn/rnn_layer.hpp"

namespace reel::cuda::dnn {

namespace {

bool is_even(const RnnPlan& p) { return p.batch_sizes.front() == p.batch_sizes.back(); }
bool takes(const RnnPlan& p, DeviceIndex index) {
    const Context& c = globalContext();
    if (!is_enabled() || c.deterministicCuDNN() || c.deterministicAlgorithms()) return false;
    // lengths are sent from the host, which a capture does not allow
    return is_even(p) || (!p.reverse && !capture_memory(index));
}
Tensor bytes(std::size_t count, const Tensor& where) { return where.new_empty({std::int64_t(count)}, kByte); }
void* data_or_null(const Tensor& t) { return t.defined() && t.numel() > 0 ? t.data_ptr() : nullptr; }

/// Rows in the order in which the layer goes through them.
Tensor in_order(const RnnPlan& p, const Tensor& rows) {
    if (!p.reverse || !rows.defined()) return rows;
    const std::int64_t steps = std::int64_t(p.batch_sizes.size());
    return flip(rows.view({steps, p.batch(), rows.size(1)}), {0}).contiguous().view(rows.sizes());
}

std::array<Tensor, 5> parts_of(const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih, const Tensor& b_hh,
                               const Tensor& w_hr) {
    return {w_ih, w_hh, b_ih, b_hh, w_hr};
}
/// Calls `f(stretch of the memory, stretch of the operand)` for all that are defined.
template <class F>
void each_stretch(const std::vector<Stretch>& stretches, const Tensor& memory, const std::array<Tensor, 5>& operands,
                  F f) {
    for (const Stretch& s : stretches)
        if (const Tensor& t = operands[s.operand]; t.defined())
            f(memory.narrow(0, s.place, s.count), t.view({-1}).narrow(0, s.from, s.count));
}
/// The weights as cuDNN wants them: where they are, if they lie so, else a copy. Undefined where cuDNN has others.
Tensor weights_of(const RnnLayer& layer, const std::array<Tensor, 5>& operands) {
    const std::optional<std::vector<Stretch>> stretches = layer.stretches(operands[0].data_ptr());
    if (!stretches) return {};
    if (Tensor there = layer.memory_of(operands, *stretches); there.defined()) return there;
    Tensor copy = layer.weight_memory();
    each_stretch(*stretches, copy, operands, [](Tensor memory, const Tensor& part) { memory.copy_(part); });
    return copy;
}

bool rnn(const char* op, const RnnPlan& p, const Tensor& output, const Tensor& hn, const Tensor& cn,
         const RnnOperands& v, RnnKept* kept) {
    const DeviceIndex index = v.x.device().index();
    if (!takes(p, index)) return false;
    const DeviceGuard guard(index);
    const NoGradGuard no_grad;
    const std::optional<RnnLayer> layer = RnnLayer::of(op, p, v);
    if (!layer) return false;
    const Tensor weights = weights_of(*layer, parts_of(v.w_ih, v.w_hh, v.b_ih, v.b_hh, v.w_hr));
    if (!weights.defined()) return false;
    const cudnnForwardMode_t mode = kept ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE;
    const RnnLayer::Room room = layer->room(mode);
    const Tensor work = bytes(room.work, v.x), reserve = bytes(kept ? room.kept : 0, v.x), x = in_order(p, v.x),
                 y = p.reverse ? output.new_empty(output.sizes()) : output;
    check(api()->cudnnRNNForward(layer->handle(), layer->rnn(), mode, layer->lengths(), layer->inputs(), x.data_ptr(),
                                 layer->outputs(), y.data_ptr(), layer->states(), v.h0.data_ptr(), hn.data_ptr(),
                                 layer->cells(), data_or_null(v.c0), data_or_null(cn),
                                 std::size_t(weights.numel()) * elementSize(p.dtype), weights.data_ptr(), room.work,
                                 data_or_null(work), kept ? room.kept : 0, data_or_null(reserve)),
          op, "cudnnRNNForward");
    if (p.reverse) Tensor(output).copy_(in_order(p, y));
    if (kept) *kept = {weights, reserve};
    return true;
}

/// What cuDNN writes, whether it is wanted or not.
Tensor or_own(const Tensor& wanted, const Tensor& like) {
    return wanted.defined() || !like.defined() ? wanted : like.new_empty(like.sizes());
}
Tensor or_zeros(const Tensor& given, const Tensor& like) {
    return given.defined() || !like.defined() ? given : like.new_zeros(like.sizes());
}

void rnn_backward(const char* op, const RnnPlan& p, const Tensor& output, const Tensor& grad_output,
                  const Tensor& grad_hn, const Tensor& grad_cn, const RnnOperands& v, const RnnKept& kept,
                  const RnnGradients& grads) {
    const DeviceIndex index = v.x.device().index();
    const DeviceGuard guard(index);
    const NoGradGuard no_grad;
    const std::optional<RnnLayer> layer = RnnLayer::of(op, p, v);
    REEL_CHECK(layer, op, ": cuDNN does not take on the way back the layer that it took before");
    const RnnLayer::Room room = layer->room(CUDNN_FWD_MODE_TRAINING);
    const Tensor work = bytes(room.work, v.x), reserve = kept.reserve.clone(); // which is written over
    const Tensor x = in_order(p, v.x), y = in_order(p, output), gy = in_order(p, or_zeros(grad_output, output)),
                 ghn = or_zeros(grad_hn, v.h0), gcn = or_zeros(grad_cn, v.c0),
                 gx = p.reverse ? v.x.new_empty(v.x.sizes()) : or_own(grads.x, v.x), gh = or_own(grads.h0, v.h0),
                 gc = or_own(grads.c0, v.c0);
    const std::size_t weight_bytes = std::size_t(kept.weights.numel()) * elementSize(p.dtype);
    check(api()->cudnnRNNBackwardData_v8(layer->handle(), layer->rnn(), layer->lengths(), layer->outputs(),
                                         y.data_ptr(), gy.data_ptr(), layer->inputs(), gx.data_ptr(), layer->states(),
                                         v.h0.data_ptr(), ghn.data_ptr(), gh.data_ptr(), layer->cells(),
                                         data_or_null(v.c0), data_or_null(gcn), data_or_null(gc), weight_bytes,
                                         kept.weights.data_ptr(), room.work, data_or_null(work),
                                         std::size_t(reserve.numel()), data_or_null(reserve)),
          op, "cudnnRNNBackwardData_v8");
    if (p.reverse && grads.x.defined()) Tensor(grads.x).copy_(in_order(p, gx));
    const std::array<Tensor, 5> wanted = parts_of(grads.w_ih, grads.w_hh, grads.b_ih, grads.b_hh, grads.w_hr);
    if (std::none_of(wanted.begin(), wanted.end(), [](const Tensor& t) { return t.defined(); })) return;
    const Tensor sums = layer->weight_memory();
    check(api()->cudnnRNNBackwardWeights_v8(layer->handle(), layer->rnn(), CUDNN_WGRAD_MODE_ADD, layer->lengths(),
                                            layer->inputs(), x.data_ptr(), layer->states(), v.h0.data_ptr(),
                                            layer->outputs(), y.data_ptr(), weight_bytes, sums.data_ptr(), room.work,
                                            data_or_null(work), std::size_t(reserve.numel()), data_or_null(reserve)),
          op, "cudnnRNNBackwardWeights_v8");
    const std::optional<std::vector<Stretch>> stretches = layer->stretches(sums.data_ptr());
    REEL_CHECK(stretches, op, ": cuDNN has other weights on the way back");
    each_stretch(*stretches, sums, wanted, [](const Tensor& memory, Tensor part) { part.copy_(memory); });
}

std::vector<Tensor> flat_weights(const char* op, RnnCell cell, const Tensor& w_ih, const Tensor& w_hh,
                                 const Tensor& b_ih, const Tensor& b_hh, const Tensor& w_hr) {
    const ScalarType t = w_ih.scalar_type();
    if (!is_enabled() || !isFloatingType(t)) return {};
    const DeviceGuard guard(w_ih.device().index());
    const NoGradGuard no_grad;
    const RnnPlan one_step{t, cell, false, w_hh.size(0) / rnn_gates(cell), w_hh.size(1), {1}};
    const RnnOperands operands{w_ih, w_ih, w_ih, w_ih, w_hh, b_ih, b_hh, w_hr};
    const std::optional<RnnLayer> layer = RnnLayer::of(op, one_step, operands);
    if (!layer) return {};
    const Tensor memory = layer->weight_memory();
    const std::array<Tensor, 5> parts = parts_of(w_ih, w_hh, b_ih, b_hh, w_hr);
    const std::optional<std::vector<Stretch>> stretches = layer->stretches(memory.data_ptr());
    if (!stretches) return {};
    std::vector<Tensor> flat(parts.size());
    for (const Stretch& s : *stretches) {
        if (s.from != 0 || s.count != parts[s.operand].numel()) return {}; // an operand in pieces
        flat[s.operand] = memory.narrow(0, s.place, s.count).view(parts[s.operand].sizes());
        flat[s.operand].copy_(parts[s.operand]);
    }
    return flat;
}

[[maybe_unused]] const bool attached = [] {
    kernels::rnn_flat_weights.set(kCUDA, &flat_weights);
    kernels::rnn_in_one_call.set(kCUDA, &rnn);
    kernels::rnn_in_one_call_backward.set(kCUDA, &rnn_backward);
    return true;
}();

} // namespace

} // namespace reel::cuda::dnn
