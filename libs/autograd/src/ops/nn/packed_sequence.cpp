// Sequences of several lengths, padded to one or packed step by step.
#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/index/scatter.hpp>
#include <reel/autograd/ops/nn/packed_sequence.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/record.hpp>

#include "ops/shape/shape_util.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/host_values.hpp"

namespace reel {

using namespace detail;

namespace {

/// Rows of the padded [steps * batch] (or [batch * steps]) in the order in which they are packed.
Tensor packed_rows(const std::vector<std::int64_t>& batch_sizes, std::int64_t batch, std::int64_t steps,
                   bool batch_first) {
    std::int64_t total = 0;
    for (const std::int64_t b : batch_sizes) total = checked_add("packed_sequence", "the rows", total, b);
    std::vector<std::int64_t> index;
    checked_reserve("packed_sequence", "the rows", index, total);
    for (std::size_t t = 0; t < batch_sizes.size(); ++t)
        for (std::int64_t b = 0; b < batch_sizes[t]; ++b)
            index.push_back(batch_first ? b * steps + std::int64_t(t) : std::int64_t(t) * batch + b);
    return tensor_of(index);
}
std::vector<std::int64_t> numbers(const Tensor& t) {
    const HostValues<std::int64_t> v(t, "pack_padded_sequence");
    return {v.begin(), v.end()};
}
/// `t` with its first two dimensions made one.
Tensor joined(const Tensor& t) {
    Dims s(t.sizes());
    s[1] *= s[0];
    return reshape(t, IntArrayRef(s.data() + 1, s.size() - 1));
}

} // namespace

/// Packs input [steps, batch, ...] ([batch, steps, ...] with `batch_first`), whose examples have falling `lengths`
/// (int64, on the CPU): the rows of the first step, then those of the second that are that long, and so on. Also
/// returns how many rows each step has.
REEL_OP("_pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first) -> (Tensor, Tensor)", composite,
        any_device("lengths"), samples(call(numbers({3, 2, 3}), longs({3, 2}), false)))
std::tuple<Tensor, Tensor> _pack_padded_sequence(const Tensor& input, const Tensor& lengths, bool batch_first) {
    const char* op = "_pack_padded_sequence";
    REEL_CHECK(input.dim() >= 2 && input.numel() > 0, op, ": Cannot pack empty tensors.");
    REEL_CHECK(lengths.is_cpu() && lengths.dim() == 1 && lengths.scalar_type() == kLong, op,
               ": 'lengths' argument should be a 1D CPU int64 tensor, but got ", lengths.dim(), "D ", lengths.device(),
               " ", dtype_name(lengths.scalar_type()), " tensor");
    const std::int64_t batch = input.size(batch_first ? 0 : 1), steps = input.size(batch_first ? 1 : 0);
    const std::vector<std::int64_t> l = numbers(lengths);
    REEL_CHECK(std::int64_t(l.size()) == batch, op, ": Expected `len(lengths)` to be equal to batch_size, but got ",
               l.size(), " (batch_size=", batch, ")");
    REEL_CHECK(l.back() > 0, op,
               ": Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0");
    for (std::size_t i = 1; i < l.size(); ++i)
        REEL_CHECK(l[i] <= l[i - 1], op,
                   ": `lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
                   "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement "
                   "if you do not need ONNX exportability.");
    REEL_CHECK(l.front() <= steps, op, ": the longest length is ", l.front(), ", but input ", input.sizes(),
               " has only ", steps, " steps");
    std::vector<std::int64_t> batch_sizes;
    for (std::int64_t t = 0; t < l.front(); ++t)
        batch_sizes.push_back(std::count_if(l.begin(), l.end(), [t](std::int64_t n) { return n > t; }));
    const Tensor rows = packed_rows(batch_sizes, batch, steps, batch_first);
    return {index_select(joined(input), 0, rows.to(input.device())), tensor_of(batch_sizes)};
}

/// The inverse: [steps, batch, ...] (batch first on request) with `padding_value` behind the shorter sequences, for
/// `total_length` steps if that is positive. Also returns the lengths.
REEL_OP("_pad_packed_sequence(Tensor data, Tensor batch_sizes, bool batch_first, Scalar padding_value, int "
        "total_length) -> (Tensor, Tensor)",
        composite, any_device("batch_sizes"), samples(call(numbers({5, 3}), longs({2, 2, 1}), false, 0.0, 3)))
std::tuple<Tensor, Tensor> _pad_packed_sequence(const Tensor& data, const Tensor& batch_sizes, bool batch_first,
                                                const Scalar& padding_value, std::int64_t total_length) {
    const char* op = "_pad_packed_sequence";
    REEL_CHECK(batch_sizes.is_cpu() && batch_sizes.dim() == 1 && batch_sizes.scalar_type() == kLong &&
                   batch_sizes.numel() > 0,
               op, ": batch_sizes must be a 1D CPU int64 tensor, got ", dtype_name(batch_sizes.scalar_type()), " ",
               batch_sizes.sizes());
    const std::vector<std::int64_t> b = numbers(batch_sizes);
    const std::int64_t longest = std::int64_t(b.size()), batch = b.front();
    for (std::size_t t = 0; t < b.size(); ++t)
        REEL_CHECK(b[t] > 0 && b[t] <= batch && (t == 0 || b[t] <= b[t - 1]), op,
                   ": batch_sizes must be positive and must not rise, got ", b[t], " at step ", t);
    REEL_CHECK(total_length <= 0 || total_length >= longest, op,
               ": Expected total_length to be at least the length of the longest sequence in input, but got "
               "total_length=",
               total_length, " and max sequence length being ", longest);
    const std::int64_t steps = total_length > 0 ? total_length : longest;
    const Tensor rows = packed_rows(b, batch, steps, false);
    REEL_CHECK(data.dim() >= 1 && data.size(0) == rows.numel(), op, ": data has shape ", data.sizes(),
               ", but batch_sizes ask for ", rows.numel(), " rows");
    Dims flat(data.sizes());
    flat[0] = checked_mul(op, "the padded sequences", steps, batch);
    Tensor padded = full(flat, padding_value, data.options().requires_grad(false));
    padded = index_copy(padded, 0, rows.to(data.device()), data);
    Dims s{steps};
    s.push_back(batch);
    for (std::int64_t d = 1; d < data.dim(); ++d) s.push_back(data.size(d));
    padded = view(padded, s);
    const Tensor lengths = generated<std::int64_t>(batch, [&](std::int64_t i) {
        return std::count_if(b.begin(), b.end(), [i](std::int64_t n) { return n > i; });
    });
    return {batch_first ? transpose(padded, 0, 1) : padded, lengths};
}

} // namespace reel
