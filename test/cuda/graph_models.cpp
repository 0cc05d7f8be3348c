// Whole training steps of several kinds of models in a graph: replays are the steps without one, running statistics,
// drawn masks, counts and changing rates included.
#include <reel/cuda/graph.hpp>

#include <boost/test/unit_test.hpp>

#include <functional>
#include <memory>

#include <reel/nn.hpp>
#include <reel/optim.hpp>

#include "cuda/on_device.hpp"

using namespace reel;

namespace {

/// A model, what it is fed with, and an optimizer whose rate a schedule changes from step to step.
struct Training {
    nn::ModulePtr model;
    Tensor x, target;
    std::function<Tensor(const Tensor&)> forward;
    std::unique_ptr<optim::Adam> adam;
    std::unique_ptr<optim::LRScheduler> schedule;

    void begin(nn::ModulePtr m, const Tensor& input, const Tensor& labels) {
        model = std::move(m);
        model->to(there::gpu);
        x = there::put(input);
        target = there::put(labels);
        adam = std::make_unique<optim::Adam>(model->parameters(), optim::AdamOptions(0.02).weight_decay(0.01));
        schedule = std::make_unique<optim::StepLR>(*adam, 2, 0.5);
    }
    Tensor step() {
        adam->zero_grad();
        const Tensor loss = cross_entropy(forward(x), target);
        loss.backward();
        adam->step();
        return loss;
    }
    std::vector<Tensor> numbers() const {
        std::vector<Tensor> all;
        for (const Tensor& p : model->parameters()) all.push_back(p.detach().cpu());
        for (const Tensor& b : model->buffers()) all.push_back(b.cpu());
        return all;
    }
};
using Make = std::function<void(Training&)>;

void replays_are_the_steps(const Make& make) {
    constexpr int steps = 6;
    const auto prepared = [&] {
        manual_seed(11);
        auto run = std::make_unique<Training>();
        make(*run);
        run->step();
        run->schedule->step();
        return run;
    };
    const auto eager = prepared();
    double want_loss = 0;
    for (int i = 0; i < steps; ++i) {
        want_loss = eager->step().item<double>();
        eager->schedule->step();
    }
    const auto captured = prepared();
    cuda::Graph g;
    Tensor loss;
    {
        const cuda::CaptureGuard guard(g);
        loss = captured->step();
    }
    for (int i = 0; i < steps; ++i) {
        g.replay();
        captured->schedule->step();
    }
    BOOST_TEST(loss.item<double>() == want_loss);
    const std::vector<Tensor> want = eager->numbers(), got = captured->numbers();
    BOOST_REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < want.size(); ++i) BOOST_TEST(equal(got[i], want[i]), "number " << i);
}

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_graph_models, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(a_perceptron) {
    replays_are_the_steps([](Training& t) {
        nn::Sequential net{nn::Linear(6, 16), nn::GELU(), nn::LayerNorm(nn::LayerNormOptions({16})), nn::Linear(16, 3)};
        t.forward = [net](const Tensor& x) mutable { return net(x); };
        t.begin(net.ptr(), randn({12, 6}), arange(12) % 3);
    });
}

BOOST_AUTO_TEST_CASE(convolutions_with_running_statistics) {
    replays_are_the_steps([](Training& t) {
        nn::Sequential net{nn::Conv2d(1, 8, 3), nn::BatchNorm2d(8), nn::ReLU(),
                           nn::MaxPool2d(2),    nn::Flatten(),      nn::Linear(8 * 9, 3)};
        t.forward = [net](const Tensor& x) mutable { return net(x); };
        t.begin(net.ptr(), randn({5, 1, 8, 8}), arange(5) % 3);
    });
}

BOOST_AUTO_TEST_CASE(a_recurrent_net) {
    replays_are_the_steps([](Training& t) {
        nn::LSTM lstm(nn::LSTMOptions(4, 6).num_layers(2));
        nn::Linear head(6, 3);
        const auto both = std::make_shared<nn::ModuleListImpl>();
        both->push_back(lstm.ptr());
        both->push_back(head.ptr());
        t.forward = [lstm, head](const Tensor& x) mutable { return head(std::get<0>(lstm(x)).select(0, -1)); };
        t.begin(both, randn({7, 5, 4}), arange(5) % 3);
    });
}

// Gradients of embeddings are added up in the order in which threads come, and bits depend on it: it must stand.
BOOST_AUTO_TEST_CASE(a_transformer_with_dropout) {
    replays_are_the_steps([](Training& t) {
        nn::TransformerEncoder encoder(nn::TransformerEncoderOptions(
            nn::TransformerEncoderLayerOptions(16, 2).dim_feedforward(32).dropout(0.2), 2));
        nn::Embedding words(24, 16);
        nn::Linear head(16, 3);
        const auto all = std::make_shared<nn::ModuleListImpl>();
        for (const nn::ModulePtr& m :
             {nn::ModulePtr(words.ptr()), nn::ModulePtr(encoder.ptr()), nn::ModulePtr(head.ptr())})
            all->push_back(m);
        t.forward = [words, encoder, head](const Tensor& x) mutable { return head(encoder(words(x)).mean(0)); };
        // each word once: what threads add to one row of a gradient, they add in the order in which they come
        t.begin(all, randperm(24).reshape({6, 4}), arange(4) % 3);
    });
}

BOOST_AUTO_TEST_SUITE_END()
