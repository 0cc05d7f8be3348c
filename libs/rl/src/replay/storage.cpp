#include <reel/rl/replay/storage.hpp>

#include <reel/autograd/error.hpp>

namespace reel::rl {

ReplayStorage::ReplayStorage(std::int64_t max_size) : max_size_(max_size) {
    REEL_CHECK_VALUE(max_size >= 1, "replay storage: max_size is ", max_size, ", expected at least 1");
}
ReplayStorage::~ReplayStorage() = default;

} // namespace reel::rl
