// The printed form of modules.
#include "nn/testing.hpp"

#include <sstream>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/printing.hpp>
#include <reel/nn/factory.hpp>

using namespace reel;
using namespace reel::testing;
using nn::Module;

BOOST_AUTO_TEST_SUITE(printing)

namespace {
struct Named : Module {
    Named(std::string n, std::string e) : Module(std::move(n)), extra(std::move(e)) {}
    std::string extra_repr() const override { return extra; }
    std::string extra;
};
} // namespace

BOOST_AUTO_TEST_CASE(M_27_the_printed_form) {
    BOOST_TEST(Named("Empty", "").repr() == "Empty()");
    BOOST_TEST(Named("One", "a=1").repr() == "One(a=1)");
    BOOST_TEST(Named("Two", "a=1\nb=2").repr() == "Two(\n  a=1\n  b=2\n)");
    Named m("Mixed", "a=1");
    m.add_module("k0", nn::ReLU().ptr());
    m.add_module("k1", nn::Sequential(nn::Linear(1, 2), nn::Sequential{nn::ReLU()}).ptr());
    const std::string expected = "Mixed(\n"
                                 "  a=1\n"
                                 "  (k0): ReLU()\n"
                                 "  (k1): Sequential(\n"
                                 "    (0): Linear(in_features=1, out_features=2, bias=True)\n"
                                 "    (1): Sequential(\n"
                                 "      (0): ReLU()\n"
                                 "    )\n"
                                 "  )\n"
                                 ")";
    BOOST_TEST(m.repr() == expected);
    std::ostringstream os;
    os << m;
    BOOST_TEST(os.str() == expected);
    os.str("");
    os << nn::ReLU();
    BOOST_TEST(os.str() == "ReLU()");
}

BOOST_AUTO_TEST_CASE(M_28_blank_lines) {
    Named m("Outer", "a\n\nb");
    BOOST_TEST(m.repr() == "Outer(\n  a\n  \n  b\n)"); // an own blank line is indented
    Named outer("Top", "");
    outer.add_module("c", std::make_shared<Named>("Inner", "a\n\nb"));
    BOOST_TEST(outer.repr() == "Top(\n  (c): Inner(\n    a\n\n    b\n  )\n)"); // a child's stays blank
}

BOOST_AUTO_TEST_CASE(M_29_options_as_Python_prints_them) {
    BOOST_TEST(nn::Linear(nn::LinearOptions(2, 3).bias(false))->repr() ==
               "Linear(in_features=2, out_features=3, bias=False)");
    BOOST_TEST(nn::Conv2d(nn::Conv2dOptions(3, 8, 3).padding(1))->repr() ==
               "Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))");
    BOOST_TEST(nn::BatchNorm2d(4)->repr() ==
               "BatchNorm2d(4, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)");
    BOOST_TEST(nn::Dropout()->repr() == "Dropout(p=0.5, inplace=False)");
    BOOST_TEST(nn::ReLU()->repr() == "ReLU()");
    BOOST_TEST(nn::ReLU(nn::ReLUOptions(true))->repr() == "ReLU(inplace=True)");
}

BOOST_AUTO_TEST_CASE(M_30_lists_put_equal_neighbours_together) {
    nn::ModuleList list(nn::Linear(4, 4), nn::Linear(4, 4), nn::ReLU(), nn::Linear(4, 4));
    BOOST_TEST(list->repr() == "ModuleList(\n"
                               "  (0-1): 2 x Linear(in_features=4, out_features=4, bias=True)\n"
                               "  (2): ReLU()\n"
                               "  (3): Linear(in_features=4, out_features=4, bias=True)\n"
                               ")");
    nn::ModuleList nested(nn::Sequential{nn::ReLU()}, nn::Sequential{nn::ReLU()});
    BOOST_TEST(nested->repr() == "ModuleList(\n"
                                 "  (0-1): 2 x Sequential(\n"
                                 "    (0): ReLU()\n"
                                 "  )\n"
                                 ")");
}

BOOST_AUTO_TEST_CASE(M_31_sequences_and_dictionaries_do_not) {
    BOOST_TEST(nn::Sequential(nn::ReLU(), nn::ReLU())->repr() == "Sequential(\n  (0): ReLU()\n  (1): ReLU()\n)");
    nn::ModuleDict d;
    d->insert("a", nn::ReLU());
    d->insert("b", nn::ReLU());
    BOOST_TEST(d->repr() == "ModuleDict(\n  (a): ReLU()\n  (b): ReLU()\n)");
}

BOOST_AUTO_TEST_CASE(M_32_children_that_are_none) {
    Named m("Top", "");
    m.add_module("c", nullptr);
    BOOST_TEST(m.repr() == "Top(\n  (c): None\n)");
}

BOOST_AUTO_TEST_CASE(the_class_name_is_printed_without_namespaces_and_Impl) {
    BOOST_TEST(Scale()->repr() == "Scale()");
    BOOST_TEST(has(Scale()->name(), "ScaleImpl"));
}

