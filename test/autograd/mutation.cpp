// Scopes around saving: refusing hooks, allowing mutation, versions by hand; saved tensors with hooks of their own
// (rules E-53 to E-56, E-80, E-81).
#include "tape_helpers.hpp"

#include <thread>

#include <reel/autograd/checkpoint.hpp>
#include <reel/autograd/saved_tensor_hooks.hpp>
#include <reel/autograd/saved_variable.hpp>

using namespace tape_test;
using autograd::AllowMutationOnSavedTensorsGuard;
using autograd::SavedTensorsHooksGuard;
using autograd::SavedVariable;

namespace {
Value keep(const Tensor& t) { return Value(t.clone()); }
Value share(const Tensor& t) { return Value(t.detach()); }
Tensor give_back(const Value& v) { return v.toTensor(); }
} // namespace

BOOST_AUTO_TEST_SUITE(mutation)

BOOST_AUTO_TEST_CASE(E80_hooks_refused_with_a_message) { // E-80
    {
        const autograd::DisableSavedTensorsHooksGuard off("not in here");
        BOOST_CHECK_EXCEPTION(SavedTensorsHooksGuard(keep, give_back), Error, says("not in here"));
        BOOST_CHECK_EXCEPTION(AllowMutationOnSavedTensorsGuard(), Error, says("not in here"));
        {
            const autograd::DisableSavedTensorsHooksGuard inner("nor here");
            BOOST_CHECK_EXCEPTION(SavedTensorsHooksGuard(keep, give_back), Error, says("nor here"));
        }
        BOOST_CHECK_EXCEPTION(SavedTensorsHooksGuard(keep, give_back), Error, says("not in here"));
    }
    const SavedTensorsHooksGuard on(keep, give_back);
    BOOST_CHECK_EXCEPTION(autograd::DisableSavedTensorsHooksGuard("too late"), Error, says("too late"));
}

BOOST_AUTO_TEST_CASE(E80_saved_tensors_may_change) { // E-80
    const Tensor x = leaf({3}), w = leaf({5});
    const AllowMutationOnSavedTensorsGuard guard;
    const Tensor a = x * 1.0, y = a * a;
    a.mul_(10.0); // the square needs the old value
    const Tensor z = a * w;
    a.zero_();
    a.view({1, 1}).add_(7.0); // through a view too
    (y + z).backward();
    BOOST_TEST(item(x.grad()) == 2 * 3 + 10 * 5);
    BOOST_TEST(item(w.grad()) == 30);
    BOOST_TEST(item(a) == 7);
    // A leaf under no-grad, as an optimizer modifies it.
    const Tensor p = leaf({2}), q = p * p;
    {
        NoGradGuard off;
        p.add_(100.0);
    }
    q.backward();
    BOOST_TEST(item(p.grad()) == 4);
}

BOOST_AUTO_TEST_CASE(E80_only_what_is_overwritten_is_copied) { // E-80
    const Tensor x = leaf({3});
    const AllowMutationOnSavedTensorsGuard guard;
    const Tensor a = x * 1.0;
    const auto storage_users = a.storage()->use_count();
    const Tensor y = a * a;
    BOOST_TEST(a.storage()->use_count() == storage_users + 2); // two savings share the memory
    a.add_(1.0);
    BOOST_TEST(a.storage()->use_count() == storage_users);
    y.backward();
    BOOST_TEST(item(x.grad()) == 6);
}

BOOST_AUTO_TEST_CASE(E80_backward_belongs_inside_and_scopes_do_not_nest) { // E-80
    const Tensor x = leaf({3});
    Tensor y;
    {
        const AllowMutationOnSavedTensorsGuard guard;
        y = x * x;
        BOOST_CHECK_EXCEPTION(AllowMutationOnSavedTensorsGuard(), Error, says("do not nest"));
        BOOST_CHECK_NO_THROW(x * x); // the outer scope is whole
    }
    BOOST_CHECK_EXCEPTION(y.backward(), Error, says("after that scope was left", "inside of it"));
    const AllowMutationOnSavedTensorsGuard another;
    BOOST_CHECK_THROW(y.backward(), Error); // another scope is not the same
}

BOOST_AUTO_TEST_CASE(E80_a_version_bumped_by_hand) { // E-80
    const Tensor x = leaf({3}), a = x * 1.0, y = a * a;
    autograd::increment_version(a);
    BOOST_TEST(a._version() == 1);
    BOOST_CHECK_EXCEPTION(y.backward(), Error, says("is at version 1; expected version 0")); // E-39
}

