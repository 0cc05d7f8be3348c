// Data: a data set of one's own, transforms, random numbers in worker threads, splits, weights, going on after a stop.
#include <cstdio>

#include <reel/reel.hpp>

#include "device.hpp"

using namespace reel;

/// Noisy pictures [1, 8, 8] with a bright bar, upright (class 0) or lying (class 1); made when they are asked for.
struct Bars : data::datasets::Dataset<Bars> {
    data::Example<> get(std::size_t index) override {
        const auto generator = make_generator<CPUGeneratorImpl>(index); // element i is always the same picture
        Tensor picture = 0.3 * randn({1, 8, 8}, generator);
        const std::int64_t label = std::int64_t(index % 4 == 0), place = std::int64_t(index / 4 % 8);
        picture.select(label == 0 ? 2 : 1, place) += 1;
        return {picture, tensor(label)};
    }
    optional<std::size_t> size() const override { return 512; }
};

int main(int argc, char** argv) {
    const Device device = device_of(argc, argv);
    manual_seed(0);

    // Two parts without common elements; transforms for each of them.
    const auto parts = data::random_split(Bars(), {0.75, 0.25});
    const auto noise = [](Tensor t) { return t + 0.1 * randn(t.sizes(), data::batch_generator()); };
    auto train = parts[0]
                     .map(data::transforms::TensorLambda<>(noise))
                     .map(data::transforms::Normalize<>(0.125, 0.45))
                     .map(data::transforms::Stack<>());
    auto test = parts[1].map(data::transforms::Normalize<>(0.125, 0.45)).map(data::transforms::Stack<>());

    // One class is rare: draw it as often as the other.
    std::vector<double> weights;
    for (const std::size_t i : parts[0].indices()) weights.push_back(i % 4 == 0 ? 3 : 1);
    const auto loader = data::make_data_loader(train, data::samplers::WeightedRandomSampler(weights, weights.size()),
                                               data::DataLoaderOptions(32).workers(2).drop_last(true));
    const auto test_loader = data::make_data_loader<data::samplers::SequentialSampler>(test, 64);

    nn::Sequential net{nn::Flatten(), nn::Linear(64, 32), nn::ReLU(), nn::Linear(32, 2)};
    net->to(device);
    optim::Adam adam(net->parameters(), optim::AdamOptions(1e-2));
    for (int epoch = 0; epoch < 5; ++epoch) {
        double rare = 0, seen = 0;
        for (data::Example<>& batch : *loader) {
            adam.zero_grad();
            cross_entropy(net(batch.data.to(device)), batch.target.to(device)).backward();
            adam.step();
            rare += batch.target.sum().item<double>();
            seen += double(batch.target.numel());
        }
        if (epoch == 0) std::printf("of the rare class: %.0f %%\n", 100 * rare / seen);
    }
    NoGradGuard no_grad;
    double right = 0;
    for (auto& batch : *test_loader)
        right += (argmax(net(batch.data.to(device)), 1).cpu() == batch.target).sum().item<double>();
    std::printf("right: %.0f %%\n", 100 * right / double(*test.size()));

    // Where a random order stood can be saved, and the rest of it comes in another run.
    data::samplers::RandomSampler order(10), restored(10);
    order.next(7);
    restored.load_state_dict(order.state_dict());
    std::printf("the same rest: %s\n", order.next(3) == restored.next(3) ? "yes" : "no");
}
