// A pendulum is swung up by the soft actor-critic.
#include <cstdio>
#include <string>
#include <vector>

#include <reel/reel.hpp>
#include <reel/rl.hpp>

#include "common/charts.hpp"
#include "common/checkpoint.hpp"
#include "common/episodes.hpp"
#include "common/history.hpp"
#include "common/options.hpp"
#include "common/progress.hpp"
#include "common/report.hpp"
#include "common/train_and_judge.hpp"

namespace {

using namespace reel;
using agents::format;

constexpr const char* program = "pendulum_sac";
constexpr std::int64_t environments = 4, frames_per_batch = 16, updates_per_batch = 16, batch_size = 128;
constexpr std::int64_t buffer_size = 50000, random_frames = 800, evaluate_every = 2000, episode_limit = 200,
                       hidden = 64;
constexpr double discount = 0.99, rate = 1e-3, tau = 0.005, goal = -200, largest_torque = 2;

rl::EnvPtr pendulums(std::vector<std::int64_t> batch) {
    return rl::GymEnv("Pendulum-v1", rl::GymEnvOptions().batch_size(std::move(batch)));
}
rl::MLP perceptron(std::int64_t inputs, std::int64_t outputs) {
    return rl::MLP(
        rl::MLPOptions(inputs, outputs).num_cells({hidden, hidden}).activation_class(rl::module_class<nn::ReLU>()));
}
rl::ProbabilisticActor make_actor() {
    const rl::TensorDictModule parameters(nn::Sequential(perceptron(3, 2), rl::NormalParamExtractor()), {"observation"},
                                          {"loc", "scale"});
    const auto bounds = rl::distributions::TanhNormalOptions()
                            .low(tensor(-largest_torque, kFloat))
                            .high(tensor(largest_torque, kFloat));
    return rl::ProbabilisticActor(parameters, {"loc", "scale"},
                                  rl::distribution_class<rl::distributions::TanhNormal>(bounds),
                                  rl::ProbabilisticActorOptions().spec(pendulums({})->action_spec()));
}
rl::ValueOperator make_critic() { return rl::ValueOperator(perceptron(4, 1), {"observation", "action"}); }
std::vector<Tensor> learning(const std::vector<Tensor>& parameters) {
    std::vector<Tensor> result;
    for (const Tensor& p : parameters)
        if (p.requires_grad()) result.push_back(p); // the targets' do not
    return result;
}

double gradient_norm(const std::vector<Tensor>& parameters) {
    std::vector<Tensor> gradients;
    for (const Tensor& p : parameters) gradients.push_back(p.grad());
    return nn::utils::get_total_norm(gradients);
}

class Agent {
public:
    explicit Agent(const agents::RunOptions& options)
        : options_(options), actor_(make_actor()),
          loss_(actor_, {make_critic(), make_critic()}, rl::SACLossOptions().loss_function("l2").gamma(discount)),
          targets_(loss_, rl::SoftUpdateOptions().tau(tau)),
          optimizer_(learning(loss_->parameters()), optim::AdamOptions(rate)),
          collector_(rl::TransformedEnv(pendulums({environments}), rl::RewardSum()), actor_,
                     rl::CollectorOptions(frames_per_batch).init_random_frames(random_frames)),
          buffer_(
              rl::TensorDictReplayBufferOptions().storage(rl::LazyTensorStorage(buffer_size)).batch_size(batch_size)) {
        collector_.set_seed(std::int64_t(options.seed));
        if (options.resume) load();
    }
    void run();
    /// Mean return of the policy without exploration over episodes that `seed` chooses.
    double evaluate(std::int64_t episodes, std::int64_t seed) {
        const rl::EnvPtr env = pendulums({episodes});
        env->set_seed(seed);
        return agents::mean_of(agents::episode_returns(*env, actor_, episode_limit));
    }
    void write_report(double mean_return);
    std::int64_t frames() const { return collector_.frames(); }

private:
    void learn();
    void note_returns(const rl::TensorDict& batch);
    void judge(agents::Progress& progress);
    std::string state_map(const std::string& title, bool value);
    void save() const;
    void load();

