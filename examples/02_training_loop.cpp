// A net, an optimizer, a loop: is a point inside the circle?
#include <cstdio>

#include <reel/reel.hpp>

using namespace reel;

struct NetImpl : nn::Module { // layers are members, forward is ordinary code
    NetImpl() {
        hidden = register_module("hidden", nn::Linear(2, 64));
        out = register_module("out", nn::Linear(64, 2));
    }
    Tensor forward(const Tensor& x) { return out(tanh(hidden(x))); }
    nn::Linear hidden{nullptr}, out{nullptr};
};
REEL_MODULE(Net);

int main() {
    manual_seed(0);
    const Tensor points = rand({1024, 2}) * 4 - 2;
    const Tensor inside = (points.square().sum(1) < 2).to(kLong);
    Net net;
    optim::Adam adam(net->parameters(), 0.02);
    for (int step = 1; step <= 200; ++step) {
        adam.zero_grad();
        const Tensor scores = net(points), loss = cross_entropy(scores, inside);
        loss.backward();
        adam.step();
        if (step % 50) continue;
        const Tensor right = scores.argmax(1) == inside;
        std::printf("step %3d  loss %.4f  accuracy %.3f\n", step, loss.item<double>(),
                    right.to(kFloat).mean().item<double>());
    }
}
