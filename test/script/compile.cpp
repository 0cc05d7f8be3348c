// The language: what its texts mean, and how they fail.
#include <reel/script/compile.hpp>

#include <cmath>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/script/object.hpp>

#include "compile_helpers.hpp"
#include "message.hpp"

using namespace reel::jit;
using reel::IValue;
using namespace reel::testing;

BOOST_AUTO_TEST_SUITE(script_compile)

BOOST_AUTO_TEST_CASE(literals) { // SC-28
    BOOST_TEST(evaluated("0xff").toInt() == 255);
    BOOST_TEST(evaluated("012").toInt() == 10);
    BOOST_TEST(evaluated("-9223372036854775808").toInt() == std::numeric_limits<std::int64_t>::min());
    BOOST_TEST(evaluated("1e3").toDouble() == 1000.);
    BOOST_TEST(std::isinf(evaluated("1e999").toDouble()));
    BOOST_TEST(evaluated(R"('a\tb' "\101" '''it's''')").toStringRef() == "a\tbAit's");
    BOOST_TEST(evaluated("2j").toComplexDouble().imag() == 2.);
    BOOST_TEST(failure("def f():\n    return 9223372036854775808\n") ==
               "2:11 Integral constant out of range (must fit in a signed 64 bit integer)");
    BOOST_TEST(failure("def f():\n    return '\\x41'\n") == "2:11 unsupported hex specifier");
    BOOST_TEST(failure("def f():\n    return '\\r'\n") == "2:11 ill formed octal specifier");
}

BOOST_AUTO_TEST_CASE(precedence_is_pythons) { // SC-32
    BOOST_TEST(evaluated("1 + 2 * 3 - 4").toInt() == 3);
    BOOST_TEST(evaluated("-2 ** 2").toDouble() == -4.);
    BOOST_TEST(evaluated("2 ** 3 ** 2").toDouble() == 512.);
    BOOST_TEST(evaluated("7 & 3 | 8 ^ 1").toInt() == ((7 & 3) | (8 ^ 1)));
    BOOST_TEST(evaluated("1 << 2 + 1").toInt() == 8);
    BOOST_TEST(evaluated("not 1 == 2 and True").toBool());
    BOOST_TEST(evaluated("1 if False else 2 if True else 3").toInt() == 2);
    BOOST_TEST(evaluated("3 not in [1, 2]").toBool());
}

BOOST_AUTO_TEST_CASE(texts_that_nest_too_deep_are_refused) { // SC-32, SC-97
    BOOST_TEST(evaluated(repeated("(", 150) + "1" + repeated(")", 150)).toInt() == 1);
    for (const char* open : {"(", "[", "-", "not ", "f("})
        BOOST_TEST(contains(failure("def f():\n    return " + repeated(open, 10000) + "1\n"), "nested more than 200"));
    BOOST_TEST(contains(failure("def f(x: " + repeated("List[", 10000) + "int):\n    pass\n"), "nested more than 200"));
    BOOST_TEST(contains(failure("def f():\n    return 1" + repeated(" + 1", 10000) + "\n"), "1000 operators"));
    std::string blocks = "def f():\n";
    for (std::size_t i = 1; i < 400; ++i) blocks += std::string(i, ' ') + "if True:\n";
    BOOST_TEST(contains(failure(blocks + std::string(400, ' ') + "pass\n"), "nested more than 200"));
    std::string elifs = "def f(n: int):\n    if n == 0:\n        pass\n";
    for (int i = 0; i < 1000; ++i) elifs += "    elif n == 1:\n        pass\n";
    BOOST_TEST(contains(failure(elifs), "nested more than 200"));
}

BOOST_AUTO_TEST_CASE(an_if_without_else_is_marked_up_to_the_word_behind) { // SC-85
    const auto marked = [](const std::string& source) {
        try {
            Functions program(source);
        } catch (const ScriptError& e) {
            return e.where().highlight();
        }
        return std::string("no error");
    };
    const std::string condition = "def f(b: bool):\n    if b:\n        y = 1\n";
    BOOST_TEST(contains(marked(condition + "    return y\n"), "        y = 1\n        ~~~~~\n    return y\n"
                                                              "    ~~~~~~ <--- HERE\n"));
    BOOST_TEST(contains(marked(condition + "    elif not b:\n        y = 2\n    return y\n"),
                        "    return y\n    ~~~~~~ <--- HERE\n"));
    BOOST_TEST(contains(marked(condition + "    else:\n        pass\n    return y\n"),
                        "        pass\n        ~~~~ <--- HERE\n"));
    // a block that ends with it has no word behind; what is missing in it is missing behind it
    BOOST_TEST(contains(marked("def f(b: bool):\n    if b:\n        if b:\n            y = 1\n    return y\n"),
                        "            y = 1\n            ~~~~~ <--- HERE\n"));
}

