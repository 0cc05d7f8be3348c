// ZeroRedundancyOptimizer: the results of the plain optimizer, its state in parts.
#include <reel/distributed/zero_redundancy_optimizer.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/distributed/collectives.hpp>

#include "distributed/on_ranks.hpp"
#include "distributed/training.hpp"

using namespace reel;
using namespace reel::distributed;
using namespace reel::testing;
using boost::test_tools::per_element;

namespace {
/// Every rank's gradients become their mean.
void average(const std::vector<Tensor>& parameters) {
    for (const Tensor& p : parameters) {
        p.mutable_grad().div_(world_size());
        all_reduce(p.mutable_grad());
    }
}
template <class O> struct Trained {
    std::vector<Tensor> parameters;
    Value state;
    std::vector<std::vector<std::int64_t>> partition;
    std::size_t states = 0;
};
template <class O> Trained<O> train_spread(typename O::Options options, std::int64_t steps) {
    nn::Sequential net = small_net();
    ZeroRedundancyOptimizer<O> optimizer(net->parameters(), {}, options);
    for (std::int64_t t = 0; t < steps; ++t) {
        optimizer.zero_grad();
        loss_of(net, batch_of(t, rank())).backward();
        average(net->parameters());
        optimizer.step();
    }
    optimizer.consolidate_state_dict(0);
    Trained<O> r{net->parameters(), {}, optimizer.partition(), optimizer.state().size()};
    if (rank() == 0) r.state = optimizer.state_dict();
    return r;
}
template <class O> Trained<O> train_alone(typename O::Options options, std::int64_t steps, std::int64_t ranks) {
    nn::Sequential net = small_net();
    O optimizer(net->parameters(), options);
    for (std::int64_t t = 0; t < steps; ++t) reference_step(net, optimizer, t, ranks);
    return {net->parameters(), optimizer.state_dict(), {}, optimizer.state().size()};
}
void check_same_states(const Value& a, const Value& b) {
    const ValueDict &x = a.toGenericDict().at("state").toGenericDict(),
                    &y = b.toGenericDict().at("state").toGenericDict();
    BOOST_TEST_REQUIRE(x.size() == y.size());
    for (const auto& [number, fields] : x) {
        const ValueDict& other = y.find(number)->toGenericDict();
        BOOST_TEST_REQUIRE(fields.toGenericDict().size() == other.size());
        for (const auto& [name, value] : fields.toGenericDict()) {
            const Value& same = other.at(name.toStringRef());
            if (value.isTensor()) BOOST_TEST(largest_difference({value.toTensor()}, {same.toTensor()}) < 1e-15);
            else BOOST_TEST(value.repr() == same.repr());
        }
    }
}
template <class O> void check(typename O::Options options) {
    for (const std::int64_t n : {1, 2, 3}) {
        const auto expected = train_alone<O>(options, 4, n);
        const auto found = on_ranks(n, [&](std::int64_t) { return train_spread<O>(options, 4); });
        std::size_t states = 0;
        for (const auto& f : found) {
            BOOST_TEST(largest_difference(f.parameters, expected.parameters) <= (n < 3 ? 0 : 1e-15));
            states += f.states;
        }
        BOOST_TEST(states == expected.states);
        check_same_states(found[0].state, expected.state);
    }
}
} // namespace

BOOST_AUTO_TEST_SUITE(zero_redundancy_optimizer, *boost::unit_test::label("threads"))

