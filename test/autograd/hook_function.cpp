// Hooks whose result may be none.
#include <reel/autograd/hook_function.hpp>

#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>

#include <reel/autograd/node.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;

BOOST_AUTO_TEST_SUITE(hook_function)

BOOST_AUTO_TEST_CASE(a_function_that_returns_nothing_answers_an_empty_result) {
    std::string seen;
    const HookFunction<std::optional<int>(const std::string&)> nothing = [&](const std::string& s) { seen = s; };
    BOOST_TEST(!nothing("a").has_value());
    BOOST_TEST(seen == "a");
    const HookFunction<std::optional<int>(const std::string&)> size = [](const std::string& s) {
        return int(s.size());
    };
    BOOST_TEST(size("abc").value() == 3);
}

BOOST_AUTO_TEST_CASE(it_may_be_empty_and_keeps_what_it_holds) {
    using Hook = HookFunction<int(int)>;
    BOOST_TEST(!Hook());
    BOOST_TEST(!Hook(nullptr));
    BOOST_TEST(!Hook(std::function<int(int)>()));
    int (*const plain)(int) = [](int i) { return i + 1; };
    const Hook held = plain;
    BOOST_REQUIRE(held.target<int (*)(int)>() != nullptr);
    const Hook copy = held;
    BOOST_TEST(copy.target<int (*)(int)>() != nullptr);
}

BOOST_AUTO_TEST_CASE(references_arrive_as_references) {
    const HookFunction<int(std::string&)> appends = [](std::string& s) { s += "!"; };
    std::string text = "a";
    BOOST_TEST(appends(text) == 0);
    BOOST_TEST(text == "a!");
}

BOOST_AUTO_TEST_CASE(hooks_of_nodes_may_return_nothing) {
    const Tensor x = ones({2}).requires_grad_();
    const Tensor y = x * 3;
    int before = 0, behind = 0;
    y.grad_fn()->register_prehook([&](const autograd::variable_list& g) { before += int(g.size()); });
    y.grad_fn()->register_posthook(
        [&](const autograd::variable_list& gi, const autograd::variable_list&) { behind += int(gi[0].defined()); });
    y.sum().backward();
    BOOST_TEST(before == 1);
    BOOST_TEST(behind == 1);
    BOOST_TEST(equal(x.grad(), full({2}, 3.0)));
}

BOOST_AUTO_TEST_SUITE_END()
