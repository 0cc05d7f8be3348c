// What a captured graph cannot look at before it works: its kernels note what they met, the host asks later.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <reel/cuda/stream.hpp>

namespace reel::cuda {

/// Where a captured kernel writes `code` when it meets an index out of range, and takes a valid one instead.
struct FaultNote {
    unsigned* word; ///< page-locked memory of the host; null: nobody asks
    unsigned code;
    bool wrap;
};

/// The checks of one graph.
class CapturedChecks {
public:
    CapturedChecks();
    ~CapturedChecks();
    CapturedChecks(const CapturedChecks&) = delete;
    /// For indices of `op` into a dimension of `size`: negative ones count from its end where `wrap` said so last.
    FaultNote add(const char* op, std::int64_t size);
    void wrap(bool wrap) { wrap_ = wrap; }
    /// The current stream has been given a replay.
    void replayed();
    /// Throws IndexError when a replay that has run met one; the next look begins anew.
    void look() const;

private:
    struct Check {
        std::string op;
        std::int64_t size;
    };
    unsigned* word_;
    bool wrap_ = true;
    std::vector<Check> checks_;
    Event last_; ///< replay
};

} // namespace reel::cuda
