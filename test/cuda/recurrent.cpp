// Recurrent layers on the device: by cuDNN where it takes them, and otherwise, they give what the CPU gives.
#include <boost/test/unit_test.hpp>

#include <reel/cuda/graph.hpp>

#include <set>
#include <string>

#include <dlfcn.h>

#include <reel/autograd.hpp>
#include <reel/autograd/cuda.hpp>
#include <reel/nn.hpp>
#include <reel/optim.hpp>

#include "cuda/on_device.hpp"

using namespace reel;
using there::gpu;

namespace {

const auto plan_of_stand_in = reinterpret_cast<const char* (*)()>(dlsym(RTLD_DEFAULT, "reel_emulation_dnn_plan"));
const auto fail = reinterpret_cast<void (*)(long)>(dlsym(RTLD_DEFAULT, "reel_emulation_fail"));
const auto calls = reinterpret_cast<long (*)()>(dlsym(RTLD_DEFAULT, "reel_emulation_calls"));
bool sees_plans() { return plan_of_stand_in && cuda::cudnn_is_available(); }
std::string plan() { return plan_of_stand_in(); }

Tensor numbers(IntArrayRef sizes, ScalarType t, double shift) {
    std::int64_t count = 1;
    for (const std::int64_t n : sizes) count *= n;
    return ((arange(count, TensorOptions(kDouble)) * 0.37 + shift).sin() * 0.6).view(sizes).to(t);
}

/// A layer, or several, and what it runs on: first the input, then states, then weights.
struct Case {
    std::string cell;
    ScalarType t = kDouble;
    std::vector<std::int64_t> batch_sizes{}; ///< empty: five steps of three
    bool biases = true, both_ways = false;
    std::int64_t layers = 1, projected = 0;
    static constexpr std::int64_t in = 4, hidden = 3;

    bool lstm() const { return cell == "lstm"; }
    std::vector<Tensor> operands() const {
        const std::int64_t gates = lstm()          ? 4
                                   : cell == "gru" ? 3
                                                   : 1,
                           out = projected ? projected : hidden, ways = both_ways ? 2 : 1;
        std::int64_t rows = 0;
        for (const std::int64_t b : batch_sizes) rows += b;
        std::vector<Tensor> all;
        const auto add = [&](IntArrayRef sizes) { all.push_back(numbers(sizes, t, double(all.size()))); };
        if (batch_sizes.empty()) add({5, 3, in});
        else add({rows, in});
        add({layers * ways, 3, out});
        if (lstm()) add({layers * ways, 3, hidden});
        for (std::int64_t l = 0; l < layers; ++l)
            for (std::int64_t w = 0; w < ways; ++w) {
                add({gates * hidden, l == 0 ? in : out * ways});
                add({gates * hidden, out});
                if (biases) add({gates * hidden}), add({gates * hidden});
                if (projected) add({projected, hidden});
            }
        return all;
    }
    std::vector<Tensor> results(const std::vector<Tensor>& v) const {
        const std::vector<Tensor> states(v.begin() + 1, v.begin() + (lstm() ? 3 : 2)),
            weights(v.begin() + (lstm() ? 3 : 2), v.end());
        const Tensor sizes = batch_sizes.empty() ? Tensor() : tensor(batch_sizes);
        const auto one_state = [&](auto f) -> std::vector<Tensor> {
            const auto r = f();
            return {std::get<0>(r), std::get<1>(r)};
        };
        if (lstm()) {
            const auto [y, h, c] = sizes.defined()
                                       ? reel::lstm(v[0], sizes, states, weights, biases, layers, 0.0, true, both_ways)
                                       : reel::lstm(v[0], states, weights, biases, layers, 0.0, true, both_ways, false);
            return {y, h, c};
        }
        const auto call = [&](auto padded, auto packed) {
            return one_state([&] { return sizes.defined() ? packed(sizes) : padded(); });
        };
        if (cell == "gru")
            return call(
                [&] { return gru(v[0], v[1], weights, biases, layers, 0.0, true, both_ways, false); },
                [&](const Tensor& s) { return gru(v[0], s, v[1], weights, biases, layers, 0.0, true, both_ways); });
        if (cell == "relu")
            return call([&] { return rnn_relu(v[0], v[1], weights, biases, layers, 0.0, true, both_ways, false); },
                        [&](const Tensor& s) {
                            return rnn_relu(v[0], s, v[1], weights, biases, layers, 0.0, true, both_ways);
                        });
        return call(
            [&] { return rnn_tanh(v[0], v[1], weights, biases, layers, 0.0, true, both_ways, false); },
            [&](const Tensor& s) { return rnn_tanh(v[0], s, v[1], weights, biases, layers, 0.0, true, both_ways); });
    }
};

Tensor weighted(const std::vector<Tensor>& results) {
    Tensor sum;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Tensor part = (results[i] * (results[i] + double(i + 1))).sum();
        sum = sum.defined() ? sum + part : part;
    }
    return sum;
}
std::vector<Tensor> run(const Case& c, Device device) {
    std::vector<Tensor> own;
    for (const Tensor& t : c.operands()) own.push_back(t.to(device).requires_grad_());
    std::vector<Tensor> all = c.results(own);
    weighted(all).backward();
    for (const Tensor& t : own) all.push_back(t.grad());
    return all;
}
void same_as_here(const Case& c) {
    const std::vector<Tensor> want = run(c, kCPU), got = run(c, gpu);
    const double most = c.t == kDouble ? 1e-12 : c.t == kFloat ? 1e-5 : 2e-2;
    BOOST_REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < want.size(); ++i)
        BOOST_TEST(there::distance(got[i], want[i]) < most, c.cell << ' ' << dtype_name(c.t) << ", result " << i);
}

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_recurrent, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(layers_of_every_cell) {
    for (const char* const cell : {"tanh", "relu", "lstm", "gru"}) {
        for (const ScalarType t : {kFloat, kDouble, kBFloat16}) same_as_here({.cell = cell, .t = t});
        for (const bool both : {false, true}) {
            same_as_here({.cell = cell, .biases = false, .both_ways = both, .layers = 2});
            same_as_here({.cell = cell, .batch_sizes = {3, 3, 2, 1}, .both_ways = both});
            same_as_here({.cell = cell, .batch_sizes = {3}, .both_ways = both});
        }
    }
    for (const bool both : {false, true}) {
        same_as_here({.cell = "lstm", .both_ways = both, .projected = 2});
        same_as_here({.cell = "lstm", .batch_sizes = {3, 2, 2}, .both_ways = both, .layers = 2, .projected = 2});
    }
}

