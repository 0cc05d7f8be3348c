// The batch of a TensorDict: sizes, parts, other shapes (TD-1 to TD-3).
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/rl/tensordict.hpp>

#include <message.hpp>

using namespace reel;
using namespace reel::rl;
using namespace reel::indexing;
using reel::testing::message;

namespace {

using Sizes = std::vector<std::int64_t>;

/// Batch [3, 4]; a nested dictionary has one dimension more.
TensorDict sample() {
    return TensorDict(
        {{"a", arange(60).reshape({3, 4, 5})}, {"b", TensorDict({{"c", arange(24).reshape({3, 4, 2})}}, {3, 4, 2})}},
        {3, 4});
}
Sizes sizes_of(const TensorDict& td, const NestedKey& key) {
    return td.at(key).is_tensor() ? td[key].sizes().vec() : td.dict(key).batch_size();
}
std::int64_t sum(const TensorDict& td) {
    std::int64_t total = 0;
    for (const auto& [key, entry] : td.items(true, true)) total += entry.tensor().sum().item<std::int64_t>();
    return total;
}

} // namespace

BOOST_AUTO_TEST_SUITE(tensordict_batch)

BOOST_AUTO_TEST_CASE(changing_the_batch_size_TD_1) {
    TensorDict td({{"a", zeros({3, 4})}, {"b", TensorDict({{"c", zeros({3, 4, 2})}}, {3})}}, {3});
    td.set_batch_size({3, 4});
    BOOST_TEST(td.dict("b").batch_size() == (Sizes{3, 4})); // follows
    td.set_batch_size({});
    BOOST_TEST(td.batch_dims() == 0);
    BOOST_TEST(td.dict("b").batch_size() == (Sizes{3, 4})); // keeps its own
    td.set_batch_size(td.dict("b").batch_size());
    BOOST_TEST(
        message([&] {
            td.set_batch_size({3, 4, 2});
        }) == "TensorDict::set_batch_size: the tensor 'a' has sizes [3, 4], which do not begin with the new batch size "
              "[3, 4, 2]");
    BOOST_TEST(
        message([&] { td.set_batch_size({2}); }) ==
        "TensorDict::set_batch_size: the tensor 'a' has sizes [3, 4], which do not begin with the new batch size "
        "[2]");
    BOOST_TEST(message([&] { td.set_batch_size({-1}); }) ==
               "TensorDict::set_batch_size: the batch size [-1] has a negative dimension");
    BOOST_TEST(td.batch_size() == (Sizes{3, 4}));
    TensorDict nested({{"b", TensorDict({{"fine", zeros({3, 4})}, {"short", zeros({3})}}, {3})}}, {3});
    BOOST_TEST(message([&] {
                   nested.set_batch_size({3, 4});
               }) ==
               "TensorDict::set_batch_size: the tensor ('b', 'short') has sizes [3], which do not begin with the new "
               "batch size [3, 4]");
    BOOST_TEST(nested.dict("b").batch_size() == (Sizes{3}));
    TensorDict other({{"b", TensorDict({3, 5})}}, {3});
    BOOST_TEST(
        message([&] {
            other.set_batch_size({3, 4});
        }) == "TensorDict::set_batch_size: the TensorDict 'b' has batch size [3, 5], which does not begin with the new "
              "batch size [3, 4]");
}

BOOST_AUTO_TEST_CASE(integers_and_slices_are_views_TD_2) {
    const TensorDict td = sample();
    const std::size_t one = 1;
    BOOST_TEST(td[one].batch_size() == (Sizes{4}));
    BOOST_TEST(td[-1]["a"].equal(td["a"][2]));
    BOOST_TEST(sizes_of(td[0], "b") == (Sizes{4, 2}));
    BOOST_TEST(sizes_of(td[Slice(1, None)], {"b", "c"}) == (Sizes{2, 4, 2}));
    const TensorDict column = td.index({Ellipsis, 1}); // of the batch, not of the tensors
    BOOST_TEST(column.batch_size() == (Sizes{3}));
    BOOST_TEST((column[{"b", "c"}].equal(td[{"b", "c"}].select(1, 1))));
    BOOST_TEST(td.index({Slice(None, None, 2), None}).batch_size() == (Sizes{2, 1, 4}));
    td[0]["a"].zero_();
    BOOST_TEST(td["a"][0].sum().item<std::int64_t>() == 0);
    BOOST_TEST(td["a"].sum().item<std::int64_t>() > 0);
    const TensorDict whole = td.index({Ellipsis});
    BOOST_TEST(whole.batch_size() == td.batch_size());
    BOOST_TEST(whole["a"].is_alias_of(td["a"]));
    BOOST_TEST(TensorDict({{"x", zeros({3})}}, {}).index({None})["x"].dim() == 2);
    TensorDict grown = td[0];
    grown.set("new", zeros({4}));
    BOOST_TEST(!td.contains("new"));
}