BOOST_AUTO_TEST_CASE(M_29_numbers_print_as_they_were_written) {
    BOOST_TEST(nn::Dropout(0)->repr() == "Dropout(p=0, inplace=False)");
    BOOST_TEST(nn::Dropout2d(nn::DropoutOptions(1.).inplace(true))->repr() == "Dropout2d(p=1.0, inplace=True)");
    BOOST_TEST(nn::make_module("Dropout", {Value(1)})->repr() == "Dropout(p=1, inplace=False)");
    BOOST_TEST(nn::ConstantPad1d(2, 0)->repr() == "ConstantPad1d(padding=(2, 2), value=0)");
    BOOST_TEST(nn::make_module("ConstantPad1d", {Value(2), Value(1.)})->repr() ==
               "ConstantPad1d(padding=(2, 2), value=1.0)");
    BOOST_TEST(nn::make_module("ConstantPad2d", {Value(2), Value(1)})->repr() ==
               "ConstantPad2d(padding=(2, 2, 2, 2), value=1)");
    BOOST_TEST(nn::make_module("LocalResponseNorm", {Value(4)}, {{"alpha", 1}, {"k", 1}})->repr() ==
               "LocalResponseNorm(4, alpha=1, beta=0.75, k=1)");
    BOOST_TEST(nn::LocalResponseNorm(2)->repr() == "LocalResponseNorm(2, alpha=0.0001, beta=0.75, k=1.0)");
    BOOST_TEST(nn::make_module("Embedding", {Value(7), Value(5)}, {{"max_norm", 2}, {"norm_type", 3}})->repr() ==
               "Embedding(7, 5, max_norm=2, norm_type=3)");
    BOOST_TEST(nn::Embedding(nn::EmbeddingOptions(7, 5).max_norm(2.))->repr() == "Embedding(7, 5, max_norm=2.0)");
    BOOST_TEST(nn::make_module("EmbeddingBag", {Value(7), Value(5)}, {{"max_norm", 2}})->repr() ==
               "EmbeddingBag(7, 5, max_norm=2, mode='mean')");
}
BOOST_AUTO_TEST_CASE(M_29_softmax_without_a_dimension_chooses_as_python) {
    const WarningLog log;
    const nn::ModulePtr m = nn::make_module("LogSoftmax");
    BOOST_TEST(m->repr() == "LogSoftmax(dim=None)");
    const Tensor x = randn({2, 3, 4}), y = randn({2, 3});
    BOOST_TEST(equal(m->call_values({x}).toTensor(), log_softmax(x, 0)));
    BOOST_TEST(equal(m->clone()->call_values({}, {{"input", y}}).toTensor(), log_softmax(y, 1)));
    BOOST_TEST(log.any("Implicit dimension choice for LogSoftmax has been deprecated"));
}
BOOST_AUTO_TEST_CASE(modules_of_complex_numbers) {
    const nn::ModulePtr m = nn::make_module("Linear", {Value(3), Value(2)}, {{"dtype", Value(kComplexDouble)}});
    for (const Tensor& p : m->parameters()) BOOST_TEST((p.scalar_type() == kComplexDouble));
    const Tensor x = randn({4, 3}, TensorOptions(kComplexDouble));
    BOOST_TEST((m->call_values({x}).toTensor().scalar_type() == kComplexDouble));
    BOOST_TEST((get_default_dtype() == kFloat));
}

namespace {
/// In libtorch's form, for as long as it prints.
template <class T> std::string as_libtorch(const T& object) {
    set_printing(Printing::libtorch);
    std::ostringstream os;
    os << object;
    set_printing(Printing::python);
    return os.str();
}
} // namespace

