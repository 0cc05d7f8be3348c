// Schedules: PyTorch's timing, state dicts, warnings, arguments.
#include <reel/optim/lr_scheduler.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>

#include <reel/optim.hpp>
#include <reel/optim/factory.hpp>

#include "optim/support.hpp"

using namespace reel;
using namespace support;

namespace {
struct Fixture {
    Tensor p = parameter({1}, {1});
    optim::SGD sgd{{p}, optim::SGDOptions(1.0).momentum(0.9)};
    double rate() { return sgd.param_groups()[0].options().get_lr(); }
    template <class S> std::vector<double> rates(S& schedule, int steps) {
        std::vector<double> r{rate()};
        for (int i = 0; i < steps; ++i) {
            sgd.step();
            schedule.step();
            r.push_back(rate());
        }
        return r;
    }
};
struct Count final : WarningHandler {
    void process(const Warning& w) override { messages.push_back(w.msg()); }
    std::vector<std::string> messages;
};
} // namespace

BOOST_FIXTURE_TEST_SUITE(lr_scheduler, Fixture)

BOOST_AUTO_TEST_CASE(step_lr_drops_after_exactly_step_size_calls) {
    optim::StepLR schedule(sgd, 2, 0.5);
    BOOST_TEST(rates(schedule, 5) == (std::vector<double>{1, 1, 0.5, 0.5, 0.25, 0.25}),
               boost::test_tools::per_element());
    BOOST_TEST(schedule.last_epoch() == 5);
    BOOST_TEST(schedule.get_last_lr()[0] == 0.25);
}
BOOST_AUTO_TEST_CASE(cosine_annealing_reaches_its_least_rate) {
    optim::CosineAnnealingLR schedule(sgd, 4, 0.2);
    const auto r = rates(schedule, 4);
    for (int i = 0; i <= 4; ++i)
        BOOST_TEST(std::abs(r[std::size_t(i)] - (0.2 + 0.8 * (1 + std::cos(M_PI * i / 4)) / 2)) < 1e-12);
}
BOOST_AUTO_TEST_CASE(a_function_of_the_epoch) {
    optim::LambdaLR schedule(sgd, [](std::int64_t epoch) { return 1.0 / double(1 + epoch); });
    BOOST_TEST(rates(schedule, 3) == (std::vector<double>{1, 0.5, 1.0 / 3, 0.25}), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(a_metric_that_stalls_lowers_the_rate) {
    optim::ReduceLROnPlateau schedule(sgd, optim::ReduceLROnPlateau::min, 0.1, 1);
    for (const double metric : {1.0, 0.5, 0.5, 0.5}) schedule.step(metric);
    BOOST_TEST(std::abs(rate() - 0.1) < 1e-15);
    BOOST_CHECK_THROW(schedule.step_with(std::nullopt), ValueError);
}
BOOST_AUTO_TEST_CASE(stepping_before_the_optimizer_warns) {
    optim::StepLR schedule(sgd, 1);
    Count count;
    {
        WarningUtils::WarningHandlerGuard guard(&count);
        schedule.step();
    }
    BOOST_TEST_REQUIRE(count.messages.size() == 1u);
    BOOST_TEST(count.messages[0].find("call optimizer.step() first") != std::string::npos);
}
BOOST_AUTO_TEST_CASE(a_saved_schedule_goes_on_where_it_stopped) {
    optim::CosineAnnealingLR whole(sgd, 10);
    const auto all = rates(whole, 8);
    Fixture other;
    optim::CosineAnnealingLR first(other.sgd, 10);
    other.rates(first, 4);
    const Value optimizer_state = other.sgd.state_dict(), schedule_state = first.state_dict();
    Fixture later;
    optim::CosineAnnealingLR second(later.sgd, 3);
    later.sgd.load_state_dict(optimizer_state);
    second.load_state_dict(schedule_state);
    const auto rest = later.rates(second, 4);
    BOOST_TEST(rest == std::vector<double>(all.begin() + 4, all.end()), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(schedules_follow_each_other_from_the_first_rate_on) {
    const auto warm = std::make_shared<optim::ConstantLR>(sgd, 0.1, 2);
    const auto decay = std::make_shared<optim::ExponentialLR>(sgd, 0.5);
    optim::SequentialLR schedule(sgd, {warm, decay}, {2});
    const std::vector<double> want{0.1, 0.1, 1, 0.5, 0.25};
    const auto got = rates(schedule, 4);
    for (std::size_t i = 0; i < want.size(); ++i) BOOST_TEST(std::abs(got[i] - want[i]) < 1e-12, got[i] << " at " << i);
    BOOST_CHECK_THROW(optim::SequentialLR(sgd, {warm}, {2}), ValueError);
}
BOOST_AUTO_TEST_CASE(schedules_multiply_when_chained) {
    optim::ChainedScheduler schedule(
        {std::make_shared<optim::ConstantLR>(sgd, 0.5, 2), std::make_shared<optim::ExponentialLR>(sgd, 0.5)});
    const std::vector<double> want{0.5, 0.25, 0.25, 0.125};
    const auto got = rates(schedule, 3);
    for (std::size_t i = 0; i < want.size(); ++i) BOOST_TEST(std::abs(got[i] - want[i]) < 1e-12, got[i] << " at " << i);
}
BOOST_AUTO_TEST_CASE(averaging_anneals_to_its_own_rate) {
    optim::SWALROptions options;
    options.swa_lr = 0.2;
    options.anneal_epochs = 4;
    options.anneal_strategy = "linear";
    optim::SWALR schedule(sgd, options);
    const std::vector<double> want{1, 0.8, 0.6, 0.4, 0.2, 0.2};
    const auto got = rates(schedule, 5);
    for (std::size_t i = 0; i < want.size(); ++i) BOOST_TEST(std::abs(got[i] - want[i]) < 1e-12, got[i] << " at " << i);
}
BOOST_AUTO_TEST_CASE(factories_name_what_is_wrong) {
    BOOST_CHECK_EXCEPTION(optim::make_scheduler("StepLR", sgd), TypeError,
                          [](const Error& e) { return e.msg() == "StepLR: argument 'step_size' is missing"; });
    BOOST_CHECK_EXCEPTION(optim::make_scheduler("Step", sgd), KeyError,
                          [](const Error& e) { return e.msg().find("there is no class 'Step'") != std::string::npos; });
    BOOST_CHECK_EXCEPTION(optim::make_optimizer("SGD", {p}, Kwargs{{"lr", "fast"}}), TypeError,
                          [](const Error& e) { return e.msg().find("SGD: argument 'lr'") == 0; });
    BOOST_CHECK_THROW(optim::make_scheduler("OneCycleLR", sgd, {}, {{"max_lr", 1.0}}), ValueError);
    const auto schedule = optim::make_scheduler("StepLR", sgd, {Value(2)}, {{"gamma", 0.5}});
    BOOST_TEST(schedule->get_last_lr()[0] == 1.0);
}
BOOST_AUTO_TEST_CASE(cyclic_schedules_need_a_momentum_to_cycle) {
    optim::Adagrad plain({vector_of({1}).requires_grad_()}, optim::AdagradOptions(0.1));
    BOOST_CHECK_THROW(optim::CyclicLR(plain, 0.1, 1.0), ValueError);
    optim::OneCycleLR schedule(sgd, 1.0, 10);
    BOOST_TEST(std::abs(sgd.param_groups()[0].options().get("momentum").toDouble() - 0.95) < 1e-15);
    for (int i = 0; i < 10; ++i) {
        sgd.step();
        schedule.step();
    }
    BOOST_CHECK_THROW(schedule.step(), ValueError);
}

BOOST_AUTO_TEST_SUITE_END()
