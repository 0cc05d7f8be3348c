// Affine grids, fractional pools, low-rank decompositions, older norms: values of PyTorch 2.15, and their gradients.
#include "tape_helpers.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/random.hpp>

#include "message.hpp"

using namespace reel;
using namespace tape_test;

namespace {
bool near(const Tensor& got, const V& want, double tolerance = 1e-13) {
    const V values = list(got.reshape({-1}));
    bool ok = values.size() == want.size();
    for (std::size_t i = 0; ok && i < values.size(); ++i) ok = std::abs(values[i] - want[i]) <= tolerance;
    if (!ok)
        for (const double v : values) BOOST_TEST_MESSAGE("got " << v);
    return ok;
}
bool places(const Tensor& got, const V& want) { return list(got.reshape({-1})) == want; }
} // namespace

BOOST_AUTO_TEST_SUITE(missing_ops)

BOOST_AUTO_TEST_CASE(affine_grids) {
    const Tensor theta = tensor({{{1., .5, .1}, {.2, 1., -.3}}}, kDouble);
    BOOST_TEST(near(affine_grid_generator(theta, {1, 1, 2, 3}, false),
                    {-0.8166666666666667, -0.9333333333333333, -0.15, -0.8, 0.5166666666666666, -0.6666666666666667,
                     -0.31666666666666665, 0.06666666666666671, 0.35, 0.2, 1.0166666666666666, 0.3333333333333333}));
    BOOST_TEST(near(affine_grid_generator(theta, {1, 1, 2, 3}, true),
                    {-1.4, -1.5, -0.4, -1.3, 0.6, -1.1, -0.4, 0.5, 0.6, 0.7, 1.6, 0.9}));
    const Tensor in_space =
        affine_grid_generator(arange(12., kDouble).reshape({1, 3, 4}) / 10., {1, 1, 2, 2, 3}, false);
    BOOST_TEST(in_space.sizes().equals({1, 2, 2, 3, 3}));
    BOOST_TEST(near(in_space[0][1][0][2], {0.35, 1.0166666666666666, 1.6833333333333333}));
    BOOST_TEST(autograd::gradcheck(
        [](const variable_list& v) {
            return variable_list{affine_grid_generator(v[0], {1, 1, 2, 3}, false)};
        },
        {theta.clone().requires_grad_()}));
    Warnings warnings;
    const WarningUtils::WarnAlways always;
    ops::registry().at("nn.functional.affine_grid").call({theta, Value::list({1, 1, 2, 3})});
    BOOST_TEST(warnings.mention("affine_grid: align_corners is not given"));
    BOOST_TEST(testing::message([&] {
                   affine_grid_generator(theta, {2, 1, 2, 3}, false);
               }) == "affine_grid: theta has shape [1, 2, 3]; expected [2, 2, 3] for size [2, 1, 2, 3]");
}

