// Tables of numbers from text files.
#pragma once

#include <string>

#include <reel/autograd/tensor.hpp>

namespace reel::data {

struct CsvOptions {
    char delimiter = ',';
    bool skip_header = false; ///< the first line holds names
    std::int64_t columns = 0; ///< expected; 0: as many as the first line has
    ScalarType dtype = kFloat;
};

/// Reads a file of lines of numbers, gzipped or plain (told by its first bytes), into a tensor [rows, columns]. Empty
/// lines are skipped.
/// Errors, naming the file: Error when it cannot be read or its gzip data is damaged or cut off; ValueError, naming the
/// line too, for a field that is no number, a line with another number of fields, and a file without rows.
Tensor read_csv(const std::string& path, const CsvOptions& options = {});

} // namespace reel::data
