// Transformer layers, stacks of them, and the whole: formulas, masks, hooks on children, copies, streams, errors.
#include <reel/nn/modules/transformer.hpp>

#include <boost/test/unit_test.hpp>

#include <limits>
#include <set>

#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn/factory.hpp>

#include "nn/testing.hpp"

using namespace reel;
using testing::has;
using testing::message_of;

namespace {

Tensor draw(IntArrayRef sizes) { return randn(sizes, TensorOptions(kDouble)); }
bool close(const Tensor& a, const Tensor& b) { return a.sizes() == b.sizes() && allclose(a, b, 1e-9, 1e-9); }
/// In float64, every parameter random.
template <class Holder> Holder drawn(Holder m) {
    m->to(kDouble);
    NoGradGuard guard;
    for (const Tensor& p : m->parameters()) p.copy_(draw(p.sizes()) * 0.5);
    return m;
}
nn::TransformerLayerOptions small() { return nn::TransformerLayerOptions(4, 2).dim_feedforward(6).dropout(0.); }
Tensor attend(nn::MultiheadAttention& m, const Tensor& x, const Tensor& memory, const Tensor& mask = {}) {
    return std::get<0>(m->forward(x, memory, memory, {}, true, mask));
}
Tensor square_mask(std::int64_t n) {
    return nn::Transformer::generate_square_subsequent_mask(n, TensorOptions(kDouble));
}
/// A layer of another class, called by position.
struct PlainLayerImpl : nn::Cloneable<PlainLayerImpl> {
    void reset() override {}
    Tensor forward(const Tensor& src, const Tensor& mask, const Tensor& padding) {
        return src + (mask.defined() ? 1 : 0) + (padding.defined() ? 2 : 0);
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(transformer)

BOOST_AUTO_TEST_CASE(an_encoder_layer_written_out) {
    const Tensor x = draw({3, 2, 4});
    for (bool first : {false, true}) {
        auto m = drawn(nn::TransformerEncoderLayer(small().norm_first(first)));
        const auto feed = [&](const Tensor& y) { return m->linear2->forward(relu(m->linear1->forward(y))); };
        Tensor want;
        if (first) {
            const Tensor n = m->norm1->forward(x), y = x + attend(m->self_attn, n, n);
            want = y + feed(m->norm2->forward(y));
        } else {
            const Tensor y = m->norm1->forward(x + attend(m->self_attn, x, x));
            want = m->norm2->forward(y + feed(y));
        }
        BOOST_TEST(close(m(x), want));
        m->eval();
        BOOST_TEST(close(m(x), want));
    }
}
BOOST_AUTO_TEST_CASE(a_decoder_layer_written_out) {
    const Tensor x = draw({3, 2, 4}), memory = draw({5, 2, 4}), own = square_mask(3), across = draw({3, 5});
    for (bool first : {false, true}) {
        auto m = drawn(nn::TransformerDecoderLayer(small().norm_first(first)));
        const auto feed = [&](const Tensor& y) { return m->linear2->forward(relu(m->linear1->forward(y))); };
        Tensor y = x;
        if (first) {
            const Tensor n = m->norm1->forward(y);
            y = y + attend(m->self_attn, n, n, own);
            y = y + attend(m->multihead_attn, m->norm2->forward(y), memory, across);
            y = y + feed(m->norm3->forward(y));
        } else {
            y = m->norm1->forward(y + attend(m->self_attn, y, y, own));
            y = m->norm2->forward(y + attend(m->multihead_attn, y, memory, across));
            y = m->norm3->forward(y + feed(y));
        }
        BOOST_TEST(close(m(x, memory, own, across), y));
        BOOST_TEST(close(m(x, memory, own, across, Tensor(), Tensor(), true), y));
    }
}
BOOST_AUTO_TEST_CASE(activations) {
    auto relu_layer = drawn(nn::TransformerEncoderLayer(small()));
    const Tensor x = draw({3, 2, 4});
    const auto with = [&](nn::activation_t a) {
        nn::TransformerEncoderLayer m(small().activation(std::move(a)));
        m->to(kDouble);
        m->load_state_dict(relu_layer->state_dict());
        return m;
    };
    const Tensor y = relu_layer(x);
    BOOST_TEST(close(with(kReLU)(x), y));
    BOOST_TEST(!close(with(kGELU)(x), y));
    BOOST_TEST(close(with([](const Tensor& t) { return clamp_min(t, 0); })(x), y));
    BOOST_TEST(close(with(kGELU)(x), with([](const Tensor& t) { return gelu(t); })(x)));
    nn::ReLU act;
    auto owning = with(act);
    BOOST_TEST(close(owning(x), y));
    int calls = 0;
    act->register_forward_hook([&](nn::Module&, const Args&, const Value&) { ++calls; });
    owning(x);
    BOOST_TEST(calls == 1); // the very module that was given
    const std::string text = owning->repr();
    BOOST_TEST(has(text, {"(dropout2): Dropout(p=0.0, inplace=False)\n", "(activation): ReLU()\n"}));
    const nn::ModulePtr copy = owning->clone();
    BOOST_TEST(copy->repr() == text);
    BOOST_TEST((copy->get_submodule("activation").get() != act.get()));
}
BOOST_AUTO_TEST_CASE(hooks_run_on_every_child) { // C-1, C-8
    nn::TransformerDecoderLayer m(small());
    std::string seen;
    for (const auto& item : m->named_children())
        item.value()->register_forward_hook(
            [&seen, name = item.key()](nn::Module&, const Args&, const Kwargs& kwargs, const Value&) {
                seen += name;
                for (const auto& [key, value] : kwargs) seen += ":" + key.toStringRef();
                seen += " ";
            });
    m(randn({3, 1, 4}), randn({2, 1, 4}));
    const std::string masks = ":attn_mask:key_padding_mask:need_weights:is_causal";
    BOOST_TEST(seen == "self_attn" + masks + " dropout1 norm1 multihead_attn" + masks +
                           " dropout2 norm2 linear1 dropout linear2 dropout3 norm3 ");
    int backward = 0;
    m->self_attn->register_full_backward_hook(
        [&](nn::Module&, const Value& grad_input, const Value&) { backward += int(grad_input.elements().size()); });
    m(randn({3, 1, 4}).requires_grad_(), randn({2, 1, 4})).sum().backward();
    BOOST_TEST(backward == 3); // query, key and value: keyword arguments get no gradient (B-3)
}
BOOST_AUTO_TEST_CASE(replaced_children_take_effect) {
    nn::TransformerEncoderLayer m(small());
    m->eval();
    const Tensor x = randn({3, 1, 4}), before = m(x);
    m->replace_module("linear2", nn::Functional([](const Tensor& t) { return t.slice(-1, 0, 4) * 0; }));
    const Tensor y = m->norm1->forward(x + attend(m->self_attn, x, x));
    BOOST_TEST(allclose(m(x), m->norm2->forward(y)));
    BOOST_TEST(!allclose(m(x), before));
    BOOST_TEST(allclose(m->clone()->call_values({x}).toTensor(), m(x))); // M-50: the copy has the replacement too
}
BOOST_AUTO_TEST_CASE(a_stack_is_made_of_copies) {
    manual_seed(3);
    nn::TransformerEncoderLayer layer(small());
    const Tensor next = rand({1});
    manual_seed(3);
    nn::TransformerEncoderLayer same(small());
    nn::TransformerEncoder m(
        nn::TransformerEncoderOptions(same, 3).norm(nn::AnyModule(nn::LayerNorm(nn::LayerNormOptions({4})))));
    BOOST_TEST(equal(rand({1}), next)); // copying draws nothing
    BOOST_TEST(m->parameters().size() == 3 * 12U + 2U);
    for (const nn::ModulePtr& l : *m->layers)
        for (const auto& p : layer->named_parameters()) BOOST_TEST(equal(l->get_parameter(p.key()), p.value()));
    BOOST_TEST(!m->get_parameter("layers.0.linear1.weight").is_same(same->linear1->weight));
    BOOST_TEST(m->state_dict().contains("norm.weight"));

    const Tensor x = randn({5, 2, 4});
    m->eval();
    Tensor want = x;
    for (const nn::ModulePtr& l : *m->layers) want = l->as<nn::TransformerEncoderLayer>()->forward(want);
    BOOST_TEST(allclose(m(x), m->norm.get<nn::LayerNormImpl>().forward(want)));
    const nn::ModulePtr copy = m->clone();
    BOOST_TEST(allclose(copy->call_values({x}).toTensor(), m(x)));
    std::set<const void*> mine, theirs;
    for (const Tensor& p : m->parameters()) mine.insert(p.unsafeGetTensorImpl());
    for (const Tensor& p : copy->parameters()) BOOST_TEST(!mine.count(p.unsafeGetTensorImpl()));
    nn::TransformerEncoder by_options(nn::TransformerEncoderOptions(small(), 2));
    BOOST_TEST(by_options->layers->size() == 2U);
    BOOST_TEST(by_options->norm.is_empty());
    m->reset_parameters();
    BOOST_TEST(!equal(m->get_parameter("layers.0.linear1.weight"), layer->linear1->weight));
}
BOOST_AUTO_TEST_CASE(a_causal_mask_is_recognised) {
    auto m = drawn(nn::TransformerEncoder(nn::TransformerEncoderOptions(small(), 1)));
    std::string seen;
    m->layers->ptr(0)->register_forward_pre_hook([&](nn::Module&, const Args&, const Kwargs& kwargs) {
        seen += kwargs.at("is_causal").toBool() ? "causal " : "any ";
    });
    const Tensor x = draw({3, 2, 4}), mask = square_mask(3);
    const Tensor y = m(x, mask);
    BOOST_TEST(close(m(x, mask.to(kBool)), y)); // true: not to be seen
    BOOST_TEST(close(m(x, mask, Tensor(), false), y));
    BOOST_TEST(!close(m(x, mask.transpose(0, 1)), y));
    m(x);
    BOOST_TEST(seen == "causal causal any any any ");
    // what comes later cannot be seen
    Tensor later = x.clone();
    later.select(0, 2).fill_(5);
    BOOST_TEST(close(m(later, mask).slice(0, 0, 2), y.slice(0, 0, 2)));
    BOOST_TEST(has(message_of([&] { m(x, mask.to(kLong)); }), "mask is int64; expected bool"));

    auto d = drawn(nn::TransformerDecoder(nn::TransformerDecoderOptions(small(), 2)));
    const Tensor memory = draw({2, 2, 4}), z = d(x, memory, mask);
    BOOST_TEST(close(d(x, memory, mask.to(kBool)), z));
    BOOST_TEST(close(d(later, memory, mask).slice(0, 0, 2), z.slice(0, 0, 2)));
}
BOOST_AUTO_TEST_CASE(padding_is_not_seen) {
    nn::TransformerOptions o(4, 2, 2, 2);
    auto m = drawn(nn::Transformer(o.dim_feedforward(6).dropout(0.).batch_first(true)));
    const Tensor src = draw({2, 4, 4}), tgt = draw({2, 3, 4});
    const Tensor padding = tensor({{false, false, false, true}, {false, false, true, true}});
    Tensor other = src.clone();
    other.select(1, 3).fill_(7);
    other.select(0, 1).select(0, 2).fill_(-7);
    const auto run = [&](const Tensor& s, const Tensor& p) {
        return m(s, tgt, Tensor(), Tensor(), Tensor(), p, Tensor(), p);
    };
    BOOST_TEST(close(run(src, padding), run(other, padding)));
    BOOST_TEST(!close(run(src, Tensor()), run(other, Tensor())));
}
BOOST_AUTO_TEST_CASE(layers_of_other_classes) { // called as libtorch calls them, by position
    nn::TransformerEncoder m(nn::TransformerEncoderOptions(small(), 1));
    m->layers->push_back(std::make_shared<PlainLayerImpl>());
    m->layers->erase(0);
    const Tensor x = zeros({2, 1, 4});
    BOOST_TEST(m(x).sum().item<double>() == 0);
    BOOST_TEST(m(x, zeros({2, 2}), zeros({1, 2})).sum().item<double>() == 24);
    nn::Transformer whole(nn::TransformerOptions(4, 2, 1, 1).custom_encoder(nn::AnyModule(PlainLayerImpl())));
    BOOST_TEST(whole->encoder.ptr() == whole->get_submodule("encoder"));
    BOOST_TEST(whole(x, x, zeros({2, 2})).sizes() == x.sizes());
    BOOST_TEST(whole->clone()->repr() == whole->repr());
}
BOOST_AUTO_TEST_CASE(the_whole_transformer) {
    manual_seed(5);
    nn::Transformer m(nn::TransformerOptions(8, 2, 2, 3).dim_feedforward(12));
    for (const auto& p : m->named_parameters())
        if (p.value().dim() > 1) {
            const double bound = std::sqrt(6.0 / double(p.value().size(0) + p.value().size(1)));
            BOOST_TEST(p.value().abs().max().item<double>() <= bound);
            BOOST_TEST(p.value().abs().max().item<double>() > 0.8 * bound);
        }
    BOOST_TEST(m->get_submodule("encoder.layers")->children().size() == 2U);
    BOOST_TEST(m->get_submodule("decoder.layers")->children().size() == 3U);
    m->eval();
    const Tensor src = randn({5, 2, 8}), tgt = randn({4, 2, 8});
    auto& encoder = m->encoder.get<nn::TransformerEncoderImpl>();
    auto& decoder = m->decoder.get<nn::TransformerDecoderImpl>();
    const Tensor y = m(src, tgt), mask = nn::Transformer::generate_square_subsequent_mask(4);
    BOOST_TEST(allclose(y, decoder.forward(tgt, encoder.forward(src))));
    BOOST_TEST(allclose(m(src, tgt, Tensor(), mask), decoder.forward(tgt, encoder.forward(src), mask)));
    BOOST_TEST(allclose(m(src.select(1, 1), tgt.select(1, 1)), y.select(1, 1), 1e-4, 1e-5));
    BOOST_TEST(allclose(m->clone()->call_values({src, tgt}).toTensor(), y));

    nn::Transformer turned(nn::TransformerOptions(8, 2, 2, 3).dim_feedforward(12).batch_first(true));
    turned->load_state_dict(m->state_dict());
    turned->eval();
    BOOST_TEST(allclose(turned(src.transpose(0, 1), tgt.transpose(0, 1)).transpose(0, 1), y, 1e-4, 1e-5));

    BOOST_TEST(has(message_of([&] {
                       m(src, randn({4, 3, 8}));
                   }),
                   "src [5, 2, 8] and tgt [4, 3, 8] differ in their batch, dimension 1"));
    BOOST_TEST(has(message_of([&] { m(src, randn({4, 2, 6})); }), "must have d_model = 8 features"));
}
BOOST_AUTO_TEST_CASE(square_masks) {
    const Tensor m = nn::Transformer::generate_square_subsequent_mask(3);
    const double inf = std::numeric_limits<double>::infinity();
    BOOST_TEST(equal(m, tensor({{0., -inf, -inf}, {0., 0., -inf}, {0., 0., 0.}})));
    BOOST_TEST((square_mask(2).scalar_type() == kDouble));
}
BOOST_AUTO_TEST_CASE(gradients) {
    auto e = drawn(nn::TransformerEncoderLayer(small()));
    auto d = drawn(nn::TransformerDecoderLayer(small().norm_first(true).activation(kGELU)));
    const Tensor x = draw({2, 1, 4}).requires_grad_(), memory = draw({3, 1, 4}).requires_grad_();
    BOOST_TEST(autograd::gradcheck([&](const Tensor& t) { return e(t, square_mask(2)); }, {x}));
    BOOST_TEST(autograd::gradcheck([&](const std::vector<Tensor>& t) { return d(t[0], t[1]); }, {x, memory}));
    BOOST_TEST(autograd::gradgradcheck([&](const std::vector<Tensor>& t) { return d(t[0], t[1]); }, {x, memory}));
    e(x).sum().backward();
    for (const auto& p : e->named_parameters()) BOOST_TEST(p.value().grad().defined(), p.key());
}
BOOST_AUTO_TEST_CASE(without_bias) {
    nn::Transformer m(nn::TransformerOptions(4, 2, 1, 1).bias(false));
    for (const auto& p : m->named_parameters()) BOOST_TEST(!has(p.key(), "bias"), p.key());
    BOOST_TEST(m(randn({2, 1, 4}), randn({3, 1, 4})).sizes() == IntArrayRef({3, 1, 4}));
}
BOOST_AUTO_TEST_CASE(made_by_name) {
    const nn::ModulePtr layer = nn::make_module("TransformerEncoderLayer", {4, 2, 6},
                                                {{"activation", "gelu"}, {"dropout", 0.0}, {"norm_first", true}});
    BOOST_TEST(layer->as<nn::TransformerEncoderLayer>()->options.norm_first());
    BOOST_TEST(has(message_of([] {
                       nn::make_module("TransformerDecoderLayer", {4, 2}, {{"activation", "tanh"}});
                   }),
                   "activation is 'tanh'; expected 'relu', 'gelu'"));
    const nn::ModulePtr stack =
        nn::make_module("TransformerEncoder", {Value::box(layer), 2},
                        {{"norm", Value::box(nn::ModulePtr(nn::LayerNorm(nn::LayerNormOptions({4})).ptr()))}});
    BOOST_TEST(has(stack->repr(), {"(0-1): 2 x TransformerEncoderLayer(", "(norm): LayerNorm((4,)"}));
    const Tensor x = randn({3, 1, 4});
    BOOST_TEST(stack->call_values({x}, {{"mask", square_mask(3).to(kFloat)}}).toTensor().sizes() == x.sizes());
    BOOST_CHECK_THROW(nn::make_module("TransformerDecoder", {Value::box(layer), 2}), TypeError);
    const nn::ModulePtr whole = nn::make_module("Transformer", {4, 2, 1, 1}, {{"dim_feedforward", 6}});
    BOOST_TEST(whole->call_values({x, x}, {{"tgt_is_causal", Value()}}).toTensor().sizes() == x.sizes());
    BOOST_CHECK_THROW(whole->call_values({x, x}, {{"mask", x}}), TypeError);
}

BOOST_AUTO_TEST_SUITE_END()
