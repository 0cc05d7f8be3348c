// fully_shard: training as one process, rows outside, wholes inside; hooks; what it costs.
#include <reel/distributed/fully_shard.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/checkpoint.hpp>
#include <reel/autograd/saved_tensor_hooks.hpp>
#include <reel/autograd/tape_view.hpp>
#include <reel/distributed/collectives.hpp>

#include "distributed/on_ranks.hpp"
#include "distributed/training.hpp"

using namespace reel;
using namespace reel::distributed;
using namespace reel::testing;
using boost::test_tools::per_element;

namespace {
using Sizes = std::vector<std::int64_t>;
enum class Wrapped { whole, layers, nested };

void shard(nn::Sequential& net, Wrapped how, bool reshard) {
    const FullyShardOptions options{.reshard_after_forward = reshard};
    if (how == Wrapped::layers)
        for (const std::size_t i : {0, 2, 4}) fully_shard(*net->children()[i], options);
    if (how == Wrapped::nested) fully_shard(*net->children()[2], options);
    if (how != Wrapped::layers) fully_shard(net, options);
}
struct Trained {
    std::vector<Tensor> whole;
    std::vector<Sizes> local;
    std::vector<Tensor> gradients;
};
Trained results(nn::Sequential& net) {
    Trained r;
    for (const Tensor& p : net->parameters()) {
        r.local.push_back(p.sizes().vec());
        r.whole.push_back(full_tensor(p).clone());
        if (p.grad().defined()) r.gradients.push_back(full_tensor(p.grad(), *shard_of(p)).clone());
    }
    return r;
}
std::unique_ptr<optim::Optimizer> optimizer_of(nn::Sequential& net, bool adam) {
    if (adam) return std::make_unique<optim::Adam>(net->parameters(), optim::AdamOptions(0.01));
    return std::make_unique<optim::SGD>(net->parameters(), optim::SGDOptions(0.1).momentum(0.9));
}
/// How much memory parameters, gradients and state take.
std::int64_t bytes_of(nn::Sequential& net, const optim::Optimizer& optimizer) {
    std::int64_t bytes = 0;
    const auto add = [&](const Tensor& t) { bytes += t.defined() ? std::int64_t(t.storage()->nbytes()) : 0; };
    for (const Tensor& p : net->parameters()) add(p), add(p.grad());
    for (const auto& [_, state] : optimizer.state())
        for (const auto& [name, value] : state->to_dict())
            if (value.isTensor() && value.toTensor().defined() && value.toTensor().dim() > 0) add(value.toTensor());
    return bytes;
}
} // namespace

BOOST_AUTO_TEST_SUITE(fully_sharded, *boost::unit_test::label("threads"))

