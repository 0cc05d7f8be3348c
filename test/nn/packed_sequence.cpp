// Padding and packing sequences of several lengths.
#include <boost/test/unit_test.hpp>

#include "testing.hpp"

using namespace reel;
using namespace reel::testing;
using namespace reel::nn::utils::rnn;

namespace {
bool same(const Tensor& a, const Tensor& b) { return a.sizes().equals(b.sizes()) && (a == b).all().item<bool>(); }
Tensor counted(std::vector<std::int64_t> sizes, double from) {
    std::int64_t n = 1;
    for (const std::int64_t s : sizes) n *= s;
    return arange(from, from + double(n), 1., TensorOptions(kDouble)).reshape(sizes);
}
} // namespace

BOOST_AUTO_TEST_SUITE(packed_sequence)

BOOST_AUTO_TEST_CASE(packing_goes_step_by_step) {
    const Tensor x = tensor({{1, 4, 6}, {2, 5, 0}, {3, 0, 0}});
    const PackedSequence p = pack_padded_sequence(x, std::vector<std::int64_t>{3, 2, 1});
    BOOST_TEST(same(p.data(), tensor({1, 4, 6, 2, 5, 3})));
    BOOST_TEST(same(p.batch_sizes(), tensor({3, 2, 1}).to(kLong)));
    BOOST_TEST(!p.sorted_indices().defined());
    BOOST_TEST(!p.unsorted_indices().defined());
    BOOST_TEST(same(pack_padded_sequence(x.t(), tensor({3, 2, 1}).to(kLong), true).data(), p.data()));
}
BOOST_AUTO_TEST_CASE(packing_sorts_on_request_and_padding_undoes_it) {
    const Tensor x = counted({4, 3, 2}, 1);
    const PackedSequence p = pack_padded_sequence(x, std::vector<std::int64_t>{2, 4, 3}, false, false);
    BOOST_TEST(same(p.sorted_indices(), tensor({1, 2, 0}).to(kLong)));
    BOOST_TEST(same(p.unsorted_indices(), tensor({2, 0, 1}).to(kLong)));
    BOOST_TEST(same(p.batch_sizes(), tensor({3, 3, 2, 1}).to(kLong)));
    const auto [padded, lengths] = pad_packed_sequence(p, true, -1., 5);
    BOOST_TEST(padded.sizes() == IntArrayRef({3, 5, 2}));
    BOOST_TEST(same(lengths, tensor({2, 4, 3}).to(kLong)));
    for (std::int64_t i = 0; i < 3; ++i) {
        const std::int64_t n = lengths.select(0, i).item<std::int64_t>();
        BOOST_TEST(same(padded.select(0, i).narrow(0, 0, n), x.select(1, i).narrow(0, 0, n)));
        BOOST_TEST((padded.select(0, i).narrow(0, n, 5 - n) == -1).all().item<bool>());
    }
}
BOOST_AUTO_TEST_CASE(lists_of_sequences) {
    const std::vector<Tensor> s{counted({2, 2}, 1), counted({3, 2}, 10), counted({1, 2}, 20)};
    const Tensor padded = pad_sequence(s, true, 7.);
    BOOST_TEST(padded.sizes() == IntArrayRef({3, 3, 2}));
    BOOST_TEST(same(padded.select(0, 0).narrow(0, 0, 2), s[0]));
    BOOST_TEST((padded.select(0, 2).narrow(0, 1, 2) == 7).all().item<bool>());
    BOOST_TEST(same(pad_sequence(s).transpose(0, 1).select(0, 1), s[1]));
    const Tensor left = pad_sequence(s, true, 7., "left");
    BOOST_TEST(same(left.select(0, 2).select(0, 2), s[2].select(0, 0)));
    BOOST_TEST((left.select(0, 2).narrow(0, 0, 2) == 7).all().item<bool>());
    const auto back = unpad_sequence(padded, tensor({2, 3, 1}).to(kLong), true);
    const auto again = unpack_sequence(pack_sequence(s, false));
    for (std::size_t i = 0; i < s.size(); ++i) {
        BOOST_TEST(same(back[i], s[i]));
        BOOST_TEST(same(again[i], s[i]));
    }
}
BOOST_AUTO_TEST_CASE(gradients) {
    const Tensor a = counted({2}, 1).requires_grad_(), b = counted({3}, 1).requires_grad_();
    const PackedSequence p = pack_sequence({a, b}, false);
    (p.data() * arange(5, TensorOptions(kDouble))).sum().backward(); // b0 a0 b1 a1 b2
    BOOST_TEST(same(a.grad(), tensor({1., 3.}).to(kDouble)));
    BOOST_TEST(same(b.grad(), tensor({0., 2., 4.}).to(kDouble)));
}
BOOST_AUTO_TEST_CASE(conversions) {
    const PackedSequence p = pack_padded_sequence(counted({2, 2}, 1), std::vector<std::int64_t>{1, 2}, false, false);
    const PackedSequence f = p.to(TensorOptions(kFloat));
    BOOST_TEST((f.data().scalar_type() == kFloat));
    BOOST_TEST(f.batch_sizes().is_same(p.batch_sizes()));
    BOOST_TEST(same(f.unsorted_indices(), p.unsorted_indices()));
    BOOST_TEST(p.cpu().data().is_same(p.data()));
    BOOST_TEST(!p.is_cuda());
    BOOST_TEST(!p.is_pinned());
    if (!cuda::is_available())
        BOOST_TEST(has(message_of<Error>([&] { p.pin_memory(); }), "pin_memory: no CUDA device"));
    BOOST_TEST(p.to("cpu").data().is_same(p.data()));
    BOOST_TEST((p.to({kMeta, 0}).data().device() == Device(kMeta, 0)));
    BOOST_TEST((p.to(Device(kCPU), kHalf).data().scalar_type() == kHalf));
    BOOST_TEST((p.half().float_().data().scalar_type() == kFloat));
    BOOST_TEST((p.long_().data().scalar_type() == kLong));
    BOOST_TEST((p.to(f.data()).data().scalar_type() == kFloat));
    BOOST_TEST(p.double_().data().is_same(p.data()));
    const PackedSequence copy = p.to(kDouble, false, true);
    BOOST_TEST(!copy.data().is_same(p.data()));
    BOOST_TEST(same(copy.data(), p.data()));
    BOOST_TEST(copy.sorted_indices().data_ptr() != p.sorted_indices().data_ptr());
    BOOST_TEST(same(copy.sorted_indices(), p.sorted_indices()));
    BOOST_TEST(same(invert_permutation(tensor({2, 0, 1}).to(kLong)), tensor({1, 2, 0}).to(kLong)));
    BOOST_TEST(!invert_permutation({}).defined());
}
BOOST_AUTO_TEST_CASE(any_list_of_sequences_packs) {
    const std::vector<Tensor> list{ones({3}), ones({2})};
    const ArrayRef<Tensor> seen = list;
    const auto packed = nn::utils::rnn::pack_sequence(seen);
    BOOST_TEST(equal(packed.data(), nn::utils::rnn::pack_sequence(list).data()));
    BOOST_TEST(nn::utils::rnn::pad_sequence(seen).size(0) == 3);
    BOOST_TEST(packed.to(kCPU).data().is_same(packed.data()));
}
BOOST_AUTO_TEST_CASE(errors_are_pytorchs) {
    const Tensor x = counted({3, 2}, 1);
    using Lengths = std::vector<std::int64_t>;
    BOOST_TEST(has(message_of([&] {
                       pack_padded_sequence(x, Lengths{1, 2});
                   }),
                   "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
                   "`enforce_sorted=False`"));
    BOOST_TEST(has(message_of([&] {
                       pack_padded_sequence(x, Lengths{3, 2, 1});
                   }),
                   "Expected `len(lengths)` to be equal to batch_size, but got 3 (batch_size=2)"));
    BOOST_TEST(has(message_of([&] {
                       pack_padded_sequence(x, Lengths{2, 0});
                   }),
                   "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"));
    BOOST_TEST(has(message_of([&] {
                       pack_padded_sequence(x, tensor({2., 1.}));
                   }),
                   {"'lengths' argument should be a 1D CPU int64 tensor, but got 1D", "tensor"}));
    BOOST_TEST(has(message_of([&] { pack_padded_sequence(x, Lengths{4, 1}); }), "only 3 steps"));
    const PackedSequence p = pack_padded_sequence(x, Lengths{3, 1});
    BOOST_TEST(has(message_of<ValueError>([&] { pad_packed_sequence(p, false, 0., 2); }),
                   "Expected total_length to be at least the length of the longest sequence in input, but got "
                   "total_length=2 and max sequence length being 3"));
    BOOST_TEST(has(message_of([] { pad_sequence({}); }), "received an empty list of sequences"));
    BOOST_TEST(has(message_of([&] { pad_sequence({x}, false, 0., "middle"); }),
                   "Expected padding_side to be one of left or right, but got middle."));
    BOOST_TEST(has(message_of([&] { pad_sequence({x, counted({2, 3}, 1)}); }), {"[3, 2]", "[2, 3]"}));
}

BOOST_AUTO_TEST_SUITE_END()
