// Hooks on leaves after accumulation, hooks on nodes, and the order of them all (rules T-15 to T-27).
#include "tape_helpers.hpp"

#include <reel/autograd/anomaly.hpp>
#include <reel/autograd/function.hpp>
#include <reel/autograd/hooks.hpp>

using namespace tape_test;
using autograd::backward;
using autograd::grad;
using autograd::impl::grad_accumulator;

namespace {
/// A post-hook that replaces nothing.
autograd::NodePostHook note(std::string& order, std::string text) {
    return [&order, text](const variable_list&, const variable_list&) -> std::optional<variable_list> {
        order += text;
        return std::nullopt;
    };
}
autograd::NodePreHook note_before(std::string& order, std::string text) {
    return [&order, text](const variable_list&) -> std::optional<variable_list> {
        order += text;
        return std::nullopt;
    };
}
struct RegistersWhileRunning : autograd::Function<RegistersWhileRunning> {
    static inline int ran = 0;
    static Tensor forward(autograd::AutogradContext*, const Tensor& x) { return x * 1.0; }
    static variable_list backward(autograd::AutogradContext* ctx, variable_list g) {
        ctx->node().register_posthook([](const variable_list&, const variable_list&) {
            ++ran;
            return std::nullopt;
        });
        return g;
    }
};
} // namespace

BOOST_AUTO_TEST_SUITE(node_hooks)

BOOST_AUTO_TEST_CASE(T15_post_accumulate_hooks_are_for_leaves) { // T-15
    const auto nothing = [](const Tensor&) {};
    BOOST_CHECK_EXCEPTION(vec({1}).register_post_accumulate_grad_hook(nothing), Error, says("does not require grad"));
    BOOST_CHECK_EXCEPTION((leaf({1}) * 2.0).register_post_accumulate_grad_hook(nothing), Error,
                          says("non-leaf", "MulBackward0"));
}

BOOST_AUTO_TEST_CASE(T16_they_see_the_leaf_with_its_new_gradient) { // T-16
    const Tensor x = leaf({1});
    std::string order;
    x.register_post_accumulate_grad_hook([&](const Tensor& t) {
        order += 'a';
        BOOST_TEST(t.is_same(x));
        BOOST_TEST(item(t.grad()) == 4);
        BOOST_TEST(!GradMode::is_enabled());
    });
    x.register_post_accumulate_grad_hook([&](const Tensor& t) { // an optimizer inside of backward
        order += 'b';
        t.sub_(t.grad() * 0.5);
        t.mutable_grad() = Tensor();
    });
    (x * 4.0).backward();
    BOOST_TEST(order == "ab");
    BOOST_TEST(item(x) == -1);
    BOOST_TEST(!x.grad().defined());
    const Tensor y = leaf({1});
    autograd::register_post_accumulate_grad_hook_returning(y, [](const Tensor& t) { return t; }); // that same tensor
    BOOST_CHECK_NO_THROW((y * 2.0).backward());
    autograd::register_post_accumulate_grad_hook_returning(y, [](const Tensor& t) { return t * 2.0; });
    BOOST_CHECK_EXCEPTION((y * 2.0).backward(), Error, says("another tensor than the leaf"));
}

BOOST_AUTO_TEST_CASE(T17_inside_of_the_accumulator) { // T-17
    const Tensor x = leaf({1, 1, 1, 1, 1});
    std::string order;
    x.register_hook([&](const Tensor& g) {
        order += "tensor ";
        return g - 2.0;
    });
    const auto node = grad_accumulator(x);
    node->register_prehook([&](const variable_list& g) -> std::optional<variable_list> {
        order += "pre ";
        BOOST_TEST(item(g[0].sum()) == 5 * (7 - 2));
        return variable_list{g[0] / 5.0};
    });
    x.register_post_accumulate_grad_hook([&](const Tensor& t) {
        order += "accumulated ";
        t.mutable_grad().add_(0.5);
    });
    node->register_posthook([&](const variable_list& gi, const variable_list&) -> std::optional<variable_list> {
        order += "post";
        BOOST_TEST(gi.empty());
        REEL_TEST_VALUES(x.grad(), 1.5, 1.5, 1.5, 1.5, 1.5);
        return std::nullopt;
    });
    (x * 7.0).sum().backward();
    BOOST_TEST(order == "tensor pre accumulated post");
}

