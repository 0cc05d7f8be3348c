// float32 functions over all of their range: how far they are from float64's, in units in the last place.
#include <reel/autograd/detail/cpu/isa.hpp>

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

using Function = Tensor (*)(const Tensor&);

/// Every `step`-th bit pattern, NaN, infinities and subnormal numbers among them, and what lies about the borders of
/// pieces.
Tensor floats_of_every_size(std::uint32_t step) {
    std::vector<float> all;
    for (std::uint64_t u = 0; u < 0x1'0000'0000; u += step) {
        const auto bits = std::uint32_t(u);
        std::memcpy(&all.emplace_back(), &bits, sizeof bits);
    }
    for (int quarter = 1; quarter < 64; ++quarter) {
        float x = float(quarter) / 4;
        for (int k = 0; k < 4; ++k) x = std::nextafter(x, 0.f);
        for (int k = 0; k < 9; ++k, x = std::nextafter(x, INFINITY)) all.push_back(x), all.push_back(-x);
    }
    return tensor(all);
}
/// The largest distance of `got` from what `exact` gives for `x`, in units of the float next to it; infinity where one
/// is NaN or infinite and the other is not, or where their signs differ.
double units_apart(const Tensor& x, const Tensor& got, double (*exact)(double)) {
    double worst = 0;
    for (std::int64_t i = 0; i < x.numel(); ++i) {
        const double wanted = exact(x.data_ptr<float>()[i]), y = got.data_ptr<float>()[i];
        const float nearest = float(wanted), size = std::abs(nearest);
        if (!std::isfinite(nearest) || !std::isfinite(y)) {
            const bool same = std::isnan(nearest) ? std::isnan(y) : double(nearest) == y;
            if (!same) return std::numeric_limits<double>::infinity();
        } else if (std::signbit(y) != std::signbit(wanted)) return std::numeric_limits<double>::infinity();
        else worst = std::max(worst, std::abs(y - wanted) / (std::nextafter(size, INFINITY) - size));
    }
    return worst;
}

} // namespace

BOOST_AUTO_TEST_SUITE(float_functions)

BOOST_AUTO_TEST_CASE(are_right_to_about_a_unit) {
    const struct {
        const char* name;
        Function of;
        double (*exact)(double);
        double units;
    } all[] = {{"exp", &exp, &std::exp, 1.1},     {"exp2", &exp2, &std::exp2, 1}, {"expm1", &expm1, &std::expm1, 1.6},
               {"log", &log, &std::log, 1},       {"log2", &log2, &std::log2, 1}, {"log10", &log10, &std::log10, 1},
               {"log1p", &log1p, &std::log1p, 1}, {"erf", &erf, &std::erf, 2.3},  {"erfc", &erfc, &std::erfc, 1.7},
               {"tanh", &tanh, &std::tanh, 2.8},  {"sin", &sin, &std::sin, 2},    {"cos", &cos, &std::cos, 2},
               {"tan", &tan, &std::tan, 2},       {"asin", &asin, &std::asin, 2}, {"acos", &acos, &std::acos, 2},
               {"atan", &atan, &std::atan, 2}};
    const Tensor x = floats_of_every_size(20011);
    for (const auto& f : all) {
        const double apart = units_apart(x, f.of(x), f.exact);
        BOOST_TEST(apart <= f.units, f.name << " is " << apart << " units off");
    }
}

BOOST_AUTO_TEST_CASE(whole_powers_have_whole_logarithms) {
    const Tensor of_two = arange(-149, 128, 1, kDouble), of_ten = arange(-10, 11, 1, kDouble);
    BOOST_TEST(equal(log2(exp2(of_two).to(kFloat)), of_two.to(kFloat)));
    BOOST_TEST(equal(exp2(of_two.to(kFloat)), exp2(of_two).to(kFloat)));
    BOOST_TEST(equal(log10(pow(10, of_ten.slice(0, 10)).to(kFloat)), of_ten.slice(0, 10).to(kFloat)));
}

BOOST_AUTO_TEST_CASE(are_exact_where_the_result_is) {
    const float inf = std::numeric_limits<float>::infinity();
    const Tensor zeros = tensor({0.f, -0.f}), ends = tensor({inf, -inf, 1e30f, -1e30f});
    for (const Function f : std::initializer_list<Function>{&sin, &tan, &asin, &atan, &tanh, &erf}) {
        const Tensor y = f(zeros);
        BOOST_TEST((equal(y, zeros) && std::signbit(y.data_ptr<float>()[1])));
    }
    BOOST_TEST(equal(cos(zeros), ones({2})));
    BOOST_TEST(equal(erfc(zeros), ones({2})));
    BOOST_TEST(acos(tensor(1.f)).item<float>() == 0);
    BOOST_TEST(equal(tanh(ends), tensor({1.f, -1.f, 1.f, -1.f})));
    BOOST_TEST(equal(erf(ends), tensor({1.f, -1.f, 1.f, -1.f})));
    BOOST_TEST(equal(erfc(ends), tensor({0.f, 2.f, 0.f, 2.f})));
    BOOST_TEST(equal(atan(ends), sign(ends) * float(std::acos(-1.) / 2)));
    BOOST_TEST(tanh(arange(9.02, 100, 0.01, kFloat)).max().item<float>() == 1);
    BOOST_TEST(tanh(arange(8, 9.5, 1e-4, kFloat)).max().item<float>() == 1);
}

/// Beyond a bound the vector goes another way as a whole; what does not lie there must not notice. Without fused
/// products all of it is SLEEF's, which makes such a difference itself.
BOOST_AUTO_TEST_CASE(do_not_depend_on_their_neighbours) {
    if (cpu::isa() < cpu::Isa::v3) return;
    manual_seed(4);
    const Tensor near = randn({4099}) * 100, mixed = near.clone();
    mixed.slice(0, 0, 4099, 5).fill_(3e7);
    mixed.slice(0, 1, 4099, 7).fill_(std::numeric_limits<float>::infinity());
    const Tensor same = mixed == near;
    for (const Function f : std::initializer_list<Function>{&sin, &cos, &tan})
        BOOST_TEST(equal(f(mixed).masked_select(same), f(near).masked_select(same)));
}

BOOST_AUTO_TEST_CASE(the_length_of_two_sides_has_no_square_that_is_too_large) {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    const Tensor a = tensor({3e38f, 3e-45f, inf, nan, 3.f, nan, -inf, 0.f}),
                 b = tensor({1e38f, 4e-45f, nan, -inf, 4.f, 1.f, 1.f, -0.f});
    const Tensor y = hypot(a, b);
    const float* const p = y.data_ptr<float>();
    BOOST_TEST(p[0] == std::hypot(3e38f, 1e38f));
    BOOST_TEST(p[1] == std::hypot(3e-45f, 4e-45f));
    BOOST_TEST((p[2] == inf && p[3] == inf && p[6] == inf));
    BOOST_TEST(p[4] == 5);
    BOOST_TEST(std::isnan(p[5]));
    BOOST_TEST((p[7] == 0 && !std::signbit(p[7])));
}

BOOST_AUTO_TEST_SUITE_END()
