// Root mean square norm with a floor.
#include <boost/test/unit_test.hpp>

#include <limits>

#include "nn/norms.hpp"

using namespace reel;
using namespace reel::testing;
namespace norms = nn::norms;
using autograd::variable_list;

namespace {
/// The formula in plain ops.
Tensor formula(const Tensor& x, const Tensor& g, double eps, std::int64_t dim) {
    const Tensor rms = linalg_vector_norm(x, 2, {-1}, true) * std::pow(double(dim), -0.5);
    return x / rms.clamp_min(eps) * g;
}
norms::RMSNorm make(std::int64_t dim, double eps) {
    norms::RMSNorm m(norms::RMSNormOptions(dim).eps(eps));
    m->to(kDouble);
    disturb(*m);
    return m;
}
} // namespace

BOOST_AUTO_TEST_SUITE(norms_rms_norm)

BOOST_AUTO_TEST_CASE(LN_3_goldens) {
    norms::RMSNorm m(4);
    BOOST_TEST(m->repr() == "RMSNorm()");
    BOOST_TEST(m->state_dict().size() == 1);
    BOOST_TEST(m->g.equal(ones({4})));
    const Tensor y = m(tensor({1., 2., 3., 4.}, kDouble).to(kFloat));
    BOOST_TEST(farthest(y, tensor({.36514837, .73029674, 1.09544512, 1.46059349}, kDouble)) < 1e-7);
    BOOST_TEST(m(zeros({4})).equal(zeros({4})));
}
BOOST_AUTO_TEST_CASE(LN_3_any_shape_any_way_to_compute_it) {
    for (const std::vector<std::int64_t>& sizes :
         {std::vector<std::int64_t>{6}, {3, 6}, {2, 3, 2, 6}, {0, 6}, {1, 6}}) {
        norms::RMSNorm m = make(6, 1e-8);
        const Tensor x = randn(sizes, kDouble);
        const Tensor y = m(x);
        BOOST_TEST(y.sizes() == x.sizes());
        if (x.numel() == 0) continue;
        BOOST_TEST(farthest(y, formula(x, m->g, 1e-8, 6)) < 1e-14);
        BOOST_TEST(farthest((y / m->g).pow(2).mean({-1}), ones({1})) < 1e-14);
    }
    // rows that do not lie one behind the other; many rows, over the threads
    norms::RMSNorm m = make(5, 1e-8);
    const Tensor x = randn({5, 700}, kDouble).t();
    BOOST_TEST(farthest(m(x), formula(x, m->g, 1e-8, 5)) < 1e-14);
    const Tensor many = randn({20000, 5}, kDouble).requires_grad_();
    const Tensor g = m->g;
    const auto fused = autograd::grad({m(many)}, {many, g}, {ones_like(many)}),
               plain = autograd::grad({formula(many, g, 1e-8, 5)}, {many, g}, {ones_like(many)});
    BOOST_TEST(farthest(fused[0], plain[0]) < 1e-12);
    BOOST_TEST(farthest(fused[1], plain[1]) < 1e-9);
}
BOOST_AUTO_TEST_CASE(LN_3_eps_is_a_floor) {
    norms::RMSNorm m(norms::RMSNormOptions(4).eps(1.0));
    m->to(kDouble);
    // below the floor, at it, above it
    const Tensor x = tensor({.1, .1, .1, .1, 1., 1., 1., 1., 2., 4., 6., 8.}, kDouble).view({3, 4}).requires_grad_();
    const Tensor y = m(x);
    BOOST_TEST(y[0].equal(x[0]));
    BOOST_TEST(y[1].equal(x[1]));
    BOOST_TEST(farthest(y[2], x[2] / std::sqrt(30.)) < 1e-14);
    // a constant divisor in the first two rows, so that the gradient is the cotangent over it
    const Tensor cot = tensor({1., 2., 3., 5.}, kDouble);
    (y * cot).sum().backward();
    BOOST_TEST(x.grad()[0].equal(cot));
    BOOST_TEST(x.grad()[1].equal(cot));
    const auto recorded = autograd::grad({m(x)}, {x}, {cot.expand({3, 4})}, true, true);
    BOOST_TEST(farthest(recorded[0], x.grad()) < 1e-14);
    BOOST_TEST(std::abs((x.grad()[2] * x[2]).sum().item<double>()) < 1e-14); // across the row only
}
BOOST_AUTO_TEST_CASE(LN_3_rows_of_zeros_have_finite_gradients) {
    norms::RMSNorm m = make(3, 1e-8);
    const Tensor x = zeros({2, 3}, kDouble).requires_grad_(), cot = randn({2, 3}, kDouble);
    m(x).backward(cot);
    BOOST_TEST(farthest(x.grad() * 1e-8, cot * m->g) < 1e-14);
    BOOST_TEST(m->g.grad().equal(zeros({3}, kDouble)));
    // and so do second ones: the divisor is a constant
    const Tensor y = m(x);
    const Tensor first = autograd::grad({y}, {x}, {cot.clone().requires_grad_()}, true, true)[0];
    const auto second = autograd::grad({first}, {x, m->g}, {cot}, {}, false, true);
    BOOST_TEST((!second[0].defined() || second[0].equal(zeros({2, 3}, kDouble))));
    BOOST_TEST(farthest(second[1] * 1e-8, (cot * cot).sum({0})) < 1e-12);
}
BOOST_AUTO_TEST_CASE(LN_3_gradients_against_differences) {
    for (const double eps : {1e-8, 0.7}) // the second leaves some rows on the floor
        for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{4}, {5, 4}, {2, 1, 3, 4}, {7, 1}}) {
            norms::RMSNorm m = make(sizes.back(), eps);
            const Tensor x = randn(sizes, kDouble).requires_grad_();
            check_gradient([&] { return m(x); }, x);
            check_gradient([&] { return m(x); }, m->g);
            BOOST_TEST(autograd::gradgradcheck([&](const variable_list& v) { return m(v[0]); }, {x}));
        }
    // second derivatives that mix x and g
    norms::RMSNorm m = make(3, 1e-8);
    const Tensor x = randn({4, 3}, kDouble).requires_grad_(), cot = randn({4, 3}, kDouble), v = randn({3}, kDouble);
    check_gradient([&] { return autograd::grad({m(x)}, {m->g}, {cot}, true, true)[0] * v; }, x);
    check_gradient([&] { return autograd::grad({m(x)}, {x}, {cot}, true, true)[0]; }, m->g);
}
BOOST_AUTO_TEST_CASE(LN_3_forward_mode) {
    norms::RMSNorm m = make(4, 0.9);
    const Tensor x = randn({5, 4}, kDouble).requires_grad_(), t = randn({5, 4}, kDouble);
    const autograd::forward_ad::DualLevel level;
    const Tensor tangent = autograd::forward_ad::unpack_dual(m(autograd::forward_ad::make_dual(x, t))).tangent;
    const NoGradGuard no_grad;
    const double h = 1e-6;
    BOOST_TEST(farthest(tangent, (m(x + h * t) - m(x - h * t)) / (2 * h)) < 1e-8);
}
BOOST_AUTO_TEST_CASE(LN_3_infinite_and_huge_elements) {
    norms::RMSNorm m(3);
    const double inf = std::numeric_limits<double>::infinity();
    const Tensor y = m(tensor({1., inf, -2.}, kDouble).to(kFloat));
    BOOST_TEST(y[0].item<double>() == 0);
    BOOST_TEST(isnan(y[1]).item<bool>());
    BOOST_TEST(y[2].item<double>() == 0);
    const Tensor huge = full({1, 3}, 1e30).requires_grad_();
    BOOST_TEST(m(huge).equal(zeros({1, 3}))); // the sum of squares overflows
    m(huge).sum().backward();
    BOOST_TEST(huge.grad().equal(zeros({1, 3})));
    BOOST_TEST(isnan(m(tensor({1., double(NAN), 2.}, kDouble).to(kFloat))).all().item<bool>());
}
BOOST_AUTO_TEST_CASE(LN_3_sizes) {
    norms::RMSNorm m(4), one(1);
    BOOST_TEST(m(full({2, 1}, 3.)).sizes() == IntArrayRef({2, 4})); // as the reference: a size of 1 broadcasts
    BOOST_TEST(one(randn({2, 3})).sizes() == IntArrayRef({2, 3}));
    BOOST_TEST(has(message_of<ValueError>([&] { m(randn({2, 3})); }), {"RMSNorm", "[2, 3]", "3", "dim 4"}));
    norms::RMSNorm strict(norms::RMSNormOptions(4).strict(true)), strict_one(norms::RMSNormOptions(1).strict(true));
    BOOST_TEST(has(message_of<ValueError>([&] { strict(randn({2, 1})); }), {"RMSNorm", "[2, 1]", "dim 4"}));
    BOOST_CHECK_THROW(strict_one(randn({2, 3})), ValueError);
    BOOST_TEST(strict_one(randn({2, 1})).sizes() == IntArrayRef({2, 1}));
    BOOST_TEST(has(message_of<ValueError>([] { norms::RMSNorm none(0); }), {"RMSNorm", "dim is 0"}));
}
BOOST_AUTO_TEST_CASE(LN_3_half_dtypes) {
    for (const ScalarType t : {kHalf, kBFloat16}) {
        norms::RMSNorm m(8);
        m->to(t);
        const Tensor x = randn({5, 8}).to(t).requires_grad_(), y = m(x);
        BOOST_TEST((y.scalar_type() == t));
        BOOST_TEST(farthest(y, formula(x.to(kDouble), ones({8}, kDouble), 1e-8, 8)) < (t == kHalf ? 4e-3 : 3e-2));
        y.sum().backward();
        BOOST_TEST((x.grad().scalar_type() == t && m->g.grad().scalar_type() == t));
    }
    // float16 has no 1e-8: zeros give NaN, as in the reference, unless the module is strict
    norms::RMSNorm m(4), strict(norms::RMSNormOptions(4).strict(true));
    m->to(kHalf);
    strict->to(kHalf);
    BOOST_TEST(isnan(m(zeros({2, 4}, kHalf))).all().item<bool>());
    BOOST_TEST(strict(zeros({2, 4}, kHalf)).equal(zeros({2, 4}, kHalf)));
    m->to(kBFloat16);
    BOOST_TEST(m(zeros({2, 4}, kBFloat16)).equal(zeros({2, 4}, kBFloat16)));
    // operands of two dtypes promote, complex ones keep their kind
    BOOST_TEST((m(randn({2, 4})).scalar_type() == kFloat));
    norms::RMSNorm real(2);
    const Tensor z = real(complex(tensor({3., 0.}, kDouble), tensor({4., 0.}, kDouble)));
    BOOST_TEST(farthest(z.abs(), tensor({std::sqrt(2.), 0.}, kDouble)) < 1e-7);
}
BOOST_AUTO_TEST_CASE(LN_3_the_usual_one_is_another_class) {
    const Tensor x = full({1, 4}, 1e-3);
    norms::RMSNorm floor(norms::RMSNormOptions(4).eps(1e-2));
    nn::RMSNorm under_the_root(nn::RMSNormOptions({4}).eps(1e-2));
    BOOST_TEST(farthest(floor(x), full({1, 4}, .1)) < 1e-7);
    BOOST_TEST(farthest(under_the_root(x), full({1, 4}, 1e-3 / std::sqrt(1e-2 + 1e-6))) < 1e-7);
    BOOST_TEST((*under_the_root->named_parameters().begin()).key() == "weight");
}
BOOST_AUTO_TEST_CASE(LN_3_state_clone_and_hooks) {
    norms::RMSNorm m(3);
    disturb(*m);
    const auto copy = std::dynamic_pointer_cast<norms::RMSNormImpl>(m->clone());
    BOOST_REQUIRE(copy);
    BOOST_TEST(copy->g.equal(m->g));
    BOOST_TEST(copy->g.data_ptr() != m->g.data_ptr());
    norms::RMSNorm loaded(3);
    loaded->load_state_dict(m->state_dict());
    BOOST_TEST(loaded->g.equal(m->g));
    int calls = 0;
    m->register_full_backward_hook([&](nn::Module&, const variable_list& in, const variable_list& out) {
        calls += in.size() == 1 && in[0].defined() && out.size() == 1;
    });
    const Tensor x = randn({2, 3}).requires_grad_();
    m(x).sum().backward();
    BOOST_TEST(calls == 1);
    const nn::ModulePtr named = nn::make_module("norms.RMSNorm", {4, 0.5});
    BOOST_TEST(named->as<norms::RMSNorm>()->options.eps() == 0.5);
}

BOOST_AUTO_TEST_SUITE_END()
