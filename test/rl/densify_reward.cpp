// Rewards spread over their trajectories.
#include <reel/rl/postprocs/densify_reward.hpp>

#include <limits>

#include <message.hpp>

#include "rl/testing.hpp"

using namespace reel;
using namespace reel::testing;
using rl::DensifyReward;
using rl::DensifyRewardOptions;
using rl::TensorDict;

BOOST_AUTO_TEST_SUITE(densify_reward)

namespace {

TensorDict sparse() {
    TensorDict td({10});
    Tensor reward = zeros({10, 1});
    reward.data_ptr<float>()[3] = 3, reward.data_ptr<float>()[7] = 7;
    td.set({"next", "reward"}, reward);
    td.set({"next", "done"}, flags(10, {3, 7}));
    return td;
}

} // namespace

BOOST_AUTO_TEST_CASE(DR_1_the_example) {
    TensorDict td = sparse();
    const DensifyReward densify;
    const TensorDict out = densify(td);
    BOOST_TEST(out.is(td)); // in place
    BOOST_TEST((numbers(td[{"next", "reward"}]) == std::vector<double>({3, 3, 3, 3, 7, 7, 7, 7, 0, 0})));
    BOOST_TEST(densify->repr() == "DensifyReward()");
    BOOST_TEST(densify->state_dict().is_empty());
}

BOOST_AUTO_TEST_CASE(DR_1_discount_and_keys) {
    TensorDict td({4});
    td.set({"next", "score"}, tensor({1., 2., 3., 4.}).unsqueeze(-1));
    td.set({"next", "agents", "over"}, flags(4, {1}));
    DensifyReward(DensifyRewardOptions()
                      .reward_key("score")
                      .done_key({"agents", "over"})
                      .reward_key_out(rl::NestedKey("total"))
                      .discount(0.5))(td);
    BOOST_TEST((numbers(td[{"next", "total"}]) == std::vector<double>({2, 2, 5, 4})));
    BOOST_TEST((numbers(td[{"next", "score"}]) == std::vector<double>({1, 2, 3, 4})));
    // integers keep their dtype, where half is nothing
    for (const ScalarType t : {kLong, kInt}) {
        td.set({"next", "reward"}, tensor({1, 2, 3, 4}).to(t).unsqueeze(-1));
        td.set({"next", "done"}, flags(4, {}));
        DensifyReward half(DensifyRewardOptions().discount(0.5).reward_key_out(rl::NestedKey("half")));
        BOOST_TEST((numbers(half(td)[{"next", "half"}]) == std::vector<double>({1, 2, 3, 4})));
        BOOST_TEST((numbers(DensifyReward()(td)[{"next", "reward"}]) == std::vector<double>({10, 9, 7, 4})));
        BOOST_CHECK((td[{"next", "reward"}].scalar_type() == t));
    }
}

BOOST_AUTO_TEST_CASE(DR_1_time_is_the_last_dimension_but_one) {
    const Tensor r = arange(1, 7).to(kFloat);
    const auto sums = [](const Tensor& reward, const DensifyRewardOptions& options) {
        TensorDict td({reward.size(0)});
        td.set({"next", "reward"}, reward);
        td.set({"next", "done"}, zeros(reward.sizes(), kBool));
        return numbers(DensifyReward(options)(td)[{"next", "reward"}]);
    };
    using Numbers = std::vector<double>;
    for (const std::int64_t ignored : {2, 0, -7}) {
        BOOST_TEST(sums(r.reshape({2, 3, 1}), DensifyRewardOptions().time_dim(ignored)) ==
                   Numbers({6, 5, 3, 15, 11, 6}));
        BOOST_TEST(sums(r.reshape({2, 3}), DensifyRewardOptions().time_dim(ignored)) == Numbers({5, 7, 9, 4, 5, 6}));
    }
    // the switch
    const DensifyRewardOptions reads = DensifyRewardOptions().reads_time_dim(true);
    BOOST_TEST(sums(r.reshape({2, 3}), DensifyRewardOptions(reads).time_dim(1)) == Numbers({6, 5, 3, 15, 11, 6}));
    BOOST_TEST(sums(r.reshape({2, 3}), DensifyRewardOptions(reads).time_dim(-1)) == Numbers({6, 5, 3, 15, 11, 6}));
    BOOST_TEST(sums(r, DensifyRewardOptions(reads).time_dim(0)) == Numbers({21, 20, 18, 15, 11, 6}));
    BOOST_CHECK_THROW(sums(r, DensifyRewardOptions(reads).time_dim(1)), IndexError);
    BOOST_CHECK_THROW(sums(r, DensifyRewardOptions()), IndexError);
}

BOOST_AUTO_TEST_CASE(DR_1_what_is_refused_is_as_it_was) {
    TensorDict td = sparse();
    td.set({"next", "done"}, zeros({10}, kBool));
    const TensorDict before = td.clone();
    const std::string text = message([&] { DensifyReward()(td); });
    BOOST_TEST(text.find("('next', 'reward') has sizes [10, 1] and ('next', 'done') has [10]") != std::string::npos,
               text);
    BOOST_TEST(td.equal(before));
    td.del_({"next", "done"});
    BOOST_CHECK_THROW(DensifyReward()(td), KeyError);
    td = sparse();
    td.set({"next", "reward"}, flags(10, {1}));
    BOOST_CHECK_THROW(DensifyReward()(td), TypeError);
    for (const double discount : {-1., std::numeric_limits<double>::quiet_NaN()})
        BOOST_CHECK_THROW(DensifyReward(DensifyRewardOptions().discount(discount)), ValueError);
}

BOOST_AUTO_TEST_CASE(gradients_go_back_to_the_rewards) {
    const auto f = [](const Tensor& r) {
        TensorDict td({2});
        td.set({"next", "reward"}, r);
        const Tensor done = zeros({2, 5, 2}, kBool);
        done.data_ptr<bool>()[4] = true;
        td.set({"next", "done"}, done);
        const Tensor sums = DensifyReward(DensifyRewardOptions().discount(0.8))(td)[{"next", "reward"}];
        return sums * sums;
    };
    manual_seed(0);
    const Tensor r = randn({2, 5, 2}, kDouble).requires_grad_();
    BOOST_TEST(autograd::gradcheck(f, {r}));
    BOOST_TEST(autograd::gradgradcheck(f, {r}));
}

BOOST_AUTO_TEST_SUITE_END()
