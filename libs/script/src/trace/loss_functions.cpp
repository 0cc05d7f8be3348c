// Losses as the reference's Python functions call them.
#include "trace/recipes.hpp"

namespace reel::jit::trace_impl {

namespace {

/// `reduction='mean'` by the words of the arguments.
IValue reduced(Tracer& t, const IValue& loss, const std::string& reduction) {
    if (reduction == "mean") return t.call("mean", {loss});
    return reduction == "sum" ? t.call("sum", {loss}) : loss;
}
void compare_sizes(Tracer& t, const IValue& first, const IValue& second) {
    t.look_at(first);
    t.look_at(second);
}

/// Both operands in one shape. Where they have it already, the same tensors stand for them from here on.
Args broadcast(Tracer& t, const Args& a) {
    compare_sizes(t, a[1], a[0]);
    const bool same = a[0].toTensor().sizes() == a[1].toTensor().sizes();
    const IValue pair = list({a[0], a[1]});
    Args both =
        t.aten("aten::broadcast_tensors", {pair}, same ? std::function<IValue()>([&] { return pair; }) : nullptr)
            .elements();
    t.local("expanded_input", both[0]);
    t.local("expanded_target", both[1]);
    return both;
}
IValue mse_loss(Tracer& t, const Args& a) {
    const Args both = broadcast(t, a);
    return t.aten("aten::mse_loss", {both[0], both[1], a[4]});
}
IValue l1_loss(Tracer& t, const Args& a) {
    const Args both = broadcast(t, a);
    return t.aten("aten::l1_loss", {both[0], both[1], a[4]});
}
IValue smooth_l1_loss(Tracer& t, const Args& a) {
    const Args both = broadcast(t, a);
    if (a[5].toDouble() == 0) return t.aten("aten::l1_loss", {both[0], both[1], a[4]});
    return t.aten("aten::smooth_l1_loss", {both[0], both[1], a[4], a[5].toDouble()});
}
IValue huber_loss(Tracer& t, const Args& a) {
    const Args both = broadcast(t, a);
    return t.aten("aten::huber_loss", {both[0], both[1], a[2], a[3].toDouble()});
}
IValue nll_loss(Tracer& t, const Args& a) { return t.aten("aten::nll_loss_nd", {a[0], a[1], a[2], a[6], a[4]}); }
IValue cross_entropy(Tracer& t, const Args& a) {
    return t.aten("aten::cross_entropy_loss", {a[0], a[1], a[2], a[6], a[4], a[7].toDouble()});
}
/// input, target, weight, size_average, reduce, reduction
IValue binary_cross_entropy(Tracer& t, const Args& a) {
    compare_sizes(t, a[1], a[0]);
    IValue weight = a[2];
    if (!weight.isNone()) {
        Args sizes;
        for (std::int64_t i = 0; i < a[1].toTensor().dim(); ++i) sizes.emplace_back(t.size(a[1].toTensor(), i));
        weight = t.call("expand", {weight, list(sizes)});
        t.local("weight", weight);
    }
    return t.aten("aten::binary_cross_entropy", {a[0], a[1], weight, a[5]});
}
/// input, target, weight, size_average, reduce, reduction, pos_weight
IValue binary_cross_entropy_with_logits(Tracer& t, const Args& a) {
    compare_sizes(t, a[1], a[0]);
    return t.aten("aten::binary_cross_entropy_with_logits", {a[0], a[1], a[2], a[6], a[5]});
}
/// input, target, size_average, reduce, reduction, log_target
IValue kl_div(Tracer& t, const Args& a) {
    const bool by_batch = a[4].toStringRef() == "batchmean";
    const IValue loss = t.aten("aten::kl_div", {a[0], a[1], by_batch ? IValue("sum") : a[4], a[5]});
    if (!by_batch || a[0].toTensor().dim() == 0) return loss;
    t.local("reduced", loss);
    return t.call("div", {loss, t.size(a[0].toTensor(), 0)});
}
/// input, target, log_input, full, size_average, eps, reduce, reduction
IValue poisson_nll_loss(Tracer& t, const Args& a) {
    return t.aten("aten::poisson_nll_loss", {a[0], a[1], a[2], a[3], a[5].toDouble(), a[7]});
}
/// input, target, var, full, eps, reduction
IValue gaussian_nll_loss(Tracer& t, const Args& a) {
    const IValue &input = a[0], &target = a[1];
    t.look_at(a[2]);
    compare_sizes(t, input, target);
    IValue var = t.call("clone", {a[2]});
    t.local("var", var);
    {
        const NoGradGuard no_grad;
        var = t.call("clamp_", {var, a[4]});
    }
    t.local("var", var);
    const IValue squares = t.call("pow", {t.call("sub", {input, target}), 2});
    IValue loss = t.call("mul", {t.call("add", {t.call("log", {var}), t.call("div", {squares, var})}), 0.5});
    t.local("loss", loss);
    if (a[3].toBool()) {
        constexpr double half_log_two_pi = 0.91893853320467267;
        loss = t.call("add", {loss, half_log_two_pi});
        t.local("loss", loss);
    }
    return reduced(t, loss, a[5].toStringRef());
}
/// input, target, weight, size_average, reduce, reduction
IValue multilabel_soft_margin_loss(Tracer& t, const Args& a) {
    const auto log_sigmoid = [&](const IValue& x) { return t.aten("aten::log_sigmoid", {x}); };
    const IValue positive = t.call("mul", {a[1], log_sigmoid(a[0])});
    const IValue others = t.call("rsub", {a[1], 1});
    const IValue negative = t.call("mul", {others, log_sigmoid(t.call("neg", {a[0]}))});
    IValue loss = t.call("neg", {t.call("add", {positive, negative})});
    t.local("loss", loss);
    if (!a[2].isNone()) {
        loss = t.call("mul", {loss, a[2]});
        t.local("loss", loss);
    }
    const Tensor& input = a[0].toTensor();
    const IValue classes = t.size(input, input.dim() - 1);
    t.local("C", classes);
    loss = t.call("div", {t.aten("aten::sum.dim_IntList", {loss, list({input.dim() - 1}), false, {}}), classes});
    t.local("loss", loss);
    return reduced(t, loss, a[5].toStringRef());
}

constexpr FunctionLine table[] = {
    {"nn.functional.mse_loss", mse_loss},
    {"nn.functional.l1_loss", l1_loss},
    {"nn.functional.smooth_l1_loss", smooth_l1_loss},
    {"nn.functional.huber_loss", huber_loss},
    {"nn.functional.nll_loss", nll_loss},
    {"nn.functional.cross_entropy", cross_entropy},
    {"nn.functional.binary_cross_entropy", binary_cross_entropy},
    {"nn.functional.binary_cross_entropy_with_logits", binary_cross_entropy_with_logits},
    {"nn.functional.kl_div", kl_div},
    {"nn.functional.poisson_nll_loss", poisson_nll_loss},
    {"nn.functional.gaussian_nll_loss", gaussian_nll_loss},
    {"nn.functional.multilabel_soft_margin_loss", multilabel_soft_margin_loss},
};
} // namespace

std::span<const FunctionLine> loss_functions() { return table; }

} // namespace reel::jit::trace_impl
