// A checkpoint that Python wrote: load the net, its optimizer and its schedule, and go on where Python stopped.
// `examples/data/make_from_python.py` wrote the file, with the losses of the epoch that Python would run next.
#include <cmath>
#include <cstdio>
#include <string>

#include <reel/reel.hpp>

using namespace reel;

int main(int argc, char** argv) {
    const std::string folder = argc > 1 ? argv[1] : "examples/data";
    const Tensor table = data::read_csv(folder + "/digits.csv.gz");
    const Tensor images = table.narrow(1, 0, 64) / 16.0, target = table.select(1, 64).to(kLong);

    nn::Sequential net{nn::Linear(64, 32), nn::BatchNorm1d(32), nn::ReLU(), nn::Linear(32, 10)};
    optim::AdamW optimizer(net->parameters(), 0.01);
    optim::StepLR schedule(optimizer, 2, 0.5);

    const Value file = load(folder + "/from_python.pt"); // data only: nothing in the file is run
    const ValueDict& checkpoint = file.toGenericDict();
    net->load_state_dict(checkpoint.at("model"));
    optimizer.load_state_dict(checkpoint.at("optimizer"));
    schedule.load_state_dict(checkpoint.at("schedule"));
    std::printf("Python stopped after epoch %lld at a rate of %g\n", (long long)checkpoint.at("epoch").toInt(),
                optimizer.param_groups()[0].options().get_lr());

    double furthest = 0;
    const auto expected = checkpoint.at("next_losses").elements();
    for (std::size_t batch = 0; batch < expected.size(); ++batch) {
        optimizer.zero_grad();
        const Tensor x = images.narrow(0, batch * 100, 100), y = target.narrow(0, batch * 100, 100);
        const Tensor loss = cross_entropy(net(x), y);
        loss.backward();
        optimizer.step();
        const double here = loss.item<double>(), there = expected[batch].toDouble();
        furthest = std::max(furthest, std::fabs(here - there));
        if (batch % 5 == 0) std::printf("batch %2zu  loss here %.6f, in Python %.6f\n", batch, here, there);
    }
    std::printf("furthest apart: %.1e\n", furthest);
    return furthest < 1e-4 ? 0 : 1;
}
