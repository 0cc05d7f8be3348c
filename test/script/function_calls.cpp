// Calls of functions: control flow, exceptions, limits, arguments from outside, and the tape.
#include <reel/script/function.hpp>

#include <thread>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/memory.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/script/compile.hpp>
#include <reel/script/print_handler.hpp>

#include "message.hpp"

using namespace reel;
using jit::Function;
using jit::ScriptException;
using reel::testing::message;

namespace {
std::shared_ptr<Function> function(const std::string& schema, const std::string& graph,
                                   jit::CompilationUnit* unit = nullptr) {
    const jit::FunctionSchema parsed = jit::parse_schema(schema);
    return std::make_shared<Function>("__torch__." + parsed.name, jit::parse_graph(graph, unit), parsed);
}
/// Doubles `x` `n` times.
const char* const doubling = R"(graph(%x : Tensor,
      %n : int):
  %true : bool = prim::Constant[value=1]()
  %one : int = prim::Constant[value=1]()
  %y : Tensor = prim::Loop(%n, %true, %x)
    block0(%i : int, %a : Tensor):
      %b : Tensor = aten::add(%a, %a, %one)
      -> (%true, %b)
  return (%y)
)";
} // namespace

BOOST_AUTO_TEST_SUITE(script_function_calls)

// SC-45
BOOST_AUTO_TEST_CASE(loops_carry_values) {
    const auto f = function("f(Tensor x, int n) -> Tensor", doubling);
    const Tensor x = tensor({1.0, 3.0});
    for (const std::int64_t n : {0, 1, 5}) BOOST_TEST((*f)({x, n}).toTensor()[1].item<double>() == 3 * std::pow(2, n));
    BOOST_TEST((*f)({x, -3}).toTensor().is_same(x)); // no step: the value from before
    BOOST_TEST(x[0].item<double>() == 1);            // never taken from the caller
}

BOOST_AUTO_TEST_CASE(nested_loops_and_branches_share_registers_rightly) {
    // sum over i < n of (i odd ? the steps of an inner loop up to i : -1), with an outer value used in each block
    const auto f = function("f(int n, int k) -> int", R"(graph(%n : int,
      %k : int):
  %true : bool = prim::Constant[value=1]()
  %zero : int = prim::Constant[value=0]()
  %two : int = prim::Constant[value=2]()
  %total : int = prim::Loop(%n, %true, %zero)
    block0(%i : int, %t : int):
      %r : int = aten::remainder(%i, %two)
      %odd : bool = aten::ne(%r, %zero)
      %part : int = prim::If(%odd)
        block0():
          %inner : int = prim::Loop(%i, %true, %zero)
            block0(%j : int, %s : int):
              %s1 : int = aten::add(%s, %k)
              -> (%true, %s1)
          -> (%inner)
        block1():
          %minus : int = aten::neg(%k)
          -> (%minus)
      %t1 : int = aten::add(%t, %part)
      -> (%true, %t1)
  return (%total)
)");
    BOOST_TEST((*f)({6, 1}).toInt() == 1 + 3 + 5 - 3);
    BOOST_TEST((*f)({6, 10}).toInt() == 60);
    BOOST_TEST((*f)({0, 10}).toInt() == 0);
}

BOOST_AUTO_TEST_CASE(carried_values_change_all_at_once) {
    const auto f = function("f(int n) -> (int, int)", R"(graph(%n : int):
  %true : bool = prim::Constant[value=1]()
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %a : int, %b : int = prim::Loop(%n, %true, %zero, %one)
    block0(%i : int, %x : int, %y : int):
      %z : int = aten::add(%x, %y)
      -> (%true, %y, %z)
  %r : (int, int) = prim::TupleConstruct(%a, %b)
  return (%r)
)");
    BOOST_TEST((*f)({10}).elements()[0].toInt() == 55);
}

BOOST_AUTO_TEST_CASE(values_are_freed_at_their_last_use) {
    const auto f = function("f(Tensor x) -> Tensor", R"(graph(%x : Tensor):
  %a : Tensor = aten::neg(%x)
  %b : Tensor = aten::neg(%a)
  %c : Tensor = aten::neg(%b)
  %d : Tensor = aten::neg(%c)
  return (%d)
)");
    const NoGradGuard no_grad;
    constexpr std::size_t bytes = 1 << 20;
    const Tensor x = zeros({bytes}, kUInt8).to(kChar);
    reset_peak_memory_stats();
    const std::size_t before = memory_stats().allocated_bytes;
    (*f)({x});
    BOOST_TEST(memory_stats().peak_allocated_bytes - before < 3 * bytes); // not four
}

