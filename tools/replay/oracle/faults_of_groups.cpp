// Ranks that go, stay away, or call what is not there.
#include <thread>

#include <reel/autograd/ops.hpp>
#include <reel/distributed/collectives.hpp>
#include <reel/distributed/session.hpp>

#include "oracle/faults.hpp"

namespace replay {

using namespace reel;
using namespace std::chrono_literals;
namespace dist = reel::distributed;

namespace {
std::string slept(std::chrono::milliseconds time) {
    std::this_thread::sleep_for(time);
    return "slept";
}

std::string sum_of_ones() {
    const Tensor t = ones({3});
    dist::all_reduce(t);
    std::string text;
    for (std::int64_t i = 0; i < 3; ++i) text += str(i ? ", " : "[", t[i].item<double>(), ".0");
    return text + "]";
}
} // namespace

std::map<std::string, Fault> faults_of_groups() {
    std::map<std::string, Fault> all;
    all["dies-idle"] = {[](std::int64_t rank) {
                            if (rank == 1) end_this_rank();
                            return sum_of_ones();
                        },
                        true};
    all["stays-away"] = {[](std::int64_t rank) { return rank == 1 ? slept(fault_timeout + 1s) : sum_of_ones(); }};
    all["late-but-in-time"] = {[](std::int64_t rank) {
        if (rank == 1) slept(1500ms);
        return sum_of_ones();
    }};
    all["stays-away-async"] = {[](std::int64_t rank) -> std::string {
        if (rank == 1) return slept(2s);
        dist::all_reduce_async(ones({3})).wait(1s);
        return "done";
    }};
    all["monitored-barrier"] = {[](std::int64_t rank) -> std::string {
        if (rank == 1) return slept(3s);
        dist::default_group().set_timeout(2s);
        dist::monitored_barrier();
        return "passed";
    }};
    all["init-twice"] = {[](std::int64_t) -> std::string {
        dist::init();
        return "joined twice";
    }};
    all["after-destroy"] = {[](std::int64_t) -> std::string {
        dist::barrier();
        dist::finalize();
        return sum_of_ones();
    }};
    return all;
}

const Fault* find_fault(const std::string& name) {
    static const std::map<std::string, Fault> all = [] {
        std::map<std::string, Fault> both = faults_of_groups();
        both.merge(faults_of_data_parallel());
        return both;
    }();
    const auto found = all.find(name);
    return found == all.end() ? nullptr : &found->second;
}

} // namespace replay
