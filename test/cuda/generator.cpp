// The generators of devices: seeds, states, captured draws.
#include <reel/autograd/philox_generator.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/checkpoint.hpp>
#include <reel/autograd/detail/default_generators.hpp>
#include <reel/autograd/detail/private_generator.hpp>
#include <reel/autograd/generator_scope.hpp>
#include <reel/autograd/random.hpp>

#include "cuda/on_device.hpp"
#include "message.hpp"

using namespace reel;
using reel::cuda::CaptureGuard;
using reel::cuda::Graph;

namespace {
const TensorOptions wide = TensorOptions().dtype(kDouble).device(there::gpu);
} // namespace

BOOST_AUTO_TEST_SUITE(cuda_generator, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(the_devices_generator_is_its_own) {
    manual_seed(7);
    const Tensor here = rand({5}), there = rand({5}, wide);
    manual_seed(7);
    BOOST_TEST(equal(rand({9}, wide).narrow(0, 0, 5), there)); // whatever the host draws, and as far as one goes
    BOOST_TEST(equal(rand({5}), here));
    cuda::manual_seed(7);
    BOOST_TEST(cuda::initial_seed() == 7u);
    BOOST_TEST(equal(rand({5}, wide), there));
    cuda::manual_seed_all(8);
    BOOST_TEST(cuda::initial_seed() == 8u);
    BOOST_TEST(!equal(rand({5}, wide), there));
}

BOOST_AUTO_TEST_CASE(a_state_is_seed_and_offset) {
    cuda::manual_seed(11);
    (void)rand({10}, wide); // two numbers to a counter of four words
    const Tensor state = cuda::get_rng_state();
    BOOST_TEST(state.is_cpu());
    BOOST_TEST(state.numel() == 16);
    BOOST_TEST(state.view(kLong)[0].item().toLong() == 11);
    BOOST_TEST(state.view(kLong)[1].item().toLong() == 20);
    const Tensor next = rand({4}, wide);
    cuda::set_rng_state(state);
    BOOST_TEST(equal(rand({4}, wide), next));
    Generator own(there::gpu);
    BOOST_TEST(own.device() == there::gpu);
    own.set_state(state);
    BOOST_TEST(equal(empty({4}, wide).uniform_(0, 1, own), next));
    Generator copy = own.clone();
    BOOST_TEST(equal(empty({4}, wide).uniform_(0, 1, own), empty({4}, wide).uniform_(0, 1, copy)));
    BOOST_TEST(testing::message([&] { own.set_state(get_rng_state()); }) ==
               "Generator.set_state: state has 5056 bytes; expected the 16 of a generator of cuda:0, seed and offset");
    BOOST_TEST(testing::message([&] { cuda::set_rng_state(state, 7); }).find("there is no device 7") !=
               std::string::npos);
    const auto all = cuda::get_rng_state_all();
    BOOST_TEST(all.size() == std::size_t(cuda::device_count()));
    cuda::set_rng_state_all(all);
    BOOST_CHECK_THROW(cuda::set_rng_state_all({}), ValueError);
}

BOOST_AUTO_TEST_CASE(a_generator_draws_on_its_device_alone) {
    Generator host(kCPU), device(there::gpu);
    BOOST_TEST(testing::message([&] { empty({4}, wide).uniform_(0, 1, host); }) ==
               "uniform_: a generator of cpu was given for a tensor on cuda:0; give one made by "
               "Generator(Device(\"cuda:0\"))");
    BOOST_TEST(testing::message([&] { empty({4}).uniform_(0, 1, device); }) ==
               "a generator of cuda:0 was given where the cpu draws; give one made by Generator(kCPU), or draw on a "
               "tensor of cuda:0");
}

BOOST_AUTO_TEST_CASE(scopes_stand_for_the_default_one_of_their_device) {
    Generator own(there::gpu), twin(there::gpu);
    own.manual_seed(3);
    twin.manual_seed(3);
    manual_seed(1);
    const Tensor from_default = randn({4}, wide), host = randn({4});
    manual_seed(1);
    {
        const GeneratorScope scope(own);
        BOOST_TEST(equal(randn({4}, wide), empty({4}, wide).normal_(0, 1, twin)));
        BOOST_TEST(equal(randn({4}), host)); // the CPU's is no affair of this scope
        cuda::manual_seed_all(5);
        BOOST_TEST(own.current_seed() == 5u);
    }
    manual_seed(1);
    {
        const PrivateGenerator draws;
        (void)randn({100}, wide);
    }
    BOOST_TEST(equal(randn({4}, wide), from_default));
}

BOOST_AUTO_TEST_CASE(recomputed_segments_draw_the_same_again) {
    manual_seed(2);
    Tensor x = ones({50}, wide).requires_grad_();
    const auto segment = [](const Tensor& t) { return dropout(t * t, 0.5, true); };
    const Tensor y = autograd::checkpoint(segment, x);
    const Tensor after = rand({3}, wide);
    y.sum().backward();
    BOOST_TEST(equal(x.grad(), y.detach() * 2)); // where nothing was dropped: 2 * 2x
    manual_seed(2);
    (void)segment(ones({50}, wide));
    BOOST_TEST(equal(rand({3}, wide), after));
}

BOOST_AUTO_TEST_CASE(replays_go_on_with_the_stream) {
    const auto draws = [] {
        const Tensor u = rand({13}, wide), n = randn({4, 3}, wide),
                     k = randint(0, 100, {5}, TensorOptions(kLong).device(there::gpu));
        return cat({u, n.flatten(), k.to(kDouble), randperm(6, TensorOptions(kLong).device(there::gpu)).to(kDouble),
                    poisson(full({3}, 4.0, wide)), bernoulli(full({9}, 0.5, wide)),
                    multinomial(ones({8}, wide), 4).to(kDouble), dropout(ones({9}, wide), 0.5, true)});
    };
    (void)draws();
    cuda::manual_seed(21);
    std::vector<Tensor> want;
    for (int i = 0; i < 4; ++i) want.push_back(draws().cpu());
    cuda::manual_seed(21);
    Graph g;
    Tensor drawn;
    {
        const CaptureGuard capture(g);
        drawn = draws();
    }
    for (int i = 0; i < 3; ++i) {
        g.replay();
        BOOST_TEST(equal(drawn.cpu(), want[std::size_t(i)]), "replay " << i);
    }
    BOOST_TEST(equal(draws().cpu(), want[3])); // and on without the graph
    cuda::manual_seed(21);
    g.replay();
    BOOST_TEST(equal(drawn.cpu(), want[0]));
}

BOOST_AUTO_TEST_CASE(a_seed_within_a_capture_is_refused) {
    Graph g;
    const auto work = [&] {
        const CaptureGuard capture(g);
        (void)rand({3}, wide);
        cuda::manual_seed(4);
        (void)rand({3}, wide);
    };
    cuda::manual_seed(3);
    BOOST_TEST(testing::message(work).find("seeded, or set to another state, within the capture") != std::string::npos);
    BOOST_TEST(!g);
    BOOST_TEST(cuda::initial_seed() == 3u);
}

BOOST_AUTO_TEST_CASE(numbers_that_are_no_parameters_are_refused) {
    const Tensor bad = there::put(tensor({0.5, 1.5}, kDouble)), below = there::put(tensor({1.0, -2.0}, kDouble));
    BOOST_TEST(testing::message([&] { bernoulli(bad); }) == testing::message([&] { bernoulli(bad.cpu()); }));
    BOOST_TEST(testing::message([&] { poisson(below); }) == testing::message([&] { poisson(below.cpu()); }));
    BOOST_TEST(testing::message([&] { binomial(below, bad); }) ==
               testing::message([&] { binomial(below.cpu(), bad.cpu()); }));
    BOOST_TEST(testing::message([&] { multinomial(below, 1); }) ==
               testing::message([&] { multinomial(below.cpu(), 1); }));
    const Tensor nothing = zeros({2, 3}, wide);
    BOOST_TEST(testing::message([&] { multinomial(nothing, 1); }) ==
               testing::message([&] { multinomial(nothing.cpu(), 1); }));
}

BOOST_AUTO_TEST_CASE(draws_by_tensors_have_their_distributions) {
    manual_seed(5);
    constexpr std::int64_t n = 40000;
    const auto mean = [](const Tensor& t) { return t.to(kDouble).mean().item().toDouble(); };
    for (const double rate : {0.5, 3.0, 40.0}) {
        const Tensor k = poisson(full({n}, rate, wide));
        BOOST_TEST(std::abs(mean(k) - rate) < 0.05 * std::sqrt(rate) + 0.01);
        BOOST_TEST(std::abs(k.var().item().toDouble() / rate - 1) < 0.05);
    }
    for (const double p : {0.02, 0.3, 0.9}) {
        const Tensor k = binomial(full({n}, 60.0, wide), full({n}, p, wide));
        BOOST_TEST(std::abs(mean(k) - 60 * p) < 0.08);
        BOOST_TEST(std::abs(k.var().item().toDouble() / (60 * p * (1 - p)) - 1) < 0.06);
    }
    BOOST_TEST(binomial(full({1}, INFINITY, wide), full({1}, 0.5, wide)).item().toDouble() == INFINITY);
    const Tensor weights = there::put(tensor({1.0, 0.0, 3.0, 4.0}, kFloat));
    const Tensor places = multinomial(weights, n, true);
    for (const auto& [place, share] : {std::pair(0, 0.125), {1, 0.0}, {2, 0.375}, {3, 0.5}})
        BOOST_TEST(std::abs(mean(places == place) - share) < 0.01);
    const Tensor both = multinomial(weights.expand({500, 4}), 3); // without replacement: the three that have weight
    BOOST_TEST(equal(std::get<0>(both.sort(-1)).cpu(), tensor({0, 2, 3}, kLong).expand({500, 3})));
    BOOST_TEST(std::abs(mean(both.select(1, 0) == 3) - 0.5) < 0.08);
    const Tensor slopes = rrelu(full({n}, -1.0, wide), 0.25, 0.75, true);
    BOOST_TEST(std::abs(mean(slopes) + 0.5) < 0.01);
    BOOST_TEST(slopes.min().item().toDouble() >= -0.75);
    BOOST_TEST(slopes.max().item().toDouble() <= -0.25);
}

BOOST_AUTO_TEST_CASE(captured_indices_are_looked_at_by_the_device) {
    const Tensor table = there::put(arange(12, kDouble).view({4, 3})), at = there::put(tensor({1, 3}, kLong));
    Graph g;
    Tensor rows, one;
    {
        const CaptureGuard capture(g);
        rows = index_select(table, 0, at);
        one = embedding(table, at) + gather(table, 0, at.view({2, 1}));
    }
    g.replay();
    BOOST_TEST(equal(rows.cpu(), index_select(table.cpu(), 0, at.cpu())));
    at.copy_(there::put(tensor({0, 2}, kLong)));
    g.replay();
    BOOST_TEST(equal(rows.cpu(), index_select(table.cpu(), 0, at.cpu())));
    BOOST_TEST(one[1][0].item().toDouble() == 12);
    g.check_indices();
    at.copy_(there::put(tensor({0, 4}, kLong)));
    g.replay();
    BOOST_CHECK_EXCEPTION(g.check_indices(), IndexError, [](const Error& e) {
        return e.msg().find("a replay met an index that is out of range for a dimension of size 4") !=
               std::string::npos;
    });
    g.check_indices(); // said once
    at.fill_(-1);      // gather takes none below zero
    g.replay();
    cuda::synchronize();
    BOOST_CHECK_THROW(g.replay(), IndexError);
}

BOOST_AUTO_TEST_SUITE_END()
