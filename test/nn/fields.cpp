// Structs, lists, dicts and nested tuples as arguments and results of modules: hooks see every tensor inside them.
#include <reel/nn/fields.hpp>

#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>
#include <map>

#include <reel/nn/describe.hpp>

namespace {
using reel::Tensor;
struct Picture {
    Tensor image;
    std::optional<Tensor> mask;
    REEL_FIELDS(image, mask)
};
struct Batch {
    Picture picture;
    std::vector<Tensor> scales;
    std::map<std::string, Tensor> extras;
    std::int64_t index = 0;
    std::string note;
    REEL_FIELDS(picture, scales, extras, index, note)
};
struct Output {
    Tensor logits, features;
    bool sure = false;
    REEL_FIELDS(logits, features, sure)
};
/// Another library's type.
struct Foreign {
    Tensor left, right;
};
struct Described {
    Tensor up, down;
};
BOOST_DESCRIBE_STRUCT(Described, (), (up, down))
} // namespace

template <> struct reel::nn::Fields<Foreign> {
    static auto members(Foreign& s) { return std::tie(s.left, s.right); }
    static std::string_view name(std::size_t i) { return i == 0 ? "left" : "right"; }
};

using namespace reel;
using namespace reel::testing;
using nn::GradSlots;
using nn::Module;

BOOST_AUTO_TEST_SUITE(fields)

namespace {
struct NetImpl : nn::Module {
    Output forward(const Batch& b) {
        Tensor x = b.picture.image * 2;
        if (b.picture.mask) x = x * *b.picture.mask;
        for (const Tensor& s : b.scales) x = x * s;
        for (const auto& [key, value] : b.extras) x = x + value;
        return {x, x.detach(), b.index == 7 && b.note == "last"};
    }
};
REEL_MODULE(Net);

Batch example() { return {{leaf(1), std::nullopt}, {leaf(3), full({}, 5.0)}, {{"bias", leaf(10)}}, 7, "last"}; }
std::vector<std::string> paths(const GradSlots& slots) {
    std::vector<std::string> r;
    for (const nn::GradSlot& s : slots) r.push_back(s.path);
    return r;
}
std::vector<double> grads(const GradSlots& slots) {
    std::vector<double> r;
    for (const nn::GradSlot& s : slots) r.push_back(number(s.grad));
    return r;
}
using Paths = std::vector<std::string>;
using Grads = std::vector<double>;
} // namespace

BOOST_AUTO_TEST_CASE(a_struct_in_and_a_struct_out) {
    Net net;
    const Batch plain = example();
    const Output without = net(plain);
    BOOST_TEST(number(without.logits) == 40);
    BOOST_TEST(without.sure);

    Paths in, out;
    Grads gi, go;
    net->register_full_backward_hook([&](Module&, const GradSlots& grad_input, const GradSlots& grad_output) {
        in = paths(grad_input), out = paths(grad_output);
        gi = grads(grad_input), go = grads(grad_output);
    });
    const Batch b = example();
    const Output o = net(b);
    BOOST_TEST(number(o.logits) == 40);
    BOOST_TEST(o.sure); // what is no tensor comes through, too
    o.logits.backward();
    BOOST_TEST(in == (Paths{"0.picture.image", "0.scales.0", "0.scales.1", "0.extras.bias"}));
    BOOST_TEST(gi == (Grads{30, 10, 0, 1})); // zeros for the scale that needs none (B-13)
    BOOST_TEST(out == (Paths{"0.logits", "0.features"}));
    BOOST_TEST(go == (Grads{1, -1000}));
    BOOST_TEST(number(b.picture.image.grad()) == 30);
    BOOST_TEST(number(b.extras.at("bias").grad()) == 1);
}

BOOST_AUTO_TEST_CASE(hooks_over_slots_replace_gradients) {
    Net net;
    net->register_full_backward_pre_hook([](Module&, const GradSlots& go) -> std::optional<autograd::variable_list> {
        return autograd::variable_list{go[0].grad * 2, Tensor()};
    });
    net->register_full_backward_hook([](Module&, const GradSlots& gi, const GradSlots& go) {
        BOOST_TEST(number(go[0].grad) == 2);
        autograd::variable_list r;
        for (const nn::GradSlot& s : gi) r.push_back(s.path == "0.picture.image" ? s.grad + 1 : s.grad);
        return r;
    });
    const Batch b = example();
    net(b).logits.backward();
    BOOST_TEST(number(b.picture.image.grad()) == 61);
    BOOST_TEST(number(b.scales[0].grad()) == 20);

    net->register_full_backward_hook(
        [](Module&, const GradSlots&, const GradSlots&) { return autograd::variable_list(3); });
    const std::string text = message_of([&] { net(example()).logits.backward(); });
    BOOST_TEST(has(text, {"NetImpl", "hook returned 3 gradients, expected 4"}), text);
}

BOOST_AUTO_TEST_CASE(hooks_over_values_see_a_dict_of_the_fields) {
    Net net;
    Value gi;
    net->register_forward_pre_hook([](Module&, const Args& a) -> Value {
        BOOST_TEST(a[0].toGenericDict().at("index").toInt() == 7);
        Batch b = nn::from_value<Batch>(a[0]);
        b.scales.clear();
        return Value::tuple({nn::to_value(b)});
    });
    net->register_forward_hook(
        [](Module&, const Args&, const Value& o) { BOOST_TEST(nn::from_value<Output>(o).sure); });
    net->register_full_backward_hook([&](Module&, const Value& grad_input, const Value&) { gi = grad_input; });
    net(example()).logits.backward();
    const ValueDict& batch = gi.elements().at(0).toGenericDict();
    BOOST_TEST(number(batch.at("picture").toGenericDict().at("image")) == 2);
    BOOST_TEST(batch.at("index").isNone());
}

