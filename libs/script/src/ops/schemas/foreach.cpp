// Schemas of operators: lists of tensors at once. One a line; overloads of a name in the order of registration.
#include "ops/schemas/schemas.hpp"

namespace reel::jit::schemas {

const std::string_view foreach =
    R"(aten::_foreach_addcdiv_.Scalar(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> ()
aten::_foreach_addcdiv_.ScalarList(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars) -> ()
aten::_foreach_addcdiv_.Tensor(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars) -> ()
aten::_foreach_add_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()
aten::_foreach_add_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()
aten::_foreach_add_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()
aten::_foreach_add_.Tensor(Tensor(a!)[] self, Tensor other, *, Scalar alpha=1) -> ()
aten::_amp_update_scale(Tensor self, Tensor growth_tracker, Tensor found_inf, float scale_growth_factor, float scale_backoff_factor, int growth_interval) -> (Tensor, Tensor growth_tracker_out)
aten::_amp_update_scale.out(Tensor self, Tensor(b!) growth_tracker, Tensor found_inf, float scale_growth_factor, float scale_backoff_factor, int growth_interval, *, Tensor(a!) out) -> Tensor(a!)
aten::_amp_foreach_non_finite_check_and_unscale(Tensor[] self, Tensor found_inf, Tensor inv_scale) -> (Tensor[] self_out, Tensor found_inf_out)
aten::_amp_foreach_non_finite_check_and_unscale.out(Tensor[] self, Tensor(b!) found_inf, Tensor inv_scale, *, Tensor(a!)[] out) -> ()
aten::_amp_foreach_non_finite_check_and_unscale_(Tensor(a!)[] self, Tensor(b!) found_inf, Tensor inv_scale) -> ()
aten::_amp_update_scale_(Tensor(a!) self, Tensor(b!) growth_tracker, Tensor found_inf, float scale_growth_factor, float scale_backoff_factor, int growth_interval) -> Tensor(a!)
aten::_foreach_copy(Tensor[] self, Tensor[] src, bool non_blocking=False) -> Tensor[] self_out
aten::_foreach_copy.out(Tensor[] self, Tensor[] src, bool non_blocking=False, *, Tensor(a!)[] out) -> ()
aten::_foreach_sigmoid(Tensor[] self) -> Tensor[]
aten::_foreach_sigmoid.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_zero(Tensor[] self) -> Tensor[] self_out
aten::_foreach_zero.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_cos(Tensor[] self) -> Tensor[]
aten::_foreach_cos.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_rsqrt_(Tensor(a!)[] self) -> ()
aten::_fused_sgd(Tensor[] self, Tensor[] grads, Tensor[] momentum_buffer_list, *, float weight_decay, float momentum, float lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] momentum_buffer_list_out)
aten::_fused_sgd.out(Tensor[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, float weight_decay, float momentum, float lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None, Tensor(a!)[] out) -> ()
aten::_fused_sgd.tensor_lr(Tensor[] self, Tensor[] grads, Tensor[] momentum_buffer_list, *, float weight_decay, float momentum, Tensor lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] momentum_buffer_list_out)
aten::_fused_sgd.tensor_lr_out(Tensor[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, float weight_decay, float momentum, Tensor lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None, Tensor(a!)[] out) -> ()
aten::_foreach_clamp_min.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]
aten::_foreach_clamp_min.Scalar_out(Tensor[] self, Scalar scalar, *, Tensor(a!)[] out) -> ()
aten::_foreach_clamp_min.List(Tensor[] self, Tensor[] other) -> Tensor[]
aten::_foreach_clamp_min.List_out(Tensor[] self, Tensor[] other, *, Tensor(a!)[] out) -> ()
aten::_foreach_clamp_min.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]
aten::_foreach_clamp_min.ScalarList_out(Tensor[] self, Scalar[] scalars, *, Tensor(a!)[] out) -> ()
aten::_foreach_sin(Tensor[] self) -> Tensor[]
aten::_foreach_sin.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_fused_dropout.out(Tensor self, float p, Generator? generator=None, *, Tensor(a!) out0, Tensor(b!) out1) -> (Tensor(a!), Tensor(b!))
aten::_fused_dropout(Tensor self, float p, Generator? generator=None) -> (Tensor, Tensor)
aten::_fused_adamw_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()
aten::_fused_adamw_.tensor_lr(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, Tensor lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()
aten::_foreach_clamp_min_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()
aten::_foreach_clamp_min_.List(Tensor(a!)[] self, Tensor[] other) -> ()
aten::_foreach_clamp_min_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()
aten::_foreach_acos(Tensor[] self) -> Tensor[]
aten::_foreach_acos.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_abs_(Tensor(a!)[] self) -> ()
aten::_fused_adagrad_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] state_sums, Tensor(d!)[] state_steps, *, float lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()
aten::_fused_adagrad_.tensor_lr(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] state_sums, Tensor[] state_steps, *, Tensor lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()
aten::_foreach_trunc(Tensor[] self) -> Tensor[]
aten::_foreach_trunc.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_log2_(Tensor(a!)[] self) -> ()
aten::_fused_rms_norm(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> (Tensor, Tensor)
aten::_foreach_acos_(Tensor(a!)[] self) -> ()
aten::_foreach_clone(Tensor[] self, *, MemoryFormat? memory_format=None) -> Tensor[]
aten::_foreach_clone.out(Tensor[] self, *, MemoryFormat? memory_format=None, Tensor(a!)[] out) -> ()
aten::_foreach_sign_(Tensor(a!)[] self) -> ()
aten::_foreach_ceil_(Tensor(a!)[] self) -> ()
aten::_foreach_clamp_max_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()
aten::_foreach_clamp_max_.List(Tensor(a!)[] self, Tensor[] other) -> ()
aten::_foreach_clamp_max_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()
aten::_foreach_minimum.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]
aten::_foreach_minimum.Scalar_out(Tensor[] self, Scalar scalar, *, Tensor(a!)[] out) -> ()
aten::_foreach_minimum.List(Tensor[] self, Tensor[] other) -> Tensor[]
aten::_foreach_minimum.List_out(Tensor[] self, Tensor[] other, *, Tensor(a!)[] out) -> ()
aten::_foreach_minimum.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]
aten::_foreach_minimum.ScalarList_out(Tensor[] self, Scalar[] scalars, *, Tensor(a!)[] out) -> ()
aten::_foreach_minimum_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()
aten::_foreach_minimum_.List(Tensor(a!)[] self, Tensor[] other) -> ()
aten::_foreach_minimum_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()
aten::_foreach_round_(Tensor(a!)[] self) -> ()
aten::_foreach_round(Tensor[] self) -> Tensor[]
aten::_foreach_round.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_rsqrt(Tensor[] self) -> Tensor[]
aten::_foreach_rsqrt.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_sinh(Tensor[] self) -> Tensor[]
aten::_foreach_sinh.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_log10_(Tensor(a!)[] self) -> ()
aten::_foreach_log1p_(Tensor(a!)[] self) -> ()
aten::_foreach_log2(Tensor[] self) -> Tensor[]
aten::_foreach_log2.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_log_(Tensor(a!)[] self) -> ()
aten::_foreach_max(Tensor[] self) -> Tensor[]
aten::_foreach_max.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_maximum_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()
aten::_foreach_maximum_.List(Tensor(a!)[] self, Tensor[] other) -> ()
aten::_foreach_maximum_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()
aten::_foreach_maximum.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]
aten::_foreach_maximum.Scalar_out(Tensor[] self, Scalar scalar, *, Tensor(a!)[] out) -> ()
aten::_foreach_maximum.List(Tensor[] self, Tensor[] other) -> Tensor[]
aten::_foreach_maximum.List_out(Tensor[] self, Tensor[] other, *, Tensor(a!)[] out) -> ()
aten::_foreach_maximum.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]
aten::_foreach_maximum.ScalarList_out(Tensor[] self, Scalar[] scalars, *, Tensor(a!)[] out) -> ()
aten::_foreach_mm(Tensor[] self, Tensor[] mat2) -> Tensor[]
aten::_foreach_neg(Tensor[] self) -> Tensor[]
aten::_foreach_neg.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_reciprocal(Tensor[] self) -> Tensor[]
aten::_foreach_reciprocal.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_sinh_(Tensor(a!)[] self) -> ()
aten::_foreach_sqrt(Tensor[] self) -> Tensor[]
aten::_foreach_sqrt.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_tanh_(Tensor(a!)[] self) -> ()
aten::_foreach_zero_(Tensor(a!)[] self) -> ()
aten::_fused_adam_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()
aten::_fused_adam_.tensor_lr(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, Tensor lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()
aten::_fused_sdp_choice(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> int
aten::_foreach_abs(Tensor[] self) -> Tensor[]
aten::_foreach_abs.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_tan(Tensor[] self) -> Tensor[]
aten::_foreach_tan.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_sub_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()
aten::_foreach_sub_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()
aten::_foreach_sub_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()
aten::_foreach_cos_(Tensor(a!)[] self) -> ()
aten::_foreach_addcdiv.Scalar(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> Tensor[]
aten::_foreach_addcdiv.Scalar_out(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1, *, Tensor(a!)[] out) -> ()
aten::_foreach_addcdiv.ScalarList(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars) -> Tensor[]
aten::_foreach_addcdiv.ScalarList_out(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars, *, Tensor(a!)[] out) -> ()
aten::_foreach_addcdiv.Tensor(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars) -> Tensor[]
aten::_foreach_addcdiv.Tensor_out(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars, *, Tensor(a!)[] out) -> ()
aten::_fused_adam(Tensor[] self, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, Tensor[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] exp_avgs_out, Tensor[] exp_avg_sqs_out, Tensor[] max_exp_avg_sqs_out)
aten::_fused_adam.out(Tensor[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None, Tensor(a!)[] out) -> ()
aten::_fused_adam.tensor_lr(Tensor[] self, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, Tensor[] max_exp_avg_sqs, Tensor[] state_steps, *, Tensor lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] exp_avgs_out, Tensor[] exp_avg_sqs_out, Tensor[] max_exp_avg_sqs_out)
aten::_fused_adam.tensor_lr_out(Tensor[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, Tensor lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None, Tensor(a!)[] out) -> ()
aten::_foreach_log1p(Tensor[] self) -> Tensor[]
aten::_foreach_log1p.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_neg_(Tensor(a!)[] self) -> ()
aten::_foreach_norm.Scalar(Tensor[] self, Scalar ord=2, ScalarType? dtype=None) -> Tensor[]
aten::_foreach_norm.Scalar_out(Tensor[] self, Scalar ord=2, ScalarType? dtype=None, *, Tensor(a!)[] out) -> ()
aten::_foreach_pow.List(Tensor[] self, Tensor[] exponent) -> Tensor[]
aten::_foreach_pow.List_out(Tensor[] self, Tensor[] exponent, *, Tensor(a!)[] out) -> ()
aten::_foreach_pow.Scalar(Tensor[] self, Scalar exponent) -> Tensor[]
aten::_foreach_pow.Scalar_out(Tensor[] self, Scalar exponent, *, Tensor(a!)[] out) -> ()
aten::_foreach_pow.ScalarList(Tensor[] self, Scalar[] exponent) -> Tensor[]
aten::_foreach_pow.ScalarList_out(Tensor[] self, Scalar[] exponent, *, Tensor(a!)[] out) -> ()
aten::_foreach_pow.ScalarAndTensor(Scalar self, Tensor[] exponent) -> Tensor[]
aten::_foreach_sin_(Tensor(a!)[] self) -> ()
aten::_foreach_frac(Tensor[] self) -> Tensor[]
aten::_foreach_frac.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_trunc_(Tensor(a!)[] self) -> ()
aten::_foreach_frac_(Tensor(a!)[] self) -> ()
aten::_foreach_sqrt_(Tensor(a!)[] self) -> ()
aten::_foreach_sigmoid_(Tensor(a!)[] self) -> ()
aten::_foreach_sub.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]
aten::_foreach_sub.Scalar_out(Tensor[] self, Scalar scalar, *, Tensor(a!)[] out) -> ()
aten::_foreach_sub.List(Tensor[] self, Tensor[] other, *, Scalar alpha=1) -> Tensor[]
aten::_foreach_sub.List_out(Tensor[] self, Tensor[] other, *, Scalar alpha=1, Tensor(a!)[] out) -> ()
aten::_foreach_sub.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]
aten::_foreach_sub.ScalarList_out(Tensor[] self, Scalar[] scalars, *, Tensor(a!)[] out) -> ()
aten::_foreach_sign(Tensor[] self) -> Tensor[]
aten::_foreach_sign.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_lerp.List(Tensor[] self, Tensor[] tensors1, Tensor[] weights) -> Tensor[]
aten::_foreach_lerp.List_out(Tensor[] self, Tensor[] tensors1, Tensor[] weights, *, Tensor(a!)[] out) -> ()
aten::_foreach_lerp.Scalar(Tensor[] self, Tensor[] tensors1, Scalar weight) -> Tensor[]
aten::_foreach_lerp.Scalar_out(Tensor[] self, Tensor[] tensors1, Scalar weight, *, Tensor(a!)[] out) -> ()
aten::_foreach_lerp.ScalarList(Tensor[] self, Tensor[] tensors1, Scalar[] weight) -> Tensor[]
aten::_foreach_lerp.ScalarList_out(Tensor[] self, Tensor[] tensors1, Scalar[] weight, *, Tensor(a!)[] out) -> ()
aten::_foreach_lerp_.List(Tensor(a!)[] self, Tensor[] tensors1, Tensor[] weights) -> ()
aten::_foreach_lerp_.Scalar(Tensor(a!)[] self, Tensor[] tensors1, Scalar weight) -> ()
aten::_foreach_lerp_.ScalarList(Tensor(a!)[] self, Tensor[] tensors1, Scalar[] weight) -> ()
aten::_foreach_copy_(Tensor(a!)[] self, Tensor[] src, bool non_blocking=False) -> ()
aten::_fused_moving_avg_obs_fq_helper(Tensor self, Tensor observer_on, Tensor fake_quant_on, Tensor(a!) running_min, Tensor(b!) running_max, Tensor(c!) scale, Tensor(d!) zero_point, float averaging_const, int quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False) -> (Tensor output, Tensor mask)
aten::_fused_moving_avg_obs_fq_helper.out(Tensor self, Tensor observer_on, Tensor fake_quant_on, Tensor(a!) running_min, Tensor(b!) running_max, Tensor(c!) scale, Tensor(d!) zero_point, float averaging_const, int quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False, *, Tensor(e!) out0, Tensor(f!) out1) -> (Tensor(e!), Tensor(f!))
aten::_fused_adagrad(Tensor[] self, Tensor[] grads, Tensor[] state_sums, Tensor[] state_steps, *, float lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] state_sums_out, Tensor[] state_steps_out)
aten::_fused_adagrad.out(Tensor[] self, Tensor(b!)[] grads, Tensor(c!)[] state_sums, Tensor(d!)[] state_steps, *, float lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None, Tensor(a!)[] out) -> ()
aten::_fused_adagrad.tensor_lr(Tensor[] self, Tensor[] grads, Tensor[] state_sums, Tensor[] state_steps, *, Tensor lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] state_sums_out)
aten::_fused_adagrad.tensor_lr_out(Tensor[] self, Tensor(b!)[] grads, Tensor(c!)[] state_sums, Tensor[] state_steps, *, Tensor lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None, Tensor(a!)[] out) -> ()
aten::_foreach_add.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]
aten::_foreach_add.Scalar_out(Tensor[] self, Scalar scalar, *, Tensor(a!)[] out) -> ()
aten::_foreach_add.List(Tensor[] self, Tensor[] other, *, Scalar alpha=1) -> Tensor[]
aten::_foreach_add.List_out(Tensor[] self, Tensor[] other, *, Scalar alpha=1, Tensor(a!)[] out) -> ()
aten::_foreach_add.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]
aten::_foreach_add.ScalarList_out(Tensor[] self, Scalar[] scalars, *, Tensor(a!)[] out) -> ()
aten::_foreach_add.Tensor(Tensor[] self, Tensor other, *, Scalar alpha=1) -> Tensor[]
aten::_foreach_add.Tensor_out(Tensor[] self, Tensor other, *, Scalar alpha=1, Tensor(a!)[] out) -> ()
aten::_foreach_addcmul.Scalar(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> Tensor[]
aten::_foreach_addcmul.Scalar_out(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1, *, Tensor(a!)[] out) -> ()
aten::_foreach_addcmul.ScalarList(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars) -> Tensor[]
aten::_foreach_addcmul.ScalarList_out(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars, *, Tensor(a!)[] out) -> ()
aten::_foreach_addcmul.Tensor(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars) -> Tensor[]
aten::_foreach_addcmul.Tensor_out(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars, *, Tensor(a!)[] out) -> ()
aten::_foreach_addcmul_.Scalar(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> ()
aten::_foreach_addcmul_.ScalarList(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar[] scalars) -> ()
aten::_foreach_addcmul_.Tensor(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars) -> ()
aten::_foreach_asin(Tensor[] self) -> Tensor[]
aten::_foreach_asin.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_asin_(Tensor(a!)[] self) -> ()
aten::_foreach_atan(Tensor[] self) -> Tensor[]
aten::_foreach_atan.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_atan_(Tensor(a!)[] self) -> ()
aten::_foreach_ceil(Tensor[] self) -> Tensor[]
aten::_foreach_ceil.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_clamp_max.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]
aten::_foreach_clamp_max.Scalar_out(Tensor[] self, Scalar scalar, *, Tensor(a!)[] out) -> ()
aten::_foreach_clamp_max.List(Tensor[] self, Tensor[] other) -> Tensor[]
aten::_foreach_clamp_max.List_out(Tensor[] self, Tensor[] other, *, Tensor(a!)[] out) -> ()
aten::_foreach_clamp_max.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]
aten::_foreach_clamp_max.ScalarList_out(Tensor[] self, Scalar[] scalars, *, Tensor(a!)[] out) -> ()
aten::_foreach_cosh(Tensor[] self) -> Tensor[]
aten::_foreach_cosh.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_cosh_(Tensor(a!)[] self) -> ()
aten::_foreach_div.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]
aten::_foreach_div.Scalar_out(Tensor[] self, Scalar scalar, *, Tensor(a!)[] out) -> ()
aten::_foreach_div.List(Tensor[] self, Tensor[] other) -> Tensor[]
aten::_foreach_div.List_out(Tensor[] self, Tensor[] other, *, Tensor(a!)[] out) -> ()
aten::_foreach_div.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]
aten::_foreach_div.ScalarList_out(Tensor[] self, Scalar[] scalars, *, Tensor(a!)[] out) -> ()
aten::_foreach_div.Tensor(Tensor[] self, Tensor other) -> Tensor[]
aten::_foreach_div.Tensor_out(Tensor[] self, Tensor other, *, Tensor(a!)[] out) -> ()
aten::_foreach_div_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()
aten::_foreach_div_.List(Tensor(a!)[] self, Tensor[] other) -> ()
aten::_foreach_div_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()
aten::_foreach_div_.Tensor(Tensor(a!)[] self, Tensor other) -> ()
aten::_foreach_erf(Tensor[] self) -> Tensor[]
aten::_foreach_erf.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_erf_(Tensor(a!)[] self) -> ()
aten::_foreach_erfc(Tensor[] self) -> Tensor[]
aten::_foreach_erfc.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_erfc_(Tensor(a!)[] self) -> ()
aten::_foreach_exp(Tensor[] self) -> Tensor[]
aten::_foreach_exp.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_exp_(Tensor(a!)[] self) -> ()
aten::_foreach_expm1(Tensor[] self) -> Tensor[]
aten::_foreach_expm1.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_expm1_(Tensor(a!)[] self) -> ()
aten::_foreach_floor(Tensor[] self) -> Tensor[]
aten::_foreach_floor.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_floor_(Tensor(a!)[] self) -> ()
aten::_foreach_lgamma(Tensor[] self) -> Tensor[]
aten::_foreach_lgamma.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_lgamma_(Tensor(a!)[] self) -> ()
aten::_foreach_log(Tensor[] self) -> Tensor[]
aten::_foreach_log.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_log10(Tensor[] self) -> Tensor[]
aten::_foreach_log10.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_foreach_mul.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]
aten::_foreach_mul.Scalar_out(Tensor[] self, Scalar scalar, *, Tensor(a!)[] out) -> ()
aten::_foreach_mul.List(Tensor[] self, Tensor[] other) -> Tensor[]
aten::_foreach_mul.List_out(Tensor[] self, Tensor[] other, *, Tensor(a!)[] out) -> ()
aten::_foreach_mul.ScalarList(Tensor[] self, Scalar[] scalars) -> Tensor[]
aten::_foreach_mul.ScalarList_out(Tensor[] self, Scalar[] scalars, *, Tensor(a!)[] out) -> ()
aten::_foreach_mul.Tensor(Tensor[] self, Tensor other) -> Tensor[]
aten::_foreach_mul.Tensor_out(Tensor[] self, Tensor other, *, Tensor(a!)[] out) -> ()
aten::_foreach_mul_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()
aten::_foreach_mul_.List(Tensor(a!)[] self, Tensor[] other) -> ()
aten::_foreach_mul_.ScalarList(Tensor(a!)[] self, Scalar[] scalars) -> ()
aten::_foreach_mul_.Tensor(Tensor(a!)[] self, Tensor other) -> ()
aten::_foreach_pow_.List(Tensor(a!)[] self, Tensor[] exponent) -> ()
aten::_foreach_pow_.Scalar(Tensor(a!)[] self, Scalar exponent) -> ()
aten::_foreach_pow_.ScalarList(Tensor(a!)[] self, Scalar[] exponent) -> ()
aten::_foreach_powsum.Scalar(Tensor[] self, Scalar ord=2, ScalarType? dtype=None) -> Tensor[]
aten::_foreach_powsum.Scalar_out(Tensor[] self, Scalar ord=2, ScalarType? dtype=None, *, Tensor(a!)[] out) -> ()
aten::_foreach_reciprocal_(Tensor(a!)[] self) -> ()
aten::_foreach_tan_(Tensor(a!)[] self) -> ()
aten::_foreach_tanh(Tensor[] self) -> Tensor[]
aten::_foreach_tanh.out(Tensor[] self, *, Tensor(a!)[] out) -> ()
aten::_fused_adamw(Tensor[] self, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, Tensor[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] exp_avgs_out, Tensor[] exp_avg_sqs_out, Tensor[] max_exp_avg_sqs_out)
aten::_fused_adamw.out(Tensor[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None, Tensor(a!)[] out) -> ()
aten::_fused_adamw.tensor_lr(Tensor[] self, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, Tensor[] max_exp_avg_sqs, Tensor[] state_steps, *, Tensor lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] exp_avgs_out, Tensor[] exp_avg_sqs_out, Tensor[] max_exp_avg_sqs_out)
aten::_fused_adamw.tensor_lr_out(Tensor[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, Tensor lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None, Tensor(a!)[] out) -> ()
aten::_fused_moving_avg_obs_fq_helper_functional(Tensor self, Tensor observer_on, Tensor fake_quant_on, Tensor running_min, Tensor running_max, Tensor scale, Tensor zero_point, float averaging_const, int quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False) -> (Tensor output, Tensor mask, Tensor running_min_out, Tensor running_max_out, Tensor scale_out, Tensor zero_point_out)
aten::_fused_sgd_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, float weight_decay, float momentum, float lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()
aten::_fused_sgd_.tensor_lr(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, float weight_decay, float momentum, Tensor lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()
)";

} // namespace reel::jit::schemas
