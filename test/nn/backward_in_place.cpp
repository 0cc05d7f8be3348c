// In-place work around backward hooks: refused in the reference mode, allowed beyond it.
#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

using namespace reel;
using namespace reel::testing;
using autograd::variable_list;
using nn::Module;

BOOST_AUTO_TEST_SUITE(backward_in_place)

namespace {
std::shared_ptr<AnyImpl> hooked(AnyImpl::Fn fn) {
    const auto m = any_module(std::move(fn));
    m->register_full_backward_hook([](Module&, const variable_list&, const variable_list&) {});
    return m;
}
const auto identity = [](const Args& a, const Kwargs&) { return a[0]; };
Tensor grown(const Tensor& x) { return x * 1; } // not a leaf, so that in-place work is allowed at all
} // namespace

BOOST_AUTO_TEST_CASE(B_33_in_place_on_wrapped_inputs_and_outputs) {
    const CleanHooks clean;
    nn::hooks::set_reference_mode(true);
    const Tensor x = grown(leaf(2));
    const auto in = hooked([](const Args& a, const Kwargs&) { return Value(Tensor(a[0].toTensor()).mul_(2)); });
    const std::string text = message_of([&] { in->call_values({Value(x)}); });
    BOOST_TEST(has(text, {"mul_", "output 0 of BackwardHookGateBackward", "is a view", "clone()"}), text);
    BOOST_TEST(number(x) == 2); // before data changes
    Tensor y = hooked(identity)->call_values({Value(x)}).toTensor();
    BOOST_TEST(has(message_of([&] { y.add_(1); }), {"add_", "BackwardHookGateBackward", "is a view"}));
    BOOST_TEST(number(y) == 2);
}

BOOST_AUTO_TEST_CASE(B_34_several_slots_are_the_other_flavour) {
    const CleanHooks clean;
    nn::hooks::set_reference_mode(true);
    const Tensor x = grown(leaf(2));
    const auto in = hooked([](const Args& a, const Kwargs&) { return Value(Tensor(a[0].toTensor()).mul_(2)); });
    const std::string several = message_of([&] { in->call_values({Value(x), Value(grown(leaf(3)))}); });
    BOOST_TEST(has(several, "a function that returns several views"), several);
    const std::string one = message_of([&] { in->call_values({Value(x), Value(ones({}))}); });
    BOOST_TEST(has(one, "under backward hooks"), one);
}

BOOST_AUTO_TEST_CASE(B_35_modifying_the_original_spoils_the_alias) {
    const CleanHooks clean;
    nn::hooks::set_reference_mode(true);
    Tensor x = grown(leaf(2)), inner;
    const auto m = hooked([&](const Args& a, const Kwargs&) {
        inner = a[0].toTensor();
        return Value(inner * 3);
    });
    m->call_values({Value(x)});
    x.add_(1); // allowed
    BOOST_TEST(number(x) == 3);
    const std::string text = message_of([&] { (inner * 2).backward(); });
    BOOST_TEST(has(text, "its base or another view of its base was modified"), text);
}

BOOST_AUTO_TEST_CASE(B_36_in_place_without_grad_mode_shows_at_the_next_use) {
    const CleanHooks clean;
    nn::hooks::set_reference_mode(true);
    const Tensor x = grown(leaf(2));
    Tensor y = hooked(identity)->call_values({Value(x)}).toTensor();
    {
        NoGradGuard guard;
        y.add_(1);
        BOOST_TEST(number(y * 2) == 6); // use without a gradient is fine
    }
    const std::string text = message_of([&] { (y * 2).backward(); });
    BOOST_TEST(has(text, "was modified in place"), text);
}

BOOST_AUTO_TEST_CASE(B_37_arguments_without_gradient_may_be_written) {
    const CleanHooks clean;
    for (const bool reference : {true, false}) {
        nn::hooks::set_reference_mode(reference);
        const Tensor plain = full({}, 2.0), x = leaf(3);
        const auto m = hooked([](const Args& a, const Kwargs&) {
            Tensor(a[0].toTensor()).mul_(5);
            return Value(a[0].toTensor() * a[1].toTensor());
        });
        m->call_values({Value(plain), Value(x)}).toTensor().backward();
        BOOST_TEST(number(plain) == 10); // through to the caller
        BOOST_TEST(number(x.grad()) == 10);
    }
}

BOOST_AUTO_TEST_CASE(B_38_detaching_a_wrapped_output_in_place) {
    const CleanHooks clean;
    nn::hooks::set_reference_mode(true);
    Tensor y = hooked(identity)->call_values({Value(grown(leaf(2)))}).toTensor();
    const std::string text = message_of([&] { y.detach_(); });
    BOOST_TEST(has(text, {"detach_", "view"}), text);
}

BOOST_AUTO_TEST_CASE(B_47_modules_that_work_in_place) {
    const CleanHooks clean;
    nn::hooks::set_reference_mode(true);
    nn::ReLU relu(nn::ReLUOptions(true));
    int fired = 0;
    relu->register_full_backward_hook([&](Module&, const variable_list&, const variable_list&) { ++fired; });
    BOOST_TEST(has(message_of([&] { relu(grown(leaf(2))); }), "is a view"));
    BOOST_TEST(number(relu(full({}, -2.0))) == 0);
    // beyond the reference they work, and the hook sees the gradient
    nn::hooks::set_reference_mode(false);
    const Tensor x = leaf(2);
    relu(grown(x)).backward();
    BOOST_TEST(number(x.grad()) == 1);
    BOOST_TEST(fired == 1);
}

