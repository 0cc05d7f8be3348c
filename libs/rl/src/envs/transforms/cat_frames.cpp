#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/pointwise/clamp.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/rl/envs/transforms/cat_frames.hpp>

#include <string>
#include <string_view>

#include <reel/rl/specs/bounded.hpp>
#include <reel/rl/specs/unbounded.hpp>

#include "envs/masks.hpp"
#include "envs/transforms/keys.hpp"
#include "specs/spec_impl.hpp"

namespace reel::rl {

CatFrames::CatFrames(std::int64_t N, std::int64_t dim, std::vector<NestedKey> in_keys, std::vector<NestedKey> out_keys,
                     CatFramesPadding padding, double padding_value)
    : n_(N), dim_(dim), in_keys_(std::move(in_keys)), padding_(padding), padding_value_(padding_value) {
    out_keys_ = detail::out_keys_for("CatFrames", in_keys_, std::move(out_keys));
    REEL_CHECK_VALUE(N >= 1, "CatFrames: expected N of at least 1, got ", N);
    REEL_CHECK_VALUE(dim < 0,
                     "CatFrames: expected a negative dim, as the batch may have any number of dimensions; got ", dim);
    frames_.resize(in_keys_.size());
}

EnvSpecs CatFrames::transform_specs(EnvSpecs specs) const {
    for (std::size_t i = 0; i < in_keys_.size(); ++i) {
        const TensorSpec spec = specs.observation[in_keys_[i]];
        const std::int64_t event = spec.ndim() - std::int64_t(specs.batch_size.size());
        REEL_CHECK_VALUE(-dim_ <= event, "CatFrames: dim ", dim_, " is not one of ", in_keys_[i].str(),
                         " beyond the batch; its spec is ", spec.summary());
        std::vector<std::int64_t> shape = spec.shape();
        shape[std::size_t(spec.ndim() + dim_)] *= n_;
        if (std::string_view(spec.name()) != "Bounded") {
            specs.observation.set(out_keys_[i], Unbounded(IntArrayRef(shape), spec.dtype()));
            continue;
        }
        Tensor low = spec.low(), high = spec.high();
        if (padding_ == CatFramesPadding::Constant) {
            low = reel::clamp_max(low, padding_value_);
            high = reel::clamp_min(high, padding_value_);
        }
        const std::vector<Tensor> lows(std::size_t(n_), low), highs(std::size_t(n_), high);
        specs.observation.set(out_keys_[i], Bounded(reel::cat(lows, dim_), reel::cat(highs, dim_)));
    }
    return specs;
}

/// The frames after a reset, in the rows that `mask` chooses; the others keep those `before`.
Tensor CatFrames::first(const Tensor& frame, const Tensor& mask, const Tensor& before) const {
    const bool same = padding_ == CatFramesPadding::Same;
    std::vector<Tensor> parts(std::size_t(n_), same ? frame : reel::full_like(frame, padding_value_));
    parts.back() = frame;
    const Tensor fresh = reel::cat(parts, dim_);
    return mask.defined() && before.defined() ? detail::where_rows(mask, fresh, before) : fresh;
}
TensorDict CatFrames::reset(const std::optional<TensorDict>& td, TensorDict fresh) {
    const Tensor mask = reset_mask(td);
    for (std::size_t i = 0; i < in_keys_.size(); ++i) {
        frames_[i] = first(fresh[in_keys_[i]], mask, frames_[i]).detach();
        fresh.set(out_keys_[i], frames_[i]);
    }
    return fresh;
}
TensorDict CatFrames::step(const TensorDict&, TensorDict next) {
    for (std::size_t i = 0; i < in_keys_.size(); ++i) {
        const Tensor frame = next[in_keys_[i]];
        REEL_CHECK(frames_[i].defined(), "CatFrames.step: expected a reset before the first step");
        const std::int64_t size = frame.size(dim_);
        const Tensor kept = frames_[i].narrow(dim_, size, size * (n_ - 1));
        frames_[i] = reel::cat({kept, frame}, dim_).detach();
        next.set(out_keys_[i], frames_[i]);
    }
    return next;
}

void CatFrames::state_dict(TensorDict& state, const NestedKey& prefix) const {
    for (std::size_t i = 0; i < frames_.size(); ++i)
        if (frames_[i].defined()) state.set(NestedKey("frames" + std::to_string(i)).under(prefix), frames_[i].clone());
}
void CatFrames::load_state_dict(const TensorDict& state, const NestedKey& prefix) {
    std::vector<Tensor> loaded;
    const EnvSpecs specs = transform_specs(parent());
    for (std::size_t i = 0; i < frames_.size(); ++i) {
        const NestedKey key = NestedKey("frames" + std::to_string(i)).under(prefix);
        const std::optional<Tensor> saved = state.get(key);
        const TensorSpec& spec = specs.observation[out_keys_[i]];
        REEL_CHECK(!saved || (saved->sizes().equals(spec.shape()) && saved->scalar_type() == spec.dtype()),
                   "CatFrames.load_state_dict: expected ", key.str(), " of ", spec.summary(), ", got sizes ",
                   saved ? saved->sizes() : IntArrayRef());
        loaded.push_back(saved ? saved->clone() : Tensor());
    }
    frames_ = std::move(loaded);
}

} // namespace reel::rl
