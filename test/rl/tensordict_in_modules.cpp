// Dictionaries as arguments and results of modules, and what hooks see of them.
#include <map>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn/call.hpp>
#include <reel/nn/modules/linear.hpp>
#include <reel/rl/tensordict.hpp>

#include <message.hpp>

using namespace reel;
using rl::TensorDict;

namespace {

struct PolicyImpl : nn::Module {
    PolicyImpl() { net = register_module("net", nn::Linear(3, 2)); }
    TensorDict forward(TensorDict td) {
        td.set("action", nn::call(*net, td["observation"]));
        td.set({"agents", "value"}, td[{"agents", "state"}] * 2);
        return td;
    }
    std::shared_ptr<nn::LinearImpl> net;
};
REEL_MODULE(Policy);

TensorDict input() {
    manual_seed(0);
    return TensorDict({{"observation", randn({4, 3}).requires_grad_()},
                       {{"agents", "state"}, randn({4, 2, 1}).requires_grad_()},
                       {"step", zeros({4, 1}, kLong)}},
                      {4});
}

} // namespace

BOOST_AUTO_TEST_SUITE(tensordict_in_modules)

BOOST_AUTO_TEST_CASE(without_hooks_it_is_the_same_dictionary) {
    Policy policy;
    const TensorDict td = input();
    BOOST_TEST(policy(td).is(td));
    BOOST_TEST(td.contains("action"));
}

BOOST_AUTO_TEST_CASE(forward_hooks_see_a_dict_and_leave_the_dictionary_itself) {
    Policy policy;
    std::vector<std::string> seen;
    policy->register_forward_pre_hook([&](nn::Module&, const Args& args) {
        TensorDict td = nn::from_value<TensorDict>(args[0]);
        BOOST_TEST(td.batch_size() == (std::vector<std::int64_t>{4}));
        td.set("mark", ones({4})); // the module gets the dictionary that the hook changed
    });
    policy->register_forward_hook([&](nn::Module&, const Args&, const Value& result) {
        for (const auto& [name, value] : result.toGenericDict()) seen.push_back(name.toStringRef());
        BOOST_TEST(result.toGenericDict().at("agents").toGenericDict().contains("value"));
    });
    const TensorDict td = input();
    const TensorDict result = policy(td);
    BOOST_TEST(result.is(td));
    BOOST_TEST(result.contains("mark"));
    BOOST_TEST(seen == (std::vector<std::string>{"observation", "agents", "step", "mark", "action"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_forward_hook_replaces_the_result) {
    Policy policy;
    policy->register_forward_hook([](nn::Module&, const Args&, const Value& result) -> Value {
        TensorDict td = nn::from_value<TensorDict>(result).clone(false);
        return td.set("action", td["action"] * 0);
    });
    const TensorDict td = input(), result = policy(td);
    BOOST_TEST(!result.is(td));
    BOOST_TEST(result["action"].abs().sum().item<float>() == 0);
    BOOST_TEST(td["action"].abs().sum().item<float>() > 0);
    BOOST_TEST(result.batch_size() == td.batch_size());
    BOOST_TEST(result.dict("agents").batch_size() == td.dict("agents").batch_size());
}

BOOST_AUTO_TEST_CASE(a_plain_dict_from_a_hook_has_no_batch) {
    Policy policy;
    policy->register_forward_hook([](nn::Module&, const Args&, const Value&) -> Value {
        return Value(ValueDict{{"action", Value(ones({7}))}});
    });
    const TensorDict result = policy(input());
    BOOST_TEST(result.batch_dims() == 0);
    BOOST_TEST(result["action"].size(0) == 7);
}

BOOST_AUTO_TEST_CASE(full_backward_hooks_see_each_tensor_with_its_path) {
    Policy policy;
    std::map<std::string, Tensor> grads;
    policy->register_full_backward_hook([&](nn::Module&, const nn::GradSlots& in, const nn::GradSlots& out) {
        for (const nn::GradSlot& slot : in) grads["in " + slot.path] = slot.grad;
        for (const nn::GradSlot& slot : out) grads["out " + slot.path] = slot.grad;
    });
    const TensorDict td = input();
    const TensorDict result = policy(td);
    BOOST_TEST(result.batch_size() == td.batch_size());
    BOOST_TEST(result.dict("agents").batch_size() == (std::vector<std::int64_t>{4}));
    (result["action"].sum() + result[{"agents", "value"}].sum()).backward();
    BOOST_TEST(grads.count("in 0.observation"));
    BOOST_TEST(grads.count("in 0.agents.state"));
    BOOST_TEST(grads.count("out 0.agents.value"));
    const Tensor weights = policy->net->weight.sum(0).expand({4, 3});
    BOOST_TEST(grads.at("in 0.observation").allclose(weights));
    BOOST_TEST(grads.at("in 0.agents.state").equal(full(IntArrayRef({4, 2, 1}), 2.0)));
    BOOST_TEST(grads.at("out 0.agents.value").equal(ones({4, 2, 1})));
    BOOST_TEST(grads.at("in 0.step").sum().item<double>() == 0); // integers: as the gate has it, zeros
    BOOST_TEST((td[{"agents", "state"}].grad().equal(full({4, 2, 1}, 2.0))));
}

BOOST_AUTO_TEST_CASE(a_backward_hook_replaces_the_gradient_of_an_entry) {
    Policy policy;
    policy->register_full_backward_hook(
        [&](nn::Module&, const nn::GradSlots& in, const nn::GradSlots&) -> std::vector<Tensor> {
            std::vector<Tensor> replaced;
            for (const nn::GradSlot& slot : in) replaced.push_back(slot.grad.defined() ? slot.grad * 10 : slot.grad);
            return replaced;
        });
    const TensorDict td = input();
    policy(td)[{"agents", "value"}].sum().backward();
    BOOST_TEST((td[{"agents", "state"}].grad().equal(full({4, 2, 1}, 20.0))));
}

BOOST_AUTO_TEST_CASE(what_is_no_dictionary_is_refused_by_name) {
    Policy policy;
    const std::string text = reel::testing::message([&] { policy->call_values({Value(ones({2}))}); });
    BOOST_TEST(text.find("expected a TensorDict or a dict of tensors, got Tensor[2]") != std::string::npos, text);
    BOOST_TEST(reel::testing::message([] {
                   TensorDict::from_value(Value(ValueDict{{"a", Value(ValueDict{{"b", Value(3)}})}}));
               }) == "TensorDict: expected a tensor or a dict of tensors for ('a', 'b'), got 3");
}

BOOST_AUTO_TEST_SUITE_END()