BOOST_AUTO_TEST_CASE(masks_and_index_tensors_copy_TD_2) {
    const TensorDict td = sample();
    const Tensor mask = td["a"].select(2, 0) > 20;
    BOOST_TEST(td[mask].batch_size() == (Sizes{7}));
    BOOST_TEST(td[mask]["a"].equal(td["a"].index({mask})));
    BOOST_TEST((td[mask][{"b", "c"}].equal(td[{"b", "c"}].index({mask}))));
    const Tensor places = tensor({2, 0, -1});
    BOOST_TEST(td[places]["a"].equal(td["a"].index({places})));
    BOOST_TEST(!td[places]["a"].is_alias_of(td["a"]));
    BOOST_TEST(td.index({Slice(), places}).batch_size() == (Sizes{3, 3}));
    BOOST_TEST(td.index({places, None, places}).batch_size() == (Sizes{3, 1})); // apart: theirs come first
    BOOST_TEST(td.index({tensor({0, 1}).reshape({2, 1}), places}).batch_size() == (Sizes{2, 3}));
    BOOST_TEST(td[tensor(1)].batch_size() == (Sizes{4}));
    BOOST_TEST(td.index({true}).batch_size() == (Sizes{1, 3, 4}));
    BOOST_TEST(td.index({false})["a"].numel() == 0);
    BOOST_TEST(td[mask.logical_and(~mask)].batch_size() == (Sizes{0}));
    const TensorDict empty({3, 4}); // without tensors the batch size is all there is
    BOOST_TEST(empty[mask].batch_size() == (Sizes{7}));
    BOOST_TEST(empty.index({Slice(5, 2), places}).batch_size() == (Sizes{0, 3}));
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_the_batch_is_refused) {
    const TensorDict td = sample();
    BOOST_TEST(message([&] { td[3]; }) == "TensorDict::operator[]: index 3 is out of range for the batch size [3, 4]");
    BOOST_TEST(message([&] {
                   td.index({0, -5});
               }) == "TensorDict::index: index -5 is out of range for dimension 1 of the batch size [3, 4]");
    BOOST_TEST(
        message([&] {
            td.index({0, 0, 0});
        }) ==
        "TensorDict::index: too many indices (3) for the batch size [3, 4]; entries are indexed one by one beyond "
        "the batch");
    BOOST_TEST(message([&] {
                   td.index({Ellipsis, 0, Ellipsis});
               }) == "TensorDict::index: an index list may hold one ellipsis, got 2");
    BOOST_TEST(message([&] { td[ones({2}, kBool)]; }) ==
               "TensorDict::index: a mask of sizes [2] does not match the batch size [3, 4] from dimension 0");
    BOOST_TEST(message([&] {
                   td.index({Slice(), ones({3}, kBool)});
               }) == "TensorDict::index: a mask of sizes [3] does not match the batch size [3, 4] from dimension 1");
    BOOST_TEST(message([&] { td[zeros({2})]; }) ==
               "TensorDict::index: tensors used as indices must be integers or masks, got one of dtype Float");
    BOOST_TEST(message([&] {
                   td.index({tensor({0, 1}), tensor({0, 1, 2})});
               }) == "TensorDict::index: index tensors of sizes [2] and [3] do not broadcast to one size");
    BOOST_TEST(message([&] { td[Tensor()]; }) == "TensorDict::index: an index tensor is undefined");
    BOOST_TEST(message([] {
                   TensorDict({{"x", zeros({3})}}, {})[0];
               }) ==
               "TensorDict::operator[]: a dictionary with batch size [] has no element 0; its entries are reached by "
               "their names");
    BOOST_CHECK_THROW(td[tensor({0, 3})], IndexError);
    BOOST_CHECK_THROW(td[Slice(0, 3, 0)], ValueError);
}

BOOST_AUTO_TEST_CASE(writing_to_a_place_of_the_batch) {
    TensorDict td = sample();
    const TensorDict row = td[2].clone();
    td.index_put_({0}, row);
    BOOST_TEST(td[0].equal(row));
    td.index_put_({Slice(0, 2)}, row); // the same in each
    BOOST_TEST(td[1].equal(row));
    const TensorDict zeros_of_two = TensorDict(td[Slice(0, 2)].clone()).zero_();
    td.index_put_({tensor({2, 0})}, zeros_of_two);
    BOOST_TEST(sum(td) == sum(row));
    td.index_put_({ones({3, 4}, kBool)}, TensorDict(td.reshape({-1}).clone()).zero_());
    BOOST_TEST(sum(td) == 0);
    td.index_put_({Ellipsis}, sample());
    BOOST_TEST(td.equal(sample()));
    td.index_put_({tensor({1, 1})}, stack({row, row}));
    BOOST_TEST(td[1].equal(row));
}

