// Reductions, scans and norms of rows that lanes, blocks and several blocks share, and of columns: the CPU's results,
// and the same bits each time.
#include <reel/autograd.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <reel/cuda.hpp>

#include "cuda/needs_device.hpp"

using reel::Tensor;

namespace {

using Shape = std::vector<std::int64_t>;

Tensor there(const Tensor& t) { return t.to(reel::Device(reel::kCUDA, 0)); }
Tensor doubles(const Shape& shape) { return reel::randn(shape, reel::TensorOptions().dtype(reel::kDouble)); }

struct Function {
    std::string name;
    std::function<Tensor(const Tensor&)> of;
};
const std::vector<Function>& functions() {
    static const std::vector<Function> all{
        {"sum of rows", [](const Tensor& x) { return x.sum(-1); }},
        {"sum of columns", [](const Tensor& x) { return x.sum(0); }},
        {"product", [](const Tensor& x) { return (x * 1e-3 + 1).prod(-1); }},
        {"greatest of rows", [](const Tensor& x) { return x.amax(-1); }},
        {"least of columns", [](const Tensor& x) { return x.amin(0); }},
        {"place of the greatest", [](const Tensor& x) { return x.argmax(-1); }},
        {"variance", [](const Tensor& x) { return x.var(-1); }},
        {"norm", [](const Tensor& x) { return reel::linalg_vector_norm(x, 3, reel::OptionalIntArrayRef({-1})); }},
        {"logsumexp", [](const Tensor& x) { return x.logsumexp(-1); }},
        {"softmax", [](const Tensor& x) { return x.softmax(-1); }},
        {"median", [](const Tensor& x) { return std::get<0>(x.median(-1)); }},
        {"running sum", [](const Tensor& x) { return x.cumsum(-1); }},
        {"running maximum", [](const Tensor& x) { return std::get<1>(x.cummax(-1)); }},
        {"running logsumexp", [](const Tensor& x) { return x.logcumsumexp(-1); }},
    };
    return all;
}

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_reduce, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(rows_of_every_length_and_columns) {
    // one lane, some lanes, a warp, a block, several blocks a row; few and many columns
    for (const Shape& shape : {Shape{3, 1}, {5, 7}, {40, 33}, {3, 700}, {2, 5000}, {2, 40000}, {3000, 2}}) {
        const Tensor x = doubles(shape), moved = there(x);
        for (const Function& f : functions()) {
            const Tensor want = f.of(x), got = f.of(moved);
            BOOST_TEST(got.is_cuda());
            BOOST_TEST(reel::allclose(got.cpu(), want, 1e-9, 1e-9, true),
                       f.name << " of " << shape[0] << " x " << shape[1]);
            BOOST_TEST(reel::allclose(f.of(moved).cpu(), got.cpu(), 0, 0, true),
                       f.name << " has other bits the second time");
        }
    }
}

BOOST_AUTO_TEST_CASE(a_nan_is_found_wherever_it_stands) {
    for (const std::int64_t at : {0, 1, 255, 20000, 39999}) {
        const Tensor x = doubles({1, 40000});
        x.select(0, 0).select(0, at).fill_(std::nan(""));
        const Tensor moved = there(x);
        BOOST_TEST(moved.argmax(-1).item<std::int64_t>() == at);
        BOOST_TEST(std::isnan(moved.amin(-1).item<double>()));
        BOOST_TEST(std::isnan(moved.softmax(-1).sum().item<double>()));
        BOOST_TEST(std::get<1>(moved.median(-1)).item<std::int64_t>() == at);
        BOOST_TEST(std::get<1>(moved.cummax(-1)).select(1, 39999).item<std::int64_t>() == at);
    }
}

// Rows of up to a block's threads are ranked by counting, longer ones by digits: the same places on both sides.
BOOST_AUTO_TEST_CASE(equal_elements_and_nan_have_their_rank_in_rows_of_every_length) {
    for (const std::int64_t n : {1, 2, 31, 255, 256, 257, 600}) {
        const Tensor few = reel::randint(4, {5, n}).to(reel::kDouble), whole = reel::randint(4, {5, n});
        const Tensor with_nan = few.masked_fill(few == 3, std::nan(""));
        for (const Tensor& x : {few, with_nan, whole}) {
            const auto want = x.median(-1), got = there(x).median(-1);
            BOOST_TEST(reel::allclose(std::get<0>(got).cpu(), std::get<0>(want), 0, 0, true), "of " << n);
            BOOST_TEST(std::get<1>(got).cpu().equal(std::get<1>(want)), "places of " << n);
            BOOST_TEST(
                reel::allclose(std::get<0>(there(x).nanmedian(-1)).cpu(), std::get<0>(x.nanmedian(-1)), 0, 0, true));
        }
        BOOST_TEST(reel::allclose(there(few).quantile(0.3, -1).cpu(), few.quantile(0.3, -1)));
    }
}

BOOST_AUTO_TEST_CASE(empty_rows_and_no_rows) {
    const Tensor none = there(doubles({3, 0}));
    BOOST_TEST(none.sum(-1).cpu().equal(doubles({3}) * 0));
    BOOST_TEST(none.prod(-1).cpu().equal(doubles({3}) * 0 + 1));
    BOOST_TEST(none.sum(0).numel() == 0);
    BOOST_TEST(none.cumsum(-1).numel() == 0);
    BOOST_TEST(there(doubles({0, 5})).sum(0).cpu().equal(doubles({5}) * 0));
}

BOOST_AUTO_TEST_SUITE_END()
