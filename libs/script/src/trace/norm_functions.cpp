// Normalisation, embeddings and attention as the reference's Python functions call them.
#include <reel/autograd/error.hpp>
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/ops/nn/attention.hpp>

#include "ops/numbers.hpp"
#include "trace/recipes.hpp"

namespace reel::jit::trace_impl {

namespace {

IValue normalize(Tracer& t, const Args& a) {
    const IValue dims = expanded(a[2], 1);
    const IValue norm = t.aten("aten::linalg_vector_norm", {a[0], a[1].toDouble(), dims, true});
    const IValue least = t.aten("aten::clamp_min", {norm, a[3].toDouble()});
    const IValue denom = t.aten("aten::expand_as", {least, a[0]});
    t.local("denom", denom);
    return t.call("div", {a[0], denom});
}
IValue batch_norm(Tracer& t, const Args& a) {
    return t.aten("aten::batch_norm", {a[0], a[3], a[4], a[1], a[2], a[5], a[6], a[7], true});
}
IValue instance_norm(Tracer& t, const Args& a) {
    return t.aten("aten::instance_norm", {a[0], a[3], a[4], a[1], a[2], a[5], a[6], a[7], true});
}
/// The sum over neighbouring channels is a mean over windows.
IValue local_response_norm(Tracer& t, const Args& a) {
    const IValue& input = a[0];
    const std::int64_t size = a[1].toInt();
    const auto keep = [&](IValue v) {
        t.local("div", v);
        return v;
    };
    IValue div = keep(t.call("mul", {input, input}));
    if (input.toTensor().dim() == 3) {
        div = keep(t.call("unsqueeze", {div, 1}));
        div = keep(t.call("nn.functional.pad", {div, list({0, 0, size / 2, (size - 1) / 2})}));
        div = keep(t.aten("aten::squeeze.dim", {t.call("nn.functional.avg_pool2d", {div, list({size, 1}), 1}), 1}));
    } else {
        Args sizes;
        for (std::int64_t i = 0; i < input.toTensor().dim(); ++i) sizes.emplace_back(t.size(input.toTensor(), i));
        REEL_CHECK_VALUE(sizes.size() >= 4, "jit::trace: local_response_norm expects 3 dimensions or more, got ",
                         sizes.size());
        div = keep(t.call("view", {div, list({sizes[0], 1, sizes[1], sizes[2], -1})}));
        div = keep(t.call("nn.functional.pad", {div, list({0, 0, 0, 0, size / 2, (size - 1) / 2})}));
        div = keep(t.aten("aten::squeeze.dim", {t.call("nn.functional.avg_pool3d", {div, list({size, 1, 1}), 1}), 1}));
        div = keep(t.call("view", {div, list(sizes)}));
    }
    div = keep(t.call("pow", {t.call("add", {t.call("mul", {div, a[2]}), a[4]}), a[3]}));
    return t.call("div", {input, div});
}

/// input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse
IValue embedding(Tracer& t, const Args& a) {
    IValue input = a[0], padding = a[2].isNone() ? IValue(-1) : a[2];
    if (!a[2].isNone() && padding.toInt() < 0) {
        padding = t.call("add", {t.size(a[1].toTensor(), 0), padding});
        t.local("padding_idx", padding);
    }
    if (!a[3].isNone()) {
        input = t.aten("aten::contiguous", {input, 0});
        t.local("input", input);
        renormalise(t, a[1], input, a[3], a[4]);
    }
    return t.aten("aten::embedding", {a[1], input, padding, a[5], a[6]});
}
/// input, weight, offsets, max_norm, norm_type, scale_grad_by_freq, mode, sparse, per_sample_weights,
/// include_last_offset, padding_idx
IValue embedding_bag(Tracer& t, const Args& a) {
    const std::string& mode = a[6].toStringRef();
    const std::int64_t kind = mode == "sum" ? 0 : mode == "mean" ? 1 : 2;
    IValue input = a[0], offsets = a[2], weights = a[8];
    const Tensor& indices = a[0].toTensor();
    if (indices.dim() == 2) {
        const Tensor all = t.numel(indices);
        const Tensor step = t.size(indices, 1);
        offsets = t.aten("aten::arange.start_step",
                         {0, all, step, number_of_dtype(indices.scalar_type()), {}, indices.device(), false});
        t.local("offsets", offsets);
        input = t.call("reshape", {input, list({-1})});
        t.local("input", input);
        if (!weights.isNone()) {
            weights = t.call("reshape", {weights, list({-1})});
            t.local("per_sample_weights", weights);
        }
    }
    if (!a[3].isNone()) renormalise(t, a[1], input, a[3], a[4]);
    // what the reference's derivative needs is of these sizes
    const auto run = [&] {
        static const Operator* const op = find_operator("aten::embedding_bag.padding_idx");
        Args plain{a[1], input, offsets, a[5], kind, a[7], weights, a[9], a[10]};
        const Tensor out = op->run(plain).elements()[0].toTensor();
        const TensorOptions long_options = TensorOptions().dtype(input.toTensor().scalar_type());
        const std::int64_t rows = out.size(0), all = kind == 0 ? 0 : input.toTensor().numel();
        const Tensor places =
            kind == 2 ? reel::empty({rows, out.size(1)}, long_options) : reel::empty({rows}, long_options);
        return IValue::tuple({out, reel::empty({all}, long_options), reel::empty({rows}, long_options), places});
    };
    return t
        .aten("aten::embedding_bag.padding_idx", {a[1], input, offsets, a[5], kind, a[7], weights, a[9], a[10]}, run)
        .elements()[0];
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
        const bool by_kernel = a[4].toDouble() == 0 && query.is_non_overlapping_and_dense();
        if (out.sizes() != query.sizes() || !by_kernel) return IValue(out);
        const Tensor laid_out = reel::empty_strided(query.sizes(), query.strides(), out.options());
        return IValue(laid_out.copy_(out));
    });
}

constexpr FunctionLine table[] = {
    {"nn.functional.normalize", normalize},
    {"nn.functional.batch_norm", batch_norm},
    {"nn.functional.instance_norm", instance_norm},
    {"nn.functional.local_response_norm", local_response_norm},
    {"nn.functional.embedding", embedding},
    {"nn.functional.embedding_bag", embedding_bag},
    {"nn.functional.scaled_dot_product_attention", dot_product_attention},
};
} // namespace

void renormalise(Tracer& t, const IValue& weight, const IValue& input, const IValue& max_norm,
                 const IValue& norm_type) {
    const IValue rows = t.aten("aten::detach", {weight});
    t.aten("aten::embedding_renorm_", {rows, input, max_norm.toScalar().toDouble(), norm_type.toScalar().toDouble()});
}

std::span<const FunctionLine> norm_functions() { return table; }

} // namespace reel::jit::trace_impl
