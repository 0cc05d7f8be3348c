// Indices, counts and parameters that do not fit, and integers at the ends of their range.
#include "bad_input_helpers.hpp"

#include <cmath>
#include <limits>

#include <reel/autograd/node.hpp>
#include <reel/autograd/ordered_dict.hpp>

using namespace bad_input;

namespace {
template <class T> Tensor one_of(T v) {
    const Tensor t = empty({1}, dtype_of<T>);
    *t.data_ptr<T>() = v;
    return t;
}
} // namespace

BOOST_AUTO_TEST_SUITE(bad_input_values)

BOOST_AUTO_TEST_CASE(index_add_scales_in_the_dtype_of_the_input) {
    const Tensor x = zeros({3}, kLong), at = tensor({0, 2}), s = tensor({10, 20});
    REEL_TEST_LIST(index_add(x, 0, at, s, 2.0), 20, 0, 40);
    REEL_TEST_LIST(index_add(x, 0, at, s, 0.5), 0, 0, 0); // 0.5 is 0 among integers
    REEL_TEST_LIST(index_add(x, 0, at, s, true), 10, 0, 20);
    REEL_TEST_LIST(index_add(zeros({1}, kBool), 0, tensor({0}), ones({1}, kBool), 1.5), 1);
    REEL_TEST_LIST(index_add(zeros({3}, kHalf), 0, at, s.to(kHalf), 0.5), 5, 0, 10);
    BOOST_TEST(refuses<Error>([&] { index_add(zeros({3}), 0, at, s.to(kFloat), Scalar(std::complex<double>(0, 1))); },
                              "index_add: alpha", "is complex"));
    const Tensor in_place = zeros({3}, kLong);
    in_place.index_add_(0, at, s, 3.0);
    REEL_TEST_LIST(in_place, 30, 0, 60);
}

BOOST_AUTO_TEST_CASE(topk_of_a_number) {
    for (const std::int64_t k : {0, 1}) {
        const auto [values, indices] = topk(full({}, 3., TensorOptions(kDouble)), k);
        BOOST_TEST(values.item<double>() == 3);
        BOOST_TEST(indices.item<std::int64_t>() == 0);
        BOOST_TEST(values.storage()->nbytes() >= 8);
    }
    BOOST_TEST(refuses<Error>([] { topk(zeros({}), 2); }, "topk: k is 2"));
    REEL_TEST_SIZES(std::get<0>(topk(zeros({3}), 0)), 0);
}

BOOST_AUTO_TEST_CASE(scattering_by_an_empty_index_of_another_rank) {
    const Tensor at = empty({4, 3, 0, 2, 3}, kLong);
    const auto backward_of = [&](auto op) {
        const Tensor x = ones({5, 4, 1, 1}, kDouble).requires_grad_(),
                     s = ones({4, 4, 2, 5, 1}, kDouble).requires_grad_();
        op(x, s).sum().backward();
        BOOST_TEST(x.grad().sum().template item<double>() == 20);
        REEL_TEST_SIZES(s.grad(), 4, 4, 2, 5, 1);
        BOOST_TEST(s.grad().abs().sum().template item<double>() == 0);
    };
    backward_of([&](const Tensor& x, const Tensor& s) { return scatter_add(x, -1, at, s); });
    backward_of([&](const Tensor& x, const Tensor& s) { return scatter(x, -1, at, s); });
}

BOOST_AUTO_TEST_CASE(running_moments_are_written_both_or_not_at_all) {
    const Tensor x = shape_test::numbers({3, 2}), image = shape_test::numbers({2, 2, 3}),
                 mean = full({2}, 5., TensorOptions(kDouble)), shared = ones({1}, kDouble).expand({2});
    BOOST_TEST(refuses<Error>([&] { functional_batch_norm(x, mean, shared, {}, {}, true, 0.1, 1e-5); }, "batch_norm"));
    BOOST_TEST(refuses<Error>([&] { functional_instance_norm(image, mean, shared, {}, {}, true, 0.1, 1e-5); },
                              "instance_norm"));
    BOOST_TEST(mean._version() == 0);
    REEL_TEST_LIST(mean, 5, 5);
}

