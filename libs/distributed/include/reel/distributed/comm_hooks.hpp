// How the gradients of a bucket become one on all ranks: plain means, lower precision, low rank.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <reel/autograd/tensor.hpp>
#include <reel/distributed/process_group.hpp>
#include <reel/distributed/work.hpp>

namespace reel::distributed {

/// Gradients that are reduced together, as a communication hook gets them: local ones, not divided yet.
class GradBucket {
public:
    GradBucket(std::size_t index, bool is_last, Tensor buffer, std::vector<Tensor> gradients,
               std::vector<Tensor> parameters)
        : index_(index), is_last_(is_last), buffer_(std::move(buffer)), gradients_(std::move(gradients)),
          parameters_(std::move(parameters)) {}
    /// Its place in the order in which buckets are reduced.
    std::size_t index() const { return index_; }
    bool is_last() const { return is_last_; }
    /// One vector with all of them; may be written to.
    const Tensor& buffer() const { return buffer_; }
    /// Views of the buffer, shaped as `parameters()`.
    const std::vector<Tensor>& gradients() const { return gradients_; }
    const std::vector<Tensor>& parameters() const { return parameters_; }

private:
    std::size_t index_;
    bool is_last_;
    Tensor buffer_;
    std::vector<Tensor> gradients_, parameters_;
};

/// A buffer that is being reduced.
class BucketFuture {
public:
    BucketFuture() = default;
    /// There already.
    BucketFuture(Tensor buffer) : buffer_(std::move(buffer)) {}
    /// `buffer` once `work` is done.
    BucketFuture(Work work, Tensor buffer) : work_(std::move(work)), buffer_(std::move(buffer)) {}
    /// What `next` makes of it. `next` runs in `wait`, on the waiting thread, so it may call collectives.
    BucketFuture then(std::function<Tensor(const Tensor&)> next) &&;
    /// What is waited for first; null where the buffer was there already.
    const Work& work() const { return work_; }
    /// Errors: those of the work, and of what follows it. At most once.
    Tensor wait();

private:
    Work work_;
    Tensor buffer_;
    std::vector<std::function<Tensor(const Tensor&)>> next_;
};

/// What the reduction of a pass took on this rank, in seconds, by PyTorch's names. The rest of `backward_comm` was
/// waited for when backward had ended; the first is the sum over buckets of the time that each was under way.
struct ReductionTimes {
    double backward_comm = 0, backward_compute_comm_overlap = 0;
};

/// Gives the buffer of the bucket, reduced. Without a hook buckets are averaged: each rank divides by the size of the
/// group, then all add up. With one the hook divides.
using CommHook = std::function<BucketFuture(const GradBucket&)>;

namespace comm_hooks {

/// The mean, as without a hook.
BucketFuture allreduce(const ProcessGroup& group, const GradBucket& bucket);
/// Casts, divides and adds in bfloat16, then casts back: half the bytes of float32.
BucketFuture bf16_compress(const ProcessGroup& group, const GradBucket& bucket);
/// The same in float16, whose range is smaller.
BucketFuture fp16_compress(const ProcessGroup& group, const GradBucket& bucket);

struct PowerSGDOptions {
    std::int64_t rank = 1;          ///< of the two factors that travel in place of a matrix
    std::int64_t start_iter = 1000; ///< passes before it are plain means
    bool use_error_feedback = true; ///< what a pass leaves out is added to the next pass's gradients
    bool warm_start = true;         ///< the next pass begins with this one's factors
    /// Matrices are left as they are unless their factors are smaller by this.
    double min_compression_rate = 2;
    std::uint64_t seed = 0; ///< of the first factors, equal on all ranks
};
/// What PowerSGD keeps from pass to pass (Vogels, Karimireddy, Jaggi: PowerSGD, NeurIPS 2019). Handles share it.
class PowerSGDState {
public:
    /// ValueError for a rank below 1 and a compression rate that is not positive.
    explicit PowerSGDState(ProcessGroup group = {}, PowerSGDOptions options = {});
    struct Impl;
    Impl& get() const { return *impl_; }

private:
    std::shared_ptr<Impl> impl_;
};
/// Gradients as products of two thin matrices. Those of rank `rank` and less come through unchanged.
BucketFuture power_sgd(const PowerSGDState& state, const GradBucket& bucket);

// PyTorch's names.
inline BucketFuture allreduce_hook(const ProcessGroup& g, const GradBucket& b) { return allreduce(g, b); }
inline BucketFuture bf16_compress_hook(const ProcessGroup& g, const GradBucket& b) { return bf16_compress(g, b); }
inline BucketFuture fp16_compress_hook(const ProcessGroup& g, const GradBucket& b) { return fp16_compress(g, b); }
inline BucketFuture powerSGD_hook(const PowerSGDState& s, const GradBucket& b) { return power_sgd(s, b); }

} // namespace comm_hooks

} // namespace reel::distributed
