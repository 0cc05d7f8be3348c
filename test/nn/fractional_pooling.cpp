// FractionalMaxPool and CrossMapLRN2d as layers.
#include <reel/nn/modules/fractional_pooling.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn/factory.hpp>
#include <reel/nn/functional.hpp>
#include <reel/nn/modules/normalization.hpp>

#include "message.hpp"

using namespace reel;
namespace F = nn::functional;

BOOST_AUTO_TEST_SUITE(fractional_pooling)

BOOST_AUTO_TEST_CASE(samples_fix_the_windows) {
    const Tensor samples = tensor({{{0.3, 0.6}}}), x = arange(36.).reshape({1, 1, 6, 6});
    nn::FractionalMaxPool2d m(nn::FractionalMaxPool2dOptions(2).output_size({3, 3})._random_samples(samples));
    BOOST_TEST(m->buffers().size() == 1U);
    const auto [values, places] = m->forward_with_indices(x);
    BOOST_TEST(values.sizes().equals({1, 1, 3, 3}));
    BOOST_TEST(values.equal(m->forward(x)));
    BOOST_TEST(values.equal(F::fractional_max_pool2d(x, m->options)));
    BOOST_TEST(places.equal(values.to(kLong))); // the numbers are their places
    BOOST_TEST(m->clone(std::nullopt, true)->named_buffers().contains("_random_samples"));
}

BOOST_AUTO_TEST_CASE(ratios_and_batches) {
    nn::FractionalMaxPool3d m(nn::FractionalMaxPool3dOptions(2).output_ratio({0.5, 0.5, 0.75}));
    BOOST_TEST(m(ones({2, 3, 4, 6, 8})).sizes().equals({2, 3, 2, 3, 6}));
    BOOST_TEST(m(ones({3, 4, 6, 8})).sizes().equals({3, 2, 3, 6}));
    BOOST_TEST(m->named_buffers().size() == 0U);
}

BOOST_AUTO_TEST_CASE(options_that_do_not_fit) {
    const auto says = [](const nn::FractionalMaxPool2dOptions& o) {
        return testing::message([&] { nn::FractionalMaxPool2d m(o); });
    };
    BOOST_TEST(says({2}) == "FractionalMaxPool2d: neither output_size nor output_ratio is set; expected one of them");
    BOOST_TEST(says(nn::FractionalMaxPool2dOptions(2).output_size(3).output_ratio(0.5)) ==
               "FractionalMaxPool2d: both output_size and output_ratio are set; expected one of them");
    BOOST_TEST(says(nn::FractionalMaxPool2dOptions(2).output_ratio(1.5)) ==
               "FractionalMaxPool2d: output_ratio is 1.5; expected numbers between 0 and 1");
}

BOOST_AUTO_TEST_CASE(by_name) {
    const nn::ModulePtr m = nn::make_module("FractionalMaxPool2d", {3}, {{"output_size", 2}, {"return_indices", true}});
    BOOST_TEST(m->repr() == "FractionalMaxPool2d()");
    BOOST_TEST(m->forward_values({ones({1, 1, 5, 5})}, {}).elements().size() == 2U);
}

BOOST_AUTO_TEST_CASE(cross_map_lrn) {
    nn::CrossMapLRN2d m(nn::CrossMapLRN2dOptions(3).alpha(0.5).beta(0.6).k(2.));
    const Tensor x = arange(16.).reshape({1, 4, 2, 2});
    BOOST_TEST(m(x).equal(cross_map_lrn2d(x, 3, 0.5, 0.6, 2)));
    BOOST_TEST(m->repr() == "CrossMapLRN2d(3, alpha=0.5, beta=0.6, k=2.0)");
    BOOST_TEST(nn::make_module("CrossMapLRN2d", {5})->repr() == "CrossMapLRN2d(5, alpha=0.0001, beta=0.75, k=1)");
}

BOOST_AUTO_TEST_SUITE_END()