BOOST_AUTO_TEST_CASE(hooks_over_tensors_leave_the_gradients_of_structures_alone) {
    Net net;
    net->register_full_backward_hook(
        [](Module&, const autograd::variable_list& gi, const autograd::variable_list&) { return gi; });
    const Batch b = example();
    net(b).logits.backward();
    BOOST_TEST(number(b.picture.image.grad()) == 30);
}

BOOST_AUTO_TEST_CASE(without_an_input_that_requires_grad_slots_are_there_all_the_same) {
    struct BiasedImpl : nn::Module {
        BiasedImpl() { w = register_parameter("w", full({}, 2.0)); }
        Tensor forward(const Foreign& f) { return f.left * w + f.right; }
        Tensor w;
    };
    auto m = std::make_shared<BiasedImpl>();
    Paths in;
    Grads gi;
    m->register_full_backward_hook([&](Module&, const GradSlots& grad_input, const GradSlots&) {
        in = paths(grad_input);
        gi = grads(grad_input);
    });
    nn::call(*m, Foreign{full({}, 3.0), full({}, 4.0)}).backward();
    BOOST_TEST(in == (Paths{"0.left", "0.right"}));
    BOOST_TEST(gi == (Grads{-1000, -1000}));
    BOOST_TEST(number(m->w.grad()) == 3);
}

BOOST_AUTO_TEST_CASE(types_that_cannot_be_edited_and_described_ones) {
    struct SumImpl : nn::Module {
        std::pair<Described, Tensor> forward(const Foreign& f, std::tuple<Tensor, std::array<Tensor, 2>> more) {
            const Tensor s = std::get<1>(more)[0] + std::get<1>(more)[1];
            return {Described{f.left * f.right, s}, std::get<0>(more) * 1};
        }
    };
    auto m = std::make_shared<SumImpl>();
    Paths in, out;
    m->register_full_backward_hook([&](Module&, const GradSlots& gi, const GradSlots& go) {
        in = paths(gi);
        out = paths(go);
    });
    const Foreign f{leaf(2), leaf(3)};
    const auto [described, third] =
        nn::call(*m, f, std::tuple<Tensor, std::array<Tensor, 2>>{leaf(1), {leaf(1), leaf(1)}});
    (described.up + described.down + third).backward();
    BOOST_TEST(in == (Paths{"0.left", "0.right", "1.0", "1.1.0", "1.1.1"}));
    BOOST_TEST(out == (Paths{"0.up", "0.down", "1"})); // a tuple's elements are results of their own
    BOOST_TEST(number(f.left.grad()) == 3);
}

BOOST_AUTO_TEST_CASE(structs_pass_through_sequences_and_value_calls) {
    struct FirstImpl : nn::Cloneable<FirstImpl> {
        void reset() override {}
        Foreign forward(const Tensor& x) { return {x * 2, x * 3}; }
    };
    struct SecondImpl : nn::Cloneable<SecondImpl> {
        void reset() override {}
        Tensor forward(const Foreign& f) { return f.left * f.right; }
    };
    nn::Sequential net(FirstImpl{}, SecondImpl{});
    Paths in, out;
    net[0]->register_full_backward_hook([&](Module&, const GradSlots&, const GradSlots& go) { out = paths(go); });
    net[1]->register_full_backward_hook([&](Module&, const GradSlots& gi, const GradSlots&) { in = paths(gi); });
    const Tensor x = leaf(1);
    net(x).backward();
    BOOST_TEST(number(x.grad()) == 12);
    BOOST_TEST(out == (Paths{"0.left", "0.right"}));
    BOOST_TEST(in == out);
}

BOOST_AUTO_TEST_CASE(B_4_the_reference_mode_looks_at_no_structure) {
    const CleanHooks clean;
    nn::hooks::set_reference_mode(true);
    Net net;
    int fired = 0;
    net->register_full_backward_hook([&](Module&, const GradSlots&, const GradSlots&) { ++fired; });
    WarningLog log;
    const Batch b = example();
    net(b).logits.backward();
    BOOST_TEST(fired == 0);
    BOOST_TEST(log.any("do not fire for an output of type dict"));
    BOOST_TEST(number(b.picture.image.grad()) == 30);
}

BOOST_AUTO_TEST_CASE(wrong_structs_are_named_field_by_field) {
    const Value missing = Value(ValueDict{{"left", full({}, 1.0)}});
    BOOST_TEST(has(message_of<TypeError>([&] { nn::from_value<Foreign>(missing); }), "field right: is missing"));
    const Value other = Value(ValueDict{{"left", full({}, 1.0)}, {"right", 3}});
    BOOST_TEST(
        has(message_of<TypeError>([&] { nn::from_value<Foreign>(other); }), "field right: expected Tensor, got 3"));
    BOOST_TEST(has(message_of<TypeError>([&] { nn::from_value<Foreign>(Value(3)); }),
                   "expected a dict with the fields left, right, got 3"));
    const Value more = Value(ValueDict{{"left", full({}, 1.0)}, {"middle", 3}});
    BOOST_TEST(has(message_of<TypeError>([&] { nn::from_value<Foreign>(more); }), "got one with"));
}

BOOST_AUTO_TEST_SUITE_END()
