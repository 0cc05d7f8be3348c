// Every op of the registry on the device: its samples give the CPU's values and gradients, or the one error of a
// missing kernel. Ops join by being there; there is no list.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <typeinfo>

#include <reel/autograd.hpp>
#include <reel/cuda.hpp>

#include "cuda/needs_device.hpp"
#include "properties/sample.hpp"
#include "properties/vectors.hpp"

using namespace reel;
using autograd::variable_list;
using properties::Sample;

namespace {

const Device gpu{kCUDA, 0};

/// The least precision of all dtypes that take part: sums go another way there.
double tolerance(const variable_list& tensors) {
    double most = 1e-9;
    for (const Tensor& t : tensors) {
        if (!t.defined()) continue;
        const ScalarType type = t.scalar_type();
        const double own = type == kBFloat16                         ? 4e-2
                           : type == kHalf                           ? 5e-3
                           : type == kFloat || type == kComplexFloat ? 1e-4
                                                                     : 0;
        most = std::max(most, own);
    }
    return most;
}
Tensor wide(const Tensor& t) { return t.is_complex() ? t.to(kComplexDouble) : t.to(kDouble); }

/// Empty, or what is wrong with `there`.
std::string difference(const Tensor& here, const Tensor& there, double tolerance) {
    if (here.defined() != there.defined()) return there.defined() ? "is defined there alone" : "is undefined there";
    if (!here.defined()) return {};
    if (!there.sizes().equals(here.sizes()) || there.scalar_type() != here.scalar_type())
        return "has another shape or dtype there";
    if (here.numel() == 0) return {};
    const NoGradGuard no_grad;
    const Tensor a = wide(here.detach()), b = wide(there.detach().cpu());
    const bool exact = !isFloatingType(here.scalar_type()) && !here.is_complex();
    const Tensor size = a.abs();
    const double scale = where(size.isfinite(), size, zeros_like(size)).max().item().toDouble();
    // The samples' numbers are of the size of one: what is zero but for their roundings is so there, too.
    constexpr double roundings = 1e-14;
    if (allclose(b, a, exact ? 0 : tolerance, exact ? 0 : std::max(tolerance * scale, roundings), true)) return {};
    return str("has other values there, up to ", nan_to_num((a - b).abs()).max().item().toDouble(), " at a size of ",
               scale);
}

/// Unit vectors along `dim`, each turned by the phase that brings it closest to its counterpart in `to`.
Tensor turned(const Tensor& vectors, const Tensor& to, std::int64_t dim) {
    const Tensor overlap = (to * conj(vectors)).sum(dim, true), size = overlap.abs();
    return vectors * where(size > 0, overlap / size, ones_like(overlap));
}
/// As `difference`, of vectors that are defined up to a phase, the first `k` of them; all are orthonormal to each other
/// where there are more.
std::string difference_up_to_phase(const Tensor& here, const Tensor& there, bool in_rows, std::int64_t k,
                                   double tolerance) {
    if (!there.sizes().equals(here.sizes()) || there.scalar_type() != here.scalar_type())
        return "has another shape or dtype there";
    const NoGradGuard no_grad;
    const std::int64_t along = in_rows ? -1 : -2, across = in_rows ? -2 : -1;
    const Tensor a = wide(here.detach()), b = wide(there.detach().cpu());
    if (b.size(across) > k) {
        const Tensor v = in_rows ? b : transpose(b, -2, -1), all = matmul(v, conj(transpose(v, -2, -1)));
        const Tensor one = eye(all.size(-1), all.size(-1), TensorOptions(all.scalar_type()));
        if (!allclose(all, one.expand(all.sizes()), 0, tolerance)) return "are not orthonormal there";
    }
    const Tensor wanted = a.narrow(across, 0, k);
    return difference(wanted, turned(b.narrow(across, 0, k), wanted, along), tolerance);
}

/// Places and lengths that an op wants on the host wherever the rest is: it says so.
bool wants_host_operand(const Error& e) {
    return e.msg().find("CPU") != std::string::npos && typeid(e) != typeid(NotImplementedError);
}

class Comparison {
public:
    Comparison(const Sample& s, bool integers_stay) : sample_(s), wanted_(properties::differentiable_operands(s)) {
        const variable_list operands = properties::leaves(s.operands(), std::vector<bool>(wanted_.size()));
        here_ = properties::leaves(operands, wanted_);
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const bool stays = integers_stay && operands[i].scalar_type() == kLong;
            there_.push_back(stays ? operands[i] : operands[i].to(gpu));
            if (wanted_[i]) there_.back().requires_grad_();
        }
        tolerance_ = tolerance(operands);
    }
    /// Empty, or what differs.
    std::string run() {
        const variable_list results = sample_.run_on(here_);
        const variable_list moved = sample_.run_on(there_);
        forward = true;
        tolerance_ = std::max(tolerance_, tolerance(results));
        if (moved.size() != results.size()) return "other results";
        bool phases_differ = false;
        for (std::size_t i = 0; i < results.size(); ++i) {
            const std::string d = difference(results[i], moved[i], tolerance_);
            if (d.empty()) continue;
            // a sample that is free of phases stands beside this one
            phases_differ = is_the_same_up_to_phase(i, results[i], moved[i]);
            if (!phases_differ) return "result " + std::to_string(i) + ' ' + d;
        }
        return phases_differ ? std::string() : compare_gradients(results, moved);
    }
    bool forward = false, backward = false; ///< what has been compared

private:
    bool is_the_same_up_to_phase(std::size_t result, const Tensor& here, const Tensor& there) const {
        for (const properties::Vectors& v : properties::vectors_up_to_phase(sample_)) {
            if (v.result != result) continue;
            const Tensor& operand = here_.front();
            const std::int64_t k = std::min(operand.size(-1), operand.size(-2));
            return difference_up_to_phase(here, there, v.in_rows, k, tolerance_).empty();
        }
        return false;
    }
    static void pull(const variable_list& results) {
        variable_list roots, seeds;
        for (std::size_t i = 0; i < results.size(); ++i) {
            const Tensor& y = results[i];
            if (!y.defined() || !y.requires_grad() || !isDifferentiableType(y.scalar_type())) continue;
            roots.push_back(y);
            seeds.push_back(properties::noise_like(y.detach().cpu(), i + 1).to(y.device()));
        }
        if (!roots.empty()) autograd::backward(roots, seeds);
    }
    std::string compare_gradients(const variable_list& results, const variable_list& moved) {
        try {
            pull(results);
        } catch (const Error&) { // not for the device's sake
            return {};
        }
        pull(moved);
        for (std::size_t i = 0; i < here_.size(); ++i) {
            if (!wanted_[i]) continue;
            backward = true;
            if (const std::string d = difference(here_[i].grad(), there_[i].grad(), 10 * tolerance_); !d.empty())
                return "the gradient of operand " + std::to_string(i) + ' ' + d;
        }
        return {};
    }

