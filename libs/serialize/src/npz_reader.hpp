// An npz archive: npy arrays by name in a ZIP container.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "npy_format.hpp"
#include "zip_reader.hpp"

namespace reel::serialize {

/// Opens an archive and parses every array's header; elements are read on demand.
class NpzReader {
public:
    struct Array {
        std::string name; ///< without `.npy`
        NpyHeader header;
        std::size_t member = 0;
    };
    explicit NpzReader(const std::string& path, bool check_crc = true);
    explicit NpzReader(std::shared_ptr<const MappedFile> file, bool check_crc = true);
    const std::vector<Array>& arrays() const { return arrays_; }
    /// Elements in C order and this machine's byte order, `header.bytes` of them, into `out`.
    void read(const Array& a, char* out) const;

private:
    ZipReader zip_;
    std::vector<Array> arrays_;
};

} // namespace reel::serialize
