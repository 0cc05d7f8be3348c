// Entries of a TensorDict: look-up, set, removal, renaming, merging, names (TD-1, TD-2, TD-4).
#include <reel/rl/tensordict.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <message.hpp>

using namespace reel;
using namespace reel::rl;
using reel::testing::message;

namespace {

using Sizes = std::vector<std::int64_t>;

TensorDict sample() {
    return TensorDict({{"a", zeros({3, 4, 5})},
                       {"b", TensorDict({{"c", zeros({3, 4})}, {{"d", "e"}, ones({3, 4}, kLong)}}, {3, 4})},
                       {"z", TensorDict({3, 4})}},
                      {3, 4});
}
std::string names(const TensorDict& td, bool nested = true, bool leaves_only = false) {
    std::string text;
    for (const NestedKey& key : td.keys(nested, leaves_only)) text += (text.empty() ? "" : " ") + key.str();
    return text;
}

} // namespace

BOOST_AUTO_TEST_SUITE(tensordict)

BOOST_AUTO_TEST_CASE(handles_and_sizes) {
    TensorDict empty;
    BOOST_TEST(empty.empty());
    BOOST_TEST(empty.batch_dims() == 0);
    BOOST_TEST(empty.numel() == 1);
    BOOST_TEST(TensorDict({0, 3}).numel() == 1); // as the package counts
    BOOST_TEST(TensorDict({2}).batch_size() == (Sizes{2}));
    const TensorDict td = sample();
    TensorDict same = td;
    same.set("new", zeros({3, 4}));
    BOOST_TEST(td.contains("new"));
    BOOST_TEST(same.is(td));
    BOOST_TEST(!td.clone(false).is(td));
    BOOST_TEST(td.size() == 4u);
    BOOST_TEST(td.numel() == 12);
    BOOST_TEST(td.batch_size(-1) == 4);
    BOOST_TEST(message([&] { td.batch_size(2); }) ==
               "TensorDict::batch_size: dimension 2 is out of range for the batch size [3, 4]");
    BOOST_TEST(message([] { TensorDict({2, -1}); }) == "TensorDict: the batch size [2, -1] has a negative dimension");
    TensorDict gone = td.clone();
    const TensorDict taken = std::move(gone);
    BOOST_TEST(message([&] { gone.size(); }) == "TensorDict: this handle was moved from and stands for no dictionary");
}

BOOST_AUTO_TEST_CASE(names_in_order_TD_2) {
    const TensorDict td = sample();
    BOOST_TEST(names(td, false) == "'a' 'b' 'z'");
    BOOST_TEST(names(td) == "'a' ('b', 'c') ('b', 'd', 'e') ('b', 'd') 'b' 'z'");
    BOOST_TEST(names(td, true, true) == "'a' ('b', 'c') ('b', 'd', 'e')");
    BOOST_TEST(names(td, false, true) == "'a'");
    BOOST_TEST(td.items(true).size() == 6u);
    BOOST_TEST(td.items(true)[3].second.is_dict());
    TensorDict again = td.clone();
    again.set("a", ones({3, 4}));
    BOOST_TEST(names(again, false) == "'a' 'b' 'z'"); // replaced in place
}

