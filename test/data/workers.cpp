// Loaders with worker threads.
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/random.hpp>
#include <reel/data/dataloader.hpp>
#include <reel/data/datasets/shared.hpp>
#include <reel/data/datasets/stateful.hpp>
#include <reel/data/transforms.hpp>

using namespace reel;
using namespace reel::data;
using namespace std::chrono_literals;
using boost::test_tools::per_element;

namespace {
using Indices = std::vector<std::size_t>;
/// Batches are what was asked for; even ones take longer than odd ones. Counts the living.
struct Slow : datasets::BatchDataset<Slow, Indices> {
    explicit Slow(std::size_t size) : size_(size) { ++alive; }
    Slow(const Slow& o) : size_(o.size_) { ++alive; }
    ~Slow() override { --alive; }
    Indices get_batch(ArrayRef<std::size_t> request) override {
        if (request[0] % 2 == 0) std::this_thread::sleep_for(2ms);
        return request.vec();
    }
    std::optional<std::size_t> size() const override { return size_; }
    std::size_t size_;
    static inline std::atomic<int> alive{0};
};
struct Failing : datasets::Dataset<Failing, std::size_t> {
    std::size_t get(std::size_t i) override {
        if (i == 2) throw std::invalid_argument("badness");
        if (i == 3) throw 7;
        return i;
    }
    std::optional<std::size_t> size() const override { return 6; }
};
/// Makes its first batch only when it is told to.
struct Gate {
    std::mutex mutex;
    std::condition_variable opened;
    bool open = false;
    void wait() {
        std::unique_lock lock(mutex);
        opened.wait(lock, [&] { return open; });
    }
    void let_through() {
        {
            std::lock_guard lock(mutex);
            open = true;
        }
        opened.notify_all();
    }
};
struct Gated : datasets::Dataset<Gated, std::size_t> {
    explicit Gated(std::shared_ptr<Gate> gate, bool first_only) : gate(std::move(gate)), first_only(first_only) {}
    std::size_t get(std::size_t i) override {
        if (i == 0 || !first_only) gate->wait();
        return i;
    }
    std::optional<std::size_t> size() const override { return 6; }
    std::shared_ptr<Gate> gate;
    bool first_only;
};
struct Counter : datasets::StatefulDataset<Counter, std::size_t> {
    std::optional<std::size_t> get_batch(std::size_t) override {
        std::lock_guard lock(mutex);
        if (at == 20) return std::nullopt;
        return at++;
    }
    void reset() override {
        std::lock_guard lock(mutex);
        at = 0;
    }
    std::optional<std::size_t> size() const override { return 20; }
    std::mutex mutex;
    std::size_t at = 0;
};
Indices flat(const std::vector<Indices>& batches) {
    Indices r;
    for (const Indices& b : batches) r.insert(r.end(), b.begin(), b.end());
    return r;
}
} // namespace

