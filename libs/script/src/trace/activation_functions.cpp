// Activations, softmax and dropout as the reference's Python functions call them.
#include "trace/recipes.hpp"

namespace reel::jit::trace_impl {

namespace {

IValue dropout(Tracer& t, const Args& a) {
    return t.aten(a[3].toBool() ? "aten::dropout_" : "aten::dropout", {a[0], a[1].toDouble(), a[2]});
}
/// Whole channels; `unbatched` dimensions are one batch.
IValue feature_dropout(Tracer& t, const Args& a, std::int64_t unbatched) {
    const bool inplace = a[3].toBool(), single = a[0].toTensor().dim() == unbatched;
    IValue input = a[0];
    if (single) {
        input = t.call(inplace ? "unsqueeze_" : "unsqueeze", {input, 0});
        t.local("input", input);
    }
    const IValue result =
        t.aten(inplace ? "aten::feature_dropout_" : "aten::feature_dropout", {input, a[1].toDouble(), a[2]});
    t.local("result", result);
    return single ? t.call(inplace ? "squeeze_" : "squeeze", {result, 0}) : result;
}
IValue dropout1d(Tracer& t, const Args& a) { return feature_dropout(t, a, 2); }
IValue dropout2d(Tracer& t, const Args& a) { return feature_dropout(t, a, -1); }
IValue dropout3d(Tracer& t, const Args& a) { return feature_dropout(t, a, 4); }

IValue elu(Tracer& t, const Args& a) {
    return t.aten(a[2].toBool() ? "aten::elu_" : "aten::elu", {a[0], a[1].toDouble()});
}
IValue hardtanh(Tracer& t, const Args& a) {
    return t.aten(a[3].toBool() ? "aten::hardtanh_" : "aten::hardtanh", {a[0], a[1], a[2]});
}
IValue tanhshrink(Tracer& t, const Args& a) { return t.call("sub", {a[0], t.call("tanh", {a[0]})}); }
IValue softsign(Tracer& t, const Args& a) { return t.call("div", {a[0], t.call("add", {t.call("abs", {a[0]}), 1})}); }
IValue softmin(Tracer& t, const Args& a) { return t.aten("aten::softmax.int", {t.call("neg", {a[0]}), a[1], a[3]}); }
IValue softmax(Tracer& t, const Args& a) { return t.aten("aten::softmax.int", {a[0], a[1], a[3]}); }
IValue log_softmax(Tracer& t, const Args& a) { return t.aten("aten::log_softmax.int", {a[0], a[1], a[3]}); }

IValue gumbel_softmax(Tracer& t, const Args& a) {
    const IValue &logits = a[0], &tau = a[1], &dim = a[4];
    constexpr std::int64_t contiguous = 0;
    const IValue noise =
        t.aten("aten::exponential_", {t.aten("aten::empty_like", {logits, {}, {}, {}, false, contiguous})});
    IValue gumbels = t.call("neg", {t.call("log", {noise})});
    t.local("gumbels", gumbels);
    gumbels = t.call("div", {t.call("add", {logits, gumbels}), tau});
    t.local("gumbels", gumbels);
    const IValue soft = t.aten("aten::softmax.int", {gumbels, dim, {}});
    t.local("y_soft", soft);
    if (!a[2].toBool()) return soft;
    const IValue index = t.call("max", {soft, dim, true}).elements()[1];
    t.local("index", index);
    const IValue hard = t.aten("aten::scatter_.value",
                               {t.aten("aten::zeros_like", {logits, {}, {}, {}, false, contiguous}), dim, index, 1.});
    t.local("y_hard", hard);
    return t.call("add", {t.call("sub", {hard, t.aten("aten::detach", {soft})}), soft});
}

constexpr FunctionLine table[] = {
    {"nn.functional.dropout", dropout},
    {"nn.functional.dropout1d", dropout1d},
    {"nn.functional.dropout2d", dropout2d},
    {"nn.functional.dropout3d", dropout3d},
    {"nn.functional.elu", elu},
    {"nn.functional.hardtanh", hardtanh},
    {"nn.functional.tanhshrink", tanhshrink},
    {"nn.functional.softsign", softsign},
    {"nn.functional.softmin", softmin},
    {"nn.functional.softmax", softmax},
    {"nn.functional.log_softmax", log_softmax},
    {"nn.functional.gumbel_softmax", gumbel_softmax},
};
} // namespace

std::span<const FunctionLine> activation_functions() { return table; }

} // namespace reel::jit::trace_impl
