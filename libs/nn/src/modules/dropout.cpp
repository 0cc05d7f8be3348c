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
/// Writes the result into the input when that was asked for.
Tensor into(bool inplace, const Tensor& input, const Tensor& y) {
    return inplace && !y.is_same(input) ? const_cast<Tensor&>(input).copy_(y) : y;
}
template <class M> ModulePtr make_dropout(const char* name, const Args& args, const Kwargs& kwargs) {
    const ConstructorArgs a(name, {"p", "inplace"}, args, kwargs);
    return std::make_shared<M>(DropoutOptions().p(text::number(a, "p", 0.5)).inplace(a.get<bool>("inplace", false)));
}
} // namespace

#define REEL_DROPOUT(Name, function)                                                                                   \
    template class detail::DropoutNdImpl<Name##Impl>;                                                                  \
    Tensor Name##Impl::forward(const Tensor& input) {                                                                  \
        return into(options.inplace(), input, reel::function(input, options.p(), is_training()));                      \
    }                                                                                                                  \
    namespace {                                                                                                        \
    [[maybe_unused]] const bool Name##_registered = register_module_class(                                             \
        #Name, [](const Args& a, const Kwargs& k) { return make_dropout<Name##Impl>(#Name, a, k); });                  \
    }
REEL_DROPOUT(Dropout, dropout)
REEL_DROPOUT(Dropout1d, dropout1d)
REEL_DROPOUT(Dropout2d, dropout2d)
REEL_DROPOUT(Dropout3d, dropout3d)
REEL_DROPOUT(AlphaDropout, alpha_dropout)
REEL_DROPOUT(FeatureAlphaDropout, feature_alpha_dropout)
#undef REEL_DROPOUT

} // namespace reel::nn
