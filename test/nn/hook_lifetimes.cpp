// Hooks that hold tensors of the very graph they fire in keep nothing alive once that graph was used up.
#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/autograd/memory.hpp>

using namespace reel;
using namespace reel::testing;
using autograd::variable_list;
using nn::Module;

BOOST_AUTO_TEST_SUITE(hook_lifetimes)

namespace {
// Tensors, storages and nodes all come from this allocator: its bytes count every one of them.
std::size_t live() { return memory_stats().allocated_bytes; }
/// Bytes that 1,000 steps leave behind, after ten that may fill what is kept on purpose.
template <class F> std::ptrdiff_t left_behind(F&& step) {
    for (int i = 0; i < 10; ++i) step();
    const std::size_t before = live();
    for (int i = 0; i < 1000; ++i) step();
    return std::ptrdiff_t(live()) - std::ptrdiff_t(before);
}
/// Counts its instances.
struct Counted {
    static inline int alive = 0;
    Counted() { ++alive; }
    Counted(const Counted&) { ++alive; }
    ~Counted() { --alive; }
};
} // namespace

BOOST_AUTO_TEST_CASE(hooks_over_a_retained_module) {
    Scale m;
    for (int i = 0; i < 2; ++i)
        m->register_full_backward_hook([](Module&, const variable_list&, const variable_list&) {});
    const Tensor x = leaf(2);
    BOOST_TEST(left_behind([&] { m(x).backward(); }) == 0);
}

BOOST_AUTO_TEST_CASE(hooks_that_hold_the_output_of_the_graph_they_fire_in) {
    Scale m;
    const Tensor x = leaf(2);
    BOOST_TEST(left_behind([&] {
                   const auto last = std::make_shared<Tensor>();
                   RemovableHandle full =
                       m->register_full_backward_hook([last](Module&, const variable_list&, const variable_list&) {
                           BOOST_TEST_REQUIRE(last->defined());
                       });
                   RemovableHandle pre = m->register_full_backward_pre_hook([last](Module&, const variable_list&) {});
                   *last = m(x); // output -> graph -> hooks -> output
                   last->backward();
                   full.remove();
                   pre.remove();
               }) == 0);
}

BOOST_AUTO_TEST_CASE(hooks_that_wait_for_the_parameters) {
    Scale m;
    const Tensor x = leaf(2);
    BOOST_TEST(left_behind([&] {
                   const auto last = std::make_shared<Tensor>();
                   RemovableHandle h = m->register_full_backward_hook(
                       [last](Module&, const variable_list&, const variable_list&) {}, {.after_parameter_grads = true});
                   *last = m(x);
                   last->backward();
                   h.remove();
               }) == 0);
}

BOOST_AUTO_TEST_CASE(hooks_that_hold_their_own_module) {
    // The cycle module -> hook -> module is the user's own; the graphs do not join it.
    Scale m;
    RemovableHandle h = m->register_full_backward_hook(
        [m](Module&, const variable_list&, const variable_list&) { BOOST_TEST_REQUIRE(m->w.defined()); });
    const Tensor x = leaf(2);
    BOOST_TEST(left_behind([&] { m(x).backward(); }) == 0);
    h.remove();
}

BOOST_AUTO_TEST_CASE(modules_that_live_for_one_step) {
    const Tensor x = leaf(2);
    BOOST_TEST(left_behind([&] {
                   Tensor y;
                   {
                       Scale m;
                       m->register_full_backward_hook(
                           [c = Counted()](Module&, const variable_list&, const variable_list&) {});
                       y = m(x);
                   }
                   BOOST_TEST_REQUIRE(Counted::alive > 0); // B-44: alive as long as its graph is of use
                   y.backward();
                   BOOST_TEST_REQUIRE(Counted::alive == 0); // though y still holds the nodes
               }) == 0);
}

BOOST_AUTO_TEST_CASE(hooks_that_throw) {
    Scale m;
    const Tensor x = leaf(2);
    BOOST_TEST(left_behind([&] {
                   const auto last = std::make_shared<Tensor>();
                   RemovableHandle h =
                       m->register_full_backward_hook([last](Module&, const variable_list&, const variable_list&) {
                           throw std::runtime_error("a hook's own");
                       });
                   *last = m(x);
                   BOOST_CHECK_THROW(last->backward(), std::runtime_error);
                   h.remove();
               }) == 0);
    BOOST_TEST(left_behind([&] {
                   const auto last = std::make_shared<Tensor>();
                   RemovableHandle h = m->register_full_backward_pre_hook(
                       [last](Module&, const variable_list&) { throw std::runtime_error("a hook's own"); });
                   *last = m(x);
                   BOOST_CHECK_THROW(last->backward(), std::runtime_error);
                   h.remove();
               }) == 0);
    BOOST_TEST(left_behind([&] {
                   RemovableHandle h = m->register_forward_hook(
                       [](Module&, const Tensor&, const Tensor&) { throw std::runtime_error("a hook's own"); });
                   BOOST_CHECK_THROW(m(x), std::runtime_error);
                   h.remove();
               }) == 0);
}

BOOST_AUTO_TEST_CASE(B_31_passes_with_history_that_the_full_hooks_wait_for_in_vain) {
    Scale inner;
    const Tensor x = leaf(2);
    const auto look = [](Module&, const variable_list&, const variable_list&) {};
    // The squared result makes grad_output a part of the graph that the module's own gates belong to.
    auto cut = any_module([&](const Args& a, const Kwargs&) { return Value(inner(a[0].toTensor().detach())); });
    cut->register_full_backward_hook(look);
    BOOST_TEST(left_behind([&] {
                   const Tensor y = cut->call_values({Value(x)}).toTensor();
                   (y * y).backward({}, std::nullopt, true);
                   inner->zero_grad();
               }) == 0);
    auto fails = any_module([&](const Args& a, const Kwargs&) { return Value(inner(a[0].toTensor())); });
    fails->register_full_backward_hook(look);
    inner->register_full_backward_hook([](Module&, const variable_list&, const variable_list&) -> variable_list {
        throw std::runtime_error("a hook's own");
    });
    BOOST_TEST(left_behind([&] {
                   const Tensor y = fails->call_values({Value(x)}).toTensor();
                   BOOST_CHECK_THROW(autograd::grad({y * y}, {x}, {}, std::nullopt, true), std::runtime_error);
               }) == 0);
}

BOOST_AUTO_TEST_CASE(passes_that_ask_for_the_parameters_alone) {
    Scale m;
    const Tensor x = leaf(2);
    BOOST_TEST(left_behind([&] {
                   const auto last = std::make_shared<Tensor>();
                   RemovableHandle h =
                       m->register_full_backward_hook([last](Module&, const variable_list&, const variable_list&) {});
                   *last = m(x);
                   autograd::grad({*last}, {m->w});
                   h.remove();
               }) == 0);
}

BOOST_AUTO_TEST_CASE(B_26_a_used_up_graph_fires_again_while_its_module_lives) {
    // Nothing in it was freed, as in the reference: an identity saves no tensors.
    auto m = any_module([](const Args& a, const Kwargs&) { return a[0]; });
    int fired = 0;
    m->register_full_backward_hook([&](Module&, const variable_list&, const variable_list&) { ++fired; });
    const Tensor x = leaf(2), y = m->call_values({Value(x)}).toTensor();
    y.backward();
    y.backward();
    BOOST_TEST(fired == 2);
    m.reset();
    y.backward();
    BOOST_TEST(fired == 2);
    BOOST_TEST(number(x.grad()) == 3);
}

BOOST_AUTO_TEST_SUITE_END()
