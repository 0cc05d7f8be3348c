// The Boost.Test entry point of the inspect tests.
#define BOOST_TEST_MODULE inspect
#include <boost/test/unit_test.hpp>
