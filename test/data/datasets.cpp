// Datasets: what they give for an index, for a batch, and through a transform.
#include <reel/data/datasets.hpp>

#include <boost/test/unit_test.hpp>

#include <numeric>
#include <set>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/data/dataloader.hpp>
#include <reel/data/transforms.hpp>

using namespace reel;
using namespace reel::data;
using boost::test_tools::per_element;

namespace {
using Indices = std::vector<std::size_t>;
auto says(const char* text) {
    return [text](const Error& e) {
        BOOST_TEST_MESSAGE(e.msg());
        return e.msg().find(text) != std::string::npos;
    };
}
/// Element i is 10 i.
struct Tens : datasets::Dataset<Tens, int> {
    explicit Tens(std::size_t n, int plus = 0) : n(n), plus(plus) {}
    int get(std::size_t i) override { return int(i) * 10 + plus; }
    std::optional<std::size_t> size() const override { return n; }
    std::size_t n;
    int plus;
};
struct Uncopyable : datasets::Dataset<Uncopyable> {
    explicit Uncopyable(const std::string&) {}
    Uncopyable(Uncopyable&&) = default;
    Uncopyable& operator=(Uncopyable&&) = default;
    Uncopyable(const Uncopyable&) = delete;
    Example<> get(std::size_t i) override {
        return {reel::full({1}, std::int64_t(i), kLong), reel::full({1}, std::int64_t(i), kLong)};
    }
    std::optional<std::size_t> size() const override { return 100; }
};
struct UncopyableTransform : transforms::TensorTransform<> {
    UncopyableTransform() = default;
    UncopyableTransform(UncopyableTransform&&) = default;
    UncopyableTransform(const UncopyableTransform&) = delete;
    Tensor operator()(Tensor t) override { return reel::add(t, 10); }
};
} // namespace

