#include <reel/rl/replay/tensordict_replay_buffer.hpp>

namespace reel::rl {
namespace {

ReplayBufferOptions plain(const TensorDictReplayBufferOptions& o) {
    return ReplayBufferOptions()
        .storage(o.storage())
        .sampler(o.sampler())
        .batch_size(o.batch_size())
        .generator(o.generator())
        .transforms(o.transforms());
}

} // namespace

TensorDictReplayBuffer::TensorDictReplayBuffer(TensorDictReplayBufferOptions options)
    : ReplayBuffer(plain(options)), options_(std::move(options)) {
    const std::string& how = options_.reduction();
    REEL_CHECK_VALUE(how == "max" || how == "min" || how == "mean" || how == "median",
                     "TensorDictReplayBuffer: reduction is '", how, "', expected 'max', 'min', 'mean' or 'median'");
}

TensorDict TensorDictReplayBuffer::before_write(const TensorDict& rows) const {
    if (!rows.contains("index") && !rows.contains(options_.weight_key())) return rows;
    return rows.exclude({"index", options_.weight_key()});
}
Tensor TensorDictReplayBuffer::reduced(const Tensor& priority) const {
    if (priority.dim() <= 1 || priority.numel() == priority.size(0)) return priority.reshape({-1});
    const Tensor flat = priority.reshape({priority.size(0), -1});
    const std::string& how = options_.reduction();
    if (how == "max") return flat.amax(1);
    if (how == "min") return flat.amin(1);
    if (how == "mean") return flat.mean(1);
    return std::get<0>(flat.median(1));
}
std::optional<Tensor> TensorDictReplayBuffer::priorities_of(const TensorDict& rows) const {
    const std::optional<Tensor> priority = rows.get(options_.priority_key());
    if (!priority) return std::nullopt;
    return reduced(*priority);
}
void TensorDictReplayBuffer::annotate(ReplaySample& sample) const {
    // an entry of several steps has as many copies of its place as the batch asks for
    const std::vector<std::int64_t>& batch = sample.data.batch_size();
    std::vector<std::int64_t> ones(batch.size(), 1);
    ones[0] = batch[0];
    const auto spread = [&](const Tensor& t) {
        return batch.size() == 1 ? t : t.view(ones).expand(batch).contiguous();
    };
    sample.data.set("index", spread(sample.index));
    if (sample.weight.defined()) sample.data.set(options_.weight_key(), spread(sample.weight));
}
void TensorDictReplayBuffer::update_tensordict_priority(const TensorDict& sample) {
    const Tensor index = sample["index"], priority = sample[options_.priority_key()];
    const Tensor places = index.dim() > 1 ? index.reshape({index.size(0), -1}).select(1, 0) : index;
    update_priority(places, reduced(priority));
}

} // namespace reel::rl
