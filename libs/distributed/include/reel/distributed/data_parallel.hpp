// Training one module on several ranks, each with its own part of the batch.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <reel/distributed/comm_hooks.hpp>
#include <reel/distributed/join.hpp>
#include <reel/distributed/process_group.hpp>
#include <reel/nn/call.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/pack.hpp>

namespace reel::distributed {

namespace detail {
class Reducer; // src/data_parallel/reducer.hpp
}

struct DistributedDataParallelOptions {
    ProcessGroup group{}; ///< else the default one
    /// Gradients are reduced in buckets of this many MiB, each as soon as it is full.
    std::optional<double> bucket_cap_mb{};   ///< else 25
    std::optional<double> first_bucket_mb{}; ///< else `bucket_cap_mb` if that is given, else 1
    bool broadcast_buffers = true;           ///< before a forward the buffers of the first rank go to all
    bool init_sync = true;                ///< compares the modules of the ranks, and starts all with the first rank's
    bool find_unused_parameters = false;  ///< a pass may leave parameters without gradient, others on each rank
    bool static_graph = false;            ///< what the first pass leaves unused, or uses several times, all do
    bool gradient_as_bucket_view = false; ///< gradients stay in the buckets: no second copy of them
};

/// The parameters that are reduced together, in the order in which their buckets are.
struct BucketContents {
    std::vector<std::string> names;
    std::int64_t elements = 0;
};

/// Calls `module` and averages gradients over the ranks of a group: after `backward` each `.grad` is the mean of what
/// the ranks computed, the same bits on all ranks. Each rank divides by the size of the group, then all add up.
/// Buckets are reduced while backward goes on; hooks on tensors, parameters and modules see local gradients.
///
/// The forward decides: the passes through a forward inside of `no_sync()` accumulate locally, those through any other
/// one (retained graphs, several forwards at once) are reduced, with whatever has accumulated. A forward without
/// recording prepares nothing. Losses stay each rank's own.
///
/// Errors: construction throws Error, on all ranks, for modules that differ (naming counts, or the first parameter that
/// has another shape, dtype or requires_grad) and for a module without a parameter that requires grad; `backward`
/// throws Error when parameters got no gradient, naming them; DistError comes from the collectives.
class DistributedDataParallelImpl : public nn::Module, public Joinable {
public:
    explicit DistributedDataParallelImpl(nn::ModulePtr module, DistributedDataParallelOptions options = {});
    ~DistributedDataParallelImpl() override;

    /// The module's result, which is a tensor unless said otherwise: `ddp->forward<std::tuple<Tensor, Tensor>>(x)`.
    template <class R = Tensor, class... A> R forward(A&&... arguments) {
        return nn::detail::unpack<R>(run(Args{nn::detail::pack(std::forward<A>(arguments))...}, {}));
    }
    Value forward_values(const Args& args, const Kwargs& kwargs) override { return run(args, kwargs); }

    /// While it lives, forwards do not ask for reduction: for accumulating over several batches.
    class NoSync {
    public:
        explicit NoSync(DistributedDataParallelImpl& of) : of_(&of), before_(std::exchange(of.sync_, false)) {}
        ~NoSync() { of_->sync_ = before_; }
        NoSync(const NoSync&) = delete;

    private:
        DistributedDataParallelImpl* of_;
        bool before_;
    };
    [[nodiscard]] NoSync no_sync() { return NoSync(*this); }
    /// For ranks with different numbers of batches (reel/distributed/join.hpp). Buffers come from the last rank that
    /// has batches, and in the end parameters and buffers, too. NotImplementedError with SyncBatchNorm inside.
    [[nodiscard]] Join join(JoinOptions options = {});

    /// `hook(state, bucket)` reduces buckets from now on, and divides. Error for a second one, and after the first
    /// backward.
    template <class State, class F> void register_comm_hook(State state, F hook) {
        set_comm_hook([state = std::move(state), hook = std::move(hook)](const GradBucket& b) -> BucketFuture {
            return hook(state, b);
        });
    }
    void set_comm_hook(CommHook hook);
    /// Runs at the end of each reduced pass, once for each parameter that got a mean, in the order of
    /// `named_parameters`; then `.grad` is that mean. (Hooks of the parameters themselves see local gradients.)
    RemovableHandle register_reduced_hook(std::function<void(const std::string& name, const Tensor& parameter)> hook);

    /// As they are now: they are cut anew after the first pass.
    std::vector<BucketContents> buckets() const;
    /// Of the last pass that was reduced: how much of its communication went on while backward did.
    ReductionTimes last_reduction() const;
    const DistributedDataParallelOptions& options() const { return options_; }
    std::string repr_name() const override { return "DistributedDataParallel"; }

    nn::ModulePtr module;

private:
    Value run(const Args& args, const Kwargs& kwargs);
    void send_buffers(std::int64_t from);
    void notice_others();
    ProcessGroup join_group() const override { return options_.group; }
    void set_join(Join* join) override;
    void shadow(std::int64_t phase, const JoinRound& round) override;
    void take_over(std::int64_t last) override;

    DistributedDataParallelOptions options_;
    std::shared_ptr<detail::Reducer> reducer_;
    Join* join_ = nullptr;
    bool sync_ = true;
    bool buffers_wait_ = true; ///< to be sent before the next forward
    bool warned_ = false;
};

namespace detail {
template <class M>
concept TypedModule =
    std::derived_from<M, nn::Module> && !std::same_as<M, nn::Module> && !std::same_as<M, DistributedDataParallelImpl>;
}

/// `DistributedDataParallel ddp(net, {.bucket_cap_mb = 1});`
class DistributedDataParallel : public nn::ModuleHolder<DistributedDataParallelImpl> {
public:
    using Impl [[maybe_unused]] = DistributedDataParallelImpl;
    using nn::ModuleHolder<DistributedDataParallelImpl>::ModuleHolder;
    template <class M>
    explicit DistributedDataParallel(const nn::ModuleHolder<M>& module, DistributedDataParallelOptions options = {})
        : DistributedDataParallel(nn::ModulePtr(module.ptr()), std::move(options)) {}
    /// Of the class's own type, so that its `forward` is known.
    template <detail::TypedModule M>
    explicit DistributedDataParallel(const std::shared_ptr<M>& module, DistributedDataParallelOptions options = {})
        : DistributedDataParallel(nn::ModuleHolder<M>(module), std::move(options)) {}
    explicit DistributedDataParallel(nn::ModulePtr module, DistributedDataParallelOptions options)
        : ModuleHolder(std::make_shared<DistributedDataParallelImpl>(std::move(module), std::move(options))) {}
};

/// Names of PyTorch and libtorch.
using DDP = DistributedDataParallel;

} // namespace reel::distributed

namespace reel::nn::parallel {
using distributed::DistributedDataParallel;
using distributed::DistributedDataParallelImpl;
using distributed::DistributedDataParallelOptions;
} // namespace reel::nn::parallel
