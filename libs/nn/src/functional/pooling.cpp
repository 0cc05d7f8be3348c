// Functional forms of the adaptive maximum pools and of what undoes a maximum pool: the layers' own functions.
#include <reel/nn/functional/pooling.hpp>

namespace reel::nn::functional {

namespace {
template <std::size_t D> Tensor unpooled(const Tensor& x, const Tensor& indices, const MaxUnpoolFuncOptions<D>& o) {
    return nn::detail::max_unpool(MaxUnpoolOptions<D>(o.kernel_size()).stride(o.stride()).padding(o.padding()), x,
                                  indices, o.output_size());
}
} // namespace

std::tuple<Tensor, Tensor> adaptive_max_pool1d_with_indices(const Tensor& x, const AdaptiveMaxPool1dFuncOptions& o) {
    return nn::detail::adaptive_max_pool(o, x);
}
std::tuple<Tensor, Tensor> adaptive_max_pool2d_with_indices(const Tensor& x, const AdaptiveMaxPool2dFuncOptions& o) {
    return nn::detail::adaptive_max_pool(o, x);
}
std::tuple<Tensor, Tensor> adaptive_max_pool3d_with_indices(const Tensor& x, const AdaptiveMaxPool3dFuncOptions& o) {
    return nn::detail::adaptive_max_pool(o, x);
}
Tensor adaptive_max_pool1d(const Tensor& x, const AdaptiveMaxPool1dFuncOptions& o) {
    return std::get<0>(adaptive_max_pool1d_with_indices(x, o));
}
Tensor adaptive_max_pool2d(const Tensor& x, const AdaptiveMaxPool2dFuncOptions& o) {
    return std::get<0>(adaptive_max_pool2d_with_indices(x, o));
}
Tensor adaptive_max_pool3d(const Tensor& x, const AdaptiveMaxPool3dFuncOptions& o) {
    return std::get<0>(adaptive_max_pool3d_with_indices(x, o));
}
Tensor max_unpool1d(const Tensor& x, const Tensor& indices, const MaxUnpool1dFuncOptions& o) {
    return unpooled(x, indices, o);
}
Tensor max_unpool2d(const Tensor& x, const Tensor& indices, const MaxUnpool2dFuncOptions& o) {
    return unpooled(x, indices, o);
}
Tensor max_unpool3d(const Tensor& x, const Tensor& indices, const MaxUnpool3dFuncOptions& o) {
    return unpooled(x, indices, o);
}

} // namespace reel::nn::functional
