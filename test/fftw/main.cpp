// The Boost.Test entry point of the fftw tests.
#define BOOST_TEST_MODULE fftw
#include <boost/test/unit_test.hpp>