BOOST_AUTO_TEST_SUITE(data_datasets, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(an_example_without_a_target_is_its_tensor) {
    TensorExample e = reel::ones({2});
    Tensor& inside = e;
    BOOST_TEST((inside.unsafeGetTensorImpl() == e.data.unsafeGetTensorImpl()));
    BOOST_TEST(reel::equal(static_cast<const TensorExample&>(e), reel::ones({2})));
    static_assert(std::is_same_v<TensorExample, Example<Tensor, example::NoTarget>>);
}
BOOST_AUTO_TEST_CASE(a_batch_is_every_element_asked_for) {
    Tens d(5);
    BOOST_TEST(d.get_batch({4, 1, 1}) == (std::vector<int>{40, 10, 10}), per_element());
    static_assert(!Tens::is_stateful && std::is_same_v<Tens::ExampleType, int>);
}
BOOST_AUTO_TEST_CASE(rows_of_a_tensor_or_of_a_list) {
    datasets::TensorDataset d(reel::eye(5));
    BOOST_TEST(*d.size() == 5u);
    BOOST_TEST(reel::equal(d.get(2), reel::eye(5)[2]));
    datasets::TensorDataset listed(std::vector<Tensor>{reel::zeros({3}), reel::ones({3})});
    BOOST_TEST(reel::equal(listed.get_batch({1, 0})[0], reel::ones({3})));
    auto stacked = datasets::TensorDataset(reel::eye(4)).map(transforms::Stack<TensorExample>());
    BOOST_TEST(reel::equal(stacked.get_batch({1, 3}), reel::eye(4).index_select(0, reel::tensor({1, 3}))));
    BOOST_CHECK_EXCEPTION(d.get(5), IndexError, says("row 5 of 5"));
    BOOST_CHECK_EXCEPTION(datasets::TensorDataset(reel::tensor(1.0)), ValueError, says("no rows; it is a scalar"));
    BOOST_CHECK_EXCEPTION(datasets::TensorDataset(Tensor{}), ValueError, says("undefined"));
}
BOOST_AUTO_TEST_CASE(rows_with_targets_that_do_not_fit_are_refused) {
    BOOST_CHECK_EXCEPTION(TensorDataset(reel::zeros({3}), reel::zeros({4})), ValueError,
                          [](const Error& e) { return e.msg() == "TensorDataset: data has 3 rows, target has 4"; });
    BOOST_CHECK_EXCEPTION(TensorDataset(reel::zeros({3}), reel::zeros({3})).get_batch({3}), IndexError,
                          says("TensorDataset: row 3 of 3"));
}
BOOST_AUTO_TEST_CASE(map_applies_transforms_in_turn_and_moves_what_it_may) {
    auto d = Uncopyable("x")
                 .map(transforms::TensorLambda<>([](Tensor t) { return reel::add(t, 1); }))
                 .map(transforms::TensorLambda<>([](Tensor t) { return reel::mul(t, 2); }))
                 .map(UncopyableTransform());
    BOOST_TEST(d.get_batch(1).at(0).data.item<std::int64_t>() == 14);
    BOOST_TEST(d.get_batch(1).at(0).target.item<std::int64_t>() == 1);
    BOOST_TEST(*d.size() == 100u);
}
BOOST_AUTO_TEST_CASE(map_of_an_lvalue_leaves_it_there) {
    Tens d(3, 1);
    auto mapped = d.map(transforms::Lambda<int, double>([](int i) { return i * 0.5; }));
    d.plus = 7;
    BOOST_TEST(mapped.get_batch({2}) == (std::vector<double>{10.5}), per_element());
    auto again = datasets::map(d, transforms::Lambda<int>([](int i) { return -i; }));
    BOOST_TEST(again.get_batch({1}) == (std::vector<int>{-17}), per_element());
    BOOST_TEST(again.dataset().plus == 7);
}
BOOST_AUTO_TEST_CASE(a_shared_dataset_is_one_for_all_its_copies) {
    auto shared = datasets::make_shared_dataset<Uncopyable>("x");
    auto copy = shared;
    BOOST_TEST(&*copy == &*shared);
    BOOST_TEST(shared->get_batch({0}).size() == 1u);
    std::size_t seen = 0;
    const auto loader = make_data_loader(shared, DataLoaderOptions(7).workers(3));
    for (auto& batch : *loader) seen += batch.size();
    BOOST_TEST(seen == 100u);
    BOOST_CHECK_EXCEPTION(make_data_loader(Uncopyable("x"), DataLoaderOptions(7).workers(3)), TypeError,
                          says("share it with make_shared_dataset, or take workers(0)"));
    BOOST_CHECK_NO_THROW(make_data_loader(Uncopyable("x"), 7));
    BOOST_CHECK_EXCEPTION(datasets::SharedBatchDataset<Tens>(nullptr), ValueError, says("is null"));
}
BOOST_AUTO_TEST_CASE(a_subset_asks_for_its_own_elements) {
    datasets::Subset part(Tens(10), {7, 0, 7});
    BOOST_TEST(*part.size() == 3u);
    BOOST_TEST(part.get(2) == 70);
    BOOST_TEST(part.get_batch({1, 0}) == (std::vector<int>{0, 70}), per_element());
    BOOST_CHECK_EXCEPTION(part.get_batch({3}), IndexError, says("index 3 is out of range for a subset of 3"));
    BOOST_CHECK_EXCEPTION(datasets::Subset(Tens(10), {10}), IndexError,
                          says("index 10 is out of range for a dataset of 10"));
    datasets::Subset rows(TensorDataset(reel::arange(6), reel::arange(6)), {5, 3});
    BOOST_TEST(reel::equal(rows.get_batch({1, 0}).target, reel::tensor({3, 5})));
}
BOOST_AUTO_TEST_CASE(datasets_one_after_the_other) {
    datasets::ConcatDataset all({Tens(2, 1), Tens(0), Tens(3, 2)});
    BOOST_TEST(*all.size() == 5u);
    BOOST_TEST(all.cumulative_sizes() == (Indices{2, 2, 5}), per_element());
    BOOST_TEST(all.get_batch({0, 1, 2, 4, 1}) == (std::vector<int>{1, 11, 2, 22, 11}), per_element());
    BOOST_CHECK_EXCEPTION(all.get_batch({5}), IndexError, says("index 5 is out of range for 5 elements"));
    BOOST_CHECK_EXCEPTION(datasets::ConcatDataset<Tens>(std::vector<Tens>{}), ValueError, says("no datasets"));
    const TensorDataset pairs(reel::arange(2), reel::arange(2));
    auto both = datasets::ConcatDataset({pairs, pairs}).map(transforms::Stack<>());
    BOOST_TEST(reel::equal(both.get_batch({3, 0}).data, reel::tensor({1, 0})));
}
BOOST_AUTO_TEST_CASE(random_split_cuts_one_permutation) {
    const Generator a = reel::detail::createCPUGenerator(9), b = reel::detail::createCPUGenerator(9);
    const auto parts = random_split(Tens(10), {7, 3}, a);
    const Tensor order = reel::randperm(10, b);
    const auto* p = order.data_ptr<std::int64_t>();
    BOOST_TEST(parts[0].indices() == Indices(p, p + 7), per_element());
    BOOST_TEST(parts[1].indices() == Indices(p + 7, p + 10), per_element());
    std::vector<std::size_t> sizes; // what rounding leaves goes to the first parts
    for (const auto& part : random_split(Tens(11), {0.5, 0.25, 0.25})) sizes.push_back(*part.size());
    BOOST_TEST(sizes == (Indices{6, 3, 2}), per_element());
    BOOST_CHECK_EXCEPTION(random_split(Tens(10), {7, 4}), ValueError, says("sum to 11, the dataset has 10"));
    BOOST_CHECK_EXCEPTION(random_split(Tens(10), {0.5, 0.4}), ValueError, says("the fractions sum to 0.9, expected 1"));
    BOOST_CHECK_EXCEPTION(random_split(Tens(10), {1.5, -0.5}), ValueError, says("fraction 1.5 is not between 0 and 1"));
}

BOOST_AUTO_TEST_SUITE_END()
