#include "transport/shared_ring.hpp"

#include <cstring>
#include <new>
#include <utility>

namespace reel::distributed::detail {

namespace {
constexpr std::size_t line = 64;
constexpr std::size_t short_bytes = 2048; // behind the record
std::size_t whole_lines(std::size_t n) { return (n + line - 1) / line * line; }
} // namespace

bool RingWriter::put(const Envelope& envelope, const void* bytes, std::size_t offset, std::size_t here) {
    const bool is_short = here <= short_bytes;
    const std::size_t size = sizeof(RingRecord) + (is_short ? whole_lines(here) : 0);
    const std::size_t to_end = RingMemory::record_bytes - written_ % RingMemory::record_bytes;
    const std::size_t filler = size > to_end ? to_end : 0;
    RingControl& control = memory_.control;
    if (written_ + filler + size > control.read.load(std::memory_order_seq_cst) + RingMemory::record_bytes)
        return false;
    std::uint32_t slot = RingRecord::no_slot;
    if (!is_short) { // the first that is free: it is the likeliest to be in a cache
        for (slot = 0; control.taken[slot].load(std::memory_order_seq_cst);)
            if (++slot == RingControl::slots) return false;
        control.taken[slot].store(1, std::memory_order_relaxed);
    }
    if (filler) {
        RingRecord& rest = at(written_); // perhaps one line long: no more of it is touched
        rest.slot = RingRecord::filler;
        rest.size = std::uint32_t(filler);
        written_ += filler;
    }
    RingRecord& record = at(written_);
    record.slot = slot;
    record.size = std::uint32_t(size);
    record.offset = offset;
    record.here = here;
    record.envelope = envelope;
    if (here)
        std::memcpy(is_short ? record.bytes() : memory_.slot(slot), static_cast<const std::byte*>(bytes) + offset,
                    here);
    written_ += size;
    control.written.store(written_, std::memory_order_seq_cst);
    return true;
}

void RingReader::went_on() noexcept {
    RingControl& control = memory_.control;
    if (control.wants_room.load(std::memory_order_seq_cst) && control.wants_room.exchange(0)) of_writer_.ring();
}

void RingReader::free(std::uint32_t slot) noexcept {
    memory_.control.taken[slot].store(0, std::memory_order_seq_cst);
    went_on();
}

void RingReader::take_back(std::byte* bytes) noexcept {
    lent_.fetch_sub(1, std::memory_order_relaxed);
    free(std::uint32_t(std::size_t(bytes - memory_.slot(0)) / memory_.slot_bytes));
}

/// Whether the message is whole by now.
bool RingReader::read(RingRecord& record, Message& message, bool copy) {
    const bool in_slot = record.slot != RingRecord::no_slot;
    std::byte* const bytes = in_slot ? memory_.slot(record.slot) : record.bytes();
    const bool is_whole = record.here == record.envelope.payload;
    if (is_whole && in_slot && !copy && lent_.load(std::memory_order_relaxed) + 3 <= RingControl::slots) {
        lent_.fetch_add(1, std::memory_order_relaxed);
        message = {record.envelope, Payload(bytes, record.here, *this)};
        return true;
    }
    if (is_whole) message = {record.envelope, Payload(static_cast<const void*>(bytes), record.here)};
    else {
        if (record.offset == 0) partial_ = {record.envelope, Payload(record.envelope.payload)};
        std::memcpy(partial_.payload.bytes.get() + record.offset, bytes, record.here);
    }
    const bool done = record.offset + record.here == record.envelope.payload;
    if (in_slot) free(record.slot);
    if (done && !is_whole) message = std::exchange(partial_, {});
    return done;
}

bool RingReader::next(Message& message, bool copy) {
    RingControl& control = memory_.control;
    const std::uint64_t written = control.written.load(std::memory_order_seq_cst);
    bool whole = false;
    const std::uint64_t begin = read_;
    while (!whole && read_ < written) {
        auto& record = *reinterpret_cast<RingRecord*>(memory_.bytes + read_ % RingMemory::record_bytes);
        if (record.slot != RingRecord::filler) whole = read(record, message, copy);
        read_ += record.size;
    }
    if (read_ == begin) return false;
    control.read.store(read_, std::memory_order_seq_cst);
    went_on();
    return whole;
}

} // namespace reel::distributed::detail
