// Pointwise rules of a program: from a scalar function and its derivatives to an op.
#include <reel/autograd/pointwise/apply.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/pointwise/vectorize.hpp>
#include <reel/autograd/tensor_factory.hpp>

using namespace reel;

namespace own {

using namespace reel::pointwise;

/// x sigmoid(x) g, without a vector form: one number after the other.
struct gated_op : binary<Result::ToFloat, floating, a | b, a> {
    template <class T> REEL_HD T f(T x, T gate) const { return x * sigmoid(x) * gate; }
    template <class T> T da(T g, T x, T gate, T) const {
        const T s = sigmoid(x);
        return g * gate * s * (x * (1 - s) + 1);
    }
    template <class T> T db(T g, T x, T, T) const { return g * x * sigmoid(x); }
};
/// The same for vectors.
struct quick_gated_op : binary<Result::ToFloat, floating, a | b, a>, vector_form {
    template <class T> REEL_HD T f(T x, T gate) const { return x * sigmoid(x) * gate; }
    template <class T> T da(T g, T x, T gate, T) const { return gated_op().da(g, x, gate, T()); }
    template <class T> T db(T g, T x, T, T) const { return gated_op().db(g, x, T(), T()); }
};
/// exp(-(x / width)^2), with its derivative in one loop.
struct bell_op : unary<Result::ToFloat, floating, Saves::Input>, vector_form {
    double width;
    explicit bell_op(double w) : width(w) {}
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x) const { return exp(-(x * x) / k<T>(width * width)); }
    template <class T> REEL_HD T df(T g, T x, T) const { return g * f(x) * x * k<T>(-2 / (width * width)); }
};
/// The same with its derivatives in one loop each.
struct fused_gated_op : binary<Result::ToFloat, floating, a | b, a>, vector_form {
    static constexpr bool fused = true;
    template <class T> REEL_HD T f(T x, T gate) const { return x * sigmoid(x) * gate; }
    template <class T> REEL_HD T da(T g, T x, T gate, T) const {
        const T s = sigmoid(x);
        return g * gate * s * (x * (k<T>(1) - s) + k<T>(1));
    }
    template <class T> REEL_HD T db(T g, T x, T, T) const { return g * x * sigmoid(x); }
};
/// A derivative of the result alone, and operands that are refused.
struct positive_root_op : unary<Result::Same, floating, Saves::Output> {
    template <class T> REEL_HD T f(T x) const { return sqrt(x); }
    template <class T> T df(T g, T, T o) const { return g / (o * 2); }
    void check(const char* op, const Tensor& x) const {
        REEL_CHECK(x.dim() > 0, op, ": input is 0-dim; expected a dimension");
    }
};
/// x o + z
struct fma_op : ternary<Result::Same, all_numbers, b, a, none> {
    template <class T> REEL_HD T f(T x, T o, T z) const { return T(x * o + z); }
    template <class T> T da(T g, T, T o, T, T) const { return g * conj(o); }
    template <class T> T db(T g, T x, T, T, T) const { return g * conj(x); }
    template <class T> T dc(T g, T, T, T, T) const { return g; }
};
/// A bool for each element; no gradient.
struct opposite_op : binary<Result::Same, reals> {
    template <class T> REEL_HD bool f(T x, T o) const { return (x < 0) != (o < 0); }
};

const bool vectorized = vectorize<quick_gated_op, fused_gated_op, bell_op>();

} // namespace own

namespace {

using autograd::variable_list;

Tensor random(IntArrayRef sizes, ScalarType dtype = kDouble) { return randn(sizes, TensorOptions(kDouble)).to(dtype); }
Tensor gated(const Tensor& x, const Tensor& gate) { return pointwise::apply("gated", own::gated_op{}, x, gate); }
Tensor quick(const Tensor& x, const Tensor& gate) { return pointwise::apply("quick", own::quick_gated_op{}, x, gate); }

} // namespace

BOOST_AUTO_TEST_SUITE(pointwise_apply)

BOOST_AUTO_TEST_CASE(a_rule_becomes_an_op_that_broadcasts_and_promotes) {
    manual_seed(1);
    const Tensor x = random({3, 1, 5}), gate = random({4, 1}, kFloat);
    const Tensor y = gated(x, gate);
    BOOST_TEST(y.sizes() == IntArrayRef({3, 4, 5}));
    BOOST_TEST((y.scalar_type() == kDouble));
    BOOST_TEST(allclose(y, x * sigmoid(x) * gate));
    BOOST_TEST((gated(ones({2}, kLong), ones({2}, kLong)).scalar_type() == kFloat));
}

