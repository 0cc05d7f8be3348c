// What a run on several ranks does with sharded parameters and spread optimizer state.
#include "oracle/distributed_sharded.hpp"

#include <utility>

#include <reel/autograd/error.hpp>
#include <reel/distributed/clip_grad_norm.hpp>
#include <reel/distributed/fully_shard.hpp>
#include <reel/distributed/zero_redundancy_optimizer.hpp>
#include <reel/optim/adam.hpp>
#include <reel/optim/adamw.hpp>
#include <reel/optim/sgd.hpp>

namespace replay {

using namespace reel;
namespace dist = reel::distributed;

void shard(const DistributedRun& run, nn::Module& net) {
    dist::FullyShardOptions o;
    if (const auto* reshard = run.field("reshard_after_forward")) o.reshard_after_forward = reshard->as_bool();
    dist::fully_shard(net, o);
}
Tensor whole_tensor(const Tensor& t, const Tensor& parameter) {
    const auto of = dist::shard_of(parameter);
    return of ? dist::full_tensor(t, *of) : t;
}
nn::StateDict whole_state(nn::Module& net) { return dist::full_state_dict(net); }
double clip_over_ranks(const std::vector<Tensor>& parameters, double max_norm) {
    return dist::clip_grad_norm_(parameters, max_norm);
}

namespace {
template <class O> Spread spread(const DistributedRun& run, const std::vector<Tensor>& parameters) {
    typename O::Options options;
    options.bind(O::class_name, {}, run.optimizer_options());
    auto zero = std::make_unique<dist::ZeroRedundancyOptimizer<O>>(parameters, dist::ProcessGroup(), options);
    auto* const z = zero.get();
    return {std::move(zero), [z] { z->consolidate_state_dict(0); }, [z] { return z->partition(); }};
}
} // namespace

Spread spread_state(const DistributedRun& run, const std::vector<Tensor>& parameters) {
    const std::string name = run.optimizer_name();
    if (name == "Adam") return spread<optim::Adam>(run, parameters);
    if (name == "AdamW") return spread<optim::AdamW>(run, parameters);
    REEL_CHECK_VALUE(name == "SGD", run.name, ": ZeRO of '", name, "' is not in the replay");
    return spread<optim::SGD>(run, parameters);
}

} // namespace replay
