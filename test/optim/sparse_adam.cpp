// SparseAdam, and the other optimizers that take sparse gradients: numbers are PyTorch 2.15's.
#include <reel/optim/sparse_adam.hpp>

#include <functional>

#include <boost/test/unit_test.hpp>

#include <reel/autograd.hpp>
#include <reel/optim.hpp>

#include "message.hpp"
#include "optim/support.hpp"

using namespace reel;
using namespace support;
using reel::testing::message;

namespace {
using Make = std::function<std::unique_ptr<optim::Optimizer>(std::vector<Tensor>)>;
template <class O, class Options> Make with(Options options) {
    return [options](std::vector<Tensor> p) { return std::make_unique<O>(std::move(p), options); };
}
Tensor table() { return (arange(10., kDouble).reshape({5, 2}) / 10).requires_grad_(); }
void lookup_backward(const Tensor& w, std::vector<std::int64_t> rows) {
    functional_embedding(tensor(rows), w, std::nullopt, std::nullopt, 2., false, true).pow(3).sum().backward();
}
/// The table after three steps over some of its rows.
std::vector<double> trained(const Make& make) {
    const Tensor w = table();
    const auto optimizer = make({w});
    for (const std::vector<std::int64_t>& rows : std::vector<std::vector<std::int64_t>>{{3, 1, 3}, {0}, {3, 0}}) {
        optimizer->zero_grad();
        lookup_backward(w, rows);
        optimizer->step();
    }
    return list(w);
}
void check_trained(const Make& make, const std::vector<double>& expected) {
    const std::vector<double> got = trained(make);
    BOOST_TEST_REQUIRE(got.size() == expected.size());
    for (std::size_t i = 0; i < got.size(); ++i)
        BOOST_TEST(std::abs(got[i] - expected[i]) < 1e-11, i << ": " << got[i]);
}
} // namespace

BOOST_AUTO_TEST_SUITE(sparse_adam)

