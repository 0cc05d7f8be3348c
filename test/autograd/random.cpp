// Random tensors that the recorded streams do not hold.
#include <reel/autograd/random.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "message.hpp"
#include <reel/autograd/ops.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;

BOOST_AUTO_TEST_SUITE(random_numbers)

BOOST_AUTO_TEST_CASE(complex_normals_have_half_the_variance_in_each_part) {
    for (const std::int64_t n : {3, 40}) { // one by one, and in blocks
        manual_seed(11);
        const Tensor z = randn({n}, TensorOptions(kComplexDouble));
        manual_seed(11);
        const Tensor parts = randn({n, 2}, TensorOptions(kDouble));
        BOOST_TEST(allclose(view_as_real(z), parts / std::sqrt(2.0), 1e-14, 1e-14));
    }
    manual_seed(11);
    const Tensor many = randn({20000}, TensorOptions(kComplexFloat));
    BOOST_TEST(std::abs(square(abs(many)).mean().item<double>() - 1) < 0.03);
    const Tensor w = zeros({4}, TensorOptions(kComplexFloat));
    const auto version = w._version();
    w.normal_(2, 0);
    BOOST_TEST(equal(view_as_real(w), full({4, 2}, 2, kFloat)));
    BOOST_TEST(w._version() > version);
}

BOOST_AUTO_TEST_CASE(many_words_are_those_of_as_many_calls) {
    CPUGeneratorImpl one(7), many(7);
    for (const std::int64_t n : {1, 3, 623, 624, 625, 1, 5000, 620, 4}) { // over the borders of the state and on them
        std::vector<std::uint32_t> words(static_cast<std::size_t>(n));
        many.random(words.data(), n);
        for (const std::uint32_t word : words) BOOST_REQUIRE(word == one.random());
        BOOST_TEST(equal(one.get_state(), many.get_state()));
    }
}

BOOST_AUTO_TEST_CASE(fillings_are_drawn_one_number_after_the_other) {
    constexpr std::int64_t n = 3001;
    const auto same = [](const Tensor& drawn, auto next) {
        CPUGeneratorImpl g(5);
        for (std::int64_t i = 0; i < drawn.numel(); ++i) BOOST_REQUIRE(drawn[i].item<double>() == double(next(g)));
    };
    const auto seeded = [](auto fill) {
        manual_seed(5);
        return fill();
    };
    same(seeded([] { return rand({n}); }), [](auto& g) { return g.uniform_float(); });
    same(seeded([] { return rand({n}, kDouble); }), [](auto& g) { return g.uniform_double(); });
    same(seeded([] { return empty({n}, kFloat).uniform_(-3, 4); }),
         [](auto& g) { return g.uniform_float() * 7.f - 3.f; });
    for (const std::int64_t range : {1, 2, 7, 100, 65536, (1 << 28) - 1})
        same(seeded([&] { return randint(-9, range - 9, {n}); }),
             [&](auto& g) { return std::int64_t(g.random() % std::uint64_t(range)) - 9; });
    for (const std::int64_t range : {std::int64_t(1) << 28, std::int64_t(0xffffffff), std::int64_t(1) << 40})
        same(seeded([&] { return randint(0, range, {n}); }),
             [&](auto& g) { return g.random64() % std::uint64_t(range); });
    same(seeded([] { return empty({n}).bernoulli_(0.3); }), [](auto& g) { return g.uniform_double() < 0.3; });
    same(seeded([] { return bernoulli(full({n}, 0.3)); }),
         [](auto& g) { return double(g.uniform_float()) < double(0.3f); });
}

