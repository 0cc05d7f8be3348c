// More than one machine: averaged gradients, spread parameters and state, a share of the data, checkpoints of all
// ranks.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <reel/distributed.hpp>
#include <reel/reel.hpp>

using namespace reel;

/// Inputs, and what a net that nobody knows makes of them.
std::pair<Tensor, Tensor> samples() {
    const auto generator = make_generator<CPUGeneratorImpl>(1);
    const Tensor x = randn({240, 6}, generator);
    return {x, tanh(x.matmul(randn({6, 3}, generator)))};
}
nn::Sequential small_net() { return nn::Sequential{nn::Linear(6, 32), nn::Tanh(), nn::Linear(32, 3)}; }

/// The rows that a sampler's request names; the next pass begins when one is over.
Tensor next_rows(distributed::DistributedSampler& sampler, std::size_t n) {
    auto chosen = sampler.next(n);
    if (!chosen) {
        sampler.set_epoch(sampler.epoch() + 1);
        sampler.reset();
        chosen = sampler.next(n);
    }
    return tensor(std::vector<std::int64_t>(chosen->begin(), chosen->end()));
}

/// One wrapper: every rank has the net, gradients are averaged.
void averaged_gradients() {
    const auto [x, y] = samples();
    nn::Sequential net = small_net();
    distributed::DistributedDataParallel parallel(net);
    optim::Adam adam(parallel->parameters(), 1e-2);
    distributed::DistributedSampler sampler(x.size(0)); // this rank's share, in an order that all draw alike
    double last = 0;
    for (int step = 0; step < 60; ++step) {
        const Tensor rows = next_rows(sampler, 20);
        adam.zero_grad();
        const Tensor loss = mse_loss(parallel(x.index_select(0, rows)), y.index_select(0, rows));
        loss.backward(); // each .grad is the mean over the ranks now
        adam.step();
        last = loss.item<double>();
    }
    if (distributed::rank() == 0) std::printf("averaged gradients: loss %.4f\n", last);
}

/// Every rank has its rows of each parameter, and of what the optimizer knows of it.
void spread_parameters(const std::string& folder) {
    const auto [x, y] = samples();
    nn::Sequential net = small_net();
    distributed::fully_shard(net);
    optim::Adam adam(net->parameters(), 1e-2);
    distributed::DistributedSampler sampler(x.size(0));
    std::int64_t step = 0;

    distributed::checkpoint::State state;
    state.add("model", net).add("optimizer", adam).add("sampler", sampler).add("step", step);
    if (distributed::checkpoint::exists(folder)) distributed::checkpoint::load(state, folder);
    for (const std::int64_t end = step + 30; step < end; ++step) {
        const Tensor rows = next_rows(sampler, 20);
        adam.zero_grad();
        mse_loss(net(x.index_select(0, rows)), y.index_select(0, rows)).backward();
        distributed::clip_grad_norm_(net->parameters(), 1.0);
        adam.step();
    }
    distributed::checkpoint::save(state, folder);
    const Tensor weight = net->parameters()[0];
    if (distributed::rank() == 0)
        std::printf("after step %d, on %d ranks: rank 0 has %d rows of the first layer's %d\n", int(step),
                    int(distributed::world_size()), int(weight.size(0)), int(distributed::shard_of(weight)->sizes[0]));
}

/// The net stays whole on every rank, the optimizer's state does not.
void spread_state() {
    nn::Sequential net = small_net();
    distributed::DistributedDataParallel parallel(net);
    distributed::ZeroRedundancyOptimizer<optim::Adam> adam(parallel->parameters(), {}, optim::AdamOptions(1e-2));
    const auto [x, y] = samples();
    mse_loss(parallel(x), y).backward();
    adam.step();
    if (distributed::rank() == 0) std::printf("rank 0 keeps the state of %zu of 4 parameters\n", adam.state().size());
}

int main() {
    // The same functions run as threads of one process here, and as processes under reel-run or mpirun.
    manual_seed(0);
    distributed::spawn(2, [](std::int64_t) { averaged_gradients(); });
    distributed::spawn(2, [](std::int64_t) { spread_state(); });

    char folder[] = "/tmp/reel-ranks-XXXXXX";
    if (!mkdtemp(folder)) return 1;
    for (const std::int64_t ranks : {2, 3}) // what two ranks saved, three go on with
        distributed::spawn(ranks, [&](std::int64_t) { spread_parameters(folder); });

    // And one process reads it whole.
    nn::Sequential whole = small_net();
    distributed::checkpoint::State state;
    state.add("model", whole);
    distributed::checkpoint::load(state, folder);
    const auto [x, y] = samples();
    std::printf("one process, the whole net: loss %.4f\n", mse_loss(whole(x), y).item<double>());
    std::filesystem::remove_all(folder);
}
