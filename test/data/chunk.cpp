// Datasets in chunks: order, cache, threads, state and errors.
#include <reel/data/datasets/chunk.hpp>

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <numeric>
#include <stdexcept>

#include <reel/autograd/archive.hpp>
#include <reel/data/dataloader.hpp>
#include <reel/data/datasets/shared.hpp>
#include <reel/data/samplers.hpp>
#include <reel/data/worker_exception.hpp>

using namespace reel;
using namespace reel::data;
using boost::test_tools::per_element;

namespace {
using Ints = std::vector<int>;
/// Chunk c holds the next `sizes[c]` integers.
struct Counted : datasets::ChunkDataReader<int> {
    using BatchType = ChunkType;
    explicit Counted(std::vector<std::size_t> sizes) : sizes(std::move(sizes)) {}
    Ints read_chunk(std::size_t c) override {
        Ints chunk(sizes[c]);
        std::iota(chunk.begin(), chunk.end(), std::accumulate(sizes.begin(), sizes.begin() + std::ptrdiff_t(c), 0));
        return chunk;
    }
    std::size_t chunk_count() override { return sizes.size(); }
    void reset() override { ++*resets; }
    std::vector<std::size_t> sizes;
    std::shared_ptr<int> resets = std::make_shared<int>(0);
};
using samplers::SequentialSampler;
template <class Reader> using InOrder = datasets::ChunkDataset<Reader, SequentialSampler, SequentialSampler>;

template <class Reader>
auto in_order(Reader reader, datasets::ChunkDatasetOptions options,
              typename InOrder<Reader>::PreprocessingPolicy policy = {}) {
    return datasets::make_shared_dataset<InOrder<Reader>>(std::move(reader), SequentialSampler(0), SequentialSampler(0),
                                                          options, std::move(policy));
}
template <class Dataset> std::vector<Ints> batches(Dataset& dataset) {
    std::vector<Ints> all;
    while (auto batch = dataset->get_batch()) all.push_back(*batch);
    return all;
}
Ints joined(const std::vector<Ints>& lists) {
    Ints all;
    for (const Ints& l : lists) all.insert(all.end(), l.begin(), l.end());
    return all;
}
Ints up_to(int n) {
    Ints all(std::size_t(n), 0);
    std::iota(all.begin(), all.end(), 0);
    return all;
}
} // namespace

BOOST_AUTO_TEST_SUITE(chunk)