BOOST_AUTO_TEST_CASE(states_that_reach_beyond_their_words_are_refused) {
    Tensor state = get_rng_state();
    std::int32_t left = 600;
    std::uint64_t next = 624;
    std::memcpy(state.data_ptr<std::uint8_t>() + 8, &left, sizeof(left));
    std::memcpy(state.data_ptr<std::uint8_t>() + 16, &next, sizeof(next));
    BOOST_TEST(testing::message([&] {
                   CPUGeneratorImpl(1).set_state(state);
               }).find("left is 600, next is 624; expected 1 to 624, 0 to 624, 625 together at most") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(threads_share_one_stream_op_by_op, *boost::unit_test::label("threads")) {
    constexpr int threads = 4, draws = 500;
    manual_seed(3);
    std::multiset<std::vector<float>> expected, drawn;
    const auto next = [] {
        const Tensor t = randn({20});
        return std::vector<float>(t.data_ptr<float>(), t.data_ptr<float>() + t.numel());
    };
    for (int i = 0; i < threads * draws; ++i) expected.insert(next());
    manual_seed(3);
    std::mutex mutex;
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
        all.emplace_back([&] {
            for (int i = 0; i < draws; ++i) {
                const auto numbers = next();
                const std::lock_guard lock(mutex);
                drawn.insert(numbers);
            }
        });
    for (auto& t : all) t.join();
    BOOST_TEST((drawn == expected));
}

BOOST_AUTO_TEST_CASE(dropout_draws_in_the_order_in_which_the_input_lies) {
    const Tensor x = ones({5, 7});
    for (const auto drop : {&dropout, &alpha_dropout}) {
        manual_seed(3);
        const Tensor of_transposed = drop(x.t(), 0.5, true);
        manual_seed(3);
        BOOST_TEST(of_transposed.equal(drop(x, 0.5, true).t()));
        manual_seed(3);
        BOOST_TEST(!of_transposed.equal(drop(x.t().contiguous(), 0.5, true)));
    }
}

BOOST_AUTO_TEST_CASE(the_state_has_pytorchs_form_and_goes_on_from_it) {
    manual_seed(123);
    rand({3});
    randn({1}, kDouble);
    const Tensor state = get_rng_state();
    BOOST_TEST(state.numel() == 5056);
    const auto word = [&](auto kind, std::size_t at) { // as the C structs in torch's checkpoints have it
        decltype(kind) v;
        std::memcpy(&v, static_cast<const char*>(state.data_ptr()) + at, sizeof(v));
        return v;
    };
    BOOST_TEST(word(std::uint64_t(), 0) == 123u);             // the seed
    BOOST_TEST(word(std::int32_t(), 8) == 618);               // numbers left
    BOOST_TEST(word(std::int32_t(), 12) == 1);                // seeded
    BOOST_TEST(word(std::uint64_t(), 16) == 7u);              // the next one
    BOOST_TEST(word(double(), 5024) == -0.12317391080711818); // the other half of a normal pair
    BOOST_TEST(word(std::int32_t(), 5040) == 1);
    const Tensor next = randn({5}), more = rand({700});
    set_rng_state(state);
    BOOST_TEST(equal(randn({5}), next));
    BOOST_TEST(equal(rand({700}), more));
}

BOOST_AUTO_TEST_CASE(numbers_do_not_depend_on_where_they_are_drawn_to) {
    const auto drawn = [](ScalarType t, bool whole, bool apart) {
        manual_seed(11);
        const Tensor wide = zeros({70, 2}, t), to = apart ? wide.select(1, 0) : zeros({70}, t);
        whole ? to.random_(3, 90) : to.uniform_(-1, 2);
        return to.to(kDouble);
    };
    for (const bool whole : {false, true})
        for (const ScalarType t : {kFloat, kHalf, kBFloat16})
            BOOST_TEST(equal(drawn(t, whole, false), drawn(t, whole, true)));
    BOOST_TEST(equal(drawn(kLong, true, false), drawn(kLong, true, true)));
    BOOST_TEST(equal(drawn(kFloat, true, false), drawn(kLong, true, false)));
    BOOST_TEST(equal(drawn(kHalf, false, false), drawn(kFloat, false, false).to(kHalf).to(kDouble)));
}

BOOST_AUTO_TEST_CASE(threads_share_what_one_stream_becomes) {
    constexpr std::int64_t n = 200'003; // several of the blocks that are drawn for all threads, and no whole ones
    const Tensor chances = rand({n}, TensorOptions(kDouble));
    const std::vector<std::function<Tensor()>> draws = {
        [&] { return rand({n}); },
        [&] { return rand({n}, TensorOptions(kDouble)); },
        [&] { return rand({n}, TensorOptions(kBFloat16)); },
        [&] { return randn({n}); },
        [&] { return randn({n}, TensorOptions(kDouble)); },
        [&] { return randn({n}, TensorOptions(kHalf)); },
        [&] { return randint(0, 1000, {n}); },
        [&] { return empty({n}).exponential_(2.0); },
        [&] { return empty({n}).cauchy_(); },
        [&] { return empty({n}).bernoulli_(0.3); },
        [&] { return bernoulli(chances); },
        [&] { return bernoulli(chances.to(kFloat)); },
        [&] { return dropout(ones({n}), 0.3, true); },
    };
    const int before = get_num_threads();
    for (const auto& draw : draws) {
        const auto with = [&](int threads) {
            set_num_threads(threads);
            manual_seed(9);
            const Tensor drawn = draw();
            return std::pair(drawn, get_rng_state()); // what follows is the same, too
        };
        const auto [alone, after_alone] = with(1);
        for (const int threads : {2, 3}) {
            const auto [shared, after] = with(threads);
            BOOST_TEST(equal(alone, shared));
            BOOST_TEST(equal(after_alone, after));
        }
    }
    set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(what_is_no_state_changes_nothing) {
    manual_seed(5);
    const Tensor state = get_rng_state();
    const auto refused = [](const Tensor& t) { return testing::message([&] { set_rng_state(t); }); };
    BOOST_TEST(refused(ones({5056})) ==
               "Generator.set_state: state is Tensor[5056] float32; expected a uint8 tensor on "
               "the CPU, as get_state returns it");
    BOOST_TEST(refused(zeros({2528}, kByte)) == "Generator.set_state: state has 2528 bytes; expected the 5056 that "
                                                "get_state and PyTorch's get_rng_state return");
    Tensor broken = state.clone();
    broken.slice(0, 8, 12).fill_(0);
    BOOST_TEST(refused(broken).starts_with("Generator.set_state: state holds no state of a generator: left is 0"));
    Tensor wide = state.clone();
    wide.slice(0, 28, 29).fill_(1); // the high half of the first word
    BOOST_TEST(refused(wide).ends_with("and words of 32 bits"));
    BOOST_TEST(equal(get_rng_state(), state));
}

BOOST_AUTO_TEST_SUITE_END()
