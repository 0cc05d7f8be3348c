// Choices between two operands along a dense line: loops that the compiler turns into vectors.
#include "cpu/index/where_loops.hpp"

namespace reel::cpu::REEL_ISA {

namespace {

template <class T, bool input_repeats, bool other_repeats>
void choose(T* out, const bool* condition, const T* input, const T* other, std::int64_t n) {
    const T x = *input, y = *other;
    const auto* const truth = reinterpret_cast<const std::uint8_t*>(condition);
    for (std::int64_t i = 0; i < n; ++i) {
        const T a = input_repeats ? x : input[i], b = other_repeats ? y : other[i];
        out[i] =
            T(b ^ ((a ^ b) & T(-T(truth[i] != 0)))); // all bits or none: without branches, as the compiler wants it
    }
}
template <class T> void set_loops() {
    where_loops<T> = {&choose<T, false, false>, &choose<T, true, false>, &choose<T, false, true>};
}

} // namespace

void register_where() {
    set_loops<std::uint8_t>();
    set_loops<std::uint16_t>();
    set_loops<std::uint32_t>();
    set_loops<std::uint64_t>();
}

} // namespace reel::cpu::REEL_ISA
