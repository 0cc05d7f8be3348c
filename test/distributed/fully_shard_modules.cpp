// fully_shard: tied parameters, state dicts, and modules that it refuses.
#include <reel/distributed/fully_shard.hpp>

#include <boost/test/unit_test.hpp>

#include "distributed/on_ranks.hpp"
#include "distributed/training.hpp"
#include "message.hpp"

using namespace reel;
using namespace reel::distributed;
using namespace reel::testing;

namespace {
std::vector<Tensor> wholes(nn::Sequential& net) {
    std::vector<Tensor> r;
    for (const Tensor& p : net->parameters()) r.push_back(full_tensor(p).clone());
    return r;
}
} // namespace

BOOST_AUTO_TEST_SUITE(sharded_modules, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(tied_parameters_are_one) {
    const auto tied = [] {
        nn::Linear a(6, 6), b(nn::LinearOptions(6, 6).bias(false));
        b->register_parameter("weight", a->weight);
        nn::Sequential net{a, nn::Tanh(), b, nn::Tanh(), nn::Linear(6, 3)};
        net->to(kDouble);
        return net;
    };
    const auto values = copies(tied()->parameters());
    const auto set = [&](nn::Sequential& net) {
        const NoGradGuard no_grad;
        for (std::size_t i = 0; i < values.size(); ++i) net->parameters()[i].copy_(values[i]);
    };
    nn::Sequential alone = tied();
    set(alone);
    optim::SGD sgd(alone->parameters(), optim::SGDOptions(0.1).momentum(0.9));
    for (std::int64_t t = 0; t < 3; ++t) reference_step(alone, sgd, t, 2);
    const auto found = on_ranks(2, [&](std::int64_t r) {
        nn::Sequential net = tied();
        set(net);
        fully_shard(net);
        optim::SGD own(net->parameters(), optim::SGDOptions(0.1).momentum(0.9));
        for (std::int64_t t = 0; t < 3; ++t) {
            own.zero_grad();
            loss_of(net, batch_of(t, r)).backward();
            own.step();
        }
        return wholes(net);
    });
    for (const auto& f : found) BOOST_TEST(largest_difference(f, alone->parameters()) < 1e-15);
    const auto across = errors_on_ranks(2, [&](std::int64_t) {
        nn::Sequential net = tied();
        fully_shard(*net->children()[0]);
        fully_shard(net);
    });
    for (const std::string& e : across)
        BOOST_TEST(has(e, "ValueError: fully_shard: Sequential: parameter '2.weight' is tied to '0.weight', which an "
                          "inner call has sharded"),
                   e);
}
BOOST_AUTO_TEST_CASE(state_dicts_hold_rows_and_take_wholes) {
    nn::Sequential plain = small_net(9);
    const nn::StateDict whole = plain->state_dict();
    const auto found = on_ranks(3, [&](std::int64_t) {
        nn::Sequential net = small_net();
        fully_shard(net);
        net->load_state_dict(whole);
        const auto after = wholes(net);
        net->load_state_dict(net->state_dict());
        const nn::StateDict full = full_state_dict(*net.ptr());
        double wrong = largest_difference(after, plain->parameters());
        for (const auto& item : whole) wrong += largest_difference({full.tensor(item.key())}, {item->toTensor()});
        return wrong;
    });
    for (const double wrong : found) BOOST_TEST(wrong == 0);
}
BOOST_AUTO_TEST_CASE(a_replaced_parameter_is_noticed) {
    const auto errors = errors_on_ranks(2, [](std::int64_t r) {
        nn::Sequential net = small_net();
        fully_shard(net);
        net->load_state_dict(net->state_dict(), true, true);
        loss_of(net, batch_of(0, r));
    });
    for (const std::string& e : errors)
        BOOST_TEST(has(e, "parameter '0.weight' is another tensor than the one that fully_shard split"), e);
}
BOOST_AUTO_TEST_CASE(refusals_reach_all_ranks) {
    const auto differ = errors_on_ranks(2, [](std::int64_t r) {
        nn::Sequential net{nn::Linear(4, 4), nn::Linear(4, r == 0 ? 2 : 3)};
        fully_shard(net);
    });
    for (const std::string& e : differ)
        BOOST_TEST(has(e, "ValueError: fully_shard: Sequential: the ranks have different parameters: parameter 2 is "
                          "'1.weight' [2, 4] float32 on rank 0 and '1.weight' [3, 4] float32 on rank 1"),
                   e);
    struct ScalarImpl : nn::Module {
        ScalarImpl() { register_parameter("scale", reel::ones({})); }
        Tensor forward(const Tensor& x) { return x; }
    };
    const auto scalar = errors_on_ranks(2, [](std::int64_t r) {
        if (r == 0) fully_shard(*std::make_shared<ScalarImpl>());
        else fully_shard(*nn::Linear(2, 2).ptr());
    });
    BOOST_TEST(has(scalar[0],
                   "parameter 'scale' has no dimension to split along; make it a tensor of one element (on rank 0)"),
               scalar[0]);
    BOOST_TEST(has(scalar[1], "parameter 'scale' has no dimension to split along"), scalar[1]);
    const auto twice = errors_on_ranks(2, [](std::int64_t) {
        nn::Sequential net = small_net();
        fully_shard(net);
        fully_shard(net);
    });
    for (const std::string& e : twice) BOOST_TEST(has(e, "ValueError: fully_shard: Sequential is sharded already"), e);
    const auto copied = errors_on_ranks(2, [](std::int64_t r) {
        nn::Linear layer(6, 3);
        fully_shard(layer);
        const auto copy = std::dynamic_pointer_cast<nn::LinearImpl>(layer->clone());
        nn::call(*copy, batch_of(0, r).input.to(kFloat));
    });
    for (const std::string& e : copied) BOOST_TEST(has(e, "this is a copy of a module that fully_shard split"), e);
    BOOST_TEST(has(message([] { fully_shard(*nn::Linear(2, 2).ptr()); }), "init"));
}

BOOST_AUTO_TEST_SUITE_END()
