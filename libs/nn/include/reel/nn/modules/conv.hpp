// Convolution layers.
#pragma once

#include <reel/autograd/enum.hpp>
#include <reel/autograd/expanding_array.hpp>
#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

namespace detail {
using conv_padding_mode_t = Choice<enumtype::kZeros, enumtype::kReflect, enumtype::kReplicate, enumtype::kCircular>;
}

/// Padding of a convolution: numbers, kValid (none) or kSame (so much that the size stays).
template <std::size_t D> class ConvPadding {
public:
    template <class N>
    requires(std::is_convertible_v<N, ExpandingArray<D>>) ConvPadding(const N& numbers)
        : numbers_(numbers), kind_(Kind::Numbers) {}
    ConvPadding(enumtype::kValid) : kind_(Kind::Valid) {}
    ConvPadding(enumtype::kSame) : kind_(Kind::Same) {}
    /// Null for kValid and kSame.
    const ExpandingArray<D>* numbers() const { return kind_ == Kind::Numbers ? &numbers_ : nullptr; }
    friend bool operator==(const ConvPadding& p, enumtype::kValid) { return p.kind_ == Kind::Valid; }
    friend bool operator==(const ConvPadding& p, enumtype::kSame) { return p.kind_ == Kind::Same; }

private:
    enum class Kind : std::uint8_t { Numbers, Valid, Same };
    ExpandingArray<D> numbers_ = 0;
    Kind kind_;
};

/// `padding` is numbers, kValid or kSame.
template <std::size_t D> struct ConvOptions {
    using padding_mode_t = detail::conv_padding_mode_t;
    using padding_t = ConvPadding<D>;
    ConvOptions(std::int64_t in_channels, std::int64_t out_channels, ExpandingArray<D> kernel_size)
        : in_channels_(in_channels), out_channels_(out_channels), kernel_size_(std::move(kernel_size)) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, in_channels);
    REEL_ARG(std::int64_t, out_channels);
    REEL_ARG(ExpandingArray<D>, kernel_size);
    REEL_ARG(ExpandingArray<D>, stride) = 1;
    REEL_ARG(padding_t, padding) = ExpandingArray<D>(0);

public:
    ConvOptions& padding(std::initializer_list<std::int64_t> values) {
        return padding(padding_t(ExpandingArray<D>(values)));
    }
    REEL_ARG(ExpandingArray<D>, dilation) = 1;
    REEL_ARG(std::int64_t, groups) = 1;
    REEL_ARG(bool, bias) = true;
    REEL_ARG(padding_mode_t, padding_mode) = enumtype::kZeros();
};
using Conv1dOptions = ConvOptions<1>;
using Conv2dOptions = ConvOptions<2>;
using Conv3dOptions = ConvOptions<3>;

/// Transposed convolutions take zeros as padding only.
template <std::size_t D> struct ConvTransposeOptions {
    using padding_mode_t = detail::conv_padding_mode_t;
    ConvTransposeOptions(std::int64_t in_channels, std::int64_t out_channels, ExpandingArray<D> kernel_size)
        : in_channels_(in_channels), out_channels_(out_channels), kernel_size_(std::move(kernel_size)) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, in_channels);
    REEL_ARG(std::int64_t, out_channels);
    REEL_ARG(ExpandingArray<D>, kernel_size);
    REEL_ARG(ExpandingArray<D>, stride) = 1;
    REEL_ARG(ExpandingArray<D>, padding) = 0;
    REEL_ARG(ExpandingArray<D>, output_padding) = 0;
    REEL_ARG(std::int64_t, groups) = 1;
    REEL_ARG(bool, bias) = true;
    REEL_ARG(ExpandingArray<D>, dilation) = 1;
    REEL_ARG(padding_mode_t, padding_mode) = enumtype::kZeros();
};
using ConvTranspose1dOptions = ConvTransposeOptions<1>;
using ConvTranspose2dOptions = ConvTransposeOptions<2>;
using ConvTranspose3dOptions = ConvTransposeOptions<3>;

/// What all convolutions share: weight [out, in / groups, kernel...] (transposed: [in, out / groups, ...])
/// Kaiming-uniform with slope sqrt(5), bias U(+-1 / sqrt(fan in)).
template <std::size_t D, class Derived, class Options> class ConvNdImpl : public Cloneable<Derived> {
public:
    ConvNdImpl(std::int64_t in_channels, std::int64_t out_channels, ExpandingArray<D> kernel_size)
        : ConvNdImpl(Options(in_channels, out_channels, std::move(kernel_size))) {}
    explicit ConvNdImpl(const Options& options);
    void reset() override;
    void reset_parameters();

    Options options;
    Tensor weight, bias;
};

/// Correlates the last `D` dimensions of [N, C, ...] or [C, ...] with learned kernels.
template <std::size_t D, class Derived> class ConvImpl : public ConvNdImpl<D, Derived, ConvOptions<D>> {
public:
    using ConvNdImpl<D, Derived, ConvOptions<D>>::ConvNdImpl;
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
};
/// The adjoint of a convolution. `output_size` (the last `D` sizes, or all) settles sizes that several inputs share.
template <std::size_t D, class Derived>
class ConvTransposeImpl : public ConvNdImpl<D, Derived, ConvTransposeOptions<D>> {
public:
    using ConvNdImpl<D, Derived, ConvTransposeOptions<D>>::ConvNdImpl;
    static constexpr const char* forward_arguments = "input, output_size";
    Tensor forward(const Tensor& input, const std::optional<std::vector<std::int64_t>>& output_size = std::nullopt);
};

REEL_MODULE_OF(Conv1d, ConvImpl<1, Conv1dImpl>);
REEL_MODULE_OF(Conv2d, ConvImpl<2, Conv2dImpl>);
REEL_MODULE_OF(Conv3d, ConvImpl<3, Conv3dImpl>);
REEL_MODULE_OF(ConvTranspose1d, ConvTransposeImpl<1, ConvTranspose1dImpl>);
REEL_MODULE_OF(ConvTranspose2d, ConvTransposeImpl<2, ConvTranspose2dImpl>);
REEL_MODULE_OF(ConvTranspose3d, ConvTransposeImpl<3, ConvTranspose3dImpl>);

} // namespace reel::nn