BOOST_AUTO_TEST_CASE(syntax_errors_point_at_the_word) { // SC-27, SC-31, SC-85
    BOOST_TEST(body_failure("    return x)\n") == "2:12 expected newline but found ')' here");
    BOOST_TEST(body_failure("    return x ? 1\n") == "2:13 expected newline but found '?' here");
    BOOST_TEST(body_failure("    return $x\n") == "2:11 expected a valid token");
    BOOST_TEST(body_failure("    return 'abc\n") == "2:11 the string has no end");
    BOOST_TEST(body_failure("    import math\n") == "2:4 expected ident but found 'import' here");
    BOOST_TEST(body_failure("    1 = x\n") == "2:4 unexpected expression on left-hand side of assignment");
    BOOST_TEST(body_failure("    return {1, 2}\n") == "2:13 expected : but found ',' here");
    BOOST_TEST(body_failure("    return {i for i in [1]}\n") == "2:26 expected : but found '}' here");
    BOOST_TEST(body_failure("    if n:\n        pass\n      pass\n") == "4:6 invalid indent level");
    BOOST_TEST(body_failure("    if n > 0: return x\n") == "2:14 expected indent but found 'return' here");
    BOOST_TEST(Functions("def f(): return 1\n")().toInt() == 1);
    BOOST_TEST(body_failure("    x, 1 = (x, 2)\n") == "2:7 unexpected expression on left-hand side of assignment");
    BOOST_TEST(body_failure("    return (1, 2)[2]\n") ==
               "2:12 Tuple index out of range. Tuple is length 2 and index is 2");
    BOOST_TEST(body_failure("    y = [i for i in n]\n") == "2:9 'int' object is not iterable");
    BOOST_TEST(body_failure("    for i in enumerate(n):\n        pass\n") == "2:13 'int' object is not iterable");
    BOOST_TEST(contains(body_failure("    return x['a']\n"), "2:11 Unsupported operation: indexing tensor"));
    BOOST_TEST(failure("def f(a: int, b: int = 2, c: int):\n    pass\n") ==
               "1:26 Non-default positional argument c follows default argument");
    BOOST_TEST(failure("x = 1\n") == "1:0 expected def but found 'ident' here");
    BOOST_TEST(failure("def f(**x):\n    pass\n") == "1:6 expected ident but found '**' here");
    BOOST_TEST(Functions("def f():\n    return 1")().toInt() == 1); // the last line's end may be missing
    BOOST_TEST(Functions("def f():\r\n    return 1\r\n")().toInt() == 1);
}

BOOST_AUTO_TEST_CASE(names_that_nothing_stands_for) { // SC-85
    BOOST_TEST(body_failure("    y = x\n    return z\n") == "3:11 undefined value z");
    BOOST_TEST(body_failure("    return numpy.zeros(3)\n") == "2:11 undefined value numpy");
    BOOST_TEST(contains(body_failure("    return torch.frobnicate(x)\n"), "2:11 object has no attribute frobnicate"));
    BOOST_TEST(body_failure("    return x.frobnicate()\n") ==
               "2:11 'Tensor' object has no attribute or method 'frobnicate'.");
    BOOST_TEST(body_failure("    return n.sum()\n") == "2:11 'int' object has no attribute or method 'sum'.");
    BOOST_TEST(body_failure("    if n > 0:\n        y = 1\n    return y\n") ==
               "2:4 y is not defined in the false branch");
    BOOST_TEST(failure("def f(x: Foo):\n    pass\n") == "1:9 Unknown type name 'Foo'");
    BOOST_TEST(failure("def f(x: Set[int]):\n    pass\n") == "1:9 Unknown type constructor Set");
}

