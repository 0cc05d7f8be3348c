// Functions: their text and what is inlined into them; units.
#include <reel/script/function.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/script/compile.hpp>
#include <reel/script/operator.hpp>

#include "message.hpp"

using namespace reel::jit;
using reel::IValue;
using reel::testing::message;

namespace {

std::string code_of(const std::string& graph, const std::string& schema, CompilationUnit* unit = nullptr) {
    return Function("__torch__.m.f", parse_graph(graph, unit), parse_schema(schema)).code();
}
std::string compiled(const std::string& source, const char* name = "f") {
    auto unit = std::make_shared<CompilationUnit>();
    compile_functions(*unit, source);
    return unit->find_function("__torch__." + std::string(name))->code();
}
std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
    return n;
}

} // namespace

BOOST_AUTO_TEST_SUITE(script_function)

BOOST_AUTO_TEST_CASE(what_is_used_once_stands_inside_its_user) { // SC-68, SC-70, SC-72, SC-119
    BOOST_TEST(code_of(R"(graph(%x.1 : Tensor):
  %1 : int = prim::Constant[value=1]()
  %2 : int = prim::Constant[value=2]()
  %3 : Tensor = aten::neg(%x.1)
  %4 : Tensor = aten::mul(%3, %2)
  %5 : Tensor = aten::add(%4, %x.1, %1)
  return (%5)
)",
                       "f(Tensor x) -> Tensor") ==
               "def f(x: Tensor) -> Tensor:\n  _0 = torch.add(torch.mul(torch.neg(x), 2), x)\n  return _0\n");
    // the second use of %3, and %4 that %3 would pass by
    BOOST_TEST(code_of(R"(graph(%x.1 : Tensor):
  %3 : Tensor = aten::neg(%x.1)
  %4 : Tensor = aten::abs(%x.1)
  %5 : Tensor = aten::matmul(%4, %3)
  %6 : Tensor = aten::matmul(%3, %5)
  return (%6)
)",
                       "f(Tensor x) -> Tensor") ==
               "def f(x: Tensor) -> Tensor:\n  _0 = torch.neg(x)\n"
               "  _1 = torch.matmul(_0, torch.matmul(torch.abs(x), _0))\n  return _1\n");
}

BOOST_AUTO_TEST_CASE(names_that_are_taken_get_numbers) { // SC-69
    BOOST_TEST(code_of(R"(graph(%a.1 : Tensor,
      %ops : Tensor):
  %a.2 : Tensor = aten::neg(%a.1)
  %a1.1 : Tensor = aten::neg(%a.2)
  %a.3 : Tensor = aten::neg(%a1.1)
  %for.1 : Tensor = aten::neg(%a.3)
  %b.1 : Tensor = aten::matmul(%for.1, %ops)
  return (%b.1)
)",
                       "f(Tensor a, Tensor ops) -> Tensor") ==
               "def f(a: Tensor,\n    ops0: Tensor) -> Tensor:\n  a0 = torch.neg(a)\n  a1 = torch.neg(a0)\n"
               "  a2 = torch.neg(a1)\n  for0 = torch.neg(a2)\n  return torch.matmul(for0, ops0)\n");
}

