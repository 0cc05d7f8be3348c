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

BOOST_AUTO_TEST_CASE(singular_values_and_eigenvalues_give_what_the_cpu_gives) {
    using All = const std::vector<Tensor>&;
    for (const ScalarType t : {kFloat, kDouble, kComplexFloat, kComplexDouble}) {
        for (const std::vector<std::int64_t>& sizes :
             std::vector<std::vector<std::int64_t>>{{5, 3}, {3, 5}, {4, 4}, {2, 34, 33}, {3, 4, 2}}) {
            if (sizes.back() < 30) // neighbours lie close among many
                same_as_here("svdvals", {numbers(sizes, t)}, [](All v) { return linalg_svdvals(v[0]); });
            for (const bool full : {false, true}) {
                const auto [u, s, vh] = linalg_svd(there::put(numbers(sizes, t)), full);
                const std::int64_t m = sizes[sizes.size() - 2], n = sizes.back(), k = std::min(m, n);
                BOOST_TEST(u.size(-1) == (full ? m : k));
                BOOST_TEST(vh.size(-2) == (full ? n : k));
                const Tensor back = matmul(u.narrow(-1, 0, k) * s.unsqueeze(-2), vh.narrow(-2, 0, k));
                BOOST_TEST(there::distance(back, numbers(sizes, t)) < most(t));
                BOOST_TEST(there::distance(s, linalg_svdvals(numbers(sizes, t))) < most(t));
                const Tensor one = eye(u.size(-1), TensorOptions(t));
                BOOST_TEST(there::distance(matmul(u.mH(), u), one.expand(matmul(u.mH(), u).sizes())) < most(t));
            }
        }
        // pairs of complex vectors, and real ones
        const Tensor a = numbers({6, 6}, t), moved = there::put(a);
        const auto [w, v] = linalg_eig(moved);
        BOOST_TEST(there::distance(matmul(moved.to(w.scalar_type()), v), (v * w.unsqueeze(-2)).cpu()) < 10 * most(t));
        const auto in_order = [](const Tensor& values) {
            const Tensor here = values.cpu();
            return here.index_select(0, argsort(reel::real(here) * 1000 + reel::imag(here)));
        };
        BOOST_TEST(allclose(in_order(w), in_order(linalg_eigvals(a)), 10 * most(t), 10 * most(t)));
        BOOST_TEST(allclose(in_order(linalg_eigvals(moved)), in_order(linalg_eigvals(a)), 10 * most(t), 10 * most(t)));
    }
}

