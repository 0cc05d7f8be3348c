// The Boost.Test entry point of the distributed tests.
#define BOOST_TEST_MODULE distributed
#include <boost/test/unit_test.hpp>