    agents::RunOptions options_;
    rl::ProbabilisticActor actor_;
    rl::SACLoss loss_;
    rl::SoftUpdate targets_;
    optim::Adam optimizer_;
    rl::Collector collector_;
    rl::TensorDictReplayBuffer buffer_;
    agents::History history_;
    Value best_; ///< state of the actor that did best so far
    double best_return_ = -1e9;
};

void Agent::learn() {
    constexpr const char* curves[] = {"loss_qvalue", "loss_actor", "loss_alpha", "alpha", "entropy"};
    double sums[std::size(curves)] = {}, norms[2] = {};
    const std::vector<Tensor> actor = actor_->parameters(), critic = loss_->qvalue_network(0).module()->parameters();
    for (std::int64_t i = 0; i < updates_per_batch; ++i) {
        const rl::TensorDict losses = loss_(buffer_.sample());
        optimizer_.zero_grad();
        (losses["loss_qvalue"] + losses["loss_actor"] + losses["loss_alpha"]).backward();
        norms[0] += gradient_norm(actor);
        norms[1] += gradient_norm(critic);
        optimizer_.step();
        targets_.step();
        for (std::size_t c = 0; c < std::size(curves); ++c) sums[c] += losses[curves[c]].item<double>();
    }
    for (std::size_t c = 0; c < std::size(curves); ++c)
        history_.add(curves[c], double(frames()), sums[c] / updates_per_batch);
    history_.add("gradient of the actor", double(frames()), norms[0] / updates_per_batch);
    history_.add("gradient of a critic", double(frames()), norms[1] / updates_per_batch);
}

/// Of the episodes that ended in the batch.
void Agent::note_returns(const rl::TensorDict& batch) {
    const Tensor ended = batch[{"next", "episode_reward"}].masked_select(batch[{"next", "done"}]);
    if (ended.numel() > 0) history_.add("exploring", double(frames()), ended.mean().item<double>());
}
void Agent::judge(agents::Progress& progress) {
    const double mean = evaluate(50, 1000);
    history_.add("evaluation", double(frames()), mean);
    progress.note(format("%8lld frames  return %7.1f", static_cast<long long>(frames()), mean));
    if (mean <= best_return_) return;
    best_return_ = mean;
    nn::StateDict state = actor_->state_dict();
    for (auto& item : state) item.value() = Value(item.value().toTensor().clone());
    best_ = state.to_value();
}

void Agent::run() {
    agents::Progress progress(options_.frames, options_.seconds, frames());
    const auto every = [this](std::int64_t n) { return frames() / n != (frames() - frames_per_batch) / n; };
    while (frames() < options_.frames && !progress.time_is_up()) {
        const rl::TensorDict batch = *collector_.next();
        note_returns(batch);
        buffer_.extend(batch.select({"observation", "action", "next"}).flatten());
        if (frames() >= random_frames) learn();
        if (every(evaluate_every)) judge(progress);
        progress.show(frames(), format("return %7.1f  critics' loss %7.3f", history_.mean_of_last("exploring", 4),
                                       history_.mean_of_last("loss_qvalue", 16)));
        if (!options_.checkpoint.empty() && every(options_.save_every)) save();
    }
    if (!options_.checkpoint.empty()) save();
    progress.note(format("%lld frames in %.1f s", static_cast<long long>(frames()), progress.seconds()));
    if (best_.isNone()) judge(progress);
    actor_->load_state_dict(nn::StateDict::from_value(best_));
}

void Agent::save() const {
    agents::save_run(program, options_,
                     {{"loss", loss_->state_dict().to_value()},
                      {"optimizer", optimizer_.state_dict()},
                      {"collector", agents::to_value(collector_.state_dict())},
                      {"buffer", buffer_.state_dict()},
                      {"history", history_.to_value()},
                      {"best", best_},
                      {"best_return", best_return_}});
}
void Agent::load() {
    const ValueDict run = agents::load_run(program, options_);
    loss_->load_state_dict(nn::StateDict::from_value(run.at("loss")));
    optimizer_.load_state_dict(run.at("optimizer"));
    collector_.load_state_dict(agents::tensordict_from(run.at("collector")));
    buffer_.load_state_dict(run.at("buffer"));
    history_ = agents::History::from_value(run.at("history"));
    best_ = run.at("best");
    best_return_ = run.at("best_return").toDouble();
}

/// Over angle and velocity: the lesser critic's value of the torque that the policy takes, or that torque.
std::string Agent::state_map(const std::string& title, bool value) {
    const NoGradGuard no_grad;
    constexpr std::int64_t n = 64;
    constexpr double half_turn = 3.14159265358979, fastest = 8;
    const Tensor angles = linspace(-half_turn, half_turn, n).repeat({n}),
                 speeds = linspace(-fastest, fastest, n).repeat_interleave(n);
    rl::TensorDict states({{"observation", stack({cos(angles), sin(angles), speeds}, 1)}}, {n * n});
    actor_(states);
    agents::HeatMapOptions o{"angle from upright [rad]", "velocity [rad/s]", -half_turn, half_turn, -fastest, fastest};
    if (!value) {
        o.low = -largest_torque, o.high = largest_torque;
        return agents::heat_map(title, states["action"].view({n, n}), o);
    }
    Tensor least;
    for (std::int64_t i = 0; i < loss_->num_qvalue_nets(); ++i) {
        const Tensor q = loss_->qvalue_network(i)(states)["state_action_value"];
        least = least.defined() ? minimum(least, q) : q;
    }
    return agents::heat_map(title, least.view({n, n}), o);
}

void Agent::write_report(double mean_return) {
    agents::Report page("Pendulum by the soft actor-critic",
                        str("An actor and two critics of two hidden layers with ", hidden, " units, seed ",
                            options_.seed, ". The pendulum hangs on a motor too weak to lift it at once."));
    page.facts({{format("%.1f", mean_return), str("mean return over ", options_.episodes, " episodes")},
                {std::to_string(frames()), "frames"},
                {format("%.3f", loss_->alpha()), "alpha, the price of entropy"}});
    page.section("Curves", "The policy that did best in an evaluation is kept.");
    page.cards(
        {agents::line_chart("Return", {{"evaluation", history_["evaluation"]}, {"exploring", history_["exploring"], 4}},
                            {.goal = goal}),
         agents::line_chart("Loss of the critics", {{"critics", history_["loss_qvalue"], 8}}, {.logarithmic = true}),
         agents::line_chart("Loss of the actor", {{"actor", history_["loss_actor"], 8}}),
         agents::line_chart("Entropy and its price",
                            {{"entropy", history_["entropy"], 8}, {"alpha", history_["alpha"], 8}}),
         agents::line_chart(
             "Gradient norms",
             {{"actor", history_["gradient of the actor"], 8}, {"a critic", history_["gradient of a critic"], 8}},
             {.logarithmic = true})});
    page.section("What it has learned");
    page.cards({state_map("Value of a state", true), state_map("Torque of the policy [Nm]", false)});
    const rl::EnvPtr env = pendulums({});
    env->set_seed(std::int64_t(options_.seed));
    const agents::Film film = agents::film_of(*env, actor_, episode_limit / 2, 10);
    page.section("An episode", str("Its first ", film.steps, " steps."));
    page.wide_card(agents::film_strip(film.frames, film.captions));
    page.write(options_.report);
}

} // namespace

int main(int argc, char** argv) {
    agents::RunOptions defaults;
    defaults.frames = 20000;
    defaults.seconds = 170;
    defaults.save_every = 4000;
    return agents::run_agent(argc, argv, "Learns to swing up a pendulum by the soft actor-critic.", defaults,
                             agents::train_and_judge<Agent>);
}
