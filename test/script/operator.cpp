// The table of operators: what is known, what runs, and the results of those that are scripts' own.
#include <reel/script/operator.hpp>

#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/script/object.hpp>
#include <reel/script/source.hpp>

#include "message.hpp"

using namespace reel;
using jit::find_operator;
using reel::testing::message;

namespace {
IValue run(std::string_view name, std::vector<IValue> arguments) {
    const jit::Operator* const op = find_operator(name);
    BOOST_REQUIRE_MESSAGE(op && op->run, name);
    return op->run(arguments);
}
std::string shown(std::string_view name, std::vector<IValue> arguments) { return jit::str(run(name, arguments)); }
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
} // namespace

BOOST_AUTO_TEST_SUITE(script_operator)

// SC-89: the reference's order of registration.
BOOST_AUTO_TEST_CASE(overloads_stand_in_the_order_of_registration) {
    std::vector<std::string> names;
    for (const jit::Operator* const op : jit::operators("aten::mul")) names.push_back(op->schema.overload);
    const std::vector<std::string> expected = {
        "Tensor", "Scalar",      "out",         "Scalar_out",    "left_t",        "right_",    "int",       "complex",
        "float",  "int_complex", "complex_int", "float_complex", "complex_float", "int_float", "float_int", ""};
    BOOST_TEST(names == expected, boost::test_tools::per_element());
    BOOST_TEST(jit::operators("aten::no_such").empty());
    BOOST_TEST(!find_operator("aten::mul.no_such"));
    BOOST_TEST(find_operator("aten::mul.Tensor")->schema.str() ==
               "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor");
}

BOOST_AUTO_TEST_CASE(names_near_in_spelling_are_told) {
    const std::vector<std::string> near = jit::similar_operators("aten::sofmax");
    BOOST_TEST((std::find(near.begin(), near.end(), "aten::softmax") != near.end()));
    BOOST_TEST(jit::similar_operators(std::string(100000, 'a')).empty());
}

// SC-93, SC-96: what reaches files is known, marked, and has nothing that runs it.
BOOST_AUTO_TEST_CASE(operators_that_touch_files_are_refused) {
    for (const char* const name : {"aten::from_file", "aten::save", "prim::PythonOp"}) {
        BOOST_TEST_CONTEXT(name) {
            BOOST_TEST(find_operator(name)->refused);
            BOOST_TEST(!find_operator(name)->run);
        }
    }
    BOOST_TEST(!find_operator("aten::relu")->refused);
    BOOST_TEST(!find_operator("aten::_foreach_add.Scalar")->run); // known, and nothing runs it
}

// SC-57: pure operators may be dropped, these not.
BOOST_AUTO_TEST_CASE(side_effects_are_told) {
    for (const char* const name : {"prim::Print", "prim::RaiseException", "aten::warn", "aten::dropout",
                                   "aten::manual_seed", "aten::set_grad_enabled", "aten::rand"})
        BOOST_TEST(find_operator(name)->has_side_effects, name);
    for (const char* const name : {"aten::add.Tensor", "aten::add.int", "aten::len.t"})
        BOOST_TEST(!find_operator(name)->has_side_effects, name);
}

