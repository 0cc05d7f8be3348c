// A training run on several ranks: what each rank does, and whether it finds what the file holds.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/distributed/data_parallel.hpp>
#include <reel/distributed/session.hpp>
#include <reel/distributed/sync_batch_norm.hpp>

#include "common/compare.hpp"
#include "oracle/distributed_rank.hpp"
#include "oracle/distributed_sharded.hpp"

namespace replay {

using namespace reel;
namespace dist = reel::distributed;

namespace {

dist::DistributedDataParallelOptions wrapper_options(const DistributedRun& run) {
    dist::DistributedDataParallelOptions o;
    const json::value* const given = run.field("ddp");
    if (!given) return o;
    for (const auto& [key, v] : given->as_object()) {
        if (key == "bucket_cap_mb") o.bucket_cap_mb = v.to_number<double>();
        else if (key == "broadcast_buffers") o.broadcast_buffers = v.as_bool();
        else if (key == "init_sync") o.init_sync = v.as_bool();
        else if (key == "find_unused_parameters") o.find_unused_parameters = v.as_bool();
        else if (key == "static_graph") o.static_graph = v.as_bool();
        else if (key == "gradient_as_bucket_view") o.gradient_as_bucket_view = v.as_bool();
        else REEL_THROW(ValueError, run.name, ": unknown constructor option '", std::string(key), "'");
    }
    return o;
}
dist::JoinOptions join_options(const DistributedRun& run) {
    dist::JoinOptions o;
    for (const auto& [key, v] : run.field("join")->as_object()) {
        if (key == "divide_by_initial_world_size") o.divide_by_initial_world_size = v.as_bool();
        else if (key == "throw_on_early_termination") o.throw_on_early_termination = v.as_bool();
        else if (key == "enable") o.enable = v.as_bool();
        else REEL_THROW(ValueError, run.name, ": unknown join option '", std::string(key), "'");
    }
    return o;
}
void add_comm_hook(const DistributedRun& run, dist::DistributedDataParallelImpl& ddp) {
    const json::value* const comm = run.field("comm");
    if (!comm) return;
    namespace hooks = dist::comm_hooks;
    const std::string name(comm->as_string());
    if (name.starts_with("allreduce")) ddp.register_comm_hook(dist::ProcessGroup(), hooks::allreduce);
    else if (name.starts_with("bf16")) ddp.register_comm_hook(dist::ProcessGroup(), hooks::bf16_compress);
    else if (name.starts_with("fp16")) ddp.register_comm_hook(dist::ProcessGroup(), hooks::fp16_compress);
    else {
        REEL_CHECK_VALUE(name.starts_with("power"), run.name, ": unknown hook '", name, "'");
        hooks::PowerSGDOptions o;
        o.start_iter = 2;
        while (!run.is_open(o.start_iter) && o.start_iter < run.steps) ++o.start_iter;
        ddp.register_comm_hook(hooks::PowerSGDState({}, o), hooks::power_sgd);
    }
}

/// Relative to the largest element; with `least`, numbers below that may differ as it may. Where all are zero but for
/// rounding (a bias in front of a batch norm), by an epsilon of float32.
std::string compare(const std::string& key, const Tensor& got, const Tensor& want, double tolerance, double least = 0) {
    const double zero = want.scalar_type() == kFloat ? 0x1p-23 : 1e-12;
    const Tolerance close{std::max(zero, least * tolerance), tolerance, true};
    const std::string d =
        difference(got.detach(), want.to(got.scalar_type()), isFloatingType(want.scalar_type()) ? close : Tolerance{});
    return d.empty() ? d : key + ": " + d;
}

/// One rank of a run.
class Rank {
public:
    Rank(const DistributedRun& run, const std::map<std::string, Tensor>& formula)
        : run_(run), formula_(formula), rank_(dist::rank()) {}

    void go() {
        build();
        compare_state("start.");
        if (run_.joins) {
            dist::Join join = ddp_->join(join_options(run_));
            train();
            join.finish();
        } else train();
        compare_end();
    }
    /// What the training itself threw, where the file says that it does.
    void expect_failure() {
        build();
        try {
            dist::Join join = ddp_->join(join_options(run_));
            train();
            join.finish();
        } catch (const Error&) {
            compare_end();
            return;
        }
        REEL_THROW(Error, "expected an error of the join, got none");
    }

private:
    void check(const std::string& difference) const {
        REEL_CHECK(difference.empty(), "rank ", rank_, ": ", difference);
    }
    std::string name_of(std::int64_t t, const std::string& what, const std::string& name) const {
        return what + "." + std::to_string(t) + "." + name;
    }

