// A pole is balanced by n-step double deep Q-learning; the target network is frozen between two updates, provably.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include <reel/reel.hpp>
#include <reel/rl.hpp>

#include "common/charts.hpp"
#include "common/checkpoint.hpp"
#include "common/episodes.hpp"
#include "common/frozen_target.hpp"
#include "common/gradient_norms.hpp"
#include "common/history.hpp"
#include "common/options.hpp"
#include "common/progress.hpp"
#include "common/report.hpp"
#include "common/train_and_judge.hpp"

namespace {

using namespace reel;
using agents::format;

constexpr const char* program = "cartpole_dqn";
constexpr std::int64_t environments = 8, frames_per_batch = 128, updates_per_batch = 32, batch_size = 128;
constexpr std::int64_t buffer_size = 50000, warm_up = 1024, n_steps = 3, target_every = 64;
constexpr std::int64_t evaluate_every = 2048, episode_limit = 500, hidden = 128;
constexpr double discount = 0.99, rate = 1e-3, largest_gradient = 10;
/// Training ends when two evaluations, over other episodes each, reach it.
constexpr double good_enough = 495, goal = 475;

rl::EnvPtr cart_poles(std::vector<std::int64_t> batch) {
    return rl::GymEnv("CartPole-v1",
                      rl::GymEnvOptions().batch_size(std::move(batch)).categorical_action_encoding(true));
}

rl::QValueActor make_network() {
    const auto layers = rl::MLPOptions(4, 2).num_cells({hidden, hidden}).activation_class(rl::module_class<nn::ReLU>());
    return rl::QValueActor(rl::MLP(layers), {"observation"},
                           rl::QValueActorOptions().spec(cart_poles({})->action_spec()));
}
/// Frames come with the rewards and the observation of `n_steps` steps.
rl::TensorDictReplayBufferOptions buffer_options() {
    auto returns =
        std::make_shared<rl::MultiStepTransform>(rl::MultiStepOptions(discount, n_steps - 1).move_done(true));
    returns->flattens = true;
    return rl::TensorDictReplayBufferOptions()
        .storage(rl::LazyTensorStorage(buffer_size))
        .batch_size(batch_size)
        .transform(returns);
}

class Agent {
public:
    explicit Agent(const agents::RunOptions& options)
        : options_(options), network_(make_network()),
          explore_(cart_poles({environments})->action_spec(),
                   rl::EGreedyModuleOptions().eps_init(1).eps_end(0.04).annealing_num_steps(8000)),
          loss_(network_, rl::DQNLossOptions().double_dqn(true).loss_function("smooth_l1").gamma(discount)),
          optimizer_(network_->parameters(), optim::AdamOptions(rate)),
          target_(*loss_, loss_->target_value_network().module(), optimizer_), norms_(*network_),
          collector_(rl::TransformedEnv(cart_poles({environments}), rl::RewardSum()), exploring(),
                     rl::CollectorOptions(frames_per_batch)),
          buffer_(buffer_options()) {
        collector_.set_seed(std::int64_t(options.seed));
        if (options.resume) load();
        target_.freeze();
    }
    void run();
    /// Mean return of the greedy policy over episodes that `seed` chooses.
    double evaluate(std::int64_t episodes, std::int64_t seed) {
        const rl::EnvPtr env = cart_poles({episodes});
        env->set_seed(seed);
        return agents::mean_of(agents::episode_returns(*env, greedy(), episode_limit));
    }
    void write_report(double mean_return);
    std::int64_t frames() const { return collector_.frames(); }

private:
    rl::Policy greedy() {
        return [this](rl::TensorDict td) { return network_(std::move(td)); };
    }
    rl::Policy exploring() {
        return [this](rl::TensorDict td) { return explore_(network_(std::move(td))); };
    }
    void learn();
    void note_returns(const rl::TensorDict& batch);
    void judge(agents::Progress& progress);
    Tensor values(const Tensor& observations);
    std::string state_map(const std::string& title, bool preference);
    void save();
    void load();

