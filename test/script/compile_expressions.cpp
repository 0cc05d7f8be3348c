// What expressions and conditions come to.
#include <reel/script/compile.hpp>

#include <cmath>
#include <complex>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/tensor_factory.hpp>

#include "compile_helpers.hpp"
#include "message.hpp"

using namespace reel::jit;
using namespace reel::testing;
using reel::IValue;

BOOST_AUTO_TEST_SUITE(script_compile_expressions)

BOOST_AUTO_TEST_CASE(isinstance_asks_for_lists_and_tuples_of_whatever) { // SC-30, SC-35
    const Functions program("def f(x: Any) -> str:\n"
                            "    if isinstance(x, list):\n        return 'list'\n"
                            "    if isinstance(x, (int, tuple)):\n        return 'int or tuple'\n"
                            "    return 'other'\n");
    BOOST_TEST(program({IValue::list({1, 2})}).toStringRef() == "list");
    BOOST_TEST(program({IValue::tuple({1, "a"})}).toStringRef() == "int or tuple");
    BOOST_TEST(program({3}).toStringRef() == "int or tuple");
    BOOST_TEST(program({"a"}).toStringRef() == "other");
    BOOST_TEST(contains(program.code(), "isinstance(x, list)"));
    BOOST_TEST(contains(program.code(), "isinstance(x0, (int, tuple))"));
    const Functions narrowed("def f(x: Union[int, List[int]]) -> int:\n"
                             "    if isinstance(x, list):\n        return len(x)\n    return x\n");
    BOOST_TEST(narrowed({IValue::list({1, 2, 3})}).toInt() == 3);
    BOOST_TEST(narrowed({7}).toInt() == 7);
}

BOOST_AUTO_TEST_CASE(of_a_constant_condition_one_branch_is_compiled) { // SC-67
    BOOST_TEST(contains(Functions("def f():\n    return 1 if True else 'a'\n").code(), "-> int:"));
    BOOST_TEST(evaluated("undefined.name if False else 3").toInt() == 3);
    BOOST_TEST(Functions("def f(x: int):\n    if False:\n        x = 'a'\n    return x\n")({4}).toInt() == 4);
    BOOST_TEST(evaluated("torch.jit.is_scripting()").toBool());
}

BOOST_AUTO_TEST_CASE(lists_and_dicts_of_several_types_are_of_unions) { // SC-37
    BOOST_TEST(
        contains(Functions("def f():\n    return [1, 2.5]\n").code(), "annotate(List[Union[float, int]], [1, 2.5])"));
    BOOST_TEST(contains(Functions("def f():\n    return {'a': 1, 'b': 'c'}\n").code(), "Dict[str, Union[int, str]]"));
    BOOST_TEST(evaluated("len(torch.jit.annotate(List[Any], [1, 'a', 2.]))").toInt() == 3);
}

BOOST_AUTO_TEST_CASE(lists_and_dicts_out_of_iterables) { // SC-46
    BOOST_TEST(shown("list(range(1, 6, 2))") == "[1, 3, 5]");
    BOOST_TEST(shown("list(enumerate(['a', 'b']))") == shown("[(0, 'a'), (1, 'b')]"));
    BOOST_TEST(shown("list(zip([1, 2], ['a', 'b', 'c']))") == shown("[(1, 'a'), (2, 'b')]"));
    BOOST_TEST(shown("dict([('a', 1), ('b', 2)])") == shown("{'a': 1, 'b': 2}"));
    BOOST_TEST(shown("dict(a=1, b=2)") == shown("{'a': 1, 'b': 2}"));
    BOOST_TEST(shown("dict(zip(['a'], [1.5]))") == shown("{'a': 1.5}"));
    BOOST_TEST(contains(failure("def f():\n    return dict([1])\n"), "dict expects pairs"));
    // what walks has no name of the program's
    BOOST_TEST(contains(Functions("def f():\n    return list(range(3))\n").code(), "  for _1 in range(3):\n"));
}

