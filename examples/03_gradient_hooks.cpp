// Hooks look at gradients, and change them: a table of norms per layer, and a clipped gradient.
#include <cstdio>
#include <string>
#include <vector>

#include <reel/reel.hpp>

using reel::Tensor;
namespace nn = reel::nn;

int main() {
    reel::manual_seed(0);
    nn::Sequential net{nn::Linear(16, 32), nn::Tanh(), nn::Linear(32, 32), nn::Tanh(), nn::Linear(32, 1)};

    // A full backward hook sees the gradients of a module's inputs and outputs each time backward passes it.
    std::vector<reel::RemovableHandle> handles;
    for (const auto& child : net->named_children())
        handles.push_back(child.value()->register_full_backward_hook(
            [name = child.key()](nn::Module& module, const reel::autograd::variable_list&,
                                 const reel::autograd::variable_list& grad_output) {
                std::printf("%s %-8s |gradient of its output| = %.3e\n", name.c_str(), module.repr_name().c_str(),
                            grad_output[0].square().sum().sqrt().item<double>());
            }));

    // A hook on a tensor may return another gradient. This one never lets the last bias move by more than 0.1.
    const Tensor bias = net->named_parameters()["4.bias"];
    bias.register_hook([](const Tensor& grad) { return grad.clamp(-0.1, 0.1); });

    const Tensor x = reel::randn({64, 16}).requires_grad_(), y = reel::randn({64, 1}) + 5;
    reel::mse_loss(net(x), y).backward();
    std::printf("gradient of the last bias, clipped: %.3f\n", bias.grad().item<double>());

    // Removing is explicit; afterwards nothing is printed.
    for (auto& handle : handles) handle.remove();
    reel::mse_loss(net(x), y).backward();
    return bias.grad().item<double>() < -0.2001 ? 1 : 0;
}
