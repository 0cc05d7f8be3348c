// Policies and value functions.
#include <reel/rl/modules/actors.hpp>

#include "reference_cases.hpp"

#include <message.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/random.hpp>
#include <reel/nn/modules/linear.hpp>
#include <reel/rl/modules/egreedy.hpp>
#include <reel/rl/modules/mlp.hpp>
#include <reel/rl/modules/normal_param_extractor.hpp>
#include <reel/rl/policy.hpp>
#include <reel/rl/specs.hpp>

using namespace reel;
using namespace reel::rl;
using namespace reel::testing;
namespace dist = reel::distributions;

namespace {
TensorDict observations(std::int64_t n = 6) {
    TensorDict td(IntArrayRef{n});
    td.set("observation", randn({n, 3}));
    return td;
}
ProbabilisticActor continuous(const ProbabilisticActorOptions& options = {}) {
    return ProbabilisticActor(
        TensorDictModule(nn::Sequential(nn::Linear(3, 4), NormalParamExtractor()), {"observation"}, {"loc", "scale"}),
        {"loc", "scale"}, distribution_class<dist::TanhNormal>(), options);
}
} // namespace

BOOST_AUTO_TEST_SUITE(actors)

BOOST_AUTO_TEST_CASE(the_exploration_type_chooses_the_action) {
    manual_seed(0);
    ProbabilisticActor actor = continuous();
    TensorDict td = observations();
    actor(td);
    check_close(td["action"], td["loc"].tanh(), 1e-6, 1e-6, "deterministic by default");
    const Tensor first = td["action"];
    {
        const set_exploration_type random(ExplorationType::RANDOM);
        BOOST_CHECK(exploration_type() == ExplorationType::RANDOM);
        actor(td);
        const Tensor drawn = td["action"];
        actor(td);
        BOOST_CHECK(!equal(drawn, td["action"]));
        {
            const set_exploration_type mode(ExplorationType::MODE);
            actor(td);
            const Tensor densest = actor->log_prob(td);
            td.set("action", first);
            BOOST_CHECK((densest >= actor->log_prob(td) - 1e-5).all().item<bool>());
        }
        BOOST_CHECK(exploration_type() == ExplorationType::RANDOM);
        const set_exploration_type mean(ExplorationType::MEAN); // of many draws: there is no formula
        actor(td);
        const Tensor center = actor->get_dist(td)->sample({20000}).mean(0);
        check_close(td["action"], center, 0, 0.1, "mean");
    }
    BOOST_CHECK(!exploration_type());
    ProbabilisticActor explorer =
        continuous(ProbabilisticActorOptions().default_interaction_type(ExplorationType::RANDOM));
    explorer(td);
    const Tensor drawn = td["action"];
    explorer(td);
    BOOST_CHECK(!equal(drawn, td["action"]));
}

BOOST_AUTO_TEST_CASE(log_probabilities_are_those_of_what_was_taken) {
    manual_seed(1);
    ProbabilisticActor actor =
        continuous(ProbabilisticActorOptions().return_log_prob(true).action_key({"agent", "act"}));
    const std::vector<NestedKey> out{"loc", "scale", {"agent", "act"}, {"agent", "act_log_prob"}};
    BOOST_CHECK((actor->out_keys() == out));
    const set_exploration_type random(ExplorationType::RANDOM);
    TensorDict td = observations();
    actor(td);
    check_close(td[{"agent", "act_log_prob"}], actor->log_prob(td), 1e-4, 1e-4, "log-probability");
    BOOST_TEST((td[{"agent", "act_log_prob"}].sizes() == IntArrayRef({6})));
    BOOST_CHECK((td[{"agent", "act"}].requires_grad())); // a draw that can be differentiated
    const NoGradGuard no_grad;
    actor(td);
    BOOST_CHECK((!td[{"agent", "act"}].requires_grad()));
}