BOOST_AUTO_TEST_CASE(look_up_and_missing_keys_TD_4) {
    const TensorDict td = sample();
    BOOST_TEST((td[{"b", "d", "e"}].sum().item<std::int64_t>() == 12));
    BOOST_TEST(td.dict({"b", "d"}).is(td.dict("b").dict("d")));
    BOOST_TEST(td.at("a").is_tensor());
    BOOST_TEST(!td.get("q").has_value());
    BOOST_TEST(!td.get({"a", "q"}).has_value());
    BOOST_TEST(td.get("q", ones({2})).numel() == 2);
    BOOST_TEST(td.find("q") == nullptr);
    BOOST_TEST(td.contains({"b", "d"}));
    BOOST_TEST(message([&] { td["aa"]; }) ==
               "TensorDict::operator[]: no entry 'aa'; the nearest: 'a'; there are 'a', 'b', 'z'");
    BOOST_TEST(message([&] { td.at("e"); }) ==
               "TensorDict::at: no entry 'e'; the nearest: ('b', 'd', 'e'), 'a', 'b'; there are 'a', 'b', 'z'");
    BOOST_TEST(message([&] {
                   td.dict({"c", "d"});
               }) == "TensorDict::dict: no entry ('c', 'd'); the nearest: ('b', 'd'); there are 'a', 'b', 'z'");
    BOOST_TEST(message([&] {
                   td[{"a", "q"}];
               }) == "TensorDict::operator[]: no entry ('a', 'q'): 'a' is a tensor and no TensorDict");
    BOOST_TEST(message([] { TensorDict()["q"]; }) == "TensorDict::operator[]: no entry 'q': the dictionary is empty");
    const TensorDict step({{{"next", "reward"}, ones({1})}, {{"next", "done"}, ones({1})}, {"observation", ones({1})}},
                          {});
    BOOST_TEST(message([&] { step["reward"]; }) == "TensorDict::operator[]: no entry 'reward'; the nearest: ('next', "
                                                   "'reward'); there are 'next', 'observation'");
    BOOST_TEST(message([&] { step["obsrevation"]; }) == "TensorDict::operator[]: no entry 'obsrevation'; the nearest: "
                                                        "'observation'; there are 'next', 'observation'");
    BOOST_CHECK_THROW(td["q"], KeyError);
    TensorDict many;
    for (int i = 0; i < 20; ++i) many.set("entry_number_" + std::to_string(i), ones({1}));
    BOOST_TEST(message([&] { many["q"]; }).ends_with("'entry_number_15' and 4 more"));
}

BOOST_AUTO_TEST_CASE(tensors_and_dictionaries_are_told_apart) {
    const TensorDict td = sample();
    BOOST_TEST(message([&] { td["b"]; }) ==
               "TensorDict::operator[]: 'b' is a TensorDict and no tensor; dict('b') is what returns it");
    BOOST_TEST(message([&] { td.get("b"); }) ==
               "TensorDict::get: 'b' is a TensorDict and no tensor; dict('b') is what returns it");
    BOOST_TEST(message([&] { td.dict("a"); }) ==
               "TensorDict::dict: 'a' is a tensor of sizes [3, 4, 5] and no TensorDict");
    BOOST_TEST(message([&] { td.at("a").dict(); }) ==
               "Entry: expected a TensorDict, this one is a tensor; tensor() is what returns it");
    BOOST_TEST(message([&] { td.at("b").tensor(); }) ==
               "Entry: expected a tensor, this one is a TensorDict; dict() is what returns it");
    BOOST_CHECK_THROW(td["b"], TypeError);
}

BOOST_AUTO_TEST_CASE(set_checks_sizes_TD_1) {
    TensorDict td = sample();
    const std::string before = td.str();
    BOOST_TEST(message([&] { td.set("x", zeros({3})); }) ==
               "TensorDict::set: the tensor for 'x' has sizes [3], which do not begin with the batch size [3, 4]");
    BOOST_TEST(
        message([&] {
            td.set({"b", "x"}, zeros({4, 3}));
        }) == "TensorDict::set: the tensor for ('b', 'x') has sizes [4, 3], which do not begin with the batch size [3, "
              "4]");
    BOOST_TEST(
        message([&] {
            td.set({"fresh", "deep", "x"}, zeros({4}));
        }) == "TensorDict::set: the tensor for ('fresh', 'deep', 'x') has sizes [4], which do not begin with the batch "
              "size [3, 4]");
    BOOST_TEST(message([&] { td.set("x", TensorDict({2})); }) ==
               "TensorDict::set: the TensorDict for 'x' has batch size "
               "[2], which does not begin with the batch size [3, 4]");
    BOOST_TEST(message([&] {
                   td.set({"a", "x"}, zeros({3, 4}));
               }) ==
               "TensorDict::set: ('a', 'x') leads through 'a', which is a tensor and no TensorDict; del_ it first");
    BOOST_TEST(message([&] { td.set("x", Tensor()); }) ==
               "TensorDict::set: the tensor for 'x' is undefined; del_ is what removes an entry");
    BOOST_TEST(td.str() == before);
    td.set({"fresh", "deep", "x"}, zeros({3, 4, 1}));
    BOOST_TEST(td.dict({"fresh", "deep"}).batch_size() == (Sizes{3, 4}));
    td.set("b", ones({3, 4})); // a tensor takes a dictionary's place
    BOOST_TEST(td["b"].numel() == 12);
}

