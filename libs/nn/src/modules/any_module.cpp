// AnyModule and Functional.
#include <reel/nn/modules/any_module.hpp>

#include <boost/core/demangle.hpp>

namespace reel::nn {

Module& AnyModule::checked() const {
    REEL_CHECK(module_, "an empty AnyModule was used; construct it from a module first");
    return *module_;
}
const std::type_info& AnyModule::type_info() const {
    const Module& m = checked();
    return typeid(m);
}
void AnyModule::check_type(const std::type_info& wanted) const {
    REEL_CHECK(type_info() == wanted, "AnyModule holds a ", boost::core::demangle(type_info().name()), ", not a ",
               boost::core::demangle(wanted.name()));
}
AnyModule AnyModule::clone(std::optional<Device> device) const {
    AnyModule r;
    if (module_) r.module_ = module_->clone(device);
    return r;
}

Tensor FunctionalImpl::forward(const Tensor& input) { return function_(input); }

} // namespace reel::nn
