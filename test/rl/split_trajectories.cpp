// Rollouts taken apart into trajectories.
#include <reel/rl/postprocs/split_trajectories.hpp>

#include <message.hpp>

#include "rl/testing.hpp"

using namespace reel;
using namespace reel::testing;
using rl::NestedKey;
using rl::split_trajectories;
using rl::SplitTrajectoriesOptions;
using rl::TensorDict;

BOOST_AUTO_TEST_SUITE(splitting_trajectories)

namespace {

using Numbers = std::vector<double>;
using Sizes = std::vector<std::int64_t>;

/// Observations 1, 2, ...; done at the given steps of the flattened batch.
TensorDict rollout(const Sizes& batch, std::initializer_list<std::int64_t> ends = {}) {
    std::int64_t n = 1;
    for (const std::int64_t s : batch) n *= s;
    Sizes trailing = batch;
    trailing.push_back(1);
    TensorDict td(batch);
    td.set("observation", arange(1, n + 1).to(kFloat).reshape(trailing));
    td.set({"next", "done"}, flags(n, ends).reshape(trailing));
    return td;
}
TensorDict with_ids(TensorDict td, const NestedKey& key, const Tensor& ids) { return td.set(key, ids); }
const Tensor some_ids = tensor({5, 5, 5, 9, 9, 2});

} // namespace

BOOST_AUTO_TEST_CASE(SP_1_ids_from_the_done_flags) {
    const TensorDict in = rollout({2, 6}, {2, 5}), before = in.clone();
    const TensorDict out = split_trajectories(in);
    const auto each = boost::test_tools::per_element();
    BOOST_CHECK(out.batch_size() == Sizes({3, 6}));
    BOOST_TEST(numbers(out["observation"]) == Numbers({1, 2, 3, 0, 0, 0, 4, 5, 6, 0, 0, 0, 7, 8, 9, 10, 11, 12}), each);
    BOOST_TEST(numbers(out["traj_ids"]) == Numbers({0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 2, 2, 2, 2, 2, 2}), each);
    BOOST_TEST(numbers(out["mask"]) == Numbers({1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1}), each);
    BOOST_CHECK(out["mask"].scalar_type() == kBool);
    BOOST_CHECK(out.keys(true, true) == std::vector<NestedKey>({"observation", {"next", "done"}, "traj_ids", "mask"}));
    BOOST_TEST(in.equal(before));
    BOOST_CHECK(in.keys(true) == before.keys(true));
    // flags without a trailing 1, under another name
    TensorDict other({6});
    other.set("observation", ones({6, 2}));
    other.set({"next", "agents", "over"}, flags(6, {1}).squeeze(-1));
    const TensorDict split = split_trajectories(other, SplitTrajectoriesOptions().done_key({"agents", "over"}));
    BOOST_CHECK(split["observation"].sizes() == IntArrayRef({2, 4, 2}));
    BOOST_TEST(numbers(split["traj_ids"]) == Numbers({0, 0, 0, 0, 1, 1, 1, 1}), each);
}

BOOST_AUTO_TEST_CASE(SP_1_where_ids_are_found_and_written) {
    // under "collector" where there is one
    TensorDict out = split_trajectories(with_ids(rollout({6}), {"collector", "traj_ids"}, some_ids));
    BOOST_TEST((numbers(out[{"collector", "traj_ids"}]) == Numbers({5, 5, 5, 9, 9, 0, 2, 0, 0})));
    BOOST_TEST((numbers(out[{"collector", "mask"}]) == Numbers({1, 1, 1, 1, 1, 0, 1, 0, 0})));
    out = split_trajectories(with_ids(rollout({6}, {2}), {"collector", "frames"}, some_ids));
    BOOST_TEST((numbers(out[{"collector", "traj_ids"}]) == Numbers({0, 0, 0, 1, 1, 1})));
    BOOST_TEST(!out.contains("traj_ids"));
    // ... so that ids at the root are not looked for then
    TensorDict both = with_ids(rollout({6}), {"collector", "frames"}, some_ids);
    out = split_trajectories(with_ids(both, "traj_ids", some_ids));
    BOOST_CHECK(out.batch_size() == Sizes({1, 6}));
    // at the root, with a trailing 1 as well
    for (const Tensor& ids : {some_ids, some_ids.unsqueeze(-1)}) {
        out = split_trajectories(with_ids(rollout({6}), "traj_ids", ids));
        BOOST_TEST(numbers(out["traj_ids"]) == Numbers({5, 5, 5, 9, 9, 0, 2, 0, 0}));
        BOOST_CHECK(out["mask"].sizes() == IntArrayRef({3, 3}));
    }
    // any numbers
    const std::int64_t large = std::int64_t(1) << 60; // its neighbour is the same as a double
    out = split_trajectories(with_ids(rollout({4}), "traj_ids", tensor({large, large, large + 1, large + 1})));
    BOOST_CHECK(out.batch_size() == Sizes({2, 2}));
    out = split_trajectories(with_ids(rollout({4}), "traj_ids", tensor({0.5, 0.25, 0.25, 0.25})));
    BOOST_CHECK(out.batch_size() == Sizes({2, 3}));
    // where one says
    out = split_trajectories(with_ids(rollout({6}), {"my", "ids"}, some_ids),
                             SplitTrajectoriesOptions().trajectory_key(NestedKey{"my", "ids"}));
    BOOST_TEST((out.contains({"my", "mask"})));
    out = split_trajectories(rollout({6}, {2}), SplitTrajectoriesOptions().prefix(NestedKey("p")));
    BOOST_TEST((out.contains({"p", "traj_ids"}) && out.contains({"p", "mask"})));
    out = split_trajectories(rollout({6}, {2}), SplitTrajectoriesOptions().trajectory_key(NestedKey("ids")));
    BOOST_TEST(numbers(out["ids"]) == Numbers({0, 0, 0, 1, 1, 1}));
}