    void build() {
        net_ = run_.make_net(rank_);
        if (run_.sync) net_ = dist::convert_sync_batchnorm(net_);
        if (run_.fsdp) {
            shard(run_, *net_);
            compare_shards();
            called_ = net_;
        } else {
            ddp_ = std::make_shared<dist::DistributedDataParallelImpl>(net_, wrapper_options(run_));
            add_comm_hook(run_, *ddp_);
            called_ = ddp_;
        }
        if (run_.zero) {
            spread_ = spread_state(run_, net_->parameters());
            optimizer_ = std::move(spread_.optimizer);
        } else optimizer_ = run_.make_optimizer(net_->parameters());
        if (run_.hooks) events_.emplace(run_, *ddp_, rank_);
    }
    void compare_shards() const {
        const json::value* const local = run_.field("local");
        if (!local) return;
        const json::object& mine = local->as_array().at(std::size_t(rank_)).as_object();
        for (const auto& item : net_->named_parameters()) {
            std::vector<std::int64_t> want;
            for (const json::value& n : mine.at(item.key()).as_array()) want.push_back(n.as_int64());
            REEL_CHECK(item.value().sizes().equals(want), "rank ", rank_, ": the shard of '", item.key(),
                       "' has shape ", item.value().sizes(), "; expected ", IntArrayRef(want));
        }
    }
    Tensor whole(const Tensor& t, const Tensor& parameter) const {
        return run_.fsdp && t.defined() ? whole_tensor(t, parameter) : t;
    }
    void compare_state(const std::string& prefix) {
        // A step of Adam's is as large for a gradient that is zero but for rounding as for any other: the last bits of
        // sums over ranks come out as large as steps are, however small the parameter is. So the specification's bound
        // is one of differences there, and relative to the largest element elsewhere.
        const double least = prefix == "end." && run_.optimizer_name() != "SGD" ? 1 : 0;
        const nn::StateDict state = run_.fsdp ? whole_state(*net_) : net_->state_dict();
        for (const auto& item : state) {
            const std::string key = run_.key_for(prefix + item.key(), rank_);
            if (run_.has(key)) check(compare(key, item.value().toTensor(), run_.tensor(key), run_.tolerance(), least));
        }
    }
    void compare_gradients(std::int64_t t) {
        for (const auto& item : net_->named_parameters()) {
            const Tensor got = whole(item.value().grad(), item.value());
            const std::string key = run_.key_for(name_of(t, "grad", item.key()), rank_);
            if (!run_.has(key)) {
                REEL_CHECK(!got.defined() || run_.is_open(t), "rank ", rank_, ": ", key,
                           ": there is a gradient; expected none");
                continue;
            }
            REEL_CHECK(got.defined(), "rank ", rank_, ": ", key, ": there is no gradient");
            if (!run_.is_open(t)) check(compare(key, got, run_.tensor(key), run_.tolerance()));
            if (!run_.is_exact()) continue;
            const auto exact = formula_.find(name_of(t, "grad", item.key()) + "@" + std::to_string(rank_));
            REEL_CHECK(exact != formula_.end() && equal_bits(got, exact->second), "rank ", rank_, ": ", key,
                       ": other bits than the average of what one process computes");
        }
    }
    static bool equal_bits(const Tensor& a, const Tensor& b) {
        return a.sizes().equals(b.sizes()) && a.scalar_type() == b.scalar_type() && reel::equal(a, b);
    }
    void compare_buffers(std::int64_t t) {
        for (const auto& item : net_->named_buffers()) {
            const std::string key = run_.key_for(name_of(t, "buffer", item.key()), rank_);
            if (run_.has(key)) check(compare(key, item.value(), run_.tensor(key), run_.tolerance()));
        }
    }
    void compare_end() {
        if (run_.is_open(run_.steps)) return;
        compare_state("end.");
        if (run_.is_exact())
            for (const auto& [key, want] : formula_)
                if (key.starts_with("end.")) {
                    const Tensor p = net_->get_parameter(key.substr(4));
                    REEL_CHECK(equal_bits(whole(p.detach(), p), want), "rank ", rank_, ": ", key,
                               ": other bits than one process's");
                }
        if (run_.zero) compare_spread();
        if (events_) events_->compare();
    }
    void compare_partition() const {
        const json::value* const want = run_.field("partition");
        if (!want) return;
        const auto parts = spread_.partition();
        const auto keys = net_->named_parameters().keys();
        for (std::size_t r = 0; r < parts.size(); ++r) {
            std::set<std::string> got, expected;
            for (const std::int64_t i : parts[r]) got.insert(keys.at(std::size_t(i)));
            for (const json::value& name : want->as_array().at(r).as_array()) expected.emplace(name.as_string());
            REEL_CHECK(got == expected, "rank ", r, " steps other parameters than expected, first '",
                       got.empty() ? std::string("none") : *got.begin(), "'");
        }
    }
    void compare_spread() {
        compare_partition();
        spread_.consolidate();
        if (rank_ != 0) return;
        const Value state = optimizer_->state_dict().toGenericDict().at("state");
        for (const auto& [key, want] : run_.tensors()) {
            if (!key.starts_with("state.")) continue;
            const std::size_t dot = key.find('.', 6);
            const Value* const of = state.toGenericDict().find(Value(std::int64_t(std::stoll(key.substr(6, dot - 6)))));
            const Value* const entry = of ? of->toGenericDict().find(key.substr(dot + 1)) : nullptr;
            REEL_CHECK(entry, key, ": the consolidated state has no such entry");
            const Tensor got = entry->isTensor() ? entry->toTensor() : reel::full({}, entry->toScalar(), kDouble);
            check(compare(key, got.to(want.scalar_type()), want, run_.tolerance()));
        }
    }

