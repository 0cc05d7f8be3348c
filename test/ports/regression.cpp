// In libtorch's spelling: a polynomial of degree four is found again by a linear layer.
#include <torch/torch.h>

#include <cmath>
#include <iostream>

constexpr int64_t degree = 4, batch_size = 32;

torch::Tensor features_of(torch::Tensor x) {
    x = x.unsqueeze(1);
    std::vector<torch::Tensor> powers;
    for (int64_t i = 1; i <= degree; ++i) powers.push_back(x.pow(i));
    return torch::cat(powers, 1);
}

int main() {
    torch::manual_seed(1);
    const torch::Tensor weight = torch::randn({degree, 1}) * 5, bias = torch::randn({1}) * 5;
    auto fc = torch::nn::Linear(weight.size(0), 1);
    torch::optim::SGD optimizer(fc->parameters(), torch::optim::SGDOptions(0.1));

    float loss = 0;
    int64_t batch = 0;
    while (++batch < 5000) {
        const torch::Tensor x = torch::randn({batch_size}), features = features_of(x);
        const torch::Tensor y = features.mm(weight) + bias.item();
        optimizer.zero_grad();
        torch::Tensor output = torch::smooth_l1_loss(fc(features), y);
        loss = output.item<float>();
        output.backward();
        for (auto& param : fc->parameters()) param.grad().clamp_(-1, 1);
        optimizer.step();
        if (loss < 1e-3f) break;
    }
    std::cout << "loss " << loss << " after " << batch << " batches\n" << fc << std::endl;
    return std::isfinite(loss) && loss < 0.5f ? 0 : 1;
}
