// In-place ops that overwrite what a tensor held: the old value has no part in the new one, so its history is cut.
#include "tape_helpers.hpp"

#include <reel/autograd/forward_ad.hpp>
#include <reel/autograd/op.hpp>

using namespace tape_test;
namespace forward_ad = autograd::forward_ad;

namespace {

/// An op that writes into its operand, and a call of it that fits operands of shape [4].
struct Overwriting {
    const char* name;
    std::function<void(const Tensor&)> write;
};
const std::vector<Overwriting>& overwriting() {
    static const Tensor half = vec({0.5, 0.5, 0.5, 0.5});
    static const std::vector<Overwriting> ops{
        {"eq_", [](const Tensor& y) { y.eq_(0.5); }},
        {"ne_", [](const Tensor& y) { y.ne_(half); }},
        {"lt_", [](const Tensor& y) { y.lt_(0.5); }},
        {"le_", [](const Tensor& y) { y.le_(half); }},
        {"gt_", [](const Tensor& y) { y.gt_(0.5); }},
        {"ge_", [](const Tensor& y) { y.ge_(half); }},
        {"logical_and_", [](const Tensor& y) { y.logical_and_(half); }},
        {"logical_or_", [](const Tensor& y) { y.logical_or_(half); }},
        {"logical_xor_", [](const Tensor& y) { y.logical_xor_(half); }},
        {"logical_not_", [](const Tensor& y) { y.logical_not_(); }},
        {"heaviside_", [](const Tensor& y) { y.heaviside_(half); }},
        {"uniform_", [](const Tensor& y) { y.uniform_(); }},
        {"normal_", [](const Tensor& y) { y.normal_(); }},
        {"exponential_", [](const Tensor& y) { y.exponential_(); }},
        {"bernoulli_", [](const Tensor& y) { y.bernoulli_(); }},
        {"random_", [](const Tensor& y) { y.random_(0, 9); }},
        {"fill_", [](const Tensor& y) { y.fill_(3); }},
        {"zero_", [](const Tensor& y) { y.zero_(); }},
    };
    return ops;
}

/// Values for the arguments behind the first, where the schema leaves them open.
bool sample_arguments(const ops::Schema& s, Args& args) {
    for (std::size_t i = 1; i < s.arguments.size(); ++i) {
        const ops::Argument& a = s.arguments[i];
        if (a.has_default || a.kwarg_only || a.type == "TensorOptions") break;
        if (a.type == "Tensor") args.emplace_back(vec({0.5, 0.25, 0.5, 0.75}));
        else if (a.type == "Scalar" || a.type == "float") args.emplace_back(0.5);
        else if (a.type == "int") args.emplace_back(std::int64_t(i));
        else return false;
    }
    return true;
}

} // namespace

BOOST_AUTO_TEST_SUITE(inplace_overwrites)

BOOST_AUTO_TEST_CASE(what_was_overwritten_gets_a_gradient_of_zeros) {
    for (const Overwriting& op : overwriting()) BOOST_TEST_CONTEXT(op.name) {
            const Tensor x = leaf({-1, 0.5, 2, 0}), y = x * 1.0;
            op.write(y);
            BOOST_TEST(y.requires_grad());
            const Tensor written = y.detach().clone();
            (y * x).sum().backward(); // only the factor that was not overwritten counts
            BOOST_TEST(list(x.grad()) == list(written), boost::test_tools::per_element());
            BOOST_TEST(y._version() == 1);
        }
}

BOOST_AUTO_TEST_CASE(a_mask_made_in_place_does_not_train) {
    const Tensor x = leaf({1, -2, 3}), m = x * 1.0;
    m.gt_(0);
    BOOST_TEST(m.grad_fn()->forward_op_name() == "Gt");
    (x * m).sum().backward();
    REEL_TEST_VALUES(x.grad(), 1, 0, 1);
}

