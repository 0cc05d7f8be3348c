// Losses of torch.nn.functional in the language itself.
#include "library_texts.hpp"

namespace reel::jit::emit {

const char* const functional_losses = R"(
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Optional[Tensor]=None, size_average: Optional[bool]=None, reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  return torch.binary_cross_entropy(input, target, weight, __torch__.torch.nn.functional._reduction(reduction))
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Optional[Tensor]=None, size_average: Optional[bool]=None, reduce: Optional[bool]=None, reduction: str="mean", pos_weight: Optional[Tensor]=None) -> Tensor:
  return torch.binary_cross_entropy_with_logits(input, target, weight, pos_weight, __torch__.torch.nn.functional._reduction(reduction))
def kl_div(input: Tensor, target: Tensor, size_average: Optional[bool]=None, reduce: Optional[bool]=None, reduction: str="mean", log_target: bool=False) -> Tensor:
  if reduction == "batchmean":
    total = torch.kl_div(input, target, 2, log_target=log_target)
    reduced = total if torch.dim(input) == 0 else torch.div(total, torch.size(input, 0))
  else:
    reduced = torch.kl_div(input, target, __torch__.torch.nn.functional._reduction(reduction), log_target=log_target)
  return reduced
def smooth_l1_loss(input: Tensor, target: Tensor, size_average: Optional[bool]=None, reduce: Optional[bool]=None, reduction: str="mean", beta: float=1.) -> Tensor:
  number = __torch__.torch.nn.functional._reduction(reduction)
  if beta == 0.:
    result = torch.l1_loss(input, target, number)
  else:
    result = torch.smooth_l1_loss(input, target, number, beta)
  return result
def huber_loss(input: Tensor, target: Tensor, reduction: str="mean", delta: float=1., weight: Optional[Tensor]=None) -> Tensor:
  number = __torch__.torch.nn.functional._reduction(reduction)
  if weight is None:
    result = torch.huber_loss(input, target, number, delta)
  else:
    result = __torch__.torch.nn.functional._reduced(torch.mul(torch.huber_loss(input, target, 0, delta), weight), reduction)
  return result
def soft_margin_loss(input: Tensor, target: Tensor, size_average: Optional[bool]=None, reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  return torch.soft_margin_loss(input, target, __torch__.torch.nn.functional._reduction(reduction))
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float=1., size_average: Optional[bool]=None, reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  return torch.hinge_embedding_loss(input, target, margin, __torch__.torch.nn.functional._reduction(reduction))
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float=0., size_average: Optional[bool]=None, reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  return torch.margin_ranking_loss(input1, input2, target, margin, __torch__.torch.nn.functional._reduction(reduction))
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float=0., size_average: Optional[bool]=None, reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  return torch.cosine_embedding_loss(input1, input2, target, margin, __torch__.torch.nn.functional._reduction(reduction))
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float=1., p: float=2., eps: float=9.9999999999999995e-07, swap: bool=False, size_average: Optional[bool]=None, reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  return torch.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, __torch__.torch.nn.functional._reduction(reduction))
def multi_margin_loss(input: Tensor, target: Tensor, p: int=1, margin: float=1., weight: Optional[Tensor]=None, size_average: Optional[bool]=None, reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  return torch.multi_margin_loss(input, target, p, margin, weight, __torch__.torch.nn.functional._reduction(reduction))
def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: Optional[bool]=None, reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  return torch.multilabel_margin_loss(input, target, __torch__.torch.nn.functional._reduction(reduction))
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool=True, full: bool=False, size_average: Optional[bool]=None, eps: float=1e-08, reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  return torch.poisson_nll_loss(input, target, log_input, full, eps, __torch__.torch.nn.functional._reduction(reduction))
def _reduced(loss: Tensor, reduction: str) -> Tensor:
  number = __torch__.torch.nn.functional._reduction(reduction)
  if number == 1:
    result = torch.mean(loss)
  else:
    result = torch.sum(loss) if number == 2 else loss
  return result
def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Optional[Tensor]=None, size_average: Optional[bool]=None, reduce: Optional[bool]=None, reduction: str="mean") -> Tensor:
  positive = torch.mul(target, torch.log_sigmoid(input))
  negative = torch.mul(torch.rsub(target, 1), torch.log_sigmoid(torch.neg(input)))
  each = torch.neg(torch.add(positive, negative))
  weighed = each if weight is None else torch.mul(each, weight)
  return __torch__.torch.nn.functional._reduced(torch.mean(weighed, [-1]), reduction)
def gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor, full: bool=False, eps: float=9.9999999999999995e-07, reduction: str="mean") -> Tensor:
  if bool(torch.any(torch.lt(var, 0))):
    ops.prim.RaiseException("gaussian_nll_loss: var has negative elements", "builtins.ValueError")
  floor = torch.clamp(torch.detach(var), eps)
  kept = torch.add(var, torch.sub(floor, torch.detach(var)))
  squares = torch.pow(torch.sub(input, target), 2)
  half = torch.mul(torch.add(torch.log(kept), torch.div(squares, kept)), 0.5)
  loss = torch.add(half, 0.91893853320467267) if full else half
  return __torch__.torch.nn.functional._reduced(loss, reduction)
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: int=0, reduction: str="mean", zero_infinity: bool=False) -> Tensor:
  return torch.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, __torch__.torch.nn.functional._reduction(reduction), zero_infinity)
)";

} // namespace reel::jit::emit
