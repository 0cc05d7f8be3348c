// Hooks over several gradients, and what else a node shows of itself (rules T-29 to T-36).
#include "tape_helpers.hpp"

#include <reel/autograd/hooks.hpp>
#include <reel/autograd/value.hpp>

using namespace tape_test;
using autograd::backward;
using autograd::grad;
using autograd::gradient_edge;
using autograd::register_multi_grad_hook;
using autograd::register_multi_grad_hook_any;
using autograd::impl::grad_accumulator;

namespace {
using Calls = std::vector<std::string>;
auto collect(Calls& calls) {
    return [&calls](const variable_list& g) { calls.push_back(pattern(g)); };
}
} // namespace

BOOST_AUTO_TEST_SUITE(multi_grad_hooks)

BOOST_AUTO_TEST_CASE(T29_one_handle_removes_all_parts) { // T-29
    const Tensor a = leaf({2}), b = leaf({3}), c = a * b;
    Calls calls;
    RemovableHandle h = register_multi_grad_hook({a, b}, collect(calls));
    c.backward({}, true);
    BOOST_TEST(calls.size() == 1u);
    h.remove();
    h.remove();
    c.backward({}, true);
    BOOST_TEST(calls.size() == 1u);
    BOOST_CHECK_EXCEPTION(register_multi_grad_hook({a, b}, collect(calls), "some"), ValueError,
                          says("mode is 'some'", "'all' or 'any'"));
    register_multi_grad_hook({a, b, vec({1})}, collect(calls), "any");
    c.backward();
    BOOST_TEST(calls == (Calls{"11", "1"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(T30_all_once_the_last_participant_is_known) { // T-30
    const Tensor a = leaf({2}), b = leaf({3}), c = a * b, d = a * b;
    Calls calls;
    register_multi_grad_hook({a, b, c, d}, collect(calls));
    c.sum().backward({}, true);
    backward({c.sum()}, {}, true, false, {a});
    BOOST_TEST(calls == (Calls{"1110", "1010"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(T30_roots_and_captured_leaves_participate) { // T-30, the decision
    const Tensor a = leaf({2}), b = leaf({3}), c = a * b;
    Calls calls;
    register_multi_grad_hook({a, b, c}, collect(calls));
    c.backward({}, true); // the root itself is listed
    grad({c}, {a}, {}, true);
    BOOST_TEST(calls == (Calls{"111", "101"}), boost::test_tools::per_element());
    calls.clear();
    grad({c * 2.0}, {c}, {}, true); // captured, and nothing of it executes
    BOOST_TEST(calls == (Calls{"001"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(T30_entries_are_the_gradients_when_the_part_ran) { // T-30
    const Tensor a = leaf({2}), b = leaf({3}), c = a * b;
    std::vector<double> seen;
    a.register_hook([](const Tensor& g) { return g * 10.0; });
    register_multi_grad_hook({a, b}, [&](const variable_list& g) { seen = {item(g[0]), item(g[1])}; });
    a.register_hook([](const Tensor& g) { return g * 100.0; }); // later: not reflected
    c.backward();
    BOOST_TEST(seen == (V{30, 2}), boost::test_tools::per_element());
    // An undefined gradient of a participant shows as undefined.
    const Tensor x = leaf({1}), y = x * 2.0, z = y * 3.0;
    Calls calls;
    register_multi_grad_hook({x, z}, collect(calls));
    y.grad_fn()->register_posthook(
        [](const variable_list& g, const variable_list&) { return variable_list(g.size()); });
    z.backward();
    BOOST_TEST(calls == (Calls{"01"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(T30_a_tensor_without_gradient_is_refused_before_anything_is_registered) { // T-30
    const Tensor a = leaf({2});
    Calls calls;
    BOOST_CHECK_EXCEPTION(register_multi_grad_hook({a, vec({1})}, collect(calls)), Error,
                          says("tensor 1 does not require grad"));
    (a * 2.0).backward();
    BOOST_TEST(calls.empty());
}

BOOST_AUTO_TEST_CASE(T31_any_is_called_for_the_first) { // T-31
    const Tensor a = leaf({2}), b = leaf({3}), c = a * b;
    int calls = 0;
    double first = 0;
    register_multi_grad_hook_any({a, vec({1}), b, c}, [&](const Tensor& g) {
        ++calls;
        first = item(g);
    });
    c.sum().backward({}, true);
    BOOST_TEST(calls == 1);
    BOOST_TEST(first == 1); // c's
    c.sum().backward();
    BOOST_TEST(calls == 2);
}

BOOST_AUTO_TEST_CASE(T32_everything_is_keyed_by_the_pass) { // T-32, the decision
    const Tensor a = leaf({2}), b = leaf({3}), c = a * 2.0, d = a * b;
    Calls calls;
    register_multi_grad_hook({a, d}, collect(calls));
    bool nested = false;
    d.register_hook([&](const Tensor&) { // in the middle of the outer pass
        if (!std::exchange(nested, true)) c.backward();
    });
    d.backward();
    BOOST_TEST(calls == (Calls{"10", "11"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(T33_a_leaf_holds_its_accumulator_weakly) { // T-33
    const Tensor x = leaf({1});
    int on_node = 0, on_leaf = 0;
    x.register_hook([&](const Tensor&) { ++on_leaf; });
    const auto count = [&](const variable_list&) { return ++on_node, std::nullopt; };
    grad_accumulator(x)->register_prehook(count); // nobody holds the node: the hook is gone with it
    (x * 2.0).backward();
    BOOST_TEST(on_node == 0);
    {
        const auto held = grad_accumulator(x);
        held->register_prehook(count);
        (x * 2.0).backward();
        (x * 3.0).backward(); // every new graph uses the same one
        BOOST_TEST((x * 2.0).grad_fn()->next_edge(0).function.get() == held.get());
    }
    BOOST_TEST(on_node == 2);
    {
        const Tensor graph = x * 2.0; // a graph holds it too
        graph.grad_fn()->next_edge(0).function->register_prehook(count);
        graph.backward();
    }
    BOOST_TEST(on_node == 3);
    (x * 2.0).backward();
    BOOST_TEST(on_node == 3);
    BOOST_TEST(on_leaf == 5); // those on the leaf survive
}

BOOST_AUTO_TEST_CASE(T34_the_face_of_a_node) { // T-34
    const Tensor x = leaf({1}), plain = vec({2}), y = x * plain, z = x * 2.0;
    const auto node = y.grad_fn();
    BOOST_TEST(node.get() == y.grad_fn().get()); // the same object each time
    BOOST_TEST(node->name() == "MulBackward0");
    BOOST_TEST(node->forward_op_name() == "Mul");
    BOOST_TEST(node->next_edges().size() == 2u); // one per differentiable operand
    BOOST_TEST(node->next_edge(0).function->name() == "AccumulateGrad");
    BOOST_TEST(!node->next_edge(1).is_valid());
    BOOST_TEST(node->next_edge(1).input_nr == 0u);
    BOOST_TEST(z.grad_fn()->next_edges().size() == 2u);
    BOOST_TEST((x.pow(2)).grad_fn()->next_edges().size() == 1u); // an exponent is no differentiable operand
    node->metadata()["note"] = Value("mine");
    BOOST_TEST(y.grad_fn()->metadata().at("note").toStringRef() == "mine");
    BOOST_TEST(leaf({1, 2}).unbind()[1].output_nr() == 1);
}

BOOST_AUTO_TEST_CASE(T35_the_edge_of_a_tensor) { // T-35
    const Tensor x = leaf({1, 2}), y = x.unbind()[1];
    BOOST_TEST(gradient_edge(y).function.get() == y.grad_fn().get());
    BOOST_TEST(gradient_edge(y).input_nr == 1u);
    BOOST_TEST(gradient_edge(x).function.get() == grad_accumulator(x).get());
    BOOST_TEST((gradient_edge(x) == gradient_edge(x)));
}

BOOST_AUTO_TEST_CASE(T36_node_creation_hooks) { // T-36
    const Tensor x = leaf({3}), plain = vec({1});
    std::string outer, inner;
    const auto note = [](std::string& names) { return [&names](autograd::Node& n) { names += n.name() + ' '; }; };
    {
        const autograd::NodeCreationHookGuard a(note(outer));
        const Tensor y = x * x;
        BOOST_TEST(outer == "AccumulateGrad MulBackward0 ");
        outer.clear();
        {
            const autograd::NodeCreationHookGuard b([&](autograd::Node& n) {
                BOOST_TEST(outer.size() > inner.size()); // the outermost ran first
                BOOST_TEST(n.next_edges().size() == 2u); // edges, outputs and savings are there
                BOOST_TEST(n.num_inputs() == 1u);
                BOOST_TEST(n.saved_tensors().size() == 2u);
                inner += n.name() + ' ';
            });
            (void)(y * x);
        }
        BOOST_TEST(inner == "MulBackward0 "); // an accumulator in use is not reported again
        BOOST_TEST(outer == "MulBackward0 ");
        outer.clear();
        (void)(plain * plain);
        {
            NoGradGuard off;
            (void)(x * x);
        }
        BOOST_TEST(outer.empty());
        grad({y}, {x}, {}, true, true);
        BOOST_TEST(outer.find("MulBackward0") != std::string::npos); // made by a create_graph backward
    }
    bool other_thread = false;
    const autograd::NodeCreationHookGuard c([&](autograd::Node&) { other_thread = true; });
    const Tensor held = x * 1.0;
    BOOST_TEST(other_thread);
}

BOOST_AUTO_TEST_CASE(T36_making_nodes_inside_and_exceptions) { // T-36
    const Tensor x = leaf({3});
    {
        const autograd::NodeCreationHookGuard a([&](autograd::Node&) { (void)(x * 2.0); });
        BOOST_CHECK_EXCEPTION(x + x, Error, says("node-creation hook recorded an op"));
    }
    {
        const autograd::NodeCreationHookGuard b([&](autograd::Node&) { throw std::out_of_range("mine"); });
        BOOST_CHECK_THROW(x + x, std::out_of_range); // leaves through the forward op
    }
    BOOST_CHECK_NO_THROW(x + x);
}

BOOST_AUTO_TEST_SUITE_END()
