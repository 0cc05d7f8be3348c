// Schemas: their text is read and printed again.
#include <reel/script/schema.hpp>

#include <boost/test/unit_test.hpp>

#include "message.hpp"

using namespace reel::jit;
using reel::testing::message;

BOOST_AUTO_TEST_SUITE(script_schema)

BOOST_AUTO_TEST_CASE(what_is_read_prints_as_it_was) {
    for (const char* text :
         {"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
          "aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)",
          "aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
          "pin_memory=None) -> Tensor",
          "aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
          "aten::split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]",
          "aten::setdefault.str(Dict(str, t)(a!) self, str(b -> *) key, t(c -> *) default_value) -> t(*)",
          "aten::items.str(Dict(str, t) self) -> ((str, t)[])", "aten::format(str self, ...) -> str",
          "prim::tolist(...) -> ...",
          "aten::f(str a=\"q\\\"\\n\", float b=1.0000000000000001e-05, int[2] c=[0, 1], float d=inf) -> ()",
          "forward(Tensor x, (int, int) pair, str? s=None) -> ((int, str))"})
        BOOST_TEST(parse_schema(text).str() == text);
}

BOOST_AUTO_TEST_CASE(marks_and_lists_of_fixed_length_are_known) {
    const FunctionSchema s =
        parse_schema("aten::f(Tensor(a!) self, int[2] size=1, int[] more=[], *, float k=2) -> Tensor(a!)");
    BOOST_TEST(s.name == "aten::f");
    BOOST_TEST(s.arguments[0].is_written);
    BOOST_TEST(*s.arguments[1].broadcast == 2);
    BOOST_TEST(s.arguments[1].default_value->elements().size() == 2u); // one number stands for all
    BOOST_TEST(!s.arguments[2].broadcast);
    BOOST_TEST(s.arguments[3].kwarg_only);
    BOOST_TEST(s.arguments[3].default_value->isDouble());
    BOOST_TEST(s.returns[0].is_alias);
    BOOST_TEST(s.find_argument("more") == 2u);
    BOOST_TEST(s.find_argument("none") == s.arguments.size());
}

BOOST_AUTO_TEST_CASE(words_of_numbers_are_ints) { // SC-34
    const FunctionSchema s =
        parse_schema("f(ScalarType a, Layout? b, MemoryFormat c=contiguous_format, SymInt d) -> Scalar");
    for (std::size_t i : {0, 2, 3}) BOOST_TEST(s.arguments[i].type->str() == "int");
    BOOST_TEST(s.arguments[1].type->str() == "int?");
    BOOST_TEST(s.arguments[2].default_value->toInt() == 0);
    BOOST_TEST(s.returns[0].type->str() == "Scalar");
}

BOOST_AUTO_TEST_CASE(a_named_tuple_stands_by_its_name) {
    FunctionSchema s = parse_schema("f(int a) -> int");
    const TypePtr point = Type::NamedTuple("__torch__.m.Point", {"x"}, {Type::Int()});
    s.arguments[0].type = Type::List(point);
    s.returns[0].type = Type::Tuple({point, Type::Int()});
    BOOST_TEST(s.str() == "f(__torch__.m.Point[] a) -> ((__torch__.m.Point, int))");
}

BOOST_AUTO_TEST_CASE(a_text_that_is_none_is_refused_with_its_place) {
    BOOST_TEST(message([] { parse_schema("aten::f(Tensor) -> Tensor"); }) ==
               "schema, line 1, column 15: expected an argument's name, got \") -> Tensor\"");
    BOOST_TEST(message([] { parse_schema("aten::f(int a"); }) ==
               "schema, line 1, column 14: expected ',', got the end");
    BOOST_TEST(message([] { parse_ir_type("int]"); }) ==
               "type, line 1, column 4: expected the end of the type, got \"]\"");
    std::string deep(300, '(');
    BOOST_TEST(message([&] { parse_ir_type(deep); }).find("expected at most 200 levels of nesting") !=
               std::string::npos);
    std::string lists = "int";
    for (int i = 0; i < 100000; ++i) lists += "[]";
    BOOST_TEST(message([&] { parse_ir_type(lists); }).find("expected at most 200 levels of nesting") !=
               std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
