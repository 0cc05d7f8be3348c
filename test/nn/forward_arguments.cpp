// Every layer says how the arguments of its forward are called, so that keyword calls and errors can name them.
#include <boost/test/unit_test.hpp>

#include <reel/nn/factory.hpp>
#include <reel/nn/instances.hpp>

#include "testing.hpp"

using namespace reel;
using namespace reel::testing;

namespace {

std::size_t count_of(std::string_view names) {
    std::size_t n = 1;
    for (const char c : names) n += c == ',';
    return n;
}
template <class M> constexpr bool cannot_be_called = false;
template <> constexpr bool cannot_be_called<nn::ModuleListImpl> = true;
template <> constexpr bool cannot_be_called<nn::ModuleDictImpl> = true;
template <> constexpr bool cannot_be_called<nn::ParameterListImpl> = true;
template <> constexpr bool cannot_be_called<nn::ParameterDictImpl> = true;

/// How many parameters forward has; 0 where it is overloaded.
template <class M> constexpr std::size_t arity() {
    if constexpr (requires { &M::forward; })
        return std::tuple_size_v<typename nn::detail::ForwardSignature<decltype(&M::forward)>::Arguments>;
    else return 0;
}
template <class M> void check_names(const char* name) {
    if constexpr (cannot_be_called<M>) return;
    else if constexpr (!requires { M::forward_arguments; }) BOOST_ERROR(name << " does not declare forward_arguments");
    else {
        const std::string_view names = M::forward_arguments;
        if (arity<M>() != 0) BOOST_TEST(count_of(names) == arity<M>(), name << ": " << names);
        for (std::size_t i = 0; i < count_of(names); ++i)
            BOOST_TEST(!nn::detail::nth_name(names, i).empty(), name << ": " << names);
        if constexpr (requires { M::forward_defaults(); })
            BOOST_TEST(M::forward_defaults().size() < count_of(names), name << ": " << names);
    }
}
template <class F> std::string wrong(F&& fn) { return message_of<nn::ArgumentError>(std::forward<F>(fn)); }
bool same(const Value& a, const Value& b) { return equal(a.toTensor(), b.toTensor()); }

} // namespace

BOOST_AUTO_TEST_SUITE(forward_arguments)

BOOST_AUTO_TEST_CASE(every_class_names_the_arguments_of_forward) {
#define REEL_CHECK_NAMES(Name) check_names<nn::Name##Impl>(#Name);
    REEL_NN_LAYERS(REEL_CHECK_NAMES)
#undef REEL_CHECK_NAMES
}
BOOST_AUTO_TEST_CASE(pooling_and_embedding_by_name) {
    const Tensor x = randn({1, 2, 8});
    nn::MaxPool1d pool(2);
    BOOST_TEST(same(pool->call_values({}, {{"input", x}}), Value(pool(x))));
    std::string text = wrong([&] { pool->call_values({}, {{"x", x}}); });
    BOOST_TEST(has(text, {"MaxPool1d", "unexpected keyword argument 'x'", "it takes 1 argument (input)"}), text);
    text = wrong([&] { pool->call_values({}); });
    BOOST_TEST(has(text, {"MaxPool1d", "argument 0 (input) is missing"}), text);
    const nn::ModulePtr both =
        nn::make_module("MaxPool1d", {}, {{"kernel_size", std::int64_t(2)}, {"return_indices", true}});
    BOOST_TEST(same(both->call_values({}, {{"input", x}}).elements().at(0), Value(pool(x))));
    text = wrong([&] { both->call_values({Value(1.5)}); });
    BOOST_TEST(has(text, {"MaxPool1d", "argument 0 (input): expected Tensor, got 1.5"}), text);

    nn::EmbeddingBag bag(10, 3);
    const Tensor places = tensor({1, 2, 3, 4}).to(kLong), starts = tensor({0, 3}).to(kLong);
    BOOST_TEST(same(bag->call_values({places}, {{"offsets", starts}}), Value(bag(places, starts))));
    text = wrong([&] { bag->call_values({}, {{"offsets", starts}}); });
    BOOST_TEST(has(text, {"EmbeddingBag", "argument 0 (input) is missing",
                          "takes 3 arguments (input, offsets, per_sample_weights)"}),
               text);
    nn::Embedding table(10, 3);
    BOOST_TEST(same(table->call_values({}, {{"input", places}}), Value(table(places))));
    nn::AdaptiveLogSoftmaxWithLoss rare(4, 10, std::vector<std::int64_t>{2, 5});
    const Tensor features = randn({4, 4});
    BOOST_TEST(same(rare->call_values({features}, {{"target_", places}}).elements().at(1),
                    Value(rare(features, places).loss)));
    text = wrong([&] { rare->call_values({features}); });
    BOOST_TEST(has(text, {"AdaptiveLogSoftmaxWithLoss", "argument 1 (target_) is missing"}), text);
}
BOOST_AUTO_TEST_CASE(recurrent_networks_by_name) {
    const Tensor x = randn({3, 2, 4}), h = randn({1, 2, 5});
    nn::GRU gru(4, 5);
    BOOST_TEST(same(gru->call_values({}, {{"hx", h}, {"input", x}}).elements().at(0), Value(std::get<0>(gru(x, h)))));
    std::string text = wrong([&] { gru->call_values({x}, {{"h", h}}); });
    BOOST_TEST(has(text, {"GRU", "unexpected keyword argument 'h'", "2 arguments (input, hx)"}), text);
    nn::LSTM lstm(4, 5);
    text = wrong([&] { lstm->call_values({x, Value(h)}); });
    BOOST_TEST(has(text, {"LSTM", "argument 1 (hx)"}), text);
    text = wrong([&] { lstm->call_values({Value()}); });
    BOOST_TEST(has(text, {"LSTM", "argument 0 (input)"}), text);
    nn::LSTMCell cell(4, 5);
    const Value states = Value::tuple({h.select(0, 0), h.select(0, 0)});
    BOOST_TEST(
        same(cell->call_values({}, {{"input", x.select(0, 0)}, {"hx", states}}).elements().at(1),
             Value(std::get<1>(cell(x.select(0, 0), std::optional(std::tuple(h.select(0, 0), h.select(0, 0))))))));
}
BOOST_AUTO_TEST_CASE(attention_and_transformers_by_name_with_defaults) {
    const Tensor x = randn({3, 2, 4});
    nn::MultiheadAttention a(4, 2);
    a->eval();
    const Value plain = a->call_values({x, x}, {{"value", x}, {"need_weights", false}});
    BOOST_TEST(same(plain.elements().at(0), Value(std::get<0>(a(x, x, x, Tensor(), false)))));
    BOOST_TEST(plain.elements().at(1).isNone());
    BOOST_TEST(a->call_values({x, x, x}, {{"need_weights", Value()}}).elements().at(1).isTensor()); // None: default
    std::string text = wrong([&] { a->call_values({x, x}); });
    BOOST_TEST(has(text, {"MultiheadAttention", "argument 2 (value) is missing"}), text);
    text = wrong([&] { a->call_values({x, x, x}, {{"need_weights", "no"}}); });
    BOOST_TEST(has(text, {"MultiheadAttention", "argument 4 (need_weights): expected bool, got"}), text);

    nn::TransformerEncoder encoder(nn::TransformerEncoderOptions(nn::TransformerEncoderLayerOptions(4, 2), 1));
    encoder->eval();
    const Tensor mask = nn::Transformer::generate_square_subsequent_mask(3);
    BOOST_TEST(same(encoder->call_values({x}, {{"mask", mask}, {"is_causal", true}}), Value(encoder(x, mask))));
    text = wrong([&] { encoder->call_values({x}, {{"src_mask", mask}}); });
    BOOST_TEST(has(text, {"TransformerEncoder", "unexpected keyword argument 'src_mask'", "(src, mask,"}), text);
    nn::TransformerDecoder decoder(nn::TransformerDecoderOptions(nn::TransformerDecoderLayerOptions(4, 2), 1));
    decoder->eval();
    BOOST_TEST(same(decoder->call_values({x}, {{"memory", x}, {"tgt_mask", mask}}), Value(decoder(x, x, mask))));
    text = wrong([&] { decoder->call_values({x}); });
    BOOST_TEST(has(text, {"TransformerDecoder", "argument 1 (memory) is missing"}), text);
    nn::Transformer whole(nn::TransformerOptions(4, 2, 1, 1).dim_feedforward(8));
    whole->eval();
    BOOST_TEST(same(whole->call_values({}, {{"tgt", x}, {"src", x}}), Value(whole(x, x))));
    text = wrong([&] { whole->call_values({x}); });
    BOOST_TEST(has(text, {"Transformer", "argument 1 (tgt) is missing"}), text);
}

