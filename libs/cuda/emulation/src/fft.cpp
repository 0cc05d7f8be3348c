// Stands in for cuFFT: plans over dense data, each line by the definition, in float64.
#if __has_include(<cufftXt.h>)

#include <cufftXt.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <map>
#include <numbers>
#include <vector>

#include "memory.hpp"
#include "runtime.hpp"

using namespace reel::cuda::emulation;

namespace {

using Number = std::complex<double>;

struct Plan {
    int device = 0;
    bool made = false, own_work = true;
    std::vector<long long> sizes;
    long long batch = 0;
    cudaDataType in{}, out{};
    cudaStream_t stream = nullptr;
    void* work = nullptr;

    bool from_real() const { return in == CUDA_R_32F || in == CUDA_R_64F; }
    bool to_real() const { return out == CUDA_R_32F || out == CUDA_R_64F; }
    bool wide() const { return in == CUDA_R_64F || in == CUDA_C_64F; }
    /// Elements of one transform, of which the complex side of a real one has half a last dimension.
    std::size_t count(bool half) const {
        std::size_t n = 1;
        for (std::size_t d = 0; d < sizes.size(); ++d)
            n *= std::size_t(half && d + 1 == sizes.size() ? sizes[d] / 2 + 1 : sizes[d]);
        return n;
    }
    std::size_t work_bytes() const { return 64 + (sizes.size() > 1 ? count(false) : 0); }
    std::size_t bytes(bool of_input) const {
        const bool real = of_input ? from_real() : to_real(), half = !real && (from_real() || to_real());
        return std::size_t(batch) * count(half) * (wide() ? 8 : 4) * (real ? 1 : 2);
    }
};

std::map<cufftHandle, Plan>& plans() {
    static auto& all = *new std::map<cufftHandle, Plan>();
    return all;
}
Plan* find(cufftHandle handle) {
    const auto at = plans().find(handle);
    return at == plans().end() || at->second.device != current_device() ? nullptr : &at->second;
}

bool is_held(const void* p, std::size_t bytes) {
    if (!is_device_address(p)) return false;
    const Allocation* const a = allocation_at(p);
    const auto* const b = static_cast<const std::byte*>(p);
    return a && a->life != Life::freed && b >= a->begin && b + bytes <= a->begin + a->bytes;
}

/// One line of `n`, in `step`s.
void line(Number* data, std::size_t n, std::size_t step, int direction) {
    std::vector<Number> roots(n), out(n);
    for (std::size_t k = 0; k < n; ++k)
        roots[k] = std::polar(1.0, direction * 2 * std::numbers::pi * double(k) / double(n));
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < n; ++j) out[k] += data[j * step] * roots[j * k % n];
    for (std::size_t k = 0; k < n; ++k) data[k * step] = out[k];
}
void all_lines(std::vector<Number>& data, const std::vector<long long>& sizes, std::size_t d, int direction) {
    const auto n = std::size_t(sizes[d]);
    std::size_t step = 1;
    for (std::size_t k = d + 1; k < sizes.size(); ++k) step *= std::size_t(sizes[k]);
    for (std::size_t first = 0; first < data.size(); first += n * step)
        for (std::size_t i = 0; i < step; ++i) line(data.data() + first + i, n, step, direction);
}

template <class T> void compute(const Plan& p, void* input, void* output, int direction) {
    const std::size_t whole = p.count(false), half = p.count(true), n = std::size_t(p.sizes.back()), m = n / 2 + 1;
    auto* const in = static_cast<T*>(input);
    auto* const out = static_cast<T*>(output);
    const auto complex = [](const T* t, std::size_t i) { return Number(t[2 * i], t[2 * i + 1]); };
    for (std::size_t b = 0; b < std::size_t(p.batch); ++b) {
        std::vector<Number> data(whole);
        for (std::size_t i = 0; i < whole; ++i) {
            if (p.from_real()) data[i] = in[b * whole + i];
            else if (!p.to_real()) data[i] = complex(in + 2 * b * whole, i);
            else if (i % n < m) data[i] = complex(in + 2 * b * half, i / n * m + i % n);
        }
        for (std::size_t d = 0; d < p.sizes.size(); ++d) {
            if (p.to_real() && d + 1 == p.sizes.size()) // the other half is the conjugate of this one
                for (std::size_t i = 0; i < whole; ++i)
                    if (i % n >= m) data[i] = std::conj(data[i / n * n + (n - i % n)]);
            all_lines(data, p.sizes, d, direction);
        }
        for (std::size_t i = 0; i < whole; ++i) {
            if (p.to_real()) out[b * whole + i] = T(data[i].real());
            else if (!p.from_real() || i % n < m) {
                const std::size_t at = p.from_real() ? b * half + i / n * m + i % n : b * whole + i;
                out[2 * at] = T(data[i].real());
                out[2 * at + 1] = T(data[i].imag());
            }
        }
    }
    // as the real one may do
    if (p.to_real()) std::memset(input, 0xff, p.bytes(true));
}

} // namespace

