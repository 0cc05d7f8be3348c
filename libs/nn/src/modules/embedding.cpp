// Embedding tables.
#include <reel/nn/modules/embedding.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/nn/init.hpp>

#include "modules/python_text.hpp"

namespace reel::nn {

EmbeddingImpl::EmbeddingImpl(EmbeddingOptions o) : options(std::move(o)) { EmbeddingImpl::reset(); }
void EmbeddingImpl::reset() {
    const std::int64_t rows = options.num_embeddings();
    if (options.padding_idx()) {
        const std::int64_t i = *options.padding_idx();
        REEL_CHECK_VALUE(i >= -rows && i < rows, "Embedding: padding_idx ", i, " is out of range for num_embeddings ",
                         rows);
        if (i < 0) options.padding_idx(rows + i);
    }
    if (options._weight().defined()) {
        const std::int64_t want[] = {rows, options.embedding_dim()};
        REEL_CHECK_VALUE(options._weight().sizes() == IntArrayRef(want), "Embedding: _weight has shape ",
                         options._weight().sizes(), "; expected ", IntArrayRef(want));
        weight = register_parameter("weight", options._weight());
        return;
    }
    weight = register_parameter("weight", reel::empty({rows, options.embedding_dim()}));
    reset_parameters();
}
void EmbeddingImpl::reset_parameters() {
    init::normal_(weight);
    if (!options.padding_idx()) return;
    NoGradGuard guard;
    reel::select(weight, 0, *options.padding_idx()).zero_();
}
Tensor EmbeddingImpl::forward(const Tensor& indices) {
    return reel::functional_embedding(indices, weight, options.padding_idx(), options.max_norm(), options.norm_type(),
                                      options.scale_grad_by_freq(), options.sparse());
}
std::string EmbeddingImpl::extra_repr() const {
    std::string s = str(options.num_embeddings(), ", ", options.embedding_dim());
    if (options.padding_idx()) s += str(", padding_idx=", *options.padding_idx());
    if (options.max_norm()) s += ", max_norm=" + text::number(*options.max_norm());
    if (options.norm_type() != 2) s += ", norm_type=" + text::number(options.norm_type());
    if (options.scale_grad_by_freq()) s += ", scale_grad_by_freq=True";
    if (options.sparse()) s += ", sparse=True";
    return s;
}

Embedding Embedding::from_pretrained(const Tensor& embeddings, const EmbeddingFromPretrainedOptions& o) {
    REEL_CHECK_VALUE(embeddings.dim() == 2, "Embedding::from_pretrained: expected a matrix, got shape ",
                     embeddings.sizes());
    Embedding e(EmbeddingOptions(embeddings.size(0), embeddings.size(1))
                    ._weight(embeddings)
                    .padding_idx(o.padding_idx())
                    .max_norm(o.max_norm())
                    .norm_type(o.norm_type())
                    .scale_grad_by_freq(o.scale_grad_by_freq())
                    .sparse(o.sparse()));
    e->weight.set_requires_grad(!o.freeze());
    return e;
}

EmbeddingBagImpl::EmbeddingBagImpl(EmbeddingBagOptions o) : options(std::move(o)) { EmbeddingBagImpl::reset(); }
void EmbeddingBagImpl::reset() {
    const std::int64_t rows = options.num_embeddings();
    if (options.padding_idx()) {
        const std::int64_t i = *options.padding_idx();
        REEL_CHECK_VALUE(i >= -rows && i < rows, "EmbeddingBag: padding_idx ", i,
                         " is out of range for num_embeddings ", rows);
        if (i < 0) options.padding_idx(rows + i);
    }
    const bool given = options._weight().defined();
    if (given) {
        const std::int64_t want[] = {rows, options.embedding_dim()};
        REEL_CHECK_VALUE(options._weight().sizes() == IntArrayRef(want), "EmbeddingBag: _weight has shape ",
                         options._weight().sizes(), "; expected ", IntArrayRef(want));
    }
    weight = register_parameter("weight", given ? options._weight() : reel::empty({rows, options.embedding_dim()}));
    if (!given) reset_parameters();
}
void EmbeddingBagImpl::reset_parameters() {
    init::normal_(weight);
    if (!options.padding_idx()) return;
    NoGradGuard guard;
    reel::select(weight, 0, *options.padding_idx()).zero_();
}
namespace {
const char* mode_text(const EmbeddingBagOptions::mode_t& m) { return m == kSum ? "sum" : m == kMean ? "mean" : "max"; }
} // namespace
Tensor EmbeddingBagImpl::forward(const Tensor& indices, const Tensor& offsets, const Tensor& per_sample_weights) {
    return reel::functional_embedding_bag(indices, weight, offsets, options.max_norm(), options.norm_type(),
                                          options.scale_grad_by_freq(), mode_text(options.mode()), options.sparse(),
                                          per_sample_weights, options.include_last_offset(), options.padding_idx());
}
std::string EmbeddingBagImpl::extra_repr() const {
    std::string s = str(options.num_embeddings(), ", ", options.embedding_dim());
    if (options.max_norm()) s += ", max_norm=" + text::number(*options.max_norm());
    if (options.norm_type() != 2) s += ", norm_type=" + text::number(options.norm_type());
    if (options.scale_grad_by_freq()) s += ", scale_grad_by_freq=True";
    s += str(", mode='", mode_text(options.mode()), "'");
    if (options.padding_idx()) s += str(", padding_idx=", *options.padding_idx());
    return s;
}

EmbeddingBag EmbeddingBag::from_pretrained(const Tensor& embeddings, const EmbeddingBagFromPretrainedOptions& o) {
    REEL_CHECK_VALUE(embeddings.dim() == 2, "EmbeddingBag::from_pretrained: expected a matrix, got shape ",
                     embeddings.sizes());
    EmbeddingBag e(EmbeddingBagOptions(embeddings.size(0), embeddings.size(1))
                       ._weight(embeddings)
                       .max_norm(o.max_norm())
                       .norm_type(o.norm_type())
                       .scale_grad_by_freq(o.scale_grad_by_freq())
                       .mode(o.mode())
                       .sparse(o.sparse())
                       .include_last_offset(o.include_last_offset())
                       .padding_idx(o.padding_idx()));
    e->weight.set_requires_grad(!o.freeze());
    return e;
}

namespace {
[[maybe_unused]] const bool bag_registered =
    register_module_class("EmbeddingBag", [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
        const ConstructorArgs a("EmbeddingBag",
                                {"num_embeddings", "embedding_dim", "max_norm", "norm_type", "scale_grad_by_freq",
                                 "mode", "sparse", "_weight", "include_last_offset", "padding_idx", "device", "dtype"},
                                args, kwargs);
        EmbeddingBagOptions o(a.get<std::int64_t>("num_embeddings"), a.get<std::int64_t>("embedding_dim"));
        if (a.has("max_norm")) o.max_norm(text::number(a, "max_norm", 0));
        o.norm_type(text::number(a, "norm_type", 2.))
            .scale_grad_by_freq(a.get<bool>("scale_grad_by_freq", false))
            .sparse(a.get<bool>("sparse", false))
            .include_last_offset(a.get<bool>("include_last_offset", false));
        const std::string mode = a.get<std::string>("mode", "mean");
        REEL_CHECK_VALUE(mode == "sum" || mode == "mean" || mode == "max",
                         "EmbeddingBag: mode has to be one of sum, mean or max, got '", mode, "'");
        if (mode == "sum") o.mode(kSum);
        else if (mode == "max") o.mode(kMax);
        if (a.has("_weight")) o._weight(a.at("_weight").toTensor());
        if (a.has("padding_idx")) o.padding_idx(a.get<std::int64_t>("padding_idx"));
        return text::built<EmbeddingBagImpl>(a, o);
    });
[[maybe_unused]] const bool registered =
    register_module_class("Embedding", [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
        const ConstructorArgs a("Embedding",
                                {"num_embeddings", "embedding_dim", "padding_idx", "max_norm", "norm_type",
                                 "scale_grad_by_freq", "sparse", "_weight", "_freeze", "device", "dtype"},
                                args, kwargs);
        EmbeddingOptions o(a.get<std::int64_t>("num_embeddings"), a.get<std::int64_t>("embedding_dim"));
        if (a.has("padding_idx")) o.padding_idx(a.get<std::int64_t>("padding_idx"));
        if (a.has("max_norm")) o.max_norm(text::number(a, "max_norm", 0));
        o.norm_type(text::number(a, "norm_type", 2.))
            .scale_grad_by_freq(a.get<bool>("scale_grad_by_freq", false))
            .sparse(a.get<bool>("sparse", false));
        if (a.has("_weight")) o._weight(a.at("_weight").toTensor());
        auto m = text::built<EmbeddingImpl>(a, o);
        if (a.get<bool>("_freeze", false)) m->weight.set_requires_grad(false);
        return m;
    });
} // namespace

} // namespace reel::nn
