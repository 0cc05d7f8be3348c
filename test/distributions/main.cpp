// The Boost.Test entry point of the distributions' tests.
#define BOOST_TEST_MODULE distributions
#include <boost/test/unit_test.hpp>