// SC-90, SC-91: the same results as Reel's op, whatever the arguments are called.
BOOST_AUTO_TEST_CASE(tensor_operators_run_reels) {
    const Tensor x = tensor({{0.5, -1.0, 2.0}, {1.5, 0.25, -0.5}}), y = tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
    const auto equal = [](const IValue& v, const Tensor& t) { return allclose(v.toTensor(), t); };
    BOOST_TEST(equal(run("aten::add.Tensor", {x, y, 2}), add(x, y, 2)));
    BOOST_TEST(equal(run("aten::add.Scalar", {x, 3, 2}), x + 6));
    BOOST_TEST(equal(run("aten::relu", {x}), relu(x)));
    BOOST_TEST(equal(run("aten::softmax.int", {x, 1, IValue()}), softmax(x, 1)));
    BOOST_TEST(equal(run("aten::_softmax", {x, 1, false}), softmax(x, 1)));
    BOOST_TEST(run("aten::softmax.int", {x, 1, 6}).toTensor().scalar_type() == kFloat);
    BOOST_TEST(equal(run("aten::mse_loss", {x, y, 2}), (x - y).pow(2).sum()));
    BOOST_TEST(equal(run("aten::where.self", {x.gt(0), x, y}), where(x.gt(0), x, y)));
    BOOST_TEST(equal(run("aten::linalg_vector_norm", {x, 2, IValue(), false, IValue()}), x.pow(2).sum().sqrt()));
    BOOST_TEST(equal(run("aten::sum.dim_IntList", {x, IValue::list({1}), true, IValue()}), x.sum(1, true)));
    BOOST_TEST(equal(run("aten::any.dim", {x.gt(1.9), 1, false}), x.gt(1.9).any(1)));
    BOOST_TEST(run("aten::zeros", {IValue::list({2, 1}), 7, 0, Device("cpu"), false}).toTensor().scalar_type() ==
               kDouble);
    const IValue both = run("aten::max.dim", {x, 1, false});
    BOOST_TEST(equal(both.elements()[0], std::get<0>(x.max(1))));
    BOOST_TEST(run("aten::_to_copy", {x, 6, IValue(), IValue(), IValue(), false, IValue()}).toTensor().scalar_type() ==
               kFloat);
}

BOOST_AUTO_TEST_CASE(forms_in_place_and_with_out_write_where_they_should) {
    Tensor x = tensor({1.0, -2.0}, TensorOptions(kDouble));
    BOOST_TEST(run("aten::add_.Tensor", {x, x.clone(), 1}).toTensor().is_same(x));
    BOOST_TEST(x[1].item<double>() == -4);
    run("aten::relu_", {x});
    BOOST_TEST(x[1].item<double>() == 0);
    run("aten::gelu_", {x, "none"}); // which Reel has out of place alone
    BOOST_TEST(std::abs(x[0].item<double>() - 2 * 0.9772498680518208) < 1e-12);
    Tensor out = empty({2}, kDouble);
    BOOST_TEST(run("aten::div.out", {tensor({1.0, 3.0}), tensor({2.0, 4.0}), out}).toTensor().is_same(out));
    BOOST_TEST(out[1].item<double>() == 0.75);
}

BOOST_AUTO_TEST_CASE(convolutions_of_any_rank_share_one_operator) {
    const Tensor x = arange(32., kDouble).view({1, 2, 16}), w = ones({3, 2, 3}, kDouble);
    const auto list = [](std::int64_t n) { return IValue::list({n}); };
    const IValue y = run("aten::_convolution",
                         {x, w, IValue(), list(2), list(1), list(1), false, list(0), 1, false, false, true, true});
    BOOST_TEST(allclose(y.toTensor(), conv1d(x, w, {}, 2, 1)));
    const IValue z = run("aten::convolution", {y, w, IValue(), list(1), list(0), list(1), true, list(0), 1});
    BOOST_TEST(allclose(z.toTensor(), conv_transpose1d(y.toTensor(), w)));
}

// SC-40, SC-92
BOOST_AUTO_TEST_CASE(integers_wrap_and_divide_as_in_python) {
    BOOST_TEST(shown("aten::add.int", {std::numeric_limits<std::int64_t>::max(), 1}) == "-9223372036854775808");
    BOOST_TEST(shown("aten::floordiv.int", {-7, 2}) == "-4");
    BOOST_TEST(shown("aten::remainder.int", {-7, 2}) == "1");
    BOOST_TEST(shown("aten::remainder.int", {7, -2}) == "-1");
    BOOST_TEST(shown("aten::floordiv.int", {smallest, -1}) == "-9223372036854775808"); // traps if done by hand
    BOOST_TEST(shown("aten::remainder.int", {smallest, -1}) == "0");
    BOOST_TEST(shown("aten::div.int", {1, 0}) == "inf");
    BOOST_TEST(message([] { run("aten::floordiv.int", {1, 0}); }) == "division by 0");
    BOOST_TEST(message([] { run("aten::remainder.int", {1, 0}); }) == "division by 0");
    BOOST_TEST(message([] { run("aten::divmod.int", {1, 0}); }) == "integer division or modulo by zero");
    BOOST_TEST(shown("aten::divmod.int", {-7, 2}) == "(-4, 1)");
    BOOST_TEST(shown("aten::pow.int", {2, 62}) == "4611686018427387904.");
    BOOST_TEST(shown("aten::pow.int_to_int", {3, 4}) == "81");
    BOOST_TEST(shown("aten::__lshift__.int", {1, 63}) == "-9223372036854775808");
    BOOST_TEST(message([] { run("aten::__lshift__.int", {1, 64}); }) == "shift by 64: expected 0 to 63");
    BOOST_TEST(shown("aten::neg.int", {smallest}) == "-9223372036854775808");
}

