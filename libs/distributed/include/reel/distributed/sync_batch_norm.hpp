// Batch normalisation over the batches of all ranks.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <reel/distributed/detail/sync_norm.hpp>
#include <reel/distributed/process_group.hpp>
#include <reel/nn/modules/batch_norm.hpp>

namespace reel::distributed {

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