// SC-30, SC-52
BOOST_AUTO_TEST_CASE(tuples_lists_and_dicts_are_made_and_taken_apart) {
    const auto f = function("f(int a, int b) -> int", R"(graph(%a : int,
      %b : int):
  %l : int[] = prim::ListConstruct(%a, %b)
  %p : int, %q : int = prim::ListUnpack(%l)
  %d : Dict(int, int) = prim::DictConstruct(%p, %q)
  %t : (Dict(int, int), int) = prim::TupleConstruct(%d, %q)
  %e : Dict(int, int), %w : int = prim::TupleUnpack(%t)
  %v : int = aten::__getitem__(%e, %a)
  return (%v)
)");
    BOOST_TEST((*f)({4, 9}).toInt() == 9);
    const auto g = function("g(int[] l) -> int", R"(graph(%l : int[]):
  %a : int, %b : int = prim::ListUnpack(%l)
  return (%b)
)");
    try {
        (*g)({IValue::list({1, 2, 3})});
        BOOST_ERROR("three elements were taken for two");
    } catch (const ScriptException& e) {
        BOOST_TEST(e.message() == "Expected 2 elements in a list but found 3");
        BOOST_TEST(!e.raised_by_code());
    }
}

BOOST_AUTO_TEST_CASE(operations_are_recorded_as_those_of_cpp) {
    const auto f = function("f(Tensor x, int n) -> Tensor", doubling);
    const Tensor x = tensor({1.0, 3.0}).requires_grad_();
    (*f)({x, 3}).toTensor().sum().backward();
    BOOST_TEST(x.grad()[0].item<double>() == 8);
}

// SC-58
BOOST_AUTO_TEST_CASE(arguments_are_bound_to_the_schema) {
    const auto f = function("forward(Tensor x, float s, int n=2) -> float", R"(graph(%x : Tensor,
      %s : float,
      %n : int):
  %r : float = aten::mul(%s, %n)
  return (%r)
)");
    const Tensor x = ones({1});
    BOOST_TEST((*f)({x, 3}).toDouble() == 6); // an int for a float, a default
    BOOST_TEST((*f)({x}, {{"n", tensor(4)}, {"s", 0.5}}).toDouble() == 2);
    const std::string declaration = "Declaration: forward(Tensor x, float s, int n=2) -> float";
    BOOST_TEST(message([&] { (*f)({x}); }) == "forward() is missing value for argument 's'. " + declaration);
    BOOST_TEST(message([&] {
                   (*f)({x, 1, 2.5});
               }) == "forward() expected a value of type 'int' for argument 'n' but instead found 2.5. Position: 2. " +
                         declaration);
    BOOST_TEST(message([&] {
                   (*f)({x, 1, 2, 3});
               }) == "forward() expected at most 3 argument(s) but received 4 argument(s). " + declaration);
    BOOST_TEST(message([&] { (*f)({x, 1}, {{"q", 1}}); }) == "forward(): unknown keyword argument 'q'. " + declaration);
    BOOST_TEST(message([&] { (*f)({x, 1}, {{"s", 1}}); }) == "forward(): argument 's' is given twice. " + declaration);
    BOOST_CHECK_THROW((*f)({IValue(), 1}), TypeError);
}

// SC-59
BOOST_AUTO_TEST_CASE(errors_say_what_and_in_which_functions) {
    jit::CompilationUnit unit;
    unit.add_function(function("inner(int a, int b) -> int", R"(graph(%a : int,
      %b : int):
  %c : int = aten::floordiv(%a, %b)
  return (%c)
)"));
    const auto f = std::make_shared<Function>("__torch__.outer", std::make_shared<jit::Graph>(),
                                              jit::parse_schema("outer(int a, int b) -> int"));
    jit::Graph& g = *f->graph();
    jit::Value *const a = g.add_input("a", jit::Type::Int()), *const b = g.add_input("b", jit::Type::Int());
    jit::Node* const callee = g.insert_node(g.create(jit::prim::Constant));
    callee->output()->set_type(jit::Type::Function());
    callee->set("name", IValue("inner"))->set("function", unit.find_function("__torch__.inner"));
    jit::Node* const call = g.insert_node(g.create(jit::prim::CallFunction, {callee->output(), a, b}));
    g.add_output(call->output()->set_type(jit::Type::Int()));
    BOOST_TEST((*f)({7, 2}).toInt() == 3);
    try {
        (*f)({1, 0});
        BOOST_ERROR("nothing was thrown");
    } catch (const ScriptException& e) {
        const std::string what = e.what();
        BOOST_TEST(e.message() == "division by 0");
        BOOST_TEST(e.kind() == "RuntimeError");
        BOOST_TEST(what.find("__torch__.outer") < what.find("__torch__.inner"));
        BOOST_TEST(what.ends_with("RuntimeError: division by 0"));
    }
}