// SC-41
BOOST_AUTO_TEST_CASE(floats_follow_ieee) {
    BOOST_TEST(shown("aten::remainder.float", {7.5, -2.0}) == "-0.5");
    BOOST_TEST(shown("aten::floordiv.float", {1.0, 0.0}) == "inf");
    BOOST_TEST(shown("aten::remainder.float", {1.0, 0.0}) == "nan");
    BOOST_TEST(shown("aten::round.float", {2.5}) == "2.");
    BOOST_TEST(shown("aten::Int.float", {-2.9}) == "-2");
    for (const double d : {std::numeric_limits<double>::infinity(), std::nan(""), 1e30})
        BOOST_TEST(run("aten::Int.float", {d}).toInt() == smallest);
    BOOST_TEST(run("aten::floor.float", {-0.5}).toInt() == -1);
    BOOST_TEST(run("aten::ceil.float", {0.5}).isInt());
    BOOST_TEST(shown("prim::max.int_float", {3, 2.5}) == "3.");
    BOOST_TEST(run("prim::abs.int", {-3}).isInt());
    BOOST_TEST(shown("aten::mul.complex", {std::complex<double>(1, 2), std::complex<double>(0, 1)}) == "-2.+1.j");
}

// SC-44
BOOST_AUTO_TEST_CASE(conversions_need_one_element_or_a_whole_number) {
    BOOST_TEST(run("aten::Int.Tensor", {tensor({-1.9})}).toInt() == -1);
    BOOST_TEST(message([] { run("aten::Float.Tensor", {ones({2})}); }) ==
               "a Tensor with 2 elements cannot be converted to Scalar");
    BOOST_TEST(run("aten::Int.str", {"12"}).toInt() == 12);
    BOOST_TEST(run("aten::Float.str", {"1.5"}).toDouble() == 1.5);
    for (const char* const text : {"", " 1", "1 ", "1x", "99999999999999999999"})
        BOOST_CHECK_THROW(run("aten::Int.str", {text}), ValueError);
    BOOST_TEST(message([] { run("aten::IntImplicit", {tensor(1.5)}); }).ends_with("as an integral argument"));
    BOOST_TEST(
        message([] { run("aten::IntImplicit", {ones({1}, kLong)}); }).ends_with("other than 0 as a scalar argument"));
}

// SC-45
BOOST_AUTO_TEST_CASE(ranges_count_steps) {
    BOOST_TEST(run("aten::__range_length", {0, 10, 3}).toInt() == 4);
    BOOST_TEST(run("aten::__range_length", {5, 0, -2}).toInt() == 3);
    BOOST_TEST(run("aten::__range_length", {smallest, std::numeric_limits<std::int64_t>::max(), smallest}).toInt() ==
               0);
    BOOST_TEST(run("aten::__derive_index", {2, 5, -2}).toInt() == 1);
    BOOST_TEST(message([] { run("aten::__range_length", {0, 1, 0}); }) == "range() arg 3 must not be zero");
}

