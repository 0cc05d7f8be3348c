// Datasets, samplers and loaders.
#include <reel/data/dataloader.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>

using namespace reel;
using namespace reel::data;

namespace {
TensorDataset numbers(std::int64_t n) { return {reel::arange(n * 2).reshape({n, 2}), reel::arange(n)}; }
std::vector<std::int64_t> list(const Tensor& t) {
    return {t.data_ptr<std::int64_t>(), t.data_ptr<std::int64_t>() + t.numel()};
}
} // namespace

BOOST_AUTO_TEST_SUITE(dataloader)

BOOST_AUTO_TEST_CASE(batches_gather_rows_in_order) {
    const auto loader = make_data_loader<samplers::SequentialSampler>(numbers(7), 3);
    std::vector<std::size_t> sizes;
    std::vector<std::int64_t> seen;
    for (auto& batch : *loader) {
        sizes.push_back(std::size_t(batch.data.size(0)));
        for (const std::int64_t i : list(batch.target)) seen.push_back(i);
        BOOST_TEST(batch.data.select(1, 0).contiguous().data_ptr<std::int64_t>()[0] == 2 * list(batch.target)[0]);
    }
    BOOST_TEST(sizes == (std::vector<std::size_t>{3, 3, 1}), boost::test_tools::per_element());
    BOOST_TEST(seen == (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6}), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(drop_last_leaves_out_what_is_not_full) {
    const auto loader = make_data_loader<samplers::SequentialSampler>(numbers(7), DataLoaderOptions(3).drop_last(true));
    BOOST_TEST(std::distance(loader->begin(), loader->end()) == 2);
}
BOOST_AUTO_TEST_CASE(random_order_is_randperm_of_the_generator_and_fresh_for_each_pass) {
    const Generator a = detail::createCPUGenerator(5), b = detail::createCPUGenerator(5);
    const auto loader = make_data_loader(numbers(50), samplers::RandomSampler(50, a), 50);
    for (int pass = 0; pass < 2; ++pass)
        for (auto& batch : *loader)
            BOOST_TEST(list(batch.target) == list(reel::randperm(50, b)), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(iterators_say_when_they_are_misused) {
    const auto loader = make_data_loader<samplers::SequentialSampler>(numbers(4), 2);
    auto it = loader->begin();
    BOOST_CHECK_THROW(loader->begin(), Error);
    ++it, ++it;
    BOOST_TEST((it == loader->end()));
    BOOST_CHECK_THROW(*it, Error);
    BOOST_CHECK_THROW(++it, Error);
    BOOST_CHECK_NO_THROW(loader->begin());
}
BOOST_AUTO_TEST_CASE(rows_that_do_not_fit_are_refused) {
    BOOST_CHECK_EXCEPTION(TensorDataset(reel::zeros({3}), reel::zeros({4})), ValueError,
                          [](const Error& e) { return e.msg() == "TensorDataset: data has 3 rows, target has 4"; });
    const std::size_t beyond[] = {4};
    BOOST_CHECK_THROW(numbers(4).get_batch(beyond), IndexError);
}

BOOST_AUTO_TEST_SUITE_END()
