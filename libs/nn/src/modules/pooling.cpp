// Pooling layers.
#include <reel/nn/modules/pooling.hpp>

#include <reel/autograd/ops.hpp>

#include "modules/bound_arguments.hpp"
#include "modules/python_text.hpp"

namespace reel::nn {

namespace detail {

namespace {
template <class S> std::vector<std::int64_t> sizes_of(const S& output_size) {
    std::vector<std::int64_t> r;
    for (std::size_t i = 0; i < output_size.size(); ++i) {
        if constexpr (std::is_same_v<std::decay_t<decltype(output_size[i])>, std::int64_t>) r.push_back(output_size[i]);
        else r.push_back(output_size[i].value_or(reel::detail::no_size));
    }
    return r;
}
} // namespace

template <std::size_t D> std::tuple<Tensor, Tensor> max_pool(const MaxPoolOptions<D>& o, const Tensor& input) {
    if constexpr (D == 1)
        return reel::max_pool1d_with_indices(input, o.kernel_size(), IntArrayRef(o.stride()), o.padding(), o.dilation(),
                                             o.ceil_mode());
    else if constexpr (D == 2)
        return reel::max_pool2d_with_indices(input, o.kernel_size(), IntArrayRef(o.stride()), o.padding(), o.dilation(),
                                             o.ceil_mode());
    else
        return reel::max_pool3d_with_indices(input, o.kernel_size(), IntArrayRef(o.stride()), o.padding(), o.dilation(),
                                             o.ceil_mode());
}
template <std::size_t D> std::string describe(const MaxPoolOptions<D>& o) {
    return str("kernel_size=", text::as_given(o.kernel_size()), ", stride=", text::as_given(o.stride()),
               ", padding=", text::as_given(o.padding()), ", dilation=", text::as_given(o.dilation()),
               ", ceil_mode=", text::boolean(o.ceil_mode()));
}
template <std::size_t D> Tensor avg_pool(const AvgPoolOptions<D>& o, const Tensor& input) {
    if constexpr (D == 1)
        return reel::avg_pool1d(input, o.kernel_size(), IntArrayRef(o.stride()), o.padding(), o.ceil_mode(),
                                o.count_include_pad());
    else if constexpr (D == 2)
        return reel::avg_pool2d(input, o.kernel_size(), IntArrayRef(o.stride()), o.padding(), o.ceil_mode(),
                                o.count_include_pad(), o.divisor_override());
    else
        return reel::avg_pool3d(input, o.kernel_size(), IntArrayRef(o.stride()), o.padding(), o.ceil_mode(),
                                o.count_include_pad(), o.divisor_override());
}
template <std::size_t D> std::string describe(const AvgPoolOptions<D>& o) {
    const auto text = [](const ExpandingArray<D>& a) { return D == 1 ? text::tuple(a) : text::as_given(a); };
    return str("kernel_size=", text(o.kernel_size()), ", stride=", text(o.stride()), ", padding=", text(o.padding()));
}
template <std::size_t D>
std::tuple<Tensor, Tensor> adaptive_max_pool(const AdaptivePoolOptions<D>& o, const Tensor& input) {
    if constexpr (D == 1) return reel::adaptive_max_pool1d(input, sizes_of(o.output_size()));
    else if constexpr (D == 2) return reel::adaptive_max_pool2d(input, sizes_of(o.output_size()));
    else return reel::adaptive_max_pool3d(input, sizes_of(o.output_size()));
}
template <std::size_t D> Tensor adaptive_avg_pool(const AdaptivePoolOptions<D>& o, const Tensor& input) {
    if constexpr (D == 1) return reel::adaptive_avg_pool1d(input, sizes_of(o.output_size()));
    else if constexpr (D == 2) return reel::adaptive_avg_pool2d(input, sizes_of(o.output_size()));
    else return reel::adaptive_avg_pool3d(input, sizes_of(o.output_size()));
}
template <std::size_t D> std::string describe(const AdaptivePoolOptions<D>& o) {
    return "output_size=" + text::as_given(o.output_size());
}

template <std::size_t D> Tensor lp_pool(const LPPoolOptions<D>& o, const Tensor& input) {
    const double p = double(o.norm_type());
    const OptionalIntArrayRef stride = o.stride() ? OptionalIntArrayRef(IntArrayRef(*o.stride())) : std::nullopt;
    if constexpr (D == 1) return reel::lp_pool1d(input, p, o.kernel_size(), stride, o.ceil_mode());
    else if constexpr (D == 2) return reel::lp_pool2d(input, p, o.kernel_size(), stride, o.ceil_mode());
    else return reel::lp_pool3d(input, p, o.kernel_size(), stride, o.ceil_mode());
}
template <std::size_t D> std::string describe(const LPPoolOptions<D>& o) {
    return str("norm_type=", text::number(o.norm_type()), ", kernel_size=", text::as_given(o.kernel_size()),
               ", stride=", o.stride() ? text::as_given(*o.stride()) : "None",
               ", ceil_mode=", text::boolean(o.ceil_mode()));
}

template <std::size_t D>
Tensor max_unpool(const MaxUnpoolOptions<D>& o, const Tensor& input, const Tensor& indices,
                  const std::optional<std::vector<std::int64_t>>& output_size) {
    const OptionalIntArrayRef size = output_size ? OptionalIntArrayRef(*output_size) : OptionalIntArrayRef();
    const auto op = D == 1 ? &reel::max_unpool1d : D == 2 ? &reel::max_unpool2d : &reel::max_unpool3d;
    return op(input, indices, o.kernel_size(), IntArrayRef(o.stride()), o.padding(), size);
}
template <std::size_t D> std::string describe(const MaxUnpoolOptions<D>& o) {
    return str("kernel_size=", text::tuple(o.kernel_size()), ", stride=", text::tuple(o.stride()),
               ", padding=", text::tuple(o.padding()));
}

template Tensor max_unpool(const MaxUnpoolOptions<1>&, const Tensor&, const Tensor&,
                           const std::optional<std::vector<std::int64_t>>&);
template Tensor max_unpool(const MaxUnpoolOptions<2>&, const Tensor&, const Tensor&,
                           const std::optional<std::vector<std::int64_t>>&);
template Tensor max_unpool(const MaxUnpoolOptions<3>&, const Tensor&, const Tensor&,
                           const std::optional<std::vector<std::int64_t>>&);
template std::string describe(const MaxUnpoolOptions<1>&);
template std::string describe(const MaxUnpoolOptions<2>&);
template std::string describe(const MaxUnpoolOptions<3>&);
template Tensor lp_pool(const LPPoolOptions<1>&, const Tensor&);
template Tensor lp_pool(const LPPoolOptions<2>&, const Tensor&);
template Tensor lp_pool(const LPPoolOptions<3>&, const Tensor&);
template std::string describe(const LPPoolOptions<1>&);
template std::string describe(const LPPoolOptions<2>&);
template std::string describe(const LPPoolOptions<3>&);
template std::tuple<Tensor, Tensor> max_pool(const MaxPoolOptions<1>&, const Tensor&);
template std::string describe(const MaxPoolOptions<1>&);
template Tensor avg_pool(const AvgPoolOptions<1>&, const Tensor&);
template std::string describe(const AvgPoolOptions<1>&);
template std::tuple<Tensor, Tensor> adaptive_max_pool(const AdaptivePoolOptions<1>&, const Tensor&);
template Tensor adaptive_avg_pool(const AdaptivePoolOptions<1>&, const Tensor&);
template std::string describe(const AdaptivePoolOptions<1>&);
template std::tuple<Tensor, Tensor> max_pool(const MaxPoolOptions<2>&, const Tensor&);
template std::string describe(const MaxPoolOptions<2>&);
template Tensor avg_pool(const AvgPoolOptions<2>&, const Tensor&);
template std::string describe(const AvgPoolOptions<2>&);
template std::tuple<Tensor, Tensor> adaptive_max_pool(const AdaptivePoolOptions<2>&, const Tensor&);
template Tensor adaptive_avg_pool(const AdaptivePoolOptions<2>&, const Tensor&);
template std::string describe(const AdaptivePoolOptions<2>&);
template std::tuple<Tensor, Tensor> max_pool(const MaxPoolOptions<3>&, const Tensor&);
template std::string describe(const MaxPoolOptions<3>&);
template Tensor avg_pool(const AvgPoolOptions<3>&, const Tensor&);
template std::string describe(const AvgPoolOptions<3>&);
template std::tuple<Tensor, Tensor> adaptive_max_pool(const AdaptivePoolOptions<3>&, const Tensor&);
template Tensor adaptive_avg_pool(const AdaptivePoolOptions<3>&, const Tensor&);
template std::string describe(const AdaptivePoolOptions<3>&);

} // namespace detail

namespace {

/// With `return_indices` a call gives values and places.
template <class M> class WithIndices final : public M {
public:
    using M::M;
    std::string repr_name() const override { return name_; }
    ModulePtr clone(std::optional<Device> device, bool keep_hooks) const override {
        auto copy = std::make_shared<WithIndices>(this->options);
        copy->name_ = name_;
        copy->copy_from(*this, device, keep_hooks);
        return copy;
    }
    Value forward_values(const Args& args, const Kwargs& kwargs) override {
        const nn::detail::BoundArguments<M, 1, 1> a(*this, args, kwargs);
        return Value(this->forward_with_indices(a.template get<Tensor>(0)));
    }
    std::string name_;
};
template <class M, class Options> ModulePtr pool(const char* name, const Options& o, bool return_indices) {
    if (!return_indices) return std::make_shared<M>(o);
    auto m = std::make_shared<WithIndices<M>>(o);
    m->name_ = name;
    return m;
}
template <class M, std::size_t D> ModulePtr make_max(const char* name, const Args& args, const Kwargs& kwargs) {
    const ConstructorArgs a(name, {"kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"}, args,
                            kwargs);
    MaxPoolOptions<D> o(text::expanding<D>(a, "kernel_size"));
    if (a.has("stride")) o.stride(text::expanding<D>(a, "stride"));
    o.padding(text::expanding<D>(a, "padding", 0))
        .dilation(text::expanding<D>(a, "dilation", 1))
        .ceil_mode(a.get<bool>("ceil_mode", false));
    return pool<M>(name, o, a.get<bool>("return_indices", false));
}
template <class M, std::size_t D> ModulePtr make_avg(const char* name, const Args& args, const Kwargs& kwargs) {
    const auto a =
        D == 1 ? ConstructorArgs(name, {"kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"}, args,
                                 kwargs)
               : ConstructorArgs(
                     name, {"kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"},
                     args, kwargs);
    AvgPoolOptions<D> o(text::expanding<D>(a, "kernel_size"));
    if (a.has("stride")) o.stride(text::expanding<D>(a, "stride"));
    o.padding(text::expanding<D>(a, "padding", 0))
        .ceil_mode(a.get<bool>("ceil_mode", false))
        .count_include_pad(a.get<bool>("count_include_pad", true));
    if (a.has("divisor_override")) o.divisor_override(a.get<std::int64_t>("divisor_override"));
    return std::make_shared<M>(o);
}
template <std::size_t D> AdaptivePoolOptions<D> adaptive_options(const ConstructorArgs& a) {
    if constexpr (D == 1) return text::expanding<1>(a, "output_size");
    else return text::optional_expanding<D>(a, "output_size");
}
template <class M, std::size_t D>
ModulePtr make_adaptive_max(const char* name, const Args& args, const Kwargs& kwargs) {
    const ConstructorArgs a(name, {"output_size", "return_indices"}, args, kwargs);
    return pool<M>(name, adaptive_options<D>(a), a.get<bool>("return_indices", false));
}
template <class M, std::size_t D>
ModulePtr make_adaptive_avg(const char* name, const Args& args, const Kwargs& kwargs) {
    return std::make_shared<M>(adaptive_options<D>(ConstructorArgs(name, {"output_size"}, args, kwargs)));
}

template <class M, std::size_t D> ModulePtr make_lp(const char* name, const Args& args, const Kwargs& kwargs) {
    const ConstructorArgs a(name, {"norm_type", "kernel_size", "stride", "ceil_mode"}, args, kwargs);
    a.at("norm_type");
    LPPoolOptions<D> o(text::number(a, "norm_type", 2), text::expanding<D>(a, "kernel_size"));
    if (a.has("stride")) o.stride(text::expanding<D>(a, "stride"));
    return std::make_shared<M>(o.ceil_mode(a.get<bool>("ceil_mode", false)));
}

template <class M, std::size_t D> ModulePtr make_unpool(const char* name, const Args& args, const Kwargs& kwargs) {
    const ConstructorArgs a(name, {"kernel_size", "stride", "padding"}, args, kwargs);
    MaxUnpoolOptions<D> o(text::expanding<D>(a, "kernel_size"));
    if (a.has("stride")) o.stride(text::expanding<D>(a, "stride"));
    return std::make_shared<M>(o.padding(text::expanding<D>(a, "padding", 0)));
}

[[maybe_unused]] const bool registered[] = {
    register_module_class(
        "MaxUnpool1d",
        [](const Args& a, const Kwargs& k) { return make_unpool<MaxUnpool1dImpl, 1>("MaxUnpool1d", a, k); }),
    register_module_class(
        "MaxUnpool2d",
        [](const Args& a, const Kwargs& k) { return make_unpool<MaxUnpool2dImpl, 2>("MaxUnpool2d", a, k); }),
    register_module_class(
        "MaxUnpool3d",
        [](const Args& a, const Kwargs& k) { return make_unpool<MaxUnpool3dImpl, 3>("MaxUnpool3d", a, k); }),
    register_module_class("LPPool1d",
                          [](const Args& a, const Kwargs& k) { return make_lp<LPPool1dImpl, 1>("LPPool1d", a, k); }),
    register_module_class("LPPool2d",
                          [](const Args& a, const Kwargs& k) { return make_lp<LPPool2dImpl, 2>("LPPool2d", a, k); }),
    register_module_class("LPPool3d",
                          [](const Args& a, const Kwargs& k) { return make_lp<LPPool3dImpl, 3>("LPPool3d", a, k); }),
    register_module_class("MaxPool1d",
                          [](const Args& a, const Kwargs& k) { return make_max<MaxPool1dImpl, 1>("MaxPool1d", a, k); }),
    register_module_class("MaxPool2d",
                          [](const Args& a, const Kwargs& k) { return make_max<MaxPool2dImpl, 2>("MaxPool2d", a, k); }),
    register_module_class("MaxPool3d",
                          [](const Args& a, const Kwargs& k) { return make_max<MaxPool3dImpl, 3>("MaxPool3d", a, k); }),
    register_module_class("AvgPool1d",
                          [](const Args& a, const Kwargs& k) { return make_avg<AvgPool1dImpl, 1>("AvgPool1d", a, k); }),
    register_module_class("AvgPool2d",
                          [](const Args& a, const Kwargs& k) { return make_avg<AvgPool2dImpl, 2>("AvgPool2d", a, k); }),
    register_module_class("AvgPool3d",
                          [](const Args& a, const Kwargs& k) { return make_avg<AvgPool3dImpl, 3>("AvgPool3d", a, k); }),
    register_module_class("AdaptiveMaxPool1d",
                          [](const Args& a, const Kwargs& k) {
                              return make_adaptive_max<AdaptiveMaxPool1dImpl, 1>("AdaptiveMaxPool1d", a, k);
                          }),
    register_module_class("AdaptiveMaxPool2d",
                          [](const Args& a, const Kwargs& k) {
                              return make_adaptive_max<AdaptiveMaxPool2dImpl, 2>("AdaptiveMaxPool2d", a, k);
                          }),
    register_module_class("AdaptiveMaxPool3d",
                          [](const Args& a, const Kwargs& k) {
                              return make_adaptive_max<AdaptiveMaxPool3dImpl, 3>("AdaptiveMaxPool3d", a, k);
                          }),
    register_module_class("AdaptiveAvgPool1d",
                          [](const Args& a, const Kwargs& k) {
                              return make_adaptive_avg<AdaptiveAvgPool1dImpl, 1>("AdaptiveAvgPool1d", a, k);
                          }),
    register_module_class("AdaptiveAvgPool2d",
                          [](const Args& a, const Kwargs& k) {
                              return make_adaptive_avg<AdaptiveAvgPool2dImpl, 2>("AdaptiveAvgPool2d", a, k);
                          }),
    register_module_class("AdaptiveAvgPool3d",
                          [](const Args& a, const Kwargs& k) {
                              return make_adaptive_avg<AdaptiveAvgPool3dImpl, 3>("AdaptiveAvgPool3d", a, k);
                          }),
};

} // namespace

} // namespace reel::nn