// SC-48
BOOST_AUTO_TEST_CASE(strings_are_bytes) {
    BOOST_TEST(run("aten::len.str", {"\xc3\xa9"}).toInt() == 2);
    BOOST_TEST(shown("aten::__getitem__.str", {"abc", -1}) == "c");
    BOOST_TEST(shown("aten::slice.str", {"abcdef", IValue(), IValue(), -2}) == "fdb");
    BOOST_TEST(shown("aten::split.str", {" a  b c", IValue(), 1}) == "[a, b c]");
    BOOST_TEST(shown("aten::split.str", {"a,b,,c", ",", -1}) == "[a, b, , c]");
    BOOST_TEST(shown("aten::rsplit", {"a,b,c", ",", 1}) == "[a,b, c]");
    BOOST_TEST(shown("aten::partition", {"k=v=w", "="}) == "(k, =, v=w)");
    BOOST_TEST(shown("aten::rpartition", {"kv", "="}) == "(, , kv)");
    BOOST_TEST(shown("aten::replace", {"aXbXc", "X", "--", 1}) == "a--bXc");
    BOOST_TEST(shown("aten::replace", {"ab", "", "-", -1}) == "-a-b-");
    BOOST_TEST(shown("aten::center", {"ab", 5, "*"}) == "**ab*");
    BOOST_TEST(shown("aten::center", {"abc", 6, "*"}) == "*abc**");
    BOOST_TEST(shown("aten::zfill", {"-42", 6}) == "-00042");
    BOOST_TEST(shown("aten::title", {"ab cD"}) == "Ab Cd");
    BOOST_TEST(shown("aten::strip", {"  x ", " "}) == "x");
    BOOST_TEST(shown("aten::splitlines", {"a\nb\r\nc", false}) == "[a, b, c]");
    BOOST_TEST(shown("aten::join", {", ", IValue::list({"a", "b"})}) == "a, b");
    BOOST_TEST(shown("aten::expandtabs", {"a\tb", 4}) == "a   b");
    BOOST_TEST(run("aten::find", {"hello", "l", 3, -1}).toInt() == 3);
    BOOST_TEST(run("aten::count", {"banana", "an", 0, -1}).toInt() == 2);
    BOOST_TEST(message([] { run("aten::__getitem__.str", {"abc", 3}); }) == "string index out of range");
    BOOST_CHECK_THROW(run("aten::ljust", {"a", std::int64_t(1) << 60, " "}), Error); // more than any memory
}

// SC-49, SC-50
BOOST_AUTO_TEST_CASE(formats_fill_in_values) {
    BOOST_TEST(shown("aten::format", {"{} and {{}} {0}", 1.0, "b"}) == "1. and {b} {0}");
    BOOST_TEST(message([] { run("aten::format", {"{} {}", 1}); }) == "Too few arguments for format string: {} {}");
    BOOST_TEST(shown("aten::percentFormat", {"%d %s %% %f", 2.9, "x", 0.5}) == "2 x % 0.500000");
    BOOST_TEST(message([] { run("aten::percentFormat", {"%d", 1, 2}); }) == "Too many arguments for format string: %d");
    BOOST_TEST(message([] {
                   run("aten::percentFormat", {"%g", 1.0});
               }) == "The specifier %g is not supported in TorchScript format strings");
    BOOST_TEST(shown("aten::hex", {-255}) == "-0xff");
    BOOST_TEST(shown("aten::bin", {5}) == "0b101");
}

// SC-40, SC-41
BOOST_AUTO_TEST_CASE(pairs_of_numbers_are_what_rows_of_them_are) {
    const IValue numbers[] = {smallest, -7, -1, 3, 2.5, -0.5, true};
    for (const char* name : {"aten::add.int", "aten::sub.int", "aten::mul.int", "aten::div.int", "aten::floordiv.int",
                             "aten::remainder.int", "aten::lt.int", "aten::gt.int", "aten::le.int", "aten::ge.int",
                             "aten::eq.int", "aten::ne.int"}) {
        const auto pair = jit::find_operator(name)->run_pair;
        BOOST_REQUIRE(pair);
        for (const IValue& a : numbers)
            for (const IValue& b : numbers) BOOST_TEST(jit::str(pair(a, b)) == shown(name, {a, b}));
    }
    BOOST_TEST(message([] { jit::find_operator("aten::floordiv.int")->run_pair(7, 0); }) == "division by 0");
}

