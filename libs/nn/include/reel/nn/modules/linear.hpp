// Affine maps, flattening, doing nothing.
#pragma once

#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

struct LinearOptions {
    LinearOptions(std::int64_t in_features, std::int64_t out_features) : in_features_(in_features), out_features_(out_features) {}
    REEL_ARG(std::int64_t, in_features);
    REEL_ARG(std::int64_t, out_features);
    REEL_ARG(bool, bias) = true;
};

/// y = x W^T + b over the last dimension. weight (out, in) Kaiming-uniform with slope sqrt(5), bias U(+-1/sqrt(in)).
class LinearImpl : public Cloneable<LinearImpl> {
public:
    LinearImpl(std::int64_t in_features, std::int64_t out_features) : LinearImpl(LinearOptions(in_features, out_features)) {}
    explicit LinearImpl(const LinearOptions& options);
    void reset() override;
    void reset_parameters();
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;

    LinearOptions options;
    Tensor weight, bias;
};
REEL_MODULE(Linear);

/// Returns its argument.
class IdentityImpl : public Cloneable<IdentityImpl> {
public:
    IdentityImpl() = default;
    void reset() override {}
    Tensor forward(const Tensor& input) { return input; }
};
REEL_MODULE(Identity);

struct FlattenOptions {
    REEL_ARG(std::int64_t, start_dim) = 1;
    REEL_ARG(std::int64_t, end_dim) = -1;
};
/// Collapses a range of dimensions into one.
class FlattenImpl : public Cloneable<FlattenImpl> {
public:
    explicit FlattenImpl(const FlattenOptions& options = {}) : options(options) {}
    void reset() override {}
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    FlattenOptions options;
};
REEL_MODULE(Flatten);

} // namespace reel::nn
