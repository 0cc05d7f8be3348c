// Resampling: many images take the same numbers as each by itself, forward and backward.
#include <reel/autograd/kernels/interpolate.hpp>

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;

namespace {

/// Few images go pass by pass, many of them a few at a time.
void images_do_not_depend_on_each_other(std::vector<std::int64_t> size, const char* mode, std::vector<double> factors,
                                        ScalarType dtype) {
    size.insert(size.begin(), {40, 32});
    const Tensor x = randn(size, TensorOptions().dtype(dtype)).requires_grad_();
    const auto resized = [&](const Tensor& t) {
        return interpolate(t, std::nullopt, ArrayRef<double>(factors), mode, std::nullopt, std::nullopt, false);
    };
    const Tensor all = resized(x), along = randn(all.sizes(), TensorOptions().dtype(dtype));
    const Tensor gx = autograd::grad({all}, {x}, {along})[0];
    for (const std::int64_t n : {0, 17, 39}) {
        const Tensor one = x.detach().narrow(0, n, 1).narrow(1, 5, 1).clone().requires_grad_();
        const Tensor alone = resized(one);
        BOOST_TEST(alone.equal(all.narrow(0, n, 1).narrow(1, 5, 1)));
        const Tensor g = autograd::grad({alone}, {one}, {along.narrow(0, n, 1).narrow(1, 5, 1)})[0];
        BOOST_TEST(g.equal(gx.narrow(0, n, 1).narrow(1, 5, 1)));
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(interpolation)

BOOST_AUTO_TEST_CASE(an_image_is_resampled_as_by_itself) {
    manual_seed(0);
    for (const ScalarType dtype : {kFloat, kDouble}) {
        images_do_not_depend_on_each_other({19}, "linear", {2.5}, dtype);
        images_do_not_depend_on_each_other({19, 7}, "nearest", {2, 3}, dtype);
        images_do_not_depend_on_each_other({9, 21}, "bilinear", {0.6, 1.7}, dtype);
        images_do_not_depend_on_each_other({9, 13}, "bicubic", {2, 0.5}, dtype);
        images_do_not_depend_on_each_other({5, 6, 7}, "trilinear", {1.5, 2, 0.5}, dtype);
        images_do_not_depend_on_each_other({5, 1, 7}, "nearest-exact", {0.4, 3, 2}, dtype);
    }
}

BOOST_AUTO_TEST_CASE(nearest_by_two_repeats_and_its_gradient_adds_up) {
    const Tensor x = arange(6, kFloat).reshape({1, 1, 2, 3}).requires_grad_();
    const double two[] = {2};
    const Tensor y = interpolate(x, std::nullopt, two, "nearest", std::nullopt, std::nullopt, false);
    const Tensor expected = x.detach().repeat_interleave(2, 2).repeat_interleave(2, 3);
    BOOST_TEST(y.equal(expected));
    const Tensor along = arange(24, kFloat).reshape(y.sizes());
    const Tensor gx = autograd::grad({y}, {x}, {along})[0];
    BOOST_TEST(gx.equal(along.reshape({1, 1, 2, 2, 3, 2}).sum({3, 5})));
}

BOOST_AUTO_TEST_CASE(what_lies_between_two_passes_must_have_a_size) {
    const Tensor tall = empty({1, 1, std::int64_t(1) << 58, 1}, TensorOptions().device(kMeta));
    const std::int64_t flat[] = {1, 64};
    BOOST_CHECK_EXCEPTION(
        interpolate(tall, IntArrayRef(flat), std::nullopt, "nearest", std::nullopt, std::nullopt, false), Error,
        [](const Error& e) { return std::string(e.what()).find("interpolate: ") == 0; });
}

BOOST_AUTO_TEST_SUITE_END()
