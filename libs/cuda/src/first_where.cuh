// Looking for what an op must refuse before it works.
#pragma once

#include "capturing.hpp"
#include "for_each.cuh"
#include "scratch.cuh"

namespace reel::cuda {

template <class Bad> struct LeastWhere {
    Bad bad;
    unsigned long long* least;
    __device__ void operator()(std::int64_t i) const {
        if (bad(i)) atomicMin(least, (unsigned long long)i);
    }
};
/// The least i below `count` for which `bad(i)` holds; -1 if there is none. Waits for the device; a capture, which
/// cannot, gets -1 without a look.
template <class Bad> std::int64_t first_where(const char* op, const Tensor& like, std::int64_t count, const Bad& bad) {
    if (count == 0 || capture_memory(like.device().index())) return -1;
    const OnDevice on(like);
    const DeviceTable<unsigned long long> least({~0ull}, like, on);
    for_each(op, like.device().index(), count, LeastWhere<Bad>{bad, least.data()});
    return std::int64_t(on_host(least, on));
}

} // namespace reel::cuda
