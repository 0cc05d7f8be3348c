// Trajectories as rows.
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/rl/postprocs/split_trajectories.hpp>

#include <algorithm>
#include <set>

#include <reel/autograd/printing.hpp>

#include "detail/host_tensor.hpp"
#include "postprocs/needed_entry.hpp"

namespace reel::rl {

namespace {

constexpr const char* name = "split_trajectories";

/// The given or the usual place of the ids.
NestedKey key_of_ids(const TensorDict& rollout, const SplitTrajectoriesOptions& options) {
    if (options.trajectory_key()) return *options.trajectory_key();
    if (options.prefix()) return NestedKey("traj_ids").under(*options.prefix());
    const Entry* collector = rollout.find("collector");
    return collector && collector->is_dict() ? NestedKey({"collector", "traj_ids"}) : NestedKey("traj_ids");
}

/// One value per step, [*B, T].
Tensor per_step(const Tensor& t, const NestedKey& key, IntArrayRef batch) {
    const Tensor flat = t.dim() == std::int64_t(batch.size()) + 1 && t.size(-1) == 1 ? t.squeeze(-1) : t;
    REEL_CHECK(flat.sizes() == batch, name, ": the entry ", key, " has sizes ", t.sizes(), ", expected ", batch,
               ", or those and a 1");
    return flat;
}

/// Counts the ends before each step.
Tensor ids_from_flags(const Tensor& flags, const SplitTrajectoriesOptions& options) {
    const Tensor done = flags.cpu().to(kBool).contiguous();
    const auto [ids, id] = detail::host_tensor<std::int64_t>(flags.sizes());
    const std::int64_t length = done.size(-1), rows = done.numel() / length;
    const std::int64_t alike = options.distinguishes_all_rows() || done.dim() < 2 ? 1 : rows / done.size(0);
    const bool* end = done.const_data_ptr<bool>();
    std::int64_t first = 0, largest = -1; // ids of a group of rows begin behind those of the groups before
    for (std::int64_t r = 0; r < rows; ++r) {
        if (r % alike == 0) first = largest + 1;
        std::int64_t at = first;
        for (std::int64_t t = 0; t < length; ++t) {
            id[r * length + t] = at;
            largest = std::max(largest, at);
            at += end[r * length + t];
        }
    }
    return ids.to(flags.device());
}

/// Lengths of the runs of equal ids.
template <class T> std::vector<std::int64_t> run_lengths(const Tensor& list, const NestedKey& key) {
    const T* id = list.const_data_ptr<T>();
    std::vector<std::int64_t> lengths;
    std::set<T> met;
    for (std::int64_t i = 0; i < list.numel(); ++i) {
        if (i > 0 && id[i] == id[i - 1]) {
            ++lengths.back();
            continue;
        }
        REEL_CHECK(met.insert(id[i]).second, name, ": the trajectory id ", id[i], " of ", key, " comes back at step ",
                   i, " after another one; the steps of a trajectory must be consecutive");
        lengths.push_back(1);
    }
    return lengths;
}
std::vector<std::int64_t> run_lengths_of(const Tensor& ids, const NestedKey& key) {
    const Tensor list = ids.detach().cpu().reshape({-1});
    if (isFloatingType(ids.scalar_type())) return run_lengths<double>(list.to(kDouble).contiguous(), key);
    return run_lengths<std::int64_t>(list.to(kLong).contiguous(), key);
}

/// Rows of steps to rows of trajectories.
struct Padding {
    std::int64_t batch_dims, count, longest;
    Tensor places; ///< of all steps in a result of count * longest

    Padding(std::int64_t dims, const std::vector<std::int64_t>& lengths)
        : batch_dims(dims), count(std::int64_t(lengths.size())),
          longest(*std::max_element(lengths.begin(), lengths.end())) {
        std::int64_t total = 0;
        for (const std::int64_t n : lengths) total += n;
        auto [made, to] = detail::host_tensor<std::int64_t>({total});
        places = made;
        for (std::int64_t i = 0; i < count; ++i)
            for (std::int64_t t = 0; t < lengths[std::size_t(i)]; ++t) *to++ = i * longest + t;
    }
    Tensor operator()(const Tensor& leaf) const {
        std::vector<std::int64_t> from{places.numel()}, to{count * longest}, out{count, longest};
        for (std::int64_t i = batch_dims; i < leaf.dim(); ++i)
            for (auto* sizes : {&from, &to, &out}) sizes->push_back(leaf.size(i));
        return leaf.new_zeros(to).index_copy(0, places.to(leaf.device()), leaf.reshape(from)).reshape(out);
    }
    TensorDict operator()(const TensorDict& dict) const {
        std::vector<std::int64_t> sizes{count, longest};
        for (std::int64_t i = batch_dims; i < dict.batch_dims(); ++i) sizes.push_back(dict.batch_size(i));
        TensorDict out(sizes, dict.device());
        for (const auto& [key, entry] : dict.items())
            if (entry.is_dict()) out.set(key, (*this)(entry.dict()));
            else out.set(key, (*this)(entry.tensor()));
        return out;
    }
};

} // namespace

TensorDict split_trajectories(const TensorDict& rollout, const SplitTrajectoriesOptions& options) {
    const std::vector<std::int64_t> batch = rollout.batch_size();
    REEL_CHECK_VALUE(!batch.empty(), name, ": the batch size is [], expected [*B, T] with time last");
    REEL_CHECK(std::find(batch.begin(), batch.end(), 0) == batch.end(), name, ": no steps in batch size ",
               IntArrayRef(batch));
    TensorDict data = rollout.clone(false);
    const NestedKey key = key_of_ids(rollout, options), mask_key = key.with_back("mask");
    Tensor ids;
    if (data.contains(key)) ids = per_step(needed_entry(name, data, key), key, batch);
    else {
        const NestedKey done_key = options.done_key().under("next");
        ids = ids_from_flags(per_step(needed_entry(name, data, done_key), done_key, batch), options);
        data.set(key, ids);
    }
    const std::vector<std::int64_t> lengths = run_lengths_of(ids, key);
    const bool rows_as_they_are =
        std::int64_t(lengths.size()) * batch.back() == ids.numel() &&
        std::all_of(lengths.begin(), lengths.end(), [&](auto n) { return n == batch.back(); });
    if (rows_as_they_are) {
        if (batch.size() == 1) data = data.unsqueeze(0);
        return data.set(mask_key, ones(data.batch_size(), TensorOptions(kBool).device(ids.device())));
    }
    const Padding pad(std::int64_t(batch.size()), lengths);
    return pad(data).set(mask_key, pad(ones_like(ids, TensorOptions(kBool))));
}

} // namespace reel::rl