    const Sample& sample_;
    std::vector<bool> wanted_;
    variable_list here_, there_;
    double tolerance_ = 0;
};

struct Counts {
    int forward = 0, backward = 0;
    std::set<std::string> refused;
};
std::string compare(const Sample& s, Counts& counts, bool integers_stay = false) {
    Comparison c(s, integers_stay);
    std::string wrong;
    try {
        wrong = c.run();
    } catch (const NotImplementedError& e) {
        if (e.msg().find("no kernel for device") == std::string::npos) wrong = e.msg();
        counts.refused.insert(s.op);
    } catch (const Error& e) {
        if (!integers_stay && wants_host_operand(e)) return compare(s, counts, true);
        wrong = e.msg();
    }
    counts.forward += c.forward;
    counts.backward += c.backward;
    return wrong;
}

bool is_comparable(const Sample& s) { return !s.operands().empty() && !s.is_random() && !s.leaves_memory_unwritten(); }

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_samples, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(every_op_gives_the_values_of_the_cpu_or_says_that_there_is_no_kernel) {
    Counts counts;
    for (const Sample& s : properties::samples()) {
        if (!is_comparable(s)) continue;
        try {
            (void)s.run();
        } catch (const Error&) { // refused by the CPU as well
            continue;
        }
        const std::string wrong = compare(s, counts);
        BOOST_TEST(wrong.empty(), s.name() << ": " << wrong);
    }
    BOOST_TEST(counts.forward > 1000);
    BOOST_TEST(counts.backward > 800);
    BOOST_TEST_MESSAGE(counts.forward << " forward, " << counts.backward << " backward; " << counts.refused.size()
                                      << " ops want a kernel");
}

BOOST_AUTO_TEST_SUITE_END()
