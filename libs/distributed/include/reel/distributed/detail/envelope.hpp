// What a message between ranks says of itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <reel/autograd/array_ref.hpp>
#include <reel/autograd/dtype.hpp>
#include <reel/distributed/types.hpp>

namespace reel::distributed::detail {

enum class Operation : std::uint8_t {
    kAllReduce,
    kReduce,
    kBroadcast,
    kAllGather,
    kAllGatherInto,
    kGather,
    kScatter,
    kReduceScatter,
    kReduceScatterTensor,
    kAllToAll,
    kBarrier,
    kMonitoredBarrier,
    kSend,
    kRecv
};
std::string_view name_of(Operation operation) noexcept;

/// Stands in front of every message. Both sides of a call compare what they sent with what came, so calls that do not
/// fit are found without a message more.
struct Envelope {
    enum class Kind : std::uint8_t {
        kCall,    ///< a part of a call
        kRefused, ///< the sender takes no part in this call; the payload says why
        kAbort,   ///< the group is at its end; the payload says why
        kLeave,   ///< the sender is; the payload says why
    };
    static constexpr int shown_dims = 6;
    static constexpr std::int64_t no_tag = -1, no_root = -1;

    Kind kind = Kind::kCall;
    Operation operation = Operation::kBarrier;
    ReduceOp op = ReduceOp::kSum;
    ScalarType dtype = ScalarType::Undefined;
    std::uint8_t phase = 0;   ///< of a call that sends more than once
    std::uint8_t devices = 0; ///< the operands go between devices, and messages without them
    std::uint16_t dims = 0;
    std::uint32_t members = 0; ///< a digest of the group's ranks
    std::uint32_t divisor = 1; ///< of each rank's elements, before they are reduced
    std::int64_t group = 0;
    std::uint64_t call = 0; ///< number within the group
    std::int64_t tag = no_tag, root = no_root;
    std::int64_t numel = 0;
    std::uint64_t shape_digest = 0;
    std::int64_t shape[shown_dims] = {};
    std::uint64_t payload = 0; ///< bytes that follow

    void set_shape(IntArrayRef sizes);
    /// Do both speak of the same part of the same call?
    bool fits(const Envelope& other) const noexcept;
    /// "all_reduce sum of float32 [3, 4]"
    std::string describe() const;
};

/// Whose memory a message's bytes may be: they are given back where the message ends, on any thread.
class PayloadLender {
public:
    virtual void take_back(std::byte* bytes) noexcept = 0;

protected:
    ~PayloadLender() = default;
};
/// Long messages' memory comes back to be used again: fresh memory costs more than the message that is written there.
struct ReturnPayload {
    std::size_t size = 0;
    PayloadLender* lender = nullptr;
    void operator()(std::byte* bytes) const noexcept;
};
/// Bytes of a message, uninitialized until they are read into.
struct Payload {
    std::unique_ptr<std::byte[], ReturnPayload> bytes{};
    std::size_t size = 0;
    Payload() = default;
    explicit Payload(std::size_t n);
    Payload(const void* from, std::size_t n);
    /// `n` bytes of the lender's, which outlives them.
    Payload(std::byte* lent, std::size_t n, PayloadLender& lender) : bytes(lent, ReturnPayload{n, &lender}), size(n) {}
    std::string text() const;
};

struct Message {
    Envelope envelope{};
    Payload payload{};
};

} // namespace reel::distributed::detail
