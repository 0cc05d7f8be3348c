// Ranks with more and fewer batches than others: those that have run out take part with zeros until all have.
#pragma once

#include <cstdint>
#include <vector>

#include <reel/distributed/process_group.hpp>

namespace reel::distributed {

struct JoinOptions {
    /// Gradients are divided by the number of all ranks; else by that of the ranks which still have batches.
    bool divide_by_initial_world_size = true;
    bool enable = true; ///< off: the scope does nothing
    /// All ranks throw Error when the first runs out.
    bool throw_on_early_termination = false;
};

/// Who still has batches, as all ranks of the group know at a step.
struct JoinRound {
    std::int64_t active = 0;                        ///< how many
    std::int64_t first_active = 0, last_active = 0; ///< ranks in the group
};

class Join;
/// What calls collectives in a training step and can do its part of them without a batch.
class Joinable {
public:
    virtual ~Joinable() = default;
    virtual ProcessGroup join_group() const = 0;
    /// `join` is null when the scope ends. Meanwhile the object calls `join->announce` before its collectives.
    virtual void set_join(Join* join) = 0;
    /// Does the collectives of `phase`, which active ranks have announced, without a part of its own.
    virtual void shadow(std::int64_t phase, const JoinRound& round) = 0;
    /// All have run out; takes over the state of member `last`, which ran longest.
    virtual void take_over(std::int64_t last) = 0;
};

/// A scope around the loop over batches, on all ranks: `{ Join join = ddp->join(); for (auto& batch : loader) ... }`.
/// The end of the scope waits for the ranks that still have batches, and may throw what their collectives throw; an
/// exception that leaves the scope does not wait.
class Join {
public:
    /// The objects must be given in the same order on all ranks, and live longer. ValueError for none, or for objects
    /// of different groups.
    explicit Join(std::vector<Joinable*> objects, JoinOptions options = {});
    ~Join() noexcept(false);
    Join(const Join&) = delete;
    Join& operator=(const Join&) = delete;
    /// This rank has run out: takes part until all have. What the end of the scope does, earlier.
    void finish();
    const JoinOptions& options() const { return options_; }
    /// Tells the others what comes, and learns who is active. Error when ranks do different things, and under
    /// throw_on_early_termination when one has run out.
    JoinRound announce(const Joinable& object, std::int64_t phase);

private:
    std::vector<std::int64_t> exchange(std::int64_t code) const;
    JoinRound round_of(const std::vector<std::int64_t>& codes);
    void leave() noexcept;
    std::vector<Joinable*> objects_;
    JoinOptions options_;
    ProcessGroup group_;
    std::int64_t last_ = 0; ///< of those that have run longest so far
    bool open_ = false;
    int exceptions_;
};

} // namespace reel::distributed
