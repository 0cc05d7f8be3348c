// The optimizer base: groups, skipping, zero_grad, closures, hooks, state dicts.
#include <reel/optim/optimizer.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <map>
#include <set>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/optim/adagrad.hpp>
#include <reel/optim/adam.hpp>
#include <reel/optim/adamw.hpp>
#include <reel/optim/factory.hpp>
#include <reel/optim/lbfgs.hpp>
#include <reel/optim/muon.hpp>
#include <reel/optim/sgd.hpp>

#include "optim/support.hpp"

using namespace reel;
using namespace support;
using optim::AdamOptions;
using optim::OptimizerParamGroup;
using optim::SGD;
using optim::SGDOptions;

namespace {
bool contains(const Error& e, const char* text) { return e.msg().find(text) != std::string::npos; }
} // namespace

BOOST_AUTO_TEST_SUITE(optimizer)

BOOST_AUTO_TEST_CASE(a_group_inherits_what_it_does_not_set_even_when_set_to_the_default) {
    std::vector<OptimizerParamGroup> groups;
    groups.emplace_back(std::vector<Tensor>{parameter({1}, {1})});
    groups.emplace_back(std::vector<Tensor>{parameter({1}, {1})},
                        std::make_unique<SGDOptions>(SGDOptions().momentum(0)));
    groups.emplace_back(std::vector<Tensor>{parameter({1}, {1})}, Kwargs{{"lr", 0.5}});
    SGD sgd(std::move(groups), SGDOptions(0.1).momentum(0.9));
    const auto option = [&](std::size_t g) -> const SGDOptions& {
        return static_cast<const SGDOptions&>(sgd.param_groups()[g].options());
    };
    BOOST_TEST(option(0).lr() == 0.1);
    BOOST_TEST(option(0).momentum() == 0.9);
    BOOST_TEST(option(1).momentum() == 0.0);
    BOOST_TEST(option(1).lr() == 0.1);
    BOOST_TEST(option(2).lr() == 0.5);
    BOOST_TEST(option(2).momentum() == 0.9);
}
BOOST_AUTO_TEST_CASE(no_parameters_at_all_are_taken) { // decision 24
    SGD sgd(std::vector<Tensor>(), 0.5);
    sgd.zero_grad();
    sgd.step();
    const Tensor p = ones({2}).requires_grad_();
    sgd.add_param_group({{p}});
    p.sum().backward();
    sgd.step();
    BOOST_TEST(equal(p, full({2}, 0.5)));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_optimized_is_refused_and_nothing_is_added) {
    const Tensor p = parameter({1, 2}, {1, 1});
    SGD sgd({p}, SGDOptions(0.1));
    BOOST_CHECK_EXCEPTION(sgd.add_param_group(OptimizerParamGroup({p})), ValueError, [](const Error& e) {
        return e.msg() == "optimizer: parameter 0 of group 1 is already in group 0";
    });
    BOOST_CHECK_EXCEPTION(sgd.add_param_group(OptimizerParamGroup({p * 2.0})), ValueError,
                          [](const Error& e) { return contains(e, "not a leaf"); });
    BOOST_CHECK_EXCEPTION(sgd.add_param_group(OptimizerParamGroup({parameter({1}, {1})}, Kwargs{{"speed", 1}})),
                          TypeError, [](const Error& e) { return contains(e, "there is no argument 'speed'"); });
    BOOST_CHECK_THROW(SGD({parameter({1}, {1})}, SGDOptions(-1)), ValueError);
    BOOST_CHECK_THROW(SGD({parameter({1}, {1})}, SGDOptions(0.1).nesterov(true)), ValueError);
    BOOST_TEST(sgd.param_groups().size() == 1u);
}
BOOST_AUTO_TEST_CASE(muon_refuses_what_is_no_matrix_before_it_takes_the_group) {
    const Tensor matrix = support::wave({2, 3}, 0).requires_grad_(), bias = parameter({1, 2}, {1, 1});
    const auto refused = [](const std::string& which) {
        return [which](const Error& e) {
            return e.msg() == "Muon: " + which +
                                  " has shape [2]; expected a matrix (2 dimensions). Give the others to another "
                                  "optimizer, AdamW for example";
        };
    };
    BOOST_CHECK_EXCEPTION(optim::Muon({matrix, bias}), ValueError, refused("parameter 1 of group 0"));
    BOOST_CHECK_EXCEPTION(optim::make_optimizer("Muon", {bias}), ValueError, refused("parameter 0 of group 0"));
    optim::Muon muon({matrix});
    BOOST_CHECK_EXCEPTION(muon.add_param_group(OptimizerParamGroup({bias})), ValueError,
                          refused("parameter 0 of group 1"));
    BOOST_TEST(muon.param_groups().size() == 1u);
    muon.param_groups()[0].params().push_back(bias); // behind its back
    BOOST_CHECK_EXCEPTION(muon.step(), ValueError, refused("a parameter"));
}
BOOST_AUTO_TEST_CASE(states_and_options_compare_field_by_field) {
    optim::AdamParamState a;
    a.step({3}).exp_avg(ones({2}));
    optim::AdamParamState b = a;
    b.exp_avg(ones({2}));
    BOOST_TEST((a == b));
    b.exp_avg(ones({2}, kDouble));
    BOOST_TEST((a != b));
    b.exp_avg(zeros({2}));
    BOOST_TEST((a != b));
    b = a;
    b.step({4});
    BOOST_TEST((a != b));
    BOOST_TEST((AdamOptions(1e-2) == AdamOptions(1e-2)));
    BOOST_TEST((AdamOptions(1e-2) != AdamOptions(1e-3)));
}
BOOST_AUTO_TEST_CASE(parameters_without_a_gradient_are_skipped_and_get_no_state) {
    const Tensor with = parameter({1}, {1}), without = vector_of({1}).requires_grad_();
    optim::Adam adam({with, without}, AdamOptions(0.1));
    adam.step();
    BOOST_TEST(adam.state().size() == 1u);
    BOOST_TEST(list(without)[0] == 1.0);
    without.mutable_grad() = vector_of({1}); // unfreezing later needs no new optimizer
    adam.step();
    BOOST_TEST(adam.state().size() == 2u);
    BOOST_TEST(list(without)[0] < 1.0);
}
BOOST_AUTO_TEST_CASE(M15_zero_grad_clears_or_fills_with_zeros) {
    const Tensor p = parameter({1}, {3});
    SGD sgd({p}, SGDOptions(0.1));
    sgd.zero_grad(false);
    BOOST_TEST(list(p.grad())[0] == 0.0);
    sgd.zero_grad();
    BOOST_TEST(!p.grad().defined());
}
BOOST_AUTO_TEST_CASE(a_closure_runs_with_grad_mode_on_and_its_loss_is_returned) {
    const Tensor p = vector_of({2}).requires_grad_();
    SGD sgd({p}, SGDOptions(0.25));
    NoGradGuard no_grad;
    const Tensor loss = sgd.step([&] {
        BOOST_TEST(GradMode::is_enabled());
        sgd.zero_grad();
        Tensor l = (p * p).sum();
        l.backward();
        return l;
    });
    BOOST_TEST(loss.item<double>() == 4.0);
    BOOST_TEST(list(p)[0] == 1.0);
    BOOST_TEST(!GradMode::is_enabled());
}
BOOST_AUTO_TEST_CASE(step_hooks_run_around_the_step_and_can_be_removed) {
    const Tensor p = parameter({1}, {1});
    SGD sgd({p}, SGDOptions(0.5));
    std::vector<double> seen;
    RemovableHandle pre = sgd.register_step_pre_hook([&](optim::Optimizer&) { seen.push_back(list(p)[0]); });
    sgd.register_step_post_hook([&](optim::Optimizer&) { seen.push_back(list(p)[0]); });
    sgd.step();
    pre.remove();
    sgd.step();
    BOOST_TEST(seen == (std::vector<double>{1, 0.5, 0}), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(a_step_bumps_the_version_so_that_a_stale_backward_is_refused) {
    const Tensor p = vector_of({2}).requires_grad_();
    const Tensor y = p * p;
    p.mutable_grad() = vector_of({1});
    SGD({p}, SGDOptions(0.1)).step();
    BOOST_CHECK_THROW(y.sum().backward(), Error);
}

BOOST_AUTO_TEST_CASE(a_saved_and_loaded_optimizer_goes_on_bit_for_bit) {
    const auto train = [](optim::Optimizer& o, const Tensor& p, int from, int to) {
        for (int i = from; i < to; ++i) {
            p.mutable_grad() = wave({37}, i + 0.5, kFloat);
            o.step();
        }
    };
    const Tensor whole = wave({37}, 3, kFloat).requires_grad_(), half = wave({37}, 3, kFloat).requires_grad_();
    optim::AdamW a({whole}, optim::AdamWOptions(0.01).amsgrad(true)),
        b({half}, optim::AdamWOptions(0.01).amsgrad(true));
    train(a, whole, 0, 10);
    train(b, half, 0, 5);
    const Tensor rest = half.detach().clone().requires_grad_();
    optim::AdamW c({rest}, optim::AdamWOptions(0.5)); // other options: the saved ones are restored
    c.load_state_dict(b.state_dict());
    train(c, rest, 5, 10);
    BOOST_TEST(list(rest) == list(whole), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(state_dicts_have_pythons_keys_and_number_parameters_across_groups) {
    std::vector<OptimizerParamGroup> groups;
    groups.emplace_back(std::vector<Tensor>{parameter({1}, {1}), vector_of({1}).requires_grad_()});
    groups.emplace_back(std::vector<Tensor>{parameter({1}, {1})});
    optim::Adam adam(std::move(groups), AdamOptions(0.1));
    adam.step();
    const Value saved = adam.state_dict();
    const ValueDict& d = saved.toGenericDict();
    const auto& list = d.at("param_groups").elements();
    BOOST_TEST(list.at(1).toGenericDict().at("params").elements().at(0).toInt() == 2);
    for (const char* key : {"lr", "betas", "eps", "weight_decay", "amsgrad", "maximize", "foreach", "capturable",
                            "differentiable", "fused", "decoupled_weight_decay"})
        BOOST_TEST(list.at(0).toGenericDict().contains(key), key);
    const ValueDict& state = d.at("state").toGenericDict();
    BOOST_TEST(state.size() == 2u);
    const ValueDict& first = state.find(Value(0))->toGenericDict();
    BOOST_TEST(first.at("step").toTensor().item<float>() == 1.f);
    BOOST_TEST(first.contains("exp_avg"));
    BOOST_TEST(!first.contains("max_exp_avg_sq"));
}
BOOST_AUTO_TEST_CASE(groups_in_state_dicts_have_exactly_pythons_keys) {
    const std::map<std::string, std::set<std::string>> expected = {
        {"SGD",
         {"lr", "momentum", "dampening", "weight_decay", "nesterov", "maximize", "foreach", "differentiable", "fused"}},
        {"Adam",
         {"lr", "betas", "eps", "weight_decay", "amsgrad", "maximize", "foreach", "capturable", "differentiable",
          "fused", "decoupled_weight_decay"}},
        {"AdamW",
         {"lr", "betas", "eps", "weight_decay", "amsgrad", "maximize", "foreach", "capturable", "differentiable",
          "fused", "decoupled_weight_decay"}},
        {"NAdam",
         {"lr", "betas", "eps", "weight_decay", "momentum_decay", "decoupled_weight_decay", "maximize", "foreach",
          "capturable", "differentiable"}},
        {"RAdam",
         {"lr", "betas", "eps", "weight_decay", "maximize", "foreach", "capturable", "decoupled_weight_decay",
          "differentiable"}},
        {"Adamax", {"lr", "betas", "eps", "weight_decay", "foreach", "maximize", "differentiable", "capturable"}},
        {"Adagrad",
         {"lr", "lr_decay", "eps", "weight_decay", "initial_accumulator_value", "foreach", "maximize", "differentiable",
          "fused"}},
        {"Adadelta", {"lr", "rho", "eps", "weight_decay", "maximize", "capturable", "foreach", "differentiable"}},
        {"RMSprop",
         {"lr", "momentum", "alpha", "eps", "centered", "weight_decay", "capturable", "foreach", "maximize",
          "differentiable"}},
        {"Rprop", {"lr", "etas", "step_sizes", "foreach", "maximize", "differentiable", "capturable"}},
        {"ASGD", {"lr", "lambd", "alpha", "t0", "weight_decay", "foreach", "maximize", "differentiable", "capturable"}},
        {"Adafactor", {"lr", "beta2_decay", "eps", "d", "weight_decay", "foreach", "maximize"}},
        {"Muon", {"lr", "weight_decay", "momentum", "nesterov", "ns_coefficients", "eps", "ns_steps", "adjust_lr_fn"}},
        {"LBFGS",
         {"lr", "max_iter", "max_eval", "tolerance_grad", "tolerance_change", "history_size", "line_search_fn",
          "maximize"}}};
    for (const auto& [name, keys] : expected) {
        std::vector<OptimizerParamGroup> groups;
        groups.emplace_back(std::vector<Tensor>{reel::ones({2, 2}).requires_grad_()});
        const auto made = optim::make_optimizer(name, std::move(groups), {Value(0.1)});
        const Value saved = made->state_dict();
        std::set<std::string> found;
        for (const auto& [key, value] : saved.toGenericDict().at("param_groups").elements().at(0).toGenericDict())
            found.insert(key.toStringRef());
        found.erase("params");
        BOOST_TEST(found == keys, boost::test_tools::per_element());
    }
}
BOOST_AUTO_TEST_CASE(the_old_spelling_of_foreach_is_read_and_not_kept) {
    optim::SGD sgd({parameter({1}, {1})}, SGDOptions(0.1));
    Value saved = sgd.state_dict();
    ValueDict group = saved.toGenericDict().at("param_groups").elements().at(0).toGenericDict();
    group.set("foreign", Value());
    ValueDict all;
    all.set("state", Value(ValueDict()));
    all.set("param_groups", Value::list({Value(group)}));
    sgd.load_state_dict(Value(all));
    const Value again = sgd.state_dict();
    const ValueDict& g = again.toGenericDict().at("param_groups").elements().at(0).toGenericDict();
    BOOST_TEST(!g.contains("foreign"));
    BOOST_TEST(g.contains("foreach"));
}
BOOST_AUTO_TEST_CASE(adagrad_has_its_sums_from_the_start) {
    const Tensor p = parameter({1, 2}, {1, 1}), late = parameter({3}, {2});
    optim::Adagrad adagrad({p}, optim::AdagradOptions(0.1).initial_accumulator_value(0.5));
    const Value saved = adagrad.state_dict();
    const ValueDict& state = saved.toGenericDict().at("state").toGenericDict();
    BOOST_TEST(state.size() == 1u);
    BOOST_TEST(list(state.find(Value(0))->toGenericDict().at("sum").toTensor()) == (std::vector<double>{0.5, 0.5}),
               boost::test_tools::per_element());
    BOOST_TEST(state.find(Value(0))->toGenericDict().at("step").toTensor().item<float>() == 0.f);
    adagrad.add_param_group(std::vector<Tensor>{late});
    adagrad.step(); // a later one gets its sum now
    BOOST_TEST(list(late)[0] == 3 - 0.1 * 2 / (std::sqrt(0.5 + 4) + 1e-10));
}
BOOST_AUTO_TEST_CASE(lbfgs_maximizes_too) {
    const Tensor x = vector_of({1, -2}).requires_grad_();
    optim::LBFGS lbfgs({x}, optim::LBFGSOptions(1).maximize(true).line_search_fn("strong_wolfe"));
    const auto closure = [&] { // highest at (3, 3), where it is 7
        lbfgs.zero_grad();
        const Tensor height = 7 - (x - 3).square().sum();
        height.backward();
        return height;
    };
    const Tensor first = lbfgs.step(closure);
    BOOST_TEST(first.item<double>() == 7 - 4 - 25); // the closure's own value, not the negated one
    for (int i = 0; i < 5; ++i) lbfgs.step(closure);
    BOOST_TEST(list(x)[0] == 3, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(list(x)[1] == 3, boost::test_tools::tolerance(1e-9));
}
BOOST_AUTO_TEST_CASE(options_of_adam_and_adamw_differ_in_their_decay_alone) {
    const optim::AdamOptions adam;
    const optim::AdamWOptions adamw;
    BOOST_TEST(adam.weight_decay() == 0);
    BOOST_TEST(adamw.weight_decay() == 1e-2);
    BOOST_TEST(!adam.decoupled_weight_decay());
    BOOST_TEST(adamw.decoupled_weight_decay());
    ValueDict a = adam.to_dict(), w = adamw.to_dict();
    BOOST_TEST(w.at("decoupled_weight_decay").toBool());
    for (ValueDict* d : {&a, &w}) d->set("weight_decay", 0.0), d->set("decoupled_weight_decay", false);
    BOOST_TEST(Value(a).repr() == Value(w).repr()); // names, values and order
    // a default that differs is not one that was given: groups inherit over it
    std::vector<optim::OptimizerParamGroup> groups;
    groups.emplace_back(std::vector<Tensor>{parameter({1}, {1})}, optim::AdamWOptions(0.5).amsgrad(true).clone());
    const optim::AdamW built(std::move(groups), optim::AdamWOptions(0.1).weight_decay(0.3));
    const auto& o = static_cast<const optim::AdamWOptions&>(built.param_groups()[0].options());
    BOOST_TEST(o.lr() == 0.5);
    BOOST_TEST(o.weight_decay() == 0.3);
    BOOST_TEST(o.amsgrad());
    BOOST_CHECK_EXCEPTION(optim::AdamW({parameter({1}, {1})}, optim::AdamWOptions(-1)), ValueError,
                          [](const Error& e) { return e.msg() == "AdamW: lr must not be negative, got -1"; });
}
BOOST_AUTO_TEST_CASE(loading_what_does_not_fit_changes_nothing) {
    optim::Adam two({parameter({1, 2}, {1, 1})}, AdamOptions(0.1)),
        three({parameter({1, 2, 3}, {1, 1, 1})}, AdamOptions(0.2));
    two.step();
    BOOST_CHECK_EXCEPTION(three.load_state_dict(two.state_dict()), ValueError, [](const Error& e) {
        return e.msg() == "load_state_dict: state 'exp_avg' of parameter 0 has shape [2], the parameter has [3]";
    });
    BOOST_TEST(three.param_groups()[0].options().get_lr() == 0.2);
    BOOST_TEST(three.state().empty());
    optim::Adam more({parameter({1}, {1}), parameter({1}, {1})}, AdamOptions(0.1));
    BOOST_CHECK_THROW(more.load_state_dict(two.state_dict()), ValueError);
}
BOOST_AUTO_TEST_CASE(a_count_of_steps_is_set_as_a_number) {
    const Tensor p = parameter({1, 2}, {1, 1});
    optim::Adagrad optimizer({p}, optim::AdagradOptions(0.1));
    optimizer.step();
    auto& state = static_cast<optim::AdagradParamState&>(*optimizer.state().at(p.unsafeGetTensorImpl()));
    state.step(state.step() + 4);
    BOOST_TEST(state.step() == 5);
    const Value whole = optimizer.state_dict();
    const ValueDict& first = whole.toGenericDict().at("state").toGenericDict().find(Value(0))->toGenericDict();
    BOOST_TEST(first.at("step").toTensor().item<float>() == 5);
}

BOOST_AUTO_TEST_SUITE_END()
