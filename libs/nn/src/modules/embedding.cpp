// Embedding tables.
#include <reel/autograd/ops/nn/embedding.hpp>
#include <reel/autograd/ops/nn/embedding_bag.hpp>
#include <reel/nn/modules/embedding.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/nn/factory.hpp>
#include <reel/nn/init.hpp>

#include "modules/parameter_memory.hpp"

namespace reel::nn {

void EmbeddingOptions::fields(OptionVisitor& v) {
    v.required("num_embeddings", num_embeddings_, Shown::value);
    v.required("embedding_dim", embedding_dim_, Shown::value);
    v("padding_idx", padding_idx_, Shown::unless_default);
    v("max_norm", max_norm_, Shown::unless_default);
    v("norm_type", norm_type_, Shown::unless_default);
    v("scale_grad_by_freq", scale_grad_by_freq_, Shown::unless_default);
    v("sparse", sparse_, Shown::unless_default);
    v.hidden("_weight", _weight_);
    v.argument("_freeze");
    v.device_and_dtype();
}
void EmbeddingBagOptions::fields(OptionVisitor& v) {
    v.required("num_embeddings", num_embeddings_, Shown::value);
    v.required("embedding_dim", embedding_dim_, Shown::value);
    v("max_norm", max_norm_, Shown::unless_default);
    v("norm_type", norm_type_, Shown::unless_default);
    v("scale_grad_by_freq", scale_grad_by_freq_, Shown::unless_default);
    v("mode", mode_);
    v.hidden("sparse", sparse_);
    v.hidden("_weight", _weight_);
    v.hidden("include_last_offset", include_last_offset_);
    v("padding_idx", padding_idx_, Shown::unless_default);
    v.device_and_dtype();
}

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
    weight = register_parameter("weight", detail::parameter_memory({rows, options.embedding_dim()}));
    reset_parameters();
}
void EmbeddingImpl::reset_parameters() {
    init::normal_(weight);
    if (!options.padding_idx()) return;
    NoGradGuard guard;
    weight.select(0, *options.padding_idx()).zero_();
}
Tensor EmbeddingImpl::forward(const Tensor& indices) {
    return reel::functional_embedding(indices, weight, options.padding_idx(), options.max_norm(), options.norm_type(),
                                      options.scale_grad_by_freq(), options.sparse());
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
    weight = register_parameter("weight",
                                given ? options._weight() : detail::parameter_memory({rows, options.embedding_dim()}));
    if (!given) reset_parameters();
}
void EmbeddingBagImpl::reset_parameters() {
    init::normal_(weight);
    if (!options.padding_idx()) return;
    NoGradGuard guard;
    weight.select(0, *options.padding_idx()).zero_();
}
Tensor EmbeddingBagImpl::forward(const Tensor& indices, const Tensor& offsets, const Tensor& per_sample_weights) {
    return reel::functional_embedding_bag(indices, weight, offsets, options.max_norm(), options.norm_type(),
                                          options.scale_grad_by_freq(), detail::choice_text(options.mode().name()),
                                          options.sparse(), per_sample_weights, options.include_last_offset(),
                                          options.padding_idx());
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

void register_embedding() {
    register_layers<EmbeddingBagImpl>();
    register_layers_by<EmbeddingImpl>(
        []<class M>(const std::string& name, const Args& args, const Kwargs& kwargs) -> ModulePtr {
            const BoundOptions<EmbeddingOptions> bound(name, args, kwargs);
            auto m = built<M>(bound.arguments, bound.options);
            if (bound.arguments.get<bool>("_freeze", false)) m->weight.set_requires_grad(false);
            return m;
        });
}

} // namespace reel::nn
