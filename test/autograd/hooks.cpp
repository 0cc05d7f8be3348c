// Tensor hooks, node hooks, hooks over several gradients (rules T-1 to T-37).
#include <reel/autograd/hooks.hpp>

#include <boost/test/unit_test.hpp>

#include <thread>

#include "tape_helpers.hpp"

using namespace tape_test;

BOOST_AUTO_TEST_SUITE(hooks)

BOOST_AUTO_TEST_CASE(T1_a_tensor_without_requires_grad_is_refused) {
    BOOST_CHECK_THROW(ones({1}).register_hook([](const Tensor&) {}), Error);
}

BOOST_AUTO_TEST_CASE(T2_T4_order_and_the_total_gradient) {
    const Tensor x = leaf({1});
    std::vector<double> seen;
    x.register_hook([&](const Tensor& g) { return g * 2.0; });
    x.register_hook([&](const Tensor& g) { seen.push_back(item(g)); });
    x.register_hook([&](const Tensor& g) { return g + 1.0; });
    x.register_hook([&](const Tensor& g) { seen.push_back(item(g)); });
    (x * 1.0 + x * 2.0).backward();
    BOOST_TEST(seen == (std::vector<double>{6, 7}), boost::test_tools::per_element());
    BOOST_TEST(item(x.grad()) == 7);
}

BOOST_AUTO_TEST_CASE(T3_what_a_hook_may_return) {
    const auto run = [](auto fn) {
        const Tensor x = leaf({1, 2});
        const Tensor y = x * 2.0;
        y.register_hook(fn);
        y.sum().backward();
    };
    BOOST_CHECK_EXCEPTION(run([](const Tensor& g) { return g.to(kFloat); }), Error,
                          says("changed the type of the gradient"));
    BOOST_CHECK_EXCEPTION(run([](const Tensor& g) { return g.sum(); }), Error,
                          says("tensor hook 0 changed the size of the gradient from [2] to []"));
}

BOOST_AUTO_TEST_CASE(T8_in_place_work_leaves_earlier_hooks_on_the_old_node) {
    const Tensor a = leaf({1});
    const Tensor b = a.clone();
    std::vector<double> seen;
    auto f1 = b.register_hook([&](const Tensor& g) {
        seen.push_back(item(g));
        return g * 2.0;
    });
    b *= 2.0;
    b.register_hook([&](const Tensor& g) {
        seen.push_back(item(g));
        return g * 2.0;
    });
    b.backward();
    BOOST_TEST(seen == (std::vector<double>{1, 4}), boost::test_tools::per_element());
    BOOST_TEST(item(a.grad()) == 8);
    f1.remove();
    f1.remove(); // idempotent (C-20)
}

BOOST_AUTO_TEST_CASE(T13_retain_grad_runs_after_tensor_hooks_and_before_node_hooks) {
    const Tensor a = leaf({1}), b = a.clone();
    b.register_hook([](const Tensor& g) { return g * 2.0; });
    b.retain_grad();
    b.register_hook([](const Tensor& g) { return g * 2.0; });
    b.grad_fn()->register_prehook([](const variable_list& g) { return variable_list{g[0] * 10.0}; });
    b.backward();
    BOOST_TEST(item(b.grad()) == 4);
    BOOST_TEST(item(a.grad()) == 40);
}

BOOST_AUTO_TEST_CASE(T14_retention_moves_with_in_place_work) {
    const Tensor a = leaf({1}), t = a * 1.0;
    t.retain_grad();
    t *= 5.0;
    t.backward();
    BOOST_TEST(item(t.grad()) == 1);
    BOOST_TEST(item(a.grad()) == 5);
}

BOOST_AUTO_TEST_CASE(T15_T16_T17_post_accumulate_hooks) {
    const Tensor x = leaf({1});
    BOOST_CHECK_EXCEPTION((x * 2.0).register_post_accumulate_grad_hook([](const Tensor&) {}), Error, says("non-leaf"));
    x.register_post_accumulate_grad_hook([](const Tensor& t) { // an optimizer inside backward
        t.sub_(t.grad() * 0.5);
        t.mutable_grad() = Tensor();
    });
    (x * 4.0).backward();
    BOOST_TEST(item(x) == -1);
    BOOST_TEST(!x.grad().defined());
}

BOOST_AUTO_TEST_CASE(T19_T20_T22_node_hooks) {
    const Tensor x = leaf({3}), y = x * 2.0;
    std::string order;
    y.grad_fn()->register_prehook([&](const variable_list& go) -> std::optional<variable_list> {
        order += 'p';
        return variable_list{go[0] * 3.0};
    });
    y.grad_fn()->register_posthook(
        [&](const variable_list& gi, const variable_list& go) -> std::optional<variable_list> {
            order += 'q';
            BOOST_TEST(item(go[0]) == 3); // after the pre-hook
            BOOST_TEST(item(gi[0]) == 6);
            return std::nullopt;
        });
    y.backward();
    BOOST_TEST(order == "pq");
    BOOST_TEST(item(x.grad()) == 6);
    const Tensor z = x * 2.0;
    z.grad_fn()->register_prehook([](const variable_list&) { return variable_list(5); });
    BOOST_CHECK_EXCEPTION(z.backward(), Error, says("returned 5 gradients, expected 1"));
}

