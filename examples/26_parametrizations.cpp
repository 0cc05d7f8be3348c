// Weights that are computed: constraints on what is trained, norms of weights, pruning.
#include <cstdio>

#include <reel/reel.hpp>

#include "device.hpp"

using namespace reel;

/// A symmetric matrix of an upper triangle.
struct SymmetricImpl : nn::Cloneable<SymmetricImpl> {
    void reset() override {}
    Tensor forward(const Tensor& x) { return x.triu() + x.triu(1).mT(); }
    Tensor right_inverse(const Tensor& a) { return a.triu(); }
};
REEL_MODULE(Symmetric);

int main(int argc, char** argv) {
    const Device device = device_of(argc, argv);
    namespace parametrize = nn::utils::parametrize;
    namespace parametrizations = nn::utils::parametrizations;
    namespace prune = nn::utils::prune;
    manual_seed(0);

    const TensorOptions there(device);
    nn::Linear layer(3, 3);
    layer->to(device);
    parametrize::register_parametrization(layer, "weight", Symmetric());
    layer->weight = eye(3, there); // goes through right_inverse
    optim::SGD optimizer(layer->parameters(), optim::SGDOptions(0.1));
    for (int step = 0; step < 5; ++step) {
        optimizer.zero_grad();
        (layer(randn({8, 3}, there)) - 1).square().mean().backward();
        optimizer.step();
    }
    const Tensor weight = layer->attribute("weight").toTensor(); // now; the member is what the last call used
    const bool symmetric = equal(weight, weight.mT());
    parametrize::remove_parametrizations(layer, "weight");
    std::printf("symmetric: %s\n", symmetric ? "yes" : "no");

    nn::Sequential critic{parametrizations::spectral_norm(nn::Linear(2, 16)), nn::ReLU(),
                          parametrizations::spectral_norm(nn::Linear(16, 1))};
    nn::Linear rotation = parametrizations::orthogonal(nn::Linear(4, 4));
    const double error = (rotation->weight.mT().matmul(rotation->weight) - eye(4)).abs().max().item<double>();
    std::printf("orthogonal up to %.0e, %zu buffers\n", error < 1e-5 ? 1e-5 : error, critic->buffers().size());

    nn::Sequential net{nn::Linear(8, 16), nn::ReLU(), nn::Linear(16, 2)};
    net->to(device);
    prune::global_unstructured({{net[0], "weight"}, {net[2], "weight"}}, prune::L1Unstructured(0.75));
    net(randn({4, 8}, there)).sum().backward(); // zeros stay zeros: their gradients are masked, too
    for (const char* name : {"0", "2"}) prune::remove(net->get_submodule(name), "weight");
    double zeros = 0;
    for (const Tensor& p : net->parameters())
        if (p.dim() == 2) zeros += eq(p, 0).sum().item<double>();
    std::printf("%.0f of 160 weights are zero\n", zeros);
    return symmetric && zeros == 120 && !prune::is_pruned(net) ? 0 : 1;
}
