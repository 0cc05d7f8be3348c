// Batch and instance normalisation layers.
#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/ops/nn/batch_norm.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/nn/modules/batch_norm.hpp>

#include <reel/autograd/detail/pin.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/nn/factory.hpp>
#include <reel/nn/init.hpp>

#include "modules/parameter_memory.hpp"

namespace reel::nn {

namespace {
/// Both families have the same fields, with other defaults.
template <class Options> void norm_fields(Options& o, OptionVisitor& v) {
    v.required("num_features", o.num_features(), Shown::value);
    v("eps", o.eps());
    v("momentum", o.momentum());
    v("affine", o.affine());
    v.printed("bias", o.affine() && o.bias());
    v("track_running_stats", o.track_running_stats());
    v.device_and_dtype();
    v.hidden("bias", o.bias());
}
} // namespace
void BatchNormOptions::fields(OptionVisitor& v) { norm_fields(*this, v); }
void InstanceNormOptions::fields(OptionVisitor& v) { norm_fields(*this, v); }

template <std::size_t D, class Derived, class Options>
NormImplBase<D, Derived, Options>::NormImplBase(const Options& o) : options(o) {
    NormImplBase::reset();
}
template <std::size_t D, class Derived, class Options> void NormImplBase<D, Derived, Options>::reset() {
    const std::int64_t n = options.num_features();
    const auto when = [](bool wanted, Tensor t) { return wanted ? t : Tensor(); };
    weight = this->register_parameter("weight", detail::parameter_memory({n}, options.affine()), options.affine());
    const bool with_bias = options.affine() && options.bias();
    bias = this->register_parameter("bias", detail::parameter_memory({n}, with_bias), with_bias);
    const bool track = options.track_running_stats();
    running_mean = this->register_buffer("running_mean", when(track, reel::zeros({n})));
    running_var = this->register_buffer("running_var", when(track, reel::ones({n})));
    num_batches_tracked = this->register_buffer("num_batches_tracked", when(track, reel::zeros({}, kLong)));
    reset_parameters();
}
template <std::size_t D, class Derived, class Options> void NormImplBase<D, Derived, Options>::reset_running_stats() {
    if (!options.track_running_stats()) return;
    NoGradGuard guard;
    this->running_mean.zero_();
    this->running_var.fill_(1);
    this->num_batches_tracked.zero_();
}
template <std::size_t D, class Derived, class Options> void NormImplBase<D, Derived, Options>::reset_parameters() {
    reset_running_stats();
    if (weight.defined()) init::ones_(weight);
    if (bias.defined()) init::zeros_(bias);
}
template <std::size_t D, class Derived, class Options>
bool NormImplBase<D, Derived, Options>::uses_batch_moments() const {
    return this->is_training() || !this->running_mean.defined();
}
template <std::size_t D, class Derived, class Options>
void NormImplBase<D, Derived, Options>::load_own_state(StateDict& map, const std::string& prefix,
                                                       const ValueDict& local_metadata, bool strict, bool assign,
                                                       LoadLists& lists) {
    // Dictionaries from before version 2 do not have the count: the module keeps its own.
    const Value* version = local_metadata.find(std::string_view("version"));
    const std::string key = prefix + "num_batches_tracked";
    if ((!version || version->isNone() || version->toInt() < 2) && options.track_running_stats() && !map.contains(key))
        map.insert(key, Value(this->num_batches_tracked.detach()));
    Module::load_own_state(map, prefix, local_metadata, strict, assign, lists);
}

template <std::size_t D, class Derived> Tensor BatchNormImpl<D, Derived>::forward(const Tensor& input) {
    // The kind of error that a pre-hook's none causes in Python, where it has no dimensions.
    REEL_CHECK_WITH(AttributeError, input.defined(), "BatchNorm", D, "d: input: expected a tensor, got none");
    const std::int64_t rank = input.dim();
    REEL_CHECK_VALUE(D == 1 ? rank == 2 || rank == 3 : rank == std::int64_t(D) + 2, "BatchNorm", D, "d: expected ",
                     D == 1   ? "2D or 3D"
                     : D == 2 ? "4D"
                              : "5D",
                     " input, got ", rank, "D input of shape ", input.sizes());
    const auto& o = this->options;
    double factor = o.momentum().value_or(0);
    if (this->is_training() && o.track_running_stats() && this->num_batches_tracked.defined()) {
        NoGradGuard guard;
        if (!autograd::impl::passes_over(this->num_batches_tracked, "batch_norm")) this->num_batches_tracked.add_(1);
        if (!o.momentum()) factor = 1 / this->num_batches_tracked.template item<double>();
    }
    const bool pass = !this->is_training() || o.track_running_stats();
    return reel::functional_batch_norm(input, pass ? this->running_mean : Tensor(), pass ? this->running_var : Tensor(),
                                       this->weight, this->bias, this->uses_batch_moments(), factor, o.eps());
}
template <std::size_t D, class Derived> Tensor InstanceNormImpl<D, Derived>::forward(const Tensor& input) {
    const std::int64_t rank = input.dim(), single = std::int64_t(D) + 1;
    const auto& o = this->options;
    REEL_CHECK_VALUE(rank == single || rank == single + 1, "InstanceNorm", D, "d: expected ", single, "D or ",
                     single + 1, "D input, got ", rank, "D input of shape ", input.sizes());
    const std::int64_t channels = input.size(rank - single);
    REEL_CHECK_VALUE(channels == o.num_features() || !o.affine(), "InstanceNorm", D, "d: input of shape ",
                     input.sizes(), " has ", channels, " channels, expected num_features ", o.num_features());
    const Tensor x = rank == single ? reel::unsqueeze(input, 0) : input;
    const Tensor y = reel::functional_instance_norm(x, this->running_mean, this->running_var, this->weight, this->bias,
                                                    this->is_training() || !o.track_running_stats(),
                                                    o.momentum().value_or(0), o.eps());
    return rank == single ? reel::squeeze(y, 0) : y;
}

template class NormImplBase<1, BatchNorm1dImpl, BatchNormOptions>;
template class BatchNormImpl<1, BatchNorm1dImpl>;
template class NormImplBase<2, BatchNorm2dImpl, BatchNormOptions>;
template class BatchNormImpl<2, BatchNorm2dImpl>;
template class NormImplBase<3, BatchNorm3dImpl, BatchNormOptions>;
template class BatchNormImpl<3, BatchNorm3dImpl>;
template class NormImplBase<1, InstanceNorm1dImpl, InstanceNormOptions>;
template class InstanceNormImpl<1, InstanceNorm1dImpl>;
template class NormImplBase<2, InstanceNorm2dImpl, InstanceNormOptions>;
template class InstanceNormImpl<2, InstanceNorm2dImpl>;
template class NormImplBase<3, InstanceNorm3dImpl, InstanceNormOptions>;
template class InstanceNormImpl<3, InstanceNorm3dImpl>;

void register_batch_norm() {
    register_layers<BatchNorm1dImpl, BatchNorm2dImpl, BatchNorm3dImpl, InstanceNorm1dImpl, InstanceNorm2dImpl,
                    InstanceNorm3dImpl>();
}

} // namespace reel::nn
