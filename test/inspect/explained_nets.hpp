// Models for the tests of explain_grad, and how they ask it.
#pragma once

#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>

#include <reel/inspect/explain_grad.hpp>
#include <reel/nn.hpp>

namespace reel::testing {

/// Two layers and one beside them; what happens between them is up to the test.
struct NetImpl : nn::Module {
    NetImpl() {
        first = register_module("first", nn::Linear(3, 4));
        second = register_module("second", nn::Linear(4, 2));
        other = register_module("other", nn::Linear(3, 2));
    }
    Tensor forward(const Tensor& x) { return second(between(first(x))); }
    std::function<Tensor(const Tensor&)> between = [](const Tensor& h) { return tanh(h); };
    nn::Linear first{nullptr}, second{nullptr}, other{nullptr};
};
REEL_MODULE(Net);

struct WithListImpl : nn::Module {
    WithListImpl() {
        list = register_module("list", nn::ParameterList(autograd::variable_list{ones({3}), ones({3})}));
        idle = register_module("idle", nn::Linear(3, 1));
    }
    Tensor forward(const Tensor& x) { return x * (*list)[0]; }
    nn::ParameterList list{nullptr};
    nn::Linear idle{nullptr};
};
REEL_MODULE(WithList);

inline Tensor input() { return arange(6).to(kFloat).reshape({2, 3}) / 5 - 0.4; }
inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
inline inspect::GradFate fate(const inspect::GradReport& r, const std::string& name) {
    BOOST_REQUIRE(r.find(name));
    return r.find(name)->fate;
}

} // namespace reel::testing

#define CHECK_FATE(report, name, expected)                                                                             \
    BOOST_TEST(std::string(to_string(fate(report, name))) ==                                                           \
                   std::string(to_string(reel::inspect::GradFate::expected)),                                          \
               report.text())