// SC-53
BOOST_AUTO_TEST_CASE(raise_comes_out_with_its_class) {
    const auto f = function("f(str m) -> ()", R"(graph(%m : str):
  %class : str = prim::Constant[value="builtins.ValueError"]()
   = prim::RaiseException(%m, %class)
  %none : NoneType = prim::Constant()
  return (%none)
)");
    try {
        (*f)({"too small"});
        BOOST_ERROR("nothing was raised");
    } catch (const ScriptException& e) {
        BOOST_TEST(e.kind() == "builtins.ValueError");
        BOOST_TEST(e.message() == "too small");
        BOOST_TEST(e.raised_by_code());
    }
}

BOOST_AUTO_TEST_CASE(operators_that_nothing_runs_say_so) {
    const auto f = function("f(Tensor x) -> Tensor", R"(graph(%x : Tensor):
  %y : Tensor = aten::_coalesce(%x)
  return (%y)
)");
    try {
        (*f)({ones({1})});
        BOOST_ERROR("it ran");
    } catch (const ScriptException& e) {
        BOOST_TEST(e.message() == "the operator aten::_coalesce(Tensor self) -> Tensor cannot run here");
        BOOST_TEST(e.kind() == "NotImplementedError");
    }
}

// SC-98
BOOST_AUTO_TEST_CASE(limits_end_a_run) {
    const auto f = function("f(Tensor x, int n) -> Tensor", doubling);
    const Tensor x = ones({1});
    {
        const Function::LimitScope scope({.steps = 1000});
        BOOST_TEST(message([&] { (*f)({x, 1000000}); }) == "script: stopped after 1000 steps, the limit of this run");
        (*f)({x, 100});
        (*f)({x, 200}); // each run counts for itself
    }
    (*f)({x, 2000}); // and none counts behind the scope
    {
        int asked = 0;
        const Function::LimitScope scope({.interrupt = [&] { return ++asked == 50; }});
        BOOST_TEST(message([&] { (*f)({x, 1000000}); }) == "script: interrupted after 50 steps");
        BOOST_TEST(asked == 50);
    }
    const auto endless = function("g(str s, int n) -> str", R"(graph(%s : str,
      %n : int):
  %true : bool = prim::Constant[value=1]()
  %r : str = prim::Loop(%n, %true, %s)
    block0(%i : int, %a : str):
      %b : str = aten::add(%a, %a)
      -> (%true, %b)
  return (%r)
)");
    const Function::LimitScope scope({.live_bytes = 1 << 20});
    BOOST_TEST(message([&] {
                   (*endless)({"ab", 100});
               }) == "script: a string or list of 2097152 bytes would be made; the limit of this run is 1048576");
}

BOOST_AUTO_TEST_CASE(tensors_count_as_live_bytes) {
    const auto f = function("f(Tensor x, int n) -> Tensor[]", R"(graph(%x : Tensor,
      %n : int):
  %true : bool = prim::Constant[value=1]()
  %l : Tensor[] = prim::ListConstruct()
   = prim::Loop(%n, %true)
    block0(%i : int):
      %y : Tensor = aten::neg(%x)
      %m : Tensor[] = aten::append(%l, %y)
      -> (%true)
  return (%l)
)");
    const Tensor x = ones({1 << 16});
    BOOST_TEST((*f)({x, 20}).elements().size() == 20u);
    const Function::LimitScope scope({.live_bytes = 1 << 20});
    BOOST_TEST(message([&] { (*f)({x, 1000}); }).ends_with("bytes are held; the limit of this run is 1048576"));
}

