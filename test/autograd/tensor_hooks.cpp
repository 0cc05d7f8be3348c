// Tensor hooks and retained gradients (rules T-1 to T-14, T-37).
#include "tape_helpers.hpp"

#include <utility>

#include <reel/autograd/function.hpp>
#include <reel/autograd/tape_view.hpp>

using namespace tape_test;
using autograd::grad;

namespace {
/// Makes the gradient that `y`'s node sends on undefined.
void send_nothing(const Tensor& y) {
    y.grad_fn()->register_posthook(
        [](const variable_list& g, const variable_list&) { return variable_list(g.size()); });
}
} // namespace

BOOST_AUTO_TEST_SUITE(tensor_hooks)

BOOST_AUTO_TEST_CASE(T1_who_may_have_hooks) { // T-1
    BOOST_CHECK_EXCEPTION(vec({1}).register_hook([](const Tensor&) {}), Error, says("does not require grad"));
    const Tensor x = leaf({1}), y = x * 2.0;
    const RemovableHandle a = x.register_hook([](const Tensor&) {}), b = y.register_hook([](const Tensor&) {});
    BOOST_TEST(a.id() != b.id());
}

BOOST_AUTO_TEST_CASE(T2_once_per_pass_with_the_total) { // T-2
    const Tensor x = leaf({1});
    std::vector<double> seen;
    x.register_hook([&](const Tensor& g) { seen.push_back(item(g)); });
    const Tensor y = x * 2.0 + x * 3.0;
    y.backward({}, true);
    y.backward();
    BOOST_TEST(seen == (V{5, 5}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(T3_what_a_hook_may_return) { // T-3
    const auto run = [](auto fn) {
        const Tensor x = leaf({1, 2}), y = x * 2.0;
        y.register_hook([](const Tensor&) {});
        y.register_hook(fn);
        y.sum().backward();
        return list(x.grad());
    };
    BOOST_TEST(run([](const Tensor&) { return Tensor(); }) == (V{2, 2}), boost::test_tools::per_element());
    BOOST_TEST(run([](const Tensor& g) { return g * 5.0; }) == (V{10, 10}), boost::test_tools::per_element());
    BOOST_CHECK_EXCEPTION(run([](const Tensor& g) { return g.to(kFloat); }), Error,
                          says("tensor hook 1 changed the type", "float64", "float32"));
    BOOST_CHECK_EXCEPTION(run([](const Tensor& g) { return g.sum(); }), Error,
                          says("tensor hook 1 changed the size", "from [2] to []"));
    BOOST_CHECK_EXCEPTION(run([](const Tensor& g) { return g.expand({3, 2}); }), Error, says("to [3, 2]"));
    BOOST_CHECK_EXCEPTION(run([](const Tensor&) { return empty({2}, TensorOptions(kDouble).device(Device(kMeta))); }),
                          Error, says("changed the type", "meta"));
    // A gradient for an undefined one (6.3.3).
    const Tensor x = leaf({1}), a = x * 2.0, b = a * 3.0;
    a.register_hook([](const Tensor&) { return ones({1}, kDouble); });
    send_nothing(b);
    BOOST_CHECK_EXCEPTION(b.backward(), Error, says("where there is none to replace"));
}

BOOST_AUTO_TEST_CASE(T4_in_order_of_registration_each_seeing_the_result_before) { // T-4
    const Tensor x = leaf({1}), y = x * 3.0;
    std::vector<double> seen;
    x.register_hook([](const Tensor& g) { return g * 2.0; });
    x.register_hook([&](const Tensor& g) { seen.push_back(item(g)); });
    x.register_hook([&](const Tensor& g) {
        seen.push_back(item(g));
        return g + 1.0;
    });
    x.register_hook([&](const Tensor& g) { seen.push_back(item(g)); });
    y.backward();
    BOOST_TEST(seen == (V{6, 6, 7}), boost::test_tools::per_element());
    BOOST_TEST(item(x.grad()) == 7);
}

BOOST_AUTO_TEST_CASE(T5_a_node_reached_without_a_gradient_for_this_output) { // T-5
    const Tensor x = leaf({1, 2});
    const auto parts = x.unbind();
    std::string seen;
    parts[0].register_hook([&](const Tensor& g) { seen += g.defined() ? '0' : '-'; });
    parts[1].register_hook([&](const Tensor& g) { seen += g.defined() ? '1' : '-'; });
    parts[1].backward();
    BOOST_TEST(seen == "-1");
    seen.clear();
    const Tensor y = leaf({1}), z = y * 2.0;
    y.register_hook([&](const Tensor& g) { seen += g.defined() ? 'd' : 'u'; }); // leaves too
    send_nothing(z);
    z.backward();
    BOOST_TEST(seen == "u");
}

BOOST_AUTO_TEST_CASE(T6_T7_what_a_hook_is_bound_to) { // T-6, T-7
    const Tensor x = leaf({1});
    int on_leaf = 0, on_inner = 0;
    x.register_hook([&](const Tensor&) { ++on_leaf; });
    const Tensor a = x * 2.0, y = a * 3.0;
    a.register_hook([&](const Tensor&) { ++on_inner; }); // after the rest was built
    y.backward();
    (x * 5.0).backward(); // a leaf's hooks last over all graphs
    BOOST_TEST(on_leaf == 2);
    BOOST_TEST(on_inner == 1);
    x.set_data(vec({4}));
    (x * 5.0).backward();
    BOOST_TEST(on_leaf == 3);
}

BOOST_AUTO_TEST_CASE(T8_in_place_work_separates_older_and_newer_hooks) { // T-8
    const Tensor a = leaf({1}), b = a.clone();
    std::string order;
    auto f1 = b.register_hook([&](const Tensor& g) {
        order += "1:" + std::to_string(int(item(g))) + ' ';
        return g * 2.0;
    });
    b *= 2.0;
    b.register_hook([&](const Tensor& g) {
        order += "2:" + std::to_string(int(item(g))) + ' ';
        return g * 2.0;
    });
    b.backward({}, true);
    BOOST_TEST(order == "2:1 1:4 ");
    BOOST_TEST(item(a.grad()) == 8);
    f1.remove(); // still reaches the old node
    order.clear();
    b.backward();
    BOOST_TEST(order == "2:1 ");
}

BOOST_AUTO_TEST_CASE(T9_hooks_on_views_are_lost_when_histories_are_made_again) { // T-9
    const auto fires = [](auto modify) {
        const Tensor x = leaf({1, 2}), base = x * 1.0, v = base.slice(0, 0, 1), sibling = base.slice(0, 1, 2);
        int old_hook = 0, new_hook = 0;
        v.register_hook([&](const Tensor&) { ++old_hook; });
        const Tensor before = v * 2.0;
        modify(base, v, sibling);
        v.register_hook([&](const Tensor&) { ++new_hook; });
        (v * 1.0).backward({}, true);
        BOOST_TEST(new_hook == 1);
        BOOST_TEST(old_hook == 0);
        before.backward(); // computed before: still uses the old node
        return old_hook;
    };
    BOOST_TEST(fires([](const Tensor& base, const Tensor&, const Tensor&) { base.add_(1.0); }) == 1);
    BOOST_TEST(fires([](const Tensor&, const Tensor&, const Tensor& s) { s.add_(1.0); }) == 1);
    // The view itself was modified: the op does not read it through the old node either.
    const Tensor x = leaf({1, 2}), base = x * 1.0, v = base.slice(0, 0, 1);
    int lost = 0;
    v.register_hook([&](const Tensor&) { ++lost; });
    v.add_(1.0);
    (v * 1.0).backward();
    BOOST_TEST(lost == 0);
    REEL_TEST_VALUES(x.grad(), 1, 0);
}

BOOST_AUTO_TEST_CASE(T10_grad_mode_in_hooks_is_create_graph) { // T-10
    const Tensor x = leaf({2}), y = x * x;
    std::string modes;
    x.register_hook([&](const Tensor&) { modes += GradMode::is_enabled() ? '1' : '0'; });
    grad({y}, {x}, {}, true, true);
    grad({y}, {x});
    BOOST_TEST(modes == "10");
}

BOOST_AUTO_TEST_CASE(T11_where_retaining_means_something) { // T-11
    BOOST_CHECK_EXCEPTION(vec({1}).retain_grad(), Error, says("does not require grad"));
    const Tensor x = leaf({1}), y = x * 2.0;
    x.retain_grad();
    BOOST_TEST(!x.retains_grad());
    y.retain_grad();
    y.retain_grad();
    y.backward();
    BOOST_TEST(item(y.grad()) == 1); // repeated calls count once
}

BOOST_AUTO_TEST_CASE(T12_the_retained_gradient) { // T-12
    const Tensor x = leaf({1, 2}), a = x * 1.0;
    a.retain_grad();
    const Tensor y = a.expand({3, 2}), seed = ones({3, 2}, kDouble);
    y.backward(seed, true);
    BOOST_TEST(a.grad().is_contiguous());
    const Tensor first = a.grad();
    y.backward(seed, true);
    REEL_TEST_VALUES(a.grad(), 6, 6); // accumulates
    REEL_TEST_VALUES(first, 3, 3);    // out of place
    const Tensor matrix = ones({2, 3}, kDouble).requires_grad_() * 1.0;
    matrix.retain_grad();
    matrix.t().backward(ones({3, 2}, kDouble)); // arrives transposed
    BOOST_TEST(matrix.grad().is_contiguous());
    const Tensor b = x * 1.0, erased = b * 2.0;
    b.retain_grad();
    send_nothing(erased);
    erased.sum().backward();
    BOOST_TEST(!b.grad().defined()); // undefined ones are ignored
    const Tensor c = leaf({3}) * 1.0;
    c.retain_grad();
    grad({c * c}, {c}, {}, true, true);
    BOOST_TEST(c.grad().requires_grad()); // history under create_graph
    Tensor gone = x * 1.0;
    const Tensor used = gone * 2.0;
    gone.retain_grad();
    const TensorImpl* watched = gone.unsafeGetTensorImpl();
    BOOST_TEST(watched->use_count() == 1u); // held weakly
    gone.reset();
    BOOST_CHECK_NO_THROW(used.sum().backward());
}

BOOST_AUTO_TEST_CASE(T13_retention_after_all_tensor_hooks_before_node_hooks) { // T-13
    const Tensor a = leaf({1}), b = a.clone();
    b.register_hook([](const Tensor& g) { return g * 2.0; });
    b.retain_grad();
    b.register_hook([](const Tensor& g) { return g * 2.0; });
    b.backward();
    BOOST_TEST(item(b.grad()) == 4);
    const Tensor c = leaf({1}), d = c.clone();
    d.grad_fn()->register_prehook([](const variable_list& g) { return variable_list{g[0] * 2.0}; });
    d.retain_grad();
    d.register_hook([](const Tensor& g) { return g * 3.0; });
    d.backward();
    BOOST_TEST(item(d.grad()) == 3);
    BOOST_TEST(item(c.grad()) == 6);
}

BOOST_AUTO_TEST_CASE(T14_retention_follows_the_latest_version) { // T-14
    const Tensor a = leaf({1}), t = a * 1.0;
    t.retain_grad();
    t *= 5.0;
    t.backward();
    BOOST_TEST(item(t.grad()) == 1);
    BOOST_TEST(item(a.grad()) == 5);
    const Tensor base = leaf({1, 2}) * 1.0, v = base.slice(0, 0, 1);
    v.retain_grad();
    base.mul_(3.0);
    (v * 7.0).backward(); // the view's history was made again: retention moved to it
    REEL_TEST_VALUES(v.grad(), 7);
}

BOOST_AUTO_TEST_CASE(T37_this_pass_gradient_and_who_carries_hooks) { // T-37
    const Tensor x = leaf({1});
    std::vector<double> seen;
    x.register_hook([&](const Tensor& g) { seen.push_back(item(g)); });
    (x * 2.0).backward();
    (x * 3.0).backward();
    BOOST_TEST(seen == (V{2, 3}), boost::test_tools::per_element()); // never the accumulated one
    const Tensor d = x.detach().requires_grad_();
    (d * 9.0).backward();
    BOOST_TEST(seen.size() == 2u); // no hooks there
    (x.clone() * 4.0).backward();
    BOOST_TEST(seen.back() == 4); // through the original's
    const Tensor w = leaf({2}), y = leaf({1}), z = y * 3.0;
    z.register_hook([&](const Tensor& g) {
        EnableGradGuard on;
        return g * w;
    });
    z.backward();
    BOOST_TEST(item(y.grad()) == 6);
    BOOST_TEST(!y.grad().requires_grad()); // an ordinary pass drops the history
}

namespace {
/// Returns a tensor of the caller's that is not among its arguments.
struct Recapture : autograd::Function<Recapture> {
    static inline Tensor held;
    static Tensor forward(autograd::AutogradContext*, const Tensor&) { return std::exchange(held, Tensor()); }
    static variable_list backward(autograd::AutogradContext*, variable_list g) { return {g[0] * 5.0}; }
};
} // namespace

BOOST_AUTO_TEST_CASE(T14_a_node_forgets_a_tensor_that_another_one_takes_over) { // T-12, T-14
    const Tensor x = leaf({2}), w = leaf({3});
    Tensor h = x * 2.0;
    const Tensor other = h * 1.0; // keeps the node of h
    h.retain_grad();
    const autograd::Node& before = *h.grad_fn();
    BOOST_TEST(autograd::TapeView(other)[1].hooks.retain_grad == 1u);
    Recapture::held = h;
    Tensor y = Recapture::apply(w);
    BOOST_TEST(y.is_same(h));
    BOOST_TEST(y.grad_fn().get() != &before);
    BOOST_TEST(autograd::TapeView(other)[1].hooks.retain_grad == 0u); // it would write to a tensor that is gone
    y.backward();
    BOOST_TEST(item(y.grad()) == 1);
    BOOST_TEST(item(w.grad()) == 5);
    y.reset();
    h.reset();
    other.backward();
    BOOST_TEST(item(x.grad()) == 2);
}

BOOST_AUTO_TEST_CASE(T12_retained_outputs_go_in_any_order) { // T-12
    const Tensor x = ones({9}, TensorOptions(kDouble)).requires_grad_();
    std::vector<Tensor> parts = unbind(x);
    for (const std::size_t i : {7, 2, 0, 5, 8, 1, 3}) parts[i].retain_grad();
    const Tensor last = parts[4] * 1.0;
    const auto retained = [&] { return autograd::TapeView(last)[1].hooks.retain_grad; };
    BOOST_TEST(retained() == 7u);
    for (const std::size_t i : {2, 8, 0}) parts[i].reset();
    BOOST_TEST(retained() == 4u);
    parts[3].reset(); // half of the list is gone by now
    BOOST_TEST(retained() == 3u);
    parts[4].retain_grad();
    (last + parts[1] * 2.0 + parts[5] * 3.0 + parts[7] * 4.0).backward();
    BOOST_TEST(item(parts[1].grad()) == 2);
    BOOST_TEST(item(parts[4].grad()) == 1);
    BOOST_TEST(item(parts[5].grad()) == 3);
    BOOST_TEST(item(parts[7].grad()) == 4);
}

BOOST_AUTO_TEST_SUITE_END()
