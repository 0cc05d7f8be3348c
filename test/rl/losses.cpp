// Losses: one step of each against torchrl, where gradients go, what is refused.
#include "reference_cases.hpp"

#include <message.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/random.hpp>
#include <reel/inspect/explain_grad.hpp>
#include <reel/nn/modules/linear.hpp>
#include <reel/rl/modules/mlp.hpp>
#include <reel/rl/modules/normal_param_extractor.hpp>
#include <reel/rl/objectives/dqn.hpp>
#include <reel/rl/objectives/ppo.hpp>
#include <reel/rl/objectives/reinforce.hpp>
#include <reel/rl/objectives/sac.hpp>

using namespace reel;
using namespace reel::rl;
using namespace reel::testing;
namespace dist = reel::distributions;

namespace {

/// The entries `prefix` of a case as a state.
void load(nn::Module& module, const Case& c, const std::string& prefix) {
    nn::StateDict state;
    for (const auto& [name, t] : c)
        if (name.starts_with(prefix)) state.insert(name.substr(prefix.size()), t.clone());
    BOOST_REQUIRE(state.size() > 0);
    module.load_state_dict(state);
}
TensorDict data_of(const Case& c) {
    TensorDict td(IntArrayRef{c.at("data.observation").size(0)});
    for (const auto& [name, t] : c) {
        if (!name.starts_with("data.")) continue;
        const std::string key = name.substr(5);
        if (key.starts_with("next.")) td.set(NestedKey{"next", key.substr(5).c_str()}, t);
        else td.set(key, t);
    }
    return td;
}
void check_out(const TensorDict& out, const Case& c, const std::string& label) {
    int seen = 0;
    for (const auto& [name, t] : c) {
        if (!name.starts_with("out.")) continue;
        BOOST_REQUIRE_MESSAGE(out.contains(name.substr(4)), label << ": no entry " << name.substr(4));
        check_close(out[name.substr(4)], t, 2e-5, 2e-6, label + " " + name);
        ++seen;
    }
    BOOST_TEST(std::size_t(seen) == out.size());
    Tensor sum;
    for (const NestedKey& key : out.keys())
        if (key.back().starts_with("loss")) sum = sum.defined() ? sum + out[key] : out[key];
    sum.backward();
}
/// Gradients of `module` are those of the case below `prefix`; `row` of them where networks were stacked.
void check_grads(nn::Module& module, const Case& c, const std::string& prefix, const std::string& label,
                 std::optional<std::int64_t> row = std::nullopt) {
    int seen = 0;
    for (const auto& p : module.named_parameters()) {
        const auto found = c.find("grad." + prefix + p.key());
        BOOST_REQUIRE_MESSAGE(found != c.end(), label << ": no gradient of " << prefix << p.key());
        check_close(p->grad(), row ? found->second[*row] : found->second, 5e-5, 2e-6, label + " gradient " + p.key());
        ++seen;
    }
    BOOST_TEST(seen > 0);
}

MLP net(std::int64_t in, std::int64_t out) { return MLP(MLPOptions(in, out).num_cells({5})); }

struct Discrete {
    MLP network = net(3, 4);
    ProbabilisticActor actor{TensorDictModule(network, {"observation"}, {"logits"}),
                             {"logits"},
                             distribution_class<dist::Categorical>(),
                             ProbabilisticActorOptions().return_log_prob(true)};
};
struct Continuous {
    nn::Sequential network{net(3, 4), NormalParamExtractor()};
    ProbabilisticActor actor{TensorDictModule(network, {"observation"}, {"loc", "scale"}),
                             {"loc", "scale"},
                             distribution_class<dist::TanhNormal>(),
                             ProbabilisticActorOptions().return_log_prob(true)};
};

} // namespace

BOOST_AUTO_TEST_SUITE(losses)