BOOST_AUTO_TEST_CASE(nested_dictionaries_are_widened_TD_1) {
    TensorDict td({3});
    const TensorDict narrow({{"c", zeros({3, 2})}, {"deep", TensorDict({{"x", zeros({3})}}, {})}}, {});
    td.set("n", narrow);
    BOOST_TEST(!td.dict("n").is(narrow));
    BOOST_TEST(td.dict("n").batch_size() == (Sizes{3}));
    BOOST_TEST(td.dict({"n", "deep"}).batch_size() == (Sizes{3}));
    BOOST_TEST((td[{"n", "c"}].is_same(narrow["c"])));
    BOOST_TEST(narrow.batch_dims() == 0); // the one given is as it was
    BOOST_TEST(narrow.dict("deep").batch_dims() == 0);
    const TensorDict wide({{"c", zeros({3, 2})}}, {3, 2});
    td.set("w", wide);
    BOOST_TEST(td.dict("w").is(wide)); // longer than the parent's: itself
    const TensorDict wrong({{"fine", zeros({3})}, {"deep", TensorDict({{"x", zeros({2})}}, {})}}, {});
    BOOST_TEST(
        message([&] { td.set("v", wrong); }) ==
        "TensorDict::set: the tensor ('v', 'deep', 'x') has sizes [2], which do not begin with the batch size [3]");
    BOOST_TEST(!td.contains("v"));
}

BOOST_AUTO_TEST_CASE(no_dictionary_contains_itself) {
    TensorDict td = sample();
    BOOST_TEST(message([&] { td.set("x", td); }) ==
               "TensorDict::set: 'x' would make the dictionary contain itself; store a clone(false) of it");
    BOOST_CHECK_THROW(td.set({"b", "d", "x"}, td), ValueError);
    BOOST_CHECK_THROW(td.dict({"b", "d"}).set("x", td.dict("b")), ValueError);
    BOOST_CHECK_THROW(td.dict("b").update(td), ValueError);
    BOOST_TEST(names(td) == names(sample()));
    td.set("x", td.clone(false));
    BOOST_TEST(td.contains({"x", "b", "c"}));
    TensorDict outer({3, 4}), inner({3, 4}); // by way of two entries that update takes over
    outer.set("n", inner).set("m", TensorDict({3, 4}));
    const TensorDict loop({{"m", TensorDict({{"to", inner}}, {3, 4})}, {"n", TensorDict({3, 4})}}, {3, 4});
    loop.dict("n").set("back", outer.dict("m"));
    BOOST_CHECK_THROW(outer.update(loop), ValueError);
}

