// Types of scripts: both spellings, what fits where, what values show.
#include <reel/script/type.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/tensor_factory.hpp>
#include <reel/script/function.hpp>
#include <reel/script/object.hpp>

#include "message.hpp"

using namespace reel::jit;
using reel::IValue;
using reel::testing::message;

namespace {

TypePtr point() { return Type::NamedTuple("__torch__.m.Point", {"x", "n"}, {Type::Tensor(), Type::Int()}); }
bool fits(const TypePtr& a, const TypePtr& b) { return a->is_subtype_of(*b); }
std::string unified(const TypePtr& a, const TypePtr& b) {
    auto type = unify(a, b);
    return type ? (*type)->str() : "none";
}

} // namespace

BOOST_AUTO_TEST_SUITE(script_type)

BOOST_AUTO_TEST_CASE(a_type_is_spelt_as_the_ir_and_as_code_have_it) {
    const auto check = [](const TypePtr& t, const char* ir, const char* code) {
        BOOST_TEST(t->str() == ir);
        BOOST_TEST(t->annotation_str() == code);
    };
    check(Type::List(Type::Optional(Type::Int())), "int?[]", "List[Optional[int]]");
    check(Type::Dict(Type::String(), Type::List(Type::Tensor())), "Dict(str, Tensor[])", "Dict[str, List[Tensor]]");
    check(Type::Tuple({Type::Float(), Type::Bool()}), "(float, bool)", "Tuple[float, bool]");
    check(Type::Tuple({}), "()", "Tuple[()]");
    check(Type::Number(), "Scalar", "number");
    check(Type::Future(Type::Tensor()), "Future[Tensor]", "Future[Tensor]");
    check(Type::AnyList(), "list", "list");
    check(Type::AnyTuple(), "tuple", "tuple");
    check(Type::None(), "NoneType", "NoneType");
    check(point(), "NamedTuple(x : Tensor, n : int)", "__torch__.m.Point");
    check(std::make_shared<EnumType>("__torch__.m.Color", Type::Int(),
                                     std::vector<std::pair<std::string, IValue>>{{"RED", 1}}),
          "Enum<__torch__.m.Color>", "__torch__.m.Color");
    check(std::make_shared<InterfaceType>("__torch__.m.Op", std::vector<FunctionSchema>()), "InterfaceType<Op>",
          "__torch__.m.Op");
}

BOOST_AUTO_TEST_CASE(a_union_is_flat_sorted_and_without_what_another_member_covers) {
    BOOST_TEST(Type::Union({Type::String(), Type::Int(), Type::Tensor()})->str() == "Union(Tensor, int, str)");
    BOOST_TEST(Type::Union({Type::Int(), Type::None()})->str() == "int?");
    BOOST_TEST(Type::Union({Type::Int(), Type::Int()})->str() == "int");
    BOOST_TEST(Type::Union({Type::Optional(Type::Int()), Type::String()})->str() == "Union(int, NoneType, str)");
    BOOST_TEST(Type::Union({Type::Int(), Type::Any()})->str() == "Any");
    BOOST_TEST(Type::Optional(Type::Optional(Type::Int()))->str() == "int?");
    BOOST_TEST(message([] { Type::Union({}); }) == "Union: expected at least one member");
    BOOST_TEST(Type::Union({Type::List(Type::Int()), Type::List(Type::Float())})
                   ->equals(*Type::Union({Type::List(Type::Float()), Type::List(Type::Int())})));
}

BOOST_AUTO_TEST_CASE(subtypes) { // SC-33
    BOOST_TEST(fits(Type::Int(), Type::Optional(Type::Int())));
    BOOST_TEST(fits(Type::None(), Type::Optional(Type::Int())));
    BOOST_TEST(!fits(Type::Optional(Type::Int()), Type::Int()));
    BOOST_TEST(fits(Type::Int(), Type::Union({Type::Int(), Type::String()})));
    BOOST_TEST(!fits(Type::Union({Type::Int(), Type::String()}), Type::Int()));
    BOOST_TEST(fits(Type::List(Type::Int()), Type::Any()));
    BOOST_TEST(fits(Type::List(Type::Int()), Type::AnyList()));
    BOOST_TEST(!fits(Type::AnyList(), Type::List(Type::Int())));
    BOOST_TEST(fits(Type::Tuple({Type::Int()}), Type::AnyTuple()));
    BOOST_TEST(fits(Type::Complex(), Type::Number()));
    BOOST_TEST(!fits(Type::Bool(), Type::Int()));
    BOOST_TEST(!fits(Type::Bool(), Type::Number()));
    BOOST_TEST(!fits(Type::List(Type::Int()), Type::List(Type::Optional(Type::Int()))));
    BOOST_TEST(
        fits(Type::Tuple({Type::Int(), Type::None()}), Type::Tuple({Type::Number(), Type::Optional(Type::Int())})));
    BOOST_TEST(fits(point(), Type::Tuple({Type::Tensor(), Type::Int()})));
    BOOST_TEST(!fits(Type::Tuple({Type::Tensor(), Type::Int()}), point()));
}

