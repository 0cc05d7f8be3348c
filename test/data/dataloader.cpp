// Loaders without workers, and what loaders of all kinds have in common.
#include <reel/data/dataloader.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <ranges>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/data/datasets/stateful.hpp>
#include <reel/data/samplers.hpp>
#include <reel/data/transforms.hpp>

using namespace reel;
using namespace reel::data;
using boost::test_tools::per_element;

namespace {
TensorDataset numbers(std::int64_t n) { return {reel::arange(n * 2).reshape({n, 2}), reel::arange(n)}; }
std::vector<std::int64_t> list(const Tensor& t) {
    return {t.data_ptr<std::int64_t>(), t.data_ptr<std::int64_t>() + t.numel()};
}
auto says(const char* text) {
    return [text](const Error& e) {
        BOOST_TEST_MESSAGE(e.msg());
        return e.msg().find(text) != std::string::npos;
    };
}
/// Batches are what was asked for.
struct Echo : datasets::BatchDataset<Echo, std::vector<std::size_t>> {
    explicit Echo(std::optional<std::size_t> size) : size_(size) {}
    std::vector<std::size_t> get_batch(ArrayRef<std::size_t> request) override { return request.vec(); }
    std::optional<std::size_t> size() const override { return size_; }
    std::optional<std::size_t> size_;
};
struct Countdown : datasets::StatefulDataset<Countdown, std::vector<int>> {
    std::optional<std::vector<int>> get_batch(std::size_t n) override {
        if (left == 0) return std::nullopt;
        std::vector<int> batch;
        while (batch.size() < n && left > 0) batch.push_back(left--);
        return batch;
    }
    void reset() override { left = 5; }
    std::optional<std::size_t> size() const override { return 5; }
    int left = 0;
};
} // namespace

