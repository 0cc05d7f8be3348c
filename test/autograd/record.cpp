#include <reel/autograd/record.hpp>

#include <reel/autograd/memory.hpp>

#include "tape_helpers.hpp"

using namespace tape_test;

BOOST_AUTO_TEST_SUITE(recording)

namespace {
/// sum of i * x[i] over ten operands, recorded by hand.
Tensor weighted_sum(const std::vector<Tensor>& x) {
    Tensor out;
    {
        const NoGradGuard guard;
        out = zeros_like(x[0]);
        for (std::size_t i = 0; i < 10; ++i) out.add_(x[i] * double(i));
    }
    autograd::record("weighted_sum", {x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9]}, out,
                     {x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9]},
                     [](autograd::RuleContext& c) -> autograd::GradList {
                         BOOST_TEST(c.num_saved() == 10u);
                         autograd::GradList grads;
                         for (std::size_t i = 0; i < 10; ++i) {
                             BOOST_TEST(c.saved(i).item<double>() == 100.0 + double(i));
                             grads.push_back(c.needs(i) ? c.grad() * double(i) : Tensor());
                         }
                         return grads;
                     });
    return out;
}
} // namespace

/// As many operands and saved tensors as a list has: there is no number that `record` stops at.
BOOST_AUTO_TEST_CASE(ten_operands_have_their_own_gradients) {
    std::vector<Tensor> x;
    for (int i = 0; i < 10; ++i) x.push_back(tensor({100.0 + i}, kDouble).requires_grad_(i != 4));
    const Tensor y = weighted_sum(x);
    BOOST_TEST(y.item<double>() == 45 * 100.0 + 285);
    y.backward();
    for (int i = 0; i < 10; ++i)
        if (i == 4) BOOST_TEST(!x[4].grad().defined());
        else BOOST_TEST(x[std::size_t(i)].grad().item<double>() == double(i));
}

/// Outputs of more dimensions than lie inside a node, and more outputs than one.
BOOST_AUTO_TEST_CASE(a_node_knows_the_shapes_of_all_its_outputs) {
    for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 9, 33}) {
        const Tensor x = rand({n, 1, 2, 3, 1, 2, 1}, kDouble).requires_grad_();
        const auto parts = x.unbind();
        const autograd::NodePtr node = parts[0].grad_fn();
        BOOST_REQUIRE(node->num_inputs() == std::size_t(n));
        for (std::size_t i = 0; i < std::size_t(n); ++i) {
            const autograd::InputMetadata copy = node->input_metadata(i);
            BOOST_TEST(IntArrayRef(copy.sizes).vec() == (std::vector<std::int64_t>{1, 2, 3, 1, 2, 1}),
                       boost::test_tools::per_element());
            BOOST_TEST(copy.zeros().dim() == 6);
        }
        (parts.back() * 3.0).sum().backward();
        BOOST_TEST(x.grad().sum().item<double>() == 3.0 * 12);
        BOOST_TEST(x.grad()[-1].sum().item<double>() == 3.0 * 12);
    }
    const Tensor scalar = tensor(2.0).requires_grad_();
    BOOST_TEST((scalar * 2.0).grad_fn()->input_metadata(0).sizes.size() == 0u);
}

/// The graph is what fills memory between forward and backward: no allocation beside the node's own.
BOOST_AUTO_TEST_CASE(a_node_of_one_input_is_one_block_of_192_bytes) {
    const Tensor x = rand({8}).requires_grad_();
    Tensor kept = x * 2.0;
    const auto bytes = [&] {
        const std::size_t before = memory_stats().allocated_bytes;
        kept = kept * 2.0; // the product takes the place of what it was made from
        return memory_stats().allocated_bytes - before;
    };
    bytes();
    for (int i = 0; i < 100; ++i) BOOST_TEST(bytes() <= 192u);
}

BOOST_AUTO_TEST_SUITE_END()