BOOST_AUTO_TEST_CASE(dqn_as_torchrl_computes_it) {
    int checked = 0;
    for (const auto& [name, c] : reference_cases("rl/data/losses.safetensors")) {
        if (!name.starts_with("DQN.")) continue;
        const bool one_hot = c.at("data.action").dim() == 2;
        MLP network = net(3, 4);
        load(*network, c, "net.");
        QValueActor actor(network, {"observation"},
                          QValueActorOptions().action_space(one_hot ? ActionSpace::ONE_HOT : ActionSpace::CATEGORICAL));
        DQNLoss loss(actor, DQNLossOptions()
                                .double_dqn(name == "DQN.double" || name == "DQN.steps")
                                .gamma(0.9)
                                .loss_function(name == "DQN.steps"         ? "smooth_l1"
                                               : name == "DQN.categorical" ? "l1"
                                                                           : "l2"));
        load(*loss->get_submodule("target_value_network.module.0.module"), c, "target.");
        TensorDict td = data_of(c);
        check_out(loss(td), c, name);
        check_close(td["td_error"], c.at("td_error"), 2e-5, 1e-6, name + " td_error");
        check_grads(*network, c, "value_network_params.module.0.module.", name);
        for (const Tensor& p : loss->target_networks()[0].second->parameters()) BOOST_CHECK(!p.grad().defined());
        ++checked;
    }
    BOOST_TEST(checked == 4);
}

BOOST_AUTO_TEST_CASE(ppo_as_torchrl_computes_it) {
    int checked = 0;
    for (const auto& [name, c] : reference_cases("rl/data/losses.safetensors")) {
        if (!name.starts_with("PPO.")) continue;
        const bool continuous = name == "PPO.continuous";
        Discrete d;
        Continuous n;
        nn::Module& network = continuous ? static_cast<nn::Module&>(*n.network) : *d.network;
        MLP critic = net(3, 1);
        load(network, c, "actor.");
        load(*critic, c, "critic.");
        const AnyTensorDictModule actor = continuous ? n.actor : d.actor;
        const ValueOperator values(critic, {"observation"});
        PPOLossOptions o;
        if (name == "PPO.clip") o.normalize_advantage(true).entropy_coeff(0.02);
        if (name == "PPO.value_clip") o.clip_epsilon(0.1).clip_value(0.2).critic_coeff(0.5).loss_critic_type("l2");
        if (continuous) o.entropy_coeff(0.1);
        TensorDict td = data_of(c);
        const std::size_t entries = td.size();
        manual_seed(3);
        if (name == "PPO.plain") check_out(PPOLoss(actor, values, o)(td), c, name);
        else check_out(ClipPPOLoss(actor, values, o)(td), c, name);
        check_grads(network, c, "actor_network_params.module.0.module.", name);
        check_grads(*critic, c, "critic_network_params.module.", name);
        BOOST_TEST(td.size() == entries);
        ++checked;
    }
    BOOST_TEST(checked == 4);
}

BOOST_AUTO_TEST_CASE(reinforce_as_torchrl_computes_it) {
    const Case& c = reference_cases("rl/data/losses.safetensors").at("Reinforce");
    Discrete d;
    MLP critic = net(3, 1);
    load(*d.network, c, "actor.");
    load(*critic, c, "critic.");
    ReinforceLoss loss(d.actor, ValueOperator(critic, {"observation"}));
    check_out(loss(data_of(c)), c, "Reinforce");
    check_grads(*d.network, c, "actor_network_params.module.0.module.", "Reinforce");
    check_grads(*critic, c, "critic_network_params.module.", "Reinforce");
}

