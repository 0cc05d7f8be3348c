// Printing of scalars and shapes.
#include <reel/autograd/scalar.hpp>

#include <ostream>

#include <reel/autograd/array_ref.hpp>

namespace reel {

std::ostream& operator<<(std::ostream& os, const Scalar& s) {
    if (s.isBoolean()) return os << (s.toBool() ? "true" : "false");
    if (s.isIntegral(false)) return os << s.toLong();
    if (s.isFloatingPoint()) return os << s.toDouble();
    return os << s.toComplexDouble();
}

std::ostream& operator<<(std::ostream& os, IntArrayRef sizes) {
    os << '[';
    for (std::size_t i = 0; i < sizes.size(); ++i) os << (i ? ", " : "") << sizes[i];
    return os << ']';
}

} // namespace reel
