// In libtorch's spelling: a generator and a discriminator take turns; a checkpoint is written and read. The folder to
// write to is the argument.
#include <torch/torch.h>

#include <cmath>
#include <cstdio>
#include <string>

const int64_t kNoiseSize = 16, kBatchSize = 16, kImages = 64;

struct DCGANGeneratorImpl : torch::nn::Module {
    DCGANGeneratorImpl(int kNoiseSize)
        : conv1(torch::nn::ConvTranspose2dOptions(kNoiseSize, 32, 4).bias(false)), batch_norm1(32),
          conv2(torch::nn::ConvTranspose2dOptions(32, 16, 3).stride(2).padding(1).bias(false)), batch_norm2(16),
          conv3(torch::nn::ConvTranspose2dOptions(16, 1, 4).stride(2).padding(1).bias(false)) {
        register_module("conv1", conv1);
        register_module("conv2", conv2);
        register_module("conv3", conv3);
        register_module("batch_norm1", batch_norm1);
        register_module("batch_norm2", batch_norm2);
    }
    torch::Tensor forward(torch::Tensor x) {
        x = torch::relu(batch_norm1(conv1(x)));
        x = torch::relu(batch_norm2(conv2(x)));
        x = torch::tanh(conv3(x));
        return x;
    }
    torch::nn::ConvTranspose2d conv1;
    torch::nn::BatchNorm2d batch_norm1;
    torch::nn::ConvTranspose2d conv2;
    torch::nn::BatchNorm2d batch_norm2;
    torch::nn::ConvTranspose2d conv3;
};
TORCH_MODULE(DCGANGenerator);

torch::nn::Sequential create_discriminator() {
    return torch::nn::Sequential(
        torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 16, 4).stride(2).padding(1).bias(false)),
        torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(0.2)),
        torch::nn::Conv2d(torch::nn::Conv2dOptions(16, 32, 4).stride(2).padding(1).bias(false)),
        torch::nn::BatchNorm2d(32), torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(0.2)),
        torch::nn::Conv2d(torch::nn::Conv2dOptions(32, 1, 3).stride(1).padding(0).bias(false)), torch::nn::Sigmoid());
}

/// Bright discs on a dark ground.
struct Discs : torch::data::datasets::Dataset<Discs> {
    torch::data::Example<> get(size_t index) override {
        auto axis = torch::linspace(-1, 1, 14);
        auto distance = (axis.pow(2).unsqueeze(0) + axis.pow(2).unsqueeze(1)).sqrt();
        auto image = (distance < 0.4 + 0.005 * static_cast<double>(index)).to(torch::kFloat) * 2 - 1;
        return {image.unsqueeze(0), torch::zeros({})};
    }
    std::optional<size_t> size() const override { return kImages; }
};

int main(int, char** argv) {
    torch::manual_seed(1);
    const std::string folder = argv[1];
    torch::Device device(torch::kCPU);
    DCGANGenerator generator(kNoiseSize);
    generator->to(device);
    torch::nn::Sequential discriminator = create_discriminator();
    discriminator->to(device);
    auto data_loader =
        torch::data::make_data_loader(Discs().map(torch::data::transforms::Stack<>()),
                                      torch::data::DataLoaderOptions().batch_size(kBatchSize).workers(2));
    torch::optim::Adam generator_optimizer(generator->parameters(),
                                           torch::optim::AdamOptions(2e-4).betas(std::make_tuple(0.5, 0.5)));
    torch::optim::Adam discriminator_optimizer(discriminator->parameters(),
                                               torch::optim::AdamOptions(2e-4).betas(std::make_tuple(0.5, 0.5)));
    torch::Tensor d_loss, g_loss;
    for (int64_t epoch = 1; epoch <= 3; ++epoch)
        for (const torch::data::Example<>& batch : *data_loader) {
            discriminator->zero_grad();
            torch::Tensor real_images = batch.data.to(device);
            torch::Tensor real_labels = torch::empty(batch.data.size(0), device).uniform_(0.8, 1.0);
            torch::Tensor real_output = discriminator->forward(real_images).reshape(real_labels.sizes());
            torch::Tensor d_loss_real = torch::binary_cross_entropy(real_output, real_labels);
            d_loss_real.backward();

            torch::Tensor noise = torch::randn({batch.data.size(0), kNoiseSize, 1, 1}, device);
            torch::Tensor fake_images = generator->forward(noise);
            torch::Tensor fake_labels = torch::zeros(batch.data.size(0), device);
            torch::Tensor fake_output = discriminator->forward(fake_images.detach()).reshape(fake_labels.sizes());
            torch::Tensor d_loss_fake = torch::binary_cross_entropy(fake_output, fake_labels);
            d_loss_fake.backward();
            d_loss = d_loss_real + d_loss_fake;
            discriminator_optimizer.step();

            generator->zero_grad();
            fake_labels.fill_(1);
            fake_output = discriminator->forward(fake_images).reshape(fake_labels.sizes());
            g_loss = torch::binary_cross_entropy(fake_output, fake_labels);
            g_loss.backward();
            generator_optimizer.step();
        }
    std::printf("losses %.4f and %.4f\n", d_loss.item<float>(), g_loss.item<float>());

    torch::save(generator, folder + "/generator.pt");
    torch::save(generator_optimizer, folder + "/generator-optimizer.pt");
    DCGANGenerator restored(kNoiseSize);
    torch::load(restored, folder + "/generator.pt");
    torch::optim::Adam restored_optimizer(restored->parameters(), torch::optim::AdamOptions(2e-4));
    torch::load(restored_optimizer, folder + "/generator-optimizer.pt");
    generator->eval();
    restored->eval();
    torch::Tensor noise = torch::randn({2, kNoiseSize, 1, 1});
    const bool same = torch::equal(generator(noise), restored(noise));
    return same && std::isfinite(g_loss.item<float>()) && generator(noise).size(3) == 14 ? 0 : 1;
}