BOOST_AUTO_TEST_CASE(a_refused_write_writes_nothing) {
    TensorDict td = sample();
    const TensorDict before = td.clone(), row = before[1].clone();
    BOOST_TEST(message([&] {
                   td.index_put_({0}, row.exclude({{"b", "c"}}));
               }) == "TensorDict::index_put_: the value has no entry ('b', 'c'); select the entries to be written");
    BOOST_TEST(message([&] { td.index_put_({0}, TensorDict(row.clone()).set("n", zeros({4}))); }) ==
               "TensorDict::index_put_: the value has the entry 'n', which this dictionary does not have");
    BOOST_TEST(message([&] { td.index_put_({0}, before); }) ==
               "TensorDict::index_put_: the value has batch size [3, 4], its place [4] (batch size [3, 4])");
    TensorDict wrong = row.clone(false);
    wrong.set("b", TensorDict({{"c", zeros({4, 3}, kLong)}}, {4}));
    BOOST_TEST(message([&] { td.index_put_({0}, wrong); }) ==
               "TensorDict::index_put_: a tensor of sizes [4, 3] does not broadcast into ('b', 'c'), which has sizes "
               "[4, 2]");
    wrong.set("b", zeros({4}));
    BOOST_TEST(message([&] { td.index_put_({0}, wrong); }) ==
               "TensorDict::index_put_: 'b' is a TensorDict here and a tensor in the value");
    BOOST_TEST(message([&] {
                   td.index_put_({tensor({0, 3})}, before[Slice(0, 2)]);
               }) == "TensorDict::index_put_: index 3 is out of range for a dimension of size 3");
    BOOST_TEST(td.equal(before));
}

BOOST_AUTO_TEST_CASE(gather_along_any_batch_dimension_TD_3) {
    const TensorDict td = sample();
    const Tensor places = tensor({1, 0, 3, 3, 2, 2}).reshape({3, 2});
    for (const std::int64_t dim : {1, -1}) {
        const TensorDict picked = td.gather(dim, places);
        BOOST_TEST(picked.batch_size() == (Sizes{3, 2}));
        BOOST_TEST(sizes_of(picked, "b") == (Sizes{3, 2, 2}));
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 2; ++j)
                BOOST_TEST(picked["a"][i][j].equal(td["a"][i][places[i][j].item<std::int64_t>()]));
    }
    const Tensor rows = tensor({2, 1, 0, 2}, kInt).reshape({1, 4});
    BOOST_TEST(td.gather(0, rows)["a"][0][0].equal(td["a"][2][0]));
    BOOST_TEST(
        message([&] { td.gather(0, places); }) ==
        "TensorDict::gather: the index has sizes [3, 2], the batch [3, 4]; they may differ in dimension 0 alone");
    BOOST_TEST(message([&] {
                   td.gather(1, tensor({0, 1, 2}));
               }) ==
               "TensorDict::gather: the index has sizes [3], the batch [3, 4]; they may differ in dimension 1 alone");
    BOOST_TEST(message([&] { td.gather(2, places); }) ==
               "TensorDict::gather: dimension 2 is out of range for the batch size [3, 4]");
    BOOST_TEST(message([&] { td.gather(1, places + 2); }) ==
               "TensorDict::gather: the index holds 5, which is out of range for dimension 1 of the batch size [3, 4]");
    BOOST_TEST(
        message([&] { td.gather(1, places - 1); }) ==
        "TensorDict::gather: the index holds -1, which is out of range for dimension 1 of the batch size [3, 4]");
    BOOST_TEST(message([&] { td.gather(1, places.to(kFloat)); }) ==
               "TensorDict::gather: expected an index of dtype int64 or int32, got Float");
}

