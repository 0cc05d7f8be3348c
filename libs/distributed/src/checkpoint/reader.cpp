#include "checkpoint/reader.hpp"

#include <algorithm>
#include <filesystem>

#include <reel/autograd/error.hpp>
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "sharding/rows.hpp"

namespace reel::distributed::checkpoint {

Reader::Reader(std::string directory) : directory_(std::move(directory)), index_(read_index(directory_)) {}

const StoredTensor& Reader::stored(const std::string& name) const {
    const StoredTensor* const t = index_.tensors.find(name);
    REEL_CHECK_VALUE(t, "checkpoint: ", directory_, "/", index_name, " is damaged: it says nothing of '", name, "'");
    return *t;
}
Tensor Reader::piece(const StoredTensor& tensor, const Piece& piece) {
    auto file = files_.find(piece.file);
    if (file == files_.end()) {
        const std::string path = (std::filesystem::path(directory_) / piece.file).string();
        REEL_CHECK_VALUE(std::filesystem::exists(path), "checkpoint: ", path, " is missing, which holds '", piece.key,
                         "'");
        file = files_.emplace(piece.file, serialize::SafetensorsFile(path)).first;
    }
    std::vector<std::int64_t> sizes = tensor.sizes;
    if (!sizes.empty()) sizes[0] = piece.rows;
    const bool fits = file->second.contains(piece.key) && file->second.dtype(piece.key) == tensor.dtype &&
                      file->second.sizes(piece.key) == sizes;
    REEL_CHECK_VALUE(fits, "checkpoint: ", directory_, "/", piece.file, " does not hold '", piece.key, "' as ",
                     dtype_name(tensor.dtype), " ", IntArrayRef(sizes), ", as the index says");
    return file->second.mapped(piece.key);
}
void Reader::check_sums(const Piece& piece, const Tensor& data, std::int64_t first_row, std::int64_t rows) const {
    const std::size_t bytes = std::size_t(data.numel()) * elementSize(data.scalar_type());
    const std::size_t row = bytes / std::size_t(std::max<std::int64_t>(piece.rows, 1));
    const std::size_t begin = std::size_t(first_row) * row / sum_bytes * sum_bytes;
    const std::size_t end =
        std::min(bytes, (std::size_t(first_row + rows) * row + sum_bytes - 1) / sum_bytes * sum_bytes);
    const auto* const at = static_cast<const char*>(data.impl()->data());
    const std::vector<std::int64_t> sums = sums_of(at + begin, end - begin);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const std::size_t place = begin / sum_bytes + i;
        REEL_CHECK_VALUE(place < piece.sums.size() && sums[i] == piece.sums[place], "checkpoint: ", directory_, "/",
                         piece.file, " is damaged: '", piece.key, "' does not have its checksum between bytes ",
                         place * sum_bytes, " and ", std::min(bytes, (place + 1) * sum_bytes));
    }
}
Tensor Reader::rows(const std::string& name, std::int64_t begin, std::int64_t rows) {
    const StoredTensor& t = stored(name);
    std::vector<std::int64_t> sizes = t.sizes;
    if (!sizes.empty()) sizes[0] = rows;
    const Tensor result = reel::empty(sizes, t.dtype);
    if (result.numel() == 0) return result;
    const Tensor by_rows = sizes.empty() ? result.view({1}) : result;
    std::int64_t found = 0;
    for (const Piece& p : t.pieces) {
        const std::int64_t from = std::max(begin, p.begin), to = std::min(begin + rows, p.begin + p.rows);
        if (from >= to) continue;
        const Tensor data = piece(t, p);
        check_sums(p, data, from - p.begin, to - from);
        by_rows.narrow(0, from - begin, to - from)
            .copy_((sizes.empty() ? data.view({1}) : data).narrow(0, from - p.begin, to - from));
        found += to - from;
    }
    REEL_CHECK_VALUE(found == rows, "checkpoint: ", directory_, "/", index_name, " is damaged: of '", name, "' it has ",
                     found, " of rows ", begin, " to ", begin + rows - 1);
    return result;
}
Tensor Reader::whole(const std::string& name) {
    const StoredTensor& t = stored(name);
    return rows(name, 0, t.sizes.empty() ? 1 : t.sizes[0]);
}
Value Reader::fetch(const Value& mark, const std::optional<Shard>& shard) {
    const std::string* const name = marked(mark);
    if (!shard) return name ? Value(whole(*name)) : mark;
    const std::vector<std::int64_t> sizes = name ? stored(*name).sizes : mark.toTensor().sizes().vec();
    if (sizes.empty()) return name ? Value(whole(*name)) : mark; // a count, which all have
    REEL_CHECK_VALUE(sizes == shard->sizes, "checkpoint: ", name ? "'" + *name + "'" : std::string("a tensor"),
                     " has shape ", IntArrayRef(sizes), "; the program's, of which this rank has rows ", shard->begin,
                     " to ", shard->begin + shard->rows - 1, ", has ", IntArrayRef(shard->sizes));
    if (name) return Value(rows(*name, shard->begin, shard->rows));
    return Value(mark.toTensor().narrow(0, shard->begin, shard->rows).clone());
}

} // namespace reel::distributed::checkpoint
