// Functions that call several operators, or one with other arguments (rule SC-78).
#include <algorithm>

#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/ops/nn/attention.hpp>

#include "trace/tracer.hpp"

namespace reel::jit::trace_impl {

namespace {

IValue numbers(std::size_t n, std::int64_t value) { return IValue::list(Args(n, IValue(value))); }
/// `n` numbers of one or n.
IValue expanded(const IValue& v, std::size_t n) {
    if (v.isSequence()) return v.elements().size() == 1 ? IValue::list(Args(n, v.elements()[0])) : v;
    return IValue::list(Args(n, v));
}
IValue or_empty(const IValue& v, std::size_t n) { return v.isNone() ? IValue::list({}) : expanded(v, n); }

// the arguments of each are those of Reel's schema, in its order
template <std::size_t D> IValue conv(Tracer& t, const Args& a) {
    if (a[4].isString() && a[4].toStringRef() != "valid")
        return t.aten("aten::_convolution_mode", {a[0], a[1], a[2], expanded(a[3], D), a[4], expanded(a[5], D), a[6]});
    return t.aten("aten::_convolution",
                  {a[0], a[1], a[2], expanded(a[3], D), a[4].isString() ? numbers(D, 0) : expanded(a[4], D),
                   expanded(a[5], D), false, numbers(D, 0), a[6], false, false, true, true});
}
template <std::size_t D> IValue conv_transpose(Tracer& t, const Args& a) {
    return t.aten("aten::_convolution", {a[0], a[1], a[2], expanded(a[3], D), expanded(a[4], D), expanded(a[7], D),
                                         true, expanded(a[5], D), a[6], false, false, true, true});
}
template <std::size_t D> IValue max_pool(Tracer& t, const Args& a) {
    REEL_CHECK_NOT_IMPLEMENTED(!a[6].toBool(), "jit::trace: max_pool with return_indices");
    return t.aten(D == 1   ? "aten::max_pool1d"
                  : D == 2 ? "aten::max_pool2d"
                           : "aten::max_pool3d",
                  {a[0], expanded(a[1], D), or_empty(a[2], D), expanded(a[3], D), expanded(a[4], D), a[5]});
}
template <std::size_t D> IValue avg_pool(Tracer& t, const Args& a) {
    return t.aten(D == 2 ? "aten::avg_pool2d" : "aten::avg_pool3d",
                  {a[0], expanded(a[1], D), or_empty(a[2], D), expanded(a[3], D), a[4], a[5], a[6]});
}
IValue dropout(Tracer& t, const Args& a) {
    return t.aten(a[3].toBool() ? "aten::dropout_" : "aten::dropout", {a[0], a[1].toDouble(), a[2]});
}
IValue elu(Tracer& t, const Args& a) { return t.aten("aten::elu", {a[0], a[1].toDouble()}); }
IValue hardtanh(Tracer& t, const Args& a) {
    const char* const name = a[3].toBool() ? "aten::hardtanh_" : "aten::hardtanh";
    return t.aten(name, {a[0], a[1].toDouble(), a[2].toDouble()});
}
IValue softmin(Tracer& t, const Args& a) { return t.aten("aten::softmax.int", {t.call("neg", {a[0]}), a[1], a[3]}); }
IValue pad(Tracer& t, const Args& a) {
    return t.aten("aten::pad", {a[0], a[1], a[2], a[2].toStringRef() == "constant" ? a[3] : IValue()});
}
template <std::size_t D> IValue adaptive_max_pool(Tracer& t, const Args& a) {
    const IValue both = t.aten(D == 1   ? "aten::adaptive_max_pool1d"
                               : D == 2 ? "aten::adaptive_max_pool2d"
                                        : "aten::adaptive_max_pool3d",
                               {a[0], expanded(a[1], D)});
    return a[2].toBool() ? both : both.elements()[0];
}
template <ScalarType T> IValue cast(Tracer& t, const Args& a) {
    return t.aten("aten::to.dtype", {a[0], IValue(T), false, false, a[1]});
}
IValue tanhshrink(Tracer& t, const Args& a) { return t.call("sub", {a[0], t.call("tanh", {a[0]})}); }
IValue softsign(Tracer& t, const Args& a) { return t.call("div", {a[0], t.call("add", {t.call("abs", {a[0]}), 1})}); }
IValue softmax(Tracer& t, const Args& a) { return t.aten("aten::softmax.int", {a[0], a[1], a[3]}); }
IValue log_softmax(Tracer& t, const Args& a) { return t.aten("aten::log_softmax.int", {a[0], a[1], a[3]}); }
IValue normalize(Tracer& t, const Args& a) {
    const IValue dims = expanded(a[2], 1);
    const IValue norm = t.aten("aten::linalg_vector_norm", {a[0], a[1].toDouble(), dims, true});
    const IValue least = t.aten("aten::clamp_min", {norm, a[3].toDouble()});
    const IValue denom = t.aten("aten::expand_as", {least, a[0]});
    t.local("denom", denom);
    return t.call("div", {a[0], denom});
}
IValue embedding(Tracer& t, const Args& a) {
    return t.aten("aten::embedding", {a[1], a[0], a[2].isNone() ? IValue(-1) : a[2], a[5], a[6]});
}
IValue batch_norm(Tracer& t, const Args& a) {
    return t.aten("aten::batch_norm", {a[0], a[3], a[4], a[1], a[2], a[5], a[6], a[7], true});
}
IValue instance_norm(Tracer& t, const Args& a) {
    return t.aten("aten::instance_norm", {a[0], a[3], a[4], a[1], a[2], a[5], a[6], a[7], true});
}

/// Both operands in one shape. Where they have it already, the same tensors stand for them from here on.
Args broadcast(Tracer& t, const IValue& input, const IValue& target) {
    t.look_at(target);
    t.look_at(input);
    const bool same = input.toTensor().sizes() == target.toTensor().sizes();
    const IValue pair = IValue::list({input, target});
    return t.aten("aten::broadcast_tensors", {pair}, same ? std::function<IValue()>([&] { return pair; }) : nullptr)
        .elements();
}
IValue mse_loss(Tracer& t, const Args& a) {
    const Args both = broadcast(t, a[0], a[1]);
    t.local("expanded_input", both[0]);
    t.local("expanded_target", both[1]);
    return t.aten("aten::mse_loss", {both[0], both[1], a[4]});
}
IValue l1_loss(Tracer& t, const Args& a) {
    const Args both = broadcast(t, a[0], a[1]);
    t.local("expanded_input", both[0]);
    t.local("expanded_target", both[1]);
    return t.aten("aten::l1_loss", {both[0], both[1], a[4]});
}
IValue smooth_l1_loss(Tracer& t, const Args& a) {
    const Args both = broadcast(t, a[0], a[1]);
    t.local("expanded_input", both[0]);
    t.local("expanded_target", both[1]);
    return t.aten("aten::smooth_l1_loss", {both[0], both[1], a[4], a[5].toDouble()});
}
IValue huber_loss(Tracer& t, const Args& a) {
    const Args both = broadcast(t, a[0], a[1]);
    t.local("expanded_input", both[0]);
    t.local("expanded_target", both[1]);
    return t.aten("aten::huber_loss", {both[0], both[1], a[2], a[3].toDouble()});
}
IValue nll_loss(Tracer& t, const Args& a) { return t.aten("aten::nll_loss_nd", {a[0], a[1], a[2], a[6], a[4]}); }
IValue cross_entropy(Tracer& t, const Args& a) {
    return t.aten("aten::cross_entropy_loss", {a[0], a[1], a[2], a[6], a[4], a[7].toDouble()});
}

/// The reference's kernel lays its result out as the queries are.
IValue dot_product_attention(Tracer& t, const Args& a) {
    Args operands(a.begin(), a.end());
    operands[4] = a[4].toDouble();
    return t.aten("aten::scaled_dot_product_attention", operands, [&] {
        const Tensor mask = a[3].isNone() ? Tensor() : a[3].toTensor();
        const Tensor out =
            reel::scaled_dot_product_attention(a[0].toTensor(), a[1].toTensor(), a[2].toTensor(), mask, a[4].toDouble(),
                                               a[5].toBool(), a[6].toOptional<double>(), a[7].toBool());
        const Tensor& query = a[0].toTensor();
        if (out.sizes() != query.sizes() || !query.is_non_overlapping_and_dense()) return IValue(out);
        const Tensor laid_out = reel::empty_strided(query.sizes(), query.strides(), out.options());
        return IValue(laid_out.copy_(out));
    });
}

IValue interpolate(Tracer& t, const Args& a) {
    const std::string& mode = a[3].toStringRef();
    const std::size_t dims = std::size_t(a[0].toTensor().dim()) - 2;
    const std::string kind = mode == "nearest" ? "nearest" : mode == "bicubic" ? "bicubic" : mode;
    REEL_CHECK_NOT_IMPLEMENTED(mode != "area" && mode != "nearest-exact" && !a[6].toBool(),
                               "jit::trace: interpolate with mode '", mode, "'");
    const bool names_dims = mode == "nearest" || mode == "bicubic" || mode == "bilinear";
    const std::string name =
        "aten::upsample_" + kind +
        (names_dims || mode == "linear" || mode == "trilinear" ? std::to_string(dims) + "d.vec" : std::string());
    const IValue size = a[1].isNone() ? IValue() : expanded(a[1], dims);
    IValue factors;
    if (!a[2].isNone()) {
        Args each;
        const IValue given = expanded(a[2], dims);
        for (const IValue& f : given.elements()) each.emplace_back(f.toDouble());
        factors = IValue::list(std::move(each));
    }
    if (mode == "nearest") return t.aten(name, {a[0], size, factors});
    return t.aten(name, {a[0], size, !a[4].isNone() && a[4].toBool(), factors});
}

struct Line {
    std::string_view name;
    FunctionRecipe recipe;
};
constexpr Line table[] = {
    {"nn.functional.conv1d", conv<1>},
    {"nn.functional.conv2d", conv<2>},
    {"nn.functional.conv3d", conv<3>},
    {"nn.functional.conv_transpose1d", conv_transpose<1>},
    {"nn.functional.conv_transpose2d", conv_transpose<2>},
    {"nn.functional.conv_transpose3d", conv_transpose<3>},
    {"nn.functional.max_pool1d", max_pool<1>},
    {"nn.functional.max_pool2d", max_pool<2>},
    {"nn.functional.max_pool3d", max_pool<3>},
    {"nn.functional.avg_pool2d", avg_pool<2>},
    {"nn.functional.avg_pool3d", avg_pool<3>},
    {"nn.functional.dropout", dropout},
    {"nn.functional.elu", elu},
    {"nn.functional.hardtanh", hardtanh},
    {"nn.functional.softmin", softmin},
    {"nn.functional.pad", pad},
    {"nn.functional.adaptive_max_pool1d", adaptive_max_pool<1>},
    {"nn.functional.adaptive_max_pool2d", adaptive_max_pool<2>},
    {"nn.functional.adaptive_max_pool3d", adaptive_max_pool<3>},
    {"bool", cast<kBool>},
    {"byte", cast<kByte>},
    {"char", cast<kChar>},
    {"short", cast<kShort>},
    {"int", cast<kInt>},
    {"long", cast<kLong>},
    {"half", cast<kHalf>},
    {"bfloat16", cast<kBFloat16>},
    {"float", cast<kFloat>},
    {"double", cast<kDouble>},
    {"nn.functional.tanhshrink", tanhshrink},
    {"nn.functional.softsign", softsign},
    {"nn.functional.softmax", softmax},
    {"nn.functional.log_softmax", log_softmax},
    {"nn.functional.normalize", normalize},
    {"nn.functional.embedding", embedding},
    {"nn.functional.batch_norm", batch_norm},
    {"nn.functional.instance_norm", instance_norm},
    {"nn.functional.mse_loss", mse_loss},
    {"nn.functional.l1_loss", l1_loss},
    {"nn.functional.smooth_l1_loss", smooth_l1_loss},
    {"nn.functional.huber_loss", huber_loss},
    {"nn.functional.nll_loss", nll_loss},
    {"nn.functional.cross_entropy", cross_entropy},
    {"nn.functional.interpolate", interpolate},
    {"nn.functional.scaled_dot_product_attention", dot_product_attention},
};

/// Functions of torch.nn.functional that are the operator itself.
constexpr std::string_view built_in[] = {
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "adaptive_avg_pool1d",
    "linear",
    "bilinear",
    "gelu",
    "logsigmoid",
    "softplus",
    "softshrink",
    "one_hot",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
    "channel_shuffle",
    "pairwise_distance",
    "cosine_similarity",
    "hardshrink",
    "prelu",
    "scaled_dot_product_attention",
};
} // namespace

bool is_written_in_python(const std::string& name) {
    constexpr std::string_view functional = "nn.functional.";
    return name.starts_with(functional) &&
           std::find(std::begin(built_in), std::end(built_in), std::string_view(name).substr(functional.size())) ==
               std::end(built_in);
}
FunctionRecipe function_recipe(const std::string& name) {
    for (const Line& line : table)
        if (line.name == name) return line.recipe;
    return nullptr;
}

} // namespace reel::jit::trace_impl
