// The printed form of modules.
#include "nn/testing.hpp"

#include <sstream>

#include <boost/test/unit_test.hpp>

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

BOOST_AUTO_TEST_SUITE_END()
