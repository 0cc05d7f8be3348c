// The Boost.Test entry point of the serialize tests.
#define BOOST_TEST_MODULE serialize
#include <boost/test/unit_test.hpp>