BOOST_AUTO_TEST_CASE(unpooling_wants_its_lists) {
    const Tensor line = zeros({1, 2, 1}), image = zeros({1, 2, 2, 2}), at = zeros({1, 2, 1}, kLong),
                 places = zeros({1, 2, 2, 2}, kLong);
    BOOST_TEST(message([&] { max_unpool1d(line, at, IntArrayRef()); }) ==
               "max_unpool1d: kernel_size is []; expected one number or 1");
    BOOST_TEST(refuses<Error>([&] { max_unpool2d(image, places, 3, std::nullopt, IntArrayRef()); },
                              "max_unpool2d: padding is []"));
    BOOST_TEST(refuses<Error>([&] { max_unpool2d(image, places, {2, 2, 2}); }, "max_unpool2d: kernel_size"));
    const Tensor volume = zeros({1, 1, 1, 1, 1});
    BOOST_TEST(refuses<Error>(
        [&] {
            max_unpool3d(volume, volume.to(kLong), 2, IntArrayRef({1, 2}));
        },
        "max_unpool3d: stride"));
}

BOOST_AUTO_TEST_CASE(targets_of_ctc_are_classes) {
    const Tensor lp = zeros({5, 2, 4}, kDouble);
    const auto loss = [&](std::int64_t target) {
        return ctc_loss(lp, full({2, 3}, Scalar(target)), IntArrayRef({5, 5}), IntArrayRef({2, 3}));
    };
    for (const std::int64_t bad : {std::int64_t(-5), std::int64_t(4), std::int64_t(1000), std::int64_t(1) << 50})
        BOOST_TEST(refuses<IndexError>([&] { loss(bad); }, "ctc_loss: targets hold " + std::to_string(bad),
                                       "expected a class from 0 to 3"));
    const Tensor padded = tensor({{1, 2, -1}, {1, 2, 3}}); // what lies behind a length is not read
    ctc_loss(lp, padded, IntArrayRef({5, 5}), IntArrayRef({2, 3}));
    BOOST_TEST(refuses<Error>(
        [&] {
            ctc_loss(lp, tensor({1, 2, 3}), IntArrayRef({5, 5}), IntArrayRef({max64, max64}));
        },
        "ctc_loss: target length"));
}

BOOST_AUTO_TEST_CASE(divisors_at_the_end_of_the_integers) {
    BOOST_TEST(gcd(one_of(min64), one_of(std::int64_t(-1))).item<std::int64_t>() == 1);
    BOOST_TEST(gcd(one_of(min64), one_of(std::int64_t(0))).item<std::int64_t>() == min64); // 2^63 wraps
    BOOST_TEST(lcm(one_of(min64), one_of(std::int64_t(-1))).item<std::int64_t>() == min64);
    BOOST_TEST(gcd(one_of(std::numeric_limits<int>::min()), one_of(-1)).item<int>() == 1);
    BOOST_TEST(gcd(one_of(-12), one_of(18)).item<int>() == 6);
    BOOST_TEST(lcm(one_of(-4), one_of(6)).item<int>() == 12);
    BOOST_TEST(gcd(one_of(std::int8_t(-128)), one_of(std::int8_t(48))).item<std::int8_t>() == 16);
    for (const std::int64_t size : {p31, p32, max64}) { // a divisor that int32 does not hold
        const Tensor x = full({1, 3, 2}, 2, TensorOptions(kInt));
        REEL_TEST_LIST(local_response_norm(x, size, 1.0, 1.0, 1.0), 2, 2, 2, 2, 2, 2);
    }
}

BOOST_AUTO_TEST_CASE(rounds_of_a_search_are_counted) {
    BOOST_TEST(message<ValueError>([] {
                   svd_lowrank(ones({3, 3}), 2, p40);
               }) == "svd_lowrank: niter is 1099511627776; expected a number from 0 to 100000");
    BOOST_TEST(refuses<ValueError>([] { pca_lowrank(ones({3, 3}), 2, true, -1); }, "pca_lowrank: niter is -1"));
}

