// Which places new entries take.
#pragma once

#include <cstdint>

#include <reel/rl/replay/loadable.hpp>

namespace reel::rl {

/// Goes round the places of a storage: once all are filled, the oldest entry gives way.
class RoundRobinWriter {
public:
    /// The place of the next entry; in a full storage that of the oldest one.
    std::int64_t cursor() const { return cursor_; }
    /// Entries written so far.
    std::int64_t write_count() const { return write_count_; }
    void advance(std::int64_t count, std::int64_t max_size);
    void clear();
    Value state_dict() const;
    CommitLoad prepare_load(const Value& state, std::int64_t max_size);

private:
    std::int64_t cursor_ = 0, write_count_ = 0;
};

} // namespace reel::rl
