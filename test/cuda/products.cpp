// Products of matrices by the device's library: batches in one call, a bias on the way, rounding where it is allowed.
#include <boost/test/unit_test.hpp>

#include <set>
#include <string>

#include <dlfcn.h>

#include <reel/autograd.hpp>

#include "cuda/on_device.hpp"

using namespace reel;

namespace {

const auto fail = reinterpret_cast<void (*)(long)>(dlsym(RTLD_DEFAULT, "reel_emulation_fail"));
const auto calls = reinterpret_cast<long (*)()>(dlsym(RTLD_DEFAULT, "reel_emulation_calls"));

Tensor numbers(std::int64_t a, std::int64_t b, std::int64_t c, ScalarType t = kFloat) {
    return (arange(a * b * c, TensorOptions(kDouble)) * 0.37).sin().view({a, b, c}).to(t);
}
/// Of a product whose plan is known already.
template <class F> long calls_of(F f) {
    f();
    fail(0);
    f();
    return calls();
}

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_products, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(batches_of_every_layout) {
    for (const ScalarType t : {kFloat, kDouble, kHalf, kBFloat16, kComplexFloat, kComplexDouble, kLong}) {
        const double most = t == kHalf ? 1e-3 : t == kBFloat16 ? 1e-2 : 1e-5;
        const Tensor a = (numbers(3, 4, 5) * 8).to(t), b = (numbers(3, 5, 6) * 8).to(t);
        const auto same = [&](const Tensor& x, const Tensor& y) {
            BOOST_TEST(there::distance(bmm(there::put(x), there::put(y)), bmm(x, y)) < most, dtype_name(t));
        };
        same(a, b);
        const Tensor da = there::put(a), db = there::put(b);
        const auto same_there = [&](const Tensor& x, const Tensor& y) {
            BOOST_TEST(there::distance(bmm(x, y), bmm(x.to(kCPU), y.to(kCPU))) < most, dtype_name(t));
        };
        same_there(db.transpose(1, 2), da.transpose(1, 2));
        same_there(da.select(0, 1).unsqueeze(0).expand({3, 4, 5}), db);        // one matrix again and again
        same_there(da.permute({1, 0, 2}).contiguous().permute({1, 0, 2}), db); // lines of several matrices beside
        same_there(da.slice(1, 0, 4, 2), db.slice(2, 1, 6, 2));                // strides that no library takes
        same_there(da.slice(2, 1, 4), db.slice(1, 1, 4));                      // an odd address
    }
}

BOOST_AUTO_TEST_CASE(a_batch_is_one_call) {
    if (!calls) return; // only the emulated device counts
    const Tensor a = there::put(numbers(2, 4, 5)), b = there::put(numbers(2, 5, 6)), c = there::put(numbers(40, 4, 5)),
                 d = there::put(numbers(40, 5, 6));
    BOOST_TEST(calls_of([&] { bmm(a, b); }) == calls_of([&] { bmm(c, d); }));
}

BOOST_AUTO_TEST_CASE(a_bias_is_added_on_the_way) {
    for (const ScalarType t : {kFloat, kDouble, kHalf, kBFloat16}) {
        const double most = t == kHalf ? 1e-3 : t == kBFloat16 ? 1e-2 : 1e-5;
        const Tensor x = numbers(1, 7, 5, t)[0], w = numbers(1, 3, 5, t)[0],
                     b = numbers(1, 1, 6, t)[0][0].slice(0, 0, 6, 2);
        BOOST_TEST(there::distance(linear(there::put(x), there::put(w), there::put(b)), linear(x, w, b)) < most);
        const Tensor turned = there::put(x).t().contiguous().t();
        BOOST_TEST(there::distance(linear(turned, there::put(w), there::put(b)), linear(x, w, b)) < most);
    }
    const Tensor x = there::put(numbers(1, 7, 5)[0]).requires_grad_(),
                 w = there::put(numbers(1, 3, 5)[0]).requires_grad_(),
                 b = there::put(numbers(1, 1, 3)[0][0]).requires_grad_();
    linear(x, w, b).sum().backward();
    BOOST_TEST(there::distance(b.grad(), full({3}, 7.0)) < 1e-6);
    BOOST_TEST(there::distance(w.grad(), x.detach().to(kCPU).sum(0).expand({3, 5})) < 1e-6);
    if (!calls) return;
    const Tensor dx = x.detach(), dw = w.detach(), db = b.detach();
    BOOST_TEST(calls_of([&] { linear(dx, dw, db); }) <=
               calls_of([&] { linear(dx, dw); }) + 2); // the epilogue's attributes
}

BOOST_AUTO_TEST_CASE(float32_is_rounded_when_that_is_allowed) {
    const Tensor a = there::put(numbers(1, 8, 8)[0]), b = there::put(numbers(1, 8, 8)[0] + 1);
    const Tensor exact = mm(a.to(kCPU), b.to(kCPU));
    BOOST_TEST(there::distance(mm(a, b), exact) < 1e-6);
    globalContext().setAllowTF32CuBLAS(true);
    const Tensor rounded = mm(a, b);
    globalContext().setAllowTF32CuBLAS(false);
    BOOST_TEST(there::distance(rounded, exact) < 1e-2);
    if (calls) BOOST_TEST(there::distance(rounded, exact) > 1e-6);
}

BOOST_AUTO_TEST_CASE(any_call_of_the_library_may_fail_once) {
    if (!calls) return;
    std::set<std::string> said;
    for (long n = 1;; ++n) { // a new size each time: what was chosen for one is known from then on
        const Tensor a = there::put(numbers(1, 3, 16 + n)[0]), b = there::put(numbers(1, 16 + n, 2)[0]);
        fail(n);
        try {
            const Tensor y = mm(a, b);
            const bool all = calls() < n;
            fail(0);
            BOOST_TEST(there::distance(y, mm(a.to(kCPU), b.to(kCPU))) < 1e-6, "call " << n);
            if (all) break;
        } catch (const Error& e) {
            fail(0);
            said.insert(e.msg());
        }
    }
    BOOST_TEST(said.count("mm: cuBLASLt: cublasLtMatmul: the function failed to launch on the GPU") == 1u);
    BOOST_TEST(said.count("mm: cuBLASLt: cublasLtMatmulAlgoGetHeuristic: the resource allocation failed") == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
