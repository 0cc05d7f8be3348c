// A plain number as nodes keep it.
#pragma once

#include <complex>
#include <cstdint>

#include <reel/autograd/scalar.hpp>

namespace reel::detail {

/// A Scalar in 17 bytes of its 32: what follows as a `[[no_unique_address]]` member stands in the rest of its words.
class PackedNumber {
public:
    PackedNumber(const Scalar& number) : type_(number.type()) {
        if (number.isComplex()) {
            real_ = number.toComplexDouble().real();
            imaginary_ = number.toComplexDouble().imag();
        } else if (number.isFloatingPoint()) real_ = number.toDouble();
        else integer_ = number.toLong();
    }
    operator Scalar() const {
        switch (type_) {
        case kBool:
            return integer_ != 0;
        case kLong:
            return integer_;
        case kDouble:
            return real_;
        default:
            return std::complex<double>(real_, imaginary_);
        }
    }

private:
    union {
        std::int64_t integer_;
        double real_;
    };
    double imaginary_ = 0;
    ScalarType type_;
};

} // namespace reel::detail
