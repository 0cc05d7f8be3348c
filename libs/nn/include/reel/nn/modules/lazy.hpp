// Layers that learn the size of their input from the first one.
#pragma once

#include <string>

#include <reel/autograd/detail/private_generator.hpp>
#include <reel/nn/modules/batch_norm.hpp>
#include <reel/nn/modules/conv.hpp>
#include <reel/nn/modules/linear.hpp>

namespace reel::nn {

/// What all lazy layers are beside the layer that they become.
class LazyModule {
public:
    virtual ~LazyModule();
    /// Does it wait for its first input still?
    virtual bool has_uninitialized_params() const = 0;
    /// Gives parameters and buffers the sizes for `input`, and their initial values; nothing where they have them.
    virtual void initialize_parameters(const Tensor& input) = 0;
};

/// The layer `Base` without the size of its input. Parameters and buffers that depend on it are empty tensors until the
/// first call (by a holder, a container, nn::call; before all hooks), or until a state dict brings their sizes; they
/// stay the same tensors then, so that an optimizer may have them before. It prints, and is, a `Base` afterwards.
/// Conversions before apply. Errors: Error for share_memory before, and those of `Base` for an input that it cannot
/// take.
template <class Derived, class Base> class LazyImpl : public Base, public LazyModule {
public:
    using Options = decltype(Base::options);
    bool has_uninitialized_params() const override { return lazy_; }
    void initialize_parameters(const Tensor& input) override;
    void reset() override;
    void reset_parameters();
    std::string repr_name() const override;
    ModulePtr clone(std::optional<Device> device = std::nullopt, bool keep_hooks = true) const override;

protected:
    /// Drawing nothing: the initial values come later.
    explicit LazyImpl(const Options& options, const PrivateGenerator& draws = PrivateGenerator());
    void load_own_state(StateDict& map, const std::string& prefix, const ValueDict& local_metadata, bool strict,
                        bool assign, LoadLists& lists) override;
    void copy_from(const Module& other, std::optional<Device> device, bool keep_hooks) override;
    bool become_copy_of(const Module&, std::optional<Device>, bool) override { return false; }

private:
    void materialize(std::int64_t features);
    bool lazy_ = true;
};

struct LazyLinearOptions {
    LazyLinearOptions(std::int64_t out_features) : out_features_(out_features) {}
    REEL_ARG(std::int64_t, out_features);
    REEL_ARG(bool, bias) = true;
};
/// A Linear of the first input's last size.
class LazyLinearImpl : public LazyImpl<LazyLinearImpl, LinearImpl> {
public:
    explicit LazyLinearImpl(std::int64_t out_features) : LazyLinearImpl(LazyLinearOptions(out_features)) {}
    explicit LazyLinearImpl(const LazyLinearOptions& o)
        : LazyLinearImpl(LinearOptions(0, o.out_features()).bias(o.bias())) {}
    /// `in_features` is not looked at.
    explicit LazyLinearImpl(const LinearOptions& o) : LazyImpl(o) {}
};
REEL_MODULE_IMPL(LazyLinear, LazyLinearImpl);

/// Options of a convolution whose input channels are not known: `LazyConv2dOptions(16, 3).stride(2)`.
template <std::size_t D> struct LazyConvOptions : ConvOptions<D> {
    LazyConvOptions(std::int64_t out_channels, ExpandingArray<D> kernel_size)
        : ConvOptions<D>(0, out_channels, std::move(kernel_size)) {}
};
template <std::size_t D> struct LazyConvTransposeOptions : ConvTransposeOptions<D> {
    LazyConvTransposeOptions(std::int64_t out_channels, ExpandingArray<D> kernel_size)
        : ConvTransposeOptions<D>(0, out_channels, std::move(kernel_size)) {}
};
using LazyConv1dOptions = LazyConvOptions<1>;
using LazyConv2dOptions = LazyConvOptions<2>;
using LazyConv3dOptions = LazyConvOptions<3>;
using LazyConvTranspose1dOptions = LazyConvTransposeOptions<1>;
using LazyConvTranspose2dOptions = LazyConvTransposeOptions<2>;
using LazyConvTranspose3dOptions = LazyConvTransposeOptions<3>;

/// A convolution of as many input channels as the first input has; `in_channels` of options is not looked at.
#define REEL_LAZY_CONV(Name, D)                                                                                        \
    class Lazy##Name##Impl : public LazyImpl<Lazy##Name##Impl, Name##Impl> {                                           \
    public:                                                                                                            \
        Lazy##Name##Impl(std::int64_t out_channels, ExpandingArray<D> kernel_size)                                     \
            : LazyImpl(Name##Options(0, out_channels, std::move(kernel_size))) {}                                      \
        explicit Lazy##Name##Impl(const Name##Options& options) : LazyImpl(options) {}                                 \
    };                                                                                                                 \
    REEL_MODULE_IMPL(Lazy##Name, Lazy##Name##Impl)
REEL_LAZY_CONV(Conv1d, 1);
REEL_LAZY_CONV(Conv2d, 2);
REEL_LAZY_CONV(Conv3d, 3);
REEL_LAZY_CONV(ConvTranspose1d, 1);
REEL_LAZY_CONV(ConvTranspose2d, 2);
REEL_LAZY_CONV(ConvTranspose3d, 3);
#undef REEL_LAZY_CONV

/// As BatchNormOptions, without the number of features.
struct LazyBatchNormOptions : BatchNormOptions {
    LazyBatchNormOptions(std::int64_t num_features = 0) : BatchNormOptions(num_features) {}
};
/// As InstanceNormOptions, without the number of features; affine, and with running moments, unless told otherwise.
struct LazyInstanceNormOptions : InstanceNormOptions {
    LazyInstanceNormOptions(std::int64_t num_features = 0) : InstanceNormOptions(num_features) {
        affine(true).track_running_stats(true);
    }
};
/// A normalisation of as many channels as the first input has; `num_features` of options is not looked at.
#define REEL_LAZY_NORM(Name, Family)                                                                                   \
    class Lazy##Name##Impl : public LazyImpl<Lazy##Name##Impl, Name##Impl> {                                           \
    public:                                                                                                            \
        Lazy##Name##Impl() : LazyImpl(Lazy##Family##Options()) {}                                                      \
        explicit Lazy##Name##Impl(const Family##Options& options) : LazyImpl(options) {}                               \
    };                                                                                                                 \
    REEL_MODULE_IMPL(Lazy##Name, Lazy##Name##Impl)
REEL_LAZY_NORM(BatchNorm1d, BatchNorm);
REEL_LAZY_NORM(BatchNorm2d, BatchNorm);
REEL_LAZY_NORM(BatchNorm3d, BatchNorm);
REEL_LAZY_NORM(InstanceNorm1d, InstanceNorm);
REEL_LAZY_NORM(InstanceNorm2d, InstanceNorm);
REEL_LAZY_NORM(InstanceNorm3d, InstanceNorm);
#undef REEL_LAZY_NORM

} // namespace reel::nn
