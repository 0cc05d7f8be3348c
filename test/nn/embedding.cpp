// Embedding tables.
#include <reel/nn/modules/embedding.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn.hpp>

using namespace reel;

BOOST_AUTO_TEST_SUITE(embedding)

BOOST_AUTO_TEST_CASE(rows_by_index_and_their_gradient) {
    nn::Embedding m(5, 3);
    const Tensor i = tensor({{1, 4}, {1, 0}}), y = m(i);
    BOOST_TEST(y.sizes() == IntArrayRef({2, 2, 3}));
    BOOST_TEST((y.select(0, 0).select(0, 1) == m->weight.select(0, 4)).all().item<bool>());
    y.sum().backward();
    BOOST_TEST((m->weight.grad().sum(1) == tensor({3.f, 6.f, 0.f, 0.f, 3.f})).all().item<bool>());
}
BOOST_AUTO_TEST_CASE(the_padding_row_starts_at_zero_and_stays) {
    nn::Embedding m(nn::EmbeddingOptions(4, 2).padding_idx(-1));
    BOOST_TEST(m->weight.select(0, 3).abs().sum().item<double>() == 0);
    m(tensor({3, 1})).sum().backward();
    BOOST_TEST(m->weight.grad().select(0, 3).abs().sum().item<double>() == 0);
    BOOST_TEST(*m->options.padding_idx() == 3);
    BOOST_CHECK_THROW(nn::Embedding(nn::EmbeddingOptions(4, 2).padding_idx(4)), ValueError);
}
BOOST_AUTO_TEST_CASE(pretrained_tables_are_frozen) {
    const Tensor w = rand({3, 2});
    const nn::Embedding m = nn::Embedding::from_pretrained(w);
    BOOST_TEST(!m->weight.requires_grad());
    BOOST_TEST((m->weight == w).all().item<bool>());
    BOOST_TEST(
        nn::Embedding::from_pretrained(w, nn::EmbeddingFromPretrainedOptions().freeze(false))->weight.requires_grad());
}
BOOST_AUTO_TEST_CASE(bags_sum_average_and_maximise) {
    const Tensor w = tensor({{1., 2.}, {3., 1.}, {5., 0.}}).to(kDouble).requires_grad_();
    const Tensor i = tensor({0, 1, 2, 2}), offsets = tensor({0, 2, 2});
    const auto bag = [&](const char* mode) {
        return reel::functional_embedding_bag(i, w, offsets, std::nullopt, 2., false, mode);
    };
    BOOST_TEST((bag("sum") == tensor({{4., 3.}, {0., 0.}, {10., 0.}}).to(kDouble)).all().item<bool>());
    BOOST_TEST((bag("mean") == tensor({{2., 1.5}, {0., 0.}, {5., 0.}}).to(kDouble)).all().item<bool>());
    BOOST_TEST((bag("max") == tensor({{3., 2.}, {0., 0.}, {5., 0.}}).to(kDouble)).all().item<bool>());
    bag("max").sum().backward();
    BOOST_TEST((w.grad() == tensor({{0., 1.}, {1., 0.}, {1., 1.}}).to(kDouble)).all().item<bool>());
}
BOOST_AUTO_TEST_CASE(printing) {
    BOOST_TEST(nn::Embedding(nn::EmbeddingOptions(7, 5).padding_idx(1).max_norm(1.0))->repr() ==
               "Embedding(7, 5, padding_idx=1, max_norm=1.0)");
}

BOOST_AUTO_TEST_SUITE_END()