BOOST_AUTO_TEST_CASE(moves_the_rows_that_were_used) {
    check_trained(
        with<optim::SparseAdam>(optim::SparseAdamOptions(0.1)),
        {0.0, -0.03598669162, 0.100000263522, 0.200000117121, 0.4, 0.5, 0.424700250433, 0.523971957249, 0.8, 0.9});
    check_trained(
        with<optim::SparseAdam>(optim::SparseAdamOptions(0.1).betas({0.8, 0.9}).eps(1e-4).maximize(true)),
        {0.0, 0.25671018973, 0.299737169481, 0.399883015619, 0.4, 0.5, 0.785529476756, 0.88510008207, 0.8, 0.9});
}
BOOST_AUTO_TEST_CASE(sgd_and_adagrad_take_sparse_gradients_too) {
    check_trained(with<optim::SGD>(optim::SGDOptions(0.1)),
                  {0.0, 0.0941773, 0.188, 0.273, 0.4, 0.5, 0.3397632, 0.3565492, 0.8, 0.9});
    check_trained(with<optim::SGD>(optim::SGDOptions(0.1).maximize(true)),
                  {0.0, 0.1061827, 0.212, 0.327, 0.4, 0.5, 1.0157568, 1.2904108, 0.8, 0.9});
    check_trained(with<optim::SGD>(optim::SGDOptions(0.1).momentum(0.9)),
                  {0.0, 0.0914773, 0.16748, 0.22683, 0.4, 0.5, 0.003855552, -0.102738188, 0.8, 0.9});
    check_trained(with<optim::SGD>(optim::SGDOptions(0.1).momentum(0.9).nesterov(true)),
                  {0.0, 0.0868012807, 0.158732, 0.207147, 0.4, 0.5, -0.142946167872, -0.316400417732, 0.8, 0.9});
    check_trained(
        with<optim::Adagrad>(optim::AdagradOptions(0.1).lr_decay(0.1)),
        {0.0, 0.008402227635, 0.100000000083, 0.200000000037, 0.4, 0.5, 0.472665692591, 0.571265211447, 0.8, 0.9});
    check_trained(
        with<optim::Adagrad>(optim::AdagradOptions(0.1).maximize(true)),
        {0.0, 0.297014249584, 0.299999999917, 0.399999999963, 0.4, 0.5, 0.756262404323, 0.854678890089, 0.8, 0.9});
}
BOOST_AUTO_TEST_CASE(averages_of_other_rows_rest_and_the_state_has_pytorchs_names) {
    const Tensor w = table();
    optim::SparseAdam optimizer({w}, 0.1);
    lookup_backward(w, {1});
    optimizer.step();
    const Value dict = optimizer.state_dict(), number(std::int64_t(0));
    const ValueDict& all = dict.toGenericDict().at("state").toGenericDict();
    const ValueDict& state = all.find(number)->toGenericDict();
    BOOST_TEST(state.at("step").toInt() == 1);
    const Tensor mean = state.at("exp_avg").toTensor();
    BOOST_TEST((!mean.is_sparse() && mean[0].abs().sum().item<double>() == 0));
    BOOST_TEST(mean[1][0].item<double>() == 0.1 * 3 * 0.2 * 0.2, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(state.contains("exp_avg_sq"));
}
BOOST_AUTO_TEST_CASE(gradients_of_the_other_layout_are_refused) {
    const Tensor w = table(), before = w.detach().clone();
    w.set_grad(ones({5, 2}, kDouble));
    optim::SparseAdam sparse({w});
    BOOST_TEST(
        message([&] { sparse.step(); }) ==
        "SparseAdam: parameter 0, of shape [5, 2], has a strided gradient; expected a sparse one, as embeddings with "
        "sparse=true make it. Adam takes it, or give the parameter the gradient's to_sparse(1)");
    w.clear_grad();
    lookup_backward(w, {1});
    optim::Adam adam({w});
    BOOST_TEST(message([&] { adam.step(); })
                   .starts_with("Adam: parameter 0, of shape [5, 2], has a sparse gradient; expected a strided one. "
                                "SparseAdam, SGD and Adagrad take it"));
    optim::SGD decaying({w}, optim::SGDOptions(0.1).weight_decay(0.1));
    BOOST_TEST(
        message([&] { decaying.step(); }) ==
        "SGD: weight_decay is 0.1 and a gradient is sparse; expected 0, as it would decay rows that were not used");
    BOOST_CHECK_THROW(optim::Adagrad({w}, optim::AdagradOptions(0.1).weight_decay(0.1)).step(), Error);
    BOOST_TEST(equal(w, before));
    BOOST_CHECK_THROW(optim::SparseAdam({w}, 0.0), ValueError);
    BOOST_TEST(message([&] {
                   optim::SparseAdam({w.detach().to_sparse(1)});
               }).starts_with("SparseAdam: parameter 0 of group 0 is sparse; expected strided parameters"));
    for (const std::string& name : optim::optimizer_names()) BOOST_TEST_CONTEXT(name) {
            const auto optimizer = optim::make_optimizer(name, {w});
            if (optimizer->takes(kSparse)) continue;
            BOOST_TEST(message([&] { optimizer->step([&] { return w.sum(); }); }).find("sparse gradient") !=
                       std::string::npos);
        }
}
BOOST_AUTO_TEST_CASE(zero_grad_and_lbfgs) {
    const Tensor w = table();
    optim::SGD optimizer({w}, 0.1);
    lookup_backward(w, {1, 3});
    optimizer.zero_grad(false);
    BOOST_TEST((w.grad().is_sparse() && w.grad()._nnz() == 0));
    optim::LBFGS lbfgs({w}, 0.1);
    const double before = w.detach().pow(4).sum().item<double>();
    lbfgs.step([&] {
        lbfgs.zero_grad();
        lookup_backward(w, {1, 3});
        return w.detach().pow(4).sum();
    });
    BOOST_TEST(w.detach().pow(4).sum().item<double>() < before);
}

BOOST_AUTO_TEST_SUITE_END()