BOOST_AUTO_TEST_CASE(batches_go_across_chunks_and_the_last_is_smaller) {
    auto dataset = in_order(Counted({3, 0, 5, 2}), {1, 4});
    for (int pass = 0; pass < 2; ++pass) {
        dataset->reset();
        const std::vector<Ints> got = batches(dataset);
        BOOST_TEST(got.size() == 3u);
        BOOST_TEST(got.back().size() == 2u);
        BOOST_TEST(joined(got) == up_to(10), per_element());
        BOOST_TEST(!dataset->get_batch());
    }
}
BOOST_AUTO_TEST_CASE(every_example_comes_once_with_any_number_of_threads) {
    for (const std::size_t preloaders : {1, 2, 4})
        for (const std::size_t workers : {0, 2}) {
            auto dataset = in_order(Counted({10, 5, 20, 1}), {preloaders, 5, 8});
            auto loader = make_data_loader(dataset, DataLoaderOptions(5).workers(workers));
            Ints all;
            for (Ints& batch : *loader) all.insert(all.end(), batch.begin(), batch.end());
            std::sort(all.begin(), all.end());
            BOOST_TEST(all == up_to(36), per_element());
        }
}
BOOST_AUTO_TEST_CASE(samplers_order_chunks_and_examples) {
    const auto sampler = [](std::uint64_t seed) {
        Generator g(kCPU);
        g.set_current_seed(seed);
        return samplers::RandomSampler(0, g);
    };
    const auto pass = [&] {
        auto dataset = datasets::make_shared_dataset<datasets::ChunkDataset<Counted>>(
            Counted({4, 4, 4}), sampler(1), sampler(2), datasets::ChunkDatasetOptions(1, 4));
        dataset->reset();
        return joined(batches(dataset));
    };
    Ints once = pass();
    BOOST_TEST(once == pass(), per_element());
    BOOST_TEST(once != up_to(12), per_element());
    std::sort(once.begin(), once.end());
    BOOST_TEST(once == up_to(12), per_element());
}
BOOST_AUTO_TEST_CASE(what_is_loaded_at_once_is_ordered_together) {
    const auto backwards = [](Ints& examples) { std::reverse(examples.begin(), examples.end()); };
    auto dataset = in_order(Counted({2, 2, 2}), {1, 2, 2048, 2}, backwards);
    dataset->reset();
    BOOST_TEST(joined(batches(dataset)) == (Ints{3, 2, 1, 0, 5, 4}), per_element());
}
BOOST_AUTO_TEST_CASE(loading_waits_for_room_and_ends_in_the_middle_of_a_pass) {
    struct Watched : Counted {
        Watched() : Counted({2, 2, 2, 2, 2}) {}
        Ints read_chunk(std::size_t c) override { return ++*read, Counted::read_chunk(c); }
        std::shared_ptr<std::atomic<int>> read = std::make_shared<std::atomic<int>>(0);
    };
    const Watched reader;
    auto dataset = in_order(reader, {1, 2, 2});
    dataset->reset();
    BOOST_TEST(*dataset->get_batch() == (Ints{0, 1}), per_element());
    // Besides the first chunk the cache holds one, and one more is on its way into it.
    BOOST_TEST(*reader.read <= 3);
    dataset->reset();
    BOOST_TEST(joined(batches(dataset)) == up_to(10), per_element());
    BOOST_TEST(*reader.resets == 2);
}
BOOST_AUTO_TEST_CASE(a_loaded_state_skips_what_the_sampler_had_drawn) {
    auto dataset = in_order(Counted({10, 5, 20}), {1, 5});
    SequentialSampler drawn(3);
    drawn.next(2);
    dataset->load_state_dict(drawn.state_dict());
    dataset->reset();
    const Ints rest = joined(batches(dataset));
    BOOST_TEST(rest.size() == 20u);
    BOOST_TEST(rest.front() == 15);
    BOOST_TEST(dataset->chunk_sampler().index() == 3u);
    dataset->reset(); // the next pass is whole
    BOOST_TEST(joined(batches(dataset)) == up_to(35), per_element());
    SequentialSampler read(0);
    read.load_state_dict(dataset->state_dict());
    BOOST_TEST(read.index() == 3u);
    BOOST_TEST(!read.next(1));
}
BOOST_AUTO_TEST_CASE(an_error_of_the_reader_comes_once_and_the_pass_goes_on) {
    struct Broken : Counted {
        Broken() : Counted({2, 2, 2}) {}
        Ints read_chunk(std::size_t c) override {
            if (c == 1) throw std::runtime_error("no such file");
            return Counted::read_chunk(c);
        }
    };
    auto dataset = in_order(Broken(), {1, 4});
    dataset->reset();
    BOOST_CHECK_EXCEPTION(dataset->get_batch(), WorkerException,
                          [](const WorkerException& e) { return e.message.find("no such file") != std::string::npos; });
    BOOST_TEST(joined(batches(dataset)) == (Ints{0, 1, 4, 5}), per_element());
}
BOOST_AUTO_TEST_CASE(arguments_are_checked) {
    const auto text = [](auto make) {
        try {
            make();
        } catch (const Error& e) {
            return std::string(e.msg());
        }
        return std::string();
    };
    using Options = datasets::ChunkDatasetOptions;
    BOOST_TEST(text([] { Options(0, 1); }).find("preloader_count is 0") != std::string::npos);
    BOOST_TEST(text([] { Options(1, 0); }).find("batch_size is 0") != std::string::npos);
    BOOST_TEST(text([] { Options(1, 10, 5); }).find("cache_size is 5, but a batch of 10") != std::string::npos);
    BOOST_TEST(text([] { Options(1, 1).cross_chunk_shuffle_count(0); }).find("cross_chunk_shuffle_count is 0") !=
               std::string::npos);
    auto dataset = in_order(Counted({3}), {1, 2});
    BOOST_TEST(text([&] { dataset->get_batch(); }).find("before reset()") != std::string::npos);
    dataset->reset();
    BOOST_TEST(text([&] { dataset->get_batch(3); }).find("a batch of 3 examples was asked for, its options say 2") !=
               std::string::npos);
    struct Short : samplers::Sampler<> {
        void reset(std::optional<std::size_t>) override {}
        std::optional<std::vector<std::size_t>> next(std::size_t) override { return std::nullopt; }
    };
    datasets::ChunkDataset<Counted, SequentialSampler, Short> lazy(Counted({3}), SequentialSampler(0), Short(),
                                                                   Options(1, 2));
    lazy.reset();
    BOOST_TEST(text([&] { lazy.get_batch(); }).find("the example sampler gave 0 indices for 3 examples") !=
               std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
