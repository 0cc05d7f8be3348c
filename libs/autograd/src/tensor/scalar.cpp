// Printing of scalars and shapes.
#include <reel/autograd/scalar.hpp>

#include <algorithm>
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
    constexpr std::size_t most = 64; // as many as a tensor has dimensions; longer lists would drown a message
    os << '[';
    for (std::size_t i = 0; i < std::min(sizes.size(), most); ++i) os << (i ? ", " : "") << sizes[i];
    if (sizes.size() > most) os << ", ... " << sizes.size() << " in all";
    return os << ']';
}

} // namespace reel