BOOST_AUTO_TEST_CASE(its_derivatives_are_recorded_and_differentiable_again) {
    manual_seed(2);
    const auto f = [](const variable_list& v) { return variable_list{gated(v[0], v[1])}; };
    const variable_list inputs{random({3, 1}).requires_grad_(), random({4}).requires_grad_()};
    BOOST_TEST(autograd::gradcheck(f, inputs));
    BOOST_TEST(autograd::gradgradcheck(f, inputs));
    BOOST_TEST(gated(inputs[0], inputs[1]).grad_fn()->name() == "GatedBackward0");
}

BOOST_AUTO_TEST_CASE(only_what_the_derivatives_read_is_saved) {
    const Tensor x = random({3}).requires_grad_(), gate = random({3});
    const Tensor by_gate = gated(gate, random({3}).requires_grad_()); // reads its first operand
    BOOST_TEST(by_gate.grad_fn()->saved_tensors().size() == 2);
    BOOST_TEST(!by_gate.grad_fn()->saved_tensors()[1].defined());
    const Tensor root = pointwise::apply("root", own::positive_root_op{}, x * x);
    BOOST_TEST(root.grad_fn()->saved_tensors().size() == 1);
    BOOST_TEST(root.grad_fn()->saved_tensors()[0].data_ptr() == root.data_ptr());
}

BOOST_AUTO_TEST_CASE(vectors_give_what_single_numbers_give_in_every_layout) {
    manual_seed(3);
    for (const ScalarType t : {kFloat, kDouble, kBFloat16, kHalf}) {
        const Tensor x = random({37, 23}, t), gate = random({37, 23}, t);
        const double close = t == kDouble ? 1e-13 : t == kFloat ? 1e-6 : 1e-2;
        for (const auto& layout : {+[](const Tensor& v) { return v; }, +[](const Tensor& v) { return v.t(); },
                                   +[](const Tensor& v) { return v.slice(1, 1, 22, 3); }}) {
            const Tensor expected = gated(layout(x), layout(gate)), y = quick(layout(x), layout(gate));
            BOOST_TEST(allclose(y, expected, close, close), "in " << dtype_name(t));
        }
        BOOST_TEST(allclose(quick(x, gate[0]), gated(x, gate[0]), close, close));
    }
}

BOOST_AUTO_TEST_CASE(a_fused_derivative_runs_in_one_loop_and_is_the_written_one) {
    manual_seed(4);
    const Tensor x = random({50}).requires_grad_();
    const auto bell = [](const Tensor& v) { return pointwise::apply("bell", own::bell_op(1.5), v); };
    const auto f = [&](const variable_list& v) { return variable_list{bell(v[0])}; };
    BOOST_TEST(autograd::gradcheck(f, {x}));
    BOOST_TEST(autograd::gradgradcheck(f, {x}));
    const Tensor once = autograd::grad({bell(x).sum()}, {x})[0];
    const Tensor written = autograd::grad({bell(x).sum()}, {x}, {}, true, true)[0];
    BOOST_TEST(allclose(once, written, 1e-13, 1e-13));
}

BOOST_AUTO_TEST_CASE(fused_derivatives_of_two_operands_are_the_written_ones) {
    manual_seed(5);
    const auto fused = [](const Tensor& x, const Tensor& gate) {
        return pointwise::apply("fused", own::fused_gated_op{}, x, gate);
    };
    for (const ScalarType t : {kFloat, kDouble, kBFloat16, kHalf}) {
        BOOST_TEST((pointwise::gradient_loops<own::fused_gated_op>.first[int(t)] != nullptr));
        const double close = t == kDouble ? 1e-13 : t == kFloat ? 1e-5 : 3e-2;
        const Tensor rows = random({37, 5}, t), x = rows.t().detach().requires_grad_(),
                     gate = random({5, 37}, t).requires_grad_(), row = random({37}, t).requires_grad_(),
                     seed = random({5, 37}, t);
        for (const Tensor& other : {gate, row}) {
            const auto got = autograd::grad({fused(x, other)}, {x, other}, {seed});
            const auto want = autograd::grad({gated(x, other)}, {x, other}, {seed});
            for (const int i : {0, 1}) BOOST_TEST(allclose(got[i], want[i], close, close), dtype_name(t) << " " << i);
            BOOST_TEST(got[1].sizes() == other.sizes());
        }
        const Tensor fixed = gate.detach(), still = x.detach(); // only one of them wants a gradient
        BOOST_TEST(allclose(autograd::grad({fused(x, fixed)}, {x}, {seed})[0],
                            autograd::grad({gated(x, fixed)}, {x}, {seed})[0], close, close));
        BOOST_TEST(allclose(autograd::grad({fused(still, gate)}, {gate}, {seed})[0],
                            autograd::grad({gated(still, gate)}, {gate}, {seed})[0], close, close));
    }
    const Tensor x = random({4}, kFloat).requires_grad_(), y = random({4}).requires_grad_(); // promoted: as written
    const auto mixed = autograd::grad({fused(x, y).sum()}, {x, y}), plain = autograd::grad({gated(x, y).sum()}, {x, y});
    BOOST_TEST((allclose(mixed[0], plain[0]) && allclose(mixed[1], plain[1])));
    const auto f = [&](const variable_list& v) { return variable_list{fused(v[0], v[1])}; };
    const variable_list inputs{random({3, 1}).requires_grad_(), random({4}).requires_grad_()};
    BOOST_TEST(autograd::gradcheck(f, inputs));
    BOOST_TEST(autograd::gradgradcheck(f, inputs));
}

