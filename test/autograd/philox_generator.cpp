// The generator of a device, which is numbers of the host: no device is needed to hold one.
#include <reel/autograd/philox_generator.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>

#include <reel/autograd/cuda.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>

#include "message.hpp"

using namespace reel;

BOOST_AUTO_TEST_SUITE(philox_generator)

BOOST_AUTO_TEST_CASE(counters_are_taken_in_turn) {
    PhiloxGeneratorImpl g(Device(kCUDA, 1), 5);
    BOOST_TEST(g.device() == Device(kCUDA, 1));
    BOOST_TEST(g.current_seed() == 5u);
    BOOST_TEST(g.take(3) == 0u);
    BOOST_TEST(g.take(2) == 3u);
    BOOST_TEST(g.get_offset() == 20u);
    const auto copy = g.clone();
    BOOST_TEST(static_cast<PhiloxGeneratorImpl&>(*copy).take(1) == 5u);
    BOOST_TEST(g.get_offset() == 20u);
    g.set_offset(8);
    BOOST_TEST(g.take(1) == 2u);
    BOOST_TEST(testing::message([&] { g.set_offset(6); }).find("6 is not a multiple of 4") != std::string::npos);
    g.set_current_seed(6);
    BOOST_TEST(g.get_offset() == 0u);
}

BOOST_AUTO_TEST_CASE(states) {
    PhiloxGeneratorImpl g(Device(kCUDA, 0), 5), other(Device(kCUDA, 0));
    (void)g.take(7);
    const Tensor state = g.get_state();
    other.set_state(state);
    BOOST_TEST(other.current_seed() == 5u);
    BOOST_TEST(other.get_offset() == 28u);
    BOOST_TEST(testing::message([&] { other.set_state(zeros({15}, kByte)); }) ==
               "Generator.set_state: state has 15 bytes; expected the 16 of a generator of cuda:0, seed and offset");
    BOOST_CHECK_THROW(other.set_state(zeros({16}, kFloat)), TypeError);
    const Tensor odd = state.clone();
    odd[8].fill_(3);
    BOOST_CHECK_THROW(other.set_state(odd), ValueError);
    BOOST_TEST(other.get_offset() == 28u);
}

BOOST_AUTO_TEST_CASE(default_ones_are_seeded_before_they_are_made) {
    manual_seed(77);
    const Generator g = detail::default_generator(Device(kCUDA, 3));
    BOOST_TEST(g.device() == Device(kCUDA, 3));
    BOOST_TEST(g.current_seed() == 77u);
    BOOST_TEST((detail::default_generator(Device(kCUDA, 3)) == g));
    cuda::manual_seed_all(78);
    BOOST_TEST(g.current_seed() == 78u);
    BOOST_TEST(detail::getDefaultCPUGenerator().current_seed() == 77u);
}

BOOST_AUTO_TEST_CASE(generators_are_for_devices_that_there_are) {
    if (!cuda::is_available())
        BOOST_TEST(testing::message([] { Generator g(Device(kCUDA, 0)); }) ==
                   "Generator: no generator for cuda:0: " + cuda::unavailable_reason());
    BOOST_TEST(testing::message([] { Generator g{Device(kMeta)}; }) ==
               "Generator: there are generators for cpu and cuda, not for meta");
    const Generator there(std::shared_ptr<GeneratorImpl>(std::make_shared<PhiloxGeneratorImpl>(Device(kCUDA, 0))));
    BOOST_TEST(testing::message([&] {
                   empty({2}).uniform_(0, 1, there);
               }).starts_with("a generator of cuda:0 was given where the cpu draws"));
}

BOOST_AUTO_TEST_CASE(endlessly_many_trials_end) {
    BOOST_TEST(binomial(full({1}, INFINITY, kDouble), full({1}, 0.5, kDouble)).item<double>() == INFINITY);
}

BOOST_AUTO_TEST_SUITE_END()
