// fully_shard and optimizers: which may be given rows, and whether they tell the truth about it.
#include <reel/distributed/fully_shard.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/optim/factory.hpp>

#include "distributed/on_ranks.hpp"
#include "distributed/training.hpp"

using namespace reel;
using namespace reel::distributed;
using namespace reel::testing;

namespace {
/// `p` after three steps with gradients that depend on the element alone.
Tensor stepped(const std::string& name, const Tensor& start, const Tensor& gradient) {
    const Tensor p = start.clone().requires_grad_();
    const auto optimizer = optim::make_optimizer(name, {p});
    for (int t = 1; t < 4; ++t) {
        p.mutable_grad() = gradient * t;
        optimizer->step();
    }
    return p.detach();
}
} // namespace

BOOST_AUTO_TEST_SUITE(sharded_optimizers, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(rows_are_stepped_as_the_whole_is) {
    Generator generator = reel::detail::createCPUGenerator(3);
    const Tensor start = reel::randn({6, 5}, generator, kDouble), gradient = reel::randn({6, 5}, generator, kDouble);
    int elementwise = 0;
    for (const std::string& name : optim::optimizer_names()) {
        const Tensor any = reel::zeros({2, 2}, kDouble).requires_grad_();
        const auto optimizer = optim::make_optimizer(name, {any});
        if (!optimizer->takes(kStrided) || name == "LBFGS") continue; // needs sparse gradients, or a closure
        const Tensor whole = stepped(name, start, gradient);
        std::vector<Tensor> rows;
        for (const std::int64_t begin : {0, 2, 4})
            rows.push_back(stepped(name, start.narrow(0, begin, 2), gradient.narrow(0, begin, 2)));
        const double difference = largest_difference({reel::cat(rows)}, {whole});
        BOOST_TEST((difference < 1e-15) == optimizer->is_elementwise(), name);
        elementwise += optimizer->is_elementwise();
    }
    BOOST_TEST(elementwise > 8);
}
BOOST_AUTO_TEST_CASE(those_that_look_at_the_whole_are_refused) {
    const auto errors = errors_on_ranks(2, [](std::int64_t r) {
        nn::Sequential net = small_net();
        fully_shard(net);
        optim::Lamb lamb(net->parameters(), optim::LambOptions(0.1));
        loss_of(net, batch_of(0, r)).backward();
        lamb.step();
    });
    BOOST_TEST(has(errors[1], "Lamb: parameter 0 of group 0 is sharded: this rank has rows 5 to 9 of [10, 6], and the "
                              "step looks at whole parameters"),
               errors[1]);
    on_ranks(1, [](std::int64_t r) { // one rank has the whole
        nn::Sequential net = small_net();
        fully_shard(net);
        optim::Lamb lamb(net->parameters(), optim::LambOptions(0.1));
        loss_of(net, batch_of(0, r)).backward();
        lamb.step();
        return 0;
    });
    nn::Sequential net = small_net(); // and nobody else is asked
    loss_of(net, batch_of(0, 0)).backward();
    optim::Lamb(net->parameters(), optim::LambOptions(0.1)).step();
}

BOOST_AUTO_TEST_SUITE_END()
