// Functions of which the arguments choose one (library_choices.hpp): resizing, norms, products over dimensions.
#include "library_texts.hpp"

namespace reel::jit::emit {

const char* const functional_choices = R"(
def interpolate(input: Tensor, size: Optional[int]=None, scale_factor: Optional[List[float]]=None, mode: str="nearest", align_corners: Optional[bool]=None, recompute_scale_factor: Optional[bool]=None, antialias: bool=False) -> Tensor:
  return torch.__interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)
def interpolate__1(input: Tensor, size: Optional[List[int]]=None, scale_factor: Optional[List[float]]=None, mode: str="nearest", align_corners: Optional[bool]=None, recompute_scale_factor: Optional[bool]=None, antialias: bool=False) -> Tensor:
  return torch.__interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)
def interpolate__2(input: Tensor, size: Optional[int]=None, scale_factor: Optional[float]=None, mode: str="nearest", align_corners: Optional[bool]=None, recompute_scale_factor: Optional[bool]=None, antialias: bool=False) -> Tensor:
  return torch.__interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)
def interpolate__3(input: Tensor, size: Optional[List[int]]=None, scale_factor: Optional[float]=None, mode: str="nearest", align_corners: Optional[bool]=None, recompute_scale_factor: Optional[bool]=None, antialias: bool=False) -> Tensor:
  return torch.__interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)
def upsample(input: Tensor, size: Optional[int]=None, scale_factor: Optional[float]=None, mode: str="nearest", align_corners: Optional[bool]=None) -> Tensor:
  return torch.__interpolate(input, size, scale_factor, mode, align_corners, None, False)
def upsample__1(input: Tensor, size: Optional[List[int]]=None, scale_factor: Optional[float]=None, mode: str="nearest", align_corners: Optional[bool]=None) -> Tensor:
  return torch.__interpolate(input, size, scale_factor, mode, align_corners, None, False)
def upsample_nearest(input: Tensor, size: Optional[int]=None, scale_factor: Optional[float]=None) -> Tensor:
  return torch.__interpolate(input, size, scale_factor, "nearest", None, None, False)
def upsample_nearest__1(input: Tensor, size: Optional[List[int]]=None, scale_factor: Optional[float]=None) -> Tensor:
  return torch.__interpolate(input, size, scale_factor, "nearest", None, None, False)
def upsample_bilinear(input: Tensor, size: Optional[int]=None, scale_factor: Optional[float]=None) -> Tensor:
  return torch.__interpolate(input, size, scale_factor, "bilinear", True, None, False)
def upsample_bilinear__1(input: Tensor, size: Optional[List[int]]=None, scale_factor: Optional[float]=None) -> Tensor:
  return torch.__interpolate(input, size, scale_factor, "bilinear", True, None, False)
def upsample_bilinear__2(input: Tensor, size: Optional[int]=None, scale_factor: Optional[List[float]]=None) -> Tensor:
  return torch.__interpolate(input, size, scale_factor, "bilinear", True, None, False)
def upsample_bilinear__3(input: Tensor, size: Optional[List[int]]=None, scale_factor: Optional[List[float]]=None) -> Tensor:
  return torch.__interpolate(input, size, scale_factor, "bilinear", True, None, False)
def _fractional_pool(input: Tensor, n: int, output_size: Optional[List[int]], output_ratio: Optional[List[float]], _random_samples: Optional[Tensor]) -> Tuple[List[int], Tensor]:
  if output_size is None:
    if output_ratio is None:
      ops.prim.RaiseException(torch.format("fractional_max_pool{}d expects output_size or output_ratio, got neither", n), "builtins.ValueError")
      sizes = annotate(List[int], [])
    else:
      sizes = [int(torch.mul(float(torch.size(input, i - n)), output_ratio[i])) for i in range(n)]
  else:
    sizes = output_size
  batch = 1 if torch.dim(input) == n + 1 else torch.size(input, 0)
  if _random_samples is None:
    samples = torch.rand([batch, torch.size(input, -1 - n), n], dtype=ops.prim.dtype(input), device=ops.prim.device(input))
  else:
    samples = _random_samples
  return sizes, samples
def fractional_max_pool2d_with_indices(input: Tensor, kernel_size: BroadcastingList2[int], output_size: Optional[BroadcastingList2[int]]=None, output_ratio: Optional[BroadcastingList2[float]]=None, return_indices: bool=False, _random_samples: Optional[Tensor]=None) -> Tuple[Tensor, Tensor]:
  sizes, samples = __torch__.torch.nn.functional._fractional_pool(input, 2, output_size, output_ratio, _random_samples)
  values, indices = torch.fractional_max_pool2d(input, kernel_size, sizes, samples)
  return values, indices
