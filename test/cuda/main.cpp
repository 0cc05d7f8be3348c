// The Boost.Test entry point of the cuda tests.
#define BOOST_TEST_MODULE cuda
#include <boost/test/unit_test.hpp>
