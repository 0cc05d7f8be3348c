// Places in sources, and the errors that point at them.
#include <reel/script/source.hpp>

#include <boost/test/unit_test.hpp>

using namespace reel::jit;

namespace {

SourceRange range(std::string text, std::size_t begin, std::size_t end, std::size_t first_line = 1) {
    return {std::make_shared<Source>(Source{std::move(text), "m.py", first_line}), begin, end};
}

} // namespace

BOOST_AUTO_TEST_SUITE(script_source)

BOOST_AUTO_TEST_CASE(a_range_tells_line_column_and_text) {
    const SourceRange r = range("one\n  two three\n", 6, 9);
    BOOST_TEST(r.line() == 2u);
    BOOST_TEST(r.column() == 2u);
    BOOST_TEST(r.text() == "two");
    BOOST_TEST(r.str() == "m.py:2:2");
    BOOST_TEST(range("x\n", 0, 1, 41).line() == 41u);
    BOOST_TEST(range("x\n", 9, 12).text() == ""); // behind the end
    BOOST_TEST(SourceRange().str() == "");
    BOOST_TEST(SourceRange().line() == 0u);
}

BOOST_AUTO_TEST_CASE(errors_show_the_line_and_what_is_meant) { // SC-85
    const ScriptError error("undefined value z", range("def f():\n    return z\n", 20, 21));
    BOOST_TEST(error.message() == "undefined value z");
    BOOST_TEST(error.where().column() == 11u);
    BOOST_TEST(std::string(error.what()) == "undefined value z:\n  File \"m.py\", line 2\n    return z\n"
                                            "           ~ <--- HERE\n");
    // what goes over several lines is marked in each, but for blank ones and indentation
    BOOST_TEST(range("ab\n\n  cd\n", 1, 9).highlight() == "  File \"m.py\", line 1\nab\n ~\n  cd\n  ~~ <--- HERE\n");
    BOOST_TEST(std::string(ScriptError("no place", {}).what()) == "no place");
}

BOOST_AUTO_TEST_SUITE_END()
