// Stands in for cuBLASLt: checks what the library checks and what it would run over, and computes on the host in
// double.
#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include <cublasLt.h>

#include "blas_matrix.hpp"
#include "memory.hpp"
#include "runtime.hpp"

using namespace reel::cuda::emulation;

namespace {

struct Layout {
    cudaDataType type;
    std::uint64_t rows, columns;
    std::int64_t ld, step = 0;
    std::int32_t batch = 1;
    bool operator==(const Layout&) const = default;
};
struct Operation {
    cublasComputeType_t compute;
    cudaDataType scale;
    std::int32_t turn_a = CUBLAS_OP_N, turn_b = CUBLAS_OP_N;
    cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    const void* bias = nullptr;
};
struct Preference {
    std::uint64_t workspace = 0;
    std::uint32_t alignment[4] = {256, 256, 256, 256}; ///< of A, B, C, D: what is assumed when nobody says otherwise
};

/// What was created and not destroyed, by its handle.
template <class T> std::map<const void*, T>& live() {
    static auto& all = *new std::map<const void*, T>();
    return all;
}
template <class T, class Handle> T* find(Handle h) {
    const auto found = live<T>().find(h);
    return found == live<T>().end() ? nullptr : &found->second;
}
template <class T, class Handle> cublasStatus_t create(Handle* handle, T value) {
    if (this_call_fails()) return CUBLAS_STATUS_ALLOC_FAILED;
    const std::lock_guard guard(runtime_lock());
    auto* const place = new char;
    *handle = reinterpret_cast<Handle>(place);
    live<T>()[place] = value;
    return CUBLAS_STATUS_SUCCESS;
}
template <class T, class Handle> cublasStatus_t destroy(Handle handle) {
    const std::lock_guard guard(runtime_lock());
    if (live<T>().erase(handle) == 0) return CUBLAS_STATUS_INVALID_VALUE;
    delete reinterpret_cast<const char*>(handle);
    return CUBLAS_STATUS_SUCCESS;
}
struct Handle {
    int device;
};
bool is_handle(cublasLtHandle_t h) {
    const Handle* const found = find<Handle>(h);
    return found && found->device == current_device();
}

/// The library checks the size of what it is given, and nothing else.
template <class T> cublasStatus_t take(T& to, const void* from, std::size_t bytes) {
    if (!from || bytes != sizeof(T)) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(&to, from, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

/// One algorithm is quick and wants memory and operands on 16 bytes, the other takes all.
enum Algorithm : std::uint64_t { quick = 1, any = 2 };
constexpr std::size_t quick_workspace = 4096;
constexpr std::uint32_t quick_alignment = 16;

bool fits(const Operation& o, cudaDataType t) {
    const bool wide = t == CUDA_R_64F || t == CUDA_C_64F, narrow = t == CUDA_R_16F || t == CUDA_R_16BF;
    if (o.scale != (narrow ? CUDA_R_32F : t)) return false;
    if (wide) return o.compute == CUBLAS_COMPUTE_64F;
    return o.compute == CUBLAS_COMPUTE_32F || (!narrow && o.compute == CUBLAS_COMPUTE_32F_FAST_TF32);
}
bool is_turned(std::int32_t turn) { return turn != CUBLAS_OP_N; }

struct Call {
    Operation operation;
    Layout a, b, c, d;
    std::int64_t m() const { return std::int64_t(d.rows); }
    std::int64_t n() const { return std::int64_t(d.columns); }
    std::int64_t k() const { return std::int64_t(is_turned(operation.turn_a) ? a.rows : a.columns); }
};
cublasStatus_t check(const Call& call) {
    const Operation& o = call.operation;
    for (const Layout& l : {call.a, call.b, call.c, call.d}) {
        if (l.ld < std::max<std::int64_t>(1, std::int64_t(l.rows)) || l.batch != call.d.batch || l.batch < 1)
            return CUBLAS_STATUS_INVALID_VALUE;
        if (l.type != call.d.type || size_of(l.type) == 0 || !fits(o, l.type)) return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    const auto inner = [](const Layout& l, bool rows) { return rows ? l.rows : l.columns; };
    if (inner(call.a, !is_turned(o.turn_a)) != call.d.rows || inner(call.b, is_turned(o.turn_b)) != call.d.columns ||
        inner(call.a, is_turned(o.turn_a)) != inner(call.b, !is_turned(o.turn_b)) || call.c.rows != call.d.rows ||
        call.c.columns != call.d.columns)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (o.epilogue != CUBLASLT_EPILOGUE_DEFAULT && o.epilogue != CUBLASLT_EPILOGUE_BIAS)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (o.epilogue == CUBLASLT_EPILOGUE_BIAS && is_complex(call.d.type)) return CUBLAS_STATUS_NOT_SUPPORTED;
    return CUBLAS_STATUS_SUCCESS;
}
std::optional<Call> call_of(cublasLtMatmulDesc_t operation, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                            cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d) {
    const Operation* const o = find<Operation>(operation);
    const Layout *const la = find<Layout>(a), *const lb = find<Layout>(b), *const lc = find<Layout>(c),
                        *const ld = find<Layout>(d);
    if (!o || !la || !lb || !lc || !ld) return std::nullopt;
    return Call{*o, *la, *lb, *lc, *ld};
}

Matrix matrix(const Layout& l, const void* data, std::int64_t i) {
    auto* const first = static_cast<std::byte*>(const_cast<void*>(data));
    return {first + std::size_t(i * l.step) * size_of(l.type), l.type, std::int64_t(l.rows), std::int64_t(l.columns),
            l.ld};
}
bool all_on_device(const Layout& l, const void* data) {
    for (std::int64_t i = 0; i < l.batch; ++i)
        if (!lies_on_device(matrix(l, data, i))) return false;
    return true;
}
bool lies_on(const void* p, std::uintptr_t alignment) { return reinterpret_cast<std::uintptr_t>(p) % alignment == 0; }

/// The scale's type is what the operation says.
Number scale(const void* p, cudaDataType t) {
    switch (t) {
    case CUDA_R_64F:
        return *static_cast<const double*>(p);
    case CUDA_C_64F:
        return *static_cast<const Number*>(p);
    case CUDA_C_32F:
        return Number(*static_cast<const std::complex<float>*>(p));
    default:
        return *static_cast<const float*>(p);
    }
}

} // namespace

extern "C" {

const char* cublasLtGetStatusString(cublasStatus_t status) {
    switch (status) {
    case CUBLAS_STATUS_SUCCESS:
        return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:
        return "the library was not initialized";
    case CUBLAS_STATUS_INVALID_VALUE:
        return "an unsupported value or parameter was passed to the function";
    case CUBLAS_STATUS_NOT_SUPPORTED:
        return "the requested functionality is not supported";
    case CUBLAS_STATUS_ALLOC_FAILED:
        return "the resource allocation failed";
    case CUBLAS_STATUS_EXECUTION_FAILED:
        return "the function failed to launch on the GPU";
    default:
        return "an internal operation failed";
    }
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) { return create(handle, Handle{current_device()}); }
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) { return destroy<Handle>(handle); }

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, std::uint64_t rows,
                                          std::uint64_t columns, std::int64_t ld) {
    return create(layout, Layout{type, rows, columns, ld});
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) { return destroy<Layout>(layout); }
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t name,
                                                const void* value, std::size_t bytes) {
    const std::lock_guard guard(runtime_lock());
    Layout* const l = find<Layout>(layout);
    if (!l) return CUBLAS_STATUS_INVALID_VALUE;
    if (name == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT) return take(l->batch, value, bytes);
    if (name == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET) return take(l->step, value, bytes);
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* operation, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
    return create(operation, Operation{compute, scale});
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t operation) { return destroy<Operation>(operation); }
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t name,
                                              const void* value, std::size_t bytes) {
    const std::lock_guard guard(runtime_lock());
    Operation* const o = find<Operation>(operation);
    if (!o) return CUBLAS_STATUS_INVALID_VALUE;
    switch (name) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
        return take(o->turn_a, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB:
        return take(o->turn_b, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
        return take(o->epilogue, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
        return take(o->bias, value, bytes);
    default:
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
    return create(preference, Preference{});
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
    return destroy<Preference>(preference);
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t name, const void* value,
                                                    std::size_t bytes) {
    const std::lock_guard guard(runtime_lock());
    Preference* const p = find<Preference>(preference);
    if (!p) return CUBLAS_STATUS_INVALID_VALUE;
    switch (name) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
        return take(p->workspace, value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
        return take(p->alignment[0], value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
        return take(p->alignment[1], value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
        return take(p->alignment[2], value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
        return take(p->alignment[3], value, bytes);
    default:
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int room,
                                              cublasLtMatmulHeuristicResult_t results[], int* count) {
    if (this_call_fails()) return CUBLAS_STATUS_ALLOC_FAILED;
    const std::lock_guard guard(runtime_lock());
    *count = 0;
    const std::optional<Call> call = call_of(operation, a, b, c, d);
    const Preference* const p = find<Preference>(preference);
    if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!call || !p || room < 1) return CUBLAS_STATUS_INVALID_VALUE;
    if (const cublasStatus_t status = check(*call)) return status;
    const auto add = [&](Algorithm algorithm, std::size_t workspace) {
        if (*count == room) return;
        results[*count] = {};
        results[*count].algo.data[0] = algorithm;
        results[*count].workspaceSize = workspace;
        ++*count;
    };
    if (p->workspace >= quick_workspace && *std::min_element(p->alignment, p->alignment + 4) >= quick_alignment)
        add(quick, quick_workspace);
    add(any, 0);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout,
                              const void* beta, const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t* algo, void* workspace,
                              std::size_t workspace_bytes, cudaStream_t stream) {
    if (this_call_fails()) return CUBLAS_STATUS_EXECUTION_FAILED;
    const std::lock_guard guard(runtime_lock());
    if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    const std::optional<Call> found = call_of(operation, a_layout, b_layout, c_layout, d_layout);
    Stream* const s = stream_of(stream);
    if (!found || !s || !alpha || !beta || found->c != found->d) return CUBLAS_STATUS_INVALID_VALUE;
    const Call& call = *found;
    if (const cublasStatus_t status = check(call)) return status;
    const bool biased = call.operation.epilogue == CUBLASLT_EPILOGUE_BIAS;
    const Matrix bias{const_cast<void*>(call.operation.bias), call.d.type, call.m(), 1, call.m()};
    if (c != d) return CUBLAS_STATUS_NOT_SUPPORTED; // the library has it, nobody asked for it yet
    // the library would run over all of these
    if (!all_on_device(call.a, a) || !all_on_device(call.b, b) || !all_on_device(call.d, d) ||
        (biased && !lies_on_device(bias)))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (algo && algo->data[0] == quick) {
        const Matrix room{workspace, CUDA_R_16F, std::int64_t(quick_workspace / 2), 1,
                          std::int64_t(quick_workspace / 2)};
        if (workspace_bytes < quick_workspace || !lies_on_device(room)) return CUBLAS_STATUS_INVALID_VALUE;
        for (const void* const p : {a, b, c, static_cast<const void*>(d)})
            if (!lies_on(p, quick_alignment)) return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    const Number al = scale(alpha, call.operation.scale), be = scale(beta, call.operation.scale);
    enqueue(*s, [=, device = s->device] {
        const DeviceWork work(device, "a matrix product");
        const bool rounds = call.operation.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
        for (std::int64_t i = 0; i < call.d.batch; ++i)
            multiply(cublasOperation_t(call.operation.turn_a), cublasOperation_t(call.operation.turn_b), call.k(), al,
                     matrix(call.a, a, i), matrix(call.b, b, i), be, matrix(call.d, d, i), biased ? &bias : nullptr,
                     rounds);
    });
    return CUBLAS_STATUS_SUCCESS;
}

} // extern "C"
