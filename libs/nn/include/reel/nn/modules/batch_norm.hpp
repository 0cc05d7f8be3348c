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
    std::string extra_repr() const override;
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
    Tensor forward(const Tensor& input);
};
/// The same with the moments of each example.
template <std::size_t D, class Derived> class InstanceNormImpl : public NormImplBase<D, Derived, InstanceNormOptions> {
public:
    using NormImplBase<D, Derived, InstanceNormOptions>::NormImplBase;
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
};

class BatchNorm1dImpl : public BatchNormImpl<1, BatchNorm1dImpl> {
public:
    using BatchNormImpl<1, BatchNorm1dImpl>::BatchNormImpl;
};
class BatchNorm2dImpl : public BatchNormImpl<2, BatchNorm2dImpl> {
public:
    using BatchNormImpl<2, BatchNorm2dImpl>::BatchNormImpl;
};
class BatchNorm3dImpl : public BatchNormImpl<3, BatchNorm3dImpl> {
public:
    using BatchNormImpl<3, BatchNorm3dImpl>::BatchNormImpl;
};
class InstanceNorm1dImpl : public InstanceNormImpl<1, InstanceNorm1dImpl> {
public:
    using InstanceNormImpl<1, InstanceNorm1dImpl>::InstanceNormImpl;
};
class InstanceNorm2dImpl : public InstanceNormImpl<2, InstanceNorm2dImpl> {
public:
    using InstanceNormImpl<2, InstanceNorm2dImpl>::InstanceNormImpl;
};
class InstanceNorm3dImpl : public InstanceNormImpl<3, InstanceNorm3dImpl> {
public:
    using InstanceNormImpl<3, InstanceNorm3dImpl>::InstanceNormImpl;
};
REEL_MODULE(BatchNorm1d);
REEL_MODULE(BatchNorm2d);
REEL_MODULE(BatchNorm3d);
REEL_MODULE(InstanceNorm1d);
REEL_MODULE(InstanceNorm2d);
REEL_MODULE(InstanceNorm3d);

} // namespace reel::nn
