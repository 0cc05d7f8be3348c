// The Boost.Test entry point of the script tests.
#define BOOST_TEST_MODULE script
#include <boost/test/unit_test.hpp>
