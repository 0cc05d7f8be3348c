#include "sharding/unit.hpp"

#include <reel/autograd/backward.hpp>
#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "sharding/flat_buffer.hpp"
#include "sharding/forward_scope.hpp"
#include "sharding/registry.hpp"
#include "sharding/rows.hpp"

namespace reel::distributed {

Unit::Unit(nn::Module& module, const FullyShardOptions& options, std::vector<ShardedParameter> parameters)
    : module_(&module), name_(module.repr_name()), group_(options.group), reshard_(options.reshard_after_forward),
      prefetch_(options.prefetch), parameters_(std::move(parameters)) {}
Unit::~Unit() { forget_unit(*this); }

Shard Unit::shard(std::size_t parameter) const {
    const ShardedParameter& p = parameters_[parameter];
    const Rows rows = rows_of(group_.rank(), p.sizes[0], group_.size());
    return {p.sizes, rows.begin, rows.count, group_};
}

namespace {
/// One buffer for each dtype and device among the parameters `of`; `in[b]` lists which of `tensors` go through buffer
/// b, in its order.
std::vector<FlatBuffer> buffers_for(const Unit& unit, const std::vector<std::size_t>& of,
                                    const std::vector<Tensor>& tensors, std::vector<std::vector<Tensor>>& in) {
    std::vector<FlatBuffer> buffers;
    for (std::size_t k = 0; k < of.size(); ++k) {
        const ShardedParameter& p = unit.parameters()[of[k]];
        std::size_t b = 0;
        while (b < buffers.size() && !buffers[b].takes(p.local)) ++b;
        if (b == buffers.size()) {
            buffers.emplace_back(p.local.scalar_type(), p.local.device(), unit.group().rank(), unit.group().size());
            in.emplace_back();
        }
        buffers[b].add(of[k], p.sizes);
        in[b].push_back(tensors[k]);
    }
    return buffers;
}
} // namespace

std::vector<std::int64_t> Unit::versions() const {
    std::vector<std::int64_t> found;
    for (const ShardedParameter& p : parameters_) found.push_back(p.local._version());
    return found;
}
Unit::Prefetched Unit::begin_gather(bool beside) const {
    const NoGradGuard no_grad;
    std::vector<std::size_t> all;
    std::vector<Tensor> locals;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        all.push_back(i);
        locals.push_back(parameters_[i].local);
    }
    std::vector<std::vector<Tensor>> in;
    Prefetched begun{buffers_for(*this, all, locals, in), {}, versions()};
    for (std::size_t b = 0; b < begun.buffers.size(); ++b)
        begun.gatherings.push_back(begun.buffers[b].begin_gather(group_, in[b], beside));
    return begun;
}
std::vector<Tensor> Unit::gather() {
    const NoGradGuard no_grad;
    std::optional<Prefetched> begun;
    {
        const std::lock_guard lock(prefetched_mutex_);
        begun.swap(prefetched_);
    }
    if (begun && begun->versions != versions()) {
        begun.reset();
        foreseen_wrongly(shared_from_this());
    }
    if (!begun) begun = begin_gather(false);
    std::vector<Tensor> whole(parameters_.size());
    for (std::size_t b = 0; b < begun->buffers.size(); ++b) begun->buffers[b].end_gather(begun->gatherings[b], whole);
    return whole;
}
void Unit::prefetch() {
    const std::lock_guard lock(prefetched_mutex_);
    if (!prefetched_) prefetched_ = begin_gather(true);
}
void Unit::forget_prefetched() {
    const std::lock_guard lock(prefetched_mutex_);
    prefetched_.reset();
}
std::vector<Tensor> Unit::reduce(const std::vector<std::size_t>& of, const std::vector<Tensor>& gradients) const {
    const NoGradGuard no_grad;
    std::vector<Tensor> rows(parameters_.size()), result;
    std::vector<std::vector<Tensor>> in;
    const std::vector<FlatBuffer> buffers = buffers_for(*this, of, gradients, in);
    for (std::size_t b = 0; b < buffers.size(); ++b) buffers[b].reduce(group_, in[b], rows);
    for (const std::size_t i : of) result.push_back(rows[i]);
    return result;
}

void Unit::keep(std::vector<Tensor> whole) {
    kept_ = std::move(whole);
    kept_versions_ = versions();
}
Tensor Unit::whole_again(std::size_t parameter, std::int64_t version) {
    const ShardedParameter& p = parameters_[parameter];
    REEL_CHECK(p.local._version() == version, name_, ": parameter '", p.path,
               "', needed for backward, was modified by an in-place operation after forward used it: it is at version ",
               p.local._version(), "; expected version ", version,
               " instead. Call backward before the optimizer's step, or forward again after it");
    std::unique_lock lock(mutex_);
    if (kept_.empty() || kept_versions_ != versions()) {
        keep(gather());
        if (autograd::current_graph_task_id() != -1) // frozen parameters have no node that would drop them
            autograd::queue_callback([self = shared_from_this()] { self->drop(); });
        const Tensor whole = kept_[parameter];
        lock.unlock();
        prefetch_after(shared_from_this());
        return whole;
    }
    return kept_[parameter];
}
void Unit::drop() {
    const std::lock_guard lock(mutex_);
    kept_.clear();
}

void Unit::begin_forward(nn::Module& module) {
    REEL_CHECK(&module == module_, name_,
               ": this is a copy of a module that fully_shard split, and its hooks belong to the original; call "
               "fully_shard on the copy of an unsharded module instead");
    for (const ShardedParameter& p : parameters_)
        REEL_CHECK(
            module.get_parameter(p.path).is_same(p.local), name_, ": parameter '", p.path,
            "' is another tensor than the one that fully_shard split; copy values into the parameter (load_state_dict "
            "without assign), or shard the module after the replacement");
    drop();
    std::vector<Tensor> whole = gather();
    prefetch_after(shared_from_this());
    calls_.push_back(std::make_unique<ForwardScope>(shared_from_this(), module, std::move(whole)));
}
void Unit::end_forward() {
    if (calls_.empty()) return; // gathering threw
    const std::unique_ptr<ForwardScope> call = std::move(calls_.back());
    calls_.pop_back();
    if (reshard_ || !GradMode::is_enabled()) return;
    const std::lock_guard lock(mutex_);
    keep(call->whole());
}

} // namespace reel::distributed
