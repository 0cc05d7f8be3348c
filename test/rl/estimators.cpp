// Returns and advantages: against torchrl, against plain loops, at ends of both kinds.
#include <reel/rl/objectives/value/estimators.hpp>

#include "reference_cases.hpp"

#include <message.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/random.hpp>
#include <reel/nn/modules/linear.hpp>
#include <reel/rl/modules/actors.hpp>

using namespace reel;
using namespace reel::rl;
using namespace reel::testing;

namespace {
constexpr double gamma_ = 0.93, lmbda_ = 0.8;
}

BOOST_AUTO_TEST_SUITE(estimators)

BOOST_AUTO_TEST_CASE(as_torchrl_computes_them) {
    int checked = 0;
    for (const auto& [name, c] : reference_cases("rl/data/estimators.safetensors")) {
        const Tensor value = c.at("value").clone().requires_grad_(), next = c.at("next_value").clone().requires_grad_();
        const Tensor &reward = c.at("reward"), &done = c.at("done"), &terminated = c.at("terminated");
        const auto check = [&, n = name](const Tensor& got, const char* field) {
            // the package multiplies with discounts of float32 whatever the dtype
            check_close(got, c.at(field), 1e-6, 1e-6, n + " " + field);
        };
        const auto gae = generalized_advantage_estimate(gamma_, lmbda_, value, next, reward, done, terminated);
        check(gae.advantage, "gae");
        check(gae.value_target, "gae_target");
        (gae.advantage * reward).sum().backward();
        check(value.grad(), "gae_grad_value");
        check(next.grad(), "gae_grad_next_value");
        const NoGradGuard no_grad; // the other path, which records nothing
        check(generalized_advantage_estimate(gamma_, lmbda_, value, next, reward, done, terminated).advantage, "gae");
        check(td0_return_estimate(gamma_, next, reward, terminated), "td0");
        check(td1_return_estimate(gamma_, next, reward, done, terminated), "td1");
        check(td_lambda_return_estimate(gamma_, lmbda_, next, reward, done, terminated), "td_lambda");
        check(td_lambda_advantage_estimate(gamma_, lmbda_, value, next, reward, done, terminated),
              "td_lambda_advantage");
        const Factor steps = c.at("gamma_t");
        check(generalized_advantage_estimate(steps, lmbda_, value, next, reward, done, terminated).advantage,
              "gae_gamma_t");
        check(td_lambda_return_estimate(steps, lmbda_, next, reward, done, terminated), "td_lambda_gamma_t");
        const auto v = vtrace_advantage_estimate(gamma_, c.at("log_pi"), c.at("log_mu"), value, next, reward, done,
                                                 terminated, 1.1, 0.9);
        check(v.advantage, "vtrace");
        check(v.value_target, "vtrace_target");
        check(reward2go(reward, done, gamma_), "reward2go");
        // time in front of the batch, float32
        const auto turned = [](const Tensor& t) { return t.transpose(0, -2).contiguous(); };
        const auto first = generalized_advantage_estimate(gamma_, lmbda_, turned(value), turned(next), turned(reward),
                                                          turned(done), turned(terminated), 0);
        check(turned(first.advantage), "gae");
        const auto narrow = generalized_advantage_estimate(gamma_, lmbda_, value.to(kFloat), next.to(kFloat),
                                                           reward.to(kFloat), done, terminated);
        check_close(narrow.advantage, c.at("gae"), 1e-4, 1e-5, name + " float32");
        ++checked;
    }
    BOOST_TEST(checked == 5);
}

BOOST_AUTO_TEST_CASE(as_a_plain_loop_over_each_trajectory) {
    manual_seed(1);
    const std::int64_t rows = 5, steps = 11;
    const Tensor value = randn({rows, steps, 1}, kDouble), next = randn({rows, steps, 1}, kDouble),
                 reward = randn({rows, steps, 1}, kDouble), done = rand({rows, steps, 1}) < 0.3,
                 terminated = done & (rand({rows, steps, 1}) < 0.5);
    const auto gae = generalized_advantage_estimate(gamma_, lmbda_, value, next, reward, done, terminated);
    const Tensor returns = td_lambda_return_estimate(gamma_, lmbda_, next, reward, done, terminated);
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t t = 0; t < steps; ++t) {
            const auto at = [&](const Tensor& x, std::int64_t u) { return x[r][u][0].item<double>(); };
            double advantage = 0, factor = 1;
            std::int64_t end = t;
            while (end + 1 < steps && !done[r][end][0].item<bool>()) ++end;
            for (std::int64_t u = t; u <= end; ++u, factor *= gamma_ * lmbda_)
                advantage += factor * (at(reward, u) + gamma_ * (terminated[r][u][0].item<bool>() ? 0 : at(next, u)) -
                                       at(value, u));
            BOOST_TEST(at(gae.advantage, t) == advantage, boost::test_tools::tolerance(1e-10));
            // the lambda-return is the sum over n of (1 - lmbda) lmbda^(n-1) times the n-step return
            double mixed = 0, share = 1, sum = 0, discount = 1;
            for (std::int64_t u = t; u <= end; ++u) {
                sum += discount * at(reward, u);
                discount *= gamma_;
                const double n_step = sum + discount * (terminated[r][u][0].item<bool>() ? 0 : at(next, u));
                mixed += (u == end ? share : share * (1 - lmbda_)) * n_step;
                share *= lmbda_;
            }
            BOOST_TEST(at(returns, t) == mixed, boost::test_tools::tolerance(1e-10));
        }
}

