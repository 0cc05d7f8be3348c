// Packing, padding and their inverses.
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/index/scatter.hpp>
#include <reel/autograd/ops/index/sort.hpp>
#include <reel/autograd/ops/nn/packed_sequence.hpp>
#include <reel/autograd/ops/shape/pad.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/stack.hpp>
#include <reel/nn/utils/rnn.hpp>

#include <algorithm>

#include <reel/autograd/tensor_factory.hpp>

namespace reel::nn::utils::rnn {

Tensor invert_permutation(const Tensor& permutation) {
    if (!permutation.defined()) return {};
    const Tensor places =
        reel::arange(Scalar(permutation.numel()), TensorOptions(permutation.device()).dtype(permutation.scalar_type()));
    return reel::scatter(reel::empty_like(permutation), 0, permutation, places);
}

PackedSequence::PackedSequence(Tensor data, Tensor batch_sizes, Tensor sorted_indices, Tensor unsorted_indices)
    : data_(std::move(data)), batch_sizes_(std::move(batch_sizes)), sorted_indices_(std::move(sorted_indices)),
      unsorted_indices_(std::move(unsorted_indices)) {
    REEL_CHECK_VALUE(batch_sizes_.defined() && batch_sizes_.is_cpu(),
                     "batch_sizes should always be on CPU. Instances of PackedSequence should never be created "
                     "manually. They should be instantiated by functions like pack_sequence and pack_padded_sequences "
                     "in nn.utils.rnn.");
    if (!unsorted_indices_.defined()) unsorted_indices_ = invert_permutation(sorted_indices_);
}
PackedSequence PackedSequence::to(const TensorOptions& options, bool non_blocking, bool copy) const {
    const Tensor data = data_.to(options, non_blocking, copy);
    if (data.is_same(data_)) return *this;
    const auto along = [&](const Tensor& t) {
        return t.defined() ? t.to(TensorOptions(data.device()), non_blocking, copy) : t;
    };
    return PackedSequence(data, batch_sizes_, along(sorted_indices_), along(unsorted_indices_));
}
PackedSequence PackedSequence::pin_memory() const {
    const auto pinned = [](const Tensor& t) { return t.defined() ? t.pin_memory() : t; };
    return PackedSequence(pinned(data_), batch_sizes_, pinned(sorted_indices_), pinned(unsorted_indices_));
}
bool PackedSequence::is_cuda() const { return data_.is_cuda(); }

PackedSequence pack_padded_sequence(const Tensor& input, const Tensor& lengths, bool batch_first, bool enforce_sorted) {
    if (enforce_sorted) {
        const auto [data, batch_sizes] = reel::_pack_padded_sequence(input, lengths, batch_first);
        return PackedSequence(data, batch_sizes);
    }
    const auto [sorted, order] = reel::sort(lengths, -1, true);
    const Tensor places = order.to(input.device()), examples = reel::index_select(input, batch_first ? 0 : 1, places);
    const auto [data, batch_sizes] = reel::_pack_padded_sequence(examples, sorted, batch_first);
    return PackedSequence(data, batch_sizes, places);
}
PackedSequence pack_padded_sequence(const Tensor& input, const std::vector<std::int64_t>& lengths, bool batch_first,
                                    bool enforce_sorted) {
    return pack_padded_sequence(input, reel::tensor(lengths), batch_first, enforce_sorted);
}
std::tuple<Tensor, Tensor> pad_packed_sequence(const PackedSequence& sequence, bool batch_first, double padding_value,
                                               std::optional<std::int64_t> total_length) {
    const std::int64_t longest = sequence.batch_sizes().size(0);
    REEL_CHECK_VALUE(!total_length || *total_length >= longest,
                     "Expected total_length to be at least the length of the longest sequence in input, but got "
                     "total_length=",
                     total_length.value_or(0), " and max sequence length being ", longest);
    auto [padded, lengths] = reel::_pad_packed_sequence(sequence.data(), sequence.batch_sizes(), batch_first,
                                                        padding_value, total_length.value_or(longest));
    if (const Tensor& back = sequence.unsorted_indices(); back.defined())
        return {reel::index_select(padded, batch_first ? 0 : 1, back), reel::index_select(lengths, 0, back.to(kCPU))};
    return {padded, lengths};
}

Tensor pad_sequence(ArrayRef<Tensor> sequences, bool batch_first, double padding_value, std::string_view padding_side) {
    REEL_CHECK(!sequences.empty(), "pad_sequence: received an empty list of sequences");
    REEL_CHECK(padding_side == "left" || padding_side == "right",
               "Expected padding_side to be one of left or right, but got ", padding_side, ".");
    std::int64_t longest = 0;
    for (const Tensor& s : sequences) {
        REEL_CHECK(s.dim() >= 1 && s.sizes().slice(1) == sequences[0].sizes().slice(1),
                   "pad_sequence: sequences of shapes ", sequences[0].sizes(), " and ", s.sizes(),
                   " differ beyond their length");
        longest = std::max(longest, s.size(0));
    }
    std::vector<Tensor> padded;
    for (const Tensor& s : sequences) {
        std::vector<std::int64_t> amounts(std::size_t(2 * s.dim()), 0); // the last dimension's come first
        amounts[amounts.size() - (padding_side == "right" ? 1 : 2)] = longest - s.size(0);
        padded.push_back(s.size(0) == longest ? s : reel::constant_pad_nd(s, amounts, padding_value));
    }
    return reel::stack(padded, batch_first ? 0 : 1);
}
std::vector<Tensor> unpad_sequence(const Tensor& padded_sequences, const Tensor& lengths, bool batch_first) {
    const Tensor l = lengths.to(kCPU).to(kLong);
    std::vector<Tensor> r;
    for (std::int64_t i = 0; i < l.numel(); ++i)
        r.push_back(reel::narrow(reel::select(padded_sequences, batch_first ? 0 : 1, i), 0, 0,
                                 reel::select(l, 0, i).item<std::int64_t>()));
    return r;
}
PackedSequence pack_sequence(ArrayRef<Tensor> sequences, bool enforce_sorted) {
    std::vector<std::int64_t> lengths;
    for (const Tensor& s : sequences) lengths.push_back(s.size(0));
    return pack_padded_sequence(pad_sequence(sequences), lengths, false, enforce_sorted);
}
std::vector<Tensor> unpack_sequence(const PackedSequence& packed_sequences) {
    const auto [padded, lengths] = pad_packed_sequence(packed_sequences, true);
    return unpad_sequence(padded, lengths, true);
}

} // namespace reel::nn::utils::rnn
