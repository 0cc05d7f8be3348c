// The header of an npy array.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "file_dtype.hpp"

namespace reel::serialize {

struct NpyHeader {
    FileDtype dtype = FileDtype::None;
    bool swapped = false; ///< big-endian elements
    bool fortran = false;
    std::vector<std::int64_t> shape;
    std::uint64_t data = 0;  ///< offset of the elements
    std::uint64_t bytes = 0; ///< of all elements
};
/// Parses the front of an npy file (`head` may be less than all). ValueError naming `where` for anything that is not
/// the literal NumPy writes, for object and structured arrays and for dtypes that tensors do not have.
NpyHeader parse_npy_header(std::string_view head, const std::string& where);
/// The header of a C-ordered little-endian array, padded so that the data begin at a multiple of 64.
std::string npy_header(FileDtype dtype, const std::vector<std::int64_t>& shape);
/// Elements in file order to C order and this machine's byte order.
void npy_elements(const NpyHeader& h, const char* in, char* out);

} // namespace reel::serialize
