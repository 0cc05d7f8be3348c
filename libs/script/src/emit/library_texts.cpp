// Functions and classes of the library that are written in the language itself: a program that calls them calls these,
// and an archive that it is saved to holds them.
#include <string>

#include "library.hpp"
#include "library_texts.hpp"

namespace reel::jit::emit {

namespace {

constexpr const char* grad_mode = R"(
class no_grad:
  prev : bool
  def __enter__(self: __torch__.torch.autograd.grad_mode.no_grad) -> NoneType:
    self.prev = torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    return None
  def __exit__(self: __torch__.torch.autograd.grad_mode.no_grad, exc_type: Any, exc_value: Any, traceback: Any) -> NoneType:
    torch.set_grad_enabled(self.prev)
    return None
  def __init__(self: __torch__.torch.autograd.grad_mode.no_grad) -> NoneType:
    self.prev = False
    return None
)";

constexpr const char* functional = R"(
def relu(input: Tensor, inplace: bool=False) -> Tensor:
  return torch.relu_(input) if inplace else torch.relu(input)
def relu6(input: Tensor, inplace: bool=False) -> Tensor:
  return torch.relu6_(input) if inplace else torch.relu6(input)
def elu(input: Tensor, alpha: float=1., inplace: bool=False) -> Tensor:
  return torch.elu_(input, alpha) if inplace else torch.elu(input, alpha)
def selu(input: Tensor, inplace: bool=False) -> Tensor:
  return torch.selu_(input) if inplace else torch.selu(input)
def celu(input: Tensor, alpha: float=1., inplace: bool=False) -> Tensor:
  return torch.celu_(input, alpha) if inplace else torch.celu(input, alpha)
def silu(input: Tensor, inplace: bool=False) -> Tensor:
  return torch.silu_(input) if inplace else torch.silu(input)
def mish(input: Tensor, inplace: bool=False) -> Tensor:
  return torch.mish_(input) if inplace else torch.mish(input)
def hardswish(input: Tensor, inplace: bool=False) -> Tensor:
  return torch.hardswish_(input) if inplace else torch.hardswish(input)
def hardsigmoid(input: Tensor, inplace: bool=False) -> Tensor:
  return torch.hardsigmoid_(input) if inplace else torch.hardsigmoid(input)
def hardtanh(input: Tensor, min_val: float=-1., max_val: float=1., inplace: bool=False) -> Tensor:
  return torch.hardtanh_(input, min_val, max_val) if inplace else torch.hardtanh(input, min_val, max_val)
def leaky_relu(input: Tensor, negative_slope: float=0.01, inplace: bool=False) -> Tensor:
  return torch.leaky_relu_(input, negative_slope) if inplace else torch.leaky_relu(input, negative_slope)
def tanh(input: Tensor) -> Tensor:
  return torch.tanh(input)
def sigmoid(input: Tensor) -> Tensor:
  return torch.sigmoid(input)
def softsign(input: Tensor) -> Tensor:
  return torch.div(input, torch.add(torch.abs(input), 1))
def tanhshrink(input: Tensor) -> Tensor:
  return torch.sub(input, torch.tanh(input))
def glu(input: Tensor, dim: int=-1) -> Tensor:
  if torch.eq(torch.dim(input), 0):
    ops.prim.RaiseException("glu does not support scalars because halving size must be even", "builtins.RuntimeError")
  return torch.glu(input, dim)
def _get_softmax_dim(name: str, ndim: int, stacklevel: int) -> int:
  torch.warn(torch.format("Implicit dimension choice for {} has been deprecated. Change the call to include dim=X as an argument.", name), stacklevel)
  return 0 if ndim == 0 or ndim == 1 or ndim == 3 else 1
def softmax(input: Tensor, dim: Optional[int]=None, _stacklevel: int=3, dtype: Optional[int]=None) -> Tensor:
  d = __torch__.torch.nn.functional._get_softmax_dim("softmax", torch.dim(input), _stacklevel) if dim is None else dim
  if dtype is None:
    result = torch.softmax(input, d)
  else:
    result = torch.softmax(input, d, dtype)
  return result
def softmin(input: Tensor, dim: Optional[int]=None, _stacklevel: int=3, dtype: Optional[int]=None) -> Tensor:
  d = __torch__.torch.nn.functional._get_softmax_dim("softmin", torch.dim(input), _stacklevel) if dim is None else dim
  if dtype is None:
    result = torch.softmax(torch.neg(input), d)
  else:
    result = torch.softmax(torch.neg(input), d, dtype)
  return result
def log_softmax(input: Tensor, dim: Optional[int]=None, _stacklevel: int=3, dtype: Optional[int]=None) -> Tensor:
  d = __torch__.torch.nn.functional._get_softmax_dim("log_softmax", torch.dim(input), _stacklevel) if dim is None else dim
  if dtype is None:
    result = torch.log_softmax(input, d)
  else:
    result = torch.log_softmax(input, d, dtype)
  return result
def dropout(input: Tensor, p: float=0.5, training: bool=True, inplace: bool=False) -> Tensor:
  if p < 0. or p > 1.:
    ops.prim.RaiseException(torch.format("dropout probability has to be between 0 and 1, but got {}", p), "builtins.ValueError")
  return torch.dropout_(input, p, training) if inplace else torch.dropout(input, p, training)
def _max_pool1d(input: Tensor, kernel_size: BroadcastingList1[int], stride: Optional[BroadcastingList1[int]]=None, padding: BroadcastingList1[int]=[0], dilation: BroadcastingList1[int]=[1], ceil_mode: bool=False, return_indices: bool=False) -> Tensor:
  return torch.max_pool1d(input, kernel_size, annotate(List[int], []) if stride is None else stride, padding, dilation, ceil_mode)
def max_pool1d_with_indices(input: Tensor, kernel_size: BroadcastingList1[int], stride: Optional[BroadcastingList1[int]]=None, padding: BroadcastingList1[int]=[0], dilation: BroadcastingList1[int]=[1], ceil_mode: bool=False, return_indices: bool=False) -> Tuple[Tensor, Tensor]:
  values, indices = torch.max_pool1d_with_indices(input, kernel_size, annotate(List[int], []) if stride is None else stride, padding, dilation, ceil_mode)
  return values, indices
def _max_pool2d(input: Tensor, kernel_size: BroadcastingList2[int], stride: Optional[BroadcastingList2[int]]=None, padding: BroadcastingList2[int]=[0, 0], dilation: BroadcastingList2[int]=[1, 1], ceil_mode: bool=False, return_indices: bool=False) -> Tensor:
  return torch.max_pool2d(input, kernel_size, annotate(List[int], []) if stride is None else stride, padding, dilation, ceil_mode)
def max_pool2d_with_indices(input: Tensor, kernel_size: BroadcastingList2[int], stride: Optional[BroadcastingList2[int]]=None, padding: BroadcastingList2[int]=[0, 0], dilation: BroadcastingList2[int]=[1, 1], ceil_mode: bool=False, return_indices: bool=False) -> Tuple[Tensor, Tensor]:
  values, indices = torch.max_pool2d_with_indices(input, kernel_size, annotate(List[int], []) if stride is None else stride, padding, dilation, ceil_mode)
  return values, indices
def _max_pool3d(input: Tensor, kernel_size: BroadcastingList3[int], stride: Optional[BroadcastingList3[int]]=None, padding: BroadcastingList3[int]=[0, 0, 0], dilation: BroadcastingList3[int]=[1, 1, 1], ceil_mode: bool=False, return_indices: bool=False) -> Tensor:
  return torch.max_pool3d(input, kernel_size, annotate(List[int], []) if stride is None else stride, padding, dilation, ceil_mode)
def max_pool3d_with_indices(input: Tensor, kernel_size: BroadcastingList3[int], stride: Optional[BroadcastingList3[int]]=None, padding: BroadcastingList3[int]=[0, 0, 0], dilation: BroadcastingList3[int]=[1, 1, 1], ceil_mode: bool=False, return_indices: bool=False) -> Tuple[Tensor, Tensor]:
  values, indices = torch.max_pool3d_with_indices(input, kernel_size, annotate(List[int], []) if stride is None else stride, padding, dilation, ceil_mode)
  return values, indices
def adaptive_avg_pool2d(input: Tensor, output_size: BroadcastingList2[int]) -> Tensor:
  return torch.adaptive_avg_pool2d(input, output_size)
def layer_norm(input: Tensor, normalized_shape: List[int], weight: Optional[Tensor]=None, bias: Optional[Tensor]=None, eps: float=1.0000000000000001e-05) -> Tensor:
  return torch.layer_norm(input, normalized_shape, weight, bias, eps)
def group_norm(input: Tensor, num_groups: int, weight: Optional[Tensor]=None, bias: Optional[Tensor]=None, eps: float=1.0000000000000001e-05) -> Tensor:
  return torch.group_norm(input, num_groups, weight, bias, eps)
def normalize(input: Tensor, p: float=2., dim: int=1, eps: float=9.9999999999999998e-13, out: Optional[Tensor]=None) -> Tensor:
  length = torch.expand_as(torch.clamp_min(torch.norm(input, p, [dim], True), eps), input)
  return torch.div(input, length) if out is None else torch.div(input, length, out=out)
def pad(input: Tensor, pad: List[int], mode: str="constant", value: Optional[float]=None) -> Tensor:
  return torch.pad(input, pad, mode, value)
def mse_loss(input: Tensor, target: Tensor, size_average: Optional[bool]=None, reduce: Optional[bool]=None, reduction: str="mean", weight: Optional[Tensor]=None) -> Tensor:
  number = __torch__.torch.nn.functional._reduction(reduction)
  if weight is None:
    result = torch.mse_loss(input, target, number)
  else:
    each = torch.mul(torch.mse_loss(input, target, 0), weight)
    result = torch.div(torch.sum(each), torch.sum(weight)) if number == 1 else __torch__.torch.nn.functional._reduced(each, reduction)
  return result
def l1_loss(input: Tensor, target: Tensor, size_average: Optional[bool]=None, reduce: Optional[bool]=None, reduction: str="mean", weight: Optional[Tensor]=None) -> Tensor:
  number = __torch__.torch.nn.functional._reduction(reduction)
  if weight is None:
    result = torch.l1_loss(input, target, number)
  else:
    result = __torch__.torch.nn.functional._reduced(torch.mul(torch.l1_loss(input, target, 0), weight), reduction)
  return result
def cross_entropy(input: Tensor, target: Tensor, weight: Optional[Tensor]=None, size_average: Optional[bool]=None, ignore_index: int=-100, reduce: Optional[bool]=None, reduction: str="mean", label_smoothing: float=0.) -> Tensor:
  return torch.cross_entropy_loss(input, target, weight, __torch__.torch.nn.functional._reduction(reduction), ignore_index, label_smoothing)
def nll_loss(input: Tensor, target: Tensor, weight: Optional[Tensor]=None, size_average: Optional[bool]=None, ignore_index: int=-100, reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  return torch.nll_loss_nd(input, target, weight, __torch__.torch.nn.functional._reduction(reduction), ignore_index)
def _reduction(reduction: str) -> int:
  if reduction == "none":
    return 0
  if reduction == "mean":
    return 1
  if reduction == "sum":
    return 2
  ops.prim.RaiseException(torch.format("{} is not a valid value for reduction", reduction), "builtins.ValueError")
  return -1
def embedding(input: Tensor, weight: Tensor, padding_idx: Optional[int]=None, max_norm: Optional[float]=None, norm_type: float=2., scale_grad_by_freq: bool=False, sparse: bool=False) -> Tensor:
  if max_norm is not None:
    ops.prim.RaiseException("embedding with max_norm is not supported in scripts", "builtins.RuntimeError")
  return torch.embedding(weight, input, -1 if padding_idx is None else padding_idx, scale_grad_by_freq, sparse)
)";

constexpr const char* jit_trace = R"(
def is_tracing() -> bool:
  return False
)";

} // namespace

const char* library_text(const std::string& module) {
    if (module == "torch.autograd.grad_mode") return grad_mode;
    static const std::string all = std::string(functional) + functional_losses + functional_layers + functional_choices;
    if (module == "torch.nn.functional") return all.c_str();
    if (module == "torch.functional") return torch_functional;
    if (module == "torch.jit._trace") return jit_trace;
    return nullptr;
}

} // namespace reel::jit::emit