namespace {
/// A Sequential with an activation in place, every module of it under a full backward hook.
struct Activated {
    nn::Sequential net{nn::Linear(2, 2), nn::ReLU(nn::ReLUOptions(true)), nn::Flatten(),
                       nn::ReLU(nn::ReLUOptions(true)), nn::Linear(2, 1)};
    std::string order;
    explicit Activated(bool hooked) {
        double v = 0.5;
        for (Tensor& w : net->parameters()) {
            NoGradGuard guard;
            w.fill_(v);
            v = -v * 0.75;
        }
        if (!hooked) return;
        for (const auto& child : net->named_children())
            child.value()->register_full_backward_hook(
                [this, name = child.key()](Module&, const variable_list&, const variable_list&) { order += name; });
        net->register_full_backward_hook([this](Module&, const variable_list&, const variable_list&) { order += "*"; });
    }
};
} // namespace

BOOST_AUTO_TEST_CASE(B_47_a_sequence_with_activations_in_place_gives_the_same_gradients) {
    Activated plain(false), hooked(true);
    const Tensor x = full({3, 2}, 2.0).requires_grad_(), y = full({3, 2}, 2.0).requires_grad_();
    plain.net(x).sum().backward();
    hooked.net(y).sum().backward();
    BOOST_TEST(hooked.order == "43210*");
    BOOST_TEST(allclose(x.grad(), y.grad()));
    for (std::size_t i = 0; i < 4; ++i)
        BOOST_TEST(allclose(plain.net->parameters()[i].grad(), hooked.net->parameters()[i].grad()));
    BOOST_TEST(number(x.grad().abs().sum()) > 0);
}

BOOST_AUTO_TEST_CASE(B_33_in_place_work_on_the_result) {
    Scale m;
    double seen = 0;
    m->register_full_backward_hook(
        [&](Module&, const variable_list&, const variable_list& go) { seen = number(go[0]); });
    const Tensor x = leaf(2);
    Tensor y = m(x);
    y.add_(1).mul_(2);
    BOOST_TEST(number(y) == 14);
    y.backward();
    BOOST_TEST(seen == 2); // of what the module returned, before it was changed
    BOOST_TEST(number(x.grad()) == 6);
}

BOOST_AUTO_TEST_CASE(B_35_in_place_work_inside_shows_in_the_callers_tensor) {
    const auto m = hooked([](const Args& a, const Kwargs&) { return Value(Tensor(a[0].toTensor()).mul_(2)); });
    const Tensor leaf_x = leaf(3);
    Tensor x = grown(leaf_x);
    const Tensor y = m->call_values({Value(x)}).toTensor();
    BOOST_TEST(number(x) == 6);
    (x * y).backward(); // x and y are both 2 leaf: d(4 leaf^2) = 8 leaf
    BOOST_TEST(number(leaf_x.grad()) == 24);
}

BOOST_AUTO_TEST_CASE(in_place_work_on_views_reaches_their_base) {
    const auto twice = hooked([](const Args& a, const Kwargs&) { return Value(Tensor(a[0].toTensor()).mul_(2)); });
    const Tensor x = full({2}, 3.0).requires_grad_();
    const Tensor base = x * 1;
    twice->call_values({Value(base[0])}); // as if base[0].mul_(2)
    base.sum().backward();
    BOOST_TEST(number(x.grad()[0]) == 2);
    BOOST_TEST(number(x.grad()[1]) == 1);
    // and of views that a module returned
    const auto part = hooked([](const Args& a, const Kwargs&) { return Value(a[0].toTensor()[1]); });
    const Tensor z = full({2}, 3.0).requires_grad_(), other = z * 1;
    Tensor y = part->call_values({Value(other)}).toTensor();
    y.mul_(5);
    (other.sum() + y).backward();
    BOOST_TEST(number(z.grad()[0]) == 1);
    BOOST_TEST(number(z.grad()[1]) == 10);
    // and of arguments that it returned as they are
    const Tensor w = leaf(3), same = w * 1;
    Tensor out = hooked(identity)->call_values({Value(same)}).toTensor();
    out.mul_(5);
    (same + out).backward();
    BOOST_TEST(number(w.grad()) == 10);
}

BOOST_AUTO_TEST_CASE(leaves_are_refused_as_without_hooks) {
    const auto twice = hooked([](const Args& a, const Kwargs&) { return Value(Tensor(a[0].toTensor()).mul_(2)); });
    const Tensor x = leaf(2), v = full({2}, 3.0).requires_grad_();
    BOOST_TEST(has(message_of([&] { twice->call_values({Value(x)}); }), {"mul_", "a leaf that requires grad"}));
    BOOST_TEST(number(x) == 2);
    BOOST_TEST(has(message_of([&] { twice->call_values({Value(v[0])}); }), {"mul_", "a view of a leaf"}));
    Tensor y = hooked(identity)->call_values({Value(x)}).toTensor();
    BOOST_TEST(has(message_of([&] { y.add_(1); }), {"add_", "a leaf that requires grad"}));
    NoGradGuard guard;
    y.add_(1); // allowed, as on the leaf itself
    BOOST_TEST(number(x) == 3);
}

BOOST_AUTO_TEST_SUITE_END()