BOOST_AUTO_TEST_CASE(sac_as_torchrl_computes_it) {
    int checked = 0;
    for (const auto& [name, c] : reference_cases("rl/data/losses.safetensors")) {
        if (!name.starts_with("SAC.")) continue;
        Continuous n;
        MLP q0 = net(5, 1), q1 = net(5, 1);
        load(*n.network, c, "actor.");
        load(*q0, c, "q0.");
        load(*q1, c, "q1.");
        const std::vector<AnyTensorDictModule> q{ValueOperator(q0, {"observation", "action"}),
                                                 ValueOperator(q1, {"observation", "action"})};
        SACLoss loss(n.actor, q, SACLossOptions().target_entropy(-2.0).alpha_init(0.4).gamma(0.9));
        for (int i = 0; i < 2; ++i)
            load(*loss->get_submodule("target_qvalue_network." + std::to_string(i) + ".module"), c,
                 "target." + std::to_string(i) + ".");
        TensorDict td = data_of(c);
        manual_seed(3);
        check_out(loss(td), c, name);
        check_close(td["td_error"], c.at("td_error"), 2e-5, 1e-6, name + " td_error");
        check_grads(*n.network, c, "actor_network_params.module.0.module.", name);
        check_grads(*q0, c, "qvalue_network_params.module.", name, 0);
        check_grads(*q1, c, "qvalue_network_params.module.", name, 1);
        check_close(loss->log_alpha.grad(), c.at("grad.log_alpha"), 2e-5, 1e-6, name + " log_alpha");
        ++checked;
    }
    BOOST_TEST(checked == 2);
}

namespace {
TensorDict batch(std::int64_t n, bool categorical = false) {
    TensorDict td(IntArrayRef{n});
    td.set("observation", randn({n, 3}));
    const Tensor index = randint(0, 4, {n}, kLong);
    td.set("action", categorical ? index : one_hot(index, 4));
    td.set({"next", "observation"}, randn({n, 3}));
    td.set({"next", "reward"}, randn({n, 1}));
    td.set({"next", "done"}, zeros({n, 1}, kBool));
    td.set({"next", "terminated"}, zeros({n, 1}, kBool));
    return td;
}
} // namespace

BOOST_AUTO_TEST_CASE(targets_are_frozen_and_stay) {
    manual_seed(0);
    QValueActor actor(net(3, 4), {"observation"});
    DQNLoss loss(actor, DQNLossOptions().double_dqn(true));
    const auto [source, target] = loss->target_networks().at(0);
    BOOST_CHECK(source != target);
    BOOST_TEST(source->parameters().size() == target->parameters().size());
    for (const Tensor& p : target->parameters()) BOOST_CHECK(!p.requires_grad());
    loss(batch(7))["loss"].backward();
    const inspect::GradReport report = inspect::explain_grad(*loss);
    BOOST_TEST(report.count(inspect::GradFate::Frozen) == 4u, report.text());
    BOOST_TEST(report.count(inspect::GradFate::Got) == 4u, report.text());
    // even one that somebody unfroze
    target->requires_grad_(true);
    loss(batch(7))["loss"].backward();
    for (const Tensor& p : target->parameters()) BOOST_CHECK(!p.grad().defined());
    for (const Tensor& p : source->parameters()) BOOST_CHECK(p.grad().defined());
    BOOST_TEST(loss->state_dict().contains("target_value_network.module.0.module.0.weight"));
    BOOST_TEST(loss->state_dict().contains("value_network.module.0.module.2.bias"));
    const DQNLoss copy(std::dynamic_pointer_cast<DQNLossImpl>(loss->clone()));
    TensorDict td = batch(7);
    check_close(copy(td)["loss"], loss(td)["loss"], 0, 0, "clone");
}

BOOST_AUTO_TEST_CASE(hooks_of_the_network_fire_and_are_not_copied) {
    MLP network = net(3, 4);
    int forward = 0, backward = 0;
    network->register_forward_hook([&](nn::Module&, const Args&, const Value&) { ++forward; });
    network->register_full_backward_hook([&](nn::Module&, const Value&, const Value&) { ++backward; });
    DQNLoss loss(QValueActor(network, {"observation"}));
    TensorDict td = batch(4);
    td["observation"].requires_grad_(); // a full backward hook wants the gradient of an input
    loss(td)["loss"].backward();
    BOOST_TEST(forward == 1); // not for the copy
    BOOST_TEST(backward == 1);
}

