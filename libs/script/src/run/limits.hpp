// What the runs of this thread may still take (rule SC-98).
#pragma once

#include <cstddef>
#include <cstdint>

#include <reel/autograd/error.hpp>
#include <reel/script/function.hpp>

namespace reel::jit {

/// A limit of the run: passes through scripts as it is.
class LimitReached : public Error {
public:
    using Error::Error;
};

/// The state of a thread's runs.
struct RunState {
    RunLimits limits;
    std::int64_t until_check = 0; ///< instructions until `check` is due
    std::uint64_t steps = 0;      ///< counted by checks
    std::size_t depth = 0;        ///< nested calls
    std::size_t bytes_before = 0; ///< of tensors when the outermost call began
    bool limited = false;         ///< any of steps, bytes and interrupt is watched

    /// Counts the instructions since the last check and throws when a limit is reached.
    void check();
    /// Of a string or list that is about to be made; throws when it is too large, limits or not.
    void claim(std::size_t bytes) const;
    /// After an instruction made `value`.
    void watch(const IValue& value) const;
    /// The outermost call begins.
    void begin();
    [[noreturn]] void refuse_depth() const;
    /// A few steps more, for what must be undone when a limit was reached (`__exit__`).
    void grant();
};
RunState& run_state();

/// A call that is running; the outermost begins the run. Throws LimitReached where calls nest too deep.
class CallDepth {
public:
    explicit CallDepth(RunState& state) : state_(state) {
        if (state.depth == 0) state.begin();
        if (state.depth >= state.limits.call_depth) [[unlikely]]
            state.refuse_depth();
        ++state.depth;
    }
    ~CallDepth() { --state_.depth; }
    CallDepth(const CallDepth&) = delete;
    CallDepth& operator=(const CallDepth&) = delete;

private:
    RunState& state_;
};

} // namespace reel::jit