BOOST_AUTO_TEST_CASE(operators_of_strings_and_tuples) { // SC-50
    BOOST_TEST(evaluated("'%d of %s' % (1, 'a')").toStringRef() == "1 of a");
    BOOST_TEST(evaluated("'%s' % 'x'").toStringRef() == "x");
    BOOST_TEST(shown("(1, 'a') + (2.5,)") == shown("(1, 'a', 2.5)"));
    BOOST_TEST(!evaluated("bool('')").toBool());
    BOOST_TEST(evaluated("bool([0])").toBool());
    BOOST_TEST(evaluated("hash('a') == hash('a')").toBool());
    BOOST_TEST(evaluated("torch.pi").toDouble() == std::acos(-1.));
    const Functions shifted("def f(x):\n    x <<= 1\n    return x\n");
    BOOST_TEST(contains(shifted.code(), "torch.__ilshift__(x, 1)"));
}

BOOST_AUTO_TEST_CASE(a_bool_beside_a_complex_number_is_an_int_or_a_float) { // SC-33
    const auto of = [](const std::string& op) {
        return Functions("def f(x: bool, y: complex):\n    return x " + op + " y\n");
    };
    const std::complex<double> y(1.5, 2);
    BOOST_TEST(contains(of("+").code(), "return torch.add(int(x), y)"));
    BOOST_TEST(contains(of("**").code(), "return torch.pow(float(x), y)"));
    BOOST_TEST(contains(of("==").code(), "return torch.eq(float(x), y)"));
    BOOST_TEST((of("-")({true, y}).toComplexDouble() == 1. - y));
    BOOST_TEST((of("/")({true, y}).toComplexDouble() == 1. / y));
    BOOST_TEST(contains(of("/").code(), "-> complex:\n  return torch.div(torch.Complex(int(x)), y)"));
    BOOST_TEST((Functions("def f(x: int, y: complex):\n    z = y\n    z /= x\n    return (x / y) * z\n")({2, y})
                    .toComplexDouble() == 2. / y * (y / 2.)));
    BOOST_TEST(!of("==")({true, y}).toBool());
    BOOST_TEST(contains(failure("def g(y: complex):\n    return y\n\ndef f(x: bool):\n    return g(x)\n"),
                        "Expected a value of type 'complex' for argument 'y' but instead found type 'bool'"));
}

BOOST_AUTO_TEST_CASE(one_number_stands_for_a_list_nothing_else_does) { // SC-33
    BOOST_TEST(Functions("def g(l: BroadcastingList2[float]):\n    return l\n\ndef f():\n    return g(2.5)\n")()
                   .elements()
                   .size() == 2u);
    BOOST_TEST(failure("def f(l: Optional[BroadcastingList2[bool]]):\n    return l\n") ==
               "1:18 Broadcastable lists only supported for int or float");
    BOOST_TEST(contains(failure("def f(l: BroadcastingList3[Tensor]):\n    return l\n"),
                        "Broadcastable lists only supported for int or float"));
    BOOST_TEST(
        contains(failure("def f(x: Tensor):\n    return torch.ops.aten.native_layer_norm_backward("
                         "x, x, [2], x, x, None, None, True)\n"),
                 "Expected a value of type 'List[bool]' for argument 'output_mask' but instead found type 'bool'"));
}

BOOST_AUTO_TEST_CASE(a_dict_may_end_with_a_comma_as_in_python) {
    BOOST_TEST(shown("{'a': 1, 'b': 2,}") == shown("{'a': 1, 'b': 2}"));
}

BOOST_AUTO_TEST_CASE(functions_of_the_library_share_what_they_need) {
    const Functions program("def f(x, y):\n    a = torch.nn.functional.mse_loss(x, y)\n"
                            "    return a + torch.nn.functional.l1_loss(x, y, reduction='sum')\n");
    BOOST_TEST(contains(program.code(), "torch.nn.functional.l1_loss"));
}