// D-36
BOOST_AUTO_TEST_CASE(training_is_that_of_one_process) {
    for (const std::int64_t n : {1, 2, 3})
        for (const Wrapped how : {Wrapped::whole, Wrapped::layers, Wrapped::nested})
            for (const bool reshard : {true, false})
                for (const bool adam : {true, false}) {
                    nn::Sequential alone = small_net();
                    const auto optimizer = optimizer_of(alone, adam);
                    for (std::int64_t t = 0; t < 4; ++t) reference_step(alone, *optimizer, t, n);
                    const auto found = on_ranks(n, [&](std::int64_t r) {
                        nn::Sequential net = small_net(r == 0 ? 7 : 8); // rank 0's values are taken
                        shard(net, how, reshard);
                        const auto own = optimizer_of(net, adam);
                        for (std::int64_t t = 0; t < 4; ++t) {
                            own->zero_grad();
                            loss_of(net, batch_of(t, r)).backward();
                            own->step();
                        }
                        return results(net);
                    });
                    for (const Trained& f : found)
                        BOOST_TEST(largest_difference(f.whole, alone->parameters()) <= (n < 3 ? 0 : 1e-15));
                }
}
// D-36
BOOST_AUTO_TEST_CASE(each_rank_has_its_rows) {
    const auto found = on_ranks(4, [](std::int64_t) {
        nn::Sequential net = small_net();
        const auto before = net->parameters();
        const auto values = copies(before);
        fully_shard(net);
        const Trained r = results(net);
        const bool same = net->parameters()[2].is_same(before[2]);
        return std::tuple(r.local, same, largest_difference(r.whole, values));
    });
    const std::vector<Sizes> first = {{3, 6}, {3}, {2, 10}, {2}, {1, 8}, {1}},
                             last = {{1, 6}, {1}, {2, 10}, {2}, {0, 8}, {0}};
    BOOST_TEST((std::get<0>(found[0]) == first));
    BOOST_TEST((std::get<0>(found[3]) == last));
    for (const auto& [local, same, difference] : found) {
        BOOST_TEST(same);
        BOOST_TEST(difference == 0);
    }
}
BOOST_AUTO_TEST_CASE(members_are_whole_while_the_module_runs) {
    const auto found = on_ranks(2, [](std::int64_t r) {
        nn::Sequential net = small_net();
        fully_shard(net);
        std::vector<Sizes> inside;
        net->children()[0]->register_forward_hook([&](nn::Module& m, const Args&, const Value&) {
            inside.push_back(m.get_parameter("weight").sizes().vec());
        });
        loss_of(net, batch_of(0, r)).backward();
        {
            const NoGradGuard no_grad;
            net(batch_of(0, r).input);
        }
        try { // also after a failure
            nn::call(*net.ptr(), reel::zeros({2, 5}, kDouble));
        } catch (const Error&) {
        }
        inside.push_back(net->parameters()[0].sizes().vec());
        return inside;
    });
    for (const auto& sizes : found) BOOST_TEST((sizes == std::vector<Sizes>{{10, 6}, {10, 6}, {5, 6}}) == true);
}
// D-37
BOOST_AUTO_TEST_CASE(memory_of_a_rank_is_its_share) {
    nn::Sequential alone = small_net();
    optim::Adam adam(alone->parameters(), optim::AdamOptions(0.01));
    reference_step(alone, adam, 0, 1);
    const std::int64_t plain = bytes_of(alone, adam);
    for (const std::int64_t n : {2, 4}) {
        const auto found = on_ranks(n, [](std::int64_t r) {
            nn::Sequential net = small_net();
            fully_shard(net);
            optim::Adam own(net->parameters(), optim::AdamOptions(0.01));
            loss_of(net, batch_of(0, r)).backward();
            own.step();
            return bytes_of(net, own);
        });
        for (const std::int64_t bytes : found) BOOST_TEST(bytes <= plain / n + plain / 8); // rows are rounded up
    }
}
// D-37
BOOST_AUTO_TEST_CASE(the_tape_keeps_no_whole_parameter) {
    for (const bool reshard : {true, false}) {
        const auto found = on_ranks(2, [reshard](std::int64_t r) {
            nn::Sequential net = small_net();
            shard(net, Wrapped::whole, reshard);
            StoragePtr whole;
            net->children()[2]->register_forward_hook(
                [&](nn::Module& m, const Args&, const Value&) { whole = m.get_parameter("weight").storage(); });
            const Tensor loss = loss_of(net, batch_of(0, r));
            const std::size_t after_forward = whole.get()->use_count();
            loss.backward();
            return std::pair(after_forward, std::size_t(whole.get()->use_count()));
        });
        for (const auto& [after_forward, after_backward] : found) {
            BOOST_TEST((after_forward == 1) == reshard); // the test's own
            BOOST_TEST(after_backward == 1u);
        }
    }
}
BOOST_AUTO_TEST_CASE(frozen_and_unused_parameters) {
    const auto found = on_ranks(2, [](std::int64_t r) {
        nn::Sequential net = small_net();
        shard(net, Wrapped::layers, true);
        net->children()[2]->requires_grad_(false);
        loss_of(net, batch_of(0, r)).backward();
        std::vector<bool> defined;
        for (const Tensor& p : net->parameters()) defined.push_back(p.grad().defined());
        // thawed, and only one rank uses the last layer
        net->zero_grad();
        net->children()[2]->requires_grad_(true);
        net->children()[4]->requires_grad_(false);
        loss_of(net, batch_of(1, r)).backward();
        for (const Tensor& p : net->parameters()) defined.push_back(p.grad().defined());
        return defined;
    });
    for (const auto& defined : found)
        BOOST_TEST((defined == std::vector<bool>{true, true, false, false, true, true, true, true, true, true, false,
                                                 false}) == true);
}
BOOST_AUTO_TEST_CASE(a_parameter_that_one_rank_uses_gets_the_mean) {
    struct BranchImpl : nn::Module {
        BranchImpl() {
            a = register_parameter("a", reel::ones({4}, kDouble));
            b = register_parameter("b", reel::ones({3}, kDouble));
            c = register_parameter("c", reel::ones({2}, kDouble));
        }
        Tensor forward(const Tensor& x, bool with_b) {
            return (a * x).sum() + (with_b ? (b * 6).sum() : reel::zeros({}, kDouble));
        }
        Tensor a, b, c;
    };
    const auto found = on_ranks(2, [](std::int64_t r) {
        const auto net = std::make_shared<BranchImpl>();
        fully_shard(*net);
        nn::call(*net, reel::full({4}, 2.0 + double(r), kDouble), r == 1).backward();
        std::vector<double> gradients;
        for (const Tensor& p : {net->a, net->b})
            gradients.push_back(full_tensor(p.grad(), *shard_of(p)).sum().item<double>());
        gradients.push_back(net->c.grad().defined());
        return gradients;
    });
    for (const auto& g : found) BOOST_TEST(g == (std::vector<double>{10, 9, 0}), per_element());
}
BOOST_AUTO_TEST_CASE(hooks_see_what_they_would) {
    const auto found = on_ranks(2, [](std::int64_t r) {
        std::vector<Tensor> seen;
        const auto watch = [&](nn::Sequential& net) {
            net->children()[2]->register_full_backward_hook(
                [&](nn::Module&, const autograd::variable_list& in, const autograd::variable_list& out) {
                    seen.push_back(in[0].clone()), seen.push_back(out[0].clone());
                });
        };
        nn::Sequential plain = small_net();
        watch(plain);
        loss_of(plain, batch_of(0, r)).backward();
        const auto expected = std::move(seen);
        seen.clear();
        nn::Sequential net = small_net();
        fully_shard(net);
        watch(net);
        Sizes at_parameter;
        net->parameters()[0].register_hook([&](const Tensor& g) {
            at_parameter = g.sizes().vec();
            return g * 2;
        });
        int accumulated = 0;
        net->parameters()[0].register_post_accumulate_grad_hook([&](const Tensor&) { ++accumulated; });
        loss_of(net, batch_of(0, r)).backward();
        const Tensor doubled = net->parameters()[0].grad();
        return std::tuple(largest_difference(seen, expected), at_parameter, accumulated, doubled.clone());
    });
    const auto unhooked = on_ranks(2, [](std::int64_t r) {
        nn::Sequential net = small_net();
        fully_shard(net);
        loss_of(net, batch_of(0, r)).backward();
        return net->parameters()[0].grad();
    });
    for (std::size_t r = 0; r < 2; ++r) {
        const auto& [difference, sizes, accumulated, gradient] = found[r];
        BOOST_TEST(difference == 0);
        BOOST_TEST((sizes == Sizes{5, 6}));
        BOOST_TEST(accumulated == 1);
        BOOST_TEST(largest_difference({gradient}, {unhooked[r] * 2}) == 0);
    }
}
BOOST_AUTO_TEST_CASE(several_passes_and_recomputing) {
    // two forwards before one backward, a retained graph walked twice, a forward run again within backward
    const auto sum_of = [](nn::Sequential& net, std::int64_t r) {
        const Batch b = batch_of(0, r);
        const Tensor two = loss_of(net, b) + nn::functional::mse_loss(net(b.input * 2), b.target);
        two.backward({}, true);
        two.backward();
        const Tensor x = b.input.clone().requires_grad_();
        const Tensor again = autograd::checkpoint([&](const Tensor& t) { return net(t); }, x);
        nn::functional::mse_loss(again, b.target).backward();
    };
    for (const bool reshard : {true, false}) {
        const auto plain = on_ranks(2, [&](std::int64_t r) {
            nn::Sequential net = small_net();
            sum_of(net, r);
            for (const Tensor& p : net->parameters()) {
                p.mutable_grad().div_(2);
                all_reduce(p.mutable_grad());
            }
            std::vector<Tensor> g;
            for (const Tensor& p : net->parameters()) g.push_back(p.grad());
            return g;
        });
        const auto sharded = on_ranks(2, [&](std::int64_t r) {
            nn::Sequential net = small_net();
            shard(net, Wrapped::nested, reshard);
            sum_of(net, r);
            return results(net).gradients;
        });
        for (std::size_t r = 0; r < 2; ++r) BOOST_TEST(largest_difference(plain[r], sharded[r]) < 1e-15);
    }
}
BOOST_AUTO_TEST_CASE(pairs_of_hooks_around_see_everything_else) {
    const auto found = on_ranks(2, [](std::int64_t r) {
        nn::Sequential net = small_net();
        fully_shard(net);
        int packed = 0, unpacked = 0;
        const Batch b = batch_of(0, r);
        {
            const autograd::SavedTensorsHooksGuard guard([&](const Tensor& t) { return ++packed, Value(t); },
                                                         [&](const Value& v) { return ++unpacked, v.toTensor(); });
            loss_of(net, b).backward();
        }
        return std::tuple(packed, unpacked, results(net).gradients);
    });
    const auto plain = on_ranks(2, [](std::int64_t r) {
        nn::Sequential net = small_net();
        fully_shard(net);
        loss_of(net, batch_of(0, r)).backward();
        return results(net).gradients;
    });
    for (std::size_t r = 0; r < 2; ++r) {
        BOOST_TEST(std::get<0>(found[r]) > 0);
        BOOST_TEST(std::get<1>(found[r]) > 0);
        BOOST_TEST(largest_difference(std::get<2>(found[r]), plain[r]) == 0);
    }
}
BOOST_AUTO_TEST_CASE(changes_between_forward_and_backward_are_refused) {
    const auto errors = errors_on_ranks(2, [](std::int64_t r) {
        nn::Sequential net = small_net();
        fully_shard(net);
        optim::SGD sgd(net->parameters(), 0.1);
        const Tensor loss = loss_of(net, batch_of(0, r));
        loss.backward({}, true);
        sgd.step();
        loss.backward();
    });
    for (const std::string& e : errors)
        BOOST_TEST(has(e, "was modified by an in-place operation after forward used it"), e);
    const auto activations = errors_on_ranks(2, [](std::int64_t r) {
        nn::Sequential net = small_net();
        fully_shard(net);
        Tensor input = batch_of(0, r).input.clone();
        const Tensor output = net(input);
        {
            const NoGradGuard no_grad;
            input.mul_(2);
        }
        output.sum().backward();
    });
    for (const std::string& e : activations) BOOST_TEST(has(e, "modified by an in-place operation"), e);
}
BOOST_AUTO_TEST_SUITE_END()
