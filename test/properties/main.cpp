// The Boost.Test entry point of the property tests.
#define BOOST_TEST_MODULE properties
#include <boost/test/unit_test.hpp>