BOOST_AUTO_TEST_CASE(values_after_the_end_do_not_count_whatever_they_are) {
    const Tensor reward = tensor({1., 2., 3., 4.}, kDouble).view({4, 1}), value = zeros({4, 1}, kDouble);
    const Tensor next = tensor({0.5, double(NAN), 0.5, double(INFINITY)}, kDouble).view({4, 1});
    const Tensor terminated = tensor({false, true, false, true}).view({4, 1});
    for (const bool recorded : {false, true}) {
        const Tensor v = value.clone().requires_grad_(recorded);
        const auto r = generalized_advantage_estimate(1.0, 1.0, v, next, reward, terminated);
        check_close(r.advantage, tensor({3.5, 2., 7.5, 4.}, kDouble).view({4, 1}), 1e-12, 0, "gae");
        check_close(td1_return_estimate(1.0, next, reward, terminated), tensor({3., 2., 7., 4.}, kDouble).view({4, 1}),
                    1e-12, 0, "td1");
        BOOST_TEST(r.advantage.requires_grad() == recorded);
    }
    // truncated: the value of the state where it was cut counts, what lies behind does not
    const Tensor done = tensor({false, true, false, false}).view({4, 1}), never = zeros({4, 1}, kBool);
    const Tensor values = tensor({10., 20., 30., 40.}, kDouble).view({4, 1});
    check_close(td1_return_estimate(0.5, values, reward, done, never),
                tensor({1 + 0.5 * 12, 2 + 0.5 * 20, 3 + 0.5 * 24, 4 + 0.5 * 40}, kDouble).view({4, 1}), 1e-12, 0,
                "truncated");
}

