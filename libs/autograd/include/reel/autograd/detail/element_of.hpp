// The type in C++ that each dtype stands for, and the end of a dispatch that has no case for one.
#pragma once

#include <complex>
#include <cstdint>

#include <reel/autograd/dtype.hpp>
#include <reel/autograd/error.hpp>

namespace reel::detail {

template <ScalarType t> struct ElementOf;
#define REEL_ELEMENT_(Name, T)                                                                                         \
    template <> struct ElementOf<ScalarType::Name> { using type = T; };
REEL_ELEMENT_(Byte, std::uint8_t)
REEL_ELEMENT_(Char, std::int8_t)
REEL_ELEMENT_(Short, std::int16_t)
REEL_ELEMENT_(Int, std::int32_t)
REEL_ELEMENT_(Long, std::int64_t)
REEL_ELEMENT_(Half, reel::Half)
REEL_ELEMENT_(Float, float)
REEL_ELEMENT_(Double, double)
REEL_ELEMENT_(ComplexFloat, std::complex<float>)
REEL_ELEMENT_(ComplexDouble, std::complex<double>)
REEL_ELEMENT_(Bool, bool)
REEL_ELEMENT_(BFloat16, reel::BFloat16)
#undef REEL_ELEMENT_

/// Cases of a dispatch compare with it; what none of them takes ends in `refuse`.
struct DispatchOn {
    ScalarType type;
    const char* name;
    [[noreturn]] void refuse() const {
        REEL_THROW(NotImplementedError, name, ": not implemented for dtype ", dtype_name(type),
                   "; convert the tensor with .to() first");
    }
};

} // namespace reel::detail