BOOST_AUTO_TEST_CASE(types_that_do_not_fit) { // SC-36, SC-37, SC-38, SC-52
    BOOST_TEST(failure("def f(n: int) -> int:\n    return None\n") ==
               "2:4 Return value was annotated as having type int but is actually of type NoneType");
    BOOST_TEST(contains(failure("def f(n: int) -> int:\n    if n > 0:\n        return 1\n"),
                        "does not return along all paths"));
    BOOST_TEST(body_failure("    a: int = 'x'\n") ==
               "2:4 Variable 'a' is annotated with type int but is being assigned to a value of type str");
    BOOST_TEST(contains(body_failure("    y = x\n    for y in range(2):\n        pass\n"),
                        "Variable 'y' previously had type Tensor"));
    BOOST_TEST(body_failure("    a, b = (1, 2, 3)\n") == "2:4 too many values to unpack: need 2 but found 3");
    BOOST_TEST(body_failure("    a, b = n\n") == "2:11 int cannot be used as a tuple");
    BOOST_TEST(contains(body_failure("    y: List[int] = [1, 'a']\n"),
                        "`List[int]` did not match the types of the given list elements, which were unified to "
                        "Union[int, str]"));
    BOOST_TEST(contains(body_failure("    return l + 1\n"), "Arguments for call are not valid."));
    BOOST_TEST(body_failure("    if o:\n        pass\n") == "2:7 Could not cast value of type Optional[int] to bool");
    BOOST_TEST(body_failure("    break\n") == "2:4 SyntaxError: 'break' outside loop");
    BOOST_TEST(body_failure("    raise 5\n") == "2:4 exceptions must derive from BaseException");
}

BOOST_AUTO_TEST_CASE(conditions_narrow_locals) { // SC-35
    const Functions program("def f(o: Optional[int], u: Union[int, str]) -> int:\n"
                            "    if o is not None and o > 3:\n"
                            "        return o\n"
                            "    assert not isinstance(u, str)\n"
                            "    return u + 1\n");
    BOOST_TEST(program({5, 1}).toInt() == 5);
    BOOST_TEST(program({IValue(), 1}).toInt() == 2);
    BOOST_CHECK_THROW(program({IValue(), "a"}), ScriptException);
    BOOST_TEST(Functions("def f(o: Optional[int]) -> int:\n    if o is None:\n        raise ValueError('none')\n"
                         "    return o + 1\n")({2})
                   .toInt() == 3);
    // both branches go on: outside it is what it was
    BOOST_TEST(contains(failure("def f(o: Optional[int]) -> int:\n    if o is None:\n        pass\n    return o\n"),
                        "actually of type Optional[int]"));
}

BOOST_AUTO_TEST_CASE(jumps_leave_loops) { // SC-47
    const Functions program("def f(n: int) -> int:\n"
                            "    s = 0\n"
                            "    for i in range(100):\n"
                            "        if i % 2 == 0:\n"
                            "            continue\n"
                            "        if i > n:\n"
                            "            return s\n"
                            "        while True:\n"
                            "            s += i\n"
                            "            if s > 1000:\n"
                            "                return -1\n"
                            "            break\n"
                            "        if i == 9:\n"
                            "            break\n"
                            "    return s + 100\n");
    BOOST_TEST(program({4}).toInt() == 1 + 3);
    BOOST_TEST(program({50}).toInt() == 100 + 1 + 3 + 5 + 7 + 9);
    BOOST_TEST(program({0}).toInt() == 0);
}

BOOST_AUTO_TEST_CASE(loops_and_comprehensions) { // SC-45, SC-46
    BOOST_TEST(shown("[i * i for i in range(5, -5, -3)]") == "[25, 4, 1, 16]");
    BOOST_TEST(shown("{i: str(i) for i in [3, 1]}") == "{3: 3, 1: 1}");
    BOOST_TEST(Functions("def f(l: List[int]) -> int:\n    s = 0\n"
                         "    for i, (a, b) in enumerate(zip(l, range(2, 20, 3))):\n        s += i * a * b\n"
                         "    return s\n")({std::vector<std::int64_t>{7, 8, 9}})
                   .toInt() == 0 * 7 * 2 + 1 * 8 * 5 + 2 * 9 * 8);
    BOOST_TEST(
        Functions("def f() -> str:\n    r = ''\n    for v in (1, 'a', 2.5):\n        r += str(v)\n    return r\n")()
            .toStringRef() == "1a2.5");
    BOOST_TEST(Functions("def f(n: int) -> int:\n    i = 7\n    for i in range(n):\n        pass\n    return i\n")({0})
                   .toInt() == 7);
}

