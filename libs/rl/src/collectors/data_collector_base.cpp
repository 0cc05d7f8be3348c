#include <reel/rl/collectors/data_collector_base.hpp>

#include <utility>

#include <reel/autograd/tensor_factory.hpp>
#include <reel/rl/postprocs/split_trajectories.hpp>

namespace reel::rl {

DataCollectorBase::DataCollectorBase(std::string whose, CollectorOptions options)
    : whose_(std::move(whose)), options_(std::move(options)) {
    const CollectorOptions& o = options_;
    REEL_CHECK_VALUE(o.frames_per_batch() >= 1, whose_, ": frames_per_batch must be at least 1, got ",
                     o.frames_per_batch());
    REEL_CHECK_VALUE(o.total_frames() >= -1, whose_,
                     ": total_frames must be a number of frames, or -1 for batches without end, got ",
                     o.total_frames());
    REEL_CHECK_VALUE(o.init_random_frames() >= 0, whose_, ": init_random_frames must not be negative, got ",
                     o.init_random_frames());
    REEL_CHECK_VALUE(o.max_frames_per_traj() >= 0, whose_,
                     ": max_frames_per_traj must not be negative (0: no limit), got ", o.max_frames_per_traj());
}
DataCollectorBase::~DataCollectorBase() = default;

void DataCollectorBase::set_environments(std::int64_t count) {
    environments_ = count;
    steps_ = (options_.frames_per_batch() + count - 1) / count;
    const std::int64_t batch = frames_per_batch(), total = options_.total_frames();
    if (batch != options_.frames_per_batch())
        REEL_WARN(whose_, ": frames_per_batch (", options_.frames_per_batch(), ") is not a multiple of the ", count,
                  " environments: batches have ", batch, " frames");
    if (total > 0 && total % batch != 0)
        REEL_WARN(whose_, ": total_frames (", total, ") is not a multiple of the frames of a batch (", batch,
                  "): ", batch - total % batch, " more are delivered");
}

std::optional<TensorDict> DataCollectorBase::next() {
    if (options_.total_frames() >= 0 && frames_ >= options_.total_frames()) return std::nullopt;
    TensorDict batch = collect(steps_, frames_ < options_.init_random_frames());
    frames_ += frames_per_batch();
    ++iterations_;
    if (options_.split_trajs()) batch = split_trajectories(batch);
    if (options_.postproc()) batch = options_.postproc()(batch);
    if (options_.device()) batch = batch.to(*options_.device());
    return batch;
}

TensorDict DataCollectorBase::state_dict() const {
    TensorDict state = collection_state();
    state.set("frames", reel::tensor(frames_, kLong));
    state.set("iterations", reel::tensor(iterations_, kLong));
    return state;
}
void DataCollectorBase::load_state_dict(const TensorDict& state) {
    const std::int64_t frames = state["frames"].item<std::int64_t>();
    const std::int64_t iterations = state["iterations"].item<std::int64_t>();
    load_collection_state(state); // changes nothing when it throws
    frames_ = frames;
    iterations_ = iterations;
}

} // namespace reel::rl
