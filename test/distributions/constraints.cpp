// Constraints: which values lie in a set.
#include <reel/distributions/constraints.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;
using namespace reel::distributions;

namespace {
Tensor number(double x) { return full({}, x, kDouble); }
} // namespace

BOOST_AUTO_TEST_SUITE(distributions_constraints)

BOOST_AUTO_TEST_CASE(sets) {
    namespace c = constraints;
    const auto inside = [](const Constraint& set, const Tensor& value) { return set.check(value).all().item<bool>(); };
    const Tensor x = tensor({0., 1., 2.5}, kDouble), matrix = tensor({2., 1., 1., 2.}, kDouble).view({2, 2});
    BOOST_TEST(inside(c::nonnegative(), x));
    BOOST_TEST(!inside(c::positive(), x));
    BOOST_TEST(!inside(c::nonnegative_integer(), x));
    BOOST_TEST(inside(c::nonnegative_integer(), tensor({0, 3})));
    BOOST_TEST(!inside(c::positive_integer(), tensor({0, 3})));
    BOOST_TEST(inside(c::integer_interval(0, 3), tensor({0, 3})));
    BOOST_TEST(inside(c::interval(0, 2.5), x));
    BOOST_TEST(!inside(c::half_open_interval(0, 2.5), x));
    BOOST_TEST(!inside(c::real(), number(NAN)));
    BOOST_TEST(inside(c::boolean(), tensor({0., 1.})));
    BOOST_TEST(inside(c::one_hot(), tensor({0., 1.})));
    BOOST_TEST(inside(c::simplex(), tensor({.25, .75})));
    BOOST_TEST(inside(c::multinomial(4), tensor({3., 1.})));
    BOOST_TEST(inside(c::less_than(3), x));
    BOOST_TEST(inside(c::greater_than_eq(0), x));
    BOOST_TEST(inside(c::positive_definite(), matrix));
    BOOST_TEST(inside(c::symmetric(), matrix));
    BOOST_TEST(inside(c::square(), matrix));
    BOOST_TEST(!inside(c::square(), ones({2, 3})));
    BOOST_TEST(!inside(c::positive_definite(), matrix - 3 * eye(2, std::nullopt, kDouble)));
    BOOST_TEST(inside(c::positive_semidefinite(), ones({2, 2})));
    BOOST_TEST(!inside(c::lower_triangular(), matrix));
    BOOST_TEST(inside(c::lower_cholesky(), linalg_cholesky(matrix)));
    BOOST_TEST(!inside(c::corr_cholesky(), linalg_cholesky(matrix)));
    BOOST_TEST(c::real_vector().check(ones({2, 3})).sizes() == IntArrayRef({2}));
    BOOST_TEST(c::independent(c::positive(), 2).event_dim() == 2);
    BOOST_TEST(c::positive().str() == "GreaterThan(lower_bound=0.0)");
    BOOST_TEST(c::boolean().is_discrete());
}

BOOST_AUTO_TEST_SUITE_END()
