// When backward hooks fire: order, repetition, restricted passes, double backward, freezing.
#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

using namespace reel;
using namespace reel::testing;
using autograd::variable_list;
using nn::Module;

BOOST_AUTO_TEST_SUITE(backward_passes)

namespace {
/// Counts on one module; the gradients seen last.
struct Watch {
    explicit Watch(Module& m) {
        m.register_full_backward_pre_hook([this](Module&, const variable_list&) { ++pre; });
        m.register_full_backward_hook([this](Module&, const variable_list& gi, const variable_list& go) {
            ++full;
            for (const Tensor& t : gi) gi_seen.push_back(number(t));
            for (const Tensor& t : go) go_seen.push_back(number(t));
        });
    }
    Watch(const Watch&) = delete;
    void clear() {
        pre = full = 0;
        gi_seen.clear();
        go_seen.clear();
    }
    int pre = 0, full = 0;
    std::vector<double> gi_seen, go_seen;
};
using doubles = std::vector<double>;
/// f(a, b) over tensors.
struct BinaryImpl : Module {
    using Fn = std::function<Tensor(const Tensor&, const Tensor&)>;
    explicit BinaryImpl(Fn f) : fn(std::move(f)) {}
    Tensor forward(const Tensor& a, const Tensor& b) { return fn(a, b); }
    Fn fn;
};
REEL_MODULE(Binary);
} // namespace

BOOST_AUTO_TEST_CASE(B_15_parameters_have_their_gradient_when_the_hook_fires) {
    Scale m;
    double w = 0;
    m->register_full_backward_hook(
        [&](Module& self, const variable_list&, const variable_list&) { w = number(self.parameters()[0].grad()); });
    m(leaf(2)).backward();
    BOOST_TEST(w == 2);
}

BOOST_AUTO_TEST_CASE(B_16_order_across_modules) {
    const auto order = [](nn::Sequential s, const Tensor& x) {
        std::string log;
        s->apply([&](Module& m) {
            m.register_full_backward_hook(
                [&](Module& self, const variable_list&, const variable_list&) { log += self.repr_name() + " "; });
        });
        s(x).sum().backward();
        return log;
    };
    BOOST_TEST(order(nn::Sequential(nn::Sigmoid(), nn::Tanh()), leaf(1)) == "Tanh Sigmoid Sequential ");
    BOOST_TEST(order(nn::Sequential(nn::Linear(1, 1), nn::Tanh()), ones({1, 1})) == "Sequential Tanh Linear ");
    std::string log;
    nn::Sequential two(Scale(2.0), Scale(3.0));
    for (int i = 0; i < 2; ++i) {
        const std::string tag = std::to_string(i);
        two->ptr(i)->register_full_backward_pre_hook(
            [&log, tag](Module&, const variable_list&) { log += "pre" + tag; });
        two->ptr(i)->register_full_backward_hook(
            [&log, tag](Module&, const variable_list&, const variable_list&) { log += "full" + tag; });
    }
    two(leaf(1)).backward();
    BOOST_TEST(log == "pre1full1pre0full0");
}

BOOST_AUTO_TEST_CASE(B_22_in_place_changes_of_gradients_are_visible) {
    nn::Sigmoid m;
    m->register_full_backward_hook(
        [](Module&, const variable_list& gi, const variable_list&) { Tensor(gi[0]).mul_(100); });
    const Tensor x = leaf(0);
    m(x).backward();
    BOOST_TEST(number(x.grad()) == 25);
}

BOOST_AUTO_TEST_CASE(B_23_hooks_record_when_the_pass_does) {
    Scale m;
    std::vector<bool> recording, history;
    m->register_full_backward_hook([&](Module&, const variable_list& gi, const variable_list&) {
        recording.push_back(GradMode::is_enabled());
        history.push_back(gi[0].requires_grad());
    });
    const Tensor x = leaf(2);
    (m(x) * x).backward();
    autograd::grad({m(x) * x}, {x}, {}, true, true);
    BOOST_TEST(recording == (std::vector<bool>{false, true}));
    BOOST_TEST(history == (std::vector<bool>{false, true}));
}