BOOST_AUTO_TEST_CASE(without_a_delayed_copy_the_target_has_no_gradient_either) {
    manual_seed(1);
    MLP network = net(3, 4);
    DQNLoss loss(QValueActor(network, {"observation"}), DQNLossOptions().delay_value(false).gamma(0.5));
    TensorDict td = batch(6);
    loss(td)["loss"].backward();
    const Tensor q = network(td["observation"]), next = network(td[{"next", "observation"}]).detach();
    const Tensor target = td[{"next", "reward"}].squeeze(-1) + 0.5 * next.amax({-1});
    const Tensor wanted = mse_loss((q * td["action"]).sum(-1), target);
    const Tensor grad = network->parameters()[0].grad().clone();
    network->zero_grad();
    wanted.backward();
    check_close(grad, network->parameters()[0].grad(), 1e-5, 1e-7, "gradient");
    BOOST_CHECK(loss->target_networks().empty());
}

BOOST_AUTO_TEST_CASE(a_terminal_state_is_not_bootstrapped_whatever_its_value) {
    MLP network = net(3, 4);
    DQNLoss loss(QValueActor(network, {"observation"}));
    TensorDict td = batch(3);
    td.set({"next", "terminated"}, ones({3, 1}, kBool));
    td.set({"next", "done"}, ones({3, 1}, kBool));
    td.set({"next", "observation"}, full({3, 3}, NAN));
    const Tensor q = (network(td["observation"]) * td["action"]).sum(-1, true);
    const Tensor value = loss(td)["loss"];
    check_close(value, mse_loss(q, td[{"next", "reward"}]), 1e-5, 1e-7, "loss");
}

BOOST_AUTO_TEST_CASE(sac_moves_each_part_by_its_own_loss) {
    manual_seed(2);
    Continuous n;
    SACLoss loss(n.actor, ValueOperator(net(5, 1), {"observation", "action"}), SACLossOptions().target_entropy(-2.0));
    BOOST_TEST(loss->num_qvalue_nets() == 2);
    const auto q0 = loss->qvalue_network(0), q1 = loss->qvalue_network(1);
    BOOST_CHECK(!equal(q0.module()->parameters()[0], q1.module()->parameters()[0]));
    TensorDict td = batch(8);
    td.set("action", rand({8, 2}) * 2 - 1);
    const auto any_grad = [](nn::Module& m) {
        bool any = false;
        for (const Tensor& p : m.parameters()) any = any || p.grad().defined();
        return any;
    };
    const auto check = [&](const char* name, bool actor, bool q, bool alpha) {
        loss->zero_grad();
        loss(td)[name].backward();
        BOOST_TEST_CONTEXT(name) {
            BOOST_TEST(any_grad(*n.network) == actor);
            BOOST_TEST(any_grad(*q0.module()) == q);
            BOOST_TEST(any_grad(*q1.module()) == q);
            BOOST_TEST(loss->log_alpha.grad().defined() == alpha);
        }
    };
    check("loss_actor", true, false, false);
    check("loss_qvalue", false, true, false);
    check("loss_alpha", false, false, true);
    for (const Tensor& p : q0.module()->parameters()) BOOST_CHECK(p.requires_grad());
    SACLoss bounded(n.actor, ValueOperator(net(5, 1), {"observation", "action"}),
                    SACLossOptions().target_entropy(-2.0).max_alpha(0.3).fixed_alpha(true));
    BOOST_TEST(bounded->alpha() == 0.3, boost::test_tools::tolerance(1e-6));
    BOOST_CHECK(!bounded->log_alpha.requires_grad());
    BOOST_CHECK_THROW(SACLoss(n.actor, ValueOperator(net(5, 1), {"observation", "action"})), ValueError);
}