BOOST_AUTO_TEST_CASE(fractional_max_pools) {
    const Tensor x = (arange(72.) * 7).remainder(11).reshape({1, 2, 6, 6});
    const auto call = [](const char* op, const Tensor& input, Kwargs kwargs) {
        manual_seed(11);
        return ops::registry().at(op).call({input}, kwargs);
    };
    const Value two = call("nn.functional.fractional_max_pool2d", x,
                           {{"kernel_size", 2}, {"output_size", Value::list({3, 4})}, {"return_indices", true}});
    BOOST_TEST(places(two.elements()[1].toTensor(),
                      {6, 1, 3, 4, 12, 14, 14, 17, 25, 25, 26, 28, 0, 1, 3, 11, 12, 14, 14, 22, 25, 25, 33, 28}));
    BOOST_TEST(places(two.elements()[0].toTensor(),
                      {9, 7, 10, 6, 7, 10, 10, 9, 10, 10, 6, 9, 10, 6, 9, 10, 6, 9, 9, 10, 9, 9, 10, 8}));
    const Value ratio = call(
        "nn.functional.fractional_max_pool2d", x[0],
        {{"kernel_size", Value::list({3, 2})}, {"output_ratio", Value::list({0.5, 0.7})}, {"return_indices", true}});
    BOOST_TEST(places(ratio.elements()[1].toTensor(),
                      {6, 14, 3, 17, 25, 14, 14, 17, 25, 25, 20, 28, 0, 14, 3, 11, 6, 14, 14, 11, 25, 25, 33, 22}));
    const Tensor solid = (arange(210.) * 13).remainder(29).reshape({1, 5, 6, 7});
    const Value three = call(
        "nn.functional.fractional_max_pool3d", solid,
        {{"kernel_size", Value::list({2, 3, 2})}, {"output_size", Value::list({3, 2, 4})}, {"return_indices", true}});
    BOOST_TEST(places(three.elements()[1].toTensor(), {49, 2,   11, 20, 78,  31,  31,  40,  49,  51,  60,  89,
                                                       78, 107, 80, 69, 127, 136, 136, 138, 147, 156, 165, 194}));
    BOOST_TEST(call("nn.functional.fractional_max_pool2d", x, {{"kernel_size", 2}, {"output_size", 3}}).isTensor());
}

BOOST_AUTO_TEST_CASE(fractional_max_pool_gradients_and_errors) {
    const Tensor samples = tensor({{{0.3, 0.6}}}, kDouble);
    const Tensor x = randn({1, 1, 6, 5}, kDouble).requires_grad_();
    const auto f = [&](const variable_list& v) {
        return variable_list{
            std::get<0>(fractional_max_pool2d_with_indices(v[0], 2, {3, 3}, std::nullopt, true, samples))};
    };
    BOOST_TEST(autograd::gradcheck(f, {x}));
    BOOST_TEST(autograd::gradgradcheck(f, {x}));
    Tensor holed = zeros({1, 1, 4, 4});
    holed[0][0][1][1] = std::nan("");
    BOOST_TEST(std::isnan(item(std::get<0>(fractional_max_pool2d_with_indices(holed, 3, 1)))));
    const auto says = [&](auto... arguments) {
        return testing::message([&] { fractional_max_pool2d_with_indices(x, arguments...); });
    };
    BOOST_TEST(says(2) == "fractional_max_pool2d: either output_size or output_ratio must be given");
    BOOST_TEST(says(4, 4) ==
               "fractional_max_pool2d: windows of 4 give at most 3 outputs over a dimension of size 6, but "
               "4 were asked for");
}

BOOST_AUTO_TEST_CASE(low_rank_decompositions) {
    const Tensor A = (arange(20., kDouble) * 7).remainder(13).reshape({5, 4});
    for (const Tensor& m : {A, A.t()}) {
        manual_seed(11);
        const auto [U, S, V] = svd_lowrank(m, 3);
        BOOST_TEST(near(S, {26.142032746239188, 13.20051246640877, 0.5836047624420024}, 1e-11));
        BOOST_TEST(U.matmul(S.diag()).matmul(V.t()).allclose(m));
        BOOST_TEST(U.t().matmul(U).allclose(eye(3, {}, kDouble)));
    }
    const auto [U, S, V] = pca_lowrank(A, 2);
    BOOST_TEST(near(S, {14.69876850071138, 6.127495782331877}, 1e-11));
    BOOST_TEST(near(V.abs().select(0, 0), {0.3448378424903179, 0.6173223326485303}, 1e-11));
    // of full rank it is the decomposition itself, and so is its gradient
    const Tensor full = A + randn({5, 4}, kDouble), x = full.clone().requires_grad_(),
                 y = full.clone().requires_grad_();
    std::get<1>(svd_lowrank(x, 4)).pow(3).sum().backward();
    linalg_svdvals(y).pow(3).sum().backward();
    BOOST_TEST(x.grad().allclose(y.grad()));
    const Tensor M = ones({5, 4}, kDouble);
    BOOST_TEST(std::get<1>(svd_lowrank(A, 4, 2, M)).allclose(linalg_svdvals(A - M)));
    BOOST_TEST(testing::message([&] { pca_lowrank(A, 5); }) ==
               "pca_lowrank: q is 5; expected a number from 0 to min(m, n), 4");
    BOOST_CHECK_THROW(pca_lowrank(A, 5), ValueError);
}

