// Anomaly mode: where was the forward op of a failing backward (rule E-52)?
#pragma once

namespace reel::autograd {

/// Thread-local switches of anomaly mode.
struct AnomalyMode {
    static bool is_enabled();
    static bool should_check_nan();
    static void set_enabled(bool enabled, bool check_nan = true);
};

/// Records the creation trace of every node made in the scope; errors in backward then name the forward op, and (with
/// `check_nan`) a NaN in any produced gradient is an error.
class DetectAnomalyGuard {
public:
    explicit DetectAnomalyGuard(bool check_nan = true);
    ~DetectAnomalyGuard();
    DetectAnomalyGuard(const DetectAnomalyGuard&) = delete;

private:
    bool enabled_, check_nan_;
};

} // namespace reel::autograd
