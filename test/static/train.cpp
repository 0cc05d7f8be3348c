// Trains a net with the static libraries. Whatever Reel finds by name or by instruction set must be there: the linker
// of a static library leaves out what nobody refers to.
#include <cstdio>
#include <sstream>

#include <reel/autograd/op.hpp>
#include <reel/nn/factory.hpp>
#include <reel/optim/factory.hpp>
#include <reel/reel.hpp>

using namespace reel;

namespace {

int failures = 0;
void check(bool condition, const char* what) {
    if (condition) return;
    std::printf("not so: %s\n", what);
    ++failures;
}

// A program's own initialisers may run before those of a static library.
const Tensor made_early = (ones({3}) * 2).exp();
const bool class_found_early = nn::has_module("Conv2d") && optim::has_optimizer("Adagrad");

double trained(optim::Optimizer& optimizer, nn::Sequential& net, const Tensor& x, const Tensor& y) {
    double last = 0;
    for (int step = 0; step < 200; ++step) {
        optimizer.zero_grad();
        const Tensor loss = mse_loss(net->forward(x), y);
        loss.backward();
        optimizer.step();
        last = loss.item<double>();
    }
    return last;
}

} // namespace

int main() {
    check(allclose(made_early, full({3}, 2).exp()), "a tensor of an initialiser has its values");
    check(class_found_early, "an initialiser finds classes by name");

    manual_seed(0);
    const Tensor x = rand({256, 2}) * 4 - 2, y = (x.square().sum(1, true) < 2).to(kFloat);
    nn::Sequential net(nn::Linear(2, 32), nn::Tanh(), nn::Linear(32, 1), nn::Sigmoid());
    const double before = mse_loss(net->forward(x), y).item<double>();
    const auto adam = optim::make_optimizer("Adam", net->parameters(), {Value(0.02)});
    const double after = trained(*adam, net, x, y);
    std::printf("loss %.4f before, %.4f after 200 steps\n", before, after);
    check(after < before / 4, "training lowers the loss to a quarter");

    check(nn::has_module("TransformerEncoderLayer"), "a layer that the program does not name is found");
    check(optim::has_scheduler("OneCycleLR"), "a schedule that the program does not name is found");
    const Value norm = ops::registry().at("linalg.vector_norm").call({Value(x)}, {});
    check(allclose(norm.toTensor(), x.square().sum().sqrt()), "an op is called by name");

    std::stringstream file;
    save(net, file);
    nn::Sequential again(nn::Linear(2, 32), nn::Tanh(), nn::Linear(32, 1), nn::Sigmoid());
    load(again, file);
    check(equal(again->forward(x), net->forward(x)), "what was saved is loaded");
    return failures ? 1 : 0;
}
