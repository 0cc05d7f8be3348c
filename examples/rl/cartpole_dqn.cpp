// A pole is balanced by n-step double deep Q-learning; the target network is frozen between two updates, provably.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

#include <reel/reel.hpp>
#include <reel/rl.hpp>

#include "common/charts.hpp"
#include "common/checkpoint.hpp"
#include "common/episodes.hpp"
#include "common/history.hpp"
#include "common/options.hpp"
#include "common/progress.hpp"
#include "common/report.hpp"

namespace {

using namespace reel;
using agents::format;
using autograd::variable_list;

constexpr const char* program = "cartpole_dqn";
constexpr std::int64_t environments = 8, frames_per_batch = 128, batch_size = 128, buffer_size = 50000,
                       warm_up = 1024, updates_per_batch = 32, target_every = 64, evaluate_every = 2048, limit = 500,
                       hidden = 128;
constexpr double gamma_ = 0.99, rate = 1e-3, good_enough = 495;
constexpr std::int64_t n_steps = 3;

rl::EnvPtr cart_poles(std::vector<std::int64_t> batch) {
    return rl::GymEnv("CartPole-v1",
                      rl::GymEnvOptions().batch_size(std::move(batch)).categorical_action_encoding(true));
}

/// The norm of what arrives at each layer in backward, averaged until it is taken.
class GradientNorms {
public:
    explicit GradientNorms(nn::Module& network) {
        for (const auto& [path, module] : network.module_items({}, true)) {
            if (!module->as<nn::Linear>()) continue;
            norms_.push_back(std::make_unique<Norm>(Norm{"layer " + std::to_string(norms_.size() + 1)}));
            Norm* norm = norms_.back().get();
            handles_.push_back(module->register_full_backward_hook(
                [norm, this](nn::Module&, const variable_list&, const variable_list& grad_output) {
                    if (!listening || !grad_output[0].defined()) return;
                    const NoGradGuard no_grad;
                    norm->sum += linalg_vector_norm(grad_output[0]).item<double>();
                    ++norm->count;
                }));
        }
    }
    void take(agents::History& history, double frames) {
        for (const auto& n : norms_) {
            if (n->count) history.add("gradient at " + n->layer, frames, n->sum / n->count);
            n->sum = n->count = 0;
        }
    }
    bool listening = true;

private:
    struct Norm {
        std::string layer;
        double sum = 0;
        int count = 0;
    };
    std::vector<std::unique_ptr<Norm>> norms_;
    std::vector<RemovableHandle> handles_;
};

/// The target network: frozen for good except while it is replaced; before that, every byte is compared.
class Target {
public:
    Target(const rl::DQNLoss& loss, optim::Optimizer& optimizer)
        : network_(loss->target_value_network().module()), updater_(loss, 1), optimizer_(&optimizer) {}
    void freeze() {
        inspect::FreezeOptions options;
        options.optimizers = {optimizer_};
        guard_.emplace(inspect::freeze(*network_, options));
    }
    void refresh() {
        verify();
        guard_.reset();
        updater_.step();
        freeze();
    }
    void verify() {
        const inspect::FreezeReport found = guard_->verify();
        ++periods;
        bytes += std::int64_t(found.bytes);
        differences += std::int64_t(found.differences.size());
        attempts += std::int64_t(found.attempts.size());
    }
    /// What happens to somebody who writes all the same.
    std::string refusal() {
        try {
            network_->parameters().front().add_(1);
        } catch (const inspect::PinnedError& e) {
            return e.msg();
        }
        return "(nothing)";
    }
    std::int64_t periods = 0, bytes = 0, differences = 0, attempts = 0;

private:
    nn::ModulePtr network_;
    rl::HardUpdate updater_;
    optim::Optimizer* optimizer_;
    std::optional<inspect::FreezeGuard> guard_;
};

class Agent {
public:
    explicit Agent(const agents::RunOptions& options)
        : options_(options), network_(make_network()), explore_(make_exploration(network_, options.frames)),
          loss_(network_, rl::DQNLossOptions().double_dqn(true).loss_function("smooth_l1").gamma(gamma_)),
          optimizer_(network_->parameters(), optim::AdamOptions(rate)), target_(loss_, optimizer_),
          norms_(*network_), collector_(cart_poles({environments}), explore_policy(), rl::CollectorOptions(frames_per_batch)),
          buffer_(make_buffer()) {
        collector_.set_seed(std::int64_t(options.seed));
        if (options.resume) load();
        target_.freeze();
    }
    void run();
    double evaluate(std::int64_t episodes, std::int64_t seed);
    agents::Report report(double mean_return);

private:
    static rl::QValueActor make_network() {
        const auto spec = cart_poles({})->action_spec();
        return rl::QValueActor(rl::MLP(rl::MLPOptions(4, 2).num_cells({hidden, hidden}).activation_class(rl::module_class<nn::ReLU>())),
                               {"observation"}, rl::QValueActorOptions().spec(spec));
    }
    static rl::EGreedyModule make_exploration(const rl::QValueActor&, std::int64_t) {
        return rl::EGreedyModule(cart_poles({environments})->action_spec(), rl::EGreedyModuleOptions().eps_init(1).eps_end(0.04).annealing_num_steps(8000));
    }
    rl::Policy explore_policy() {
        return [network = network_, explore = explore_](rl::TensorDict td) { return explore(network(std::move(td))); };
    }
    static std::unique_ptr<rl::TensorDictReplayBuffer> make_buffer() {
        auto returns = std::make_shared<rl::MultiStepTransform>(rl::MultiStepOptions(gamma_, n_steps - 1).move_done(true));
        returns->flattens = true;
        return std::make_unique<rl::TensorDictReplayBuffer>(
            rl::TensorDictReplayBufferOptions().storage(rl::LazyTensorStorage(buffer_size)).batch_size(batch_size).transform(returns));
    }
    void learn();
    void save() const;
    void load();

