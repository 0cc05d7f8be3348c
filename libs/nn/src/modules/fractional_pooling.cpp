// Maximum pooling over windows at random places.
#include <reel/autograd/ops/nn/fractional_max_pool.hpp>
#include <reel/nn/modules/fractional_pooling.hpp>

#include <reel/nn/factory.hpp>

#include "modules/pool_with_indices.hpp"
#include "modules/python_text.hpp"

namespace reel::nn {

template <std::size_t D> void FractionalMaxPoolOptions<D>::fields(OptionVisitor& v) {
    v.required("kernel_size", kernel_size_, Shown::never);
    v.hidden("output_size", output_size_);
    v.hidden("output_ratio", output_ratio_);
    v.argument("return_indices");
    v.hidden("_random_samples", _random_samples_);
}
template struct FractionalMaxPoolOptions<2>;
template struct FractionalMaxPoolOptions<3>;

namespace detail {

template <std::size_t D> void check(const FractionalMaxPoolOptions<D>& o) {
    REEL_CHECK_VALUE(o.output_size() || o.output_ratio(), "FractionalMaxPool", D,
                     "d: neither output_size nor output_ratio is set; expected one of them");
    REEL_CHECK_VALUE(!o.output_size() || !o.output_ratio(), "FractionalMaxPool", D,
                     "d: both output_size and output_ratio are set; expected one of them");
    if (!o.output_ratio()) return;
    for (const double r : **o.output_ratio())
        REEL_CHECK_VALUE(r > 0 && r < 1, "FractionalMaxPool", D, "d: output_ratio is ", text::number(r),
                         "; expected numbers between 0 and 1");
}
template <std::size_t D>
std::tuple<Tensor, Tensor> fractional_max_pool(const FractionalMaxPoolOptions<D>& o, const Tensor& input,
                                               const Tensor& random_samples) {
    const OptionalIntArrayRef size =
        o.output_size() ? OptionalIntArrayRef(IntArrayRef(*o.output_size())) : std::nullopt;
    const auto ratio = o.output_ratio() ? std::optional<ArrayRef<double>>(*o.output_ratio()) : std::nullopt;
    if constexpr (D == 2)
        return fractional_max_pool2d_with_indices(input, o.kernel_size(), size, ratio, true, random_samples);
    else return fractional_max_pool3d_with_indices(input, o.kernel_size(), size, ratio, true, random_samples);
}
template void check(const FractionalMaxPoolOptions<2>&);
template void check(const FractionalMaxPoolOptions<3>&);
template std::tuple<Tensor, Tensor> fractional_max_pool(const FractionalMaxPoolOptions<2>&, const Tensor&,
                                                        const Tensor&);
template std::tuple<Tensor, Tensor> fractional_max_pool(const FractionalMaxPoolOptions<3>&, const Tensor&,
                                                        const Tensor&);

} // namespace detail

void register_fractional_pooling() {
    register_layers_by<FractionalMaxPool2dImpl, FractionalMaxPool3dImpl>(detail::MakePool{});
}

} // namespace reel::nn
