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
BOOST_AUTO_TEST_CASE(an_epoch_can_be_gone_to) {
    // so many steps from the first rates on, for every class that the factory makes and that needs no history
    const std::vector<std::pair<const char*, Kwargs>> schedules = {
        {"StepLR", {{"step_size", 3}, {"gamma", 0.5}}},
        {"MultiStepLR", {{"milestones", std::vector<std::int64_t>{2, 5, 5}}, {"gamma", 0.5}}},
        {"ConstantLR", {{"factor", 0.25}, {"total_iters", 4}}},
        {"LinearLR", {{"start_factor", 0.25}, {"end_factor", 0.75}, {"total_iters", 4}}},
        {"ExponentialLR", {{"gamma", 0.5}}},
        {"PolynomialLR", {{"total_iters", 6}, {"power", 2.0}}},
        {"CosineAnnealingLR", {{"T_max", 3}, {"eta_min", 0.125}}},
        {"CosineAnnealingWarmRestarts", {{"T_0", 2}, {"T_mult", 2}, {"eta_min", 0.125}}},
        {"CyclicLR", {{"base_lr", 0.25}, {"max_lr", 1.0}, {"step_size_up", 3}}},
        {"OneCycleLR", {{"max_lr", 1.0}, {"total_steps", 12}}}};
    for (const auto& [name, kwargs] : schedules) {
        Fixture walked, gone;
        const auto made = optim::make_scheduler(name, walked.sgd, {}, kwargs);
        auto& walk = dynamic_cast<optim::LRScheduler&>(*made);
        const std::vector<double> all = walked.rates(walk, 11);
        const auto other = optim::make_scheduler(name, gone.sgd, {}, kwargs);
        auto& go = dynamic_cast<optim::LRScheduler&>(*other);
        gone.sgd.step();
        for (const std::int64_t epoch : {7, 2, 9, 0, 5}) {
            go.step(double(epoch));
            BOOST_TEST(std::abs(gone.rate() - all[std::size_t(epoch)]) < 1e-12, name << " at epoch " << epoch);
            BOOST_TEST(go.last_epoch() == epoch);
        }
        go.step();
        BOOST_TEST(std::abs(gone.rate() - all[6]) < 1e-12, name << " after epoch 5");
        BOOST_CHECK_EXCEPTION(go.step(-1.), ValueError, [](const Error& e) {
            return e.msg() == "lr scheduler: step: epoch is -1; expected none below 0";
        });
        if (std::string_view(name) == "CosineAnnealingWarmRestarts") continue;
        BOOST_CHECK_EXCEPTION(go.step(2.5), ValueError, [](const Error& e) {
            return e.msg().find("epoch is 2.5; expected a whole number") != std::string::npos;
        });
    }
}
BOOST_AUTO_TEST_CASE(restarts_take_fractions_of_epochs) {
    optim::CosineAnnealingWarmRestarts schedule(sgd, 2, 2);
    const auto rate_at = [](double position, double length) { return (1 + std::cos(M_PI * position / length)) / 2; };
    sgd.step();
    schedule.step(1.25);
    BOOST_TEST(std::abs(rate() - rate_at(1.25, 2)) < 1e-12);
    BOOST_TEST(schedule.last_epoch() == 1);
    schedule.step();
    BOOST_TEST(std::abs(rate() - rate_at(0.25, 4)) < 1e-12);
    Fixture other;
    optim::CosineAnnealingWarmRestarts loaded(other.sgd, 2, 2);
    loaded.load_state_dict(schedule.state_dict());
    other.sgd.step();
    loaded.step();
    BOOST_TEST(std::abs(other.rate() - rate_at(1.25, 4)) < 1e-12);
}
BOOST_AUTO_TEST_CASE(what_resumes_keeps_the_rate_that_it_finds) {
    // as it stands in the optimizer's state: made anew, a schedule does not apply its factor once more
    const std::vector<std::pair<const char*, Kwargs>> schedules = {
        {"LinearLR", {{"start_factor", 0.25}, {"total_iters", 8}}},
        {"ExponentialLR", {{"gamma", 0.5}}},
        {"PolynomialLR", {{"total_iters", 9}}},
        {"CosineAnnealingLR", {{"T_max", 9}}}};
    for (auto [name, kwargs] : schedules) {
        Fixture f;
        const auto first = optim::make_scheduler(name, f.sgd, {}, kwargs);
        const std::vector<double> all = f.rates(dynamic_cast<optim::LRScheduler&>(*first), 4);
        kwargs.set("last_epoch", 3);
        const auto second = optim::make_scheduler(name, f.sgd, {}, kwargs);
        BOOST_TEST(f.rate() == all[4], name);
        BOOST_TEST(dynamic_cast<optim::LRScheduler&>(*second).last_epoch() == 4);
    }
    Fixture f;
    optim::MultiplicativeLR first(f.sgd, [](std::int64_t) { return 0.5; });
    f.rates(first, 2);
    const optim::MultiplicativeLR second(
        f.sgd, [](std::int64_t) { return 0.5; }, 1);
    BOOST_TEST(f.rate() == 0.25);
}
BOOST_AUTO_TEST_CASE(averaging_takes_over_the_rate_that_is) {
    const auto decay = std::make_shared<optim::ExponentialLR>(sgd, 0.5);
    optim::SWALROptions options;
    options.swa_lr = 0.05;
    options.anneal_epochs = 2;
    options.anneal_strategy = "linear";
    optim::SequentialLR schedule(sgd, {decay, std::make_shared<optim::SWALR>(sgd, options)}, {2});
    const std::vector<double> want{1, 0.5, 0.5, 0.275, 0.05, 0.05}; // 0.5 is the rate where averaging begins
    const auto got = rates(schedule, 5);
    for (std::size_t i = 0; i < want.size(); ++i) BOOST_TEST(std::abs(got[i] - want[i]) < 1e-12, got[i] << " at " << i);
}
BOOST_AUTO_TEST_CASE(schedules_of_schedules_of_schedules) {
    const auto constant = std::make_shared<optim::ConstantLR>(sgd, 0.5, 2);
    const auto inner = std::make_shared<optim::SequentialLR>(
        sgd,
        std::vector<std::shared_ptr<optim::LRScheduler>>{std::make_shared<optim::ConstantLR>(sgd, 0.25, 2),
                                                         std::make_shared<optim::ExponentialLR>(sgd, 0.5)},
        std::vector<std::int64_t>{1});
    const auto chain = std::make_shared<optim::ChainedScheduler>(std::vector<std::shared_ptr<optim::LRScheduler>>{
        std::make_shared<optim::ConstantLR>(sgd, 0.5, 2), std::make_shared<optim::ExponentialLR>(sgd, 0.5)});
    optim::SequentialLR schedule(sgd, {constant, inner, chain}, {1, 4});
    const std::vector<double> want{0.5, 0.25, 1, 0.5, 0.5, 0.25, 0.25, 0.125};
    const auto got = rates(schedule, 7);
    for (std::size_t i = 0; i < want.size(); ++i) BOOST_TEST(std::abs(got[i] - want[i]) < 1e-12, got[i] << " at " << i);
    BOOST_TEST(schedule.get_last_lr()[0] == rate());
    BOOST_CHECK_EXCEPTION(schedule.step(3.), NotImplementedError, [](const Error& e) {
        return e.msg() == "SequentialLR: step takes no epoch; its schedules count their own";
    });
    BOOST_CHECK_THROW(chain->step(3.), NotImplementedError);
    Fixture other;
    BOOST_CHECK_EXCEPTION(optim::ChainedScheduler({chain}, other.sgd), ValueError, [](const Error& e) {
        return e.msg().find("ChainedScheduler: each schedule must belong to the optimizer given") == 0;
    });
}
BOOST_AUTO_TEST_CASE(a_chain_that_is_loaded_knows_its_last_rate) {
    const auto chain_of = [](optim::Optimizer& o) {
        return optim::ChainedScheduler(
            {std::make_shared<optim::ConstantLR>(o, 0.5, 2), std::make_shared<optim::ExponentialLR>(o, 0.5)});
    };
    optim::ChainedScheduler first = chain_of(sgd);
    rates(first, 3);
    Fixture other;
    optim::ChainedScheduler second = chain_of(other.sgd);
    other.sgd.load_state_dict(sgd.state_dict());
    second.load_state_dict(first.state_dict());
    BOOST_TEST(second.get_last_lr() == first.get_last_lr(), boost::test_tools::per_element());
    BOOST_TEST(other.rates(second, 2) == rates(first, 2), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(groups_that_come_later) {
    const auto add_to = [](optim::Optimizer& o) {
        o.add_param_group(optim::OptimizerParamGroup({parameter({1}, {1})}, Kwargs{{"lr", 0.5}}));
    };
    optim::StepLR relative(sgd, 1, 0.5);
    optim::ReduceLROnPlateau plateau(sgd, optim::ReduceLROnPlateau::min, 0.5, 0, 0., optim::ReduceLROnPlateau::abs, 0,
                                     {0.3});
    optim::CosineAnnealingLR absolute(sgd, 4);
    add_to(sgd);
    sgd.step();
    relative.step();
    BOOST_TEST(relative.get_last_lr() == (std::vector<double>{0.5, 0.25}), boost::test_tools::per_element());
    plateau.step(1);
    plateau.step(1); // one least rate is that of the new group, too
    BOOST_TEST(plateau.get_last_lr() == (std::vector<double>{0.3, 0.25}), boost::test_tools::per_element());
    BOOST_CHECK_EXCEPTION(absolute.step(), ValueError, [](const Error& e) {
        return e.msg() == "lr scheduler: the schedule was made for 1 parameter groups, the optimizer has 2; add groups "
                          "before the schedule is made";
    });
}
BOOST_AUTO_TEST_CASE(the_rate_of_the_last_step_is_that_of_the_schedule) {
    optim::ReduceLROnPlateau schedule(sgd);
    schedule.step(1);
    sgd.param_groups()[0].options().set_lr(0.125);
    BOOST_TEST(schedule.get_last_lr()[0] == 1); // what was set since is not the schedule's
    Fixture other;
    optim::ReduceLROnPlateau loaded(other.sgd);
    other.sgd.param_groups()[0].options().set_lr(0.25);
    loaded.load_state_dict(schedule.state_dict());
    BOOST_TEST(loaded.get_last_lr()[0] == 1);
}
BOOST_AUTO_TEST_CASE(a_factor_of_zero_gives_the_rate_back) {
    optim::ConstantLR schedule(sgd, 0., 2);
    BOOST_TEST(rates(schedule, 3) == (std::vector<double>{0, 0, 1, 1}), boost::test_tools::per_element());
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
