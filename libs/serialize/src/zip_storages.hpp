// The storages of a pickle that are members of a ZIP archive.
#pragma once

#include <string>
#include <unordered_map>

#include "pickle_reader.hpp"
#include "zip_reader.hpp"

namespace reel::serialize {

/// The byte count that a request states; fails through `reader` when it is negative or overflows.
std::uint64_t storage_bytes(const StorageRequest& request, PickleReader& reader);
/// A second reference to a storage must agree with the first on size and dtype.
void check_storage_again(StorageInfo& storage, const StorageRequest& request, std::uint64_t bytes,
                         PickleReader& reader);

/// Storage K is the member `folder` + K: it must be there and have exactly the bytes that the pickle states.
class ZipStorages : public StorageSource {
public:
    /// `folder` ends in a slash.
    ZipStorages(FileTree& tree, const ZipReader& zip, std::string folder)
        : tree_(tree), zip_(zip), folder_(std::move(folder)) {}
    std::size_t fields() const override { return 5; }
    std::uint32_t storage(const StorageRequest& request, PickleReader& reader) override;

private:
    FileTree& tree_;
    const ZipReader& zip_;
    std::string folder_;
    std::unordered_map<std::string, std::uint32_t> known_;
};

} // namespace reel::serialize
