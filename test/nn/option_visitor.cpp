// Layers from the lists of their options: arguments by name, defaults, printed forms, errors.
#include <reel/nn/option_visitor.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/nn/factory.hpp>

#include "nn/testing.hpp"

using namespace reel;
using namespace reel::testing;
using nn::OptionVisitor;
using nn::Shown;

namespace {

/// A layer as a user writes it: its options list themselves, the rest follows.
struct ShiftedOptions {
    ShiftedOptions(std::int64_t width) : width_(width), inner_(width) {}
    void fields(OptionVisitor& v) {
        v.required("width", width_, Shown::value);
        v.following("inner", inner_, width_);
        v("shift", shift_);
        v("window", window_, Shown::tuple | Shown::unless_default);
        v("mode", mode_, Shown::bare | Shown::unless_default);
        v("limit", limit_, Shown::unless_default);
        v.keyword_only();
        v.hidden("note", note_);
    }
    using mode_t = Choice<enumtype::kMean, enumtype::kSum>;
    REEL_ARG(std::int64_t, width);
    REEL_ARG(std::int64_t, inner);
    REEL_ARG(nn::Number, shift) = 0.5;
    REEL_ARG(ExpandingArray<2>, window) = 1;
    REEL_ARG(mode_t, mode) = kMean;
    REEL_ARG(std::optional<double>, limit) = 2.0;
    REEL_ARG(std::string, note) = "";
};
class ShiftedImpl : public nn::Cloneable<ShiftedImpl> {
public:
    explicit ShiftedImpl(const ShiftedOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input) { return input + double(options.shift()); }
    ShiftedOptions options;
};
REEL_MODULE(Shifted);
const bool registered = nn::register_layers<ShiftedImpl>();

std::string text_of(const char* name, const Args& args = {}, const Kwargs& kwargs = {}) {
    return nn::make_module(name, args, kwargs)->repr();
}
template <class E> std::string error_of(const char* name, const Args& args = {}, const Kwargs& kwargs = {}) {
    return message_of<E>([&] { nn::make_module(name, args, kwargs); });
}

template <class M> constexpr bool has_options = requires(M& m) { m.options; };
template <class M> constexpr bool lists_options = requires(M& m, OptionVisitor& v) { m.options.fields(v); };

} // namespace

BOOST_AUTO_TEST_SUITE(option_visitor)

