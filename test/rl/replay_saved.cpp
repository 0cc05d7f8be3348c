// Buffers on disk: what is saved goes on bit for bit, what is damaged changes nothing.
#include <reel/rl/replay/lazy_memmap_storage.hpp>

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>

#include <message.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/rl/replay/lazy_tensor_storage.hpp>
#include <reel/rl/replay/list_storage.hpp>
#include <reel/rl/replay/prioritized_replay_buffer.hpp>
#include <reel/rl/replay/sampler_without_replacement.hpp>
#include <reel/serialize/run_checkpoint.hpp>

using namespace reel;
using namespace reel::rl;
using reel::testing::message;
namespace fs = std::filesystem;

namespace {

/// A folder of its own, removed at the end.
struct Folder {
    fs::path path = fs::temp_directory_path() / fs::path("reel-replay-test-" + std::to_string(::getpid()));
    Folder() {
        fs::remove_all(path);
        fs::create_directories(path);
    }
    ~Folder() { fs::remove_all(path); }
    std::string operator/(const char* name) const { return (path / name).string(); }
};
TensorDict frames(std::int64_t first, std::int64_t count) {
    const Tensor n = arange(first, first + count, 1, kFloat);
    return TensorDict({{"a", n.unsqueeze(1).expand({count, 3}).contiguous()}, {{"next", "reward"}, n.unsqueeze(1)}},
                      {count});
}
std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

struct Count : ReplayTransform {
    std::int64_t writes = 0;
    std::optional<TensorDict> on_write(TensorDict data) override {
        ++writes;
        return data;
    }
    Value state_dict() const override { return writes; }
    void load_state_dict(const Value& state) override { writes = state.toInt(); }
};

/// Writes, draws, learns priorities: everything that a state has.
void use(ReplayBuffer& buffer, std::int64_t rounds) {
    for (std::int64_t r = 0; r < rounds; ++r) {
        buffer.extend(frames(buffer.writer().write_count(), 7));
        const ReplaySample s = buffer.sample_with_info(5);
        buffer.update_priority(s.index, s.data[{"next", "reward"}].add(1).log().flatten());
    }
}
/// The next samples of both are the same.
void check_same(ReplayBuffer& a, ReplayBuffer& b) {
    for (int r = 0; r < 5; ++r) {
        use(a, 1), use(b, 1);
        const ReplaySample x = a.sample_with_info(6), y = b.sample_with_info(6);
        BOOST_TEST(x.index.equal(y.index));
        BOOST_TEST(x.data.equal(y.data));
        BOOST_TEST(x.weight.defined() == y.weight.defined());
        if (x.weight.defined()) BOOST_TEST(x.weight.equal(y.weight));
    }
    BOOST_TEST(a.writer().cursor() == b.writer().cursor());
}
using Make = std::function<std::unique_ptr<ReplayBuffer>(int which)>;
void check_resumes(const Folder& folder, const Make& make) {
    const std::unique_ptr<ReplayBuffer> buffer = make(0), from_file = make(1), from_dict = make(2);
    buffer->set_seed(3), from_file->set_seed(4), from_dict->set_seed(5);
    for (const std::int64_t rounds : {2, 5}) { // part of the ring, all of it
        use(*buffer, rounds);
        buffer->dumps(folder / "buffer");
        const Value state = buffer->state_dict();
        use(*buffer, 1);
        const std::unique_ptr<ReplayBuffer> again = make(3);
        again->set_seed(0);
        again->load_state_dict(state);
        from_dict->load_state_dict(state);
        from_file->loads(folder / "buffer");
        use(*from_dict, 1), use(*from_file, 1), use(*again, 1);
        check_same(*from_file, *from_dict);
        for (int r = 0; r < 5; ++r) use(*buffer, 1), buffer->sample_with_info(6);
        BOOST_TEST(buffer->get(arange(buffer->size())).equal(from_file->get(arange(from_file->size()))));
        BOOST_TEST(buffer->sample_with_info(6).index.equal(from_file->sample_with_info(6).index));
    }
}
std::unique_ptr<ReplayBuffer> plain(ReplayBufferOptions options) { return std::make_unique<ReplayBuffer>(options); }

} // namespace

