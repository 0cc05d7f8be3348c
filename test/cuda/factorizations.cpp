// Factorizations on the device: what cuSOLVER takes, and what goes to the host, give what the CPU gives.
#include <boost/test/unit_test.hpp>

#include <reel/cuda/graph.hpp>

#include <set>
#include <string>

#include <dlfcn.h>

#include <reel/autograd.hpp>

#include "cuda/on_device.hpp"

using namespace reel;
using there::gpu;

namespace {

const auto fail = reinterpret_cast<void (*)(long)>(dlsym(RTLD_DEFAULT, "reel_emulation_fail"));
const auto calls = reinterpret_cast<long (*)()>(dlsym(RTLD_DEFAULT, "reel_emulation_calls"));

Tensor numbers(IntArrayRef sizes, ScalarType t, double shift = 0) {
    std::int64_t count = 1;
    for (const std::int64_t n : sizes) count *= n;
    const Tensor real = (arange(count, TensorOptions(kDouble)).pow(2) * 0.37 + shift).sin().view(sizes);
    return isComplexType(t) ? complex(real, (real * 3 + 1).cos()).to(t) : real.to(t);
}
Tensor positive(IntArrayRef sizes, ScalarType t) {
    const Tensor a = numbers(sizes, t);
    return matmul(a, a.mH()) + eye(a.size(-1), TensorOptions(t)) * 2.;
}
/// With eigenvalues that are well apart: gradients of the vectors divide by what lies between them.
Tensor apart(IntArrayRef sizes, ScalarType t) {
    return positive(sizes, t) / double(sizes.back()) + diag(arange(sizes.back(), TensorOptions(kDouble)) * 4.).to(t);
}
double most(ScalarType t) { return toRealValueType(t) == kDouble ? 1e-10 : 2e-4; }

/// Results and gradients, here and there.
template <class F> void same_as_here(const char* what, const std::vector<Tensor>& operands, F f) {
    const auto run = [&](Device device) {
        std::vector<Tensor> own;
        for (const Tensor& t : operands) own.push_back(t.detach().to(device).requires_grad_());
        const Tensor y = f(own);
        (y.abs() * y.abs()).sum().backward();
        std::vector<Tensor> all{y};
        for (const Tensor& t : own) all.push_back(t.grad());
        return all;
    };
    const std::vector<Tensor> want = run(kCPU), got = run(gpu);
    for (std::size_t i = 0; i < want.size(); ++i)
        BOOST_TEST(there::distance(got[i], want[i]) < most(operands[0].scalar_type()),
                   what << " of " << dtype_name(operands[0].scalar_type()) << operands[0].sizes() << ", result " << i);
}

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_factorizations, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(of_every_kind_give_what_the_cpu_gives) {
    using All = const std::vector<Tensor>&;
    for (const ScalarType t : {kFloat, kDouble, kComplexFloat, kComplexDouble}) {
        // one matrix, large ones in a batch, and small ones, which are the host's
        for (const std::vector<std::int64_t>& sizes :
             std::vector<std::vector<std::int64_t>>{{5, 5}, {2, 34, 34}, {3, 4, 4}}) {
            std::vector<std::int64_t> right = sizes;
            right.back() = 2;
            for (const bool upper : {false, true})
                same_as_here("cholesky", {positive(sizes, t)}, [upper](All v) { return linalg_cholesky(v[0], upper); });
            same_as_here("solve", {positive(sizes, t), numbers(right, t, 1)},
                         [](All v) { return linalg_solve(v[0], v[1]); });
            same_as_here("inv", {positive(sizes, t)}, [](All v) { return linalg_inv(v[0]); });
            same_as_here("eigvalsh", {positive(sizes, t)}, [](All v) { return linalg_eigvalsh(v[0]); });
            same_as_here("eigh", {apart(sizes, t)}, [](All v) { // vectors are their values' up to a factor
                const auto [w, q] = linalg_eigh(v[0]);
                return matmul(q * w.sqrt().unsqueeze(-2), q.mH());
            });
        }
        for (const auto& [m, n] : {std::pair{5, 3}, {3, 5}, {4, 4}}) {
            same_as_here("qr", {numbers({m, n}, t)}, [](All v) { return std::get<1>(linalg_qr(v[0])); });
            same_as_here("lu", {numbers({m, n}, t)}, [](All v) {
                const auto [p, l, u] = linalg_lu(v[0]);
                return matmul(l, u * 2.);
            });
        }
        same_as_here("lu without exchanges", {positive({5, 5}, t)},
                     [](All v) { return std::get<2>(linalg_lu(v[0], false)); });
    }
}

BOOST_AUTO_TEST_CASE(what_has_no_factors_is_an_error_in_the_cpus_words) {
    const auto said = [](const Tensor& a, auto f) -> std::string {
        try {
            f(a);
            return "nothing";
        } catch (const Error& e) {
            return e.msg();
        }
    };
    const auto same = [&](const Tensor& a, auto f) {
        const std::string want = said(a, f);
        BOOST_TEST(want != "nothing");
        BOOST_TEST(said(there::put(a), f) == want);
    };
    const Tensor zero = zeros({3, 3}, TensorOptions(kDouble));
    Tensor broken = eye(3, TensorOptions(kDouble));
    broken.index_put_({1, 0}, std::numeric_limits<double>::quiet_NaN());
    same(-eye(3, TensorOptions(kDouble)), [](const Tensor& a) { linalg_cholesky(a); });
    same(zero, [](const Tensor& a) { linalg_inv(a); });
    same(zero, [](const Tensor& a) { linalg_solve(a, a); });
    same(broken, [](const Tensor& a) { linalg_eigh(a); });
    // the other triangle is not read
    BOOST_TEST(said(there::put(broken), [](const Tensor& a) { linalg_eigh(a, "U"); }) == "nothing");
}

BOOST_AUTO_TEST_CASE(factors_in_a_graph) {
    if (!calls) return; // the host's library cannot be captured; it works where cuSOLVER is not
    const Tensor a = there::put(positive({3, 4, 4}, kDouble)), b = there::put(numbers({3, 4, 2}, kDouble));
    Tensor l, x;
    const auto step = [&] {
        l = std::get<0>(linalg_cholesky_ex(a));
        x = std::get<0>(linalg_solve_ex(a, b));
    };
    step();
    cuda::Graph graph;
    {
        const cuda::CaptureGuard capture(graph);
        step();
    }
    a.add_(there::put(eye(4, TensorOptions(kDouble))));
    graph.replay();
    BOOST_TEST(there::distance(l, linalg_cholesky(a.cpu())) < 1e-12);
    BOOST_TEST(there::distance(x, linalg_solve(a.cpu(), b.cpu())) < 1e-12);
}

BOOST_AUTO_TEST_CASE(any_call_of_cusolver_may_fail_once) {
    if (!calls) return;
    const Tensor a = positive({4, 4}, kDouble), moved = there::put(a), want = linalg_cholesky(a);
    std::set<std::string> said;
    for (long n = 1;; ++n) {
        fail(n);
        try {
            const Tensor got = linalg_cholesky(moved);
            const bool all = calls() < n;
            fail(0);
            BOOST_TEST(there::distance(got, want) < 1e-12);
            if (all) break;
        } catch (const Error& e) {
            fail(0);
            said.insert(e.msg());
        }
    }
    for (const char* const what : {"cusolverDnSetStream: CUSOLVER_STATUS_INTERNAL_ERROR (7)",
                                   "cusolverDnXpotrf: CUSOLVER_STATUS_EXECUTION_FAILED (6)"})
        BOOST_TEST(said.count(std::string("linalg.cholesky: cuSOLVER: ") + what) == 1u, what);
}

BOOST_AUTO_TEST_SUITE_END()
