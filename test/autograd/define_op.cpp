// Ops that a program defines by a schema and a function.
#include <reel/autograd/define_op.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "message.hpp"

using namespace reel;

namespace {

const auto swish = ops::def("test.swish(Tensor x, Tensor beta=1) -> Tensor",
                            [](const Tensor& x, const Tensor& beta) { return x * sigmoid(x * beta); });

/// Everything that a schema can hold, written down.
std::string every_kind(const std::optional<Tensor>& t, const std::vector<Tensor>& list, std::int64_t i,
                       const std::vector<std::int64_t>& sizes, double d, bool b, const std::string& s,
                       std::optional<double> absent, const Scalar& number, ScalarType dtype, Device device) {
    return str(t.has_value(), " ", list.size(), " ", i, " ", IntArrayRef(sizes), " ", d, " ", b, " ", s, " ",
               absent.has_value(), " ", number.toDouble(), " ", dtype_name(dtype), " ", device);
}
const auto written = ops::def("test.every_kind(Tensor? t, Tensor[] list, int i=3, int[2] sizes=4, float d=1e-3, "
                              "bool b=True, str s='a, b', float? absent=None, *, Scalar number=2, ScalarType dtype, "
                              "Device device='cpu') -> str",
                              &every_kind);

template <class F> std::string refused(const char* schema, F fn) {
    return testing::message([&] { ops::def(schema, fn); });
}
Tensor same(const Tensor& x) { return x; }

} // namespace

BOOST_AUTO_TEST_SUITE(define_op)

BOOST_AUTO_TEST_CASE(it_is_a_function_and_an_op_with_defaults_and_names) {
    const Tensor x = tensor({-1.0, 0.5, 2.0}), beta = tensor(2.0);
    const Tensor one = x * sigmoid(x), two = x * sigmoid(x * 2);
    BOOST_TEST(equal(swish(x, beta), two));
    const ops::Op& op = ops::registry().at("test.swish");
    BOOST_TEST(&op == &swish.op());
    BOOST_TEST(swish.name() == "test.swish");
    BOOST_TEST(equal(op.call({x}).toTensor(), one));
    BOOST_TEST(equal(op.call({x, beta}).toTensor(), two));
    BOOST_TEST(equal(op.call({}, {{"beta", beta}, {"x", x}}).toTensor(), two));
}

BOOST_AUTO_TEST_CASE(a_number_as_the_default_of_a_tensor_promotes_as_a_number) {
    const Tensor x = tensor({1.0, 2.0}).to(kFloat);
    BOOST_TEST((ops::registry().at("test.swish").call({x}).toTensor().scalar_type() == kFloat));
}

BOOST_AUTO_TEST_CASE(its_gradient_is_that_of_what_it_calls) {
    const auto by_name = [](const autograd::variable_list& v) {
        return autograd::variable_list{ops::registry().at("test.swish").call({v[0], v[1]}).toTensor()};
    };
    const Tensor x = tensor({-1.0, 0.5, 2.0}, kDouble).requires_grad_(), beta = tensor(2.0, kDouble).requires_grad_();
    BOOST_TEST(autograd::gradcheck(by_name, {x, beta}));
    BOOST_TEST(autograd::gradgradcheck(by_name, {x, beta}));
}

BOOST_AUTO_TEST_CASE(every_kind_of_argument_and_default_arrives) {
    const auto call = [](const Args& a, const Kwargs& k) { return written.op().call(a, k).toStringRef(); };
    BOOST_TEST(call({Value(), Value::list({})}, {{"dtype", kFloat}}) == "0 0 3 [4] 0.001 1 a, b 0 2 float32 cpu");
    BOOST_TEST(
        call({ones({1}), Value::list({ones({1}), ones({2})}), 5, std::vector<std::int64_t>{1, 2}, 2, false, "s", 0.5},
             {{"number", 1.5}, {"dtype", kLong}, {"device", "cpu"}}) == "1 2 5 [1, 2] 2 0 s 1 1.5 int64 cpu");
}

