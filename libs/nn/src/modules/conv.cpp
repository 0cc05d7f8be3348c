// Convolution layers.
#include <reel/autograd/ops/nn/conv.hpp>
#include <reel/autograd/ops/shape/pad.hpp>
#include <reel/nn/modules/conv.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>

#include <reel/nn/factory.hpp>
#include <reel/nn/init.hpp>

#include "modules/parameter_memory.hpp"

namespace reel::nn {

/// Numbers, 'same' or 'valid'.
template <std::size_t D> struct OptionCodec<ConvPadding<D>> {
    using Numbers = OptionCodec<ExpandingArray<D>>;
    static void read(ConvPadding<D>& option, const Value& v) {
        if (!v.isString()) {
            ExpandingArray<D> numbers = 0;
            Numbers::read(numbers, v);
            option = numbers;
            return;
        }
        const std::string& name = v.toStringRef();
        REEL_CHECK_VALUE(name == "same" || name == "valid", "is '", name, "'; expected numbers, 'same' or 'valid'");
        if (name == "same") option = enumtype::kSame();
        else option = enumtype::kValid();
    }
    static std::string text(const ConvPadding<D>& option) {
        if (const auto* numbers = option.numbers()) return Numbers::tuple(*numbers);
        return option == kSame ? "same" : "valid";
    }
    static std::string cpp_text(const ConvPadding<D>& option) {
        if (const auto* numbers = option.numbers()) return Numbers::cpp_text(*numbers);
        return option == kSame ? "'same'" : "'valid'";
    }
};

template <std::size_t D> void ConvOptions<D>::fields(OptionVisitor& v) {
    v.required("in_channels", in_channels_, Shown::value);
    v.required("out_channels", out_channels_, Shown::value);
    v.required("kernel_size", kernel_size_, Shown::tuple);
    v("stride", stride_, Shown::tuple);
    v("padding", padding_, Shown::unless_default);
    v("dilation", dilation_, Shown::tuple | Shown::unless_default);
    v("groups", groups_, Shown::unless_default);
    v("bias", bias_, Shown::unless_default);
    v("padding_mode", padding_mode_, Shown::bare | Shown::unless_default);
    v.device_and_dtype();
}
/// Printed in another order than the constructor's.
template <std::size_t D> void ConvTransposeOptions<D>::fields(OptionVisitor& v) {
    v.required("in_channels", in_channels_, Shown::value);
    v.required("out_channels", out_channels_, Shown::value);
    v.required("kernel_size", kernel_size_, Shown::tuple);
    v("stride", stride_, Shown::tuple);
    v("padding", padding_, Shown::tuple | Shown::unless_default);
    v.printed("dilation", dilation_, Shown::tuple | Shown::unless_default);
    v("output_padding", output_padding_, Shown::tuple | Shown::unless_default);
    v("groups", groups_, Shown::unless_default);
    v("bias", bias_, Shown::unless_default);
    v.hidden("dilation", dilation_);
    v("padding_mode", padding_mode_, Shown::bare | Shown::unless_default);
    v.device_and_dtype();
}
template struct ConvOptions<1>;
template struct ConvOptions<2>;
template struct ConvOptions<3>;
template struct ConvTransposeOptions<1>;
template struct ConvTransposeOptions<2>;
template struct ConvTransposeOptions<3>;

namespace {

template <class Options> inline constexpr bool is_transposed = true;
template <std::size_t D> inline constexpr bool is_transposed<ConvOptions<D>> = false;
bool pads_zeros(const detail::conv_padding_mode_t& mode) { return mode == kZeros; }

} // namespace

template <std::size_t D, class Derived, class Options>
ConvNdImpl<D, Derived, Options>::ConvNdImpl(const Options& o) : options(o) {
    ConvNdImpl::reset();
}
template <std::size_t D, class Derived, class Options> void ConvNdImpl<D, Derived, Options>::reset() {
    const std::int64_t in = options.in_channels(), out = options.out_channels(), groups = options.groups();
    const std::string name = str(is_transposed<Options> ? "ConvTranspose" : "Conv", D, "d");
    REEL_CHECK_VALUE(in > 0 && out > 0 && groups > 0, name, ": in_channels ", in, ", out_channels ", out,
                     " and groups ", groups, " must be positive");
    REEL_CHECK_VALUE(in % groups == 0, name, ": in_channels ", in, " must be divisible by groups ", groups);
    REEL_CHECK_VALUE(out % groups == 0, name, ": out_channels ", out, " must be divisible by groups ", groups);
    if constexpr (is_transposed<Options>)
        REEL_CHECK_VALUE(pads_zeros(options.padding_mode()), name,
                         ": padding_mode must be zeros for transposed convolutions");
    else if (options.padding() == kSame)
        for (const std::int64_t s : *options.stride())
            REEL_CHECK_VALUE(s == 1, name, ": padding 'same' needs stride 1, got ", options.stride());
    std::vector<std::int64_t> shape =
        is_transposed<Options> ? std::vector{in, out / groups} : std::vector{out, in / groups};
    shape.insert(shape.end(), options.kernel_size()->begin(), options.kernel_size()->end());
    weight = this->register_parameter("weight", detail::parameter_memory(shape));
    bias = this->register_parameter("bias", detail::parameter_memory({out}, options.bias()), options.bias());
    reset_parameters();
}
template <std::size_t D, class Derived, class Options> void ConvNdImpl<D, Derived, Options>::reset_parameters() {
    init::kaiming_uniform_(weight, std::sqrt(5.0));
    if (!bias.defined()) return;
    const std::int64_t fan_in = init::_calculate_fan_in_and_fan_out(weight).first;
    if (fan_in > 0) init::uniform_(bias, -1 / std::sqrt(double(fan_in)), 1 / std::sqrt(double(fan_in)));
}

template <std::size_t D, class Derived> Tensor ConvImpl<D, Derived>::forward(const Tensor& input) {
    const auto& o = this->options;
    const Tensor &w = this->weight, &b = this->bias;
    const auto convolve = [&](const Tensor& x, IntArrayRef padding) {
        if constexpr (D == 1) return reel::conv1d(x, w, b, o.stride(), padding, o.dilation(), o.groups());
        else if constexpr (D == 2) return reel::conv2d(x, w, b, o.stride(), padding, o.dilation(), o.groups());
        else return reel::conv3d(x, w, b, o.stride(), padding, o.dilation(), o.groups());
    };
    const auto* numbers = o.padding().numbers();
    const bool same = o.padding() == kSame;
    if (!pads_zeros(o.padding_mode())) {
        // Pad by the mode first; the last dimension's amounts come first.
        std::vector<std::int64_t> amounts;
        for (std::size_t d = D; d-- > 0;) {
            const std::int64_t total = same ? o.dilation()[d] * (o.kernel_size()[d] - 1) : 0, left = same ? total / 2
                                                                                                     : numbers
                                                                                                         ? (*numbers)[d]
                                                                                                         : 0;
            amounts.push_back(left);
            amounts.push_back(same ? total - left : left);
        }
        return convolve(reel::pad(input, amounts, detail::choice_text(o.padding_mode().name())), 0);
    }
    if (!same) return convolve(input, numbers ? IntArrayRef(*numbers) : IntArrayRef(0));
    if constexpr (D == 1) return reel::conv1d_padded(input, w, b, o.stride(), "same", o.dilation(), o.groups());
    else if constexpr (D == 2) return reel::conv2d_padded(input, w, b, o.stride(), "same", o.dilation(), o.groups());
    else return reel::conv3d_padded(input, w, b, o.stride(), "same", o.dilation(), o.groups());
}

template <std::size_t D, class Derived>
Tensor ConvTransposeImpl<D, Derived>::forward(const Tensor& input,
                                              const std::optional<std::vector<std::int64_t>>& output_size) {
    const auto& o = this->options;
    ExpandingArray<D> extra = o.output_padding();
    if (output_size) {
        const std::string name = str("ConvTranspose", D, "d");
        REEL_CHECK_VALUE(output_size->size() == D || std::int64_t(output_size->size()) == input.dim(), name,
                         ": output_size ", IntArrayRef(*output_size), " must have ", D, " or ", input.dim(),
                         " entries");
        for (std::size_t d = 0; d < D; ++d) {
            const std::int64_t least = (input.size(std::int64_t(d) - std::int64_t(D)) - 1) * o.stride()[d] -
                                       2 * o.padding()[d] + o.dilation()[d] * (o.kernel_size()[d] - 1) + 1;
            const std::int64_t wanted = (*output_size)[output_size->size() - D + d];
            REEL_CHECK_VALUE(wanted >= least && wanted < least + o.stride()[d], name, ": output_size ", wanted,
                             " in dimension ", d, " is not between ", least, " and ", least + o.stride()[d] - 1,
                             " for input ", input.sizes());
            (*extra)[d] = wanted - least;
        }
    }
    const Tensor &w = this->weight, &b = this->bias;
    if constexpr (D == 1)
        return reel::conv_transpose1d(input, w, b, o.stride(), o.padding(), extra, o.groups(), o.dilation());
    else if constexpr (D == 2)
        return reel::conv_transpose2d(input, w, b, o.stride(), o.padding(), extra, o.groups(), o.dilation());
    else return reel::conv_transpose3d(input, w, b, o.stride(), o.padding(), extra, o.groups(), o.dilation());
}

template class ConvNdImpl<1, Conv1dImpl, ConvOptions<1>>;
template class ConvNdImpl<2, Conv2dImpl, ConvOptions<2>>;
template class ConvNdImpl<3, Conv3dImpl, ConvOptions<3>>;
template class ConvNdImpl<1, ConvTranspose1dImpl, ConvTransposeOptions<1>>;
template class ConvNdImpl<2, ConvTranspose2dImpl, ConvTransposeOptions<2>>;
template class ConvNdImpl<3, ConvTranspose3dImpl, ConvTransposeOptions<3>>;
template class ConvImpl<1, Conv1dImpl>;
template class ConvImpl<2, Conv2dImpl>;
template class ConvImpl<3, Conv3dImpl>;
template class ConvTransposeImpl<1, ConvTranspose1dImpl>;
template class ConvTransposeImpl<2, ConvTranspose2dImpl>;
template class ConvTransposeImpl<3, ConvTranspose3dImpl>;

void register_conv() {
    register_layers<Conv1dImpl, Conv2dImpl, Conv3dImpl, ConvTranspose1dImpl, ConvTranspose2dImpl,
                    ConvTranspose3dImpl>();
}

} // namespace reel::nn