BOOST_AUTO_TEST_CASE(classes_of_distributions) {
    manual_seed(2);
    const set_exploration_type random(ExplorationType::RANDOM);
    const auto act = [&](std::vector<NestedKey> keys, DistributionClass d, std::int64_t out) {
        ProbabilisticActor actor(TensorDictModule(nn::Linear(3, out), {"observation"}, keys), keys, std::move(d),
                                 ProbabilisticActorOptions().return_log_prob(true));
        TensorDict td = observations();
        actor(td);
        BOOST_TEST(td["action_log_prob"].sizes() == IntArrayRef({6}));
        return td["action"];
    };
    BOOST_TEST(act({"logits"}, distribution_class<dist::Categorical>(), 4).sizes() == IntArrayRef({6}));
    const Tensor one_hot = act({{"head", "logits"}}, distribution_class<dist::OneHotCategorical>(), 4);
    BOOST_CHECK(one_hot.scalar_type() == kLong);
    BOOST_TEST(OneHot(4, std::nullopt, kLong).is_in(one_hot));
    BOOST_TEST(act({"logits"}, distribution_class<dist::Bernoulli>(), 2).sizes() == IntArrayRef({6, 2}));
    BOOST_TEST(act({"param"}, distribution_class<dist::Delta>(), 2).sizes() == IntArrayRef({6, 2}));
    ProbabilisticActor normal(
        TensorDictModule(nn::Sequential(nn::Linear(3, 4), NormalParamExtractor()), {"observation"}, {"loc", "scale"}),
        {"loc", "scale"}, distribution_class<dist::Normal>());
    TensorDict td = observations();
    BOOST_TEST(normal->get_dist(td)->event_shape() == std::vector<std::int64_t>{2});
    BOOST_CHECK(!td.contains("loc")); // get_dist leaves nothing behind
    const std::string text = message([&] { act({"loc"}, distribution_class<dist::Categorical>(), 4); });
    BOOST_TEST(text == "Categorical: there is no parameter 'loc'; expected 'probs', 'logits'");
    BOOST_CHECK_THROW(act({"loc"}, distribution_class<dist::Normal>(), 4), KeyError);
    {
        const set_exploration_type mean(ExplorationType::MEAN);
        BOOST_CHECK_THROW(act({"logits"}, distribution_class<dist::Categorical>(), 4), NotImplementedError);
    }
    ProbabilisticActor bounded(
        TensorDictModule(nn::Sequential(nn::Linear(3, 2), NormalParamExtractor()), {"observation"}, {"loc", "scale"}),
        {"loc", "scale"},
        distribution_class<dist::TanhNormal>(dist::TanhNormalOptions().low(tensor(-2.f)).high(tensor(2.f))));
    bounded(td);
    BOOST_TEST(Bounded(-2, 2, IntArrayRef{1}).is_in(td["action"]));
}

BOOST_AUTO_TEST_CASE(values_choose_actions) {
    manual_seed(3);
    nn::Linear values(3, 4);
    for (const bool categorical : {false, true}) {
        QValueActor actor(values, {"observation"},
                          QValueActorOptions().spec(categorical ? TensorSpec(Categorical(4)) : TensorSpec(OneHot(4))));
        TensorDict td = observations();
        actor(td);
        const Tensor q = td["action_value"];
        check_close(q, values(td["observation"]), 0, 0, "values");
        check_close(td["chosen_action_value"], q.amax({-1}, true), 0, 0, "chosen value");
        BOOST_CHECK(equal(td["action"].to(kLong), categorical ? q.argmax(-1) : one_hot(q.argmax(-1), 4)));
        BOOST_CHECK(td["action"].scalar_type() == (categorical ? kLong : kBool)); // the spec's
        BOOST_CHECK(td["chosen_action_value"].requires_grad());
    }
    QValueActor masked(values, {"observation"}, QValueActorOptions().action_mask_key("mask"));
    TensorDict td = observations();
    const Tensor mask = zeros({6, 4}, kBool);
    mask.select(1, 2).fill_(true);
    td.set("mask", mask);
    masked(td);
    BOOST_CHECK(equal(td["action"].argmax(-1), full({6}, 2, kLong)));
    BOOST_TEST(masked->state_dict().contains("module.0.module.weight"));
    BOOST_CHECK_THROW(QValueActor(values, {"observation"}, QValueActorOptions().spec(Bounded(0, 1, IntArrayRef{4}))),
                      ValueError);
    td.set("mask", ones({6, 3}, kBool));
    BOOST_CHECK_THROW(masked(td), ValueError);
}

BOOST_AUTO_TEST_CASE(value_operators_name_their_results) {
    const ValueOperator state(nn::Linear(3, 1), {"observation"});
    BOOST_CHECK((state->out_keys() == std::vector<NestedKey>{"state_value"}));
    const ValueOperator action(MLP(MLPOptions(5, 1)), {"observation", "action"});
    BOOST_CHECK((action->out_keys() == std::vector<NestedKey>{"state_action_value"}));
    TensorDict td = observations();
    td.set("action", rand({6, 2}));
    action(state(td));
    BOOST_TEST(td["state_action_value"].sizes() == IntArrayRef({6, 1}));
    BOOST_TEST(str(*state) == "ValueOperator(\n"
                              "    module=Linear(in_features=3, out_features=1, bias=True),\n"
                              "    in_keys=['observation'],\n"
                              "    out_keys=['state_value'])");
}