BOOST_AUTO_TEST_CASE(ppo_computes_a_missing_advantage) {
    manual_seed(3);
    Discrete d;
    MLP critic = net(3, 1);
    const ValueOperator values(critic, {"observation"});
    TensorDict steps = batch(12, true).view({3, 4});
    steps.set("action_log_prob", full({3, 4}, -1.2));
    ClipPPOLoss loss(d.actor, values, PPOLossOptions().gamma(0.8).lmbda(0.7));
    const TensorDict out = loss(steps);
    BOOST_CHECK(!steps.contains("advantage"));
    GAE(ValueEstimatorOptions().gamma(0.8).lmbda(0.7).value_network(values))(steps);
    const TensorDict again = loss(steps);
    check_close(out["loss_objective"], again["loss_objective"], 1e-6, 1e-7, "loss_objective");
    check_close(out["loss_critic"], again["loss_critic"], 1e-6, 1e-7, "loss_critic");
}

BOOST_AUTO_TEST_CASE(reductions_and_weights) {
    manual_seed(4);
    QValueActor actor(net(3, 4), {"observation"});
    TensorDict td = batch(5);
    const auto value = [&](const char* reduction) {
        return DQNLoss(actor, DQNLossOptions().reduction(reduction))(td)["loss"];
    };
    const Tensor none = value("none");
    BOOST_TEST(none.sizes() == IntArrayRef({5}));
    check_close(value("sum"), none.sum(), 1e-6, 0, "sum");
    check_close(value("mean"), none.mean(), 1e-6, 0, "mean");
    td.set("priority_weight", rand({5, 1}));
    const Tensor w = td["priority_weight"].squeeze(-1);
    check_close(value("mean"), (none * w).sum() / w.sum(), 1e-6, 0, "weighted");
}

BOOST_AUTO_TEST_CASE(messages) {
    QValueActor actor(net(3, 4), {"observation"});
    DQNLoss loss(actor);
    TensorDict td = batch(5);
    const auto text_of = [&](const TensorDict& data) {
        try {
            loss(data);
        } catch (const Error& e) {
            return std::string(e.what());
        }
        return std::string("nothing was thrown");
    };
    const std::string missing = text_of(td.exclude({{"next", "reward"}}));
    BOOST_TEST(missing.find("reward") != std::string::npos, missing);
    BOOST_TEST(missing.find("computing DQNLoss") != std::string::npos, missing);
    TensorDict flat = td.clone(false);
    flat.set({"next", "reward"}, randn({5}));
    const std::string shape = text_of(flat);
    BOOST_TEST(shape.find("[5, 1]") != std::string::npos, shape);
    BOOST_TEST(shape.find("[5]") != std::string::npos, shape);
    TensorDict numbers = batch(5, true);
    const std::string space = text_of(numbers);
    BOOST_TEST(space.find("ActionSpace::CATEGORICAL") != std::string::npos, space);
    BOOST_TEST(!numbers.contains("td_error"));
    BOOST_CHECK_THROW(loss(TensorDict(IntArrayRef{2})), KeyError);
    BOOST_CHECK_THROW(DQNLoss(actor, DQNLossOptions().double_dqn(true).delay_value(false)), ValueError);
    BOOST_CHECK_THROW(DQNLoss(actor, DQNLossOptions().loss_function("l3")), ValueError);
    BOOST_CHECK_THROW(DQNLoss(actor, DQNLossOptions().reduction("max")), ValueError);
    BOOST_CHECK_THROW(loss->make_value_estimator(ValueEstimators::GAE), NotImplementedError);

    Discrete d;
    const ValueOperator values(net(3, 1), {"observation"});
    ClipPPOLoss ppo(d.actor, values);
    TensorDict steps = batch(5, true);
    steps.set("action_log_prob", zeros({5}));
    steps.set("advantage", zeros({5}));
    steps.set("value_target", zeros({5, 1}));
    const std::string outer = message([&] { ppo(steps); });
    BOOST_TEST(outer.find("ClipPPOLoss: the advantage 'advantage' has shape [5], expected [5, 1]") == 0u, outer);
    steps.set("advantage", zeros({5, 1}));
    steps.set("action_log_prob", zeros({5}).requires_grad_());
    BOOST_CHECK_THROW(ppo(steps), ValueError);
    BOOST_CHECK_THROW(PPOLoss(values, values)(steps), Error);
}

BOOST_AUTO_TEST_SUITE_END()
