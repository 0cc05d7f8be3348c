// In-place work and views on the tape (rules E-42 to E-49).
#include "tape_helpers.hpp"

#include <reel/autograd/function.hpp>

using namespace tape_test;

namespace {
struct TwoViews : autograd::Function<TwoViews> {
    static variable_list forward(autograd::AutogradContext*, const Tensor& x) {
        return {x.slice(0, 0, 1), x.slice(0, 1, 2)};
    }
    static variable_list backward(autograd::AutogradContext*, variable_list g) { return {cat({g[0], g[1]})}; }
};
struct OneView : autograd::Function<OneView> {
    static Tensor forward(autograd::AutogradContext*, const Tensor& x) { return x.view({-1, 1}); }
    static variable_list backward(autograd::AutogradContext*, variable_list g) { return {g[0].view({-1})}; }
};
} // namespace

BOOST_AUTO_TEST_SUITE(inplace_views)

BOOST_AUTO_TEST_CASE(E42_leaves_that_require_grad_are_refused) { // E-42
    const Tensor x = leaf({1, 2});
    BOOST_CHECK_EXCEPTION(x.add_(1.0), Error, says("add_", "a leaf that requires grad", "no_grad"));
    BOOST_CHECK_EXCEPTION(x.slice(0, 0, 1).add_(1.0), Error, says("a view of a leaf that requires grad"));
    REEL_TEST_VALUES(x, 1, 2); // refused before anything was written
    BOOST_TEST(x._version() == 0);
    NoGradGuard guard;
    x.add_(1.0);
    x.slice(0, 0, 1).add_(1.0);
    REEL_TEST_VALUES(x, 3, 3);
    BOOST_TEST(x._version() == 2);
    BOOST_TEST(x.is_leaf());
}

