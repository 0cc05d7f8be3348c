// Encoder layers without gradients, sequences of unlike length, rounding for quantization, and operators of older
// archives and decomposed programs.
#include <reel/script/operator.hpp>

#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn.hpp>

#include "message.hpp"

using namespace reel;
using reel::testing::message;

namespace {
constexpr double inf = std::numeric_limits<double>::infinity();

IValue run(std::string_view name, std::vector<IValue> arguments) {
    const jit::Operator* const op = jit::find_operator(name);
    BOOST_REQUIRE_MESSAGE(op && op->run, name);
    return op->run(arguments);
}
Tensor part(const IValue& v, std::size_t i) { return v.elements().at(i).toTensor(); }
/// Two sequences of four positions, of which the second has two.
Tensor present() { return reel::tensor({{true, true, true, true}, {true, true, false, false}}); }

/// An encoder layer of eight features and two heads in evaluation, and the operator that stands for it.
struct Layer {
    Layer(bool gelu, bool norm_first) : gelu(gelu), norm_first(norm_first) {
        manual_seed(1);
        layer = nn::TransformerEncoderLayer(nn::TransformerEncoderLayerOptions(8, 2)
                                                .dim_feedforward(16)
                                                .activation(gelu ? nn::activation_t(kGELU) : nn::activation_t(kReLU))
                                                .norm_first(norm_first)
                                                .batch_first(true));
        layer->eval();
    }
    Tensor fast(const Tensor& src, const IValue& mask = {}, const IValue& type = {}) const {
        const auto p = [&](const char* name) { return IValue(layer->get_parameter(name)); };
        return run("aten::_transformer_encoder_layer_fwd", {src,
                                                            8,
                                                            2,
                                                            p("self_attn.in_proj_weight"),
                                                            p("self_attn.in_proj_bias"),
                                                            p("self_attn.out_proj.weight"),
                                                            p("self_attn.out_proj.bias"),
                                                            gelu,
                                                            norm_first,
                                                            1e-5,
                                                            p("norm1.weight"),
                                                            p("norm1.bias"),
                                                            p("norm2.weight"),
                                                            p("norm2.bias"),
                                                            p("linear1.weight"),
                                                            p("linear1.bias"),
                                                            p("linear2.weight"),
                                                            p("linear2.bias"),
                                                            mask,
                                                            type})
            .toTensor();
    }
    bool gelu, norm_first;
    nn::TransformerEncoderLayer layer{nullptr};
};
} // namespace

BOOST_AUTO_TEST_SUITE(script_operator_attention)

