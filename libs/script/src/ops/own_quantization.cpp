// What training for quantization rounds: values become those that a few bits hold, and gradients pass where the bits
// reach (straight through the rounding).
#include <cmath>

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "ops/own.hpp"

namespace reel::jit::own {

namespace {

using Span = std::span<IValue>;
using Int = std::int64_t;

struct Bits {
    Int lowest, highest;
};
struct Rounded {
    Tensor values, inside;
};
void check(const char* op, const Tensor& x, Bits bits) {
    REEL_CHECK(isFloatingType(x.scalar_type()), op, ": input is ", dtype_name(x.scalar_type()),
               "; expected a floating dtype");
    REEL_CHECK_VALUE(bits.lowest <= bits.highest, op, ": quant_min is ", bits.lowest, " and quant_max ", bits.highest,
                     "; expected quant_min <= quant_max");
}
/// `inverse` is 1 / scale in float32, which is how the reference scales.
Rounded rounded(const char* op, const Tensor& x, const Tensor& scale, const Tensor& inverse, const Tensor& zero,
                Bits bits, bool between = false) {
    Rounded out;
    {
        const NoGradGuard no_grad;
        // a zero that is no integer is one of the places between those that bits hold, and rounded with them
        const Tensor scaled = x.detach() * inverse;
        const Tensor places = between ? (scaled + zero).round() : scaled.round() + zero;
        out.inside = places.ge(bits.lowest).logical_and(places.le(bits.highest));
        out.values = (places.clamp(bits.lowest, bits.highest) - zero) * scale;
        if (out.values.scalar_type() != x.scalar_type()) out.values = out.values.to(x.scalar_type());
    }
    autograd::record(op, {x}, out.values, {out.inside},
                     [](autograd::RuleContext& c) -> autograd::GradList { return {c.grad() * c.saved(0)}; });
    return out;
}
/// self, scale, zero_point, axis, quant_min, quant_max
Rounded per_channel(Span a) {
    const char* op = "fake_quantize_per_channel_affine";
    const Tensor &x = a[0].toTensor(), &scale = a[1].toTensor(), &zero = a[2].toTensor();
    const Bits bits{a[4].toInt(), a[5].toInt()};
    const Int axis = a[3].toInt();
    check(op, x, bits);
    REEL_CHECK_INDEX(axis >= 0 && axis < x.dim(), op, ": axis is ", axis, "; expected a dimension of the input, ",
                     x.sizes());
    REEL_CHECK(scale.dim() == 1 && zero.dim() == 1 && scale.numel() == x.size(axis) && zero.numel() == x.size(axis), op,
               ": scale has shape ", scale.sizes(), " and zero_point ", zero.sizes(), "; expected ", x.size(axis),
               " elements each, as the input ", x.sizes(), " has along ", axis);
    std::vector<Int> shape(std::size_t(x.dim()), 1);
    shape[std::size_t(axis)] = x.size(axis);
    const Tensor single = scale.detach().to(kFloat).reshape(shape);
    return rounded(op, x, single, single.reciprocal(), zero.detach().reshape(shape).to(kFloat), bits,
                   isFloatingType(zero.scalar_type()));
}
/// By the op of the library; which values the bits reach is what the second result of some operators tells.
Rounded per_tensor(const Tensor& x, double scale, Int zero, const IValue& lowest, const IValue& highest) {
    static const ops::Op& quantize = ops::registry().at("fake_quantize_per_tensor_affine");
    const Tensor places = (x.detach() * double(1.0F / float(scale))).round() + zero;
    return {quantize.call({x, scale, zero, lowest, highest}).toTensor(),
            places.ge(lowest.toInt()).logical_and(places.le(highest.toInt()))};
}
Rounded of_numbers(Span a) { return per_tensor(a[0].toTensor(), a[1].toDouble(), a[2].toInt(), a[3], a[4]); }
Rounded of_tensors(Span a, std::size_t bits) {
    return per_tensor(a[0].toTensor(), a[1].toTensor().item<double>(),
                      Int(std::nearbyint(a[2].toTensor().item<double>())), a[bits], a[bits + 1]);
}
IValue both(const Rounded& r) { return IValue::tuple({r.values, r.inside}); }
/// self, scale, zero_point, fake_quant_enabled, quant_min, quant_max
IValue switched(Span a) {
    if (a[3].toTensor().item<Int>() != 0) return both(of_tensors(a, 4));
    const Tensor& x = a[0].toTensor();
    return IValue::tuple({x.clone(), ones_like(x, TensorOptions(kBool))});
}

constexpr Line lines[] = {
    {"aten::fake_quantize_per_tensor_affine.tensor_qparams", [](Span a) -> IValue { return of_tensors(a, 3).values; }},
    {"aten::fake_quantize_per_channel_affine", [](Span a) -> IValue { return per_channel(a).values; }},
    {"aten::fake_quantize_per_tensor_affine_cachemask", [](Span a) { return both(of_numbers(a)); }},
    {"aten::fake_quantize_per_channel_affine_cachemask", [](Span a) { return both(per_channel(a)); }},
    {"aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", switched},
};

} // namespace

std::span<const Line> quantization() { return lines; }

} // namespace reel::jit::own