BOOST_AUTO_TEST_CASE(a_tensor_beyond_the_limit_is_refused_before_it_is_made) { // SC-98
    const auto unit = std::make_shared<jit::CompilationUnit>();
    jit::compile_functions(*unit, "def f(n: int) -> Tensor:\n  return torch.zeros([n])\n");
    Function& f = *unit->find_function("__torch__.f");
    {
        const Function::LimitScope scope({.live_bytes = 1 << 20});
        BOOST_TEST(f({1000}).toTensor().numel() == 1000);
        const std::size_t before = memory_stats().peak_allocated_bytes;
        const std::string said = message([&] { f({1'000'000'000'000}); });
        BOOST_TEST(said.starts_with("script: a tensor of 4000000000000 bytes would be made where "), said);
        BOOST_TEST(said.ends_with(" bytes are held; the limit of this run is 1048576"), said);
        BOOST_TEST(memory_stats().peak_allocated_bytes == before);
        const Tensor ours = zeros({1 << 20}); // what C++ makes meanwhile is not the script's
        BOOST_TEST(ours.nbytes() == 4u << 20);
    }
    BOOST_TEST(f({1 << 20}).toTensor().numel() == 1 << 20); // without limits again
}

// SC-55, SC-56, SC-47: what the language makes of them
BOOST_AUTO_TEST_CASE(forks_and_with_blocks_keep_their_promises) {
    const auto unit = std::make_shared<jit::CompilationUnit>();
    jit::compile_functions(*unit, R"(def halves(x: Tensor, n: int) -> Tensor:
  def __forked_function0():
    return torch.div(x, n)
  future = fork(__forked_function0)
  if n == 0:
    return x
  return torch.wait(future)

def failing(n: int) -> int:
  def __forked_function0():
    return 1 // n
  future = fork(__forked_function0)
  return torch.wait(future)
)");
    Function& halves = *unit->find_function("__torch__.halves");
    BOOST_TEST(halves({tensor({3.0}), 2}).toTensor().item<double>() == 1.5);
    BOOST_TEST(halves({tensor({3.0}), 0}).toTensor().item<double>() == 3); // nobody waits
    Function& failing = *unit->find_function("__torch__.failing");
    BOOST_TEST(failing({1}).toInt() == 1);
    try {
        failing({0});
        BOOST_ERROR("the exception of the fork was lost");
    } catch (const ScriptException& e) {
        BOOST_TEST(e.message() == "division by 0");
    }
}

// SC-42, SC-46
BOOST_AUTO_TEST_CASE(written_programs_run_as_the_reference_says) {
    const auto unit = std::make_shared<jit::CompilationUnit>();
    jit::compile_functions(*unit, R"(def modulo(n: int) -> float:
  m = n
  m %= 5
  return m

def pairs(a: List[int], b: List[str]) -> str:
  s = ""
  for i, (x, y) in enumerate(zip(a, b), 1):
    s += "{}{}{} ".format(i, x, y)
  return s

def squares(l: List[int]) -> int:
  return sum([x * x for x in l])
)");
    BOOST_TEST((*unit->find_function("__torch__.modulo"))({7}).isDouble());
    BOOST_TEST(
        (*unit->find_function("__torch__.pairs"))({IValue::list({5, 6, 7}), IValue::list({"a", "b"})}).toStringRef() ==
        "15a 26b ");
    BOOST_TEST((*unit->find_function("__torch__.squares"))({IValue::list({1, 2, 3})}).toInt() == 14);
}

BOOST_AUTO_TEST_CASE(one_function_runs_on_many_threads) {
    const auto f = function("f(Tensor x, int n) -> Tensor", doubling);
    std::vector<std::thread> threads;
    std::vector<double> results(4);
    for (std::size_t t = 0; t < results.size(); ++t)
        threads.emplace_back([&, t] { results[t] = (*f)({tensor({double(t)}), 10}).toTensor().item<double>(); });
    for (std::thread& t : threads) t.join();
    for (std::size_t t = 0; t < results.size(); ++t) BOOST_TEST(results[t] == 1024. * double(t));
}

BOOST_AUTO_TEST_CASE(print_goes_to_the_handler) {
    const auto f = function("f(int n, str s) -> ()", R"(graph(%n : int,
      %s : str):
   = prim::Print(%n, %s)
  %none : NoneType = prim::Constant()
  return (%none)
)");
    std::string printed;
    const jit::PrintHandler before = jit::set_print_handler([&](const std::string& line) { printed += line; });
    (*f)({3, "x"});
    jit::set_print_handler(before);
    BOOST_TEST(printed == "3 x\n");
}

BOOST_AUTO_TEST_SUITE_END()
