// Loops of pointwise rules: every length, layout and floating dtype against one number after the other.
#include <reel/autograd/detail/rule_launch.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <functional>
#include <limits>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/pointwise/activation_piecewise.hpp>
#include <reel/autograd/pointwise/bitwise.hpp>
#include <reel/autograd/pointwise/comparison.hpp>
#include <reel/autograd/pointwise/fused_arithmetic.hpp>
#include <reel/autograd/pointwise/logical.hpp>
#include <reel/autograd/pointwise/run_rule.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr ScalarType floats[] = {kFloat, kDouble, kHalf, kBFloat16};

/// Small halves, which every dtype holds, both zeros, infinities and NaN, from another place on for each `start`.
Tensor numbers(std::int64_t n, int start, ScalarType dtype) {
    constexpr double list[] = {0.5, -1.5, 0.0, 2.0, -0.0, infinity, 1.0, not_a_number, -infinity, -0.5, 1.5, -2.0, 3.0};
    const Tensor t = empty({n}, TensorOptions(kDouble));
    for (std::int64_t i = 0; i < n; ++i) t.data_ptr<double>()[i] = list[std::size_t(i * (start + 1) + start) % 13];
    return t.to(dtype);
}
/// The same numbers in other places: dense, every second of a longer row, a column, from an odd address on.
std::vector<Tensor> laid_out(const Tensor& t) {
    const std::int64_t n = t.numel();
    const Tensor spaced = zeros({2 * n}, t.options()), table = zeros({n, 3}, t.options()),
                 later = zeros({n + 1}, t.options());
    std::vector<Tensor> all{t, spaced.slice(0, 0, 2 * n, 2), table.select(1, 1), later.narrow(0, 1, n)};
    for (std::size_t i = 1; i < all.size(); ++i) all[i].copy_(t);
    return all;
}
double at(const Tensor& t, std::int64_t i) { return t.select(0, i).item().toDouble(); }
bool alike(double x, double y, double tolerance = 0) {
    return std::isnan(x) ? std::isnan(y) : x == y || std::abs(x - y) <= tolerance * std::max(1.0, std::abs(y));
}

using Fn = std::function<Tensor(const Tensor&, const Tensor&, const Tensor&)>;
using Number = std::function<double(double, double, double)>;
/// `f` in every layout, length and dtype gives `number` of the elements; `third` stays dense.
void check_everywhere(const Fn& f, const Number& number, double roundings = 0) {
    for (const ScalarType dtype : floats)
        for (const std::int64_t n : {1, 2, 7, 8, 15, 16, 17, 31, 64, 67}) {
            const double tolerance = roundings * (dtype == kDouble ? 1e-15 : dtype == kFloat ? 1e-6 : 1e-2);
            const Tensor x = numbers(n, 0, dtype), y = numbers(n, 2, dtype), z = numbers(n, 4, dtype);
            const std::vector<Tensor> xs = laid_out(x), ys = laid_out(y), zs = laid_out(z);
            for (std::size_t k = 0; k < xs.size(); ++k) {
                const Tensor got = f(xs[k], ys[(k + 1) % ys.size()], zs[k / 2]);
                const Tensor repeated = f(xs[k], y.select(0, 0), z);
                for (std::int64_t i = 0; i < n; ++i) {
                    BOOST_TEST_CONTEXT(dtype_name(dtype) << ", element " << i << " of " << n << ", layout " << k) {
                        const double want = number(at(x, i), at(y, i), at(z, i)),
                                     other = number(at(x, i), at(y, 0), at(z, i));
                        BOOST_TEST(alike(at(got, i), want, tolerance));
                        BOOST_TEST(alike(at(repeated, i), other, tolerance));
                    }
                }
            }
        }
}
double bounded(double x, double low, double high) {
    if (std::isnan(x)) return x;
    const double raised = std::isnan(low) ? low : x < low ? low : x;
    return std::isnan(raised) ? raised : std::isnan(high) ? high : raised > high ? high : raised;
}

} // namespace

BOOST_AUTO_TEST_SUITE(rule_loops)

