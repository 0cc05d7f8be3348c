#include <reel/autograd/op_calls.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;

namespace {

/// Writes down what is called, and lets it go on.
class Recorder : public ops::OpCallMode {
public:
    Value take(const ops::OpCall& call) override {
        std::string text = call.op.name;
        if (call.form == ops::OpForm::InPlace) text += '_';
        if (call.form == ops::OpForm::Out) text += "_out";
        for (const Value& v : call.arguments) text += ' ' + v.repr();
        if (!call.named) text += " typed";
        calls.push_back(std::move(text));
        return call.run();
    }
    void read(const Tensor& t) override { numbers.push_back(t); }
    std::vector<std::string> calls;
    std::vector<Tensor> numbers;
};
using Texts = std::vector<std::string>;

/// What `f` calls.
template <class F> Texts calls_of(F f) {
    Recorder recorder;
    const ops::OpCallScope scope(&recorder);
    f();
    return recorder.calls;
}
void check(const Texts& got, const Texts& expected) {
    BOOST_CHECK_EQUAL_COLLECTIONS(got.begin(), got.end(), expected.begin(), expected.end());
}
} // namespace

BOOST_AUTO_TEST_SUITE(op_calls)

BOOST_AUTO_TEST_CASE(functions_methods_and_operators_are_taken) {
    const Tensor x = reel::ones({2});
    check(calls_of([&] { reel::tanh(x); }), {"tanh Tensor[2] float32 typed"});
    check(calls_of([&] { (void)x.tanh(); }), {"tanh Tensor[2] float32 typed"});
    check(calls_of([&] { (void)(x + x); }), {"add Tensor[2] float32 Tensor[2] float32 1 typed"});
    check(calls_of([&] { (void)(x + 1); }), {"add Tensor[2] float32 1 1 typed"});
    check(calls_of([&] { (void)(2 - x); }), {"rsub Tensor[2] float32 2 1 typed"});
    check(calls_of([&] { (void)-x; }), {"neg Tensor[2] float32 typed"});
    check(calls_of([&] { (void)(x > 0); }), {"gt Tensor[2] float32 0 typed"});
    check(calls_of([&] { (void)x.to(kDouble); }), {"to Tensor[2] float32 float64 False False None typed"});
    check(calls_of([&] { (void)x.detach(); }), {"detach Tensor[2] float32 typed"});
    check(calls_of([&] { (void)x[0]; }), {"select Tensor[2] float32 0 0 typed"});
    check(calls_of([&] { (void)x.where(x > 0, 0); }),
          {"gt Tensor[2] float32 0 typed", "where Tensor[2] bool Tensor[2] float32 0 typed"});
    check(calls_of([&] { (void)reel::special::log_ndtr(x); }), {"special.log_ndtr Tensor[2] float32 typed"});
}

BOOST_AUTO_TEST_CASE(what_takes_exact_arguments_is_taken_in_every_form) {
    const Tensor x = reel::ones({2, 2});
    const Texts one = {"tril Tensor[2, 2] float32 1 typed"};
    check(calls_of([&] { reel::tril(x, 1); }), one);
    check(calls_of([&] { (void)x.tril(1); }), one);
    check(calls_of([&] { x.tril_(1); }), {"tril_ Tensor[2, 2] float32 1 typed"});
    check(calls_of([&] { reel::tril_out(x, x, 1); }), {"tril_out Tensor[2, 2] float32 1 typed"});
}

BOOST_AUTO_TEST_CASE(calls_in_place_give_the_tensor_that_was_written) {
    Tensor x = reel::ones({2});
    check(calls_of([&] {
              BOOST_TEST(&x.add_(x) == &x);
              BOOST_TEST(&(x *= 3) == &x);
          }),
          {"add_ Tensor[2] float32 Tensor[2] float32 1 typed", "mul_ Tensor[2] float32 3 typed"});
    BOOST_TEST(reel::equal(x, reel::full({2}, 6.)));
    check(calls_of([&] { x[1] = 5; }), {"select Tensor[2] float32 0 1 typed", "fill_ Tensor[] float32 5 typed"});
    BOOST_TEST(x[1].item<float>() == 5);
}

BOOST_AUTO_TEST_CASE(calls_into_tensors_of_the_caller_give_these) {
    const Tensor x = reel::tensor({3., 1., 2.}).to(kDouble), values = reel::empty({3}, kDouble),
                 indices = reel::empty({3}, kLong);
    Recorder recorder;
    const ops::OpCallScope scope(&recorder);
    const auto [v, i] = reel::sort_out(values, indices, x);
    BOOST_TEST(v.is_same(values));
    BOOST_TEST(i.is_same(indices));
    BOOST_TEST(recorder.calls == Texts{"sort_out Tensor[3] float64 -1 False False typed"},
               boost::test_tools::per_element());
    {
        const ops::OpCallScope nobody(nullptr);
        BOOST_TEST(values[0].item<double>() == 1);
    }
    Kwargs into;
    into.set("out", values);
    BOOST_TEST(ops::registry().at("neg").call({x}, into).toTensor().is_same(values));
    BOOST_TEST(recorder.calls.back() == "neg_out Tensor[3] float64");
}

