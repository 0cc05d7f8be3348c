// The Boost.Test entry point of the tests of several ranks.
#define BOOST_TEST_MODULE distributed
#include <boost/test/unit_test.hpp>
