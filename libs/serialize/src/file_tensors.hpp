// From the tensors that a file describes to tensors: what shares a storage in the file shares it here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <reel/autograd/storage.hpp>
#include <reel/autograd/tensor.hpp>

#include "file_tree.hpp"
#include "mapped_file.hpp"

namespace reel::serialize {

/// Where the bytes of a file's storages are.
class StorageBytes {
public:
    virtual ~StorageBytes() = default;
    /// The storage's bytes in this machine's order into `out`, `bytes` long.
    virtual void read(std::size_t index, char* out) const = 0;
    /// Where they lie in `file()`; null when they must be read.
    virtual char* mapped(std::size_t) const { return nullptr; }
    virtual std::shared_ptr<const MappedFile> file() const { return nullptr; }
    /// Says of the tensor in the making what is wrong.
    [[noreturn]] virtual void fail(const std::string& what) const = 0;
    /// Where the storage goes once it is read.
    virtual Device device(std::size_t) const { return Device(kCPU); }
};

class FileTensors {
public:
    FileTensors(const FileTree& tree, const StorageBytes& bytes)
        : tree_(tree), bytes_(bytes), storages_(tree.storages.size()) {}
    /// A new tensor on its storage, which is read with the first tensor on it. Fails through `bytes` for what no tensor
    /// can have.
    Tensor tensor(const TensorInfo& t);

private:
    const StoragePtr& storage(std::size_t index);
    const FileTree& tree_;
    const StorageBytes& bytes_;
    std::vector<StoragePtr> storages_;
};

} // namespace reel::serialize
