// Who owns what, and what the last step did.
#include <reel/inspect/leaf_ledger.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>

#include <reel/autograd.hpp>
#include <reel/nn.hpp>
#include <reel/optim.hpp>

using namespace reel;
using namespace reel::inspect;

BOOST_AUTO_TEST_SUITE(leaf_ledger)

BOOST_AUTO_TEST_CASE(owners_groups_and_the_last_step) {
    nn::Sequential net(nn::Linear(3, 4), nn::Linear(4, 2), nn::Linear(2, 1));
    const auto params = [&](std::size_t i) { return net->children()[i]->parameters(); };
    const Tensor stranger = ones({2}).requires_grad_();
    optim::SGD sgd(params(0), 0.5);
    sgd.add_param_group(optim::OptimizerParamGroup({params(1)[0]}, std::make_unique<optim::SGDOptions>(0.25)));
    optim::Adam adam({params(1)[0], stranger}, 0.01);
    const LeafLedger ledger(*net, {{"sgd", &sgd}, {"adam", &adam}});
    params(0)[0].mutable_grad() = full({4, 3}, 2.0);
    params(2)[0].requires_grad_(false);
    sgd.step();
    const std::vector<LedgerEntry> e = ledger.entries();
    BOOST_REQUIRE(e.size() == 8u); // six parameters, one of them twice, and the stranger
    BOOST_TEST(e[0].parameter == "0.weight");
    BOOST_TEST(e[0].optimizer == "sgd");
    BOOST_TEST(e[0].group == 0u);
    BOOST_TEST(e[0].lr == 0.5);
    BOOST_TEST(e[0].step == 1);
    BOOST_TEST(e[0].stepped);
    BOOST_TEST(e[0].grad_norm == 2 * std::sqrt(12.0), boost::test_tools::tolerance(1e-6));
    BOOST_TEST(e[0].change == std::sqrt(12.0), boost::test_tools::tolerance(1e-5));
    BOOST_TEST(!e[1].stepped); // no gradient
    BOOST_TEST(e[2].parameter == "1.weight");
    BOOST_TEST(e[2].group == 1u);
    BOOST_TEST(e[2].lr == 0.25);
    BOOST_TEST(e[2].shared);
    BOOST_TEST(e[3].optimizer == "adam");
    BOOST_TEST(e[3].shared);
    BOOST_TEST(e[3].step == 0);
    BOOST_TEST(e[4].parameter == "1.bias");
    BOOST_TEST(e[4].optimizer.empty());
    BOOST_TEST(!e[5].requires_grad);
    BOOST_TEST(e[7].parameter.empty());
    BOOST_TEST(e[7].optimizer == "adam");
    const std::string text = ledger.text();
    for (const char* part :
         {"NO OWNER", "no owner, frozen", "SEVERAL OWNERS", "(no gradient)", "(not of the model: float32["})
        BOOST_TEST(text.find(part) != std::string::npos, part << " in " << text);
    BOOST_TEST(ledger.json().find("\"optimizer\":\"sgd\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_optimizer_that_ends_first) {
    nn::Linear net(2, 2);
    auto sgd = std::make_unique<optim::SGD>(net->parameters(), 0.5);
    const LeafLedger ledger(*net, {{"sgd", sgd.get()}});
    net->weight.mutable_grad() = ones({2, 2});
    sgd->step();
    BOOST_TEST(ledger.text().find("GONE") == std::string::npos);
    sgd.reset();
    const std::vector<LedgerEntry> e = ledger.entries();
    BOOST_REQUIRE(e.size() == 2u);
    BOOST_TEST(e[0].optimizer == "sgd");
    BOOST_TEST(e[0].lr == 0.5);
    BOOST_TEST(e[0].change == 1.0, boost::test_tools::tolerance(1e-5));
    BOOST_TEST(ledger.text().find("THE OPTIMIZER IS GONE") != std::string::npos, ledger.text());
    BOOST_TEST(ledger.json().find("\"gone\":true") != std::string::npos, ledger.json());
}

BOOST_AUTO_TEST_CASE(an_optimizer_that_moved) {
    nn::Linear net(2, 2);
    optim::SGD first(net->parameters(), 0.5);
    const LeafLedger ledger(*net, {{"sgd", &first}});
    optim::SGD second = std::move(first);
    net->weight.mutable_grad() = ones({2, 2});
    second.step();
    BOOST_TEST(ledger.entries()[0].optimizer == "sgd");
    BOOST_TEST(ledger.entries()[0].step == 1);
    second.add_param_group(optim::OptimizerParamGroup({ones({2}).requires_grad_()}));
    BOOST_TEST(ledger.entries().size() == 3u);
}

BOOST_AUTO_TEST_CASE(bad_lists) {
    nn::Linear net(2, 2);
    optim::SGD a(net->parameters(), 0.1);
    using List = std::vector<NamedOptimizer>;
    BOOST_CHECK_THROW(LeafLedger(*net, List{{"a", nullptr}}), ValueError);
    BOOST_CHECK_THROW(LeafLedger(*net, List{{"", &a}}), ValueError);
    BOOST_CHECK_THROW(LeafLedger(*net, List{{"a", &a}, {"a", &a}}), ValueError);
}

BOOST_AUTO_TEST_SUITE_END()
