// One number of any element type.
#pragma once

#include <complex>
#include <cstdint>
#include <iosfwd>
#include <type_traits>

#include <reel/autograd/detail/to_integer.hpp>
#include <reel/autograd/dtype.hpp>
#include <reel/autograd/error.hpp>

namespace reel {

/// A number that remembers whether it is a bool, an integer, a float or complex. Conversions that lose the category
/// (complex with an imaginary part to real) throw.
class Scalar {
public:
    constexpr Scalar() : Scalar(std::int64_t(0)) {}
    template <class T>
    requires std::is_arithmetic_v<T>
    constexpr Scalar(T v) {
        if constexpr (std::is_same_v<T, bool>) kind_ = Kind::Bool, i_ = v;
        else if constexpr (std::is_integral_v<T>) kind_ = Kind::Int, i_ = std::int64_t(v);
        else kind_ = Kind::Double, d_ = double(v);
    }
    Scalar(Half v) : Scalar(double(float(v))) {}
    Scalar(BFloat16 v) : Scalar(double(float(v))) {}
    template <class T> constexpr Scalar(std::complex<T> v) : kind_(Kind::Complex), d_(v.real()), im_(v.imag()) {}

    constexpr bool isBoolean() const { return kind_ == Kind::Bool; }
    constexpr bool isIntegral(bool include_bool) const {
        return kind_ == Kind::Int || (include_bool && kind_ == Kind::Bool);
    }
    constexpr bool isFloatingPoint() const { return kind_ == Kind::Double; }
    constexpr bool isComplex() const { return kind_ == Kind::Complex; }
    /// Bool, Long, Double or ComplexDouble.
    constexpr ScalarType type() const {
        return kind_ == Kind::Bool     ? kBool
               : kind_ == Kind::Int    ? kLong
               : kind_ == Kind::Double ? kDouble
                                       : kComplexDouble;
    }
    constexpr double toDouble() const { return kind_ == Kind::Bool || kind_ == Kind::Int ? double(i_) : real_part(); }
    constexpr float toFloat() const { return float(toDouble()); }
    constexpr std::int64_t toLong() const {
        return kind_ == Kind::Bool || kind_ == Kind::Int ? i_ : detail::to_integer<std::int64_t>(real_part());
    }
    constexpr int toInt() const { return int(toLong()); }
    constexpr bool toBool() const {
        return kind_ == Kind::Bool || kind_ == Kind::Int ? i_ != 0 : (d_ != 0 || im_ != 0);
    }
    constexpr std::complex<double> toComplexDouble() const {
        return kind_ == Kind::Complex ? std::complex<double>(d_, im_) : std::complex<double>(toDouble(), 0);
    }
    template <class T> constexpr T to() const {
        if constexpr (std::is_same_v<T, bool>) return toBool();
        else if constexpr (std::is_integral_v<T>) return T(toLong());
        else if constexpr (std::is_floating_point_v<T>) return T(toDouble());
        else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) return T(float(toDouble()));
        else
            return T(typename T::value_type(toComplexDouble().real()),
                     typename T::value_type(toComplexDouble().imag()));
    }
    template <class T> bool equal(T v) const { return toComplexDouble() == Scalar(v).toComplexDouble(); }
    constexpr Scalar operator-() const {
        if (kind_ == Kind::Complex) return Scalar(std::complex<double>(-d_, -im_));
        return kind_ == Kind::Double ? Scalar(-d_) : Scalar(-i_);
    }

private:
    constexpr double real_part() const {
        REEL_CHECK(im_ == 0, "Scalar: complex number with imaginary part ", im_, " does not convert to a real one");
        return d_;
    }
    enum class Kind : std::uint8_t { Bool, Int, Double, Complex } kind_ = Kind::Int;
    std::int64_t i_ = 0;
    double d_ = 0, im_ = 0;
};
std::ostream& operator<<(std::ostream& os, const Scalar& s);

} // namespace reel
