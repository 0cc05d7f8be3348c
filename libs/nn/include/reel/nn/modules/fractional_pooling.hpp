// Maximum pooling over windows at random places.
#pragma once

#include <optional>
#include <string>
#include <tuple>

#include <reel/autograd/expanding_array.hpp>
#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

/// Exactly one of `output_size` and `output_ratio` (of the input's size, in (0, 1)) must be set. `_random_samples` [N,
/// C, D] in [0, 1) fixes where the windows lie.
template <std::size_t D> struct FractionalMaxPoolOptions {
    FractionalMaxPoolOptions(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size) {}
    void fields(OptionVisitor& v);
    REEL_ARG(ExpandingArray<D>, kernel_size);
    REEL_ARG(std::optional<ExpandingArray<D>>, output_size) = std::nullopt;

public:
    using ExpandingArrayDouble = ExpandingArray<D, double>;
    FractionalMaxPoolOptions& output_size(std::initializer_list<std::int64_t> values) {
        return output_size(ExpandingArray<D>(values));
    }
    REEL_ARG(std::optional<ExpandingArrayDouble>, output_ratio) = std::nullopt;

public:
    FractionalMaxPoolOptions& output_ratio(std::initializer_list<double> values) {
        return output_ratio(ExpandingArrayDouble(values));
    }
    REEL_ARG(Tensor, _random_samples) = {};
};
using FractionalMaxPool2dOptions = FractionalMaxPoolOptions<2>;
using FractionalMaxPool3dOptions = FractionalMaxPoolOptions<3>;

namespace detail {
template <std::size_t D>
std::tuple<Tensor, Tensor> fractional_max_pool(const FractionalMaxPoolOptions<D>& o, const Tensor& input,
                                               const Tensor& random_samples);
template <std::size_t D> void check(const FractionalMaxPoolOptions<D>& o);
} // namespace detail

/// The largest elements of as many windows as `output_size` or `output_ratio` say, which lie at random places;
/// `forward_with_indices` also says where they stood. Errors: ValueError unless exactly one of the two is set.
template <std::size_t D, class Derived> class FractionalMaxPoolImpl : public Cloneable<Derived> {
public:
    FractionalMaxPoolImpl(ExpandingArray<D> kernel_size)
        : FractionalMaxPoolImpl(FractionalMaxPoolOptions<D>(kernel_size)) {}
    explicit FractionalMaxPoolImpl(const FractionalMaxPoolOptions<D>& options) : options(options) {
        FractionalMaxPoolImpl::reset();
    }
    void reset() override {
        detail::check(options);
        _random_samples = this->register_buffer("_random_samples", options._random_samples());
    }
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return std::get<0>(forward_with_indices(input)); }
    std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input) {
        return detail::fractional_max_pool(options, input, this->buffers_["_random_samples"]);
    }
    FractionalMaxPoolOptions<D> options;
    Tensor _random_samples;
};
/// Over [C, H, W] or [N, C, H, W].
REEL_MODULE_OF(FractionalMaxPool2d, FractionalMaxPoolImpl<2, FractionalMaxPool2dImpl>);
/// Over [C, D, H, W] or [N, C, D, H, W].
REEL_MODULE_OF(FractionalMaxPool3d, FractionalMaxPoolImpl<3, FractionalMaxPool3dImpl>);

} // namespace reel::nn
