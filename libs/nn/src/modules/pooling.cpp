// Pooling layers.
#include <reel/autograd/ops/nn/avg_pool.hpp>
#include <reel/autograd/ops/nn/lp_pool.hpp>
#include <reel/autograd/ops/nn/max_pool.hpp>
#include <reel/autograd/ops/nn/max_unpool.hpp>
#include <reel/nn/modules/pooling.hpp>

#include <reel/nn/factory.hpp>

#include "modules/pool_with_indices.hpp"

namespace reel::nn {

template <std::size_t D> void MaxPoolOptions<D>::fields(OptionVisitor& v) {
    v.required("kernel_size", kernel_size_);
    v.following("stride", stride_, kernel_size_);
    v("padding", padding_);
    v("dilation", dilation_);
    v.argument("return_indices");
    v("ceil_mode", ceil_mode_);
}
template <std::size_t D> void AvgPoolOptions<D>::fields(OptionVisitor& v) {
    constexpr bool in_full = D == 1; // PyTorch prints (2,) here
    v.required("kernel_size", kernel_size_, in_full ? Shown::tuple : Shown::named);
    v.following("stride", stride_, kernel_size_, in_full ? Shown::tuple : Shown::named);
    v("padding", padding_, in_full ? Shown::tuple : Shown::named);
    v.hidden("ceil_mode", ceil_mode_);
    v.hidden("count_include_pad", count_include_pad_);
    if constexpr (D > 1) v.hidden("divisor_override", divisor_override_);
}
template <std::size_t D> void AdaptivePoolOptions<D>::fields(OptionVisitor& v) {
    v.required("output_size", output_size_);
    v.argument("return_indices");
}
template <std::size_t D> void LPPoolOptions<D>::fields(OptionVisitor& v) {
    v.required("norm_type", norm_type_);
    v.required("kernel_size", kernel_size_);
    v("stride", stride_);
    v("ceil_mode", ceil_mode_);
}
template <std::size_t D> void MaxUnpoolOptions<D>::fields(OptionVisitor& v) {
    v.required("kernel_size", kernel_size_, Shown::tuple);
    v.following("stride", stride_, kernel_size_, Shown::tuple);
    v("padding", padding_, Shown::tuple);
}
template struct MaxPoolOptions<1>;
template struct MaxPoolOptions<2>;
template struct MaxPoolOptions<3>;
template struct AvgPoolOptions<1>;
template struct AvgPoolOptions<2>;
template struct AvgPoolOptions<3>;
template struct AdaptivePoolOptions<1>;
template struct AdaptivePoolOptions<2>;
template struct AdaptivePoolOptions<3>;
template struct LPPoolOptions<1>;
template struct LPPoolOptions<2>;
template struct LPPoolOptions<3>;
template struct MaxUnpoolOptions<1>;
template struct MaxUnpoolOptions<2>;
template struct MaxUnpoolOptions<3>;

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

template <std::size_t D> Tensor lp_pool(const LPPoolOptions<D>& o, const Tensor& input) {
    const double p = double(o.norm_type());
    const OptionalIntArrayRef stride = o.stride() ? OptionalIntArrayRef(IntArrayRef(*o.stride())) : std::nullopt;
    if constexpr (D == 1) return reel::lp_pool1d(input, p, o.kernel_size(), stride, o.ceil_mode());
    else if constexpr (D == 2) return reel::lp_pool2d(input, p, o.kernel_size(), stride, o.ceil_mode());
    else return reel::lp_pool3d(input, p, o.kernel_size(), stride, o.ceil_mode());
}

template <std::size_t D>
Tensor max_unpool(const MaxUnpoolOptions<D>& o, const Tensor& input, const Tensor& indices,
                  const std::optional<std::vector<std::int64_t>>& output_size) {
    const OptionalIntArrayRef size = output_size ? OptionalIntArrayRef(*output_size) : OptionalIntArrayRef();
    const auto op = D == 1 ? &reel::max_unpool1d : D == 2 ? &reel::max_unpool2d : &reel::max_unpool3d;
    return op(input, indices, o.kernel_size(), IntArrayRef(o.stride()), o.padding(), size);
}

template Tensor max_unpool(const MaxUnpoolOptions<1>&, const Tensor&, const Tensor&,
                           const std::optional<std::vector<std::int64_t>>&);
template Tensor max_unpool(const MaxUnpoolOptions<2>&, const Tensor&, const Tensor&,
                           const std::optional<std::vector<std::int64_t>>&);
template Tensor max_unpool(const MaxUnpoolOptions<3>&, const Tensor&, const Tensor&,
                           const std::optional<std::vector<std::int64_t>>&);
template Tensor lp_pool(const LPPoolOptions<1>&, const Tensor&);
template Tensor lp_pool(const LPPoolOptions<2>&, const Tensor&);
template Tensor lp_pool(const LPPoolOptions<3>&, const Tensor&);
template std::tuple<Tensor, Tensor> max_pool(const MaxPoolOptions<1>&, const Tensor&);
template Tensor avg_pool(const AvgPoolOptions<1>&, const Tensor&);
template std::tuple<Tensor, Tensor> adaptive_max_pool(const AdaptivePoolOptions<1>&, const Tensor&);
template Tensor adaptive_avg_pool(const AdaptivePoolOptions<1>&, const Tensor&);
template std::tuple<Tensor, Tensor> max_pool(const MaxPoolOptions<2>&, const Tensor&);
template Tensor avg_pool(const AvgPoolOptions<2>&, const Tensor&);
template std::tuple<Tensor, Tensor> adaptive_max_pool(const AdaptivePoolOptions<2>&, const Tensor&);
template Tensor adaptive_avg_pool(const AdaptivePoolOptions<2>&, const Tensor&);
template std::tuple<Tensor, Tensor> max_pool(const MaxPoolOptions<3>&, const Tensor&);
template Tensor avg_pool(const AvgPoolOptions<3>&, const Tensor&);
template std::tuple<Tensor, Tensor> adaptive_max_pool(const AdaptivePoolOptions<3>&, const Tensor&);
template Tensor adaptive_avg_pool(const AdaptivePoolOptions<3>&, const Tensor&);

} // namespace detail

void register_pooling() {
    register_layers<AvgPool1dImpl, AvgPool2dImpl, AvgPool3dImpl, LPPool1dImpl, LPPool2dImpl, LPPool3dImpl,
                    MaxUnpool1dImpl, MaxUnpool2dImpl, MaxUnpool3dImpl>();
    register_layers_by<MaxPool1dImpl, MaxPool2dImpl, MaxPool3dImpl, AdaptiveMaxPool1dImpl, AdaptiveMaxPool2dImpl,
                       AdaptiveMaxPool3dImpl>(detail::MakePool{});
    // They share the options of the maximum, and take one of them.
    register_layers_by<AdaptiveAvgPool1dImpl, AdaptiveAvgPool2dImpl, AdaptiveAvgPool3dImpl>(
        []<class M>(const std::string& name, const Args& args, const Kwargs& kwargs) {
            const ConstructorArgs checked(name, {"output_size"}, args, kwargs);
            return make_layer<M>(args, kwargs);
        });
}

} // namespace reel::nn