BOOST_AUTO_TEST_CASE(integers_wrap) {
    const Tensor top = one_of(max64), low = one_of(min64), two = full({2}, Scalar(max64));
    BOOST_TEST((top + 1).item<std::int64_t>() == min64);
    BOOST_TEST((low - 1).item<std::int64_t>() == max64);
    BOOST_TEST((top * 2).item<std::int64_t>() == -2);
    BOOST_TEST((-low).item<std::int64_t>() == min64);
    BOOST_TEST(low.abs().item<std::int64_t>() == min64);
    BOOST_TEST(square(one_of(std::int64_t(1) << 32)).item<std::int64_t>() == 0);
    BOOST_TEST(two.sum().item<std::int64_t>() == -2);
    BOOST_TEST(two.prod().item<std::int64_t>() == 1);
    REEL_TEST_LIST(two.cumsum(0) + 2, 9223372036854775808.0 * -1 + 1, 0);
    BOOST_TEST(two.cumprod(0).select(0, 1).item<std::int64_t>() == 1);
    BOOST_TEST(dot(two, two).item<std::int64_t>() == 2);
    BOOST_TEST(conv_transpose1d(full({1, 2, 1}, Scalar(max64)), ones({2, 1, 1}, kLong)).item<std::int64_t>() == -2);
    BOOST_TEST(
        conv_transpose1d(full({1, 1, 2}, Scalar(max64)), ones({1, 1, 2}, kLong)).select(2, 1).item<std::int64_t>() ==
        -2);
    BOOST_TEST(addcmul(top, low, one_of(std::int64_t(-7))).item<std::int64_t>() == -1);
    BOOST_TEST(pow(one_of(std::int16_t(-3)), 11).item<std::int16_t>() == std::int16_t(-177147));
    REEL_TEST_LIST(zeros({1}, kLong).index_add(0, tensor({0, 0}), two), -2);
    const Tensor drawn = empty({4}, kLong);
    drawn.random_(min64, max64);
}

BOOST_AUTO_TEST_CASE(what_has_no_end_is_refused_or_ends) {
    const Tensor x = full({2}, .5, TensorOptions(kDouble));
    BOOST_TEST(refuses<ValueError>([&] { mvlgamma(x + 5, p31); }, "mvlgamma: p is 2147483648"));
    BOOST_TEST(refuses<ValueError>([&] { special::legendre_polynomial_p(x, 1e18); },
                                   "special.legendre_polynomial_p: n is 1e+18"));
    BOOST_TEST(refuses<ValueError>([&] { special::laguerre_polynomial_l(x, 1e18); },
                                   "special.laguerre_polynomial_l: n is 1e+18"));
    BOOST_TEST(special::legendre_polynomial_p(x, 2).select(0, 0).item<double>() == -0.125);
    // Whoever counts up to such numbers does not come back from these.
    BOOST_TEST(special::chebyshev_polynomial_t(x, 1e18).abs().max().item<double>() <= 1);
    BOOST_TEST(special::hermite_polynomial_h(x, 1e18).isfinite().logical_not().all().item<bool>());
    BOOST_TEST(triu_indices(p40, 2).numel() == 6);
    REEL_TEST_SIZES(polygamma(x, 1 << 30), 2);
    REEL_TEST_SIZES(linalg::vander(ones({2, 5}, kDouble), 33000), 2, 5, 33000);
    BOOST_TEST(refuses<Error>([&] { linalg::vander(x, p61 / 8); }, ""));
}

BOOST_AUTO_TEST_CASE(gradients_of_convolutions_do_not_scale_with_the_stride) {
    const auto check = [](const Tensor& weight, IntArrayRef stride, IntArrayRef padding, const Tensor& x) {
        const Tensor y = x.dim() == 3 ? conv1d(x, weight, {}, stride, padding) : conv2d(x, weight, {}, stride, padding);
        y.sum().backward();
        return x.grad();
    };
    for (const ScalarType t : {kDouble, kFloat, kBFloat16, kHalf})
        BOOST_TEST(most_bytes_of([&] {
                       const Tensor x = ones({1, 4, 5, 5}, t).requires_grad_();
                       const Tensor g = check(ones({2, 4, 2, 3}, t), {1000001, 30000}, 0, x);
                       BOOST_TEST(g.to(kDouble).sum().item<double>() == 48);
                       BOOST_TEST(g.select(3, 3).to(kDouble).abs().sum().item<double>() == 0);
                   }) < (4u << 20));
    BOOST_TEST(most_bytes_of([&] {
                   const Tensor x = ones({2, 4, 8}, kDouble).requires_grad_();
                   REEL_TEST_LIST(check(ones({2, 4, 3}, kDouble), p32 * 2, 1, x).sum({0, 1}), 16, 16, 0, 0, 0, 0, 0, 0);
               }) < (4u << 20));
    const Tensor x = ones({1, 1, 8}, kDouble).requires_grad_();
    REEL_TEST_LIST(check(ones({1, 1, 3}, kDouble), 3, 1, x), 1, 1, 1, 1, 1, 1, 1, 1);
    REEL_TEST_SIZES(conv_transpose1d(ones({1, 2, 1}), ones({2, 3, 2}), {}, max64, 0), 1, 3, 2);
}

