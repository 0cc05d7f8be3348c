// Full backward hooks that wait for the gradients of their module's parameters.
#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <ctime>
#include <string>

using namespace reel;
using namespace reel::testing;
using autograd::variable_list;
using nn::Module;

BOOST_AUTO_TEST_SUITE(after_parameter_grads)

namespace {
struct Seen {
    std::vector<double> w, gi, go; // the parameter's gradient when the hook fired, and what it was given
    std::size_t fired() const { return w.size(); }
};
template <class M> void watch(M& m, Tensor w, Seen& seen, bool wait) {
    m->register_full_backward_hook(
        [&seen, w](Module&, const variable_list& gi, const variable_list& go) {
            seen.w.push_back(number(w.grad()));
            seen.gi.push_back(number(gi[0]));
            seen.go.push_back(number(go[0]));
        },
        {.after_parameter_grads = wait});
}
using List = std::vector<double>;
struct ManyImpl : Module {
    ManyImpl() {
        for (int i = 0; i < 100000; ++i) register_parameter("w" + std::to_string(i), zeros({1}));
    }
    Tensor forward(const Tensor& x) {
        variable_list parts = parameters();
        parts.push_back(x);
        return cat(parts);
    }
};
REEL_MODULE(Many);
} // namespace

BOOST_AUTO_TEST_CASE(B_14_without_an_input_that_requires_grad) {
    Scale m;
    Seen early, late;
    watch(m, m->w, early, false);
    watch(m, m->w, late, true);
    m(full({}, 5.0)).backward();
    BOOST_TEST(early.w == List{-1000}); // none yet
    BOOST_TEST(late.w == List{5});
    BOOST_TEST(late.gi == List{-1000});
    BOOST_TEST(late.go == List{1});
}

BOOST_AUTO_TEST_CASE(what_waits_misses_nothing_and_warns_of_nothing) {
    Scale m;
    Seen early, late;
    WarningLog log;
    watch(m, m->w, late, true);
    m(full({}, 5.0)).backward();
    BOOST_TEST(log.texts.empty());
    watch(m, m->w, early, false);
    m(full({}, 5.0)).backward();
    BOOST_TEST(log.any("no input requires grad"));
}

BOOST_AUTO_TEST_CASE(B_16_submodules_count) {
    nn::Sequential net(Scale(2.0), Scale(3.0));
    const Tensor first = net[0]->parameters()[0];
    Seen seen;
    watch(net, first, seen, true);
    net(full({}, 5.0)).backward();
    BOOST_TEST(seen.w == List{15});
}

BOOST_AUTO_TEST_CASE(a_parameter_that_several_modules_share) {
    Scale a, b;
    b->w = b->register_parameter("w", a->w); // the same leaf
    Seen early, late;
    watch(b, a->w, early, false);
    watch(b, a->w, late, true);
    const Tensor x = leaf(5);
    b(a(x)).backward();                 // (x w) w with w = 3: 2 x w = 30
    BOOST_TEST(early.w == List{-1000}); // only b's part has arrived, nothing is accumulated
    BOOST_TEST(late.w == List{30});
    BOOST_TEST(late.gi == List{3});
}

BOOST_AUTO_TEST_CASE(several_calls_in_one_pass) {
    Scale m;
    Seen seen;
    watch(m, m->w, seen, true);
    const Tensor x = leaf(1);
    m(m(x)).backward();
    BOOST_TEST(seen.w == (List{6, 6}));  // once per call, both when all has arrived
    BOOST_TEST(seen.gi == (List{3, 9})); // in the order of backward
}

BOOST_AUTO_TEST_CASE(no_parameters_frozen_ones_and_ones_out_of_reach) {
    nn::Identity plain;
    Seen seen;
    watch(plain, full({}, 1.0), seen, true);
    plain(leaf(1)).backward();
    BOOST_TEST(seen.fired() == 1u);

    Scale frozen;
    frozen->requires_grad_(false);
    Seen cold;
    watch(frozen, frozen->w, cold, true);
    frozen(leaf(1)).backward();
    BOOST_TEST(cold.w == List{-1000});
    BOOST_TEST(cold.gi == List{3});

    // a pass that is asked for the input alone accumulates nowhere
    Scale m;
    Seen other;
    watch(m, m->w, other, true);
    const Tensor x = leaf(1);
    autograd::grad({m(x)}, {x});
    BOOST_TEST(other.w == List{-1000});
    // one that is asked for the parameter does not run the input's gate: B-29 holds for these hooks, too
    m(x).backward({}, std::nullopt, false, std::vector<Tensor>{m->w});
    BOOST_TEST(other.fired() == 1u);
}

