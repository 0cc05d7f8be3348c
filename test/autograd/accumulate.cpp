// Sums into elements that may overlap: in order, whatever is done side by side.
#include <reel/autograd/kernels/accumulate.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;

BOOST_AUTO_TEST_SUITE(accumulate)

BOOST_AUTO_TEST_CASE(images_that_share_nothing_are_folded_as_each_by_itself) {
    manual_seed(0);
    const int before = get_num_threads();
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kLong, kComplexDouble}) {
        const Tensor columns = (randn({8, 4 * 9, 40 * 40}) * 8).to(dtype);
        set_num_threads(1);
        const Tensor one = col2im(columns, {42, 42}, {3, 3});
        set_num_threads(3);
        BOOST_TEST(col2im(columns, {42, 42}, {3, 3}).equal(one));
        for (const std::int64_t n : {0, 7})
            BOOST_TEST(col2im(columns.select(0, n), {42, 42}, {3, 3}).equal(one.select(0, n)));
    }
    set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(what_meets_is_added_up) {
    const Tensor ones_of_windows = ones({2, 4, 3}), x = zeros({2, 6});
    kernels::accumulate(x.as_strided({2, 4, 3}, {6, 1, 1}), ones_of_windows);
    BOOST_TEST(x.equal(tensor({1.F, 2.F, 3.F, 3.F, 2.F, 1.F}).expand({2, 6})));
    const Tensor all = zeros({1});
    kernels::accumulate(all.expand({300, 300}), ones({300, 300})); // no dimension is apart
    BOOST_TEST(all.item<float>() == 90'000);
    kernels::accumulate(x.narrow(0, 0, 0), zeros({0, 6}));
}

BOOST_AUTO_TEST_SUITE_END()
