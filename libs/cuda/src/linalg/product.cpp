// The only file that sees cuBLASLt.
#include "linalg/product.hpp"

#include <array>
#include <bit>
#include <complex>
#include <memory>
#include <unordered_map>

#include <cublasLt.h>

#include <reel/autograd/context.hpp>
#include <reel/autograd/error.hpp>
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/cuda/device.hpp>

#include "check.hpp"

namespace reel::cuda {

namespace {

/// What the library recommends to give its algorithms on this generation of devices.
constexpr std::size_t workspace_limit = std::size_t(32) << 20;

void check_blas(cublasStatus_t status, const char* op, const char* call) {
    REEL_CHECK(status == CUBLAS_STATUS_SUCCESS, op, ": cuBLASLt: ", call, ": ", cublasLtGetStatusString(status));
}
#define REEL_BLAS(op, call) check_blas((call), (op), #call)

/// A handle belongs to one thread and one device.
cublasLtHandle_t handle(const char* op, DeviceIndex index) {
    struct Close {
        void operator()(cublasLtContext* h) const { cublasLtDestroy(h); }
    };
    static thread_local std::unique_ptr<cublasLtContext, Close> handles[64];
    auto& h = handles[std::size_t(index)];
    if (!h) {
        cublasLtHandle_t fresh = nullptr;
        check_blas(cublasLtCreate(&fresh), op, "cublasLtCreate");
        h.reset(fresh);
    }
    return h.get();
}

/// What the library computes a dtype in.
struct Types {
    cudaDataType data, scale;
    cublasComputeType_t compute;
    explicit Types(ScalarType t) {
        const cublasComputeType_t single =
            globalContext().allowTF32CuBLAS() ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
        switch (t) {
        case kFloat:
            data = scale = CUDA_R_32F, compute = single;
            break;
        case kDouble:
            data = scale = CUDA_R_64F, compute = CUBLAS_COMPUTE_64F;
            break;
        case kHalf:
            data = CUDA_R_16F, scale = CUDA_R_32F, compute = CUBLAS_COMPUTE_32F;
            break;
        case kBFloat16:
            data = CUDA_R_16BF, scale = CUDA_R_32F, compute = CUBLAS_COMPUTE_32F;
            break;
        case kComplexFloat:
            data = scale = CUDA_C_32F, compute = single;
            break;
        default:
            data = scale = CUDA_C_64F, compute = CUBLAS_COMPUTE_64F;
        }
    }
};

struct Destroy {
    void operator()(cublasLtMatmulDescOpaque_t* d) const { cublasLtMatmulDescDestroy(d); }
    void operator()(cublasLtMatrixLayoutOpaque_t* d) const { cublasLtMatrixLayoutDestroy(d); }
    void operator()(cublasLtMatmulPreferenceOpaque_t* d) const { cublasLtMatmulPreferenceDestroy(d); }
};
using Layout = std::unique_ptr<cublasLtMatrixLayoutOpaque_t, Destroy>;
using Operation = std::unique_ptr<cublasLtMatmulDescOpaque_t, Destroy>;

/// As the library sees it: columns are what lies dense.
Layout layout(const char* op, const Types& types, std::int64_t rows, std::int64_t columns, std::int64_t ld,
              std::int64_t batch, std::int64_t step) {
    cublasLtMatrixLayout_t raw = nullptr;
    check_blas(cublasLtMatrixLayoutCreate(&raw, types.data, std::uint64_t(rows), std::uint64_t(columns), ld), op,
               "cublasLtMatrixLayoutCreate");
    Layout l(raw);
    const auto count = std::int32_t(batch);
    check_blas(cublasLtMatrixLayoutSetAttribute(raw, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof(count)), op,
               "cublasLtMatrixLayoutSetAttribute");
    check_blas(cublasLtMatrixLayoutSetAttribute(raw, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step, sizeof(step)),
               op, "cublasLtMatrixLayoutSetAttribute");
    return l;
}
template <class T> void set(const char* op, const Operation& o, cublasLtMatmulDescAttributes_t name, const T& value) {
    check_blas(cublasLtMatmulDescSetAttribute(o.get(), name, &value, sizeof(value)), op,
               "cublasLtMatmulDescSetAttribute");
}

/// Row-major matrices are the library's transposed: it is asked for out^T = b^T a^T.
struct Described {
    Types types;
    Operation operation;
    Layout left, right, result;

