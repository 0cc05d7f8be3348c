// The last few observations beside each other.
#pragma once

#include <cstdint>
#include <vector>

#include <reel/rl/envs/transforms/transform.hpp>

namespace reel::rl {

/// What stands in place of frames before the first.
enum class CatFramesPadding { Same, Constant };

/// Concatenates the last N observations along the negative dimension `dim`, oldest first; at a reset the first one is
/// repeated, or `padding_value` stands for what was before. ValueError for N < 1 or dim >= 0.
class CatFrames : public Transform {
public:
    explicit CatFrames(std::int64_t N, std::int64_t dim, std::vector<NestedKey> in_keys = {"observation"},
                       std::vector<NestedKey> out_keys = {}, CatFramesPadding padding = CatFramesPadding::Same,
                       double padding_value = 0.0);
    std::string name() const override { return "CatFrames"; }
    TensorDict reset(const std::optional<TensorDict>& td, TensorDict fresh) override;
    TensorDict step(const TensorDict& td, TensorDict next) override;
    EnvSpecs transform_specs(EnvSpecs specs) const override;
    void state_dict(TensorDict& state, const NestedKey& prefix) const override;
    void load_state_dict(const TensorDict& state, const NestedKey& prefix) override;

private:
    Tensor first(const Tensor& frame, const Tensor& mask, const Tensor& before) const;
    std::int64_t n_, dim_;
    std::vector<NestedKey> in_keys_, out_keys_;
    CatFramesPadding padding_;
    double padding_value_;
    std::vector<Tensor> frames_; ///< what was written last, for each key
};

} // namespace reel::rl
