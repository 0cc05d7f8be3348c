// Drawing from a given generator.
#include <reel/autograd/generator_scope.hpp>

#include <boost/test/unit_test.hpp>

#include <thread>

#include <reel/autograd/detail/private_generator.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>

#include "message.hpp"

using namespace reel;

BOOST_AUTO_TEST_SUITE(generator_scope, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(draws_of_the_thread_come_from_it) {
    Generator own(kCPU), twin(kCPU);
    own.manual_seed(3);
    twin.manual_seed(3);
    manual_seed(1);
    const Tensor from_default = reel::randn({4});
    manual_seed(1);
    {
        const GeneratorScope scope(own);
        BOOST_TEST(reel::randn({4}).equal(reel::randn({4}, twin)));
        Tensor elsewhere;
        std::thread([&] { elsewhere = reel::randn({4}); }).join();
        BOOST_TEST(elsewhere.equal(from_default)); // another thread draws as before
    }
    manual_seed(1);
    BOOST_TEST(reel::randn({4}).equal(from_default));
    // It goes on where it was.
    const GeneratorScope again(own);
    BOOST_TEST(reel::rand({2}).equal(reel::rand({2}, twin)));
}

BOOST_AUTO_TEST_CASE(manual_seed_seeds_it_and_scopes_nest) {
    Generator outer(kCPU), inner(kCPU);
    const GeneratorScope one(outer);
    manual_seed(5);
    BOOST_TEST(outer.current_seed() == 5u);
    {
        const GeneratorScope two(inner);
        manual_seed(6);
        {
            const PrivateGenerator draws;
            manual_seed(7);
        }
        BOOST_TEST(inner.current_seed() == 6u);
    }
    BOOST_TEST(outer.current_seed() == 5u);
    manual_seed(8);
    BOOST_TEST(outer.current_seed() == 8u);
}

BOOST_AUTO_TEST_CASE(an_undefined_one) {
    manual_seed(1);
    BOOST_TEST(testing::message([] { GeneratorScope scope{Generator()}; }) == "an undefined Generator was used");
    BOOST_TEST(detail::getDefaultCPUGenerator().current_seed() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
