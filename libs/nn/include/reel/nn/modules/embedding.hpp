// Embedding tables.
#pragma once

#include <optional>

#include <reel/autograd/enum.hpp>
#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/number.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

struct EmbeddingOptions {
    EmbeddingOptions(std::int64_t num_embeddings, std::int64_t embedding_dim)
        : num_embeddings_(num_embeddings), embedding_dim_(embedding_dim) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, num_embeddings);
    REEL_ARG(std::int64_t, embedding_dim);
    REEL_ARG(std::optional<std::int64_t>, padding_idx) = std::nullopt; ///< this row starts at zero and gets no gradient
    REEL_ARG(std::optional<Number>, max_norm) = std::nullopt; ///< rows that are looked up are scaled down to this norm
    REEL_ARG(Number, norm_type) = 2.;
    REEL_ARG(bool, scale_grad_by_freq) = false;
    REEL_ARG(bool, sparse) = false;
    REEL_ARG(Tensor, _weight) = {};
};
struct EmbeddingFromPretrainedOptions {
    REEL_ARG(bool, freeze) = true;
    REEL_ARG(std::optional<std::int64_t>, padding_idx) = std::nullopt;
    REEL_ARG(std::optional<Number>, max_norm) = std::nullopt;
    REEL_ARG(Number, norm_type) = 2.;
    REEL_ARG(bool, scale_grad_by_freq) = false;
    REEL_ARG(bool, sparse) = false;
};

/// Rows of `weight` [num_embeddings, embedding_dim] by integer indices of any shape. weight starts as N(0, 1).
class EmbeddingImpl : public Cloneable<EmbeddingImpl> {
public:
    EmbeddingImpl(std::int64_t num_embeddings, std::int64_t embedding_dim)
        : EmbeddingImpl(EmbeddingOptions(num_embeddings, embedding_dim)) {}
    explicit EmbeddingImpl(EmbeddingOptions options);
    void reset() override;
    void reset_parameters();
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& indices);
    EmbeddingOptions options;
    Tensor weight;
};
class Embedding : public ModuleHolder<EmbeddingImpl> {
public:
    using ModuleHolder<EmbeddingImpl>::ModuleHolder;
    using Impl [[maybe_unused]] = EmbeddingImpl;
    /// A table that starts from `embeddings`, frozen unless told otherwise.
    static Embedding from_pretrained(const Tensor& embeddings, const EmbeddingFromPretrainedOptions& options = {});
};

struct EmbeddingBagOptions {
    using mode_t = Choice<enumtype::kSum, enumtype::kMean, enumtype::kMax>;
    EmbeddingBagOptions(std::int64_t num_embeddings, std::int64_t embedding_dim)
        : num_embeddings_(num_embeddings), embedding_dim_(embedding_dim) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, num_embeddings);
    REEL_ARG(std::int64_t, embedding_dim);
    REEL_ARG(std::optional<Number>, max_norm) = std::nullopt;
    REEL_ARG(Number, norm_type) = 2.;
    REEL_ARG(bool, scale_grad_by_freq) = false;
    REEL_ARG(mode_t, mode) = kMean;
    REEL_ARG(bool, sparse) = false;
    REEL_ARG(Tensor, _weight) = {};
    REEL_ARG(bool, include_last_offset) = false;
    REEL_ARG(std::optional<std::int64_t>, padding_idx) = std::nullopt;
};
struct EmbeddingBagFromPretrainedOptions {
    using mode_t = EmbeddingBagOptions::mode_t;
    REEL_ARG(bool, freeze) = true;
    REEL_ARG(std::optional<Number>, max_norm) = std::nullopt;
    REEL_ARG(Number, norm_type) = 2.;
    REEL_ARG(bool, scale_grad_by_freq) = false;
    REEL_ARG(mode_t, mode) = kMean;
    REEL_ARG(bool, sparse) = false;
    REEL_ARG(bool, include_last_offset) = false;
    REEL_ARG(std::optional<std::int64_t>, padding_idx) = std::nullopt;
};
/// Sums, means or maxima of bags of rows: the rows of 2-D indices, or the ranges between offsets of 1-D ones.
class EmbeddingBagImpl : public Cloneable<EmbeddingBagImpl> {
public:
    EmbeddingBagImpl(std::int64_t num_embeddings, std::int64_t embedding_dim)
        : EmbeddingBagImpl(EmbeddingBagOptions(num_embeddings, embedding_dim)) {}
    explicit EmbeddingBagImpl(EmbeddingBagOptions options);
    void reset() override;
    void reset_parameters();
    static constexpr const char* forward_arguments = "input, offsets, per_sample_weights";
    static Args forward_defaults() { return {{}, {}}; }
    Tensor forward(const Tensor& indices, const Tensor& offsets = {}, const Tensor& per_sample_weights = {});
    EmbeddingBagOptions options;
    Tensor weight;
};
class EmbeddingBag : public ModuleHolder<EmbeddingBagImpl> {
public:
    using ModuleHolder<EmbeddingBagImpl>::ModuleHolder;
    using Impl [[maybe_unused]] = EmbeddingBagImpl;
    /// A table that starts from `embeddings`, frozen unless told otherwise.
    static EmbeddingBag from_pretrained(const Tensor& embeddings,
                                        const EmbeddingBagFromPretrainedOptions& options = {});
};

} // namespace reel::nn
