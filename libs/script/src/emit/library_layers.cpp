// Layers of torch.nn.functional in the language itself: dropout, normalisation, pools, patches, sampling, embeddings.
#include "library_texts.hpp"

namespace reel::jit::emit {

const char* const functional_layers = R"(
def alpha_dropout(input: Tensor, p: float=0.5, training: bool=False, inplace: bool=False) -> Tensor:
  return torch.alpha_dropout_(input, p, training) if inplace else torch.alpha_dropout(input, p, training)
def feature_alpha_dropout(input: Tensor, p: float=0.5, training: bool=False, inplace: bool=False) -> Tensor:
  return torch.feature_alpha_dropout_(input, p, training) if inplace else torch.feature_alpha_dropout(input, p, training)
def _channel_dropout(input: Tensor, p: float, training: bool, inplace: bool, single: bool) -> Tensor:
  if p < 0. or p > 1.:
    ops.prim.RaiseException(torch.format("dropout probability has to be between 0 and 1, but got {}", p), "builtins.ValueError")
  x = torch.unsqueeze(input, 0) if single else input
  y = torch.feature_dropout_(x, p, training) if inplace else torch.feature_dropout(x, p, training)
  return torch.squeeze(y, 0) if single else y
def dropout1d(input: Tensor, p: float=0.5, training: bool=True, inplace: bool=False) -> Tensor:
  return __torch__.torch.nn.functional._channel_dropout(input, p, training, inplace, torch.dim(input) == 2)
def dropout2d(input: Tensor, p: float=0.5, training: bool=True, inplace: bool=False) -> Tensor:
  return __torch__.torch.nn.functional._channel_dropout(input, p, training, inplace, False)
def dropout3d(input: Tensor, p: float=0.5, training: bool=True, inplace: bool=False) -> Tensor:
  return __torch__.torch.nn.functional._channel_dropout(input, p, training, inplace, torch.dim(input) == 4)
def rrelu(input: Tensor, lower: float=0.125, upper: float=0.33333333333333331, training: bool=False, inplace: bool=False) -> Tensor:
  return torch.rrelu_(input, lower, upper, training) if inplace else torch.rrelu(input, lower, upper, training)
def _threshold(input: Tensor, threshold: float, value: float, inplace: bool=False) -> Tensor:
  return torch.threshold_(input, threshold, value) if inplace else torch.threshold(input, threshold, value)
def gumbel_softmax(logits: Tensor, tau: float=1., hard: bool=False, eps: float=1e-10, dim: int=-1) -> Tensor:
  noise = torch.neg(torch.log(torch.exponential_(torch.empty_like(logits, memory_format=0))))
  soft = torch.softmax(torch.div(torch.add(logits, noise), tau), dim)
  if hard:
    _, index = torch.max(soft, dim, True)
    one = torch.scatter_(torch.zeros_like(logits, memory_format=0), dim, index, 1.)
    result = torch.add(torch.sub(one, torch.detach(soft)), soft)
  else:
    result = soft
  return result
def batch_norm(input: Tensor, running_mean: Optional[Tensor], running_var: Optional[Tensor], weight: Optional[Tensor]=None, bias: Optional[Tensor]=None, training: bool=False, momentum: float=0.10000000000000001, eps: float=1.0000000000000001e-05) -> Tensor:
  return torch.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)
def instance_norm(input: Tensor, running_mean: Optional[Tensor]=None, running_var: Optional[Tensor]=None, weight: Optional[Tensor]=None, bias: Optional[Tensor]=None, use_input_stats: bool=True, momentum: float=0.10000000000000001, eps: float=1.0000000000000001e-05) -> Tensor:
  return torch.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, True)
def rms_norm(input: Tensor, normalized_shape: List[int], weight: Optional[Tensor]=None, eps: Optional[float]=None) -> Tensor:
  return torch.rms_norm(input, normalized_shape, weight, eps)
