// In which order nodes run, and which run at all (rules E-20 to E-27).
#include "tape_helpers.hpp"

using namespace tape_test;
using autograd::backward;
using autograd::grad;

namespace {
/// Appends `name` to `order` when `t`'s gradient is known.
void note(const Tensor& t, std::string& order, char name) {
    t.register_hook([&order, name](const Tensor&) { order += name; });
}
} // namespace

BOOST_AUTO_TEST_SUITE(execution_order)

BOOST_AUTO_TEST_CASE(E20_a_node_runs_once_when_all_its_gradients_came) { // E-20
    const Tensor x = leaf({1}), a = x * 2.0;
    int runs = 0;
    a.grad_fn()->register_prehook([&](const variable_list& g) -> std::optional<variable_list> {
        ++runs;
        BOOST_TEST(item(g[0]) == 3 + 4 + 5);
        return std::nullopt;
    });
    (a * 3.0 + a * 4.0 + a * 5.0).backward();
    BOOST_TEST(runs == 1);
}

BOOST_AUTO_TEST_CASE(E20_nodes_reached_by_undefined_gradients_run) { // E-20
    const Tensor x = leaf({1}), a = x * 2.0, b = a * 3.0;
    int runs = 0;
    bool defined = true;
    b.grad_fn()->register_posthook(
        [](const variable_list& g, const variable_list&) { return variable_list(g.size()); });
    a.grad_fn()->register_posthook([&](const variable_list& g, const variable_list&) -> std::optional<variable_list> {
        ++runs;
        defined = g[0].defined();
        return std::nullopt;
    });
    b.backward();
    BOOST_TEST(runs == 1);
    BOOST_TEST(!defined);
    BOOST_TEST(!x.grad().defined());
}

BOOST_AUTO_TEST_CASE(E21_later_nodes_first_accumulators_at_once) { // E-21
    const Tensor x = leaf({1}), w = leaf({1});
    std::string order;
    const Tensor a = x * 2.0, b = w * 3.0, c = x * 4.0, d = a + b, e = d * c;
    const std::pair<Tensor, char> all[] = {{x, 'x'}, {w, 'w'}, {a, 'a'}, {b, 'b'}, {c, 'c'}, {d, 'd'}, {e, 'e'}};
    for (const auto& [t, name] : all) note(t, order, name);
    e.backward();
    BOOST_TEST(order == "edcbwax");
    order.clear();
    const Tensor p = leaf({1}) * 1.0, q = leaf({1}) * 1.0, r = leaf({1}) * 1.0;
    note(p, order, 'a'), note(q, order, 'b'), note(r, order, 'c');
    backward({p, r, q});
    BOOST_TEST(order == "cba");
}

BOOST_AUTO_TEST_CASE(E21_an_old_accumulator_runs_before_newer_nodes) { // E-21
    const Tensor w = leaf({1}), x = leaf({1});
    const auto oldest = autograd::impl::grad_accumulator(w);
    std::string order;
    const Tensor a = x * 2.0, b = w * 3.0;
    BOOST_TEST(oldest->sequence_nr() < a.grad_fn()->sequence_nr());
    note(w, order, 'w'), note(a, order, 'a'), note(b, order, 'b');
    (a + b).backward();
    BOOST_TEST(order == "bwa");
}

BOOST_AUTO_TEST_CASE(E22_only_nodes_on_a_path_to_the_inputs_run) { // E-22
    const Tensor x = leaf({2}), w = leaf({3});
    const Tensor a = x * 1.0, b = w * 1.0, y = a * b;
    std::string order;
    a.grad_fn()->register_prehook([&](const variable_list&) { return order += 'a', std::nullopt; });
    b.grad_fn()->register_prehook([&](const variable_list&) { return order += 'b', std::nullopt; });
    std::string produced;
    y.grad_fn()->register_posthook([&](const variable_list& g, const variable_list&) {
        produced = pattern(g);
        return std::nullopt;
    });
    grad({y}, {x}, {}, true);
    BOOST_TEST(order == "a");
    BOOST_TEST(produced == "10"); // the formula skips what nobody needs
    order.clear();
    backward({y}, {}, true, false, {w});
    BOOST_TEST(order == "b");
    BOOST_TEST(produced == "01");
}

