// Flags over a batch, and entries chosen by them.
#pragma once

#include <string>
#include <vector>

#include <reel/rl/tensordict.hpp>

namespace reel::rl::detail {

bool any_set(const Tensor& flags);
bool all_set(const Tensor& flags);
/// Elementwise or of flags of the same sizes; one of the two itself where the other adds nothing.
Tensor either(const Tensor& a, const Tensor& b);
/// "_reset" of `td` as contiguous bool [*batch_size]; undefined without one or when all are set. Error for other sizes,
/// TypeError for other dtypes.
Tensor batch_mask(const TensorDict& td, const std::vector<std::int64_t>& batch_size, const std::string& who);
/// `chosen` in the rows of the leading dimensions where `mask` is true, else `other`.
Tensor where_rows(const Tensor& mask, const Tensor& chosen, const Tensor& other);

} // namespace reel::rl::detail
