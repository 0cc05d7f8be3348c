#include <reel/data/datasets/chunk.hpp>

namespace reel::data::datasets {

void ChunkDatasetOptions::check() const {
    REEL_CHECK_VALUE(preloader_count_ > 0, "ChunkDatasetOptions: preloader_count is 0; at least one thread must load");
    REEL_CHECK_VALUE(batch_size_ > 0, "ChunkDatasetOptions: batch_size is 0; expected a positive number");
    REEL_CHECK_VALUE(cache_size_ >= batch_size_, "ChunkDatasetOptions: cache_size is ", cache_size_,
                     ", but a batch of ", batch_size_, " examples must fit");
    REEL_CHECK_VALUE(cross_chunk_shuffle_count_ > 0,
                     "ChunkDatasetOptions: cross_chunk_shuffle_count is 0; at least one chunk must be loaded at once");
}

} // namespace reel::data::datasets