BOOST_AUTO_TEST_SUITE(dataloader, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(batches_gather_rows_in_order) {
    const auto loader = make_data_loader<samplers::SequentialSampler>(numbers(7), 3);
    std::vector<std::size_t> sizes;
    std::vector<std::int64_t> seen;
    for (auto& batch : *loader) {
        sizes.push_back(std::size_t(batch.data.size(0)));
        for (const std::int64_t i : list(batch.target)) seen.push_back(i);
        BOOST_TEST(batch.data.select(1, 0).contiguous().data_ptr<std::int64_t>()[0] == 2 * list(batch.target)[0]);
    }
    BOOST_TEST(sizes == (std::vector<std::size_t>{3, 3, 1}), per_element());
    BOOST_TEST(seen == (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6}), per_element());
}
BOOST_AUTO_TEST_CASE(drop_last_leaves_out_what_is_not_full) {
    const auto loader = make_data_loader<samplers::SequentialSampler>(numbers(7), DataLoaderOptions(3).drop_last(true));
    BOOST_TEST(std::distance(loader->begin(), loader->end()) == 2);
    const auto whole = make_data_loader<samplers::SequentialSampler>(numbers(6), DataLoaderOptions(3).drop_last(true));
    BOOST_TEST(std::distance(whole->begin(), whole->end()) == 2);
}
BOOST_AUTO_TEST_CASE(the_default_order_is_random_drawn_once_at_construction_and_for_each_pass) {
    reel::manual_seed(5);
    const auto loader = make_data_loader(Echo(50), 50);
    const Generator same = reel::detail::createCPUGenerator(5);
    reel::randperm(50, same); // the one of the construction
    for (int pass = 0; pass < 2; ++pass)
        for (auto& batch : *loader)
            BOOST_TEST(std::vector<std::int64_t>(batch.begin(), batch.end()) == list(reel::randperm(50, same)),
                       per_element());
}
BOOST_AUTO_TEST_CASE(a_dataset_without_a_size_needs_a_sampler) {
    BOOST_CHECK_EXCEPTION(make_data_loader(Echo(std::nullopt)), Error,
                          says("Expected the dataset to be sized in order to construct the Sampler"));
    BOOST_CHECK_NO_THROW(make_data_loader(Echo(std::nullopt), samplers::SequentialSampler(3)));
}
BOOST_AUTO_TEST_CASE(options_fill_in_what_is_left_open) {
    const DataLoaderOptions partial(5);
    BOOST_TEST((!partial.max_jobs() && !partial.timeout()));
    const FullDataLoaderOptions plain{DataLoaderOptions()};
    BOOST_TEST(plain.batch_size == 1u);
    BOOST_TEST(plain.workers == 0u);
    BOOST_TEST(plain.max_jobs == 0u);
    BOOST_TEST((!plain.timeout && plain.enforce_ordering && !plain.drop_last));
    using namespace std::chrono_literals;
    const auto loader = make_data_loader(
        numbers(4), DataLoaderOptions().batch_size(2).workers(3).timeout(1s).enforce_ordering(false).drop_last(true));
    BOOST_TEST(loader->options().batch_size == 2u);
    BOOST_TEST(loader->options().max_jobs == 6u);
    BOOST_TEST((loader->options().timeout == 1000ms && !loader->options().enforce_ordering));
    BOOST_CHECK_EXCEPTION(make_data_loader(numbers(4), 0), ValueError, says("batch_size must be positive"));
    BOOST_CHECK_EXCEPTION(make_data_loader(numbers(4), DataLoaderOptions(1).workers(2).max_jobs(0)), ValueError,
                          says("max_jobs is 0, so the 2 workers would never get a job"));
}
BOOST_AUTO_TEST_CASE(iterators_say_when_they_are_misused) {
    const auto loader = make_data_loader<samplers::SequentialSampler>(numbers(4), 2);
    auto it = loader->begin();
    ++it, ++it;
    BOOST_TEST((it == loader->end()));
    BOOST_CHECK_EXCEPTION(*it, Error, says("Attempted to dereference iterator that was past the end"));
    BOOST_CHECK_EXCEPTION(++it, Error, says("Attempted to increment iterator past the end"));
    BOOST_CHECK_EXCEPTION(*loader->end(), Error,
                          says("Dereferencing the DataLoader's past-the-end iterator is not allowed"));
    BOOST_CHECK_EXCEPTION(++loader->end(), Error,
                          says("Incrementing the DataLoader's past-the-end iterator is not allowed"));
    BOOST_CHECK_NO_THROW(loader->begin());
}
BOOST_AUTO_TEST_CASE(without_workers_a_second_pass_takes_the_place_of_one_on_its_way) {
    const auto loader = make_data_loader<samplers::SequentialSampler>(Echo(6), 2);
    auto unread = loader->begin(), read = loader->begin();
    BOOST_TEST((unread != read && unread != loader->end()));
    BOOST_CHECK_EXCEPTION(*unread, Error, says("begin() has started another pass over this loader"));
    BOOST_TEST((*++read)[0] == 2u);
    BOOST_TEST(std::distance(loader->begin(), loader->end()) == 3); // from the first batch on
    BOOST_TEST((*read)[0] == 2u);                                   // the batch at hand stays
    BOOST_CHECK_EXCEPTION(++read, Error, says("give each of two loops that overlap a loader of its own"));
    BOOST_CHECK_EXCEPTION(++read, Error, says("begin() has started another pass over this loader"));
    std::size_t outer = 0;
    const auto nested = [&] {
        for ([[maybe_unused]] auto& a : *loader) {
            ++outer;
            for ([[maybe_unused]] auto& b : *loader) {
            }
        }
    };
    BOOST_CHECK_EXCEPTION(nested(), Error, says("begin() has started another pass over this loader"));
    BOOST_TEST(outer == 1u); // not silently the last one
    auto ended = loader->begin();
    for (int i = 0; i < 3; ++i) ++ended;
    BOOST_TEST((ended == loader->end()));
    loader->begin();
    BOOST_TEST((ended == loader->end())); // a pass that was over stays so
}
BOOST_AUTO_TEST_CASE(with_workers_a_pass_on_its_way_keeps_its_place) {
    const auto loader = make_data_loader<samplers::SequentialSampler>(Echo(6), DataLoaderOptions(2).workers(1));
    auto it = loader->begin();
    BOOST_CHECK_EXCEPTION(
        loader->begin(), Error,
        says("Attempted to get a new DataLoader iterator while another iterator is not yet exhausted"));
    BOOST_TEST((*it)[0] == 0u);
}
BOOST_AUTO_TEST_CASE(a_pass_is_over_when_its_iterators_are_gone_or_joined) {
    for (const std::size_t workers : {0, 2}) {
        const auto loader =
            make_data_loader<samplers::SequentialSampler>(Echo(6), DataLoaderOptions(2).workers(workers));
        for (auto& batch : *loader) {
            BOOST_TEST(batch[0] == 0u);
            break;
        }
        auto it = loader->begin();
        BOOST_TEST((*it)[0] == 0u);
        loader->join();
        BOOST_TEST((*it)[0] == 0u); // the batch at hand stays
        BOOST_TEST((++it == loader->end()));
        BOOST_TEST(std::distance(loader->begin(), loader->end()) == 3);
    }
}
BOOST_AUTO_TEST_CASE(an_iterator_may_outlive_its_loader) {
    auto loader = make_data_loader<samplers::SequentialSampler>(Echo(6), DataLoaderOptions(2).workers(1));
    auto it = loader->begin();
    BOOST_TEST((*it)[1] == 1u);
    loader.reset();
    BOOST_TEST((*it)[1] == 1u);
    BOOST_CHECK_THROW((++it, *it), Error);
}
BOOST_AUTO_TEST_CASE(standard_algorithms_take_the_iterators) {
    static_assert(std::input_iterator<Iterator<int>> && std::sentinel_for<Iterator<int>, Iterator<int>>);
    const auto loader = make_data_loader<samplers::SequentialSampler>(Echo(6), 1);
    std::vector<std::vector<std::size_t>> copied;
    std::copy(loader->begin(), loader->end(), std::back_inserter(copied));
    BOOST_TEST(copied.size() == 6u);
    BOOST_TEST(copied[4][0] == 4u);
    BOOST_TEST(std::count_if(loader->begin(), loader->end(), [](auto& b) { return b[0] % 2 == 0; }) == 3);
    BOOST_TEST(std::ranges::distance(*loader) == 6);
}
BOOST_AUTO_TEST_CASE(stateful_datasets_keep_their_own_place) {
    const auto loader = make_data_loader(Countdown(), 2);
    static_assert(std::is_same_v<decltype(*loader), StatefulDataLoader<Countdown>&>);
    for (int pass = 0; pass < 2; ++pass) {
        std::vector<std::vector<int>> seen(loader->begin(), loader->end());
        BOOST_TEST((seen == std::vector<std::vector<int>>{{5, 4}, {3, 2}, {1}}));
    }
    const auto mapped = make_data_loader(Countdown().map(transforms::Lambda<int>([](int i) { return -i; })), 5);
    for (auto& batch : *mapped) BOOST_TEST((batch == std::vector<int>{-5, -4, -3, -2, -1}));
    BOOST_CHECK_EXCEPTION(Countdown().state_dict(), NotImplementedError, says("does not override state_dict()"));
}
BOOST_AUTO_TEST_CASE(the_callers_batches_have_generators_of_their_own) {
    const auto noise = [](std::vector<std::size_t>) { return reel::rand({2}, batch_generator()); };
    const auto loader = make_data_loader<samplers::SequentialSampler>(
        Echo(4).map(transforms::BatchLambda<std::vector<std::size_t>, Tensor>(noise)), 2);
    const auto pass = [&] {
        std::vector<Tensor> r;
        for (Tensor& t : *loader) r.push_back(t);
        return reel::stack(r);
    };
    reel::manual_seed(3);
    const Tensor state = reel::detail::getDefaultCPUGenerator().get_state();
    const Tensor one = pass();
    BOOST_TEST(reel::equal(reel::detail::getDefaultCPUGenerator().get_state(), state)); // untouched
    BOOST_TEST(!reel::equal(one[0], one[1]));
    BOOST_TEST(!reel::equal(pass(), one)); // another pass, other numbers
    BOOST_TEST((&batch_generator().impl() == &reel::detail::getDefaultCPUGenerator().impl()));
    BOOST_TEST(!get_worker_info());
}

BOOST_AUTO_TEST_SUITE_END()