BOOST_AUTO_TEST_CASE(a_bool_is_no_place) {
    const Value x(arange(Scalar(std::int64_t(5)))), zero(std::int64_t(0)), one(std::int64_t(1)),
        yes(full({}, true, TensorOptions(kBool)));
    BOOST_TEST(refuses<Error>([&] { call("narrow", {x, zero, yes, one}); }, "narrow: start must be an integer"));
    BOOST_TEST(refuses<TypeError>([&] { call("narrow", {x, zero, Value(true), one}); }, "argument 'start' is True"));
    BOOST_TEST(refuses<TypeError>([&] { call("select", {x, zero, Value(true)}); }, "argument 'index' is True"));
    BOOST_TEST(refuses<Error>([&] { call("narrow", {x, zero, one, Value(max64)}); }, "narrow: "));
    REEL_TEST_LIST(call("narrow", {x, zero, Value(full({}, 3, TensorOptions(kByte))), one}).toTensor(), 3);
}

BOOST_AUTO_TEST_CASE(nodes_called_by_hand) {
    const Tensor x = ones({2}, kDouble).requires_grad_(), y = x * 3;
    autograd::Node& node = *y.grad_fn();
    BOOST_TEST(message<ValueError>([&] { node({}); }) ==
               "MulBackward0: got 0 gradients; expected 1, one for each output of the operation");
    BOOST_TEST(refuses<ValueError>([&] { node({ones({2}, kDouble), ones({2}, kDouble)}); }, "got 2 gradients"));
    BOOST_TEST(refuses<ValueError>([&] { node({ones({3}, kDouble)}); }, "gradient 0 has shape [3]; expected [2]"));
    BOOST_TEST(!node({Tensor()}).at(0).defined());
    REEL_TEST_LIST(node({ones({2}, kDouble)}).at(0), 3, 3);
}

BOOST_AUTO_TEST_CASE(empty_dictionaries_have_no_ends) {
    OrderedDict<std::string, int> d;
    BOOST_TEST(message<IndexError>([&] { d.front(); }) ==
               "OrderedDict: an empty dictionary has no first and no last item");
    const auto& c = d;
    BOOST_TEST(refuses<IndexError>([&] { c.back(); }, "no last item"));
    d.insert("a", 1);
    BOOST_TEST(c.front().value() + d.back().value() == 2);
}

BOOST_AUTO_TEST_CASE(coordinates_in_the_longest_shape) {
    const std::vector<Tensor> at = unravel_index(tensor({3, -1}), {max64 - 1});
    BOOST_TEST(at[0].equal(tensor({std::int64_t(3), max64 - 2})));
}

BOOST_AUTO_TEST_CASE(a_bias_added_to_integers_wraps) {
    const Tensor x = ones({1, 2, 1}, kLong), w = ones({2, 2, 1}, kLong), low = one_of(min64);
    // twice the least number is zero, and so is the least number plus itself
    BOOST_TEST(conv_transpose1d(x * low, w, tensor({-2, -4})).equal(tensor({{{-2}, {-4}}})));
    BOOST_TEST(conv_transpose1d(ones({1, 1, 1}, kLong) * low, ones({1, 1, 1}, kLong), low).item<std::int64_t>() == 0);
}

BOOST_AUTO_TEST_CASE(factors_that_no_integer_is) {
    const Tensor m = ones({2, 2}, kInt), b = ones({1, 2, 2}, kInt);
    for (const double factor : {std::numeric_limits<double>::infinity(), std::nan(""), 1e30}) {
        BOOST_TEST(refuses<Error>([&] { addmm(m, m, m, 1, factor); }, "addmm: alpha is ", "int32"));
        BOOST_TEST(refuses<Error>([&] { baddbmm(b, b, b, factor, 1); }, "baddbmm: beta is ", "int32"));
    }
    REEL_TEST_LIST(addmm(m, m, m, 0.5, 2.5), 4, 4, 4, 4); // fractions are dropped
}

