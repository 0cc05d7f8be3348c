// One thread and several give the same bits, forward and backward, for small calls and for large ones.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <regex>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/memory.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "comparison.hpp"
#include "findings.hpp"
#include "typed_call.hpp"

using namespace properties;

namespace {

std::int64_t elements(const variable_list& list) {
    std::int64_t n = 0;
    for (const Tensor& t : list) n += t.numel();
    return n;
}

/// Operands with `times` the elements: a batch dimension in front of each, or each along its first dimension where all
/// have the first one's size there.
variable_list batched(const variable_list& operands, std::int64_t times) {
    variable_list out;
    for (const Tensor& t : operands) {
        std::vector<std::int64_t> sizes = t.sizes().vec();
        sizes.insert(sizes.begin(), times);
        out.push_back(t.detach().expand(sizes).contiguous());
    }
    return out;
}
variable_list prolonged(const variable_list& operands, std::int64_t times) {
    variable_list out;
    for (const Tensor& t : operands) {
        if (t.dim() == 0 || t.size(0) != operands[0].size(0)) {
            out.push_back(t);
            continue;
        }
        std::vector<std::int64_t> repeats(std::size_t(t.dim()), 1);
        repeats[0] = times;
        out.push_back(t.detach().repeat(repeats));
    }
    return out;
}

std::vector<bool> in_double_precision(const variable_list& operands) {
    std::vector<bool> out;
    for (const Tensor& t : operands) out.push_back(t.scalar_type() == kDouble || t.scalar_type() == kComplexDouble);
    return out;
}

/// Operands for which loops are shared out, where the op takes them, its result grows with them and no faster, and a
/// large call will not take long.
variable_list enlarged(const Sample& s, std::int64_t wanted) {
    const variable_list operands = s.operands();
    if (operands.empty() || operands[0].numel() == 0) return {};
    const std::int64_t times = wanted / operands[0].numel() + 1;
    const auto grows = [&](variable_list (*larger)(const variable_list&, std::int64_t)) {
        const Outcome two = outcome_of([&] { return s.run_on(larger(operands, 2)); }),
                      four = outcome_of([&] { return s.run_on(larger(operands, 4)); });
        return !two.refused() && !four.refused() && elements(four.tensors) <= 2 * elements(two.tensors);
    };
    const auto peak = [&](variable_list (*larger)(const variable_list&, std::int64_t), std::int64_t n) {
        reset_peak_memory_stats();
        const std::size_t before = memory_stats().allocated_bytes;
        outcome_of([&] { return gradients_of(s, leaves(larger(operands, n), in_double_precision(operands))); });
        return double(memory_stats().peak_allocated_bytes - before) + 1;
    };
    // What is between operands and result may grow faster than both.
    const auto fits = [&](variable_list (*larger)(const variable_list&, std::int64_t)) {
        const double eight = peak(larger, 8), sixteen = peak(larger, 16);
        return eight * std::pow(std::max(sixteen / eight, 1.0), std::log2(double(times) / 8)) < double(1 << 28);
    };
    const auto soon = [&](variable_list (*larger)(const variable_list&, std::int64_t)) {
        const std::clock_t start = std::clock(); // the processor's: what else the machine does changes no choice
        outcome_of([&] { return gradients_of(s, leaves(larger(operands, 8), in_double_precision(operands))); });
        const double taken = double(std::clock() - start) / CLOCKS_PER_SEC;
        return taken * double(times) / 8 < (long_form() ? 1 : 0.1) && fits(larger);
    };
    for (const auto larger : {batched, prolonged})
        if (grows(larger)) return soon(larger) ? larger(operands, times) : variable_list{};
    return {};
}

/// A call, forward or backward, and what it gave on one thread.
struct Job {
    const Sample* sample;
    variable_list operands;
    bool large, gradient;
    Outcome alone;

    Outcome run() const {
        if (!gradient)
            return outcome_of([&] { return sample->run_on(leaves(operands, std::vector<bool>(operands.size()))); });
        const std::vector<bool> wanted = in_double_precision(operands);
        return outcome_of([&] { return gradients_of(*sample, leaves(operands, wanted)); });
    }
};

struct Counts {
    int small = 0, large = 0;
};

/// Without what the allocator holds at the moment.
std::string without_numbers_in_brackets(const std::string& error) {
    return std::regex_replace(error, std::regex("\\([0-9]+ reserved\\)"), "");
}

/// Changing the number of threads costs more than a call: many calls at a time.
void compare(std::vector<Job>& jobs, Findings& findings, Counts& counts) {
    const int before = get_num_threads();
    set_num_threads(1);
    for (Job& job : jobs) job.alone = job.run();
    set_num_threads(long_form() ? 3 : 2);
    for (const Job& job : jobs) {
        const Outcome several = job.run();
        const std::string name = str(job.large ? "large" : "small", job.gradient ? ", gradient: " : ": ");
        if (without_numbers_in_brackets(job.alone.error) != without_numbers_in_brackets(several.error))
            findings.add(*job.sample, "threads",
                         name + str("one says '", job.alone.error, "', several say '", several.error, "'"));
        if (several.refused()) continue;
        ++(job.large ? counts.large : counts.small);
        const std::string what = difference_between(job.alone.tensors, several.tensors);
        if (!what.empty()) findings.add(*job.sample, "threads", name + what);
    }
    set_num_threads(before);
    jobs.clear();
}

} // namespace

BOOST_AUTO_TEST_SUITE(threads, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(one_and_several_give_the_same_bits) {
    Findings findings;
    Counts counts;
    std::vector<Job> jobs;
    std::string last;
    for (const Sample& s : samples()) {
        if (s.leaves_memory_unwritten() || s.op == "lobpcg") continue; // roundings decide the sign of its vectors
        const auto add = [&](const variable_list& operands, bool large) {
            for (const bool gradient : {false, true}) jobs.push_back({&s, operands, large, gradient, {}});
        };
        if (long_form()) add(s.operands(), false); // below what is shared out
        if (s.op != last || long_form())           // one large call for each op
            if (const variable_list more = enlarged(s, long_form() ? 200'000 : 40'000); !more.empty()) {
                last = s.op;
                add(more, true);
            }
        if (jobs.size() >= 100) compare(jobs, findings, counts);
    }
    compare(jobs, findings, counts);
    findings.judge({"threads"});
    BOOST_TEST(counts.large > 500);
    BOOST_TEST_MESSAGE(counts.small << " small calls and " << counts.large << " large ones compared");
}

BOOST_AUTO_TEST_SUITE_END()
