// The Boost.Test entry point of the distributed tests, which start this program as ranks, too.
#define BOOST_TEST_MODULE distributed
#include <boost/test/unit_test.hpp>

#include "processes.hpp"

struct Rank {
    Rank() { reel::testing::become_process(); }
};
BOOST_TEST_GLOBAL_FIXTURE(Rank);
