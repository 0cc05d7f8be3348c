// Batch and instance normalisation: moments, running averages, evaluation, state.
#include <reel/nn/modules/batch_norm.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn.hpp>

using namespace reel;
using autograd::variable_list;

namespace {
Tensor leaf(IntArrayRef size) { return (rand(size).to(kDouble) + 0.1).detach().requires_grad_(); }
double largest(const Tensor& t) { return t.abs().max().item<double>(); }
} // namespace

BOOST_AUTO_TEST_SUITE(batch_norm)

BOOST_AUTO_TEST_CASE(training_normalises_and_moves_the_running_moments) {
    nn::BatchNorm2d m(3);
    const Tensor x = randn({4, 3, 5, 5}) * 3 + 2, y = m(x);
    BOOST_TEST(largest(y.mean({0, 2, 3})) < 1e-5);
    BOOST_TEST(largest(y.var({0, 2, 3}, false) - 1) < 1e-3);
    BOOST_TEST(largest(m->running_mean - x.mean({0, 2, 3}) * 0.1) < 1e-5);
    BOOST_TEST(largest(m->running_var - (x.var({0, 2, 3}, true) * 0.1 + 0.9)) < 1e-4);
    BOOST_TEST(m->num_batches_tracked.item<std::int64_t>() == 1);
}
BOOST_AUTO_TEST_CASE(evaluation_uses_the_running_moments_and_leaves_them) {
    nn::BatchNorm1d m(2);
    m->running_mean.fill_(1);
    m->running_var.fill_(4);
    m->eval();
    const Tensor y = m(full({3, 2}, 5.0));
    BOOST_TEST(largest(y - 2) < 1e-4);
    BOOST_TEST(m->num_batches_tracked.item<std::int64_t>() == 0);
    BOOST_TEST(largest(m->running_mean - 1) == 0);
}
BOOST_AUTO_TEST_CASE(a_refused_input_moves_no_moments) {
    nn::BatchNorm1d m(2);
    m->to(kDouble);
    BOOST_CHECK_THROW(m->forward(rand({3, 2})), Error); // float32 against float64
    BOOST_TEST(largest(m->running_mean) == 0);
}
BOOST_AUTO_TEST_CASE(none_has_no_dimensions) {
    nn::BatchNorm1d m(2);
    BOOST_CHECK_THROW(m->forward(Tensor()), AttributeError); // as None in Python
}

BOOST_AUTO_TEST_CASE(no_momentum_means_plain_averages) {
    nn::BatchNorm1d m(nn::BatchNormOptions(1).momentum(std::nullopt));
    const Tensor a = rand({8, 1}), b = rand({8, 1});
    m(a);
    m(b);
    BOOST_TEST(m->running_mean.item<double>() == (a.mean().item<double>() + b.mean().item<double>()) / 2,
               boost::test_tools::tolerance(1e-5));
}
BOOST_AUTO_TEST_CASE(gradients_of_first_and_second_order) {
    for (const bool training : {true, false}) {
        const Tensor mean = rand({2}).to(kDouble), var = rand({2}).to(kDouble) + 0.5;
        const auto f = [&](const variable_list& v) {
            return functional_batch_norm(v[0], mean.clone(), var.clone(), v[1], v[2], training, 0.1, 1e-3);
        };
        const variable_list in{leaf({3, 2, 4}), leaf({2}), leaf({2})};
        BOOST_TEST(autograd::gradcheck(f, in));
        BOOST_TEST(autograd::gradgradcheck(f, in));
    }
}
BOOST_AUTO_TEST_CASE(the_recorded_backward_equals_the_fused_one) {
    const Tensor x = leaf({4, 3, 6}), w = leaf({3}), b = leaf({3}), g = leaf({4, 3, 6}).detach();
    const Tensor y = functional_batch_norm(x, {}, {}, w, b, true);
    const auto fused = autograd::grad({y}, {x, w, b}, {g}, true, false),
               recorded = autograd::grad({y}, {x, w, b}, {g}, true, true);
    for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(largest(fused[i] - recorded[i]) < 1e-12);
}
BOOST_AUTO_TEST_CASE(one_value_per_channel_cannot_be_normalised) {
    nn::BatchNorm1d m(2);
    BOOST_CHECK_THROW(m(rand({1, 2})), ValueError);
    m->eval();
    BOOST_CHECK_NO_THROW(m(rand({1, 2})));
    BOOST_CHECK_THROW(nn::BatchNorm2d(2)(rand({3, 2})), ValueError);
}
BOOST_AUTO_TEST_CASE(
    frozen_and_in_evaluation_nothing_moves) { // fine-tuning: M-13 leaves the buffers alone, eval stops them
    nn::BatchNorm2d m(2);
    m->requires_grad_(false);
    m->eval();
    const Tensor x = rand({2, 2, 3, 3}).requires_grad_();
    m(x).sum().backward();
    BOOST_TEST(!m->weight.grad().defined());
    BOOST_TEST(x.grad().defined());
    BOOST_TEST(largest(m->running_mean) == 0);
}
BOOST_AUTO_TEST_CASE(state_of_version_one_lacks_the_count) { // M-40
    nn::BatchNorm1d m(2), n(2);
    m(rand({4, 2}));
    nn::StateDict state = m->state_dict();
    nn::StateDict old;
    for (const auto& item : state)
        if (item.key() != "num_batches_tracked") old.insert(item.key(), item.value());
    BOOST_CHECK_NO_THROW(n->load_state_dict(old));
    BOOST_TEST(n->num_batches_tracked.item<std::int64_t>() == 0);
    BOOST_TEST(largest(n->running_mean - m->running_mean) == 0);
}
BOOST_AUTO_TEST_CASE(instance_norm_normalises_every_example) {
    nn::InstanceNorm1d m(3);
    const Tensor y = m(randn({2, 3, 50}) * 4 + 1);
    BOOST_TEST(largest(y.mean({2})) < 1e-5);
    BOOST_TEST(m->parameters().empty());
    const auto f = [](const variable_list& v) {
        return instance_norm(v[0], v[1], v[2], {}, {}, true, 0.1, 1e-3, true);
    };
    const variable_list in{leaf({2, 3, 4}), leaf({3}), leaf({3})};
    BOOST_TEST(autograd::gradcheck(f, in));
    BOOST_TEST(autograd::gradgradcheck(f, in));
}
BOOST_AUTO_TEST_CASE(printing) { // M-29
    BOOST_TEST(nn::BatchNorm2d(4)->repr() ==
               "BatchNorm2d(4, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)");
    BOOST_TEST(nn::BatchNorm1d(nn::BatchNormOptions(4).momentum(std::nullopt).affine(false))->repr() ==
               "BatchNorm1d(4, eps=1e-05, momentum=None, affine=False, bias=False, track_running_stats=True)");
}

BOOST_AUTO_TEST_SUITE_END()
