// The Boost.Test entry point of the optim tests.
#define BOOST_TEST_MODULE optim
#include <boost/test/unit_test.hpp>