BOOST_AUTO_TEST_CASE(T18_when_they_run) { // T-18
    const Tensor x = leaf({1});
    int calls = 0;
    bool defined = true;
    x.register_post_accumulate_grad_hook([&](const Tensor& t) {
        ++calls;
        defined = t.grad().defined();
    });
    grad({x * 2.0}, {x});
    BOOST_TEST(calls == 0); // no accumulator executes
    const Tensor y = x * 2.0;
    y.grad_fn()->register_posthook(
        [](const variable_list& g, const variable_list&) { return variable_list(g.size()); });
    y.backward();
    BOOST_TEST(calls == 1); // even for an undefined gradient
    BOOST_TEST(!defined);
    const Tensor z = x * 2.0;
    x.requires_grad_(false);
    z.backward();
    BOOST_TEST(calls == 2);
    BOOST_TEST(!defined);
}

BOOST_AUTO_TEST_CASE(T19_T20_what_node_hooks_see) { // T-19, T-20
    const Tensor x = leaf({3}), y = x * 2.0;
    std::string order;
    y.register_hook([](const Tensor& g) { return g * 10.0; });
    y.grad_fn()->register_prehook([&](const variable_list& go) -> std::optional<variable_list> {
        order += 'p';
        BOOST_TEST(item(go[0]) == 10);
        return variable_list{go[0] * 3.0};
    });
    y.grad_fn()->register_posthook(
        [&](const variable_list& gi, const variable_list& go) -> std::optional<variable_list> {
            order += 'q';
            BOOST_TEST(item(go[0]) == 30);   // after tensor hooks and pre-hooks
            BOOST_TEST(pattern(gi) == "10"); // a number needs no gradient, but has its place
            BOOST_TEST(item(gi[0]) == 60);
            return variable_list{gi[0] + 1.0, Tensor()};
        });
    y.backward();
    BOOST_TEST(order == "pq");
    BOOST_TEST(item(x.grad()) == 61);
    const Tensor plain = vec({4}), z = plain * x;
    std::string seen;
    z.grad_fn()->register_posthook([&](const variable_list& gi, const variable_list&) {
        seen = pattern(gi);
        return std::nullopt;
    });
    z.backward();
    BOOST_TEST(seen == "01");
}

BOOST_AUTO_TEST_CASE(T21_a_hook_registered_while_its_node_runs) { // T-21
    RegistersWhileRunning::ran = 0;
    RegistersWhileRunning::apply(leaf({1})).backward();
    BOOST_TEST(RegistersWhileRunning::ran == 1);
    const Tensor y = leaf({1}) * 2.0;
    int ran = 0;
    y.grad_fn()->register_prehook([&](const variable_list&) {
        y.grad_fn()->register_posthook([&](const variable_list&, const variable_list&) {
            ++ran;
            return std::nullopt;
        });
        return std::nullopt;
    });
    y.backward();
    BOOST_TEST(ran == 1);
}

