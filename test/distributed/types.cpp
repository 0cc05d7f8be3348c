#include <reel/distributed/types.hpp>

#include <boost/test/unit_test.hpp>

#include "message.hpp"

using namespace reel;
namespace dist = reel::distributed;

BOOST_AUTO_TEST_SUITE(distributed_types)

BOOST_AUTO_TEST_CASE(names_lead_back_and_forth) {
    using enum dist::ReduceOp;
    for (const dist::ReduceOp op : {kSum, kAvg, kMin, kMax, kProduct, kBand, kBor, kBxor})
        BOOST_TEST((dist::reduce_op(dist::name_of(op)) == op));
    using enum dist::Backend;
    for (const dist::Backend b : {kAuto, kThreads, kSockets, kMPI, kNCCL})
        BOOST_TEST((dist::backend(dist::name_of(b)) == b));
    BOOST_TEST(testing::message([] { dist::reduce_op("mean"); }) ==
               "reduce_op: 'mean' is none of sum, avg, min, max, product, band, bor, bxor");
    BOOST_TEST(testing::message([] { dist::backend("gloo"); }) ==
               "backend: 'gloo' is none of auto, threads, sockets, mpi, nccl");
}

BOOST_AUTO_TEST_SUITE_END()