    agents::RunOptions options_;
    rl::QValueActor network_;
    rl::EGreedyModule explore_;
    rl::DQNLoss loss_;
    optim::Adam optimizer_;
    agents::FrozenTarget target_;
    agents::GradientNorms norms_;
    rl::Collector collector_;
    rl::TensorDictReplayBuffer buffer_;
    agents::History history_;
    Value best_; ///< state of the network that did best so far
    double best_return_ = -1;
    std::int64_t updates_ = 0;
    bool solved_ = false;
};

void Agent::learn() {
    double sum = 0;
    for (std::int64_t i = 0; i < updates_per_batch; ++i) {
        const rl::TensorDict sample = buffer_.sample();
        norms_.listening = i % 8 == 0;
        optimizer_.zero_grad();
        const Tensor loss = loss_(sample)["loss"];
        loss.backward();
        nn::utils::clip_grad_norm_(network_->parameters(), largest_gradient);
        optimizer_.step();
        if (++updates_ % target_every == 0) target_.refresh();
        sum += loss.item<double>();
    }
    history_.add("loss", double(frames()), sum / double(updates_per_batch));
    norms_.take(history_, double(frames()));
}
/// Of the episodes that ended in the batch.
void Agent::note_returns(const rl::TensorDict& batch) {
    const Tensor ended = batch[{"next", "episode_reward"}].masked_select(batch[{"next", "done"}]);
    if (ended.numel() > 0) history_.add("exploring", double(frames()), ended.mean().item<double>());
}
void Agent::judge(agents::Progress& progress) {
    double mean = evaluate(50, 1000);
    if (mean >= good_enough) mean = std::min(mean, evaluate(100, 2000));
    history_.add("greedy", double(frames()), mean);
    if (mean > best_return_) {
        best_return_ = mean;
        nn::StateDict state = network_->state_dict();
        for (auto& item : state) item.value() = Value(item.value().toTensor().clone());
        best_ = state.to_value();
    }
    solved_ = mean >= good_enough;
    progress.note(format("%8lld frames  greedy return %6.1f  best %6.1f  loss %.4f  %.1f s",
                         static_cast<long long>(frames()), mean, best_return_, history_.mean_of_last("loss", 16),
                         progress.seconds()));
}

void Agent::run() {
    agents::Progress progress(options_.frames, options_.seconds, frames());
    const auto every = [this](std::int64_t n) { return frames() / n != (frames() - frames_per_batch) / n; };
    while (frames() + frames_per_batch <= options_.frames && !progress.time_is_up() && !solved_) {
        const rl::TensorDict batch = *collector_.next();
        note_returns(batch);
        buffer_.extend(batch.select({"observation", "action", "next"}));
        explore_->step(frames_per_batch);
        if (buffer_.size() >= warm_up) learn();
        if (every(evaluate_every)) judge(progress);
        progress.show(frames(), format("return %5.1f  loss %.4f", history_.mean_of_last("exploring", 10),
                                       history_.mean_of_last("loss", 16)));
        if (!options_.checkpoint.empty() && every(options_.save_every)) save();
    }
    if (!options_.checkpoint.empty()) save();
    if (best_.isNone()) judge(progress);
    network_->load_state_dict(nn::StateDict::from_value(best_));
}

void Agent::save() {
    agents::save_run(program, options_,
                     ValueDict{{"loss", loss_->state_dict().to_value()},
                               {"exploration", explore_->state_dict().to_value()},
                               {"optimizer", optimizer_.state_dict()},
                               {"collector", agents::to_value(collector_.state_dict())},
                               {"buffer", buffer_.state_dict()},
                               {"history", history_.to_value()},
                               {"best", best_},
                               {"best_return", best_return_},
                               {"updates", updates_},
                               {"solved", solved_},
                               {"target", target_.counts()}});
}
void Agent::load() {
    const ValueDict d = agents::load_run(program, options_);
    loss_->load_state_dict(nn::StateDict::from_value(d.at("loss")));
    explore_->load_state_dict(nn::StateDict::from_value(d.at("exploration")));
    optimizer_.load_state_dict(d.at("optimizer"));
    collector_.load_state_dict(agents::tensordict_from(d.at("collector")));
    buffer_.load_state_dict(d.at("buffer"));
    history_ = agents::History::from_value(d.at("history"));
    best_ = d.at("best");
    best_return_ = d.at("best_return").toDouble();
    updates_ = d.at("updates").toInt();
    solved_ = d.at("solved").toBool();
    target_.set_counts(d.at("target").toIntVector());
}

Tensor Agent::values(const Tensor& observations) {
    const NoGradGuard no_grad;
    rl::TensorDict td(observations.sizes().slice(0, 1));
    td.set("observation", observations);
    return network_(td)["action_value"];
}
/// Over the angle and its rate, the cart resting in the middle.
std::string Agent::state_map(const std::string& title, bool preference) {
    constexpr std::int64_t n = 64;
    constexpr double angle = 0.2095, speed = 2.5;
    const Tensor angles = linspace(-angle, angle, n), speeds = linspace(-speed, speed, n), none = zeros({n * n});
    const Tensor states = stack({none, none, angles.repeat({n}), speeds.repeat_interleave(n)}, 1);
    const Tensor q = values(states);
    agents::HeatMapOptions o{"angle of the pole [rad]", "angular velocity [rad/s]", -angle, angle, -speed, speed};
    if (!preference) return agents::heat_map(title, q.amax({1}).view({n, n}), o);
    const Tensor difference = q.select(1, 1) - q.select(1, 0);
    o.high = difference.abs().max().item<double>();
    o.low = -o.high;
    return agents::heat_map(title, difference.view({n, n}), o);
}

void Agent::write_report(double mean_return) {
    agents::Report page("CartPole by deep Q-learning",
                        str(n_steps, "-step double deep Q-learning with a replay buffer, seed ", options_.seed, "."));
    page.facts({{format("%.1f", mean_return), str("mean return over ", options_.episodes, " episodes")},
                {std::to_string(frames()), "frames"},
                {std::to_string(updates_), "updates"},
                {std::to_string(target_.periods()), "target networks"}});
    std::vector<agents::ChartCurve> norms;
    for (const std::string& layer : norms_.layers()) norms.push_back({layer, history_[layer], 4});
    page.section("Curves",
                 "The return of a greedy evaluation ends the training once it is near 500, the most there is.");
    page.cards({agents::line_chart("Return", {{"greedy", history_["greedy"]}, {"exploring", history_["exploring"]}},
                                   {.goal = goal}),
                agents::line_chart("Loss", {{"loss", history_["loss"]}}, {.logarithmic = true}),
                agents::line_chart("Norm of the weight gradients, by layer", norms, {.logarithmic = true})});
    page.section("What it thinks of states", "The cart rests in the middle of the track.");
    page.cards({state_map("Value of the better action", false),
                state_map("Better to the right (yellow) or to the left", true)});
    const rl::EnvPtr env = cart_poles({});
    env->set_seed(std::int64_t(options_.seed));
    const agents::Film film = agents::film_of(*env, greedy(), episode_limit, 10);
    page.section("An episode", str("It lasts ", film.steps, " steps."));
    page.wide_card(agents::film_strip(film.frames, film.captions));
    page.section("The target network", "It is frozen by inspect::freeze from one replacement to the next; before each, "
                                       "every byte is compared with what it was.");
    page.table({{"periods", "bytes compared", "differences", "writes that were tried", "a write on purpose"},
                {std::to_string(target_.periods()), std::to_string(target_.bytes()),
                 std::to_string(target_.differences()), std::to_string(target_.attempts()), target_.refusal()}});
    page.write(options_.report);
}

} // namespace

int main(int argc, char** argv) {
    agents::RunOptions defaults;
    defaults.frames = 150000;
    defaults.seconds = 55;
    defaults.save_every = 8192;
    return agents::run_agent(argc, argv, "Learns to balance a pole by n-step double deep Q-learning.", defaults,
                             agents::train_and_judge<Agent>);
}
