// The seam between modules and what compiles their calls.
#include <reel/nn/compile.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/nn.hpp>

#include "message.hpp"
#include "nn/testing.hpp"

using namespace reel;
using reel::testing::message;

namespace {
/// Calls forward, and counts.
struct Counting final : nn::CompiledForward {
    Value call(const Args& args, const Kwargs& kwargs, nn::detail::ForwardRef forward) override {
        ++calls;
        return forward(args, kwargs);
    }
    int calls = 0;
};
std::vector<std::uintptr_t> state_of(const nn::Module& m) {
    std::vector<std::uintptr_t> s;
    nn::forward_state(m, s);
    return s;
}
} // namespace

BOOST_AUTO_TEST_SUITE(nn_compile)

BOOST_AUTO_TEST_CASE(what_compiles_stands_in_the_place_of_forward) {
    nn::Linear m(2, 3);
    nn::set_forward_compiler(nullptr); // libraries of this program may bring one
    BOOST_TEST(message([&] { m->compile(); })
                   .find(".compile: no library that compiles is in this program; link "
                         "reel_script") != std::string::npos);
    nn::set_forward_compiler(
        [](nn::Module&) -> std::shared_ptr<nn::CompiledForward> { return std::make_shared<Counting>(); });
    m->compile();
    nn::set_forward_compiler(nullptr);
    auto& counting = dynamic_cast<Counting&>(*nn::compiled_forward(*m));
    const Tensor x = randn({4, 2});
    int hooked = 0;
    m->register_forward_hook([&](nn::Module&, const Tensor&, const Tensor&) { hooked += counting.calls; });
    BOOST_TEST(m(x).equal(m->forward(x)));
    BOOST_TEST(counting.calls == 1); // forward alone is forward
    BOOST_TEST(m->call_values({Value(x)}).toTensor().equal(m->forward(x)));
    BOOST_TEST(counting.calls == 2);
    BOOST_TEST(hooked == 3); // after it: 1 + 2
    BOOST_TEST(!nn::compiled_forward(*m->clone()));
}

BOOST_AUTO_TEST_CASE(obstacles_and_state) {
    nn::Sequential m(nn::Linear(2, 3), nn::BatchNorm1d(3));
    BOOST_TEST(!nn::forward_obstacle(*m));
    m->register_forward_hook([](nn::Module&, const Tensor&, const Tensor&) {}); // runs around it
    BOOST_TEST(!nn::forward_obstacle(*m));
    RemovableHandle handle = m->children()[0]->register_forward_hook([](nn::Module&, const Tensor&, const Tensor&) {});
    BOOST_TEST(nn::forward_obstacle(*m) == std::string("there are hooks on a submodule"));
    handle.remove();
    BOOST_TEST(!nn::forward_obstacle(*m));
    const auto before = state_of(*m);
    BOOST_TEST((state_of(*m) == before));
    m->eval();
    const auto evaluating = state_of(*m);
    BOOST_TEST((evaluating != before));
    m->parameters()[0].requires_grad_(false);
    const auto frozen = state_of(*m);
    BOOST_TEST((frozen != evaluating));
    m->to(kDouble);
    BOOST_TEST((state_of(*m) != frozen));
}

BOOST_AUTO_TEST_SUITE_END()
