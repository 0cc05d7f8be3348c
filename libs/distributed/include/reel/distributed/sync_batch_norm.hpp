// Batch normalisation over the batches of all ranks.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <reel/distributed/process_group.hpp>
#include <reel/nn/modules/batch_norm.hpp>

namespace reel::distributed {

namespace detail {
/// What a SyncBatchNorm is made of beside a BatchNorm.
struct SyncNorm {
    virtual ~SyncNorm() = default;
    ProcessGroup group; ///< else the default one
};
/// `Norm`, whose training sees the joint batch of a group.
template <class Norm> class SyncBatchNormOf : public Norm, public SyncNorm {
public:
    explicit SyncBatchNormOf(const nn::BatchNormOptions& options, ProcessGroup of = {}) : Norm(options) {
        group = std::move(of);
    }
    explicit SyncBatchNormOf(std::int64_t num_features, ProcessGroup of = {})
        : SyncBatchNormOf(nn::BatchNormOptions(num_features), std::move(of)) {}
    Tensor forward(const Tensor& input) override;
    Value forward_values(const Args& args, const Kwargs& kwargs) override;
    nn::ModulePtr clone(std::optional<Device> device, bool keep_hooks) const override;
    std::string repr_name() const override { return "SyncBatchNorm"; }
};
extern template class SyncBatchNormOf<nn::BatchNorm1dImpl>;
extern template class SyncBatchNormOf<nn::BatchNorm2dImpl>;
extern template class SyncBatchNormOf<nn::BatchNorm3dImpl>;
} // namespace detail

/// (x - mean) / sqrt(var + eps) weight + bias per channel (dimension 1 of two or more). In training mean and variance
/// are those of the joint batch of all ranks of the group, whose parts may differ in size; running moments are the same
/// on all ranks, and gradients those of one process with the joint batch. In evaluation as BatchNorm. All ranks call
/// forward and backward together. State, options and their names are BatchNorm's.
/// Errors: ValueError for input of less than two dimensions, another number of channels, or a joint batch with one
/// value per channel.
using SyncBatchNormImpl = detail::SyncBatchNormOf<nn::BatchNorm1dImpl>;
REEL_MODULE(SyncBatchNorm);

bool is_sync_batch_norm(const nn::Module& module);

/// Puts a SyncBatchNorm in the place of every BatchNorm of the tree: with its parameters, buffers, options and training
/// flag, not its hooks. Members of modules (`nn::BatchNorm2d norm`) follow. Returns the module, or what took its place
/// when it is a BatchNorm itself.
nn::ModulePtr convert_sync_batchnorm(const nn::ModulePtr& module, const ProcessGroup& group = {});
template <class M>
nn::ModuleHolder<M> convert_sync_batchnorm(const nn::ModuleHolder<M>& module, const ProcessGroup& group = {}) {
    return std::static_pointer_cast<M>(convert_sync_batchnorm(nn::ModulePtr(module.ptr()), group));
}

} // namespace reel::distributed

namespace reel::nn {
using distributed::convert_sync_batchnorm;
using distributed::SyncBatchNorm;
using distributed::SyncBatchNormImpl;
} // namespace reel::nn
