// Steps through which gradients flow, and PyTorch's other flags.
#include <reel/optim/optimizer.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd.hpp>
#include <reel/optim.hpp>

#include "optim/support.hpp"

using namespace reel;
using namespace support;

namespace {
const Kwargs on{{"differentiable", true}};
const std::vector<std::pair<const char*, Kwargs>>& all() {
    static const std::vector<std::pair<const char*, Kwargs>> list{
        {"SGD", {{"lr", .1}, {"momentum", .9}, {"weight_decay", .1}}},
        {"SGD", {{"lr", .1}, {"momentum", .9}, {"nesterov", true}, {"maximize", true}}},
        {"Adam", {{"lr", .1}, {"weight_decay", .1}}},
        {"Adam", {{"lr", .1}, {"amsgrad", true}}},
        {"AdamW", {{"lr", .1}, {"weight_decay", .1}}},
        {"Adamax", {{"lr", .1}}},
        {"Adadelta", {}},
        {"Adagrad", {{"lr", .1}}},
        {"ASGD", {{"lr", .1}}},
        {"NAdam", {{"lr", .1}}},
        {"RAdam", {{"lr", .1}}},
        {"RMSprop", {{"lr", .1}, {"centered", true}, {"momentum", .5}}},
        {"Rprop", {{"lr", .1}}},
    };
    return list;
}
Kwargs with(Kwargs options, const Kwargs& more) {
    for (const auto& [key, value] : more) options.set(key, value);
    return options;
}
Tensor gradient_at(int step) { return wave({3, 2}, step * .37 + .1); }
} // namespace

BOOST_AUTO_TEST_SUITE(differentiable)

BOOST_AUTO_TEST_CASE(recorded_steps_are_the_fused_ones) {
    for (const auto& [name, options] : all())
        for (const bool complex : {false, true}) {
            const Tensor start = complex ? view_as_complex(wave({3, 2}, 0)) : wave({3, 2}, 0);
            const auto like = [&](const Tensor& t) { return complex ? view_as_complex(t) : t; };
            const Tensor plain = start.clone().requires_grad_(), given = start.clone().requires_grad_();
            const Tensor recorded = given.clone();
            const auto a = optim::make_optimizer(name, {plain}, options),
                       b = optim::make_optimizer(name, {recorded}, with(options, on));
            for (int step = 0; step < 4; ++step) {
                plain.mutable_grad() = like(gradient_at(step));
                recorded.mutable_grad() = like(gradient_at(step));
                a->step();
                b->step();
            }
            BOOST_TEST(allclose(plain, recorded, 1e-9, 1e-12), name);
            BOOST_TEST(bool(recorded.grad_fn()), name);
        }
}

BOOST_AUTO_TEST_CASE(gradients_flow_into_parameters_and_gradients) {
    for (const auto& [name, options] : all()) {
        const auto two_steps = [name = name, options = with(options, on)](const autograd::variable_list& in) {
            const Tensor p = in[0].clone();
            const auto optimizer = optim::make_optimizer(name, {p}, options);
            for (const Tensor& g : {in[1], in[2]}) {
                p.mutable_grad() = g;
                optimizer->step();
            }
            return p;
        };
        const autograd::variable_list in{wave({3, 2}, 0).requires_grad_(), gradient_at(1).requires_grad_(),
                                         gradient_at(2).requires_grad_()};
        BOOST_TEST(autograd::gradcheck(two_steps, in, 1e-6, 1e-4, 1e-3), name);
    }
}

BOOST_AUTO_TEST_CASE(flags_are_pytorchs) {
    const Tensor leaf = parameter({1}, {1}), computed = leaf * 2.0;
    const auto message = [](auto fn) {
        try {
            fn();
        } catch (const Error& e) {
            return std::string(e.what());
        }
        return std::string("nothing was thrown");
    };
    const auto says = [&](auto fn, const char* part) {
        const std::string what = message(fn);
        BOOST_TEST(what.find(part) != std::string::npos, what);
    };
    says([&] { optim::SGD({computed}, optim::SGDOptions(.1)); }, "is not a leaf");
    BOOST_TEST(optim::SGD({computed}, optim::SGDOptions(.1).differentiable(true)).param_groups().size() == 1u);
    says([&] { optim::Adam({leaf}, optim::AdamOptions().differentiable(true).fused(true)); },
         "fused does not support differentiable");
    says([&] { optim::Adam({leaf}, optim::AdamOptions().foreach (true).fused(true)); }, "cannot both be true");
    says([&] { optim::LBFGS({leaf}, optim::LBFGSOptions().differentiable(true)); }, "no differentiable step");
    optim::SGD on_leaf({leaf}, optim::SGDOptions(.1).differentiable(true));
    says([&] { on_leaf.step(); }, "leaf"); // written in place where its gradient is asked for, as in PyTorch

    const auto adam = optim::make_optimizer("Adam", {leaf}, {{"foreach", true}, {"capturable", true}});
    const ValueDict group = adam->state_dict().toGenericDict().at("param_groups").elements()[0].toGenericDict();
    BOOST_TEST(group.at("foreach").toBool());
    BOOST_TEST(group.at("capturable").toBool());
    BOOST_TEST(group.at("fused").isNone());
    BOOST_TEST(!group.at("differentiable").toBool());
    adam->step();
}

BOOST_AUTO_TEST_CASE(hooks_of_all_optimizers) {
    std::string order;
    const Tensor p = parameter({1}, {1});
    optim::SGD sgd({p}, optim::SGDOptions(.1));
    optim::Adam adam({p});
    sgd.register_step_pre_hook([&](optim::Optimizer&) { order += "l"; });
    sgd.register_step_post_hook([&](optim::Optimizer&) { order += "m"; });
    RemovableHandle pre =
        optim::register_optimizer_step_pre_hook([&](optim::Optimizer& o) { order += &o == &sgd ? "a" : "b"; });
    RemovableHandle post = optim::register_optimizer_step_post_hook([&](optim::Optimizer&) { order += "z"; });
    sgd.step();
    adam.step();
    BOOST_TEST(order == "almzbz");
    pre.remove(), post.remove();
    adam.step();
    BOOST_TEST(order == "almzbz");
}

BOOST_AUTO_TEST_SUITE_END()
