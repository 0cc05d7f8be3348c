// Modules between entries of dictionaries.
#include <reel/rl/modules/tensordict_module.hpp>

#include "reference_cases.hpp"

#include <message.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/nn/modules/activation.hpp>
#include <reel/nn/modules/linear.hpp>
#include <reel/nn/modules/normalization.hpp>
#include <reel/rl/modules/mlp.hpp>
#include <reel/rl/modules/normal_param_extractor.hpp>
#include <reel/rl/modules/probabilistic.hpp>
#include <reel/rl/modules/tensordict_sequential.hpp>

using namespace reel;
using namespace reel::rl;
using namespace reel::testing;

namespace {
TensorDict observations(std::int64_t n = 4) {
    TensorDict td(IntArrayRef{n});
    td.set("observation", rand({n, 3}));
    td.set({"agent", "state"}, rand({n, 2}));
    return td;
}
} // namespace

BOOST_AUTO_TEST_SUITE(tensordict_module)

BOOST_AUTO_TEST_CASE(entries_go_in_and_come_out) {
    nn::Linear linear(3, 2);
    TensorDictModule module(linear, {"observation"}, {{"agent", "action"}});
    TensorDict td = observations();
    const TensorDict out = module(td);
    BOOST_CHECK(out.is(td));
    check_close(td[{"agent", "action"}], linear(td["observation"]), 0, 0, "result");
    BOOST_CHECK(module->module() == linear.ptr());
    BOOST_TEST(module->state_dict().contains("module.weight"));
    BOOST_TEST(module->parameters().size() == 2u);
    td[{"agent", "action"}].sum().backward();
    BOOST_CHECK(linear->weight.grad().defined());
}

BOOST_AUTO_TEST_CASE(several_results_and_dropped_ones) {
    TensorDictModule split([](const Tensor& x, const Tensor& y) { return std::tuple(x + 1, x * 2, y); },
                           {"observation", {"agent", "state"}}, {"more", "_", {"copy", "state"}});
    TensorDict td = observations();
    split(td);
    check_close(td["more"], td["observation"] + 1, 0, 0, "more");
    BOOST_CHECK(!td.contains("_"));
    BOOST_CHECK(td.contains({"copy", "state"}));
    const TensorDict before = td.clone(false);
    const std::string text = message([&] {
        TensorDictModule([](const Tensor& x) { return std::tuple(x, x); }, {"observation"}, {"a", "b", "c"})(td);
    });
    BOOST_TEST(text.find("TensorDictModule: Function returned 2 results") == 0u, text);
    BOOST_TEST(text.find("3 out_keys") != std::string::npos, text);
    BOOST_TEST(td.size() == before.size());
    BOOST_CHECK_THROW(TensorDictModule([](const Tensor&) { return std::string("text"); }, {"observation"}, {"a"})(td),
                      TypeError);
    BOOST_CHECK_THROW(TensorDictModule(nn::Linear(1, 1), {}, {"a"}), ValueError);
}

BOOST_AUTO_TEST_CASE(hooks_fire_inside_and_outside) {
    nn::Linear linear(3, 2);
    TensorDictModule module(linear, {"observation"}, {"action"});
    std::vector<std::string> log;
    linear->register_forward_pre_hook([&](nn::Module&, const Args&) { log.push_back("inner pre"); });
    linear->register_forward_hook([&](nn::Module&, const Args&, const Value&) { log.push_back("inner"); });
    linear->register_full_backward_hook([&](nn::Module&, const Value&, const Value&) { log.push_back("inner back"); });
    module->register_forward_hook([&](nn::Module&, const Args& args, const Value& result) {
        log.push_back("outer");
        BOOST_CHECK(nn::from_value<TensorDict>(args[0]).contains("observation"));
        BOOST_CHECK(nn::from_value<TensorDict>(result).contains("action"));
    });
    TensorDict td = observations();
    td.set("observation", td["observation"].clone().requires_grad_());
    const TensorDict out = module(td);
    out["action"].sum().backward();
    const std::vector<std::string> wanted{"inner pre", "inner", "outer", "inner back"};
    BOOST_TEST(log == wanted, boost::test_tools::per_element());
    log.clear();
    const AnyTensorDictModule any = module;
    any(observations());
    BOOST_TEST(log.size() == 3u);
    TensorDictSequential{any}(observations());
    BOOST_TEST(log.size() == 6u);
}

BOOST_AUTO_TEST_CASE(sequences_know_their_keys) {
    TensorDictModule first(nn::Linear(3, 4), {"observation"}, {"hidden"});
    TensorDictModule second(
        [](const Tensor& h, const Tensor& s) {
            return cat({h, s}, -1);
        },
        {"hidden", {"agent", "state"}}, {"joined"});
    TensorDictSequential both(first, second);
    const std::vector<NestedKey> in{"observation", {"agent", "state"}}, out{"hidden", "joined"};
    BOOST_CHECK(both->in_keys() == in);
    BOOST_CHECK(both->out_keys() == out);
    TensorDict td = observations();
    both(td);
    BOOST_TEST(td["joined"].sizes() == IntArrayRef({4, 6}));
    BOOST_TEST(both->state_dict().contains("module.0.module.weight"));
    BOOST_CHECK((*both)[0].module() == first.ptr());
    BOOST_CHECK_THROW(both->get_dist(td), TypeError);
    BOOST_CHECK_THROW(AnyTensorDictModule::of(nn::Linear(1, 1).ptr()), TypeError);
    BOOST_CHECK_THROW(AnyTensorDictModule()(td), Error);
}