BOOST_AUTO_TEST_CASE(long_operands_get_lines_in_the_order_of_evaluation) { // SC-71
    BOOST_TEST(code_of(R"(graph(%x.1 : Tensor,
      %y.1 : Tensor):
  %1 : int = prim::Constant[value=1]()
  %2 : Tensor = aten::neg(%x.1)
  %3 : Tensor = aten::sigmoid(%y.1)
  %4 : Tensor = aten::sigmoid(%3)
  %5 : Tensor = aten::matmul(%4, %y.1)
  %6 : Tensor = aten::matmul(%5, %x.1)
  %7 : Tensor = aten::abs(%6)
  %8 : Tensor = aten::matmul(%2, %7)
  return (%8)
)",
                       "f(Tensor x, Tensor y) -> Tensor") ==
               "def f(x: Tensor,\n    y: Tensor) -> Tensor:\n  _0 = torch.neg(x)\n"
               "  _1 = torch.matmul(torch.sigmoid(torch.sigmoid(y)), y)\n"
               "  _2 = torch.matmul(_0, torch.abs(torch.matmul(_1, x)))\n  return _2\n");
    BOOST_TEST(code_of(R"(graph(%x.1 : int):
  %1 : str = prim::Constant[value="a text of more than forty characters, {}"]()
  %2 : str = aten::format(%1, %x.1)
  return (%2)
)",
                       "f(int x) -> str") ==
               "def f(x: int) -> str:\n  _0 = \"a text of more than forty characters, {}\"\n"
               "  return torch.format(_0, x)\n");
}

BOOST_AUTO_TEST_CASE(arguments_that_are_defaults_are_left_out) { // SC-72
    BOOST_TEST(code_of(R"(graph(%x.1 : Tensor):
  %1 : NoneType = prim::Constant()
  %2 : int = prim::Constant[value=2]()
  %3 : bool = prim::Constant[value=0]()
  %4 : Tensor = aten::clamp(%x.1, %1, %2)
  %5 : int[] = prim::ListConstruct(%2)
  %6 : Device = prim::Constant[value="cpu"]()
  %a.1 : Tensor = aten::zeros(%5, %1, %1, %6, %1)
  %7 : Tensor = aten::flatten(%4, %2, %2)
  %8 : Tensor, %9 : Tensor = aten::max(%7, %2, %3)
  %10 : (Tensor, Tensor, Tensor) = prim::TupleConstruct(%8, %9, %a.1)
  return (%10)
)",
                       "f(Tensor x) -> ((Tensor, Tensor, Tensor))") ==
               "def f(x: Tensor) -> Tuple[Tensor, Tensor, Tensor]:\n  _0 = torch.clamp(x, None, 2)\n"
               "  a = torch.zeros([2], dtype=None, layout=None, device=torch.device(\"cpu\"))\n"
               "  _1, _2 = torch.max(torch.flatten(_0, 2, 2), 2)\n  return (_1, _2, a)\n");
}

BOOST_AUTO_TEST_CASE(forms_of_the_language) { // SC-73
    auto unit = std::make_shared<CompilationUnit>();
    unit->add_type(std::make_shared<ClassType>("__torch__.m.C", true, unit.get()));
    unit->add_type(std::make_shared<InterfaceType>("__torch__.m.Op", std::vector<FunctionSchema>()));
    unit->add_function(std::make_shared<Function>("__torch__.m.g", std::make_shared<Graph>(), FunctionSchema()));
    BOOST_TEST(code_of(R"(graph(%self : __torch__.m.C,
      %d.1 : Dict(str, int[]),
      %i.1 : int):
  %0 : str = prim::Constant[value="k"]()
  %1 : int = prim::Constant[value=0]()
  %g : Function = prim::Constant[name="g"]()
  %l.1 : int[] = aten::__getitem__(%d.1, %0)
  %e.1 : float[] = prim::ListConstruct()
  %o.1 : int?[] = prim::ListConstruct(%1, %i.1)
  %m.1 : Dict(str, int) = prim::DictConstruct(%0, %1)
  %seq.1 : __torch__.m.C = prim::GetAttr[name="0"](%self)
  %2 : Tensor = prim::CallMethod[name="run"](%seq.1, %l.1)
   = prim::SetAttr[name="n"](%self, %2)
  %op.1 : InterfaceType<Op> = prim::ModuleContainerIndex(%seq.1, %i.1)
  %a.1 : int, %b.1 : int = prim::ListUnpack(%l.1)
  %3 : float = aten::Float(%a.1)
  %t.1 : (float, int) = prim::TupleConstruct(%3, %b.1)
  %u.1 : int = prim::TupleIndex(%t.1, %1)
  %s.1 : int[] = prim::ListConstruct(%u.1, %u.1)
  %4 : int[] = prim::ListConstruct(%a.1)
  %5 : int = aten::__getitem__(%4, %1)
  %6 : bool = prim::isinstance[types=[int, float]](%5)
  %7 : int = prim::CallFunction(%g, %6)
  return (%7)
)",
                       "f(__torch__.m.C self, Dict(str, int[]) d, int i) -> int", unit.get()) ==
               "def f(self,\n    d: Dict[str, List[int]],\n    i: int) -> int:\n  l = d[\"k\"]\n"
               "  e = annotate(List[float], [])\n  o = annotate(List[Optional[int]], [0, i])\n  m = {\"k\": 0}\n"
               "  seq = getattr(self, \"0\")\n  self.n = (seq).run(l, )\n  op : __torch__.m.Op = seq[i]\n"
               "  a, b, = l\n  t = (float(a), b)\n  u = (t)[0]\n  s = [u, u]\n"
               "  _0 = isinstance(([a])[0], (int, float))\n  return __torch__.m.g(_0, )\n");
}