BOOST_AUTO_TEST_CASE(views_and_their_bases_are_cut_where_they_were_written) {
    for (const Overwriting& op : overwriting()) BOOST_TEST_CONTEXT(op.name) {
            const Tensor x = leaf({1, 2, 3, 4, 5, 6, 7, 8}), base = x * 2.0, part = base.slice(0, 0, 8, 2);
            op.write(part);
            base.sum().backward();
            REEL_TEST_VALUES(x.grad(), 0, 2, 0, 2, 0, 2, 0, 2);
            x.mutable_grad() = Tensor();
            part.sum().backward();
            REEL_TEST_VALUES(x.grad(), 0, 0, 0, 0, 0, 0, 0, 0);
        }
}

BOOST_AUTO_TEST_CASE(tangents_end_there) {
    for (const Overwriting& op : overwriting()) BOOST_TEST_CONTEXT(op.name) {
            const forward_ad::DualLevel level;
            const Tensor dual = forward_ad::make_dual(vec({1, 2, 3, 4}), vec({1, 1, 1, 1}));
            const Tensor y = dual * 1.0, base = dual * 3.0, sum = y + dual;
            op.write(y);
            const Tensor t = forward_ad::unpack_dual(y).tangent;
            if (t.defined()) REEL_TEST_VALUES(t, 0, 0, 0, 0);
            REEL_TEST_VALUES(forward_ad::unpack_dual(sum).tangent, 2, 2, 2, 2); // taken before it was overwritten
            const Tensor wide = cat({base, base}), half = wide.slice(0, 0, 4);
            op.write(half);
            REEL_TEST_VALUES(forward_ad::unpack_dual(wide).tangent, 0, 0, 0, 0, 3, 3, 3, 3);
        }
}

BOOST_AUTO_TEST_CASE(leaves_are_refused_before_anything_is_written) {
    for (const Overwriting& op : overwriting()) BOOST_TEST_CONTEXT(op.name) {
            const Tensor x = leaf({1, 2, 3, 4});
            BOOST_CHECK_EXCEPTION(op.write(x), Error, says(op.name, "a leaf that requires grad", "no_grad"));
            REEL_TEST_VALUES(x, 1, 2, 3, 4);
            const NoGradGuard guard;
            op.write(x);
            BOOST_TEST(x.is_leaf());
            BOOST_TEST(x.requires_grad());
        }
}

BOOST_AUTO_TEST_CASE(without_grad_mode_the_history_stays) {
    const Tensor x = leaf({1, 2}), y = x * 3.0;
    {
        const NoGradGuard guard;
        y.uniform_();
    }
    y.sum().backward();
    REEL_TEST_VALUES(x.grad(), 3, 3);
}

/// Every op of the registry whose result carries no gradient, in its in-place form: zeros reach the operand.
BOOST_AUTO_TEST_CASE(every_in_place_form_of_an_op_without_derivative_cuts_the_history) {
    std::vector<std::string> checked;
    for (const std::string& name : ops::registry().names())
        for (const ops::Schema& s : ops::registry().at(name).schemas) {
            const bool only_in_place = s.name.ends_with('_');
            if (s.gradient != ops::Gradient::None || !(only_in_place || s.call_inplace)) continue;
            if (name == "set_") continue; // takes other memory
            const Tensor x = leaf({0.125, 0.5, 0.75, 0.25}), y = x * 2.0;
            Args args{y};
            if (!sample_arguments(s, args)) continue;
            std::vector<Value> bound;
            if (!s.bind(args, {}, bound, nullptr)) continue;
            try {
                only_in_place ? s.call(bound) : s.call_inplace(bound);
            } catch (const Error&) {
                continue; // integers alone, or another shape
            }
            BOOST_TEST_CONTEXT(s.text) {
                BOOST_REQUIRE(y.requires_grad());
                y.sum().backward();
                BOOST_REQUIRE(x.grad().defined());
                REEL_TEST_VALUES(x.grad(), 0, 0, 0, 0);
                checked.push_back(name);
            }
        }
    for (const Overwriting& op : overwriting()) {
        std::string name = op.name;
        if (name == "fill_" || name == "zero_" || name == "heaviside_") continue; // they have a rule of their own
        if (!ops::registry().find(name)) name.pop_back();
        BOOST_TEST(std::count(checked.begin(), checked.end(), name) > 0, name << " was not reached");
    }
}

BOOST_AUTO_TEST_SUITE_END()