BOOST_AUTO_TEST_CASE(three_operands) {
    manual_seed(5);
    const auto f = [](const variable_list& v) {
        return variable_list{pointwise::apply("fma", own::fma_op{}, v[0], v[1], v[2])};
    };
    const variable_list inputs{random({3, 1}).requires_grad_(), random({4}).requires_grad_(),
                               randn({3, 4}, TensorOptions(kComplexDouble)).requires_grad_()};
    BOOST_TEST(autograd::gradcheck(f, inputs));
    BOOST_TEST(autograd::gradgradcheck(f, inputs));
    const Tensor whole =
        pointwise::apply("fma", own::fma_op{}, full({2}, 3, kLong), full({2}, 4, kLong), ones({2}, kLong));
    BOOST_TEST((whole.scalar_type() == kLong));
    BOOST_TEST(whole[1].item<std::int64_t>() == 13);
}

BOOST_AUTO_TEST_CASE(a_number_takes_the_place_of_an_operand) {
    manual_seed(6);
    const Tensor x = random({5}).requires_grad_();
    const Tensor y = pointwise::apply_number("gated", own::gated_op{}, x, 2.5);
    BOOST_TEST(allclose(y, gated(x, full({}, 2.5, kDouble))));
    const Tensor swapped = pointwise::apply_number("gated", own::gated_op{}, x, 2.5, true);
    BOOST_TEST(allclose(swapped, gated(full({}, 2.5, kDouble), x)));
    const auto f = [](const variable_list& v) {
        return variable_list{pointwise::apply_number("gated", own::gated_op{}, v[0], 2.5)};
    };
    BOOST_TEST(autograd::gradcheck(f, {x}));
}

BOOST_AUTO_TEST_CASE(a_rule_says_what_its_result_is) {
    const Tensor x = arange(-2, 3).to(kFloat), o = ones({5});
    const Tensor y = pointwise::apply("opposite", own::opposite_op{}, x.requires_grad_(), o);
    BOOST_TEST((y.scalar_type() == kBool));
    BOOST_TEST(!y.requires_grad());
    BOOST_TEST(y.sum().item<std::int64_t>() == 2);
}

BOOST_AUTO_TEST_CASE(a_rule_has_a_loop_for_each_of_its_dtypes) {
    using pointwise::loop_of;
    BOOST_TEST((loop_of<own::opposite_op>(kLong).loop == &pointwise::one_by_one<own::opposite_op, std::int64_t>));
    BOOST_TEST((loop_of<own::opposite_op>(kLong).result == kBool));
    BOOST_TEST((loop_of<own::opposite_op>(kComplexFloat).loop == nullptr));
    for (const ScalarType t : {kFloat, kDouble, kBFloat16, kHalf}) {
        BOOST_TEST((loop_of<own::bell_op>(t).loop == pointwise::loop_table<own::bell_op>.forward[int(t)]));
        BOOST_TEST((loop_of<own::bell_op>(t).result == t));
        BOOST_TEST((pointwise::loop_table<own::bell_op>.backward[int(t)] != nullptr));
    }
}

BOOST_AUTO_TEST_CASE(what_a_rule_has_no_loop_for_is_refused_by_its_name) {
    const auto says = [](const char* text) { return [=](const Error& e) { return std::string(e.msg()) == text; }; };
    const Tensor flags = ones({2}, kBool), numbers = randn({2}, TensorOptions(kComplexFloat));
    BOOST_CHECK_EXCEPTION(pointwise::apply("opposite", own::opposite_op{}, flags, flags), NotImplementedError,
                          says("opposite: input: there is no kernel for bool; convert the operands first"));
    BOOST_CHECK_EXCEPTION(gated(numbers, numbers), NotImplementedError,
                          says("gated: input: there is no kernel for complex64; convert the operands first"));
    BOOST_CHECK_EXCEPTION(pointwise::apply("root", own::positive_root_op{}, ones({})), Error,
                          says("root: input is 0-dim; expected a dimension"));
}

BOOST_AUTO_TEST_CASE(meta_tensors_have_shapes_and_no_data) {
    const Tensor y =
        gated(empty({3, 1}, TensorOptions(kFloat).device(kMeta)), empty({4}, TensorOptions(kFloat).device(kMeta)));
    BOOST_TEST(y.is_meta());
    BOOST_TEST(y.sizes() == IntArrayRef({3, 4}));
}

BOOST_AUTO_TEST_SUITE_END()