BOOST_AUTO_TEST_CASE(E43_the_history_becomes_that_of_the_in_place_op) { // E-43
    const Tensor x = leaf({3}), y = x * 2.0;
    y.exp_();
    BOOST_TEST(y.grad_fn()->forward_op_name() == "Exp");
    const Tensor plain = vec({5});
    plain.mul_(x); // a tensor that needed no gradient
    BOOST_TEST(plain.requires_grad());
    BOOST_TEST(!plain.is_leaf());
    plain.backward();
    BOOST_TEST(item(x.grad()) == 5);
    x.mutable_grad() = Tensor();
    y.backward();
    BOOST_TEST(item(x.grad()) == 2 * std::exp(6.0), boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(E44_base_and_siblings_see_the_change) { // E-44
    const Tensor x = ones({2, 2}, kDouble).requires_grad_();
    const Tensor b = x * 1.0, v = b.select(0, 0);
    v *= 5.0;
    BOOST_TEST(b.grad_fn()->name().find("CopySlices") != std::string::npos);
    b.sum().backward();
    REEL_TEST_VALUES(x.grad(), 5, 5, 1, 1);
    const Tensor x2 = ones({2, 2}, kDouble).requires_grad_();
    const Tensor b2 = x2 * 1.0, v2 = b2.select(0, 0);
    const auto stale = v2.grad_fn();
    b2 *= 3.0;
    BOOST_TEST(v2.grad_fn().get() != stale.get()); // regenerated when it is looked at
    BOOST_TEST(v2.grad_fn().get() == v2.grad_fn().get());
    v2.sum().backward();
    REEL_TEST_VALUES(x2.grad(), 3, 3, 0, 0);
    const Tensor x3 = ones({4}, kDouble).requires_grad_();
    const Tensor b3 = x3 * 1.0, left = b3.slice(0, 0, 2), right = b3.slice(0, 1);
    left *= 2.0;
    right.sum().backward();
    REEL_TEST_VALUES(x3.grad(), 0, 2, 1, 1);
}

BOOST_AUTO_TEST_CASE(E45_a_base_joins_the_tape_through_its_view) { // E-45
    const Tensor base = zeros({2, 2}, kDouble), other = base.select(0, 1), x = leaf({1, 2});
    base.select(0, 0).mul_(0.0).add_(x);
    BOOST_TEST(base.requires_grad());
    BOOST_TEST(other.requires_grad()); // a sibling follows
    (base * 3.0).sum().backward();
    REEL_TEST_VALUES(x.grad(), 3, 3);
}

BOOST_AUTO_TEST_CASE(E46_views_carry_why_they_are_restricted) { // E-46
    const Tensor b = leaf({1, 2, 3, 4}) * 1.0;
    const auto tag = [](const Tensor& t) { return t.impl()->creation_meta(); };
    BOOST_TEST((tag(b.slice(0, 0, 2)) == CreationMeta::DEFAULT));
    Tensor no_grad;
    {
        NoGradGuard guard;
        no_grad = b.slice(0, 0, 2);
    }
    BOOST_TEST((tag(no_grad) == CreationMeta::NO_GRAD_MODE));
    BOOST_TEST((tag(no_grad.view({2, 1})) == CreationMeta::NO_GRAD_MODE)); // views of views inherit it
    Tensor inferred;
    {
        const InferenceMode guard;
        inferred = b.slice(0, 0, 2);
        BOOST_TEST((tag(b.unbind()[1]) == CreationMeta::INFERENCE_MODE));
        inferred.view({2, 1}).mul_(2.0);
        BOOST_TEST(inferred.is_leaf()); // the write was not recorded
    }
    BOOST_TEST((tag(inferred) == CreationMeta::INFERENCE_MODE));
    const Tensor part = b.unbind()[1];
    BOOST_TEST((tag(part) == CreationMeta::MULTI_OUTPUT_NODE));
    BOOST_TEST((tag(part.view({1})) == CreationMeta::MULTI_OUTPUT_NODE));
    BOOST_TEST((tag(OneView::apply(b)) == CreationMeta::IN_CUSTOM_FUNCTION));
    {
        NoGradGuard guard;
        BOOST_TEST((tag(b.unbind()[0].view({1})) == CreationMeta::NO_GRAD_MODE));
        BOOST_TEST((tag(part.view({1})) == CreationMeta::MULTI_OUTPUT_NODE)); // the more restrictive tag wins
    }
}

BOOST_AUTO_TEST_CASE(E47_in_place_through_a_restricted_view) { // E-47
    const Tensor x = leaf({1, 2, 3, 4}), b = x * 1.0;
    BOOST_CHECK_EXCEPTION(b.unbind()[2].add_(1.0), Error,
                          says("output 2 of Unbind", "is being modified in place", "several views"));
    Tensor made_without;
    {
        NoGradGuard guard;
        made_without = b.slice(0, 0, 2);
        made_without.add_(1.0); // grad mode off: allowed
    }
    BOOST_CHECK_EXCEPTION(made_without.add_(1.0), Error, says("no_grad"));
    BOOST_CHECK_EXCEPTION(OneView::apply(b).add_(1.0), Error, says("output 0 of OneViewBackward", "custom Function"));
    // Not the view itself but its base, or a sibling, was modified: refused when the view is used again.
    const auto parts = b.split(2);
    b.add_(1.0);
    BOOST_CHECK_EXCEPTION(parts[0] * 2.0, Error, says("output 0 of Split", "its base or another view"));
    NoGradGuard guard;
    BOOST_CHECK_NO_THROW(parts[0] * 2.0);
}

BOOST_AUTO_TEST_CASE(E47_a_refused_write_leaves_everything_as_it_was) { // E-47
    const Tensor w = leaf({5, 5});
    const std::vector<std::function<void(const Tensor&)>> writes{
        [&](const Tensor& v) { v.add_(w); },
        [&](const Tensor& v) { v.mul_(w); },
        [&](const Tensor& v) { v.copy_(w); },
        [&](const Tensor& v) { v.addcmul_(w, w); },
        [&](const Tensor& v) { v.lerp_(w, 0.5); },
        [&](const Tensor& v) { v.index_put_({0}, w[0]); },
        [&](const Tensor& v) { index_put_(v, {zeros({1}, kLong)}, w.slice(0, 0, 1)); },
        [&](const Tensor& v) { v.masked_scatter_(v > 0, w); },
    };
    for (std::size_t i = 0; i < writes.size(); ++i) {
        const Tensor base = vec({1, 2, 3, 4}); // not on the tape: only what would be written is
        const Tensor part = base.split(2)[1];
        BOOST_TEST_CONTEXT("write " << i)
        BOOST_CHECK_EXCEPTION(writes[i](part), Error, says("is being modified in place", "several views"));
        REEL_TEST_VALUES(base, 1, 2, 3, 4);
        BOOST_TEST(base._version() == 0);
        BOOST_TEST(!base.requires_grad());
        BOOST_TEST(!part.requires_grad());
    }
}

BOOST_AUTO_TEST_CASE(E48_which_ops_make_restricted_views) { // E-48
    const Tensor b = leaf({1, 2, 3, 4}) * 1.0;
    for (const auto& parts : {b.split(2), b.chunk(2), b.unbind(), b.split_with_sizes({1, 3})})
        BOOST_CHECK_THROW(parts[0].add_(1.0), Error);
    for (const auto& parts : {b.tensor_split(2), b.hsplit(2), b.unsafe_split(2), b.unsafe_chunk(2)})
        BOOST_CHECK_NO_THROW(parts[0].add_(1.0));
    const auto two = TwoViews::apply(leaf({1, 2}) * 1.0);
    BOOST_CHECK_EXCEPTION(two[1].add_(1.0), Error, says("output 1 of TwoViewsBackward"));
}

BOOST_AUTO_TEST_CASE(E49_views_made_under_no_grad_of_a_leaf) { // E-49
    const Tensor x = leaf({1, 2});
    Tensor v;
    {
        NoGradGuard guard;
        v = x.slice(0, 0, 1);
    }
    BOOST_TEST(v.requires_grad()); // follows its base
    BOOST_TEST(!v.grad_fn());
    const Tensor y = v * 2.0;
    BOOST_TEST(y.requires_grad());
    y.sum().backward();
    BOOST_TEST(!x.grad().defined()); // the gradient goes nowhere
    BOOST_TEST(!v.grad().defined());
    // Asked for, it is one that no gradient reaches.
    BOOST_TEST(!autograd::grad({(v * 2.0).sum()}, {v}, {}, std::nullopt, false, true)[0].defined());
    BOOST_CHECK_EXCEPTION(autograd::grad({(v * 2.0).sum()}, {v}), Error,
                          says("input 0 was not used in the graph of the outputs"));
    (x * v).sum().backward({}, std::nullopt, false, TensorList({x, v}));
    REEL_TEST_VALUES(x.grad(), 1, 1);
    BOOST_TEST(!v.grad().defined());
    BOOST_CHECK_EXCEPTION(v.backward(), Error, says("does not require grad and has no grad_fn"));
}

BOOST_AUTO_TEST_CASE(E49_views_made_before_their_base_asked_for_gradients) { // E-49
    Tensor x = tensor({1., 2.});
    const Tensor v = x.view({2, 1});
    x.requires_grad_();
    BOOST_TEST(v.requires_grad());
    const auto g = autograd::grad({(x * v.view({2})).sum()}, {x, v}, {}, std::nullopt, false, true);
    BOOST_TEST(g[0].equal(tensor({1., 2.})));
    BOOST_TEST(!g[1].defined());
}

BOOST_AUTO_TEST_CASE(E46_requires_grad_of_a_view_that_may_not_be_used) { // E-46
    const Tensor b = leaf({1, 2, 3}) * 1.0;
    NoGradGuard guard;
    const Tensor v = b.slice(0, 0, 2);
    v.mul_(2.0);
    {
        const EnableGradGuard on;
        b.mul_(2.0);
        BOOST_CHECK_THROW(v.grad_fn(), Error);
        v.requires_grad_(); // asks nothing of the history
        v.requires_grad_(false);
        v.retain_grad();
        v.requires_grad_();
    }
    // Asking is refused in every mode; only ops go on where nothing is recorded (E-47, E-49).
    BOOST_CHECK_EXCEPTION(v.grad_fn(), Error, says("its base or another view"));
    BOOST_CHECK_THROW(v.is_leaf(), Error);
    BOOST_CHECK_NO_THROW(v * 2.0);
    BOOST_TEST(str(v).find("grad_fn=<Invalid>") != std::string::npos);
    BOOST_TEST(v.impl()->requires_grad_flag());
}

BOOST_AUTO_TEST_CASE(views_that_require_grad_change_their_geometry) {
    const Tensor x = leaf({1, 2, 3, 4, 5, 6}), base = x * 1.0, weights = vec({1, 2, 3, 4, 5, 6}).view({3, 2});
    const Tensor v = base.view({2, 3});
    v.transpose_(0, 1);
    BOOST_TEST(v.sizes() == IntArrayRef({3, 2}));
    BOOST_TEST(v.is_view());
    (v * weights).sum().backward({}, true);
    REEL_TEST_VALUES(x.grad(), 1, 3, 5, 2, 4, 6);
    v.mul_(10.0); // still a view: its base follows
    REEL_TEST_VALUES(base, 10, 20, 30, 40, 50, 60);
    x.mutable_grad() = Tensor();
    base.sum().backward();
    REEL_TEST_VALUES(x.grad(), 10, 10, 10, 10, 10, 10);

    const Tensor y = leaf({1, 2, 3}), w = (y * 2.0).view({1, 3});
    w.squeeze_();
    w.unsqueeze_(1);
    BOOST_TEST(w.sizes() == IntArrayRef({3, 1}));
    w.t_();
    w.as_strided_({2}, {1}, 1);
    (w * w).sum().backward();
    REEL_TEST_VALUES(y.grad(), 0, 16, 24);

    const Tensor several = (leaf({1, 2}) * 1.0).unbind(0)[0]; // of a function with several views: refused, unchanged
    BOOST_CHECK_EXCEPTION(several.unsqueeze_(0), Error, says("unsqueeze_", "returns several views"));
    BOOST_TEST(several.dim() == 0);
    const Tensor parameter = leaf({1, 2});
    BOOST_CHECK_EXCEPTION(parameter.view({2, 1}).t_(), Error, says("view of a leaf"));
}

BOOST_AUTO_TEST_SUITE_END()
