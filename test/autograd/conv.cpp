// Convolutions: geometry, gradients of first and second order, refused arguments.
#include <reel/autograd/kernels/conv.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/context.hpp>
#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;
using autograd::variable_list;

namespace {

Tensor leaf(IntArrayRef size) { return (rand(size).to(kDouble) - 0.5).detach().requires_grad_(); }
double largest(const Tensor& t) { return t.abs().max().item<double>(); }
struct WithoutWinograd { // which rounds where sums of integers do not
    WithoutWinograd() { globalContext().setUserEnabledWinograd(false); }
    ~WithoutWinograd() { globalContext().setUserEnabledWinograd(true); }
};
bool says(const std::exception& e, const char* text) { return std::string(e.what()).find(text) != std::string::npos; }

/// Every term written out.
Tensor slow_conv2d(const Tensor& x, const Tensor& w, const Tensor& b, int stride, int padding, int dilation,
                   int groups) {
    const std::int64_t n = x.size(0), out = w.size(0), cg = w.size(1), kh = w.size(2), kw = w.size(3);
    const std::int64_t h = (x.size(2) + 2 * padding - dilation * (kh - 1) - 1) / stride + 1;
    const std::int64_t v = (x.size(3) + 2 * padding - dilation * (kw - 1) - 1) / stride + 1;
    Tensor y = zeros({n, out, h, v}, kDouble);
    auto xa = x.accessor<double, 4>(), wa = w.accessor<double, 4>(), ya = y.accessor<double, 4>();
    auto ba = b.accessor<double, 1>();
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t o = 0; o < out; ++o)
            for (std::int64_t r = 0; r < h; ++r)
                for (std::int64_t c = 0; c < v; ++c) {
                    double sum = ba[o];
                    for (std::int64_t k = 0; k < cg; ++k)
                        for (std::int64_t p = 0; p < kh; ++p)
                            for (std::int64_t q = 0; q < kw; ++q) {
                                const std::int64_t a = r * stride - padding + p * dilation,
                                                   e = c * stride - padding + q * dilation;
                                if (a < 0 || a >= x.size(2) || e < 0 || e >= x.size(3)) continue;
                                sum += xa[i][o / (out / groups) * cg + k][a][e] * wa[o][k][p][q];
                            }
                    ya[i][o][r][c] = sum;
                }
    return y;
}

} // namespace

BOOST_AUTO_TEST_SUITE(conv)

