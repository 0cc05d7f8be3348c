// Padding layers.
#include <reel/autograd/ops/shape/pad.hpp>
#include <reel/nn/modules/padding.hpp>

#include <reel/nn/factory.hpp>

namespace reel::nn {

template <std::size_t D> void PadOptions<D>::fields(OptionVisitor& v) {
    v.required("padding", padding_, Shown::tuple | Shown::value);
}
template <std::size_t D> void ConstantPadOptions<D>::fields(OptionVisitor& v) {
    v.required("padding", padding_, Shown::tuple);
    v.required("value", value_);
}
template struct PadOptions<1>;
template struct PadOptions<2>;
template struct PadOptions<3>;
template struct ConstantPadOptions<1>;
template struct ConstantPadOptions<2>;
template struct ConstantPadOptions<3>;

Tensor detail::pad_by(const Tensor& input, IntArrayRef padding, const char* mode, double value) {
    return reel::pad(input, padding, mode, Scalar(value));
}

void register_padding() {
    register_layers<ReflectionPad1dImpl, ReflectionPad2dImpl, ReflectionPad3dImpl, ReplicationPad1dImpl,
                    ReplicationPad2dImpl, ReplicationPad3dImpl, CircularPad1dImpl, CircularPad2dImpl, CircularPad3dImpl,
                    ZeroPad1dImpl, ZeroPad2dImpl, ZeroPad3dImpl, ConstantPad1dImpl, ConstantPad2dImpl,
                    ConstantPad3dImpl>();
}

} // namespace reel::nn
