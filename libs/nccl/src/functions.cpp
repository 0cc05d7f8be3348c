#include "functions.hpp"

#include <string>

#include <dlfcn.h>

#include <reel/autograd/error.hpp>
#include <reel/nccl.hpp>

#include "library.hpp"

namespace reel::nccl {

namespace {
constexpr int oldest = 21400; // the first that can be given up while it waits

struct Found {
    Functions functions{};
    int version = 0;
    std::string missing;
};

Found find() {
    Found found;
    const auto library = cuda::find_library("ncclAllReduce", "REEL_NCCL_LIBRARY", "libnccl.so.2", found.missing);
    if (!library) return found;
    const auto get = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(*library, name));
        if (!function && found.missing.empty()) found.missing = str("it has no ", name);
    };
#define REEL_NCCL(name) get(found.functions.name, #name)
    REEL_NCCL(ncclGetVersion);
    REEL_NCCL(ncclGetUniqueId);
    REEL_NCCL(ncclCommInitRankConfig);
    REEL_NCCL(ncclCommGetAsyncError);
    REEL_NCCL(ncclCommAbort);
    REEL_NCCL(ncclCommDestroy);
    REEL_NCCL(ncclGetErrorString);
    REEL_NCCL(ncclGetLastError);
    REEL_NCCL(ncclGroupStart);
    REEL_NCCL(ncclGroupEnd);
    REEL_NCCL(ncclAllReduce);
    REEL_NCCL(ncclReduce);
    REEL_NCCL(ncclBroadcast);
    REEL_NCCL(ncclAllGather);
    REEL_NCCL(ncclReduceScatter);
    REEL_NCCL(ncclSend);
    REEL_NCCL(ncclRecv);
#undef REEL_NCCL
    if (found.missing.empty() &&
        (found.functions.ncclGetVersion(&found.version) != Status::kSuccess || found.version < oldest))
        found.missing = str("its version is ", found.version, "; expected ", oldest, " at least");
    return found;
}

const Found& found() {
    static const Found one = find();
    REEL_CHECK(one.missing.empty(), "nccl: no NCCL can be used: ", one.missing,
               "; install libnccl2, or name the file in REEL_NCCL_LIBRARY");
    return one;
}
} // namespace

const Functions& functions() { return found().functions; }

std::string version() {
    const int v = found().version;
    return str("NCCL ", v / 10000, ".", v / 100 % 100, ".", v % 100);
}

} // namespace reel::nccl