BOOST_AUTO_TEST_CASE(attention_drops_with_a_probability) {
    const Tensor q = ones({1, 2, 4});
    for (const double p : {-0.5, 1.5, std::nan(""), -std::numeric_limits<double>::infinity()})
        BOOST_TEST(refuses<ValueError>([&] { scaled_dot_product_attention(q, q, q, {}, p); },
                                       "scaled_dot_product_attention: dropout_p is ", "between 0 and 1"));
}

BOOST_AUTO_TEST_CASE(embedding_bag_writes_nothing_before_it_refuses) {
    const Tensor table = full({5, 5}, 3.), before = table.clone(), at = tensor({{0, 1}, {1, 0}});
    BOOST_TEST(refuses<NotImplementedError>(
        [&] {
            functional_embedding_bag(at, table, {}, 1., 2., false, "sum", false,
                                     empty({2, 2}, TensorOptions(kFloat).device(kMeta)));
        },
        "embedding_bag: "));
    BOOST_TEST(table.equal(before));
}

BOOST_AUTO_TEST_CASE(numbers_that_an_integer_dtype_does_not_hold) {
    const Tensor x = tensor({1, 2, 3}).to(kByte), mask = x > 1, at = tensor({0});
    const auto refused = [](const auto& call, const char* op) {
        return refuses<ValueError>(
            call, str(op, ": the value 300 is no number of uint8, which reaches from 0 to 255").c_str(),
            "convert the tensor to a wider dtype first");
    };
    BOOST_TEST(refused([&] { fill(x, 300); }, "fill"));
    BOOST_TEST(refused([&] { x.clone().fill_(300); }, "fill_"));
    BOOST_TEST(refused([&] { full({2}, 300, kByte); }, "full"));
    BOOST_TEST(refused([&] { full_like(x, 300); }, "full_like"));
    BOOST_TEST(refused([&] { masked_fill(x, mask, 300); }, "masked_fill"));
    BOOST_TEST(refused([&] { index_fill(x, 0, at, 300); }, "index_fill"));
    BOOST_TEST(refused([&] { scatter(x, 0, at, Scalar(300)); }, "scatter"));
    BOOST_TEST(refused([&] { constant_pad_nd(x, {1, 0}, 300); }, "constant_pad_nd"));
    BOOST_TEST(
        refuses<ValueError>([&] { full({2}, std::nan(""), kLong); }, "full: the value nan is no number of int64"));
    BOOST_TEST(refuses<ValueError>([&] { full({2}, 0x1p63, kLong); }, "full: the value", "is no number of int64"));
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    BOOST_TEST(full({}, least, kLong).item<std::int64_t>() == least);
    REEL_TEST_LIST(full({2}, -1, kByte), 255, 255); // all bits
    REEL_TEST_LIST(full({2}, -0.5, kChar), 0, 0);
    REEL_TEST_LIST(full({2}, 300, kBool), 1, 1);
    BOOST_TEST(std::isinf(full({}, 70000, kHalf).item<double>())); // floats round
}

BOOST_AUTO_TEST_CASE(bounds_that_an_integer_dtype_does_not_hold) {
    const Tensor x = tensor({0, 5, 255}).to(kByte), y = tensor({-128, 0, 127}).to(kChar);
    REEL_TEST_LIST(clamp(x, -1, 9), 0, 5, 9);
    REEL_TEST_LIST(clamp(x, 3, 300), 3, 5, 255);
    REEL_TEST_LIST(clamp_min(x, -200), 0, 5, 255);
    REEL_TEST_LIST(clamp_max(y, 128), -128, 0, 127);
    REEL_TEST_LIST(clamp(y, -1000, 1000), -128, 0, 127);
    REEL_TEST_LIST(x.clone().clamp_(-1, 1), 0, 1, 1);
    BOOST_TEST(clamp_max(x, 300).scalar_type() == kByte);
    REEL_TEST_LIST(clamp(x, -1.5, 300.0), 0, 5, 255); // of a float there are no limits
    BOOST_TEST(refuses<ValueError>([&] { clamp_min(x, 300); },
                                   "clamp_min: min is 300, no number of uint8, which reaches from 0 to 255",
                                   "convert input to a wider dtype first"));
    BOOST_TEST(refuses<ValueError>([&] { clamp(y, -200, -129); }, "clamp: max is -129, no number of int8"));
}

BOOST_AUTO_TEST_SUITE_END()
