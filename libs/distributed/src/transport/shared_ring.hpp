// Messages from one process to another through memory that both have.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <reel/distributed/detail/envelope.hpp>

#include "transport/shared_bell.hpp"

namespace reel::distributed::detail {

/// What both sides of a ring know of each other.
struct RingControl {
    static constexpr std::size_t slots = 8;
    alignas(64) std::atomic<std::uint64_t> written = 0; ///< bytes of records ever, by the writer
    alignas(64) std::atomic<std::uint64_t> read = 0;    ///< and by the reader
    std::atomic<std::uint32_t> wants_room = 0;          ///< the writer waits for the reader to go on
    std::atomic<std::uint32_t> taken[slots] = {};       ///< by the writer, until the reader gives the slot back
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && sizeof(RingControl) == 128);

/// Where a ring lies. Records go round in a few pages; what is long stands in slots beside them, so that a message that
/// is kept for a while holds up none that come later.
struct RingMemory {
    static constexpr std::size_t record_bytes = std::size_t(1) << 16;
    RingControl& control;
    std::byte* bytes;       ///< records, then slots
    std::size_t slot_bytes; ///< whole pages
    /// Of a ring, its control at the beginning.
    static std::size_t size(std::size_t slot_bytes) { return page + record_bytes + RingControl::slots * slot_bytes; }
    static RingMemory at(std::byte* memory, std::size_t slot_bytes) {
        return {*reinterpret_cast<RingControl*>(memory), memory + page, slot_bytes};
    }
    std::byte* slot(std::size_t i) const { return bytes + record_bytes + i * slot_bytes; }

private:
    static constexpr std::size_t page = 4096;
};

/// A message, or a part of one that is longer than a slot. A multiple of 64 bytes long and in one piece; what is left
/// before the end of the pages is a record without a message.
struct alignas(64) RingRecord {
    static constexpr std::uint32_t filler = 0xffffffff, no_slot = 0xfffffffe;
    std::uint32_t slot;         ///< where the bytes are, unless behind the record
    std::uint32_t size;         ///< of the record
    std::uint64_t offset, here; ///< which bytes of the message's these are
    Envelope envelope;
    std::byte* bytes() { return reinterpret_cast<std::byte*>(this + 1); }
};

/// The writer's side; one thread at a time.
class RingWriter {
public:
    explicit RingWriter(const RingMemory& memory) : memory_(memory) {}
    /// Bytes that a record may stand for.
    std::size_t most() const { return memory_.slot_bytes; }
    /// `here` bytes of a message, from `offset` on. False when there is no room.
    bool put(const Envelope& envelope, const void* bytes, std::size_t offset, std::size_t here);
    /// The reader is to ring when it has gone on. Then `put` once more, before sleeping.
    void want_room() { memory_.control.wants_room.store(1, std::memory_order_seq_cst); }

private:
    RingRecord& at(std::uint64_t position) const {
        return *reinterpret_cast<RingRecord*>(memory_.bytes + position % RingMemory::record_bytes);
    }
    RingMemory memory_;
    std::uint64_t written_ = 0;
};

/// The reader's side; one thread at a time, but for what messages give back.
class RingReader final : public PayloadLender {
public:
    RingReader(const RingMemory& memory, SharedBell& of_writer) : memory_(memory), of_writer_(of_writer) {}
    /// The next whole message. Its bytes may stay in their slot until it ends, or come with it (`copy`); a few slots
    /// are always free for what else comes.
    bool next(Message& message, bool copy);
    void take_back(std::byte* bytes) noexcept override;

private:
    void free(std::uint32_t slot) noexcept;
    void went_on() noexcept;
    bool read(RingRecord& record, Message& message, bool copy);
    RingMemory memory_;
    SharedBell& of_writer_;
    std::uint64_t read_ = 0;
    Message partial_;
    std::atomic<std::size_t> lent_ = 0;
};

} // namespace reel::distributed::detail
