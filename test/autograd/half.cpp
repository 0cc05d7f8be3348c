// The 16-bit floats: every value of theirs, in loops of every length, is what the scalar conversions make of it.
#include <reel/autograd/half.hpp>

#include <boost/test/unit_test.hpp>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include <reel/autograd.hpp>

using reel::BFloat16;
using reel::Half;
using reel::Tensor;

namespace {

template <class T> Tensor every_value() {
    const Tensor t = reel::empty({65536}, reel::TensorOptions(reel::dtype_of<T>));
    for (unsigned i = 0; i < 65536; ++i) t.data_ptr<T>()[i] = T::from_bits(std::uint16_t(i));
    return t;
}
bool same(float a, float b) {
    return std::isnan(a) ? std::isnan(b) : std::bit_cast<unsigned>(a) == std::bit_cast<unsigned>(b);
}

template <class T> void widen_all() {
    const Tensor all = every_value<T>();
    for (const std::int64_t length : {65536, 65531, 1}) {
        const Tensor from = all.narrow(0, 65536 - length, length), wide = from.to(reel::kFloat), sum = from + 0;
        int wrong = 0;
        for (std::int64_t i = 0; i < length; ++i) {
            const T x = from.data_ptr<T>()[i];
            wrong += !same(wide.data_ptr<float>()[i], float(x));
            wrong += !same(float(sum.data_ptr<T>()[i]), float(x) + 0.f);
        }
        BOOST_TEST(wrong == 0);
    }
}
/// Numbers at and beside every rounding border, and anything else.
template <class T> void narrow_many() {
    std::vector<float> numbers;
    for (unsigned i = 0; i < 65536; i += 3)
        for (const int d : {-1, 0, 1}) {
            const unsigned middle = std::bit_cast<unsigned>(float(T::from_bits(std::uint16_t(i)))) + unsigned(d);
            numbers.push_back(std::bit_cast<float>(middle));
            numbers.push_back(std::bit_cast<float>(middle + (std::is_same_v<T, Half> ? 0x1000u : 0x8000u)));
        }
    std::mt19937 random(1);
    for (int i = 0; i < 100003; ++i) numbers.push_back(std::bit_cast<float>(unsigned(random())));
    const Tensor narrow = reel::tensor(numbers).to(reel::dtype_of<T>);
    int wrong = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) wrong += narrow.data_ptr<T>()[i].bits != T(numbers[i]).bits;
    BOOST_TEST(wrong == 0);
}

} // namespace

BOOST_AUTO_TEST_SUITE(half)

BOOST_AUTO_TEST_CASE(every_value_widens) {
    widen_all<Half>();
    widen_all<BFloat16>();
}
BOOST_AUTO_TEST_CASE(numbers_round_to_nearest_even) {
    narrow_many<Half>();
    narrow_many<BFloat16>();
}

BOOST_AUTO_TEST_CASE(whatever_is_not_zero_is_true) {
    for (const Tensor& all : {every_value<Half>(), every_value<BFloat16>(), every_value<Half>().to(reel::kDouble)})
        for (const Tensor& t : {all, all.view({2, 32768}).t()}) {
            const Tensor truth = t.to(reel::kBool), wide = t.to(reel::kFloat).contiguous();
            const Tensor got = truth.contiguous();
            int wrong = 0;
            for (std::int64_t i = 0; i < 65536; ++i)
                wrong += got.data_ptr<bool>()[i] != (wide.data_ptr<float>()[i] != 0);
            BOOST_TEST(wrong == 0);
        }
    BOOST_TEST(reel::arange(-3, 3).to(reel::kBool).sum().item<std::int64_t>() == 5);
}
BOOST_AUTO_TEST_CASE(running_sums_are_kept_in_float32) {
    for (const reel::ScalarType t : {reel::kHalf, reel::kBFloat16}) {
        const Tensor x = reel::randn({3, 700}).to(t);
        const Tensor want = x.to(reel::kFloat).contiguous();
        for (std::int64_t i = 0; i < 3; ++i)
            for (std::int64_t k = 1; k < 700; ++k)
                want.data_ptr<float>()[i * 700 + k] += want.data_ptr<float>()[i * 700 + k - 1];
        BOOST_TEST(x.cumsum(1).equal(want.to(t)));
        const Tensor y = x.detach().requires_grad_();
        y.cumsum(1).sum().backward();
        BOOST_TEST(y.grad().select(0, 0).select(0, 699).item<float>() == 1.f);
    }
}

BOOST_AUTO_TEST_CASE(products_are_rounded_once) {
    for (const reel::ScalarType t : {reel::kHalf, reel::kBFloat16})
        for (const bool ta : {false, true})
            for (const bool tb : {false, true}) {
                const Tensor a = reel::randn({ta ? 37 : 530, ta ? 530 : 37}).to(t),
                             b = reel::randn({tb ? 19 : 37, tb ? 37 : 19}).to(t);
                const Tensor x = ta ? a.t() : a, y = tb ? b.t() : b;
                const Tensor exact = reel::mm(x.to(reel::kDouble), y.to(reel::kDouble));
                const Tensor got = reel::mm(x, y).to(reel::kDouble);
                // half a unit of the last place of a number below 64, and what float32 sums lose
                const double unit = t == reel::kHalf ? 1.0 / 2048 : 1.0 / 256;
                BOOST_TEST(((got - exact).abs() / (exact.abs() + 1)).max().item().toDouble() < unit);
                const Tensor c = reel::randn({530, 19}).to(t);
                const Tensor sum = reel::addmm(c, x, y, 0.5, 2).to(reel::kDouble),
                             want = c.to(reel::kDouble) * 0.5 + exact * 2;
                BOOST_TEST(((sum - want).abs() / (want.abs() + 1)).max().item().toDouble() < unit);
            }
    const Tensor none = reel::mm(reel::ones({3, 0}, reel::kHalf), reel::ones({0, 2}, reel::kHalf));
    BOOST_TEST(none.eq(0).all().item().toBool());
}

