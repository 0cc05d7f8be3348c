// Numbers of JSON texts.
#include <reel/serialize/detail/json.hpp>

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

using reel::serialize::parse_json;

BOOST_AUTO_TEST_SUITE(json_texts)

namespace {
/// Finite numbers of every size.
std::vector<double> numbers(std::size_t n) {
    std::mt19937_64 generator(7);
    std::vector<double> r{0.1, 1.0 / 3, std::nextafter(1.0, 2.0), std::numeric_limits<double>::denorm_min(),
                          std::numeric_limits<double>::max()};
    while (r.size() < n)
        if (const double d = std::bit_cast<double>(generator()); std::isfinite(d)) r.push_back(d);
    return r;
}
} // namespace

/// The library's own parser gives a neighbour of one in six of them.
BOOST_AUTO_TEST_CASE(fractions_are_the_doubles_that_they_were) {
    for (const double d : numbers(20000)) {
        char text[80];
        std::snprintf(text, sizeof text, "[%.17g, {\"k\": %.17g}]", d, d);
        const boost::json::value v = parse_json(text);
        BOOST_REQUIRE_MESSAGE(v.at(0).to_number<double>() == d, text);
        BOOST_REQUIRE_MESSAGE(v.at(1).at("k").to_number<double>() == d, text);
    }
}

BOOST_AUTO_TEST_CASE(everything_else_is_as_the_library_reads_it) {
    const char* const text = R"({"a": [1, -7, 18446744073709551615, true, null, "x\u00e9\n", [], {}], "b": 1, "b": 2})";
    BOOST_TEST(parse_json(text) == boost::json::parse(text));
    BOOST_TEST(parse_json("1e400").as_double() == std::numeric_limits<double>::infinity());
    for (const char* wrong : {"", "[1", "[1] x", "{\"a\" 1}", "nan", "01", "1.", "-", "[1,]"})
        BOOST_CHECK_THROW(parse_json(wrong), boost::system::system_error);
    BOOST_CHECK_NO_THROW(parse_json("[[[1]]]", 3));
    BOOST_CHECK_EXCEPTION(parse_json("[[[[1]]]]", 3), boost::system::system_error, [](const auto& e) {
        return std::string(e.what()).starts_with("too deep") && std::string(e.what()).find("/") == std::string::npos;
    });
}

BOOST_AUTO_TEST_SUITE_END()
