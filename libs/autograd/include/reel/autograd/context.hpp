// Switches for the whole process.
#pragma once

namespace reel {

/// libtorch's handle on them: `globalContext().setDeterministicAlgorithms(true, false)`.
class Context {
public:
    /// Asks for operations that give the same bits in every run. All of Reel's operations on the CPU do so anyway, with
    /// any number of threads; device libraries choose their algorithms by it, and throw (with `warn_only`: warn) where
    /// there is none to choose.
    void setDeterministicAlgorithms(bool on, bool warn_only = false);
    bool deterministicAlgorithms() const;
    bool deterministicAlgorithmsWarnOnly() const;
    /// For operations without a deterministic way: throws Error that names `caller`, warns, or does nothing.
    void alertNotDeterministic(const char* caller) const;
};
Context& globalContext();

/// Python's names.
void use_deterministic_algorithms(bool on, bool warn_only = false);
bool are_deterministic_algorithms_enabled();

} // namespace reel
