#include "exported/autocast.hpp"

#include <algorithm>
#include <unordered_map>

#include <reel/autograd/tensor.hpp>

namespace reel::jit {

namespace {
/// What the innermost region casts to; Undefined outside, and where a region turns casting off.
thread_local ScalarType lower = ScalarType::Undefined;

/// Lower: the region's dtype. Full: float32. Widest: the widest of the operands' own.
enum class Cast : std::uint8_t { Lower, Full, Widest };

// The reference's lists for CPU.
const std::unordered_map<std::string, Cast>& casts() {
    static const std::unordered_map<std::string, Cast> table = [] {
        std::unordered_map<std::string, Cast> t;
        const auto add = [&](Cast cast, std::initializer_list<const char*> names) {
            for (const char* name : names) t.emplace(std::string("aten::") + name, cast);
        };
        add(Cast::Lower, {"_convolution", "_native_multi_head_attention", "addbmm", "addmm", "baddbmm", "bmm", "conv1d",
                          "conv2d", "conv3d", "conv_tbc", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
                          "linalg_vecdot", "linear", "matmul", "mm", "prelu", "scaled_dot_product_attention"});
        add(Cast::Widest, {"cat", "index_copy", "stack"});
        add(Cast::Full, {"adaptive_avg_pool3d",
                         "adaptive_max_pool3d",
                         "avg_pool3d",
                         "binary_cross_entropy",
                         "binary_cross_entropy_with_logits",
                         "cdist",
                         "cholesky_inverse",
                         "cholesky_solve",
                         "cosine_embedding_loss",
                         "cross_entropy_loss",
                         "ctc_loss",
                         "fake_quantize_per_tensor_affine",
                         "fft_fft",
                         "fft_fft2",
                         "fft_fftn",
                         "fft_hfft",
                         "fft_ifft",
                         "fft_ifft2",
                         "fft_ifftn",
                         "fft_ihfft",
                         "fft_irfft",
                         "fft_irfft2",
                         "fft_irfftn",
                         "fft_rfft",
                         "fft_rfft2",
                         "fft_rfftn",
                         "fractional_max_pool2d",
                         "fractional_max_pool3d",
                         "geqrf",
                         "grid_sampler",
                         "grid_sampler_2d",
                         "grid_sampler_3d",
                         "hinge_embedding_loss",
                         "huber_loss",
                         "inverse",
                         "kl_div",
                         "l1_loss",
                         "linalg_cholesky",
                         "linalg_cholesky_ex",
                         "linalg_cond",
                         "linalg_eig",
                         "linalg_eigh",
                         "linalg_eigvals",
                         "linalg_eigvalsh",
                         "linalg_householder_product",
                         "linalg_inv",
                         "linalg_inv_ex",
                         "linalg_lstsq",
                         "linalg_matrix_rank",
                         "linalg_qr",
                         "linalg_solve",
                         "linalg_svd",
                         "linalg_svdvals",
                         "linalg_tensorinv",
                         "linalg_tensorsolve",
                         "lu_solve",
                         "margin_ranking_loss",
                         "max_pool3d",
                         "max_unpool2d",
                         "max_unpool3d",
                         "mse_loss",
                         "multi_margin_loss",
                         "multilabel_margin_loss",
                         "nanquantile",
                         "nll_loss",
                         "nll_loss2d",
                         "orgqr",
                         "ormqr",
                         "pinverse",
                         "poisson_nll_loss",
                         "polar",
                         "prod",
                         "quantile",
                         "reflection_pad1d",
                         "reflection_pad2d",
                         "replication_pad1d",
                         "replication_pad2d",
                         "replication_pad3d",
                         "smooth_l1_loss",
                         "soft_margin_loss",
                         "stft",
                         "svd",
                         "trace",
                         "triangular_solve",
                         "triplet_margin_loss",
                         "view_as_complex"});
        return t;
    }();
    return table;
}

/// Double precision and other devices are left alone.
bool is_cast(const IValue& v) {
    if (!v.isTensor() || !v.toTensor().defined()) return false;
    const Tensor& t = v.toTensor();
    return t.is_floating_point() && t.scalar_type() != kDouble && t.device().type() == DeviceType::CPU;
}
bool any_is(std::span<const IValue> operands, ScalarType dtype) {
    return std::any_of(operands.begin(), operands.end(), [&](const IValue& v) {
        if (v.isSequence()) return any_is(v.elements(), dtype);
        return is_cast(v) && v.toTensor().scalar_type() == dtype;
    });
}
void cast_all(std::span<IValue> operands, ScalarType dtype) {
    for (IValue& v : operands) {
        if (v.isSequence()) {
            Args elements(v.elements().begin(), v.elements().end());
            if (std::none_of(elements.begin(), elements.end(), is_cast)) continue;
            cast_all(elements, dtype);
            v = IValue::list(std::move(elements));
        } else if (is_cast(v) && v.toTensor().scalar_type() != dtype) v = v.toTensor().to(dtype);
    }
}
} // namespace

AutocastRegion::AutocastRegion(const std::string& device, ScalarType dtype, bool enabled) : before_(lower) {
    REEL_CHECK_NOT_IMPLEMENTED(device == "cpu" || !enabled, "autocast for the device '", device,
                               "' is not supported; only that for 'cpu' is");
    REEL_CHECK_VALUE(!enabled || dtype == kBFloat16 || dtype == kHalf, "autocast takes bfloat16 or float16, got ",
                     dtype);
    if (device == "cpu") lower = enabled ? dtype : ScalarType::Undefined;
}
AutocastRegion::~AutocastRegion() { lower = before_; }

bool autocast_is_on() { return lower != ScalarType::Undefined; }

void autocast(const std::string& name, std::span<IValue> operands) {
    if (lower == ScalarType::Undefined) return;
    const auto found = casts().find(name);
    if (found == casts().end()) return;
    switch (found->second) {
    case Cast::Lower:
        return cast_all(operands, lower);
    case Cast::Full:
        return cast_all(operands, kFloat);
    case Cast::Widest: {
        const bool both = any_is(operands, kHalf) && any_is(operands, kBFloat16);
        if (both || any_is(operands, kFloat)) cast_all(operands, kFloat);
    }
    }
}

} // namespace reel::jit
