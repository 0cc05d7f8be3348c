// A variational autoencoder of small pictures, with a data set of our own; saved, loaded, sampled.
#include <torch/torch.h>

#include <cstdio>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>
#include <utility>

// Bars: pictures of 8 x 8 with one horizontal and one vertical bar.
class Bars : public torch::data::datasets::Dataset<Bars> {
public:
    explicit Bars(size_t n)
        : pictures_(torch::zeros({static_cast<int64_t>(n), 64})), labels_(torch::zeros(n, torch::kLong)) {
        for (size_t i = 0; i < n; ++i) {
            int64_t row = i % 8, column = (i / 8) % 8;
            auto picture = pictures_[i].view({8, 8});
            picture[row] = 1;
            picture.index_put_({torch::indexing::Slice(), column}, 1);
            labels_[i] = row;
        }
    }
    torch::data::Example<> get(size_t index) override { return {pictures_[index], labels_[index]}; }
    torch::optional<size_t> size() const override { return pictures_.size(0); }
    const torch::Tensor& pictures() const { return pictures_; }

private:
    torch::Tensor pictures_, labels_;
};

struct VAEOutput {
    torch::Tensor reconstruction, mu, log_var;
};

class VAEImpl : public torch::nn::Module {
public:
    VAEImpl(int64_t image_size, int64_t h_dim, int64_t z_dim);
    std::pair<torch::Tensor, torch::Tensor> encode(torch::Tensor x);
    torch::Tensor reparametrize(torch::Tensor mu, torch::Tensor log_var);
    torch::Tensor decode(torch::Tensor z);
    VAEOutput forward(torch::Tensor x);

private:
    torch::nn::Linear fc1, fc2, fc3, fc4, fc5;
};
TORCH_MODULE(VAE);

VAEImpl::VAEImpl(int64_t image_size, int64_t h_dim, int64_t z_dim)
    : fc1(image_size, h_dim), fc2(h_dim, z_dim), fc3(h_dim, z_dim), fc4(z_dim, h_dim), fc5(h_dim, image_size) {
    register_module("fc1", fc1);
    register_module("fc2", fc2);
    register_module("fc3", fc3);
    register_module("fc4", fc4);
    register_module("fc5", fc5);
}
std::pair<torch::Tensor, torch::Tensor> VAEImpl::encode(torch::Tensor x) {
    auto h = torch::nn::functional::relu(fc1->forward(x));
    return {fc2->forward(h), fc3->forward(h)};
}
torch::Tensor VAEImpl::reparametrize(torch::Tensor mu, torch::Tensor log_var) {
    if (is_training()) {
        auto std = log_var.div(2).exp_();
        auto eps = torch::randn_like(std);
        return eps.mul(std).add_(mu);
    } else {
        return mu;
    }
}
torch::Tensor VAEImpl::decode(torch::Tensor z) {
    auto h = torch::nn::functional::relu(fc4->forward(z));
    return torch::sigmoid(fc5->forward(h));
}
VAEOutput VAEImpl::forward(torch::Tensor x) {
    auto encode_output = encode(x);
    auto mu = encode_output.first;
    auto log_var = encode_output.second;
    auto z = reparametrize(mu, log_var);
    auto x_reconstructed = decode(z);
    return {x_reconstructed, mu, log_var};
}

double train(VAE& model, torch::optim::Adam& optimizer, torch::Device device) {
    auto dataset =
        Bars(1024).map(torch::data::transforms::Normalize<>(0.0, 1.0)).map(torch::data::transforms::Stack<>());
    auto num_samples = dataset.size().value();
    auto data_loader = torch::data::make_data_loader<torch::data::samplers::RandomSampler>(
        std::move(dataset), torch::data::DataLoaderOptions().batch_size(64).workers(1));
    double last = 0;
    for (size_t epoch = 0; epoch != 12; ++epoch) {
        double total = 0;
        model->train();
        for (auto& batch : *data_loader) {
            auto data = batch.data.reshape({-1, 64}).to(device);
            auto output = model->forward(data);
            auto reconstruction_loss = torch::nn::functional::binary_cross_entropy(
                output.reconstruction, data,
                torch::nn::functional::BinaryCrossEntropyFuncOptions().reduction(torch::kSum));
            auto kl_divergence = -0.5 * torch::sum(1 + output.log_var - output.mu.pow(2) - output.log_var.exp());
            auto loss = reconstruction_loss + kl_divergence;
            optimizer.zero_grad();
            loss.backward();
            optimizer.step();
            total += loss.item<double>();
        }
        last = total / num_samples;
        std::cout << "Epoch [" << epoch + 1 << "], loss: " << last << "\n";
    }
    return last;
}

void write_picture(const torch::Tensor& picture, const std::string& file) {
    auto bytes = picture.mul(255).clamp(0, 255).to(torch::kU8).contiguous();
    std::ofstream out(file, std::ios::binary);
    out << "P5 8 8 255\n";
    out.write(reinterpret_cast<const char*>(bytes.data_ptr<uint8_t>()), bytes.numel());
}

int main(int argc, char** argv) {
    std::string folder = argc > 1 ? argv[1] : ".";
    torch::manual_seed(7);
    torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
    VAE model(64, 64, 8);
    model->to(device);
    torch::optim::Adam optimizer(model->parameters(), torch::optim::AdamOptions(1e-2));
    std::cout << std::fixed << std::setprecision(4);
    double last = train(model, optimizer, device);
    torch::save(model, folder + "/vae.pt");
    torch::save(optimizer, folder + "/adam.pt");

    VAE copy(64, 64, 8);
    torch::load(copy, folder + "/vae.pt");
    torch::optim::Adam again(copy->parameters(), torch::optim::AdamOptions(1e-2));
    torch::load(again, folder + "/adam.pt");
    copy->to(device);
    copy->eval();
    model->eval();
    torch::NoGradGuard no_grad;
    auto pictures = Bars(64).pictures().to(device);
    auto [ours, mu, log_var] = model->forward(pictures);
    bool same = torch::equal(ours, copy->forward(pictures).reconstruction);
    double error = (ours - pictures).abs().mean().item<double>();
    auto sampled = model->decode(torch::randn({4, 8}, device)).view({-1, 1, 8, 8});
    write_picture(sampled[0][0].cpu(), folder + "/sample.pgm");
    std::cout << "error: " << error << ", sampled " << sampled.sizes() << "\n"
              << torch::round(sampled[0][0]) << std::endl;
    return same && error < 0.1 && last < 30 ? 0 : 1;
}