BOOST_AUTO_TEST_CASE(conversions_of_arguments) { // SC-33, SC-89
    const Functions program("def g(n: int, k: float) -> float:\n    return n * k\n"
                            "def f(x, n: int):\n    return g(x, x), n - x, torch.zeros(2, 3).shape\n");
    const auto result = program({evaluated("torch.tensor(3)"), 10}).elements();
    BOOST_TEST(result[0].toDouble() == 9.);
    BOOST_TEST(result[1].toTensor().item().toLong() == 7);
    BOOST_TEST(str(result[2]) == "[2, 3]");
    BOOST_TEST(contains(program.code(), "annotate(int, x)"));
    BOOST_TEST(contains(failure("def g(k: float):\n    return k\ndef f():\n    return g(2)\n"),
                        "Expected a value of type 'float' for argument 'k' but instead found type 'int'"));
    BOOST_TEST(contains(body_failure("    return torch.relu(x, x, x)\n"), "positional arguments"));
    BOOST_TEST(contains(body_failure("    return torch.sum(x, input=x)\n"), "Argument 'input' specified twice."));
}

BOOST_AUTO_TEST_CASE(empty_lists_become_what_is_asked_for) { // SC-37
    BOOST_TEST(Functions("def f(n: int) -> List[int]:\n    l: List[int] = []\n    l.append(n)\n    return l\n")({4})
                   .toIntVector() == std::vector<std::int64_t>{4});
    BOOST_TEST(Functions("def f() -> List[str]:\n    return []\n")().elements().empty());
    BOOST_TEST(contains(failure("def f():\n    l = []\n    l.append(1)\n"), "Arguments for call are not valid."));
}

BOOST_AUTO_TEST_CASE(forks_close_over_locals) { // SC-29, SC-55
    const Functions program("def f(n: int) -> int:\n    k = n * 2\n"
                            "    def body():\n        if k > 10:\n            return 1\n        return k\n"
                            "    a = torch.jit.fork(body)\n    return torch.jit.wait(a) + n\n");
    BOOST_TEST(program({3}).toInt() == 9);
    BOOST_TEST(program({6}).toInt() == 7);
    const Functions called("def g(x: int, k: int) -> int:\n    return x * k\n"
                           "def f(n: int):\n    return torch.jit.fork(g, n, 3)\n");
    const auto graph = called.unit->find_function("__torch__.f")->graph();
    const Node* fork = graph->block()->first();
    while (fork->outputs().empty() || fork->output()->type()->kind() != TypeKind::Future) fork = fork->next();
    BOOST_TEST(fork->inputs().size() == 2u); // the constant, too
    BOOST_TEST(failure("def f(x):\n    def g():\n        return 1\n    return g()\n") == "4:11 cannot call a closure");
}

BOOST_AUTO_TEST_CASE(a_failed_text_leaves_nothing) { // SC-84
    auto unit = std::make_shared<CompilationUnit>();
    BOOST_CHECK_THROW(compile_functions(*unit, "def f():\n    return 1\ndef g():\n    return z\n"), ScriptError);
    BOOST_TEST(!unit->find_function("__torch__.f"));
    compile_functions(*unit, "def f():\n    return 1\n");
    BOOST_TEST(unit->find_function("__torch__.f"));
    BOOST_TEST(failure("def f(n: int) -> int:\n    return f(n)\n") ==
               "2:11 method 'f' is called recursively. Recursive calls are not supported");
}

BOOST_AUTO_TEST_CASE(methods_are_defined_together_or_not_at_all) { // SC-84
    auto unit = std::make_shared<CompilationUnit>();
    SourceFile file(*unit, "__torch__.m", "m.py", R"(class C(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  k : Final[float] = 0.5
  __annotations__["0"] = List[int]
  def g(self: __torch__.m.C,
    n: int=3) -> int:
    return torch.add(n, 1)
)",
                    nullptr);
    BOOST_TEST(file.define("__torch__.m.C"));
    BOOST_TEST(!file.define("__torch__.m.D"));
    auto type = std::const_pointer_cast<ClassType>(unit->find_class("__torch__.m.C"));
    BOOST_TEST(type->attributes().size() == 2u);
    BOOST_TEST(type->find_constant("k")->value.toDouble() == 0.5);
    const auto error = [&](const std::string& source) { return message([&] { define_methods(*type, source); }); };
    BOOST_TEST(
        contains(error("def h(self):\n    return self.g()\ndef forward(self):\n    return z\n"), "undefined value z"));
    BOOST_TEST(!type->find_method("h"));
    BOOST_TEST(contains(error("def g(self):\n    pass\n"), "Can't redefine method: g on class: __torch__.m.C"));
    BOOST_TEST(contains(error("def h():\n    pass\n"), "methods must have a self argument"));
    BOOST_TEST(contains(error("def h(self):\n    return self.nope\n"), "Module 'C' has no attribute 'nope'"));
    BOOST_TEST(contains(error("def h(self):\n    self.k = 1.\n"), "Tried to set nonexistent attribute: k"));
    define_methods(*type, "def h(self):\n    return self.g(n=4) * self.k\n");
    auto object = std::make_shared<Object>(type);
    BOOST_TEST((*type->find_method("h"))({to_ivalue(object)}).toDouble() == 2.5);
}

