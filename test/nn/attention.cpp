// MultiheadAttention and its op: against attention written out per head, masks, names, streams, errors.
#include <reel/nn/modules/attention.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

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

constexpr double infinity = std::numeric_limits<double>::infinity();

Tensor draw(IntArrayRef sizes) { return randn(sizes, TensorOptions(kDouble)); }
bool close(const Tensor& a, const Tensor& b) { return a.sizes() == b.sizes() && allclose(a, b, 1e-9, 1e-9); }

nn::MultiheadAttention attention(nn::MultiheadAttentionOptions o) {
    nn::MultiheadAttention m(o);
    m->to(kDouble);
    NoGradGuard guard;
    for (const Tensor& p : m->parameters()) p.copy_(draw(p.sizes()) * 0.5); // biases too
    return m;
}
/// Output [target, batch, e] and weights [batch, heads, target, source] in plain loops over batch and heads.
std::pair<Tensor, Tensor> by_hand(const nn::MultiheadAttentionImpl& m, const Tensor& query, const Tensor& key,
                                  const Tensor& value, const Tensor& added = {}) {
    const std::int64_t e = m.options.embed_dim(), heads = m.options.num_heads(), each = e / heads;
    const Tensor w = m.in_proj_weight, b = m.in_proj_bias;
    const auto part = [&](const Tensor& x, std::int64_t i) {
        return matmul(x, w.slice(0, i * e, (i + 1) * e).t()) + b.slice(0, i * e, (i + 1) * e);
    };
    const Tensor q = part(query, 0), k = part(key, 1), v = part(value, 2);
    std::vector<Tensor> outputs, weights;
    for (std::int64_t n = 0; n < query.size(1); ++n) {
        std::vector<Tensor> joined, here;
        for (std::int64_t h = 0; h < heads; ++h) {
            const auto head = [&](const Tensor& x) { return x.select(1, n).slice(1, h * each, (h + 1) * each); };
            Tensor scores = matmul(head(q), head(k).t()) / std::sqrt(double(each));
            if (added.defined()) scores = scores + added;
            here.push_back(softmax(scores, 1));
            joined.push_back(matmul(here.back(), head(v)));
        }
        outputs.push_back(matmul(cat(joined, 1), m.out_proj->weight.t()) + m.out_proj->bias);
        weights.push_back(stack(here, 0));
    }
    return {stack(outputs, 1), stack(weights, 0)};
}

} // namespace

BOOST_AUTO_TEST_SUITE(attention_layers)

