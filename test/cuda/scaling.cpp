// Gradient scaling on the device: it finds what is not finite and leaves steps out, and the host need not wait.
#include <reel/optim/amp.hpp>

#include <boost/test/unit_test.hpp>

#include <limits>
#include <string>
#include <vector>

#include <reel/cuda/graph.hpp>
#include <reel/optim.hpp>
#include <reel/optim/factory.hpp>

#include "cuda/on_device.hpp"

using namespace reel;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
Tensor number(double x, Device device) { return full({}, x, TensorOptions(kFloat).device(device)); }

/// One parameter that is fitted to numbers under a scale.
struct Scaled {
    Tensor w;
    std::unique_ptr<optim::Optimizer> optimizer;
    Tensor factor, found; ///< of the loss; infinite where it shall overflow
    Scaled(const std::string& name, Device device) : factor(number(1, device)), found(number(0, device)) {
        manual_seed(5);
        w = randn({4, 3}).to(device).requires_grad_();
        optimizer = optim::make_optimizer(name, {w}, {{"lr", Value(0.05)}});
        optimizer->found_inf() = found;
    }
    Device device() const { return w.device(); }
    void step() {
        optimizer->zero_grad();
        if (optimizer->takes(kStrided)) ((w - 1).square().sum() * factor).backward();
        else (embedding(w, tensor({0, 2}).to(device()), -1, false, true).square().sum() * factor).backward();
        found.zero_();
        amp::foreach_non_finite_check_and_unscale_({w.grad()}, found, number(1, device()));
        optimizer->step();
    }
    void step(bool overflows) {
        factor.fill_(overflows ? inf : 1);
        step();
    }
};
/// What the state dict says of counts and the like: whatever is no tensor of several elements.
std::vector<double> counts(const optim::Optimizer& o) {
    std::vector<double> all;
    const Value dict = o.state_dict();
    const ValueDict& state = dict.toGenericDict();
    for (const auto& [number, fields] : state.at("state").toGenericDict())
        for (const auto& [name, value] : fields.toGenericDict())
            if (value.isTensor() && value.toTensor().numel() == 1) all.push_back(value.toTensor().item<double>());
    return all;
}

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_scaling, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(what_is_not_finite_is_found_wherever_it_stands) {
    for (const ScalarType t : {kFloat, kDouble, kHalf, kBFloat16, kComplexFloat})
        for (const std::size_t size : {std::size_t(1), std::size_t(12), std::size_t(1003)})
            for (const std::int64_t place : {-1, 0, 4095, 4096, 5000}) {
                std::vector<Tensor> here;
                for (std::size_t i = 0; i < size; ++i)
                    here.push_back(full({i + 1 == size ? 5001 : 1 + std::int64_t(i % 3)}, 8, TensorOptions(t)));
                if (place >= 0) here.back()[place].fill_(inf);
                if (size > 1) here[1] = full({2, 6}, 8, TensorOptions(t)).slice(1, 0, 6, 2);
                std::vector<Tensor> there;
                for (const Tensor& g : here) there.push_back(there::put(g));
                const Tensor found = number(0, there::gpu), found_here = number(0, kCPU);
                amp::foreach_non_finite_check_and_unscale_(there, found, number(0.25, there::gpu));
                amp::foreach_non_finite_check_and_unscale_(here, found_here, number(0.25, kCPU));
                BOOST_TEST(found.item<double>() == (place < 0 ? 0 : 1));
                BOOST_TEST(found_here.item<double>() == found.item<double>());
                BOOST_TEST(equal(there.back().cpu(), here.back()));
                BOOST_TEST(equal(there.front().cpu(), here.front()));
            }
}

BOOST_AUTO_TEST_CASE(every_optimizer_leaves_out_the_steps_that_the_cpu_leaves_out) {
    for (const std::string& name : optim::optimizer_names()) {
        if (name == "LBFGS") continue;
        BOOST_TEST_CONTEXT(name) {
            Scaled here(name, kCPU), there(name, there::gpu);
            for (const bool overflows : {true, false, true, true, false, false, true}) {
                here.step(overflows);
                there.step(overflows);
            }
            BOOST_TEST(there::distance(there.w, here.w) < 1e-5);
            BOOST_TEST(counts(*there.optimizer) == counts(*here.optimizer), boost::test_tools::per_element());
        }
    }
}

BOOST_AUTO_TEST_CASE(a_captured_step_is_left_out_by_what_its_replay_finds) {
    for (const char* const name : {"Adam", "SGD", "NAdam"}) {
        Scaled here(name, kCPU), there(name, there::gpu);
        here.step(false);
        there.step(false);
        there.optimizer->state(); // before the capture the host must know
        cuda::Graph g;
        {
            const cuda::CaptureGuard guard(g);
            there.step();
        }
        for (const bool overflows : {false, true, true, false, true, false}) {
            here.step(overflows);
            there.factor.fill_(overflows ? inf : 1);
            g.replay();
        }
        BOOST_TEST(there::distance(there.w, here.w) < 1e-5, name);
        BOOST_TEST(counts(*there.optimizer) == counts(*here.optimizer), boost::test_tools::per_element());
        here.step(false); // and without the graph it goes on from there
        there.step(false);
        BOOST_TEST(there::distance(there.w, here.w) < 1e-5, name);
    }
}

BOOST_AUTO_TEST_CASE(a_capture_does_not_wait_for_the_step_before_it) {
    Scaled there("Adam", there::gpu);
    there.step(false);
    cuda::Graph g;
    const auto capture = [&] {
        const cuda::CaptureGuard guard(g);
        there.step();
    };
    BOOST_CHECK_EXCEPTION(capture(), Error, [](const Error& e) {
        return e.msg().find("ask for state() before the capture") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(an_optimizer_that_moves_still_learns_of_it) {
    Scaled there("Adam", there::gpu);
    there.step(false);
    there.step(true);
    optim::Adam other(std::move(static_cast<optim::Adam&>(*there.optimizer)));
    BOOST_TEST(counts(other).at(0) == 1);
}

BOOST_AUTO_TEST_CASE(gradients_on_two_devices_share_one_finding) {
    if (cuda::device_count() < 2) return;
    const Device second(kCUDA, 1);
    const Tensor a = there::put(full({5}, 8.0)), b = full({5}, 8.0, TensorOptions(kFloat).device(second)),
                 found = number(0, there::gpu);
    amp::foreach_non_finite_check_and_unscale_({a, b}, found, number(0.5, there::gpu));
    BOOST_TEST(found.item<double>() == 0);
    BOOST_TEST(b.sum().item<double>() == 20);
    b[3].fill_(inf);
    amp::foreach_non_finite_check_and_unscale_({a, b}, found, number(0.5, there::gpu));
    BOOST_TEST(found.item<double>() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