BOOST_AUTO_TEST_CASE(every_layer_lists_its_options_and_is_registered) {
    // Functional holds a function and the two containers of parameters hold tensors: they are made in C++ alone
    const auto made_here = [](std::string_view n) {
        return n == "Functional" || n == "ParameterList" || n == "ParameterDict";
    };
#define REEL_CHECK_LAYER(Name)                                                                                         \
    BOOST_TEST((!has_options<nn::Name##Impl> || lists_options<nn::Name##Impl>), #Name << " lists no options");         \
    BOOST_TEST(nn::has_module(#Name) != made_here(#Name), #Name);
    REEL_NN_LAYERS(REEL_CHECK_LAYER)
#undef REEL_CHECK_LAYER
}
BOOST_AUTO_TEST_CASE(a_layer_of_ones_own_from_its_list) {
    BOOST_TEST(registered);
    BOOST_TEST(text_of("Shifted", {4}) == "Shifted(4, inner=4, shift=0.5)");
    BOOST_TEST(Shifted(ShiftedOptions(4))->repr() == "Shifted(4, inner=4, shift=0.5)");
    BOOST_TEST(text_of("Shifted", {4, 3, 1}) == "Shifted(4, inner=3, shift=1)"); // an integer prints as one
    const std::vector<std::int64_t> two{2, 3};
    BOOST_TEST(text_of("Shifted", {}, {{"width", 4}, {"window", two}, {"mode", "sum"}, {"limit", Value()}}) ==
               "Shifted(4, inner=4, shift=0.5, window=(2, 3), mode=sum, limit=None)");
    BOOST_TEST(text_of("Shifted", {4}, {{"window", 1}, {"mode", "mean"}, {"limit", 2.0}}) ==
               "Shifted(4, inner=4, shift=0.5)");
    BOOST_TEST(text_of("Shifted", {4}, {{"inner", Value()}}) == "Shifted(4, inner=4, shift=0.5)"); // None: the default
    const auto noted = nn::make_module("Shifted", {4}, {{"note", "seen"}, {"shift", 2.0}});
    BOOST_TEST(noted->repr() == "Shifted(4, inner=4, shift=2.0)");
    BOOST_TEST(noted->as<ShiftedImpl>()->options.note() == "seen");
    BOOST_TEST(noted->clone()->as<ShiftedImpl>()->options.note() == "seen");
    BOOST_TEST(noted->call_values({ones({1})}).toTensor().item<double>() == 3);
}
BOOST_AUTO_TEST_CASE(errors_name_the_layer_and_the_argument) {
    BOOST_TEST(has(error_of<TypeError>("Linear", {2}), {"Linear", "'out_features' is missing"}));
    BOOST_TEST(has(error_of<TypeError>("Linear", {2, 3}, {{"biases", true}}), {"Linear", "no argument 'biases'"}));
    BOOST_TEST(has(error_of<TypeError>("Linear", {2, 3}, {{"in_features", 2}}), {"Linear", "'in_features'", "twice"}));
    BOOST_TEST(has(error_of<TypeError>("Linear", {2, "three"}), {"Linear: argument 'out_features': "}));
    BOOST_TEST(has(error_of<TypeError>("Unflatten", {1, 3}), {"Unflatten: argument 'unflattened_size'", "got 3"}));
    BOOST_TEST(has(error_of<TypeError>("ReLU", {true, false}), {"ReLU", "at most 1 arguments, got 2"}));
    BOOST_TEST(has(error_of<TypeError>("Shifted", {4, 4, 1, 1, "sum", 2.0, "note"}),
                   {"Shifted: the constructor takes 6 arguments by position, the others by keyword; got 7"}));
    BOOST_TEST(has(error_of<TypeError>("Sigmoid", {true}), {"Sigmoid", "at most 0 arguments, got 1"}));
    BOOST_TEST(has(error_of<ValueError>("MSELoss", {}, {{"reduction", "most"}}),
                   {"MSELoss: reduction is 'most'; expected 'none', 'mean' or 'sum'"}));
    BOOST_TEST(has(error_of<ValueError>("Shifted", {4}, {{"mode", "most"}}),
                   {"Shifted: mode is 'most'; expected 'mean' or 'sum'"}));
    BOOST_TEST(has(error_of<ValueError>("Upsample", {2}, {{"mode", "cubic"}}),
                   {"Upsample: mode is 'cubic'; expected 'nearest', 'nearest-exact', 'linear'"}));
    BOOST_TEST(has(error_of<ValueError>("Conv2d", {1, 1, 1}, {{"padding", "full"}}),
                   {"Conv2d: padding is 'full'; expected numbers, 'same' or 'valid'"}));
    const std::vector<std::int64_t> three{3, 3, 3};
    BOOST_TEST(has(error_of<ValueError>("Conv2d", {1, 1, three}), {"Conv2d: kernel_size has 3 entries, expected 2"}));
}
BOOST_AUTO_TEST_CASE(defaults_are_those_of_the_options) {
    BOOST_TEST(text_of("Dropout") == nn::Dropout()->repr());
    BOOST_TEST(text_of("LeakyReLU") == nn::LeakyReLU()->repr());
    BOOST_TEST(text_of("RReLU") == nn::RReLU()->repr());
    BOOST_TEST(text_of("PReLU") == nn::PReLU()->repr());
    BOOST_TEST(text_of("GroupNorm", {2, 4}) == nn::GroupNorm(2, 4)->repr());
    BOOST_TEST(text_of("InstanceNorm2d", {4}) == nn::InstanceNorm2d(4)->repr());
    BOOST_TEST(text_of("MaxPool2d", {3}) == nn::MaxPool2d(3)->repr());
    BOOST_TEST(text_of("Conv2d", {4, 6, 3}) == nn::Conv2d(4, 6, 3)->repr());
    BOOST_TEST(text_of("LSTM", {4, 6}) == nn::LSTM(4, 6)->repr());
    const auto attention = nn::make_module("MultiheadAttention", {6, 2}, {{"vdim", 4}});
    BOOST_TEST(attention->as<nn::MultiheadAttentionImpl>()->options.kdim() == 6);
    BOOST_TEST(attention->as<nn::MultiheadAttentionImpl>()->options.vdim() == 4);
    BOOST_TEST(nn::make_module("MaxPool1d", {3})->as<nn::MaxPool1dImpl>()->options.stride()[0] == 3);
}
BOOST_AUTO_TEST_CASE(printed_in_PyTorchs_order_where_it_is_not_the_constructors) {
    BOOST_TEST(text_of("ConvTranspose2d", {4, 6, 3, 2, 1, 1, 2, false, 2}) ==
               "ConvTranspose2d(4, 6, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), dilation=(2, 2), "
               "output_padding=(1, 1), groups=2, bias=False)");
    BOOST_TEST(text_of("BatchNorm1d", {4}, {{"momentum", Value()}, {"bias", false}}) ==
               "BatchNorm1d(4, eps=1e-05, momentum=None, affine=True, bias=False, track_running_stats=True)");
    BOOST_TEST(text_of("LSTM", {4, 6}, {{"num_layers", 2}, {"proj_size", 3}}) ==
               "LSTM(4, 6, proj_size=3, num_layers=2)");
    BOOST_TEST(text_of("Conv1d", {1, 1, 3}, {{"padding", "same"}, {"padding_mode", "circular"}}) ==
               "Conv1d(1, 1, kernel_size=(3,), stride=(1,), padding=same, padding_mode=circular)");
    BOOST_TEST(text_of("RNNCell", {2, 3}, {{"nonlinearity", "relu"}}) == "RNNCell(2, 3, nonlinearity=relu)");
    const std::vector<double> factors{2.0, 1.5};
    BOOST_TEST(text_of("Upsample", {}, {{"scale_factor", factors}, {"mode", "bilinear"}}) ==
               "Upsample(scale_factor=(2.0, 1.5), mode='bilinear')");
    BOOST_TEST(text_of("Upsample", {7}) == "Upsample(size=7, mode='nearest')");
}
BOOST_AUTO_TEST_CASE(the_older_words_for_reduction) {
    const auto reduction = [](const Kwargs& kwargs) {
        return std::string(nn::make_module("NLLLoss", {}, kwargs)->as<nn::NLLLossImpl>()->options.reduction().name());
    };
    BOOST_TEST(reduction({}) == "kMean");
    BOOST_TEST(reduction({{"size_average", false}}) == "kSum");
    BOOST_TEST(reduction({{"reduce", false}}) == "kNone");
    BOOST_TEST(reduction({{"size_average", true}, {"reduce", true}, {"reduction", "sum"}}) == "kMean");
    BOOST_TEST(reduction({{"reduction", "sum"}}) == "kSum");
}

BOOST_AUTO_TEST_SUITE_END()
