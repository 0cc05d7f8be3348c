// Training on several ranks: a batch split over those that a launcher has started (reel-run, mpirun), or whole in one
// process. Rank 0 prints.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <reel/autograd/grad_mode.hpp>
#include <reel/distributed.hpp>
#include <reel/optim/adamw.hpp>
#include <reel/optim/sgd.hpp>

#include "bench.hpp"
#include "models.hpp"

namespace bench {

namespace {

namespace dist = reel::distributed;

bool launched() { return std::getenv("WORLD_SIZE") || std::getenv("OMPI_COMM_WORLD_SIZE"); }

/// Microseconds of each round, by kind. Kinds take turns, so that what else the machine does meets all of them alike.
std::vector<std::vector<double>> in_turns(const std::vector<std::function<void()>>& kinds, int rounds) {
    std::vector<std::vector<double>> taken(kinds.size());
    for (int round = -2; round < rounds; ++round)
        for (std::size_t k = 0; k < kinds.size(); ++k) {
            dist::barrier();
            const double us = median_us(kinds[k], 0, 1, 1);
            if (round >= 0) taken[k].push_back(us);
        }
    return taken;
}
/// Of each round, the slowest rank's.
std::vector<double> slowest(const std::vector<double>& us) {
    const Tensor t = zeros({std::int64_t(us.size())}, kDouble);
    std::ranges::copy(us, t.mutable_data_ptr<double>());
    dist::all_reduce(t, dist::kMax);
    return {t.data_ptr<double>(), t.data_ptr<double>() + t.numel()};
}
double quartile(std::vector<double> values, int which) {
    std::ranges::sort(values);
    return values[(values.size() - 1) * std::size_t(which) / 4];
}

Tensor loss_of(const Tensor& out, const Tensor& y) {
    return cross_entropy(out.reshape({-1, out.size(-1)}), y.reshape({-1}));
}

/// The buckets of a step with nothing going on beside.
std::function<void()> communication_of(const dist::DistributedDataParallelImpl& ddp) {
    std::vector<Tensor> buckets;
    for (const auto& b : ddp.buckets()) buckets.push_back(zeros({b.elements}));
    return [buckets = std::move(buckets)] {
        std::vector<dist::Work> work;
        for (const Tensor& b : buckets) work.push_back(dist::all_reduce_async(b));
        for (const dist::Work& w : work) w.wait();
    };
}

/// A row of `model`, which gets the rank's part of the batch. Buckets are small enough that the first go out early: the
/// models are.
template <class Model, class Optimizer>
void measure(const std::string& name, std::shared_ptr<Model> model, Optimizer& optimizer, Tensor x, Tensor y,
             double bucket_mb, int reps) {
    if (!wanted(name.c_str())) return;
    const std::int64_t n = dist::is_initialized() ? dist::world_size() : 1;
    if (n == 1) {
        const double us = median_us(
            [&] {
                optimizer.zero_grad();
                loss_of(model->forward(x), y).backward();
                optimizer.step();
            },
            3, reps, 1);
        row(name.c_str(), us);
        return;
    }
    const std::int64_t rows = x.size(0) / n, rank = dist::rank();
    x = x.narrow(0, rows * rank, rows).contiguous();
    y = y.narrow(0, rows * rank, rows).contiguous();
    dist::DistributedDataParallel ddp{
        model, {.bucket_cap_mb = bucket_mb, .broadcast_buffers = false, .gradient_as_bucket_view = true}};
    const auto step = [&] {
        optimizer.zero_grad();
        loss_of(ddp(x), y).backward();
        optimizer.step();
    };
    step(); // after which the buckets are what they will be
    const auto alone = [&] {
        const auto no_sync = ddp->no_sync();
        step();
    };
    std::vector<double> hidden;
    const auto counted = [&] {
        step();
        const dist::ReductionTimes t = ddp->last_reduction();
        hidden.push_back(100 * t.backward_compute_comm_overlap / t.backward_comm);
    };
    const auto taken = in_turns({counted, alone, communication_of(*ddp)}, reps);
    const auto whole = slowest(taken[0]), local = slowest(taken[1]), communication = slowest(taken[2]);
    if (rank != 0) return;
    row(name.c_str(), quartile(whole, 1));
    row((name + "_local").c_str(), quartile(local, 1)); // what two ranks take that say nothing to each other
    row((name + "_communication").c_str(), quartile(communication, 1));
    figure((name + "_hidden").c_str(), quartile(hidden, 2), "%");
    figure((name + "_hidden_lower_quartile").c_str(), quartile(hidden, 1), "%");
    figure((name + "_hidden_upper_quartile").c_str(), quartile(hidden, 3), "%");
}

} // namespace

void ranks() {
    std::optional<dist::Session> session;
    if (launched()) session.emplace();
    for (const std::int64_t rows : {256, 2048}) { // the optimizer and the communication do not shrink with the batch
        const auto m = std::make_shared<MLP>();
        optim::SGD o(m->parameters(), optim::SGDOptions(0.01).momentum(0.9));
        measure("ranks_mlp_784-512-512-10_b" + std::to_string(rows) + "_sgd", m, o, randn({rows, 784}),
                randint(0, 10, {rows}), 1, rows > 1000 ? 31 : 61);
    }
    {
        const auto m = std::make_shared<ResNet>();
        optim::SGD o(m->parameters(), optim::SGDOptions(0.1).momentum(0.9));
        measure("ranks_resnet20_cifar_b64_sgd", m, o, randn({64, 3, 32, 32}), randint(0, 10, {64}), 0.1, 21);
    }
    {
        const auto m = std::make_shared<GPT>(128, 128, 256, 4, 8);
        optim::AdamW o(m->parameters(), optim::AdamWOptions(3e-4));
        measure("ranks_gpt_4L_256d_b16_t128_adamw", m, o, randint(0, 128, {16, 128}), randint(0, 128, {16, 128}), 1,
                21);
    }
    ranks_memory();
}

} // namespace bench