BOOST_AUTO_TEST_CASE(E23_several_roots) { // E-23
    const Tensor x = leaf({1}), y = x * 2.0, z = y * 3.0;
    backward({y, z}, {}, true);
    BOOST_TEST(item(x.grad()) == 8); // a root that is an ancestor of the other
    const auto g = grad({y, z}, {x, y}, {}, true);
    BOOST_TEST(item(g[0]) == 8);
    BOOST_TEST(item(g[1]) == 4);
    BOOST_TEST(item(grad({z, z}, {x})[0]) == 12); // the same root twice
}

BOOST_AUTO_TEST_CASE(E24_a_leaf_as_root) { // E-24
    const Tensor x = leaf({5});
    x.backward();
    x.backward();
    BOOST_TEST(item(x.grad()) == 2);
    BOOST_TEST(item(grad({x}, {x})[0]) == 1);
}

BOOST_AUTO_TEST_CASE(E25_summing_never_changes_what_somebody_can_see) { // E-25
    const Tensor x = leaf({1, 1});
    const Tensor a = x * 1.0;
    std::vector<Tensor> seen;
    const Tensor b = a * 2.0, c = a * 3.0, d = a * 4.0;
    for (const Tensor& t : {b, c, d}) {
        t.grad_fn()->register_posthook([&](const variable_list& g, const variable_list&) {
            seen.push_back(g[0]);
            return std::nullopt;
        });
    }
    const Tensor seed = ones({2}, kDouble);
    backward({b, c, d}, {seed, seed, seed}, true);
    REEL_TEST_VALUES(seed, 1, 1);
    REEL_TEST_VALUES(seen[0], 4, 4); // kept by the hook: left alone by the sums that it went into
    REEL_TEST_VALUES(seen[1], 3, 3);
    REEL_TEST_VALUES(seen[2], 2, 2);
    REEL_TEST_VALUES(x.grad(), 9, 9);
    // An alias handed on by a hook is a tensor of its own over memory that the hook still sees.
    const Tensor kept = vec({5, 5}), y = leaf({1, 1}), sum = y * 1.0, p = sum * 2.0, q = sum * 3.0;
    q.grad_fn()->register_posthook([&](const variable_list&, const variable_list&) {
        return variable_list{kept.detach(), Tensor()};
    });
    (p + q).sum().backward();
    REEL_TEST_VALUES(y.grad(), 7, 7);
    REEL_TEST_VALUES(kept, 5, 5);
    // The same seed as two roots' gradient and as a summand.
    const Tensor e = x * 1.0, f = x * 1.0;
    x.mutable_grad() = Tensor();
    backward({e, f}, {seed, seed});
    REEL_TEST_VALUES(seed, 1, 1);
    REEL_TEST_VALUES(x.grad(), 2, 2);
}

BOOST_AUTO_TEST_CASE(E26_final_callbacks_belong_to_the_pass_that_runs) { // E-26
    BOOST_CHECK_EXCEPTION(autograd::queue_callback([] {}), Error, says("no backward pass running"));
    const Tensor x = leaf({1}), y = x * 2.0;
    std::string order;
    y.register_hook([&](const Tensor&) {
        autograd::queue_callback([&] { order += 'o'; });
        EnableGradGuard guard;
        const Tensor inner = leaf({1}) * 2.0;
        inner.register_hook([&](const Tensor&) { autograd::queue_callback([&] { order += 'i'; }); });
        inner.backward();
        order += '|'; // the inner pass ran its own, and only that
    });
    y.backward({}, true);
    BOOST_TEST(order == "i|o");
    order.clear();
    grad({y}, {x}, {}, true); // grad has them too
    BOOST_TEST(order == "i|o");
    std::vector<bool> modes;
    const Tensor z = x * x;
    z.register_hook([&](const Tensor&) { autograd::queue_callback([&] { modes.push_back(GradMode::is_enabled()); }); });
    grad({z}, {x}, {}, true, true);
    grad({z}, {x});
    BOOST_TEST(modes == (std::vector<bool>{true, false}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(E27_long_chains_need_no_recursion) { // E-27
    const Tensor x = leaf({1});
    {
        Tensor y = x;
        for (int i = 0; i < 200000; ++i) y = -y;
        backward({y}, {}, true, false, {x}); // the search for what is wanted does not recurse either
        BOOST_TEST(y.grad_fn()->topological_nr() >= 200000u);
    }
    BOOST_TEST(item(x.grad()) == 1);
}

BOOST_AUTO_TEST_SUITE_END()