BOOST_AUTO_TEST_CASE(class_texts) { // SC-18, SC-19, SC-21
    auto unit = std::make_shared<CompilationUnit>();
    const std::string text = R"(class Point(NamedTuple):
  x : Tensor
  n : int
class Color(Enum):
  RED = 1
  BLUE = 7
class Op(ModuleInterface):
  def forward(self, x: Tensor) -> Tensor:
    pass
class Counter:
  n : int
  def __init__(self: __torch__.m.Counter,
    n: int) -> NoneType:
    self.n = n
    return None
def make(n: int) -> int:
  c = __torch__.m.Counter.__new__(__torch__.m.Counter)
  _0 = (c).__init__(n, )
  k = __torch__.m.Color.BLUE
  return torch.add(c.n, (k).value)
)";
    SourceFile file(*unit, "__torch__.m", "m.py", text, nullptr);
    BOOST_TEST(file.define("__torch__.m.make"));
    BOOST_TEST((*unit->find_function("__torch__.m.make"))({5}).toInt() == 12);
    BOOST_TEST(file.define("__torch__.m.Point"));
    BOOST_TEST(unit->find_type("__torch__.m.Point")->str() == "NamedTuple(x : Tensor, n : int)");
    BOOST_TEST(file.define("__torch__.m.Op"));
    const auto refused = [&](const std::string& source, const char* name = "__torch__.n.C") {
        return message([&] {
            SourceFile other(*unit, "__torch__.n", "n.py", source, nullptr);
            other.define(name);
        });
    };
    BOOST_TEST(contains(refused("class C(Widget):\n  pass\n"), "class 'C' has the base 'Widget'"));
    BOOST_TEST(contains(refused("class C:\n  pass\nclass C:\n  pass\n"), "'C' is defined twice"));
    BOOST_TEST(contains(refused("class C:\n  c : __torch__.n.C\n"), "Unknown type name '__torch__.n.C'"));
    BOOST_TEST(contains(refused("class C:\n  n : int\n  n : int\n"), "attribute 'n' is declared twice"));
    BOOST_TEST(contains(refused("class C(Enum):\n  A = 1\n  B = \"b\"\n"), "must be of one type"));
    BOOST_TEST(contains(refused("junk\n"), "expected class or def"));
}

BOOST_AUTO_TEST_CASE(constants_of_archives) { // SC-7, SC-30
    auto unit = std::make_shared<CompilationUnit>();
    const auto with = [&](const std::string& expression) {
        SourceFile file(*unit, "__torch__.k" + std::to_string(unit->functions().size()), "k.py",
                        "def f() -> str:\n  return " + expression + "\n",
                        std::make_shared<const std::vector<IValue>>(std::vector<IValue>{"\xc3\xa9"}));
        const std::string name = "__torch__.k" + std::to_string(unit->functions().size()) + ".f";
        file.define(name);
        return (*unit->find_function(name))({}).toStringRef();
    };
    BOOST_TEST(with("CONSTANTS.c0") == "\xc3\xa9");
    BOOST_TEST(contains(message([&] { with("CONSTANTS.c7"); }),
                        "constant index 7 is out of bounds (constant table has 1 entries)"));
    BOOST_TEST(contains(message([&] { with("CONSTANTS.x"); }), "invalid constant specifier: x"));
}

BOOST_AUTO_TEST_CASE(operators_that_reach_out_are_refused) { // SC-96
    BOOST_TEST(contains(body_failure("    return ops.mylib.special(x)\n"), "the namespace 'mylib'"));
    BOOST_TEST(contains(body_failure("    return ops.aten.from_file('a')\n"), "aten::from_file"));
    BOOST_TEST(contains(body_failure("    return open('a')\n"), "undefined value open"));
}

