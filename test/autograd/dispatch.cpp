#include <reel/autograd/dispatch.hpp>

#include <type_traits>

#include "shape_helpers.hpp"

#include <reel/autograd/tensor_operators.hpp>

using namespace shape_test;

namespace {
template <class T> void double_each(T* at, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) at[i] = T(at[i] + at[i]);
}
std::size_t width(ScalarType t) {
    return REEL_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(kHalf, kBFloat16, kBool, t, "width", [&] {
        static_assert(dtype_of<scalar_t> != ScalarType::Undefined);
        return dtype_of<scalar_t> == t ? sizeof(scalar_t) : 0;
    });
}
} // namespace

BOOST_AUTO_TEST_SUITE(dispatch)

BOOST_AUTO_TEST_CASE(each_dtype_runs_with_its_element_type) {
    for (int i = 0; i < num_scalar_types; ++i) BOOST_TEST(width(ScalarType(i)) == elementSize(ScalarType(i)));
    static_assert(std::is_same_v<element_t<kFloat>, float>);
    for (const ScalarType t : {kFloat, kDouble}) {
        const Tensor x = ones({3}, t);
        REEL_DISPATCH_FLOATING_TYPES(t, "double_each", [&] { double_each(x.data_ptr<scalar_t>(), x.numel()); });
        BOOST_TEST((x == 2).all().item<bool>());
    }
}

BOOST_AUTO_TEST_CASE(families_have_their_members_and_no_others) {
    const auto takes = [](auto run) {
        std::vector<ScalarType> taken;
        for (int i = 0; i < num_scalar_types; ++i) try {
                run(ScalarType(i));
                taken.push_back(ScalarType(i));
            } catch (const NotImplementedError&) {
            }
        return taken;
    };
    using Types = std::vector<ScalarType>;
    const auto none = [] {};
    BOOST_TEST((takes([&](ScalarType t) { REEL_DISPATCH_FLOATING_TYPES(t, "f", none); }) == Types{kFloat, kDouble}));
    BOOST_TEST((takes([&](ScalarType t) { REEL_DISPATCH_FLOATING_TYPES_AND_HALF(t, "f", none); }) ==
                Types{kHalf, kFloat, kDouble}));
    BOOST_TEST((takes([&](ScalarType t) { REEL_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, t, "f", none); }) ==
                Types{kHalf, kFloat, kDouble, kBFloat16}));
    BOOST_TEST((takes([&](ScalarType t) { REEL_DISPATCH_COMPLEX_TYPES(t, "f", none); }) ==
                Types{kComplexFloat, kComplexDouble}));
    BOOST_TEST((takes([&](ScalarType t) { REEL_DISPATCH_FLOATING_AND_COMPLEX_TYPES(t, "f", none); }) ==
                Types{kFloat, kDouble, kComplexFloat, kComplexDouble}));
    BOOST_TEST((takes([&](ScalarType t) { REEL_DISPATCH_INTEGRAL_TYPES_AND(kBool, t, "f", none); }) ==
                Types{kByte, kChar, kShort, kInt, kLong, kBool}));
    BOOST_TEST((takes([&](ScalarType t) { REEL_DISPATCH_ALL_TYPES_AND2(kHalf, kBool, t, "f", none); }) ==
                Types{kByte, kChar, kShort, kInt, kLong, kHalf, kFloat, kDouble, kBool}));
    BOOST_TEST((takes([&](ScalarType t) {
                    REEL_DISPATCH_INDEX_TYPES(t, "f", [] { static_assert(sizeof(index_t) >= 4); });
                }) == Types{kInt, kLong}));
}

BOOST_AUTO_TEST_CASE(a_dtype_without_a_case_is_refused_by_name) {
    BOOST_TEST(message<NotImplementedError>([] { REEL_DISPATCH_INTEGRAL_TYPES(kFloat, "my_op", [] {}); }) ==
               "my_op: not implemented for dtype float32; convert the tensor with .to() first");
}

BOOST_AUTO_TEST_SUITE_END()