extern "C" {

cufftResult cufftCreate(cufftHandle* handle) {
    if (this_call_fails()) return CUFFT_ALLOC_FAILED;
    const std::lock_guard guard(runtime_lock());
    static cufftHandle last = 0;
    *handle = ++last;
    plans()[*handle].device = current_device();
    return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle handle) {
    const std::lock_guard guard(runtime_lock());
    return plans().erase(handle) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
cufftResult cufftSetAutoAllocation(cufftHandle handle, int automatic) {
    const std::lock_guard guard(runtime_lock());
    Plan* const p = find(handle);
    if (!p || p->made) return CUFFT_INVALID_PLAN;
    p->own_work = automatic != 0;
    return CUFFT_SUCCESS;
}

cufftResult cufftXtMakePlanMany(cufftHandle handle, int rank, long long* sizes, long long* in_embed, long long,
                                long long, cudaDataType in, long long* out_embed, long long, long long,
                                cudaDataType out, long long batch, std::size_t* work, cudaDataType execution) {
    if (this_call_fails()) return CUFFT_ALLOC_FAILED;
    const std::lock_guard guard(runtime_lock());
    Plan* const p = find(handle);
    if (!p || p->made) return CUFFT_INVALID_PLAN;
    if (p->own_work || in_embed || out_embed) return CUFFT_NOT_SUPPORTED; // nobody has asked for it yet
    if (rank < 1 || rank > 3 || batch < 1) return CUFFT_INVALID_SIZE;
    for (int d = 0; d < rank; ++d)
        if (sizes[d] < 1) return CUFFT_INVALID_SIZE;
    const auto is_wide = [](cudaDataType t) { return t == CUDA_R_64F || t == CUDA_C_64F; };
    const auto is_real = [](cudaDataType t) { return t == CUDA_R_32F || t == CUDA_R_64F; };
    for (const cudaDataType t : {in, out, execution})
        if ((!is_real(t) && t != CUDA_C_32F && t != CUDA_C_64F) || is_wide(t) != is_wide(in)) return CUFFT_INVALID_TYPE;
    if ((is_real(in) && is_real(out)) || is_real(execution)) return CUFFT_INVALID_TYPE;
    p->sizes.assign(sizes, sizes + rank);
    p->batch = batch;
    p->in = in;
    p->out = out;
    p->made = true;
    *work = p->work_bytes();
    return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
    if (this_call_fails()) return CUFFT_INTERNAL_ERROR;
    const std::lock_guard guard(runtime_lock());
    Plan* const p = find(handle);
    if (!p) return CUFFT_INVALID_PLAN;
    if (!stream_of(stream)) return CUFFT_INVALID_VALUE;
    p->stream = stream;
    return CUFFT_SUCCESS;
}
cufftResult cufftSetWorkArea(cufftHandle handle, void* work) {
    const std::lock_guard guard(runtime_lock());
    Plan* const p = find(handle);
    if (!p || !p->made) return CUFFT_INVALID_PLAN;
    if (!is_held(work, p->work_bytes())) return CUFFT_INVALID_VALUE;
    p->work = work;
    return CUFFT_SUCCESS;
}

cufftResult cufftXtExec(cufftHandle handle, void* input, void* output, int direction) {
    if (this_call_fails()) return CUFFT_EXEC_FAILED;
    const std::lock_guard guard(runtime_lock());
    Plan* const found = find(handle);
    Stream* const stream = found ? stream_of(found->stream) : nullptr;
    if (!found || !found->made || !stream) return CUFFT_INVALID_PLAN;
    const Plan p = *found;
    if (!p.work) return CUFFT_NO_WORKSPACE;
    if (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE) return CUFFT_INVALID_VALUE;
    if ((p.from_real() && direction != CUFFT_FORWARD) || (p.to_real() && direction != CUFFT_INVERSE))
        return CUFFT_INVALID_VALUE;
    const auto *const a = static_cast<const std::byte*>(input), *const b = static_cast<const std::byte*>(output),
                      *const w = static_cast<const std::byte*>(p.work);
    if (!is_held(a, p.bytes(true)) || !is_held(b, p.bytes(false)) || !is_held(w, p.work_bytes()))
        return CUFFT_INVALID_VALUE;
    const std::uintptr_t lies = p.wide() ? 16 : 8;
    if (reinterpret_cast<std::uintptr_t>(p.from_real() ? b : a) % lies != 0) return CUFFT_UNALIGNED_DATA;
    const auto meet = [](const std::byte* x, std::size_t n, const std::byte* y, std::size_t m) {
        return x < y + m && y < x + n;
    };
    if (meet(a, p.bytes(true), b, p.bytes(false)) || meet(w, p.work_bytes(), a, p.bytes(true)) ||
        meet(w, p.work_bytes(), b, p.bytes(false)))
        return CUFFT_INVALID_VALUE; // in place nobody has asked for it yet
    enqueue(*stream, [=, device = stream->device] {
        const DeviceWork running(device, "a transform of cuFFT");
        std::memset(p.work, 0xa5, p.work_bytes()); // nobody may count on it
        if (p.wide()) compute<double>(p, input, output, direction);
        else compute<float>(p, input, output, direction);
    });
    return CUFFT_SUCCESS;
}

} // extern "C"

#endif