BOOST_AUTO_TEST_CASE(loops) { // SC-74
    const std::string head = "graph(%x.1 : Tensor,\n      %n.1 : int,\n      %b.1 : bool):\n"
                             "  %1 : bool = prim::Constant[value=1]()\n";
    const std::string body = "    block0(%i : int, %y.2 : Tensor, %z.2 : int):\n"
                             "      %y.3 : Tensor = aten::mul(%y.2, %i)\n      -> (%1, %y.3, %i)\n  return (%y.1)\n";
    const char* const schema = "f(Tensor x, int n, bool b) -> Tensor";
    BOOST_TEST(code_of(head + "  %y.1 : Tensor, %z.1 : int = prim::Loop(%n.1, %1, %x.1, %n.1)\n" + body, schema) ==
               "def f(x: Tensor,\n    n: int,\n    b: bool) -> Tensor:\n  y = x\n  z = n\n"
               "  for i in range(n):\n    y, z = torch.mul(y, i), i\n  return y\n");
    BOOST_TEST(message([&] {
                   code_of(head + "  %y.1 : Tensor, %z.1 : int = prim::Loop(%n.1, %b.1, %x.1, %n.1)\n" + body, schema);
               }) == "code: a loop with both a trip count and a condition has no text");
}

BOOST_AUTO_TEST_CASE(a_variable_that_may_be_none_is_annotated_where_it_is_set_first) { // SC-74
    BOOST_TEST(code_of(R"(graph(%x.1 : Tensor,
      %n.1 : int,
      %o.1 : Tensor?):
  %1 : bool = prim::Constant[value=1]()
  %2 : int = prim::Constant[value=9223372036854775807]()
  %3 : int = prim::Constant[value=0]()
  %w.1 : Tensor? = prim::Loop(%n.1, %1, %o.1)
    block0(%i : int, %w.2 : Tensor?):
      -> (%1, %x.1)
  %4 : bool = aten::gt(%n.1, %3)
  %v.1 : Tensor? = prim::If(%4)
    block0():
      -> (%x.1)
    block1():
      -> (%w.1)
  %5 : bool = aten::lt(%n.1, %3)
   = prim::If(%5)
    block0():
       = prim::Print(%n.1)
      -> ()
    block1():
      -> ()
  %z.1 : int = prim::Loop(%2, %4, %n.1)
    block0(%6 : int, %z.2 : int):
      %7 : int = aten::sub(%z.2, %3)
      %8 : bool = aten::gt(%7, %3)
      -> (%8, %7)
   = prim::Print(%z.1)
  return (%v.1)
)",
                       "f(Tensor x, int n, Tensor? o) -> Tensor?") ==
               "def f(x: Tensor,\n    n: int,\n    o: Optional[Tensor]) -> Optional[Tensor]:\n"
               "  w: Optional[Tensor] = o\n  for i in range(n):\n    w = x\n  _0 = torch.gt(n, 0)\n"
               "  if _0:\n    v : Optional[Tensor] = x\n  else:\n    v = w\n"
               "  if torch.lt(n, 0):\n    print(n)\n  else:\n    pass\n"
               "  z = n\n  _1 = _0\n  while _1:\n    _2 = torch.sub(z, 0)\n    _1, z = torch.gt(_2, 0), _2\n"
               "  print(z)\n  return v\n");
}