BOOST_AUTO_TEST_CASE(calls_by_name_are_taken_once_bound) {
    const Tensor x = reel::ones({2});
    check(calls_of([&] { ops::registry().at("add").call({x, 2}); }), {"add Tensor[2] float32 2 1"});
    check(calls_of([&] { ops::registry().at("absolute").call({x}); }), {"absolute Tensor[2] float32"});
    check(calls_of([&] { ops::registry().at("add").call_inplace({x, 2}); }), {"add_ Tensor[2] float32 2 1"});
}

BOOST_AUTO_TEST_CASE(options_sizes_and_absent_tensors_come_as_values) {
    check(calls_of([&] {
              reel::zeros({2, 3}, TensorOptions(kDouble).requires_grad(true));
          }),
          {"zeros [2, 3] {'dtype': float64, 'requires_grad': True} typed"});
    check(calls_of([&] { reel::zeros({1}); }), {"zeros [1] None typed"});
    const Tensor x = reel::ones({1, 2}), w = reel::ones({3, 2});
    check(calls_of([&] { reel::linear(x, w); }),
          {"nn.functional.linear Tensor[1, 2] float32 Tensor[3, 2] float32 None typed"});
}

BOOST_AUTO_TEST_CASE(what_ops_and_rules_call_is_not_taken) {
    const Tensor x = reel::ones({2, 2}).requires_grad_();
    const Tensor loss = reel::layer_norm(x, {2}).sum();
    check(calls_of([&] { loss.backward(); }), {});
    BOOST_TEST(calls_of([&] { (void)reel::mse_loss(x, x); }).size() == 1u);
}

BOOST_AUTO_TEST_CASE(hooks_of_the_user_are) {
    const Tensor x = reel::ones({2}).requires_grad_();
    const Tensor y = x.exp();
    y.register_hook([](const Tensor& g) { return g * 2; });
    check(calls_of([&] { y.backward(reel::ones({2})); }), {"ones [2] None typed", "mul Tensor[2] float32 2 typed"});
}

BOOST_AUTO_TEST_CASE(modes_nest_and_calls_of_a_mode_go_to_the_one_around) {
    class Doubling : public ops::OpCallMode {
    public:
        Value take(const ops::OpCall& call) override { return call.run().toTensor() * 2; }
    } doubling;
    const Tensor x = reel::ones({2});
    Recorder recorder;
    const ops::OpCallScope outer(&recorder);
    {
        const ops::OpCallScope inner(&doubling);
        const Tensor y = x.neg();
        BOOST_TEST(recorder.calls == (Texts{"neg Tensor[2] float32 typed", "mul Tensor[2] float32 2 typed"}),
                   boost::test_tools::per_element());
        const ops::OpCallScope nobody(nullptr);
        BOOST_TEST(y[0].item<float>() == -2);
    }
    BOOST_TEST(recorder.calls.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_mode_may_give_other_arguments_and_other_results) {
    class Other : public ops::OpCallMode {
    public:
        Value take(const ops::OpCall& call) override {
            if (call.op.name == "ones") return reel::full({2}, 7);
            Args changed(call.arguments.begin(), call.arguments.end());
            changed[1] = 10;
            return call.run_with(changed);
        }
    } other;
    const ops::OpCallScope scope(&other);
    const Tensor seven = reel::ones({3}), ten = seven * 3;
    const ops::OpCallScope nobody(nullptr);
    BOOST_TEST(reel::equal(seven, reel::full({2}, 7)));
    BOOST_TEST(reel::equal(ten, reel::full({2}, 70)));
}

BOOST_AUTO_TEST_CASE(numbers_that_are_read_are_told) {
    const Tensor x = reel::ones({});
    Recorder recorder;
    const ops::OpCallScope scope(&recorder);
    BOOST_TEST(x.item<float>() == 1);
    BOOST_TEST(x.is_nonzero());
    BOOST_REQUIRE(recorder.numbers.size() == 2);
    BOOST_TEST(recorder.numbers[0].is_same(x));
}

BOOST_AUTO_TEST_CASE(errors_are_the_same_whoever_takes_the_call) {
    const Tensor x = reel::ones({2, 3});
    const auto message = [](auto f) -> std::string {
        try {
            f();
        } catch (const Error& e) {
            return e.what();
        }
        return "nothing";
    };
    const auto typed = [&] { (void)reel::matmul(x, x); };
    const auto named = [&] { ops::registry().at("matmul").call({x, x}); };
    const std::string typed_text = message(typed), named_text = message(named);
    BOOST_TEST(typed_text.find("matmul") != std::string::npos);
    Recorder recorder;
    const ops::OpCallScope scope(&recorder);
    BOOST_TEST(message(typed) == typed_text);
    BOOST_TEST(message(named) == named_text);
}

BOOST_AUTO_TEST_SUITE_END()
