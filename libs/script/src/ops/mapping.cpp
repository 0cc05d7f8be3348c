// What differs between the reference's operators and Reel's. Everything else is found by name.
#include "ops/mapping.hpp"

namespace reel::jit {

namespace {
constexpr Mapping table[] = {
    // losses: the reduction is a number there
    {"aten::cross_entropy_loss", "nn.functional.cross_entropy"},
    {"aten::nll_loss_nd", "nn.functional.nll_loss"},
    {"aten::nll_loss2d", "nn.functional.nll_loss"},
    // softmax under its inner names; half_to_float has no meaning on CPU
    {"aten::_softmax", "nn.functional.softmax", "input=self, dim=dim"},
    {"aten::_log_softmax", "nn.functional.log_softmax", "input=self, dim=dim"},
    {"aten::softmax.int", "nn.functional.softmax", "input=self, dim=dim, dtype=dtype"},
    {"aten::log_softmax.int", "nn.functional.log_softmax", "input=self, dim=dim, dtype=dtype"},
    // other names
    {"aten::log_sigmoid", "nn.functional.logsigmoid"},
    {"aten::im2col", "nn.functional.unfold"},
    {"aten::col2im", "nn.functional.fold"},
    {"aten::matrix_H", "adjoint"},
    {"aten::linalg_matmul", "matmul"},
    {"aten::constant_pad_nd", "nn.functional.pad", "input=self, pad=pad, value=value"},
    {"aten::reflection_pad1d", "nn.functional.pad", "input=self, pad=padding, mode='reflect'"},
    {"aten::reflection_pad2d", "nn.functional.pad", "input=self, pad=padding, mode='reflect'"},
    {"aten::reflection_pad3d", "nn.functional.pad", "input=self, pad=padding, mode='reflect'"},
    {"aten::replication_pad1d", "nn.functional.pad", "input=self, pad=padding, mode='replicate'"},
    {"aten::replication_pad2d", "nn.functional.pad", "input=self, pad=padding, mode='replicate'"},
    {"aten::replication_pad3d", "nn.functional.pad", "input=self, pad=padding, mode='replicate'"},
    {"aten::cdist", "cdist", "x1=x1, x2=x2, p=p"},
    {"aten::_cdist_forward", "cdist", "x1=x1, x2=x2, p=p"},
    {"aten::_adaptive_avg_pool2d", "nn.functional.adaptive_avg_pool2d", "input=self, output_size=output_size"},
    {"aten::_adaptive_avg_pool3d", "nn.functional.adaptive_avg_pool3d", "input=self, output_size=output_size"},
    {"aten::stft", "stft",
     "input=self, n_fft=n_fft, hop_length=hop_length, win_length=win_length, window=window, center=False, "
     "normalized=normalized, onesided=onesided, return_complex=return_complex"},
    {"aten::stft.center", "stft",
     "input=self, n_fft=n_fft, hop_length=hop_length, win_length=win_length, window=window, center=center, "
     "pad_mode=pad_mode, normalized=normalized, onesided=onesided, return_complex=return_complex"},
    {"aten::__and__.Tensor", "bitwise_and", "input=self, other=other"},
    {"aten::__and__.Scalar", "bitwise_and", "input=self, other=other"},
    {"aten::__or__.Tensor", "bitwise_or", "input=self, other=other"},
    {"aten::__or__.Scalar", "bitwise_or", "input=self, other=other"},
    {"aten::__xor__.Tensor", "bitwise_xor", "input=self, other=other"},
    {"aten::__xor__.Scalar", "bitwise_xor", "input=self, other=other"},
    {"aten::__lshift__.Tensor", "bitwise_left_shift", "input=self, other=other"},
    {"aten::__lshift__.Scalar", "bitwise_left_shift", "input=self, other=other"},
    {"aten::__rshift__.Tensor", "bitwise_right_shift", "input=self, other=other"},
    {"aten::__rshift__.Scalar", "bitwise_right_shift", "input=self, other=other"},
    {"aten::__ilshift__.Tensor", "bitwise_left_shift_", "input=self, other=other"},
    {"aten::__ilshift__.Scalar", "bitwise_left_shift_", "input=self, other=other"},
    {"aten::__irshift__.Tensor", "bitwise_right_shift_", "input=self, other=other"},
    {"aten::__irshift__.Scalar", "bitwise_right_shift_", "input=self, other=other"},
    {"aten::__iand__.Tensor", "bitwise_and_", "input=self, other=other"},
    {"aten::__iand__.Scalar", "bitwise_and_", "input=self, other=other"},
    {"aten::__ior__.Tensor", "bitwise_or_", "input=self, other=other"},
    {"aten::__ior__.Scalar", "bitwise_or_", "input=self, other=other"},
    {"aten::__ixor__.Tensor", "bitwise_xor_", "input=self, other=other"},
    {"aten::__ixor__.Scalar", "bitwise_xor_", "input=self, other=other"},
    {"prim::abs", "abs", "input=x"},
};
} // namespace

std::span<const Mapping> mappings() { return table; }

} // namespace reel::jit
