// Ranks of one host, whose messages go through memory (rules in libs/distributed/src/transport).
#include <reel/distributed/collectives.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

#include <unistd.h>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/distributed/session.hpp>

#include "distributed/on_ranks.hpp"
#include "distributed/processes.hpp"
#include "message.hpp"

using namespace reel;
using namespace reel::testing;
using namespace std::chrono_literals;
namespace dist = reel::distributed;

namespace {
/// Segments of memory that this process has in common with others, its own included.
int segments() {
    std::ifstream maps("/proc/self/maps");
    int n = 0;
    for (std::string line; std::getline(maps, line);) n += line.find("memfd:reel-ranks") != std::string::npos;
    return n;
}
// Started by run_processes, these talk over sockets; by mpirun (test/reel_run/run.sh), over MPI.
/// Bits of a sum that depends on the order in which it is taken.
const ProcessBody sums("sums_and_segments", [] {
    const dist::Session session(dist::Backend::kAuto, {.timeout = 30s});
    reel::manual_seed(std::uint64_t(dist::rank()));
    std::uint64_t digest = 0;
    for (const std::int64_t n : {0, 1, 63, 4096, 8193, 65536, 100003, 700001, 1 << 20}) {
        const Tensor t = reel::randn({n}, kFloat) * 1e3;
        dist::all_reduce(t, dist::kAvg);
        dist::broadcast(t, n % dist::world_size());
        const auto* bits = reinterpret_cast<const std::uint32_t*>(t.const_data_ptr<float>());
        for (std::int64_t i = 0; i < n; ++i) digest = digest * 1099511628211u + bits[i];
    }
    std::cout << segments() << " " << std::hex << digest;
});
std::string segments_of(const Ended& e) { return e.said.substr(0, e.said.find(' ')); }
std::string digest_of(const Ended& e) { return e.said.substr(e.said.find(' ')); }

/// Longer than the memory between two ranks, by far; sent by all before any receives.
const ProcessBody round_trip("round_trip", [] {
    const dist::Session session(dist::Backend::kAuto, {.timeout = 30s});
    const std::int64_t n = dist::world_size(), next = (dist::rank() + 1) % n, before = (dist::rank() + n - 1) % n;
    const Tensor sent = reel::arange(3'000'001) + Scalar(dist::rank()), got = reel::zeros_like(sent);
    for (int i = 0; i < 3; ++i) {
        dist::send(sent, next, i);
        dist::recv(got, before, i);
        if (!reel::equal(got, reel::arange(3'000'001) + Scalar(before))) throw std::runtime_error("other values");
    }
    std::cout << "round";
});
/// Rank 1 does not so much as ask for messages until rank 0 has sent all of its own.
const ProcessBody busy("busy_elsewhere", [] {
    const std::string sign = std::getenv("SIGN");
    const dist::Session session(dist::Backend::kAuto, {.timeout = 30s});
    const Tensor t = reel::full({2'000'000}, 7.0);
    if (dist::rank() == 0) {
        dist::send(t, 1);
        std::ofstream(sign) << "sent";
    } else if (dist::rank() == 1) {
        for (int i = 0; i < 2000 && !std::filesystem::exists(sign); ++i) std::this_thread::sleep_for(10ms);
        std::cout << std::filesystem::exists(sign);
        t.zero_();
        dist::recv(t, 0);
        std::cout << " " << t.min().item<double>();
    }
});
/// Many short and long ones at once, of several groups.
const ProcessBody crowd("crowd", [] {
    const dist::Session session(dist::Backend::kAuto, {.timeout = 30s});
    std::vector<dist::ProcessGroup> groups;
    for (int g = 0; g < 3; ++g) groups.push_back(dist::new_group({0, 1, 2}));
    for (int round = 0; round < 20; ++round) {
        std::vector<Tensor> tensors;
        std::vector<dist::Work> work;
        for (std::size_t k = 0; k < 12; ++k) {
            tensors.push_back(reel::full({k % 2 ? 300'000 : 5}, double(k + 1)));
            work.push_back(dist::all_reduce_async(tensors.back(), dist::kSum, groups[k % 3]));
        }
        for (std::size_t k = 0; k < 12; ++k) {
            work[k].wait();
            const double expected = 3.0 * double(k + 1);
            if (tensors[k].min().item<double>() != expected || tensors[k].max().item<double>() != expected)
                throw std::runtime_error("a wrong sum");
        }
    }
    std::cout << "all";
});
} // namespace

BOOST_AUTO_TEST_SUITE(shared_memory, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(ranks_of_one_host_share_memory_and_come_to_the_bits_of_sockets) {
    const auto near = run_processes(3, "sums_and_segments");
    const auto far =
        run_processes(3, "sums_and_segments", [](std::int64_t, Variables& v) { v["REEL_SHARED_MEMORY"] = "0"; });
    const auto mixed = run_processes(3, "sums_and_segments", [](std::int64_t rank, Variables& v) {
        if (rank == 1) v["REEL_SHARED_MEMORY"] = "0";
    });
    for (std::size_t r = 0; r < 3; ++r) {
        BOOST_TEST(segments_of(near[r]) == "3", near[r].said);
        BOOST_TEST(segments_of(far[r]) == "0", far[r].said);
        BOOST_TEST(segments_of(mixed[r]) == (r == 1 ? "0" : "2"), mixed[r].said);
        BOOST_TEST(digest_of(near[r]) == digest_of(far[0]));
        BOOST_TEST(digest_of(mixed[r]) == digest_of(far[0]));
        BOOST_TEST(near[r].status == 0);
    }
}

BOOST_AUTO_TEST_CASE(messages_longer_than_the_memory_pass_in_circles) {
    for (const std::int64_t n : {2, 3})
        for (const Ended& e : run_processes(n, "round_trip")) BOOST_TEST(e.said == "round", e.said);
}

BOOST_AUTO_TEST_CASE(a_rank_that_is_busy_elsewhere_holds_up_no_sender) {
    const std::string sign = (std::filesystem::temp_directory_path() / str("reel-sign-", ::getpid())).string();
    const auto ranks = run_processes(2, "busy_elsewhere", [&](std::int64_t, Variables& v) { v["SIGN"] = sign; });
    std::filesystem::remove(sign);
    BOOST_TEST(ranks[1].said == "1 7", ranks[1].said);
}

BOOST_AUTO_TEST_CASE(calls_of_several_groups_pass_each_other) {
    for (const Ended& e : run_processes(3, "crowd")) BOOST_TEST(e.said == "all", e.said);
}

BOOST_AUTO_TEST_SUITE_END()