BOOST_AUTO_TEST_CASE(SP_1_whole_rows_stay_as_they_are) {
    const TensorDict flat = rollout({6}), rows = rollout({2, 6});
    TensorDict out = split_trajectories(flat);
    BOOST_CHECK(out.batch_size() == Sizes({1, 6}));
    BOOST_TEST(numbers(out["mask"]) == Numbers(6, 1.));
    out = split_trajectories(rows);
    BOOST_CHECK(out.batch_size() == Sizes({2, 6}));
    BOOST_TEST(out["observation"].data_ptr() == rows["observation"].data_ptr());
    BOOST_TEST(!rows.contains("mask"));
    const Tensor ids = arange(4).reshape({2, 2, 1}).expand({2, 2, 3}).contiguous();
    out = split_trajectories(with_ids(rollout({2, 2, 3}), "traj_ids", ids));
    BOOST_CHECK(out.batch_size() == Sizes({2, 2, 3}));
}

BOOST_AUTO_TEST_CASE(SP_1_further_batch_dimensions) {
    // rows of the first dimension alone are told apart: those below run into each other ...
    TensorDict out = split_trajectories(rollout({2, 2, 4}, {6}));
    BOOST_CHECK(out.batch_size() == Sizes({3, 8}));
    BOOST_TEST(numbers(out["observation"])[8] == 8);
    // ... or come back
    BOOST_CHECK_THROW(split_trajectories(rollout({2, 2, 4}, {1})), Error);
    // unless told
    const SplitTrajectoriesOptions all = SplitTrajectoriesOptions().distinguishes_all_rows(true);
    out = split_trajectories(rollout({2, 2, 4}, {1}), all);
    BOOST_CHECK(out.batch_size() == Sizes({5, 4}));
    BOOST_TEST(numbers(out["observation"]) ==
                   Numbers({1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(SP_1_nested_dictionaries_keep_their_own_dimensions) {
    TensorDict in = rollout({6}, {2}), agents({6, 4});
    agents.set("state", randn({6, 4, 2}));
    in.set("agents", agents);
    const TensorDict out = split_trajectories(in);
    BOOST_CHECK(out.dict("agents").batch_size() == Sizes({2, 3, 4}));
    BOOST_TEST((same(out[{"agents", "state"}], in[{"agents", "state"}].reshape({2, 3, 4, 2}))));
}

BOOST_AUTO_TEST_CASE(SP_1_what_is_refused) {
    const auto text = [](const TensorDict& td, const SplitTrajectoriesOptions& o = {}) {
        return message([&] { split_trajectories(td, o); });
    };
    std::string said = text(with_ids(rollout({6}), "traj_ids", tensor({5, 5, 9, 9, 9, 5})));
    BOOST_TEST(said.find("trajectory id 5 of 'traj_ids' comes back at step 5") != std::string::npos, said);
    said = text(with_ids(rollout({6}), "traj_ids", ones({6, 2}, kLong)));
    BOOST_TEST(said.find("the entry 'traj_ids' has sizes [6, 2], expected [6]") != std::string::npos, said);
    TensorDict bare({6});
    bare.set("observation", ones({6}));
    BOOST_CHECK_THROW(split_trajectories(bare), KeyError);
    BOOST_TEST(text(bare).find("no entry ('next', 'done')") != std::string::npos, text(bare));
    BOOST_CHECK_THROW(split_trajectories(TensorDict()), ValueError);
    BOOST_CHECK_THROW(split_trajectories(rollout({0})), Error);
}

BOOST_AUTO_TEST_CASE(gradients_go_back_to_the_steps) {
    TensorDict in = rollout({6}, {1});
    const Tensor x = arange(1, 7).to(kFloat).unsqueeze(-1).requires_grad_();
    in.set("observation", x);
    const Tensor y = split_trajectories(in)["observation"];
    (y * y).sum().backward();
    BOOST_TEST(numbers(x.grad()) == Numbers({2, 4, 6, 8, 10, 12}));
}

BOOST_AUTO_TEST_SUITE_END()