BOOST_AUTO_TEST_CASE(a_unit_of_its_own_calls_its_functions_by_name) {
    const auto unit = compile("def twice(x):\n    return x * 2\n"
                              "def count(a: List[int], b: str = 'n'):\n    return len(a) + len(b)\n");
    BOOST_TEST(unit->run_method("twice", reel::ones({2})).toTensor().sum().item<double>() == 4);
    BOOST_TEST(unit->run_method("count", std::vector<std::int64_t>{3, 4}).toInt() == 3);
    BOOST_TEST(unit->run_method("__torch__.count", std::vector<std::int64_t>{}, "abc").toInt() == 3);
    BOOST_TEST(&unit->get_function("twice") == unit->find_function("__torch__.twice"));
    BOOST_TEST(message([&] { unit->run_method("thrice", 1); }) ==
               "get_function: no function is called 'thrice'; there are: __torch__.twice, __torch__.count");
    BOOST_CHECK_THROW(compile("def f():\n    return z\n"), ScriptError);
    // A text in a program is indented as the program is.
    const auto inset = compile("\n      def f(x: int):\n        if x > 1:\n          return x\n        return 0\n"
                               "      def g(x: int):\n        return -x\n    ");
    BOOST_TEST(inset->run_method("f", 2).toInt() == 2);
    BOOST_TEST(inset->run_method("g", 2).toInt() == -2);
    BOOST_TEST(failure("\n   def f():\n     return 1\ndef g():\n  return 1\n") == "4:0 invalid indent level");
}

BOOST_AUTO_TEST_CASE(what_gives_nothing) {
    BOOST_TEST(contains(failure("def f():\n    return print(1)\n"), "2:11 None cannot be used as a value"));
    BOOST_TEST(contains(Functions("def f(n: int):\n    return torch.manual_seed(n)\n").code(), "-> Tuple[()]:"));
}
BOOST_AUTO_TEST_CASE(a_union_that_both_branches_narrow_stays_what_it_was) { // SC-35, SC-36
    const Functions f("def f(x: Union[int, str]) -> int:\n    if isinstance(x, int):\n        n = x + 1\n    else:\n"
                      "        n = len(x)\n    if isinstance(x, str):\n        n = n + 10\n    return n\n");
    BOOST_TEST(f({4}).toInt() == 5);
    BOOST_TEST(f({"abc"}).toInt() == 13);
}
BOOST_AUTO_TEST_CASE(branches_of_the_program_itself_are_not_merged) { // SC-47, SC-67
    const std::string code =
        Functions("def f(n: int):\n    if n == 3:\n        a = True\n    else:\n        a = False\n"
                  "    if a:\n        m = n\n    else:\n        m = 0\n    return m\n")
            .code();
    BOOST_TEST(contains(code, "    a = True\n  else:\n    a = False\n  if a:\n"));
}
BOOST_AUTO_TEST_CASE(results_of_operators_have_names) { // SC-33
    const Functions f("def f(x: Tensor):\n    return x.max(0)\n");
    BOOST_TEST(contains(f.unit->find_function("__torch__.f")->graph()->str(),
                        "NamedTuple(values : Tensor, indices : Tensor) = prim::TupleConstruct"));
    BOOST_TEST(contains(f.code(), "Tuple[Tensor, Tensor]"));
}
BOOST_AUTO_TEST_CASE(constants_of_classes_may_be_negative) { // SC-21
    auto unit = std::make_shared<CompilationUnit>();
    SourceFile file(*unit, "__torch__.m", "m.py",
                    "class C(Module):\n  __parameters__ = []\n  __buffers__ = []\n"
                    "  p : Final[Tuple[int, float]] = (-1, -2.5)\n  def g(self: __torch__.m.C) -> Tuple[int, float]:\n"
                    "    return (-1, -2.5)\n",
                    nullptr);
    BOOST_TEST(file.define("__torch__.m.C"));
    const auto* type = dynamic_cast<const ClassType*>(unit->find_type("__torch__.m.C").get());
    BOOST_REQUIRE(type);
    BOOST_TEST(type->find_constant("p")->value.elements().at(0).toInt() == -1);
    BOOST_TEST(type->find_constant("p")->value.elements().at(1).toDouble() == -2.5);
}
BOOST_AUTO_TEST_SUITE_END()
