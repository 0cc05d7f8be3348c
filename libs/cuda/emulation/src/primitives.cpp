// Stands in for CUB's sorting and running sums. The real one checks nothing: what it would read or write astray is
// refused here.
#include <reel/cuda/emulation/primitives.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <vector>

#include "memory.hpp"
#include "runtime.hpp"

namespace reel::cuda::emulation {

namespace {

struct Span {
    const void* begin;
    std::size_t bytes;
    const std::byte* first() const { return static_cast<const std::byte*>(begin); }
    bool is_held() const {
        if (!is_device_address(begin)) return false;
        const Allocation* const a = allocation_at(begin);
        return a && a->life != Life::freed && first() >= a->begin && first() + bytes <= a->begin + a->bytes &&
               a->device == current_device();
    }
    bool meets(const Span& o) const { return first() < o.first() + o.bytes && o.first() < first() + bytes; }
};

std::size_t room_for(std::int64_t count) { return 256 + 16 * std::size_t(count); }

/// Queues `work` where all spans are held, lie at addresses of eight bytes, and those in `apart` do not meet the room
/// or each other.
cudaError_t run(PrimitiveRoom room, std::int64_t count, std::initializer_list<Span> apart, cudaStream_t stream,
                const char* what, std::function<void()> work) {
    if (this_call_fails()) return answer(cudaErrorLaunchFailure);
    if (count < 0) return answer(cudaErrorInvalidValue);
    const std::size_t needed = room_for(count);
    if (!room.begin) {
        room.bytes = needed;
        return cudaSuccess;
    }
    const std::lock_guard guard(runtime_lock());
    Stream* const s = stream_of(stream);
    if (!s) return answer(cudaErrorInvalidResourceHandle);
    std::vector<Span> all(apart);
    all.push_back({room.begin, needed});
    if (room.bytes < needed) return answer(cudaErrorInvalidValue);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (count > 0 && !all[i].is_held()) return answer(cudaErrorInvalidValue);
        if (reinterpret_cast<std::uintptr_t>(all[i].begin) % 8 != 0) return answer(cudaErrorMisalignedAddress);
        for (std::size_t j = 0; j < i; ++j)
            if (all[i].meets(all[j])) return answer(cudaErrorInvalidValue);
    }
    enqueue(*s, [=, device = s->device, begin = room.begin] {
        const DeviceWork running(device, what);
        std::memset(begin, 0xa5, needed); // nobody may count on it
        work();
    });
    return cudaSuccess;
}

} // namespace

cudaError_t sort_pairs(PrimitiveRoom room, const std::uint64_t* keys_in, std::uint64_t* keys_out,
                       const std::int64_t* values_in, std::int64_t* values_out, std::int64_t count, int begin_bit,
                       int end_bit, cudaStream_t stream) {
    if (begin_bit < 0 || end_bit > 64 || begin_bit >= end_bit) return answer(cudaErrorInvalidValue);
    const std::size_t n = std::size_t(count), bytes = 8 * n;
    return run(room, count, {{keys_in, bytes}, {keys_out, bytes}, {values_in, bytes}, {values_out, bytes}}, stream,
               "a sort of CUB", [=] {
                   const std::uint64_t some = end_bit - begin_bit == 64
                                                  ? ~std::uint64_t(0)
                                                  : ((std::uint64_t(1) << (end_bit - begin_bit)) - 1) << begin_bit;
                   std::vector<std::size_t> order(n);
                   std::iota(order.begin(), order.end(), std::size_t(0));
                   std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
                       return (keys_in[a] & some) < (keys_in[b] & some);
                   });
                   for (std::size_t i = 0; i < n; ++i) {
                       keys_out[i] = keys_in[order[i]];
                       values_out[i] = values_in[order[i]];
                   }
               });
}

cudaError_t inclusive_sum(PrimitiveRoom room, const std::int64_t* in, std::int64_t* out, std::int64_t count,
                          cudaStream_t stream) {
    const std::size_t n = std::size_t(count);
    const auto work = [=] {
        std::uint64_t sum = 0; // which wraps as the device's does
        for (std::size_t i = 0; i < n; ++i) {
            sum += std::uint64_t(in[i]);
            out[i] = std::int64_t(sum);
        }
    };
    if (in == out) return run(room, count, {{out, 8 * n}}, stream, "running sums of CUB", work);
    return run(room, count, {{in, 8 * n}, {out, 8 * n}}, stream, "running sums of CUB", work);
}

} // namespace reel::cuda::emulation