BOOST_AUTO_TEST_CASE(constants_beside_the_code) { // SC-75
    Function f("__torch__.m.f", parse_graph(R"(graph(%x.1 : Tensor):
  %1 : Tensor = prim::Constant[value=tensor(int64, [2], [3, 4])]()
  %2 : Tensor = prim::Constant[value=tensor(int64, [2], [3, 4])]()
  %3 : str = prim::Constant[value="\303\251"]()
  %4 : Tensor = aten::mul(%x.1, %1)
  %5 : Tensor = aten::mul(%4, %2)
  %6 : (Tensor, str) = prim::TupleConstruct(%5, %3)
  return (%6)
)"),
               parse_schema("f(Tensor x) -> ((Tensor, str))"));
    const auto [code, constants] = f.code_with_constants();
    BOOST_TEST(code == "def f(x: Tensor) -> Tuple[Tensor, str]:\n"
                       "  _0 = torch.mul(torch.mul(x, CONSTANTS.c0), CONSTANTS.c0)\n  return (_0, CONSTANTS.c1)\n");
    BOOST_TEST(constants.size() == 2u);
    BOOST_TEST(constants[0].first == "c0");
    BOOST_TEST(constants[1].second.toStringRef() == "\xc3\xa9");
}

BOOST_AUTO_TEST_CASE(compiling_folds_constants_and_drops_what_is_not_used) { // SC-67
    BOOST_TEST(compiled("def f(x: int):\n    a = 3 // 2 + 4\n    b = x * 2\n    return \"a\" + \"b\", a\n") ==
               "def f(x: int) -> Tuple[str, int]:\n  return (\"ab\", 5)\n");
    BOOST_TEST(compiled("def f(x: int):\n    y = (x, 1)\n    a, b = y\n    if 1 > 2:\n        b = a\n    return a\n") ==
               "def f(x: int) -> int:\n  return x\n");
    // a list can be seen by nobody: what is done to it neither
    BOOST_TEST(compiled("def f(x: int):\n    l = [x]\n    l.append(2)\n    return x\n") ==
               "def f(x: int) -> int:\n  return x\n");
    // lists are not folded, equal nodes are not merged
    BOOST_TEST(compiled("def f(x: int):\n    return len([1, 2]), x + 1, x + 1\n") ==
               "def f(x: int) -> Tuple[int, int, int]:\n"
               "  _0 = (torch.len([1, 2]), torch.add(x, 1), torch.add(x, 1))\n  return _0\n");
}

BOOST_AUTO_TEST_CASE(calls_are_inlined) { // SC-66
    auto unit = std::make_shared<CompilationUnit>();
    compile_functions(*unit, "def h(x: Tensor, w: Optional[Tensor]):\n    if w is None:\n        return x.neg()\n"
                             "    return x.matmul(w)\n"
                             "def g(x: Tensor):\n    return h(x, None).abs()\n"
                             "def f(x: Tensor):\n    return g(x) + h(x, x)\n");
    Function* f = unit->find_function("__torch__.f");
    const std::string inlined = f->inlined_graph()->str();
    BOOST_TEST(count(f->graph()->str(), "prim::CallFunction") == 2u);
    BOOST_TEST(count(inlined, "prim::CallFunction") == 0u);
    // in g the answer is known, in f it is asked for
    BOOST_TEST(count(inlined, "prim::If") == 1u);
    BOOST_TEST(count(inlined, "aten::neg") == 2u);
    f->inlined_graph()->verify();
}

