// Rows of tensors out of a checkpoint's files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include <reel/serialize/safetensors.hpp>

#include "checkpoint/index.hpp"
#include "checkpoint/item.hpp"

namespace reel::distributed::checkpoint {

class Reader {
public:
    explicit Reader(std::string directory);
    const Index& index() const { return index_; }
    /// `rows` rows from `begin` on. ValueError naming file and tensor for what is missing, of other sizes, or does not
    /// have its sums.
    Tensor rows(const std::string& name, std::int64_t begin, std::int64_t rows);
    Tensor whole(const std::string& name);
    /// What a mark, or a small tensor, stands for (see `Fetch`).
    Value fetch(const Value& mark, const std::optional<Shard>& shard);

private:
    const StoredTensor& stored(const std::string& name) const;
    Tensor piece(const StoredTensor& tensor, const Piece& piece);
    void check_sums(const Piece& piece, const Tensor& data, std::int64_t first_row, std::int64_t rows) const;
    std::string directory_;
    Index index_;
    std::unordered_map<std::string, serialize::SafetensorsFile> files_;
};

} // namespace reel::distributed::checkpoint