BOOST_AUTO_TEST_CASE(who_computes_them) {
    if (!sees_plans()) return;
    const auto forward = [](const Case& c, bool with_gradients) {
        std::vector<Tensor> own;
        for (const Tensor& t : c.operands()) own.push_back(there::put(t).requires_grad_(with_gradients));
        plan();
        c.results(own);
        return plan();
    };
    const auto backward = [](const Case& c, bool of_weights) {
        std::vector<Tensor> own;
        for (const Tensor& t : c.operands())
            own.push_back(there::put(t).requires_grad_(of_weights || own.size() < (c.lstm() ? 3u : 2u)));
        const Tensor sum = weighted(c.results(own));
        plan();
        sum.backward();
        return plan();
    };
    BOOST_TEST(forward({.cell = "lstm"}, true) == "rnn_forward");
    BOOST_TEST(forward({.cell = "lstm"}, false) == "rnn_inference");
    BOOST_TEST(forward({.cell = "gru", .t = kHalf}, false) == "rnn_inference");
    BOOST_TEST(forward({.cell = "gru", .batch_sizes = {3, 2, 1}}, true) == "rnn_forward");
    BOOST_TEST(backward({.cell = "gru"}, true) == "rnn_backward_weights");
    BOOST_TEST(backward({.cell = "gru"}, false) == "rnn_backward_data");
    globalContext().setDeterministicCuDNN(true);
    BOOST_TEST(forward({.cell = "lstm"}, true) == "");
    same_as_here({.cell = "lstm"});
    globalContext().setDeterministicCuDNN(false);
    globalContext().setUserEnabledCuDNN(false);
    BOOST_TEST(forward({.cell = "lstm"}, true) == "");
    same_as_here({.cell = "gru", .batch_sizes = {3, 2, 2}, .both_ways = true, .layers = 2});
    globalContext().setUserEnabledCuDNN(true);
}

BOOST_AUTO_TEST_CASE(a_layer_goes_back_twice) {
    const Case c{.cell = "lstm"};
    const auto twice = [&](Device device) {
        std::vector<Tensor> own;
        for (const Tensor& t : c.operands()) own.push_back(t.to(device).requires_grad_());
        const Tensor sum = weighted(c.results(own));
        sum.backward({}, true); // what is kept must still be there
        sum.backward();
        return own;
    };
    const auto want = twice(kCPU), got = twice(gpu);
    for (std::size_t i = 0; i < want.size(); ++i) BOOST_TEST(there::distance(got[i].grad(), want[i].grad()) < 1e-12, i);
}

BOOST_AUTO_TEST_CASE(gradients_of_gradients_go_step_by_step) {
    const Case c{.cell = "gru"};
    const auto second = [&](Device device) {
        std::vector<Tensor> own;
        for (const Tensor& t : c.operands()) own.push_back(t.to(device).requires_grad_());
        const Tensor g = autograd::grad({weighted(c.results(own))}, {own[0]}, {}, true, true)[0];
        return autograd::grad({(g * g).sum()}, own);
    };
    const auto want = second(kCPU), got = second(gpu);
    for (std::size_t i = 0; i < want.size(); ++i) BOOST_TEST(there::distance(got[i], want[i]) < 1e-12, i);
}

