#include "replay/products.hpp"

#include <cstring>

#include <reel/autograd/kernels/copy.hpp>
#include <reel/autograd/ops/factory/empty.hpp>

namespace reel::jit::replay {

Product* product_of(Step& step) {
    auto* const call = dynamic_cast<Product*>(step.call.get());
    const bool is = call && call->function() == &cpu::mm;
    if (!is) return nullptr;
    const ScalarType dtype = std::get<Out>(call->arguments()).scalar_type();
    return dtype == kFloat || dtype == kDouble ? call : nullptr;
}

namespace {
template <class T> void fill_with_numbers(const Tensor& t, std::uint32_t seed) {
    T* const p = t.data_ptr<T>();
    const std::size_t n = t.storage()->nbytes() / sizeof(T);
    for (std::size_t i = 0; i < n; ++i) {
        seed = seed * 1664525u + 1013904223u;
        p[i] = T(std::int32_t(seed)) / T(1u << 30);
    }
}
} // namespace
Tensor numbers(const Tensor& like, std::uint32_t seed) {
    const Tensor t = empty_strided(like.sizes(), like.strides(), TensorOptions(like.scalar_type()));
    if (t.scalar_type() == kFloat) fill_with_numbers<float>(t, seed);
    else fill_with_numbers<double>(t, seed);
    return t;
}
Tensor copy_of(const Tensor& t) {
    const Tensor c = empty(t.sizes(), TensorOptions(t.scalar_type()));
    cpu::copy(c, t, false);
    return c;
}
bool same_bytes(const Tensor& a, const Tensor& b) { return !std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()); }

} // namespace reel::jit::replay