// D-35
BOOST_AUTO_TEST_CASE(results_are_the_plain_optimizers) {
    check<optim::Adam>(optim::AdamOptions(1e-2));
    check<optim::SGD>(optim::SGDOptions(0.1).momentum(0.9));
    check<optim::AdamW>(optim::AdamWOptions(1e-2).weight_decay(0.1));
    check<optim::Lamb>(optim::LambOptions(1e-2));
}
// D-35
BOOST_AUTO_TEST_CASE(parameters_are_dealt_out_by_size) {
    const auto parts = on_ranks(3, [](std::int64_t) {
        return ZeroRedundancyOptimizer<optim::SGD>(small_net()->parameters(), {}, optim::SGDOptions(0.1)).partition();
    });
    using Parts = std::vector<std::vector<std::int64_t>>;
    // 80 (2), 60 (0), 24 (4), 10 (1), 8 (3), 3 (5)
    for (const Parts& p : parts) BOOST_TEST((p == Parts{{2}, {0}, {1, 3, 4, 5}}));
}
BOOST_AUTO_TEST_CASE(groups_schedules_and_hooks_are_the_optimizers) {
    const auto found = on_ranks(2, [](std::int64_t) {
        nn::Sequential net = small_net();
        const auto p = net->parameters();
        std::vector<optim::OptimizerParamGroup> groups;
        groups.emplace_back(std::vector<Tensor>{p[0], p[1], p[2]});
        groups.emplace_back(std::vector<Tensor>{p[3], p[4], p[5]}, Kwargs{{"lr", 0.01}});
        ZeroRedundancyOptimizer<optim::SGD> optimizer(std::move(groups), {}, optim::SGDOptions(0.1));
        optim::StepLR schedule(optimizer, 1, 0.5);
        std::vector<Tensor> after_step; // every rank's, all of them new
        optimizer.register_step_post_hook([&](optim::Optimizer&) { after_step = copies(net->parameters()); });
        const auto before = copies(p);
        for (const Tensor& t : p) t.mutable_grad() = reel::ones_like(t).detach();
        optimizer.step();
        schedule.step();
        double wrong = largest_difference(after_step, p);
        for (std::size_t i = 0; i < p.size(); ++i)
            wrong += (before[i] - p[i] - (i < 3 ? 0.1 : 0.01)).abs().max().item<double>() > 1e-15;
        return std::pair(wrong, optimizer.param_groups()[0].options().get_lr());
    });
    for (const auto& [wrong, lr] : found) {
        BOOST_TEST(wrong == 0);
        BOOST_TEST(lr == 0.05);
    }
}
// D-35
BOOST_AUTO_TEST_CASE(a_plain_state_is_loaded_in_parts) {
    nn::Sequential net = small_net();
    optim::Adam plain(net->parameters(), optim::AdamOptions(1e-2));
    for (std::int64_t t = 0; t < 2; ++t) reference_step(net, plain, t, 2);
    const Value state = plain.state_dict();
    const auto start = copies(net->parameters());
    const auto found = on_ranks(2, [&](std::int64_t r) {
        nn::Sequential own = small_net();
        {
            const NoGradGuard no_grad;
            for (std::size_t i = 0; i < start.size(); ++i) own->parameters()[i].copy_(start[i]);
        }
        ZeroRedundancyOptimizer<optim::Adam> optimizer(own->parameters(), {}, optim::AdamOptions(0.5));
        optimizer.load_state_dict(state);
        const std::size_t states = optimizer.state().size();
        loss_of(own, batch_of(2, r)).backward();
        average(own->parameters());
        optimizer.step();
        return std::pair(states, copies(own->parameters()));
    });
    BOOST_TEST(found[0].first + found[1].first == 6u);
    reference_step(net, plain, 2, 2);
    for (const auto& f : found) BOOST_TEST(largest_difference(f.second, net->parameters()) == 0);
}
BOOST_AUTO_TEST_CASE(errors_say_what_to_do) {
    const auto unconsolidated = errors_on_ranks(2, [](std::int64_t) {
        ZeroRedundancyOptimizer<optim::SGD> optimizer(small_net()->parameters(), {}, optim::SGDOptions(0.1));
        optimizer.state_dict();
    });
    BOOST_TEST(has(unconsolidated[1],
                   "Error: ZeroRedundancyOptimizer: state_dict: rank 1 of 2 has the state of its own "
                   "parameters only; call consolidate_state_dict(to)"));
    const auto nobody = errors_on_ranks(2, [](std::int64_t) {
        ZeroRedundancyOptimizer<optim::SGD> optimizer(small_net()->parameters(), {}, optim::SGDOptions(0.1));
        optimizer.consolidate_state_dict(2);
    });
    for (const std::string& e : nobody)
        BOOST_TEST(has(e, "ValueError: ZeroRedundancyOptimizer: consolidate_state_dict: rank 2 is no member"));
    const auto recorded = errors_on_ranks(1, [](std::int64_t) {
        ZeroRedundancyOptimizer<optim::SGD>(small_net()->parameters(), {}, optim::SGDOptions(0.1).differentiable(true));
    });
    BOOST_TEST(has(recorded[0], "ValueError: ZeroRedundancyOptimizer: the step is differentiable"));
}

BOOST_AUTO_TEST_SUITE_END()
