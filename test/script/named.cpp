// What a script module has, by name, and the types of attributes under libtorch's names.
#include <reel/script/named.hpp>

#include <sstream>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/script/load_save.hpp>
#include <reel/script/type_names.hpp>

#include "message.hpp"

using namespace reel;
using reel::testing::message;

BOOST_AUTO_TEST_SUITE(script_named)

BOOST_AUTO_TEST_CASE(entries_have_a_name_and_a_value) {
    jit::script::Module m("Net");
    m.register_parameter("weight", ones({2}), false);
    m.register_buffer("scale", full({1}, 2.0));
    m.register_attribute("rate", jit::FloatType::get(), 0.5);
    m.register_module("inner", jit::Module("Inner"));
    std::string names;
    for (const auto& p : m.named_parameters()) names += p.name + " " + std::to_string(p.value.numel()) + " ";
    for (const auto& [name, value] : m.named_buffers()) names += name + " ";
    for (const auto& child : m.named_children()) names += child.name + (child.value.is_training() ? " trains " : " ");
    BOOST_TEST(names == "weight 2 scale inner trains ");
    BOOST_TEST(m.named_attributes()["rate"].toDouble() == 0.5);
    BOOST_TEST(m.named_parameters()[0].name == "weight");
    BOOST_TEST(message([&] { m.named_buffers()["none"]; }) == "there is no entry 'none'");
    std::stringstream file;
    m.save(file);
    BOOST_TEST(equal(jit::load(file).attr("scale").toTensor(), full({1}, 2.0)));
}
BOOST_AUTO_TEST_CASE(types_by_libtorchs_names) {
    const jit::TypePtr t = jit::DictType::create(
        jit::StringType::get(), jit::ListType::create(jit::OptionalType::create(jit::TensorType::get())));
    BOOST_TEST(t->annotation_str() == "Dict[str, List[Optional[Tensor]]]");
    BOOST_TEST(jit::ListType::ofInts()->equals(*jit::Type::List(jit::IntType::get())));
    BOOST_TEST((jit::NoneType::get()->kind() == jit::TypeKind::None));
    const jit::Module m("Net");
    m.register_attribute("table", t, ValueDict());
    BOOST_TEST(m.hasattr("table"));
}

BOOST_AUTO_TEST_SUITE_END()
