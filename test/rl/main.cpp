// The Boost.Test entry point of the rl tests.
#define BOOST_TEST_MODULE rl
#include <boost/test/unit_test.hpp>
