// Filling tensors with numbers drawn one after the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <vector>

#include <reel/autograd/host_data.hpp>

#include "tape/inplace.hpp"
#include "tensor/drawing.hpp"
#include "tensor/raw.hpp"

namespace reel::detail {

/// Dense memory for what is drawn for `self`, its dimensions in the order of their strides: numbers are drawn in the
/// order in which the elements lie, as in PyTorch.
inline Tensor drawn_for(const Tensor& self, ScalarType type) {
    std::vector<std::size_t> order(self.sizes().size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return self.strides()[a] > self.strides()[b]; });
    Dims strides(order.size());
    std::int64_t step = 1;
    for (auto d = order.rbegin(); d != order.rend(); ++d) {
        strides[*d] = step;
        step *= self.sizes()[*d];
    }
    return empty_strided_raw(self.sizes(), strides, type);
}
/// Fills `self` with doubles drawn one after the other.
template <class Draw>
void fill_with(const char* op, const Tensor& self, const std::optional<Generator>& generator, Draw draw) {
    autograd::check_inplace(self, op);
    if (self.is_meta()) return autograd::rebase_history(self, Tensor(), op); // no numbers where none can be kept
    Tensor wide = drawn_for(self, kDouble);
    double* p = host_data<double>(wide, op);
    {
        const Drawing drawing(generator);
        for (std::int64_t i = 0; i < wide.numel(); ++i) p[i] = draw(drawing.generator());
    }
    copy_raw(self, wide);
    autograd::rebase_history(self, Tensor(), op);
}
/// One normal draw; each second one was made with the first (Box and Muller).
inline double standard_normal(CPUGeneratorImpl& g) {
    if (g.next_normal) {
        const double v = *g.next_normal;
        g.next_normal.reset();
        return v;
    }
    const double u1 = g.uniform_double(), u2 = g.uniform_double();
    const double r = std::sqrt(-2 * std::log1p(-u2)), theta = 2 * std::numbers::pi * u1;
    g.next_normal = r * std::sin(theta);
    return r * std::cos(theta);
}
inline void check_floating(const char* op, const Tensor& t) {
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(t.scalar_type()), op, ": input is ", dtype_name(t.scalar_type()),
                               "; expected a floating dtype");
}

} // namespace reel::detail