BOOST_AUTO_TEST_CASE(a_discount_for_each_step) {
    manual_seed(2);
    const Tensor next = randn({2, 5, 1}, kDouble), reward = randn({2, 5, 1}, kDouble), done = rand({2, 5, 1}) < 0.3,
                 gamma = full({2, 5, 1}, gamma_, kDouble);
    check_close(td_lambda_return_estimate(gamma, full_like(gamma, lmbda_), next, reward, done),
                td_lambda_return_estimate(gamma_, lmbda_, next, reward, done), 1e-12, 1e-13, "equal factors");
    Tensor varied = rand({2, 5, 1}, kDouble);
    const Tensor r = td1_return_estimate(varied, next, reward, done);
    const double last =
        reward[1][4][0].item<double>() +
        (done[1][4][0].item<bool>() ? 0 : varied[1][4][0].item<double>() * next[1][4][0].item<double>());
    BOOST_TEST(r[1][4][0].item<double>() == last, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(gradients_are_those_of_finite_differences) {
    manual_seed(3);
    const Tensor done = rand({2, 4, 1}) < 0.4, terminated = done & (rand({2, 4, 1}) < 0.5);
    const auto leaf = [] { return randn({2, 4, 1}, kDouble).requires_grad_(); };
    BOOST_TEST(autograd::gradcheck(
        [&](const std::vector<Tensor>& x) -> std::vector<Tensor> {
            const auto v = vtrace_advantage_estimate(gamma_, x[0], x[1], x[2], x[3], x[4], done, terminated, 100, 100);
            return {v.advantage, v.value_target,
                    td_lambda_return_estimate(gamma_, lmbda_, x[3], x[4], done, terminated)};
        },
        {leaf(), leaf(), leaf(), leaf(), leaf()}));
}

BOOST_AUTO_TEST_CASE(messages_name_both_shapes) {
    const Tensor reward = rand({4, 1}), done = zeros({4, 1}, kBool);
    const std::string text = message([&] {
        generalized_advantage_estimate(0.9, 0.9, rand({4}), rand({4, 1}), reward, done);
    });
    BOOST_TEST(text.find("generalized_advantage_estimate: state_value has shape [4] and reward [4, 1]") == 0u, text);
    BOOST_CHECK_THROW(td0_return_estimate(0.9, reward, reward, reward), TypeError);
    BOOST_TEST(message([&] {
                   td1_return_estimate(rand({4}), reward, reward, done);
               }).find("td_lambda_return_estimate: gamma has shape [4] and reward [4, 1]") == 0u);
    BOOST_TEST(message([&] { reward2go(reward, Tensor(), 0.9); }) == "reward2go: done is undefined");
    BOOST_CHECK_THROW(reward2go(rand({4}), zeros({4}, kBool), 0.9), ValueError);
    BOOST_CHECK_THROW(reward2go(rand({0, 1}), zeros({0, 1}, kBool), 0.9), ValueError);
    BOOST_CHECK_THROW(reward2go(reward, done, 0.9, 2), IndexError);
}

namespace {
TensorDict trajectories() {
    manual_seed(4);
    TensorDict td(IntArrayRef{2, 5});
    td.set("observation", randn({2, 5, 3}));
    td.set({"next", "observation"}, randn({2, 5, 3}));
    td.set({"next", "reward"}, randn({2, 5, 1}));
    td.set({"next", "done"}, rand({2, 5, 1}) < 0.3);
    td.set({"next", "terminated"}, td[{"next", "done"}] & (rand({2, 5, 1}) < 0.5));
    return td;
}
} // namespace

BOOST_AUTO_TEST_CASE(modules_write_advantage_and_target) {
    TensorDict td = trajectories();
    ValueOperator critic(nn::Linear(3, 1), {"observation"});
    GAE gae(ValueEstimatorOptions().gamma(gamma_).lmbda(lmbda_).value_network(critic));
    const TensorDict out = gae(td);
    BOOST_CHECK(out.is(td));
    const auto wanted =
        generalized_advantage_estimate(gamma_, lmbda_, td["state_value"], td[{"next", "state_value"}],
                                       td[{"next", "reward"}], td[{"next", "done"}], td[{"next", "terminated"}]);
    check_close(td["advantage"], wanted.advantage, 0, 0, "advantage");
    check_close(td["value_target"], wanted.value_target, 0, 0, "target");
    BOOST_CHECK(!td["advantage"].requires_grad());
    BOOST_TEST(gae->repr() == "GAE(gamma=0.93, lmbda=0.8)");
    TensorDict scaled = trajectories();
    GAE(ValueEstimatorOptions().value_network(critic).average_gae(true))(scaled);
    BOOST_TEST(scaled["advantage"].std().item<double>() == 1, boost::test_tools::tolerance(1e-5));
    TensorDict recorded = trajectories();
    TDLambdaEstimator(ValueEstimatorOptions().value_network(critic).differentiable(true))(recorded);
    BOOST_CHECK(recorded["advantage"].requires_grad());
}

BOOST_AUTO_TEST_CASE(entries_may_span_several_steps) { // MS-15, MS-24
    TensorDict td = trajectories();
    td.set("state_value", randn({2, 5, 1}));
    td.set({"next", "state_value"}, randn({2, 5, 1}));
    td.set("steps_to_next_obs", randint(1, 4, {2, 5}, kLong));
    TD0Estimator(ValueEstimatorOptions().gamma(0.9))(td);
    const Tensor n = td["steps_to_next_obs"].unsqueeze(-1).to(kFloat);
    const Tensor live = td[{"next", "terminated"}].logical_not().to(kFloat);
    check_close(td["value_target"],
                td[{"next", "reward"}] + reel::pow(full_like(n, 0.9), n) * live * td[{"next", "state_value"}], 1e-6,
                1e-7, "target");
    const Tensor gamma = reel::pow(full_like(n, 0.9), n);
    TDLambdaEstimator(ValueEstimatorOptions().gamma(0.9))(td);
    check_close(td["value_target"],
                td_lambda_return_estimate(gamma, 0.95, td[{"next", "state_value"}], td[{"next", "reward"}],
                                          td[{"next", "done"}], td[{"next", "terminated"}]),
                1e-6, 1e-7, "lambda");
    GAE(ValueEstimatorOptions().gamma(0.9))(td);
    check_close(td["advantage"],
                generalized_advantage_estimate(gamma, 0.95, td["state_value"], td[{"next", "state_value"}],
                                               td[{"next", "reward"}], td[{"next", "done"}], td[{"next", "terminated"}])
                    .advantage,
                1e-6, 1e-7, "gae");
    td.del_("state_value");
    BOOST_CHECK_THROW(TD1Estimator{ValueEstimatorOptions()}(td.exclude({"steps_to_next_obs"})), KeyError);
    BOOST_CHECK_THROW(GAE(ValueEstimatorOptions().gamma(1.5)), ValueError);
}

BOOST_AUTO_TEST_SUITE_END()
