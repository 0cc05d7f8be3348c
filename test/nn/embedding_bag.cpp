// Bags of rows: sums, means and maxima, their derivatives, options and errors.
#include <boost/test/unit_test.hpp>

#include <reel/autograd/gradcheck.hpp>
#include <reel/nn/factory.hpp>

#include "testing.hpp"

using namespace reel;
using namespace reel::testing;
using autograd::variable_list;
namespace F = reel::nn::functional;

namespace {
double apart(const Tensor& a, const Tensor& b) { return (a - b).abs().max().item<double>(); }
Tensor ids(std::initializer_list<std::int64_t> i) { return tensor(std::vector<std::int64_t>(i)); }
Tensor table(std::int64_t rows = 5, std::int64_t width = 3) {
    return randn({rows, width}, TensorOptions(kDouble)).requires_grad_();
}
const Tensor& offsets() {
    static const Tensor o = ids({0, 2, 2});
    return o;
}
const Tensor& places() {
    static const Tensor i = ids({1, 4, 4, 0, 1});
    return i;
}
} // namespace

BOOST_AUTO_TEST_SUITE(embedding_bag)

BOOST_AUTO_TEST_CASE(two_dimensional_indices_are_bags_of_one_size) {
    const Tensor w = table(), i = ids({1, 4, 4, 0, 1, 2}).reshape({2, 3}), rows = w.index_select(0, i.reshape({-1}));
    const Tensor each = rows.reshape({2, 3, 3});
    const auto bag = [&](auto mode) { return F::embedding_bag(i, w, F::EmbeddingBagFuncOptions().mode(mode)); };
    BOOST_TEST(apart(bag(kSum), each.sum(1)) < 1e-14);
    BOOST_TEST(apart(bag(kMean), each.mean(1)) < 1e-14);
    BOOST_TEST(apart(bag(kMax), each.amax(IntArrayRef{1})) == 0);
}
BOOST_AUTO_TEST_CASE(padding_does_not_count) {
    nn::EmbeddingBag m(nn::EmbeddingBagOptions(5, 3).padding_idx(-1));
    BOOST_TEST(m->weight.select(0, 4).abs().max().item<double>() == 0);
    const Tensor y = m(places(), offsets());
    BOOST_TEST(apart(y.select(0, 0), m->weight.select(0, 1)) == 0);
    BOOST_TEST(y.select(0, 1).abs().max().item<double>() == 0); // an empty bag
    BOOST_TEST(apart(y.select(0, 2), (m->weight.select(0, 0) + m->weight.select(0, 1)) / 2) < 1e-6);
    y.sum().backward();
    BOOST_TEST(m->weight.grad().select(0, 4).abs().max().item<double>() == 0);
    BOOST_TEST(apart(m->weight.grad().select(0, 1), full({3}, 1.5)) == 0);
}
BOOST_AUTO_TEST_CASE(derivatives) {
    manual_seed(7);
    const Tensor weights = rand({5}, TensorOptions(kDouble)).requires_grad_();
    const auto weighted = [](const variable_list& v) {
        return F::embedding_bag(
            places(), v[0],
            F::EmbeddingBagFuncOptions().offsets(offsets()).mode(kSum).per_sample_weights(v[1]).padding_idx(0));
    };
    BOOST_TEST(autograd::gradcheck(weighted, {table(), weights}));
    BOOST_TEST(autograd::gradgradcheck(weighted, {table(), weights}));
    const auto check = [](auto mode) {
        const auto fn = [=](const Tensor& w) {
            return F::embedding_bag(places(), w, F::EmbeddingBagFuncOptions().offsets(offsets()).mode(mode)).pow(2);
        };
        BOOST_TEST(autograd::gradcheck(fn, {table()}));
        BOOST_TEST(autograd::gradgradcheck(fn, {table()}));
    };
    check(kMean);
    check(kSum);
    check(kMax);
}
BOOST_AUTO_TEST_CASE(gradients_by_frequency) {
    const Tensor w = table();
    F::embedding_bag(places(), w, F::EmbeddingBagFuncOptions().offsets(offsets()).mode(kSum).scale_grad_by_freq(true))
        .sum()
        .backward();
    for (const std::int64_t r : {0, 1, 4})
        BOOST_TEST(apart(w.grad().select(0, r), ones({3}, TensorOptions(kDouble))) == 0);
    BOOST_TEST(w.grad().select(0, 2).abs().max().item<double>() == 0);
}
BOOST_AUTO_TEST_CASE(the_last_offset_may_be_the_end) {
    const Tensor w = table();
    const auto o = F::EmbeddingBagFuncOptions().mode(kSum);
    BOOST_TEST(apart(F::embedding_bag(places(), w,
                                      F::EmbeddingBagFuncOptions(o).offsets(ids({0, 2, 5})).include_last_offset(true)),
                     F::embedding_bag(places(), w, F::EmbeddingBagFuncOptions(o).offsets(ids({0, 2})))) == 0);
}
BOOST_AUTO_TEST_CASE(rows_that_are_used_are_scaled_down) {
    nn::EmbeddingBag m(nn::EmbeddingBagOptions(5, 3).max_norm(0.5).mode(kSum));
    const Tensor before = m->weight.detach().clone();
    m(ids({1, 4}), ids({0}));
    for (const std::int64_t r : {1, 4}) BOOST_TEST(m->weight.select(0, r).norm().item<double>() <= 0.5 + 1e-6);
    BOOST_TEST(apart(m->weight.select(0, 2), before.select(0, 2)) == 0);
}
BOOST_AUTO_TEST_CASE(pretrained_tables_are_frozen) {
    const Tensor w = rand({3, 2});
    const nn::EmbeddingBag m =
        nn::EmbeddingBag::from_pretrained(w, nn::EmbeddingBagFromPretrainedOptions().mode(kMax).padding_idx(1));
    BOOST_TEST(!m->weight.requires_grad());
    BOOST_TEST((m->weight == w).all().item<bool>());
    BOOST_TEST(m->repr() == "EmbeddingBag(3, 2, mode='max', padding_idx=1)");
    BOOST_TEST(nn::EmbeddingBag::from_pretrained(w, nn::EmbeddingBagFromPretrainedOptions().freeze(false))
                   ->weight.requires_grad());
}
BOOST_AUTO_TEST_CASE(printing) {
    BOOST_TEST(
        nn::make_module("EmbeddingBag", {7, 5}, {{"mode", "sum"}, {"max_norm", 1.0}, {"padding_idx", -1}})->repr() ==
        "EmbeddingBag(7, 5, max_norm=1.0, mode='sum', padding_idx=6)");
}
BOOST_AUTO_TEST_CASE(errors_are_pytorchs) {
    const Tensor w = table();
    const auto o = [] { return F::EmbeddingBagFuncOptions().offsets(offsets()); };
    const auto says = [&](const Tensor& i, const F::EmbeddingBagFuncOptions& options) {
        return message_of([&] { F::embedding_bag(i, w, options); });
    };
    BOOST_TEST(has(says(places(), {}), "offsets has to be a 1D Tensor but got None"));
    BOOST_TEST(has(says(places().unsqueeze(0), o()), "if input is 2D, then offsets has to be None"));
    BOOST_TEST(has(says(places().select(0, 0), o()), "input has to be 1D or 2D Tensor, but got Tensor of dimension 0"));
    BOOST_TEST(has(says(places(), o().offsets(ids({1, 2}))),
                   "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
                   "However, got 1"));
    BOOST_TEST(has(says(places(), o().offsets(ids({0, 6}))),
                   "offsets[-1] can not be greater than input's length(5) but got offsets[-1] of 6"));
    BOOST_TEST(has(says(places(), o().mode(kMax).scale_grad_by_freq(true)),
                   "max mode does not support scaling the gradient by the frequency"));
    BOOST_TEST(has(says(places(), o().mode(kMax).sparse(true)), "max mode does not support sparse weights"));
    BOOST_TEST(has(says(places(), o().mode(kSum).per_sample_weights(rand({4}, TensorOptions(kDouble)))),
                   "If per_sample_weights ([4]) is not None, then it must have the same shape as the input ([5])"));
    BOOST_TEST(has(message_of<NotImplementedError>([&] {
                       F::embedding_bag(places(), w, o().per_sample_weights(rand({5}, TensorOptions(kDouble))));
                   }),
                   "per_sample_weights is only supported for mode='sum' (got mode='mean')"));
    BOOST_TEST(has(says(places(), o().padding_idx(5)),
                   "padding_idx must be within the number of embeddings, -5 through 4 but got 5"));
    BOOST_TEST(has(says(ids({7}), o().offsets(ids({0}))), "7"));
    BOOST_CHECK_THROW(nn::EmbeddingBag(nn::EmbeddingBagOptions(4, 2).padding_idx(4)), ValueError);
}

