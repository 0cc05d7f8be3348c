// A pole is balanced by proximal policy optimisation: eight poles at a time, 32 steps, twenty passes over them.
#include <cmath>
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

constexpr const char* program = "cartpole_ppo";
constexpr std::int64_t environments = 8, steps = 32, passes = 20, evaluate_every = 10240, limit = 500, hidden = 64;
constexpr double gamma_ = 0.98, lambda = 0.8, first_rate = 1e-3, first_clip = 0.2, max_norm = 0.5, goal = 475;

rl::EnvPtr cart_poles(std::vector<std::int64_t> batch) {
    return rl::GymEnv("CartPole-v1", rl::GymEnvOptions().batch_size(std::move(batch)));
}
rl::MLP perceptron(std::int64_t outputs) {
    return rl::MLP(
        rl::MLPOptions(4, outputs).num_cells({hidden, hidden}).activation_class(rl::module_class<nn::Tanh>()));
}
rl::ProbabilisticActor make_actor() {
    const auto options = rl::ProbabilisticActorOptions().return_log_prob(true).spec(cart_poles({})->action_spec());
    return rl::ProbabilisticActor(rl::TensorDictModule(perceptron(2), {"observation"}, {"logits"}), {"logits"},
                                  rl::distribution_class<rl::distributions::OneHotCategorical>(), options);
}
rl::PPOLossOptions loss_options() {
    return rl::PPOLossOptions()
        .clip_epsilon(first_clip)
        .entropy_bonus(false)
        .critic_coeff(0.5)
        .loss_critic_type("l2")
        .normalize_advantage(true);
}

class Agent {
public:
    explicit Agent(const agents::RunOptions& options)
        : options_(options), actor_(make_actor()), critic_(perceptron(1), {"observation"}),
          loss_(actor_, critic_, loss_options()),
          advantage_(rl::ValueEstimatorOptions().gamma(gamma_).lmbda(lambda).value_network(critic_)),
          optimizer_(loss_->parameters(), optim::AdamOptions(first_rate)),
          collector_(rl::TransformedEnv(cart_poles({environments}), rl::RewardSum()), actor_,
                     rl::CollectorOptions(environments * steps)) {
        collector_.set_seed(std::int64_t(options.seed));
        if (options.resume) load();
    }
    void run();
    double evaluate(std::int64_t episodes, std::int64_t seed);
    void write_report(double mean_return);
    std::int64_t frames() const { return collector_.frames(); }

private:
    void learn(rl::TensorDict batch);
    void note_returns(const rl::TensorDict& batch);
    void anneal();
    void save() const;
    void load();
    Tensor over_the_plane(bool value);

    agents::RunOptions options_;
    rl::ProbabilisticActor actor_;
    rl::ValueOperator critic_;
    rl::ClipPPOLoss loss_;
    rl::GAE advantage_;
    optim::Adam optimizer_;
    rl::Collector collector_;
    agents::History history_;
};

/// The rate of learning and the size of a step of the policy go down to nothing, so that the run ends at rest.
void Agent::anneal() {
    const double left = 1 - double(collector_.frames() - environments * steps) / double(options_.frames);
    for (auto& group : optimizer_.param_groups())
        static_cast<optim::AdamOptions&>(group.options()).lr(first_rate * left);
    loss_->options.clip_epsilon(first_clip * left);
}

void Agent::learn(rl::TensorDict batch) {
    anneal();
    {
        const NoGradGuard no_grad;
        advantage_(batch);
    }
    batch = batch.flatten().select({"observation", "action", "action_log_prob", "advantage", "value_target"});
    double objective = 0, critic = 0, actor_norm = 0, critic_norm = 0;
    const std::vector<Tensor> actor_parameters = actor_->parameters(), critic_parameters = critic_->parameters();
    for (std::int64_t pass = 0; pass < passes; ++pass) {
        const rl::TensorDict losses = loss_(batch);
        optimizer_.zero_grad();
        (losses["loss_objective"] + losses["loss_critic"]).backward();
        actor_norm += nn::utils::clip_grad_norm_(actor_parameters, max_norm);
        critic_norm += nn::utils::clip_grad_norm_(critic_parameters, max_norm);
        optimizer_.step();
        objective += losses["loss_objective"].item<double>();
        critic += losses["loss_critic"].item<double>();
    }
    const double frames = double(collector_.frames());
    history_.add("policy", frames, objective / passes);
    history_.add("critic", frames, critic / passes);
    history_.add("gradient of the policy", frames, actor_norm / passes);
    history_.add("gradient of the critic", frames, critic_norm / passes);
}

/// Episodes that ended in this batch.
void Agent::note_returns(const rl::TensorDict& batch) {
    const Tensor ended = batch[{"next", "done"}];
    if (!ended.any().item<bool>()) return;
    const Tensor returns = batch[{"next", "episode_reward"}].masked_select(ended);
    history_.add("return", double(collector_.frames()), returns.mean().item<double>());
}

