// A rank of a small run that may die at any moment (D-43): `worker FOLDER STEPS [PAUSE_MS [TIMEOUT_S]]`. It goes
// on from FOLDER/checkpoint, and writes every step's loss to FOLDER/losses, the parameters to FOLDER/end. FOLDER/kills
// says where ranks die, each line once: `RANK STEP PHASE MICROSECONDS` from the beginning of forward, backward,
// optimizer or checkpoint, at their end at the latest.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/distributed/checkpoint.hpp>
#include <reel/distributed/collectives.hpp>
#include <reel/distributed/distributed_sampler.hpp>
#include <reel/distributed/fully_shard.hpp>
#include <reel/distributed/session.hpp>
#include <reel/nn.hpp>
#include <reel/optim.hpp>

using namespace reel;

namespace {

constexpr std::int64_t rows = 60, each_step = 12;

/// Inputs and targets that everybody knows.
std::pair<Tensor, Tensor> data() {
    Generator generator = reel::detail::createCPUGenerator(5);
    const Tensor x = reel::randn({rows, 6}, generator, kDouble);
    return {x, reel::tanh(x.matmul(reel::randn({6, 3}, generator, kDouble)))};
}
/// A phase of a step, which this rank may not survive.
class Phase {
public:
    Phase(const std::string& folder, std::int64_t step, const std::string& name) {
        std::ifstream kills(folder + "/kills");
        std::int64_t rank = 0, at = 0, microseconds = 0, line = 0;
        for (std::string phase; kills >> rank >> at >> phase >> microseconds; ++line) {
            if (rank != reel::distributed::rank() || at != step || phase != name) continue;
            // that it was done outlives this process
            const int mark = ::open((folder + "/killed-" + std::to_string(line)).c_str(), O_CREAT | O_EXCL, 0600);
            if (mark < 0) continue;
            ::close(mark);
            doomed_ = true;
            std::thread([microseconds] {
                std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
                ::kill(::getpid(), SIGKILL);
            }).detach();
        }
    }
    ~Phase() {
        if (doomed_) ::kill(::getpid(), SIGKILL);
    }
    Phase(const Phase&) = delete;

private:
    bool doomed_ = false;
};

/// The rows of this rank's next batch; nothing where an epoch ends.
std::optional<Tensor> next_rows(reel::distributed::DistributedSampler& sampler) {
    const auto batch = sampler.next(std::size_t(each_step / reel::distributed::world_size()));
    if (!batch) return std::nullopt;
    const Tensor index = reel::zeros({std::int64_t(batch->size())}, kLong);
    for (std::size_t i = 0; i < batch->size(); ++i)
        index.mutable_data_ptr<std::int64_t>()[i] = std::int64_t((*batch)[i]);
    return index;
}
/// What the saved model comes to.
void write_end(const std::string& folder, const std::string& saved) {
    std::ofstream end(folder + "/end");
    for (const auto& item : reel::distributed::checkpoint::read_tensors(saved))
        if (item.key().starts_with("model."))
            end << item.key() << " " << std::hexfloat << item->sum().item<double>() << " "
                << item->norm().item<double>() << "\n";
}

void train(const std::string& folder, std::int64_t steps, std::chrono::milliseconds pause,
           std::chrono::seconds timeout) {
    namespace dist = reel::distributed;
    const dist::Session session(dist::Backend::kSockets, {.timeout = timeout});
    const auto [x, y] = data();
    reel::manual_seed(1);
    nn::Sequential net{nn::Linear(6, 16), nn::Tanh(), nn::Linear(16, 3)};
    net->to(kDouble);
    dist::fully_shard(net);
    optim::Adam adam(net->parameters(), optim::AdamOptions(0.02));
    optim::StepLR schedule(adam, 10, 0.9);
    dist::DistributedSampler sampler(rows);
    Generator noise = reel::detail::createCPUGenerator(std::uint64_t(100 + dist::rank())); // each rank's own
    std::int64_t step = 0;
    dist::checkpoint::State state;
    state.add("model", net).add("optimizer", adam).add("schedule", schedule).add("sampler", sampler);
    state.add("noise", noise).add("step", step);
    const std::string saved = folder + "/checkpoint";
    if (dist::checkpoint::exists(saved)) dist::checkpoint::load(state, saved);
    else sampler.reset();
    std::ofstream losses(folder + "/losses", std::ios::app);
    while (step < steps) {
        const auto index = next_rows(sampler);
        if (!index) {
            sampler.set_epoch(sampler.epoch() + 1);
            sampler.reset();
            continue;
        }
        const Tensor input = x.index_select(0, *index);
        adam.zero_grad();
        Tensor loss;
        {
            const Phase forward(folder, step, "forward");
            loss = nn::functional::mse_loss(net(input + reel::randn({input.size(0), 6}, noise, kDouble) * 0.01),
                                            y.index_select(0, *index));
        }
        {
            const Phase backward(folder, step, "backward");
            loss.backward();
        }
        {
            const Phase optimizer(folder, step, "optimizer");
            adam.step();
        }
        schedule.step();
        const Tensor mean = loss.detach().clone();
        dist::all_reduce(mean, dist::kAvg);
        char line[96];
        std::snprintf(line, sizeof line, "%lld %a\n", static_cast<long long>(step), mean.item<double>());
        if (dist::rank() == 0) losses << line << std::flush;
        ++step;
        if (step % 2 == 0 || step == steps) {
            const Phase checkpoint(folder, step, "checkpoint");
            dist::checkpoint::save(state, saved);
        }
        std::this_thread::sleep_for(pause);
    }
    if (dist::rank() == 0) write_end(folder, saved);
    dist::barrier();
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    try {
        train(argv[1], std::atoll(argv[2]), std::chrono::milliseconds(argc > 3 ? std::atoi(argv[3]) : 0),
              std::chrono::seconds(argc > 4 ? std::atoi(argv[4]) : 20));
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "worker: rank " << (std::getenv("RANK") ? std::getenv("RANK") : "?") << ": " << e.what() << "\n";
        return 1;
    }
}