BOOST_AUTO_TEST_CASE(comparisons_give_a_bool_for_each_element) {
    using T = const Tensor&;
    check_everywhere([](T x, T y, T) { return eq(x, y); }, [](double x, double y, double) { return x == y; });
    check_everywhere([](T x, T y, T) { return ne(x, y); }, [](double x, double y, double) { return x != y; });
    check_everywhere([](T x, T y, T) { return lt(x, y); }, [](double x, double y, double) { return x < y; });
    check_everywhere([](T x, T y, T) { return le(x, y); }, [](double x, double y, double) { return x <= y; });
    check_everywhere([](T x, T y, T) { return gt(x, y); }, [](double x, double y, double) { return x > y; });
    check_everywhere([](T x, T y, T) { return ge(x, y); }, [](double x, double y, double) { return x >= y; });
    check_everywhere([](T x, T y, T) { return logical_and(x, y); },
                     [](double x, double y, double) { return x != 0 && y != 0; });
    BOOST_TEST((std::is_same_v<pointwise::result_of<pointwise::logical_not_op, Half>, bool>));
    const Tensor table = numbers(64, 1, kFloat).view({8, 8});
    BOOST_TEST(lt(table.t(), table).equal(lt(table.t().contiguous(), table)));
    BOOST_TEST(lt(table, table).scalar_type() == kBool);
}

BOOST_AUTO_TEST_CASE(bounds_hold_and_nan_stays) {
    using T = const Tensor&;
    check_everywhere([](T x, T y, T) { return clamp_min(x, y); },
                     [](double x, double y, double) { return bounded(x, y, infinity); });
    check_everywhere([](T x, T y, T) { return clamp_max(x, y); },
                     [](double x, double y, double) { return bounded(x, -infinity, y); });
    check_everywhere([](T x, T y, T z) { return clamp(x, y, z); }, bounded);
    check_everywhere([](T x, T, T) { return clamp(x, -1, 1.5); },
                     [](double x, double, double) { return bounded(x, -1, 1.5); });
    const Tensor zero = tensor({-0.0, 0.0}, kDouble);
    BOOST_TEST(std::signbit(clamp_min(zero, 0).data_ptr<double>()[0])); // equal to the bound: itself
}

BOOST_AUTO_TEST_CASE(rules_of_three_operands) {
    using T = const Tensor&;
    check_everywhere([](T x, T y, T z) { return addcmul(x, y, z, 0.5); },
                     [](double x, double y, double z) { return x + 0.5 * y * z; }, 4);
    check_everywhere([](T x, T y, T z) { return addcdiv(x, y, z, 2); },
                     [](double x, double y, double z) { return x + 2 * y / z; }, 4);
    const auto between = [](double x, double end, double weight) {
        return std::abs(weight) < 0.5 ? x + weight * (end - x) : end - (end - x) * (1 - weight);
    };
    check_everywhere([](T x, T y, T z) { return lerp(x, y, z); }, between, 4);
    check_everywhere([](T x, T y, T) { return lerp(x, y, 0.25); },
                     [&](double x, double y, double) { return between(x, y, 0.25); }, 4);
    const Tensor whole = arange(5).to(kLong); // no vectors: one after the other
    BOOST_TEST(addcmul(whole, whole, whole, 2).equal(whole + 2 * whole * whole));
}

BOOST_AUTO_TEST_CASE(choices_move_elements_of_every_size) {
    using T = const Tensor&;
    check_everywhere([](T x, T y, T z) { return where(z > 0, x, y); },
                     [](double x, double y, double z) { return z > 0 ? x : y; });
    check_everywhere([](T x, T, T z) { return where(z > 0, x, 7); },
                     [](double x, double, double z) { return z > 0 ? x : 7; });
    check_everywhere([](T x, T, T z) { return where(z > 0, -3, x); },
                     [](double x, double, double z) { return z > 0 ? -3 : x; });
    const Tensor chosen = arange(67) % 3 == 0;
    for (const ScalarType t : {kBool, kByte, kShort, kInt, kLong, kComplexFloat, kComplexDouble}) {
        const Tensor x = (arange(67) % 2).to(t), y = (arange(67) % 5 == 1).to(t);
        const Tensor got = where(chosen, x, y);
        BOOST_TEST(got.scalar_type() == t);
        for (std::int64_t i = 0; i < 67; ++i) BOOST_TEST(got.select(0, i).equal((i % 3 == 0 ? x : y).select(0, i)));
    }
    BOOST_TEST(where(chosen.narrow(0, 0, 0), chosen.narrow(0, 0, 0), chosen.narrow(0, 0, 0)).numel() == 0);
}

