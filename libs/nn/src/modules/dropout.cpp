// Dropout layers.
#include <reel/autograd/ops/nn/dropout.hpp>
#include <reel/nn/modules/dropout.hpp>

#include <reel/nn/factory.hpp>

#include "modules/python_text.hpp"

namespace reel::nn {

void DropoutOptions::fields(OptionVisitor& v) {
    v("p", p_);
    v("inplace", inplace_);
}

namespace {
using Drop = Tensor (*)(const Tensor& input, reel::detail::Exact<double> p, reel::detail::Exact<bool> training);
template <class M> constexpr Drop drop = nullptr;
template <> constexpr Drop drop<DropoutImpl> = &reel::dropout;
template <> constexpr Drop drop<Dropout1dImpl> = &reel::dropout1d;
template <> constexpr Drop drop<Dropout2dImpl> = &reel::dropout2d;
template <> constexpr Drop drop<Dropout3dImpl> = &reel::dropout3d;
template <> constexpr Drop drop<AlphaDropoutImpl> = &reel::alpha_dropout;
template <> constexpr Drop drop<FeatureAlphaDropoutImpl> = &reel::feature_alpha_dropout;
} // namespace

namespace detail {
template <class Derived> DropoutNdImpl<Derived>::DropoutNdImpl(const DropoutOptions& o) : options(o) {
    DropoutNdImpl::reset();
}
template <class Derived> void DropoutNdImpl<Derived>::reset() {
    REEL_CHECK_VALUE(options.p() >= 0 && options.p() <= 1, "dropout: p is ", text::number(options.p()),
                     "; expected a probability between 0 and 1");
}
/// Writes the result into the input when that was asked for.
template <class Derived> Tensor DropoutNdImpl<Derived>::forward(const Tensor& input) {
    const Tensor y = drop<Derived>(input, double(options.p()), this->is_training());
    return options.inplace() && !y.is_same(input) ? const_cast<Tensor&>(input).copy_(y) : y;
}
template class DropoutNdImpl<DropoutImpl>;
template class DropoutNdImpl<Dropout1dImpl>;
template class DropoutNdImpl<Dropout2dImpl>;
template class DropoutNdImpl<Dropout3dImpl>;
template class DropoutNdImpl<AlphaDropoutImpl>;
template class DropoutNdImpl<FeatureAlphaDropoutImpl>;
} // namespace detail

void register_dropout() {
    register_layers<DropoutImpl, Dropout1dImpl, Dropout2dImpl, Dropout3dImpl, AlphaDropoutImpl,
                    FeatureAlphaDropoutImpl>();
}

} // namespace reel::nn
