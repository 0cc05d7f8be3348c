// When saved tensors go, and what is then refused (rules E-35 to E-37).
#include "tape_helpers.hpp"

#include <reel/autograd/saved_variable.hpp>

using namespace tape_test;

namespace {
auto second_pass() { return says("saved tensors", "a second time", "retain_graph=true"); }
} // namespace

BOOST_AUTO_TEST_SUITE(graph_lifetime)

BOOST_AUTO_TEST_CASE(E35_only_what_saved_something_cannot_run_twice) { // E-35
    const Tensor x = leaf({2});
    const Tensor plain = (x + 1.0).sum();
    plain.backward();
    BOOST_CHECK_NO_THROW(plain.backward());
    const Tensor square = x * x;
    square.backward();
    BOOST_CHECK_EXCEPTION(square.backward(), Error, second_pass());
    BOOST_CHECK_EXCEPTION(square.backward(), Error, says("MulBackward0"));
    const Tensor kept = x * x;
    kept.backward({}, true);
    kept.backward({}, true);
    kept.backward();
    BOOST_CHECK_EXCEPTION(kept.backward(), Error, second_pass());
}

BOOST_AUTO_TEST_CASE(E35_each_node_releases_right_after_it_ran) { // E-35
    const Tensor x = leaf({2});
    Tensor a = x * 1.0;
    const Storage* held = a.storage().get();
    const Tensor y = a * a, z = y * 1.0;
    a.reset();
    BOOST_TEST(held->use_count() > 0u);
    std::size_t released = 99;
    x.register_hook([&](const Tensor&) { released = y.grad_fn()->saved_tensors()[0].defined() ? 0 : 1; });
    z.backward();
    BOOST_TEST(released == 1u); // before the pass was over
}

BOOST_AUTO_TEST_CASE(E35_reading_a_released_saved_tensor) { // E-35
    autograd::SavedVariable saved(vec({1}), false);
    BOOST_TEST(item(saved.unpack(nullptr)) == 1);
    saved.reset_data();
    BOOST_TEST(saved.is_released());
    BOOST_CHECK_EXCEPTION(saved.unpack(nullptr), Error, second_pass());
}

BOOST_AUTO_TEST_CASE(E36_a_shared_part_released_by_one_loss_breaks_the_other) { // E-36
    const Tensor x = leaf({2}), shared = x * x;
    const Tensor one = shared * 2.0, two = shared * 3.0;
    one.backward();
    BOOST_CHECK_EXCEPTION(two.backward(), Error, second_pass());
    BOOST_TEST(item(x.grad()) == 8);
}

BOOST_AUTO_TEST_CASE(E37_a_failed_pass_has_released_what_ran) { // E-37
    const Tensor x = leaf({2}), a = x * 3.0, y = a * a;
    a.register_hook([](const Tensor&) { throw std::runtime_error("mine"); });
    BOOST_CHECK_THROW(y.backward(), std::runtime_error);
    BOOST_CHECK_EXCEPTION(y.backward(), Error, second_pass());
    BOOST_TEST(!x.grad().defined());
}

BOOST_AUTO_TEST_CASE(a_static_may_hold_a_graph) {
    // It goes at the very end of the program, when what the main thread has of its own is gone: seen by the address
    // sanitizer, or by how the program ends.
    static Tensor held;
    const auto chain = [] {
        Tensor y = leaf({3});
        for (int i = 0; i < 100; ++i) y = y * y + y;
        return y;
    };
    chain(); // one that goes at once
    held = chain();
    BOOST_TEST(held.requires_grad());
}

BOOST_AUTO_TEST_SUITE_END()