BOOST_AUTO_TEST_CASE(a_layer_in_a_graph) {
    const Case c{.cell = "lstm"};
    std::vector<Tensor> own, later;
    for (const Tensor& t : c.operands()) own.push_back(there::put(t).requires_grad_());
    for (const Tensor& t : own) t.mutable_grad() = zeros_like(t);
    const auto step = [&] {
        for (const Tensor& t : own) t.mutable_grad().zero_();
        weighted(c.results(own)).backward();
    };
    step();
    std::vector<Tensor> want;
    for (const Tensor& t : own) want.push_back(t.grad().cpu());
    cuda::Graph graph;
    {
        const cuda::CaptureGuard capture(graph);
        step();
    }
    for (const Tensor& t : own) t.mutable_grad().fill_(5);
    graph.replay();
    graph.replay();
    for (std::size_t i = 0; i < own.size(); ++i) BOOST_TEST(there::distance(own[i].grad(), want[i]) < 1e-12, i);
}

BOOST_AUTO_TEST_CASE(weights_of_a_layer_lie_as_the_library_wants_them) {
    manual_seed(2);
    nn::LSTM here(nn::LSTMOptions(4, 64).num_layers(2).bidirectional(true).proj_size(8)); // gates without gaps
    here->to(kDouble);
    const nn::LSTM there(std::dynamic_pointer_cast<nn::LSTMImpl>(here->clone(gpu)));
    const auto flat = [](const nn::LSTM& m) {
        const std::vector<Tensor> w = m->parameters();
        bool all = true;
        for (std::size_t i = 0; i + 5 <= w.size(); i += 5)
            for (std::size_t k = 1; k < 5; ++k) all = all && w[i + k].is_alias_of(w[i]);
        return all;
    };
    BOOST_TEST(flat(there) == cuda::cudnn_is_available());
    const Tensor x = numbers({5, 3, 4}, kDouble, 0.5);
    optim::Adam a(here->parameters(), 0.1), b(there->parameters(), 0.1);
    for (int i = 0; i < 3; ++i) {
        for (const nn::LSTM& m : {here, there}) {
            m->zero_grad();
            const auto [y, states] = m->forward(x.to(m->parameters()[0].device()));
            (y.square().sum() + std::get<1>(states).sum()).backward();
        }
        a.step();
        b.step();
    }
    const std::vector<Tensor> want = here->parameters(), got = there->parameters();
    for (std::size_t i = 0; i < want.size(); ++i) BOOST_TEST(there::distance(got[i], want[i]) < 1e-9, i);
    there->load_state_dict(here->state_dict()); // in place
    BOOST_TEST(flat(there) == cuda::cudnn_is_available());
    there->to(kFloat);
    BOOST_TEST(flat(there) == cuda::cudnn_is_available());
    there->to(kCPU);
    BOOST_TEST(there->parameters()[0].device().is_cpu());
    if (!calls || !cuda::cudnn_is_available()) return;
    // what is flat is not copied
    there->to(gpu);
    const Tensor moved = there::put(x.to(kFloat));
    const auto calls_of = [&] {
        fail(0);
        there->forward(moved);
        return calls();
    };
    calls_of();
    const long as_it_lies = calls_of();
    for (const Tensor& p : there->parameters()) p.set_data(p.detach().clone());
    BOOST_TEST(!flat(there));
    BOOST_TEST(calls_of() > as_it_lies + 10);
    there->flatten_parameters();
    BOOST_TEST(flat(there));
    BOOST_TEST(calls_of() == as_it_lies);
}

BOOST_AUTO_TEST_CASE(any_call_of_cudnn_may_fail_once) {
    if (!sees_plans()) return;
    const Case c{.cell = "lstm"};
    const std::vector<Tensor> want = run(c, kCPU);
    std::set<std::string> said;
    for (long n = 1;; ++n) {
        fail(n);
        try {
            const std::vector<Tensor> got = run(c, gpu);
            const bool all = calls() < n;
            fail(0);
            for (std::size_t i = 0; i < want.size(); ++i) BOOST_TEST(there::distance(got[i], want[i]) < 1e-12);
            if (all) break;
        } catch (const Error& e) {
            fail(0);
            said.insert(e.msg());
        }
    }
    for (const char* const call : {"cudnnRNNForward", "cudnnRNNBackwardData_v8", "cudnnRNNBackwardWeights_v8"})
        BOOST_TEST(said.count(std::string("lstm: cuDNN: ") + call +
                              ": CUDNN_STATUS_EXECUTION_FAILED: the kernel could not be launched") == 1u,
                   call);
}

BOOST_AUTO_TEST_SUITE_END()
