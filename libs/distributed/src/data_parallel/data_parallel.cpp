// Training one module on several ranks, each with its own part of the batch.
#include <reel/distributed/data_parallel.hpp>

#include <cmath>

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/distributed/sync_batch_norm.hpp>
#include <reel/nn/detail/module_access.hpp>
#include <reel/nn/modules/lazy.hpp>

#include "data_parallel/reducer.hpp"
#include "data_parallel/same_modules.hpp"
#include "group/member_group.hpp"

namespace reel::distributed {

namespace {

constexpr const char* who = "DistributedDataParallel";

std::size_t bytes_of(const char* option, double mebibytes) {
    REEL_CHECK_VALUE(mebibytes > 0 && std::isfinite(mebibytes), who, ": ", option, " is ", mebibytes,
                     "; expected a number of MiB above 0");
    return std::size_t(mebibytes * 1024 * 1024);
}
detail::ReducerOptions reducer_options(const DistributedDataParallelOptions& o) {
    const double cap = o.bucket_cap_mb.value_or(25), first = o.first_bucket_mb.value_or(o.bucket_cap_mb.value_or(1));
    return {
        o.group,        bytes_of("first_bucket_mb", first), bytes_of("bucket_cap_mb", cap), o.find_unused_parameters,
        o.static_graph, o.gradient_as_bucket_view};
}

detail::NamedTensorList defined_ones(std::vector<std::pair<std::string, Tensor>> items) {
    std::erase_if(items, [](const auto& item) { return !item.second.defined(); });
    return items;
}
std::vector<Tensor> tensors_of(const detail::NamedTensorList& items) {
    std::vector<Tensor> tensors;
    for (const auto& item : items) tensors.push_back(item.second);
    return tensors;
}
/// The tensors in `v`; `others`: it also holds something that cannot be looked into.
void collect(const Value& v, std::vector<Tensor>& tensors, bool& others) {
    if (v.isTensor()) tensors.push_back(v.toTensor());
    else if (v.isSequence())
        for (const Value& e : v.elements()) collect(e, tensors, others);
    else if (v.isGenericDict())
        for (const auto& [key, e] : v.toGenericDict()) collect(e, tensors, others);
    else if (v.isBoxed()) others = true;
}

/// A layer that waits for its first input has no parameters to compare, or to listen to.
void check_is_whole(const nn::Module& module) {
    for (const auto& [path, m] : module.module_items({}, true)) {
        const auto* const lazy = dynamic_cast<const nn::LazyModule*>(m);
        REEL_CHECK(!lazy || !lazy->has_uninitialized_params(), who, ": '", path, "' (", m->repr_name(),
                   ") has no parameters yet; call the module once before wrapping it");
    }
}

/// In the announcements of a join.
enum Phase : std::int64_t { forward_alone, forward_with_buffers, reduction };

} // namespace

DistributedDataParallelImpl::DistributedDataParallelImpl(nn::ModulePtr wrapped, DistributedDataParallelOptions options)
    : options_(std::move(options)) {
    REEL_CHECK_VALUE(wrapped, who, ": module is null");
    options_.group = detail::member_group(who, options_.group);
    const detail::ReducerOptions settings = reducer_options(options_);
    check_is_whole(*wrapped);
    const auto parameters = defined_ones(wrapped->parameter_items({}, true, true));
    const auto buffers = defined_ones(wrapped->buffer_items({}, true, true));
    if (options_.init_sync) detail::check_same_modules(who, parameters, buffers, options_.group);
    detail::NamedTensorList trained;
    for (const auto& item : parameters)
        if (item.second.requires_grad()) trained.push_back(item);
    REEL_CHECK(!trained.empty(), who, ": none of the ", parameters.size(), " parameters of ", wrapped->repr_name(),
               " requires grad: there are no gradients to average; call the module itself");
    if (options_.init_sync) {
        std::vector<Tensor> all = tensors_of(parameters);
        for (const auto& item : buffers) all.push_back(item.second);
        detail::send_tensors(all, 0, options_.group);
    }
    module = register_module("module", std::move(wrapped));
    reducer_ = std::make_shared<detail::Reducer>(std::move(trained), settings);
    reducer_->listen();
    nn::detail::ModuleAccess::learn_class<DistributedDataParallelImpl>(*this);
}
DistributedDataParallelImpl::~DistributedDataParallelImpl() = default;

void DistributedDataParallelImpl::send_buffers(std::int64_t from) {
    detail::send_tensors(tensors_of(defined_ones(module->buffer_items({}, true, true))), from, options_.group);
}

/// Parameters that nobody reduces are easily overlooked.
void DistributedDataParallelImpl::notice_others() {
    if (warned_) return;
    for (const Tensor& p : module->parameters()) {
        if (!p.defined() || !p.requires_grad() || reducer_->trains(p)) continue;
        std::string name;
        for (const auto& item : module->parameter_items({}, true, true))
            if (item.second.is_same(p)) name = item.first;
        warned_ = true;
        REEL_WARN(who, ": parameter '", name,
                  "' was added, replaced or unfrozen after construction: its gradient stays this rank's own, and the "
                  "ranks drift apart; wrap the module again");
        return;
    }
}

Value DistributedDataParallelImpl::run(const Args& args, const Kwargs& kwargs) {
    const bool reduce = GradMode::is_enabled() && sync_;
    const bool buffers = buffers_wait_ && options_.broadcast_buffers && !module->buffers().empty();
    JoinRound round;
    if (join_) round = join_->announce(*this, buffers ? forward_with_buffers : forward_alone);
    if (reduce) {
        reducer_->before_forward();
        notice_others();
    }
    if (buffers) send_buffers(join_ ? round.last_active : 0);
    Value result = module->call_values(args, kwargs);
    if (reduce) {
        std::vector<Tensor> outputs;
        bool others = false;
        collect(result, outputs, others);
        reducer_->after_forward(outputs, others);
    }
    buffers_wait_ = reduce;
    return result;
}

void DistributedDataParallelImpl::set_comm_hook(CommHook hook) {
    REEL_CHECK_VALUE(hook, who, ": register_comm_hook: the hook is empty");
    reducer_->set_comm_hook(std::move(hook));
}
RemovableHandle
DistributedDataParallelImpl::register_reduced_hook(std::function<void(const std::string&, const Tensor&)> hook) {
    REEL_CHECK_VALUE(hook, who, ": register_reduced_hook: the hook is empty");
    return reducer_->add_reduced_hook(std::move(hook));
}

std::vector<BucketContents> DistributedDataParallelImpl::buckets() const {
    std::vector<BucketContents> all;
    for (const detail::Bucket& b : reducer_->buckets()) {
        BucketContents one{{}, b.buffer.numel()};
        for (const std::size_t i : b.members) one.names.push_back(reducer_->name(i));
        all.push_back(std::move(one));
    }
    return all;
}

ReductionTimes DistributedDataParallelImpl::last_reduction() const { return reducer_->times(); }

Join DistributedDataParallelImpl::join(JoinOptions options) {
    for (const auto& [path, m] : module->module_items({}, true))
        REEL_CHECK_NOT_IMPLEMENTED(!is_sync_batch_norm(*m), who, ": join: '", path,
                                   "' is a SyncBatchNorm, whose moments ranks without a batch cannot take part in; use "
                                   "BatchNorm, or give all ranks as many batches");
    return Join({this}, options);
}
void DistributedDataParallelImpl::set_join(Join* join) {
    join_ = join;
    if (!join) reducer_->terms = nullptr;
    else
        reducer_->terms = [this] {
            const JoinRound round = join_->announce(*this, reduction);
            return detail::PassTerms{join_->options().divide_by_initial_world_size ? options_.group.size()
                                                                                   : round.active,
                                     round.first_active};
        };
}
void DistributedDataParallelImpl::shadow(std::int64_t phase, const JoinRound& round) {
    if (phase == forward_with_buffers) send_buffers(round.last_active);
    else if (phase == reduction)
        reducer_->shadow(
            {join_->options().divide_by_initial_world_size ? options_.group.size() : round.active, round.first_active});
}
void DistributedDataParallelImpl::take_over(std::int64_t last) {
    std::vector<Tensor> all = tensors_of(defined_ones(module->parameter_items({}, true, true)));
    for (const auto& item : defined_ones(module->buffer_items({}, true, true))) all.push_back(item.second);
    detail::send_tensors(all, last, options_.group);
}

} // namespace reel::distributed
