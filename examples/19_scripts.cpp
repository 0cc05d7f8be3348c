// Script archives: define a module in the language of torch.jit, save it, load it as if Python had written it, freeze
// its trunk, watch a gradient through a full backward hook, train the head, save again.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>

#include <unistd.h>

#include <reel/reel.hpp>
#include <reel/script.hpp>

using namespace reel;

/// A linear layer as a class of scripts.
jit::Module layer(const std::string& name, std::int64_t in, std::int64_t out, const jit::Module& within) {
    jit::Module m(name, within->unit());
    m.register_parameter("weight", (randn({out, in}) / std::sqrt(double(in))).requires_grad_(), false);
    m.register_parameter("bias", randn({out}).requires_grad_(), false);
    m.define("def forward(self, x: Tensor) -> Tensor:\n"
             "    return torch.nn.functional.linear(x, self.weight, self.bias)\n");
    return m;
}
jit::Module make_net() {
    jit::Module net("Net");
    net.register_module("trunk", layer("Trunk", 2, 64, net));
    net.register_module("head", layer("Head", 64, 2, net));
    net.define("def forward(self, x: Tensor, steps: int = 1) -> Tensor:\n"
               "    h = torch.tanh(self.trunk(x))\n"
               "    for i in range(steps):\n"
               "        h = h * 0.5 + torch.tanh(h)\n"
               "    return self.head(h)\n");
    return net;
}

int main() {
    manual_seed(0);
    const std::string file =
        (std::filesystem::temp_directory_path() / ("reel-scripts-" + std::to_string(getpid()) + ".pt")).string();
    make_net().save(file); // torch.jit.load reads it

    const jit::Module net = jit::load(file, kCPU);
    std::printf("%s", net.code().c_str());
    std::printf("%s\n", net.get_method("forward").schema().str().c_str());

    net->get_submodule("trunk")->requires_grad_(false);
    double norm = 0;
    const auto watch = net->get_submodule("head")->register_full_backward_hook(
        [&](nn::Module&, const Value&, const Value& grad_output) {
            norm = grad_output.elements()[0].toTensor().norm().item<double>();
        });

    const Tensor points = rand({512, 2}) * 4 - 2;
    const Tensor inside = (points.square().sum(1) < 2).to(kLong);
    optim::Adam adam(net->get_submodule("head")->parameters(), 0.05);
    double loss_value = 0;
    for (int step = 1; step <= 60; ++step) {
        adam.zero_grad();
        const Tensor loss = cross_entropy(net({points, 2}).toTensor(), inside);
        loss.backward();
        adam.step();
        loss_value = loss.item<double>();
        if (step % 20 == 0) std::printf("step %d  loss %.4f  gradient at the head %.4f\n", step, loss_value, norm);
    }

    jit::ExtraFilesMap notes{{"notes.txt", "the head was trained in C++"}};
    net.save(file, notes);
    jit::ExtraFilesMap read{{"notes.txt", ""}};
    const jit::Module again = jit::load(file, std::nullopt, &read);
    std::filesystem::remove(file);
    const bool same = equal(again({points, 2}).toTensor(), net({points, 2}).toTensor());
    std::printf("%s; read again, it computes %s\n", read[0].second.c_str(), same ? "the same" : "something else");
    return same && loss_value < 0.5 && norm > 0 ? 0 : 1;
}
