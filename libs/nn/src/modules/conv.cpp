// Convolution layers.
#include <reel/nn/modules/conv.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>

#include <reel/autograd/ops.hpp>
#include <reel/nn/init.hpp>

#include "modules/python_text.hpp"

namespace reel::nn {

namespace {

template <class Options> inline constexpr bool is_transposed = true;
template <std::size_t D> inline constexpr bool is_transposed<ConvOptions<D>> = false;
std::string mode_name(const detail::conv_padding_mode_t& mode) {
    std::string n = enumtype::get_enum_name(mode).substr(1);
    n[0] = char(std::tolower(n[0]));
    return n;
}
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
    weight = this->register_parameter("weight", reel::empty(shape));
    bias = this->register_parameter("bias", options.bias() ? reel::empty({out}) : Tensor(), options.bias());
    reset_parameters();
}
template <std::size_t D, class Derived, class Options> void ConvNdImpl<D, Derived, Options>::reset_parameters() {
    init::kaiming_uniform_(weight, std::sqrt(5.0));
    if (!bias.defined()) return;
    const std::int64_t fan_in = init::_calculate_fan_in_and_fan_out(weight).first;
    if (fan_in > 0) init::uniform_(bias, -1 / std::sqrt(double(fan_in)), 1 / std::sqrt(double(fan_in)));
}
template <std::size_t D, class Derived, class Options> std::string ConvNdImpl<D, Derived, Options>::extra_repr() const {
    const auto all = [](const ExpandingArray<D>& a, std::int64_t v) {
        return std::all_of(a->begin(), a->end(), [v](std::int64_t x) { return x == v; });
    };
    std::string s =
        str(options.in_channels(), ", ", options.out_channels(), ", kernel_size=", text::tuple(options.kernel_size()),
            ", stride=", text::tuple(options.stride()));
    if constexpr (is_transposed<Options>) {
        if (!all(options.padding(), 0)) s += ", padding=" + text::tuple(options.padding());
    } else {
        if (const auto* numbers = options.padding().numbers()) {
            if (!all(*numbers, 0)) s += ", padding=" + text::tuple(*numbers);
        } else s += options.padding() == kSame ? ", padding=same" : ", padding=valid";
    }
    if (!all(options.dilation(), 1)) s += ", dilation=" + text::tuple(options.dilation());
    if constexpr (is_transposed<Options>)
        if (!all(options.output_padding(), 0)) s += ", output_padding=" + text::tuple(options.output_padding());
    if (options.groups() != 1) s += ", groups=" + std::to_string(options.groups());
    if (!options.bias()) s += ", bias=False";
    if (!pads_zeros(options.padding_mode())) s += ", padding_mode=" + mode_name(options.padding_mode());
    return s;
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
        return convolve(reel::pad(input, amounts, mode_name(o.padding_mode())), 0);
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

namespace {

template <class M, std::size_t D> ModulePtr make_conv(const char* name, const Args& args, const Kwargs& kwargs) {
    const ConstructorArgs a(name,
                            {"in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "groups",
                             "bias", "padding_mode", "device", "dtype"},
                            args, kwargs);
    ConvOptions<D> o(a.get<std::int64_t>("in_channels"), a.get<std::int64_t>("out_channels"),
                     text::expanding<D>(a, "kernel_size"));
    o.stride(text::expanding<D>(a, "stride", 1))
        .dilation(text::expanding<D>(a, "dilation", 1))
        .groups(a.get<std::int64_t>("groups", 1))
        .bias(a.get<bool>("bias", true));
    if (a.has("padding") && a.at("padding").isString()) {
        const std::string& p = a.at("padding").toStringRef();
        REEL_CHECK_VALUE(p == "same" || p == "valid", name, ": padding is '", p,
                         "'; expected numbers, 'same' or 'valid'");
        if (p == "same") o.padding(enumtype::kSame());
        else o.padding(enumtype::kValid());
    } else o.padding(text::expanding<D>(a, "padding", 0));
    const std::string mode = a.get<std::string>("padding_mode", "zeros");
    if (mode == "reflect") o.padding_mode(enumtype::kReflect());
    else if (mode == "replicate") o.padding_mode(enumtype::kReplicate());
    else if (mode == "circular") o.padding_mode(enumtype::kCircular());
    else
        REEL_CHECK_VALUE(mode == "zeros", name, ": padding_mode is '", mode,
                         "'; expected 'zeros', 'reflect', 'replicate' or 'circular'");
    return text::built<M>(a, o);
}
/// Called by values, `output_size` may be left out.
template <class M> class ByValues final : public M {
public:
    using M::M;
    std::string repr_name() const override { return name_; }
    ModulePtr clone(std::optional<Device> device, bool keep_hooks) const override {
        const PrivateGenerator draws;
        auto copy = std::make_shared<ByValues>(this->options);
        copy->name_ = name_;
        copy->copy_from(*this, device, keep_hooks);
        return copy;
    }
    Value forward_values(const Args& args, const Kwargs& kwargs) override {
        const ConstructorArgs a("forward", {"input", "output_size"}, args, kwargs);
        std::optional<std::vector<std::int64_t>> size;
        if (a.has("output_size")) size = a.at("output_size").toIntVector();
        return Value(this->forward(a.at("input").toTensor(), size));
    }
    std::string name_;
};
template <class M, std::size_t D>
ModulePtr make_conv_transpose(const char* name, const Args& args, const Kwargs& kwargs) {
    const ConstructorArgs a(name,
                            {"in_channels", "out_channels", "kernel_size", "stride", "padding", "output_padding",
                             "groups", "bias", "dilation", "padding_mode", "device", "dtype"},
                            args, kwargs);
    REEL_CHECK_VALUE(a.get<std::string>("padding_mode", "zeros") == "zeros", name,
                     ": padding_mode must be 'zeros' for transposed convolutions");
    ConvTransposeOptions<D> o(a.get<std::int64_t>("in_channels"), a.get<std::int64_t>("out_channels"),
                              text::expanding<D>(a, "kernel_size"));
    o.stride(text::expanding<D>(a, "stride", 1))
        .padding(text::expanding<D>(a, "padding", 0))
        .output_padding(text::expanding<D>(a, "output_padding", 0));
    o.groups(a.get<std::int64_t>("groups", 1))
        .bias(a.get<bool>("bias", true))
        .dilation(text::expanding<D>(a, "dilation", 1));
    auto m = text::built<ByValues<M>>(a, o);
    m->name_ = name;
    return m;
}
[[maybe_unused]] const bool registered[] = {
    register_module_class("Conv1d",
                          [](const Args& a, const Kwargs& k) { return make_conv<Conv1dImpl, 1>("Conv1d", a, k); }),
    register_module_class("Conv2d",
                          [](const Args& a, const Kwargs& k) { return make_conv<Conv2dImpl, 2>("Conv2d", a, k); }),
    register_module_class("Conv3d",
                          [](const Args& a, const Kwargs& k) { return make_conv<Conv3dImpl, 3>("Conv3d", a, k); }),
    register_module_class("ConvTranspose1d",
                          [](const Args& a, const Kwargs& k) {
                              return make_conv_transpose<ConvTranspose1dImpl, 1>("ConvTranspose1d", a, k);
                          }),
    register_module_class("ConvTranspose2d",
                          [](const Args& a, const Kwargs& k) {
                              return make_conv_transpose<ConvTranspose2dImpl, 2>("ConvTranspose2d", a, k);
                          }),
    register_module_class("ConvTranspose3d",
                          [](const Args& a, const Kwargs& k) {
                              return make_conv_transpose<ConvTranspose3dImpl, 3>("ConvTranspose3d", a, k);
                          }),
};

} // namespace

} // namespace reel::nn
