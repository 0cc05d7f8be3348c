// How gradients get into a leaf's `.grad` (rules E-28 to E-33).
#include "tape_helpers.hpp"

#include <reel/autograd/node.hpp>

using namespace tape_test;
using autograd::backward;

BOOST_AUTO_TEST_SUITE(accumulation)

BOOST_AUTO_TEST_CASE(E28_a_stored_gradient_is_nobody_elses) { // E-28
    const Tensor a = leaf({1, 1}), b = leaf({1, 1});
    (a + b).sum().backward();
    BOOST_TEST(!a.grad().is_alias_of(b.grad()));
    const Tensor x = leaf({1, 1}), seed = ones({2}, kDouble);
    x.backward(seed);
    BOOST_TEST(!x.grad().is_alias_of(seed));
    const Tensor y = leaf({1, 1});
    y.view({2, 1}).backward(ones({2, 1}, kDouble));
    BOOST_TEST(!y.grad().is_view());
    Tensor kept;
    const Tensor z = leaf({1, 1});
    z.register_hook([&](const Tensor& g) { kept = g; });
    (z * 2.0).sum().backward();
    BOOST_TEST(!z.grad().is_alias_of(kept)); // a hook holds it
    const Tensor p = leaf({1, 1});
    p.register_hook([&](const Tensor&) { return kept.detach(); });
    (p * 2.0).sum().backward();
    BOOST_TEST(!p.grad().is_alias_of(kept)); // or its memory
}

BOOST_AUTO_TEST_CASE(E28_views_of_one_gradient_are_copied) { // E-28, the decision
    const Tensor x = leaf({1, 1}), seed = ones({2, 1}, kDouble);
    x.view({2, 1}).backward(seed);
    BOOST_TEST(!x.grad().is_alias_of(seed));
    const Tensor a = leaf({1, 1}), b = leaf({1, 1});
    for (int i = 0; i < 2; ++i) ((a.view({2, 1}) + b.view({2, 1})) * 2.0).backward(ones({2, 1}, kDouble));
    REEL_TEST_VALUES(a.grad(), 4, 4);
    REEL_TEST_VALUES(b.grad(), 4, 4);
}

BOOST_AUTO_TEST_CASE(E28_the_layout_is_that_of_the_leaf) { // E-28
    const Tensor x = leaf({1, 2, 3});
    x.sum().backward(); // an expanded gradient gets real strides
    BOOST_TEST(x.grad().strides().equals({1}));
    const Tensor t = ones({2, 3}, kDouble).t().detach().requires_grad_(); // dense, not row-major
    (t * 2.0).backward(ones({3, 2}, kDouble));
    BOOST_TEST(t.grad().strides().equals(t.strides()));
    const Tensor gaps = ones({2, 4}, kDouble).slice(1, 0, 4, 2).detach().requires_grad_(); // not dense
    (gaps * 2.0).sum().backward();
    BOOST_TEST(gaps.grad().is_contiguous());
}

BOOST_AUTO_TEST_CASE(E28_an_unshared_gradient_is_taken_without_a_copy) { // E-28
    const Tensor x = ones({1000}, kDouble).requires_grad_();
    const void* produced = nullptr;
    const Tensor y = x * 2.0;
    y.grad_fn()->register_posthook([&](const variable_list& g, const variable_list&) {
        produced = g[0].data_ptr();
        return std::nullopt;
    });
    y.backward(ones({1000}, kDouble));
    BOOST_TEST(x.grad().data_ptr() == produced);
}

BOOST_AUTO_TEST_CASE(E29_the_first_gradient_under_create_graph_keeps_its_history) { // E-29
    const Tensor x = leaf({3});
    (x * x).backward({}, std::nullopt, true);
    BOOST_TEST(x.grad().requires_grad());
    BOOST_TEST(item(autograd::grad({x.grad()}, {x})[0]) == 2);
    x.mutable_grad() = Tensor();
}

BOOST_AUTO_TEST_CASE(E30_later_gradients_are_added_in_place) { // E-30
    const Tensor x = leaf({1});
    const Tensor mine = vec({10});
    x.set_grad(mine); // also into a tensor that the user assigned
    (x * 2.0).backward();
    (x * 3.0).backward();
    BOOST_TEST(x.grad().is_same(mine));
    BOOST_TEST(item(mine) == 15);
}

BOOST_AUTO_TEST_CASE(E31_under_create_graph_the_sum_is_a_new_tensor) { // E-31
    const Tensor x = leaf({3});
    (x * 2.0).backward();
    const Tensor before = x.grad();
    (x * x).backward({}, std::nullopt, true);
    BOOST_TEST(!x.grad().is_same(before));
    BOOST_TEST(item(before) == 2);
    BOOST_TEST(item(x.grad()) == 8);
    BOOST_TEST(x.grad().requires_grad());
    x.mutable_grad() = Tensor();
}

BOOST_AUTO_TEST_CASE(E32_an_undefined_gradient_changes_nothing) { // E-32
    const Tensor x = leaf({1});
    const auto erase = [](const Tensor& y) {
        y.grad_fn()->register_posthook(
            [](const variable_list& g, const variable_list&) { return variable_list(g.size()); });
        y.backward();
    };
    erase(x * 2.0);
    BOOST_TEST(!x.grad().defined()); // not filled with zeros
    (x * 2.0).backward();
    const auto version = x.grad()._version();
    erase(x * 2.0);
    BOOST_TEST(item(x.grad()) == 2);
    BOOST_TEST(x.grad()._version() == version);
}

BOOST_AUTO_TEST_CASE(E33_a_leaf_that_joined_the_graph_meanwhile) { // E-33
    const Tensor x = leaf({1}), w = leaf({2});
    const Tensor y = x * 2.0;
    x.requires_grad_(false);
    x.mul_(w); // x is no leaf any more
    BOOST_TEST(!x.is_leaf());
    BOOST_CHECK_EXCEPTION(y.backward(), Error, says("leaf", "moved into the graph"));
}

BOOST_AUTO_TEST_CASE(E9_E28_a_gradient_for_a_leaf_whose_data_got_another_shape) { // E-9, E-28
    const Tensor x = leaf({1, 2}), w = leaf({3, 4});
    const Tensor y = (x * w).sum();
    x.set_data(vec({2}).sum());
    y.backward();
    BOOST_TEST(list(x.grad()) == V({3, 4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
