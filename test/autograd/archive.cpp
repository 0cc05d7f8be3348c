// Archives in memory: entries, nesting, paths in messages, and what a failed load puts back.
#include <reel/autograd/archive.hpp>

#include "message.hpp"

#include <boost/test/unit_test.hpp>

#include <type_traits>

#include <reel/autograd/ops.hpp>

using namespace reel;
using reel::testing::message;
using serialize::InputArchive;
using serialize::LoadGuard;
using serialize::OutputArchive;

BOOST_AUTO_TEST_SUITE(archive)

static_assert(std::is_default_constructible_v<OutputArchive> && std::is_move_constructible_v<OutputArchive>);
static_assert(!std::is_copy_constructible_v<OutputArchive> && !std::is_copy_assignable_v<OutputArchive>);
static_assert(!std::is_copy_constructible_v<InputArchive> && std::is_move_assignable_v<InputArchive>);

BOOST_AUTO_TEST_CASE(three_kinds_of_entries_are_written_and_read) {
    OutputArchive out, nested, inner;
    inner.write("deep", Value("text"));
    nested.write("inner", inner);
    nested("t", reel::ones({2}), /*is_buffer=*/true);
    out("weight", reel::arange(3, kFloat));
    out("count", Value(7));
    out("part", nested);
    nested("later", Value(true)); // archives are handles until they are saved
    out("nothing", Tensor());

    InputArchive in(out.value());
    BOOST_TEST(in.keys() == (std::vector<std::string>{"weight", "count", "part", "nothing"}),
               boost::test_tools::per_element());
    Tensor weight, nothing = reel::ones({1});
    Value count;
    InputArchive part, deepest;
    in("weight", weight);
    in("count", count);
    in("part", part);
    in("nothing", nothing);
    BOOST_TEST(weight.sum().item<float>() == 3);
    BOOST_TEST(count.toInt() == 7);
    BOOST_TEST(!nothing.defined());
    BOOST_TEST(part.path() == "part");
    part.read("inner", deepest);
    BOOST_TEST(deepest.path() == "part.inner");
    deepest.read("deep", count);
    BOOST_TEST(count.toStringRef() == "text");
    part.read("later", count);
    BOOST_TEST(count.toBool());
}
BOOST_AUTO_TEST_CASE(a_defined_tensor_keeps_its_identity_and_takes_what_is_stored) {
    OutputArchive out;
    out << reel::arange(6, kDouble).reshape({2, 3});
    InputArchive in(out.value());
    Tensor target = reel::zeros({4}).requires_grad_();
    const TensorImpl* impl = target.unsafeGetTensorImpl();
    in >> target;
    BOOST_TEST(target.unsafeGetTensorImpl() == impl);
    BOOST_TEST(target.requires_grad());
    BOOST_TEST((target.scalar_type() == kDouble));
    BOOST_TEST((target.sizes() == IntArrayRef({2, 3})));
    BOOST_TEST(target.sum().item<double>() == 15);
}
BOOST_AUTO_TEST_CASE(what_is_missing_is_named_by_its_full_path) {
    OutputArchive out, a, b;
    b.write("x", Value(1));
    a.write("b", b);
    out.write("a", a);
    InputArchive in(out.value(), "net.pt"), ia, ib;
    in.read("a", ia);
    ia.read("b", ib);
    Tensor t = reel::ones({1});
    Value v(5);
    BOOST_TEST(message([&] { ib.read("w", t); }) == "No such serialized tensor 'a.b.w' in net.pt: 'a.b' has x");
    BOOST_TEST(message([&] { ib.read("x", t); }) == "No such serialized tensor 'a.b.x' in net.pt: the entry is 1");
    BOOST_TEST(message([&] { ib.read("w", v); }) == "No such serialized value 'a.b.w' in net.pt: 'a.b' has x");
    BOOST_TEST(message([&] { in.read("c", ib); }) == "No such serialized submodule 'c' in net.pt: the archive has a");
    BOOST_TEST(message([] { InputArchive().read("c", *std::make_unique<Value>()); }) ==
               "No such serialized value 'c': the archive is empty");
    BOOST_TEST(!ib.try_read("w", v));
    BOOST_TEST(!ib.try_read("x", t));
    BOOST_TEST(!in.try_read("c", ia));
    BOOST_TEST(v.toInt() == 5);
    BOOST_TEST(t.sum().item<float>() == 1);
    BOOST_TEST(ia.path() == "a");
    BOOST_TEST(ib.path() == "a.b");
}
BOOST_AUTO_TEST_CASE(PW5_keys_are_written_once_and_archives_not_into_themselves) {
    OutputArchive out, a, b;
    out.write("x", Value(1));
    BOOST_TEST(message([&] { out.write("x", Value(2)); }) == "OutputArchive::write: there is an entry 'x' already");
    a.write("b", b);
    BOOST_TEST(message([&] { b.write("a", a); }) == "OutputArchive::write: an archive cannot be its own entry 'a'");
    BOOST_TEST(message([&] { b.write("b", b); }) == "OutputArchive::write: an archive cannot be its own entry 'b'");
    BOOST_TEST(InputArchive(out.value()).keys().size() == 1u);
}
BOOST_AUTO_TEST_CASE(dotted_keys_of_a_state_dict_are_nested_entries) {
    const InputArchive archive(ValueDict{{"a.b.w", ones({2})}, {"a.c", 3}, {"ab.c", 4}});
    InputArchive a, b;
    BOOST_TEST(archive.try_read("a", a));
    BOOST_TEST(a.keys() == (std::vector<std::string>{"b.w", "c"}), boost::test_tools::per_element());
    BOOST_TEST(a.try_read("b", b));
    Tensor w;
    b.read("w", w);
    BOOST_TEST(w.equal(ones({2})));
    BOOST_TEST(!archive.try_read("c", a));
    BOOST_TEST(!a.try_read("c", b)); // an entry of its own, and no dict
    const std::string text = message([&] { b.read("bias", w); });
    BOOST_TEST(text.find("'a.b.bias'") != std::string::npos, text);
}
BOOST_AUTO_TEST_CASE(values_that_are_no_dict_are_read_by_number) {
    InputArchive one(Value(reel::ones({3})));
    Tensor t;
    one >> t;
    BOOST_TEST(t.numel() == 3);
    InputArchive list(Value(std::vector<Tensor>{reel::ones({1}), reel::ones({2})}));
    list.read("1", t = Tensor());
    BOOST_TEST(t.numel() == 2);
    BOOST_TEST(list.keys().size() == 2u);
}
BOOST_AUTO_TEST_CASE(a_guard_undoes_in_reverse_unless_it_is_committed) {
    OutputArchive out, nested;
    out.write("n", nested);
    InputArchive in(out.value()), inner;
    in.read("n", inner);
    const Tensor a = reel::zeros({2}), b = reel::zeros({2}), c = reel::zeros({2});
    std::string order;
    {
        LoadGuard outer(in);
        outer.keep(a);
        outer.on_failure([&] { order += "1"; });
        a.fill_(1);
        {
            LoadGuard done(inner);
            done.keep(b);
            done.on_failure([&] { order += "2"; });
            b.fill_(1);
            done.commit();
        }
        {
            LoadGuard failed(inner);
            failed.keep(c);
            c.fill_(1);
        }
        BOOST_TEST(c.sum().item<float>() == 0); // at once
        BOOST_TEST(b.sum().item<float>() == 2);
        // the outer one fails
    }
    BOOST_TEST(order == "21");
    BOOST_TEST(a.sum().item<float>() == 0);
    BOOST_TEST(b.sum().item<float>() == 0);
    {
        LoadGuard outer(in);
        outer.keep(a);
        a.fill_(1);
        outer.commit();
    }
    BOOST_TEST(a.sum().item<float>() == 2);
    { // an inner one may be the first that has something to undo
        LoadGuard outer(in);
        {
            LoadGuard done(inner);
            done.keep(a);
            a.fill_(7);
            done.commit();
        }
    }
    BOOST_TEST(a.sum().item<float>() == 2);
    { LoadGuard again(in); } // nothing of the completed one is left to undo
    BOOST_TEST(a.sum().item<float>() == 2);
}
BOOST_AUTO_TEST_CASE(an_archive_is_standard_while_nothing_else_was_written) {
    OutputArchive out, child, plain;
    child.write("w", Value(1));
    out.write("child", child);
    out.mark_standard();
    BOOST_TEST(!out.is_standard()); // the child is not
    child.mark_standard();
    BOOST_TEST(out.is_standard());
    child.write("more", Value(2));
    BOOST_TEST(!out.is_standard());
    BOOST_TEST(!plain.is_standard());
}

BOOST_AUTO_TEST_SUITE_END()
