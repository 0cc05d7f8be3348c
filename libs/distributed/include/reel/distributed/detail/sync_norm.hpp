// A batch norm whose training sees the joint batch.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <reel/distributed/process_group.hpp>
#include <reel/nn/modules/batch_norm.hpp>

namespace reel::distributed::detail {

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

} // namespace reel::distributed::detail
