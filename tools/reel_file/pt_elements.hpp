// Tensors of an opened `.pt` file, element by element.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pt_reader.hpp"

namespace reel_file {

using namespace reel::serialize;

/// Storages of an opened file, read when first asked for; at most one copied one is held.
class Storages {
public:
    explicit Storages(const PtReader& file) : file_(file), checked_(file.tree().storages.size()) {}
    const char* bytes(std::size_t index) {
        if (char* mapped = file_.mapped_storage(index)) {
            if (!checked_[index]) file_.check_storage(index);
            checked_[index] = true;
            return mapped;
        }
        if (held_ != std::int64_t(index)) {
            held_ = -1;
            buffer_.reset();
            buffer_.reset(new char[file_.tree().storages[index].bytes + 1]);
            file_.read_storage(index, buffer_.get());
            spend(file_.tree().storages[index].bytes);
            held_ = std::int64_t(index);
        }
        return buffer_.get();
    }
    /// A small file can refer to a little memory, or unpack a little, very many times. What is shown is limited to the
    /// work that its size is worth.
    void spend(std::uint64_t bytes) { spent_ += bytes; }
    bool tired() const { return spent_ > (std::uint64_t(1) << 27) + 64 * file_.file()->size(); }

private:
    const PtReader& file_;
    std::vector<bool> checked_;
    std::unique_ptr<char[]> buffer_;
    std::int64_t held_ = -1;
    std::uint64_t spent_ = 0;
};

/// Gives the elements of a strided tensor in row-major order, conjugated and negated as its flags say.
void each_element(const TensorInfo& t, const char* storage, std::uint64_t most,
                  const std::function<void(const char*)>& give);
/// Do the elements lie in memory in row-major order as they are?
bool is_dense(const TensorInfo& t);
std::uint64_t numel(const TensorInfo& t);
/// `[2, 3]`
std::string shape_text(const std::vector<std::int64_t>& v);

} // namespace reel_file
