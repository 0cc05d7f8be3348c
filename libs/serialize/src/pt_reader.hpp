// The containers of torch.save around their pickles (PT-1 to PT-14).
#pragma once

#include <memory>
#include <string>

#include "file_tree.hpp"
#include "zip_reader.hpp"

namespace reel::serialize {

struct PtOptions {
    bool check_crc = true;
    ReadLimits limits;
};

/// An opened `.pt` file of either container: the tree is complete and checked, storages are not read yet.
class PtReader {
public:
    explicit PtReader(const std::string& path, const PtOptions& options = {});
    explicit PtReader(std::shared_ptr<const MappedFile> file, const PtOptions& options = {});

    const FileTree& tree() const { return tree_; }
    bool legacy() const { return !zip_; }
    const std::string& path() const { return file_->path(); }
    const std::shared_ptr<const MappedFile>& file() const { return file_; }
    bool big_endian() const { return big_endian_; }

    /// Bytes of a storage in this machine's order, checksum compared, into `out` (`storage.bytes` long).
    void read_storage(std::size_t index, char* out) const;
    /// Where the storage's bytes lie in the mapped file; null when they must be copied (deflated, other byte order).
    /// The checksum is not looked at.
    char* mapped_storage(std::size_t index) const;
    /// Compares a mapped storage's checksum.
    void check_storage(std::size_t index) const;
    /// Compares the checksums of all members, whether anything refers to them or not, and says how many there are.
    std::size_t check_members() const;

private:
    void read_zip(const PtOptions& options);
    void read_legacy(const PtOptions& options);
    std::shared_ptr<const MappedFile> file_;
    std::unique_ptr<ZipReader> zip_;
    FileTree tree_;
    bool big_endian_ = false;
};

/// What the bytes look like, in words, for messages about files of the wrong kind: `an HDF5 file`; empty when unknown.
std::string describe_content(std::string_view bytes);

} // namespace reel::serialize