BOOST_AUTO_TEST_CASE(writing_into_what_is_there) {
    TensorDict td = sample();
    const Tensor a = td["a"];
    td.set_("a", ones({4, 5}, kLong)); // broadcast and converted, as copy_ does
    BOOST_TEST(a.sum().item<float>() == 60);
    BOOST_TEST(message([&] {
                   td.set_("a", ones({3, 4, 6}));
               }) ==
               "TensorDict::set_: a tensor of sizes [3, 4, 6] does not broadcast into 'a', which has sizes [3, 4, 5]");
    BOOST_TEST(message([&] { td.set_("q", a); }).starts_with("TensorDict::set_: no entry 'q'"));
    BOOST_TEST(message([&] { td.set_("b", a); }) ==
               "TensorDict::set_: 'b' is a TensorDict and no tensor; update_ writes into its tensors");
    BOOST_TEST(message([&] { td.set_("a", Tensor()); }) == "TensorDict::set_: the tensor for 'a' is undefined");
    td.set_at_("a", zeros({5}), {0, 1});
    BOOST_TEST(a.sum().item<float>() == 55);
    td.set_at_({"b", "c"}, full({1}, 2.0), {indexing::Slice(), 1});
    BOOST_TEST((td[{"b", "c"}].sum().item<float>() == 6));
    BOOST_CHECK_THROW(td.set_at_("a", zeros({5}), {0, 9}), IndexError);
    BOOST_CHECK_THROW(td.set_at_("a", zeros({7}), {0, 1}), Error);
    BOOST_TEST(a.sum().item<float>() == 55);
}

BOOST_AUTO_TEST_CASE(leaves_of_the_tape_are_not_written_to) {
    TensorDict td({{"x", zeros({2})}, {"w", zeros({2}).requires_grad_()}}, {2});
    const TensorDict other({{"x", ones({2})}, {"w", ones({2})}}, {2});
    BOOST_TEST(message([&] { td.update_(other); }) ==
               "TensorDict::update_: the tensor 'w' is a leaf that requires grad and cannot be written to; use no_grad "
               "for updates of parameters");
    BOOST_CHECK_THROW(td.index_put_({0}, other[0]), Error);
    BOOST_TEST(td["x"].sum().item<float>() == 0); // nothing was written before the check
    {
        const NoGradGuard guard;
        td.update_(other);
    }
    BOOST_TEST(td["w"].sum().item<float>() == 2);
    TensorDict wide({{"x", zeros({2})}, {"y", zeros({1}).expand({2})}}, {2});
    BOOST_TEST(message([&] {
                   wide.update_(TensorDict({{"x", ones({2})}, {"y", ones({2})}}, {2}));
               }) ==
               "TensorDict::update_: the tensor 'y' of sizes [2] is expanded: its elements share memory and cannot be "
               "written to; clone() makes a copy");
    BOOST_TEST(wide["x"].sum().item<float>() == 0);
    const TensorDict part = TensorDict({{"x", zeros({2, 2})}}, {2}).unbind()[0];
    BOOST_CHECK_THROW(TensorDict(part).update_(TensorDict({{"x", ones({2}).requires_grad_()}}, {})), Error);
}

BOOST_AUTO_TEST_CASE(removal_TD_4) {
    TensorDict td = sample();
    td.del_({"b", "c"});
    BOOST_TEST(names(td) == "'a' ('b', 'd', 'e') ('b', 'd') 'b' 'z'");
    BOOST_TEST(td.pop("a").tensor().numel() == 60);
    BOOST_TEST(td.pop({"b", "d"}).is_dict());
    BOOST_TEST(names(td) == "'b' 'z'"); // the empty dictionary stays
    BOOST_TEST(!td.pop_if("a").has_value());
    BOOST_TEST(td.pop_if("z")->is_dict());
    BOOST_TEST(message([&] { td.pop("a"); }).starts_with("TensorDict::pop: no entry 'a'"));
    BOOST_TEST(message([&] { td.del_({"b", "q"}); }).starts_with("TensorDict::del_: no entry ('b', 'q')"));
}

