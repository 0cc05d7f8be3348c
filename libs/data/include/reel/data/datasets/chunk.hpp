// Datasets that come in chunks, files or parts of them, which threads load ahead of time.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <reel/data/datasets/stateful.hpp>
#include <reel/data/detail/chunk_pipeline.hpp>
#include <reel/data/samplers/random.hpp>

namespace reel::data::datasets {

/// Reads chunks of examples. A reader names what it returns `BatchType`, mostly its `ChunkType`. With several
/// preloaders `read_chunk` runs on all of them at once.
template <class Example, class Chunk = std::vector<Example>> class ChunkDataReader {
public:
    using ChunkType = Chunk;
    using ExampleType = Example;
    virtual ~ChunkDataReader() = default;
    virtual ChunkType read_chunk(std::size_t chunk_index) = 0;
    virtual std::size_t chunk_count() = 0;
    /// Before each pass.
    virtual void reset() = 0;
};

/// Options of a ChunkDataset, with setters of the same names that can be chained.
class ChunkDatasetOptions {
public:
    /// Errors: ValueError for a number that is 0, and for a cache that does not hold a batch.
    ChunkDatasetOptions(std::size_t preloader_count, std::size_t batch_size, std::size_t cache_size = 2048,
                        std::size_t cross_chunk_shuffle_count = 1)
        : preloader_count_(preloader_count), batch_size_(batch_size), cache_size_(cache_size),
          cross_chunk_shuffle_count_(cross_chunk_shuffle_count) {
        check();
    }
#define REEL_CHUNK_OPTION(name)                                                                                        \
    std::size_t name() const { return name##_; }                                                                       \
    ChunkDatasetOptions& name(std::size_t value) { return name##_ = value, check(), *this; }
    /// Threads that load chunks.
    REEL_CHUNK_OPTION(preloader_count)
    REEL_CHUNK_OPTION(batch_size)
    /// Loading pauses while so many examples wait.
    REEL_CHUNK_OPTION(cache_size)
    /// How many chunks are loaded at once, to be shuffled together.
    REEL_CHUNK_OPTION(cross_chunk_shuffle_count)
#undef REEL_CHUNK_OPTION

private:
    void check() const;
    std::size_t preloader_count_, batch_size_, cache_size_, cross_chunk_shuffle_count_;
};

/// Batches of the examples of chunks: `chunk_sampler` says which chunks come next, `example_sampler` orders the
/// examples of what was loaded at once, and threads load ahead of the batches. `preprocessing_policy` may change those
/// examples before they are ordered. With one preloader the order is the samplers'; give random ones a generator of
/// their own where it shall not depend on what else draws. The last batch of a pass may be smaller. Its state is that
/// of the chunk sampler, which is ahead of the batches by what waits in the cache: after `load` the next pass goes on
/// with the chunks that were not loaded yet. Errors: Error before the first `reset()`; ValueError for another batch
/// size than that of the options; WorkerException for what a preloader threw, once: the next batch goes on behind it.
template <class ChunkReader, class ChunkSampler = samplers::RandomSampler,
          class ExampleSampler = samplers::RandomSampler>
class ChunkDataset final : public StatefulDataset<ChunkDataset<ChunkReader, ChunkSampler, ExampleSampler>,
                                                  typename ChunkReader::BatchType, std::size_t> {
public:
    using UnwrappedBatchType = typename ChunkReader::BatchType;
    using BatchType = std::optional<UnwrappedBatchType>;
    using BatchRequestType = std::size_t;
    using ChunkSamplerType = ChunkSampler;
    using ExampleSamplerType = ExampleSampler;
    using PreprocessingPolicy = std::function<void(UnwrappedBatchType&)>;

    ChunkDataset(ChunkReader chunk_reader, ChunkSampler chunk_sampler, ExampleSampler example_sampler,
                 ChunkDatasetOptions options, PreprocessingPolicy preprocessing_policy = {})
        : reader_(std::move(chunk_reader)), chunk_sampler_(std::move(chunk_sampler)),
          example_sampler_(std::move(example_sampler)), options_(options), policy_(std::move(preprocessing_policy)) {}

    BatchType get_batch(std::size_t batch_size) override {
        REEL_CHECK(pipeline_, "ChunkDataset: get_batch was called before reset(); reset() starts a pass");
        REEL_CHECK_VALUE(batch_size == options_.batch_size(), "ChunkDataset: a batch of ", batch_size,
                         " examples was asked for, its options say ", options_.batch_size());
        UnwrappedBatchType batch;
        const bool any = pipeline_->take(batch_size, [&](std::size_t n) {
            const auto begin = waiting_.begin() + std::ptrdiff_t(taken_), end = begin + std::ptrdiff_t(n);
            batch = UnwrappedBatchType(std::make_move_iterator(begin), std::make_move_iterator(end));
            taken_ += n;
            if (2 * taken_ < waiting_.size()) return;
            waiting_.erase(waiting_.begin(), end);
            taken_ = 0;
        });
        return any ? BatchType(std::move(batch)) : std::nullopt;
    }
    BatchType get_batch() { return get_batch(options_.batch_size()); }
    void reset() override {
        pipeline_.reset();
        waiting_.clear();
        taken_ = 0;
        if (!std::exchange(restored_, false)) {
            reader_.reset();
            chunk_sampler_.reset(reader_.chunk_count());
        }
        pipeline_ = std::make_unique<data::detail::ChunkPipeline>(options_.preloader_count(), options_.cache_size(),
                                                                  [this] { return load_next(); });
    }
    /// Unknown.
    std::optional<std::size_t> size() const override { return std::nullopt; }
    /// Preloaders draw from it during a pass.
    ChunkSamplerType& chunk_sampler() { return chunk_sampler_; }

    Value state_dict() const override {
        const std::lock_guard lock(sampler_mutex_);
        return chunk_sampler_.state_dict();
    }
    void load_state_dict(const Value& state) override {
        restore([&] { chunk_sampler_.load_state_dict(state); });
    }
    void save(serialize::OutputArchive& archive) const override {
        const std::lock_guard lock(sampler_mutex_);
        chunk_sampler_.save(archive);
    }
    void load(serialize::InputArchive& archive) override {
        restore([&] { chunk_sampler_.load(archive); });
    }

private:
    template <class F> void restore(F read) {
        const std::lock_guard lock(sampler_mutex_);
        chunk_sampler_.reset(reader_.chunk_count()); // it may have been made before the number was known
        read();
        restored_ = true;
    }
    std::optional<typename ChunkSampler::BatchRequestType> next_chunks() {
        const std::lock_guard lock(sampler_mutex_);
        return chunk_sampler_.next(options_.cross_chunk_shuffle_count());
    }
    std::optional<data::detail::ChunkPipeline::Loaded> load_next() {
        const auto chunks = next_chunks();
        if (!chunks) return std::nullopt;
        auto examples = std::make_shared<UnwrappedBatchType>();
        for (const std::size_t chunk : *chunks) {
            auto more = reader_.read_chunk(chunk);
            examples->insert(examples->end(), std::make_move_iterator(more.begin()),
                             std::make_move_iterator(more.end()));
        }
        if (policy_) policy_(*examples);
        return data::detail::ChunkPipeline::Loaded{examples->size(), [this, examples] { append(*examples); }};
    }
    /// In the order of the example sampler. Nobody else is here meanwhile.
    void append(UnwrappedBatchType& examples) {
        example_sampler_.reset(examples.size());
        std::vector<std::size_t> order;
        while (order.size() < examples.size()) {
            const auto some = example_sampler_.next(examples.size() - order.size());
            REEL_CHECK_VALUE(some, "ChunkDataset: the example sampler gave ", order.size(), " indices for ",
                             examples.size(), " examples");
            for (const std::size_t i : *some) {
                REEL_CHECK_INDEX(i < examples.size(), "ChunkDataset: the example sampler gave index ", i, " for ",
                                 examples.size(), " examples");
                order.push_back(i);
            }
        }
        for (const std::size_t i : order) waiting_.push_back(std::move(examples[i]));
    }

    ChunkReader reader_;
    ChunkSampler chunk_sampler_;
    ExampleSampler example_sampler_;
    ChunkDatasetOptions options_;
    PreprocessingPolicy policy_;
    mutable std::mutex sampler_mutex_;
    bool restored_ = false; ///< the next pass starts where the sampler stands
    std::vector<typename UnwrappedBatchType::value_type>
        waiting_;                                           ///< of whoever runs in the pipeline's `append` or `take`
    std::size_t taken_ = 0;                                 ///< how many of the first ones are no more there
    std::unique_ptr<data::detail::ChunkPipeline> pipeline_; ///< ends before what its threads read
};

} // namespace reel::data::datasets
