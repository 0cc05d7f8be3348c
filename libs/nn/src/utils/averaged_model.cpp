// Averages of a model's weights.
#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/nn/utils/averaged_model.hpp>

#include <algorithm>
#include <map>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn/modules/batch_norm.hpp>

namespace reel::nn::utils {

namespace {
void check_decay(double decay) {
    REEL_CHECK_VALUE(decay >= 0 && decay <= 1, "get_ema_avg_fn: decay is ", decay, "; expected a number in [0, 1]");
}
bool can_lerp(const Tensor& t) { return t.is_floating_point() || t.is_complex(); }
} // namespace

AvgFn get_ema_avg_fn(double decay) {
    check_decay(decay);
    return [decay](const Tensor& averaged, const Tensor& current, const Tensor&) {
        const NoGradGuard no_grad;
        return decay * averaged + (1 - decay) * current;
    };
}
MultiAvgFn get_ema_multi_avg_fn(double decay) {
    check_decay(decay);
    return [decay](const std::vector<Tensor>& averaged, const std::vector<Tensor>& current, const Tensor&) {
        const NoGradGuard no_grad;
        for (std::size_t i = 0; i < averaged.size(); ++i)
            if (can_lerp(averaged[i])) averaged[i].lerp_(current[i], 1 - decay);
            else averaged[i].copy_(averaged[i] * decay + current[i] * (1 - decay));
    };
}
AvgFn get_swa_avg_fn() {
    return [](const Tensor& averaged, const Tensor& current, const Tensor& n) {
        const NoGradGuard no_grad;
        return averaged + (current - averaged) / (n + 1);
    };
}
MultiAvgFn get_swa_multi_avg_fn() {
    return [](const std::vector<Tensor>& averaged, const std::vector<Tensor>& current, const Tensor& n) {
        const NoGradGuard no_grad;
        const double weight = 1 / (n.item<double>() + 1);
        for (std::size_t i = 0; i < averaged.size(); ++i)
            if (can_lerp(averaged[i])) averaged[i].lerp_(current[i], weight);
            else averaged[i].copy_(averaged[i] + (current[i] - averaged[i]) * weight);
    };
}

AveragedModelImpl::AveragedModelImpl(const Module& model, AveragedModelOptions o)
    : AveragedModelImpl(model.clone(o.device), o) {}
AveragedModelImpl::AveragedModelImpl(ModulePtr copy, AveragedModelOptions o) : options(std::move(o)) {
    REEL_CHECK_VALUE(!options.avg_fn || !options.multi_avg_fn,
                     "AveragedModel: only one of avg_fn and multi_avg_fn can be given");
    module = register_module("module", std::move(copy));
    n_averaged =
        register_buffer("n_averaged", reel::zeros({}, options.device ? TensorOptions(*options.device).dtype(kLong)
                                                                     : TensorOptions(kLong)));
    nn::detail::ModuleAccess::learn_class<AveragedModelImpl>(*this);
}
ModulePtr AveragedModelImpl::clone(std::optional<Device> device, bool keep_hooks) const {
    const std::shared_ptr<AveragedModelImpl> copy(
        new AveragedModelImpl(own_children()["module"]->clone(device, keep_hooks), options));
    copy->copy_from(*this, device, keep_hooks);
    return copy;
}

void AveragedModelImpl::average(const std::vector<Tensor>& averaged, const std::vector<Tensor>& current) const {
    if (options.avg_fn) {
        for (std::size_t i = 0; i < averaged.size(); ++i)
            averaged[i].copy_(options.avg_fn(averaged[i], current[i], n_averaged.to(averaged[i].device())));
        return;
    }
    const MultiAvgFn fn = options.multi_avg_fn ? options.multi_avg_fn : get_swa_multi_avg_fn();
    std::map<std::pair<std::string, ScalarType>, std::pair<std::vector<Tensor>, std::vector<Tensor>>> groups;
    for (std::size_t i = 0; i < averaged.size(); ++i) {
        auto& [mine, theirs] = groups[{averaged[i].device().str(), averaged[i].scalar_type()}];
        mine.push_back(averaged[i]);
        theirs.push_back(current[i]);
    }
    for (const auto& [_, group] : groups) fn(group.first, group.second, n_averaged.to(group.first[0].device()));
}
void AveragedModelImpl::update_parameters(const Module& model) {
    const NoGradGuard no_grad;
    const auto collect = [&](const Module& m, bool parameters, bool buffers) {
        std::vector<Tensor> r;
        for (const Tensor& t : parameters ? m.parameters() : std::vector<Tensor>()) r.push_back(t.detach());
        for (const Tensor& t : buffers ? m.buffers() : std::vector<Tensor>()) r.push_back(t.detach());
        return r;
    };
    const std::vector<Tensor> mine = collect(*module, true, options.use_buffers);
    std::vector<Tensor> theirs = collect(model, true, options.use_buffers);
    REEL_CHECK(mine.size() == theirs.size(), "AveragedModel: update_parameters: the average has ", mine.size(),
               " tensors, ", model.repr_name(), " has ", theirs.size());
    for (std::size_t i = 0; i < mine.size(); ++i) theirs[i] = theirs[i].to(mine[i].device());
    if (n_averaged.item<std::int64_t>() == 0)
        for (std::size_t i = 0; i < mine.size(); ++i) mine[i].copy_(theirs[i]);
    else average(mine, theirs);
    if (!options.use_buffers) {
        const std::vector<Tensor> to = collect(*module, false, true), from = collect(model, false, true);
        for (std::size_t i = 0; i < std::min(to.size(), from.size()); ++i) to[i].copy_(from[i]);
    }
    n_averaged.add_(1);
}

namespace detail {

namespace {
template <class Norm> void anew(Module& m, std::vector<std::function<void()>>& restore) {
    auto* const norm = dynamic_cast<Norm*>(&m);
    if (!norm) return;
    norm->reset_running_stats();
    restore.push_back([norm, momentum = norm->options.momentum()] { norm->options.momentum(momentum); });
    norm->options.momentum(std::nullopt);
}
} // namespace

MomentsAnew::MomentsAnew(Module& model) : model_(model), training_(model.is_training()) {
    for (const auto& [_, m] : model.module_items({}, true)) {
        anew<BatchNorm1dImpl>(*m, restore_);
        anew<BatchNorm2dImpl>(*m, restore_);
        anew<BatchNorm3dImpl>(*m, restore_);
    }
    if (any()) model.train();
}
MomentsAnew::~MomentsAnew() {
    for (const auto& fn : restore_) fn();
    if (any()) model_.train(training_);
}

} // namespace detail

} // namespace reel::nn::utils