BOOST_AUTO_TEST_CASE(libtorchs_form_of_layers) {
    const auto is = [](const auto& layer, const std::string& expected) {
        BOOST_TEST(as_libtorch(layer) == "reel::nn::" + expected);
    };
    is(nn::Linear(nn::LinearOptions(2, 3).bias(false)), "Linear(in_features=2, out_features=3, bias=false)");
    is(nn::Conv2d(nn::Conv2dOptions(2, 4, {3, 5}).padding(1).groups(2).padding_mode(kReflect)),
       "Conv2d(2, 4, kernel_size=[3, 5], stride=[1, 1], padding=[1, 1], groups=2, padding_mode=kReflect)");
    is(nn::Conv1d(nn::Conv1dOptions(2, 4, 3).padding(kSame)), "Conv1d(2, 4, kernel_size=3, stride=1, padding='same')");
    is(nn::ConvTranspose1d(nn::ConvTranspose1dOptions(1, 1, 2).output_padding(1).stride(2)),
       "ConvTranspose1d(1, 1, kernel_size=2, stride=2, output_padding=1)");
    is(nn::MaxPool3d(2), "MaxPool3d(kernel_size=[2, 2, 2], stride=[2, 2, 2], padding=[0, 0, 0], dilation=[1, 1, 1], "
                         "ceil_mode=false)");
    is(nn::AvgPool1d(3), "AvgPool1d(kernel_size=3, stride=3, padding=0)");
    is(nn::LPPool2d(nn::LPPool2dOptions(1.5, 2)),
       "LPPool2d(norm_type=1.5, kernel_size=[2, 2], stride=[2, 2], ceil_mode=false)");
    is(nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions({4, nullopt})), "AdaptiveAvgPool2d(output_size=[4, None])");
    is(nn::BatchNorm1d(3), "BatchNorm1d(3, eps=1e-05, momentum=0.1, affine=true, track_running_stats=true)");
    is(nn::BatchNorm1d(nn::BatchNorm1dOptions(3).momentum(nullopt)),
       "BatchNorm1d(3, eps=1e-05, momentum=None, affine=true, track_running_stats=true)");
    is(nn::LayerNorm(nn::LayerNormOptions({4})), "LayerNorm([4], eps=1e-05, elementwise_affine=true)");
    is(nn::GRU(nn::GRUOptions(3, 4).dropout(0.25).num_layers(2)),
       "GRU(input_size=3, hidden_size=4, num_layers=2, bias=true, batch_first=false, dropout=0.25, "
       "bidirectional=false)");
    is(nn::RNNCell(nn::RNNCellOptions(3, 4).nonlinearity(kReLU)), "RNNCell(3, 4, nonlinearity=kReLU)");
    is(nn::Embedding(nn::EmbeddingOptions(9, 2).max_norm(2)),
       "Embedding(num_embeddings=9, embedding_dim=2, max_norm=2)");
    is(nn::EmbeddingBag(nn::EmbeddingBagOptions(9, 2).mode(kMax)),
       "EmbeddingBag(num_embeddings=9, embedding_dim=2, mode=kMax)");
    is(nn::Upsample(nn::UpsampleOptions().size(std::vector<std::int64_t>{2})), "Upsample(size=[2], mode=kNearest)");
    is(nn::ZeroPad2d(1), "ZeroPad2d(padding=[1, 1, 1, 1])");
    is(nn::Unflatten(nn::UnflattenOptions(1, {2, 3})), "Unflatten(dim=1, unflattened_size={2, 3})");
    is(nn::RReLU(), "RReLU(lower=0.125, upper=0.333333)"); // six digits, as a stream has them
    is(nn::GELU(), "GELU()");
    is(nn::Softplus(), "Softplus(beta=1, threshold=20)");
    is(nn::ReLU(true), "ReLU(inplace=true)");
    is(nn::TripletMarginLoss(), "TripletMarginLoss(margin=1, p=2, eps=1e-06, swap=false)");
    is(nn::MSELoss(), "MSELoss()");
    is(nn::SmoothL1Loss(), "SmoothL1Loss");
    is(nn::StochasticDepth(nn::StochasticDepthOptions(0.25, "row")),
       "StochasticDepth(p=0.25, mode=\"row\")"); // a layer that libtorch has not
}
BOOST_AUTO_TEST_CASE(libtorchs_form_of_modules_with_children) {
    struct Inner : Module {
        Inner() : Module("Inner") { add_module("act", nn::ReLU().ptr()); }
        void pretty_print(std::ostream& os) const override { os << "Inner(own)"; }
    };
    Named m("Outer", "a=1");
    m.add_module("list", nn::ModuleList(nn::Linear(1, 2), nn::Linear(1, 2)).ptr());
    m.add_module("inner", std::make_shared<Inner>());
    m.add_module("none", nullptr);
    BOOST_TEST(as_libtorch(m) == "Outer(a=1)(\n"
                                 "  (list): reel::nn::ModuleList(\n"
                                 "    (0): reel::nn::Linear(in_features=1, out_features=2, bias=true)\n"
                                 "    (1): reel::nn::Linear(in_features=1, out_features=2, bias=true)\n"
                                 "  )\n"
                                 "  (inner): Inner(own)(\n"
                                 "    (act): reel::nn::ReLU()\n"
                                 "  )\n"
                                 "  (none): None\n"
                                 ")");
    BOOST_TEST(as_libtorch(Named("Empty", "")) == "Empty");
    BOOST_TEST(as_libtorch(nn::Sequential()) == "reel::nn::Sequential");
    BOOST_TEST(as_libtorch(nn::MultiheadAttention(4, 2)) ==
               "reel::nn::MultiheadAttention(\n"
               "  (out_proj): reel::nn::Linear(in_features=4, out_features=4, bias=true)\n)");
    BOOST_TEST(as_libtorch(nn::TransformerEncoderLayer(4, 2)).starts_with("reel::nn::TransformerEncoderLayerImpl(\n"));
    const nn::ParameterList list(ones({2}), ones({1, 3}));
    BOOST_TEST(as_libtorch(list) == "reel::nn::ParameterList(\n"
                                    "(0): Parameter containing: [Float of size [2]]\n"
                                    "(1): Parameter containing: [Float of size [1, 3]]\n)");
    // What repr returns is Python's.
    set_printing(Printing::libtorch);
    const std::string repr = nn::ReLU(true)->repr();
    set_printing(Printing::python);
    BOOST_TEST(repr == "ReLU(inplace=True)");
}

BOOST_AUTO_TEST_SUITE_END()