BOOST_AUTO_TEST_CASE(T25_captured_nodes_run_their_tensor_hooks_only) {
    const Tensor a = leaf({1}), b = a * 2.0, c = b * 2.0;
    std::string order;
    a.register_hook([&](const Tensor&) { order += 'a'; });
    b.register_hook([&](const Tensor&) { order += 'b'; });
    b.grad_fn()->register_prehook([&](const variable_list&) -> std::optional<variable_list> {
        order += 'n';
        return std::nullopt;
    });
    autograd::grad({c}, {b}, {}, true);
    BOOST_TEST(order == "b");
    order.clear();
    autograd::grad({c}, {a, b}, {}, true);
    BOOST_TEST(order == "bna");
    autograd::backward({c}, {}, true, false, {a, b});
    BOOST_TEST(order == "bnabna");
    BOOST_TEST(item(b.grad()) == 2);
}

BOOST_AUTO_TEST_CASE(C19_C22_handles_and_snapshots) {
    const Tensor x = leaf({1});
    std::string order;
    RemovableHandle second;
    const auto first = x.register_hook([&](const Tensor&) {
        order += '1';
        second.remove();                                       // still runs in this round
        x.register_hook([&](const Tensor&) { order += '3'; }); // not in this round
    });
    second = x.register_hook([&](const Tensor&) { order += '2'; });
    BOOST_TEST(second.id() > first.id());
    (x * 1.0).backward();
    BOOST_TEST(order == "12");
    (x * 1.0).backward();
    BOOST_TEST(order == "1213");
    {
        RemovableHandle outlives;
        {
            const Tensor gone = leaf({1});
            outlives = gone.register_hook([](const Tensor&) {});
        }
        outlives.remove();
    }
}

BOOST_AUTO_TEST_CASE(T30_all_gradients_at_once) {
    const Tensor a = leaf({2}), b = leaf({3});
    const Tensor c = a * b, d = a * b;
    std::vector<std::string> calls;
    auto h =
        autograd::register_multi_grad_hook({a, b, c, d}, [&](const variable_list& g) { calls.push_back(pattern(g)); });
    c.sum().backward({}, true);
    autograd::backward({c.sum()}, {}, true, false, {a});
    BOOST_TEST(calls == (std::vector<std::string>{"1110", "1010"}), boost::test_tools::per_element());
    h.remove();
    c.sum().backward();
    BOOST_TEST(calls.size() == 2u);
    BOOST_CHECK_THROW(autograd::register_multi_grad_hook({a, ones({1})}, [](const variable_list&) {}), Error);
}

BOOST_AUTO_TEST_CASE(T31_the_first_gradient_of_a_pass) {
    const Tensor a = leaf({2}), b = leaf({3});
    const Tensor c = a * b;
    int calls = 0;
    autograd::register_multi_grad_hook_any({a, b, ones({1})}, [&](const Tensor& g) {
        ++calls;
        BOOST_TEST(g.defined());
    });
    c.backward({}, true);
    BOOST_TEST(calls == 1);
    c.backward();
    BOOST_TEST(calls == 2);
}

BOOST_AUTO_TEST_CASE(T32_nested_passes_do_not_disturb_each_other) {
    const Tensor a = leaf({2}), b = leaf({3});
    std::vector<std::string> calls;
    const Tensor c = a * 2.0, d = a * b;
    autograd::register_multi_grad_hook({a, b}, [&](const variable_list& g) { calls.push_back(pattern(g)); });
    bool nested = false;
    d.register_hook([&](const Tensor&) {
        if (std::exchange(nested, true)) return;
        c.backward();
    });
    d.backward();
    BOOST_TEST(calls == (std::vector<std::string>{"10", "11"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_multi_grad_hook_makes_no_cycle) {
    const auto token = std::make_shared<int>(1);
    {
        const Tensor a = leaf({2});
        const Tensor c = a * 2.0, d = c * 3.0;
        autograd::register_multi_grad_hook({a, c, d}, [token](const variable_list&) {});
        BOOST_TEST(token.use_count() > 1);
    }
    BOOST_TEST(token.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(T36_node_creation_hooks) {
    const Tensor x = leaf({1});
    std::string names;
    {
        const autograd::NodeCreationHookGuard guard([&](autograd::Node& n) { names += n.name() + ' '; });
        const Tensor y = x * 2.0 + 1.0;
        NoGradGuard off;
        (void)(x * 3.0);
    }
    (void)(x * 4.0);
    BOOST_TEST(names.find("MulBackward0") != std::string::npos);
    BOOST_TEST(names.find("AddBackward0") != std::string::npos);
    BOOST_TEST(names.find("AccumulateGrad") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(T37_a_hook_may_return_history_that_an_ordinary_pass_drops) {
    const Tensor x = leaf({1}), w = leaf({2});
    const Tensor y = x * 3.0;
    y.register_hook([&](const Tensor& g) {
        EnableGradGuard on;
        return g * w;
    });
    y.backward();
    BOOST_TEST(item(x.grad()) == 6);
    BOOST_TEST(!x.grad().requires_grad());
}

BOOST_AUTO_TEST_CASE(hooks_may_throw_any_type) {
    struct Mine {};
    const Tensor x = leaf({1}), y = x * 2.0;
    auto h = y.register_hook([](const Tensor&) { throw Mine{}; });
    BOOST_CHECK_THROW(y.backward({}, true), Mine);
    h.remove();
    BOOST_CHECK_NO_THROW(y.backward());
    BOOST_TEST(item(x.grad()) == 2);
}

BOOST_AUTO_TEST_SUITE_END()
