// Operators that only decomposed programs name: their results are those of what they were made from.
#include <reel/script/operator.hpp>

#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "message.hpp"

using namespace reel;
using reel::testing::message;

namespace {
IValue run(std::string_view name, std::vector<IValue> arguments) {
    const jit::Operator* const op = jit::find_operator(name);
    BOOST_REQUIRE_MESSAGE(op && op->run, name);
    return op->run(arguments);
}
Tensor part(const IValue& v, std::size_t i) { return v.elements().at(i).toTensor(); }
Tensor matrix() { return reel::tensor({{4.0, 1.0}, {1.0, 3.0}}, TensorOptions(kDouble)); }
} // namespace

BOOST_AUTO_TEST_SUITE(script_operator_inner)

BOOST_AUTO_TEST_CASE(factorizations_give_their_factors) { // SC-91
    const Tensor a = matrix();
    const IValue det = run("aten::_linalg_det", {a}), slogdet = run("aten::_linalg_slogdet", {a});
    BOOST_TEST(det.elements().size() == 3);
    BOOST_TEST(std::abs(part(det, 0).item<double>() - 11) < 1e-12);
    BOOST_TEST(slogdet.elements().size() == 4);
    BOOST_TEST(std::abs(part(slogdet, 1).item<double>() - std::log(11)) < 1e-12);
    const IValue eigh = run("aten::_linalg_eigh", {a, "L", true});
    BOOST_TEST(reel::allclose((part(eigh, 1) * part(eigh, 0)).matmul(part(eigh, 1).t()), a));
    BOOST_TEST(reel::allclose(part(run("aten::_linalg_eigh", {a, "L", false}), 0), part(eigh, 0)));
    const IValue svd = run("aten::_linalg_svd", {a, false, true, IValue()});
    BOOST_TEST(reel::allclose((part(svd, 0) * part(svd, 1)).matmul(part(svd, 2)), a));
    BOOST_TEST(reel::allclose(part(run("aten::_linalg_svd", {a, false, false, IValue()}), 1), part(svd, 1)));
    const IValue solved = run("aten::_linalg_solve_ex", {a, reel::ones({2}, TensorOptions(kDouble)), true, false});
    BOOST_TEST(reel::allclose(a.matmul(part(solved, 0)), reel::ones({2}, TensorOptions(kDouble))));
    BOOST_TEST(part(solved, 3).item<int>() == 0);
    run("aten::_linalg_check_errors", {reel::zeros({2}, TensorOptions(kInt)), "linalg.inv", false});
    BOOST_TEST(message([] {
                   run("aten::_linalg_check_errors", {reel::ones({}, TensorOptions(kInt)), "linalg.inv", true});
               }) == "linalg.inv: the factorization of the matrix could not be completed; it is singular or not what "
                     "the function asks for");
}
BOOST_AUTO_TEST_CASE(losses_and_activations_give_what_their_derivatives_read) { // SC-91
    const Tensor x = reel::tensor({{-1.0, -2.0}, {-3.0, -4.0}}), target = reel::tensor({0, 1});
    const Tensor weight = reel::tensor({2.0, 6.0});
    const IValue plain = run("aten::nll_loss_forward", {x, target, IValue(), 1, -100});
    BOOST_TEST(part(plain, 0).item<double>() == 2.5);
    BOOST_TEST(part(plain, 1).item<double>() == 2);
    const IValue weighed = run("aten::nll_loss_forward", {x, target, weight, 1, 0});
    BOOST_TEST(part(weighed, 0).item<double>() == 4);
    BOOST_TEST(part(weighed, 1).item<double>() == 6); // class 0 is ignored
    BOOST_TEST(message([&] {
                   run("aten::nll_loss_forward", {x, target, IValue(), 3, -100});
               }) == "nll_loss_forward: reduction is 3; expected 0, 1 or 2");
    BOOST_TEST(reel::allclose(part(run("aten::log_sigmoid_forward", {x}), 0), x.sigmoid().log()));
    const double hidden = -std::numeric_limits<double>::infinity();
    const Tensor scores = reel::tensor({{0.0, 0.0}, {hidden, hidden}}).requires_grad_();
    const Tensor rows = run("aten::_safe_softmax", {scores, -1, IValue()}).toTensor();
    BOOST_TEST(reel::equal(rows, reel::tensor({{0.5, 0.5}, {0.0, 0.0}})));
    rows.select(1, 0).sum().backward();
    BOOST_TEST(reel::equal(scores.grad(), reel::tensor({{0.25, -0.25}, {0.0, 0.0}}))); // a hidden row has none
    const Tensor v = reel::tensor({1.0, 2.0}, TensorOptions(kDouble));
    const Tensor product = run("aten::_trilinear", {v, matrix(), v, IValue::list({1}), IValue::list({}),
                                                    IValue::list({0}), IValue::list({0, 1}), 1})
                               .toTensor();
    BOOST_TEST(product.item<double>() == 4 + 2 * 1 + 2 * 1 + 4 * 3);
}
BOOST_AUTO_TEST_CASE(draws_that_were_in_place_leave_their_argument) { // SC-91
    const Tensor x = reel::zeros({1000});
    manual_seed(3);
    const Tensor drawn = run("aten::uniform", {x, 2., 4., IValue()}).toTensor();
    BOOST_TEST(x.sum().item<float>() == 0.f);
    BOOST_TEST(drawn.min().item<float>() >= 2.f);
    manual_seed(3);
    BOOST_TEST(reel::equal(drawn, reel::zeros({1000}).uniform_(2, 4)));
    for (const char* name : {"aten::exponential", "aten::geometric", "aten::cauchy", "aten::log_normal",
                             "aten::normal_functional", "aten::bernoulli.Tensor"})
        BOOST_TEST(bool(jit::find_operator(name)->run), name);
}
BOOST_AUTO_TEST_CASE(dtypes_of_results_are_numbers) { // SC-34
    const Tensor i = reel::ones({2}, TensorOptions(kInt)), f = reel::ones({2}, TensorOptions(kHalf));
    BOOST_TEST(run("aten::result_type.Tensor", {i, f}).toInt() == 5);
    BOOST_TEST(run("aten::result_type.Scalar", {i, 1.5}).toInt() == 6);
    BOOST_TEST(run("aten::result_type.Scalar_Tensor", {2, f}).toInt() == 5);
    BOOST_TEST(run("aten::result_type.Scalar_Scalar", {2, 1}).toInt() == 4);
    BOOST_TEST(run("aten::_local_scalar_dense", {reel::full({}, 3, kLong)}).toInt() == 3);
}

BOOST_AUTO_TEST_SUITE_END()
