// The Boost.Test entry point of the emulated device's own tests.
#define BOOST_TEST_MODULE cuda_emulation
#include <boost/test/unit_test.hpp>
