// The container of a script archive (rules SC-1 to SC-6).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "file_tensors.hpp"
#include "pickle_reader.hpp"
#include "zip_reader.hpp"

namespace reel::jit {

/// An opened archive: its directory, version and byte order are checked, members are read when they are asked for.
class ArchiveFile {
public:
    /// ValueError naming the file and what is wrong with it.
    explicit ArchiveFile(std::shared_ptr<const serialize::MappedFile> file);

    const std::string& path() const { return zip_.file().path(); }
    const std::string& root() const { return root_; }
    int version() const { return version_; }
    bool big_endian() const { return big_endian_; }
    serialize::ZipReader& zip() { return zip_; }
    const serialize::ZipReader& zip() const { return zip_; }

    bool has(const std::string& name) const { return zip_.find(root_ + "/" + name) >= 0; }
    /// The bytes of a member below the root. ValueError when there is none, or it has more than `limit` bytes.
    std::string read(const std::string& name, std::uint64_t limit);
    /// The text of `__torch__.a.b` (`code/__torch__/a/b.py`); none when the archive has no such file.
    std::optional<std::string> code(const std::string& module);
    static std::string code_name(const std::string& module);
    /// Names below `extra/`, in the file's order.
    std::vector<std::string> extra_files() const;

private:
    void read_version();
    serialize::ZipReader zip_;
    std::string root_;
    int version_ = 0;
    bool big_endian_ = false;
};

/// One pickle of an archive, `data` or `constants`, with its storages.
class ArchivePickle : private serialize::StorageBytes {
public:
    /// Reads `NAME.pkl`; its tensors go to `map_location`, or where the storages say that they were.
    ArchivePickle(ArchiveFile& archive, const std::string& name, std::optional<Device> map_location);
    const serialize::Node& root() const { return *tree_.root; }
    Tensor tensor(const serialize::Node& node) { return tensors_->tensor(tree_.tensors[node.index]); }
    /// `FILE: member 'ROOT/data.pkl'`.
    const std::string& where() const { return where_; }

private:
    void read(std::size_t index, char* out) const override;
    [[noreturn]] void fail(const std::string& what) const override;
    Device device(std::size_t index) const override;

    ArchiveFile& archive_;
    std::string where_;
    std::optional<Device> map_location_;
    serialize::FileTree tree_;
    std::optional<serialize::FileTensors> tensors_;
};

} // namespace reel::jit