BOOST_AUTO_TEST_CASE(T22_what_node_hooks_may_return) { // T-22
    const Tensor x = leaf({1, 2});
    const auto pre = [&](autograd::NodePreHook fn) {
        const Tensor y = x * x;
        y.grad_fn()->register_prehook(std::move(fn));
        y.sum().backward();
    };
    const auto post = [&](autograd::NodePostHook fn) {
        const Tensor y = x * x;
        y.grad_fn()->register_posthook(std::move(fn));
        y.sum().backward();
    };
    BOOST_CHECK_EXCEPTION(pre([](const variable_list&) { return variable_list(5); }), Error,
                          says("MulBackward0", "pre-hook", "returned 5 gradients, expected 1"));
    BOOST_CHECK_EXCEPTION(post([](const variable_list&, const variable_list&) { return variable_list(1); }), Error,
                          says("MulBackward0", "post-hook", "returned 1 gradients, expected 2"));
    BOOST_CHECK_EXCEPTION(pre([](const variable_list& g) { return variable_list{g[0].sum()}; }), Error,
                          says("node pre-hook: result 0 changed the size", "from [2] to []"));
    BOOST_CHECK_EXCEPTION(post([](const variable_list& g, const variable_list&) {
                              return variable_list{g[0].to(kFloat), g[1]};
                          }),
                          Error, says("node post-hook: result 0 changed the type", "float32"));
    const Tensor number = x * 2.0; // its second operand has no gradient to replace
    number.grad_fn()->register_posthook([](const variable_list& g, const variable_list&) {
        return variable_list{g[0], g[0]};
    });
    BOOST_CHECK_EXCEPTION(number.sum().backward(), Error, says("result 1 returned a gradient where there is none"));
    BOOST_CHECK_NO_THROW(pre([](const variable_list& g) { return g; })); // its argument counts as nothing
    BOOST_CHECK_NO_THROW(post([](const variable_list& g, const variable_list&) { return g; }));
}

BOOST_AUTO_TEST_CASE(T23_T27_only_where_a_node_executes) { // T-23, T-27
    const Tensor x = leaf({1}), w = leaf({1}), a = x * 2.0, b = w * 3.0, s = a + b;
    std::string order;
    for (const auto& [t, name] : {std::pair{x, 'x'}, {w, 'w'}, {a, 'a'}, {b, 'b'}})
        t.register_hook([&order, name = name](const Tensor&) { order += name; });
    a.grad_fn()->register_prehook(note_before(order, "A"));
    b.grad_fn()->register_prehook(note_before(order, "B"));
    backward({s}, {}, true, false, {x});
    BOOST_TEST(order == "aAx");
    BOOST_TEST(!w.grad().defined());
    order.clear();
    grad({s}, {b}, {}, true);
    BOOST_TEST(order == "b"); // captured only: no node hooks
}

BOOST_AUTO_TEST_CASE(T27_hooks_of_a_root_that_nothing_is_asked_of) { // T-27: a pass starts at its only root in any case
    const Tensor x = leaf({1}), w = leaf({1}), l = x * 2.0, m = x * 3.0;
    int fired = 0;
    l.register_hook([&](const Tensor&) { ++fired; });
    l.retain_grad();
    l.grad_fn()->register_prehook([&](const variable_list&) -> std::optional<variable_list> {
        fired += 100;
        return std::nullopt;
    });
    BOOST_TEST(!grad({l}, {w}, {}, true, false, true)[0].defined());
    BOOST_TEST(fired == 1);
    BOOST_TEST(item(l.grad()) == 1);
    backward({l}, {}, true, false, {w});
    BOOST_TEST(fired == 2);
    BOOST_TEST(!w.grad().defined());
    grad({l, m}, {w}, {}, true, false, true); // with several it starts between them
    BOOST_TEST(fired == 2);
}

