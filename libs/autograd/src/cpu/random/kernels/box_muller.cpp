// Logarithms and sines of whole vectors: a vector may hold halves of two blocks.
#include "cpu/random/box_muller.hpp"

#include <algorithm>
#include <numbers>

#include <reel/autograd/detail/cpu/vec_math.hpp>

namespace reel::cpu::REEL_ISA {

namespace {

template <class T> void box_muller(T* p, std::int64_t n, T mean, T std) {
    using V = Vec<T>;
    constexpr int blocks = 16;                         // gathered at a time
    T first[8 * blocks] = {}, second[8 * blocks] = {}; // a multiple of every vector's size
    for (std::int64_t i = 0; i < n; i += 16 * blocks) {
        const std::int64_t count = std::min<std::int64_t>(blocks, (n - i) / 16);
        for (std::int64_t b = 0; b < count; ++b) {
            std::copy_n(p + i + 16 * b, 8, first + 8 * b);
            std::copy_n(p + i + 16 * b + 8, 8, second + 8 * b);
        }
        for (std::int64_t j = 0; j < 8 * count; j += V::size) {
            const V u = V(T(1)) - V::load(first + j), angle = V(T(2) * std::numbers::pi_v<T>) * V::load(second + j);
            const V radius = sqrt(V(T(-2)) * log(u));
            (radius * cos(angle) * V(std) + V(mean)).store(first + j);
            (radius * sin(angle) * V(std) + V(mean)).store(second + j);
        }
        for (std::int64_t b = 0; b < count; ++b) {
            std::copy_n(first + 8 * b, 8, p + i + 16 * b);
            std::copy_n(second + 8 * b, 8, p + i + 16 * b + 8);
        }
    }
}

} // namespace

void register_box_muller() { box_muller_kernels = {&box_muller<float>, &box_muller<double>}; }

} // namespace reel::cpu::REEL_ISA
