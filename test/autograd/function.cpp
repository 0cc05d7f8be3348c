// Custom functions (rules E-61 to E-71, E-82, E-83).
#include <reel/autograd/function.hpp>

#include <boost/test/unit_test.hpp>

#include "tape_helpers.hpp"

using namespace tape_test;
using autograd::AutogradContext;
using autograd::Function;

namespace {

struct Cube : Function<Cube> {
    static Tensor forward(AutogradContext* ctx, const Tensor& x) {
        BOOST_TEST(!GradMode::is_enabled()); // E-61
        BOOST_TEST(x.requires_grad());       // the caller's object
        ctx->save_for_backward({x});
        return x * x * x;
    }
    static variable_list backward(AutogradContext* ctx, variable_list g) {
        const Tensor x = ctx->get_saved_variables()[0];
        return {g[0] * x * x * 3.0};
    }
};

/// x * k + b with a number, a tensor list and a flag among its arguments.
struct Mixed : Function<Mixed> {
    static Tensor forward(AutogradContext* ctx, const Tensor& x, double k, const std::vector<Tensor>& more, bool) {
        ctx->saved_data.set(Value("k"), Value(k));
        return x * k + more[0] + more[1];
    }
    static variable_list backward(AutogradContext* ctx, variable_list g) {
        BOOST_TEST(ctx->needs_input_grad(0));
        BOOST_TEST(!ctx->needs_input_grad(2));
        const double k = ctx->saved_data.at("k").toDouble();
        return {g[0] * k, Tensor(), g[0], g[0], Tensor()};
    }
};

/// Two outputs, the second not differentiable.
template <bool materialize> struct Pair : Function<Pair<materialize>> {
    static inline bool second_defined = false, first_defined = false;
    static variable_list forward(AutogradContext* ctx, const Tensor& x) {
        ctx->set_materialize_grads(materialize);
        const Tensor a = x * 2.0, b = x * 3.0;
        ctx->mark_non_differentiable({b});
        return {a, b};
    }
    static variable_list backward(AutogradContext*, variable_list g) {
        first_defined = g[0].defined();
        second_defined = g[1].defined();
        return {g[0].defined() ? g[0] * 2.0 : Tensor()};
    }
};

struct DoubleInPlace : Function<DoubleInPlace> {
    static Tensor forward(AutogradContext* ctx, const Tensor& x) {
        x.mul_(2.0);
        ctx->mark_dirty({x});
        return x;
    }
    static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * 2.0}; }
};
struct ForgetsDirty : Function<ForgetsDirty> {
    static Tensor forward(AutogradContext* ctx, const Tensor& x) {
        ctx->mark_dirty({x});
        return x * 2.0;
    }
    static variable_list backward(AutogradContext*, variable_list g) { return g; }
};
struct PassThrough : Function<PassThrough> {
    static Tensor forward(AutogradContext*, const Tensor& x) { return x; }
    static variable_list backward(AutogradContext*, variable_list g) { return g; }
};
template <int n> struct WrongCount : Function<WrongCount<n>> {
    static Tensor forward(AutogradContext*, const Tensor& x, double) { return x * 1.0; }
    static variable_list backward(AutogradContext*, variable_list g) {
        variable_list r(n);
        r[0] = g[0];
        return r;
    }
};
struct GradientForNumber : Function<GradientForNumber> {
    static Tensor forward(AutogradContext*, const Tensor& x, double) { return x * 1.0; }
    static variable_list backward(AutogradContext*, variable_list g) { return {g[0], g[0]}; }
};
struct Once : Function<Once> {
    static constexpr bool once_differentiable = true;
    static Tensor forward(AutogradContext* ctx, const Tensor& x) {
        ctx->save_for_backward({x});
        return x * x;
    }
    static variable_list backward(AutogradContext* ctx, variable_list g) {
        BOOST_TEST(!GradMode::is_enabled());
        return {g[0] * ctx->get_saved_variables()[0] * 2.0};
    }
};
struct TwoPart : Function<TwoPart> {
    static Tensor forward(const Tensor& x, double k) { return x * k; }
    static void setup_context(AutogradContext* ctx, const std::tuple<const Tensor&, const double&>& inputs,
                              const Tensor& output) {
        BOOST_TEST(output.defined());
        ctx->saved_data.set(Value("k"), Value(std::get<1>(inputs)));
    }
    static variable_list vjp(AutogradContext* ctx, variable_list g) {
        return {g[0] * ctx->saved_data.at("k").toDouble(), Tensor()};
    }
};
struct NoBackward : Function<NoBackward> {
    static Tensor forward(AutogradContext*, const Tensor& x) { return x * 2.0; }
};
struct ReadsOnce : Function<ReadsOnce> {
    static Tensor forward(AutogradContext* ctx, const Tensor& x) {
        ctx->save_for_backward({x});
        ctx->set_clear_saved_on_access();
        return x * x;
    }
    static variable_list backward(AutogradContext* ctx, variable_list g) {
        const Tensor x = ctx->get_saved_variables()[0];
        BOOST_CHECK_THROW(ctx->get_saved_variables(), Error);
        return {g[0] * x * 2.0};
    }
};
struct SavesOutput : Function<SavesOutput> {
    static Tensor forward(AutogradContext* ctx, const Tensor& x) {
        const Tensor y = exp(x);
        ctx->save_for_backward({y});
        return y;
    }
    static variable_list backward(AutogradContext* ctx, variable_list g) {
        return {g[0] * ctx->get_saved_variables()[0]};
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(function)

BOOST_AUTO_TEST_CASE(forward_backward_and_double_backward) {
    const Tensor x = leaf({2});
    const Tensor y = Cube::apply(x);
    BOOST_TEST(y.item<double>() == 8);
    BOOST_TEST(y.grad_fn()->name() == "CubeBackward");
    const Tensor g = autograd::grad({y}, {x}, {}, true, true)[0];
    BOOST_TEST(g.item<double>() == 12);
    BOOST_TEST(autograd::grad({g}, {x})[0].item<double>() == 12);
}

BOOST_AUTO_TEST_CASE(E61_nothing_is_recorded_without_need) {
    NoGradGuard guard;
    const Tensor x = leaf({2});
    BOOST_TEST(!Cube::apply(x).requires_grad());
}

BOOST_AUTO_TEST_CASE(E62_arguments_of_every_kind) {
    const Tensor x = leaf({1, 2}), a = leaf({1, 1}), b = ones({2}, kDouble);
    const Tensor y = Mixed::apply(x, 4.0, std::vector<Tensor>{a, b}, true);
    y.sum().backward();
    BOOST_TEST(list(x.grad()) == (V{4, 4}), boost::test_tools::per_element());
    BOOST_TEST(list(a.grad()) == (V{1, 1}), boost::test_tools::per_element());
    BOOST_TEST(!b.grad().defined());
}

BOOST_AUTO_TEST_CASE(E62_number_of_gradients) {
    const Tensor x = leaf({1});
    BOOST_CHECK_EXCEPTION(WrongCount<1>::apply(x, 1.0).backward(), Error,
                          says("backward returned 1 gradients, expected 2"));
    BOOST_CHECK_NO_THROW(WrongCount<2>::apply(x, 1.0).backward());
    BOOST_CHECK_NO_THROW(WrongCount<4>::apply(x, 1.0).backward()); // surplus nones
    BOOST_CHECK_EXCEPTION(GradientForNumber::apply(x, 1.0).backward(), Error, says("argument 2"));
}

BOOST_AUTO_TEST_CASE(E65_saved_tensors_are_released_and_version_checked) {
    const Tensor x = leaf({2});
    const Tensor y = Cube::apply(x);
    y.backward();
    BOOST_CHECK_EXCEPTION(y.backward(), Error, says("retain_graph=true"));
    const Tensor a = x * 1.0;
    const Tensor z = Cube::apply(a);
    a.add_(1.0);
    BOOST_CHECK_EXCEPTION(z.backward(), Error, says("modified by an in-place operation"));
}

BOOST_AUTO_TEST_CASE(E40_a_saved_output_makes_no_cycle) {
    const Tensor x = leaf({0});
    Tensor y = SavesOutput::apply(x);
    const Storage* storage = y.storage().get();
    BOOST_TEST(storage->use_count() == 2);
    y.backward();
    BOOST_TEST(x.grad().item<double>() == 1);
    BOOST_TEST(storage->use_count() == 1); // released by the pass
}

BOOST_AUTO_TEST_CASE(E66_E67_undefined_gradients_and_non_differentiable_outputs) {
    const Tensor x = leaf({1});
    const auto out = Pair<true>::apply(x);
    BOOST_TEST(out[0].requires_grad());
    BOOST_TEST(!out[1].requires_grad());
    out[0].backward();
    BOOST_TEST(Pair<true>::second_defined); // zeros
    const auto plain = Pair<false>::apply(x);
    plain[0].backward();
    BOOST_TEST(Pair<false>::first_defined);
    BOOST_TEST(!Pair<false>::second_defined);
    BOOST_TEST(x.grad().item<double>() == 4);
}

BOOST_AUTO_TEST_CASE(E68_in_place_functions) {
    const Tensor x = leaf({3});
    const Tensor a = x * 1.0;
    const Tensor b = DoubleInPlace::apply(a);
    BOOST_TEST(b.is_same(a));
    BOOST_TEST(a.grad_fn()->name() == "DoubleInPlaceBackward");
    a.backward();
    BOOST_TEST(x.grad().item<double>() == 2);
    BOOST_CHECK_EXCEPTION(DoubleInPlace::apply(leaf({1})), Error, says("leaf that requires grad"));
    BOOST_CHECK_EXCEPTION(ForgetsDirty::apply(x * 1.0), Error, says("was not returned"));
}

BOOST_AUTO_TEST_CASE(E69_an_input_returned_unmodified_is_a_view) {
    const Tensor x = leaf({1}), y = PassThrough::apply(x);
    BOOST_TEST(!y.is_same(x));
    BOOST_TEST(y.is_view());
    BOOST_CHECK_THROW(y.add_(1.0), Error); // E-47
    y.backward();
    BOOST_TEST(x.grad().item<double>() == 1);
    const Tensor plain = ones({1}, kDouble);
    BOOST_TEST(!PassThrough::apply(plain).is_same(plain));
}

BOOST_AUTO_TEST_CASE(E71_once_differentiable) {
    const Tensor x = leaf({3});
    const Tensor y = Once::apply(x);
    const Tensor seed = ones({1}, kDouble).requires_grad_();
    const Tensor g = autograd::grad({y}, {x}, {seed}, true, true)[0];
    BOOST_TEST(g.item<double>() == 6);
    BOOST_TEST(g.requires_grad());
    BOOST_CHECK_EXCEPTION(g.backward(), Error, says("once_differentiable"));
    const Tensor h = autograd::grad({y}, {x}, {}, true, true)[0];
    BOOST_TEST(!h.requires_grad()); // the seed had no history
}

BOOST_AUTO_TEST_CASE(E82_two_part_form_and_missing_backward) {
    const Tensor x = leaf({1});
    TwoPart::apply(x, 5.0).backward();
    BOOST_TEST(x.grad().item<double>() == 5);
    BOOST_CHECK_THROW(NoBackward::apply(x).backward(), NotImplementedError);
}

BOOST_AUTO_TEST_CASE(E83_saved_tensors_cleared_on_access) {
    const Tensor x = leaf({3});
    ReadsOnce::apply(x).backward();
    BOOST_TEST(x.grad().item<double>() == 6);
}

namespace {
struct Twice : Function<Twice> { // one tensor in two places
    static variable_list forward(AutogradContext*, const Tensor& x) {
        const Tensor y = x * 2.0;
        return {y, y};
    }
    static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * 10.0 + g[1]}; }
};
struct MarksAnother : Function<MarksAnother> {
    static Tensor forward(AutogradContext* ctx, const Tensor& x) {
        Tensor y = x * 2.0;
        ctx->mark_dirty({y});
        return y;
    }
    static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * 2.0}; }
};
} // namespace
BOOST_AUTO_TEST_CASE(a_tensor_returned_twice_is_one_tensor) {
    const Tensor x = leaf({1, 2});
    const variable_list y = Twice::apply(x);
    BOOST_TEST(y[0].is_same(y[1]));
    BOOST_TEST(y[0].output_nr() == 1);
    (y[0].sum() + y[1].sum() * 2.0).backward();
    REEL_TEST_VALUES(x.grad(), 3, 3); // all of it arrives in the last place
}
BOOST_AUTO_TEST_CASE(marking_what_is_no_input_warns) {
    const Warnings warnings;
    const Tensor x = leaf({1});
    MarksAnother::apply(x);
    BOOST_TEST(warnings.mention("MarksAnother: mark_dirty was given a tensor that is no input of forward"));
}

BOOST_AUTO_TEST_SUITE_END()