BOOST_AUTO_TEST_CASE(triangles_and_symmetric_factors_give_what_the_cpu_gives) {
    using All = const std::vector<Tensor>&;
    for (const ScalarType t : {kFloat, kDouble, kComplexFloat, kComplexDouble}) {
        for (const std::vector<std::int64_t>& sizes :
             std::vector<std::vector<std::int64_t>>{{5, 5}, {2, 34, 34}, {3, 4, 4}}) {
            std::vector<std::int64_t> side = sizes;
            for (const bool left : {true, false}) {
                side.back() = left ? 2 : sizes.back();
                side[side.size() - 2] = left ? sizes.back() : 2;
                for (const bool upper : {true, false})
                    for (const bool unit : {true, false}) {
                        const Tensor a =
                            (upper ? numbers(sizes, t).triu() : numbers(sizes, t).tril()) / double(sizes.back()) +
                            eye(sizes.back(), TensorOptions(t)) * 2.;
                        same_as_here("solve_triangular", {a, numbers(side, t, 1)},
                                     [=](All v) { return linalg_solve_triangular(v[0], v[1], upper, left, unit); });
                    }
            }
            for (const bool hermitian : {false, true}) {
                const Tensor half = numbers(sizes, t),
                             a = hermitian ? half + half.mH() : half + half.mT(); // not positive: blocks of two
                side.back() = 2, side[side.size() - 2] = sizes.back();
                const auto solved = [&](Device d) {
                    const auto [ld, pivots] = linalg_ldl_factor(a.to(d), hermitian);
                    return linalg_ldl_solve(ld, pivots, numbers(side, t, 1).to(d), hermitian);
                };
                BOOST_TEST(there::distance(solved(gpu), solved(kCPU)) < 100 * most(t), "ldl of " << dtype_name(t));
            }
            same_as_here("det", {apart(sizes, t) / 20.}, [](All v) { return linalg_det(v[0]); });
            const Tensor turned = apart(sizes, t).flip({-1}); // rows are exchanged
            const auto [sign, log] = linalg_slogdet(turned);
            const auto [moved_sign, moved_log] = linalg_slogdet(there::put(turned));
            BOOST_TEST(there::distance(moved_sign, sign) < most(t));
            BOOST_TEST(there::distance(moved_log, log) < most(t));
        }
        const auto unpacked = [&](Device d) {
            const auto [lu, pivots] = linalg_lu_factor(numbers({2, 6, 4}, t).to(d));
            return std::get<0>(lu_unpack(lu, pivots));
        };
        BOOST_TEST(there::distance(unpacked(gpu), unpacked(kCPU)) == 0);
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
    same(broken, [](const Tensor& a) { linalg_svd(a); });
    same(broken, [](const Tensor& a) { linalg_eig(a); });
    // the other triangle is not read
    BOOST_TEST(said(there::put(broken), [](const Tensor& a) { linalg_eigh(a, "U"); }) == "nothing");
}

BOOST_AUTO_TEST_CASE(factors_in_a_graph) {
    if (!calls || needs::lacks("REEL_CUSOLVER_LIBRARY"))
        return; // the host's library cannot be captured; it works where cuSOLVER is not
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

/// What is said while each call of the toolkit that `f` makes fails in turn; what it gives else is what it should.
template <class F> std::set<std::string> said_by_failing_calls(F f) {
    std::set<std::string> said;
    for (long n = 1;; ++n) {
        fail(n);
        try {
            const bool right = f();
            const bool all = calls() < n;
            fail(0);
            BOOST_TEST(right, "call " << n);
            if (all) break;
        } catch (const Error& e) {
            fail(0);
            said.insert(e.msg());
        }
    }
    return said;
}

BOOST_AUTO_TEST_CASE(any_call_of_cusolver_and_cublas_may_fail_once) {
    if (!calls || needs::lacks("REEL_CUSOLVER_LIBRARY")) return;
    const Tensor a = positive({4, 4}, kDouble), b = numbers({4, 2}, kDouble), moved = there::put(a),
                 side = there::put(b);
    const auto near = [](const Tensor& got, const Tensor& want) { return there::distance(got, want) < 1e-10; };
    const auto expect = [](const std::set<std::string>& said, std::initializer_list<const char*> all) {
        for (const char* const what : all) BOOST_TEST(said.count(what) == 1u, what);
    };
    expect(said_by_failing_calls([&] { return near(linalg_cholesky(moved), linalg_cholesky(a)); }),
           {"linalg.cholesky: cuSOLVER: cusolverDnSetStream: CUSOLVER_STATUS_INTERNAL_ERROR (7)",
            "linalg.cholesky: cuSOLVER: cusolverDnXpotrf: CUSOLVER_STATUS_EXECUTION_FAILED (6)"});
    expect(said_by_failing_calls([&] { return near(linalg_svdvals(moved), linalg_svdvals(a)); }),
           {"linalg.svdvals: cuSOLVER: cusolverDnXgesvd: CUSOLVER_STATUS_EXECUTION_FAILED (6)"});
    expect(said_by_failing_calls([&] { return linalg_eigvals(moved).numel() == 4; }),
           {"linalg.eigvals: cuSOLVER: cusolverDnXgeev: CUSOLVER_STATUS_EXECUTION_FAILED (6)"});
    const auto solved = [](const Tensor& m, const Tensor& x) {
        const auto [ld, pivots] = linalg_ldl_factor(m);
        return linalg_ldl_solve(ld, pivots, x);
    };
    expect(said_by_failing_calls([&] { return near(solved(moved, side), solved(a, b)); }),
           {"linalg.ldl_factor_ex: cuSOLVER: cusolverDn*sytrf: CUSOLVER_STATUS_EXECUTION_FAILED (6)",
            "linalg.ldl_solve: cuSOLVER: cusolverDnXsytrs: CUSOLVER_STATUS_EXECUTION_FAILED (6)"});
    expect(said_by_failing_calls(
               [&] { return near(linalg_solve_triangular(moved, side, true), linalg_solve_triangular(a, b, true)); }),
           {"linalg.solve_triangular: cuBLAS: cublasSetStream: status 11",
            "linalg.solve_triangular: cuBLAS: cublasSetWorkspace: status 7",
            "linalg.solve_triangular: cuBLAS: cublas*trsm: status 13"});
}

BOOST_AUTO_TEST_SUITE_END()
