// A pass: when gradients are ready, buckets go out in order; the end of the pass waits for all of them.
#include "data_parallel/reducer.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/detail/running_pass.hpp>
#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/hooks.hpp>
#include <reel/distributed/collectives.hpp>

namespace reel::distributed::detail {

Reducer::Reducer(std::vector<std::pair<std::string, Tensor>> parameters, ReducerOptions options)
    : options_(std::move(options)), size_(options_.group.size()) {
    for (auto& [name, tensor] : parameters) {
        known_.insert(tensor.unsafeGetTensorImpl());
        names_.push_back(std::move(name));
        parameters_.push_back(std::move(tensor));
    }
    used_.assign(parameters_.size(), 0);
    seen_in_.assign(parameters_.size(), -1);
    kept_.resize(parameters_.size());
    std::vector<std::size_t> last_to_first(parameters_.size());
    std::iota(last_to_first.rbegin(), last_to_first.rend(), std::size_t(0));
    cut_anew(last_to_first);
}
Reducer::~Reducer() {
    for (RemovableHandle& h : handles_) h.remove();
}
void Reducer::listen() {
    for (std::size_t i = 0; i < parameters_.size(); ++i)
        handles_.push_back(
            parameters_[i].register_post_accumulate_grad_hook([self = weak_from_this(), i](const Tensor&) {
                if (const auto reducer = self.lock()) reducer->accumulated(i);
            }));
}
void Reducer::set_comm_hook(CommHook hook) {
    REEL_CHECK(!comm_hook_, "DistributedDataParallel: register_comm_hook: there is a hook already; one per wrapper");
    REEL_CHECK(passes_ == 0, "DistributedDataParallel: register_comm_hook: gradients were reduced already; register "
                             "the hook before the first backward");
    comm_hook_ = std::move(hook);
}

void Reducer::before_forward() {
    if (!changed_.empty()) {
        options_.group.abort(changed_);
        REEL_THROW(Error, changed_);
    }
    if (running_ || std::ranges::all_of(buckets_, [&](const Bucket& b) { return b.fits(parameters_); })) return;
    std::vector<std::size_t> order; // the same on all ranks, which have converted the module alike
    for (const Bucket& b : buckets_) order.insert(order.end(), b.members.begin(), b.members.end());
    cut_anew(order);
}

void Reducer::after_forward(const std::vector<Tensor>& outputs, bool others) {
    for (const Tensor& t : outputs) {
        if (!t.defined() || !t.requires_grad()) continue;
        if (t.is_leaf()) others = true; // a hook would stay
        else t.register_hook([self = shared_from_this()](const Tensor&) { self->gradient_arrives(); });
    }
    if (others || outputs.empty()) armed_ = true;
}

void Reducer::gradient_arrives() {
    if (running_) return;
    // `grad` gives gradients to its caller and accumulates nothing.
    if (autograd::impl::pass_is_restricted() &&
        std::ranges::none_of(parameters_, [](const Tensor& p) { return autograd::impl::accumulates_into(p); }))
        return;
    begin_on_tape();
}

void Reducer::begin_on_tape() {
    failure_.clear();
    running_ = true;
    autograd::impl::at_end_of_pass([self = shared_from_this()] { self->at_end_of_pass(); });
    autograd::queue_callback([self = shared_from_this()] { self->finish(); });
    begin(terms ? terms() : PassTerms{size_, 0}, false);
    // Parameters that the loss uses beside the forward may have come before its results.
    const std::int64_t pass = autograd::current_graph_task_id();
    for (std::size_t i = 0; i < parameters_.size(); ++i)
        if (seen_in_[i] == pass) arrived(i);
}

void Reducer::begin(const PassTerms& given, bool shadow) {
    terms_ = given;
    shadow_ = shadow;
    running_ = true;
    ready_.assign(parameters_.size(), 0);
    divided_.assign(parameters_.size(), 0);
    counts_.assign(parameters_.size(), 0);
    order_.clear();
    last_.reset();
    next_ = 0;
    for (Bucket& b : buckets_) {
        b.to_come = b.members.size();
        b.launched = false;
    }
    if (options_.static_graph) {
        for (std::size_t i = 0; i < learned_.size(); ++i)
            if (learned_[i] == 0) mark_ready(i);
    } else if (options_.find_unused) {
        std::vector<char> here(parameters_.size(), 0);
        for (std::size_t i = 0; !shadow && i < parameters_.size(); ++i)
            if (autograd::impl::accumulates_into(parameters_[i])) here[i] = used_[i] = 1;
        share_used();
        for (std::size_t i = 0; i < parameters_.size(); ++i)
            if (!here[i]) mark_ready(i);
    }
}

/// Hooks of one parameter run one after the other, this one first: what the others leave is what counts. They are done
/// when the next parameter's begin, or the pass ends; where there are no others, now.
void Reducer::accumulated(std::size_t i) {
    used_[i] = 1;
    if (!running_) {
        if (!armed_) {
            seen_in_[i] = autograd::current_graph_task_id();
            return;
        }
        begin_on_tape();
    }
    arrived(i);
}
void Reducer::arrived(std::size_t i) {
    settle();
    ++counts_[i];
    last_ = i;
    if (autograd::impl::hooks_after_accumulation(parameters_[i]) == 1) settle();
}
void Reducer::settle() {
    if (!last_) return;
    const std::size_t i = *std::exchange(last_, std::nullopt);
    if (!options_.static_graph) return mark_ready(i);
    if (learned_.empty()) return; // the first pass shows what there is to wait for
    if (counts_[i] == learned_[i]) mark_ready(i);
}

void Reducer::mark_ready(std::size_t i) {
    Bucket& b = buckets_[places_[i].bucket];
    REEL_CHECK(
        !b.launched, "DistributedDataParallel: ", here(), ": parameter '", names_[i],
        "' got a gradient again after its bucket was reduced in this pass. Checkpointed parts that run their own "
        "backward (reentrant ones) do that when they share parameters, and hide parameters from "
        "find_unused_parameters: use checkpoints that are not reentrant, or static_graph = true");
    fill_slot(i);
    if (std::exchange(ready_[i], 1)) return;
    order_.push_back(i);
    if (--b.to_come == 0) launch_ready();
}

void Reducer::launch_ready() {
    const NoGradGuard no_grad;
    for (; next_ < buckets_.size() && buckets_[next_].to_come == 0; ++next_) {
        Bucket& b = buckets_[next_];
        b.launched = true;
        if (!comm_hook_) {
            b.reduced = BucketFuture(add_means(b), b.buffer);
            continue;
        }
        std::vector<Tensor> parameters;
        for (const std::size_t i : b.members) parameters.push_back(parameters_[i]);
        b.reduced =
            comm_hook_(GradBucket(next_, next_ + 1 == buckets_.size(), b.buffer, b.slots, std::move(parameters)));
    }
}

void Reducer::check_all_came() {
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < parameters_.size(); ++i)
        if (!ready_[i]) missing.push_back(i);
    if (missing.empty()) return;
    failure_ = str("DistributedDataParallel: ", here(), ": this backward gave no gradient to ", missing.size(), " of ",
                   parameters_.size(), " parameters: ", name_list(missing),
                   ". Every rank must reduce all of them: use them all in the loss, or pass find_unused_parameters = "
                   "true (static_graph = true if the same ones stay unused in each pass)");
    REEL_THROW(Error, failure_);
}

