// Learning rates that are tensors: read by steps, written by schedules, differentiated through.
#include <reel/optim/rate.hpp>

#include <sstream>

#include <boost/test/unit_test.hpp>

#include <reel/autograd.hpp>
#include <reel/optim.hpp>

#include "message.hpp"
#include "optim/support.hpp"

using namespace reel;
using namespace support;
using reel::testing::message;

BOOST_AUTO_TEST_SUITE(rate)

BOOST_AUTO_TEST_CASE(computes_as_a_number) {
    optim::SGDOptions o(0.5);
    BOOST_TEST(o.lr() == 0.5);
    o.lr() *= 0.5;
    o.lr() += 1;
    BOOST_TEST((o.lr() == 1.25 && o.lr() * 2 == 2.5 && !o.lr().tensor().defined()));
    o.lr() = 3;
    BOOST_TEST(double(o.lr()) == 3);
    std::ostringstream out;
    out << o.lr();
    BOOST_TEST(out.str() == "3");
    BOOST_TEST((ones({1}) * o.lr()).item<double>() == 3);
    const Tensor t = tensor(0.25);
    o.lr(t);
    BOOST_TEST((o.lr() == 0.25 && o.get_lr() == 0.25 && o.lr().tensor().is_same(t)));
    o.lr() /= 2; // into the tensor, as in Python
    BOOST_TEST(t.item<double>() == 0.125);
    BOOST_TEST(message([] {
                   optim::SGDOptions(tensor({0.1, 0.2}));
               }) == "lr: a tensor of shape [2]; expected a number or a tensor of one element");
    BOOST_TEST(message([] { optim::SGDOptions().lr(Tensor()); }) ==
               "lr: an undefined tensor; expected a number or a tensor of one element");
    BOOST_TEST(message([] { optim::SGDOptions(ones({}, kLong)); }) ==
               "lr: the tensor is int64; expected a floating dtype");
    BOOST_CHECK_THROW(optim::SGD({ones({1}).requires_grad_()}, tensor(-1.)), ValueError);
}
BOOST_AUTO_TEST_CASE(steps_read_it_and_schedules_write_it) {
    for (const std::string& name : optim::optimizer_names()) BOOST_TEST_CONTEXT(name) {
            const Tensor lr = full({}, 0.1, kDouble);
            Kwargs options;
            options.set("lr", Value(lr));
            const auto train = [&](optim::Optimizer& o, const Tensor& p, const std::function<void()>& between) {
                for (int i = 0; i < 3; ++i) {
                    o.step([&] {
                        o.zero_grad();
                        const Tensor l = p.square().sum();
                        l.backward();
                        fit_gradients(o);
                        return l;
                    });
                    between();
                }
            };
            const Tensor p = wave({3, 2}, 1).requires_grad_(), q = wave({3, 2}, 1).requires_grad_();
            const auto by_tensor = optim::make_optimizer(name, {p}, options);
            optim::StepLR schedule(*by_tensor, 1, 0.5);
            train(*by_tensor, p, [&] { schedule.step(); });
            BOOST_TEST(lr.item<double>() == 0.0125, boost::test_tools::tolerance(1e-12));
            BOOST_TEST(by_tensor->param_groups()[0].options().get("lr").toTensor().is_same(lr));
            Kwargs number;
            number.set("lr", 0.1);
            const auto by_number = optim::make_optimizer(name, {q}, number);
            optim::StepLR same(*by_number, 1, 0.5);
            train(*by_number, q, [&] { same.step(); });
            BOOST_TEST((list(p) == list(q)));
        }
}
BOOST_AUTO_TEST_CASE(state_dicts_hold_it_and_loading_copies_it) {
    const Tensor p = ones({2}).requires_grad_(), lr = tensor(0.1);
    optim::Adam first({p}, lr), second({p}, 0.5);
    const Value dict = first.state_dict();
    second.load_state_dict(dict);
    const Tensor loaded = second.param_groups()[0].options().get("lr").toTensor();
    BOOST_TEST((!loaded.is_same(lr) && equal(loaded, lr)));
    lr.fill_(7);
    BOOST_TEST(loaded.item<double>() == double(0.1f));
}
BOOST_AUTO_TEST_CASE(gradients_reach_it_through_a_differentiable_step) {
    const auto run = [](const std::string& name, const Tensor& lr, int steps) {
        const Tensor start = wave({3}, 2).requires_grad_(), p = start.clone();
        Kwargs options;
        options.set("lr", Value(lr));
        options.set("differentiable", true);
        if (name == "SGD") options.set("momentum", 0.9);
        if (name.starts_with("Adam") && name != "Adamax") options.set("weight_decay", 0.1);
        const auto o = optim::make_optimizer(name, {p}, options);
        for (int i = 0; i < steps; ++i) {
            p.mutable_grad() = autograd::grad({p.clone().pow(3).sum()}, {p}, {}, true, true)[0];
            o->step();
        }
        return p.square().sum();
    };
    int tried = 0;
    for (const std::string& name : optim::optimizer_names()) BOOST_TEST_CONTEXT(name) {
            const auto probe = optim::make_optimizer(name, {ones({1, 1}).requires_grad_()}); // Muon takes matrices
            if (!probe->defaults().has("differentiable")) continue;
            const Tensor lr = full({}, 0.05, kDouble).requires_grad_();
            if (!probe->is_linear_in_rate()) {
                BOOST_TEST(message([&] { run(name, lr, 1); }).starts_with("optimizer: lr requires grad"));
                continue;
            }
            ++tried;
            for (const double at : {0.05, 0.0}) {
                const Tensor rate = full({}, at, kDouble).requires_grad_();
                const double slope = autograd::grad({run(name, rate, 3)}, {rate})[0].item<double>(), h = 1e-6;
                const auto value = [&](double x) { return run(name, full({}, x, kDouble), 3).item<double>(); };
                const double numeric = at == 0 ? (-3 * value(0) + 4 * value(h) - value(2 * h)) / (2 * h)
                                               : (value(at + h) - value(at - h)) / (2 * h);
                BOOST_TEST(slope == numeric, boost::test_tools::tolerance(1e-4));
            }
        }
    BOOST_TEST(tried >= 8);
}

BOOST_AUTO_TEST_SUITE_END()
