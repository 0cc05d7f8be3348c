// What the tests of shape and selection ops share.
#pragma once

#include <boost/test/unit_test.hpp>

#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>

namespace shape_test {

using namespace reel;

/// Distinct float64 numbers without ties, not in order.
inline Tensor numbers(IntArrayRef sizes) {
    Tensor t = empty(sizes, kDouble);
    for (std::int64_t i = 0; i < t.numel(); ++i) t.data_ptr<double>()[i] = double((i * 37 + 11) % 101) / 16 - 3;
    return t;
}
inline Tensor leaf(IntArrayRef sizes) { return numbers(sizes).requires_grad_(); }
/// The same numbers in every second element of a larger buffer.
inline Tensor strided(IntArrayRef sizes) {
    const Tensor n = numbers(sizes);
    const Tensor buffer = zeros({n.numel() * 2 + 1}, kDouble);
    std::vector<std::int64_t> strides(sizes.size());
    std::int64_t step = 2;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        strides[i] = step;
        step *= sizes[i];
    }
    const Tensor t = buffer.as_strided(sizes, strides, 1).detach();
    t.copy_(n);
    return t;
}
/// First and second derivatives against finite differences.
template <class F> void check_gradients(F fn, const std::vector<Tensor>& inputs) {
    BOOST_TEST(autograd::gradcheck(fn, inputs));
    BOOST_TEST(autograd::gradgradcheck(fn, inputs));
}
inline std::vector<double> list(const Tensor& t) {
    const Tensor c = t.detach().to(kDouble).contiguous();
    return {c.data_ptr<double>(), c.data_ptr<double>() + c.numel()};
}
inline std::vector<std::int64_t> sizes(const Tensor& t) { return t.sizes().vec(); }
/// The text of the error that `fn` throws; fails when it throws none.
template <class E = Error, class F> std::string message(F fn) {
    try {
        fn();
    } catch (const E& e) {
        return e.msg();
    }
    BOOST_ERROR("nothing was thrown");
    return {};
}
using V = std::vector<double>;
using S = std::vector<std::int64_t>;

} // namespace shape_test

#define REEL_TEST_LIST(actual, ...)                                                                                    \
    BOOST_TEST(shape_test::list(actual) == (shape_test::V{__VA_ARGS__}), boost::test_tools::per_element())
#define REEL_TEST_SIZES(actual, ...)                                                                                   \
    BOOST_TEST(shape_test::sizes(actual) == (shape_test::S{__VA_ARGS__}), boost::test_tools::per_element())
