// Numbers read out of tensors, and put into new ones.
#include "tensor/host_values.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/autograd/error.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>

using namespace reel;
using detail::HostValues;

BOOST_AUTO_TEST_SUITE(host_values)

BOOST_AUTO_TEST_CASE(are_read_in_row_major_order_and_converted) {
    const Tensor t = tensor({{1.f, 2.f}, {3.f, 4.f}});
    const HostValues<std::int64_t> v(t.t(), "spin");
    BOOST_TEST(v.size() == 4);
    BOOST_TEST(std::vector<std::int64_t>(v.begin(), v.end()) == (std::vector<std::int64_t>{1, 3, 2, 4}));
    BOOST_TEST(v[1] == 3);
}

BOOST_AUTO_TEST_CASE(are_not_copied_where_they_lie_as_wanted) {
    const Tensor t = arange(3);
    BOOST_TEST(HostValues<std::int64_t>(t, "spin").begin() == t.data_ptr<std::int64_t>());
}

BOOST_AUTO_TEST_CASE(are_missing_on_meta) {
    const Tensor m = empty({2}, TensorOptions(kLong).device(kMeta));
    BOOST_TEST(!detail::has_values(m));
    BOOST_TEST(detail::has_values(arange(2)));
    BOOST_CHECK_EXCEPTION(HostValues<std::int64_t>(m, "spin"), NotImplementedError, [](const Error& e) {
        return e.msg() == "spin: no kernel for device meta and dtype int64; available: cpu";
    });
}

BOOST_AUTO_TEST_CASE(make_vectors) {
    BOOST_TEST(detail::generated<double>(3, [](std::int64_t i) {
                   return 0.5 * double(i);
               }).equal(tensor({0., 0.5, 1.}, TensorOptions(kDouble))));
    BOOST_TEST(detail::tensor_of(std::vector<std::int64_t>{7, 9}).equal(tensor({7, 9}, TensorOptions(kLong))));
    BOOST_TEST(detail::generated<bool>(0, [](std::int64_t) { return true; }).numel() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
