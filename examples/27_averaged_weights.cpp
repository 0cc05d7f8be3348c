// Averages of weights, and layers that learn the size of their input.
#include <cstdio>

#include <reel/reel.hpp>

#include "device.hpp"

using namespace reel;

int main(int argc, char** argv) {
    const Device device = device_of(argc, argv);
    namespace swa_utils = optim::swa_utils;
    manual_seed(0);
    const Tensor x = randn({64, 5}).to(device), y = x.sum(1, true).sin();

    nn::Sequential net{nn::LazyLinear(32), nn::LazyBatchNorm1d(), nn::Tanh(), nn::LazyLinear(1)};
    net->to(device);
    net(x); // from here on they are Linear(5, 32), BatchNorm1d(32) and Linear(32, 1)

    swa_utils::AveragedModel ema(net, {.avg_fn = swa_utils::get_ema_avg_fn(0.9)});
    swa_utils::AveragedModel mean(net);
    optim::SGD optimizer(net->parameters(), optim::SGDOptions(0.1));
    optim::SWALR schedule(optimizer, 0.05);
    for (int step = 0; step < 200; ++step) {
        optimizer.zero_grad();
        mse_loss(net(x + 0.3 * randn_like(x)), y).backward();
        optimizer.step();
        ema->update_parameters(net);
        if (step >= 100) {
            mean->update_parameters(net);
            schedule.step();
        }
    }
    swa_utils::update_bn(x.split(16), mean); // its moments were those of other weights

    NoGradGuard no_grad;
    for (nn::Module* m : {static_cast<nn::Module*>(net.get()), static_cast<nn::Module*>(ema.get()),
                          static_cast<nn::Module*>(mean.get())})
        m->eval();
    const double last = mse_loss(net(x), y).item<double>(), moving = mse_loss(ema(x), y).item<double>(),
                 averaged = mse_loss(mean(x), y).item<double>();
    std::printf("last %.3f, moving average %.3f, mean of %lld %.3f\n", last, moving,
                static_cast<long long>(mean->n_averaged.item<std::int64_t>()), averaged);
    return averaged < 0.5 && moving < 0.5 ? 0 : 1;
}