    Described(const char* op, const Product& p) : types(p.dtype) {
        cublasLtMatmulDesc_t raw = nullptr;
        check_blas(cublasLtMatmulDescCreate(&raw, types.compute, types.scale), op, "cublasLtMatmulDescCreate");
        operation.reset(raw);
        const auto turn = [](bool transposed) { return std::int32_t(transposed ? CUBLAS_OP_T : CUBLAS_OP_N); };
        set(op, operation, CUBLASLT_MATMUL_DESC_TRANSA, turn(p.b.transposed));
        set(op, operation, CUBLASLT_MATMUL_DESC_TRANSB, turn(p.a.transposed));
        if (p.bias) {
            set(op, operation, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
            set(op, operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
        }
        const auto of = [&](const ProductOperand& x, std::int64_t rows, std::int64_t columns) {
            return x.transposed ? layout(op, types, rows, columns, x.ld, p.batch, x.step)
                                : layout(op, types, columns, rows, x.ld, p.batch, x.step);
        };
        left = of(p.b, p.k, p.n);
        right = of(p.a, p.m, p.k);
        result = layout(op, types, p.n, p.m, p.n, p.batch, p.m * p.n);
    }
};

/// Up to 16 bytes, which is as much as algorithms ask for.
std::uint32_t alignment_of(const void* data) {
    return 1U << std::min(4, std::countr_zero(reinterpret_cast<std::uintptr_t>(data)));
}
using Key = std::array<std::int64_t, 16>;
Key key_of(const Product& p, const Types& t) {
    return {std::int64_t(p.dtype),
            std::int64_t(t.compute),
            p.device,
            p.batch,
            p.m,
            p.n,
            p.k,
            p.a.ld,
            p.a.step,
            p.b.ld,
            p.b.step,
            p.a.transposed * 2 + p.b.transposed,
            p.bias != nullptr,
            alignment_of(p.a.data) * 32 + alignment_of(p.b.data),
            alignment_of(p.out),
            p.beta == 0};
}
struct HashKey {
    std::size_t operator()(const Key& key) const {
        std::uint64_t h = 1469598103934665603U;
        for (const std::int64_t w : key) h = (h ^ std::uint64_t(w)) * 1099511628211U;
        return std::size_t(h ^ (h >> 32));
    }
};
struct Algorithm {
    cublasLtMatmulAlgo_t algo;
    std::size_t workspace;
};

Algorithm chosen(const char* op, cublasLtHandle_t h, const Product& p, const Described& d) {
    cublasLtMatmulPreference_t raw = nullptr;
    check_blas(cublasLtMatmulPreferenceCreate(&raw), op, "cublasLtMatmulPreferenceCreate");
    const std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, Destroy> preference(raw);
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t name, const auto& value) {
        check_blas(cublasLtMatmulPreferenceSetAttribute(raw, name, &value, sizeof(value)), op,
                   "cublasLtMatmulPreferenceSetAttribute");
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace_limit);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(p.b.data));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(p.a.data));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(p.out));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(p.out));
    cublasLtMatmulHeuristicResult_t best{};
    int count = 0;
    check_blas(cublasLtMatmulAlgoGetHeuristic(h, d.operation.get(), d.left.get(), d.right.get(), d.result.get(),
                                              d.result.get(), raw, 1, &best, &count),
               op, "cublasLtMatmulAlgoGetHeuristic");
    REEL_CHECK(count > 0, op, ": cuBLASLt has no algorithm for matrices of ", dtype_name(p.dtype), ", ", p.batch,
               " times [", p.m, ", ", p.k, "] by [", p.k, ", ", p.n, "]");
    check_blas(best.state, op, "cublasLtMatmulAlgoGetHeuristic");
    return {best.algo, best.workspaceSize};
}

template <class T> void queue(const char* op, const Product& p, const Described& d, const Algorithm& a) {
    const T alpha(p.alpha), beta(p.beta);
    // in the order of the stream: whoever gets the memory next comes after
    const Tensor workspace =
        reel::empty({std::int64_t(a.workspace)}, TensorOptions().dtype(kByte).device(Device(kCUDA, p.device)));
    check_blas(cublasLtMatmul(handle(op, p.device), d.operation.get(), &alpha, p.b.data, d.left.get(), p.a.data,
                              d.right.get(), &beta, p.out, d.result.get(), p.out, d.result.get(), &a.algo,
                              a.workspace ? workspace.data_ptr() : nullptr, a.workspace, raw_stream(p.device)),
               op, "cublasLtMatmul");
}

} // namespace

bool multiplies(ScalarType t) { return isFloatingType(t) || isComplexType(t); }

void multiply(const char* op, const Product& p) {
    const DeviceGuard guard(p.device);
    const Described described(op, p);
    static thread_local std::unordered_map<Key, Algorithm, HashKey> algorithms;
    const Key key = key_of(p, described.types);
    auto found = algorithms.find(key);
    if (found == algorithms.end())
        found = algorithms.emplace(key, chosen(op, handle(op, p.device), p, described)).first;
    switch (described.types.scale) {
    case CUDA_R_64F:
        return queue<double>(op, p, described, found->second);
    case CUDA_C_32F:
        return queue<std::complex<float>>(op, p, described, found->second);
    case CUDA_C_64F:
        return queue<std::complex<double>>(op, p, described, found->second);
    default:
        return queue<float>(op, p, described, found->second);
    }
}

} // namespace reel::cuda
