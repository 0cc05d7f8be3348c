// Every optimizer by name: saved in the middle, through a file, it goes on bit for bit.
#include <reel/optim/factory.hpp>

#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include <filesystem>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/serialize/run_checkpoint.hpp>

#include "optim/support.hpp"

using namespace reel;
using namespace support;

namespace {
struct Setup {
    Tensor a = wave({5, 3}, 1, kFloat).requires_grad_(), b = wave({2, 4}, 2, kFloat).requires_grad_();
    std::unique_ptr<optim::Optimizer> optimizer;
    explicit Setup(const std::string& name) {
        Kwargs options{{"lr", 0.01}};
        if (name == "LBFGS") options.set("line_search_fn", "strong_wolfe");
        if (name == "SGD") options.set("momentum", 0.9);
        if (name == "RMSprop") options.set("centered", true);
        optimizer = optim::make_optimizer(name, {a, b}, options);
    }
    void steps(int from, int to) {
        for (int t = from; t < to; ++t)
            optimizer->step([&] {
                optimizer->zero_grad();
                const Tensor loss = ((a - 0.3) * (a - 0.3) * double(t + 1)).sum() + (b * b * b * b).sum();
                loss.backward();
                fit_gradients(*optimizer);
                return loss;
            });
    }
};
} // namespace

BOOST_AUTO_TEST_SUITE(factory)

BOOST_AUTO_TEST_CASE(every_optimizer_goes_on_bit_for_bit_from_a_checkpoint) {
    const std::string file =
        (std::filesystem::temp_directory_path() / ("reel_optim_" + std::to_string(::getpid()))).string();
    const std::vector<std::string> names = optim::optimizer_names();
    BOOST_TEST(names.size() >= 14u);
    for (const std::string& name : names) {
        BOOST_TEST_CONTEXT(name) {
            Setup whole(name), half(name), rest(name);
            whole.steps(0, 6);
            half.steps(0, 3);
            BOOST_TEST(list(half.a) != list(wave({5, 3}, 1, kFloat)));
            serialize::save_checkpoint({{"optimizer", half.optimizer->state_dict()}}, file);
            {
                NoGradGuard no_grad;
                rest.a.copy_(half.a);
                rest.b.copy_(half.b);
            }
            rest.optimizer->load_state_dict(serialize::load_checkpoint(file).at("optimizer"));
            rest.steps(3, 6);
            BOOST_TEST(list(rest.a) == list(whole.a), boost::test_tools::per_element());
            BOOST_TEST(list(rest.b) == list(whole.b), boost::test_tools::per_element());
        }
    }
    std::filesystem::remove(file);
}
BOOST_AUTO_TEST_CASE(impossible_options_are_refused_by_name) {
    for (const std::string& name : optim::optimizer_names())
        BOOST_CHECK_EXCEPTION(optim::make_optimizer(name, {wave({2, 2}, 0).requires_grad_()}, Kwargs{{"lr", -1.0}}),
                              ValueError, [&](const Error& e) { return e.msg().find(name + ": lr") == 0; });
    BOOST_CHECK_THROW(optim::make_optimizer("Adam", {wave({2}, 0).requires_grad_()},
                                            Kwargs{{"betas", Value::tuple({Value(0.9), Value(1.0)})}}),
                      ValueError);
    BOOST_CHECK_THROW(optim::make_optimizer("Muon", {wave({3}, 0).requires_grad_()}, Kwargs{{"ns_steps", 200}}),
                      ValueError);
}

BOOST_AUTO_TEST_CASE(one_keyword_argument_is_one) {
    const std::vector<Tensor> w{ones({2}).requires_grad_()};
    const auto rate = [](const std::unique_ptr<optim::Optimizer>& o) {
        return o->param_groups()[0].options().get_lr();
    };
    BOOST_TEST(rate(optim::make_optimizer("SGD", w, {{"lr", 0.25}})) == 0.25);
    BOOST_TEST(rate(optim::make_optimizer("SGD", w, {{"momentum", 0.5}, {"lr", 0.125}})) == 0.125);
    BOOST_TEST(rate(optim::make_optimizer("SGD", w, {0.5})) == 0.5);
    BOOST_TEST(rate(optim::make_optimizer("SGD", w, {}, {{"lr", 0.75}})) == 0.75);
}

BOOST_AUTO_TEST_CASE(a_state_dict_is_walked_where_it_is_made) {
    const std::vector<Tensor> w{ones({2}).requires_grad_()};
    const auto o = optim::make_optimizer("SGD", w, {{"lr", 0.25}});
    std::string keys;
    for (const auto& [key, value] : o->state_dict().toGenericDict()) keys += key.toStringRef() + " ";
    BOOST_TEST(keys == "state param_groups ");
    for (const Value& group : o->state_dict().toGenericDict().at("param_groups").elements())
        BOOST_TEST(group.toGenericDict().at("lr").toDouble() == 0.25);
}

BOOST_AUTO_TEST_SUITE_END()