BOOST_AUTO_TEST_CASE(section_0_4_none_where_a_tensor_is_wanted_is_a_type_error) {
    nn::Tanh tanh;
    nn::Linear linear(2, 2);
    BOOST_CHECK_THROW(tanh->call_values({Value()}), TypeError);
    BOOST_CHECK_THROW(linear->call_values({Value()}), TypeError);
}

BOOST_AUTO_TEST_CASE(an_error_of_an_op_tells_the_path_of_the_module_that_it_left) {
    const auto what = [](auto f) {
        try {
            f();
        } catch (const Error& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    const std::string refused = "linear: input has shape [1, 2], whose last dimension must equal in_features 3";
    nn::Sequential blocks{nn::ReLU(), nn::Sequential{nn::Linear(2, 2), nn::Linear(3, 1)}};
    nn::Linear alone(3, 1);
    const Tensor x = ones({1, 2});
    BOOST_TEST(what([&] { alone(x); }).starts_with(refused));
    BOOST_TEST(what([&] { alone(x); }).find("\n  in ") == std::string::npos);
    BOOST_TEST(what([&] { blocks(x); }).ends_with("\n  in 1.1 (reel::nn::LinearImpl)"), what([&] { blocks(x); }));
    BOOST_TEST(what([&] { blocks(x); }).starts_with(refused));
    blocks->register_forward_hook([](nn::Module&, const Tensor&, const Tensor&) {});
    BOOST_TEST(what([&] { blocks(x); }).ends_with("\n  in 1.1 (reel::nn::LinearImpl)"));
}

BOOST_AUTO_TEST_CASE(an_error_of_a_hook_names_the_module_of_the_hook) {
    nn::Sequential net{nn::Linear(2, 2)};
    net->ptr(0)->register_forward_hook([](nn::Module&, const Tensor&, const Tensor&) { REEL_CHECK(false, "no"); });
    try {
        net(ones({1, 2}));
        BOOST_ERROR("nothing was thrown");
    } catch (const Error& e) {
        BOOST_TEST(e.msg() == "no");
        BOOST_TEST(e.what() == std::string("no\n  in 0 (reel::nn::LinearImpl)"));
    }
}

BOOST_AUTO_TEST_SUITE_END()