BOOST_AUTO_TEST_CASE(B_24_an_exception_of_a_hook_ends_the_pass) {
    struct Mine : std::runtime_error {
        using std::runtime_error::runtime_error;
    };
    Scale m;
    m->register_full_backward_hook(
        [](Module&, const variable_list&, const variable_list&) { throw Mine("of my own kind"); });
    const Tensor x = leaf(2);
    BOOST_TEST(message_of<Mine>([&] { m(x).backward(); }) == "of my own kind");
    BOOST_TEST(!x.grad().defined());
}

BOOST_AUTO_TEST_CASE(B_25_a_module_called_twice) {
    Scale m;
    Watch w(*m);
    m(m(leaf(1))).backward();
    BOOST_TEST(w.gi_seen == (doubles{3, 9}));
    BOOST_TEST(w.go_seen == (doubles{1, 3}));
    BOOST_TEST(number(m->w.grad()) == 6);
}

BOOST_AUTO_TEST_CASE(B_26_hooks_fire_on_every_pass_over_a_retained_graph) {
    Scale m;
    Watch w(*m);
    const Tensor y = m(leaf(1));
    y.backward(full({}, 1.0), true);
    y.backward(full({}, 5.0));
    BOOST_TEST(w.go_seen == (doubles{1, 5}));
    BOOST_TEST(w.gi_seen == (doubles{3, 15}));
}

BOOST_AUTO_TEST_CASE(B_27_gradients_are_summed_before_the_hook_and_only_of_this_call) {
    {
        nn::Identity m;
        Watch w(*m);
        const Tensor o = m(leaf(1));
        (o * 2 + o * 3).backward();
        BOOST_TEST(w.go_seen == doubles{5});
    }
    nn::Identity m;
    double seen = 0;
    m->register_full_backward_hook([&](Module&, const variable_list& gi, const variable_list&) {
        seen = number(gi[0]);
        return variable_list{gi[0] * 0};
    });
    const Tensor x = leaf(1);
    (m(x) + x * 7).backward();
    BOOST_TEST(seen == 1);
    BOOST_TEST(number(x.grad()) == 7);
}

BOOST_AUTO_TEST_CASE(B_28_one_tensor_at_two_positions) {
    Binary m([](const Tensor& a, const Tensor& b) { return a * 2 + b * 3; });
    Watch w(*m);
    const Tensor x = leaf(1);
    m(x, x).backward();
    BOOST_TEST(w.gi_seen == (doubles{2, 3}));
    BOOST_TEST(number(x.grad()) == 5);
}

BOOST_AUTO_TEST_CASE(B_29_which_hooks_fire_in_restricted_passes) {
    Tensor alias;
    const auto m = any_module([&](const Args& a, const Kwargs&) {
        alias = a[0].toTensor();
        return Value(alias * a[1].toTensor());
    });
    Watch w(*m);
    const Tensor x = leaf(2), weight = leaf(3);
    const auto fires = [&](const char* what, auto pass, int pre, int full) {
        w.clear();
        const Tensor y = m->call_values({Value(x), Value(weight.detach())}).toTensor();
        pass(y);
        BOOST_TEST(w.pre == pre, what);
        BOOST_TEST(w.full == full, what);
    };
    fires(
        "grad(y, x)", [&](const Tensor& y) { autograd::grad({y}, {x}); }, 1, 1);
    fires(
        "backward(inputs = x)", [&](const Tensor& y) { autograd::backward({y}, {}, {}, false, {x}); }, 1, 1);
    fires(
        "backward()", [&](const Tensor& y) { y.backward(); }, 1, 1);
    fires(
        "grad(y, alias)", [&](const Tensor& y) { autograd::grad({y}, {alias}); }, 1, 0);
    fires(
        "backward(inputs = alias)", [&](const Tensor& y) { autograd::backward({y}, {}, {}, false, {alias}); }, 1, 1);
    fires(
        "grad(y, y)", [&](const Tensor& y) { autograd::grad({y}, {y}); }, 0, 0);
    fires(
        "backward(inputs = y)", [&](const Tensor& y) { autograd::backward({y}, {}, {}, false, {y}); }, 1, 0);

    Scale s;
    Watch ws(*s);
    autograd::grad({s(x)}, {s->w});
    BOOST_TEST(ws.pre == 1);
    BOOST_TEST(ws.full == 0);
    autograd::backward({s(x)}, {}, {}, false, {s->w});
    BOOST_TEST(ws.pre == 2);
    BOOST_TEST(ws.full == 0);
}

