// The Boost.Test entry point of the messages tests.
#define BOOST_TEST_MODULE messages
#include <boost/test/unit_test.hpp>