BOOST_AUTO_TEST_CASE(renaming_TD_2) {
    TensorDict td = sample();
    td.rename_key_("a", "q");
    BOOST_TEST(names(td, false) == "'b' 'z' 'q'");
    td.rename_key_("q", {"new", "deep"});
    BOOST_TEST(names(td, false) == "'b' 'z' 'new'");
    td.rename_key_({"b", "d", "e"}, "z"); // takes the place of what was there
    BOOST_TEST(names(td) == "('b', 'c') ('b', 'd') 'b' 'z' ('new', 'deep') 'new'");
    td.rename_key_("z", "z", true);
    BOOST_TEST(td["z"].scalar_type() == kLong);
    BOOST_TEST(message([&] { td.rename_key_("z", "b", true); }) ==
               "TensorDict::rename_key_: 'b' exists already, and with safe=true 'z' does not replace it");
    BOOST_TEST(message([&] { td.rename_key_("y", "b"); }).starts_with("TensorDict::rename_key_: no entry 'y'"));
    BOOST_TEST(message([&] {
                   td.rename_key_("b", {"b", "d"});
               }) == "TensorDict::rename_key_: ('b', 'd') lies in 'b', which cannot be moved into itself");
    td.set("wide", TensorDict({3, 4, 7}));
    const std::string before = td.str();
    BOOST_TEST(message([&] {
                   td.rename_key_("z", {"wide", "x"});
               }) ==
               "TensorDict::rename_key_: the tensor for ('wide', 'x') has sizes [3, 4], which do not begin with the "
               "batch size [3, 4, 7]");
    BOOST_TEST(td.str() == before);
    td.rename_key_({"b", "c"}, "b"); // out of a dictionary into its place
    BOOST_TEST(td["b"].numel() == 12);
}

BOOST_AUTO_TEST_CASE(update_merges) {
    TensorDict td = sample();
    const TensorDict b = td.dict("b");
    const TensorDict other({{{"b", "c"}, ones({3, 4})}, {{"b", "new"}, ones({3, 4})}, {"n", ones({3, 4, 2})}}, {3, 4});
    td.update(other);
    BOOST_TEST(names(td) == "'a' ('b', 'c') ('b', 'd', 'e') ('b', 'd') ('b', 'new') 'b' 'z' 'n'");
    BOOST_TEST(td.dict("b").is(b));
    BOOST_TEST((td[{"b", "c"}].is_same(other[{"b", "c"}])));
    const std::string before = td.str();
    const TensorDict wrong({{"n", zeros({3})}, {{"b", "c"}, zeros({3, 7})}}, {3});
    BOOST_TEST(message([&] { td.update(wrong); }) ==
               "TensorDict::update: the tensor for 'n' has sizes [3], which do not begin with the batch size [3, 4]");
    BOOST_TEST(td.str() == before);
    td.update(TensorDict({{"a", TensorDict({{"k", ones({3, 4})}}, {3, 4})}, {"b", ones({3, 4})}}, {3, 4}));
    BOOST_TEST(td.at("a").is_dict()); // another kind takes the place
    BOOST_TEST(td.at("b").is_tensor());
    td.update(td);
}

BOOST_AUTO_TEST_CASE(update_in_place) {
    TensorDict td = sample();
    const Tensor c = td[{"b", "c"}];
    td.update_(TensorDict({{{"b", "c"}, ones({3, 4})}}, {3, 4}));
    BOOST_TEST(c.sum().item<float>() == 12);
    BOOST_TEST(
        message([&] {
            td.update_(TensorDict({{{"b", "c"}, zeros({3, 4})}, {{"b", "cc"}, zeros({3, 4})}}, {3, 4}));
        }) ==
        "TensorDict::update_: no entry ('b', 'cc'); the nearest: ('b', 'c'), ('b', 'd'); in 'b' there are 'c', 'd'");
    BOOST_TEST(
        message([&] {
            td.update_(TensorDict({{{"b", "c"}, zeros({3, 4})}, {"a", zeros({3, 4, 6})}}, {3, 4}));
        }) ==
        "TensorDict::update_: a tensor of sizes [3, 4, 6] does not broadcast into 'a', which has sizes [3, 4, 5]");
    BOOST_TEST(message([&] {
                   td.update_(TensorDict({{"a", TensorDict({3, 4})}}, {3, 4}));
               }) == "TensorDict::update_: 'a' is a tensor here and a TensorDict in the other dictionary");
    BOOST_TEST(c.sum().item<float>() == 12);
}

