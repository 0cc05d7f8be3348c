// In libtorch's spelling: a convolutional net learns MNIST. The folder of the data is the argument.
#include <torch/torch.h>

#include <cstdio>
#include <memory>
#include <string>

struct NetImpl : torch::nn::Module {
    NetImpl()
        : conv1(torch::nn::Conv2dOptions(1, 10, /*kernel_size=*/5)), conv2(torch::nn::Conv2dOptions(10, 20, 5)),
          fc1(320, 50), fc2(50, 10) {
        register_module("conv1", conv1);
        register_module("conv2", conv2);
        register_module("conv2_drop", conv2_drop);
        register_module("fc1", fc1);
        register_module("fc2", fc2);
    }
    torch::Tensor forward(torch::Tensor x) {
        x = torch::relu(torch::max_pool2d(conv1->forward(x), 2));
        x = torch::relu(torch::max_pool2d(conv2_drop->forward(conv2->forward(x)), 2));
        x = x.view({-1, 320});
        x = torch::relu(fc1->forward(x));
        x = torch::dropout(x, /*p=*/0.5, /*training=*/is_training());
        x = fc2->forward(x);
        return torch::log_softmax(x, /*dim=*/1);
    }
    torch::nn::Conv2d conv1, conv2;
    torch::nn::Dropout2d conv2_drop;
    torch::nn::Linear fc1, fc2;
};
TORCH_MODULE(Net);

template <typename DataLoader>
void train(Net& model, torch::Device device, DataLoader& data_loader, torch::optim::Optimizer& optimizer) {
    model->train();
    for (auto& batch : data_loader) {
        auto data = batch.data.to(device), targets = batch.target.to(device);
        optimizer.zero_grad();
        auto output = model->forward(data);
        auto loss = torch::nll_loss(output, targets);
        loss.backward();
        optimizer.step();
    }
}

template <typename DataLoader>
double test(Net& model, torch::Device device, DataLoader& data_loader, size_t dataset_size) {
    torch::NoGradGuard no_grad;
    model->eval();
    double test_loss = 0;
    int32_t correct = 0;
    for (const auto& batch : data_loader) {
        auto data = batch.data.to(device), targets = batch.target.to(device);
        auto output = model->forward(data);
        test_loss += torch::nll_loss(output, targets, /*weight=*/{}, torch::Reduction::Sum).template item<float>();
        auto pred = output.argmax(1);
        correct += pred.eq(targets).sum().template item<int64_t>();
    }
    const double accuracy = static_cast<double>(correct) / dataset_size;
    std::printf("test set: average loss %.4f, accuracy %.3f\n", test_loss / dataset_size, accuracy);
    return accuracy;
}

int main(int, char** argv) {
    torch::manual_seed(1);
    torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
    Net model;
    model->to(device);
    const std::string root = argv[1];
    auto train_dataset = torch::data::datasets::MNIST(root)
                             .map(torch::data::transforms::Normalize<>(0.1307, 0.3081))
                             .map(torch::data::transforms::Stack<>());
    auto train_loader =
        torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(std::move(train_dataset),
                                                                                /*batch_size=*/32);
    auto test_dataset = torch::data::datasets::MNIST(root, torch::data::datasets::MNIST::Mode::kTest)
                            .map(torch::data::transforms::Normalize<>(0.1307, 0.3081))
                            .map(torch::data::transforms::Stack<>());
    const size_t test_size = test_dataset.size().value();
    auto test_loader = torch::data::make_data_loader(std::move(test_dataset), 100);
    torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(0.01).momentum(0.5));
    double accuracy = 0;
    for (size_t epoch = 1; epoch <= 4; ++epoch) {
        train(model, device, *train_loader, optimizer);
        accuracy = test(model, device, *test_loader, test_size);
    }
    return accuracy > 0.8 ? 0 : 1;
}
