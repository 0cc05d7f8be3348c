// What the tape keeps, counted once.
#include <reel/inspect/tape_bytes.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd.hpp>
#include <reel/inspect/recorder.hpp>
#include <reel/nn.hpp>

using namespace reel;
using namespace reel::inspect;

BOOST_AUTO_TEST_SUITE(tape_bytes_)

BOOST_AUTO_TEST_CASE(shared_storages_once_and_the_model_s_own_apart) {
    nn::Sequential net(nn::Linear(16, 16), nn::Tanh(), nn::Linear(16, 16));
    const Recorder recorder(*net);
    const Tensor x = randn({8, 16});
    const Tensor loss = net(x).sum();
    const TapeBytes b = tape_bytes(loss, *net);
    // x for the first weight; the result of Tanh, which Tanh and the second Linear share
    BOOST_TEST(b.total == 2u * 8 * 16 * 4, b.text());
    BOOST_TEST(b.of_model == 16u * 16 * 4, b.text()); // the second weight, for the gradient of its input
    std::size_t sum = 0, shared = 0;
    for (const auto& n : b.nodes) sum += n.bytes, shared += n.shared;
    BOOST_TEST(sum == b.total);
    BOOST_TEST(shared == 8u * 16 * 4);
    sum = 0;
    for (const auto& m : b.by_module) sum += m.bytes;
    BOOST_TEST(sum == b.total);
    BOOST_TEST(b.by_module.size() == 3u);
    BOOST_TEST(!b.by_place.empty());
    BOOST_REQUIRE(b.largest.size() == 2u);
    BOOST_TEST(b.largest[0].nodes.size() + b.largest[1].nodes.size() == 3u);
    BOOST_TEST(tape_bytes(loss, *net, 1).largest.size() == 1u);
    BOOST_TEST(b.json().find("\"total\":1024") != std::string::npos, b.json());
}

BOOST_AUTO_TEST_CASE(nothing_to_look_at) {
    nn::Linear net(2, 2);
    BOOST_CHECK_THROW((void)tape_bytes(Tensor(), *net), Error);
    BOOST_CHECK_THROW((void)tape_bytes(ones({1}), *net), Error);
}

BOOST_AUTO_TEST_SUITE_END()
