// Batch normalisation over the batches of all ranks: one exchange of moments in forward, one of sums in backward.
#include <reel/autograd/ops/nn/batch_norm.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/distributed/sync_batch_norm.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/error.hpp>
#include <reel/autograd/function.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/distributed/collectives.hpp>
#include <reel/nn/detail/module_access.hpp>
#include <reel/nn/modules/lazy.hpp>

#include "group/member_group.hpp"

namespace reel::distributed {

namespace {

using autograd::AutogradContext;
using autograd::Function;
using autograd::variable_list;

/// The sum over the ranks. What each rank does with it counts: gradients are added up likewise.
struct SumOverRanks : Function<SumOverRanks> {
    static Tensor forward(AutogradContext* ctx, const Tensor& x, const Value& group) {
        ctx->saved_data["group"] = group;
        Tensor sum = x.clone().contiguous();
        all_reduce(sum, kSum, group.get<ProcessGroup>());
        return sum;
    }
    static variable_list backward(AutogradContext* ctx, variable_list g) {
        return {apply(g[0], ctx->saved_data.at("group")), Tensor()};
    }
};

/// Per channel: how many values, mean and sum of squared deviations, of all ranks together.
struct Moments {
    Tensor count, mean, variance; ///< biased
};

std::vector<std::int64_t> all_but_channels(const Tensor& x) {
    std::vector<std::int64_t> dims{0};
    for (std::int64_t d = 2; d < x.dim(); ++d) dims.push_back(d);
    return dims;
}
Tensor per_channel(const Tensor& t, const Tensor& x) {
    std::vector<std::int64_t> sizes(std::size_t(x.dim()), 1);
    sizes[1] = t.numel();
    return t.reshape(sizes);
}

/// The ranks' means and squared deviations, brought together without loss for means far from zero.
Moments joint_moments(const Tensor& x, const ProcessGroup& group) {
    const std::int64_t channels = x.size(1), values = x.numel() / std::max<std::int64_t>(channels, 1);
    const auto dims = all_but_channels(x);
    const Tensor mine = x.new_zeros({1, 2 * channels + 1});
    if (values > 0) {
        const Tensor mean = x.mean(dims), away = x - per_channel(mean, x);
        mine.narrow(1, 0, channels).copy_(mean.unsqueeze(0));
        mine.narrow(1, channels, channels).copy_((away * away).sum(dims).unsqueeze(0));
        mine.narrow(1, 2 * channels, 1).fill_(Scalar(values));
    }
    const Tensor all = x.new_empty({group.size(), 2 * channels + 1});
    all_gather_into(all, mine, group);
    const Tensor means = all.narrow(1, 0, channels), squares = all.narrow(1, channels, channels),
                 counts = all.narrow(1, 2 * channels, 1);
    const Tensor count = counts.sum();
    const Tensor mean = (means * counts).sum(0) / count;
    const Tensor away = means - mean.unsqueeze(0);
    return {count, mean, (squares + away * away * counts).sum(0) / count};
}

/// What NormalizeJointly computes, from differentiable steps.
Tensor normalize_by_steps(const Tensor& x, const Tensor& count, double eps, const Value& group) {
    const auto dims = all_but_channels(x);
    const Tensor mean = SumOverRanks::apply(x.sum(dims), group) / count, away = x - per_channel(mean, x);
    const Tensor variance = SumOverRanks::apply((away * away).sum(dims), group) / count;
    return away * per_channel(reel::rsqrt(variance + Scalar(eps)), x);
}

/// (x - mean) / sqrt(var + eps) over the joint batch. Backward sums what flows back and its product with the result.
struct NormalizeJointly : Function<NormalizeJointly> {
    static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& mean, const Tensor& inverse,
                          const Tensor& count, double eps, const Value& group) {
        ctx->save_for_backward({x, mean, inverse, count});
        ctx->saved_data["eps"] = eps;
        ctx->saved_data["group"] = group;
        return (x - per_channel(mean, x)) * per_channel(inverse, x);
    }
    static variable_list backward(AutogradContext* ctx, variable_list g) {
        const auto saved = ctx->get_saved_variables();
        return {GradMode::is_enabled() ? recorded(ctx, saved, g[0]) : at_once(ctx, saved, g[0]), {}, {}, {}, {}, {}};
    }

private:
    static Tensor at_once(AutogradContext* ctx, const variable_list& saved, const Tensor& g) {
        const Tensor &x = saved[0], &inverse = saved[2], &count = saved[3];
        const Tensor normal = (x - per_channel(saved[1], x)) * per_channel(inverse, x);
        const auto dims = all_but_channels(x);
        const Tensor sums = reel::cat({g.sum(dims), (g * normal).sum(dims)});
        all_reduce(sums, kSum, ctx->saved_data.at("group").get<ProcessGroup>());
        sums.div_(count);
        const std::int64_t channels = x.size(1);
        return (g - per_channel(sums.narrow(0, 0, channels), x) -
                normal * per_channel(sums.narrow(0, channels, channels), x)) *
               per_channel(inverse, x);
    }
    /// For second derivatives, which reach x through the moments, too.
    static Tensor recorded(AutogradContext* ctx, const variable_list& saved, const Tensor& g) {
        const Tensor y =
            normalize_by_steps(saved[0], saved[3], ctx->saved_data.at("eps").toDouble(), ctx->saved_data.at("group"));
        return autograd::grad({y}, {saved[0]}, {g}, true, true)[0];
    }
};

template <class Norm> void update_running(Norm& norm, const Moments& m) {
    if (!norm.options.track_running_stats() || !norm.running_mean.defined()) return;
    const NoGradGuard no_grad;
    norm.num_batches_tracked.add_(1);
    const double factor =
        norm.options.momentum() ? *norm.options.momentum() : 1 / norm.num_batches_tracked.template item<double>();
    const Tensor unbiased = m.variance * (m.count / (m.count - 1));
    const ScalarType dtype = norm.running_mean.scalar_type();
    norm.running_mean.mul_(Scalar(1 - factor)).add_(m.mean.to(dtype) * Scalar(factor));
    norm.running_var.mul_(Scalar(1 - factor)).add_(unbiased.to(dtype) * Scalar(factor));
}

template <class Norm> Tensor normalize_jointly(Norm& norm, const Tensor& input, const ProcessGroup& group) {
    // Sums of half precision would overflow; as BatchNorm does, moments and results in between are float32.
    const bool low = input.scalar_type() == kHalf || input.scalar_type() == kBFloat16;
    const Tensor x = low ? input.to(kFloat) : input;
    Moments m;
    Tensor inverse;
    {
        const NoGradGuard no_grad;
        m = joint_moments(x.detach(), group);
        REEL_CHECK_VALUE(m.count.template item<double>() > 1,
                         "SyncBatchNorm: expected more than one value per channel in training, got input of shape ",
                         input.sizes(), " on rank ", group.rank(), " of ", group.size(), ", and no other ones");
        inverse = reel::rsqrt(m.variance + Scalar(norm.options.eps()));
        update_running(norm, m);
    }
    Tensor y = NormalizeJointly::apply(x, m.mean, inverse, m.count, norm.options.eps(), Value::box(group));
    if (norm.weight.defined()) y = y * per_channel(norm.weight.to(x.scalar_type()), x);
    if (norm.bias.defined()) y = y + per_channel(norm.bias.to(x.scalar_type()), x);
    return low ? y.to(input.scalar_type()) : y;
}

/// Not recursive. Null where `module` is no BatchNorm, or synchronised already.
template <class Norm> nn::ModulePtr synchronised(const nn::ModulePtr& module, const ProcessGroup& group) {
    const auto norm = std::dynamic_pointer_cast<Norm>(module);
    if (!norm || is_sync_batch_norm(*module)) return nullptr;
    const auto* const lazy = dynamic_cast<const nn::LazyModule*>(module.get());
    REEL_CHECK(!lazy || !lazy->has_uninitialized_params(), "convert_sync_batchnorm: ", module->repr_name(),
               " has no parameters yet; call the module once before converting it");
    const auto sync = std::make_shared<detail::SyncBatchNormOf<Norm>>(norm->options, group);
    for (const auto& item : norm->own_parameters()) // the very same ones, frozen ones too
        sync->register_parameter(item.key(), item.value(), item.value().defined() && item.value().requires_grad());
    for (const auto& item : norm->own_buffers()) sync->register_buffer(item.key(), item.value());
    sync->train(norm->is_training());
    return sync;
}
nn::ModulePtr synchronised_or_null(const nn::ModulePtr& module, const ProcessGroup& group) {
    if (auto m = synchronised<nn::BatchNorm1dImpl>(module, group)) return m;
    if (auto m = synchronised<nn::BatchNorm2dImpl>(module, group)) return m;
    return synchronised<nn::BatchNorm3dImpl>(module, group);
}

} // namespace

