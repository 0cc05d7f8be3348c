// What the index of a checkpoint says: where the rows of each tensor lie, and everything that is no tensor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <reel/autograd/ordered_dict.hpp>
#include <reel/autograd/value.hpp>

namespace reel::distributed::checkpoint {

/// Rows of a tensor in a file. A tensor without dimensions has one row.
struct Piece {
    std::string file, key;
    std::int64_t begin = 0, rows = 0;
    std::vector<std::int64_t> sums; ///< CRC-32 of every MiB of its bytes
};
struct StoredTensor {
    ScalarType dtype = ScalarType::Float;
    std::vector<std::int64_t> sizes;
    std::vector<Piece> pieces; ///< by their first row
};
/// An object's state with a mark in place of each tensor.
struct StoredObject {
    bool local = false; ///< `values` has one for each rank
    std::vector<Value> values;
};
struct Index {
    std::int64_t number = 0; ///< of the checkpoint among those of its folder
    std::int64_t world = 1;
    OrderedDict<std::string, StoredObject> objects{"Object"};
    OrderedDict<std::string, StoredTensor> tensors{"Tensor"};
};

inline constexpr const char* index_name = "index.safetensors";
/// `000003-rank1of2.safetensors`
std::string shard_name(std::int64_t number, std::int64_t rank, std::int64_t world);
/// Is it such a name, of whatever checkpoint, or that of a file that was not completed?
bool is_shard_name(const std::string& file);

Value to_value(const StoredTensor& tensor);
StoredTensor stored_tensor(const Value& value);
/// Replaces the folder's index, atomically.
void write_index(const Index& index, const std::string& directory);
/// Error when there is none, ValueError when it is damaged or of another format.
Index read_index(const std::string& directory);

/// CRC-32 of every MiB.
std::vector<std::int64_t> sums_of(const void* data, std::size_t bytes);
inline constexpr std::size_t sum_bytes = std::size_t(1) << 20;

} // namespace reel::distributed::checkpoint
