// Queues between threads, and the order of what comes out of them.
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <reel/data/detail/data_shuttle.hpp>
#include <reel/data/detail/queue.hpp>
#include <reel/data/detail/sequencers.hpp>

#include "../message.hpp"

using namespace reel;
using namespace reel::data::detail;
using namespace std::chrono_literals;
using reel::testing::message;

BOOST_AUTO_TEST_SUITE(data_queue)

BOOST_AUTO_TEST_CASE(values_come_out_in_the_order_they_went_in) {
    Queue<std::unique_ptr<int>> queue; // of what cannot be copied
    for (int i = 0; i < 3; ++i) queue.push(std::make_unique<int>(i));
    BOOST_TEST(*queue.pop() == 0);
    BOOST_TEST(*queue.pop(1ms) == 1);
    BOOST_TEST(queue.clear() == 1u);
    BOOST_TEST(queue.clear() == 0u);
}

BOOST_AUTO_TEST_CASE(a_value_that_does_not_come_is_an_error) {
    Queue<int> queue;
    BOOST_TEST(message([&] { queue.pop(3ms); }) ==
               "Timeout in DataLoader queue while waiting for next batch (timeout was 3 ms)");
}

BOOST_AUTO_TEST_CASE(a_thread_waits_for_what_another_pushes) {
    Queue<int> there, back;
    std::thread other([&] {
        for (int i = 0; i < 100; ++i) back.push(there.pop() + 1);
    });
    int value = 0;
    for (int i = 0; i < 100; ++i) {
        there.push(value);
        value = back.pop();
    }
    other.join();
    BOOST_TEST(value == 100);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(data_shuttle)

BOOST_AUTO_TEST_CASE(jobs_go_to_workers_and_results_come_back) {
    DataShuttle<int, int> shuttle;
    std::vector<std::thread> workers;
    for (int w = 0; w < 3; ++w)
        workers.emplace_back([&] {
            while (const int job = shuttle.pop_job()) shuttle.push_result(job * job);
        });
    int sum = 0, results = 0;
    for (int i = 1; i <= 20; ++i) shuttle.push_job(i);
    BOOST_TEST(shuttle.in_flight_jobs() == 20u);
    while (const auto result = shuttle.pop_result()) {
        sum += *result;
        ++results;
    }
    BOOST_TEST(results == 20);
    BOOST_TEST(sum == 2870);
    for (int w = 0; w < 3; ++w) shuttle.push_job(0);
    for (auto& worker : workers) worker.join();
}

BOOST_AUTO_TEST_CASE(without_jobs_there_are_no_results) {
    DataShuttle<int, int> shuttle;
    BOOST_TEST(!shuttle.pop_result().has_value());
    shuttle.push_job(1);
    BOOST_TEST(message([&] { shuttle.pop_result(2ms); }) ==
               "Timeout in DataLoader queue while waiting for next batch (timeout was 2 ms)");
    BOOST_TEST(shuttle.in_flight_jobs() == 1u); // it may come yet
    shuttle.push_result(shuttle.pop_job() + 1);
    BOOST_TEST(shuttle.pop_result().value() == 2);
    BOOST_TEST(!shuttle.pop_result().has_value());
}

BOOST_AUTO_TEST_CASE(drain_waits_for_those_that_were_taken) {
    DataShuttle<int, int> shuttle;
    for (int i = 0; i < 4; ++i) shuttle.push_job(i);
    const int taken = shuttle.pop_job();
    std::thread worker([&] {
        std::this_thread::sleep_for(2ms);
        shuttle.push_result(taken);
    });
    shuttle.drain();
    BOOST_TEST(shuttle.in_flight_jobs() == 0u);
    BOOST_TEST(!shuttle.pop_result().has_value());
    worker.join();
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(data_sequencers)

namespace {
struct Numbered {
    std::size_t sequence_number;
};
/// What arrives in this order, then nothing.
auto arriving(std::vector<std::size_t> numbers) {
    return [numbers, at = std::size_t(0)]() mutable -> std::optional<Numbered> {
        if (at == numbers.size()) return std::nullopt;
        return Numbered{numbers[at++]};
    };
}
std::vector<std::size_t> handed_on(sequencers::Sequencer<Numbered>& by, std::vector<std::size_t> numbers) {
    std::vector<std::size_t> result;
    auto source = arriving(std::move(numbers));
    while (const auto next = by.next(std::ref(source))) result.push_back(next->sequence_number);
    return result;
}
} // namespace

BOOST_AUTO_TEST_CASE(as_they_arrive_or_by_their_numbers) {
    using Numbers = std::vector<std::size_t>;
    const Numbers mixed{2, 0, 1, 4, 3}, sorted{0, 1, 2, 3, 4};
    sequencers::NoSequencer<Numbered> arrival;
    sequencers::OrderedSequencer<Numbered> order(3);
    BOOST_TEST((handed_on(arrival, mixed) == mixed));
    BOOST_TEST((handed_on(order, mixed) == sorted));
    BOOST_TEST(order.next_sequence_number_ == 5u);
    BOOST_TEST((handed_on(order, {6, 5}) == Numbers{5, 6})); // and on, around the buffer
}

BOOST_AUTO_TEST_CASE(numbers_that_have_no_place_are_refused) {
    sequencers::OrderedSequencer<Numbered> order(2);
    BOOST_TEST(message([&] { order.next(arriving({2})); }) ==
               "OrderedSequencer: result 2 came while 0 is waited for, more than max_jobs (2) apart");
    BOOST_TEST(order.next(arriving({0})).value().sequence_number == 0u);
    BOOST_TEST(message([&] { order.next(arriving({0})); }) ==
               "OrderedSequencer: result 0 came while 1 is waited for, more than max_jobs (2) apart");
    BOOST_TEST(message([] { sequencers::OrderedSequencer<Numbered> none(0); }) ==
               "OrderedSequencer: max_jobs must be positive");
}

BOOST_AUTO_TEST_SUITE_END()