BOOST_AUTO_TEST_CASE(equals_attention_written_out) {
    auto m = attention(nn::MultiheadAttentionOptions(6, 3));
    const Tensor q = draw({4, 2, 6}), k = draw({5, 2, 6}), v = draw({5, 2, 6}), mask = draw({4, 5});
    for (const Tensor& added : {Tensor(), mask}) {
        const auto [want, want_weights] = by_hand(*m, q, k, v, added);
        const auto [y, w] = m(q, k, v, Tensor(), true, added);
        BOOST_TEST(close(y, want));
        BOOST_TEST(close(w, want_weights.mean(1)));
        BOOST_TEST(close(std::get<1>(m(q, k, v, Tensor(), true, added, false)), want_weights));
        const auto [plain, none] = m(q, k, v, Tensor(), false, added);
        BOOST_TEST(close(plain, want));
        BOOST_TEST(!none.defined());
    }
    // inputs that are one tensor share a product, with the same result
    BOOST_TEST(close(std::get<0>(m(q, q, q)), by_hand(*m, q, q, q).first));
    BOOST_TEST(close(std::get<0>(m(q, k, k)), by_hand(*m, q, k, k).first));
}
BOOST_AUTO_TEST_CASE(layouts_and_missing_batch) {
    auto m = attention(nn::MultiheadAttentionOptions(6, 2));
    auto turned = attention(nn::MultiheadAttentionOptions(6, 2).batch_first(true));
    turned->load_state_dict(m->state_dict());
    const Tensor q = draw({4, 3, 6}), k = draw({5, 3, 6});
    const auto [y, w] = m(q, k, k);
    const auto [turned_y, turned_w] = turned(q.transpose(0, 1), k.transpose(0, 1), k.transpose(0, 1));
    BOOST_TEST(close(turned_y.transpose(0, 1), y));
    BOOST_TEST(close(turned_w, w));
    for (auto& layer : {m, turned}) {
        const Tensor q1 = q.select(1, 2), k1 = k.select(1, 2);
        const auto [y1, w1] = layer(q1, k1, k1);
        BOOST_TEST(close(y1, y.select(1, 2)));
        BOOST_TEST(close(w1, w.select(0, 2)));
        BOOST_TEST(close(std::get<0>(layer(q1, k1, k1, Tensor(), false)), y1));
    }
}
BOOST_AUTO_TEST_CASE(masks_hide_keys) {
    auto m = attention(nn::MultiheadAttentionOptions(4, 2));
    const Tensor q = draw({3, 2, 4}), k = draw({4, 2, 4});
    const Tensor padding = tensor({{false, false, true, false}, {false, true, false, true}});
    Tensor other = k.clone();
    other.select(0, 2).select(0, 0).fill_(9);
    other.select(0, 1).select(0, 1).fill_(9);
    other.select(0, 3).select(0, 1).fill_(-9);
    for (bool weights : {true, false}) {
        const Tensor y = std::get<0>(m(q, k, k, padding, weights));
        BOOST_TEST(close(y, std::get<0>(m(q, other, other, padding, weights))));
        BOOST_TEST(!close(y, std::get<0>(m(q, k, k, Tensor(), weights))));
        const Tensor numbers = zeros({2, 4}, TensorOptions(kDouble)).masked_fill(padding, -infinity);
        BOOST_TEST(close(y, std::get<0>(m(q, k, k, numbers, weights))));
        // a mask per batch and head, of bools or numbers, with the padding on top
        const Tensor hide = draw({4, 3, 4}) > 0.8;
        hide.select(2, 0).fill_(false); // a query that no key is left for has no value
        const Tensor added = zeros({4, 3, 4}, TensorOptions(kDouble)).masked_fill(hide, -infinity);
        BOOST_TEST(
            close(std::get<0>(m(q, k, k, padding, weights, hide)), std::get<0>(m(q, k, k, numbers, weights, added))));
    }
    BOOST_TEST(std::get<1>(m(q, k, k, padding)).masked_select(padding.unsqueeze(1)).abs().sum().item<double>() == 0);
}
BOOST_AUTO_TEST_CASE(a_row_that_sees_nothing) { // PyTorch: NaN with weights, zeros through the fused product
    auto m = attention(nn::MultiheadAttentionOptions(4, 2));
    const Tensor x = draw({2, 1, 4}), mask = tensor({{false, false}, {true, true}});
    const Tensor y = std::get<0>(m(x, x, x, Tensor(), true, mask));
    BOOST_TEST(y.select(0, 0).isfinite().all().item<bool>());
    BOOST_TEST(y.select(0, 1).isnan().all().item<bool>());
    BOOST_TEST(close(std::get<0>(m(x, x, x, Tensor(), false, mask)).select(0, 1).select(0, 0), m->out_proj->bias));
}
BOOST_AUTO_TEST_CASE(the_causal_hint_stands_for_its_mask) {
    auto m = attention(nn::MultiheadAttentionOptions(4, 2));
    const Tensor x = draw({5, 2, 4}), mask = triu(full({5, 5}, -infinity, TensorOptions(kDouble)), 1);
    const Tensor y = std::get<0>(m(x, x, x, Tensor(), true, mask));
    for (bool weights : {true, false}) {
        BOOST_TEST(close(std::get<0>(m(x, x, x, Tensor(), weights, mask, true, true)), y));
        BOOST_TEST(close(std::get<0>(m(x, x, x, zeros({2, 5}).to(kBool), weights, mask, true, true)), y));
    }
    BOOST_TEST(has(message_of([&] { m(x, x, x, Tensor(), true, Tensor(), true, true); }),
                   {"multi_head_attention_forward", "is_causal only describes attn_mask, which is missing",
                    "generate_square_subsequent_mask"}));
}
BOOST_AUTO_TEST_CASE(extra_keys_and_other_widths) {
    const Tensor q = draw({3, 2, 4}), k = draw({5, 2, 4});
    const Tensor padding = zeros({2, 5}).to(kBool), mask = zeros({3, 5}, TensorOptions(kDouble));
    auto both = attention(nn::MultiheadAttentionOptions(4, 2).add_bias_kv(true).add_zero_attn(true));
    for (bool masks : {true, false}) {
        const auto [y, w] = both(q, k, k, masks ? padding : Tensor(), true, masks ? mask : Tensor());
        BOOST_TEST(w.sizes() == IntArrayRef({2, 3, 7}));
        BOOST_TEST(close(std::get<0>(both(q, k, k, masks ? padding : Tensor(), false, masks ? mask : Tensor())), y));
    }
    // bias_k and bias_v are one position more behind the projections
    auto plain = attention(nn::MultiheadAttentionOptions(4, 1)),
         more = attention(nn::MultiheadAttentionOptions(4, 1).add_bias_kv(true));
    more->load_state_dict(plain->state_dict(), false);
    {
        NoGradGuard guard;
        for (const Tensor& w : {plain->in_proj_weight, more->in_proj_weight})
            w.slice(0, 4, 12).copy_(cat({eye(4), eye(4)}));
        for (const Tensor& b : {plain->in_proj_bias, more->in_proj_bias}) b.zero_();
    }
    const Tensor last = more->bias_k.expand({1, 2, 4}), last_v = more->bias_v.expand({1, 2, 4});
    BOOST_TEST(close(std::get<0>(more(q, k, k)), std::get<0>(plain(q, cat({k, last}), cat({k, last_v})))));

    auto wide = attention(nn::MultiheadAttentionOptions(4, 2).kdim(3).vdim(5));
    const auto [y, w] = wide(q, draw({5, 2, 3}), draw({5, 2, 5}));
    BOOST_TEST(y.sizes() == IntArrayRef({3, 2, 4}));
    BOOST_TEST(w.sizes() == IntArrayRef({2, 3, 5}));
    BOOST_TEST(has(message_of([&] { wide(q, k, draw({5, 2, 5})); }), "k_proj_weight has shape"));
}
BOOST_AUTO_TEST_CASE(gradients) {
    const Tensor q = draw({2, 1, 4}).requires_grad_(), k = draw({3, 1, 4}).requires_grad_(),
                 w = draw({12, 4}).requires_grad_(), b = draw({12}).requires_grad_(),
                 out = draw({4, 4}).requires_grad_(), bias_k = draw({1, 1, 4}).requires_grad_(),
                 mask = draw({2, 3}).requires_grad_();
    for (bool weights : {true, false}) {
        const auto f = [&](const std::vector<Tensor>& x) {
            const auto [y, a] = reel::multi_head_attention_forward(x[0], x[1], x[1], 4, 2, x[2], x[3], x[5], x[5], true,
                                                                   0., x[4], {}, true, {}, weights, x[6]);
            return a.defined() ? std::vector<Tensor>{y, a} : std::vector<Tensor>{y};
        };
        BOOST_TEST(autograd::gradcheck(f, {q, k, w, b, out, bias_k, mask}));
        BOOST_TEST(autograd::gradgradcheck(f, {q, k, w, b, out, bias_k, mask}));
    }
}
BOOST_AUTO_TEST_CASE(dropout_in_training_only) {
    auto m = attention(nn::MultiheadAttentionOptions(4, 1).dropout(0.5));
    const Tensor x = draw({8, 2, 4});
    const auto zeros_in = [&] { return (std::get<1>(m(x, x, x)) == 0).sum().item<std::int64_t>(); };
    manual_seed(1);
    const auto dropped = zeros_in();
    BOOST_TEST(dropped > 20);
    BOOST_TEST(dropped < 108);
    m->eval();
    BOOST_TEST(zeros_in() == 0);
    BOOST_TEST(close(std::get<0>(m(x, x, x, Tensor(), false)), std::get<0>(m(x, x, x))));
}
BOOST_AUTO_TEST_CASE(names_printing_and_copies) {
    nn::MultiheadAttention m(nn::MultiheadAttentionOptions(8, 2).add_bias_kv(true));
    std::string names;
    for (const auto& p : m->named_parameters()) names += p.key() + " ";
    BOOST_TEST(names == "in_proj_weight in_proj_bias bias_k bias_v out_proj.weight out_proj.bias ");
    const std::string text = "MultiheadAttention(\n  (out_proj): NonDynamicallyQuantizableLinear(in_features=8, "
                             "out_features=8, bias=True)\n)";
    BOOST_TEST(m->repr() == text);
    const nn::ModulePtr copy = m->clone();
    BOOST_TEST(copy->repr() == text);
    BOOST_TEST(m->out_proj->clone()->repr() == m->out_proj->repr());
    const Tensor x = randn({3, 1, 8});
    auto twin = copy->as<nn::MultiheadAttention>();
    BOOST_TEST(equal(std::get<0>(twin->forward(x, x, x)), std::get<0>(m(x, x, x))));
    BOOST_TEST(!twin->out_proj->weight.is_same(m->out_proj->weight));

    nn::MultiheadAttention apart(nn::MultiheadAttentionOptions(8, 2).bias(false).kdim(3));
    names.clear();
    for (const auto& p : apart->named_parameters()) names += p.key() + " ";
    BOOST_TEST(names == "q_proj_weight k_proj_weight v_proj_weight out_proj.weight ");
}
BOOST_AUTO_TEST_CASE(drawn_in_pytorchs_order) { // out_proj's Linear first, then the projections, then bias_k, bias_v
    manual_seed(7);
    nn::MultiheadAttention m(nn::MultiheadAttentionOptions(8, 2).add_bias_kv(true));
    manual_seed(7);
    nn::Linear out(8, 8);
    const Tensor w = nn::init::xavier_uniform_(empty({24, 8})), k = nn::init::xavier_normal_(empty({1, 1, 8})),
                 v = nn::init::xavier_normal_(empty({1, 1, 8}));
    BOOST_TEST(equal(m->out_proj->weight, out->weight));
    BOOST_TEST(equal(m->in_proj_weight, w));
    BOOST_TEST(equal(m->bias_k, k));
    BOOST_TEST(equal(m->bias_v, v));
    BOOST_TEST(m->in_proj_bias.abs().sum().item<double>() == 0);
    BOOST_TEST(m->out_proj->bias.abs().sum().item<double>() == 0);
}
BOOST_AUTO_TEST_CASE(hooks_see_keywords) { // C-8; out_proj lends its tensors and is not called
    nn::MultiheadAttention m(4, 2);
    std::string seen;
    m->register_forward_pre_hook([&](nn::Module&, const Args& args, const Kwargs& kwargs) {
        seen += std::to_string(args.size()) + " args";
        for (const auto& [key, value] : kwargs) seen += " " + key.toStringRef();
    });
    m->register_forward_hook([&](nn::Module&, const Args&, const Value& out) {
        seen += std::string(" -> ") + (out.elements().at(1).isNone() ? "none" : "weights");
    });
    m->out_proj->register_forward_hook([&](nn::Module&, const Args&, const Value&) { seen += " out_proj"; });
    const Tensor x = randn({3, 1, 4});
    m->call_values({x, x, x}, {{"need_weights", false}});
    BOOST_TEST(seen == "3 args need_weights -> none");
    m(x, x, x);
    BOOST_TEST(seen == "3 args need_weights -> none3 args -> weights");
    BOOST_CHECK_THROW(m->call_values({x, x, x}, {{"mask", x}}), TypeError);
}
BOOST_AUTO_TEST_CASE(the_functional_form) {
    auto m = attention(nn::MultiheadAttentionOptions(4, 2));
    const Tensor q = draw({3, 2, 4}), k = draw({5, 2, 4});
    namespace F = nn::functional;
    auto o = F::MultiheadAttentionForwardFuncOptions(4, 2, m->in_proj_weight, m->in_proj_bias, {}, {}, false, 0.,
                                                     m->out_proj->weight, m->out_proj->bias);
    BOOST_TEST(close(std::get<0>(F::multi_head_attention_forward(q, k, k, o)), std::get<0>(m(q, k, k))));
    // keys and values that were projected elsewhere: [batch * heads, source, width]
    const auto heads = [&](std::int64_t i) {
        const Tensor x =
            F::linear(k, m->in_proj_weight.slice(0, 4 * i, 4 * i + 4), m->in_proj_bias.slice(0, 4 * i, 4 * i + 4));
        return x.reshape({5, 4, 2}).transpose(0, 1);
    };
    const Tensor other = draw({5, 2, 4});
    o.static_k(heads(1)).static_v(heads(2));
    BOOST_TEST(close(std::get<0>(F::multi_head_attention_forward(q, other, other, o)), std::get<0>(m(q, k, k))));
    o.static_k(draw({3, 5, 2}));
    BOOST_TEST(has(message_of([&] { F::multi_head_attention_forward(q, k, k, o); }), "static_k has shape [3, 5, 2]"));
    const Tensor s = F::scaled_dot_product_attention(q, q, q, {}, 0., true);
    BOOST_TEST(close(s.select(1, 0), q.select(1, 0)));
}
BOOST_AUTO_TEST_CASE(errors_name_the_argument) {
    BOOST_TEST(has(message_of<ValueError>([] { nn::MultiheadAttention(0, 2); }), "embed_dim is 0 and num_heads 2"));
    BOOST_TEST(has(message_of([] { nn::MultiheadAttention(5, 2); }), "embed_dim 5 is no multiple of num_heads 2"));
    nn::MultiheadAttention m(4, 2);
    const Tensor x = randn({3, 2, 4}), flat = randn({3, 4});
    const auto says = [&](const char* what, auto... args) {
        const std::string text = message_of([&] { m(args...); });
        return has(text, {"multi_head_attention_forward: ", what}) ? boost::test_tools::predicate_result(true) : [&] {
            boost::test_tools::predicate_result r(false);
            r.message() << text;
            return r;
        }();
    };
    const Tensor none;
    BOOST_TEST(says("query has shape [1, 3, 2, 4]", randn({1, 3, 2, 4}), x, x));
    BOOST_TEST(says("key and value have shapes [3, 4] and [3, 2, 4]; query is batched (3-D), so expected 3-D tensors",
                    x, flat, x));
    BOOST_TEST(says("key_padding_mask has shape [2, 3]; query is unbatched (2-D), so expected 1-D", flat, flat, flat,
                    zeros({2, 3})));
    BOOST_TEST(says("attn_mask has shape [3]; expected two or three dimensions", x, x, x, none, true, zeros({3})));
    BOOST_TEST(says("attn_mask has shape [1, 3, 3]; query is unbatched, so expected [heads, target, source] [2, 3, 3]",
                    flat, flat, flat, none, true, zeros({1, 3, 3})));
    BOOST_TEST(says("attn_mask has shape [3, 2]; expected [3, 3]", x, x, x, none, true, zeros({3, 2})));
    BOOST_TEST(says("attn_mask has shape [2, 3, 3]; expected [4, 3, 3]", x, x, x, none, true, zeros({2, 3, 3})));
    BOOST_TEST(says("key_padding_mask has shape [3, 3]; expected [batch, source] [2, 3]", x, x, x, zeros({3, 3})));
    BOOST_TEST(says("key_padding_mask has shape [2, 2]; expected [batch, source] [2, 3]", x, x, x, zeros({2, 2})));
    BOOST_TEST(says("query has 6 features; expected embed_dim 4", randn({3, 2, 6}), x, x));
    BOOST_TEST(says("query [3, 2, 4] and key [3, 1, 4] differ in their batch", x, randn({3, 1, 4}), randn({3, 1, 4})));
    BOOST_TEST(says("key [2, 2, 4] and value [3, 2, 4] differ", x, randn({2, 2, 4}), x));
    BOOST_TEST(says("key_padding_mask is int64; expected bool", x, x, x, zeros({2, 3}).to(kLong)));
    BOOST_TEST(says("attn_mask is int64; expected bool", x, x, x, none, true, zeros({3, 3}).to(kLong)));
}
BOOST_AUTO_TEST_CASE(made_by_name) {
    const nn::ModulePtr m = nn::make_module("MultiheadAttention", {8, 2}, {{"kdim", 3}, {"dtype", kDouble}});
    BOOST_TEST(m->get_parameter("k_proj_weight").sizes() == IntArrayRef({8, 3}));
    BOOST_TEST((m->get_parameter("in_proj_bias").scalar_type() == kDouble));
    BOOST_CHECK_THROW(nn::make_module("MultiheadAttention", {8}), TypeError);
}

BOOST_AUTO_TEST_SUITE_END()
