#include "dnn/api.hpp"

#include <memory>

#include <reel/autograd/error.hpp>

#include "check.hpp"
#include "dnn.hpp"

namespace reel::cuda::dnn {

namespace {

Found<Api> find() {
    Found<Api> found = find_functions<Api>("REEL_CUDNN_LIBRARY", "libcudnn.so.9");
    const std::size_t version = found.get() ? found.functions.cudnnGetVersion() : 0;
    if (version != 0 && (version < 91900 || version >= 100000))
        found.missing = str("its version is ", version, "; expected 9.19 (91900) or a later 9");
    return found;
}

} // namespace

bool is_available() { return api(); }
const Api* api() {
    static const Found<Api> found = find();
    return found.get();
}

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
