#include "file_bytes.hpp"

#include <fstream>
#include <iterator>

#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/device/array.hpp>
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>

#include <reel/autograd/error.hpp>

namespace reel::data {

std::string read_file_bytes(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    REEL_CHECK(in, path, ": cannot be opened for reading");
    std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    REEL_CHECK(!in.bad(), path, ": cannot be read");
    return bytes;
}
bool is_gzip(std::string_view bytes) { return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b'; }

bool gunzip(std::string_view bytes, std::string& out) {
    namespace io = boost::iostreams;
    try {
        io::filtering_istreambuf in;
        in.push(io::gzip_decompressor());
        in.push(io::array_source(bytes.data(), bytes.size()));
        io::copy(in, io::back_inserter(out));
    } catch (const std::exception&) {
        return false;
    }
    return true;
}

} // namespace reel::data
