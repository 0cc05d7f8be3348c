// PowerSGD: a matrix M of gradients travels as P = M Q and Q' = M^T P, with Q from the pass before and the columns of P
// orthonormal; P Q'^T is what M becomes. Both factors are linear in M, so they are added up over the ranks.
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include <reel/autograd/error.hpp>
#include <reel/autograd/generator.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/linalg/qr.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/distributed/collectives.hpp>
#include <reel/distributed/comm_hooks.hpp>

#include "group/member_group.hpp"

namespace reel::distributed::comm_hooks {

struct PowerSGDState::Impl {
    ProcessGroup group;
    PowerSGDOptions options;
    Generator draws{Device(kCPU)}; ///< of first factors: all ranks draw the same
    std::int64_t passes = 0;
    struct OfParameter {
        Tensor error, factor;
    };
    std::unordered_map<const void*, OfParameter> of; ///< by parameter: buckets are cut anew after the first pass
};

PowerSGDState::PowerSGDState(ProcessGroup group, PowerSGDOptions options) : impl_(std::make_shared<Impl>()) {
    REEL_CHECK_VALUE(options.rank >= 1, "PowerSGD: rank is ", options.rank, "; expected at least 1");
    REEL_CHECK_VALUE(options.min_compression_rate > 0 && std::isfinite(options.min_compression_rate),
                     "PowerSGD: min_compression_rate is ", options.min_compression_rate, "; expected a number above 0");
    impl_->group = detail::member_group("PowerSGD", group);
    impl_->options = options;
    impl_->draws.set_current_seed(options.seed);
}

namespace {

using Impl = PowerSGDState::Impl;

/// A gradient that travels as factors.
struct Compressed {
    Tensor matrix; ///< a view of the bucket
    Impl::OfParameter* state;
    Tensor p, q;
};

bool worth_it(const Tensor& m, const PowerSGDOptions& o) {
    const std::int64_t rank = std::min({o.rank, m.size(0), m.size(1)});
    return double(rank * (m.size(0) + m.size(1))) * o.min_compression_rate < double(m.numel());
}
/// With orthonormal columns that span at least those of `m`; the same bits for the same matrix.
Tensor orthonormal(const Tensor& m) { return std::get<0>(reel::linalg_qr(m)).contiguous(); }

Tensor first_factor(Impl& s, const Compressed& c) {
    const std::int64_t columns = c.matrix.size(1), rank = std::min({s.options.rank, c.matrix.size(0), columns});
    Tensor& kept = c.state->factor;
    if (s.options.warm_start && kept.defined()) return orthonormal(kept);
    return orthonormal(
        reel::randn({columns, rank}, s.draws, TensorOptions(c.matrix.scalar_type())).to(c.matrix.device()));
}

/// Adds up tensors of one dtype over the ranks, in one call.
Tensor together(const std::vector<Tensor>& tensors) {
    std::vector<Tensor> flat;
    for (const Tensor& t : tensors) flat.push_back(t.reshape({-1}));
    return reel::cat(flat);
}
void apart(const Tensor& all, const std::vector<Tensor>& tensors) {
    std::int64_t at = 0;
    for (const Tensor& t : tensors) {
        t.copy_(all.narrow(0, at, t.numel()).view(t.sizes()));
        at += t.numel();
    }
}

Tensor second_factors(Impl& s, std::vector<Compressed>& matrices, const std::vector<Tensor>& plain, const Tensor& sums,
                      const Tensor& buffer) {
    const NoGradGuard no_grad;
    const Scalar n(s.group.size());
    std::vector<Tensor> first = plain, second;
    for (const Compressed& c : matrices) first.push_back(c.p);
    apart(sums, first);
    for (const Tensor& t : plain) t.div_(n);
    for (Compressed& c : matrices) {
        c.p = orthonormal(c.p);
        c.q = reel::matmul(c.matrix.t(), c.p);
        second.push_back(c.q);
    }
    const Tensor all = together(second);
    all_reduce(all, kSum, s.group);
    apart(all.div_(n), second);
    for (const Compressed& c : matrices) {
        const Tensor mean = reel::matmul(c.p, c.q.t());
        if (s.options.use_error_feedback) c.state->error = c.matrix - mean;
        if (s.options.warm_start) c.state->factor = c.q;
        c.matrix.copy_(mean);
    }
    return buffer;
}

} // namespace

BucketFuture power_sgd(const PowerSGDState& state, const GradBucket& bucket) {
    const NoGradGuard no_grad;
    Impl& s = state.get();
    const bool starts_later = s.passes < s.options.start_iter;
    s.passes += bucket.is_last();
    if (starts_later) return allreduce(s.group, bucket);
    std::vector<Compressed> matrices;
    std::vector<Tensor> plain, travel;
    for (std::size_t i = 0; i < bucket.gradients().size(); ++i) {
        const Tensor& g = bucket.gradients()[i];
        const Tensor matrix = g.dim() < 2 || g.numel() == 0 ? Tensor() : g.view({g.size(0), -1});
        if (!matrix.defined() || !worth_it(matrix, s.options)) {
            plain.push_back(g);
            continue;
        }
        matrices.push_back({matrix, &s.of[bucket.parameters()[i].unsafeGetTensorImpl()], {}, {}});
    }
    travel = plain;
    for (Compressed& c : matrices) {
        if (s.options.use_error_feedback && c.state->error.defined()) c.matrix.add_(c.state->error);
        c.p = reel::matmul(c.matrix, first_factor(s, c));
        travel.push_back(c.p);
    }
    if (matrices.empty()) return allreduce(s.group, bucket);
    const Tensor sums = together(travel);
    return BucketFuture(all_reduce_async(sums, kSum, s.group), sums)
        .then([state, matrices = std::move(matrices), plain = std::move(plain), buffer = bucket.buffer()](
                  const Tensor& sums) mutable { return second_factors(state.get(), matrices, plain, sums, buffer); });
}

} // namespace reel::distributed::comm_hooks
