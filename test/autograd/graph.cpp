// Saved tensors of a node from outside, and keeping them in the CPU's memory.
#include <reel/autograd/graph.hpp>

#include "tape_helpers.hpp"

#include <reel/autograd/function.hpp>

using namespace tape_test;
namespace graph = autograd::graph;

namespace {
struct Square : autograd::Function<Square> {
    static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x) {
        ctx->save_for_backward({x});
        return x * x;
    }
    static variable_list backward(autograd::AutogradContext* ctx, variable_list grads) {
        return {2 * ctx->get_saved_variables()[0] * grads[0]};
    }
};
Value same(const Tensor& t) { return Value(t); }
} // namespace

BOOST_AUTO_TEST_SUITE(graph_)

BOOST_AUTO_TEST_CASE(what_a_node_saved_is_read_with_its_place_on_the_tape) {
    const Tensor x = leaf({2, 3}), w = leaf({5, 7});
    const Tensor y = x * w;
    const auto saved = graph::saved_tensors(y);
    BOOST_REQUIRE(saved.size() == 2u);
    BOOST_TEST(list(saved[0].unpack()) == (V{2, 3}), boost::test_tools::per_element());
    BOOST_TEST(list(saved[1].unpack()) == (V{5, 7}), boost::test_tools::per_element());
    const Tensor e = exp(x * 1.0);
    BOOST_CHECK(graph::saved_tensors(e)[0].unpack().grad_fn() == e.grad_fn()); // its own output
    y.sum().backward();
    BOOST_CHECK_EXCEPTION(saved[0].unpack(), Error, says("a second time", "MulBackward0"));
    for (const auto& none : graph::saved_tensors(x + 1.0)) BOOST_TEST(!none.unpack().defined());
    BOOST_TEST(graph::saved_tensors(x).empty());
}

BOOST_AUTO_TEST_CASE(hooks_of_one_saved_tensor) {
    const Tensor x = leaf({2, 3});
    const Tensor y = x * x;
    const auto saved = graph::saved_tensors(y);
    int packs = 0, unpacks = 0;
    saved[0].register_hooks([&](const Tensor& t) { return ++packs, Value(t * 10); },
                            [&](const Value& v) { return ++unpacks, v.toTensor() * 2; });
    BOOST_TEST(packs == 1);
    BOOST_TEST(list(saved[0].unpack()) == (V{40, 60}), boost::test_tools::per_element());
    BOOST_TEST(unpacks == 1);
    BOOST_CHECK_EXCEPTION(saved[0].register_hooks(same, [](const Value& v) { return v.toTensor(); }), Error,
                          says("already has hooks"));
    y.sum().backward();
    BOOST_TEST(unpacks == 2);
    BOOST_TEST(list(x.grad()) == (V{42, 63}), boost::test_tools::per_element()); // x + 20 x
    const Tensor gone = x * x;
    const auto late = graph::saved_tensors(gone);
    gone.sum().backward();
    BOOST_CHECK_EXCEPTION(late[0].register_hooks(same, [](const Value& v) { return v.toTensor(); }), Error,
                          says("already released"));
}

BOOST_AUTO_TEST_CASE(custom_functions) {
    const Tensor x = leaf({3});
    const Tensor y = Square::apply(x);
    const auto saved = graph::saved_tensors(y);
    BOOST_REQUIRE(saved.size() == 1u);
    BOOST_TEST(item(saved[0].unpack()) == 3);
    saved[0].register_hooks(same, [](const Value& v) { return v.toTensor() + 1; });
    y.backward();
    BOOST_TEST(item(x.grad()) == 8);
    BOOST_CHECK_EXCEPTION(graph::saved_tensors(y), Error, says("SquareBackward", "a second time"));
}

BOOST_AUTO_TEST_CASE(save_on_cpu_changes_nothing_else) {
    for (const bool pin : {false, true}) {
        const Tensor x = leaf({2, 3});
        Tensor y;
        {
            const graph::save_on_cpu scope(pin);
            y = (x * x * 3.0).exp().sum();
        }
        const Tensor plain = leaf({2, 3});
        (plain * plain * 3.0).exp().sum().backward();
        y.backward({}, true);
        BOOST_TEST(list(x.grad()) == list(plain.grad()), boost::test_tools::per_element());
        Tensor other;
        {
            const graph::saved_tensors_hooks scope(same, [](const Value& v) { return v.toTensor(); });
            other = x * x;
        }
        {
            const graph::disable_saved_tensors_hooks off("not here");
            BOOST_CHECK_EXCEPTION(graph::save_on_cpu(), Error, says("not here"));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