BOOST_AUTO_TEST_CASE(T24_the_order_at_one_node) { // T-24
    const Tensor x = leaf({2}), a = x * x;
    std::string order;
    a.grad_fn()->register_posthook(note(order, "post "));
    a.grad_fn()->register_prehook(note_before(order, "pre "));
    a.retain_grad();
    a.register_hook([&](const Tensor&) {
        order += "tensor ";
        BOOST_TEST(!a.impl()->meta()); // nothing retained yet
    });
    a.grad_fn()->register_prehook([&](const variable_list&) -> std::optional<variable_list> {
        order += a.impl()->meta() ? "retained " : "";
        return std::nullopt;
    });
    a.grad_fn()->register_posthook([&](const variable_list&, const variable_list&) -> std::optional<variable_list> {
        order += a.grad_fn()->saved_tensors()[0].defined() ? "unreleased " : "";
        return std::nullopt;
    });
    x.register_hook([&](const Tensor&) { order += a.grad_fn()->saved_tensors()[0].defined() ? "" : "released"; });
    a.backward();
    BOOST_TEST(order == "tensor pre retained post unreleased released");
    // Several outputs: in the order in which they got their first hook.
    order.clear();
    const auto parts = leaf({1, 2}).unbind();
    parts[1].register_hook([&](const Tensor&) { order += "1a "; });
    parts[0].register_hook([&](const Tensor&) { order += "0 "; });
    parts[1].register_hook([&](const Tensor&) { order += "1b "; });
    backward({parts[0], parts[1]});
    BOOST_TEST(order == "1a 1b 0 ");
}

BOOST_AUTO_TEST_CASE(T24_results_of_post_hooks_are_final_and_nan_checked) { // T-24, steps 5 to 8
    const Tensor x = leaf({1}), y = x * 2.0;
    y.grad_fn()->register_posthook([](const variable_list& g, const variable_list&) {
        return variable_list{g[0] * std::numeric_limits<double>::quiet_NaN(), Tensor()};
    });
    const autograd::DetectAnomalyGuard guard;
    BOOST_CHECK_EXCEPTION(y.backward(), Error, says("MulBackward0 returned NaN in its result 0"));
}

BOOST_AUTO_TEST_CASE(T25_captured_nodes_run_tensor_hooks_only) { // T-25
    const Tensor a = leaf({1}), b = a * 2.0, c = b * 2.0;
    std::string order;
    a.register_hook([&](const Tensor&) { order += 'a'; });
    b.register_hook([&](const Tensor&) { order += 'b'; });
    b.grad_fn()->register_prehook(note_before(order, "B"));
    const auto accumulator = grad_accumulator(a);
    accumulator->register_prehook(note_before(order, "A"));
    grad({c}, {b}, {}, true);
    BOOST_TEST(order == "b");
    order.clear();
    grad({c}, {a, b}, {}, true);
    BOOST_TEST(order == "bBa");
    order.clear();
    backward({c}, {}, true, false, {a, b});
    BOOST_TEST(order == "bBaA");
}

BOOST_AUTO_TEST_CASE(T26_grad_answers_with_the_hooked_gradient) { // T-26, the decision
    const Tensor a = leaf({1}), b = a * 2.0, c = b * 2.0;
    b.register_hook([](const Tensor& g) { return g * 10.0; });
    a.register_hook([](const Tensor& g) { return g * 3.0; });
    BOOST_TEST(item(grad({c}, {b}, {}, true)[0]) == 20);
    const auto both = grad({c}, {a, b}, {}, true);
    BOOST_TEST(item(both[0]) == 120);
    BOOST_TEST(item(both[1]) == 20);
    backward({c}, {}, true, false, {a, b});
    BOOST_TEST(item(a.grad()) == 120);
    BOOST_TEST(item(b.grad()) == 20);
}

BOOST_AUTO_TEST_CASE(T16_another_kind_of_tensor_ends_the_round) { // T-16
    const Tensor x = leaf({1, 2});
    int later = 0;
    autograd::register_post_accumulate_grad_hook_returning(x, [](const Tensor& t) { return t.to(kFloat); });
    autograd::register_post_accumulate_grad_hook_returning(x, [&](const Tensor&) { return ++later, Tensor(); });
    BOOST_CHECK_EXCEPTION((x * 3.0).sum().backward(), Error, says("float32", "must return nothing"));
    BOOST_TEST(later == 0);
}

BOOST_AUTO_TEST_SUITE_END()
