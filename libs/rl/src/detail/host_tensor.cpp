// Tensors of the host that are written element by element.
#include "detail/host_tensor.hpp"

#include <reel/autograd/ops/factory/empty.hpp>

namespace reel::rl::detail {

template <class T> HostTensor<T> host_tensor(IntArrayRef sizes) {
    const Tensor t = reel::empty(sizes, TensorOptions(CppTypeToScalarType<T>::value));
    return {t, t.mutable_data_ptr<T>()};
}
template HostTensor<bool> host_tensor(IntArrayRef sizes);
template HostTensor<std::uint8_t> host_tensor(IntArrayRef sizes);
template HostTensor<std::int64_t> host_tensor(IntArrayRef sizes);
template HostTensor<float> host_tensor(IntArrayRef sizes);
template HostTensor<double> host_tensor(IntArrayRef sizes);

} // namespace reel::rl::detail
