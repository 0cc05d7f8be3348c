// The Reel side of doc/guide/from-libtorch.md, which shows these lines. Compiled, not run.
#include <reel/reel.hpp>

#pragma GCC diagnostic ignored "-Wunused-parameter" // the page shows hooks with their arguments named

using namespace reel;

namespace port {
struct NetImpl : nn::Module {
    NetImpl() {
        fc1 = register_module("fc1", nn::Linear(784, 64));
        fc2 = register_module("fc2", nn::Linear(64, 10));
    }
    Tensor forward(Tensor x) {
        x = relu(fc1(x.reshape({x.size(0), 784})));
        return log_softmax(fc2(x), /*dim=*/1);
    }
    nn::Linear fc1{nullptr}, fc2{nullptr};
};
REEL_MODULE(Net);

void train(const std::vector<std::pair<Tensor, Tensor>>& batches) {
    Net net;
    optim::SGD optimizer(net->parameters(), optim::SGDOptions(0.01).momentum(0.9));
    for (const auto& [data, target] : batches) {
        optimizer.zero_grad();
        Tensor loss = nll_loss(net(data), target);
        loss.backward();
        optimizer.step();
    }
    save(net, "net.pt");
}
} // namespace port

void state(nn::Linear model, nn::Linear other) {
    nn::StateDict state = model->state_dict();
    nn::IncompatibleKeys result = other->load_state_dict(state, /*strict=*/false);
    for (const std::string& key : result.missing_keys) REEL_WARN(key, " keeps its value");
}

void hooks(nn::Linear model) {
    RemovableHandle seen = model->register_full_backward_hook(
        [](nn::Module& module, const autograd::variable_list& grad_input, const autograd::variable_list& grad_output) {
            // look at the gradients of what went in and of what came out
        });
    RemovableHandle scaled = model->weight.register_hook([](const Tensor& grad) { return grad * 0.5; });
    seen.remove();
    scaled.remove();
}

void freezing(nn::Sequential net) {
    net->get_submodule("0")->requires_grad_(false);
    net->get_submodule("0")->eval();
}

void errors(Tensor a, Tensor b) {
    try {
        matmul(a, b);
    } catch (const Error& e) { // ValueError, TypeError, IndexError, ... are below it
        REEL_WARN(e.msg());
    }
}

void inference(nn::Linear model, Tensor x) {
    InferenceMode guard;
    Tensor y = model(x.to(kCUDA));
}
