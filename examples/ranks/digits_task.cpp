// The digits: every rank has the whole net and visits its share of the images.
#include "task.hpp"

#include <cstdio>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/distributed/collectives.hpp>
#include <reel/distributed/data_parallel.hpp>
#include <reel/distributed/distributed_sampler.hpp>
#include <reel/distributed/session.hpp>

#include "../digits/data.hpp"

namespace ranks {

using namespace reel;

namespace {
constexpr std::int64_t batch = 32;

class DigitsTask final : public Task {
public:
    DigitsTask(const std::string& path, Device device)
        : digits_(digits::load_digits(path)), device_(device),
          net_(moved(nn::Sequential{nn::Flatten(), nn::Linear(64, 64), nn::ReLU(), nn::Linear(64, 10)}, device)),
          parallel_(net_), adam_(parallel_->parameters(), optim::AdamOptions(3e-3)),
          sampler_(std::int64_t(digits_.train.size().value())) {}
    std::string title() const override { return "Handwritten digits"; }
    std::string explanation() const override {
        return "Every rank has the whole net and every n-th image of an order that all draw alike. Gradients are "
               "averaged over the ranks while backward goes on, so that all nets stay the same, bit for bit.";
    }
    nn::Module& module() override { return *parallel_; }
    optim::Optimizer& optimizer() override { return adam_; }
    Tensor loss(std::int64_t) override {
        const auto [images, labels] = next();
        return cross_entropy(parallel_(images.to(device_)), labels.to(device_));
    }
    void add_to(distributed::checkpoint::State& state) override { state.add("sampler", sampler_); }
    std::pair<std::string, std::string> verdict() override {
        const NoGradGuard no_grad;
        const auto& all = digits_.test;
        const Tensor images = all.data(), labels = all.target();
        char text[16];
        std::snprintf(text, sizeof text, "%.1f %%",
                      100 * (argmax(net_(images.to(device_)), 1).cpu() == labels).to(kDouble).mean().item<double>());
        return {text, "of the held-out images are recognised"};
    }

private:
    static nn::Sequential moved(nn::Sequential net, Device device) {
        net->to(device);
        return net;
    }
    std::pair<Tensor, Tensor> next() {
        auto chosen = sampler_.next(batch);
        if (!chosen) {
            sampler_.set_epoch(sampler_.epoch() + 1);
            sampler_.reset();
            chosen = sampler_.next(batch);
        }
        const Tensor index = tensor(std::vector<std::int64_t>(chosen->begin(), chosen->end()));
        return {digits_.train.data().index_select(0, index), digits_.train.target().index_select(0, index)};
    }
    digits::Digits digits_;
    Device device_;
    nn::Sequential net_;
    distributed::DistributedDataParallel parallel_;
    optim::Adam adam_;
    distributed::DistributedSampler sampler_;
};
} // namespace

std::unique_ptr<Task> digits_task(const Options& options, Device device) {
    manual_seed(1);
    return std::make_unique<DigitsTask>(options.data, device);
}

} // namespace ranks
