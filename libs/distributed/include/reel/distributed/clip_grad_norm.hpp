// The norm of gradients of which every rank has a part.
#pragma once

#include <vector>

#include <reel/autograd/tensor.hpp>

namespace reel::distributed {

/// `nn::utils::clip_grad_norm_` over parameters of which some are sharded: their parts' powers are added over the ranks
/// (the largest is taken for the infinity norm), so that every rank gets the norm of one process and scales by the same
/// factor. Where `fully_shard` was called `nn::utils::clip_grad_norm_` does the same. Parameters that are not sharded
/// count once. All ranks of the shards' group call it, without shards nobody has to. Errors: those of
/// `nn::utils::clip_grad_norm_`; ValueError for a norm of negative order of sharded gradients.
double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type = 2.0,
                       bool error_if_nonfinite = false);

} // namespace reel::distributed
