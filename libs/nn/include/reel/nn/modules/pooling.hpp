// Pooling layers.
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include <reel/autograd/expanding_array.hpp>
#include <reel/nn/cloneable.hpp>
#include <reel/nn/detail/pools.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/number.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

/// `stride` is the kernel unless set.
template <std::size_t D> struct MaxPoolOptions {
    MaxPoolOptions(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size), stride_(kernel_size) {}
    void fields(OptionVisitor& v);
    REEL_ARG(ExpandingArray<D>, kernel_size);
    REEL_ARG(ExpandingArray<D>, stride);
    REEL_ARG(ExpandingArray<D>, padding) = 0;
    REEL_ARG(ExpandingArray<D>, dilation) = 1;
    REEL_ARG(bool, ceil_mode) = false;
};
using MaxPool1dOptions = MaxPoolOptions<1>;
using MaxPool2dOptions = MaxPoolOptions<2>;
using MaxPool3dOptions = MaxPoolOptions<3>;

/// `divisor_override` is ignored in one dimension.
template <std::size_t D> struct AvgPoolOptions {
    AvgPoolOptions(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size), stride_(kernel_size) {}
    void fields(OptionVisitor& v);
    REEL_ARG(ExpandingArray<D>, kernel_size);
    REEL_ARG(ExpandingArray<D>, stride);
    REEL_ARG(ExpandingArray<D>, padding) = 0;
    REEL_ARG(bool, ceil_mode) = false;
    REEL_ARG(bool, count_include_pad) = true;
    REEL_ARG(std::optional<std::int64_t>, divisor_override) = std::nullopt;
};
using AvgPool1dOptions = AvgPoolOptions<1>;
using AvgPool2dOptions = AvgPoolOptions<2>;
using AvgPool3dOptions = AvgPoolOptions<3>;

/// Entries of `output_size` that are nullopt keep their dimension.
template <std::size_t D> struct AdaptivePoolOptions {
    using Size = std::conditional_t<D == 1, ExpandingArray<1>, ExpandingArrayWithOptionalElem<D>>;
    AdaptivePoolOptions(Size output_size) : output_size_(output_size) {}
    void fields(OptionVisitor& v);
    REEL_ARG(Size, output_size);
};
using AdaptiveAvgPool1dOptions = AdaptivePoolOptions<1>;
using AdaptiveAvgPool2dOptions = AdaptivePoolOptions<2>;
using AdaptiveAvgPool3dOptions = AdaptivePoolOptions<3>;
using AdaptiveMaxPool1dOptions = AdaptivePoolOptions<1>;
using AdaptiveMaxPool2dOptions = AdaptivePoolOptions<2>;
using AdaptiveMaxPool3dOptions = AdaptivePoolOptions<3>;

/// `stride` is the kernel unless set.
template <std::size_t D> struct LPPoolOptions {
    LPPoolOptions(Number norm_type, ExpandingArray<D> kernel_size) : norm_type_(norm_type), kernel_size_(kernel_size) {}
    void fields(OptionVisitor& v);
    REEL_ARG(Number, norm_type);
    REEL_ARG(ExpandingArray<D>, kernel_size);
    REEL_ARG(std::optional<ExpandingArray<D>>, stride) = std::nullopt;

public:
    LPPoolOptions& stride(std::initializer_list<std::int64_t> values) { return stride(ExpandingArray<D>(values)); }
    REEL_ARG(bool, ceil_mode) = false;
};
using LPPool1dOptions = LPPoolOptions<1>;
using LPPool2dOptions = LPPoolOptions<2>;
using LPPool3dOptions = LPPoolOptions<3>;

/// `stride` is the kernel unless set.
template <std::size_t D> struct MaxUnpoolOptions {
    MaxUnpoolOptions(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size), stride_(kernel_size) {}
    void fields(OptionVisitor& v);
    REEL_ARG(ExpandingArray<D>, kernel_size);
    REEL_ARG(ExpandingArray<D>, stride);
    REEL_ARG(ExpandingArray<D>, padding) = 0;
};
using MaxUnpool1dOptions = MaxUnpoolOptions<1>;
using MaxUnpool2dOptions = MaxUnpoolOptions<2>;
using MaxUnpool3dOptions = MaxUnpoolOptions<3>;

