// Freezing: the body keeps every bit, the new head learns.
#include <cstdio>

#include <reel/reel.hpp>

#include "device.hpp"

using reel::Tensor;
namespace nn = reel::nn;

struct ClassifierImpl : nn::Module {
    ClassifierImpl() {
        body = register_module("body", nn::Sequential{nn::Linear(8, 32), nn::BatchNorm1d(32), nn::ReLU()});
        head = register_module("head", nn::Linear(32, 2));
    }
    Tensor forward(const Tensor& x) { return head(body(x)); }
    nn::Sequential body{nullptr};
    nn::Linear head{nullptr};
};
REEL_MODULE(Classifier);

int main(int argc, char** argv) {
    const reel::Device device = device_of(argc, argv);
    reel::manual_seed(0);
    const Tensor x = reel::randn({256, 8}).to(device);
    Classifier net;

    // A new task: three classes need a new head. The name and its place among the children stay.
    net->head = net->replace_module("head", nn::Linear(32, 3));
    net->to(device);

    // Parameters of the body get no gradient, and its BatchNorm keeps its statistics in evaluation mode.
    net->body->requires_grad_(false);
    net->train();
    net->body->eval();
    const reel::nn::StateDict before = net->body->clone()->state_dict();

    const Tensor target = (x.select(1, 0) > 0).to(reel::kLong) + (x.select(1, 1) > 0).to(reel::kLong);
    reel::optim::SGD sgd(net->head->parameters(), 0.5);
    double first = 0, last = 0;
    for (int step = 0; step < 100; ++step) {
        sgd.zero_grad();
        const Tensor loss = reel::cross_entropy(net(x), target);
        loss.backward();
        sgd.step();
        last = loss.item<double>();
        if (step == 0) first = last;
    }
    std::printf("loss %.3f -> %.3f with a frozen body\n", first, last);

    bool same = true;
    for (const auto& entry : net->body->state_dict())
        same = same && (entry.value().toTensor() == before[entry.key()].toTensor()).all().item<bool>();
    for (const Tensor& p : net->body->parameters()) same = same && !p.grad().defined();
    std::printf("body unchanged: %s\n", same ? "yes" : "no");
    return same && last < first ? 0 : 1;
}