BOOST_AUTO_TEST_CASE(normalisation_across_maps) {
    const Tensor x = ((arange(16., kDouble) * 3).remainder(7) - 2).reshape({1, 4, 2, 2});
    const Tensor y = cross_map_lrn2d(x, 3, 0.5, 0.6, 2);
    BOOST_TEST(
        near(y.narrow(1, 0, 2), {-0.8494870070359477, 0.601469942193092, 1.4650780257917608, 0.0, 1.244594840196646,
                                 -0.3807307877431757, 0.7325390128958804, -0.8494870070359477}));
    // From the third channel on PyTorch 2.15 still counts the first one, however far it is; the windows here move on.
    const Tensor seen = (x * x).slice(1, 1).sum(1);
    BOOST_TEST(y.select(1, 2).allclose(x.select(1, 2) / (seen * (0.5 / 3) + 2.).pow(0.6)));
    // an even size reaches as far as the odd one below it, and divides by itself
    BOOST_TEST(
        near(cross_map_lrn2d(x, 4, 0.5)[0][0], {-0.9698018647702211, 0.8458970107524513, 1.5631798855627206, 0}));
    BOOST_TEST(near(cross_map_lrn2d(x, 2, 0.5)[0][0], {-1.189207115002721, 0.8458970107524513, 1.1962790249769764, 0}));
    BOOST_TEST(
        near(cross_map_lrn2d(x, 9, 0.5)[0][0], {-1.2694012440024238, 0.5494262252227059, 2.1187387148956236, 0}));
    BOOST_TEST(autograd::gradcheck([](const variable_list& v) { return variable_list{cross_map_lrn2d(v[0], 3, 0.5)}; },
                                   {x.clone().requires_grad_()}));
    BOOST_TEST(testing::message([&] { cross_map_lrn2d(x[0], 3); }) ==
               "cross_map_lrn2d: input has shape [4, 2, 2]; expected [N, C, H, W]");
}

BOOST_AUTO_TEST_CASE(older_norms) {
    const Tensor A = tensor({{3., 0.}, {4., 5.}}, kDouble);
    BOOST_TEST(near(nuclear_norm(A), {8.94427190999916}));
    BOOST_TEST(nuclear_norm(A, true).sizes().equals({1, 1}));
    BOOST_TEST(near(nuclear_norm(A.unsqueeze(1), {0, 2}), {8.94427190999916}));
    BOOST_TEST(near(frobenius_norm(A, {0, 1}), {7.0710678118654755}));
    BOOST_TEST(near(frobenius_norm(A, {}), {7.0710678118654755}));
    BOOST_TEST(near(frobenius_norm(A, 1, true), {3, 6.4031242374328485}));
    BOOST_TEST(testing::message([&] {
                   frobenius_norm(ones({1, 1, 1}), {0, 1, 2});
               }) == "frobenius_norm: dim is [0, 1, 2]; expected at most two dimensions");
    BOOST_TEST(autograd::gradcheck([](const variable_list& v) { return variable_list{nuclear_norm(v[0])}; },
                                   {A.clone().requires_grad_()}));
}

BOOST_AUTO_TEST_CASE(aliases_of_special) {
    const Tensor x = vec({0.5, 2});
    for (const char* name : {"exp2", "expm1", "log1p"})
        BOOST_TEST(ops::registry()
                       .at(std::string("special.") + name)
                       .call({x})
                       .toTensor()
                       .equal(ops::registry().at(name).call({x}).toTensor()));
}

BOOST_AUTO_TEST_SUITE_END()
