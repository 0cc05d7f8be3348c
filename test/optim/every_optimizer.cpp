// What holds for every optimizer that is registered: nothing here names one.
#include <reel/optim/factory.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/parallel.hpp>

#include "optim/support.hpp"

using namespace reel;
using namespace support;

namespace {
using Place = Tensor (*)(const Tensor&);
Tensor as_it_is(const Tensor& t) { return t; }
Tensor transposed(const Tensor& t) { return t.t().contiguous().t(); }
Tensor spread(const Tensor& t) {
    const Tensor wide = reel::zeros({t.size(0) * 2, t.size(1) * 3}, t.scalar_type());
    const Tensor view = wide.slice(0, 0, t.size(0) * 2, 2).slice(1, 0, t.size(1) * 3, 3);
    view.copy_(t);
    return view;
}

/// A matrix that an optimizer draws towards another one.
struct Task {
    explicit Task(const std::string& name, Place place = as_it_is, IntArrayRef sizes = {6, 5},
                  ScalarType dtype = kDouble, const Kwargs& options = {})
        : target(wave(sizes, 7, dtype)), param(place(wave(sizes, 0, dtype)).detach().requires_grad_()),
          optimizer(optim::make_optimizer(name, std::vector<Tensor>{param}, options)) {}
    Tensor loss() const { return (param - target).square().sum(); }
    double step() const {
        return optimizer
            ->step([this] {
                optimizer->zero_grad();
                const Tensor l = loss();
                l.backward();
                fit_gradients(*optimizer);
                return l;
            })
            .item<double>();
    }
    std::vector<double> steps(int n) const {
        for (int i = 0; i < n; ++i) step();
        return list(param.detach().contiguous());
    }
    Tensor target, param;
    std::unique_ptr<optim::Optimizer> optimizer;
};
} // namespace

BOOST_AUTO_TEST_SUITE(every_optimizer)

BOOST_AUTO_TEST_CASE(goes_downhill_and_uphill_when_maximizing) {
    BOOST_TEST(optim::optimizer_names().size() >= 14u);
    for (const std::string& name : optim::optimizer_names()) BOOST_TEST_CONTEXT(name) {
            const Task down(name);
            const double before = down.loss().item<double>();
            down.steps(5);
            BOOST_TEST(down.loss().item<double>() < before);
            if (!down.optimizer->defaults().has("maximize")) continue;
            Kwargs options;
            options.set("maximize", true);
            const Task up(name, as_it_is, {6, 5}, kDouble, options);
            up.steps(5);
            BOOST_TEST(up.loss().item<double>() > before);
        }
}
BOOST_AUTO_TEST_CASE(gives_the_same_wherever_the_parameter_lies) {
    for (const std::string& name : optim::optimizer_names()) BOOST_TEST_CONTEXT(name) {
            const auto want = Task(name).steps(4);
            for (const Place place : {transposed, spread}) {
                const auto got = Task(name, place).steps(4);
                BOOST_TEST_REQUIRE(got.size() == want.size());
                for (std::size_t i = 0; i < got.size(); ++i)
                    BOOST_TEST(got[i] == want[i], boost::test_tools::tolerance(1e-12));
            }
        }
}
BOOST_AUTO_TEST_CASE(goes_on_from_its_state_dict_as_if_it_had_never_stopped) {
    for (const std::string& name : optim::optimizer_names()) BOOST_TEST_CONTEXT(name) {
            const Task first(name);
            first.steps(3);
            const Task second(name);
            {
                NoGradGuard no_grad;
                second.param.copy_(first.param);
            }
            second.optimizer->load_state_dict(first.optimizer->state_dict());
            const auto a = first.steps(2), b = second.steps(2);
            BOOST_TEST((a == b));
        }
}
BOOST_AUTO_TEST_CASE(gives_the_same_bits_with_any_number_of_threads) {
    const int before = get_num_threads();
    for (const std::string& name : optim::optimizer_names()) BOOST_TEST_CONTEXT(name) {
            std::vector<double> want;
            for (const int threads : {1, 3}) {
                set_num_threads(threads);
                const auto got = Task(name, as_it_is, {301, 233}, kFloat).steps(2);
                if (threads == 1) want = got;
                else BOOST_TEST((got == want));
            }
        }
    set_num_threads(before);
}
BOOST_AUTO_TEST_CASE(leaves_a_parameter_without_a_gradient_alone) {
    for (const std::string& name : optim::optimizer_names()) BOOST_TEST_CONTEXT(name) {
            const Task task(name);
            const auto before = list(task.param.detach());
            task.optimizer->step([] { return reel::zeros({}, kDouble); });
            BOOST_TEST((list(task.param.detach()) == before));
        }
}
BOOST_AUTO_TEST_CASE(refuses_an_argument_that_it_does_not_have) {
    for (const std::string& name : optim::optimizer_names()) BOOST_TEST_CONTEXT(name) {
            Kwargs options;
            options.set("learning_rate", 0.1);
            BOOST_CHECK_EXCEPTION(Task(name, as_it_is, {2, 2}, kDouble, options), TypeError, [&](const Error& e) {
                return e.msg().starts_with(name + ": there is no argument 'learning_rate' (it has lr, ");
            });
        }
}

BOOST_AUTO_TEST_SUITE_END()