BOOST_AUTO_TEST_CASE(B_30_double_backward) {
    Binary m([](const Tensor& a, const Tensor& b) { return (a - b) * (a - b); });
    Watch w(*m);
    const Tensor x = leaf(3), y = full({}, 1.0);
    const Tensor f = m(x, y);
    const Tensor g = autograd::grad({f}, {x}, {}, true, true)[0];
    BOOST_TEST(number(g) == 4);
    BOOST_TEST(w.gi_seen == (doubles{4, 0}));
    BOOST_TEST(number(autograd::grad({g}, {x}, {}, true)[0]) == 2);
    BOOST_TEST(w.full == 1); // the second pass reaches the inputs without passing the outputs
    w.clear();
    autograd::backward({f, g});
    BOOST_TEST(w.full == 1);
    BOOST_TEST(w.gi_seen == (doubles{6, 0}));
}

BOOST_AUTO_TEST_CASE(B_32_gradients_that_come_by_another_way_do_not_fire_the_hook) {
    Tensor leaked;
    const auto m = any_module([&](const Args& a, const Kwargs&) {
        leaked = a[0].toTensor() * 2;
        return Value(leaked * 3);
    });
    Watch w(*m);
    const Tensor x = leaf(1);
    m->call_values({Value(x)});
    leaked.backward();
    BOOST_TEST(w.full + w.pre == 0);
    BOOST_TEST(number(x.grad()) == 2);
}

BOOST_AUTO_TEST_CASE(B_45_an_output_that_does_not_depend_on_the_input) {
    Tensor w = leaf(4);
    const auto m = any_module([&](const Args&, const Kwargs&) { return Value(w * 2); });
    Watch watch(*m);
    const Tensor x = leaf(1);
    m->call_values({Value(x)}).toTensor().backward();
    BOOST_TEST(watch.pre == 1);
    BOOST_TEST(watch.full == 0);
    BOOST_TEST(!x.grad().defined());
    BOOST_TEST(number(w.grad()) == 2);
}

BOOST_AUTO_TEST_CASE(B_46_calls_without_arguments_and_outputs_returned_twice) {
    Tensor w = leaf(4);
    const auto none = any_module([&](const Args&, const Kwargs&) { return Value(w * 2); });
    Watch watch(*none);
    none->call_values({}).toTensor().backward();
    BOOST_TEST(watch.full == 1);
    BOOST_TEST(watch.gi_seen.empty());
    const auto twice = any_module([&](const Args& a, const Kwargs&) {
        const Tensor r = a[0].toTensor() * 2;
        return Value::tuple({Value(r), Value(r)});
    });
    Watch two(*twice);
    const Value out = twice->call_values({Value(leaf(1))});
    const Tensor a = out.elements()[0].toTensor(), b = out.elements()[1].toTensor();
    BOOST_TEST(!a.is_same(b));
    (a + b * 3).backward();
    BOOST_TEST(two.go_seen == (doubles{1, 3}));
    BOOST_TEST(two.gi_seen == doubles{8});
}

BOOST_AUTO_TEST_CASE(B_48_frozen_modules) {
    Scale m;
    Watch w(*m);
    m->requires_grad_(false);
    const std::string text = message_of([&] { m(ones({})).backward(); });
    BOOST_TEST(has(text, "require"), text);
    BOOST_TEST(w.full + w.pre == 0);
    m(leaf(1)).backward();
    BOOST_TEST(w.full == 1);
    BOOST_TEST(w.pre == 1);
    const Tensor x = leaf(1);
    InferenceMode guard;
    nn::Identity same;
    same->register_full_backward_hook([](Module&, const variable_list&, const variable_list&) {});
    BOOST_TEST(same(x).is_same(x));
}

BOOST_AUTO_TEST_SUITE_END()
