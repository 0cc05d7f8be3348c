// The Boost.Test entry point of the cuda tests.
#define BOOST_TEST_MODULE cuda
#include <boost/test/unit_test.hpp>

#include <reel/autograd/context.hpp>

namespace {
/// What the CPU computes in float32 the device shall, too: convolutions would be in TF32 otherwise.
struct Exactly {
    Exactly() { reel::globalContext().setAllowTF32CuDNN(false); }
};
} // namespace
BOOST_TEST_GLOBAL_FIXTURE(Exactly);