BOOST_AUTO_TEST_CASE(equals_the_sum_written_out) {
    for (const auto& [stride, padding, dilation, groups] :
         {std::tuple{1, 0, 1, 1}, {2, 1, 1, 2}, {1, 2, 2, 1}, {3, 1, 1, 4}, {1, 1, 1, 1}}) {
        const Tensor x = leaf({3, 4, 9, 8}).detach(), w = leaf({8, 4 / groups, 3, 2}).detach(), b = leaf({8}).detach();
        const Tensor want = slow_conv2d(x, w, b, stride, padding, dilation, groups);
        const Tensor got = conv2d(x, w, b, stride, padding, dilation, groups);
        BOOST_TEST(got.sizes() == want.sizes());
        BOOST_TEST(largest(got - want) < 1e-13);
    }
}
BOOST_AUTO_TEST_CASE(a_pointwise_kernel_and_many_blocks) {
    const Tensor x = leaf({2, 3, 70, 60}).detach(), w = leaf({5, 3, 1, 1}).detach(), b = leaf({5}).detach();
    BOOST_TEST(largest(conv2d(x, w, b) - slow_conv2d(x, w, b, 1, 0, 1, 1)) < 1e-13);
    const Tensor wide = leaf({2, 40, 40, 40}).detach(), k = leaf({3, 40, 3, 3}).detach(),
                 c = leaf({3}).detach(); // several blocks of columns
    BOOST_TEST(largest(conv2d(wide, k, c, 1, 1) - slow_conv2d(wide, k, c, 1, 1, 1, 1)) < 1e-12);
}
BOOST_AUTO_TEST_CASE(large_shapes_equal_the_integer_ones) {
    // Integers small enough for float32 to be exact; kLong goes another way. Many images to a block, blocks of rows,
    // rows that are whole vectors and that are not, strides that skip places, several planes.
    const WithoutWinograd exact;
    struct Shape {
        Dims x, w;
        int stride, padding, dilation, groups;
    };
    const auto whole = [](IntArrayRef size) { return randint(-3, 4, size).to(kLong); };
    for (const Shape& s :
         std::initializer_list<Shape>{{{9, 16, 32, 32}, {16, 16, 3, 3}, 1, 1, 1, 1},
                                      {{3, 24, 57, 61}, {20, 24, 3, 3}, 1, 1, 1, 1},
                                      {{2, 40, 56, 56}, {33, 40, 3, 3}, 1, 1, 1, 1},
                                      {{37, 33, 8, 8}, {70, 33, 3, 3}, 1, 1, 1, 1},
                                      {{5, 64, 7, 7}, {129, 64, 3, 3}, 2, 1, 1, 1},
                                      {{2, 3, 99, 101}, {17, 3, 7, 7}, 2, 3, 1, 1},
                                      {{6, 8, 21, 20}, {12, 4, 1, 1}, 2, 0, 1, 2},
                                      {{4, 6, 30, 31}, {6, 1, 3, 3}, 1, 2, 2, 6}, // a channel to a channel
                                      {{9, 40, 56, 56}, {40, 1, 3, 3}, 1, 1, 1, 40},
                                      {{5, 17, 7, 9}, {17, 1, 5, 3}, 2, 2, 1, 17},
                                      {{3, 5, 6, 7, 70}, {5, 1, 2, 3, 3}, 1, 1, 1, 5},
                                      {{3, 5, 40, 17}, {9, 5, 2, 2}, 3, 0, 1, 1},
                                      {{3, 4, 200}, {8, 4, 5}, 2, 4, 2, 1},
                                      {{1, 33, 4}, {40, 33, 3}, 1, 1, 1, 1}, // few places, from here
                                      {{3, 64, 3, 3}, {20, 64, 3, 3}, 2, 1, 1, 1},
                                      {{1, 64, 2, 2}, {32, 32, 2, 2}, 1, 1, 1, 2},
                                      {{2, 16, 17}, {70, 16, 3}, 2, 1, 2, 1},
                                      {{2, 3, 9, 10, 33}, {7, 3, 3, 2, 3}, 2, 1, 1, 1}}) {
        const std::size_t n = s.x.size() - 2;
        const auto run = [&](const Tensor& x, const Tensor& w) {
            return n == 1   ? conv1d(x, w, {}, s.stride, s.padding, s.dilation, s.groups)
                   : n == 2 ? conv2d(x, w, {}, s.stride, s.padding, s.dilation, s.groups)
                            : conv3d(x, w, {}, s.stride, s.padding, s.dilation, s.groups);
        };
        const Tensor x = whole(s.x), w = whole(s.w), want = run(x, w), g = whole(want.sizes());
        for (const ScalarType t : {kFloat, kDouble}) {
            const Tensor a = x.to(t).requires_grad_(), b = w.to(t).requires_grad_(), y = run(a, b);
            BOOST_TEST(equal(y.detach(), want.to(t)), "forward of " << s.x << ", " << s.w);
            y.backward(g.to(t));
            // <conv(d, w), g> = <d, grad of x> for any d, and so for the weight.
            const Tensor d = whole(s.x), e = whole(s.w);
            const std::int64_t along_x = sum(run(d, w) * g).item<std::int64_t>(),
                               along_w = sum(run(x, e) * g).item<std::int64_t>();
            BOOST_TEST(sum(d * a.grad().to(kLong)).item<std::int64_t>() == along_x, "input of " << s.x << ", " << s.w);
            BOOST_TEST(sum(e * b.grad().to(kLong)).item<std::int64_t>() == along_w, "weight of " << s.x << ", " << s.w);
        }
    }
}
BOOST_AUTO_TEST_CASE(gradients_of_first_and_second_order) {
    const auto f = [](const variable_list& v) { return conv2d(v[0], v[1], v[2], {2, 1}, {1, 2}, {1, 2}, 2); };
    const variable_list in{leaf({2, 4, 5, 6}), leaf({6, 2, 3, 2}), leaf({6})};
    BOOST_TEST(autograd::gradcheck(f, in));
    BOOST_TEST(autograd::gradgradcheck(f, in));
}
BOOST_AUTO_TEST_CASE(gradients_in_one_and_three_dimensions_without_bias) {
    const auto one = [](const variable_list& v) { return conv1d(v[0], v[1], {}, 2, 1); };
    BOOST_TEST(autograd::gradcheck(one, {leaf({2, 3, 7}), leaf({4, 3, 3})}));
    BOOST_TEST(autograd::gradgradcheck(one, {leaf({2, 3, 7}), leaf({4, 3, 3})}));
    const auto three = [](const variable_list& v) { return conv3d(v[0], v[1], {}, 1, {1, 0, 1}); };
    BOOST_TEST(autograd::gradcheck(three, {leaf({1, 2, 3, 3, 4}), leaf({2, 2, 2, 2, 3})}));
    BOOST_TEST(autograd::gradgradcheck(three, {leaf({1, 2, 3, 3, 4}), leaf({2, 2, 2, 2, 3})}));
}
BOOST_AUTO_TEST_CASE(transposed_is_the_adjoint) {
    // <conv(x), y> = <x, conv_transpose(y)> for the same weight.
    const Tensor x = leaf({2, 4, 7, 9}).detach(), w = leaf({6, 2, 3, 3}).detach();
    const Tensor cx = conv2d(x, w, {}, 2, 1, 1, 2), y = leaf(cx.sizes()).detach();
    const Tensor ty = conv_transpose2d(y, w, {}, 2, 1, 0, 2);
    BOOST_TEST(ty.sizes() == x.sizes());
    BOOST_TEST((cx * y).sum().item<double>() == (x * ty).sum().item<double>(), boost::test_tools::tolerance(1e-12));
    const auto f = [](const variable_list& v) { return conv_transpose2d(v[0], v[1], v[2], 2, 1, 1); };
    const variable_list in{leaf({1, 3, 3, 4}), leaf({3, 2, 3, 3}), leaf({2})};
    BOOST_TEST(autograd::gradcheck(f, in));
    BOOST_TEST(autograd::gradgradcheck(f, in));
}
BOOST_AUTO_TEST_CASE(same_bits_for_any_number_of_threads) {
    const int before = get_num_threads();
    const Tensor x = rand({16, 8, 20, 20}).requires_grad_(), w = rand({16, 8, 3, 3}).requires_grad_();
    std::vector<Tensor> results;
    for (const int threads : {1, 3}) {
        set_num_threads(threads);
        x.mutable_grad() = {};
        w.mutable_grad() = {};
        const Tensor y = conv2d(x, w, {}, 1, 1);
        y.sum().backward();
        for (const Tensor& t : {y.detach(), x.grad(), w.grad()}) results.push_back(t);
    }
    set_num_threads(before);
    for (int i = 0; i < 3; ++i) BOOST_TEST((results[std::size_t(i)] == results[std::size_t(i + 3)]).all().item<bool>());
}
BOOST_AUTO_TEST_CASE(an_example_without_batch_and_an_empty_batch) {
    const Tensor x = leaf({3, 5, 5}).detach(), w = leaf({2, 3, 3, 3}).detach();
    BOOST_TEST(largest(conv2d(x, w) - conv2d(x.unsqueeze(0), w).squeeze(0)) == 0);
    const Tensor none = zeros({0, 3, 5, 5}, kDouble).requires_grad_(), k = leaf({2, 3, 3, 3});
    const Tensor y = conv2d(none, k);
    BOOST_TEST(y.sizes() == IntArrayRef({0, 2, 3, 3}));
    y.sum().backward();
    BOOST_TEST(largest(k.grad()) == 0);
}
BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused_with_names) {
    const Tensor x = rand({1, 3, 5, 5}), w = rand({4, 3, 3, 3});
    BOOST_CHECK_EXCEPTION(conv2d(rand({1, 2, 5, 5}), w), Error, [](const Error& e) {
        return says(e, "conv2d") && says(e, "2 channels") && says(e, "expects 3");
    });
    BOOST_CHECK_EXCEPTION(conv2d(x, w, {}, 1, 0, 1, 2), Error, [](const Error& e) { return says(e, "groups 2"); });
    BOOST_CHECK_EXCEPTION(conv2d(x, w, rand({3})), Error, [](const Error& e) { return says(e, "bias has shape"); });
    BOOST_CHECK_EXCEPTION(conv2d(x, w.to(kDouble)), Error,
                          [](const Error& e) { return says(e, "float32") && says(e, "float64"); });
    BOOST_CHECK_EXCEPTION(conv2d(x, w, {}, 0), Error, [](const Error& e) { return says(e, "stride"); });
    BOOST_CHECK_EXCEPTION(conv2d(x, rand({4, 3, 9, 3})), Error,
                          [](const Error& e) { return says(e, "spans 9 places"); });
    BOOST_CHECK_THROW(conv2d_padded(x, w, {}, 2, "same"), Error);
}