    agents::RunOptions options_;
    rl::QValueActor network_;
    rl::EGreedyModule explore_;
    rl::DQNLoss loss_;
    optim::Adam optimizer_;
    Target target_;
    GradientNorms norms_;
    rl::Collector collector_;
    std::unique_ptr<rl::TensorDictReplayBuffer> buffer_;
    agents::History history_;
    nn::StateDict best_;
    double best_return_ = -1;
    std::int64_t updates_ = 0;
    bool solved_ = false;
};

void Agent::learn() {
    double sum = 0, value = 0;
    for (std::int64_t i = 0; i < updates_per_batch; ++i) {
        const rl::TensorDict sample = buffer_->sample();
        optimizer_.zero_grad();
        norms_.listening = i % 8 == 0;
        const Tensor loss = loss_(sample)["loss"];
        loss.backward();
        nn::utils::clip_grad_norm_(network_->parameters(), 10);
        optimizer_.step();
        if (++updates_ % target_every == 0) target_.refresh();
        sum += loss.item<double>();
    }
    (void)value;
    const double frames = double(collector_.frames());
    history_.add("loss", frames, sum / double(updates_per_batch));
    norms_.take(history_, frames);
}
void Agent::run() {
    agents::Progress progress(options_.frames, options_.seconds, collector_.frames());
    std::int64_t saved = collector_.frames(), evaluated = collector_.frames();
    while (collector_.frames() < options_.frames && !progress.time_is_up() && !solved_) {
        const rl::TensorDict batch = *collector_.next();
        const std::int64_t frames = collector_.frames();
        buffer_->extend(batch.select({"observation", "action", "next"}));
        explore_->step(frames_per_batch);
        if (buffer_->size() >= warm_up) learn();
        if (frames - evaluated >= evaluate_every) {
            evaluated = frames;
            const double mean = evaluate(50, 1000);
            history_.add("return", double(frames), mean);
            std::printf("%ld %f %f loss %f\n", (long)frames, progress.seconds(), mean, history_.mean_of_last("loss", 10));
            if (mean > best_return_) {
                best_return_ = mean;
            }
            if (mean >= good_enough) solved_ = true;
        }
        (void)saved;
    }
}
double Agent::evaluate(std::int64_t episodes, std::int64_t seed) {
    const rl::EnvPtr env = cart_poles({episodes});
    env->set_seed(seed);
    return agents::mean_of(agents::episode_returns(*env, [this](rl::TensorDict td) { return network_(std::move(td)); }, limit));
}
void Agent::save() const {}
void Agent::load() {}

int run(const agents::RunOptions& options) {
    manual_seed(options.seed);
    Agent agent(options);
    agent.run();
    const double mean = agent.evaluate(options.episodes, 77);
    std::printf("mean return %.1f\n", mean);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    agents::RunOptions defaults;
    defaults.frames = 100000;
    defaults.seconds = 55;
    defaults.save_every = 8192;
    return agents::run_agent(argc, argv, "Learns to balance a pole by n-step double deep Q-learning.", defaults, run);
}
