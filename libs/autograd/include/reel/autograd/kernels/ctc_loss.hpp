// Kernels of connectionist temporal classification.
#pragma once

#include <vector>

#include <reel/autograd/kernel.hpp>

namespace reel {

/// What is common to all examples of a batch, and the lengths of each.
struct CtcBatch {
    std::int64_t steps, size, classes, blank;
    std::vector<std::int64_t> in, labels, start; ///< steps and labels of each example, where its labels start
    bool zero_infinity;                          ///< infinite losses, and their gradients, count as zero
};

// `log_probs` and what is laid out as it [steps, size, classes] are float64, `targets` int64; all are dense.
namespace cpu {
void ctc_loss(const CtcBatch& b, const Tensor& losses, const Tensor& log_probs, const Tensor& targets);
void ctc_loss_backward(const CtcBatch& b, const Tensor& grads, const Tensor& factors, const Tensor& log_probs,
                       const Tensor& targets);
void ctc_loss_curvature(const CtcBatch& b, const Tensor& grads, const Tensor& along, const Tensor& log_probs,
                        const Tensor& targets);
} // namespace cpu

namespace kernels {
/// losses[n] = -log of the summed probability of all alignments of example n.
inline constinit Kernel<decltype(cpu::ctc_loss), Answers> ctc_loss{"ctc_loss", &cpu::ctc_loss};
/// The gradient of each loss times its factor [size], taking the probabilities of every step to sum to one.
inline constinit Kernel<decltype(cpu::ctc_loss_backward), Answers> ctc_loss_backward{"ctc_loss",
                                                                                     &cpu::ctc_loss_backward};
/// That gradient's derivative in the direction `along`, for factors of one.
inline constinit Kernel<decltype(cpu::ctc_loss_curvature), Answers> ctc_loss_curvature{"ctc_loss",
                                                                                       &cpu::ctc_loss_curvature};
} // namespace kernels

} // namespace reel
