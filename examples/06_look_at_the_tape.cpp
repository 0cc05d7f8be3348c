// The tape can be looked at: what stands behind a loss, what it keeps in memory, and how checkpointing shrinks that.
#include <cstdio>

#include <reel/autograd/checkpoint.hpp>
#include <reel/autograd/tape_view.hpp>
#include <reel/nn/module_paths.hpp>
#include <reel/reel.hpp>

using reel::Tensor;
using reel::autograd::TapeView;
namespace nn = reel::nn;

int main() {
    reel::manual_seed(0);
    nn::Sequential net{nn::Linear(64, 64), nn::Tanh(), nn::Linear(64, 64), nn::Tanh(), nn::Linear(64, 1)};
    const Tensor x = reel::randn({256, 64});
    const auto loss_of = [&](const Tensor& input) { return net(input).square().mean(); };

    // Which nodes stand behind the loss, what they keep for backward, and which module made them.
    Tensor loss;
    {
        const nn::RecordModulePaths record(*net, "net");
        loss = loss_of(x);
    }
    TapeView tape(loss);
    for (const auto& p : net->named_parameters()) tape.label(p.value(), p.key());
    std::printf("%s\n", tape.text().c_str()); // tape.dot() draws it

    // Checkpointed, the tape keeps nothing: backward runs the function again when it needs what was dropped.
    const Tensor lean = reel::autograd::checkpoint(loss_of, x);
    std::printf("kept for backward: %zu bytes, checkpointed: %zu\n", tape.saved_bytes(), TapeView(lean).saved_bytes());

    // The gradients are the same.
    loss.backward();
    const Tensor weight = net->named_parameters()["0.weight"], expected = weight.grad().clone();
    net->zero_grad();
    lean.backward();
    return (weight.grad() - expected).abs().max().item<double>() == 0 ? 0 : 1;
}