BOOST_AUTO_TEST_CASE(select_and_exclude_TD_2) {
    const TensorDict td = sample();
    BOOST_TEST(names(td.select({{"b", "d", "e"}, "a"})) == "('b', 'd', 'e') ('b', 'd') 'b' 'a'");
    BOOST_TEST(names(td.select({"b", {"b", "c"}})) == "('b', 'c') ('b', 'd', 'e') ('b', 'd') 'b'");
    BOOST_TEST(names(td.select({{"b", "c"}, "b"})) == "('b', 'c') ('b', 'd', 'e') ('b', 'd') 'b'");
    BOOST_TEST(names(td.select({"q", {"b", "q"}, "a"}, false)) == "'a'");
    BOOST_TEST(message([&] { td.select({"a", {"b", "q"}}); }).starts_with("TensorDict::select: no entry ('b', 'q')"));
    BOOST_TEST(names(td.exclude({{"b", "c"}, "z", "q", {"a", "q"}})) == "'a' ('b', 'd', 'e') ('b', 'd') 'b'");
    BOOST_TEST(names(td) == names(sample()));
    BOOST_TEST(names(td.without_empty()) == "'a' ('b', 'c') ('b', 'd', 'e') ('b', 'd') 'b'");
    BOOST_TEST(names(TensorDict({{"x", TensorDict({{"y", TensorDict()}}, {})}}, {}).without_empty()) == "");
    TensorDict part = td.select({{"b", "c"}});
    part.set({"b", "new"}, ones({3, 4}));
    BOOST_TEST(!td.contains({"b", "new"}));
}

BOOST_AUTO_TEST_CASE(flat_names) {
    const TensorDict td = sample(), flat = td.flatten_keys();
    BOOST_TEST(names(flat) == "'a' 'b.c' 'b.d.e'");
    BOOST_TEST(names(td.flatten_keys("_")) == "'a' 'b_c' 'b_d_e'");
    BOOST_TEST(names(flat.unflatten_keys()) == "'a' ('b', 'c') ('b', 'd', 'e') ('b', 'd') 'b'");
    const TensorDict both({{"a.b", ones({1})}, {{"a", "b"}, ones({1})}}, {1});
    BOOST_TEST(message([&] { both.flatten_keys(); }) ==
               "TensorDict::flatten_keys: two entries would be called 'a.b', one of them ('a', 'b'); choose another "
               "separator than '.'");
    BOOST_TEST(message([&] { both.unflatten_keys(); }) ==
               "TensorDict::unflatten_keys: 'a.b' would replace the entry ('a', 'b')");
    BOOST_TEST(message([] {
                   TensorDict({{"a.b", ones({1})}, {"a", ones({1})}}, {}).unflatten_keys();
               }) == "TensorDict::unflatten_keys: 'a.b' would replace the entry 'a'");
    BOOST_TEST(message([] {
                   TensorDict({{".b", ones({1})}}, {}).unflatten_keys();
               }) == "TensorDict::unflatten_keys: '.b' has an empty part between '.'");
    BOOST_TEST(message([&] { td.flatten_keys(""); }) == "TensorDict::flatten_keys: the separator is empty");
    const TensorDict beside({{"a", TensorDict({{"x", ones({1})}}, {})}, {"a.y", ones({1})}}, {});
    BOOST_TEST(names(beside.unflatten_keys()) == "('a', 'x') ('a', 'y') 'a'");
    BOOST_TEST(names(beside) == "('a', 'x') 'a' 'a.y'"); // the dictionary that was there has not grown
}

BOOST_AUTO_TEST_SUITE_END()
