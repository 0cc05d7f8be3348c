// n-step returns on writes: what is stored does not depend on how the stream is cut.
#include <reel/rl/replay/multi_step_transform.hpp>

#include <message.hpp>

#include "rl/testing.hpp"

using namespace reel;
using namespace reel::testing;
using rl::MultiStep;
using rl::MultiStepOptions;
using rl::MultiStepTransform;
using rl::NestedKey;
using rl::TensorDict;

BOOST_AUTO_TEST_SUITE(multi_step_transform)

namespace {

/// Frames [first, last) of a stream of `rows` environments.
TensorDict stream(std::int64_t rows, std::int64_t length, std::int64_t seed = 0) {
    manual_seed(std::uint64_t(seed));
    const std::vector<std::int64_t> batch =
        rows ? std::vector<std::int64_t>{rows, length} : std::vector<std::int64_t>{length};
    auto trailing = batch;
    trailing.push_back(1);
    TensorDict td(batch);
    td.set("observation", randn(trailing));
    td.set({"next", "observation"}, randn(trailing));
    td.set({"next", "reward"}, randn(trailing, kDouble));
    td.set({"next", "done"}, rand(trailing).lt(0.15));
    return td;
}
TensorDict part(const TensorDict& td, std::int64_t first, std::int64_t last) {
    std::vector<indexing::TensorIndex> index(std::size_t(td.batch_dims() - 1), indexing::Slice());
    index.emplace_back(indexing::Slice(first, last));
    return td.index(index);
}
/// What comes out of writes of `chunk` frames, joined along time.
TensorDict fed(MultiStepTransform& transform, const TensorDict& frames, std::int64_t chunk) {
    std::vector<TensorDict> out;
    for (std::int64_t t = 0; t < frames.batch_size(-1); t += chunk)
        if (auto rows = transform.on_write(part(frames, t, std::min(t + chunk, frames.batch_size(-1)))))
            out.push_back(*rows);
    return rl::cat(out, frames.batch_dims() - 1);
}
void check_same(const TensorDict& a, const TensorDict& b) {
    BOOST_CHECK(a.keys(true, true) == b.keys(true, true));
    for (const NestedKey& key : b.keys(true, true)) BOOST_TEST(same(a[key], b[key]));
}

} // namespace

BOOST_AUTO_TEST_CASE(MS_20_A_7_any_cut_gives_the_same) {
    for (const std::int64_t rows : {0, 3})
        for (const std::int64_t n : {0, 1, 3, 7}) {
            const TensorDict frames = stream(rows, 40);
            const TensorDict whole = part(MultiStep(0.9, n)(frames), 0, 40 - n);
            for (const std::int64_t chunk : {1, 2, 3, 10, 40}) {
                MultiStepTransform transform(n, 0.9);
                check_same(fed(transform, frames, chunk), whole);
                BOOST_TEST(transform.held_back() == n);
            }
        }
}

BOOST_AUTO_TEST_CASE(A_7_the_package_holds_back_one_frame_more) {
    const TensorDict frames = stream(0, 40);
    for (const std::int64_t chunk : {1, 10, 40}) {
        MultiStepTransform transform(MultiStepOptions(0.5, 3).counts_current_step(true));
        const TensorDict stored = fed(transform, frames, chunk);
        BOOST_TEST(stored.batch_size(0) == 37);
        check_same(stored, part(MultiStep(0.5, 2)(frames), 0, 37));
    }
}

BOOST_AUTO_TEST_CASE(a_write_that_yields_nothing_yet) {
    const TensorDict frames = stream(0, 10);
    MultiStepTransform transform(4, 0.9);
    BOOST_TEST(!transform.on_write(part(frames, 0, 3)).has_value());
    BOOST_TEST(transform.held_back() == 3);
    BOOST_TEST(!transform.on_write(part(frames, 3, 4)).has_value());
    BOOST_TEST(transform.on_write(part(frames, 4, 6))->batch_size(0) == 2);
    transform.reset();
    BOOST_TEST(transform.held_back() == 0);
    BOOST_TEST(!transform.on_write(part(frames, 6, 10)).has_value());
}

BOOST_AUTO_TEST_CASE(frames_are_copied_and_the_input_stays) {
    const TensorDict frames = stream(2, 6), before = frames.clone();
    MultiStepTransform transform(2, 0.9);
    const TensorDict first = part(frames, 0, 4).clone();
    const TensorDict kept = first.clone();
    transform.on_write(first);
    BOOST_TEST(first.equal(kept));
    BOOST_CHECK(first.keys(true) == kept.keys(true));
    for (const NestedKey& key : first.keys(true, true)) first[key].zero_(); // a collector may use its tensors again
    const TensorDict second = *transform.on_write(part(frames, 4, 6));
    check_same(second, part(MultiStep(0.9, 2)(frames), 2, 4));
    BOOST_TEST(frames.equal(before));
}