BOOST_AUTO_TEST_CASE(lines_of_one_channel_take_nothing_from_behind_them) {
    for (const ScalarType dtype : {kFloat, kDouble})
        for (std::int64_t width = 3; width < 75; ++width) {
            const Tensor finite = randn({2, 2, 5, width}, TensorOptions(dtype)), x = finite.clone();
            finite.select(3, width - 1).fill_(0);
            x.select(3, width - 1).fill_(std::numeric_limits<double>::infinity());
            const Tensor w = randn({2, 1, 3, 3}, TensorOptions(dtype)),
                         g = randn({2, 2, 3, width - 2}, TensorOptions(dtype));
            const auto results = [&](const Tensor& image) {
                const Tensor weight = w.detach().clone().requires_grad_();
                const Tensor y = conv2d(image, weight, {}, 1, 0, 1, 2);
                y.backward(g);
                return std::pair(y.detach(), weight.grad());
            };
            const auto [y, grad] = results(x);
            const auto [want_y, want_grad] = results(finite);
            // the last place is read by the last tap alone
            BOOST_TEST(equal(y.narrow(3, 0, width - 3), want_y.narrow(3, 0, width - 3)), width);
            BOOST_TEST(equal(grad.narrow(3, 0, 2), want_grad.narrow(3, 0, 2)), width);
            const Tensor slow = slow_conv2d(finite.to(kDouble), w.to(kDouble), zeros({2}, kDouble), 1, 0, 1, 2);
            BOOST_TEST(allclose(want_y.to(kDouble), slow, 1e-4, 1e-4), width);
        }
}

BOOST_AUTO_TEST_SUITE_END()
