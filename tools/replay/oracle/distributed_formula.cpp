// What data-parallel training is: every rank's gradients computed in one process, averaged by hand.
#include <set>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn/utils/clip_grad.hpp>

#include "oracle/distributed_run.hpp"

namespace replay {

using namespace reel;

namespace {

/// What the runs' hooks on gradients do: they return them twice.
void add_hooks(const DistributedRun& run, nn::Module& net) {
    if (!run.hooks) return;
    std::set<std::string> labels;
    for (const json::value& e : run.field("events")->as_array().at(0).as_array())
        labels.emplace(e.as_array().at(1).as_string());
    for (const std::string& label : labels)
        if (label.starts_with("tensor "))
            net.get_parameter(label.substr(7)).register_hook([](const Tensor& g) { return g * 2; });
}

/// One rank's copy of the model.
struct Replica {
    nn::ModulePtr net;
    std::unique_ptr<optim::Optimizer> optimizer;
    std::vector<std::pair<std::string, Tensor>> parameters;
    std::shared_ptr<std::vector<char>> used; ///< since the last mean
};

std::vector<Replica> make_replicas(const DistributedRun& run) {
    std::vector<Replica> replicas;
    for (std::int64_t r = 0; r < run.world; ++r) {
        Replica one;
        one.net = run.make_net(0); // rank 0's go to all
        add_hooks(run, *one.net);
        for (const auto& item : one.net->named_parameters()) one.parameters.emplace_back(item.key(), item.value());
        one.optimizer = run.make_optimizer(one.net->parameters());
        one.used = std::make_shared<std::vector<char>>(one.parameters.size(), 0);
        for (std::size_t i = 0; i < one.parameters.size(); ++i)
            if (one.parameters[i].second.requires_grad())
                one.parameters[i].second.register_post_accumulate_grad_hook(
                    [used = one.used, i](const Tensor&) { (*used)[i] = 1; });
        replicas.push_back(std::move(one));
    }
    return replicas;
}

/// Each rank divides first; then all add up, in the order of ranks.
void average(std::vector<Replica>& replicas, std::int64_t divisor, const std::vector<bool>& active) {
    const NoGradGuard no_grad;
    for (std::size_t i = 0; i < replicas[0].parameters.size(); ++i) {
        bool used = false;
        Tensor sum;
        for (std::size_t r = 0; r < replicas.size(); ++r) {
            const Tensor& g = replicas[r].parameters[i].second.grad();
            used = used || (*replicas[r].used)[i];
            const Tensor part = active[r] && g.defined() ? g / Scalar(divisor)
                                                         : reel::zeros_like(replicas[r].parameters[i].second.detach());
            sum = sum.defined() ? sum + part : part;
        }
        for (Replica& one : replicas) {
            if (used) one.parameters[i].second.mutable_grad() = sum.clone();
            (*one.used)[i] = 0;
        }
    }
}

void one_rank(const DistributedRun& run, Replica& one, std::int64_t t, std::int64_t rank) {
    const std::string at = std::to_string(t) + "." + std::to_string(rank);
    if (t % run.accumulate == 0) one.optimizer->zero_grad();
    take_branch(*one.net, run.branch(t, rank));
    const Tensor loss = step_loss(*one.net, run.tensor("in." + at), run.tensor("target." + at), run.two);
    (run.accumulate > 1 ? loss / double(run.accumulate) : loss).backward();
}

} // namespace

std::map<std::string, Tensor> run_by_formula(const DistributedRun& run) {
    std::map<std::string, Tensor> found;
    std::vector<Replica> replicas = make_replicas(run);
    const bool initial = !run.joins || !run.field("join")->as_object().if_contains("divide_by_initial_world_size") ||
                         run.field("join")->as_object().at("divide_by_initial_world_size").as_bool();
    for (std::int64_t t = 0; t < run.steps; ++t) {
        std::vector<bool> active;
        std::int64_t count = 0;
        for (std::int64_t r = 0; r < run.world; ++r) {
            active.push_back(t < run.batches(r));
            count += active.back();
        }
        if (run.fails() && count < run.world) break;
        const auto all = [&](auto fn) {
            for (std::int64_t r = 0; r < run.world; ++r)
                if (active[std::size_t(r)]) fn(replicas[std::size_t(r)], r);
        };
        const std::int64_t divisor = initial ? run.world : count;
        all([&](Replica& one, std::int64_t r) { one_rank(run, one, t, r); });
        const bool last = (t + 1) % run.accumulate == 0;
        if (last) average(replicas, divisor, active);
        if (run.twice) {
            all([&](Replica& one, std::int64_t r) {
                const std::string at = std::to_string(t) + "." + std::to_string(r);
                step_loss(*one.net, run.tensor("in." + at) * 2, run.tensor("target." + at), false).backward();
            });
            average(replicas, divisor, active);
        }
        all([&](Replica& one, std::int64_t r) {
            if (run.clip > 0) nn::utils::clip_grad_norm_(one.net->parameters(), run.clip);
            for (const auto& [name, p] : one.parameters)
                if (p.grad().defined())
                    found["grad." + std::to_string(t) + "." + name + "@" + std::to_string(r)] = p.grad().clone();
            if (last) one.optimizer->step();
        });
    }
    std::size_t longest = 0;
    for (std::size_t r = 0; r < replicas.size(); ++r)
        if (run.batches(std::int64_t(r)) >= run.batches(std::int64_t(longest))) longest = r;
    for (const auto& [name, p] : replicas[longest].parameters) found["end." + name] = p.detach().clone();
    return found;
}

} // namespace replay