def local_response_norm(input: Tensor, size: int, alpha: float=0.0001, beta: float=0.75, k: float=1.) -> Tensor:
  dim = torch.dim(input)
  if dim < 3:
    ops.prim.RaiseException(torch.format("local_response_norm expects an input of 3 dimensions or more, got {}", dim), "builtins.ValueError")
  before = size // 2
  after = (size - 1) // 2
  squares = torch.mul(input, input)
  if dim == 3:
    wide = torch.pad(torch.unsqueeze(squares, 1), [0, 0, before, after])
    mean = torch.squeeze(torch.avg_pool2d(wide, [size, 1], [1, 1]), 1)
  else:
    sizes = torch.size(input)
    wide = torch.pad(torch.view(squares, [sizes[0], 1, sizes[1], sizes[2], -1]), [0, 0, 0, 0, before, after])
    mean = torch.view(torch.squeeze(torch.avg_pool3d(wide, [size, 1, 1], [1, 1, 1]), 1), sizes)
  return torch.div(input, torch.pow(torch.add(torch.mul(mean, alpha), k), beta))
def adaptive_avg_pool3d(input: Tensor, output_size: BroadcastingList3[int]) -> Tensor:
  return torch.adaptive_avg_pool3d(input, output_size)
def _adaptive_max_pool1d(input: Tensor, output_size: BroadcastingList1[int], return_indices: bool=False) -> Tensor:
  values, _ = torch.adaptive_max_pool1d(input, output_size)
  return values
def adaptive_max_pool1d_with_indices(input: Tensor, output_size: BroadcastingList1[int], return_indices: bool=False) -> Tuple[Tensor, Tensor]:
  values, indices = torch.adaptive_max_pool1d(input, output_size)
  return values, indices
def _adaptive_max_pool2d(input: Tensor, output_size: BroadcastingList2[int], return_indices: bool=False) -> Tensor:
  values, _ = torch.adaptive_max_pool2d(input, output_size)
  return values
def adaptive_max_pool2d_with_indices(input: Tensor, output_size: BroadcastingList2[int], return_indices: bool=False) -> Tuple[Tensor, Tensor]:
  values, indices = torch.adaptive_max_pool2d(input, output_size)
  return values, indices
def _adaptive_max_pool3d(input: Tensor, output_size: BroadcastingList3[int], return_indices: bool=False) -> Tensor:
  values, _ = torch.adaptive_max_pool3d(input, output_size)
  return values
def adaptive_max_pool3d_with_indices(input: Tensor, output_size: BroadcastingList3[int], return_indices: bool=False) -> Tuple[Tensor, Tensor]:
  values, indices = torch.adaptive_max_pool3d(input, output_size)
  return values, indices
def _power(norm_type: Union[int, float]) -> float:
  if isinstance(norm_type, int):
    power = float(norm_type)
  else:
    power = norm_type
  return power
def _root(mean: Tensor, elements: int, norm_type: float) -> Tensor:
  sum = torch.mul(torch.mul(torch.sign(mean), torch.relu(torch.abs(mean))), elements)
  return torch.pow(sum, 1. / norm_type)
def lp_pool1d(input: Tensor, norm_type: Union[int, float], kernel_size: int, stride: Optional[BroadcastingList1[int]]=None, ceil_mode: bool=False) -> Tensor:
  power = __torch__.torch.nn.functional._power(norm_type)
  steps = annotate(List[int], []) if stride is None else stride
  mean = torch.avg_pool1d(torch.pow(input, power), [kernel_size], steps, [0], ceil_mode)
  return __torch__.torch.nn.functional._root(mean, kernel_size, power)
def lp_pool2d(input: Tensor, norm_type: Union[int, float], kernel_size: BroadcastingList2[int], stride: Optional[BroadcastingList2[int]]=None, ceil_mode: bool=False) -> Tensor:
  power = __torch__.torch.nn.functional._power(norm_type)
  steps = annotate(List[int], []) if stride is None else stride
  mean = torch.avg_pool2d(torch.pow(input, power), kernel_size, steps, [0, 0], ceil_mode)
  return __torch__.torch.nn.functional._root(mean, kernel_size[0] * kernel_size[1], power)
