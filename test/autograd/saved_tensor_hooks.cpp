// Pack and unpack hooks for saved tensors (rules E-53 to E-56, E-80, E-81).
#include <reel/autograd/saved_tensor_hooks.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>

#include <reel/autograd/memory.hpp>

#include "tape_helpers.hpp"

using namespace tape_test;
using autograd::SavedTensorsHooksGuard;

namespace {
Value keep(const Tensor& t) { return Value(t.clone()); }
Tensor give_back(const Value& v) { return v.toTensor(); }
} // namespace

BOOST_AUTO_TEST_SUITE(saved_tensor_hooks)

BOOST_AUTO_TEST_CASE(E53_E81_pack_once_per_slot_unpack_at_every_use) {
    const Tensor x = leaf({3});
    int packs = 0, unpacks = 0;
    Tensor y;
    {
        const SavedTensorsHooksGuard guard(
            [&](const Tensor& t) {
                BOOST_TEST(!GradMode::is_enabled());
                ++packs;
                return keep(t);
            },
            [&](const Value& v) {
                ++unpacks;
                return give_back(v);
            });
        y = x * x;
        (void)(x + 1.0); // saves nothing
        (void)(x * 2.0); // a number's partner is not saved
    }
    (void)(x * x); // outside of the scope
    BOOST_TEST(packs == 2);
    BOOST_TEST(unpacks == 0);
    y.backward({}, true);
    y.backward();
    BOOST_TEST(unpacks == 4);
    BOOST_TEST(item(x.grad()) == 12);
}

BOOST_AUTO_TEST_CASE(E53_the_inner_pair_replaces_the_outer) {
    const Tensor x = leaf({3});
    int outer = 0, inner = 0;
    const SavedTensorsHooksGuard a([&](const Tensor& t) { return ++outer, keep(t); }, give_back);
    {
        const SavedTensorsHooksGuard b([&](const Tensor& t) { return ++inner, keep(t); }, give_back);
        (void)exp(x);
    }
    (void)exp(x);
    BOOST_TEST(outer == 1);
    BOOST_TEST(inner == 1);
}

BOOST_AUTO_TEST_CASE(E40_an_output_that_is_handed_back_does_not_hold_its_node) {
    const Tensor x = leaf({3});
    const auto forward = [&] {
        const SavedTensorsHooksGuard guard([](const Tensor& t) { return Value(t); }, give_back);
        return exp(x);
    };
    forward().backward();
    BOOST_TEST(item(x.grad()) == std::exp(3.0), boost::test_tools::tolerance(1e-12));
    const std::size_t before = memory_stats().allocated_bytes;
    for (int i = 0; i < 10; ++i) forward(); // without a backward that would let go of what is saved
    BOOST_TEST(memory_stats().allocated_bytes == before);
}

BOOST_AUTO_TEST_CASE(E54_no_version_check) {
    const Tensor x = leaf({3}), a = x * 1.0;
    Tensor y;
    {
        const SavedTensorsHooksGuard guard(keep, give_back);
        y = a * a;
    }
    a.add_(10.0);
    BOOST_CHECK_NO_THROW(y.backward());
    BOOST_TEST(item(x.grad()) == 6);
}

BOOST_AUTO_TEST_CASE(E55_errors) {
    const Tensor x = leaf({3});
    {
        const SavedTensorsHooksGuard guard(
            [](const Tensor& t) {
                t.add_(1.0);
                return Value(t);
            },
            give_back);
        BOOST_CHECK_EXCEPTION(x.exp(), Error, says("modified its argument in place"));
    }
    Tensor y;
    {
        const SavedTensorsHooksGuard guard(keep, [](const Value&) { return Tensor(); });
        y = x.exp();
    }
    BOOST_CHECK_THROW(y.backward(), TypeError);
    {
        const SavedTensorsHooksGuard guard([](const Tensor&) -> Value { throw std::out_of_range("mine"); }, give_back);
        BOOST_CHECK_THROW(x.exp(), std::out_of_range);
    }
}

BOOST_AUTO_TEST_CASE(E55_double_backward_through_unpacked_tensors) {
    const Tensor x = leaf({3});
    const SavedTensorsHooksGuard guard(keep, give_back);
    const Tensor y = x * x * x;
    const Tensor g = autograd::grad({y}, {x}, {}, true, true)[0];
    BOOST_TEST(item(g) == 27);
    BOOST_TEST(item(autograd::grad({g}, {x})[0]) == 18);
}
BOOST_AUTO_TEST_CASE(E53_a_power_and_its_derivative_save_their_operands_alone) {
    const auto doubled = [](const Tensor& t) { return Value(2 * t); };
    // of a^3 only a is kept; of g 3 a^2 both g and a
    for (const auto& [forward, backward, factor] : {std::tuple(true, false, 2), {false, true, 4}, {true, true, 8}}) {
        const Tensor a = leaf({1, 2});
        auto guard = std::make_unique<SavedTensorsHooksGuard>(doubled, give_back);
        if (!forward) guard.reset();
        const Tensor s = a.pow(3).sum();
        guard.reset();
        if (backward) guard = std::make_unique<SavedTensorsHooksGuard>(doubled, give_back);
        autograd::grad({s}, {a}, {}, true, true)[0].sum().backward();
        BOOST_TEST(a.grad().allclose(6 * factor * a.detach()));
    }
}
BOOST_AUTO_TEST_CASE(E40_nor_does_one_inside_of_what_is_handed_back) {
    const Tensor x = leaf({3});
    const auto forward = [&] {
        const SavedTensorsHooksGuard guard(
            [](const Tensor& t) {
                ValueDict named;
                named.set(Value("kept"), Value::list({Value(t)}));
                return Value::tuple({Value(1), Value(std::move(named))});
            },
            [](const Value& v) {
                const Tensor t = v.elements()[1].toGenericDict().at("kept").elements()[0].toTensor();
                BOOST_TEST(t.requires_grad()); // it has its history again
                return t;
            });
        return exp(x);
    };
    forward().backward();
    BOOST_TEST(item(x.grad()) == std::exp(3.0), boost::test_tools::tolerance(1e-12));
    const std::size_t before = memory_stats().allocated_bytes;
    for (int i = 0; i < 10; ++i) forward();
    BOOST_TEST(memory_stats().allocated_bytes == before);
}

BOOST_AUTO_TEST_CASE(E80_disabled_hooks_and_versions_by_hand) {
    {
        const autograd::DisableSavedTensorsHooksGuard off("not here");
        BOOST_CHECK_EXCEPTION(SavedTensorsHooksGuard(keep, give_back), Error, says("not here"));
    }
    {
        const SavedTensorsHooksGuard on(keep, give_back);
        BOOST_CHECK_EXCEPTION(autograd::DisableSavedTensorsHooksGuard("nor here"), Error, says("nor here"));
    }
    const Tensor x = leaf({3}), a = x * 1.0, y = a * a;
    autograd::increment_version(a);
    BOOST_CHECK_THROW(y.backward(), Error); // E-39
}

BOOST_AUTO_TEST_SUITE_END()
