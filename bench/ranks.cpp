// Training on several ranks: a batch split over those that a launcher has started (reel-run, mpirun), or whole in one
// process. Rank 0 prints.
#include <cstdlib>
#include <functional>
#include <string>

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

/// Times are those of the slowest rank.
double slowest(double us) {
    const Tensor t = full({}, us, kDouble);
    if (dist::is_initialized()) dist::all_reduce(t, dist::kMax);
    return t.item<double>();
}

Tensor loss_of(const Tensor& out, const Tensor& y) {
    return cross_entropy(out.reshape({-1, out.size(-1)}), y.reshape({-1}));
}

/// What the buckets of a step cost when nothing goes on beside.
double communication_us(const dist::DistributedDataParallelImpl& ddp, int reps) {
    const NoGradGuard no_grad;
    std::vector<Tensor> buckets;
    for (const auto& b : ddp.buckets()) buckets.push_back(zeros({b.elements}));
    return slowest(median_us(
        [&] {
            std::vector<dist::Work> work;
            for (const Tensor& b : buckets) work.push_back(dist::all_reduce_async(b));
            for (const dist::Work& w : work) w.wait();
        },
        2, reps, 1));
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
    dist::DistributedDataParallel ddp{model, {.bucket_cap_mb = bucket_mb, .broadcast_buffers = false}};
    const auto step = [&] {
        optimizer.zero_grad();
        loss_of(ddp(x), y).backward();
        optimizer.step();
    };
    const double whole = slowest(median_us(step, 3, reps, 1));
    double local = 0;
    {
        const auto alone = ddp->no_sync();
        local = slowest(median_us(step, 1, reps, 1));
    }
    const double communication = communication_us(*ddp, reps);
    if (rank != 0) return;
    row(name.c_str(), whole);
    row((name + "_local").c_str(), local);
    row((name + "_communication").c_str(), communication);
    figure((name + "_hidden").c_str(), 100 * (1 - (whole - local) / communication), "%");
}

} // namespace

void ranks() {
    std::optional<dist::Session> session;
    if (launched()) session.emplace();
    {
        const auto m = std::make_shared<MLP>();
        optim::SGD o(m->parameters(), optim::SGDOptions(0.01).momentum(0.9));
        measure("ranks_mlp_784-512-512-10_b256_sgd", m, o, randn({256, 784}), randint(0, 10, {256}), 1, 31);
    }
    {
        const auto m = std::make_shared<ResNet>();
        optim::SGD o(m->parameters(), optim::SGDOptions(0.1).momentum(0.9));
        measure("ranks_resnet20_cifar_b64_sgd", m, o, randn({64, 3, 32, 32}), randint(0, 10, {64}), 0.1, 11);
    }
    {
        const auto m = std::make_shared<GPT>(128, 128, 256, 4, 8);
        optim::AdamW o(m->parameters(), optim::AdamWOptions(3e-4));
        measure("ranks_gpt_4L_256d_b16_t128_adamw", m, o, randint(0, 128, {16, 128}), randint(0, 128, {16, 128}), 1,
                11);
    }
}

} // namespace bench
