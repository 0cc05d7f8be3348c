// A module called with other tensors than its own: meta learning, ensembles, gradients of single samples.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <reel/autograd/ordered_dict.hpp>
#include <reel/nn/module.hpp>

namespace reel::nn {

/// Tensors by the dotted names of parameters and buffers.
using NamedTensors = OrderedDict<std::string, Tensor>;

struct FunctionalCallOptions {
    bool tie_weights = true; ///< one name of a shared parameter stands for all of them
    bool strict = false;     ///< every parameter and buffer must be given
};

/// While it lives, the members of `module` and its submodules *are* the given tensors; then, after an
/// exception too, the very same parameters and buffers are back. Shapes are not checked. They nest; other threads that
/// use the module meanwhile see the given tensors.
/// Errors: AttributeError for a name that is no parameter or buffer, KeyError for an empty one, TypeError for a
/// module's name; ValueError for two tensors for one tied parameter, and with `strict` listing what is missing.
class TensorsInPlace {
public:
    TensorsInPlace(Module& module, const NamedTensors& tensors, const FunctionalCallOptions& options = {});
    ~TensorsInPlace();
    TensorsInPlace(const TensorsInPlace&) = delete;
    TensorsInPlace& operator=(const TensorsInPlace&) = delete;

private:
    struct Exchanged;
    std::unique_ptr<Exchanged> exchanged_;
};

namespace detail {
inline Module& module_of(Module& m) { return m; }
template <class H>
requires requires(H& h) {
    { *h } -> std::convertible_to<Module&>;
}
Module& module_of(H& holder) { return *holder; }
} // namespace detail

/// Calls the module with `tensors` in place of its parameters and buffers of those names, its own elsewhere:
/// `functional_call(net, {{"0.weight", w}}, x)`. Gradients reach the given tensors, hooks fire as in every call. `net`
/// is a holder or whatever else can be called; its result is the result. Errors: those of TensorsInPlace and of the
/// call.
template <class M, class... A> decltype(auto) functional_call(M&& net, const NamedTensors& tensors, A&&... arguments) {
    const TensorsInPlace scope(detail::module_of(net), tensors);
    return net(std::forward<A>(arguments)...);
}
/// The same by values, and with options.
Value functional_call(Module& module, const NamedTensors& tensors, const Args& args, const Kwargs& kwargs,
                      const FunctionalCallOptions& options = {});

/// The gradient of every sample's loss by every parameter that requires grad: names of parameters to tensors of
/// [samples, parameter...]. `loss(output, i)` is the scalar loss of sample i's output; sample i is `batch[i]` with a
/// leading dimension of one kept, so that layers see a batch. Errors: ValueError for a batch without dimensions.
NamedTensors per_sample_grads(Module& module, const std::function<Tensor(const Tensor& output, std::int64_t i)>& loss,
                              const Tensor& batch);
/// The same of a holder.
template <class H>
requires(!std::is_convertible_v<H&, Module&>) NamedTensors
    per_sample_grads(H& net, const std::function<Tensor(const Tensor& output, std::int64_t i)>& loss,
                     const Tensor& batch) {
    return per_sample_grads(static_cast<Module&>(detail::module_of(net)), loss, batch);
}
/// With a target for each sample, `loss(output, target)` of batches of one: `per_sample_grads(net, [](auto& y, auto& t)
/// { return mse_loss(y, t); }, x, targets)`. Errors: ValueError for another number of targets.
template <class M, class Loss>
requires std::is_invocable_r_v<Tensor, Loss&, const Tensor&, const Tensor&>
    NamedTensors per_sample_grads(M&& net, Loss loss, const Tensor& batch, const Tensor& targets) {
    REEL_CHECK_VALUE(batch.dim() > 0 && targets.dim() > 0 && batch.size(0) == targets.size(0),
                     "per_sample_grads: targets: expected one for each sample of the batch ", batch.sizes(), ", got ",
                     targets.sizes());
    return per_sample_grads(
        detail::module_of(net),
        [&](const Tensor& output, std::int64_t i) { return loss(output, targets.narrow(0, i, 1)); }, batch);
}

} // namespace reel::nn
