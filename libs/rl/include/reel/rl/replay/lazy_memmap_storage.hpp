// Entries on disk.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <reel/rl/replay/tensor_storage.hpp>

namespace reel::rl {

/// One file for each leaf in a folder, its elements and nothing else, mapped into memory: what is stored may be larger
/// than the memory and reaches the files without being told to. The disk's space is taken at the first write (Error if
/// there is not enough). Without a `scratch_dir` a folder below TMPDIR, removed with the storage.
/// Errors: a file that is there already, unless `existsok`; folders and files that cannot be made.
class LazyMemmapStorage : public TensorStorage {
public:
    explicit LazyMemmapStorage(std::int64_t max_size, std::string scratch_dir = "", bool existsok = false);
    ~LazyMemmapStorage() override;
    LazyMemmapStorage(LazyMemmapStorage&&) noexcept;
    const char* name() const override { return "LazyMemmapStorage"; }
    /// Empty before the first write if none was given.
    const std::string& scratch_dir() const;
    /// Waits until everything written so far is on the disk.
    void flush() const;

protected:
    Tensor allocate(const NestedKey& key, const std::vector<std::int64_t>& sizes, const Tensor& like) override;
    void release() override;

private:
    struct Files;
    std::unique_ptr<Files> files_;
};

} // namespace reel::rl
