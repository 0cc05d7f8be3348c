#include "dnn/api.hpp"

#include <memory>

#include <dlfcn.h>

#include <reel/autograd/error.hpp>

#include "check.hpp"
#include "dnn.hpp"
#include "library.hpp"

namespace reel::cuda::dnn {

namespace {

struct Found {
    Api api;
    std::string missing; ///< why `api` cannot be used
};

Found find() {
    Found found;
    // what the program brought along counts, unless it was told otherwise
    const std::optional<void*> library =
        find_library("cudnnBackendExecute", "REEL_CUDNN_LIBRARY", "libcudnn.so.9", found.missing);
    if (!library) {
        found.missing = "cuDNN is not there: " + found.missing;
        return found;
    }
#define REEL_CUDNN_FIND(name)                                                                                          \
    found.api.name = reinterpret_cast<decltype(&::name)>(dlsym(*library, #name));                                      \
    if (!found.api.name) found.missing = "cuDNN has no " #name "; expected version 9";
    REEL_CUDNN_FUNCTIONS(REEL_CUDNN_FIND)
#undef REEL_CUDNN_FIND
    const std::size_t version = found.missing.empty() ? found.api.cudnnGetVersion() : 0;
    if (version != 0 && (version < 91900 || version >= 100000))
        found.missing = "cuDNN has version " + std::to_string(version) + "; expected 9.19 (91900) or a later 9";
    return found;
}
const Found& found() {
    static const Found one = find();
    return one;
}

} // namespace

bool is_available() { return api(); }
const Api* api() { return found().missing.empty() ? &found().api : nullptr; }
const std::string& reason_for_none() { return found().missing; }

cudnnHandle_t handle(const char* op, DeviceIndex index) {
    struct Close {
        void operator()(cudnnContext* h) const { api()->cudnnDestroy(h); }
    };
    static thread_local std::unique_ptr<cudnnContext, Close> handles[64];
    auto& h = handles[std::size_t(index)];
    if (!h) {
        cudnnHandle_t fresh = nullptr;
        check(api()->cudnnCreate(&fresh), op, "cudnnCreate");
        h.reset(fresh);
    }
    check(api()->cudnnSetStream(h.get(), raw_stream(index)), op, "cudnnSetStream");
    return h.get();
}

void check(cudnnStatus_t status, const char* op, const char* call) {
    if (status == CUDNN_STATUS_SUCCESS) [[likely]]
        return;
    char reason[512] = "";
    api()->cudnnGetLastErrorString(reason, sizeof(reason));
    REEL_THROW(Error, op, ": cuDNN: ", call, ": ", api()->cudnnGetErrorString(status), reason[0] ? ": " : "", reason);
}

} // namespace reel::cuda::dnn
