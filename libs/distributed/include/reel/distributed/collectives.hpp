// Calls that all members of a group make together.
#pragma once

#include <cstdint>
#include <vector>

#include <reel/autograd/tensor.hpp>
#include <reel/distributed/process_group.hpp>
#include <reel/distributed/types.hpp>
#include <reel/distributed/work.hpp>

namespace reel::distributed {

// All members make the same calls in the same order. Operands may have any strides, no elements or no dimensions, and
// may require gradients: values change in place and nothing is recorded. Results are written into the operand's own
// elements. Sums are taken in the order of the ranks, whatever the length: the same bits on all ranks and in each run.
// ValueError before any traffic for arguments that cannot be (a root that is no member, an average of integers, bitwise
// operations on floats, lists of another length than the group); DistError on all ranks that takes part when a rank
// called something else, with another shape count or dtype, is gone, or did not come in time. `..._async` returns at
// once. Between devices (`Options::devices`) sums are taken in the carrier's order: the same bits on all ranks.

/// `tensor` becomes the reduction of all members' tensors.
void all_reduce(const Tensor& tensor, ReduceOp op = kSum, const ProcessGroup& group = {});
Work all_reduce_async(const Tensor& tensor, ReduceOp op = kSum, const ProcessGroup& group = {});
/// The same on `root` alone; elsewhere the tensor keeps its values.
void reduce(const Tensor& tensor, std::int64_t root, ReduceOp op = kSum, const ProcessGroup& group = {});
Work reduce_async(const Tensor& tensor, std::int64_t root, ReduceOp op = kSum, const ProcessGroup& group = {});
/// `tensor` becomes root's.
void broadcast(const Tensor& tensor, std::int64_t root, const ProcessGroup& group = {});
Work broadcast_async(const Tensor& tensor, std::int64_t root, const ProcessGroup& group = {});
/// outputs[r] becomes member r's tensor. All of one shape.
void all_gather(const std::vector<Tensor>& outputs, const Tensor& tensor, const ProcessGroup& group = {});
Work all_gather_async(const std::vector<Tensor>& outputs, const Tensor& tensor, const ProcessGroup& group = {});
/// `output`, n times as large, becomes the members' tensors one behind the other along dimension 0.
void all_gather_into(const Tensor& output, const Tensor& tensor, const ProcessGroup& group = {});
Work all_gather_into_async(const Tensor& output, const Tensor& tensor, const ProcessGroup& group = {});
/// On `root` outputs[r] becomes member r's tensor; elsewhere `outputs` is empty.
void gather(const Tensor& tensor, const std::vector<Tensor>& outputs, std::int64_t root,
            const ProcessGroup& group = {});
Work gather_async(const Tensor& tensor, const std::vector<Tensor>& outputs, std::int64_t root,
                  const ProcessGroup& group = {});
/// `output` on member r becomes root's inputs[r]; elsewhere `inputs` is empty.
void scatter(const Tensor& output, const std::vector<Tensor>& inputs, std::int64_t root,
             const ProcessGroup& group = {});
Work scatter_async(const Tensor& output, const std::vector<Tensor>& inputs, std::int64_t root,
                   const ProcessGroup& group = {});
/// `output` on member r becomes the reduction of all members' inputs[r].
void reduce_scatter(const Tensor& output, const std::vector<Tensor>& inputs, ReduceOp op = kSum,
                    const ProcessGroup& group = {});
Work reduce_scatter_async(const Tensor& output, const std::vector<Tensor>& inputs, ReduceOp op = kSum,
                          const ProcessGroup& group = {});
/// The same with the inputs one behind the other along dimension 0.
void reduce_scatter_tensor(const Tensor& output, const Tensor& input, ReduceOp op = kSum,
                           const ProcessGroup& group = {});
Work reduce_scatter_tensor_async(const Tensor& output, const Tensor& input, ReduceOp op = kSum,
                                 const ProcessGroup& group = {});
/// outputs[r] becomes member r's inputs[own rank]; parts may differ in size as long as both sides agree.
void all_to_all(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs, const ProcessGroup& group = {});
Work all_to_all_async(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                      const ProcessGroup& group = {});
/// Messages between two ranks, matched by tag, in the order of sending within one tag.
void send(const Tensor& tensor, std::int64_t peer, std::int64_t tag = 0, const ProcessGroup& group = {});
Work send_async(const Tensor& tensor, std::int64_t peer, std::int64_t tag = 0, const ProcessGroup& group = {});
void recv(const Tensor& tensor, std::int64_t peer, std::int64_t tag = 0, const ProcessGroup& group = {});
Work recv_async(const Tensor& tensor, std::int64_t peer, std::int64_t tag = 0, const ProcessGroup& group = {});
/// Returns when all members have entered.
void barrier(const ProcessGroup& group = {});
Work barrier_async(const ProcessGroup& group = {});
/// The same, and names the ranks that did not come.
void monitored_barrier(const ProcessGroup& group = {});

} // namespace reel::distributed
