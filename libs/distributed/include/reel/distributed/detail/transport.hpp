// What carries messages between the ranks of a world: threads, sockets, MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include <reel/distributed/detail/envelope.hpp>
#include <reel/distributed/detail/mailbox.hpp>
#include <reel/distributed/session.hpp>

namespace reel::distributed::detail {

/// Messages from this rank to any other; what comes from others goes into the mailbox. All collectives are written over
/// these few functions, so they give the same bits on every transport.
class Transport {
public:
    virtual ~Transport() = default;
    virtual std::int64_t rank() const = 0;
    virtual std::int64_t size() const = 0;
    virtual Mailbox& mailbox() = 0;
    /// Sends to another rank; when it returns, `bytes` may be used again. Messages to one peer arrive in order. Any
    /// thread may call it. False when the peer is gone, or does not take the message before the deadline.
    virtual bool send(std::int64_t peer, const Envelope& envelope, const void* bytes, Deadline deadline) = 0;
    /// Tells all others that this rank ends (kLeave, with `reason`), and lets go of what it holds. Called once.
    virtual void leave(const std::string& reason, bool ordinary) = 0;
};

/// Joins the world of which the environment, or `options`, speak.
using Join = std::function<std::unique_ptr<Transport>(const Options& options)>;
/// What a library of its own brings: `init` finds it by the backend. Called while the library is loaded.
void register_transport(Backend backend, Join join);
Join registered_transport(Backend backend);

} // namespace reel::distributed::detail
