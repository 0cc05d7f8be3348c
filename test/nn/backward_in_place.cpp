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

BOOST_AUTO_TEST_SUITE_END()
