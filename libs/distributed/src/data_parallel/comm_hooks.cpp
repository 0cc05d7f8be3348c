// How the gradients of a bucket become one on all ranks: plain means, and means in lower precision.
#include <reel/distributed/comm_hooks.hpp>

#include <utility>

#include <reel/autograd/grad_mode.hpp>
#include <reel/distributed/collectives.hpp>

#include "group/member_group.hpp"

namespace reel::distributed {

BucketFuture BucketFuture::then(std::function<Tensor(const Tensor&)> next) && {
    next_.push_back(std::move(next));
    return std::move(*this);
}
Tensor BucketFuture::wait() {
    if (work_.defined()) std::exchange(work_, {}).wait();
    for (auto& next : std::exchange(next_, {})) buffer_ = next(buffer_);
    return buffer_;
}

namespace comm_hooks {

namespace {
ProcessGroup group_of(const ProcessGroup& given) { return detail::member_group("comm_hooks", given); }

BucketFuture reduce_in(ScalarType dtype, const ProcessGroup& given, const GradBucket& bucket) {
    const NoGradGuard no_grad;
    const ProcessGroup group = group_of(given);
    const Tensor low = bucket.buffer().to(dtype).div_(Scalar(group.size()));
    return BucketFuture(all_reduce_async(low, kSum, group), low).then([buffer = bucket.buffer()](const Tensor& sum) {
        const NoGradGuard no_grad;
        buffer.copy_(sum);
        return buffer;
    });
}
} // namespace

BucketFuture allreduce(const ProcessGroup& given, const GradBucket& bucket) {
    const NoGradGuard no_grad;
    const ProcessGroup group = group_of(given);
    bucket.buffer().div_(Scalar(group.size()));
    return BucketFuture(all_reduce_async(bucket.buffer(), kSum, group), bucket.buffer());
}
BucketFuture bf16_compress(const ProcessGroup& group, const GradBucket& bucket) {
    return reduce_in(kBFloat16, group, bucket);
}
BucketFuture fp16_compress(const ProcessGroup& group, const GradBucket& bucket) {
    return reduce_in(kHalf, group, bucket);
}

} // namespace comm_hooks

} // namespace reel::distributed