/// The largest element of each window; `forward_with_indices` also says where it stood.
template <std::size_t D, class Derived> class MaxPoolImpl : public Cloneable<Derived> {
public:
    MaxPoolImpl(ExpandingArray<D> kernel_size) : options(kernel_size) {}
    explicit MaxPoolImpl(const MaxPoolOptions<D>& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return std::get<0>(forward_with_indices(input)); }
    std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input) { return detail::max_pool(options, input); }
    MaxPoolOptions<D> options;
};
/// The mean of each window.
template <std::size_t D, class Derived> class AvgPoolImpl : public Cloneable<Derived> {
public:
    AvgPoolImpl(ExpandingArray<D> kernel_size) : options(kernel_size) {}
    explicit AvgPoolImpl(const AvgPoolOptions<D>& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return detail::avg_pool(options, input); }
    AvgPoolOptions<D> options;
};
/// The largest element of each of `output_size` parts.
template <std::size_t D, class Derived> class AdaptiveMaxPoolImpl : public Cloneable<Derived> {
public:
    AdaptiveMaxPoolImpl(typename AdaptivePoolOptions<D>::Size output_size) : options(output_size) {}
    explicit AdaptiveMaxPoolImpl(const AdaptivePoolOptions<D>& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return std::get<0>(forward_with_indices(input)); }
    std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input) {
        return detail::adaptive_max_pool(options, input);
    }
    AdaptivePoolOptions<D> options;
};
/// The mean of each of `output_size` parts.
template <std::size_t D, class Derived> class AdaptiveAvgPoolImpl : public Cloneable<Derived> {
public:
    AdaptiveAvgPoolImpl(typename AdaptivePoolOptions<D>::Size output_size) : options(output_size) {}
    explicit AdaptiveAvgPoolImpl(const AdaptivePoolOptions<D>& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return detail::adaptive_avg_pool(options, input); }
    AdaptivePoolOptions<D> options;
};

/// Puts the values of a maximum pool back where its `indices` say, zeros elsewhere. `output_size` (the last `D` sizes,
/// or all) settles sizes that several inputs share.
template <std::size_t D, class Derived> class MaxUnpoolImpl : public Cloneable<Derived> {
public:
    MaxUnpoolImpl(ExpandingArray<D> kernel_size) : options(kernel_size) {}
    explicit MaxUnpoolImpl(const MaxUnpoolOptions<D>& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input, indices, output_size";
    static Args forward_defaults() { return {{}}; }
    Tensor forward(const Tensor& input, const Tensor& indices,
                   const std::optional<std::vector<std::int64_t>>& output_size = std::nullopt) {
        return detail::max_unpool(options, input, indices, output_size);
    }
    MaxUnpoolOptions<D> options;
};

/// (sum of x^p)^(1/p) over each window; p is `norm_type`.
template <std::size_t D, class Derived> class LPPoolImpl : public Cloneable<Derived> {
public:
    LPPoolImpl(Number norm_type, ExpandingArray<D> kernel_size) : options(norm_type, kernel_size) {}
    explicit LPPoolImpl(const LPPoolOptions<D>& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return detail::lp_pool(options, input); }
    LPPoolOptions<D> options;
};

REEL_MODULE_OF(MaxPool1d, MaxPoolImpl<1, MaxPool1dImpl>);
REEL_MODULE_OF(MaxPool2d, MaxPoolImpl<2, MaxPool2dImpl>);
REEL_MODULE_OF(MaxPool3d, MaxPoolImpl<3, MaxPool3dImpl>);
REEL_MODULE_OF(AvgPool1d, AvgPoolImpl<1, AvgPool1dImpl>);
REEL_MODULE_OF(AvgPool2d, AvgPoolImpl<2, AvgPool2dImpl>);
REEL_MODULE_OF(AvgPool3d, AvgPoolImpl<3, AvgPool3dImpl>);
REEL_MODULE_OF(AdaptiveMaxPool1d, AdaptiveMaxPoolImpl<1, AdaptiveMaxPool1dImpl>);
REEL_MODULE_OF(AdaptiveMaxPool2d, AdaptiveMaxPoolImpl<2, AdaptiveMaxPool2dImpl>);
REEL_MODULE_OF(AdaptiveMaxPool3d, AdaptiveMaxPoolImpl<3, AdaptiveMaxPool3dImpl>);
REEL_MODULE_OF(AdaptiveAvgPool1d, AdaptiveAvgPoolImpl<1, AdaptiveAvgPool1dImpl>);
REEL_MODULE_OF(AdaptiveAvgPool2d, AdaptiveAvgPoolImpl<2, AdaptiveAvgPool2dImpl>);
REEL_MODULE_OF(AdaptiveAvgPool3d, AdaptiveAvgPoolImpl<3, AdaptiveAvgPool3dImpl>);
REEL_MODULE_OF(LPPool1d, LPPoolImpl<1, LPPool1dImpl>);
REEL_MODULE_OF(LPPool2d, LPPoolImpl<2, LPPool2dImpl>);
REEL_MODULE_OF(LPPool3d, LPPoolImpl<3, LPPool3dImpl>);
REEL_MODULE_OF(MaxUnpool1d, MaxUnpoolImpl<1, MaxUnpool1dImpl>);
REEL_MODULE_OF(MaxUnpool2d, MaxUnpoolImpl<2, MaxUnpool2dImpl>);
REEL_MODULE_OF(MaxUnpool3d, MaxUnpoolImpl<3, MaxUnpool3dImpl>);

} // namespace reel::nn
