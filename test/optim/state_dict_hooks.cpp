// Hooks around the state dicts of optimizers, as PyTorch runs them.
#include <reel/optim/optimizer.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/optim/adam.hpp>
#include <reel/optim/sgd.hpp>

#include "optim/support.hpp"

using namespace reel;
using namespace support;
using optim::Optimizer;
using optim::SGD;
using optim::SGDOptions;

namespace {
/// `dict` with another entry.
Value with(const Value& dict, const char* key, Value value) {
    ValueDict d = dict.toGenericDict();
    d.set(key, std::move(value));
    return Value(std::move(d));
}
bool has(const Value& dict, const char* key) { return dict.toGenericDict().find(std::string_view(key)) != nullptr; }
/// The dict with another rate in its first group.
Value with_lr(const Value& dict, double lr) {
    std::vector<Value> groups = dict.toGenericDict().at("param_groups").elements();
    groups[0] = with(groups[0], "lr", lr);
    return with(dict, "param_groups", Value::list(std::move(groups)));
}
using Log = std::vector<std::string>;
} // namespace

BOOST_AUTO_TEST_SUITE(state_dict_hooks)

BOOST_AUTO_TEST_CASE(around_state_dict) {
    SGD sgd({parameter({1}, {1})}, SGDOptions(0.1));
    Log log;
    sgd.register_state_dict_pre_hook([&](Optimizer& o) {
        BOOST_TEST(&o == &sgd);
        log.push_back("before");
    });
    sgd.register_state_dict_post_hook([&](Optimizer&, const Value& dict) -> Value {
        log.push_back(has(dict, "epoch") ? "after, with epoch" : "after");
        return {};
    });
    sgd.register_state_dict_post_hook(
        [&](Optimizer&, const Value& dict) -> Value {
            log.push_back("first");
            return with(dict, "epoch", 3);
        },
        true);
    RemovableHandle early = sgd.register_state_dict_pre_hook([&](Optimizer&) { log.push_back("earlier"); }, true);
    BOOST_TEST(sgd.state_dict().toGenericDict().at("epoch").toInt() == 3);
    BOOST_TEST(log == (Log{"earlier", "before", "first", "after, with epoch"}), boost::test_tools::per_element());
    early.remove();
    log.clear();
    sgd.state_dict();
    BOOST_TEST(log.front() == "before");
}

BOOST_AUTO_TEST_CASE(around_load_state_dict) {
    SGD sgd({parameter({1}, {1})}, SGDOptions(0.1));
    const Value saved = with(sgd.state_dict(), "epoch", 3);
    const auto rate = [&] { return sgd.param_groups()[0].options().get_lr(); };
    Log log;
    sgd.register_load_state_dict_pre_hook([&](Optimizer&, const Value& dict) -> Value {
        log.push_back(str("before, ", rate()));
        return with_lr(dict, 0.5);
    });
    sgd.register_load_state_dict_pre_hook([&](Optimizer&, const Value& dict) -> Value {
        log.push_back(has(dict, "epoch") ? "sees epoch" : "sees none");
        return {}; // what the hook before made of it stays
    });
    sgd.register_load_state_dict_post_hook([&](Optimizer&) { log.push_back(str("after, ", rate())); });
    sgd.load_state_dict(saved);
    BOOST_TEST(log == (Log{"before, 0.1", "sees epoch", "after, 0.5"}), boost::test_tools::per_element());
    BOOST_TEST(saved.toGenericDict().at("param_groups").elements()[0].toGenericDict().at("lr").toDouble() == 0.1);
}

BOOST_AUTO_TEST_CASE(a_load_that_fails_changes_nothing_and_has_no_end) {
    SGD sgd({parameter({1}, {1})}, SGDOptions(0.1));
    const Value saved = sgd.state_dict();
    bool ended = false;
    sgd.register_load_state_dict_post_hook([&](Optimizer&) { ended = true; });
    RemovableHandle bad = sgd.register_load_state_dict_pre_hook(
        [](Optimizer&, const Value& dict) { return with(with_lr(dict, 0.5), "param_groups", Value::list({})); });
    BOOST_CHECK_THROW(sgd.load_state_dict(saved), ValueError);
    bad.remove();
    sgd.register_load_state_dict_pre_hook([](Optimizer&, const Value&) { return Value(7); });
    BOOST_CHECK_EXCEPTION(sgd.load_state_dict(saved), TypeError, [](const Error& e) {
        return e.msg() == "load state dict pre-hook of an optimizer returned a int; expected a dict in place of the "
                          "state dict, or none";
    });
    BOOST_TEST(!ended);
    BOOST_TEST(sgd.param_groups()[0].options().get_lr() == 0.1);
    sgd.register_state_dict_post_hook([](Optimizer&, const Value&) { return Value("text"); });
    BOOST_CHECK_EXCEPTION(sgd.state_dict(), TypeError, [](const Error& e) {
        return e.msg().starts_with("state dict post-hook of an optimizer returned a str; expected a dict");
    });
}

BOOST_AUTO_TEST_CASE(of_many_parameters_one_that_comes_twice_is_found) {
    std::vector<Tensor> params; // comparing each with each would take minutes
    for (int i = 0; i < 200000; ++i) params.push_back(vector_of({1}).requires_grad_());
    SGD sgd(params, SGDOptions(0.1));
    BOOST_TEST(sgd.param_groups()[0].params().size() == params.size());
    BOOST_CHECK_THROW(sgd.add_param_group(optim::OptimizerParamGroup({params[77]})), ValueError);
}

BOOST_AUTO_TEST_SUITE_END()