def _fractional_max_pool2d(input: Tensor, kernel_size: BroadcastingList2[int], output_size: Optional[BroadcastingList2[int]]=None, output_ratio: Optional[BroadcastingList2[float]]=None, return_indices: bool=False, _random_samples: Optional[Tensor]=None) -> Tensor:
  values, _ = __torch__.torch.nn.functional.fractional_max_pool2d_with_indices(input, kernel_size, output_size, output_ratio, True, _random_samples)
  return values
def fractional_max_pool3d_with_indices(input: Tensor, kernel_size: BroadcastingList3[int], output_size: Optional[BroadcastingList3[int]]=None, output_ratio: Optional[BroadcastingList3[float]]=None, return_indices: bool=False, _random_samples: Optional[Tensor]=None) -> Tuple[Tensor, Tensor]:
  sizes, samples = __torch__.torch.nn.functional._fractional_pool(input, 3, output_size, output_ratio, _random_samples)
  values, indices = torch.fractional_max_pool3d(input, kernel_size, sizes, samples)
  return values, indices
def _fractional_max_pool3d(input: Tensor, kernel_size: BroadcastingList3[int], output_size: Optional[BroadcastingList3[int]]=None, output_ratio: Optional[BroadcastingList3[float]]=None, return_indices: bool=False, _random_samples: Optional[Tensor]=None) -> Tensor:
  values, _ = __torch__.torch.nn.functional.fractional_max_pool3d_with_indices(input, kernel_size, output_size, output_ratio, True, _random_samples)
  return values
)";

const char* const torch_functional = R"(
def _unique(input: Tensor, sorted: bool=True, return_inverse: bool=False, return_counts: bool=False, dim: Optional[int]=None) -> Tuple[Tensor, Tensor, Tensor]:
  if dim is None:
    values, inverse, counts = torch._unique2(input, sorted, return_inverse, return_counts)
  else:
    values, inverse, counts = torch.unique_dim(input, dim, sorted, return_inverse, return_counts)
  return values, inverse, counts
def _return_output(input: Tensor, sorted: bool=True, return_inverse: bool=False, return_counts: bool=False, dim: Optional[int]=None) -> Tensor:
  values, _, _ = __torch__.torch.functional._unique(input, sorted, False, False, dim)
  return values
def _return_inverse(input: Tensor, sorted: bool=True, return_inverse: bool=False, return_counts: bool=False, dim: Optional[int]=None) -> Tuple[Tensor, Tensor]:
  values, inverse, _ = __torch__.torch.functional._unique(input, sorted, True, False, dim)
  return values, inverse
def _return_counts(input: Tensor, sorted: bool=True, return_inverse: bool=False, return_counts: bool=False, dim: Optional[int]=None) -> Tuple[Tensor, Tensor]:
  values, _, counts = __torch__.torch.functional._unique(input, sorted, False, True, dim)
  return values, counts
def _return_inverse_and_counts(input: Tensor, sorted: bool=True, return_inverse: bool=False, return_counts: bool=False, dim: Optional[int]=None) -> Tuple[Tensor, Tensor, Tensor]:
  return __torch__.torch.functional._unique(input, sorted, True, True, dim)
def _consecutive_return_output(input: Tensor, return_inverse: bool=False, return_counts: bool=False, dim: Optional[int]=None) -> Tensor:
  values, _, _ = torch.unique_consecutive(input, False, False, dim)
  return values
def _consecutive_return_inverse(input: Tensor, return_inverse: bool=False, return_counts: bool=False, dim: Optional[int]=None) -> Tuple[Tensor, Tensor]:
  values, inverse, _ = torch.unique_consecutive(input, True, False, dim)
  return values, inverse
def _consecutive_return_counts(input: Tensor, return_inverse: bool=False, return_counts: bool=False, dim: Optional[int]=None) -> Tuple[Tensor, Tensor]:
  values, _, counts = torch.unique_consecutive(input, False, True, dim)
  return values, counts
def _consecutive_return_inverse_and_counts(input: Tensor, return_inverse: bool=False, return_counts: bool=False, dim: Optional[int]=None) -> Tuple[Tensor, Tensor, Tensor]:
  values, inverse, counts = torch.unique_consecutive(input, True, True, dim)
  return values, inverse, counts
def _lu_no_infos(A: Tensor, pivot: bool=True, get_infos: bool=False, out: Optional[Tuple[Tensor, Tensor]]=None) -> Tuple[Tensor, Tensor]:
  factors, pivots = torch.linalg_lu_factor(A, pivot=pivot)
  return factors, pivots