BOOST_AUTO_TEST_CASE(a_class_fits_an_interface_whose_methods_it_has) { // SC-33
    FunctionSchema asked = parse_schema("scale(float k) -> float");
    InterfaceType op("__torch__.m.Op", {asked});
    auto unit = std::make_shared<CompilationUnit>();
    ClassType with("__torch__.m.A", true, unit.get()), other("__torch__.m.B", true, unit.get());
    const auto method = [](const char* schema) {
        return std::make_shared<Function>("__torch__.m.scale", std::make_shared<Graph>(), parse_schema(schema));
    };
    with.add_method(method("scale(__torch__.m.A self, float k) -> float"));
    other.add_method(method("scale(__torch__.m.B self, float k) -> int"));
    BOOST_TEST(with.is_subtype_of(op));
    BOOST_TEST(!other.is_subtype_of(op));
    BOOST_TEST(message([&] { with.add_method(method("scale(__torch__.m.A self, float k) -> float")); }) ==
               "class __torch__.m.A: method 'scale' is there already");
}

BOOST_AUTO_TEST_CASE(what_two_types_have_in_common) { // SC-36
    BOOST_TEST(unified(Type::Int(), Type::Int()) == "int");
    BOOST_TEST(unified(Type::Tensor(), Type::None()) == "Tensor?");
    BOOST_TEST(unified(Type::Optional(Type::Int()), Type::Int()) == "int?");
    BOOST_TEST(unified(Type::Tuple({Type::Int(), Type::None()}), Type::Tuple({Type::None(), Type::Int()})) ==
               "(int?, int?)");
    BOOST_TEST(unified(Type::Int(), Type::String()) == "none");
    BOOST_TEST(unified(Type::List(Type::Int()), Type::List(Type::Float())) == "none");
}

BOOST_AUTO_TEST_CASE(a_value_shows_its_type) { // SC-37
    BOOST_TEST(type_of(IValue(1))->str() == "int");
    BOOST_TEST(type_of(IValue(reel::kFloat))->str() == "int"); // SC-34
    BOOST_TEST(type_of(IValue::list({}))->str() == "Tensor[]");
    BOOST_TEST(type_of(IValue::list({1, nullptr}))->str() == "int?[]");
    BOOST_TEST(type_of(IValue(reel::ValueDict()))->str() == "Dict(str, Tensor)");
    BOOST_TEST(type_of(IValue::tuple({1, "a"}))->str() == "(int, str)");
    BOOST_TEST(is_instance(IValue::list({1, 2}), *Type::List(Type::Int())));
    BOOST_TEST(!is_instance(IValue::list({1, 2.0}), *Type::List(Type::Int())));
    BOOST_TEST(is_instance(IValue::tuple({1, nullptr}), *Type::Tuple({Type::Int(), Type::Optional(Type::Int())})));
    BOOST_TEST(!is_instance(IValue(true), *Type::Int()));
}

BOOST_AUTO_TEST_CASE(a_trace_knows_more_of_a_tensor) {
    const TypePtr t = TensorType::of(reel::tensor({{1., 2., 3.}, {4., 5., 6.}}, reel::TensorOptions(reel::kFloat)));
    BOOST_TEST(t->str() == "Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)");
    BOOST_TEST(t->annotation_str() == "Tensor");
    BOOST_TEST(t->equals(*Type::Tensor()));
    BOOST_TEST(TensorType::of(reel::tensor(2.5, reel::TensorOptions(reel::kDouble)))->str() ==
               "Double(requires_grad=0, device=cpu)");
    for (const char* text : {"Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)", "Long(device=cpu)"})
        BOOST_TEST(parse_ir_type(text)->str() == text);
}

BOOST_AUTO_TEST_CASE(attributes_of_a_class_have_slots_and_their_order_in_the_text) { // SC-21
    ClassType c("__torch__.m.C", true, nullptr);
    c.add_attribute("w", Type::Tensor(), ClassType::AttributeKind::Parameter);
    c.add_constant("k", Type::Int(), 3);
    c.add_attribute("training", Type::Bool());
    BOOST_TEST(*c.find_slot("training") == 1u);
    BOOST_TEST(!c.find_slot("k"));
    BOOST_TEST(c.find_constant("k")->value.toInt() == 3);
    BOOST_TEST(c.lines()[1].is_constant);
    BOOST_TEST(c.lines()[2].index == 1u);
    BOOST_TEST(message([&] { c.add_attribute("k", Type::Int()); }) ==
               "class __torch__.m.C: attribute 'k' is there already");
}

BOOST_AUTO_TEST_SUITE_END()
