// In libtorch's spelling: the body of a trained net is frozen, a new head learns on what the body makes of the data.
// The folder to write to is the argument.
#include <torch/torch.h>

#include <cstdio>
#include <string>

struct BodyImpl : torch::nn::Cloneable<BodyImpl> {
    BodyImpl() { reset(); }
    void reset() override {
        conv = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 8, 3).padding(1)));
        norm = register_module("norm", torch::nn::BatchNorm2d(8));
    }
    torch::Tensor forward(torch::Tensor x) {
        return torch::adaptive_avg_pool2d(torch::relu(norm(conv(x))), {2, 2}).flatten(1);
    }
    torch::nn::Conv2d conv{nullptr};
    torch::nn::BatchNorm2d norm{nullptr};
};
TORCH_MODULE(Body);

/// Images whose bright half tells their class: left or right for task 0, top or bottom for task 1.
std::pair<torch::Tensor, torch::Tensor> make_task(int task) {
    torch::Tensor labels = torch::randint(0, 2, {128}, torch::kLong), images = torch::randn({128, 1, 8, 8}) * 0.3;
    for (int64_t i = 0; i < labels.size(0); ++i) {
        const int64_t start = labels[i].item<int64_t>() * 4;
        images[i].narrow(task == 0 ? 2 : 1, start, 4) += 1;
    }
    return {images, labels};
}

double accuracy(Body& body, torch::nn::Linear& head, const torch::Tensor& x, const torch::Tensor& y) {
    torch::NoGradGuard no_grad;
    body->eval();
    return head(body(x)).argmax(1).eq(y).to(torch::kFloat).mean().item<double>();
}

int main(int, char** argv) {
    torch::manual_seed(3);
    const std::string file = std::string(argv[1]) + "/body.pt";
    {
        Body body;
        torch::nn::Linear head(32, 2);
        std::vector<torch::Tensor> params = body->parameters();
        for (auto& p : head->parameters()) params.push_back(p);
        torch::optim::Adam optimizer(params, torch::optim::AdamOptions(1e-2));
        auto [x, y] = make_task(0);
        for (int step = 0; step < 60; ++step) {
            optimizer.zero_grad();
            auto loss = torch::nll_loss(torch::log_softmax(head(body(x)), 1), y);
            loss.backward();
            optimizer.step();
        }
        std::printf("first task: %.3f\n", accuracy(body, head, x, y));
        torch::serialize::OutputArchive archive;
        body->save(archive);
        archive.save_to(file);
    }
    Body body;
    torch::serialize::InputArchive archive;
    archive.load_from(file);
    body->load(archive);
    for (auto& p : body->named_parameters()) p.value().set_requires_grad(false);
    body->eval();

    torch::nn::Linear head(32, 2);
    torch::optim::SGD optimizer(head->parameters(), torch::optim::SGDOptions(0.5).momentum(0.9));
    const torch::Tensor before = body->conv->weight.clone();
    auto [x, y] = make_task(1);
    for (int step = 0; step < 80; ++step) {
        optimizer.zero_grad();
        auto loss = torch::nn::functional::cross_entropy(head(body(x)), y);
        loss.backward();
        optimizer.step();
    }
    const double reached = accuracy(body, head, x, y);
    std::printf("second task with a frozen body: %.3f\n", reached);
    return reached > 0.9 && torch::equal(before, body->conv->weight) && !body->conv->weight.grad().defined() ? 0 : 1;
}