BOOST_AUTO_TEST_CASE(B_26_every_pass_over_a_retained_graph) {
    Scale m;
    Seen seen;
    watch(m, m->w, seen, true);
    const Tensor y = m(leaf(2));
    y.backward({}, true);
    y.backward();
    BOOST_TEST(seen.w == (List{2, 4}));
}

BOOST_AUTO_TEST_CASE(later_than_post_accumulate_hooks_and_in_order) {
    Scale m;
    std::string order;
    m->w.register_post_accumulate_grad_hook([&](const Tensor&) { order += "p"; });
    for (const char* name : {"a", "b"})
        m->register_full_backward_hook([&order, name](Module&, const Value&, const Value&) { order += name; },
                                       {.after_parameter_grads = true});
    m->register_full_backward_hook([&](Module&, const Value&, const Value&) { order += "n"; }, {.prepend = true});
    m(full({}, 1.0)).backward();
    BOOST_TEST(order == "npab");
}

BOOST_AUTO_TEST_CASE(exceptions) {
    // before its turn: the hook is left out, and fires in the next pass
    Scale m;
    Seen seen;
    watch(m, m->w, seen, true);
    bool fail = true;
    m->w.register_hook([&](const Tensor& g) -> Tensor {
        if (fail) throw std::logic_error("not now");
        return g;
    });
    const Tensor x = full({}, 5.0), y = m(x);
    BOOST_CHECK_THROW(y.backward({}, true), std::logic_error);
    BOOST_TEST(seen.fired() == 0u);
    fail = false;
    y.backward();
    BOOST_TEST(seen.w == List{5});
    // its own come to the caller as they are
    Scale n;
    n->register_full_backward_hook(
        [](Module&, const variable_list&, const variable_list&) { throw std::out_of_range("mine"); },
        {.after_parameter_grads = true});
    BOOST_CHECK_THROW(n(x).backward(), std::out_of_range);
    BOOST_TEST(number(n->w.grad()) == 5); // accumulated before
}

BOOST_AUTO_TEST_CASE(such_a_hook_may_only_look) {
    Scale m;
    m->register_full_backward_hook([](Module&, const variable_list& gi, const variable_list&) { return gi; },
                                   {.after_parameter_grads = true});
    const std::string text = message_of([&] { m(leaf(1)).backward(); });
    BOOST_TEST(has(text, {"ScaleImpl", "after_parameter_grads", "passed on before"}), text);
}

BOOST_AUTO_TEST_CASE(hooks_of_all_modules) {
    const CleanHooks clean;
    Scale a, b;
    std::vector<double> seen;
    nn::register_module_full_backward_hook(
        [&](Module& m, const Value&, const Value&) { seen.push_back(number(m.parameters()[0].grad())); }, true);
    b(a(full({}, 2.0))).backward();
    BOOST_TEST(seen == (List{6, 6}));
}

BOOST_AUTO_TEST_CASE(waiting_for_many_parameters_is_linear) {
    Many m;
    const auto ticks = [&] {
        const Tensor loss = m(ones({1})).sum();
        const std::clock_t start = std::clock();
        loss.backward();
        return double(std::clock() - start);
    };
    ticks();
    const double without = std::min(ticks(), ticks());
    int fired = 0;
    m->register_full_backward_hook([&](Module&, const variable_list&, const variable_list&) { ++fired; },
                                   {.after_parameter_grads = true});
    const double with = std::min(ticks(), ticks());
    BOOST_TEST(fired == 2);
    // 4.4 times alone, 6.2 on a machine whose memory others use, too; quadratic: some 15 times
    BOOST_TEST(with < 10 * without, with << " ticks, without the hook " << without);
}

BOOST_AUTO_TEST_CASE(a_parameter_named_twice_and_waiting_anew) {
    nn::Sequential net(Scale(2.0), Scale(3.0));
    const Tensor a = net->parameters()[0], b = net->parameters()[1];
    const Tensor y = net(full({}, 5.0));
    std::vector<std::string> order;
    y.register_hook([&](const Tensor&) {
        autograd::after_accumulation({b, b}, [&] {
            order.push_back("b " + std::to_string(int(number(b.grad()))));
            autograd::after_accumulation({a, b},
                                         [&] { order.push_back("a " + std::to_string(int(number(a.grad())))); });
        });
        autograd::after_accumulation({b}, [&] { order.push_back("second"); });
    });
    y.backward();
    const std::vector<std::string> expected{"b 10", "second", "a 15"};
    BOOST_TEST(order == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(outside_of_a_pass) {
    BOOST_TEST(has(message_of([] { autograd::after_accumulation({}, [] {}); }), "no backward pass"));
}

BOOST_AUTO_TEST_SUITE_END()