BOOST_AUTO_TEST_CASE(other_shapes) {
    const TensorDict td = sample();
    BOOST_TEST(sizes_of(td.view({12}), "b") == (Sizes{12, 2}));
    BOOST_TEST(td.view({-1, 2})["a"].is_alias_of(td["a"]));
    BOOST_TEST(td.reshape({2, -1}).batch_size() == (Sizes{2, 6}));
    BOOST_TEST(td.flatten().batch_size() == (Sizes{12}));
    BOOST_TEST(sizes_of(td.transpose(0, -1), {"b", "c"}) == (Sizes{4, 3, 2}));
    BOOST_TEST(sizes_of(td.permute({1, 0}), "a") == (Sizes{4, 3, 5}));
    BOOST_TEST(sizes_of(td.unsqueeze(-1), "a") == (Sizes{3, 4, 1, 5}));
    BOOST_TEST(td.unsqueeze(0).squeeze(0).equal(td));
    BOOST_TEST(td.squeeze(1).equal(td));
    BOOST_TEST(td[Slice(0, 1)].expand({2, 3, -1}).batch_size() == (Sizes{2, 3, 4}));
    BOOST_TEST(td.transpose(0, 1).contiguous()["a"].is_contiguous());
    BOOST_TEST(message([&] { td.view({7}); }) ==
               "TensorDict::view: the batch size [3, 4] of 12 elements cannot become [7]");
    BOOST_TEST(message([&] {
                   td.reshape({5, -1});
               }) == "TensorDict::reshape: the batch size [3, 4] of 12 elements cannot become [5, -1]");
    BOOST_TEST(message([&] {
                   td.reshape({-1, -1});
               }) == "TensorDict::reshape: only one dimension of [-1, -1] can be inferred");
    BOOST_TEST(message([&] { td.reshape({-2}); }) ==
               "TensorDict::reshape: the batch size [-2] has a negative dimension");
    BOOST_TEST(message([] {
                   TensorDict({0}).reshape({0, -1});
               }) ==
               "TensorDict::reshape: the open dimension of [0, -1] can be anything, as the others make an empty batch");
    BOOST_TEST(message([&] { td.flatten(1, 0); }) ==
               "TensorDict::flatten: start_dim 1 comes after end_dim 0 in the batch size [3, 4]");
    BOOST_TEST(message([&] { td.permute({0}); }) ==
               "TensorDict::permute: got 1 dimensions [0] for the batch size [3, 4]; every dimension of the batch must "
               "be named");
    BOOST_TEST(message([&] { td.permute({0, -2}); }) == "TensorDict::permute: dimension 0 occurs twice in [0, -2]");
    BOOST_TEST(message([&] { td.unsqueeze(3); }) ==
               "TensorDict::unsqueeze: dimension 3 is out of range for a new one of the batch size [3, 4]");
    BOOST_TEST(message([&] {
                   td.expand({2, 4});
               }) ==
               "TensorDict::expand: the batch size [3, 4] cannot be expanded to [2, 4]; only dimensions of size 1 and "
               "new ones in front can");
    const std::string text = message([&] { td.transpose(0, 1).view({12}); });
    BOOST_TEST(text != "nothing was thrown");
    try {
        td.transpose(0, 1).view({12});
    } catch (const Error& e) {
        BOOST_TEST(std::string(e.what()).find("in the entry 'a' of a TensorDict") != std::string::npos, e.what());
    }
}

BOOST_AUTO_TEST_CASE(sizes_beyond_all_memory) {
    const std::int64_t huge = std::int64_t(1) << 62;
    const TensorDict td({huge, 4});
    BOOST_TEST(message([&] { td.numel(); }) ==
               "TensorDict::numel: the batch size [4611686018427387904, 4] has more than 2^63 elements");
    BOOST_CHECK_THROW(td.flatten(), ValueError);
    BOOST_CHECK_THROW(td.reshape({-1}), ValueError);
    BOOST_CHECK_THROW(td.unbind(), ValueError);
    BOOST_CHECK_THROW(td.split(1), ValueError);
    BOOST_TEST(message([&] {
                   cat({td, td});
               }) == "cat(TensorDict): the batch would have more than 2^63 elements along dimension 0");
    BOOST_TEST(td.split(huge).size() == 1u);
    BOOST_TEST(TensorDict({0, huge, huge}).numel() == 1);
    const NestedKey deep(std::vector<std::string>(300, "n"));
    BOOST_TEST(message([&] { TensorDict().set(deep, zeros({1})); }) ==
               "TensorDict::set: a key of 300 names is too deep; at most 256 dictionaries lie in each other");
}

BOOST_AUTO_TEST_CASE(parts_along_a_dimension) {
    const TensorDict td = sample();
    const std::vector<TensorDict> halves = td.split(2, -2);
    BOOST_TEST(halves.size() == 2u);
    BOOST_TEST(halves[1].batch_size() == (Sizes{1, 4}));
    BOOST_TEST(cat(halves).equal(td));
    BOOST_TEST(TensorDict({{"x", zeros({0, 2})}}, {0}).split(2).size() == 1u);
    const std::vector<TensorDict> columns = td.unbind(-1);
    BOOST_TEST(columns.size() == 4u);
    BOOST_TEST(sizes_of(columns[3], "b") == (Sizes{3, 2}));
    BOOST_TEST(stack(columns, 1).equal(td));
    BOOST_TEST(message([&] { td.split(0); }) == "TensorDict::split: the size of a part must be positive, got 0");
    BOOST_TEST(message([&] { td.unbind(2); }) ==
               "TensorDict::unbind: dimension 2 is out of range for the batch size [3, 4]");
}

BOOST_AUTO_TEST_SUITE_END()
