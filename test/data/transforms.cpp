// Transforms of examples and of batches.
#include <reel/data/transforms.hpp>

#include <boost/test/unit_test.hpp>

#include <numeric>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/data/dataset.hpp>

using namespace reel;
using namespace reel::data;
using boost::test_tools::per_element;

namespace {
struct Strings : datasets::Dataset<Strings, Example<Tensor, std::string>> {
    Example<Tensor, std::string> get(std::size_t i) override { return {reel::ones({3, 2, 2}), std::to_string(i)}; }
    std::optional<std::size_t> size() const override { return 100; }
};
struct Sum : transforms::Collation<int> {
    int apply_batch(std::vector<int> batch) override { return std::accumulate(batch.begin(), batch.end(), 0); }
};
} // namespace

BOOST_AUTO_TEST_SUITE(data_transforms)

BOOST_AUTO_TEST_CASE(functions_of_examples_and_of_batches) {
    transforms::Lambda<int, std::string> text([](int i) { return std::to_string(i); });
    BOOST_TEST(text.apply_batch({1, 23}) == (std::vector<std::string>{"1", "23"}), per_element());
    transforms::BatchLambda<std::vector<int>, int> last([](std::vector<int> v) { return v.back(); });
    BOOST_TEST(last.apply_batch({4, 5}) == 5);
    transforms::Collate<int> first([](std::vector<int> v) { return v.front(); });
    BOOST_TEST(first.apply_batch({4, 5}) == 4);
    BOOST_TEST(Sum().apply_batch({4, 5}) == 9);
}
BOOST_AUTO_TEST_CASE(stack_collates) {
    const Example<> batch =
        transforms::Stack<>().apply_batch({{reel::zeros({2}), reel::tensor(3)}, {reel::ones({2}), reel::tensor(4)}});
    BOOST_TEST(reel::equal(batch.data, reel::tensor({0.0f, 0.0f, 1.0f, 1.0f}).view({2, 2})));
    BOOST_TEST(reel::equal(batch.target, reel::tensor({3, 4})));
    const TensorExample bare = transforms::Stack<TensorExample>().apply_batch({reel::zeros({2}), reel::ones({2})});
    BOOST_TEST(reel::equal(bare, batch.data));
    BOOST_CHECK_EXCEPTION(transforms::Stack<TensorExample>().apply_batch({reel::zeros({2}), reel::ones({3})}), Error,
                          [](const Error& e) { return e.msg().find("stack") != std::string::npos; });
}
BOOST_AUTO_TEST_CASE(targets_of_any_type_are_left_alone) {
    auto doubled = Strings().map(transforms::TensorLambda<std::string>([](Tensor t) { return reel::mul(t, 2); }));
    BOOST_TEST(doubled.get_batch({7})[0].target == "7");
    BOOST_TEST(reel::equal(doubled.get_batch({7})[0].data, reel::full({3, 2, 2}, 2.0)));
}
BOOST_AUTO_TEST_CASE(normalize_by_one_moment_or_one_per_channel) {
    auto one = Strings().map(transforms::Normalize<std::string>(0.5, 0.1));
    BOOST_TEST(reel::allclose(one.get_batch(0)[0].data, reel::full({3, 2, 2}, 5.0)));
    auto many = Strings().map(transforms::Normalize<std::string>({0.5, 1.5, -1.5}, {0.1, 0.2, 0.2}));
    const Tensor image = many.get_batch(0)[0].data;
    BOOST_TEST(reel::allclose(image[0], reel::full({2, 2}, 5.0)));
    BOOST_TEST(reel::allclose(image[1], reel::full({2, 2}, -2.5)));
    BOOST_TEST(reel::allclose(image[2], reel::full({2, 2}, 12.5)));
    auto mixed = Strings().map(transforms::Normalize<std::string>(1.5, {0.1, 0.2, 0.5}));
    BOOST_TEST(reel::allclose(mixed.get_batch(0)[0].data[2], reel::full({2, 2}, -1.0)));
}

BOOST_AUTO_TEST_SUITE_END()