BOOST_AUTO_TEST_CASE(an_encoder_layer_in_one_call_is_the_layer) { // SC-93
    const NoGradGuard no_grad;
    manual_seed(2);
    const Tensor x = reel::randn({2, 4, 8}), hidden = present().logical_not();
    for (const bool gelu : {false, true})
        for (const bool norm_first : {false, true}) {
            const Layer l(gelu, norm_first);
            BOOST_TEST(reel::allclose(l.fast(x), l.layer(x), 1e-5, 1e-6));
            const Tensor masked = l.layer->forward(x, {}, hidden);
            BOOST_TEST(reel::allclose(l.fast(x, hidden, 1), masked, 1e-5, 1e-6));
            const Tensor added = reel::zeros({2, 4}).masked_fill(hidden, -inf);
            BOOST_TEST(reel::allclose(l.fast(x, added, 1), masked, 1e-5, 1e-6));
        }
    const Layer l(false, false);
    BOOST_TEST(message([&] { l.fast(x, hidden, 3); }) ==
               "_native_multi_head_attention: mask_type is 3; expected 0 (of positions), 1 (of keys) or 2 (of heads)");
}
BOOST_AUTO_TEST_CASE(sequences_of_unlike_length_are_attended_to_as_far_as_they_go) { // SC-93
    const NoGradGuard no_grad;
    manual_seed(2);
    const Tensor x = reel::randn({2, 4, 8}), mask = present();
    BOOST_TEST(run("aten::_nested_tensor_from_mask_left_aligned", {x, mask}).toBool());
    BOOST_TEST(!run("aten::_nested_tensor_from_mask_left_aligned", {x, mask.flip({1})}).toBool());
    const Tensor ragged = run("aten::_nested_tensor_from_mask", {x, mask, true}).toTensor();
    BOOST_TEST(run("prim::is_nested", {ragged}).toBool());
    BOOST_TEST(!run("prim::is_nested", {x}).toBool());
    const Tensor filled = run("aten::to_padded_tensor", {ragged, 7., IValue()}).toTensor();
    BOOST_TEST(reel::equal(filled, x.masked_fill(mask.logical_not().unsqueeze(2), 7)));
    const Layer l(true, false);
    const Tensor through = run("aten::to_padded_tensor", {l.fast(ragged), 0., IValue(x.sizes().vec())}).toTensor();
    const Tensor want = l.layer->forward(x, {}, mask.logical_not()).masked_fill(mask.logical_not().unsqueeze(2), 0);
    BOOST_TEST(reel::allclose(through, want, 1e-5, 1e-6));
    BOOST_CHECK_THROW(ragged.exp(), NotImplementedError); // no other op takes it for a batch
    BOOST_TEST(message([&] {
                   run("aten::_nested_tensor_from_mask", {x, mask.flip({1}), true});
               }) == "_nested_tensor_from_mask: mask has a True behind a False; expected all of a row's at its left");
    BOOST_TEST(message([&] {
                   run("aten::to_padded_tensor", {x, 0., IValue()});
               }) == "to_padded_tensor: self is dense; expected sequences of unlike length");
}
BOOST_AUTO_TEST_CASE(attention_in_one_call_gives_its_weights) { // SC-93
    const NoGradGuard no_grad;
    manual_seed(1);
    nn::MultiheadAttention a(nn::MultiheadAttentionOptions(8, 2).batch_first(true));
    a->eval();
    const Tensor q = reel::randn({2, 3, 8}), k = reel::randn({2, 4, 8}), hidden = present().logical_not();
    const auto call = [&](bool weights, bool average) {
        const auto p = [&](const char* name) { return IValue(a->get_parameter(name)); };
        return run("aten::_native_multi_head_attention",
                   {q, k, k, 8, 2, p("in_proj_weight"), p("in_proj_bias"), p("out_proj.weight"), p("out_proj.bias"),
                    hidden, weights, average, 1});
    };
    const auto [out, weights] = a->forward(q, k, k, hidden);
    const IValue both = call(true, true);
    BOOST_TEST(reel::allclose(part(both, 0), out, 1e-5, 1e-6));
    BOOST_TEST(reel::allclose(part(both, 1), weights, 1e-5, 1e-6));
    BOOST_TEST(part(call(true, false), 1).sizes() == IntArrayRef({2, 2, 3, 4}));
    const IValue alone = call(false, true);
    BOOST_TEST(reel::allclose(part(alone, 0), out, 1e-5, 1e-6));
    BOOST_TEST(alone.elements().at(1).isNone());
}
BOOST_AUTO_TEST_CASE(rounding_for_quantization_passes_gradients_where_bits_reach) { // SC-91
    const Tensor x = reel::tensor({-2.0, -0.26, 0.0, 0.24, 9.0}).requires_grad_();
    const Tensor out = run("aten::fake_quantize_per_tensor_affine", {x, 0.1, 4, 0, 15}).toTensor();
    BOOST_TEST(reel::allclose(out, reel::tensor({-0.4, -0.3, 0.0, 0.2, 1.1})));
    out.sum().backward();
    BOOST_TEST(reel::equal(x.grad(), reel::tensor({0.0, 1.0, 1.0, 1.0, 0.0})));
    const Tensor rows = reel::tensor({{0.26, 0.26}, {3.0, 3.0}}), scale = reel::tensor({0.1, 0.5});
    const IValue each = run("aten::fake_quantize_per_channel_affine_cachemask",
                            {rows, scale, reel::zeros({2}, TensorOptions(kInt)), 1, -8, 7});
    BOOST_TEST(reel::allclose(part(each, 0), reel::tensor({{0.3, 0.5}, {0.7, 3.0}})));
    BOOST_TEST(reel::equal(part(each, 1), reel::tensor({{true, true}, {false, true}})));
    BOOST_TEST(message([&] {
                   run("aten::fake_quantize_per_tensor_affine", {x, 0.1, 40, 0, 15});
               }) ==
               "fake_quantize_per_tensor_affine: zero_point is 40; expected a number from quant_min 0 to quant_max 15");
}
BOOST_AUTO_TEST_CASE(what_older_archives_and_decomposed_programs_call_runs) { // SC-91
    const Tensor a = reel::arange(6, TensorOptions(kDouble)).reshape({2, 3});
    const Tensor two = reel::full({}, 2., kDouble), four = reel::full({}, 4., kDouble);
    const std::vector<IValue> range{two, four, 3, IValue(), IValue(), IValue(), IValue()};
    BOOST_TEST(reel::allclose(run("aten::linspace.Tensor_Tensor", range).toTensor(), reel::tensor({2.0, 3.0, 4.0})));
    manual_seed(1);
    const Tensor x = reel::randn({5, 2, 3}), w = reel::randn({3, 3, 4}), b = reel::randn({4});
    const Tensor want = reel::conv1d(x.permute({1, 2, 0}), w.permute({2, 1, 0}), b, {1}, {1}).permute({2, 0, 1});
    BOOST_TEST(reel::allclose(run("aten::conv_tbc", {x, w, b, 1}).toTensor(), want));
    const Tensor mask = reel::tensor({true, false}), at = reel::tensor({1, 900});
    const IValue indices = IValue::list({at, reel::tensor({2, 0})});
    BOOST_TEST(reel::allclose(run("aten::_unsafe_masked_index", {a, mask, indices, 0.5}).toTensor(),
                              reel::tensor({5.0, 0.5}, TensorOptions(kDouble))));
    const IValue solved =
        run("aten::triangular_solve", {reel::ones({2, 1}), reel::tensor({{2.0, 1.0}, {0.0, 1.0}}), true, false, false});
    BOOST_TEST(reel::allclose(part(solved, 0), reel::tensor({{0.0}, {1.0}})));
    const Tensor y = reel::softmax(a, 1);
    const Tensor leaf = a.detach().clone().requires_grad_();
    (reel::softmax(leaf, 1) * a).sum().backward();
    BOOST_TEST(reel::allclose(run("aten::_softmax_backward_data", {a, y, 1, 7}).toTensor(), leaf.grad()));
    BOOST_CHECK_THROW(run("aten::sym_constrain_range", {IValue(9), IValue(0), IValue(5)}), Error);
    const Tensor weight = reel::zeros({3}).requires_grad_();
    run("aten::_no_grad_fill_", {weight, 2.});
    BOOST_TEST(reel::equal(weight.detach(), reel::full({3}, 2.)));
    BOOST_TEST(weight.is_leaf());
}

BOOST_AUTO_TEST_SUITE_END()
