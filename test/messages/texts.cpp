// What messages say, word for word.
#include <boost/test/unit_test.hpp>

#include <reel/autograd/list.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/saved_tensor_hooks.hpp>

#include "message.hpp"

using namespace reel;
using reel::testing::message;

namespace {

std::string refusal(const char* op, const Args& args, const Kwargs& kwargs = {}) {
    return message([&] { ops::registry().at(op).call(args, kwargs); });
}
bool has(const std::string& text, const char* part) { return text.find(part) != text.npos; }

} // namespace

BOOST_AUTO_TEST_SUITE(messages)

BOOST_AUTO_TEST_CASE(an_op_called_by_another_name_says_that_name) {
    BOOST_TEST(refusal("subtract", {ones({3}), ones({2})}) ==
               "subtract: shapes [3] and [2] do not broadcast: sizes 3 and 2 at dimension 0 must be equal, or one of "
               "them 1; called as subtract(input=Tensor[3] float32, other=Tensor[2] float32)");
    BOOST_TEST(refusal("multiply", {ones({3}), "x"}).starts_with("multiply: no way to call it with"));
}

BOOST_AUTO_TEST_CASE(another_name_with_an_underscore_works_in_place) {
    const Tensor x = ones({2});
    ops::registry().at("zero_").call({x});
    BOOST_TEST(x.sum().item<float>() == 0);
    BOOST_TEST(!ops::registry().at("zero_").has_inplace());
}

BOOST_AUTO_TEST_CASE(an_op_within_an_op_comes_second) {
    BOOST_TEST(refusal("trapz", {ones({3}), ones({2})}) ==
               "trapz: trapezoid: x has 2 points and y has 3 along dimension 0; called as trapz(y=Tensor[3] float32, "
               "x=Tensor[2] float32)");
}

BOOST_AUTO_TEST_CASE(the_form_in_place_has_an_underscore) {
    const auto add = [](const Value& input, const Value& other) {
        return message([&] { ops::registry().at("add").call_inplace({input, other}); });
    };
    BOOST_TEST(has(add(ones({3}), ones({2})), "add_: shapes [3] and [2] do not broadcast"));
    BOOST_TEST(has(add(ones({3}), ones({2})), "called as add_(input=Tensor[3] float32, other=Tensor[2] float32)"));
    BOOST_TEST(add(ones({3}), "x").starts_with("add_: no way to call it with (Tensor[3] float32, 'x')"));
}

BOOST_AUTO_TEST_CASE(an_undefined_tensor_is_told_with_its_argument) {
    BOOST_TEST(has(refusal("add", {ones({2}), Tensor()}), "argument 'other' is an undefined Tensor; expected Tensor"));
    BOOST_TEST(has(refusal("cat", {Value::list({ones({2}), Tensor()})}), "the entry at 1 is an undefined Tensor"));
    // where a tensor may be left out, an undefined one leaves it out
    BOOST_TEST(ops::registry().at("nn.functional.linear").call({ones({1, 2}), ones({3, 2}), Tensor()}).isTensor());
    // calls by type
    BOOST_TEST(message([] { add(ones({2}), Tensor()); }).starts_with("add: an undefined Tensor was used"));
    BOOST_TEST(message([] { ones({2}).matmul(Tensor()); }).starts_with("matmul: an undefined Tensor was used"));
    BOOST_TEST(message([] { linalg::solve(ones({2, 2}), Tensor()); }).starts_with("linalg.solve: an undefined Tensor"));
    BOOST_TEST(message([] { (void)Tensor().sizes(); }).starts_with("an undefined Tensor was used"));
}

BOOST_AUTO_TEST_CASE(options_are_checked_by_name) {
    const auto zeros = [](const char* option, const Value& v) { return refusal("zeros", {Value(2)}, {{option, v}}); };
    BOOST_TEST(has(zeros("dtype", 3), "argument 'dtype' is 3; expected a dtype"));
    BOOST_TEST(has(zeros("requires_grad", 1), "argument 'requires_grad' is 1; expected bool"));
    BOOST_TEST(has(zeros("device", 0.5), "argument 'device' is 0.5; expected a device"));
    BOOST_TEST(has(zeros("layout", kHalf), "argument 'layout' is float16; expected 'strided', the only layout"));
    BOOST_TEST(zeros("device", "nowhere").starts_with("zeros: "));
    BOOST_TEST(has(refusal("rand", {Value(2)}, {{"generator", 3}}), "argument 'generator' is 3; expected Generator?"));
    BOOST_TEST(has(refusal("clone", {ones({2})}, {{"memory_format", "round"}}),
                   "argument 'memory_format' is 'round'; expected MemoryFormat?"));
}

BOOST_AUTO_TEST_CASE(long_input_is_cut) {
    const std::string word(10000, 'x');
    BOOST_TEST(refusal("einsum", {word, Value::list({ones({2})})}).size() < 600);
    BOOST_TEST(refusal("nn.functional.mse_loss", {ones({2}), ones({2})}, {{"reduction", word}}).size() < 600);
    BOOST_TEST(refusal("add", {word, Value::list(std::vector<Value>(5000, Value(word)))}).size() < 3000);
    BOOST_TEST(refusal("relu", {ones({2})}, {{word, 1}}).size() < 600);
    BOOST_TEST(Value(word).repr().size() < 150);
    BOOST_TEST(Value(std::vector<std::int64_t>(5000, 7)).repr().size() < 200);
    BOOST_TEST(str(IntArrayRef(std::vector<std::int64_t>(5000, 7))).size() < 300);
    BOOST_TEST(Value(std::vector<std::int64_t>{1, 2, 3}).repr() == "[1, 2, 3]");
}

BOOST_AUTO_TEST_CASE(boxed_types_are_named_as_they_are_written) {
    const std::string text = message([] { Value::box(std::vector<float>{1}).get<Generator>(); });
    BOOST_TEST(text.starts_with("expected an object of type reel::Generator, got std::vector<float"));
    BOOST_TEST(message([] { Value(3).get<Generator>(); }) == "expected an object of type reel::Generator, got int");
}

BOOST_AUTO_TEST_CASE(the_type_of_an_error_stays) {
    BOOST_CHECK_THROW(ops::registry().at("select").call({ones({3}), 5, 0}), IndexError);
    BOOST_CHECK_THROW(ops::registry().at("linalg.cholesky").call({-eye(2)}), LinAlgError);
    BOOST_CHECK_THROW(ops::registry().at("gather").call({ones({3}), 0, ones({3})}), TypeError);
    BOOST_TEST(refusal("linalg.cholesky", {-eye(2)}).starts_with("linalg.cholesky: "));
}

BOOST_AUTO_TEST_CASE(errors_of_users_keep_their_text_and_type) {
    struct OutOfPatience : Error {
        using Error::Error;
    };
    const auto refuse = [](const Tensor&) -> Value { throw OutOfPatience("no more"); };
    const Tensor x = ones({2}).requires_grad_();
    const autograd::SavedTensorsHooksGuard hooks(refuse, [](const Value& v) { return v.toTensor(); });
    try {
        ops::registry().at("mul").call({x, x});
        BOOST_ERROR("nothing was thrown");
    } catch (const OutOfPatience& e) {
        BOOST_TEST(e.msg() == "no more");
        BOOST_TEST(has(e.what(), "in mul(input=Tensor[2] float32, other=Tensor[2] float32)"));
    }
}

BOOST_AUTO_TEST_SUITE_END()
