// Checkpoints of several ranks: other numbers of ranks, what is in them, and what happens when one is interrupted.
#include <reel/distributed/checkpoint.hpp>

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <stdlib.h>
#include <sys/resource.h>

#include <reel/distributed/collectives.hpp>
#include <reel/distributed/distributed_sampler.hpp>
#include <reel/distributed/fully_shard.hpp>
#include <reel/distributed/zero_redundancy_optimizer.hpp>
#include <reel/serialize/safetensors.hpp>

#include "distributed/on_ranks.hpp"
#include "distributed/training.hpp"
#include "message.hpp"

using namespace reel;
using namespace reel::distributed;
using namespace reel::testing;
namespace fs = std::filesystem;

namespace {
struct Folder {
    Folder() {
        std::string name = (fs::temp_directory_path() / "reel_checkpoint_XXXXXX").string();
        BOOST_REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    ~Folder() { fs::remove_all(path_); }
    Folder(const Folder&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};
/// What a run has beside nets and optimizers.
struct Objects {
    Generator generator;
    double best;
    std::string note;
    Tensor table;
    DistributedSampler sampler{20};

    checkpoint::State state() {
        checkpoint::State s;
        s.add("generator", generator).add("sampler", sampler).add("best", best).add("note", note).add("table", table);
        s.add_default_generator();
        return s;
    }
};

enum class Kind { plain, zero, sharded };

/// A net and its optimizer as rank of a world, or alone, that trains on the same twelve rows a step however many ranks
/// there are.
struct Run {
    explicit Run(Kind kind, std::int64_t ranks = 1) : kind(kind), ranks(ranks) {
        if (kind == Kind::sharded && ranks > 0) fully_shard(net);
        if (kind == Kind::zero)
            optimizer = std::make_unique<ZeroRedundancyOptimizer<optim::Adam>>(net->parameters(), ProcessGroup(),
                                                                               optim::AdamOptions(0.01));
        else optimizer = std::make_unique<optim::Adam>(net->parameters(), optim::AdamOptions(0.01));
        schedule = std::make_unique<optim::StepLR>(*optimizer, 2, 0.5);
    }
    checkpoint::State state() {
        checkpoint::State s;
        s.add("model", net).add("optimizer", *optimizer).add("schedule", *schedule).add("step", step);
        return s;
    }
    double train(std::int64_t rank) {
        const Batch b = batch_of(step++, 0, 12);
        const std::int64_t each = 12 / ranks;
        optimizer->zero_grad();
        const Tensor loss =
            nn::functional::mse_loss(net(b.input.narrow(0, rank * each, each)), b.target.narrow(0, rank * each, each));
        loss.backward();
        const Tensor mean = loss.detach().clone();
        if (ranks > 1) {
            mean.div_(ranks);
            all_reduce(mean);
            for (const Tensor& p : net->parameters())
                if (kind != Kind::sharded) {
                    p.mutable_grad().div_(ranks);
                    all_reduce(p.mutable_grad());
                }
        }
        optimizer->step();
        schedule->step();
        return mean.item<double>();
    }
    Kind kind;
    std::int64_t ranks;
    nn::Sequential net = small_net();
    std::unique_ptr<optim::Optimizer> optimizer;
    std::unique_ptr<optim::StepLR> schedule;
    std::int64_t step = 0;
};
/// `steps` more steps on `ranks` ranks, from the folder's checkpoint if there is one, and a checkpoint after them.
std::vector<double> go_on(Kind kind, std::int64_t ranks, std::int64_t steps, const std::string& folder) {
    return on_ranks(ranks, [&](std::int64_t r) {
        Run run(kind, ranks);
        checkpoint::State state = run.state();
        if (checkpoint::exists(folder)) checkpoint::load(state, folder);
        barrier();
        std::vector<double> losses;
        for (std::int64_t i = 0; i < steps; ++i) losses.push_back(run.train(r));
        checkpoint::save(state, folder);
        return losses;
    })[0];
}
std::vector<std::string> files_of(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& e : fs::directory_iterator(folder)) names.push_back(e.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}
} // namespace

BOOST_AUTO_TEST_SUITE(distributed_checkpoint)

// D-40
BOOST_AUTO_TEST_CASE(a_run_goes_on_with_other_numbers_of_ranks) {
    Run alone(Kind::plain);
    std::vector<double> expected;
    for (int i = 0; i < 10; ++i) expected.push_back(alone.train(0));
    for (const Kind kind : {Kind::plain, Kind::zero, Kind::sharded}) {
        const Folder folder;
        std::vector<double> losses;
        for (const auto& [ranks, steps] : {std::pair{2, 3}, {3, 3}, {1, 2}, {4, 1}}) {
            const auto more = go_on(kind, ranks, steps, folder.path());
            losses.insert(losses.end(), more.begin(), more.end());
        }
        // and without any group
        Run last(kind == Kind::zero ? Kind::plain : kind, kind == Kind::sharded ? 0 : 1);
        last.ranks = 1;
        checkpoint::State state = last.state();
        checkpoint::load(state, folder.path());
        BOOST_TEST(last.step == 9);
        losses.push_back(last.train(0));
        for (std::size_t i = 0; i < expected.size(); ++i) BOOST_TEST(std::abs(losses[i] - expected[i]) < 1e-13);
        BOOST_TEST(largest_difference(last.net->parameters(), alone.net->parameters()) < 1e-12);
        BOOST_TEST(last.schedule->get_last_lr()[0] == alone.schedule->get_last_lr()[0]);
    }
}
BOOST_AUTO_TEST_CASE(each_rank_writes_its_share_and_old_files_go) {
    const Folder folder;
    go_on(Kind::sharded, 3, 1, folder.path());
    BOOST_TEST((files_of(folder.path()) ==
                std::vector<std::string>{"000001-rank0of3.safetensors", "000001-rank1of3.safetensors",
                                         "000001-rank2of3.safetensors", "index.safetensors"}));
    std::ofstream(fs::path(folder.path()) / "notes.txt") << "the user's";
    std::ofstream(fs::path(folder.path()) / "000002-rank7of9.safetensors.tmp-0badcafe") << "half";
    go_on(Kind::sharded, 2, 1, folder.path());
    BOOST_TEST((files_of(folder.path()) == std::vector<std::string>{"000002-rank0of2.safetensors",
                                                                    "000002-rank1of2.safetensors", "index.safetensors",
                                                                    "notes.txt"}));
    const auto size = [&](int r) {
        return fs::file_size(fs::path(folder.path()) / ("000002-rank" + std::to_string(r) + "of2.safetensors"));
    };
    BOOST_TEST(size(1) > size(0) / 2);
    const Folder replicated; // what all have is shared out
    go_on(Kind::plain, 2, 1, replicated.path());
    for (int r = 0; r < 2; ++r)
        BOOST_TEST(serialize::SafetensorsFile(
                       (fs::path(replicated.path()) / ("000001-rank" + std::to_string(r) + "of2.safetensors")).string())
                       .keys()
                       .size() > 2u);
}
// D-40
BOOST_AUTO_TEST_CASE(one_file_of_whole_tensors) {
    const Folder folder;
    go_on(Kind::sharded, 3, 2, folder.path());
    const std::string path = (fs::path(folder.path()) / "model.safetensors").string();
    checkpoint::export_safetensors(folder.path(), path, "model");
    Run alone(Kind::plain);
    alone.train(0), alone.train(0);
    const auto tensors = serialize::load_file(path);
    BOOST_TEST(tensors.size() == 6u);
    for (const auto& item : alone.net->named_parameters())
        BOOST_TEST(largest_difference({tensors[item.key()]}, {item.value()}) < 1e-14);
    const auto all = checkpoint::read_tensors(folder.path());
    BOOST_TEST(all.contains("optimizer.state.0.exp_avg"));
    BOOST_TEST((all["optimizer.state.0.exp_avg"].sizes().vec() == std::vector<std::int64_t>{10, 6}));
    BOOST_TEST(message([&] { checkpoint::export_safetensors(folder.path(), path, "mdoel"); }) ==
               "checkpoint::export_safetensors: '" + folder.path() + "' has no tensors of an object 'mdoel'");
}
BOOST_AUTO_TEST_CASE(generators_samplers_and_values) {
    const Folder folder;
    const auto saved = on_ranks(2, [&](std::int64_t r) {
        Generator generator = reel::detail::createCPUGenerator(std::uint64_t(r));
        reel::rand({5}, generator);
        reel::manual_seed(std::uint64_t(50 + r));
        reel::rand({3});
        Objects o{generator, 0.25, "so far", reel::arange(100, kDouble)};
        o.sampler.set_epoch(3);
        o.sampler.reset();
        o.sampler.next(4);
        checkpoint::save(o.state(), folder.path());
        return std::pair(reel::rand({5}, generator) + reel::rand({5}), *o.sampler.next(100));
    });
    const auto loaded = on_ranks(3, [&](std::int64_t r) {
        Generator generator = reel::detail::createCPUGenerator(std::uint64_t(77));
        Objects o{generator, 0, "", reel::zeros({100}, kDouble)};
        checkpoint::State state = o.state();
        checkpoint::load(state, folder.path());
        const std::size_t left = o.sampler.next(100)->size();
        return std::tuple(r < 2 ? reel::rand({5}, generator) + reel::rand({5}) : Tensor(), o.best, o.note,
                          o.table.sum().item<double>(), o.sampler.epoch(), left);
    });
    for (std::size_t r = 0; r < 3; ++r) {
        const auto& [drawn, best, note, sum, epoch, left] = loaded[r];
        if (r < 2) BOOST_TEST(largest_difference({drawn}, {saved[r].first}) == 0);
        BOOST_TEST(best == 0.25);
        BOOST_TEST(note == "so far");
        BOOST_TEST(sum == 4950);
        BOOST_TEST(epoch == 3u);
        BOOST_TEST(left == 4u); // 20 - 2 * 4 on three
    }
}
// D-40
BOOST_AUTO_TEST_CASE(a_failed_save_leaves_the_one_before) {
    const Folder folder;
    go_on(Kind::sharded, 2, 1, folder.path());
    const auto before = checkpoint::read_tensors(folder.path());
    // a disk that is full for one rank: files may have no more than 400 bytes
    std::signal(SIGXFSZ, SIG_IGN);
    struct rlimit old {};
    ::getrlimit(RLIMIT_FSIZE, &old);
    const struct rlimit none { 400, old.rlim_max };
    const auto errors = errors_on_ranks(2, [&](std::int64_t r) {
        Run run(Kind::sharded, 2);
        run.train(r);
        barrier();
        if (r == 0) ::setrlimit(RLIMIT_FSIZE, &none);
        barrier();
        checkpoint::State state = run.state();
        checkpoint::save(state, folder.path());
    });
    ::setrlimit(RLIMIT_FSIZE, &old);
    for (const std::string& e : errors) BOOST_TEST(has(e, "cannot write"), e);
    BOOST_TEST(
        (files_of(folder.path()) ==
         std::vector<std::string>{"000001-rank0of2.safetensors", "000001-rank1of2.safetensors", "index.safetensors"}));
    checkpoint::verify(folder.path());
    const auto after = checkpoint::read_tensors(folder.path());
    for (const auto& item : before) BOOST_TEST(largest_difference({after[item.key()]}, {item.value()}) == 0);
}
BOOST_AUTO_TEST_CASE(damage_and_misfits_are_named) {
    const Folder folder;
    BOOST_TEST(!checkpoint::exists(folder.path()));
    nn::Linear layer(600, 600);
    checkpoint::State state;
    state.add("layer", layer);
    BOOST_TEST(message([&] { checkpoint::load(state, folder.path()); }) ==
               "checkpoint: '" + folder.path() + "' holds no complete checkpoint: there is no index.safetensors in it");
    checkpoint::save(state, folder.path());
    BOOST_TEST(checkpoint::exists(folder.path()));
    nn::Linear narrow(600, 500);
    checkpoint::State other, unknown;
    other.add("layer", narrow);
    unknown.add("model", narrow);
    const Tensor kept = narrow->weight.detach().clone();
    BOOST_TEST(message([&] { checkpoint::load(other, folder.path()); }) ==
               "checkpoint: 'layer.weight' has shape [600, 600], the program's has [500, 600]");
    BOOST_TEST(largest_difference({narrow->weight}, {kept}) == 0);
    BOOST_TEST(message([&] { checkpoint::load(unknown, folder.path()); }) ==
               "checkpoint::load: there is no 'model'; there are 'layer'");
    BOOST_TEST(message([&] { state.add("layer", narrow); }) == "checkpoint: State::add: there is a 'layer' already");
    const fs::path file = fs::path(folder.path()) / "000001-rank0of1.safetensors";
    {
        std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
        bytes.seekp(-100, std::ios::end);
        bytes.put('!');
    }
    BOOST_TEST(has(message([&] { checkpoint::load(state, folder.path()); }),
                   "000001-rank0of1.safetensors is damaged: 'layer."));
    BOOST_TEST(has(message([&] { checkpoint::verify(folder.path()); }), "does not have its checksum between bytes"));
    fs::remove(file);
    BOOST_TEST(!checkpoint::exists(folder.path()));
    BOOST_TEST(has(message([&] { checkpoint::load(state, folder.path()); }), "000001-rank0of1.safetensors is missing"));
    std::ofstream(fs::path(folder.path()) / "index.safetensors") << "not a safetensors file";
    BOOST_TEST(has(message([&] { checkpoint::load(state, folder.path()); }), "index.safetensors"));
}
BOOST_AUTO_TEST_CASE(the_newest_complete_one) {
    const Folder folder;
    nn::Linear layer(20, 20);
    checkpoint::State state;
    state.add("layer", layer);
    BOOST_TEST(checkpoint::newest(folder.path()).empty());
    for (const char* name : {"a", "b", "c"}) {
        checkpoint::save(state, (fs::path(folder.path()) / name).string());
        fs::last_write_time(fs::path(folder.path()) / name / "index.safetensors",
                            fs::file_time_type::clock::now() + std::chrono::seconds(name[0] - 'a'));
    }
    fs::remove(fs::path(folder.path()) / "c" / "000001-rank0of1.safetensors");
    BOOST_TEST(checkpoint::newest(folder.path()) == (fs::path(folder.path()) / "b").string());
}

BOOST_AUTO_TEST_SUITE_END()
