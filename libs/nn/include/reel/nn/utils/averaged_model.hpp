// Averages of a model's weights: stochastic weight averaging and exponential moving averages.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <reel/autograd/grad_mode.hpp>
#include <reel/nn/detail/averaging.hpp>
#include <reel/nn/functional_call.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/pack.hpp>

namespace reel::nn::utils {

/// What an average becomes with the present value, after `num_averaged` values (at least one).
using AvgFn = std::function<Tensor(const Tensor& averaged, const Tensor& current, const Tensor& num_averaged)>;
/// The same for all tensors of a device and dtype at once, in place.
using MultiAvgFn = std::function<void(const std::vector<Tensor>& averaged, const std::vector<Tensor>& current,
                                      const Tensor& num_averaged)>;
/// decay * average + (1 - decay) * current. ValueError for a decay outside of [0, 1].
AvgFn get_ema_avg_fn(double decay = 0.999);
MultiAvgFn get_ema_multi_avg_fn(double decay = 0.999);
/// The mean of all values.
AvgFn get_swa_avg_fn();
MultiAvgFn get_swa_multi_avg_fn();

struct AveragedModelOptions {
    std::optional<Device> device = {}; ///< where the average lives, unless where the model does
    AvgFn avg_fn = {};                 ///< the mean, unless one of both is given
    MultiAvgFn multi_avg_fn = {};
    bool use_buffers = false; ///< buffers are averaged, too; else they are copied
};

/// A deep copy `module` of a model, whose parameters become averages of the model's: call `update_parameters(model)`
/// after the steps that count. The first call copies. It is called as the model is; its state dict has `n_averaged` and
/// `module.*`, as PyTorch's `torch.optim.swa_utils.AveragedModel`.
class AveragedModelImpl : public Module {
public:
    /// Errors: those of a deep copy; ValueError for both kinds of averaging at once.
    explicit AveragedModelImpl(const Module& model, AveragedModelOptions options = {});
    /// Error when `model` has another number of parameters.
    void update_parameters(const Module& model);
    template <class M>
    requires requires(const M& m) {
        { *m } -> std::convertible_to<const Module&>;
    }
    void update_parameters(const M& model) { update_parameters(static_cast<const Module&>(*model)); }
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return module->call_values({Value(input)}).toTensor(); }
    Value forward_values(const Args& args, const Kwargs& kwargs) override { return module->call_values(args, kwargs); }
    ModulePtr clone(std::optional<Device> device = std::nullopt, bool keep_hooks = true) const override;

    ModulePtr module;
    Tensor n_averaged;
    AveragedModelOptions options;

private:
    AveragedModelImpl(ModulePtr copy, AveragedModelOptions options);
    void average(const std::vector<Tensor>& averaged, const std::vector<Tensor>& current) const;
};
/// Holds one; made of a holder, a pointer to a module, or a module.
class AveragedModel : public ModuleHolder<AveragedModelImpl> {
public:
    using Impl [[maybe_unused]] = AveragedModelImpl;
    using ModuleHolder<AveragedModelImpl>::ModuleHolder;
    template <detail::AveragedFrom M>
    explicit AveragedModel(M&& model, AveragedModelOptions options = {})
        : ModuleHolder(std::make_shared<AveragedModelImpl>(nn::detail::module_of(model), std::move(options))) {}
    /// With how to average: `AveragedModel(net, get_ema_avg_fn(0.99))`.
    template <detail::AveragedFrom M>
    AveragedModel(M&& model, AvgFn avg_fn, bool use_buffers = false)
        : AveragedModel(model, AveragedModelOptions{{}, std::move(avg_fn), {}, use_buffers}) {}
    template <detail::AveragedFrom M>
    AveragedModel(M&& model, MultiAvgFn multi_avg_fn, bool use_buffers = false)
        : AveragedModel(model, AveragedModelOptions{{}, {}, std::move(multi_avg_fn), use_buffers}) {}
    /// PyTorch's order of arguments.
    template <detail::AveragedFrom M>
    AveragedModel(M&& model, std::optional<Device> device, AvgFn avg_fn = {}, MultiAvgFn multi_avg_fn = {},
                  bool use_buffers = false)
        : AveragedModel(model, AveragedModelOptions{device, std::move(avg_fn), std::move(multi_avg_fn), use_buffers}) {}
};

/// Computes the running moments of all batch normalisations of `model` as means over the batches of `loader`: tensors,
/// examples with `data`, or pairs, of which the first goes into the model. Not recorded.
template <class Loader, class M>
void update_bn(Loader&& loader, M&& model, std::optional<Device> device = std::nullopt) {
    Module& module = nn::detail::module_of(model);
    const detail::MomentsAnew anew(module);
    if (!anew.any()) return;
    const NoGradGuard no_grad;
    for (const auto& batch : loader) {
        const Tensor& input = detail::input_of(batch);
        module.call_values({Value(device ? input.to(TensorOptions(*device)) : input)});
    }
}

} // namespace reel::nn::utils

/// PyTorch's place of these names.
namespace reel::optim::swa_utils {
using nn::utils::AveragedModel;
using nn::utils::AveragedModelImpl;
using nn::utils::AveragedModelOptions;
using nn::utils::get_ema_avg_fn;
using nn::utils::get_ema_multi_avg_fn;
using nn::utils::get_swa_avg_fn;
using nn::utils::get_swa_multi_avg_fn;
using nn::utils::update_bn;
} // namespace reel::optim::swa_utils
