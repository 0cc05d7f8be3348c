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

struct Functions {
    using Comm = Communicator*;
    using Stream = CUstream_st*;
    Status (*ncclGetVersion)(int*);
    Status (*ncclGetUniqueId)(UniqueId*);
    Status (*ncclCommInitRankConfig)(Comm*, int size, UniqueId, int rank, Config*);
    Status (*ncclCommGetAsyncError)(Comm, Status*);
    Status (*ncclCommAbort)(Comm);
    Status (*ncclCommDestroy)(Comm);
    const char* (*ncclGetErrorString)(Status);
    const char* (*ncclGetLastError)(Comm);
    Status (*ncclGroupStart)();
    Status (*ncclGroupEnd)();
    Status (*ncclAllReduce)(const void*, void*, std::size_t, Type, Reduction, Comm, Stream);
    Status (*ncclReduce)(const void*, void*, std::size_t, Type, Reduction, int root, Comm, Stream);
    Status (*ncclBroadcast)(const void*, void*, std::size_t, Type, int root, Comm, Stream);
    Status (*ncclAllGather)(const void*, void*, std::size_t, Type, Comm, Stream);
    Status (*ncclReduceScatter)(const void*, void*, std::size_t, Type, Reduction, Comm, Stream);
    Status (*ncclSend)(const void*, std::size_t, Type, int peer, Comm, Stream);
    Status (*ncclRecv)(void*, std::size_t, Type, int peer, Comm, Stream);
};

/// The process's NCCL, or libnccl.so.2 (REEL_NCCL_LIBRARY names another file). Error with the reason where there is
/// none, or one older than 2.14.
const Functions& functions();

} // namespace reel::nccl
