// NCCL's functions, found when they are first needed. Declared here, so that nothing of it is needed to build.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUstream_st; // what the toolkit's cudaStream_t points to

namespace reel::nccl {

/// As NCCL's interface numbers them.
enum class Status : int { kSuccess = 0, kInvalidUsage = 5, kInProgress = 7 };
enum class Type : int {
    kInt8 = 0,
    kUint8 = 1,
    kInt32 = 2,
    kInt64 = 4,
    kFloat16 = 6,
    kFloat32 = 7,
    kFloat64 = 8,
    kBfloat16 = 9
};
enum class Reduction : int { kSum = 0, kProduct = 1, kMax = 2, kMin = 3, kAvg = 4 };
struct UniqueId {
    char bytes[128];
};
struct Communicator;
/// The first fields, which all versions since 2.14 have; `size` tells that there are no more.
struct Config {
    std::size_t size;
    unsigned magic, version;
    int blocking;
};

using Comm = Communicator*;
using Stream = CUstream_st*;

#define REEL_NCCL_FUNCTIONS(f)                                                                                         \
    f(Status, ncclGetVersion, (int*)) f(Status, ncclGetUniqueId, (UniqueId*))                                          \
        f(Status, ncclCommInitRankConfig, (Comm*, int size, UniqueId, int rank, Config*))                              \
            f(Status, ncclCommGetAsyncError, (Comm, Status*)) f(Status, ncclCommAbort, (Comm)) f(                      \
                Status, ncclCommDestroy, (Comm)) f(const char*, ncclGetErrorString, (Status))                          \
                f(const char*, ncclGetLastError, (Comm)) f(Status, ncclGroupStart, ()) f(Status, ncclGroupEnd, ()) f(  \
                    Status, ncclAllReduce, (const void*, void*, std::size_t, Type, Reduction, Comm, Stream))           \
                    f(Status, ncclReduce, (const void*, void*, std::size_t, Type, Reduction, int root, Comm, Stream))  \
                        f(Status, ncclBroadcast, (const void*, void*, std::size_t, Type, int root, Comm, Stream))      \
                            f(Status, ncclAllGather, (const void*, void*, std::size_t, Type, Comm, Stream))            \
                                f(Status, ncclReduceScatter,                                                           \
                                  (const void*, void*, std::size_t, Type, Reduction, Comm, Stream))                    \
                                    f(Status, ncclSend, (const void*, std::size_t, Type, int peer, Comm, Stream))      \
                                        f(Status, ncclRecv, (void*, std::size_t, Type, int peer, Comm, Stream))

struct Functions {
#define REEL_NCCL_POINTER(result, name, operands) result(*name) operands = nullptr;
#define REEL_NCCL_VISIT(result, name, operands) f(name, #name);
    REEL_NCCL_FUNCTIONS(REEL_NCCL_POINTER)
    template <class F> void each(F f) { REEL_NCCL_FUNCTIONS(REEL_NCCL_VISIT) }
#undef REEL_NCCL_POINTER
#undef REEL_NCCL_VISIT
};

/// The process's NCCL, or libnccl.so.2 (REEL_NCCL_LIBRARY names another file). Error with the reason where there is
/// none, or one older than 2.14.
const Functions& functions();

} // namespace reel::nccl
