// The n-step rule, for the post-processor and for the transform of replay buffers.
#pragma once

#include <string>

#include <reel/rl/postprocs/multi_step.hpp>

namespace reel::rl {

struct MultiStepRule {
    const char* name; ///< of who applies it, for errors
    const MultiStepOptions& options;
    const NestedKey& done_key;
    const std::vector<NestedKey>& done_keys;
    const std::vector<NestedKey>& reward_keys;
    const std::optional<NestedKey>& mask_key;

    /// The steps that are looked ahead.
    static std::int64_t reach(const MultiStepOptions& options);
    /// ValueError (MS-2, MS-3).
    static void check(const char* name, const MultiStepOptions& options);
    TensorDict operator()(const TensorDict& data) const;

private:
    struct Input;
    Input look(const TensorDict& data) const;
    void check_leaves(const TensorDict& data, IntArrayRef done) const;
    bool stays(const NestedKey& key) const;
    NestedKey original_key(const NestedKey& reward_key) const;
    void move_leaves(TensorDict& next, const Input& input) const;
    void sum_rewards(TensorDict& next, const Input& input) const;
};

} // namespace reel::rl