BOOST_AUTO_TEST_CASE(errors_name_op_and_argument) {
    const ops::Op& op = ops::registry().at("test.swish");
    BOOST_TEST(testing::message([&] {
                   op.call({ones({2}), "b"});
               }) == "test.swish: no way to call it with (Tensor[2] float32, 'b')\n"
                     "  test.swish(Tensor x, Tensor beta=1) -> Tensor: argument 'beta' is 'b'; expected Tensor");
    BOOST_TEST(testing::message([&] { op.call({}); }).find("argument 'x' is missing") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_name_is_taken_once_and_has_a_prefix) {
    BOOST_TEST(
        refused("test.swish(Tensor x) -> Tensor", &same) ==
        "ops::def: there is an op 'test.swish' already: test.swish(Tensor x, Tensor beta=1) -> Tensor; give this "
        "one another name");
    BOOST_TEST(refused("swish(Tensor x) -> Tensor", &same) ==
               "ops::def: 'swish' has no prefix; names without one are Reel's own: write 'my.swish'");
    BOOST_TEST(refused("special.erf(Tensor x) -> Tensor", &same).starts_with("ops::def: there is an op 'special.erf'"));
    const ops::Op* const add = ops::registry().find("add");
    BOOST_TEST(testing::message([&] {
                   ops::registry().add(add->schemas.at(0));
               }).starts_with("registry: there is an op 'add("));
}

BOOST_AUTO_TEST_CASE(colons_separate_the_prefix_as_well) {
    const auto twice = ops::def("test::twice(Tensor x) -> Tensor", [](const Tensor& x) { return x * 2; });
    BOOST_TEST(twice.name() == "test.twice");
}

BOOST_AUTO_TEST_CASE(the_function_must_take_what_the_schema_says) {
    BOOST_TEST(refused("test.bad(Tensor x, int n) -> Tensor", &same) ==
               "ops::def: test.bad has 2 arguments in its schema; its function takes 1: test.bad(Tensor x, int n) -> "
               "Tensor");
    BOOST_TEST(
        refused("test.bad(int n) -> Tensor", &same) ==
        "ops::def: test.bad: argument 0 (n) is 'int' in the schema; the function's parameter stands for 'Tensor'. "
        "(int is std::int64_t, float is double, Tensor[] is std::vector<Tensor>, `?` is std::optional)");
    BOOST_TEST(ops::registry().find("test.bad") == nullptr);
}

BOOST_AUTO_TEST_CASE(what_is_no_schema_is_refused_with_its_place) {
    const auto says = [](const char* schema, const char* expected) {
        const std::string m = refused(schema, &same);
        BOOST_TEST(m.starts_with(str("schema '", schema, "': at character ", expected)), m);
    };
    says("test.bad Tensor x) -> Tensor", "10, 'Tensor x) ->': expected '('");
    says("test.bad(Tensor x -> Tensor", "19, '-> Tensor': expected ',' or ')'");
    says("test.bad(Tensor x)", "19, the end: expected '-> TYPE'");
    says("test.bad(Tensr x) -> Tensor", "10, 'Tensr x) -> ': expected a type: Tensor, int,");
    says("test.bad(Tensor) -> Tensor", "16, ') -> Tensor': expected the argument's name");
    says("test.bad(Tensor x, Tensor x) -> Tensor", "28, ') -> Tensor': expected another name");
    says("test.bad(int n=1, Tensor x) -> Tensor", "27, ') -> Tensor': expected a default for 'x'");
    says("test.bad(int n=1.5) -> Tensor", "16, '1.5) -> Tens': expected a default that a 'int' can be");
    says("test.bad(int n=one) -> Tensor", "16, 'one) -> Tens': expected a default: a number");
    says("test.bad(str s='a) -> Tensor", "17, 'a) -> Tensor': expected the end of the text");
    says("test.bad(bool[] b) -> Tensor", "14, '[] b) -> Ten': expected no list of that type");
    says("test.bad(Tensor x) -> Tensor, Tensor", "29, ', Tensor': expected nothing behind");
    says("test.bad(*, *, int n) -> Tensor", "14, ', int n) -> ': expected one '*' at most");
    says("", "1, the end: expected the op's name");
}

BOOST_AUTO_TEST_SUITE_END()
