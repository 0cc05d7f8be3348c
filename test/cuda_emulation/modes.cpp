// The emulated device's modes as the environment spells them.
#include <reel/cuda/emulation/modes.hpp>

#include <boost/test/unit_test.hpp>

#include "cuda_emulation/apart.hpp"

namespace emulation = reel::cuda::emulation;

BOOST_AUTO_TEST_SUITE(cuda_emulation_modes)

BOOST_AUTO_TEST_CASE(every_word_has_its_meaning) {
    const emulation::Modes m = emulation::parse_modes("order=reverse,timing=late,seed=7,devices=3,device=small");
    BOOST_TEST((m.order == emulation::Order::reverse));
    BOOST_TEST((m.timing == emulation::Timing::late));
    BOOST_TEST(m.seed == 7u);
    BOOST_TEST(m.devices == 3);
    BOOST_TEST(m.table().multiprocessors == 2);
    BOOST_TEST(emulation::parse_modes("").table().multiprocessors == 132);
}

BOOST_AUTO_TEST_CASE(words_that_there_are_not_are_named_with_those_that_there_are) {
    const apart::End order = apart::run("order=sideways", [] {});
    BOOST_TEST(order.is_fault());
    BOOST_TEST(order.says("REEL_EMULATION: order=sideways: expected forward, reverse, random"), order.text);
    BOOST_TEST(apart::run("speed=9", [] {}).says("speed: expected order, timing, seed, devices, device or driver"));
    BOOST_TEST(apart::run("seed=many", [] {}).says("seed=many: expected a number"));
}

BOOST_AUTO_TEST_SUITE_END()