BOOST_AUTO_TEST_CASE(E53_pack_runs_when_saving_unpack_at_every_use, *boost::unit_test::label("threads")) { // E-53
    const Tensor x = leaf({3});
    std::string log;
    Tensor y;
    {
        const SavedTensorsHooksGuard guard(
            [&](const Tensor& t) {
                log += GradMode::is_enabled() ? 'P' : 'p';
                return keep(t);
            },
            [&](const Value& v) {
                log += GradMode::is_enabled() ? 'U' : 'u';
                return give_back(v);
            });
        y = exp(x);
        bool other = false;
        std::thread([&] { // thread-local
            (void)exp(leaf({1}));
            other = true;
        })
            .join();
        BOOST_TEST(other);
    }
    BOOST_TEST(log == "p");
    autograd::grad({y}, {x}, {}, true); // grad mode as in backward
    autograd::grad({y}, {x}, {}, true, true);
    BOOST_TEST(log == "puU");
}

BOOST_AUTO_TEST_CASE(E54_E55_trusted_values_and_a_kept_identity) { // E-54, E-55
    const Tensor x = leaf({3});
    Tensor y;
    {
        const SavedTensorsHooksGuard guard([](const Tensor&) { return Value(); },
                                           [](const Value&) { return vec({100}); });
        y = x * x;
    }
    y.backward();
    BOOST_TEST(item(x.grad()) == 200); // whatever unpack says
    const Tensor a = leaf({3});
    const SavedTensorsHooksGuard guard(keep, give_back);
    const Tensor z = a * a * a, g = autograd::grad({z}, {a}, {}, true, true)[0];
    BOOST_TEST(item(autograd::grad({g}, {a})[0]) == 18);
    const SavedTensorsHooksGuard failing(keep, [](const Value&) -> Tensor { throw std::out_of_range("mine"); });
    BOOST_CHECK_THROW(exp(a).backward(), std::out_of_range); // reaches the caller
}

BOOST_AUTO_TEST_CASE(E54_an_operand_overwritten_by_its_own_op) { // E-54
    // The pack hook keeps an alias; the in-place op that saved it must not write there.
    const Tensor x = leaf({3}), w = leaf({5});
    const SavedTensorsHooksGuard guard(share, give_back);
    const Tensor a = x * 1.0;
    a.mul_(w);
    a.backward();
    BOOST_TEST(item(w.grad()) == 3);
    BOOST_TEST(item(x.grad()) == 5);
}

BOOST_AUTO_TEST_CASE(E56_hooks_of_one_saved_tensor) { // E-56
    const Tensor x = leaf({3});
    SavedVariable saved(x, false);
    int packs = 0, unpacks = 0;
    saved.register_hooks([&](const Tensor& t) { return ++packs, keep(t); },
                         [&](const Value& v) { return ++unpacks, give_back(v); });
    BOOST_TEST(packs == 1);
    BOOST_TEST(item(saved.unpack(nullptr)) == 3);
    BOOST_TEST(item(saved.unpack(nullptr)) == 3); // E-81: again at every reading
    BOOST_TEST(unpacks == 2);
    BOOST_CHECK_EXCEPTION(saved.register_hooks(keep, give_back), Error, says("already has hooks"));
    saved.reset_data();
    BOOST_CHECK_EXCEPTION(saved.register_hooks(keep, give_back), Error, says("released"));
    SavedVariable absent(Tensor(), false);
    BOOST_CHECK_EXCEPTION(absent.register_hooks(keep, give_back), Error, says("nothing was saved"));
    const SavedTensorsHooksGuard guard(keep, give_back);
    SavedVariable scoped(x, false);
    BOOST_CHECK_EXCEPTION(scoped.register_hooks(keep, give_back), Error, says("already has hooks"));
}

BOOST_AUTO_TEST_CASE(E81_once_per_slot_and_only_where_needed) { // E-81
    const Tensor x = leaf({3}), plain = vec({2});
    int packs = 0;
    const SavedTensorsHooksGuard guard([&](const Tensor& t) { return ++packs, keep(t); }, give_back);
    (void)(x * x);
    BOOST_TEST(packs == 2);
    (void)(x * plain); // x's own value is not needed
    BOOST_TEST(packs == 3);
    (void)(x + plain);
    (void)(plain * plain);
    {
        NoGradGuard off;
        (void)(x * x);
    }
    BOOST_TEST(packs == 3);
}

BOOST_AUTO_TEST_SUITE_END()
