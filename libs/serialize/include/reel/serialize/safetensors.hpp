// The safetensors container: named tensors with a JSON header, readable by every framework.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <reel/autograd/ordered_dict.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel::serialize {

/// Free text pairs kept under `__metadata__`.
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// A file opened for reading. The file is mapped; tensors are made when asked for.
/// Errors (all ValueError or Error naming file and key): cannot be opened, header longer than the file or over 100 MB,
/// malformed JSON, unknown dtype, sizes that do not fit the offsets, overlapping tensors, holes, trailing bytes.
class SafetensorsFile {
public:
    explicit SafetensorsFile(const std::string& path);
    ~SafetensorsFile();
    SafetensorsFile(SafetensorsFile&&) noexcept;
    SafetensorsFile& operator=(SafetensorsFile&&) noexcept;

    /// Names in the order of their data.
    const std::vector<std::string>& keys() const;
    bool contains(std::string_view key) const;
    const Metadata& metadata() const;
    /// Value of one metadata entry, null when absent.
    const std::string* metadata(std::string_view key) const;
    ScalarType dtype(std::string_view key) const;
    std::vector<std::int64_t> sizes(std::string_view key) const;
    /// A copy that owns its memory.
    Tensor tensor(std::string_view key) const;
    /// A tensor on the mapped pages themselves (private: writing to it does not reach the file). Needs data aligned
    /// to the element size; falls back to a copy otherwise.
    Tensor mapped(std::string_view key) const;

private:
    struct Impl;
    std::shared_ptr<const Impl> impl_;
};

/// All tensors of a file, in file order.
OrderedDict<std::string, Tensor> load_file(const std::string& path);

/// Writes dense row-major copies of `tensors`; data starts 64-byte aligned, larger element types first as readers
/// expect. The file is written beside its destination, synced and renamed: a crash leaves the old one.
/// Errors: KeyError for an empty or reserved name, Error naming the path when writing fails.
void save_file(const OrderedDict<std::string, Tensor>& tensors, const std::string& path, const Metadata& metadata = {});

/// Replaces the file at `path` by `parts`, one after the other, atomically: temporary file, fsync, rename, fsync of the
/// folder. A new file has the mode that the umask leaves, a replaced one keeps its own.
/// Errors: Error naming the path when writing fails; the old file stays.
void write_file_atomically(const std::string& path, const std::vector<std::string_view>& parts);

} // namespace reel::serialize