BOOST_AUTO_TEST_CASE(extrema_of_rows_know_nan_and_the_first_place) {
    for (const reel::ScalarType t : {reel::kHalf, reel::kBFloat16, reel::kFloat, reel::kDouble})
        for (const std::int64_t n : {1, 7, 64, 129, 1000}) {
            Tensor x = reel::randn({4, n}).to(t);
            x.select(0, 1).fill_(2);
            x.select(0, 2).select(0, n - 1).fill_(std::nan(""));
            const Tensor place = x.argmax(1), least = x.argmin(1);
            BOOST_TEST(place.select(0, 1).item().toLong() == 0);
            BOOST_TEST(place.select(0, 2).item().toLong() == n - 1);
            BOOST_TEST(least.select(0, 2).item().toLong() == n - 1);
            BOOST_TEST(std::isnan(x.amax(reel::IntArrayRef{1}).select(0, 2).item().toDouble()));
            const Tensor row = x.select(0, 0).to(reel::kDouble);
            for (std::int64_t i = 0; i < n; ++i)
                BOOST_TEST(row.select(0, i).item().toDouble() <=
                           row.select(0, place.select(0, 0).item().toLong()).item().toDouble());
        }
}

/// In every order of memory, along the first dims, the last ones and all: as over a dense copy in float64.
BOOST_AUTO_TEST_CASE(reductions_do_not_depend_on_the_layout) {
    const Tensor base = (reel::randn({6, 35, 20}) * 4).to(reel::kHalf).to(reel::kDouble);
    const std::vector<std::vector<std::int64_t>> dims{{0}, {1}, {2}, {0, 1}, {1, 2}, {0, 2}, {0, 1, 2}};
    for (const reel::ScalarType t :
         {reel::kHalf, reel::kBFloat16, reel::kFloat, reel::kDouble, reel::kLong, reel::kByte})
        for (const std::vector<std::int64_t>& order :
             {std::vector<std::int64_t>{0, 1, 2}, {2, 0, 1}, {2, 1, 0}, {1, 0, 2}}) {
            const Tensor x = base.to(t).permute(order), dense = x.contiguous(), exact = dense.to(reel::kDouble);
            for (const auto& d : dims) {
                const Tensor sum = x.sum(d).to(reel::kDouble), want = exact.sum(d);
                const double unit = t == reel::kBFloat16 ? 1.0 / 128 : t == reel::kHalf ? 1.0 / 1024 : 1e-5;
                BOOST_TEST(((sum - want).abs() / (want.abs() + 1)).max().item().toDouble() < unit);
                BOOST_TEST(x.amax(d).to(reel::kDouble).equal(exact.amax(d)));
                BOOST_TEST(x.amin(d).to(reel::kDouble).equal(exact.amin(d)));
                if (t != reel::kFloat && t != reel::kDouble) continue;
                BOOST_TEST(reel::allclose(reel::linalg::vector_norm(x, 2, d), reel::linalg::vector_norm(dense, 2, d)));
                BOOST_TEST(reel::allclose(reel::logsumexp(x, d), reel::logsumexp(dense, d)));
                BOOST_TEST(reel::allclose(reel::var(x, d, 1), reel::var(dense, d, 1)));
            }
        }
    Tensor x = reel::zeros({5, 40});
    x.select(0, 2).select(0, 17).fill_(std::nan(""));
    x.select(0, 4).fill_(1);
    const Tensor most = x.amax(reel::IntArrayRef{0});
    BOOST_TEST(std::isnan(most.select(0, 17).item().toDouble()));
    BOOST_TEST(most.select(0, 16).item().toDouble() == 1);
}

BOOST_AUTO_TEST_CASE(numbers_that_16_bits_do_not_hold) {
    using reel::kHalf;
    const Tensor x = reel::tensor({0., 65504., -65504.}).to(kHalf).requires_grad_();
    const Tensor scaled = x / 70000.0; // 70000 itself would be infinite
    BOOST_TEST(scaled.scalar_type() == kHalf);
    BOOST_TEST(scaled.equal((x.to(reel::kFloat) / 70000.0).to(kHalf)));
    BOOST_TEST(std::abs(scaled[1].item<double>() - 0.9358) < 1e-3);
    BOOST_TEST((x * 70000.0)[0].item<double>() == 0); // and 0 times infinity NaN
    BOOST_TEST((x - 70000.0)[1].item<double>() == -4496);
    BOOST_TEST((x + 70000.0)[2].item<double>() == 4496);
    BOOST_TEST((70000.0 - x)[1].item<double>() == 4496);
    const Tensor few = reel::full({1}, 30000, kHalf) * 1e-5; // which has 7 bits there
    BOOST_TEST(std::abs(few.item<double>() - 0.3) < 2e-4);
    scaled.sum().backward();
    BOOST_TEST(std::abs(x.grad()[0].item<double>() - 1.4305e-5) < 1e-7);
    BOOST_TEST(x.grad().scalar_type() == kHalf);
    Tensor in_place = reel::full({1}, 65504, kHalf);
    in_place.div_(131008.0);
    BOOST_TEST(in_place.item<double>() == 0.5);
}

BOOST_AUTO_TEST_SUITE_END()
