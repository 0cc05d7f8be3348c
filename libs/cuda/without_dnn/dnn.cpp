// cuDNN where its headers were not there when the library was built: it takes nothing.
#include "dnn.hpp"

namespace reel::cuda::dnn {

bool is_available() { return false; }

bool conv(const ConvGeometry&, const Tensor&, const Tensor&, const Tensor&, const Tensor&) { return false; }
bool conv_transpose(const ConvGeometry&, const Tensor&, const Tensor&, const Tensor&, const Tensor&) { return false; }
bool conv_weight(const ConvGeometry&, const Tensor&, const Tensor&, const Tensor&) { return false; }
bool norm_backward(const char*, const NormGeometry&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                   const Tensor&, bool, const Tensor&, const Tensor&, const Tensor&) {
    return false;
}
bool layer_norm(const char*, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                std::int64_t, double) {
    return false;
}
bool layer_norm_backward(const char*, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                         std::int64_t, const Tensor&, const Tensor&, const Tensor&) {
    return false;
}
bool avg_pool(const PoolGeometry&, const Tensor&, const Tensor&) { return false; }
bool avg_pool_adjoint(const PoolGeometry&, const Tensor&, const Tensor&) { return false; }

} // namespace reel::cuda::dnn
