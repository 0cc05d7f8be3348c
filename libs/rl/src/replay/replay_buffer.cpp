#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/rl/replay/replay_buffer.hpp>

#include <algorithm>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/random.hpp>
#include <reel/rl/replay/random_sampler.hpp>

#include "detail/host_tensor.hpp"

namespace reel::rl {
namespace {

std::int64_t positive(std::int64_t batch_size) {
    REEL_CHECK_VALUE(batch_size >= 1, "ReplayBuffer: batch_size is ", batch_size, ", expected at least 1");
    return batch_size;
}
/// The last entries of slices end for their users, whatever came after them.
void mark_ends(const TensorDict& data, const Tensor& slice_end) {
    for (const char* name : {"truncated", "done"}) {
        const NestedKey key{"next", name};
        const std::optional<Tensor> flag = data.get(key);
        if (!flag || flag->scalar_type() != kBool) continue;
        std::vector<std::int64_t> sizes(std::size_t(flag->dim()), 1);
        sizes[0] = slice_end.size(0);
        flag->logical_or_(slice_end.view(sizes));
    }
}

} // namespace

ReplayBuffer::ReplayBuffer(ReplayBufferOptions options)
    : storage_(options.storage()), sampler_(options.sampler()), batch_size_(options.batch_size()),
      generator_(options.generator()), transforms_(options.transforms()) {
    REEL_CHECK_VALUE(storage_, "ReplayBuffer: expected a storage, as in "
                               "ReplayBufferOptions().storage(LazyTensorStorage(1000)), got none");
    if (!sampler_) sampler_ = std::make_shared<RandomSampler>();
    if (batch_size_) positive(*batch_size_);
    sampler_->check_storage(storage_->max_size());
    for (const auto& t : transforms_) REEL_CHECK_VALUE(t, "ReplayBuffer: a transform is null");
}
ReplayBuffer::~ReplayBuffer() = default;

std::int64_t ReplayBuffer::size() const {
    const std::lock_guard lock(mutex_);
    return storage_->size();
}
std::int64_t ReplayBuffer::max_size() const { return storage_->max_size(); }
void ReplayBuffer::clear() {
    const std::lock_guard lock(mutex_);
    storage_->clear();
    sampler_->clear();
    writer_.clear();
    for (const auto& t : transforms_) t->reset();
}

std::optional<std::int64_t> ReplayBuffer::add(const TensorDict& entry) {
    const Tensor places = extend(entry.unsqueeze(0));
    if (places.numel() == 0) return std::nullopt;
    return places[-1].item<std::int64_t>();
}

Tensor ReplayBuffer::extend(const TensorDict& rows) {
    REEL_CHECK(rows.batch_dims() > 0,
               "ReplayBuffer: extend expects rows [n, ...], the batch size is []; a single entry "
               "is stored by add()");
    const std::lock_guard lock(mutex_);
    std::optional<TensorDict> now = before_write(rows);
    // transforms must not keep what the buffer does not store
    std::vector<Value> before;
    try {
        for (const auto& t : transforms_) {
            before.push_back(t->state_dict());
            now = t->on_write(*now);
            if (!now) return detail::host_tensor<std::int64_t>({0}).tensor;
        }
        return store(*now);
    } catch (...) {
        for (std::size_t i = 0; i < before.size(); ++i) transforms_[i]->load_state_dict(before[i]);
        throw;
    }
}

Tensor ReplayBuffer::store(const TensorDict& rows) {
    REEL_CHECK(rows.batch_dims() > 0, "ReplayBuffer: a transform made rows with the batch size [], expected [n, ...]");
    const std::int64_t n = rows.batch_size(0), places = storage_->max_size();
    if (n == 0) return detail::host_tensor<std::int64_t>({0}).tensor;
    storage_->check(rows);
    const Tensor index = arange(writer_.cursor(), writer_.cursor() + n, 1, kLong).remainder_(places);
    const std::optional<Tensor> priorities = sampler_->uses_priorities() ? priorities_of(rows) : std::nullopt;
    if (priorities) sampler_->check_priority(index, *priorities);

    const std::int64_t skipped = std::max<std::int64_t>(0, n - places);
    const std::int64_t begin = (writer_.cursor() + skipped) % places, first = std::min(n - skipped, places - begin);
    for (const Slot& s : {Slot{begin, skipped, first}, Slot{0, skipped + first, n - skipped - first}}) {
        if (s.count == 0) continue;
        storage_->write(s.begin, rows, s.from, s.count);
        sampler_->written(s.begin, s.count);
    }
    writer_.advance(n, places);
    if (priorities) sampler_->update_priority(index, *priorities);
    return index;
}

TensorDict ReplayBuffer::sample(std::optional<std::int64_t> batch_size) { return sample_with_info(batch_size).data; }
ReplaySample ReplayBuffer::sample_with_info(std::optional<std::int64_t> batch_size) {
    if (!batch_size) batch_size = batch_size_;
    REEL_CHECK_VALUE(batch_size, "ReplayBuffer: sample() needs a batch size: give it one, or the buffer's options");
    const std::int64_t n = positive(*batch_size);
    const NoGradGuard no_grad;
    const std::lock_guard lock(mutex_);
    REEL_CHECK(storage_->size() >= n, "ReplayBuffer: cannot sample ", n, " entries, the buffer holds ",
               storage_->size(), "; extend it first, or sample fewer");
    const Draw draw = sampler_->sample(*storage_, writer_, n, generator_);
    ReplaySample sample{storage_->get(draw.index), draw.index, draw.weight};
    if (draw.slice_end.defined()) mark_ends(sample.data, draw.slice_end);
    annotate(sample);
    for (const auto& t : transforms_) sample.data = t->on_sample(sample.data);
    return sample;
}

Tensor ReplayBuffer::checked_index(const Tensor& index, const char* op) const {
    REEL_CHECK_TYPE(isIntegralType(index.scalar_type(), false), "ReplayBuffer: ", op, ": the index is ",
                    index.scalar_type(), ", expected integers");
    const Tensor flat = index.detach().to(kCPU, kLong).reshape({-1}).contiguous();
    const std::int64_t* i = flat.data_ptr<std::int64_t>();
    for (std::int64_t k = 0; k < flat.numel(); ++k)
        REEL_CHECK_INDEX(i[k] >= 0 && i[k] < storage_->size(), "ReplayBuffer: ", op, ": the index ", i[k],
                         " is out of range, the buffer holds ", storage_->size(), " entries");
    return flat;
}
TensorDict ReplayBuffer::get(const Tensor& index) const {
    const std::lock_guard lock(mutex_);
    return storage_->get(checked_index(index, "get"));
}

void ReplayBuffer::update_priority(const Tensor& index, const Tensor& priority) {
    const std::lock_guard lock(mutex_);
    const Tensor places = checked_index(index, "update_priority");
    REEL_CHECK_VALUE(priority.numel() == places.numel() || priority.numel() == 1,
                     "ReplayBuffer: update_priority: the index is ", index.sizes(), ", the priority is ",
                     priority.sizes(), "; expected one priority for each entry");
    sampler_->update_priority(places, priority.reshape({-1}).expand({places.numel()}));
}
void ReplayBuffer::update_priority(std::int64_t index, double priority) {
    update_priority(full({1}, index, kLong), full({1}, priority, kDouble));
}

void ReplayBuffer::set_seed(std::uint64_t seed) {
    const std::lock_guard lock(mutex_);
    generator_ = reel::detail::createCPUGenerator(seed);
}
void ReplayBuffer::append_transform(std::shared_ptr<ReplayTransform> transform) {
    REEL_CHECK_VALUE(transform, "ReplayBuffer: append_transform: the transform is null");
    const std::lock_guard lock(mutex_);
    transforms_.push_back(std::move(transform));
}

} // namespace reel::rl