BOOST_AUTO_TEST_SUITE(replay_saved, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(all_kinds_go_on_bit_for_bit) {
    const Folder folder;
    check_resumes(folder, [](int) { return plain(ReplayBufferOptions().storage(LazyTensorStorage(24))); });
    check_resumes(folder, [](int) {
        return plain(ReplayBufferOptions().storage(LazyTensorStorage(24)).sampler(SamplerWithoutReplacement()));
    });
    check_resumes(folder, [](int) { return plain(ReplayBufferOptions().storage(ListStorage(24)).transform(Count())); });
    check_resumes(folder, [](int) {
        return std::make_unique<PrioritizedReplayBuffer>(
            0.6, 0.4, ReplayBufferOptions().storage(LazyTensorStorage(24)).transform(Count()));
    });
    check_resumes(folder, [&](int which) {
        const std::string dir = folder / ("scratch" + std::to_string(which)).c_str();
        return std::make_unique<PrioritizedReplayBuffer>(
            0.6, 0.4, ReplayBufferOptions().storage(LazyMemmapStorage(24, dir, true)));
    });
}

BOOST_AUTO_TEST_CASE(mapped_entries_reach_their_files) {
    const Folder folder;
    const std::string dir = folder / "deep/scratch";
    auto storage = std::make_shared<LazyMemmapStorage>(10, dir);
    ReplayBuffer buffer(ReplayBufferOptions().storage(storage));
    buffer.extend(frames(1, 12));
    storage->flush();
    const std::string file = bytes_of(dir + "/next.reward.memmap");
    BOOST_TEST(file.size() == 10 * sizeof(float));
    const float expected[] = {11, 12, 3, 4, 5, 6, 7, 8, 9, 10};
    BOOST_TEST(file == std::string(reinterpret_cast<const char*>(expected), sizeof expected));
    BOOST_TEST(bytes_of(dir + "/a.memmap").size() == 10 * 3 * sizeof(float));
    // another storage does not write over them by chance
    ReplayBuffer other(ReplayBufferOptions().storage(LazyMemmapStorage(10, dir)));
    BOOST_TEST(message([&] { other.extend(frames(0, 1)); }) ==
               "LazyMemmapStorage: " + dir +
                   "/a.memmap is there already; give another scratch_dir, or existsok to "
                   "overwrite it");
    BOOST_TEST(other.empty());
    BOOST_TEST(bytes_of(dir + "/next.reward.memmap") == file);
}

BOOST_AUTO_TEST_CASE(scratch_files_go_with_the_storage) {
    auto storage = std::make_shared<LazyMemmapStorage>(4);
    std::string dir;
    TensorDict sample;
    {
        ReplayBuffer buffer(ReplayBufferOptions().storage(storage));
        buffer.extend(frames(0, 4));
        dir = storage->scratch_dir();
        sample = buffer.get(tensor({2}));
        BOOST_TEST(fs::exists(dir + "/a.memmap"));
    }
    const Tensor whole = storage->data()["a"];
    storage.reset();
    BOOST_TEST(!fs::exists(dir));
    BOOST_TEST(whole[3][0].item<float>() == 3); // tensors stay valid
    const Folder folder;
    std::ofstream(folder / "file") << "no folder";
    ReplayBuffer nowhere(ReplayBufferOptions().storage(LazyMemmapStorage(4, folder / "file/scratch")));
    BOOST_TEST(
        message([&] { nowhere.extend(frames(0, 1)); }).starts_with("LazyMemmapStorage: cannot make the folder "));
    BOOST_TEST(nowhere.empty());
}

BOOST_AUTO_TEST_CASE(names_that_are_no_file_names) {
    const Folder folder;
    ReplayBuffer buffer(ReplayBufferOptions().storage(LazyMemmapStorage(4, folder / "s")));
    buffer.extend(TensorDict({{"../a b", arange(2)}, {{"x", "y"}, arange(2)}, {"x.y", arange(2)}}, {2}));
    BOOST_TEST(fs::exists(folder / "s/%2e%2e%2fa%20b.memmap"));
    BOOST_TEST(fs::exists(folder / "s/x.y.memmap"));
    BOOST_TEST(fs::exists(folder / "s/x%2ey.memmap"));
}

namespace {
/// A buffer that was saved, and another that must stay as it is when it refuses what is wrong with that.
struct Refusing {
    static std::unique_ptr<PrioritizedReplayBuffer> make(int seed, int rounds) {
        auto buffer = std::make_unique<PrioritizedReplayBuffer>(
            0.6, 0.4, ReplayBufferOptions().storage(LazyTensorStorage(24)).transform(Count()));
        buffer->set_seed(seed);
        use(*buffer, rounds);
        return buffer;
    }
    bool unchanged() const {
        return buffer->get(arange(buffer->size())).equal(before) && buffer->size() == 14 &&
               buffer->writer().cursor() == 14 &&
               buffer->state_dict().toGenericDict().at("generator").toTensor().equal(generator) &&
               buffer->state_dict().toGenericDict().at("transforms").elements()[0].toInt() == 2;
    }
    /// What it says of the saved state once that is changed.
    std::string refused(const std::function<void(ValueDict&)>& change) const {
        Value state = saved->state_dict();
        change(state.toGenericDict());
        const std::string text = message([&] { buffer->load_state_dict(state); });
        BOOST_TEST(unchanged());
        return text;
    }
    const std::unique_ptr<PrioritizedReplayBuffer> saved = make(1, 4), buffer = make(2, 2);
    const TensorDict before = buffer->get(arange(buffer->size()));
    const Tensor generator = buffer->state_dict().toGenericDict().at("generator").toTensor();
};
ValueDict& part(ValueDict& state, const char* name) { return state.at(name).toGenericDict(); }
} // namespace

BOOST_AUTO_TEST_CASE(damaged_files_change_nothing) {
    const Folder folder;
    const Refusing both;
    const std::string path = folder / "buffer";
    both.saved->dumps(path);
    const auto& buffer = both.buffer;
    // cut off anywhere, or with a bit of its header turned
    const std::string good = bytes_of(path);
    for (std::size_t size = 0; size < good.size(); size += good.size() / 23 + 1) {
        std::ofstream(path, std::ios::binary).write(good.data(), std::streamsize(size));
        BOOST_CHECK_THROW(buffer->loads(path), Error);
        BOOST_TEST(both.unchanged());
    }
    BOOST_CHECK_THROW(buffer->loads(folder / "none"), Error);
    serialize::save_checkpoint({{"other", 1}}, path);
    BOOST_TEST(message([&] { buffer->loads(path); }) == path + ": this checkpoint holds no replay buffer");
    buffer->load_state_dict(both.saved->state_dict());
    check_same(*both.saved, *buffer);
}

BOOST_AUTO_TEST_CASE(impossible_states_of_writer_and_storage_change_nothing) {
    const Refusing both;
    const auto refused = [&](auto change) { return both.refused(change); };
    BOOST_TEST(refused([](ValueDict& s) { s.erase("writer"); }) ==
               "ReplayBuffer: load_state_dict: the state has no 'writer'; was it saved by a buffer of other parts?");
    BOOST_TEST(refused([&](ValueDict& s) { part(s, "writer")["cursor"] = 24; }) ==
               "RoundRobinWriter: load_state_dict: 'cursor' is 24, expected 0 to 23");
    BOOST_TEST(
        refused([&](ValueDict& s) { part(s, "writer")["cursor"] = 5; }) ==
        "RoundRobinWriter: load_state_dict: 'cursor' is 5 after 28 writes to 24 places; was it saved by a buffer "
        "of another size?");
    BOOST_TEST(refused([&](ValueDict& s) {
                   part(s, "writer")["cursor"] = 3;
                   part(s, "writer")["write_count"] = 3;
               }) == "ReplayBuffer: load_state_dict: the storage holds 24 entries after 3 writes");
    BOOST_TEST(refused([&](ValueDict& s) { part(s, "storage")["size"] = 25; }) ==
               "LazyTensorStorage: load_state_dict: 'size' is 25, expected 0 to 24");
    BOOST_TEST(refused([&](ValueDict& s) { part(s, "storage")["max_size"] = 25; }) ==
               "LazyTensorStorage: load_state_dict: 'max_size' is 25, but this storage has 24 places");
    BOOST_TEST(refused([&](ValueDict& s) { part(s, "storage").erase("data"); }) ==
               "LazyTensorStorage: load_state_dict: the state has no 'data' for 24 entries");
    const auto entries = [](ValueDict& s) -> ValueDict& { return part(part(part(s, "storage"), "data"), "entries"); };
    BOOST_TEST(refused([&](ValueDict& s) {
                   entries(s)["a"] = zeros({24, 5});
               }) ==
               "LazyTensorStorage: 'a' is [24, 5], but entries are stored as [24, 3]: after the first, all sizes must "
               "agree");
    BOOST_TEST(refused([&](ValueDict& s) { entries(s)["a"] = zeros({2, 3}); }) != "nothing was thrown");
}

BOOST_AUTO_TEST_CASE(impossible_states_of_sampler_transforms_and_generator_change_nothing) {
    const Refusing both;
    const auto refused = [&](auto change) { return both.refused(change); };
    BOOST_TEST(refused([&](ValueDict& s) { part(s, "sampler")["priorities"] = zeros({3}, kDouble); }) ==
               "PrioritizedSampler: load_state_dict: there are 3 priorities for 24 entries");
    BOOST_TEST(refused([&](ValueDict& s) { part(s, "sampler")["priorities"] = -ones({24}, kDouble); }) ==
               "PrioritizedSampler: load_state_dict: the priority of entry 0 is -1");
    BOOST_TEST(refused([&](ValueDict& s) { part(s, "sampler")["alpha"] = "much"; }) ==
               "PrioritizedSampler: load_state_dict: 'alpha' is 'much', expected a number");
    BOOST_TEST(refused([](ValueDict& s) { s["transforms"] = Value::list({}); }) ==
               "ReplayBuffer: load_state_dict: the state is that of 0 transforms, the buffer has 1");
    BOOST_TEST(refused([](ValueDict& s) { s["transforms"] = Value::list({"x"}); }) != "nothing was thrown");
    BOOST_TEST(refused([](ValueDict& s) { s["generator"] = zeros({3}); }) != "nothing was thrown");
}

BOOST_AUTO_TEST_CASE(orders_that_are_none) {
    ReplayBuffer buffer(ReplayBufferOptions().storage(LazyTensorStorage(8)).sampler(SamplerWithoutReplacement()));
    buffer.extend(frames(0, 6));
    buffer.sample(2);
    Value state = buffer.state_dict();
    for (const Tensor& order : {tensor({0, 1, 2, 3, 4, 6}), tensor({0, 1, 2, 3, 4, 4}), arange(7)}) {
        state.toGenericDict()["sampler"].toGenericDict()["order"] = order;
        BOOST_TEST(message([&] { buffer.load_state_dict(state); }) ==
                   "SamplerWithoutReplacement: load_state_dict: 'order' is no order of at most 6 entries");
    }
}

BOOST_AUTO_TEST_SUITE_END()
