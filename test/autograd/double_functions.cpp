// float64 functions that have forms of their own: how far they are from extended precision, in units in the last place.
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;

namespace {

/// Numbers of every size, NaN and subnormal ones among them, then many in which the functions change.
Tensor doubles() {
    const double inf = std::numeric_limits<double>::infinity();
    std::vector<double> all{0.,     -0.,    inf,    -inf,   std::nan(""), 5e-324, -5e-324, 1.,           -1.,
                            709.78, 709.79, -708.5, -745.1, -745.2,       1e308,  -1e308,  1. - 0x1p-53, 1. + 0x1p-52};
    std::uint64_t state = 88172645463325252;
    for (int i = 0; i < 400000; ++i) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        const double unit = double(state >> 11) * 0x1p-53;
        double x;
        std::memcpy(&x, &state, sizeof x);
        for (const double y : {x, (unit - 0.5) * 4, (unit - 0.5) * 1500, 1 + (unit - 0.5) / 16, unit * 20})
            all.push_back(y);
    }
    return tensor(all, kDouble);
}
/// Infinite where one is not finite and the other is, or where their signs differ, but where y is zero too early.
double units_apart(const Tensor& x, const Tensor& got, long double (*exact)(long double)) {
    double worst = 0;
    for (std::int64_t i = 0; i < x.numel(); ++i) {
        const long double wanted = exact(x.data_ptr<double>()[i]);
        const double nearest = double(wanted), y = got.data_ptr<double>()[i], size = std::abs(nearest);
        if (!std::isfinite(nearest) || !std::isfinite(y)) {
            const bool same = std::isnan(nearest) ? std::isnan(y) : nearest == y;
            if (!same) return std::numeric_limits<double>::infinity();
        } else if ((y != 0 || nearest == 0) && std::signbit(y) != std::signbit(nearest))
            return std::numeric_limits<double>::infinity();
        else worst = std::max(worst, std::abs(double(y - wanted)) / (std::nextafter(size, INFINITY) - size));
    }
    return worst;
}

} // namespace

BOOST_AUTO_TEST_SUITE(double_functions)

BOOST_AUTO_TEST_CASE(are_right_to_about_a_unit) {
    const struct {
        const char* name;
        Tensor (*of)(const Tensor&);
        long double (*exact)(long double);
        double units;
    } all[] = {{"exp", &exp, &std::exp, 1.1},
               {"log", &log, &std::log, 1},
               {"log1p", &log1p, &std::log1p, 1.1},
               {"tanh", &tanh, &std::tanh, 1.5}};
    const Tensor x = doubles();
    for (const auto& f : all) {
        const double apart = units_apart(x, f.of(x), f.exact);
        BOOST_TEST(apart <= f.units, f.name << " is " << apart << " units off");
    }
}

BOOST_AUTO_TEST_SUITE_END()
