// n-step returns on the way into a replay buffer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <reel/rl/postprocs/multi_step.hpp>
#include <reel/rl/replay/transform.hpp>

namespace reel::rl {

/// The rule of `MultiStep` over a stream of writes: the last frames of each are held back until what follows them is
/// known, so that what is stored does not depend on how the stream was cut. Writes are [*B, T], time last, of the same
/// rows and entries each time. A write that yields nothing yet stores nothing.
///
/// As many frames are held back as are looked ahead; with `counts_current_step` one more, as the Python package does.
class MultiStepTransform : public ReplayTransform {
public:
    MultiStepTransform(std::int64_t n_steps, double gamma) : MultiStepTransform(MultiStepOptions(gamma, n_steps)) {}
    /// ValueError as for `MultiStep`: gamma is checked, too.
    explicit MultiStepTransform(const MultiStepOptions& options);

    const MultiStepOptions& options() const { return options_; }
    std::int64_t n_steps() const { return options_.n_steps(); }
    /// From the next write on, for frames that are held back, too. ValueError, and nothing has changed.
    void set_n_steps(std::int64_t n_steps);
    /// How many frames (of each row) wait for what follows them.
    std::int64_t held_back() const { return held_ ? held_->batch_size(-1) : 0; }

    /// What is known about all but the last frames. Errors: those of `MultiStep::forward`, and Error or KeyError when
    /// the frames do not go with those held back.
    std::optional<TensorDict> on_write(TensorDict data) override;
    void reset() override { held_.reset(); }
    /// {"n_steps", "held"}: the frames that are held back as lists of keys and tensors, or none.
    Value state_dict() const override;
    void load_state_dict(const Value& state) override;

    NestedKey done_key = "done";
    std::vector<NestedKey> done_keys{"done", "truncated", "terminated"};
    std::vector<NestedKey> reward_keys{"reward"};
    std::optional<NestedKey> mask_key = NestedKey("mask");
    /// Hand on [n] single frames instead of [*B, T']: for buffers that store frames, not rows of them.
    bool flattens = false;

private:
    MultiStepOptions options_;
    std::optional<TensorDict> held_; ///< as they came
};

} // namespace reel::rl
