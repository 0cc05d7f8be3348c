// Reading and writing at computed positions on the device.
#include <reel/autograd/kernels/index.hpp>

#include <boost/test/unit_test.hpp>

#include "cuda/on_device.hpp"

using namespace reel;
using there::distance;
using there::put;

namespace {
std::string text_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const IndexError& e) {
        return e.msg();
    }
    return "(nothing was thrown)";
}
} // namespace

BOOST_AUTO_TEST_SUITE(cuda_index, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(what_is_assigned_last_stays) {
    manual_seed(7);
    const Tensor index = randint(0, 40, {30000}, kLong), values = arange(30000, kLong);
    for (const ScalarType type : {kByte, kShort, kInt, kLong, kHalf, kFloat, kComplexDouble}) {
        const Tensor v = values.to(type), host = zeros({40}, type), device = put(zeros({40}, type));
        host.scatter_(0, index, v);
        device.scatter_(0, put(index), put(v));
        BOOST_TEST(distance(device, host) == 0, type);
    }
}

BOOST_AUTO_TEST_CASE(whatever_meets_is_combined) {
    manual_seed(8);
    const Tensor index = randint(0, 17, {200, 3}, kLong);
    for (const ScalarType type :
         {kBool, kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kFloat, kDouble, kComplexFloat, kComplexDouble}) {
        const Tensor src = randint(0, 2, {200, 3}, kLong).to(type), self = ones({17, 3}, type);
        BOOST_TEST(distance(put(self).scatter_add(0, put(index), put(src)), self.scatter_add(0, index, src)) < 1e-12,
                   type);
        for (const char* reduce : {"prod", "amax", "amin"}) {
            if (type == kBool || isComplexType(type)) continue;
            BOOST_TEST(distance(put(self).scatter_reduce(0, put(index), put(src), reduce, true),
                                self.scatter_reduce(0, index, src, reduce, true)) < 1e-12,
                       reduce << " " << type);
        }
    }
}

BOOST_AUTO_TEST_CASE(an_index_out_of_range_is_named_and_writes_nothing) {
    const Tensor x = put(arange(6, kFloat)), bad = put(tensor({1, 6, 9}, kLong));
    BOOST_TEST(text_of([&] { (void)x.gather(0, bad); }).find("index 6 is out of range for a dimension of size 6") !=
               std::string::npos);
    BOOST_TEST(text_of([&] { x.index_fill_(0, bad, 3); }).find("index 6 is out of range") != std::string::npos);
    BOOST_TEST(distance(x, arange(6, kFloat)) == 0);
    BOOST_TEST(distance(x.index({put(tensor({-1, 0}, kLong))}), tensor({5., 0.}, kFloat)) == 0);
}

BOOST_AUTO_TEST_CASE(rows_views_and_nothing_at_all) {
    manual_seed(9);
    const Tensor x = randn({6, 5, 4}, kDouble), i = tensor({4, 0, 4}, kLong);
    BOOST_TEST(distance(put(x).transpose(0, 2).index_select(2, put(i)), x.transpose(0, 2).index_select(2, i)) == 0);
    BOOST_TEST(distance(put(x).index_add(0, put(i), put(x).slice(0, 0, 3), 2), x.index_add(0, i, x.slice(0, 0, 3), 2)) <
               1e-12);
    const Tensor none = zeros({0}, kLong);
    BOOST_TEST(distance(put(x).index_select(1, put(none)), x.index_select(1, none)) == 0);
    BOOST_TEST(distance(put(x).masked_select(put(x) > 0), x.masked_select(x > 0)) == 0);
    BOOST_TEST(distance(where(put(x) > 0, put(x), zeros({}, kDouble)), where(x > 0, x, zeros({}, kDouble))) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
