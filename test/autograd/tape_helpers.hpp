// What the tests of the tape's rules share.
#pragma once

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

namespace tape_test {

using namespace reel;
using autograd::variable_list;
using V = std::vector<double>;

inline Tensor vec(std::initializer_list<double> values) {
    Tensor t = empty({std::int64_t(values.size())}, kDouble);
    std::copy(values.begin(), values.end(), t.data_ptr<double>());
    return t;
}
inline Tensor leaf(std::initializer_list<double> values) { return vec(values).requires_grad_(); }
inline double item(const Tensor& t) { return t.item<double>(); }
inline V list(const Tensor& t) {
    const Tensor c = t.detach().to(kDouble).contiguous();
    return {c.data_ptr<double>(), c.data_ptr<double>() + c.numel()};
}
/// Do these parts all occur in the message?
template <class... S> auto says(S... parts) {
    return [list = std::vector<std::string>{parts...}](const Error& e) {
        const std::string what = e.what();
        const bool all = std::all_of(list.begin(), list.end(),
                                     [&](const std::string& p) { return what.find(p) != std::string::npos; });
        if (!all) BOOST_TEST_MESSAGE("the message is: " << what);
        return all;
    };
}
/// Which of them are defined: `1` or `0` each.
inline std::string pattern(const variable_list& grads) {
    std::string r;
    for (const Tensor& g : grads) r += g.defined() ? '1' : '0';
    return r;
}
/// Collects warnings while it lives.
struct Warnings : WarningHandler {
    std::vector<std::string> texts;
    WarningUtils::WarningHandlerGuard guard{this};
    void process(const Warning& w) override { texts.push_back(w.msg()); }
    bool mention(const std::string& part) const {
        return std::any_of(texts.begin(), texts.end(),
                           [&](const std::string& t) { return t.find(part) != std::string::npos; });
    }
};
#define REEL_TEST_VALUES(tensor, ...) BOOST_TEST(list(tensor) == (V{__VA_ARGS__}), boost::test_tools::per_element())

} // namespace tape_test