    void train() {
        for (std::int64_t t = 0; t < run_.batches(rank_); ++t) step(t);
    }
    void step(std::int64_t t) {
        const std::string at = std::to_string(t) + "." + std::to_string(rank_);
        const Tensor x = run_.tensor("in." + at), target = run_.tensor("target." + at);
        const bool last = (t + 1) % run_.accumulate == 0;
        if (t % run_.accumulate == 0) optimizer_->zero_grad();
        if (events_) events_->at_step(t);
        {
            std::optional<dist::DistributedDataParallelImpl::NoSync> alone;
            if (!last) alone.emplace(*ddp_);
            forward_and_backward(t, x, target);
        }
        if (run_.twice) step_loss(*called_, x * 2, target, false).backward();
        if (run_.clip > 0) {
            const double norm = clip_over_ranks(net_->parameters(), run_.clip);
            if (run_.has("norm"))
                check(
                    compare("norm", reel::full({}, norm, kDouble), run_.tensor("norm").select(0, t), run_.tolerance()));
        }
        compare_gradients(t);
        if (last) optimizer_->step();
    }
    void forward_and_backward(std::int64_t t, const Tensor& x, const Tensor& target) {
        take_branch(*net_, run_.branch(t, rank_));
        const Tensor whole = step_loss(*called_, x, target, run_.two);
        const Tensor loss = run_.accumulate > 1 ? whole / double(run_.accumulate) : whole;
        compare_buffers(t);
        const std::string key = "loss." + std::to_string(rank_);
        if (run_.has(key) && !run_.is_open(t))
            check(compare(key, whole, run_.tensor(key).select(0, t), run_.tolerance()));
        loss.backward();
    }

    const DistributedRun& run_;
    const std::map<std::string, Tensor>& formula_;
    std::int64_t rank_;
    nn::ModulePtr net_, called_;
    std::shared_ptr<dist::DistributedDataParallelImpl> ddp_;
    std::unique_ptr<optim::Optimizer> optimizer_;
    Spread spread_;
    std::optional<HookEvents> events_;
};

} // namespace

void run_distributed_rank(const DistributedRun& run, const std::map<std::string, Tensor>& formula) {
    Rank rank(run, formula);
    if (run.fails()) rank.expect_failure();
    else rank.go();
}

} // namespace replay
