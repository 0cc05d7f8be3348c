// One module used by several threads at once: calls, hooks and backward passes (E-34, E-76), with its state read
// meanwhile.
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/hooks.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/saved_tensor_hooks.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn/modules/activation.hpp>
#include <reel/nn/modules/dropout.hpp>
#include <reel/nn/modules/linear.hpp>
#include <reel/nn/modules/normalization.hpp>
#include <reel/nn/modules/rnn.hpp>
#include <reel/nn/modules/sequential.hpp>

#include "nn/testing.hpp"

using namespace reel;
using autograd::variable_list;
using nn::Module;

namespace {

constexpr int threads = 4, rounds = 25;

/// Runs `work(thread)` in all threads; the number of those that threw.
int in_threads(const std::function<void(int)>& work) {
    std::atomic<int> failed{0};
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
        all.emplace_back([&, t] {
            try {
                work(t);
            } catch (...) {
                ++failed;
            }
        });
    for (std::thread& t : all) t.join();
    return failed;
}
nn::Sequential network() {
    nn::Sequential net(nn::Linear(6, 8), nn::LayerNorm(nn::LayerNormOptions({8})), nn::ReLU(), nn::Linear(8, 3));
    net->to(kDouble);
    return net;
}

} // namespace

BOOST_AUTO_TEST_SUITE(threads_over_modules, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(C_3_E_34_hooked_calls_and_their_backward_passes) {
    manual_seed(1);
    nn::Sequential net = network(), alone = nn::Sequential(std::dynamic_pointer_cast<nn::SequentialImpl>(net->clone()));
    std::atomic<int> before{0}, after{0}, backward_before{0}, backward_after{0}, everywhere{0};
    for (const auto& m : net->modules()) {
        m->register_forward_pre_hook([&](Module&, const Args&) { ++before; });
        m->register_forward_hook([&](Module&, const Args&, const Value&) { ++after; });
        m->register_full_backward_pre_hook([&](Module&, const variable_list&) { ++backward_before; });
        m->register_full_backward_hook([&](Module&, const variable_list& gi, const variable_list& go) {
            if (gi.size() == 1 && gi[0].defined() && go[0].defined()) ++backward_after;
        });
    }
    const ScopedHook global(
        nn::register_module_forward_hook([&](Module&, const Tensor&, const Tensor&) { ++everywhere; }));
    std::vector<Tensor> inputs;
    for (int t = 0; t < threads; ++t) inputs.push_back(randn({5, 6}, TensorOptions(kDouble)).requires_grad_());
    BOOST_TEST(in_threads([&](int t) {
                   for (int i = 0; i < rounds; ++i) net(inputs[std::size_t(t)]).sum().backward();
               }) == 0);
    const int modules = int(net->modules().size()), fired = threads * rounds * modules;
    for (const auto* count : {&before, &after, &backward_before, &backward_after, &everywhere})
        BOOST_TEST(*count == fired);
    // what one thread would have summed, up to the order of the sums
    for (int t = 0; t < threads; ++t) {
        const Tensor x = inputs[std::size_t(t)].detach().requires_grad_();
        (alone(x).sum() * double(rounds)).backward();
        BOOST_TEST(allclose(inputs[std::size_t(t)].grad(), x.grad(), 1e-9, 1e-9));
    }
    const auto shared = net->parameters(), own = alone->parameters();
    for (std::size_t i = 0; i < own.size(); ++i) BOOST_TEST(allclose(shared[i].grad(), own[i].grad(), 1e-9, 1e-9));
}

BOOST_AUTO_TEST_CASE(hooks_of_one_graph_run_in_whichever_thread_comes) {
    manual_seed(2);
    nn::Linear layer(4, 4);
    std::atomic<int> fired{0};
    layer->register_full_backward_hook([&](Module&, const variable_list&, const variable_list&) { ++fired; });
    const Tensor x = randn({2, 4}).requires_grad_();
    const Tensor y = layer(x).sum();
    BOOST_TEST(in_threads([&](int) {
                   for (int i = 0; i < rounds; ++i) y.backward({}, true);
               }) == 0);
    BOOST_TEST(fired > 0);
    BOOST_TEST(allclose(layer->bias.grad(), full({4}, 2. * threads * rounds)));
}

BOOST_AUTO_TEST_CASE(hooks_of_parameters_and_saved_tensors) {
    manual_seed(3);
    nn::Linear layer(3, 3);
    std::atomic<int> seen{0}, accumulated{0}, packed{0};
    layer->weight.register_hook([&](const Tensor& g) { seen += g.defined(); });
    layer->weight.register_post_accumulate_grad_hook([&](const Tensor& w) { accumulated += w.grad().defined(); });
    BOOST_TEST(in_threads([&](int) {
                   const autograd::SavedTensorsHooksGuard hooks([&](const Tensor& t) { return ++packed, Value(t); },
                                                                [](const Value& v) { return v.toTensor(); });
                   for (int i = 0; i < rounds; ++i) layer(randn({2, 3})).square().sum().backward();
               }) == 0);
    BOOST_TEST(seen == threads * rounds);
    BOOST_TEST(accumulated == threads * rounds);
    BOOST_TEST(packed >= threads * rounds);
}

BOOST_AUTO_TEST_CASE(state_is_read_while_others_compute) {
    manual_seed(4);
    nn::Sequential net(nn::Linear(4, 4), nn::Dropout(0.5), nn::Linear(4, 2));
    BOOST_TEST(in_threads([&](int t) {
                   for (int i = 0; i < rounds; ++i)
                       if (t % 2 == 0) {
                           const auto state = net->state_dict();
                           if (state.size() != 4 || net->named_parameters().size() != 4) throw Error("state");
                           net->clone();
                       } else {
                           const Tensor y = net(randn({8, 4})); // dropout draws from the one generator
                           autograd::grad({y.sum()}, net->parameters());
                       }
               }) == 0);
}

BOOST_AUTO_TEST_CASE(recurrent_layers_keep_nothing_between_calls) {
    manual_seed(5);
    nn::LSTM lstm(nn::LSTMOptions(3, 5).num_layers(2));
    const Tensor x = randn({6, 2, 3});
    const Tensor expected = std::get<0>(lstm(x)).detach();
    std::atomic<int> equal_results{0};
    BOOST_TEST(in_threads([&](int) {
                   for (int i = 0; i < rounds; ++i) {
                       const Tensor y = std::get<0>(lstm(x));
                       equal_results += equal(y.detach(), expected);
                       autograd::grad({y.sum()}, lstm->parameters());
                   }
               }) == 0);
    BOOST_TEST(equal_results == threads * rounds);
}

BOOST_AUTO_TEST_SUITE_END()