BOOST_AUTO_TEST_CASE(objects_are_sorted_by_their_own_order_and_odd_names_may_come_first) { // SC-21, SC-51
    auto unit = std::make_shared<CompilationUnit>();
    const std::string text = R"(class Parts(Module):
  __parameters__ = ["0", ]
  __buffers__ = []
  __annotations__ = []
  __annotations__["0"] = Tensor
  training : bool
class Size:
  n : int
  def __init__(self: __torch__.m.Size,
    n: int) -> NoneType:
    self.n = n
    return None
  def __lt__(self: __torch__.m.Size,
    other: __torch__.m.Size) -> bool:
    return torch.lt(self.n, other.n)
def make(n: int) -> __torch__.m.Size:
  c = __torch__.m.Size.__new__(__torch__.m.Size)
  _0 = (c).__init__(n, )
  return c
def least(n: int) -> int:
  l = [__torch__.m.make(n, ), __torch__.m.make(2, ), __torch__.m.make(5, )]
  return (sorted(l)[0]).n
)";
    SourceFile file(*unit, "__torch__.m", "m.py", text, nullptr);
    BOOST_TEST(file.define("__torch__.m.least"));
    BOOST_TEST((*unit->find_function("__torch__.m.least"))({7}).toInt() == 2);
    BOOST_TEST((*unit->find_function("__torch__.m.least"))({1}).toInt() == 1);
    BOOST_TEST(file.define("__torch__.m.Parts"));
    BOOST_TEST(unit->find_class("__torch__.m.Parts")->attributes()[0].name == "0");
}

BOOST_AUTO_TEST_CASE(autocast_in_archives) { // as the class of torch.autocast is written to an archive
    auto unit = std::make_shared<CompilationUnit>();
    SourceFile library(*unit, "__torch__.torch.amp.autocast_mode", "autocast_mode.py", R"(class autocast:
  fast_dtype : int
  _enabled : bool
  device : str
  def __enter__(self: __torch__.torch.amp.autocast_mode.autocast) -> __torch__.torch.amp.autocast_mode.autocast:
    return self
  def __exit__(self: __torch__.torch.amp.autocast_mode.autocast, exc_type: Any, exc_val: Any, exc_tb: Any) -> NoneType:
    return None
  def __init__(self: __torch__.torch.amp.autocast_mode.autocast, device_type: str, dtype: Optional[int], enabled: bool) -> NoneType:
    if torch.__is__(dtype, None):
      _0 = torch.get_autocast_dtype(device_type)
    else:
      _0 = unchecked_cast(int, dtype)
    self.fast_dtype = _0
    self._enabled = enabled
    self.device = device_type
    return None
)",
                       nullptr);
    library.define("__torch__.torch.amp.autocast_mode.autocast");
    SourceFile file(*unit, "__torch__.m", "m.py",
                    R"(def within(x: Tensor, enabled: bool, fails: bool) -> Tuple[Tensor, Tensor, Tensor]:
  _0 = __torch__.torch.amp.autocast_mode.autocast.__new__(__torch__.torch.amp.autocast_mode.autocast)
  _1 = (_0).__init__("cpu", None, enabled, )
  with _0:
    y = torch.matmul(x, x)
    z = torch.cdist(y, y)
    if fails:
      ops.prim.RaiseException("stop", "builtins.ValueError")
  return (y, z, torch.matmul(x, x))
)",
                    nullptr);
    BOOST_REQUIRE(file.define("__torch__.m.within"));
    const auto dtypes = [&](bool enabled) {
        std::vector<reel::ScalarType> out;
        const IValue r = (*unit->find_function("__torch__.m.within"))({reel::ones({2, 2}), enabled, false});
        for (const IValue& v : r.elements()) out.push_back(v.toTensor().scalar_type());
        return out;
    };
    using reel::kBFloat16, reel::kFloat;
    BOOST_TEST((dtypes(true) == std::vector<reel::ScalarType>{kBFloat16, kFloat, kFloat}));
    BOOST_TEST((dtypes(false) == std::vector<reel::ScalarType>{kFloat, kFloat, kFloat}));
    // what an exception leaves is not in force any more
    BOOST_TEST(contains(message([&] {
                            (*unit->find_function("__torch__.m.within"))({reel::ones({2, 2}), true, true});
                        }),
                        "stop"));
    BOOST_TEST((dtypes(false) == std::vector<reel::ScalarType>{kFloat, kFloat, kFloat}));
}

BOOST_AUTO_TEST_SUITE_END()
