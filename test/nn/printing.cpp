// The printed form of modules.
#include "nn/testing.hpp"

#include <sstream>

#include <boost/test/unit_test.hpp>

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

BOOST_AUTO_TEST_SUITE_END()
