// 16-bit floats compute in float32 and are rounded once, where each step in the type itself loses most of its digits.
#include "shape_helpers.hpp"

#include <reel/autograd/tensor_operators.hpp>

using namespace shape_test;

namespace {

/// Numbers that 16 bits hold, so that float32 starts from the same.
Tensor coarse(IntArrayRef sizes, ScalarType t) { return numbers(sizes).to(t); }
template <class F> void check_rounded_once(F fn, const std::vector<std::vector<std::int64_t>>& shapes) {
    for (const ScalarType t : {kHalf, kBFloat16}) BOOST_TEST_CONTEXT(toString(t)) {
            std::vector<Tensor> narrow, wide;
            for (const auto& s : shapes) {
                narrow.push_back(coarse(s, t));
                wide.push_back(narrow.back().to(kFloat));
            }
            const Tensor got = fn(narrow), want = fn(wide).to(t);
            BOOST_TEST((got.scalar_type() == t));
            BOOST_TEST(equal(got, want));
        }
}
using Operands = std::vector<Tensor>;

} // namespace

BOOST_AUTO_TEST_SUITE(sixteen_bits)

BOOST_AUTO_TEST_CASE(sums_of_products) {
    check_rounded_once([](const Operands& x) { return addbmm(x[0], x[1], x[2], 0.3, 0.7); },
                       {{3, 4}, {5, 3, 6}, {5, 6, 4}});
    check_rounded_once([](const Operands& x) { return addr(x[0], x[1], x[2], 0.3, 0.7); }, {{3, 4}, {3}, {4}});
}

BOOST_AUTO_TEST_CASE(transposed_convolutions) {
    check_rounded_once([](const Operands& x) { return conv_transpose1d(x[0], x[1], x[2], 2); },
                       {{2, 4, 7}, {4, 3, 3}, {3}});
    check_rounded_once([](const Operands& x) { return conv_transpose2d(x[0], x[1], x[2], 2, 0, 1); },
                       {{1, 4, 3, 4}, {4, 3, 3, 2}, {3}});
    check_rounded_once([](const Operands& x) { return conv_transpose3d(x[0], x[1]); },
                       {{1, 2, 3, 2, 2}, {2, 3, 2, 2, 2}});
}

BOOST_AUTO_TEST_CASE(normalization) {
    for (const std::int64_t length : {1, 15, 100}) {
        const std::vector<std::vector<std::int64_t>> shapes{{4, 6, length}, {6}, {6}};
        const auto by_channel = [](const Operands& x) {
            return functional_batch_norm(x[0], Tensor(), Tensor(), x[1], x[2], true);
        };
        const auto by_group = [](const Operands& x) { return group_norm(x[0], 2, x[1], x[2]); };
        check_rounded_once(by_channel, shapes);
        check_rounded_once(by_group, shapes);
        // gradients, whose sums are rounded in another order for float32: to within one unit of the narrow type
        for (const ScalarType t : {kHalf, kBFloat16})
            for (const bool groups : {false, true}) {
                std::vector<Tensor> narrow, wide;
                for (const auto& sizes : shapes) {
                    narrow.push_back(coarse(sizes, t).requires_grad_());
                    wide.push_back(coarse(sizes, t).to(kFloat).detach().requires_grad_());
                }
                const auto gradients = [&](const Operands& x) {
                    const Tensor y = groups ? by_group(x) : by_channel(x), seed = coarse(y.sizes(), t).flip({0, 1, 2});
                    return autograd::grad({y}, {x[0], x[1], x[2]}, {seed.to(y.scalar_type())});
                };
                const auto got = gradients(narrow), want = gradients(wide);
                const double unit = t == kHalf ? 0x1p-10 : 0x1p-7;
                for (std::size_t i = 0; i < 3; ++i) {
                    BOOST_TEST((got[i].scalar_type() == t));
                    BOOST_TEST(allclose(got[i].to(kFloat), want[i], unit, 1e-5));
                }
            }
    }
}

BOOST_AUTO_TEST_CASE(interpolation) {
    const std::vector<std::int64_t> size{5, 7};
    check_rounded_once([&](const Operands& x) { return interpolate(x[0], size, std::nullopt, "bicubic", false); },
                       {{1, 2, 3, 4}});
    const std::vector<std::int64_t> volume{3, 5, 4};
    check_rounded_once([&](const Operands& x) { return interpolate(x[0], volume, std::nullopt, "trilinear", false); },
                       {{1, 2, 2, 3, 3}});
    for (const char* mode : {"bilinear", "nearest", "bicubic"})
        check_rounded_once([&](const Operands& x) { return grid_sample(x[0], x[1] / Scalar(4), mode, "zeros", false); },
                           {{1, 2, 5, 6}, {1, 4, 3, 2}});
}

BOOST_AUTO_TEST_SUITE_END()
