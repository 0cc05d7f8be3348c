#include <reel/autograd/ops/random/random.hpp>
#include <reel/rl/replay/slice_sampler.hpp>

#include <algorithm>

#include <reel/autograd/tensor_factory.hpp>

namespace reel::rl {
namespace {

/// True where the next entry, in the order of writing, belongs to another trajectory; [size].
std::vector<bool> ends_by_flag(const Tensor& flags, std::int64_t size, std::int64_t oldest, const NestedKey& key) {
    REEL_CHECK_TYPE(flags.scalar_type() == kBool, "SliceSampler: end_key: ", key, " is ", flags.scalar_type(),
                    ", expected ", kBool);
    REEL_CHECK(flags.numel() == size, "SliceSampler: end_key: ", key, " is stored as ", flags.sizes(),
               ", expected one flag for each of the ", size, " entries");
    const Tensor dense = flags.contiguous();
    const bool* flag = dense.data_ptr<bool>();
    std::vector<bool> ends(std::size_t(size), false);
    for (std::int64_t t = 0; t < size; ++t) ends[std::size_t(t)] = flag[(oldest + t) % size];
    return ends;
}
std::vector<bool> ends_by_id(const Tensor& ids, std::int64_t size, std::int64_t oldest, const NestedKey& key) {
    REEL_CHECK_TYPE(isIntegralType(ids.scalar_type(), false), "SliceSampler: traj_key: ", key, " is ",
                    ids.scalar_type(), ", expected an integer type");
    REEL_CHECK(ids.numel() == size, "SliceSampler: traj_key: ", key, " is stored as ", ids.sizes(),
               ", expected one number for each of the ", size, " entries");
    const Tensor dense = ids.to(kLong).contiguous();
    const std::int64_t* id = dense.data_ptr<std::int64_t>();
    std::vector<bool> ends(std::size_t(size), false);
    for (std::int64_t t = 0; t + 1 < size; ++t)
        ends[std::size_t(t)] = id[(oldest + t) % size] != id[(oldest + t + 1) % size];
    return ends;
}

} // namespace

SliceSampler::SliceSampler(SliceSamplerOptions options) : options_(std::move(options)) {
    const auto &number = options_.num_slices(), &length = options_.slice_len();
    REEL_CHECK_VALUE(number.has_value() != length.has_value(),
                     "SliceSampler: expected either num_slices or slice_len, ", number ? "got both" : "got none");
    REEL_CHECK_VALUE(number.value_or(1) >= 1 && length.value_or(1) >= 1,
                     "SliceSampler: ", number ? "num_slices" : "slice_len", " is ", number ? *number : *length,
                     ", expected at least 1");
}

CommitLoad SliceSampler::prepare_load(const Value&, std::int64_t) {
    return [this] { known_ = -1; };
}

void SliceSampler::find_trajectories(const ReplayStorage& storage, const RoundRobinWriter& writer) {
    if (known_ == writer.write_count()) return;
    const std::int64_t size = storage.size(), oldest = size == storage.max_size() ? writer.cursor() : 0;
    const auto& id = options_.traj_key();
    const std::vector<bool> ends =
        id ? ends_by_id(storage.column(*id), size, oldest, *id)
           : ends_by_flag(storage.column(options_.end_key()), size, oldest, options_.end_key());
    std::vector<Trajectory> found;
    std::int64_t begin = 0;
    for (std::int64_t t = 0; t < size; ++t)
        if (ends[std::size_t(t)] || t + 1 == size) {
            found.push_back({begin, t + 1 - begin});
            begin = t + 1;
        }
    trajectories_ = std::move(found);
    known_ = writer.write_count();
}

Draw SliceSampler::sample(const ReplayStorage& storage, const RoundRobinWriter& writer, std::int64_t batch_size,
                          const std::optional<Generator>& generator) {
    const bool by_number = options_.num_slices().has_value();
    const std::int64_t given = by_number ? *options_.num_slices() : *options_.slice_len();
    REEL_CHECK_VALUE(batch_size % given == 0, "SliceSampler: the batch size ", batch_size, " is no multiple of ",
                     by_number ? "num_slices" : "slice_len", ", which is ", given);
    const std::int64_t slices = by_number ? given : batch_size / given, length = batch_size / slices;
    find_trajectories(storage, writer);
    std::vector<Trajectory> eligible;
    std::int64_t longest = 0;
    for (const Trajectory& t : trajectories_) {
        longest = std::max(longest, t.length);
        if (t.length >= length || !options_.strict_length()) eligible.push_back(t);
    }
    REEL_CHECK(!eligible.empty(), "SliceSampler: no trajectory is long enough for slices of ", length,
               " entries, the longest has ", longest, "; turn strict_length off to take shorter ones whole");

    const Tensor which = randint(0, std::int64_t(eligible.size()), {slices}, generator, kLong),
                 where = rand({slices}, generator, kDouble);
    const std::int64_t size = storage.size(), oldest = size == storage.max_size() ? writer.cursor() : 0;
    std::vector<std::int64_t> index;
    std::vector<std::uint8_t> last;
    for (std::int64_t s = 0; s < slices; ++s) {
        const Trajectory& t = eligible[std::size_t(which.data_ptr<std::int64_t>()[s])];
        const std::int64_t count = std::min(length, t.length), starts = t.length - count + 1;
        const std::int64_t first =
            t.begin + std::min(std::int64_t(where.data_ptr<double>()[s] * double(starts)), starts - 1);
        for (std::int64_t k = 0; k < count; ++k) {
            index.push_back((oldest + first + k) % size);
            last.push_back(k + 1 == count);
        }
    }
    return {tensor(index), {}, tensor(last).to(kBool)};
}

} // namespace reel::rl
