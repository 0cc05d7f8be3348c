// What ops declare of their backward.
#include <reel/autograd/work.hpp>

#include <reel/autograd/record.hpp>

#include "shape_helpers.hpp"

using namespace shape_test;
using autograd::Work;

namespace {
Work of(const Tensor& made) { return made.grad_fn()->work(); }
} // namespace

BOOST_AUTO_TEST_SUITE(work)

BOOST_AUTO_TEST_CASE(nodes_say_what_their_backward_spends) {
    const Tensor x = leaf({3, 4}), w = leaf({5, 4}), image = leaf({1, 2, 5, 5}), filters = leaf({2, 2, 3, 3});
    BOOST_TEST((of(x.exp()) == Work::kElements));
    BOOST_TEST((of(x.sum()) == Work::kElements));
    BOOST_TEST((of(mm(x, w.detach().t())) == Work::kProduct));
    BOOST_TEST((of(bmm(x.unsqueeze(0), w.detach().t().unsqueeze(0))) == Work::kProduct));
    BOOST_TEST((of(linear(x, w)) == Work::kLinear));
    BOOST_TEST((of(conv2d(image, filters)) == Work::kConvolution));
    BOOST_TEST((of(conv_transpose2d(image, filters)) == Work::kConvolutionTranspose));
    for (const Tensor& moved : {x.view({12}), x.t(), x.permute({1, 0}), x.unsqueeze(0), x[0], x.slice(0, 1), x.clone(),
                                cat({x, x}), stack({x, x}), x.unbind()[1], x.unfold(0, 2, 1), x.expand({1, 3, 4})[0]})
        BOOST_TEST((of(moved) == Work::kMoves), moved.grad_fn()->name());
}

BOOST_AUTO_TEST_CASE(recurrent_layers_tell_their_cells) {
    const Tensor x = leaf({2, 3}), h = leaf({2, 4});
    const auto weights = [](std::int64_t gates) { return std::pair(leaf({gates * 4, 3}), leaf({gates * 4, 4})); };
    const auto [li, lh] = weights(4);
    BOOST_TEST((of(std::get<0>(lstm_cell(x, {h, leaf({2, 4})}, li, lh))) == Work::kLstm));
    const auto [gi, gh] = weights(3);
    BOOST_TEST((of(gru_cell(x, h, gi, gh)) == Work::kGru));
    const auto [ri, rh] = weights(1);
    BOOST_TEST((of(rnn_tanh_cell(x, h, ri, rh)) == Work::kRnn));
}

BOOST_AUTO_TEST_CASE(users_ops_declare_theirs) {
    const Tensor x = leaf({3}), out = x.detach() * 2, moved = x.detach();
    const auto twice = [](autograd::RuleContext& c) -> autograd::GradList { return {c.grad() * 2}; };
    autograd::record("my_double", {x}, out, {}, twice);
    autograd::record({"my_move", Work::kMoves}, {x}, moved, {}, twice);
    BOOST_TEST((of(out) == Work::kElements));
    BOOST_TEST((of(moved) == Work::kMoves));
    BOOST_TEST(moved.grad_fn()->name() == "MyMoveBackward0");
}

BOOST_AUTO_TEST_SUITE_END()
