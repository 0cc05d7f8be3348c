// Kernels of embeddings: tables of rows, and bags of them.
#pragma once

#include <vector>

#include <reel/autograd/kernel.hpp>

namespace reel {

/// The rows that each bag takes from a table [table, width], bag after bag.
struct EmbeddingBags {
    Tensor rows;                     ///< of the table, one for each place, int64, dense
    std::vector<std::int64_t> start; ///< bag b has the places from start[b] up to start[b + 1]
    std::vector<std::int64_t> sizes; ///< places of each bag that count
    bool mean = false;               ///< else the sum
    std::int64_t table = 0, width = 0;
    std::int64_t padding = -1; ///< the row that does not count, or -1

    std::int64_t places() const { return rows.numel(); }
    std::int64_t count() const { return std::int64_t(start.size()) - 1; }
};

// Tables and gradients of bags [bags, width] are dense and of one floating dtype; 16-bit floats are added up in
// float32, which is the dtype of `scale` (one factor for each place, or undefined: ones) then.
namespace cpu {
void embedding_renorm(const Tensor& weight, const Tensor& rows, double max_norm, double norm_type);
void embedding_bag(const EmbeddingBags& b, const Tensor& out, const Tensor& weight, const Tensor& scale);
void embedding_bag_max(const EmbeddingBags& b, const Tensor& out, const Tensor& best, const Tensor& weight);
void embedding_bag_backward(const EmbeddingBags& b, const Tensor& grad_weight, const Tensor& grad,
                            const std::vector<double>& factors, const Tensor& scale);
void embedding_bag_scale_backward(const EmbeddingBags& b, const Tensor& grad_scale, const Tensor& grad,
                                  const Tensor& weight);
} // namespace cpu

namespace kernels {
/// Scales the rows of `weight` (any strides) that `rows` names, once each, down to a p-norm of at most `max_norm`.
inline constinit Kernel<decltype(cpu::embedding_renorm), Answers> embedding_renorm{"embedding", &cpu::embedding_renorm};
/// The sum or mean of each bag's rows, each times its scale.
inline constinit Kernel<decltype(cpu::embedding_bag), Answers> embedding_bag{"embedding_bag", &cpu::embedding_bag};
/// The greatest of each column of a bag's rows, and of which row of the table it is (int64); 0 and -1 for empty bags.
inline constinit Kernel<decltype(cpu::embedding_bag_max), Answers> embedding_bag_max{"embedding_bag",
                                                                                     &cpu::embedding_bag_max};
/// The table's gradient, float32 for 16-bit floats: for each place its bag's gradient times the place's factor and
/// scale.
inline constinit Kernel<decltype(cpu::embedding_bag_backward), Answers> embedding_bag_backward{
    "embedding_bag", &cpu::embedding_bag_backward};
/// The gradient of the scales: the product of the bag's gradient and the row, zero where a place does not count.
inline constinit Kernel<decltype(cpu::embedding_bag_scale_backward), Answers> embedding_bag_scale_backward{
    "embedding_bag", &cpu::embedding_bag_scale_backward};
} // namespace kernels

} // namespace reel
