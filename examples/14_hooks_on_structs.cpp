// Hooks beyond PyTorch's: on structs of tensors, around activations in place, after the parameters have their
// gradients.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <reel/reel.hpp>

using reel::Tensor;
namespace nn = reel::nn;

struct Batch {
    Tensor image;
    std::vector<Tensor> captions;
    std::int64_t epoch = 0;
    REEL_FIELDS(image, captions, epoch)
};
struct Output {
    Tensor logits, features;
    REEL_FIELDS(logits, features)
};

struct NetImpl : nn::Module {
    NetImpl() {
        look = register_module("look", nn::Sequential{nn::Linear(16, 8), nn::ReLU(nn::ReLUOptions().inplace(true))});
        read = register_module("read", nn::Linear(4, 8));
        judge = register_module("judge", nn::Linear(8, 2));
    }
    Output forward(const Batch& batch) {
        Tensor features = nn::call(*look, batch.image);
        for (const Tensor& caption : batch.captions) features = features + nn::call(*read, caption);
        return {nn::call(*judge, features), features};
    }
    std::shared_ptr<nn::SequentialImpl> look;
    std::shared_ptr<nn::LinearImpl> read, judge;
};
REEL_MODULE(Net);

int main() {
    reel::manual_seed(0);
    Net net;

    // Every tensor inside the arguments and the result has a slot of its own, and says where it comes from.
    std::map<std::string, double> norms;
    net->register_full_backward_hook(
        [&](nn::Module&, const nn::GradSlots& grad_input, const nn::GradSlots& grad_output) {
            for (const nn::GradSlot& slot : grad_input)
                norms["input " + slot.path] = slot.grad.defined() ? slot.grad.norm().item<double>() : 0;
            for (const nn::GradSlot& slot : grad_output)
                norms["output " + slot.path] = slot.grad.defined() ? slot.grad.norm().item<double>() : 0;
        });

    // Hooks on the activation in place see the gradient, too.
    int activations = 0;
    net->look->ptr(1)->register_full_backward_hook(
        [&](nn::Module&, const Tensor& grad_input, const Tensor&) { activations += grad_input.defined(); });

    // This one runs when the gradients of the layer's own weights are complete, shared or not.
    double weight = 0;
    net->read->register_full_backward_hook(
        [&](nn::Module& module, const nn::GradSlots&, const nn::GradSlots&) {
            weight = module.parameters()[0].grad().norm().item<double>();
        },
        {.after_parameter_grads = true});

    const Batch batch{reel::randn({5, 16}).requires_grad_(), {reel::randn({5, 4}), reel::randn({5, 4})}, 3};
    const Output output = net(batch);
    (output.logits.sum() + output.features.sum()).backward();

    for (const auto& [slot, norm] : norms) std::printf("%-18s |gradient| = %.3f\n", slot.c_str(), norm);
    std::printf("activations seen: %d, gradient of read.weight when its hook ran: %.3f\n", activations, weight);

    // A call over values that does not fit says where, what came and what was expected.
    try {
        net->call_values({reel::Value(batch.image)});
    } catch (const reel::TypeError& error) {
        std::printf("%s\n", error.what());
    }
    return norms.size() == 5 && activations == 1 && weight > 0 ? 0 : 1;
}