// SC-39, SC-51
BOOST_AUTO_TEST_CASE(lists_are_shared) {
    const IValue list = IValue::list({3, 1, 2});
    BOOST_TEST(run("aten::append.t", {list, 5}).is(list));
    BOOST_TEST(!run("aten::add.t", {list, list}).is(list));
    run("aten::add_.t", {list, list});
    BOOST_TEST(jit::str(list) == "[3, 1, 2, 5, 3, 1, 2, 5]");
    BOOST_TEST(shown("aten::slice.t", {list, 1, -1, 3}) == "[1, 3]");
    BOOST_TEST(shown("aten::slice.t", {list, std::numeric_limits<std::int64_t>::max(), smallest, smallest}) == "[5]");
    BOOST_TEST(shown("aten::sorted.int", {list}) == "[1, 1, 2, 2, 3, 3, 5, 5]");
    run("aten::sort.int", {list, true});
    BOOST_TEST(jit::str(list) == "[5, 5, 3, 3, 2, 2, 1, 1]");
    BOOST_TEST(run("aten::pop.t", {list, -1}).toInt() == 1);
    BOOST_TEST(message([&] { run("aten::__getitem__.t", {list, 7}); }) == "list index out of range");
    BOOST_TEST(message([&] { run("aten::pop.t", {IValue::list({}), -1}); }) == "pop from empty list");
    BOOST_TEST(message([&] { run("aten::remove.int", {list, 9}); }) == "list.remove(x): x not in list");
    BOOST_TEST(message([&] { run("aten::index.list_int", {list, 9}); }) == "'9' is not in list");
    BOOST_TEST(message([] { run("prim::min.self_int", {IValue::list({})}); }) == "min() arg is an empty sequence");
    BOOST_CHECK_THROW(run("aten::mul.left_t", {list, std::int64_t(1) << 62}), Error);
}

BOOST_AUTO_TEST_CASE(dicts_keep_the_order_of_insertion) {
    IValue dict = ValueDict();
    run("aten::_set_item.int", {dict, 3, "c"});
    run("aten::_set_item.int", {dict, 1, "a"});
    run("aten::_set_item.int", {dict, 3, "d"});
    BOOST_TEST(jit::str(dict) == "{3: d, 1: a}");
    BOOST_TEST(shown("aten::items.int", {dict}) == "[(3, d), (1, a)]");
    BOOST_TEST(message([&] { run("aten::__getitem__.Dict_int", {dict, 2}); }) == "KeyError: 2");
    BOOST_TEST(run("aten::get.default_int", {dict, 2, "z"}).toStringRef() == "z");
    BOOST_TEST(run("aten::pop.Dict_int", {dict, 3}).toStringRef() == "d");
    BOOST_TEST(shown("aten::keys.int", {dict}) == "[1]");
    BOOST_TEST(run("aten::setdefault.int", {dict, 7, "s"}).toStringRef() == "s");
    const IValue copy = run("aten::copy.Dict_int", {dict});
    run("aten::clear.int", {dict});
    BOOST_TEST(copy.toGenericDict().size() == 2u);
    BOOST_CHECK_THROW(run("aten::Delete.Dict_int", {dict, 1}), KeyError);
}

BOOST_AUTO_TEST_CASE(tensors_are_made_of_numbers) {
    const IValue rows = IValue::list({IValue::list({1, 2}), IValue::list({3, 4})});
    const Tensor t = run("aten::tensor", {rows, IValue(), IValue(), false}).toTensor();
    BOOST_TEST(t.scalar_type() == kLong);
    BOOST_TEST(t[1][0].item<std::int64_t>() == 3);
    BOOST_TEST(run("aten::tensor.float", {2.5, IValue(), IValue(), true}).toTensor().requires_grad());
    BOOST_TEST(run("aten::tensor.bool", {true, 6, IValue(), false}).toTensor().scalar_type() == kFloat);
    const IValue ragged = IValue::list({IValue::list({1, 2}), IValue::list({3})});
    BOOST_TEST(message([&] {
                   run("aten::tensor", {ragged, IValue(), IValue(), false});
               }) == "Expected sequence of length 2 at dim 1 (got 1)");
    BOOST_TEST(run("prim::NumToTensor.Scalar", {1.5}).toTensor().scalar_type() == kDouble);
    BOOST_TEST(run("prim::dtype", {t}).toInt() == 4); // SC-34
    BOOST_TEST(shown("aten::size", {t}) == "[2, 2]");
}

// SC-53
BOOST_AUTO_TEST_CASE(raise_carries_its_class) {
    try {
        run("prim::RaiseException", {"m", "builtins.OSError"});
        BOOST_ERROR("nothing was raised");
    } catch (const jit::ScriptException& e) {
        BOOST_TEST(e.kind() == "builtins.OSError");
        BOOST_TEST(e.message() == "m");
        BOOST_TEST(e.raised_by_code());
    }
}

BOOST_AUTO_TEST_SUITE_END()
