// Small tensors for the optimizer tests.
#pragma once

#include <initializer_list>
#include <vector>

#include <reel/autograd/ops.hpp>

namespace support {

inline reel::Tensor vector_of(std::initializer_list<double> values, reel::ScalarType dtype = reel::kDouble) {
    reel::Tensor t = reel::empty({std::int64_t(values.size())}, reel::kDouble);
    std::copy(values.begin(), values.end(), t.data_ptr<double>());
    return t.to(dtype);
}
/// A leaf with a gradient.
inline reel::Tensor parameter(std::initializer_list<double> values, std::initializer_list<double> gradient) {
    reel::Tensor t = vector_of(values).requires_grad_();
    t.mutable_grad() = vector_of(gradient);
    return t;
}
inline std::vector<double> list(const reel::Tensor& t) {
    const reel::Tensor c = t.detach().to(reel::kDouble).contiguous();
    return {c.data_ptr<double>(), c.data_ptr<double>() + c.numel()};
}
/// Numbers that look random and do not depend on any generator.
inline reel::Tensor wave(reel::IntArrayRef sizes, double start, reel::ScalarType dtype = reel::kDouble) {
    reel::Tensor t = reel::empty(sizes, reel::kDouble);
    double* p = t.data_ptr<double>();
    for (std::int64_t i = 0; i < t.numel(); ++i)
        p[i] = double((i * 7919 + std::int64_t(start * 1000)) % 2003) / 1001.0 - 1;
    return t.to(dtype);
}

/// Makes the gradients sparse for an optimizer that takes no others.
template <class O> void fit_gradients(O& optimizer) {
    if (optimizer.takes(reel::kStrided)) return;
    for (auto& group : optimizer.param_groups())
        for (const reel::Tensor& p : group.params()) p.mutable_grad() = p.grad().to_sparse(1);
}

} // namespace support