BOOST_AUTO_TEST_CASE(greedy_but_for_epsilon) {
    manual_seed(4);
    EGreedyModule explore(OneHot(4, std::nullopt, kLong),
                          EGreedyModuleOptions().eps_init(0.5).eps_end(0.1).annealing_num_steps(8));
    const Policy policy = TensorDictSequential(QValueActor(nn::Linear(3, 4), {"observation"}), explore);
    TensorDict td = observations(4000);
    policy(td);
    const Tensor greedy = one_hot(td["action_value"].argmax(-1), 4), taken = td["action"];
    BOOST_TEST(OneHot(4, std::nullopt, kLong).is_in(taken));
    // a random one agrees with the greedy one in a quarter of cases
    const double differs = (taken != greedy).any(-1).to(kDouble).mean().item<double>();
    BOOST_TEST(std::abs(differs - 0.5 * 0.75) < 0.03);
    for (const double wanted : {0.45, 0.4, 0.35}) {
        explore->step();
        BOOST_TEST(explore->epsilon() == wanted, boost::test_tools::tolerance(1e-6));
    }
    explore->step(100);
    BOOST_TEST(explore->epsilon() == 0.1, boost::test_tools::tolerance(1e-6));
    BOOST_TEST(explore->state_dict().size() == 3u);
    {
        const set_exploration_type exploit(ExplorationType::DETERMINISTIC);
        policy(td);
        BOOST_CHECK(equal(td["action"], greedy));
    }
    // one action without a batch, numbers for actions
    EGreedyModule always(Categorical(4), EGreedyModuleOptions().eps_end(1.0));
    TensorDict single;
    bool seen[4] = {};
    for (int i = 0; i < 100; ++i) {
        single.set("action", tensor(0));
        always(single);
        seen[single["action"].item<std::int64_t>()] = true;
    }
    BOOST_CHECK(seen[0] && seen[1] && seen[2] && seen[3]);
    // masks hold for random actions, too
    for (const bool number : {false, true}) {
        const TensorSpec spec = number ? TensorSpec(Categorical(4)) : TensorSpec(OneHot(4));
        EGreedyModule masked(spec, EGreedyModuleOptions().eps_end(1.0).action_mask_key("mask"));
        TensorDict some = observations(200);
        const Tensor mask = rand({200, 4}) < 0.3;
        mask.select(1, 3).fill_(true);
        some.set("mask", mask);
        some.set("action", number ? zeros({200}, kLong) : zeros({200, 4}, kBool));
        masked(some);
        const Tensor index = number ? some["action"] : some["action"].to(kLong).argmax(-1);
        BOOST_CHECK(mask.gather(-1, index.unsqueeze(-1)).all().item<bool>());
        BOOST_CHECK((index != 3).any().item<bool>());
        BOOST_CHECK(spec.is_in(some["action"]));
        some.set("mask", zeros({200, 4}, kBool));
        BOOST_CHECK_THROW(masked(some), ValueError);
        some.set("mask", ones({200, 3}, kBool));
        BOOST_CHECK_THROW(masked(some), ValueError);
    }
    const auto copy = std::dynamic_pointer_cast<EGreedyModuleImpl>(explore->clone());
    BOOST_TEST(copy->epsilon() == 0.1, boost::test_tools::tolerance(1e-6));
    BOOST_CHECK_THROW(EGreedyModule(OneHot(4), EGreedyModuleOptions().eps_init(0.1).eps_end(0.5)), ValueError);
    BOOST_CHECK_THROW(EGreedyModule(OneHot(4), EGreedyModuleOptions().annealing_num_steps(0)), ValueError);
    td.set("action", zeros({4000, 3}, kLong));
    BOOST_CHECK_THROW(explore(td), ValueError);
}

BOOST_AUTO_TEST_CASE(actors_are_modules) {
    ProbabilisticActor actor = continuous();
    const auto copy = std::dynamic_pointer_cast<ProbabilisticActorImpl>(actor->clone());
    BOOST_REQUIRE(copy);
    TensorDict a = observations(), b = a.clone();
    actor(a);
    ProbabilisticActor{copy}(b);
    check_close(a["action"], b["action"], 0, 0, "clone");
    BOOST_CHECK(!copy->parameters()[0].is_same(actor->parameters()[0]));
    BOOST_TEST(actor->state_dict().contains("module.0.module.0.weight"));
    BOOST_TEST(str(*actor) ==
               "ProbabilisticActor(\n"
               "    module=ModuleList(\n"
               "      (0): TensorDictModule(\n"
               "          module=Sequential(\n"
               "            (0): Linear(in_features=3, out_features=4, bias=True)\n"
               "            (1): NormalParamExtractor(scale_mapping=biased_softplus_1.0, scale_lb=0.0001)\n"
               "          ),\n"
               "          in_keys=['observation'],\n"
               "          out_keys=['loc', 'scale'])\n"
               "      (1): ProbabilisticTensorDictModule(\n"
               "          in_keys=['loc', 'scale'],\n"
               "          out_keys=['action'],\n"
               "          distribution_class=TanhNormal,\n"
               "          default_interaction_type=DETERMINISTIC)\n"
               "    ),\n"
               "    in_keys=['observation'],\n"
               "    out_keys=['loc', 'scale', 'action'])");
}

BOOST_AUTO_TEST_SUITE_END()