BOOST_AUTO_TEST_CASE(the_function_of_the_root_returns_bags_counts_and_rows) {
    const Tensor weight = arange(12, TensorOptions(kDouble)).reshape({4, 3}), rows = ids({0, 2, 2, 1, 3});
    const Tensor starts = ids({0, 2, 2});
    const auto [sums, of_each, counts, again] = reel::embedding_bag(weight, rows, starts);
    BOOST_TEST(sums.equal(tensor({{6., 8., 10.}, {0., 0., 0.}, {18., 21., 24.}}, kDouble)));
    BOOST_TEST(of_each.equal(ids({0, 0, 2, 2, 2})));
    BOOST_TEST(counts.equal(ids({2, 0, 3})));
    BOOST_TEST(again.equal(counts));
    const auto [means, e, without, a] = reel::embedding_bag(weight, rows, starts, false, 1, false, {}, false, 2);
    BOOST_TEST(means.equal(tensor({{0., 1., 2.}, {0., 0., 0.}, {6., 7., 8.}}, kDouble)));
    BOOST_TEST(without.equal(ids({1, 0, 2})));
    const auto [maxima, f, c, best] = reel::embedding_bag(weight, rows, starts, false, 2);
    BOOST_TEST(maxima.equal(tensor({{6., 7., 8.}, {0., 0., 0.}, {9., 10., 11.}}, kDouble)));
    BOOST_TEST(best.equal(tensor({{2, 2, 2}, {0, 0, 0}, {3, 3, 3}})));
    const Tensor leaf = table();
    std::get<0>(reel::embedding_bag(leaf, places(), offsets(), false, 0)).sum().backward();
    const Tensor other = leaf.detach().requires_grad_();
    F::embedding_bag(places(), other, F::EmbeddingBagFuncOptions().offsets(offsets()).mode(kSum)).sum().backward();
    BOOST_TEST(leaf.grad().equal(other.grad()));
    BOOST_TEST(message_of<ValueError>([&] { reel::embedding_bag(weight, rows, starts, false, 3); }) ==
               "embedding_bag: mode is 3; expected 0 for sums, 1 for means or 2 for maxima");
}

BOOST_AUTO_TEST_SUITE_END()
