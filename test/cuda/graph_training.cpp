// Whole training steps in a graph: with an optimizer, dropout and a loss over classes, as without a graph.
#include <reel/cuda/graph.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/nn.hpp>
#include <reel/optim.hpp>

#include "cuda/on_device.hpp"

using namespace reel;
using reel::cuda::CaptureGuard;
using reel::cuda::Graph;

namespace {

/// A small network, an optimizer and what a step of them is.
template <class Make> struct Training {
    nn::Linear first = nullptr, second = nullptr;
    Tensor x, target;
    decltype(std::declval<Make>()(std::vector<Tensor>())) optimizer;
    double dropped;

    Training(const Make& make, double dropped) : optimizer(make({})), dropped(dropped) {
        manual_seed(9); // before the layers draw
        first = nn::Linear(6, 5);
        second = nn::Linear(5, 3);
        std::vector<Tensor> params;
        for (const nn::Linear& layer : {first, second}) {
            layer->to(there::gpu);
            for (const Tensor& p : layer->parameters()) params.push_back(p);
        }
        x = there::put(randn({7, 6}));
        target = there::put(randint(0, 3, {7}, TensorOptions(kLong)));
        optimizer = make(params);
    }
    Tensor step() {
        optimizer.zero_grad();
        const Tensor hidden = dropout(tanh(first(x)), dropped, dropped > 0);
        const Tensor loss = cross_entropy(second(hidden), target);
        loss.backward();
        optimizer.step();
        return loss;
    }
    std::vector<Tensor> numbers() const {
        std::vector<Tensor> all;
        for (const nn::Linear& layer : {first, second})
            for (const Tensor& p : layer->parameters()) all.push_back(p.detach().cpu());
        return all;
    }
};
template <class Make> void replays_are_the_steps(const Make& make, int steps, double dropped = 0) {
    Training<Make> eager(make, dropped);
    for (int i = 0; i < steps + 1; ++i) eager.step();
    const std::vector<Tensor> want = eager.numbers();
    const Tensor loss_after = eager.step();
    eager.step();
    const std::vector<Tensor> at_the_end = eager.numbers();

    Training<Make> captured(make, dropped);
    captured.step(); // makes the state
    Graph g;
    Tensor loss;
    {
        const CaptureGuard guard(g);
        loss = captured.step();
    }
    for (int i = 0; i < steps; ++i) g.replay();
    const std::vector<Tensor> got = captured.numbers();
    for (std::size_t i = 0; i < want.size(); ++i) BOOST_TEST(equal(got[i], want[i]), "parameter " << i);
    g.replay();
    BOOST_TEST(loss.item().toDouble() == loss_after.item().toDouble());
    BOOST_TEST(captured.optimizer.step_count() == steps + 2);
    // what the host keeps went along: without the graph it goes on as the other does
    captured.step();
    const std::vector<Tensor> after = captured.numbers();
    for (std::size_t i = 0; i < after.size(); ++i) BOOST_TEST(equal(after[i], at_the_end[i]), "parameter " << i);
}

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_graph_training, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(a_hundred_replays_are_a_hundred_steps) {
    replays_are_the_steps(
        [](std::vector<Tensor> p) { return optim::Adam(std::move(p), optim::AdamOptions(0.02).amsgrad(true)); }, 100);
}
BOOST_AUTO_TEST_CASE(dropout_draws_the_numbers_that_it_draws_without_a_graph) {
    replays_are_the_steps(
        [](std::vector<Tensor> p) { return optim::SGD(std::move(p), optim::SGDOptions(0.1).momentum(0.9)); }, 10, 0.5);
}
BOOST_AUTO_TEST_CASE(optimizers_whose_numbers_change_with_the_count) {
    replays_are_the_steps([](std::vector<Tensor> p) { return optim::NAdam(std::move(p), optim::NAdamOptions(0.01)); },
                          8);
    replays_are_the_steps([](std::vector<Tensor> p) { return optim::RAdam(std::move(p), optim::RAdamOptions(0.01)); },
                          8);
    replays_are_the_steps([](std::vector<Tensor> p) { return optim::ASGD(std::move(p), optim::ASGDOptions(0.01)); }, 8);
    replays_are_the_steps(
        [](std::vector<Tensor> p) { return optim::Adagrad(std::move(p), optim::AdagradOptions(0.01).lr_decay(0.1)); },
        8);
    replays_are_the_steps([](std::vector<Tensor> p) { return optim::Rprop(std::move(p), optim::RpropOptions(0.01)); },
                          8);
}

BOOST_AUTO_TEST_CASE(rates_are_those_of_the_moment_of_the_replay) {
    const auto make = [](std::vector<Tensor> p) { return optim::AdamW(std::move(p), optim::AdamWOptions(0.01)); };
    using Run = Training<std::remove_const_t<decltype(make)>>;
    const auto set_rate = [](Run& run, int i) {
        for (auto& group : run.optimizer.param_groups()) group.options().set_lr(0.01 / (i + 1));
    };
    Run eager(make, 0), captured(make, 0);
    eager.step();
    captured.step();
    Graph g;
    {
        const CaptureGuard guard(g);
        captured.step();
    }
    for (int i = 0; i < 5; ++i) {
        set_rate(eager, i);
        set_rate(captured, i);
        eager.step();
        g.replay();
    }
    const std::vector<Tensor> want = eager.numbers(), got = captured.numbers();
    for (std::size_t i = 0; i < want.size(); ++i) BOOST_TEST(equal(got[i], want[i]), "parameter " << i);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_captured_says_so) {
    const auto says = [](const char* part) {
        return [part](const Error& e) { return e.msg().find(part) != std::string::npos; };
    };
    Tensor w = ones({4}, TensorOptions().device(there::gpu)).requires_grad_();
    Graph g;
    const auto capture = [&](auto& optimizer) {
        const CaptureGuard guard(g);
        w.mutable_grad() = ones({4}, TensorOptions().device(there::gpu));
        optimizer.step();
    };
    optim::Adam fresh({w}, optim::AdamOptions(0.1));
    BOOST_CHECK_EXCEPTION(capture(fresh), Error, says("take one step before the capture"));
    optim::Lamb other({w}, optim::LambOptions(0.1));
    w.mutable_grad() = ones_like(w);
    other.step();
    BOOST_CHECK_EXCEPTION(capture(other), Error, [](const Error&) { return true; });
    BOOST_TEST(!g);
    {
        optim::SGD gone({w}, optim::SGDOptions(0.1));
        w.mutable_grad() = ones_like(w);
        gone.step();
        capture(gone);
        g.replay();
    }
    BOOST_CHECK_EXCEPTION(g.replay(), Error, says("the optimizer whose step was captured is gone"));
}

BOOST_AUTO_TEST_CASE(many_parameters_with_counts_of_their_own_and_an_optimizer_that_moves) {
    std::vector<Tensor> here, moved;
    manual_seed(3);
    for (int i = 0; i < 60; ++i) {
        const Tensor t = randn({1 + i * 97 % 300});
        here.push_back(t.clone().requires_grad_());
        moved.push_back(t.to(there::gpu).requires_grad_());
    }
    moved.push_back(ones({0}, TensorOptions().device(there::gpu)).requires_grad_());
    here.push_back(ones({0}).requires_grad_());
    optim::Adam a(here, optim::AdamOptions(0.1)), first(moved, optim::AdamOptions(0.1));
    const auto take = [&](int every) {
        for (std::size_t i = 0; i < here.size(); i += std::size_t(every)) {
            const Tensor grad = randn(here[i].sizes());
            here[i].mutable_grad() = grad;
            moved[i].mutable_grad() = grad.to(there::gpu);
        }
    };
    take(3); // counts differ from here on
    a.step();
    first.step();
    optim::Adam b(std::move(first));
    for (int i = 0; i < 4; ++i) {
        take(1);
        a.step();
        b.step();
    }
    for (std::size_t i = 0; i < here.size(); ++i) BOOST_TEST(there::distance(moved[i], here[i]) < 1e-6);
}

BOOST_AUTO_TEST_SUITE_END()
