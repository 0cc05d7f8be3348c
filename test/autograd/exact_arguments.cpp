// No number for a bool, no bool for a number. All schemas are gone through by the generated argument_types.cpp, which
// is part of this program; here is what integers and bools mean where an op has several schemas.
#include "tape_helpers.hpp"

using namespace tape_test;

namespace {

template <class... A>
concept calls_embedding = requires(const Tensor& t, A... a) {
    embedding(t, t, a...);
};
static_assert(calls_embedding<int, bool, bool>); // padding_idx, scale_grad_by_freq, sparse
static_assert(!calls_embedding<int, int, bool>);
static_assert(!calls_embedding<int, double>);
static_assert(!calls_embedding<bool, bool>);

template <class... A>
concept calls_functional = requires(const Tensor& t, A... a) {
    functional_embedding(t, t, a...);
};
static_assert(calls_functional<int, double, double>); // padding_idx, max_norm, norm_type
static_assert(calls_functional<std::nullopt_t, std::nullopt_t>);
static_assert(!calls_functional<int, bool>);
static_assert(!calls_functional<int, std::optional<double>, bool>);

Tensor table() { return arange(0, 12, 1, kDouble).view({4, 3}); }
bool same(const Tensor& a, const Tensor& b) { return a.sizes().equals(b.sizes()) && equal(a, b); }

} // namespace

BOOST_AUTO_TEST_SUITE(exact_arguments)

BOOST_AUTO_TEST_CASE(an_integer_of_var_and_its_kin_is_a_dimension) {
    const Tensor x = table().square();
    const std::int64_t dims[] = {1};
    BOOST_TEST(same(x.var(1), x.var(IntArrayRef(dims))));
    BOOST_TEST(same(x.var({1}), x.var(IntArrayRef(dims)))); // a brace of 0 or 1 would do for a bool, too
    BOOST_TEST(same(x.std(1), x.std(IntArrayRef(dims))));
    BOOST_TEST(same(var(x, 0), x.var({0})));
    BOOST_TEST(same(reel::std(x, -1), x.std({1})));
    BOOST_TEST(same(std::get<0>(var_mean(x, 1)), x.var({1})));
    BOOST_TEST(same(std::get<0>(std_mean(x, 1)), x.std({1})));
    BOOST_TEST(same(x.var(1, false, true), x.var({1}, false, true)));
    BOOST_TEST(x.var(true).dim() == 0); // a bool is still `unbiased`
    BOOST_TEST(same(x.var(false), x.var(std::nullopt, 0)));
}

BOOST_AUTO_TEST_CASE(an_integer_beside_unbiased_is_the_correction) {
    const Tensor x = table().square();
    BOOST_TEST(same(x.var(1, 1), x.var({1}, true)));
    BOOST_TEST(same(x.var({1}, 0), x.var({1}, false)));
    BOOST_TEST(same(x.var(1, 2, true), x.var({1}, std::optional<Scalar>(2), true)));
}

BOOST_AUTO_TEST_CASE(bools_after_the_padding_leave_the_table_alone) {
    const Tensor w = table(), rows = tensor({1, 3}, kLong);
    const Tensor y = embedding(w, rows, -1, false, false);
    BOOST_TEST(same(w, table()));
    BOOST_TEST(same(y, index_select(w, 0, rows)));
    const Tensor g = table().requires_grad_();
    embedding(g, rows, 3, false, false).sum().backward();
    REEL_TEST_VALUES(g.grad(), 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0);
    const Tensor all = table().requires_grad_(); // no row is padding
    embedding(all, rows, -1, false, false).sum().backward();
    REEL_TEST_VALUES(all.grad(), 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1);
}

BOOST_AUTO_TEST_CASE(what_holds_a_bool_or_a_number_may_stand_for_it) {
    const std::vector<bool> flags{true};
    const std::optional<int> none;
    const Tensor x = table();
    BOOST_TEST(same(dropout(x, 0.0, flags[0]), x));
    BOOST_TEST(same(diff(x, 1, 0), x.diff(1, 0)));
    BOOST_TEST(same(repeat_interleave(x, 2, none), x.repeat_interleave(2)));
}

BOOST_AUTO_TEST_SUITE_END()
