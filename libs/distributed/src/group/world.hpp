// What one rank knows of its world: the transport, and the groups it is in.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <reel/distributed/detail/device_carrier.hpp>
#include <reel/distributed/detail/transport.hpp>

namespace reel::distributed::detail {

class Group;

class World : public std::enable_shared_from_this<World> {
public:
    World(std::unique_ptr<Transport> transport, Backend backend, OpenDevices devices = {});
    ~World();
    Transport& transport() { return *transport_; }
    Mailbox& mailbox() { return transport_->mailbox(); }
    std::int64_t rank() const { return transport_->rank(); }
    std::int64_t size() const { return transport_->size(); }
    Backend backend() const { return backend_; } ///< of messages
    /// Null where operands on devices go by messages.
    const OpenDevices& devices() const { return devices_; }
    /// The next group in the order in which all ranks make them; null where this rank is no member.
    std::shared_ptr<Group> add_group(const std::vector<std::int64_t>& ranks, const std::string& name,
                                     std::chrono::milliseconds timeout);
    /// Waits for what is under way in all groups, then leaves. `failed`: what is under way is given up, and the others
    /// are told the reason.
    void leave(const std::string& reason, bool failed);

private:
    std::unique_ptr<Transport> transport_;
    Backend backend_;
    OpenDevices devices_;
    std::mutex mutex_;
    std::vector<std::weak_ptr<Group>> groups_;
    std::int64_t made_ = 0;
    bool left_ = false;
};

/// The calling thread's world: its own under `spawn`, else the process's.
struct Context {
    std::shared_ptr<World> world;
    std::shared_ptr<Group> group; ///< the default one
};
Context& context();
Context& context_of_process();
/// Makes `own` the calling thread's context for a scope.
class ContextOfThread {
public:
    explicit ContextOfThread(Context& own);
    ~ContextOfThread();
    ContextOfThread(const ContextOfThread&) = delete;

private:
    Context* previous_;
};

} // namespace reel::distributed::detail
