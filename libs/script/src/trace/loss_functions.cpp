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
/// Each element's loss times its weight, where weights are given.
template <class F> IValue weighed(Tracer& t, const IValue& weight, const IValue& reduction, F loss) {
    if (weight.isNone()) return loss(reduction);
    return reduced(t, t.call("mul", {loss("none"), weight}), reduction.toStringRef());
}
IValue mse_loss(Tracer& t, const Args& a) {
    const Args both = broadcast(t, a);
    const auto loss = [&](const IValue& r) { return t.aten("aten::mse_loss", {both[0], both[1], r}); };
    if (a[5].isNone() || a[4].toStringRef() != "mean") return weighed(t, a[5], a[4], loss);
    // its mean, unlike that of the others, is by the sum of the weights
    const IValue sum = t.call("sum", {t.call("mul", {loss("none"), a[5]})});
    return t.call("div", {sum, t.call("sum", {a[5]})});
}
IValue l1_loss(Tracer& t, const Args& a) {
    const Args both = broadcast(t, a);
    return weighed(t, a[5], a[4], [&](const IValue& r) { return t.aten("aten::l1_loss", {both[0], both[1], r}); });
}
IValue smooth_l1_loss(Tracer& t, const Args& a) {
    const Args both = broadcast(t, a);
    if (a[5].toDouble() == 0) return t.aten("aten::l1_loss", {both[0], both[1], a[4]});
    return t.aten("aten::smooth_l1_loss", {both[0], both[1], a[4], a[5].toDouble()});
}
IValue huber_loss(Tracer& t, const Args& a) {
    const Args both = broadcast(t, a);
    return weighed(t, a[4], a[2], [&](const IValue& r) {
        return t.aten("aten::huber_loss", {both[0], both[1], r, a[3].toDouble()});
    });
}
IValue nll_loss(Tracer& t, const Args& a) { return t.aten("aten::nll_loss_nd", {a[0], a[1], a[2], a[6], a[4]}); }
IValue cross_entropy(Tracer& t, const Args& a) {
    return t.aten("aten::cross_entropy_loss", {a[0], a[1], a[2], a[6], a[4], a[7].toDouble()});
}
IValue sizes(Tracer& t, const IValue& x) {
    Args out;
    for (std::int64_t i = 0; i < x.toTensor().dim(); ++i) out.emplace_back(t.size(x.toTensor(), i));
    return list(std::move(out));
}
/// The size of both when broadcast, found by broadcasting a number.
IValue common_size(Tracer& t, const IValue& x, const IValue& y) {
    const IValue first = sizes(t, x), second = sizes(t, y);
    const IValue scalar = t.aten("aten::zeros", {list({}), {}, {}, x.toTensor().device(), false});
    t.local("scalar", scalar);
    const IValue wide = t.aten("aten::expand", {scalar, first, false});
    const IValue other = t.aten("aten::expand", {scalar, second, false});
    return sizes(t, t.aten("aten::broadcast_tensors", {list({wide, other})}).elements()[0]);
}
/// input, target, weight, size_average, reduce, reduction
IValue binary_cross_entropy(Tracer& t, const Args& a) {
    compare_sizes(t, a[1], a[0]);
    const IValue weight = a[2].isNone() ? a[2] : t.call("expand", {a[2], common_size(t, a[1], a[2])});
    t.local("weight", weight);
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
    const IValue log = t.call("log", {var});
    const IValue squares = t.call("pow", {t.call("sub", {input, target}), 2});
    IValue loss = t.call("mul", {t.call("add", {log, t.call("div", {squares, var})}), 0.5});
    t.local("loss", loss);
    if (a[3].toBool()) {
        constexpr double half_log_two_pi = 0.91893853320467267;
        loss = t.call("add", {loss, half_log_two_pi});
        t.local("loss", loss);
    }
    return reduced(t, loss, a[5].toStringRef());
}
/// input, target, p, margin, weight, size_average, reduce, reduction
IValue multi_margin_loss(Tracer& t, const Args& a) {
    return t.aten("aten::multi_margin_loss", {a[0], a[1], a[2], a[3].toDouble(), a[4], a[7]});
}
/// anchor, positive, negative, margin, swap, reduction
IValue triplet_margin_with_distance_loss(Tracer& t, const Args& a) {
    const auto distance = [&](const char* name, const IValue& x, const IValue& y) {
        const IValue out = t.call("nn.functional.pairwise_distance", {x, y});
        t.local(name, out);
        return out;
    };
    const IValue positive = distance("dist_pos", a[0], a[1]);
    IValue negative = distance("dist_neg", a[0], a[2]);
    if (a[4].toBool()) {
        const IValue swapped = distance("dist_swap", a[1], a[2]);
        negative = t.call("minimum", {negative, swapped});
        t.local("dist_neg", negative);
    }
    const IValue gap = t.call("sub", {t.call("add", {positive, a[3].toDouble()}), negative});
    const IValue loss = t.aten("aten::clamp_min", {gap, 0});
    t.local("loss", loss);
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
    {"nn.functional.multi_margin_loss", multi_margin_loss},
    {"nn.functional.triplet_margin_with_distance_loss", triplet_margin_with_distance_loss},
    {"nn.functional.multilabel_soft_margin_loss", multilabel_soft_margin_loss},
};
} // namespace

std::span<const FunctionLine> loss_functions() { return table; }

} // namespace reel::jit::trace_impl