BOOST_AUTO_TEST_CASE(logic_and_bits_of_whole_numbers) {
    const auto compare = [](const Tensor& x, const Tensor& y) {
        const bool one_bit = x.scalar_type() == kBool;
        for (const Tensor& a : laid_out(x))
            for (const Tensor& b : laid_out(y)) {
                const Tensor both = logical_and(a, b), either = logical_or(a, b), one = logical_xor(a, b),
                             none = logical_not(a), bits = bitwise_and(a, b), some = bitwise_or(a, b),
                             other = bitwise_xor(a, b), turned = bitwise_not(a);
                bool right = both.scalar_type() == kBool && bits.scalar_type() == x.scalar_type();
                for (std::int64_t i = 0; i < x.numel(); ++i) {
                    const auto p = std::int64_t(at(x, i)), q = std::int64_t(at(y, i));
                    const auto wrapped = [&](std::int64_t v) { return at(full({1}, v, x.options()), 0); };
                    right = right && at(both, i) == (p && q) && at(either, i) == (p || q) && at(one, i) == (!p != !q) &&
                            at(none, i) == !p && at(bits, i) == wrapped(p & q) && at(some, i) == wrapped(p | q) &&
                            at(other, i) == wrapped(p ^ q) && at(turned, i) == (one_bit ? double(!p) : wrapped(~p));
                }
                BOOST_TEST(right);
            }
    };
    for (const ScalarType t : {kBool, kByte, kChar, kShort, kInt, kLong})
        for (const std::int64_t n : {1, 67}) compare((arange(n) % 3).to(t), (arange(n) % 5 - 1).abs().to(t));
    const Tensor table = arange(12).view({3, 4});
    BOOST_TEST((table & 6).equal(bitwise_and(table, full({3, 4}, 6, kLong)))); // a repeated element
    BOOST_TEST((table.t() & table.t().contiguous()).equal(table.t()));
}

BOOST_AUTO_TEST_CASE(inverse_of_the_error_function) {
    // By float64's, which goes another way: within 2.2 units in the last place, at both ends too.
    const Tensor x = cat({linspace(-1, 1, 4001), 1 - logspace(-7, -1, 500)}), want = erfinv(x.to(kDouble)),
                 got = erfinv(x).to(kDouble);
    int far = 0;
    for (std::int64_t i = 0; i < x.numel(); ++i) {
        const float y = float(at(want, i)), unit = std::abs(std::nextafter(y, 2 * y) - y);
        far += !alike(at(got, i), at(want, i)) && !(std::abs(at(got, i) - at(want, i)) <= 2.2 * double(unit));
    }
    BOOST_TEST(far == 0);
    BOOST_TEST(std::isnan(at(erfinv(full({1}, 1.5)), 0)));
    BOOST_TEST(std::signbit(at(erfinv(full({1}, -0.0)), 0)));
}

BOOST_AUTO_TEST_CASE(prelu_and_its_gradients_in_one_loop_each) {
    using T = const Tensor&;
    check_everywhere([](T x, T y, T) { return pointwise::evaluate("prelu", pointwise::prelu_op{}, x, y); },
                     [](double x, double y, double) { return x > 0 ? x : y * x; });
    check_everywhere(
        [](T x, T y, T z) { return pointwise::evaluate("prelu", pointwise::prelu_input_gradient_op{}, x, y, z); },
        [](double g, double x, double w) { return x > 0 ? g : w * g; });
    check_everywhere(
        [](T x, T y, T) { return pointwise::evaluate("prelu", pointwise::prelu_weight_gradient_op{}, x, y); },
        [](double g, double x, double) { return x >= 0 ? 0 : x * g; });
}

