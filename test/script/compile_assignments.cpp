// What variables, elements and annotations come to.
#include <reel/script/compile.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>

#include "compile_helpers.hpp"
#include "message.hpp"

using namespace reel::jit;
using namespace reel::testing;
using reel::IValue;

BOOST_AUTO_TEST_SUITE(script_compile_assignments)

BOOST_AUTO_TEST_CASE(a_declared_union_joins_what_branches_set) { // SC-36
    const Functions program("def f(n: int) -> Union[int, str]:\n"
                            "    if n > 0:\n        r: Union[int, str] = n\n"
                            "    else:\n        r = 'none'\n"
                            "    return r\n");
    BOOST_TEST(program({3}).toInt() == 3);
    BOOST_TEST(program({0}).toStringRef() == "none");
    BOOST_TEST(contains(program.code(), "r : Union[int, str] = n"));
    BOOST_TEST(Functions(program.code())({3}).toInt() == 3);
}
BOOST_AUTO_TEST_CASE(results_of_several_types_leave_branches_early) { // SC-47
    const Functions program("def f(x: Union[int, Tensor]) -> Union[str, Tensor]:\n"
                            "    if isinstance(x, Tensor):\n        return x + 1\n"
                            "    return str(x)\n");
    BOOST_TEST(program({reel::ones({1})}).toTensor().item<float>() == 2.f);
    BOOST_TEST(program({7}).toStringRef() == "7");
    const Functions after("def f(n: int) -> Union[int, str]:\n"
                          "    if n > 0:\n        return n\n"
                          "    n = n - 1\n"
                          "    return 'low ' + str(n)\n");
    BOOST_TEST(after({1}).toInt() == 1);
    BOOST_TEST(after({0}).toStringRef() == "low -1");
}
BOOST_AUTO_TEST_CASE(a_number_becomes_what_the_variable_was) { // SC-33
    const Functions program("def f(x: Tensor) -> float:\n"
                            "    s = 0.0\n"
                            "    for i in range(x.size(0)):\n        s += x[i].item()\n"
                            "    return s\n");
    BOOST_TEST(program({reel::tensor({1.5, 2.0})}).toDouble() == 3.5);
    BOOST_TEST(contains(program.code(), "s = float(s0)"));
}
BOOST_AUTO_TEST_CASE(elements_are_augmented_behind_the_operand) { // SC-39
    const Functions program("def f(l: List[int]):\n    l[1] -= l[0]\n    return l\n");
    BOOST_TEST(str(program({IValue::list({1, 5})})) == "[1, 4]");
    BOOST_TEST(contains(program.code(), "_0 = l[0]\n"));
    const Functions tensors(
        "def f(l: List[Tensor], d: Dict[str, Tensor]):\n    l[0] += 1\n    d['a'] += 1\n    return l, d\n");
    const reel::Tensor a = reel::ones({1}), b = reel::ones({1});
    tensors({IValue::list({a}), reel::ValueDict{{"a", b}}});
    BOOST_TEST(a.item<float>() == 2.f); // a list of tensors is changed in place
    BOOST_TEST(b.item<float>() == 1.f); // what a dict holds is replaced
}
BOOST_AUTO_TEST_CASE(types_may_be_quoted_and_joined_by_bars) { // SC-33
    const Functions program("def f(a: 'Tensor', b: int | None, c: \"List[int] | str\") -> 'int':\n"
                            "    return 1 if b is None else b\n");
    BOOST_TEST(program({reel::ones({1}), IValue(), "x"}).toInt() == 1);
    BOOST_TEST(program({reel::ones({1}), 4, IValue::list({1})}).toInt() == 4);
    BOOST_TEST(contains(program.code(), "b: Optional[int],\n    c: Union[List[int], str]) -> int:"));
    BOOST_TEST(contains(Functions("def f(a: int | str | None | float):\n    return 1\n").code(),
                        "a: Union[float, int, NoneType, str]"));
    BOOST_TEST(contains(failure("def f(a: 'Foo'):\n    return a\n"), "Unknown type name 'Foo'"));
    BOOST_TEST(contains(failure("def f(a: 'int, int'):\n    return a\n"), "expected the end of the expression"));
    BOOST_TEST(contains(failure("def f(a: ''):\n    return a\n"), "expected"));
}
BOOST_AUTO_TEST_CASE(generators_are_lists) { // SC-46
    BOOST_TEST(shown("sum(i * i for i in [1, 2, 3])") == "14");
    BOOST_TEST(shown("(i for i in range(3))") == "[0, 1, 2]");
}
BOOST_AUTO_TEST_CASE(isinstance_lists_types_as_unions_do) { // SC-35
    const Functions program("def f(x: Any) -> bool:\n    return isinstance(x, (str, int, float))\n");
    BOOST_TEST(contains(program.code(), "isinstance(x, (float, int, str))"));
    BOOST_TEST(program({1.5}).toBool());
    BOOST_TEST(!program({IValue::list({1})}).toBool());
}
BOOST_AUTO_TEST_CASE(where_is_a_method_of_what_is_taken) { // SC-90
    const Functions program("def f(x: Tensor):\n    return x.where(x > 0, 0)\n");
    BOOST_TEST(reel::equal(program({reel::tensor({-1.0, 2.0})}).toTensor(), reel::tensor({0.0, 2.0})));
    BOOST_TEST(contains(program.code(), "torch.where(torch.gt(x, 0), x, 0)"));
}
BOOST_AUTO_TEST_CASE(operators_have_longer_names) { // SC-84
    const Functions program(
        "def f(x: Tensor):\n    torch._assert(x.sum() > 0, 'low')\n    return torch.ops.aten.add(x, x)\n");
    BOOST_TEST(program({reel::ones({1})}).toTensor().item<float>() == 2.f);
    BOOST_TEST(contains(message([&] { program({-reel::ones({1})}); }), "AssertionError: low"));
    BOOST_TEST(contains(failure("def f(x: Tensor):\n    return torch.ops.aten.from_file('a')\n"), "is refused"));
    BOOST_TEST(contains(failure("def f(x: Tensor):\n    return torch.ops.quantized.add(x)\n"), "quantized"));
}
BOOST_AUTO_TEST_CASE(defaults_of_a_forked_call_stay_inside) { // SC-55
    const Functions program("def g(x: Tensor, k: float = 2.0):\n    return x * k\n"
                            "def f(x: Tensor):\n    return torch.jit.wait(torch.jit.fork(g, x))\n");
    BOOST_TEST(program({reel::ones({1})}).toTensor().item<float>() == 2.f);
    BOOST_TEST(contains(program.code(), "(x, 2., )"));
}
BOOST_AUTO_TEST_CASE(what_always_raises_has_a_result_of_its_type) { // SC-38
    const Functions program("def f(n: int) -> int:\n    raise ValueError('never')\n");
    BOOST_TEST(contains(program.code(), "_0 = uninitialized(int)"));
    BOOST_TEST(contains(message([&] { program({1}); }), "never"));
}
BOOST_AUTO_TEST_CASE(programs_differentiate) { // SC-90
    const Functions program("def f(x: Tensor):\n"
                            "    g = torch.autograd.grad([(x * x).sum()], [x])\n"
                            "    (x * 3).sum().backward()\n"
                            "    return g[0]\n");
    const reel::Tensor x = reel::tensor({1.0, 2.0}).requires_grad_();
    BOOST_TEST(reel::equal(program({x}).toTensor(), reel::tensor({2.0, 4.0})));
    BOOST_TEST(reel::equal(x.grad(), reel::tensor({3.0, 3.0})));
}
BOOST_AUTO_TEST_CASE(popitem_takes_the_oldest) { // SC-51
    const Functions program("def f(d: Dict[str, int]):\n    return d.popitem(), d\n");
    BOOST_TEST(str(program({reel::ValueDict{{"a", 1}, {"b", 2}}})) == "((a, 1), {b: 2})");
}
BOOST_AUTO_TEST_CASE(lists_of_tensors_are_compared_by_their_elements) { // SC-43
    const Functions program("def f(a: List[Tensor], b: List[Tensor]):\n    return a == b\n");
    const IValue one = IValue::list({reel::ones({1})}), two = IValue::list({reel::ones({2})});
    BOOST_TEST(program({one, one}).toBool());
    BOOST_TEST(contains(message([&] { program({two, two}); }), "this one has shape [2]"));
}

BOOST_AUTO_TEST_SUITE_END()