BOOST_AUTO_TEST_CASE(inlined_bodies_are_cleaned) { // SC-66, SC-121
    auto unit = std::make_shared<CompilationUnit>();
    compile_functions(*unit, "def g(x: Tensor, w: Tensor, n: int):\n    y = torch.conv2d(x, w)\n    l = [n, n]\n"
                             "    m = [n, n]\n    m.append(n)\n    return y.dim(), len(l), len(m), 2 * (n // 1)\n"
                             "def f(x: Tensor, w: Tensor, n: int):\n    return g(x, w, n)\n");
    const std::string inlined = canonical(*unit->find_function("__torch__.f")->inlined_graph());
    BOOST_TEST(count(inlined, "aten::dim") == 0u);
    BOOST_TEST(count(inlined, "aten::len") == 1u); // what is appended to keeps its question
    BOOST_TEST(count(inlined, "aten::floordiv") == 0u);
    BOOST_TEST(count(inlined, "aten::mul(%2, <2 : int>)") == 1u);
    BOOST_TEST(count(inlined, "(<4 : int>, <2 : int>, ") == 1u);
}

BOOST_AUTO_TEST_CASE(a_function_is_compiled_when_it_is_first_asked_for) {
    int compiled = 0;
    Function f("__torch__.m.f", [&](Function& self) {
        ++compiled;
        self.set(parse_graph("graph():\n  return ()\n"), parse_schema("f() -> NoneType"));
    });
    BOOST_TEST(compiled == 0);
    BOOST_TEST(f.name() == "f");
    BOOST_TEST(f.schema().name == "f");
    f.graph();
    BOOST_TEST(compiled == 1);
    Function loop("__torch__.m.loop", [](Function& self) { self.graph(); });
    BOOST_TEST(message([&] { loop.graph(); })
                   .find("function 'loop' is called recursively. Recursive calls are not "
                         "supported") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_unit_knows_names_and_imports_what_it_lacks) {
    auto unit = std::make_shared<CompilationUnit>();
    std::vector<std::string> asked;
    unit->importer = [&](const std::string& name) {
        asked.push_back(name);
        if (name == "__torch__.m.C") unit->add_type(std::make_shared<ClassType>(name, false, unit.get()));
    };
    BOOST_TEST(unit->find_class("__torch__.m.C")->name() == "__torch__.m.C");
    BOOST_TEST(!unit->find_type("__torch__.m.D"));
    unit->find_class("__torch__.m.C");
    BOOST_TEST(asked.size() == 2u);
    BOOST_TEST(message([&] { unit->add_type(std::make_shared<ClassType>("__torch__.m.C", false, unit.get())); }) ==
               "'__torch__.m.C' is defined already");
    BOOST_TEST(message([&] { unit->add_type(Type::Int()); }) ==
               "add_type: expected a class, an interface, an enum or a named tuple, got int");
    // SC-25
    BOOST_TEST(unit->mangled("__torch__.m.E") == "__torch__.m.E");
    BOOST_TEST(unit->mangled("__torch__.m.C") == "__torch__.m.___torch_mangle_0.C");
    unit->add_type(std::make_shared<ClassType>("__torch__.m.___torch_mangle_0.C", false, unit.get()));
    BOOST_TEST(unit->mangled("__torch__.m.C") == "__torch__.m.___torch_mangle_1.C");
    // a number that was given is not given again, whether or not somebody took the name
    BOOST_TEST(unit->mangled("__torch__.m.___torch_mangle_0.C") == "__torch__.m.___torch_mangle_2.C");
    BOOST_TEST(unit->types().size() == 2u);
    unit->remove("__torch__.m.C");
    BOOST_TEST(unit->types().size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
