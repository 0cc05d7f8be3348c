// Dropout layers.
#include <reel/nn/modules/dropout.hpp>

#include <reel/autograd/ops.hpp>

#include "modules/python_text.hpp"

namespace reel::nn {

namespace detail {
template <class Derived> DropoutNdImpl<Derived>::DropoutNdImpl(const DropoutOptions& o) : options(o) {
    DropoutNdImpl::reset();
}
template <class Derived> void DropoutNdImpl<Derived>::reset() {
    REEL_CHECK_VALUE(options.p() >= 0 && options.p() <= 1, "dropout: p is ", text::number(options.p()),
                     "; expected a probability between 0 and 1");
}
template <class Derived> std::string DropoutNdImpl<Derived>::extra_repr() const {
    return str("p=", text::number(options.p()), ", inplace=", text::boolean(options.inplace()));
}
} // namespace detail

namespace {
/// Runs `f` on a batch (`single`: the rank of one example alone, 0 when a batch dimension is always there), and writes
/// the result into the input when that was asked for.
template <class F> Tensor dropped(const DropoutOptions& o, const Tensor& input, std::int64_t single, F f) {
    const Tensor y = single > 0 && input.dim() == single ? reel::squeeze(f(reel::unsqueeze(input, 0)), 0) : f(input);
    return o.inplace() && !y.is_same(input) ? const_cast<Tensor&>(input).copy_(y) : y;
}
template <class M> ModulePtr make_dropout(const char* name, const Args& args, const Kwargs& kwargs) {
    const ConstructorArgs a(name, {"p", "inplace"}, args, kwargs);
    return std::make_shared<M>(DropoutOptions().p(text::number(a, "p", 0.5)).inplace(a.get<bool>("inplace", false)));
}
} // namespace

#define REEL_DROPOUT(Name, function, single)                                                                           \
    template class detail::DropoutNdImpl<Name##Impl>;                                                                  \
    Tensor Name##Impl::forward(const Tensor& input) {                                                                  \
        return dropped(options, input, single,                                                                         \
                       [this](const Tensor& x) { return reel::function(x, options.p(), is_training()); });             \
    }                                                                                                                  \
    namespace {                                                                                                        \
    [[maybe_unused]] const bool Name##_registered = register_module_class(                                             \
        #Name, [](const Args& a, const Kwargs& k) { return make_dropout<Name##Impl>(#Name, a, k); });                  \
    }
REEL_DROPOUT(Dropout, dropout, 0)
REEL_DROPOUT(Dropout1d, feature_dropout, 2)
REEL_DROPOUT(Dropout2d, feature_dropout, 0)
REEL_DROPOUT(Dropout3d, feature_dropout, 4)
REEL_DROPOUT(AlphaDropout, alpha_dropout, 0)
REEL_DROPOUT(FeatureAlphaDropout, feature_alpha_dropout, 0)
#undef REEL_DROPOUT

} // namespace reel::nn
