// The Boost.Test entry point of the nn tests.
#define BOOST_TEST_MODULE nn
#include <boost/test/unit_test.hpp>
