// Storages whose memory is made when somebody asks.
#include <reel/autograd/detail/deferred_contents.hpp>

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include <reel/autograd/detail/outer_product.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_impl.hpp>

using namespace reel;

namespace {
struct Counted {
    std::atomic<int> written{0}, gone{0};
};
/// The numbers 0, 1, 2, ...
class Numbers final : public detail::DeferredContents {
public:
    Numbers(std::int64_t n, Counted& counted) : n_(n), counted_(counted) {}
    ~Numbers() override { ++counted_.gone; }
    void write(char* into) const override {
        ++counted_.written;
        for (std::int64_t i = 0; i < n_; ++i) reinterpret_cast<float*>(into)[i] = float(i);
    }

private:
    std::int64_t n_;
    Counted& counted_;
};
Tensor deferred(std::int64_t n, Counted& counted) {
    const StoragePtr storage = Storage::defer(std::size_t(n) * 4, std::make_unique<Numbers>(n, counted));
    TensorImplPtr impl(new TensorImpl(storage, kFloat, kCPU));
    impl->set_contiguous({n});
    return Tensor(std::move(impl));
}
} // namespace

BOOST_AUTO_TEST_SUITE(deferred_contents)

BOOST_AUTO_TEST_CASE(nothing_is_written_until_somebody_looks_and_then_once) {
    Counted counted;
    {
        const Tensor t = deferred(1000, counted), part = t.slice(0, 10, 20), alias = t.detach();
        BOOST_TEST(t.nbytes() == 4000);
        BOOST_TEST(part.numel() == 10);
        BOOST_TEST(t.storage()->deferred());
        BOOST_TEST(counted.written == 0);
        BOOST_TEST(part.sum().item<float>() == 145);
        BOOST_TEST(!t.storage()->deferred());
        BOOST_TEST(alias[999].item<float>() == 999);
        const_cast<float*>(t.data_ptr<float>())[0] = 7;
        BOOST_TEST(alias[0].item<float>() == 7);
        BOOST_TEST(counted.written == 1);
        BOOST_TEST(counted.gone == 0);
    }
    BOOST_TEST(counted.gone == 1);
}
BOOST_AUTO_TEST_CASE(what_nobody_looks_at_is_never_written) {
    Counted counted;
    deferred(1000, counted);
    BOOST_TEST(counted.written == 0);
    BOOST_TEST(counted.gone == 1);
}
BOOST_AUTO_TEST_CASE(threads_that_look_at_once_see_the_same_memory) {
    for (int round = 0; round < 50; ++round) {
        Counted counted;
        const Tensor t = deferred(5000, counted);
        const void* seen[2] = {};
        float last[2] = {};
        std::vector<std::thread> threads;
        for (int i = 0; i < 2; ++i)
            threads.emplace_back([&, i] {
                seen[i] = t.data_ptr();
                last[i] = static_cast<const float*>(seen[i])[4999];
            });
        for (std::thread& thread : threads) thread.join();
        BOOST_TEST(seen[0] == seen[1]);
        BOOST_TEST(last[0] == 4999);
        BOOST_TEST(last[1] == 4999);
        BOOST_TEST(counted.written == 1);
    }
}
BOOST_AUTO_TEST_CASE(ordinary_storages_and_empty_ones_are_not_deferred) {
    BOOST_TEST(!ones({3}).storage()->deferred());
    const Tensor none = zeros({0, 3});
    BOOST_TEST(!none.storage()->deferred());
    BOOST_TEST(!empty({3}, TensorOptions(kFloat).device(kMeta)).storage()->deferred());
}
BOOST_AUTO_TEST_CASE(an_outer_product_is_of_vectors_that_may_change_afterwards) {
    for (const ScalarType dtype : {kFloat, kDouble}) {
        const Tensor left = randn({37, 3}, TensorOptions(dtype)), right = randn({5, 41}, TensorOptions(dtype));
        left.select(0, 4).fill_(-0.0);
        right.select(1, 2).fill_(HUGE_VAL);
        const Tensor a = left.slice(1, 1, 2), b = right.slice(0, 3, 4), want = a * b, from_zero = want + 0.0;
        const detail::OuterProduct product(a, b, -0.0), sum(a, b, 0.0);
        left.fill_(1);
        right.fill_(2);
        BOOST_TEST(product.rows() == 37);
        BOOST_TEST(product.columns() == 41);
        const auto writes = [](const detail::OuterProduct& p, const Tensor& numbers) {
            const Tensor got = empty({37, 41}, TensorOptions(p.dtype()));
            p.write(static_cast<char*>(got.data_ptr()));
            return !std::memcmp(got.data_ptr(), numbers.data_ptr(), numbers.nbytes());
        };
        BOOST_TEST(writes(product, want));
        BOOST_TEST(writes(sum, from_zero));
        BOOST_TEST(!writes(sum, want));
    }
}

BOOST_AUTO_TEST_SUITE_END()