void Reducer::compare_with_first_pass() {
    if (shadow_) return;
    if (learned_.empty()) {
        learned_ = counts_;
        return;
    }
    for (std::size_t i = 0; changed_.empty() && i < counts_.size(); ++i)
        if (counts_[i] != learned_[i])
            changed_ = str("DistributedDataParallel: ", here(), ": static_graph = true, but parameter '", names_[i],
                           "' got a gradient ", counts_[i], " times in backward ", passes_ + 1, " and ", learned_[i],
                           " times in the first one; leave static_graph out, and use find_unused_parameters = true if "
                           "parameters may stay unused");
}

void Reducer::finish() {
    settle();
    const bool first_static = options_.static_graph && passes_ == 0;
    if (options_.static_graph) {
        compare_with_first_pass();
        if (first_static) {
            share_used();
            for (std::size_t i = 0; i < counts_.size(); ++i)
                if (counts_[i] > 0) mark_ready(i);
        }
    } else if (!options_.find_unused && !shadow_) check_all_came();
    for (std::size_t i = 0; i < parameters_.size(); ++i)
        if (!ready_[i]) mark_ready(i);
    wait_for_all();
    if (!shadow_) store_all();
    ++passes_;
    const std::int64_t settled = options_.static_graph ? 2 : 1; // by then the order is what it will be
    if (size_ > 1 && !options_.find_unused && passes_ == settled) cut_in_order_of(terms_.first_rank);
    std::ranges::fill(used_, char(0));
    armed_ = running_ = false;
    if (shadow_ || !reduced_hooks_) return;
    if (const auto hooks = reduced_hooks_->snapshot())
        for (std::size_t i = 0; i < parameters_.size(); ++i)
            if (parameters_[i].grad().defined())
                for (const auto& record : *hooks) record.fn(names_[i], parameters_[i]);
}

void Reducer::wait_for_all() {
    const NoGradGuard no_grad;
    const auto backward_ended = std::chrono::steady_clock::now();
    times_ = {};
    for (Bucket& b : buckets_) {
        const Work work = b.reduced.work();
        const Tensor result = b.reduced.wait();
        if (work.defined()) count(work.times(), backward_ended);
        if (!result.is_same(b.buffer)) b.buffer.copy_(result.reshape(b.buffer.sizes()));
        b.reduced = {};
    }
    if (used_work_.defined()) {
        used_work_.wait();
        used_work_ = {};
        used_anywhere_ = used_anywhere_.to(Device(kCPU));
    }
    if (options_.static_graph && used_anywhere_.defined() && learned_anywhere_.empty()) {
        const std::uint8_t* const used = used_anywhere_.data_ptr<std::uint8_t>();
        learned_anywhere_.assign(used, used + parameters_.size());
    }
}

void Reducer::count(const WorkTimes& times, std::chrono::steady_clock::time_point backward_ended) {
    const auto seconds = [](auto duration) { return std::max(0.0, std::chrono::duration<double>(duration).count()); };
    times_.backward_comm += seconds(times.ended - times.begun);
    times_.backward_compute_comm_overlap += seconds(std::min(times.ended, backward_ended) - times.begun);
}

void Reducer::shadow(const PassTerms& given) {
    failure_.clear();
    begin(given, true);
    finish();
}

/// The pass is over. If it did not come to its end here, the others wait for what will not come.
void Reducer::at_end_of_pass() noexcept {
    if (!std::exchange(running_, false)) return;
    armed_ = false;
    last_.reset();
    for (Bucket& b : buckets_) b.reduced = {};
    used_work_ = {};
    try {
        options_.group.abort(failure_.empty() ? str("DistributedDataParallel: ", here(),
                                                    ": backward ended early, with "
                                                    "an error of this rank")
                                              : failure_);
    } catch (...) { // it is of no use already
    }
}

} // namespace reel::distributed::detail
