// Target networks follow.
#include <reel/rl/objectives/target_updates.hpp>

#include "reference_cases.hpp"

#include <reel/autograd/grad_mode.hpp>
#include <reel/nn/modules/batch_norm.hpp>
#include <reel/nn/modules/linear.hpp>
#include <reel/rl/objectives/dqn.hpp>

using namespace reel;
using namespace reel::rl;
using namespace reel::testing;

namespace {
/// A network whose weights are 1 where those of its copy are 0.
struct Setting {
    nn::Linear network{3, 2};
    DQNLoss loss{QValueActor(network, {"observation"})};
    Tensor target = loss->target_networks()[0].second->parameters()[0];
    Setting() {
        const NoGradGuard no_grad;
        network->weight.fill_(1);
        target.fill_(0);
    }
    double now() const {
        BOOST_CHECK(equal(target, full_like(target, target[0][0].item<double>())));
        return target[0][0].item<double>();
    }
};
} // namespace

BOOST_AUTO_TEST_SUITE(target_updates)

BOOST_AUTO_TEST_CASE(soft_updates_average) {
    Setting s;
    SoftUpdate updater(s.loss, SoftUpdateOptions().tau(0.25));
    double wanted = 0;
    for (int i = 0; i < 5; ++i) {
        updater.step();
        wanted += 0.25 * (1 - wanted);
        BOOST_TEST(s.now() == wanted, boost::test_tools::tolerance(1e-6));
    }
    BOOST_CHECK(!s.target.requires_grad());
    BOOST_CHECK(s.target.is_leaf());
    Setting t;
    SoftUpdate(t.loss, SoftUpdateOptions().eps(0.9)).step();
    BOOST_TEST(t.now() == 0.1, boost::test_tools::tolerance(1e-6));
    SoftUpdate(t.loss, SoftUpdateOptions().eps(0.9)).init_();
    BOOST_TEST(t.now() == 1);
}

BOOST_AUTO_TEST_CASE(hard_updates_copy_at_every_nth_step) {
    Setting s;
    HardUpdate updater(s.loss, 3);
    for (const double wanted : {0., 0., 1.}) {
        updater.step();
        BOOST_TEST(s.now() == wanted);
    }
    s.target.fill_(0);
    for (const double wanted : {0., 0., 1.}) {
        updater.step();
        BOOST_TEST(s.now() == wanted);
    }
    BOOST_TEST(updater.counter() == 0);
    s.target.fill_(0);
    updater.set_counter(2); // as a checkpoint restores it
    updater.step();
    BOOST_TEST(s.now() == 1);
}

BOOST_AUTO_TEST_CASE(buffers_follow_too_and_counters_are_copied) {
    nn::Sequential network(nn::BatchNorm1d(3), nn::Linear(3, 2));
    DQNLoss loss{QValueActor(network, {"observation"})};
    network(rand({8, 3}));
    network(rand({8, 3}));
    const auto target = loss->target_networks()[0].second;
    const Tensor mean = target->get_buffer("module.0.module.0.running_mean");
    BOOST_TEST(mean.abs().sum().item<double>() == 0);
    SoftUpdate(loss, SoftUpdateOptions().tau(0.5)).step();
    check_close(mean, network->at<nn::BatchNorm1dImpl>(0).running_mean * 0.5, 1e-6, 1e-8, "running mean");
    BOOST_TEST(target->get_buffer("module.0.module.0.num_batches_tracked").item<std::int64_t>() == 2);
}

BOOST_AUTO_TEST_CASE(what_is_refused) {
    Setting s;
    BOOST_CHECK_THROW(SoftUpdate(s.loss, SoftUpdateOptions()), ValueError);
    BOOST_CHECK_THROW(SoftUpdate(s.loss, SoftUpdateOptions().tau(0.1).eps(0.9)), ValueError);
    BOOST_CHECK_THROW(SoftUpdate(s.loss, SoftUpdateOptions().tau(1.5)), ValueError);
    BOOST_CHECK_THROW(HardUpdate(s.loss, 0), ValueError);
    DQNLoss undelayed(QValueActor(nn::Linear(3, 2), {"observation"}), DQNLossOptions().delay_value(false));
    BOOST_CHECK_THROW(HardUpdate(undelayed, 1), ValueError);
}

BOOST_AUTO_TEST_SUITE_END()