namespace detail {

template <class Norm> Tensor SyncBatchNormOf<Norm>::forward(const Tensor& input) {
    REEL_CHECK_WITH(AttributeError, input.defined(), "SyncBatchNorm: input: expected a tensor, got none");
    REEL_CHECK_VALUE(input.dim() >= 2, "SyncBatchNorm: expected input of at least 2 dimensions, got ", input.dim(),
                     "D input of shape ", input.sizes());
    const auto& o = this->options;
    REEL_CHECK_VALUE(input.size(1) == o.num_features(),
                     "SyncBatchNorm: expected input with num_features = ", o.num_features(),
                     " channels in dimension 1, got shape ", input.sizes());
    if (!this->uses_batch_moments())
        return reel::functional_batch_norm(input, this->running_mean, this->running_var, this->weight, this->bias,
                                           false, o.momentum().value_or(0), o.eps());
    // In evaluation without running moments, too, PyTorch takes each rank's own.
    if (!this->is_training())
        return reel::functional_batch_norm(input, Tensor(), Tensor(), this->weight, this->bias, true, 0, o.eps());
    return normalize_jointly(*this, input, member_group("SyncBatchNorm", group));
}
template <class Norm> Value SyncBatchNormOf<Norm>::forward_values(const Args& args, const Kwargs& kwargs) {
    nn::detail::ModuleAccess::learn_class<SyncBatchNormOf>(*this);
    return nn::Module::forward_values(args, kwargs);
}
template <class Norm> nn::ModulePtr SyncBatchNormOf<Norm>::clone(std::optional<Device> device, bool keep_hooks) const {
    const auto copy = std::make_shared<SyncBatchNormOf>(this->options, group);
    copy->copy_from(*this, device, keep_hooks);
    return copy;
}
template class SyncBatchNormOf<nn::BatchNorm1dImpl>;
template class SyncBatchNormOf<nn::BatchNorm2dImpl>;
template class SyncBatchNormOf<nn::BatchNorm3dImpl>;

} // namespace detail

bool is_sync_batch_norm(const nn::Module& module) { return dynamic_cast<const detail::SyncNorm*>(&module) != nullptr; }

nn::ModulePtr convert_sync_batchnorm(const nn::ModulePtr& module, const ProcessGroup& group) {
    REEL_CHECK_VALUE(module, "convert_sync_batchnorm: module is null");
    if (nn::ModulePtr whole = synchronised_or_null(module, group)) return whole;
    for (const auto& item : module->named_children()) {
        if (!item.value()) continue;
        const nn::ModulePtr fresh = convert_sync_batchnorm(item.value(), group);
        if (fresh != item.value()) module->replace_module(item.key(), fresh);
    }
    return module;
}

} // namespace reel::distributed
