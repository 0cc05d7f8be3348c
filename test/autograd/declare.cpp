#include "op/declare.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>

using namespace reel;

BOOST_AUTO_TEST_SUITE(declare)

namespace {
Value first(std::span<const Value> bound) { return bound[0]; }
ops::Schema declared(const char* text, const char* constant = "", ops::Gradient gradient = ops::Gradient::Rule) {
    return ops::schema_of({text, "here.cpp", constant, gradient, false, true, false, first, nullptr});
}
} // namespace

BOOST_AUTO_TEST_CASE(names_types_and_what_is_said_beside_the_text) {
    const ops::Schema s = declared("test.declared_a(Tensor x, int[2] size, *, Tensor?[] rest) -> (Tensor a, Tensor b)");
    BOOST_TEST(s.name == "test.declared_a");
    BOOST_TEST(s.returns == "(Tensor a, Tensor b)");
    BOOST_TEST(s.file == "here.cpp");
    BOOST_TEST((s.takes_out && !s.has_inplace && !s.is_random && s.call == first && !s.call_inplace));
    BOOST_REQUIRE_EQUAL(s.arguments.size(), 3);
    BOOST_TEST((s.arguments[0].name == "x" && s.arguments[0].type == "Tensor" && !s.arguments[0].kwarg_only));
    BOOST_TEST((s.arguments[1].name == "size" && s.arguments[1].type == "int[2]" && !s.arguments[1].has_default));
    BOOST_TEST((s.arguments[2].name == "rest" && s.arguments[2].type == "Tensor?[]" && s.arguments[2].kwarg_only));
}
BOOST_AUTO_TEST_CASE(defaults_of_every_kind) {
    const ops::Schema s =
        declared("test.declared_b(int[] dim=[-2,-1], float p=2.0, int n=3, float top=inf, str how='zeros', "
                 "bool yes=True, Tensor? w=None, TensorOptions options={}) -> Tensor");
    BOOST_REQUIRE_EQUAL(s.arguments.size(), 8);
    for (const ops::Argument& a : s.arguments) BOOST_TEST(a.has_default, a.name);
    const auto& a = s.arguments;
    BOOST_TEST(a[0].default_value.toIntVector() == (std::vector<std::int64_t>{-2, -1}),
               boost::test_tools::per_element());
    BOOST_TEST((a[1].default_value.isDouble() && a[1].default_value.toDouble() == 2));
    BOOST_TEST((a[2].default_value.isInt() && a[2].default_value.toInt() == 3));
    BOOST_TEST(a[3].default_value.toDouble() == std::numeric_limits<double>::infinity());
    BOOST_TEST(a[4].default_value.toStringRef() == "zeros");
    BOOST_TEST(a[5].default_value.toBool());
    BOOST_TEST((a[6].default_value.isNone() && a[7].default_value.isNone()));
}
BOOST_AUTO_TEST_CASE(gradients_reach_tensors_but_those_that_are_named) {
    const char* text =
        "test.declared_c(Tensor x, Tensor weight, Tensor[] more, int n, TensorOptions options={}) -> Tensor";
    const auto reached = [](const ops::Schema& s) {
        std::string r;
        for (const ops::Argument& a : s.arguments)
            if (a.differentiable) r += a.name + " ";
        return r;
    };
    BOOST_TEST(reached(declared(text)) == "x weight more ");
    BOOST_TEST(reached(declared(text, "weight, more")) == "x ");
    BOOST_TEST(reached(declared(text, "", ops::Gradient::None)).empty());
}

BOOST_AUTO_TEST_SUITE_END()