BOOST_AUTO_TEST_CASE(complementary_errors_and_logarithms_keep_their_digits) {
    const Tensor x = linspace(-6, 9.1, 20011, kFloat), y = erfc(x);
    for (std::int64_t i = 0; i < x.numel(); ++i) {
        const double exact = std::erfc(double(x.data_ptr<float>()[i]));
        BOOST_REQUIRE_SMALL(double(y.data_ptr<float>()[i]) / exact - 1, 1.7 * 0x1p-23);
    }
    const Tensor ends = erfc(tensor({-infinity, infinity, 10.3, -20., 0., -0., not_a_number}).to(kFloat));
    for (const auto& [i, value] : {std::pair(0, 2.), {1, 0.}, {2, 0.}, {3, 2.}, {4, 1.}, {5, 1.}, {6, not_a_number}})
        BOOST_TEST(alike(at(ends, i), value));
    const Tensor of = tensor({0., -0., infinity, 1e-45, 1.1754944e-38, 1., 3.4e38, -1e-45, -infinity, not_a_number})
                          .to(kFloat),
                 logs = log(of);
    for (std::int64_t i = 0; i < of.numel(); ++i)
        BOOST_TEST(alike(at(logs, i), double(std::log(float(at(of, i)))), 1e-7));
}

BOOST_AUTO_TEST_CASE(wide_gelu_falls_to_zero_without_cancelling) {
    const Tensor x = linspace(-9, 9, 10007, kDouble), y = gelu(x);
    for (std::int64_t i = 0; i < x.numel(); ++i) {
        const double v = x.data_ptr<double>()[i], exact = v * 0.5 * std::erfc(-v * 0.70710678118654752440);
        BOOST_REQUIRE_SMALL(y.data_ptr<double>()[i] - exact, 1e-15 + 5e-16 * std::abs(exact));
    }
    const Tensor ends = gelu(tensor({-40., -infinity, infinity, 0.}).to(kDouble));
    BOOST_TEST(alike(at(ends, 0), 0));
    BOOST_TEST(alike(at(ends, 2), infinity));
    BOOST_TEST(alike(at(ends, 3), 0));
}

BOOST_AUTO_TEST_CASE(gelu_of_float32_is_right_to_a_unit_of_its_argument) {
    const Tensor x = linspace(-9.5, 9.5, 30011, kFloat), y = gelu(x);
    for (std::int64_t i = 0; i < x.numel(); ++i) {
        const double v = double(x.data_ptr<float>()[i]), exact = v * 0.5 * std::erfc(-v * 0.70710678118654752440);
        BOOST_REQUIRE_SMALL(double(y.data_ptr<float>()[i]) - exact, 1e-45 + 1.3e-7 * std::abs(v));
    }
    const Tensor ends = gelu(tensor({-40., infinity, 0., not_a_number, 8., -8.}).to(kFloat));
    for (const auto& [i, value] : {std::pair(0, 0.), {1, infinity}, {2, 0.}, {3, not_a_number}, {4, 8.}})
        BOOST_TEST(alike(at(ends, i), value));
    BOOST_TEST(std::abs(at(ends, 5)) < 1e-6);
}

BOOST_AUTO_TEST_CASE(loops_are_those_of_the_instruction_set) {
    using pointwise::loop_of;
    // with a vector form there is no other loop for floats; the result's dtype is the rule's
    BOOST_TEST(
        (loop_of<pointwise::lt_op>(kFloat).loop == pointwise::loop_table<pointwise::lt_op>.forward[int(kFloat)]));
    BOOST_TEST((loop_of<pointwise::lt_op>(kFloat).loop != nullptr));
    BOOST_TEST((loop_of<pointwise::lt_op>(kHalf).result == kBool));
    BOOST_TEST((loop_of<pointwise::lt_op>(kComplexFloat).loop == nullptr)); // no order
    BOOST_TEST((loop_of<pointwise::addcmul_op>(kBFloat16).result == kBFloat16));
    BOOST_TEST((loop_of<pointwise::addcmul_op>(kLong).loop != nullptr));
    BOOST_TEST((pointwise::loop_table<pointwise::bitwise_and_op>.forward[int(kBool)] != nullptr));
    BOOST_TEST((loop_of<pointwise::logical_and_op>(kLong).result == kBool));
}

BOOST_AUTO_TEST_SUITE_END()
