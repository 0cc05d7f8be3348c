// Why does a parameter have no gradient? A recorder around a step knows; a guard keeps a frozen part as it is.
#include <cstdio>

#include <reel/reel.hpp>

using namespace reel;

struct NetImpl : nn::Module {
    NetImpl() {
        body = register_module("body", nn::Sequential{nn::Linear(8, 16), nn::BatchNorm1d(16), nn::Tanh()});
        head = register_module("head", nn::Linear(16, 2));
        spare = register_module("spare", nn::Linear(16, 2));
    }
    Tensor forward(const Tensor& x) { return head(body(x).detach()); } // somebody left a detach here
    nn::Sequential body{nullptr};
    nn::Linear head{nullptr}, spare{nullptr};
};
REEL_MODULE(Net);

int main() {
    manual_seed(0);
    Net net;
    const Tensor x = randn({32, 8}), y = randint(0, 2, {32});

    // Open a recorder around forward and backward, then ask.
    {
        inspect::Recorder recorder(*net);
        cross_entropy(net(x), y).backward();
        const inspect::GradReport report = inspect::explain_grad(*net);
        std::printf("%s\n", report.text().c_str());
        if (report.find("body.0.weight")->fate != inspect::GradFate::Cut) return 1;
        if (report.find("spare.weight")->fate != inspect::GradFate::NeverCalled) return 1;

        // In a test: every parameter must have a gradient, but for those that are meant to have none.
        inspect::expect_grads(*net, {.without = {"body.*", "spare.*"}, .max_norm = 100});
    }

    // Which hooks fire, in which order? Nothing is called, nothing changes.
    net->head->register_full_backward_hook(
        [](nn::Module&, const autograd::variable_list&, const autograd::variable_list&) {});
    net->spare->register_forward_hook([](nn::Module&, const Tensor&, const Tensor&) {});
    std::printf("%s\n", inspect::hooks::dry_run(*net, x).text().c_str());

    // Frozen for good: no gradient, no new statistics, evaluation mode whatever train() says.
    optim::AdamW adam(net->parameters(), 0.01);
    const inspect::FreezeGuard guard = inspect::freeze(*net->body);
    for (int step = 0; step < 5; ++step) {
        net->train();
        adam.zero_grad();
        cross_entropy(net->head(net->body(x)), y).backward();
        adam.step();
    }
    const inspect::FreezeReport proof = guard.verify();
    std::printf("%s\n", proof.text().c_str());

    // What does freezing take off a backward pass?
    std::printf("%s", guard.prune_report([&] { return cross_entropy(net->head(net->body(x)), y); }).text().c_str());
    return proof.intact() ? 0 : 1;
}
