#include "spectral/plan.hpp"

#if __has_include(<cufftXt.h>)

#include <cufftXt.h>

#include <map>
#include <memory>
#include <vector>

#include <reel/autograd/error.hpp>
#include <reel/cuda/device.hpp>

#include "check.hpp"
#include "library.hpp"

namespace reel::cuda::fft {

namespace {

#define REEL_CUFFT_FUNCTIONS(f)                                                                                        \
    f(cufftCreate) f(cufftDestroy) f(cufftSetAutoAllocation) f(cufftXtMakePlanMany) f(cufftSetStream)                  \
        f(cufftSetWorkArea) f(cufftXtExec)

REEL_FUNCTION_TABLE(Api, REEL_CUFFT_FUNCTIONS);

const Api* api() {
    static const Found<Api> found = find_functions<Api>("REEL_CUFFT_LIBRARY", str("libcufft.so.", CUFFT_VER_MAJOR));
    return found.get();
}

const char* text_of(cufftResult status) {
    switch (status) {
    case CUFFT_ALLOC_FAILED:
        return "CUFFT_ALLOC_FAILED";
    case CUFFT_INVALID_VALUE:
        return "CUFFT_INVALID_VALUE";
    case CUFFT_EXEC_FAILED:
        return "CUFFT_EXEC_FAILED";
    case CUFFT_SETUP_FAILED:
        return "CUFFT_SETUP_FAILED";
    case CUFFT_INVALID_SIZE:
        return "CUFFT_INVALID_SIZE";
    case CUFFT_UNALIGNED_DATA:
        return "CUFFT_UNALIGNED_DATA";
    case CUFFT_INVALID_DEVICE:
        return "CUFFT_INVALID_DEVICE";
    case CUFFT_NO_WORKSPACE:
        return "CUFFT_NO_WORKSPACE";
    default:
        return "CUFFT_INTERNAL_ERROR";
    }
}
void check(cufftResult status, const char* op, const char* call) {
    if (status == CUFFT_SUCCESS) [[likely]]
        return;
    REEL_THROW(Error, op, ": cuFFT: ", call, ": ", text_of(status), " (", int(status), ")");
}

class Plan {
public:
    /// Null where the library has none.
    static std::unique_ptr<Plan> of(const char* op, const std::vector<std::int64_t>& key);
    Plan(cufftHandle raw) : raw_(raw) {}
    ~Plan() { api()->cufftDestroy(raw_); }
    Plan(const Plan&) = delete;

    void execute(const char* op, const Tensor& out, const Tensor& in, bool forward) const {
        const DeviceIndex index = in.device().index();
        check(api()->cufftSetStream(raw_, raw_stream(index)), op, "cufftSetStream");
        // in the order of the stream: whoever gets the memory next comes after
        const Tensor work = in.new_empty({std::int64_t(work_bytes_)}, kByte);
        if (work_bytes_ > 0) check(api()->cufftSetWorkArea(raw_, work.data_ptr()), op, "cufftSetWorkArea");
        check(api()->cufftXtExec(raw_, in.data_ptr(), out.data_ptr(), forward ? CUFFT_FORWARD : CUFFT_INVERSE), op,
              "cufftXtExec");
    }

private:
    cufftHandle raw_;
    std::size_t work_bytes_ = 0;
};

/// Words of a key: device, kind, is it float64, how many, then sizes.
enum Word : std::size_t { device_word, kind_word, wide_word, batch_word, first_size_word };

std::unique_ptr<Plan> Plan::of(const char* op, const std::vector<std::int64_t>& key) {
    cufftHandle raw = 0;
    check(api()->cufftCreate(&raw), op, "cufftCreate");
    auto plan = std::make_unique<Plan>(raw);
    check(api()->cufftSetAutoAllocation(raw, 0), op, "cufftSetAutoAllocation");
    const bool wide = key[wide_word] != 0;
    const Kind kind = Kind(key[kind_word]);
    const cudaDataType real = wide ? CUDA_R_64F : CUDA_R_32F, complex = wide ? CUDA_C_64F : CUDA_C_32F;
    std::vector<long long> sizes(key.begin() + first_size_word, key.end());
    const cufftResult status = api()->cufftXtMakePlanMany(
        raw, int(sizes.size()), sizes.data(), nullptr, 1, 1, kind == Kind::from_real ? real : complex, nullptr, 1, 1,
        kind == Kind::to_real ? real : complex, key[batch_word], &plan->work_bytes_, complex);
    if (status == CUFFT_NOT_SUPPORTED || status == CUFFT_NOT_IMPLEMENTED) return nullptr;
    check(status, op, "cufftXtMakePlanMany");
    return plan;
}

/// The calling thread's plan; cuFFT's are no two threads' at a time.
const Plan* plan_of(const char* op, const std::vector<std::int64_t>& key) {
    constexpr std::size_t most = 512; // each holds memory of the library's
    static thread_local std::map<std::vector<std::int64_t>, std::unique_ptr<const Plan>> plans;
    if (const auto found = plans.find(key); found != plans.end()) return found->second.get();
    if (plans.size() >= most) plans.clear();
    return plans.emplace(key, Plan::of(op, key)).first->second.get();
}

} // namespace

bool is_available() { return api(); }

bool run(const char* op, const Tensor& out, const Tensor& in, Kind kind, std::size_t rank, bool forward) {
    if (!api()) return false;
    const Tensor& whole = kind == Kind::to_real ? out : in; // whose sizes are the transform's
    const ScalarType t = in.scalar_type();
    std::vector<std::int64_t> key{std::int64_t(in.device().index()), std::int64_t(kind),
                                  t == kDouble || t == kComplexDouble};
    const std::size_t first = std::size_t(whole.dim()) - rank;
    std::int64_t batch = 1;
    for (std::size_t d = 0; d < first; ++d) batch *= whole.sizes()[d];
    key.push_back(batch);
    key.insert(key.end(), whole.sizes().begin() + first, whole.sizes().end());
    const DeviceGuard guard(in.device().index());
    const Plan* const plan = plan_of(op, key);
    if (!plan) return false;
    plan->execute(op, out, in, forward);
    return true;
}

} // namespace reel::cuda::fft

#else

namespace reel::cuda::fft {

bool is_available() { return false; }
bool run(const char*, const Tensor&, const Tensor&, Kind, std::size_t, bool) { return false; }

} // namespace reel::cuda::fft

#endif
