// Products in which an extent is one: dot products, a matrix with a vector, outer products, of any layout.
#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/generator.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;

BOOST_AUTO_TEST_SUITE(vector_product)

namespace {

/// The product as a sum of elementwise ones.
Tensor by_sums(const Tensor& a, const Tensor& b) { return (a.unsqueeze(2) * b.unsqueeze(0)).sum(1); }

/// A matrix as it is, transposed in memory, with gaps between rows, every second column.
std::vector<Tensor> layouts(const Tensor& t) {
    return {t, t.t().contiguous().t(), cat({t, t}, 1).narrow(1, 0, t.size(1)), stack({t, t}, 2).select(2, 0)};
}

} // namespace

BOOST_AUTO_TEST_CASE(agree_with_sums_in_every_layout) {
    manual_seed(1);
    for (const ScalarType dtype : {kFloat, kDouble, kComplexFloat, kComplexDouble})
        for (const auto& [m, k, n] : {std::array<std::int64_t, 3>{1, 70, 1},
                                      {1, 37, 50},
                                      {50, 37, 1},
                                      {40, 1, 30},
                                      {1, 1, 9},
                                      {9, 1, 1},
                                      {1, 1, 1},
                                      {1, 70000, 1},
                                      {3000, 40, 1},
                                      {1, 40, 3000}}) {
            const Tensor a = randn({m, k}, TensorOptions().dtype(dtype)), b = randn({k, n}, a.options());
            const Tensor expected = by_sums(a, b);
            const double near = (dtype == kFloat || dtype == kComplexFloat ? 1e-5 : 1e-13) * double(k);
            for (const Tensor& x : layouts(a))
                for (const Tensor& y : layouts(b))
                    BOOST_TEST((mm(x, y) - expected).abs().max().item<double>() < near,
                               dtype << " " << m << " x " << k << " x " << n);
        }
}

BOOST_AUTO_TEST_CASE(what_is_overwritten_does_not_count) {
    const Tensor a = ones({4, 3}), b = ones({3, 1}), out = full({4, 1}, std::numeric_limits<float>::quiet_NaN());
    BOOST_TEST(addmm(out, a, b, 0).equal(full({4, 1}, 3.f)));
    BOOST_TEST(addmm(ones({4, 1}), a, b, 2, 0.5).equal(full({4, 1}, 3.5f)));
    BOOST_TEST(addmm(ones({4, 3}), ones({4, 1}), ones({1, 3}), 2, 3).equal(full({4, 3}, 5.f)));
    BOOST_TEST(addmm(ones({1, 1}), ones({1, 3}), b, 2, 3).equal(full({1, 1}, 11.f)));
}

BOOST_AUTO_TEST_CASE(gradients_of_vectors) {
    manual_seed(2);
    const Tensor x = randn({300}).requires_grad_(), y = randn({300}).requires_grad_();
    dot(x, y).backward();
    BOOST_TEST(x.grad().equal(y.detach()));
    BOOST_TEST(y.grad().equal(x.detach()));
    const Tensor m = randn({20, 300}).requires_grad_(), g = randn({20});
    mv(m, x.detach()).backward(g);
    BOOST_TEST(m.grad().equal(outer(g, x.detach())));
}

BOOST_AUTO_TEST_SUITE_END()
