// Symbols: one address per text.
#include <reel/script/symbol.hpp>

#include <boost/test/unit_test.hpp>

using namespace reel::jit;

BOOST_AUTO_TEST_SUITE(script_symbol)

BOOST_AUTO_TEST_CASE(equal_texts_are_one_symbol) {
    const Symbol a("aten::add"), b(std::string("aten::") + "add");
    BOOST_TEST((a == b));
    BOOST_TEST(a.address() == b.address());
    BOOST_TEST(!(a == Symbol("aten::sub")));
    BOOST_TEST(a.ns() == "aten");
    BOOST_TEST(a.name() == "add");
    BOOST_TEST(Symbol("forward").ns() == "");
    BOOST_TEST(Symbol("forward").name() == "forward");
    BOOST_TEST((prim::If == Symbol("prim::If")));
}

BOOST_AUTO_TEST_SUITE_END()
