// What every rank has to say, told to all.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <reel/distributed/process_group.hpp>

namespace reel::distributed {

/// Every rank's text (any bytes), in the order of the group's ranks. A collective.
std::vector<std::string> gather_texts(const std::string& own, const ProcessGroup& group);
/// The same towards one rank of the group, the others get an empty list.
std::vector<std::string> gather_texts_on(std::int64_t member, const std::string& own, const ProcessGroup& group);
/// Runs `fn`, on every rank, and lets none of them go on where one failed: that one throws what `fn` threw, the others
/// Error naming it. A collective, but for a null group, which stands for this process alone.
void together(const ProcessGroup& group, const char* doing, const std::function<void()>& fn);

} // namespace reel::distributed
