// Between gradients and buckets: filling slots, storing means, cutting buckets anew.
#include <algorithm>
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/distributed/collectives.hpp>

#include "collectives/mean.hpp"
#include "data_parallel/reducer.hpp"

namespace reel::distributed::detail {

namespace {
bool lies_in(const Tensor& gradient, const Tensor& slot) {
    return gradient.numel() > 0 && gradient.data_ptr() == slot.data_ptr() && gradient.strides().equals(slot.strides());
}
} // namespace

/// With what has accumulated before this pass; nothing where there is no gradient.
void Reducer::fill_slot(std::size_t i) {
    const NoGradGuard no_grad;
    const Tensor& slot = buckets_[places_[i].bucket].slots[places_[i].slot];
    const Tensor gradient = shadow_ ? Tensor() : parameters_[i].grad();
    divided_[i] = !gradient.defined();
    if (divided_[i]) {
        slot.zero_();
        return;
    }
    REEL_CHECK_NOT_IMPLEMENTED(!gradient.is_sparse(), "DistributedDataParallel: parameter '", names_[i],
                               "' has a sparse gradient, and ranks can only average dense ones: make the layer with "
                               "sparse = false");
    REEL_CHECK(gradient.sizes().equals(slot.sizes()), "DistributedDataParallel: parameter '", names_[i],
               "' has a gradient of shape ", gradient.sizes(), "; expected ", slot.sizes());
    if (lies_in(gradient, slot)) {
        if (counts_[i] == 0) kept_[i] = gradient.clone(); // perhaps nobody uses it
    } else if (!comm_hook_ && terms_.divisor != 1 && !divides_on_the_way(slot) &&
               gradient.scalar_type() == slot.scalar_type()) {
        reel::div_out(slot, gradient.detach(), Scalar(terms_.divisor)); // one way over the memory for two
        divided_[i] = 1;
    } else slot.copy_(gradient.detach());
}

/// Every rank's gradients are divided first, so that two ranks add exactly: on the way where that can be, else here as
/// far as it has not been done.
Work Reducer::add_means(const Bucket& bucket) {
    const std::int64_t divisor = terms_.divisor;
    if (divisor != 1 && divides_on_the_way(bucket.buffer))
        return divide_and_add_async(bucket.buffer, divisor, options_.group);
    if (divisor != 1) {
        const auto done = std::ranges::count_if(bucket.members, [&](std::size_t i) { return divided_[i] != 0; });
        if (done == 0) bucket.buffer.div_(Scalar(divisor));
        for (std::size_t k = 0; done != 0 && k < bucket.members.size(); ++k)
            if (!divided_[bucket.members[k]]) bucket.slots[k].div_(Scalar(divisor));
    }
    return all_reduce_async(bucket.buffer, kSum, options_.group);
}

void Reducer::store(std::size_t i) {
    const Tensor& slot = buckets_[places_[i].bucket].slots[places_[i].slot];
    const Tensor& p = parameters_[i];
    Tensor& gradient = p.mutable_grad();
    if (gradient.defined() && lies_in(gradient, slot)) return;
    const bool converts = gradient.defined() && gradient.scalar_type() != slot.scalar_type();
    if (options_.as_view && !converts) gradient = slot;
    else if (gradient.defined()) gradient.detach().copy_(slot);
    else {
        gradient = reel::empty_like(p);
        gradient.copy_(slot);
    }
}

void Reducer::store_all() {
    const NoGradGuard no_grad;
    const std::uint8_t* const used =
        used_anywhere_.defined() && learned_anywhere_.empty() ? used_anywhere_.data_ptr<std::uint8_t>() : nullptr;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const bool unused = (used && !used[i]) || (!learned_anywhere_.empty() && !learned_anywhere_[i]);
        if (!unused) store(i);
        else if (kept_[i].defined()) parameters_[i].mutable_grad().copy_(kept_[i]); // whatever there is stays
    }
    kept_.assign(parameters_.size(), Tensor());
}

void Reducer::cut_anew(const std::vector<std::size_t>& order) {
    const NoGradGuard no_grad;
    std::vector<Bucket> fresh;
    for (auto& members : assign_buckets(parameters_, order, options_.first_bucket_bytes, options_.bucket_bytes))
        fresh.emplace_back(parameters_, std::move(members));
    std::vector<Place> places(parameters_.size());
    for (std::size_t b = 0; b < fresh.size(); ++b)
        for (std::size_t k = 0; k < fresh[b].members.size(); ++k) places[fresh[b].members[k]] = {b, k};
    if (options_.as_view)
        for (std::size_t i = 0; i < places_.size(); ++i) {
            Tensor& gradient = parameters_[i].mutable_grad();
            if (!gradient.defined() || !lies_in(gradient, buckets_[places_[i].bucket].slots[places_[i].slot])) continue;
            const Tensor& slot = fresh[places[i].bucket].slots[places[i].slot];
            slot.copy_(gradient);
            gradient = slot;
        }
    buckets_ = std::move(fresh);
    places_ = std::move(places);
}

/// The order in which gradients became ready on one rank, for all.
void Reducer::cut_in_order_of(std::int64_t rank) {
    const NoGradGuard no_grad;
    const Tensor order =
        reel::empty({std::int64_t(order_.size())}, TensorOptions(kLong).device(buckets_[0].buffer.device()));
    if (!shadow_) {
        const Tensor mine = reel::empty(order.sizes(), kLong);
        for (std::size_t k = 0; k < order_.size(); ++k) mine.data_ptr<std::int64_t>()[k] = std::int64_t(order_[k]);
        order.copy_(mine);
    }
    broadcast(order, options_.group.ranks()[std::size_t(rank)], options_.group);
    const Tensor host = order.to(Device(kCPU));
    std::vector<std::size_t> wanted;
    for (std::int64_t k = 0; k < host.numel(); ++k) wanted.push_back(std::size_t(host.data_ptr<std::int64_t>()[k]));
    std::vector<std::size_t> present;
    for (const Bucket& b : buckets_) present.insert(present.end(), b.members.begin(), b.members.end());
    if (wanted != present) cut_anew(wanted);
}

/// Which parameters some rank has a gradient for; known when the pass ends.
void Reducer::share_used() {
    const NoGradGuard no_grad;
    const Tensor mine = reel::zeros({std::int64_t(parameters_.size())}, kByte);
    for (std::size_t i = 0; !shadow_ && i < used_.size(); ++i)
        mine.data_ptr<std::uint8_t>()[i] = std::uint8_t(used_[i]);
    used_anywhere_ = mine.to(buckets_[0].buffer.device());
    used_work_ = all_reduce_async(used_anywhere_, kMax, options_.group);
}

std::string Reducer::name_list(const std::vector<std::size_t>& parameters) const {
    constexpr std::size_t most = 20;
    std::string text;
    for (std::size_t k = 0; k < parameters.size() && k < most; ++k)
        text += (k ? ", '" : "'") + names_[parameters[k]] + "'";
    if (parameters.size() > most) text += str(" and ", parameters.size() - most, " more");
    return text;
}
std::string Reducer::here() const { return str("rank ", options_.group.rank(), " of ", size_); }

} // namespace reel::distributed::detail
