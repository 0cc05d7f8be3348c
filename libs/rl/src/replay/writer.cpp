#include <reel/rl/replay/writer.hpp>

#include <limits>

#include "replay/state.hpp"

namespace reel::rl {

void RoundRobinWriter::advance(std::int64_t count, std::int64_t max_size) {
    cursor_ = (cursor_ + count) % max_size;
    write_count_ += count;
}
void RoundRobinWriter::clear() { cursor_ = write_count_ = 0; }
Value RoundRobinWriter::state_dict() const { return ValueDict{{"cursor", cursor_}, {"write_count", write_count_}}; }
CommitLoad RoundRobinWriter::prepare_load(const Value& state, std::int64_t max_size) {
    RoundRobinWriter read;
    read.cursor_ = replay::count_in(state, "RoundRobinWriter", "cursor", max_size - 1);
    read.write_count_ =
        replay::count_in(state, "RoundRobinWriter", "write_count", std::numeric_limits<std::int64_t>::max());
    REEL_CHECK_VALUE(read.write_count_ % max_size == read.cursor_, "RoundRobinWriter: load_state_dict: 'cursor' is ",
                     read.cursor_, " after ", read.write_count_, " writes to ", max_size,
                     " places; was it saved by a "
                     "buffer of another size?");
    return [this, read] { *this = read; };
}

} // namespace reel::rl