def lp_pool3d(input: Tensor, norm_type: Union[int, float], kernel_size: BroadcastingList3[int], stride: Optional[BroadcastingList3[int]]=None, ceil_mode: bool=False) -> Tensor:
  power = __torch__.torch.nn.functional._power(norm_type)
  steps = annotate(List[int], []) if stride is None else stride
  mean = torch.avg_pool3d(torch.pow(input, power), kernel_size, steps, [0, 0, 0], ceil_mode)
  return __torch__.torch.nn.functional._root(mean, kernel_size[0] * kernel_size[1] * kernel_size[2], power)
def unfold(input: Tensor, kernel_size: BroadcastingList2[int], dilation: BroadcastingList2[int]=[1, 1], padding: BroadcastingList2[int]=[0, 0], stride: BroadcastingList2[int]=[1, 1]) -> Tensor:
  return torch.im2col(input, kernel_size, dilation, padding, stride)
def fold(input: Tensor, output_size: BroadcastingList2[int], kernel_size: BroadcastingList2[int], dilation: BroadcastingList2[int]=[1, 1], padding: BroadcastingList2[int]=[0, 0], stride: BroadcastingList2[int]=[1, 1]) -> Tensor:
  return torch.col2im(input, output_size, kernel_size, dilation, padding, stride)
def _place(word: str, words: List[str], name: str) -> int:
  place = -1
  for i in range(torch.len(words)):
    place = i if words[i] == word else place
  if place < 0:
    ops.prim.RaiseException(torch.format("{} expects one of {}, got '{}'", name, words, word), "builtins.ValueError")
  return place
def grid_sample(input: Tensor, grid: Tensor, mode: str="bilinear", padding_mode: str="zeros", align_corners: Optional[bool]=None) -> Tensor:
  how = __torch__.torch.nn.functional._place(mode, ["bilinear", "nearest", "bicubic"], "grid_sample: mode")
  outside = __torch__.torch.nn.functional._place(padding_mode, ["zeros", "border", "reflection"], "grid_sample: padding_mode")
  return torch.grid_sampler(input, grid, how, outside, False if align_corners is None else align_corners)
def affine_grid(theta: Tensor, size: List[int], align_corners: Optional[bool]=None) -> Tensor:
  return torch.affine_grid_generator(theta, size, False if align_corners is None else align_corners)
def embedding_bag(input: Tensor, weight: Tensor, offsets: Optional[Tensor]=None, max_norm: Optional[float]=None, norm_type: float=2., scale_grad_by_freq: bool=False, mode: str="mean", sparse: bool=False, per_sample_weights: Optional[Tensor]=None, include_last_offset: bool=False, padding_idx: Optional[int]=None) -> Tensor:
  if max_norm is not None:
    ops.prim.RaiseException("embedding_bag with max_norm is not supported in scripts", "builtins.RuntimeError")
  how = __torch__.torch.nn.functional._place(mode, ["sum", "mean", "max"], "embedding_bag: mode")
  if torch.dim(input) == 2:
    if offsets is not None:
      ops.prim.RaiseException("embedding_bag: an input of two dimensions holds a bag a row; leave offsets out", "builtins.ValueError")
    starts = torch.arange(0, torch.numel(input), torch.size(input, 1), dtype=4)
    indices = torch.reshape(input, [-1])
    weights = None if per_sample_weights is None else torch.reshape(per_sample_weights, [-1])
  else:
    if offsets is None:
      ops.prim.RaiseException("embedding_bag: an input of one dimension needs offsets, got None", "builtins.ValueError")
      starts = input
    else:
      starts = offsets
    indices = input
    weights = per_sample_weights
  result, _, _, _ = torch.embedding_bag(weight, indices, starts, scale_grad_by_freq, how, sparse, weights, include_last_offset, padding_idx)
  return result
)";

} // namespace reel::jit::emit