def _lu_with_infos(A: Tensor, pivot: bool=True, get_infos: bool=False, out: Optional[Tuple[Tensor, Tensor, Tensor]]=None) -> Tuple[Tensor, Tensor, Tensor]:
  factors, pivots, infos = torch.linalg_lu_factor_ex(A, pivot=pivot)
  return factors, pivots, infos
def cdist(x1: Tensor, x2: Tensor, p: float=2., compute_mode: str="use_mm_for_euclid_dist_if_necessary") -> Tensor:
  return torch.cdist(x1, x2, p)
def stft(input: Tensor, n_fft: int, hop_length: Optional[int]=None, win_length: Optional[int]=None, window: Optional[Tensor]=None, center: bool=True, pad_mode: str="reflect", normalized: bool=False, onesided: Optional[bool]=None, return_complex: Optional[bool]=None, align_to_window: Optional[bool]=None) -> Tensor:
  return torch.stft(input, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex, align_to_window)
def _kept(result: Tensor, out: Optional[Tensor]) -> Tensor:
  if out is None:
    kept = result
  else:
    kept = torch.copy_(out, result)
  return kept
def _norm_by_name(input: Tensor, p: str, dims: List[int], keepdim: bool, out: Optional[Tensor], dtype: Optional[int]) -> Tensor:
  x = input if dtype is None else torch.to(input, dtype)
  if p == "fro":
    result = torch.frobenius_norm(x, dims, keepdim)
  else:
    if p != "nuc":
      ops.prim.RaiseException(torch.format("norm expects p to be 'fro', 'nuc' or a number, got '{}'", p), "builtins.ValueError")
    result = torch.nuclear_norm(x, dims, keepdim)
  return __torch__.torch.functional._kept(result, out)
def norm(input: Tensor, p: str="fro", dim: Optional[List[int]]=None, keepdim: bool=False, out: Optional[Tensor]=None, dtype: Optional[int]=None) -> Tensor:
  if dim is None:
    dims = [i for i in range(torch.dim(input))]
  else:
    dims = dim
  return __torch__.torch.functional._norm_by_name(input, p, dims, keepdim, out, dtype)
def norm__1(input: Tensor, p: str="fro", dim: Optional[int]=None, keepdim: bool=False, out: Optional[Tensor]=None, dtype: Optional[int]=None) -> Tensor:
  if dim is None:
    dims = [i for i in range(torch.dim(input))]
  else:
    dims = [dim]
  return __torch__.torch.functional._norm_by_name(input, p, dims, keepdim, out, dtype)
def norm__2(input: Tensor, p: Optional[number], dim: Optional[List[int]]=None, keepdim: bool=False, out: Optional[Tensor]=None, dtype: Optional[int]=None) -> Tensor:
  if dim is None:
    result = torch.linalg_vector_norm(input, 2 if p is None else p, None, keepdim, dtype=dtype)
  else:
    result = torch.linalg_vector_norm(input, 2 if p is None else p, dim, keepdim, dtype=dtype)
  return __torch__.torch.functional._kept(result, out)
def norm__3(input: Tensor, p: Optional[number], dim: Optional[int]=None, keepdim: bool=False, out: Optional[Tensor]=None, dtype: Optional[int]=None) -> Tensor:
  if dim is None:
    result = torch.linalg_vector_norm(input, 2 if p is None else p, None, keepdim, dtype=dtype)
  else:
    result = torch.linalg_vector_norm(input, 2 if p is None else p, [dim], keepdim, dtype=dtype)
  return __torch__.torch.functional._kept(result, out)
def tensordot(a: Tensor, b: Tensor, dims: int=2, out: Optional[Tensor]=None) -> Tensor:
  first = torch.dim(a) - dims
  result = torch.tensordot(a, b, [first + i for i in range(dims)], [i for i in range(dims)])
  return __torch__.torch.functional._kept(result, out)
def tensordot__1(a: Tensor, b: Tensor, dims: Tuple[List[int], List[int]], out: Optional[Tensor]=None) -> Tensor:
  of_a, of_b = dims
  result = torch.tensordot(a, b, of_a, of_b)
  return __torch__.torch.functional._kept(result, out)
def tensordot__2(a: Tensor, b: Tensor, dims: Tensor, out: Optional[Tensor]=None) -> Tensor:
  pairs = annotate(List[List[int]], dims.tolist())
  result = torch.tensordot(a, b, pairs[0], pairs[1])
  return __torch__.torch.functional._kept(result, out)
def tensordot__3(a: Tensor, b: Tensor, dims: List[List[int]], out: Optional[Tensor]=None) -> Tensor:
  result = torch.tensordot(a, b, dims[0], dims[1])
  return __torch__.torch.functional._kept(result, out)
)";

} // namespace reel::jit::emit
