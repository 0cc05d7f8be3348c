// fully_shard with prefetch: the same results whatever comes next, and the next one's parameters there in time.
#include <reel/distributed/fully_shard.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/checkpoint.hpp>
#include <reel/autograd/memory.hpp>

#include "distributed/on_ranks.hpp"
#include "distributed/training.hpp"

using namespace reel;
using namespace reel::distributed;
using namespace reel::testing;

namespace {
constexpr std::int64_t width = 64;

std::vector<nn::ModulePtr> layers_of(nn::Sequential& net) {
    std::vector<nn::ModulePtr> layers;
    for (const auto& m : net->children()) layers.push_back(m);
    return layers;
}
nn::Sequential wide_net() {
    reel::manual_seed(3);
    return nn::Sequential{nn::Linear(width, width), nn::Linear(width, width), nn::Linear(width, width),
                          nn::Linear(width, width)};
}
void shard_layers(nn::Sequential& net, bool prefetch, bool whole_too) {
    for (const nn::ModulePtr& m : layers_of(net)) fully_shard(*m, {.prefetch = prefetch});
    if (whole_too) fully_shard(net, {.prefetch = prefetch});
}
/// In an order that changes from step to step; every third step without a change of the parameters behind it, every
/// fourth with an evaluation before it, every fifth computed again in backward.
std::vector<Tensor> train(bool prefetch, bool whole_too, std::int64_t rank, bool reordered) {
    nn::Sequential net = wide_net();
    shard_layers(net, prefetch, whole_too);
    optim::Adam adam(net->parameters(), optim::AdamOptions(0.01));
    const auto layers = layers_of(net);
    const auto run = [&](std::int64_t step, Tensor x) {
        if (!reordered) return net(x);
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const nn::ModulePtr m = layers[(i + std::size_t(step / 2)) % layers.size()];
            x = m->call_values({Value(x)}).toTensor();
        }
        return x;
    };
    Generator generator = reel::detail::createCPUGenerator(std::uint64_t(rank + 1));
    for (std::int64_t step = 0; step < 10; ++step) {
        const Tensor x = reel::randn({5, width}, generator);
        if (step % 4 == 3) {
            const NoGradGuard no_grad;
            run(step, x);
        }
        const Tensor y =
            step % 5 == 4 ? autograd::checkpoint([&](const Tensor& in) { return run(step, in); }, x) : run(step, x);
        y.square().mean().backward();
        if (step % 3 == 2) continue;
        adam.step();
        adam.zero_grad();
    }
    std::vector<Tensor> whole;
    for (const Tensor& p : net->parameters()) whole.push_back(full_tensor(p).clone());
    return whole;
}
/// Sanitized builds count no memory.
bool is_counted() {
    const Tensor one = reel::empty({width});
    return memory_stats().allocated_bytes > 0;
}
} // namespace

BOOST_AUTO_TEST_SUITE(fully_sharded_prefetch, *boost::unit_test::label("threads"))

// D-39
BOOST_AUTO_TEST_CASE(results_are_those_without_in_any_order) {
    for (const std::int64_t n : {1, 2, 3})
        for (const bool whole_too : {false, true})
            for (const bool reordered : {false, true}) {
                if (whole_too && reordered) continue; // layers of a sharded net are called by it
                const auto with = on_ranks(n, [&](std::int64_t r) { return train(true, whole_too, r, reordered); });
                const auto without = on_ranks(n, [&](std::int64_t r) { return train(false, whole_too, r, reordered); });
                for (std::size_t r = 0; r < with.size(); ++r) BOOST_TEST(largest_difference(with[r], without[0]) == 0);
            }
}

// D-39
BOOST_AUTO_TEST_CASE(the_next_is_there_while_one_runs) {
    if (!is_counted()) return;
    const auto most = [](bool prefetch) {
        return on_ranks(1, [prefetch](std::int64_t) {
            nn::Sequential net = wide_net();
            shard_layers(net, prefetch, false);
            std::vector<std::int64_t> forward, backward;
            const auto allocated = [] { return std::int64_t(memory_stats().allocated_bytes); };
            const auto first = net->children()[0], last = net->children()[3];
            first->register_forward_hook(
                [&](nn::Module&, const Args&, const Value&) { forward.push_back(allocated()); });
            last->register_full_backward_hook(
                [&](nn::Module&, const autograd::variable_list&, const autograd::variable_list&) {
                    backward.push_back(allocated());
                    return std::optional<autograd::variable_list>();
                });
            for (int step = 0; step < 3; ++step) net(reel::ones({1, width}).requires_grad_()).sum().backward();
            return std::pair(forward, backward);
        })[0];
    };
    const auto with = most(true), without = most(false);
    const std::int64_t layer = width * (width + 1) * 4;
    BOOST_TEST(with.first[0] - without.first[0] < layer); // nothing is known in the first pass
    BOOST_TEST(with.first[2] - without.first[2] >= layer);
    BOOST_TEST(with.second[2] - without.second[2] >= layer);
}

BOOST_AUTO_TEST_SUITE_END()
