// The sum of one block: eight vectors of lanes, then a tree over lanes of fixed width.
#include "cpu/sum.hpp"

#include "cpu/vec.hpp"

namespace reel::cpu::REEL_ISA {

namespace {
/// 64 running sums whatever the vector width, so that every instruction set gives the same bits.
template <class T> T block(const T* p, std::int64_t n) {
    constexpr int lanes = 64, w = Vec<T>::size, count = lanes / w;
    Vec<T> acc[count];
    for (int k = 0; k < count; ++k) acc[k] = Vec<T>(T(0));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (int k = 0; k < count; ++k) acc[k] = acc[k] + Vec<T>::load(p + i + k * w);
    T lane[lanes];
    for (int k = 0; k < count; ++k) acc[k].store(lane + k * w);
    for (int k = 0; i < n; ++i, ++k) lane[k] += p[i];
    for (int step = lanes / 2; step > 0; step /= 2)
        for (int k = 0; k < step; ++k) lane[k] += lane[k + step];
    return lane[0];
}
} // namespace

void register_sum() {
    sum_kernels.f32 = &block<float>;
    sum_kernels.f64 = &block<double>;
}

} // namespace reel::cpu::REEL_ISA
