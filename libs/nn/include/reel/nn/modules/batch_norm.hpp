// Batch and instance normalisation layers.
#pragma once

#include <optional>

#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

/// `momentum` nullopt: running moments are plain averages over all batches so far.
struct BatchNormOptions {
    BatchNormOptions(std::int64_t num_features) : num_features_(num_features) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, num_features);
    REEL_ARG(double, eps) = 1e-5;
    REEL_ARG(std::optional<double>, momentum) = 0.1;
    REEL_ARG(bool, affine) = true;
    REEL_ARG(bool, track_running_stats) = true;
    REEL_ARG(bool, bias) = true; ///< only with `affine`
};
using BatchNorm1dOptions = BatchNormOptions;
using BatchNorm2dOptions = BatchNormOptions;
using BatchNorm3dOptions = BatchNormOptions;
struct InstanceNormOptions {
    InstanceNormOptions(std::int64_t num_features) : num_features_(num_features) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, num_features);
    REEL_ARG(double, eps) = 1e-5;
    REEL_ARG(std::optional<double>, momentum) = 0.1;
    REEL_ARG(bool, affine) = false;
    REEL_ARG(bool, track_running_stats) = false;
    REEL_ARG(bool, bias) = true; ///< only with `affine`
};
using InstanceNorm1dOptions = InstanceNormOptions;
using InstanceNorm2dOptions = InstanceNormOptions;
using InstanceNorm3dOptions = InstanceNormOptions;

/// What both families share: scale and shift per channel, running moments, the count of batches (state version 2).
template <std::size_t D, class Derived, class Options> class NormImplBase : public Cloneable<Derived> {
public:
    explicit NormImplBase(std::int64_t num_features) : NormImplBase(Options(num_features)) {}
    explicit NormImplBase(const Options& options);
    void reset() override;
    void reset_running_stats();
    void reset_parameters();
    std::int64_t state_version() const override { return 2; }

    Options options;
    Tensor weight, bias, running_mean, running_var, num_batches_tracked;

protected:
    /// Running moments, or the batch's?
    bool uses_batch_moments() const;
    void load_own_state(StateDict& map, const std::string& prefix, const ValueDict& local_metadata, bool strict,
                        bool assign, LoadLists& lists) override;
};
/// (x - mean) / sqrt(var + eps) weight + bias per channel, with the batch's moments in training and the running ones in
/// evaluation.
template <std::size_t D, class Derived> class BatchNormImpl : public NormImplBase<D, Derived, BatchNormOptions> {
public:
    using NormImplBase<D, Derived, BatchNormOptions>::NormImplBase;
    static constexpr const char* forward_arguments = "input";
    virtual Tensor forward(const Tensor& input);
};
/// The same with the moments of each example.
template <std::size_t D, class Derived> class InstanceNormImpl : public NormImplBase<D, Derived, InstanceNormOptions> {
public:
    using NormImplBase<D, Derived, InstanceNormOptions>::NormImplBase;
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
};

REEL_MODULE_OF(BatchNorm1d, BatchNormImpl<1, BatchNorm1dImpl>);
REEL_MODULE_OF(BatchNorm2d, BatchNormImpl<2, BatchNorm2dImpl>);
REEL_MODULE_OF(BatchNorm3d, BatchNormImpl<3, BatchNorm3dImpl>);
REEL_MODULE_OF(InstanceNorm1d, InstanceNormImpl<1, InstanceNorm1dImpl>);
REEL_MODULE_OF(InstanceNorm2d, InstanceNormImpl<2, InstanceNorm2dImpl>);
REEL_MODULE_OF(InstanceNorm3d, InstanceNormImpl<3, InstanceNorm3dImpl>);

} // namespace reel::nn