BOOST_AUTO_TEST_SUITE(workers, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(ordered_batches_are_those_of_no_workers) {
    for (const std::size_t n : {1, 3}) {
        const auto loader =
            make_data_loader<samplers::SequentialSampler>(Slow(41), DataLoaderOptions(2).workers(n).max_jobs(5));
        for (int pass = 0; pass < 2; ++pass) {
            Indices expected(41);
            std::iota(expected.begin(), expected.end(), 0);
            BOOST_TEST(flat({loader->begin(), loader->end()}) == expected, per_element());
        }
    }
    BOOST_TEST(Slow::alive == 0);
}
BOOST_AUTO_TEST_CASE(unordered_batches_all_come_as_soon_as_they_can) {
    const auto gate = std::make_shared<Gate>();
    const auto loader = make_data_loader<samplers::SequentialSampler>(
        Gated(gate, true), DataLoaderOptions().workers(2).enforce_ordering(false));
    std::vector<std::vector<std::size_t>> seen;
    for (auto& batch : *loader) {
        seen.push_back(batch);
        if (seen.size() == 5) gate->let_through(); // the first is held back until all others are there
    }
    BOOST_TEST(flat(seen) == (Indices{1, 2, 3, 4, 5, 0}), per_element());
}
BOOST_AUTO_TEST_CASE(errors_of_workers_reach_the_consumer_and_the_pass_goes_on) {
    const auto loader = make_data_loader<samplers::SequentialSampler>(Failing(), DataLoaderOptions().workers(2));
    Indices seen;
    auto it = loader->begin();
    seen.push_back((*it)[0]);
    seen.push_back((*++it)[0]);
    try {
        ++it;
        BOOST_ERROR("no exception");
    } catch (const WorkerException& e) {
        BOOST_TEST(e.what() == "Caught exception in DataLoader worker thread. Original message: badness");
        BOOST_TEST(e.message == e.what());
        BOOST_CHECK_THROW(std::rethrow_exception(e.original_exception), std::invalid_argument);
    }
    BOOST_CHECK_EXCEPTION(++it, WorkerException,
                          [](const Error& e) { return e.msg() == "Caught exception in DataLoader worker thread."; });
    for (++it; it != loader->end(); ++it) seen.push_back((*it)[0]);
    BOOST_TEST(seen == (Indices{0, 1, 4, 5}), per_element());
    // without workers they come as they are
    const auto plain = make_data_loader(Failing(), samplers::SequentialSampler(6));
    BOOST_CHECK_THROW(for ([[maybe_unused]] auto& batch : *plain){}, std::invalid_argument);
}
BOOST_AUTO_TEST_CASE(waiting_ends_with_the_timeout) {
    const auto gate = std::make_shared<Gate>();
    const auto loader =
        make_data_loader<samplers::SequentialSampler>(Gated(gate, false), DataLoaderOptions().workers(1).timeout(10ms));
    BOOST_CHECK_EXCEPTION(*loader->begin(), Error, [](const Error& e) {
        return e.msg() == "Timeout in DataLoader queue while waiting for next batch (timeout was 10 ms)";
    });
    gate->let_through();
    std::size_t seen = 0;
    for (auto& batch : *loader) seen += batch.size();
    BOOST_TEST(seen == 6u);
}
BOOST_AUTO_TEST_CASE(a_loader_may_go_or_begin_anew_in_the_middle_of_a_pass) {
    for (int i = 0; i < 10; ++i) {
        const auto loader = make_data_loader<samplers::SequentialSampler>(Slow(100), DataLoaderOptions(2).workers(3));
        for (int pass = 0; pass < 3; ++pass)
            for (auto& batch : *loader) {
                if (batch[0] == 0) continue;
                BOOST_TEST(batch[0] == 2u);
                break;
            }
        auto it = loader->begin();
        BOOST_CHECK_THROW(loader->begin(), Error); // `it` is in flight
    }
    BOOST_TEST(Slow::alive == 0);
}
BOOST_AUTO_TEST_CASE(one_stateful_dataset_for_all_workers) {
    const auto loader = make_data_loader(datasets::make_shared_dataset<Counter>(), DataLoaderOptions().workers(3));
    for (int pass = 0; pass < 3; ++pass) {
        std::multiset<std::size_t> seen(loader->begin(), loader->end());
        BOOST_TEST(seen.size() == 20u);
        BOOST_TEST(*seen.rbegin() == 19u);
        BOOST_TEST(std::set<std::size_t>(seen.begin(), seen.end()).size() == 20u);
    }
}
BOOST_AUTO_TEST_CASE(random_transforms_do_not_depend_on_the_workers) {
    const auto run = [](std::size_t n) {
        reel::manual_seed(11);
        const auto noisy = [](Indices i) { return reel::add(reel::rand({2}, batch_generator()), double(i[0])); };
        const auto loader = make_data_loader(Slow(12).map(transforms::BatchLambda<Indices, Tensor>(noisy)),
                                             DataLoaderOptions(2).workers(n));
        std::vector<Tensor> r;
        for (int pass = 0; pass < 2; ++pass)
            for (Tensor& t : *loader) r.push_back(t);
        return reel::stack(r);
    };
    const Tensor alone = run(0);
    BOOST_TEST(reel::equal(run(1), alone));
    BOOST_TEST(reel::equal(run(3), alone));
}
BOOST_AUTO_TEST_CASE(workers_know_themselves_and_compute_with_one_thread) {
    const auto ask = [](Indices) {
        const WorkerInfo* info = get_worker_info();
        return info ? std::vector<std::size_t>{info->id, info->num_workers, std::size_t(get_num_threads())} : Indices();
    };
    const auto loader =
        make_data_loader(Slow(30).map(transforms::BatchLambda<Indices, Indices>(ask)), DataLoaderOptions().workers(2));
    std::size_t batches = 0;
    for (Indices& i : *loader) {
        BOOST_REQUIRE(i.size() == 3u);
        BOOST_TEST(i[0] < 2u);
        BOOST_TEST(i[1] == 2u);
        BOOST_TEST(i[2] == 1u);
        ++batches;
    }
    BOOST_TEST(batches == 30u);
    BOOST_TEST(!get_worker_info());
}

BOOST_AUTO_TEST_SUITE_END()
