#include <reel/nn/any_value.hpp>

#include <boost/core/demangle.hpp>

#include <reel/autograd/error.hpp>

namespace reel::nn {

void AnyValue::throw_type(const std::type_info& wanted) const {
    REEL_THROW(TypeError, "AnyValue: holds ", boost::core::demangle(type_->name()), ", asked for ",
               boost::core::demangle(wanted.name()), "; get gives the type that it was made of");
}

} // namespace reel::nn
