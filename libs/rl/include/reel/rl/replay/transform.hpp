// What happens to data on the way into a replay buffer, and on the way out.
#pragma once

#include <optional>

#include <reel/autograd/value.hpp>
#include <reel/rl/tensordict.hpp>

namespace reel::rl {

/// A step between a replay buffer and its users. A buffer calls it under its lock, so that one thread at a time is in
/// it. Several are applied in the order in which they were appended, on writes as on samples.
class ReplayTransform {
public:
    virtual ~ReplayTransform() = default;

    /// What to store for a write of [rows] or [rows, T] frames, batch dimensions first: any number of rows, or nothing
    /// yet. `data` is a handle to the caller's dictionary, which must stay as it is. If it throws, the buffer stores
    /// nothing; the transform must be as before, too.
    virtual std::optional<TensorDict> on_write(TensorDict data) { return data; }
    /// What a sample becomes before it is handed out. `sample` is the buffer's own and may be changed.
    virtual TensorDict on_sample(TensorDict sample) { return sample; }
    /// Called when the buffer is emptied: frames that were held back are forgotten.
    virtual void reset() {}
    /// What is needed to go on as if nothing had happened: frames that are held back, counters. None: it has no state.
    virtual Value state_dict() const { return {}; }
    /// Takes over what `state_dict` gave. Errors: KeyError, TypeError, ValueError; nothing has changed then.
    virtual void load_state_dict(const Value& state) { static_cast<void>(state); }
};

} // namespace reel::rl