BOOST_AUTO_TEST_CASE(clones_are_deep) {
    TensorDictSequential net(TensorDictModule(nn::Sequential(nn::Linear(3, 4), nn::Tanh()), {"observation"}, {"h"}),
                             TensorDictModule(MLP(MLPOptions(4, 2).depth(1)), {"h"}, {"y"}));
    TensorDictSequential copy(std::dynamic_pointer_cast<TensorDictSequentialImpl>(net->clone()));
    TensorDict a = observations(), b = a.clone();
    net(a);
    copy(b);
    check_close(a["y"], b["y"], 0, 0, "result");
    b["y"].sum().backward();
    for (const Tensor& p : net->parameters()) BOOST_CHECK(!p.grad().defined());
    for (const Tensor& p : copy->parameters()) BOOST_CHECK(p.grad().defined());
    BOOST_TEST(copy->repr() == net->repr());
    BOOST_TEST(net->parameters().size() == 6u);
    copy->load_state_dict(net->state_dict());
}

BOOST_AUTO_TEST_CASE(printed_as_the_package_prints) {
    TensorDictModule module(nn::Linear(3, 2), {"observation", {"a", "b"}}, {"x"});
    BOOST_TEST(str(*module) == "TensorDictModule(\n"
                               "    module=Linear(in_features=3, out_features=2, bias=True),\n"
                               "    in_keys=['observation', ('a', 'b')],\n"
                               "    out_keys=['x'])");
    TensorDictSequential both(module, TensorDictModule(nn::Linear(2, 2), {"x"}, {"y"}));
    BOOST_TEST(str(*both) == "TensorDictSequential(\n"
                             "    module=ModuleList(\n"
                             "      (0): TensorDictModule(\n"
                             "          module=Linear(in_features=3, out_features=2, bias=True),\n"
                             "          in_keys=['observation', ('a', 'b')],\n"
                             "          out_keys=['x'])\n"
                             "      (1): TensorDictModule(\n"
                             "          module=Linear(in_features=2, out_features=2, bias=True),\n"
                             "          in_keys=['x'],\n"
                             "          out_keys=['y'])\n"
                             "    ),\n"
                             "    in_keys=['observation', ('a', 'b')],\n"
                             "    out_keys=['x', 'y'])");
}

BOOST_AUTO_TEST_CASE(missing_entries_are_named_with_the_nearest) {
    TensorDictModule module(nn::Linear(3, 2), {"observaton"}, {"x"});
    try {
        module(observations());
        BOOST_FAIL("nothing was thrown");
    } catch (const KeyError& e) {
        const std::string text = e.what();
        BOOST_TEST(text.find("observaton") != std::string::npos, text);
        BOOST_TEST(text.find("'observation'") != std::string::npos, text);
        BOOST_TEST(text.find("in_keys of TensorDictModule around Linear") != std::string::npos, text);
    }
}

BOOST_AUTO_TEST_CASE(perceptrons) {
    MLP plain(MLPOptions(3, 2));
    BOOST_TEST(plain->repr() == "MLP(\n  (0): Linear(in_features=3, out_features=2, bias=True)\n)");
    MLP deep(MLPOptions(3, 2).num_cells({8, 16}).activation_class(module_class<nn::ReLU>()).bias_last_layer(false));
    BOOST_TEST(deep->repr() == "MLP(\n"
                               "  (0): Linear(in_features=3, out_features=8, bias=True)\n"
                               "  (1): ReLU()\n"
                               "  (2): Linear(in_features=8, out_features=16, bias=True)\n"
                               "  (3): ReLU()\n"
                               "  (4): Linear(in_features=16, out_features=2, bias=False)\n)");
    MLP norms(
        MLPOptions(3, 2)
            .depth(2)
            .dropout(0.1)
            .norm_class([](std::int64_t n) -> nn::ModulePtr { return nn::LayerNorm(nn::LayerNormOptions({n})).ptr(); })
            .activate_last_layer(true));
    BOOST_TEST(norms->children().size() == 12u);
    BOOST_TEST(norms(rand({5, 3})).sizes() == IntArrayRef({5, 2}));
    // several inputs are joined
    MLP joined(MLPOptions(5, 2).num_cells({4}));
    TensorDict td = observations();
    TensorDictModule(joined, {"observation", {"agent", "state"}}, {"y"})(td);
    check_close(td["y"], joined(cat({td["observation"], td[{"agent", "state"}]}, -1)), 0, 0, "joined");
    BOOST_CHECK_THROW(MLP(MLPOptions(3, 2).depth(3).num_cells({4, 4})), ValueError);
    BOOST_CHECK_THROW(MLP(MLPOptions(0, 2)), ValueError);
    const auto copy = std::dynamic_pointer_cast<MLPImpl>(deep->clone());
    const Tensor x = rand({2, 3});
    check_close(copy->forward(x), deep(x), 0, 0, "clone");
}

BOOST_AUTO_TEST_CASE(extractors) {
    NormalParamExtractor extractor;
    const auto [loc, scale] = extractor(zeros({2, 6}));
    BOOST_TEST(loc.sizes() == IntArrayRef({2, 3}));
    check_close(scale, ones({2, 3}), 1e-6, 0, "the scale of zero");
    BOOST_TEST(extractor->repr() == "NormalParamExtractor(scale_mapping=biased_softplus_1.0, scale_lb=0.0001)");
    BOOST_CHECK_THROW(extractor(zeros({2, 5})), ValueError);
    for (const char* bad : {"softmax", "biased_softplus_", "biased_softplus_x", "biased_softplus_0.01"})
        BOOST_CHECK_THROW(NormalParamExtractor(NormalParamExtractorOptions().scale_mapping(bad)), ValueError);
}

BOOST_AUTO_TEST_SUITE_END()
