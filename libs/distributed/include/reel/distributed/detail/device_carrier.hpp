// What carries collectives between devices, without the host's memory: NCCL.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <reel/autograd/device.hpp>
#include <reel/autograd/tensor.hpp>
#include <reel/distributed/detail/envelope.hpp>

namespace reel::distributed::detail {

/// A part of a call that goes to or comes from one member.
struct DevicePart {
    std::int64_t member;
    Tensor tensor;
};

/// One call, as the members have agreed on it by messages. Tensors are dense, on the carrier's device. Members are
/// named by their place in the group.
struct DeviceCall {
    enum class Kind : std::uint8_t { kAllReduce, kReduce, kBroadcast, kAllGather, kReduceScatter, kExchange };
    Kind kind;
    ReduceOp op = ReduceOp::kSum;
    std::int64_t root = 0;
    Tensor in, out;                          ///< all kinds but kExchange; the same for what is done in place
    std::vector<DevicePart> sends, receives; ///< kExchange
    std::shared_ptr<void> begun;             ///< `mark` of the thread that made the operands
    std::function<void()> end;               ///< queued behind the call: results on their way to where they belong
};

/// One group's way between the devices of its members, one device a rank. One thread at a time calls it, but for
/// `reduces` and `mark`.
class DeviceCarrier {
public:
    /// Called while the device works: throws when there is nothing to wait for any more.
    using Check = std::function<void()>;

    virtual ~DeviceCarrier() = default;
    /// Can it reduce these? What it cannot is reduced over messages.
    virtual bool reduces(ScalarType dtype, ReduceOp op) const = 0;
    /// A point behind what the calling thread has queued on its current stream; Error while that is being captured.
    virtual std::shared_ptr<void> mark() = 0;
    virtual bool connected() const = 0;
    /// What the first member sends the others before all `connect`.
    virtual std::string introduction() = 0;
    virtual void connect(const std::string& introduction, const Check& check) = 0;
    /// Returns when the device is done. Error that names the function that failed; whatever `check` throws, after all
    /// has been given up.
    virtual void run(const DeviceCall& call, const Check& check) = 0;
    /// The group has failed: its end waits for no other member.
    virtual void give_up() noexcept = 0;
};

/// The carrier of a group of `size` members, of which this is number `member`, on `device`.
using OpenDevices =
    std::function<std::unique_ptr<DeviceCarrier>(Device device, std::int64_t member, std::int64_t size)>;
/// What a library of its own brings, as `register_transport` does. Called while the library is loaded.
void register_devices(Backend backend, OpenDevices open);
OpenDevices registered_devices(Backend backend);

} // namespace reel::distributed::detail
