// Dictionaries and comparisons that tests of reinforcement learning share.
#pragma once

#include <vector>

#include <reel/autograd.hpp>
#include <reel/rl/tensordict.hpp>

namespace reel::testing {

template <class T> std::vector<T> values(const Tensor& t) {
    const Tensor flat = t.contiguous();
    return {flat.data_ptr<T>(), flat.data_ptr<T>() + flat.numel()};
}
/// Of any numeric or bool tensor.
inline std::vector<double> numbers(const Tensor& t) { return values<double>(t.detach().to(kDouble)); }
inline bool same(const Tensor& a, const Tensor& b) {
    return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() && numbers(a) == numbers(b);
}
/// True at the given steps, [steps, 1].
inline Tensor flags(std::int64_t steps, std::initializer_list<std::int64_t> at) {
    const Tensor t = zeros({steps, 1}, kBool);
    for (const std::int64_t i : at) t.data_ptr<bool>()[i] = true;
    return t;
}

} // namespace reel::testing
