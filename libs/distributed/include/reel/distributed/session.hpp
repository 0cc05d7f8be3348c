// Joining the world, and leaving it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <reel/distributed/process_group.hpp>
#include <reel/distributed/types.hpp>

namespace reel::distributed {

struct Options {
    std::chrono::milliseconds timeout = default_timeout;
    /// What RANK, WORLD_SIZE and MASTER_ADDR:MASTER_PORT say otherwise. A host of this machine or a name; "host:port".
    std::optional<std::int64_t> rank{}, world_size{};
    std::string master{};
    /// What carries operands that live on devices: kNCCL, with one device a rank (`init(Backend::kNCCL)` chooses it,
    /// too); else messages do, by way of the host's memory.
    Backend devices = Backend::kAuto;
};

/// Joins the default group, which has all ranks; returns when all have. With `spawn` the group belongs to the calling
/// thread (a rank is a thread), else to the process. ValueError when called twice, or when the environment is set by
/// half (the message lists what is missing); DistError when others do not come within the timeout (named).
void init(Backend backend = Backend::kAuto, Options options = {});
bool is_initialized() noexcept;
/// Leaves the default group; all ranks call it. Later calls throw ValueError that names `init`.
void finalize();
/// ValueError before `init`.
std::int64_t rank();
std::int64_t world_size();
ProcessGroup default_group();

/// `init` and `finalize` as a scope. When an exception leaves the scope, the others are told why at once.
class Session {
public:
    explicit Session(Backend backend = Backend::kAuto, Options options = {});
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

private:
    int exceptions_;
};

/// Runs `body(rank)` on n threads of this process, each a rank of one world (backend threads, joined and left around
/// the body). When a rank throws, the others' calls fail naming it; the first exception that is no consequence of
/// another rank's is thrown here, when all have ended. Each rank draws from a default generator of its own, as
/// processes do, which begins as a copy of the caller's.
void spawn(std::int64_t n, const std::function<void(std::int64_t rank)>& body, Options options = {});

} // namespace reel::distributed
