// Random tensors that the recorded streams do not hold.
#include <reel/autograd/random.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <complex>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;

BOOST_AUTO_TEST_SUITE(random_numbers)

BOOST_AUTO_TEST_CASE(complex_normals_have_half_the_variance_in_each_part) {
    for (const std::int64_t n : {3, 40}) { // one by one, and in blocks
        manual_seed(11);
        const Tensor z = randn({n}, TensorOptions(kComplexDouble));
        manual_seed(11);
        const Tensor parts = randn({n, 2}, TensorOptions(kDouble));
        BOOST_TEST(allclose(view_as_real(z), parts / std::sqrt(2.0), 1e-14, 1e-14));
    }
    manual_seed(11);
    const Tensor many = randn({20000}, TensorOptions(kComplexFloat));
    BOOST_TEST(std::abs(square(abs(many)).mean().item<double>() - 1) < 0.03);
    const Tensor w = zeros({4}, TensorOptions(kComplexFloat));
    const auto version = w._version();
    w.normal_(2, 0);
    BOOST_TEST(equal(view_as_real(w), full({4, 2}, 2, kFloat)));
    BOOST_TEST(w._version() > version);
}

BOOST_AUTO_TEST_CASE(threads_share_one_stream_op_by_op, *boost::unit_test::label("threads")) {
    constexpr int threads = 4, draws = 500;
    manual_seed(3);
    std::multiset<std::vector<float>> expected, drawn;
    const auto next = [] {
        const Tensor t = randn({20});
        return std::vector<float>(t.data_ptr<float>(), t.data_ptr<float>() + t.numel());
    };
    for (int i = 0; i < threads * draws; ++i) expected.insert(next());
    manual_seed(3);
    std::mutex mutex;
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
        all.emplace_back([&] {
            for (int i = 0; i < draws; ++i) {
                const auto numbers = next();
                const std::lock_guard lock(mutex);
                drawn.insert(numbers);
            }
        });
    for (auto& t : all) t.join();
    BOOST_TEST((drawn == expected));
}

BOOST_AUTO_TEST_CASE(dropout_draws_in_the_order_in_which_the_input_lies) {
    const Tensor x = ones({5, 7});
    for (const auto drop : {&dropout, &alpha_dropout}) {
        manual_seed(3);
        const Tensor of_transposed = drop(x.t(), 0.5, true);
        manual_seed(3);
        BOOST_TEST(of_transposed.equal(drop(x, 0.5, true).t()));
        manual_seed(3);
        BOOST_TEST(!of_transposed.equal(drop(x.t().contiguous(), 0.5, true)));
    }
}

BOOST_AUTO_TEST_SUITE_END()
