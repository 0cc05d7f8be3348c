// Averages of a model's weights.
#include <reel/nn/utils/averaged_model.hpp>

#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/reel.hpp>

using namespace reel;
using namespace reel::testing;
namespace swa_utils = reel::optim::swa_utils;

namespace {
/// Fills the parameters with `v` and the moments with `10 v`.
void set(nn::Module& m, double v) {
    NoGradGuard no_grad;
    for (const Tensor& p : m.parameters()) p.fill_(v);
    for (const Tensor& b : m.buffers())
        if (b.is_floating_point()) b.fill_(10 * v);
}
double first(nn::Module& m) { return m.parameters()[0].flatten()[0].item<double>(); }
double moment(nn::Module& m) { return m.buffers()[0].flatten()[0].item<double>(); }
nn::Sequential model() { return nn::Sequential(nn::Linear(2, 3), nn::BatchNorm1d(3)); }
} // namespace

BOOST_AUTO_TEST_SUITE(averaged_model)

BOOST_AUTO_TEST_CASE(the_mean_of_all_updates) {
    nn::Sequential net = model();
    swa_utils::AveragedModel average(net);
    for (const double v : {1., 2., 6.}) {
        set(*net, v);
        average->update_parameters(net);
    }
    BOOST_TEST(first(*average->module) == 3., boost::test_tools::tolerance(1e-6));
    BOOST_TEST(moment(*average->module) == 60.); // copied
    BOOST_TEST(average->n_averaged.item<std::int64_t>() == 3);
    const std::vector<std::string> keys = average->state_dict().keys();
    BOOST_TEST((std::vector<std::string>(keys.begin(), keys.begin() + 3) ==
                std::vector<std::string>{"n_averaged", "module.0.weight", "module.0.bias"}));
    BOOST_TEST(first(*net) == 6.);
    average->eval();
    BOOST_TEST(average(randn({4, 2})).sizes() == IntArrayRef({4, 3}));
    BOOST_TEST(has(message_of([&] { average->update_parameters(nn::Linear(1, 1)); }), "has 4 tensors, Linear has 2"));
}

BOOST_AUTO_TEST_CASE(exponential_averages_and_own_ones) {
    nn::Sequential net = model();
    const auto run = [&](swa_utils::AveragedModelOptions options) {
        auto average = std::make_shared<nn::utils::AveragedModelImpl>(*net, std::move(options));
        for (const double v : {1., 2., 6.}) {
            set(*net, v);
            average->update_parameters(net);
        }
        return average;
    };
    const double expected = .9 * (.9 * 1 + .1 * 2) + .1 * 6;
    BOOST_TEST(first(*run({.avg_fn = swa_utils::get_ema_avg_fn(.9)})->module) == expected,
               boost::test_tools::tolerance(1e-6));
    const auto buffers = run({.multi_avg_fn = swa_utils::get_ema_multi_avg_fn(.9), .use_buffers = true});
    BOOST_TEST(first(*buffers->module) == expected, boost::test_tools::tolerance(1e-6));
    BOOST_TEST(moment(*buffers->module) == 10 * expected, boost::test_tools::tolerance(1e-6));
    const auto own = run({.avg_fn = [](const Tensor& a, const Tensor& c, const Tensor& n) { return a + c * n; }});
    BOOST_TEST(first(*own->module) == 1 + 2 * 1 + 6 * 2.);
    BOOST_TEST(has(message_of<ValueError>([] { swa_utils::get_ema_avg_fn(1.5); }), "decay is 1.5"));
    BOOST_TEST(has(message_of<ValueError>([&] {
                       run({.avg_fn = swa_utils::get_swa_avg_fn(), .multi_avg_fn = swa_utils::get_swa_multi_avg_fn()});
                   }),
                   "only one of"));
}

BOOST_AUTO_TEST_CASE(how_to_average_by_position) {
    nn::Sequential net = model();
    set(*net, 1.);
    const auto after = [&](swa_utils::AveragedModel average) {
        set(*net, 1.);
        average->update_parameters(net);
        set(*net, 2.);
        average->update_parameters(net);
        return average;
    };
    const auto near = boost::test_tools::tolerance(1e-6);
    BOOST_TEST(first(*after({net, swa_utils::get_ema_avg_fn(.9)})->module) == 1.1, near);
    BOOST_TEST(first(*after({net, swa_utils::get_ema_multi_avg_fn(.9)})->module) == 1.1, near);
    BOOST_TEST(first(*after({net, swa_utils::get_swa_avg_fn()})->module) == 1.5, near);
    BOOST_TEST(first(*after({*net, kCPU, swa_utils::get_ema_avg_fn(.9)})->module) == 1.1, near);
    const swa_utils::AveragedModel buffers =
        after({net, std::nullopt, {}, swa_utils::get_ema_multi_avg_fn(.9), /*use_buffers=*/true});
    BOOST_TEST(moment(*buffers->module) == 11., near);
    const swa_utils::AveragedModel own =
        after({net, [](const Tensor& a, const Tensor& c, const Tensor&) { return a * .5 + c * .5; }, true});
    BOOST_TEST(first(*own->module) == 1.5, near);
    BOOST_TEST(moment(*own->module) == 15., near);
}

BOOST_AUTO_TEST_CASE(moments_of_the_averaged_weights) {
    nn::Sequential net = model();
    swa_utils::AveragedModel average(net);
    const std::vector<Tensor> batches{randn({8, 2}), randn({8, 2})};
    average->eval();
    swa_utils::update_bn(batches, average);
    BOOST_TEST(!average->is_training());
    auto& norm = *(*average->module->as<nn::SequentialImpl>())[1]->as<nn::BatchNorm1dImpl>();
    const auto& linear = *(*average->module->as<nn::SequentialImpl>())[0]->as<nn::LinearImpl>();
    NoGradGuard no_grad;
    const Tensor mean = (reel::nn::functional::linear(batches[0], linear.weight, linear.bias).mean(0) +
                         reel::nn::functional::linear(batches[1], linear.weight, linear.bias).mean(0)) /
                        2;
    BOOST_CHECK(allclose(norm.running_mean, mean, 1e-4, 1e-5));
    BOOST_TEST(norm.options.momentum().value() == .1);
    std::vector<std::pair<Tensor, Tensor>> pairs{{batches[0], ones({8})}};
    swa_utils::update_bn(pairs, average);
    BOOST_TEST(norm.num_batches_tracked.item<std::int64_t>() == 1);
}

BOOST_AUTO_TEST_CASE(copies_and_files) {
    nn::Sequential net = model();
    swa_utils::AveragedModel average(net), other(net);
    average->update_parameters(net);
    set(*net, 3.);
    average->update_parameters(net);
    other->load_state_dict(average->state_dict());
    BOOST_TEST(first(*other->module) == first(*average->module));
    BOOST_TEST(other->n_averaged.item<std::int64_t>() == 2);
    const auto copy = nn::deep_copy(average);
    BOOST_TEST(copy->n_averaged.item<std::int64_t>() == 2);
    average->update_parameters(net);
    BOOST_TEST(copy->n_averaged.item<std::int64_t>() == 2);
    BOOST_TEST(first(*copy->module) == first(*other->module));
}

BOOST_AUTO_TEST_SUITE_END()