void Agent::run() {
    agents::Progress progress(options_.frames, options_.seconds, collector_.frames());
    std::int64_t saved = collector_.frames();
    while (collector_.frames() < options_.frames && !progress.time_is_up()) {
        const rl::TensorDict batch = *collector_.next();
        const std::int64_t frames = collector_.frames();
        note_returns(batch);
        learn(batch);
        if (frames % evaluate_every == 0) history_.add("evaluation", double(frames), evaluate(20, 1000));
        progress.show(frames, format("return %5.1f  critic's loss %8.3f", history_.mean_of_last("return", 10),
                                     history_.mean_of_last("critic", 10)));
        if (!options_.checkpoint.empty() && frames - saved >= options_.save_every) {
            saved = frames;
            save();
        }
    }
    if (!options_.checkpoint.empty()) save();
    progress.note(format("%lld frames in %.1f s", static_cast<long long>(collector_.frames()), progress.seconds()));
}

/// The mean return of a policy that does not explore.
double Agent::evaluate(std::int64_t episodes, std::int64_t seed) {
    const rl::EnvPtr env = cart_poles({episodes});
    env->set_seed(seed);
    return agents::mean_of(agents::episode_returns(*env, actor_, limit));
}

void Agent::save() const {
    agents::save_run(program, options_,
                     {{"loss", loss_->state_dict().to_value()},
                      {"optimizer", optimizer_.state_dict()},
                      {"collector", agents::to_value(collector_.state_dict())},
                      {"history", history_.to_value()}});
}
void Agent::load() {
    const ValueDict run = agents::load_run(program, options_);
    loss_->load_state_dict(nn::StateDict::from_value(run.at("loss")));
    optimizer_.load_state_dict(run.at("optimizer"));
    collector_.load_state_dict(agents::tensordict_from(run.at("collector")));
    history_ = agents::History::from_value(run.at("history"));
}

constexpr double largest_angle = 12 * 3.14159265358979 / 180, largest_rate = 2;
/// For a cart at rest in the middle, over angle (columns) and its rate (rows): the critic's value, or how likely a push
/// to the right is.
Tensor Agent::over_the_plane(bool value) {
    const NoGradGuard no_grad;
    constexpr std::int64_t rows = 60, columns = 80;
    const Tensor angles = linspace(-largest_angle, largest_angle, columns).expand({rows, columns}),
                 rates = linspace(-largest_rate, largest_rate, rows).unsqueeze(1).expand({rows, columns}),
                 nothing = zeros({rows, columns});
    rl::TensorDict states({{"observation", stack({nothing, nothing, angles, rates}, -1)}}, {rows, columns});
    if (value) return critic_(states)["state_value"].squeeze(-1);
    return softmax(actor_(states)["logits"], -1).select(-1, 1);
}

void Agent::write_report(double mean_return) {
    agents::Report page("CartPole by proximal policy optimisation",
                        "A policy and a critic of two hidden layers, " + std::to_string(hidden) +
                            " units each, learn to balance a pole from " + std::to_string(environments) +
                            " poles at a time. Seed " + std::to_string(options_.seed) + ".");
    page.facts({{format("%.1f", mean_return), "mean return over " + std::to_string(options_.episodes) + " episodes"},
                {std::to_string(frames()), "frames"},
                {std::to_string(passes), "passes over each batch"}});
    page.section("Return and losses");
    page.cards({agents::line_chart(
                    "Return", {{"while it explores", history_["return"], 8}, {"evaluation", history_["evaluation"]}},
                    {.goal = goal}),
                agents::line_chart("Loss of the policy", {{"policy", history_["policy"], 8}}),
                agents::line_chart("Loss of the critic", {{"critic", history_["critic"], 8}}, {.logarithmic = true}),
                agents::line_chart("Gradient norms, before they are clipped",
                                   {{"policy", history_["gradient of the policy"], 8},
                                    {"critic", history_["gradient of the critic"], 8}},
                                   {.logarithmic = true})});
    const agents::HeatMapOptions plane{.x_label = "angle (rad)",
                                       .y_label = "rate of the angle (rad/s)",
                                       .x_from = -largest_angle,
                                       .x_to = largest_angle,
                                       .y_from = -largest_rate,
                                       .y_to = largest_rate};
    page.section("What it has learned", "A cart at rest in the middle, for every angle of its pole and rate of it.");
    page.cards({agents::heat_map("The critic's value", over_the_plane(true), plane),
                agents::heat_map("Probability of a push to the right", over_the_plane(false), plane)});
    const rl::EnvPtr env = cart_poles({});
    env->set_seed(2000);
    const agents::Film film = agents::film_of(*env, actor_, limit, 8);
    page.section("An episode", "Of " + std::to_string(film.steps) + " steps.");
    page.wide_card(agents::film_strip(film.frames, film.captions));
    page.write(options_.report);
}

} // namespace

int main(int argc, char** argv) {
    agents::RunOptions defaults;
    defaults.frames = 153600;
    defaults.seconds = 55;
    defaults.save_every = 10240;
    return agents::run_agent(argc, argv, "Learns to balance a pole by proximal policy optimisation.", defaults,
                             agents::train_and_judge<Agent>);
}
