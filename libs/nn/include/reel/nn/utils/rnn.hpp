// Sequences of several lengths in one batch: padded, or packed step by step.
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include <reel/autograd/tensor.hpp>
#include <reel/autograd/tensor_options.hpp>

namespace reel::nn::utils::rnn {

/// The inverse of a permutation of 0 .. n - 1; undefined for an undefined one.
Tensor invert_permutation(const Tensor& permutation);

/// Sequences packed step by step: `data` holds the first rows of all of them, then the second rows of those that have
/// one, and so on; `batch_sizes` (int64, on the CPU) says how many each step has. The sequences lie by falling length;
/// `sorted_indices` says where they came from and `unsorted_indices` leads back (both undefined when they came sorted).
/// Made by the functions below.
class PackedSequence {
public:
    explicit PackedSequence(Tensor data, Tensor batch_sizes, Tensor sorted_indices = {}, Tensor unsorted_indices = {});
    const Tensor& data() const { return data_; }
    const Tensor& batch_sizes() const { return batch_sizes_; }
    const Tensor& sorted_indices() const { return sorted_indices_; }
    const Tensor& unsorted_indices() const { return unsorted_indices_; }
    /// Converts `data`, and moves the indices along with it; batch_sizes stays on the CPU. *this when nothing changes
    /// and no `copy` is asked for.
    PackedSequence to(const TensorOptions& options, bool non_blocking = false, bool copy = false) const;
    PackedSequence to(Device device, ScalarType dtype, bool non_blocking = false, bool copy = false) const {
        return to(TensorOptions(device).dtype(dtype), non_blocking, copy);
    }
    /// Device and dtype of `other`.
    PackedSequence to(const Tensor& other, bool non_blocking = false, bool copy = false) const {
        return to(other.device(), other.scalar_type(), non_blocking, copy);
    }
    PackedSequence cpu() const { return to(Device(kCPU)); }
    PackedSequence cuda() const { return to(Device(kCUDA)); }
    PackedSequence double_() const { return to(kDouble); }
    PackedSequence float_() const { return to(kFloat); }
    PackedSequence half() const { return to(kHalf); }
    PackedSequence long_() const { return to(kLong); }
    PackedSequence int_() const { return to(kInt); }
    PackedSequence short_() const { return to(kShort); }
    PackedSequence char_() const { return to(kChar); }
    PackedSequence byte() const { return to(kByte); }
    bool is_cuda() const;
    /// Does the data lie in page-locked memory, and a sequence whose tensors do (Tensor::pin_memory).
    bool is_pinned() const { return data_.is_pinned(); }
    PackedSequence pin_memory() const;

private:
    Tensor data_, batch_sizes_, sorted_indices_, unsorted_indices_;
};

/// Packs input [steps, batch, ...] ([batch, steps, ...] with `batch_first`) whose examples have `lengths` (int64, on
/// the CPU, positive). Lengths must fall unless `enforce_sorted` is false; then the examples are sorted.
/// Differentiable.
PackedSequence pack_padded_sequence(const Tensor& input, const Tensor& lengths, bool batch_first = false,
                                    bool enforce_sorted = true);
PackedSequence pack_padded_sequence(const Tensor& input, const std::vector<std::int64_t>& lengths,
                                    bool batch_first = false, bool enforce_sorted = true);
/// The inverse: padded sequences in the order in which they were given, and their lengths. `total_length` asks for
/// more steps than the longest one has; ValueError if it is less. Differentiable.
std::tuple<Tensor, Tensor> pad_packed_sequence(const PackedSequence& sequence, bool batch_first = false,
                                               double padding_value = 0.0,
                                               std::optional<std::int64_t> total_length = std::nullopt);
/// One tensor [longest, n, ...] ([n, longest, ...] with `batch_first`) of n sequences [length, ...], filled up with
/// `padding_value` behind them (in front of them for padding_side "left").
Tensor pad_sequence(ArrayRef<Tensor> sequences, bool batch_first = false, double padding_value = 0.0,
                    std::string_view padding_side = "right");
/// The sequences of a padded batch, cut to their lengths.
std::vector<Tensor> unpad_sequence(const Tensor& padded_sequences, const Tensor& lengths, bool batch_first = false);
/// Packs sequences [length, ...]; they must come by falling length unless `enforce_sorted` is false.
PackedSequence pack_sequence(ArrayRef<Tensor> sequences, bool enforce_sorted = true);
/// The sequences that were packed.
std::vector<Tensor> unpack_sequence(const PackedSequence& packed_sequences);

} // namespace reel::nn::utils::rnn

namespace reel {
using nn::utils::rnn::pad_sequence; // ATen's, too
}
