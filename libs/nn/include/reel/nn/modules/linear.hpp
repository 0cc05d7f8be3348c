// Affine maps, flattening, doing nothing.
#pragma once

#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

struct LinearOptions {
    LinearOptions(std::int64_t in_features, std::int64_t out_features)
        : in_features_(in_features), out_features_(out_features) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, in_features);
    REEL_ARG(std::int64_t, out_features);
    REEL_ARG(bool, bias) = true;
};

/// y = x W^T + b over the last dimension. weight (out, in) Kaiming-uniform with slope sqrt(5), bias U(+-1/sqrt(in)).
class LinearImpl : public Cloneable<LinearImpl> {
public:
    LinearImpl(std::int64_t in_features, std::int64_t out_features)
        : LinearImpl(LinearOptions(in_features, out_features)) {}
    explicit LinearImpl(const LinearOptions& options);
    void reset() override;
    void reset_parameters();
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);

    LinearOptions options;
    Tensor weight, bias;
};
REEL_MODULE(Linear);

/// Returns its argument; a call by values (containers, hooks) may pass anything.
class IdentityImpl : public Cloneable<IdentityImpl> {
public:
    IdentityImpl() = default;
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return input; }
    Value forward_values(const Args& args, const Kwargs& kwargs) override;
};
REEL_MODULE(Identity);

struct FlattenOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, start_dim) = 1;
    REEL_ARG(std::int64_t, end_dim) = -1;
};
/// Collapses a range of dimensions into one.
class FlattenImpl : public Cloneable<FlattenImpl> {
public:
    explicit FlattenImpl(const FlattenOptions& options = {}) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    FlattenOptions options;
};
REEL_MODULE(Flatten);

struct UnflattenOptions {
    UnflattenOptions(std::int64_t dim, std::vector<std::int64_t> sizes) : dim_(dim), sizes_(std::move(sizes)) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, dim);
    REEL_ARG(std::vector<std::int64_t>, sizes);
};
/// Splits one dimension into several; one of the sizes may be -1.
class UnflattenImpl : public Cloneable<UnflattenImpl> {
public:
    UnflattenImpl(std::int64_t dim, std::vector<std::int64_t> sizes) : options(dim, std::move(sizes)) {}
    explicit UnflattenImpl(UnflattenOptions options) : options(std::move(options)) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    UnflattenOptions options;
};
REEL_MODULE(Unflatten);

struct BilinearOptions {
    BilinearOptions(std::int64_t in1_features, std::int64_t in2_features, std::int64_t out_features)
        : in1_features_(in1_features), in2_features_(in2_features), out_features_(out_features) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, in1_features);
    REEL_ARG(std::int64_t, in2_features);
    REEL_ARG(std::int64_t, out_features);
    REEL_ARG(bool, bias) = true;
};
/// y[o] = x1^T W[o] x2 + b[o]. weight (out, in1, in2) and bias U(+-1 / sqrt(in1)).
class BilinearImpl : public Cloneable<BilinearImpl> {
public:
    BilinearImpl(std::int64_t in1_features, std::int64_t in2_features, std::int64_t out_features)
        : BilinearImpl(BilinearOptions(in1_features, in2_features, out_features)) {}
    explicit BilinearImpl(const BilinearOptions& options);
    void reset() override;
    void reset_parameters();
    static constexpr const char* forward_arguments = "input1, input2";
    Tensor forward(const Tensor& input1, const Tensor& input2);
    BilinearOptions options;
    Tensor weight, bias;
};
REEL_MODULE(Bilinear);

} // namespace reel::nn