BOOST_AUTO_TEST_CASE(n_steps_may_change_between_writes) {
    const TensorDict frames = stream(0, 12);
    MultiStepTransform transform(1, 0.9);
    transform.on_write(part(frames, 0, 4));
    transform.set_n_steps(3);
    BOOST_TEST(transform.n_steps() == 3);
    check_same(*transform.on_write(part(frames, 4, 8)), part(MultiStep(0.9, 3)(part(frames, 0, 8)), 3, 5));
    transform.set_n_steps(0);
    check_same(*transform.on_write(part(frames, 8, 9)), part(MultiStep(0.9, 0)(frames), 5, 9));
    BOOST_TEST(transform.held_back() == 0);
    BOOST_CHECK_THROW(transform.set_n_steps(-1), ValueError);
    BOOST_TEST(transform.n_steps() == 0);
    BOOST_CHECK_THROW(MultiStepTransform(2, 0.), ValueError);
    BOOST_CHECK_THROW(MultiStepTransform(-1, 0.9), ValueError);
    const std::string text = message([] { MultiStepTransform(2, 1.5); });
    BOOST_TEST(text.find("MultiStepTransform: got out-of-bounds gamma decay: gamma=1.5") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(keys_and_masks) {
    TensorDict frames = stream(0, 6);
    frames.set({"next", "cost"}, ones({6, 1}));
    frames.set({"next", "over"}, zeros({6, 1}, kBool));
    frames.set("mask", zeros({6}, kBool));
    MultiStepTransform transform(1, 0.5);
    transform.reward_keys = {"cost"};
    transform.done_key = "over";
    transform.done_keys = {"over"};
    const TensorDict out = *transform.on_write(frames);
    BOOST_TEST((numbers(out[{"next", "cost"}]) == std::vector<double>(5, 1.5)));
    BOOST_TEST((numbers(out[{"next", "original_reward"}]) == std::vector<double>(5, 1.)));
    BOOST_TEST((numbers(out["nonterminal"]) == std::vector<double>(5, 0.)));
    transform.reset();
    transform.mask_key = std::nullopt;
    BOOST_TEST((numbers((*transform.on_write(frames))["nonterminal"]) == std::vector<double>(5, 1.)));
    transform.reset();
    transform.flattens = true;
    TensorDict rows = stream(3, 5);
    rows.set({"next", "cost"}, ones({3, 5, 1}));
    rows.set({"next", "over"}, zeros({3, 5, 1}, kBool));
    BOOST_CHECK((transform.on_write(rows)->batch_size() == std::vector<std::int64_t>{12}));
}

BOOST_AUTO_TEST_CASE(frames_that_do_not_go_together_change_nothing) {
    const TensorDict frames = stream(3, 10);
    MultiStepTransform transform(2, 0.9);
    transform.on_write(part(frames, 0, 5));
    const std::string text = message([&] { transform.on_write(stream(2, 5)); });
    BOOST_TEST(text.find("MultiStepTransform: frames of batch size [2, 5] do not follow those held back, of [3, 2]") !=
                   std::string::npos,
               text);
    TensorDict other = part(frames, 5, 10).clone();
    other.del_({"next", "reward"});
    BOOST_CHECK_THROW(transform.on_write(other), Error);
    BOOST_CHECK_THROW(transform.on_write(TensorDict()), ValueError);
    check_same(*transform.on_write(part(frames, 5, 10)), part(MultiStep(0.9, 2)(frames), 3, 8));
}

BOOST_AUTO_TEST_CASE(a_saved_state_goes_on_as_if_nothing_had_happened) {
    const TensorDict frames = stream(3, 10);
    MultiStepTransform transform(2, 0.9), resumed(5, 0.9);
    transform.on_write(part(frames, 0, 5));
    const Value state = transform.state_dict();
    const TensorDict next = *transform.on_write(part(frames, 5, 10));
    resumed.load_state_dict(state);
    BOOST_TEST(resumed.n_steps() == 2);
    check_same(*resumed.on_write(part(frames, 5, 10)), next);
    resumed.load_state_dict(MultiStepTransform(1, 0.9).state_dict());
    BOOST_TEST(resumed.held_back() == 0);
    BOOST_CHECK_THROW(resumed.load_state_dict(Value(3)), TypeError);
    BOOST_CHECK_THROW(resumed.load_state_dict(Value(ValueDict{{"n_steps", 2}})), KeyError);
    BOOST_CHECK_THROW(resumed.load_state_dict(Value(ValueDict{{"n_steps", -2}, {"held", Value()}})), ValueError);
    BOOST_TEST(resumed.n_steps() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
